"""Dates that one column writes in several ways: said once, with counts and what to do."""

import pytest
from support.issue_facts import fact_of

import campaign


def plan_of(*cells, message="Your visit: {visit_date}", **options):
    lines = [f'+2567720000{place:02},"{cell}"' for place, cell in enumerate(cells)]
    contacts = campaign.read_contacts("\n".join(["phone,visit_date", *lines]).encode())
    return campaign.prepare(contacts, message=message, sender="CLINIC", **options)


def warnings(plan):
    issues = plan.issues
    return issues[issues["code"] == "mixed_dates"]


def test_a_plain_placeholder_repeats_them_and_the_plan_says_so_once():
    plan = plan_of("2026-11-21", "2026-11-22", "21/11/2026", "45982", "soon", "5/1/2026", "1/2/2026")
    (warning,) = warnings(plan).to_dict("records")
    assert warning["column"] == "visit_date"
    assert warning["severity"] == "warning"
    assert fact_of(plan, "mixed_dates", "examples") == [["21/11/2026", "2026-11-21", "45982"]]
    assert plan.totals["not_sent"] == 7


def test_a_format_writes_them_alike():
    plan = plan_of("2026-11-21", "21/11/2026", "21 Nov 2026", message="{visit_date:%d %b}")
    assert plan.messages["message"].tolist() == ["21 Nov"] * 3
    assert warnings(plan).empty


@pytest.mark.parametrize(
    "cells",
    [
        ["2026-11-21", "2026-01-05", " 2026-11-22 "],
        ["21/11/2026", "5/1/2026"],
        ["45982", "45983", "100"],  # amounts
        ["soon", "later", "0772"],
        ["", "", ""],
        [],
        ["2026-11-21 08:30", "2026-11-21 14:00"],
    ],
)
def test_dates_of_one_form_and_what_is_no_date_are_no_warning(cells):
    assert warnings(plan_of(*cells)).empty


@pytest.mark.parametrize("other", ["21-11-2026", "21.11.26", "21 Nov 2026", "Nov 21, 2026", "2026/11/21"])
def test_another_separator_or_name_is_another_way(other):
    plan = plan_of("21/11/2026", other, "21/11/2026")
    assert fact_of(plan, "mixed_dates", "examples") == [["21/11/2026", other]]


def test_a_column_that_two_languages_use_is_told_once():
    lines = ["phone,lang,day", "+256772000001,en,2026-11-21", "+256772000002,lg,21/11/2026"]
    contacts = campaign.read_contacts("\n".join(lines).encode())
    plan = campaign.prepare(
        contacts, message={"en": "On {day}", "lg": "Ku {day}"}, language="lang", sender="CLINIC"
    )
    assert len(warnings(plan)) == 1
