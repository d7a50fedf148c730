"""Dates such as 05/01/2026 in a message: read as was said, as the column shows, or asked about."""

import datetime as dt

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.issue_facts import fact_of, facts_of

import campaign
from campaign.errors import UsageError
from campaign.messages.issues import issue_kinds
from campaign.messages.templates.moments import read_moment


def dated(*cells, message="{visit:%-d %b %Y}", **options):
    """A plan whose message has a date; one row for each cell."""
    lines = [f"077200000{i},{cell}" for i, cell in enumerate(cells, 1)]
    contacts = campaign.read_contacts("\n".join(["phone,visit", *lines]).encode(), **options)
    return campaign.prepare(contacts, message=message, sender="CLINIC", region="UG")


def texts(plan):
    return plan.messages["message"].tolist()


def issues(plan):
    return plan.issues[["row", "value", "code"]].astype(object).fillna("").values.tolist()


@pytest.mark.parametrize(
    ("dates", "cell", "text"),
    [
        ("dmy", "05/01/2026", "5 Jan 2026"),
        ("mdy", "05/01/2026", "1 May 2026"),
        ("dmy", "5.1.26", "5 Jan 2026"),
        ("mdy", "5/1/26 14:30", "1 May 2026"),
        ("ymd", "26-01-05", "5 Jan 2026"),
        ("ymd", "25/12/2026", "25 Dec 2026"),  # the year is last, and only one order makes a date
        ("dmy", "05/01/71", "5 Jan 1971"),
        ("mdy", "2026-01-05", "5 Jan 2026"),  # the year is first, so the month follows
        ("mdy", "5 Jan 2026", "5 Jan 2026"),
    ],
)
def test_dates_are_read_in_the_order_that_was_given(dates, cell, text):
    plan = dated(cell, dates=dates)
    assert (texts(plan), issues(plan)) == ([text], [])


