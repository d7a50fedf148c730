"""Cells that are no dates in a column of dates that the text repeats: named with their rows."""

import pytest
from support.issue_facts import fact_of

import campaign


def plan_of(*cells, message="Your visit: {visit_date}"):
    lines = [f'+2567720000{place:02},"{cell}"' for place, cell in enumerate(cells)]
    contacts = campaign.read_contacts("\n".join(["phone,visit_date", *lines]).encode())
    return campaign.prepare(contacts, message=message, sender="CLINIC")


def odd(plan):
    issues = plan.issues[plan.issues["code"] == "odd_date"]
    return issues[["row", "value"]].to_numpy().tolist()


def test_cells_that_are_no_dates_are_named_with_their_rows_and_go_out_as_they_are():
    plan = plan_of(
        "2026-11-21", "next Tuesday", "5/1/2026", "31/02/2027", "45982", "21 Nov 2026", "25/12/2026 09:00"
    )
    assert odd(plan) == [[3, "next Tuesday"], [5, "31/02/2027"], [6, "45982"]]
    (kind,) = plan.issues[plan.issues["code"] == "odd_date"][["column", "severity"]].drop_duplicates().values
    assert kind.tolist() == ["visit_date", "warning"]
    assert fact_of(plan, "odd_date", "serial") == ["", "", "45982"]
    assert plan.messages["message"].iloc[1] == "Your visit: next Tuesday"


def test_a_column_that_stands_twice_in_the_text_is_reported_once():
    plan = plan_of("2026-11-21", "2026-11-22", "soon", message="{visit_date} or {visit_date|later}")
    assert odd(plan) == [[4, "soon"]]


def test_with_a_format_the_row_is_left_out_instead():
    plan = plan_of("2026-11-21", "2026-11-22", "soon", message="{visit_date:%d %b}")
    assert odd(plan) == []
    assert plan.totals["invalid"] == 1


@pytest.mark.parametrize(
    "cells",
    [
        ["2026-11-21", "", " 21/11/2026 "],
        ["soon", "later", "2026-11-21"],  # not a column of dates
        ["2026-11-21", "soon"],
        ["Ann", "Ben"],
        ["", ""],
    ],
)
def test_columns_without_dates_and_blank_cells_are_no_warning(cells):
    assert odd(plan_of(*cells, message="{visit_date|soon}")) == []
