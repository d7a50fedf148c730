"""People who want no texts, at the composer: the list that a campaign used is offered again."""

import json
from pathlib import Path

import pytest
from support.composer_person import Person
from support.widget_tree import find

import campaign

STOP = "number\n+256772000002\n"


@pytest.fixture
def sent_with_list(person):
    """The campaign of the spreadsheet, sent yesterday without the people of a list."""
    Path("stop.csv").write_text(STOP)
    person.compose()
    person.reopen(3)
    person.fill("opt-outs", "stop.csv")
    person.press("go-on")
    person.send()
    return person.composer.desk.run.folder


@pytest.fixture
def next_day():
    """Somebody who begins in the same folder again, up to the check."""

    def begin(path="visits.csv"):
        again = Person(campaign.compose())
        again.compose(path)
        again.reopen(3)
        return again

    return begin


# the list that the campaign used


def test_the_list_of_yesterday_is_offered_by_name_and_not_used_unasked(sent_with_list, next_day):
    again = next_day()
    said = "When “visits” was sent last, it left out the people on the list stop.csv. No list is chosen now."
    assert again.sees("earlier-list") == said
    assert find(again.composer, "use-earlier-list").description == "Leave out the people on stop.csv again"
    assert again.composer.desk.composition.opt_outs is None
    assert "ection 4 asks about 1 person" in again.sees("section-3")


def test_one_click_leaves_them_out_as_yesterday(sent_with_list, next_day):
    again = next_day()
    again.press("use-earlier-list")
    assert find(again.composer, "opt-outs").value == "stop.csv"
    assert not again.is_shown("earlier-list")
    assert "1 number was read from this list; 1 row has one of them." in again.sees("opt-outs-faults")
    again.press("go-on")
    assert not again.is_shown("left-out")
    assert find(again.composer, "send").description == "Show the result"
    again.reopen(3)
    again.fill("opt-outs", "")
    assert again.is_shown("earlier-list")


def test_a_list_that_was_changed_or_is_gone_is_said_to_be(sent_with_list, next_day):
    Path("stop.csv").write_text(f"{STOP}+256772000004\n")
    assert "the list stop.csv, which has been changed since. No list" in next_day().sees("earlier-list")
    Path("stop.csv").unlink()
    again = next_day()
    assert "the list stop.csv. That file is no longer there. No list" in again.sees("earlier-list")
    assert not again.is_shown("use-earlier-list")


def test_an_earlier_list_that_leaves_out_most_is_doubted_as_any_other(sent_with_list, next_day):
    Path("stop.csv").write_text(Path("visits.csv").read_text())
    again = next_day()
    again.press("use-earlier-list")
    assert "This list would leave out 3 of 4 rows." in again.sees("section-3")
    assert again.composer.desk.composition.opt_outs is None


def test_another_campaign_is_offered_no_list(sent_with_list, next_day):
    Path("others.csv").write_text("name,phone,day\nEve,+256 772 000 005,Mon\n")
    assert not next_day("others.csv").is_shown("earlier-list")


def test_the_folder_of_the_campaign_names_the_list_and_none_of_its_numbers(sent_with_list):
    record = (sent_with_list / "composed.json").read_text()
    assert json.loads(record)["composition"]["opt_outs"] == "stop.csv"
    assert len(json.loads(record)["opt_outs_digest"]) == 64
    assert "772000002" not in record


def test_the_list_of_a_campaign_that_an_older_program_sent_is_offered_too(sent_with_list, next_day):
    path = sent_with_list / "composed.json"
    record = json.loads(path.read_text())
    del record["opt_outs_digest"]
    path.write_text(json.dumps(record))
    Path("stop.csv").write_text(f"{STOP}+256772000004\n")
    assert "the list stop.csv. No list is chosen now." in next_day().sees("earlier-list")
