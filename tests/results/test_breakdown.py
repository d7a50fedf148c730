"""`Result.by`: a result for each value of a column, whose sums are the totals."""

import re
from decimal import Decimal

import pandas as pd
import pytest
from support.batch_rows import frame_of
from support.refusals import refused
from support.small_campaigns import contacts_of, plan_for

import campaign
from campaign.contract import STATUSES
from campaign.results.cost_shares import share_costs
from campaign.results.page.costs import for_page
from campaign.results.tables import Result

VISITS = [
    "Ann,0772000001,North,1st", "Ben,0772000002,South,2nd", "Cat,0772000003,North,3rd",
    "Dan,0772000004,,4th", "Eve,none,South,5th", "Fay,0772000001, North ,6th", ",,,",
    "Gus,0772000007,West,7th", "Hal,0772000008,North,8th",
]  # fmt: skip


def plan_of(rows=VISITS, header="name,phone,Clinic,status", **options):
    return plan_for(contacts_of(*rows, header=header), **options)


def batches_of(*rows):
    """Batches of (messages, status, cost)."""
    return frame_of(
        (place, messages, status, cost and Decimal(cost), "", "", 1, None, 0.2, 1)
        for place, (messages, status, cost) in enumerate(rows, start=1)
    )


@pytest.fixture
def result():
    """Six messages: two for 100 in all, two unpriced, one refused, one that waits."""
    batches = batches_of(
        (2, "accepted", "100"), (2, "accepted", None), (1, "refused", None), (1, "not_sent", None)
    )
    return Result(plan_of(), batches, environment="local")


def test_values_that_differ_only_by_case_are_one_as_most_rows_write_it():
    visits = ["Ann,0772000001,gulu", "Ben,0772000002,Gulu ", "Cat,0772000003,GULU", "Dan,0772000004,Gulu",
              "Eve,0772000005,Jinja"]  # fmt: skip
    plan = plan_of(visits, header="name,phone,Clinic")
    frame = Result(plan, batches_of((5, "accepted", "100")), environment="local").by("Clinic")
    assert frame[["rows", "accepted"]].to_dict("index") == {
        "Gulu": {"rows": 4, "accepted": 4},
        "Jinja": {"rows": 1, "accepted": 1},
    }
    assert frame["cost_share"].tolist() == [Decimal("80.00"), Decimal("20.00")]


def adds_up(result, column="Clinic"):
    frame, totals = result.by(column), result.totals
    for status in STATUSES:
        assert frame[status].sum() == totals[status]
    assert (frame["rows"].sum(), frame["people"].sum()) == (totals.rows, totals.people)
    assert frame["parts"].sum() == totals.parts
    assert frame["needing_attention"].sum() == totals.attention
    costs = [cost for cost in frame["cost_share"] if cost is not None]
    assert sum(costs) == (totals.cost or 0)
    return True


def test_each_value_has_its_rows_statuses_parts_and_share_of_the_cost(result):
    frame = result.by("Clinic")
    assert frame.index.name == "Clinic"
    assert frame.index.tolist() == ["North", "South", "West", ""]
    assert frame[
        ["rows", "people", "accepted", "duplicate", "invalid", "parts", "unpriced"]
    ].values.tolist() == [
        [4, 4, 2, 1, 0, 3, 1],  # the duplicate has another text, so it is a person
        [2, 2, 1, 0, 1, 1, 0],
        [1, 1, 0, 0, 0, 1, 0],
        [2, 1, 1, 0, 0, 1, 1],
    ]
    assert frame["cost_share"].tolist() == [Decimal(50), Decimal(50), Decimal(0), None]
    assert adds_up(result)


def test_the_column_is_found_as_placeholders_are_and_those_of_the_file_alone(result):
    assert result.by(" clinic ").index.tolist() == result.by("Clinic").index.tolist()
    assert (
        result.by("status").index.tolist()[:2] == ["", "1st"] or result.by("status").loc["1st", "rows"] == 1
    )
    with refused("column_missing", campaign.ColumnError, column="Clinik"):
        result.by("Clinik")
    with refused("column_missing", campaign.ColumnError, column="reason"):
        result.by("reason")
    wanted = re.escape('by needs the name of a column, but got None. Write result.by("Clinic").')
    with pytest.raises(campaign.UsageError, match=wanted):
        result.by(None)


def test_shares_that_cannot_be_divided_still_add_up_to_the_cost():
    thirds = share_costs(
        pd.DataFrame({"group": [0, 1, 2], "place": 0, "messages": 1}), 3, batches_of((3, "accepted", "100"))
    )
    assert thirds.costs == [Decimal("33.34"), Decimal("33.33"), Decimal("33.33"), Decimal(0)]
    assert sum(thirds.costs) == 100


