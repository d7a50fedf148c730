"""The table of issues, and the status that issues give to rows."""

import numpy as np

from campaign.arrow_text import text_array
from campaign.contract import STATUSES
from campaign.messages.issues import BLANK, NOT_SENT, IssueCollector


def rows(*places):
    return np.array(places, dtype=np.int64)


def test_a_row_keeps_the_first_status_that_excludes_it_unless_its_person_opted_out():
    issues = IssueCollector(3)
    issues.add(rows(0, 1), "A", text_array(["x", "y"]), "too_short", "error", "Too short.", status="invalid")
    issues.add(rows(1, 2), "A", text_array(["y", "z"]), "replaced", "info", "Replaced.")
    issues.add(rows(1, 2), "A", text_array(["y", "z"]), "opted_out", "info", "Listed.", status="opted_out")
    assert [STATUSES[status] for status in issues.status] == ["invalid", "opted_out", "opted_out"]
    assert issues.sendable.tolist() == [False, False, False]


def test_of_an_empty_row_nothing_else_is_said():
    issues = IssueCollector(2)
    issues.add(rows(1), "", text_array([""]), "blank_row", "info", "Empty.", status="blank")
    details = text_array(["First.", "Second."])
    issues.add(rows(0, 1), "A", text_array(["x", ""]), "missing_value", "error", details, status="invalid")
    frame = issues.frame(rows(2, 3))
    assert frame[["row", "code", "detail"]].values.tolist() == [
        [2, "missing_value", "First."],
        [3, "blank_row", "Empty."],
    ]
    assert issues.status.tolist() == [STATUSES.index("invalid"), BLANK]


def test_issues_stand_in_the_order_of_rows_those_of_the_table_first():
    issues = IssueCollector(3)
    issues.add(rows(2, 0), "A", text_array(["c", "a"]), "letters", "error", "Letters.", status="invalid")
    issues.add_for_table("", "file.csv", "reading", "info", "Read.")
    issues.add(rows(0, 1), "B", text_array(["p", "q"]), "ucs2", "info", text_array(["P.", "Q."]))
    frame = issues.frame(rows(5, 7, 6))
    assert frame["row"].tolist()[1:] == [5, 5, 7, 6]
    assert frame["row"].isna().tolist() == [True, False, False, False, False]
    assert frame["value"].tolist() == ["file.csv", "a", "p", "q", "c"]
    assert frame["detail"].tolist() == ["Read.", "Letters.", "P.", "Q.", "Letters."]


def test_a_table_without_issues():
    issues = IssueCollector(2)
    assert issues.frame(rows(2, 3)).empty
    assert issues.reasons().to_pylist() == ["", ""]
    assert issues.status.tolist() == [NOT_SENT, NOT_SENT]
