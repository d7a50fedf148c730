"""States of the world around a campaign."""

from support.links import resolves_here, tls_link

__all__ = ["resolves_here", "tls_link"]
