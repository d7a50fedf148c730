"""The report of several campaigns: their sums by month and sender, in page, workbook and csv."""

import csv
from decimal import Decimal
from html import escape

import openpyxl
import pandas as pd
import pytest
from support.refusals import refused
from support.small_campaigns import people, plan_for

import campaign
from campaign.local_times import LocalTimes
from campaign.results.campaign_list import CampaignList
from campaign.words.page import PAGE


def history_of(*rows):
    """A frame of `history`; a row is name, environment, day, accepted, unknown, cost and what follows."""
    lines = [
        {
            "name": name, "environment": environment, "first_sent": day, "last_sent": day,
            "people": accepted + unknown, "accepted": accepted, "refused": 0, "unknown": unknown,
            "waiting": 0, "cost": cost and Decimal(cost),
            "unpriced": unpriced, "currency": currency, "sender": sender, "template": "Hi",
            "folder": f"campaigns/{name}",
            "problem": "",
        }
        for name, environment, day, accepted, unknown, cost, unpriced, currency, sender in rows
    ]  # fmt: skip
    frame = pd.DataFrame(lines)
    for name in ("first_sent", "last_sent"):
        frame[name] = pd.to_datetime(frame[name], utc=True)
    return frame.astype({"cost": object})


YEAR = [
    ("visits", "live", "2026-03-02", 100, 0, "3500", 0, "UGX", "CLINIC"),
    ("vaccines", "live", "2026-03-30", 50, 2, "1750.5", 1, "UGX", "HEALTH"),
    ("fees", "live", "2026-04-01", 10, 0, "20", 0, "KES", "CLINIC"),
    ("trial", "sandbox", "2026-04-02", 7, 0, "245", 0, "UGX", "CLINIC"),
]


@pytest.fixture
def listed():
    return history_of(*YEAR)


def sheet_rows(sheet):
    head, *rows = sheet.iter_rows(values_only=True)
    return [dict(zip(head, row, strict=True)) for row in rows]


def test_months_and_senders_add_up_and_currencies_stay_apart(listed):
    campaigns = CampaignList(listed, LocalTimes())
    months = campaigns.by_month()
    assert months[
        ["month", "campaigns", "accepted", "unknown", "cost", "unpriced", "currency"]
    ].values.tolist() == [
        ["2026-04", 1, 10, 0, Decimal(20), 0, "KES"],
        ["2026-03", 2, 150, 2, Decimal("5250.5"), 1, "UGX"],
    ]
    senders = campaigns.by_sender()
    assert senders[["sender", "accepted", "currency"]].values.tolist() == [
        ["CLINIC", 100, "UGX"], ["HEALTH", 50, "UGX"], ["CLINIC", 10, "KES"],
    ]  # fmt: skip
    assert campaigns.cost == "UGX 5,250.5 or more and KES 20"
    assert campaigns.total("accepted") == months["accepted"].sum() == senders["accepted"].sum() == 160
    assert campaigns.left_out == 1  # the rehearsal


def test_page_workbook_and_csv_say_the_same(listed, tmp_path):
    page = campaign.write_report(listed, tmp_path / "year.html").read_text("utf-8")
    book = openpyxl.load_workbook(campaign.write_report(listed, tmp_path / "year.xlsx"))
    total, unknown, left_out = CampaignList(listed, LocalTimes()).findings
    assert (total.code, total.facts["campaigns"], total.facts["accepted"]) == ("live_campaigns", 3, 160)
    assert (unknown.code, unknown.facts) == ("campaigns_unknown", {"messages": 2, "names": ["vaccines"]})
    assert (left_out.code, left_out.facts) == ("campaigns_not_counted", {"campaigns": 1})
    assert all(PAGE.headline(one) in page for one in (total, unknown, left_out))
    assert '<p class="where live">LIVE</p>' in page
    assert '<td class="short">rehearsal</td>' in page
    assert '<td class="short">2 unknown</td>' in page
    summary = {row[0]: row[1] for row in book["Summary"].iter_rows(values_only=True)}
    assert (summary["accepted"], summary["unknown"], summary["people in all"]) == (160, 2, 162)
    assert [row["cost"] for row in sheet_rows(book["Months"])] == [20, 5250.5]
    assert [row["accepted"] for row in sheet_rows(book["Senders"])] == [100, 50, 10]
    names = [row["name"] for row in sheet_rows(book["Campaigns"])]
    assert names == ["visits", "vaccines", "fees", "trial"]
    path = campaign.write_report(listed, tmp_path / "year.csv")
    with path.open(encoding="utf-8-sig", newline="") as file:
        assert [row["name"] for row in csv.DictReader(file)] == names


