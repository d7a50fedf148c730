"""The report of several campaigns: their sums by month and sender, in page, workbook and csv."""

import csv
import re
from decimal import Decimal

import openpyxl
import pandas as pd
import pytest
from support.small_campaigns import people, plan_for

import campaign
from campaign.results.campaign_list import CampaignList
from campaign.results.local_times import LocalTimes


def history_of(*rows):
    """A frame of `history`; a row is name, environment, day, accepted, unknown, cost and what follows."""
    lines = [
        {
            "name": name, "environment": environment, "first_sent": day, "last_sent": day, "rounds": 1,
            "people": accepted + unknown, "accepted": accepted, "refused": 0, "unknown": unknown,
            "waiting": 0, "cost": cost and Decimal(cost), "unpriced": unpriced, "currency": currency,
            "sender": sender, "template": "Hi", "folder": f"campaigns/{name}", "problem": "",
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
    assert "In 3 live campaigns (2 March 2026 to 1 April 2026), 160 messages were accepted. The" in page
    assert " cost was UGX 5,250.5 or more and KES 20. 2 messages are still unknown." in page
    assert '<p class="where live">LIVE</p>' in page
    assert "They are in vaccines." in page
    assert '<td class="short">rehearsal</td>' in page
    assert '<td class="short">2 unknown</td>' in page
    assert "Not counted: 1 (rehearsals" in page
    summary = {row[0]: row[1] for row in book["Summary"].iter_rows(values_only=True)}
    assert (summary["accepted"], summary["unknown"], summary["all messages"]) == (160, 2, 162)
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
    page = campaign.write_report(campaign.history(tmp_path / "all"), tmp_path / "all.html").read_text("utf-8")
    assert "In 2 rehearsed campaigns (" in page
    assert (
        "), 8 messages were accepted. The cost was 280 or more (made up). 2 messages are still unknown."
        in page
    )
    assert "rehearsals only: no live campaign is among them" in page
    assert "is damaged. Restore it from a copy." in page


@pytest.mark.parametrize("ending", ["html", "xlsx", "csv"])
def test_no_campaign_at_all_is_reported_too(ending, tmp_path):
    (tmp_path / "none").mkdir()
    nothing = campaign.history(tmp_path / "none")
    path = campaign.write_report(nothing, tmp_path / f"none.{ending}")
    if ending == "html":
        assert "No campaign has sent anything yet." in path.read_text("utf-8")


def test_some_of_the_campaigns_and_wrong_arguments(listed, tmp_path):
    march = listed[listed["first_sent"] < "2026-04"]
    assert "In 2 live campaigns" in campaign.write_report(march, tmp_path / "march.html").read_text("utf-8")
    with pytest.raises(campaign.UsageError, match=re.escape("by= is for the report of one result.")):
        campaign.write_report(listed, tmp_path / "year.html", by="Clinic")
    with pytest.raises(campaign.UsageError, match=r"^write_report needs a Result, but got a DataFrame"):
        campaign.write_report(listed[["name"]], tmp_path / "year.html")


def test_a_number_in_a_name_is_masked(tmp_path):
    listed = history_of(("call 0772 000 009", *YEAR[0][1:4], 3, *YEAR[0][5:]))
    for ending in ("html", "csv"):
        text = campaign.write_report(listed, tmp_path / f"list.{ending}").read_text("utf-8")
        assert "077*****09" in text
        assert "000 009" not in text.replace("campaigns/call 0772 000 009", "")  # its folder, a path
