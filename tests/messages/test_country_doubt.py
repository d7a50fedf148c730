"""A country that is given for numbers without a code, where most others say another one: said once."""

import pytest
from support.form_person import Page
from support.small_campaigns import contacts_of

import campaign
from campaign.notebook.composer.facts import Facts
from campaign.notebook.composer.form import Form
from campaign.notebook.composer.people_page import people_page

WITH_CODE = [f"Ann,+256 772 000 0{place}" for place in range(10, 44)]
WITHOUT = [f"Ben,0772 000 0{place}" for place in range(10, 15)]


def plan_in(contacts, region, **options):
    return campaign.prepare(contacts, message="Hi {name}", sender="CLINIC", region=region, **options)


def doubts(plan):
    return plan.issues.loc[plan.issues["code"] == "other_country", ["row", "column", "value", "detail"]]


@pytest.mark.parametrize("stream", [False, True])
def test_a_plan_says_once_that_the_country_may_be_wrong(stream):
    plan = plan_in(contacts_of(*WITH_CODE, *WITHOUT), region="KE", stream=stream)
    assert plan.totals.messages == 39
    assert [finding.code for finding in plan.findings].count("other_country") == 1
    doubt = doubts(plan)
    assert doubt["row"].isna().tolist() == [True]  # it is about the table, and said once
    assert doubt[["column", "value"]].to_numpy().tolist() == [["phone", "KE"]]


def test_it_is_said_after_sending_too(sandbox, tmp_path):
    plan = plan_in(contacts_of(*WITH_CODE, *WITHOUT), region="KE")
    campaign.send(plan, account=sandbox, folder=tmp_path / "visits", progress=False)
    assert doubts(campaign.load_result(tmp_path / "visits"))["value"].tolist() == ["KE"]


@pytest.mark.parametrize(
    ("rows", "region"),
    [
        ([*WITH_CODE, *WITHOUT], "UG"),
        ([*WITH_CODE, *WITHOUT], "001"),
        (WITH_CODE, "KE"),  # the country means nothing for them
        (WITHOUT, "KE"),  # they say no other one
        ([*WITH_CODE[:1], "Cy,+254 772 000 020", *WITHOUT], "KE"),  # as many of each
    ],
)
def test_where_nothing_contradicts_the_country_nothing_is_said(rows, region):
    plan = plan_in(contacts_of(*rows), region=region)
    assert doubts(plan).empty


@pytest.mark.parametrize("region", ["KE", "UG"])
@pytest.mark.parametrize("rows", [[*WITH_CODE, *WITHOUT], WITH_CODE, WITHOUT, [*WITHOUT, WITH_CODE[0]]])
def test_the_form_and_a_plan_have_one_rule(rows, region, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["name,phone", *rows]))
    form = Form(source=str(path), number="phone", region=region)
    asked = [item for item in Page.of(people_page(form, Facts())).items() if item.get("tone") == "ask"]
    assert len(asked) == len(doubts(plan_in(contacts_of(*rows), region=region)))


def test_numbers_of_another_country_with_the_same_code_are_told_apart():
    """Canada and the United States have +1."""
    canadian = [f"Ann,+1 416 555 01{place}" for place in range(10, 20)]
    assert len(doubts(plan_in(contacts_of(*canadian, "Ben,416 555 0120"), region="US"))) == 1


def test_of_a_column_of_countries_nothing_is_asked():
    rows = [f"{row},KE" for row in (*WITH_CODE, *WITHOUT)]
    plan = plan_in(contacts_of(*rows, header="name,phone,country"), region="country")
    assert doubts(plan).empty


def test_of_a_long_table_the_first_rows_are_looked_at(monkeypatch):
    monkeypatch.setattr("campaign.messages.draft._LOOKED_AT", 35)
    assert len(doubts(plan_in(contacts_of(*WITH_CODE, *WITHOUT), region="KE"))) == 1
