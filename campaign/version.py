"""The version of this package; pyproject.toml takes it from here, because asking the installer takes 6 ms."""

VERSION = "0.1.0"
