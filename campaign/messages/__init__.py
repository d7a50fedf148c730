"""A contact table becomes messages and a table of issues. Begin with `plan`, then `preparation`."""
