"""The logger of the package, which says nothing unless a program that uses it wants to hear it."""

import logging

log = logging.getLogger("campaign")
log.addHandler(logging.NullHandler())
