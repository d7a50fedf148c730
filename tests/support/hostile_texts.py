"""Texts that would do something where they are shown."""

IMAGE = "<img src=x onerror=alert(1)>"
ESCAPES = "\x1b[2J\x1b]0;owned\x07\x9b31m"