def test_a_campaign_without_rows_has_no_values():
    frame = Result(plan_of([]), batches_of(), environment="local").by("Clinic")
    assert frame.empty
    assert list(frame.columns) == [
        "rows", "people", *STATUSES, "needing_attention", "parts", "cost_share", "unpriced",
    ]  # fmt: skip


def test_what_earlier_rounds_sent_to_people_who_left_is_a_row_of_its_own(sandbox, tmp_path):
    place = {"account": sandbox, "folder": tmp_path / "visits", "progress": False}
    campaign.send(plan_of(), **place)
    result = campaign.send(plan_of(VISITS[:-2]), **place)
    frame = result.by("Clinic")
    assert frame["rows"].tolist() == [3, 2, 1, 0]
    assert pd.isna(frame.index[-1])
    assert adds_up(result)
    assert adds_up(campaign.load_result(result.folder))


def test_the_currency_of_the_account_stays_with_the_campaign(tmp_path):
    with campaign.Sandbox(username="clinic", password="made up") as sandbox:
        account = campaign.Account(
            "local", sandbox.account.url, "clinic", "made up", currency="UGX", ca_file=sandbox.ca_file
        )
        sent = campaign.send(plan_of(), account=account, folder=tmp_path / "visits", progress=False)
        loaded = campaign.load_result(sent.folder)
        again = campaign.resume(sent.folder, account=sandbox, progress=False)  # the same account, without it
    for result in (sent, loaded, again):
        assert result.totals.cost_in_words == "UGX 210 (made up)"
        assert [one.currency for one in result.rounds] == ["UGX"]


@pytest.mark.parametrize("currency", ["", "pounds sterling", "5", 5, "U\nX"])
def test_a_currency_is_a_short_name(currency):
    wanted = r'^currency needs the name of a currency, .*currency="UGX"'
    with pytest.raises(campaign.UsageError, match=wanted):
        campaign.Account("local", "http://127.0.0.1:9", "clinic", "made up", currency=currency)


def test_the_currency_can_be_a_variable(monkeypatch):
    for name, value in {
        "URL": "https://sms.example.org",
        "USERNAME": "clinic",
        "PASSWORD": "made up",
    }.items():
        monkeypatch.setenv(f"CAMPAIGN_LIVE_{name}", value)
    plain = campaign.Account.from_environment("live")
    monkeypatch.setenv("CAMPAIGN_LIVE_CURRENCY", "KSh")
    account = campaign.Account.from_environment("live")
    assert (plain.currency, account.currency) == ("", "KSh")
    assert account.identity == plain.identity
    assert campaign.Account.from_environment("live", currency="UGX").currency == "UGX"


def test_the_figures_of_a_page_account_for_all_people(result):
    """Who wants no messages has a column of its own where there are such people, and there alone."""
    stopped = Result(
        plan_of(opt_outs=pd.Series(["+256772000002"], dtype="str")),
        batches_of((2, "accepted", "100"), (3, "refused", None)),
        environment="local",
    )
    page, sums, _ = for_page(stopped.by("Clinic"), "UGX")
    assert page.set_index("Clinic")["Opted out"].to_dict() == {"North": 0, "South": 1, "": 0, "West": 0}
    assert (page["People"] == page[["Accepted", "Opted out", "Need attention"]].sum(axis=1)).all()
    assert "Opted out" not in for_page(result.by("Clinic"), "UGX")[0]
    totals = stopped.totals
    people = [totals.people, totals["accepted"], totals["opted_out"], totals.attention]
    assert sums == ["all", *people, totals.parts, "UGX 100"]
    assert for_page(stopped.by("Clinic").iloc[:1], "UGX")[1] == []  # one value is all


def test_the_sums_are_of_all_values_also_of_those_that_the_page_leaves_out(tmp_path):
    rows = [f"Person {n},0772 000 {n:03},Village {n}" for n in range(30)]
    plan = plan_for(contacts_of(*rows, header="name,phone,village"))
    result = campaign.send(plan, folder=tmp_path / "visits", progress=False)
    page = campaign.write_report(result, tmp_path / "report.html", by="village").read_text("utf-8")
    (sums,) = re.findall('<tr class="sum">(<td.*?)</tr>', page)
    assert re.findall(">([^<]+)<", sums) == ["all", "30", "30", "0", "30", "1,050"]
    assert "The first 20 of 30 rows." in page