@given(
    st.dates(dt.date(1969, 1, 1), dt.date(2068, 12, 31)),
    st.sampled_from(["%d/%m/%y", "%m/%d/%y", "%y/%m/%d", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d"]),
    st.sampled_from("-/."),
)
def test_every_date_is_read_as_it_was_written(day, form, separator):
    """In its own order; and without one, it is read as this day or not at all."""
    written = day.strftime(form).replace("/", separator)
    assert read_moment(written, form.replace("%", "").replace("/", "").lower()) == (day, None)
    assert read_moment(written)[0] in (day, None)


def test_a_date_that_does_not_fit_the_given_order_is_refused():
    plan = dated("05/01/2026", "25/12/2026", dates="mdy")
    assert texts(plan) == ["1 May 2026"]
    unreadable = plan.issues[plan.issues["code"] == "unreadable_value"]
    assert unreadable["value"].tolist() == ["25/12/2026"]


def test_a_day_above_12_shows_the_order_of_its_column():
    plan = dated("05/01/2026", "25/12/2026 09:00", "2026-02-03", "soon")
    assert texts(plan) == ["5 Jan 2026", "25 Dec 2026", "3 Feb 2026"]
    assert issues(plan) == [["", "25/12/2026 09:00", "date_order"], [5, "soon", "unreadable_value"]]
    (facts,) = facts_of(plan, "date_order")
    assert (facts["first"], facts["like"], facts["order"]) == ("day", "25/12/2026 09:00", "mdy")
    assert texts(dated("05/01/2026", "12/25/2026")) == ["1 May 2026", "25 Dec 2026"]


def test_an_order_that_was_given_against_what_the_column_shows_is_a_warning():
    """05/01/2026 goes out as 1 May, which is hardly meant where another row has 25/12/2026."""
    plan = dated("05/01/2026", "25/12/2026", dates="mdy")
    assert texts(plan) == ["1 May 2026"]
    (warning,) = plan.issues[plan.issues["code"] == "date_order"].to_dict("records")
    assert [warning["severity"], warning["value"]] == ["warning", "25/12/2026"]
    (facts,) = facts_of(plan, "date_order")
    assert (facts["first"], facts["unlike"], facts["order"]) == ("month", "25/12/2026", "dmy")
    assert "date_order" not in dated("05/01/2026", "25/12/2026", dates="dmy").issues["code"].tolist()


def test_each_column_shows_its_own_order():
    contacts = campaign.read_contacts(
        b"phone,visit,due\n0772000001,05/01/2026,05/01/2026\n0772000002,25/12/2026,12/25/2026\n"
    )
    plan = campaign.prepare(contacts, message="{visit:%b} {due:%b}", sender="CLINIC", region="UG")
    assert texts(plan) == ["Jan May", "Dec Dec"]


@pytest.mark.parametrize(
    "others",
    [
        [],
        ["06/02/2026 14:30"],
        ["25/12/2026", "12/25/2026"],  # both orders are there
        ["31/11/2026", "40/12/2026"],  # no dates, so they show nothing
        ["25/12/26"],  # the day or the year
        ["2026-12-25"],
    ],
)
def test_dates_that_nobody_can_know_are_a_question_for_each_column_and_never_a_guess(others):
    plan = dated("05/01/2026", *others)
    asked = plan.issues[plan.issues["code"] == "ambiguous_date"]
    assert asked["row"].iloc[0] == 2
    assert facts_of(plan, "ambiguous_date")[0] == {"example": "05/01/2026", "orders": ["dmy", "mdy"]}
    assert "5 Jan 2026" not in texts(plan)
    assert "1 May 2026" not in texts(plan)


@pytest.mark.parametrize(
    "cells", [["2026-12-01", "31/11/2026"], ["31/11/2026"], ["05/01/2026", "31/11/2026"]]
)
def test_a_day_that_no_month_has_is_no_question_about_the_order(cells):
    plan = dated(*cells)
    row = 1 + len(cells)
    (facts,) = facts_of(plan, "unreadable_value")
    assert plan.issues.set_index("code")["row"]["unreadable_value"] == row
    assert (facts["needed"], facts["flaw"]) == ("date", "November has 30 days")
    assert len(plan.messages) == cells.count("2026-12-01")


def test_the_year_is_offered_where_it_may_come_first():
    assert fact_of(dated("05/01/26"), "ambiguous_date", "orders") == [["dmy", "mdy", "ymd"]]


def test_dates_of_which_each_can_be_read_need_no_order():
    plan = dated("05/05/2026", "25/12/2026", "12/25/2026")
    assert (texts(plan), issues(plan)) == (["5 May 2026", "25 Dec 2026", "25 Dec 2026"], [])
    assert issues(dated("05/05/2026", "25/12/2026")) == []


@pytest.mark.parametrize("dates", [None, "mdy"])
def test_a_date_without_a_format_stays_as_it_is_written(dates):
    """As people who wrote it will read it; and a second round has the same text as the first."""
    plan = dated("05/01/2026", message="Your visit: {visit}", dates=dates)
    assert (texts(plan), issues(plan)) == (["Your visit: 05/01/2026"], [])


def test_the_order_is_known_in_several_files_and_after_changes_in_pandas():
    one, other = b"phone,visit\n0772000001,05/01/2026\n", b"phone,visit\n0772000002,06/01/2026\n"
    both = campaign.read_contacts([one, other], dates="dmy")
    filtered = both[both["phone"] == "0772000002"].assign(clinic=7)
    unnumbered = pd.concat([filtered]).reset_index(drop=True)
    for contacts, expected in ((both, ["5 Jan", "6 Jan"]), (filtered, ["6 Jan"]), (unnumbered, ["6 Jan"])):
        plan = campaign.prepare(contacts, message="{visit:%-d %b}", sender="CLINIC", region="UG")
        assert texts(plan) == expected


def test_an_order_that_does_not_exist():
    with pytest.raises(UsageError) as raised:
        dated("05/01/2026", dates="ddmmyy")
    assert str(raised.value) == "dates is 'ddmmyy'; it can be 'dmy', 'mdy' or 'ymd'. Did you mean 'dmy'?"


def test_the_order_is_kept_with_the_campaign(tmp_path):
    plan = dated("05/01/2026", dates="dmy")
    with campaign.Sandbox() as sandbox:
        campaign.send(plan, account=sandbox.account, folder=tmp_path / "visits", progress=False)
    assert campaign.load_result(tmp_path / "visits").plan.reading.dates == "dmy"


@pytest.mark.parametrize("dates", [None, "dmy"])
def test_a_year_may_have_two_digits_beside_the_name_of_a_month(dates):
    plan = dated("09-Jan-27", "9 January 27", "Jan 9 27 10:00", "09-Jan-2027", "2 visits 27", dates=dates)
    assert texts(plan) == ["9 Jan 2027"] * 4
    assert issues(plan) == [[6, "2 visits 27", "unreadable_value"]]


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        (["5 listopada 2026"], None),  # November in Polish, October in Croatian
        (["5 listopada 2026", "3 grudnia 2026"], "5 Nov 2026"),  # which is Polish
        (["5 listopada 2026", "3 prosinca 2026"], "5 Oct 2026"),  # which is Croatian
        (["10 Maa 2026"], None),  # Igbo, or Luganda
        (["10 Maa 2026", "4 Sebuttemba 2026"], "10 May 2026"),
    ],
)
def test_a_month_of_two_languages_is_that_of_its_column_or_a_question(cells, text):
    plan = dated(*cells)
    assert texts(plan)[:1] == [text] * (text is not None)
    assert issues(plan) == ([] if text else [[2, cells[0], "ambiguous_date"]])
    assert texts(dated("5 listopada 2026", message="{visit:%-d %B@pl}")) == ["5 listopada"]


def test_times_of_utc_are_said():
    """In Kampala it is 00:30 on the next day."""
    plan = dated("2026-11-21T21:30:00Z", "2026-11-21T00:00:00Z", "2026-11-21T21:30:00+03:00")
    assert issues(plan) == [["", "2026-11-21T21:30:00Z", "utc_time"]]
    assert issues(dated("2026-11-21T00:00:00.000Z")) == []  # a day that a program gave a time


def test_a_day_that_its_month_does_not_have_is_named():
    plan = dated("31/11/2026", "30 Feb 2027 10:00", "2027-02-29", "40/12/2026", "12/31/2026", dates="dmy")
    flaws = [facts.get("flaw") for facts in facts_of(plan, "unreadable_value")]
    assert flaws == ["November has 30 days", *["February 2027 has 28 days"] * 2, None, None]


def test_what_is_wrong_is_counted_for_each_column():
    """Dates and amounts that cannot be read are corrected in different cells."""
    cells = "\n".join(
        ["phone,visit,fee", "0772000001,31 Nov 2026,n/a", "0772000002,later,5", "0772000003,5 Jan 2026,?"]
    )
    contacts = campaign.read_contacts(cells.encode())
    message = "{visit:%-d %b}, {fee:,.0f}"
    plan = campaign.prepare(contacts, message=message, sender="CLINIC", region="UG")
    kinds = issue_kinds([plan.issues])
    pd.testing.assert_frame_equal(issue_kinds([plan.issues[:2], plan.issues[2:]]), kinds)
    unreadable = kinds.query("code == 'unreadable_value'")
    assert unreadable[["column", "count", "first_row"]].values.tolist() == [["visit", 2, 2], ["fee", 2, 2]]
    assert "November has 30 days" in unreadable["example"].iat[0]  # which is wrong with the first of them
