"""Which rows would get a text that is still being written: those that a plan sends it to."""

import pytest

import campaign
from campaign.messages.plan_tables.text_lengths import are_too_long, get_text, numbers_of, text_lengths
from campaign.messages.templates.languages import language_of

TABLE = b"""name,phone,language
Aisha,0772 000 001,en
Ben,0772 00,en
,0772 000 002,en
Dan,0772 000 002,en
Eve,0772 000 001,fr
Aisha,0772 000 001,en
Fay,0772 000 003 / 0772 000 004,fr
"""


@pytest.mark.parametrize("duplicates", ["skip", "keep"])
@pytest.mark.parametrize("several", ["refuse", "first"])
@pytest.mark.parametrize("instead", [(), (6,)])
@pytest.mark.parametrize("language", [None, "en", "fr"])
def test_the_readers_are_those_of_the_plan(duplicates, several, instead, language):
    contacts = campaign.read_contacts(TABLE)
    message = "Hi {name}"
    plan = campaign.prepare(
        contacts, message=message, sender="CLINIC", region="UG", duplicates=duplicates, several=several
    )
    plan = plan.keep_instead(instead) if duplicates == "skip" else plan
    readers = contacts[language_of(contacts, "language") == language] if language else contacts
    lengths = text_lengths(readers, message, whole=contacts)
    numbers = numbers_of(contacts["phone"], region="UG", several=several)
    preferred = instead if duplicates == "skip" else ()
    sent = get_text(lengths, numbers, every_text=duplicates == "keep", preferred=preferred)
    assert lengths.index[sent].tolist() == [row for row in plan.messages["row"] if row in readers.index]


def test_a_text_that_is_too_long_and_somebody_who_wants_none_count_as_in_the_plan():
    long = "long " * 40
    rows = ("{long},1", "Eve,1", "Ben,2", "{long},2", "{long},3", "{long},4", ",5")
    table = "name,phone\n" + "".join(f"{row.replace(',', ',077200000')}\n" for row in rows)
    contacts = campaign.read_contacts(table.replace("{long}", long).encode())
    plan = campaign.prepare(
        contacts, message="Hi {name}", sender="CLINIC", region="UG", opt_outs=["0772000003"]
    )
    lengths = text_lengths(contacts, "Hi {name}")
    numbers = numbers_of(contacts["phone"], region="UG", several="refuse", opt_outs=["0772000003"])
    sent = get_text(lengths, numbers, every_text=False, with_too_long=False)
    assert lengths.index[sent].tolist() == plan.messages["row"].tolist() == [3, 4]
    issues = plan.issues
    too_long = issues.loc[issues["code"] == "overlong", "row"].tolist()
    assert lengths.index[are_too_long(lengths, numbers)].tolist() == too_long == [2, 5, 7]
