"""Dates that one column writes in several ways: said once, with counts and what to do."""

import pytest

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
    assert warning["detail"] == (
        'Dates in "visit_date" are written in several ways, and go out as they are: 3 like 21/11/2026, 2 '
        "like 2026-11-21 and 1 like 45982. To write all of them alike, give the placeholder a format, such "
        "as {visit_date:%-d %b}."
    )
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
    (detail,) = warnings(plan_of("21/11/2026", other, "21/11/2026"))["detail"]
    assert f"2 like 21/11/2026 and 1 like {other}." in detail


def test_a_column_that_two_languages_use_is_told_once():
    lines = ["phone,lang,day", "+256772000001,en,2026-11-21", "+256772000002,lg,21/11/2026"]
    contacts = campaign.read_contacts("\n".join(lines).encode())
    plan = campaign.prepare(
        contacts, message={"en": "On {day}", "lg": "Ku {day}"}, language="lang", sender="CLINIC"
    )
    assert len(warnings(plan)) == 1
