"""What the tests of the shell share."""

from support.links import resolves_here

__all__ = ["resolves_here"]
