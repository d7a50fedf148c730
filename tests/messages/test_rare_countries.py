"""One number of another country among many of one: a warning with its row."""

from support.issue_facts import facts_of

import campaign


def plan_of(ugandan, *others, region="UG", header="phone"):
    numbers = [f"+2567720000{place:02}" for place in range(ugandan)]
    contacts = campaign.read_contacts("\n".join([header, *numbers, *others]).encode())
    return campaign.prepare(contacts, message="Hi", sender="CLINIC", region=region)


def rare(plan):
    return plan.issues[plan.issues["code"] == "rare_country"]


def test_one_british_number_among_many_ugandan_ones_is_named_with_its_row_and_gets_its_message():
    plan = plan_of(60, "+447700900123", "0772")
    (issue,) = rare(plan).to_dict("records")
    assert [issue["row"], issue["column"], issue["value"], issue["severity"]] == [
        62, "phone", "+447700900123", "warning",
    ]  # fmt: skip
    assert facts_of(plan, "rare_country") == [{"country": "GB", "usual": "UG"}]
    assert plan.totals["not_sent"] == 61
    assert plan.totals["invalid"] == 1


def test_a_few_numbers_and_a_campaign_for_two_countries_are_no_warning():
    assert rare(plan_of(40, "+447700900123")).empty
    assert rare(plan_of(60, *[f"+4477009001{place:02}" for place in range(20)])).empty
    assert rare(plan_of(60)).empty


def test_where_each_row_has_its_country_another_one_is_meant():
    plan = plan_of(
        0,
        *[f"07720000{place:02},UG" for place in range(60)],
        "07700900123,GB",
        header="phone,country",
        region="country",
    )
    assert plan.totals.countries == {"UG": 60, "GB": 1}
    assert rare(plan).empty
