"""The name of a campaign at the composer: who is asked for it, and what it goes on with."""

from pathlib import Path

import pytest
from support.composer_person import TEXT, VISITS
from support.widget_tree import find

import campaign

DAY_TWO = f"{VISITS}Eve,0772 000 005,Fri\n"
ASKED = (
    "To continue that campaign, press Go on with “visits”; for a new one, write another name into the field "
    "“Name of this campaign”."
)


@pytest.fixture
def day_two(table):
    """Another file of the same name, with a row more."""
    path = table.parent / "day2" / "visits.csv"
    path.parent.mkdir()
    path.write_text(DAY_TWO)
    return path


def plan():
    return campaign.prepare(campaign.read_contacts("visits.csv"), message=TEXT, sender="CLINIC", region="UG")


def go_to_sending(person, path):
    """Choose a spreadsheet once more, and go on with the text that is there."""
    person.reopen(1)
    person.fill("path", str(path))
    for step in ("use", "check", "go-on"):
        if person.section({"use": 1, "check": 2, "go-on": 3}[step]).is_open:
            person.press(step)


def name_of(person):
    field = find(person.composer, "name")
    return field.value, field.placeholder


def test_a_file_of_the_same_name_asks_and_one_click_answers(person, day_two):
    person.compose()
    assert name_of(person) == ("", "if this stays empty: visits")
    person.send()
    go_to_sending(person, day_two)
    assert "3 · Section 4 asks about 4 people; 1 row gets none" in person.folded()
    person.reopen(3)
    assert "Section 4 asks whether this file goes on with it" in person.sees("section-3")
    person.press("go-on")
    assert ASKED in person.sees("section-4")
    assert name_of(person) == ("", "")
    assert find(person.composer, "send").disabled
    person.press("go-on-with")
    assert name_of(person)[0] == "visits"
    assert find(person.composer, "send").description == "Rehearse 1 text"
    said = (
        "1 person gets a text; 3 people were sent a text in rehearsal and get nothing more; 1 row gets none"
    )
    assert f"3 · {said}" in person.folded()


def test_both_files_of_a_campaign_go_on_with_it_unasked(person, table, day_two):
    person.compose()
    person.send()
    go_to_sending(person, day_two)
    person.press("go-on-with")
    person.send()
    for path in (table, day_two):
        go_to_sending(person, path)
        assert ASKED not in person.sees("section-4")
        assert find(person.composer, "send").description == "Show the result"


def test_a_file_keeps_the_name_that_it_was_sent_as(person, table):
    person.compose()
    person.fill("name", "Fees B")
    person.send()
    Path("teachers.csv").write_text(VISITS.replace("772 0", "752 0"))
    go_to_sending(person, "teachers.csv")
    assert name_of(person) == ("", "if this stays empty: teachers")
    assert "With the file before, the name was “Fees B”." in person.sees("names")
    table.write_text(DAY_TWO)
    go_to_sending(person, table)
    assert name_of(person)[0] == "Fees B"
    assert find(person.composer, "send").description == "Rehearse 1 text"
    person.reopen(1)
    assert "This file was last sent as “Fees B”, so it goes on with that campaign." in person.sees(
        "section-1"
    )


def test_of_several_names_of_a_file_the_last_stands_and_the_others_are_offered(person, table):
    person.compose()
    person.fill("name", "Fees A")
    person.send()
    go_to_sending(person, table)
    person.fill("name", "Fees B")
    person.press("send-again")
    person.send()
    Path("teachers.csv").write_text(VISITS)
    person.reopen(1)
    person.fill("path", "teachers.csv")
    go_to_sending(person, table)
    assert name_of(person)[0] == "Fees B"
    assert "last sent as “Fees B”. Before that, it was sent as “Fees A”." in person.sees("names")
    assert find(person.composer, "change-to").description == "Change to “Fees A”"
    person.press("change-to")
    assert name_of(person)[0] == "Fees A"


def test_what_the_file_was_sent_as_is_true_whenever_it_is_shown(person, table):
    """It was sent as Fees A, and in this page as Fees B."""
    campaign.send(plan(), name="Fees A", progress=False)
    person.compose(text="Meeting on {day}.")
    person.reopen(1)
    assert "last sent as “Fees A”, so it goes on with that campaign" in person.sees("section-1")
    go_to_sending(person, table)
    person.fill("name", "Fees B")
    person.reopen(1)
    assert "so it goes on with" not in person.sees("section-1")
    go_to_sending(person, table)
    person.send()
    person.reopen(1)
    assert "last sent as “Fees B”, so it goes on with that campaign" in person.sees("section-1")
    go_to_sending(person, table)
    assert "last sent as “Fees B”. Before that, it was sent as “Fees A”." in person.sees("names")
    person.press("change-to")
    assert find(person.composer, "change-to").description == "Change to “Fees B”"


def test_texts_that_another_campaign_has_sent_wait_for_an_answer(person):
    """A new campaign knows nothing of that one, and would send them again."""
    person.compose()
    person.fill("name", "Bills November")
    person.send()
    Path("customers.csv").write_text(DAY_TWO)
    go_to_sending(person, "customers.csv")
    assert "3 · 1 person gets a text; section 4 asks about 3 people; 1 row gets none" in person.folded()
    person.reopen(3)
    shown = person.sees("section-3")
    assert "3 people have this very text from “Bills November”." in shown
    assert "Section 4 asks whether this spreadsheet goes on with that campaign" in shown
    person.press("go-on")
    assert name_of(person) == ("", "")
    assert find(person.composer, "send").disabled
    assert "This waits for your answer above about the name" in person.sees("section-4")
    asked = (
        "People of this spreadsheet have these texts from “Bills November” already. Go on with that campaign"
    )
    assert asked in person.sees("names")
    assert find(person.composer, "go-on-with").description == "Go on with “Bills November”"
    assert find(person.composer, "begin-new").description == "Begin “customers”, a campaign of its own"
    person.press("begin-new")
    assert name_of(person)[0] == "customers"
    assert find(person.composer, "send").description == "Rehearse 4 texts"
    assert not find(person.composer, "send").disabled
    assert "3 · 4 people get a text; 1 row gets none" in person.folded()
    person.fill("name", "")
    person.press("go-on-with")
    assert name_of(person)[0] == "Bills November"
    assert find(person.composer, "send").description == "Rehearse 1 text"
    said = (
        "1 person gets a text; 3 people were sent a text in rehearsal and get nothing more; 1 row gets none"
    )
    assert f"3 · {said}" in person.folded()
