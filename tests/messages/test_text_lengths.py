"""How long a text would be in each row, while it is being written."""

from support.refusals import refused

import campaign
from campaign.messages.plan_tables.text_lengths import are_too_long, numbers_of, text_lengths

TABLE = "name,phone\nAisha,0772 000 001\nNoëlla,0772 000 002\n,0772 000 003\n" + "x" * 160 + ",0772 000 004\n"


def test_the_lengths_are_those_of_the_texts_that_are_sent():
    contacts = campaign.read_contacts(TABLE.encode())
    lengths = text_lengths(contacts, "Hi {name}!")
    assert lengths["characters"].to_dict() == {2: 9, 3: 10, 4: 4, 5: 164}
    assert lengths["parts"].to_dict() == {2: 1, 3: 1, 4: 1, 5: 2}
    plan = campaign.prepare(contacts, message="Hi {name}!", sender="CLINIC", region="UG")
    sent = plan.messages.set_index("row")
    assert sent["message"].str.len().to_dict() == lengths.loc[sent.index, "characters"].to_dict()
    assert sent["parts"].to_dict() == lengths.loc[sent.index, "parts"].to_dict()


def test_a_placeholder_without_a_column_is_refused_as_in_prepare():
    contacts = campaign.read_contacts(TABLE.encode())
    with refused("placeholder_unknown", campaign.TemplateError):
        text_lengths(contacts, "Hi {nme}")


def test_a_table_without_rows_has_no_lengths():
    contacts = campaign.read_contacts(b"name,phone\n")
    assert len(text_lengths(contacts, "Hi {name}")) == 0


def test_texts_that_are_too_long_are_those_of_the_plan():
    """Neither without a number nor without a value would anybody get one."""
    table = """name,phone,clinic
long,0772 000 001,Mulago
Eve,0772 000 001,Mulago
long,0772 000 002,Mulago
long,0772 000 003,
long,0772,Mulago
,0772 000 004,Mulago
"""
    contacts = campaign.read_contacts(table.replace("long", "long " * 40).encode())
    message = "Hi {name}, come to {clinic}"
    issues = campaign.prepare(contacts, message=message, sender="CLINIC", region="UG").issues
    numbers = numbers_of(contacts["phone"], region="UG", several="refuse")
    too_long = contacts.index[are_too_long(text_lengths(contacts, message), numbers)].tolist()
    assert too_long == issues.loc[issues["code"] == "overlong", "row"].tolist() == [2, 4]
