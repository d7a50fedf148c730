"""A spreadsheet becomes a contact table. Begin with `reading`, `columns` and `numbers`, its three faces."""
