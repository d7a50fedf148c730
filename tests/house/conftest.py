"""What the tests of the whole package share."""

from support.links import resolves_here

__all__ = ["resolves_here"]
