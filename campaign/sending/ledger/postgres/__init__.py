"""A ledger in a PostgreSQL database. Begin with `place`, then `guards` (its triggers)."""
