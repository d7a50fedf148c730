"""Contacts and plans of a few made-up people, for tests in which they could be anybody."""

import campaign


def contacts_of(*rows, header="name,phone"):
    """A contact table from lines of a csv."""
    return campaign.read_contacts("\n".join([header, *rows]).encode())


def people(count):
    """That many people, each with a number of their own: row 2 is Person 0, 0772 000 000."""
    return contacts_of(*(f"Person {n},0772 000 {n:03}" for n in range(count)))


def plan_for(contacts, message="Hi {name}", **options):
    return campaign.prepare(contacts, message=message, sender="CLINIC", region="UG", **options)
