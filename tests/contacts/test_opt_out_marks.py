"""A column that marks people who want no messages: what counts as a mark, and what a person has to decide."""

import pandas as pd
import pytest

from campaign.contacts.opt_out_marks import OptOutMarks
from campaign.errors import UsageError

CELLS = {
    "x": "marked", "X": "marked", " yes ": "marked", "JA": "marked", "1": "marked", "TRUE": "marked",
    "opted out": "marked", "STOP": "marked", "oui": "marked", "ndiyo": "marked", "✓": "marked",
    "": "not", " ": "not", "no": "not", "Nein": "not", "0": "not", "false": "not", "-": "not",
    "maybe": "unclear", "2": "unclear", "?": "unclear", "yes please": "unclear", "✗": "unclear",
    "+256 772 000 001": "unclear", "not any more": "unclear",
}  # fmt: skip


def table(*cells):
    phones = [f"+2567720000{number:02}" for number in range(len(cells))]
    rows = pd.Index(range(2, 2 + len(cells)), name="row")
    return pd.DataFrame({"phone": phones, "No SMS": [*cells]}, index=rows, dtype="str")


def test_what_counts_as_a_mark():
    marks = OptOutMarks.of(table(*CELLS), "No SMS")
    assert marks.marked.tolist() == [cell for cell, kind in CELLS.items() if kind == "marked"]
    assert marks.unclear.tolist() == [cell for cell, kind in CELLS.items() if kind == "unclear"]


def test_marks_are_counted_as_they_are_written():
    marks = OptOutMarks.of(table("x", "", "yes", "x", "no"), "No SMS")
    assert (marks.marked.index.tolist(), marks.counts.to_dict()) == ([2, 4, 5], {"x": 2, "yes": 1})
    assert marks.about_unclear == ""


def test_unclear_cells_are_named_with_their_first_rows_until_somebody_says_that_they_are_marks():
    contacts = table("maybe", "x", "maybe", "+256 772 000 009")
    said = OptOutMarks.of(contacts, "No SMS").about_unclear
    assert said == (
        "In “No SMS”, it is not clear what these cells mean: “maybe” (row 2) and “+256 77*****09” (row 5)."
    )
    agreed = OptOutMarks.of(contacts, "No SMS", ["maybe"])
    assert agreed.marked.index.tolist() == [2, 3, 4]
    assert agreed.about_unclear.endswith(" mean: “+256 77*****09” (row 5).")


def test_of_very_many_unclear_cells_the_first_are_named():
    said = OptOutMarks.of(table(*(f"word {n}" for n in "abcdefg")), "No SMS").about_unclear
    assert said.endswith("“word d” (row 5), “word e” (row 6) and 2 others.")


@pytest.mark.parametrize(
    "header", ["No SMS", "Do not text", "opt_out", "STOP", "Unsubscribed?", "no-messages"]
)
def test_a_header_that_says_what_a_mark_means(header):
    contacts = table("yes", "no", "").rename(columns={"No SMS": header})
    marks = OptOutMarks.of(contacts, header)
    assert marks.marked.tolist() == ["yes"]
    assert marks.about_unclear == ""


@pytest.mark.parametrize("header", ["SMS", "Messages?", "Consent", "Notes", "Texts wanted"])
def test_below_any_other_header_a_person_says_what_yes_means(header):
    contacts = table("yes", "no", "", "x").rename(columns={"No SMS": header})
    marks = OptOutMarks.of(contacts, header)
    assert marks.marked.empty
    # Between a yes and a no, an empty cell is no answer.
    assert marks.unclear.tolist() == ["yes", "no", "", "x"]
    assert marks.about_unclear.endswith("“yes” (row 2), “no” (row 3), nothing (row 4) and “x” (row 5).")
    assert marks.presumed == ([] if header == "Notes" else ["no", ""])
    said = OptOutMarks.of(contacts, header, ["no", ""], ["yes", "x"])
    assert (said.marked.tolist(), said.about_unclear) == (["no", ""], "")
    only_yes = OptOutMarks.of(contacts.iloc[[0, 2]], header)
    assert only_yes.unclear.tolist() == (["yes"] if header == "Notes" else ["yes", ""])


def test_a_table_without_the_column_is_refused():
    with pytest.raises(UsageError, match="no column “Consent” that could mark people"):
        OptOutMarks.of(table("x"), "Consent")


def test_the_marked_rows_are_those_of_the_table():
    contacts = table("x", "no", "x")
    of_rows = OptOutMarks.of(contacts, "No SMS").of_rows(contacts)
    assert of_rows.name == "No SMS"
    assert of_rows.to_dict() == {2: True, 3: False, 4: True}


def test_a_person_may_say_the_contrary_of_the_header_and_then_is_asked_about_every_other_cell():
    contacts = table("yes", "no", "", "NO", "x")
    marks = OptOutMarks.of(contacts, "No SMS", ["no"], ["yes"])
    assert marks.marked.index.tolist() == [3]
    assert marks.unclear.tolist() == ["NO", "x"]
