"""Which rows the question about another text shows, and the card of `compare`: the special cases first."""

import io
import re

import numpy as np
import pandas as pd
import pytest

import campaign
from campaign.sending.rounds.comparison import CHANGED, MOVED, SHARED
from campaign.sending.rounds.other_texts import examples_of

TEXT = "Dear {name}, please bring your card on {day}."
OTHER_TEXT = "Dear {name}, please carry your card on {day}."
NEIGHBOURS = "".join(f"Ann {n},0772 000 {n:03},{n} May\n" for n in range(20, 40))
COUPLES = """\
Musa,0772 000 001,1 May
Jane,0772 000 001,2 May
Peter,0772 000 002,3 May
Sarah,0772 000 002,4 May
"""
FIRST = f"name,phone,day\n{NEIGHBOURS}{COUPLES}"
# The husbands have left the table, and Jane's own number is in the follow-up file only.
TODAY = f"name,phone,day\n{NEIGHBOURS}Jane,0772 000 001,2 May\nSarah,0772 000 002,4 May\n"


def plan_of(rows, message=TEXT):
    contacts = pd.read_csv(io.StringIO(rows), dtype="str") if isinstance(rows, str) else rows
    return campaign.prepare(contacts, message=message, sender="CLINIC", region="UG")


@pytest.fixture
def folder(tmp_path):
    """Of a campaign that reached the husbands, and then Jane under the number of a follow-up file."""
    result = campaign.send(plan_of(FIRST), folder=tmp_path / "visits", progress=False)
    to_correct = result.follow_up()
    jane = to_correct[to_correct["name"] == "Jane"].assign(phone="0772 000 003")
    campaign.send(plan_of(jane), folder=result.folder, progress=False)
    return result.folder


@pytest.fixture
def compared(folder):
    difference = campaign.compare(plan_of(TODAY, OTHER_TEXT), folder=folder)
    assert (difference.changed, difference.sharing, difference.moved) == (20, 1, 1)
    return difference


def test_the_question_shows_one_row_of_each_kind_and_the_plain_one_last(folder):
    with pytest.raises(campaign.ConfirmationError) as question:
        campaign.send(plan_of(TODAY, OTHER_TEXT), folder=folder, progress=False)
    examples = str(question.value).splitlines()[1:-1]
    assert examples == [
        "row 22: “Dear Jane, please bring your card on 2 May.” on 25677*****03, as corrected in a follow-up "
        "file; in this table it is “Dear Jane, please carry your card on 2 May.” on 25677*****01, a phone "
        "that got somebody else's text",
        "row 23: this phone got “Dear Peter, please bring your card on 3 May.”, and “Dear Sarah, please "
        "carry your card on 4 May.” is for this row",
        "row 2: “Dear Ann 20, please bring your card on 20 May.” is now “Dear Ann 20, please carry your card "
        "on 20 May.”",
    ]


def test_the_card_shows_the_special_cases_first(compared):
    card = compared._repr_html_()
    rows = re.findall(r"<tr><td[^>]*>(\d+)</td>", card)
    assert [int(row) for row in rows] == [22, 23, *range(2, 10)]
    assert "The first 10 of 22 messages: 22 to decide on." in card


def test_who_was_reached_under_another_number_is_shown_with_it_and_with_the_text(compared):
    jane, sarah = (compared.messages.set_index("row").loc[row] for row in (22, 23))
    assert (jane["before"], jane["number_before"]) == (
        "Dear Jane, please bring your card on 2 May.",
        "256772000003",
    )
    assert (sarah["before"], sarah["number_before"]) == ("Dear Peter, please bring your card on 3 May.", "")
    card = compared._repr_html_()
    assert "25677*****03" in card
    assert "256772000003" not in card


def test_no_kind_crowds_another_one_out():
    asked = np.array([CHANGED, CHANGED, SHARED, SHARED, SHARED, MOVED])
    assert examples_of(asked, 3).tolist() == [5, 2, 0]
    assert examples_of(asked, 5).tolist() == [5, 2, 3, 4, 0]
    assert examples_of(asked[:2], 3).tolist() == [0, 1]
    assert examples_of(asked[:0], 3).tolist() == []
