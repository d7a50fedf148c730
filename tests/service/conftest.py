"""States of the world around a service."""

from support.links import fast_loop, link, resolves_here, tls_link

__all__ = ["fast_loop", "link", "resolves_here", "tls_link"]
