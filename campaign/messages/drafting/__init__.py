"""How the rows of a contact table become the tables of a plan, block by block: begin with `block`."""