def test_what_history_says_of_real_folders_is_reported(tmp_path):
    """A rehearsal, one whose answer was lost, one that cannot be read: no live campaign among them."""
    for name, faults in (("first", {}), ("second", {2: "accept_reset"})):
        with campaign.Sandbox(faults=faults) as sandbox:
            campaign.send(
                plan_for(people(6)), account=sandbox, folder=tmp_path / "all" / name, batch_size=2,
                concurrency=1, canary=False, progress=False,
            )  # fmt: skip
    broken = tmp_path / "all" / "third"
    broken.mkdir()
    (broken / "manifest.json").write_text("{")
    listed = campaign.history(tmp_path / "all")
    page = campaign.write_report(listed, tmp_path / "all.html").read_text("utf-8")
    assert "8 messages accepted in 2 rehearsals" in page
    assert "cost 280 or more (made up)" in page
    assert "rehearsals only" in page
    assert escape(listed["problem"].max()) in page


@pytest.mark.parametrize("ending", ["html", "xlsx", "csv"])
def test_no_campaign_at_all_is_reported_too(ending, tmp_path):
    (tmp_path / "none").mkdir()
    nothing = campaign.history(tmp_path / "none")
    path = campaign.write_report(nothing, tmp_path / f"none.{ending}")
    if ending == "html":
        assert "No campaign has sent anything yet." in path.read_text("utf-8")


def test_some_of_the_campaigns_and_wrong_arguments(listed, tmp_path):
    march = listed[listed["first_sent"] < "2026-04"]
    assert "in 2 campaigns" in campaign.write_report(march, tmp_path / "march.html").read_text("utf-8")
    with refused("not_for_several", campaign.UsageError, argument="by"):
        campaign.write_report(listed, tmp_path / "year.html", by="Clinic")
    with pytest.raises(campaign.UsageError, match=r"^write_report needs a Result, but got a DataFrame"):
        campaign.write_report(listed[["name"]], tmp_path / "year.html")


def test_names_are_never_masked_though_they_look_like_phone_numbers(tmp_path):
    """Accountants put dates in names; what is wrong with a campaign names its folder."""
    rows = history_of(("march 20261122", *YEAR[0][1:]), ("april 20261201", *YEAR[1][1:]))
    rows.loc[0, "problem"] = f"{rows.loc[0, 'folder']} is damaged, ask 0772000009."
    for ending in ("html", "csv"):
        text = campaign.write_report(rows, tmp_path / f"list.{ending}").read_text("utf-8")
        assert "campaigns/march 20261122 is damaged, ask 077*****09." in text
        assert text.count("april 20261201") > 1


def test_lines_of_other_accounts_say_so():
    """A rehearsal on this machine has made-up costs; one in the provider's sandbox has not."""
    rows = history_of(YEAR[3], (*YEAR[3][:1], "local", *YEAR[3][2:5], "100", 0, "", "CLINIC"))
    campaigns = CampaignList(rows, LocalTimes())
    assert campaigns.cost == "UGX 245 and 100 (made up)"
    assert campaigns.by_month()[["month", "currency", "environment"]].values.tolist() == [
        ["2026-04", "UGX", "sandbox"], ["2026-04", "", "local"],
    ]  # fmt: skip
