"""States of the world around a notebook."""

from support.links import resolves_here

__all__ = ["resolves_here"]
