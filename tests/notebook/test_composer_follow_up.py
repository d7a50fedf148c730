"""A file of rows to correct comes back to the composer: what is said of its rows, and of all others."""

import re
from io import BytesIO

import openpyxl
import pandas as pd
import pytest
from support.composer_person import TEXT, VISITS
from support.widget_tree import find, html_of

import campaign
from campaign.local_times import LocalTimes


def plan():
    return campaign.prepare(campaign.read_contacts("visits.csv"), message=TEXT, sender="CLINIC", region="UG")


@pytest.fixture
def rehearse(table):
    """Rehearses the spreadsheet as it is on the disk now, and writes its rows to correct."""

    def send(**options):
        result = campaign.send(plan(), progress=False, **options)
        return campaign.write_follow_up(result, table.parent / "to_correct.csv")

    return send


def correct(path, cell, typed):
    path.write_text(path.read_text("utf-8-sig").replace(f'"{cell}"', f'"{typed}"'))


def choose(person, source="to_correct.csv"):
    """Choose the file, take the text of its campaign, and look at section 3."""
    if not person.section(1).is_open:
        person.reopen(1)
    person.fill("path", source)
    person.fill("country", "UG")
    person.press("use")
    if not find(person.composer, "text").value:
        person.press("take-text")
    if person.section(2).is_open:
        person.press("check")
    person.reopen(3)
    return person.sees("section-3")


def test_people_who_still_wait_and_are_not_in_the_file_are_announced_and_shown(person, rehearse):
    """The run was held after its first text, so that sending the file sends the rest as well."""
    correct(rehearse(pilot=1), "0772 00", "0772 000 003")
    said = choose(person)
    assert "1 person gets a text; 2 people who are not in this file get one too; no row is left out." in said
    find(find(person.section(3), "people-beside"), "show-rows").click()
    assert "row in your own spreadsheet name number what they get" in person.sees("section-3")
    person.press("go-on")
    assert "2 people who are not in this file get their texts too." in person.sees("section-4")
    beside = find(person.section(4), "people-beside")
    assert (len(beside.rows), beside.layout.display) == (2, None)
    person.send()
    assert "All 4 rows were accepted" in person.sees("section-5")


def test_while_nothing_can_be_sent_nobody_is_promised_a_text(person, rehearse, table):
    """Carol has left the own spreadsheet since, so that nobody knows whose number was corrected."""
    correct(rehearse(), "0772 00", "0772 000 003")
    table.write_text(VISITS.replace("Carol,0772 00,Wed\n", ""))
    campaign.send(plan(), progress=False)
    said = choose(person)
    assert "Nothing can be sent yet; no row is left out. Of 1 row: 1 waits." in said
    assert "row 2 of the file cannot be found in it." in said
    assert "nothing was sent" not in said
    person.press("go-on")
    assert person.folded()[2] == "3 · Nothing can be sent yet; no row is left out"


def test_under_another_name_it_is_said_of_which_campaign_the_rows_are(person, rehearse):
    correct(rehearse(), "0772 00", "0772 000 003")
    choose(person)
    person.press("go-on")
    person.fill("name", "spring")
    person.reopen(3)
    said = person.sees("section-3")
    assert "This file has only the rows to correct of “visits”. Under another name" in said
    assert "nothing was sent" not in said


def test_a_row_of_the_file_is_named_as_in_both_files_and_corrected_in_this_one(person, rehearse):
    rehearse()
    said = choose(person)
    assert "Row 2 of this file; row 4 of your own spreadsheet" in said
    assert "Correct them in this file, save it, and choose it again in section 1." in said
    find(person.section(3), "show-rows").click()
    assert "row in this file row in your own spreadsheet name" in person.sees("section-3")
    book = openpyxl.load_workbook(BytesIO(person.section(3).download.content()))
    header, carol = [[cell.value for cell in row] for row in book.active.rows]
    assert header[-2:] == ["row in this file", "row in your own spreadsheet"]
    assert carol[-2:] == ["2", "4"]


def test_rows_that_were_written_for_an_earlier_text_are_offered_that_one(person, rehearse, table):
    """The whole campaign got another text after the file was written; the file brings the last one back."""
    correct(rehearse(), "0772 00", "0772 000 003")
    person.compose(text="Closed on {day}.")
    person.fill("changed", "send")
    person.send()
    choose(person)
    person.reopen(2)
    assert find(person.composer, "text").value == "Closed on {day}."
    said = person.sees("earlier-text")
    assert said.startswith("This is the last text of the campaign “visits”. If the rows of this file are to")
    assert said.endswith(f", take that: “{TEXT}”")
    person.press("take-text")
    assert find(person.composer, "text").value == TEXT
    assert not person.is_shown("earlier-text")
    person.press("check")
    person.press("go-on")
    person.send()
    sent = campaign.load_result("campaigns/visits.local").messages.set_index("row")["message"]
    assert (sent[4], sent[5]) == ("Hi Carol, come on Wed.", "Closed on Thu.")


def test_sections_3_and_5_count_alike_whoever_keeps_the_text_that_a_corrected_row_got(person, rehearse):
    """Carol got the text of before as corrected, and the own spreadsheet still has her old number."""
    correct(rehearse(), "0772 00", "0772 000 003")
    choose(person)
    person.press("go-on")
    person.send()
    person.reopen(1)
    person.fill("path", "visits.csv")
    person.press("use")
    person.write("Hi {name}, do come on {day}.")
    person.press("check")
    person.press("go-on")
    find(person.composer, "changed").value = "skip"
    assert person.folded()[2] == (
        "3 · 3 people were sent a text in rehearsal and get nothing more; 1 row gets none"
    )
    person.send()
    assert "1 has to be corrected" in person.sees("section-5")


def test_the_result_of_the_own_spreadsheet_says_what_happened_and_what_to_do_apart(person, rehearse):
    """Carol was sent as corrected in the file, and the own spreadsheet is chosen again as it was."""
    correct(rehearse(), "0772 00", "0772 000 003")
    choose(person)
    person.press("go-on")
    person.send()
    person.reopen(1)
    person.fill("path", "visits.csv")
    person.press("use")
    for number, step in ((2, "check"), (3, "go-on")):
        if person.section(number).is_open:
            person.press(step)
    person.send()
    paragraphs = re.findall(r"<(p|li)( class=\"note\")?>([^<]+)</", html_of(person.section(5)))[:5]
    day = LocalTimes().day(pd.Timestamp.now("UTC"))
    reached = f"3 texts accepted on {day}."
    again = (
        "open section 3, press “Go on to sending” and give another name in the field “Name of this campaign”."
    )
    assert [text for _, _, text in paragraphs] == [
        "This is what came of “visits”.",
        "This was a rehearsal: nobody got anything.",
        f"Nothing was left to send: {reached}",
        "So far, 3 of 4 rows were accepted in the rehearsal; the rest: 1 has to be corrected.",
        "The campaign has also sent 1 text that is not in this table; the cost includes it.",
    ]
    assert f"To rehearse it again, {again}" in person.sees("section-5")
