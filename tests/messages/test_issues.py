"""The table of issues, and the status that issues give to rows."""

import numpy as np

import campaign
from campaign.arrow_text import text_array
from campaign.contract import STATUSES
from campaign.messages.issues import BLANK, NOT_SENT, IssueCollector, reasons, sentences
from campaign.words.finding import Finding
from campaign.words.page import PAGE
from campaign.words.python import PYTHON
from campaign.words.shell import SHELL


def rows(*places):
    return np.array(places, dtype=np.int64)


def test_a_row_keeps_the_first_status_that_excludes_it_unless_its_person_opted_out():
    issues = IssueCollector(3)
    issues.add(rows(0, 1), "A", text_array(["x", "y"]), "too_short", "error", status="invalid")
    issues.add(rows(1, 2), "A", text_array(["y", "z"]), "replaced", "info", characters="ŋ")
    issues.add(rows(1, 2), "A", text_array(["y", "z"]), "opted_out", "info", status="opted_out")
    assert [STATUSES[status] for status in issues.status] == ["invalid", "opted_out", "opted_out"]
    assert issues.sendable.tolist() == [False, False, False]


def test_of_an_empty_row_nothing_else_is_said():
    issues = IssueCollector(2)
    issues.add(rows(1), "", text_array([""]), "blank_row", "info", status="blank")
    texts = text_array(["first", "second"])
    issues.add(rows(0, 1), "A", text_array(["x", ""]), "missing_value", "error", text=texts, write="{A|b}")
    frame = issues.frame(rows(2, 3))
    assert frame[["row", "code", "facts"]].values.tolist() == [
        [2, "missing_value", '{"write": "{A|b}", "text": "first"}'],
        [3, "blank_row", "{}"],
    ]
    assert issues.status.tolist() == [STATUSES.index("invalid"), BLANK]


def test_issues_stand_in_the_order_of_rows_those_of_the_table_first():
    issues = IssueCollector(3)
    issues.add(rows(2, 0), "A", text_array(["c", "a"]), "letters", "error")
    issues.add_for_table(Finding("texts_emptied", {"count": 1, "texts": ["-"], "value": "file.csv"}, "info"))
    issues.add(rows(0, 1), "B", text_array(["p", "q"]), "ucs2", "info", characters=text_array(["P", "Q"]))
    frame = issues.frame(rows(5, 7, 6))
    assert frame["row"].tolist()[1:] == [5, 5, 7, 6]
    assert frame["row"].isna().tolist() == [True, False, False, False, False]
    assert frame["value"].tolist() == ["file.csv", "a", "p", "q", "c"]
    assert frame["code"].tolist() == ["texts_emptied", "letters", "ucs2", "ucs2", "letters"]
    for catalogue in (PYTHON, SHELL, PAGE):
        assert frame["detail"].tolist()[2:4] == sentences(frame, catalogue).tolist()[2:4]


def test_a_table_without_issues():
    issues = IssueCollector(2)
    assert issues.frame(rows(2, 3)).empty
    assert issues.reasons().to_pylist() == ["", ""]
    assert issues.status.tolist() == [NOT_SENT, NOT_SENT]


def test_the_reasons_of_a_row_are_what_excludes_it_and_no_repair():
    table = b"name,phone\n,772000001\nBen,12\nCarol,772000003\n,13\n"
    plan = campaign.prepare(table, message="Hi {name}", sender="CLINIC", region="UG")
    assert plan.issues["code"].tolist().count("lost_zero") == 2
    said = reasons(plan.issues, PAGE)
    lacking = "'name' is empty, and the message needs it. Fill it in."
    assert said[2] == lacking
    assert sorted(said.index) == [2, 3, 5]
    assert lacking in said[5]
    assert PAGE.headline(Finding("too_short")) in said[5]
