"""A spreadsheet becomes a contact table. Begin with `reading`, `columns` and `phone_numbers.cleaning`."""
