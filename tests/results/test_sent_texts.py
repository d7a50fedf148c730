"""The texts that reports say were sent are those that people got, not those that a table has now."""

import re

import openpyxl
import pytest
from support.small_campaigns import people, plan_for

import campaign

COME, KINDLY = "Dear {name}, please come", "Dear {name}, kindly come"
LEFT_IN_TABLE = f"Text of the last table, of which nothing was sent: {KINDLY}"


@pytest.fixture
def place(sandbox, tmp_path):
    """A campaign in which three people got the first text."""
    place = {"account": sandbox, "folder": tmp_path / "visits", "progress": False}
    campaign.send(plan_for(people(3), message=COME), **place)
    return place


def told(result, path):
    """What the page says of the text, which has to be what the summary of the workbook says."""
    page = campaign.write_report(result, path / "report.html").read_text("utf-8")
    sheet = openpyxl.load_workbook(campaign.write_report(result, path / "report.xlsx"))["Summary"]
    in_workbook = {row[0]: row[1] for row in sheet.iter_rows(values_only=True)}
    on_page = dict(re.findall("<dt>([^<]+)</dt><dd>([^<]+)</dd>", page))
    assert on_page["Text"] == in_workbook["Text"]
    return on_page["Text"]


def test_a_text_that_nobody_was_sent_is_not_said_to_be_sent(place, tmp_path):
    result = campaign.send(plan_for(people(3), message=KINDLY), changed="skip", **place)
    assert told(result, tmp_path) == f"3 messages: {COME}\n{LEFT_IN_TABLE}"
    assert told(campaign.load_result(place["folder"]), tmp_path) == f"3 messages: {COME}\n{LEFT_IN_TABLE}"
    assert campaign.history(place["folder"])["template"].tolist() == [COME]


def test_texts_are_counted_where_only_the_newcomers_got_the_second_one(place, tmp_path):
    result = campaign.send(plan_for(people(5), message=KINDLY), changed="skip", **place)
    assert told(result, tmp_path) == f"3 messages: {COME}\n2 messages: {KINDLY}"
    assert campaign.history(place["folder"])["template"].tolist() == [KINDLY]


def test_one_text_that_was_sent_in_two_rounds_needs_no_count(place, tmp_path):
    result = campaign.send(plan_for(people(5), message=COME), **place)
    assert told(result, tmp_path) == COME


def test_the_only_text_is_to_be_sent_as_long_as_nothing_was(tmp_path):
    with campaign.Sandbox(balance=0, price=35) as poor:
        folder = tmp_path / "visits"
        result = campaign.send(
            plan_for(people(3), message=COME), account=poor.account, folder=folder, progress=False
        )
    page = campaign.write_report(result, tmp_path / "report.html").read_text("utf-8")
    assert told(result, tmp_path) == COME
    assert "What was to be sent" in page
    assert "From CLINIC, to row 2, not sent" in page


def test_the_sender_of_a_round_that_sent_nothing_is_not_named(place, tmp_path):
    plan = campaign.prepare(people(3), message=COME, sender="HEALTH", region="UG")
    page = campaign.write_report(campaign.send(plan, **place), tmp_path / "report.html").read_text("utf-8")
    assert "<dt>From</dt><dd>CLINIC</dd>" in page
    assert campaign.history(place["folder"])["sender"].tolist() == ["CLINIC"]
