"""The durable record of what was attempted and what came of it. Begin with `schema`, then `ledger`."""
