"""The SMS submission service. Begin with `account`, `wire` and `transport`."""
