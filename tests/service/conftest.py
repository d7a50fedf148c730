"""States of the world around a service."""

from support.links import link, resolves_here, tls_link

__all__ = ["link", "resolves_here", "tls_link"]
