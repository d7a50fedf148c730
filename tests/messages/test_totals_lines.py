"""A line of totals is no person: it gets no message, is said to be what it is, and stays counted."""

import pytest
from support.small_campaigns import contacts_of, plan_for

import campaign

HEADER = "name,phone,amount,note"
TOTALS = [
    "Total,,66000,", "TOTAL,,66000,12%", "Grand total:,,UGX 66 000,", "Sub-total,,66000.50,",
    "Total due,,66000,",
    "Jumla,,66000,", "Итого,,66000,", "Summe,,66000,",
]  # fmt: skip
PEOPLE = [
    "Total,,,",  # no figure
    "Bea,,66000,",
    "Total,,66000,Bea",  # somebody's name beside it
    "Totalina,,66000,",
    ",,66000,",
    "Soma,,66000,",  # a name
]


def issue_of(row):
    plan = plan_for(contacts_of("Ann,0772000001,5,", row, header=HEADER))
    assert (plan.totals.rows, plan.totals["invalid"], plan.totals.messages) == (2, 1, 1)
    issue, *_ = plan.issues[plan.issues["row"] == 3].to_dict("records")
    return issue


@pytest.mark.parametrize("row", TOTALS)
def test_a_word_for_a_total_and_figures_are_a_line_of_totals(row):
    issue = issue_of(row)
    assert (issue["code"], issue["detail"]) == (
        "line_of_totals",
        "The row looks like a line of totals, so it gets no message: remove it from the table. "
        '"phone" is empty: if it is a person, fill it in.',
    )


@pytest.mark.parametrize("row", PEOPLE)
def test_anything_else_without_a_number_may_be_a_person(row):
    assert issue_of(row)["code"] == "missing_number"


def test_nothing_else_is_asked_of_a_line_of_totals():
    """That its date is empty would say that it is to be filled in after all."""
    plan = plan_for(contacts_of("Ann,0772000001,5,3", *TOTALS[:1], header=HEADER), "Hi {note}")
    assert plan.issues["code"].tolist() == ["line_of_totals"]
    assert plan.contacts.at[3, "reason"].endswith("if it is a person, fill it in.")


def test_somebody_called_total_with_a_number_gets_the_text():
    plan = plan_for(contacts_of("Total,0772000001,5,", header=HEADER))
    assert plan.totals.messages == 1


def test_the_preview_and_the_result_say_so(sandbox, tmp_path):
    plan = plan_for(contacts_of("Ann,0772000001,5,", TOTALS[0], header=HEADER))
    assert "The row looks like a line of totals" in str(plan.preview(3))
    result = campaign.send(plan, account=sandbox, folder=tmp_path / "bills", progress=False)
    assert result.contacts.at[3, "status"] == "invalid"
    assert result.contacts.at[3, "reason"].startswith("The row looks like a line of totals")
