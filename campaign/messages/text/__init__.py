"""What a text costs and what a service or a phone can take: characters, segments, limits."""
