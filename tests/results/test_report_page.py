"""What the page says: the sentence to quote, what to do, equal batches as one line, reasons grouped."""

from decimal import Decimal
from pathlib import Path

import pandas as pd
import pytest
from support.batch_rows import NO_ANSWER, frame_of
from support.findings import codes, finding, to_do
from support.refusals import refused
from support.small_campaigns import contacts_of, people, plan_for

import campaign
from campaign.local_times import LocalTimes
from campaign.results.page.batch_ranges import batch_ranges
from campaign.results.page.costs import cost_by_country, cost_by_sender
from campaign.results.page.reasons import reasons
from campaign.results.page.sending_facts import sender_in_words
from campaign.results.sent_rounds import SentRound
from campaign.results.tables import Result
from campaign.words.finding import Finding
from campaign.words.page import PAGE
from campaign.words.shell import SHELL

UTC = LocalTimes()
START = pd.Timestamp("2026-11-21 11:02", tz="UTC")


def batches_of(*rows):
    """Batches of (messages, status, cost, error), a minute apart."""
    lines = [
        (place, messages, status, cost and Decimal(cost), f"code {place}", error, 1,
         START + pd.Timedelta(minutes=place - 1), 0.5, 1)
        for place, (messages, status, cost, error) in enumerate(rows, start=1)
    ]  # fmt: skip
    return frame_of(lines)


def result_of(*rows, plan=None, environment="live", **options):
    plan = plan or plan_for(contacts_of(*(f"P{n},0772000{n:03}" for n in range(sum(row[0] for row in rows)))))
    return Result(plan, batches_of(*rows), environment=environment, **options)


def round_with(**fields):
    usual = {"round": 1, "at": START.to_pydatetime(), "template": "Hi", "senders": ("A",), "who": "amina"}
    return SentRound(**{**usual, "options": {}, "currency": "", **fields})


# --- the sentence to quote ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "facts"),
    [
        ([(4, "accepted", "140", "")], {"accepted": 4, "people": 4, "share": ""}),
        ([(3, "unknown", None, "")], {"accepted": 0, "people": 3, "share": ""}),
        (
            [(1, "accepted", "35", ""), (2, "refused", None, "no"), (1, "accepted", "35", "")],
            {"accepted": 2, "people": 4, "share": "50%"},
        ),
    ],
)
def test_the_headline_has_people_and_share(rows, facts):
    assert finding(result_of(*rows), "live_result").facts == facts


def test_whoever_opted_out_is_not_in_the_share():
    stopped = pd.Series(["+256772000001"], dtype="str")
    plan = plan_for(contacts_of("A,0772000001", "B,0772000002", "C,0772000003"), opt_outs=stopped)
    rows = [(1, "accepted", "35", ""), (1, "refused", None, "no")]
    assert finding(result_of(*rows, plan=plan), "live_result").facts["share"] == "50%"


def test_times_are_those_of_the_sending_hours(tmp_path):
    hours = {"hours": "08:00-20:00 Africa/Kampala"}
    result = result_of(
        (2, "accepted", "70", ""), rounds=[round_with(options={**hours, "batch_size": 2, "concurrency": 1})]
    )
    page = campaign.write_report(result, tmp_path / "report.html").read_text("utf-8")
    assert "21 November 2026 at 14:02 (Kampala, UTC+3)" in page
    assert "only 08:00-20:00 Africa/Kampala" in page


def test_a_campaign_of_several_days_has_both_days():
    first, last = START.to_pydatetime(), (START + pd.Timedelta(days=3)).to_pydatetime()
    assert UTC.span(first, last) == "from 21 November 2026, 11:02, to 24 November 2026, 11:02 (UTC)"


# --- what to do ---------------------------------------------------------------------------------------


def test_there_is_one_line_for_each_thing_to_do_and_its_command():
    result = result_of(
        (1, "accepted", "35", ""), (1, "unknown", None, NO_ANSWER),
        (2, "refused", None, "Invalid sender ID"), (1, "not_sent", None, ""),
        folder=Path("campaigns/my visits"), rounds=[round_with()], ending=Finding("cost_unreadable"),
    )  # fmt: skip
    assert to_do(result) == ["rows_unknown", "rows_refused", "rows_not_sent"]
    assert codes(result)[0] == "cost_unreadable"  # why it ended
    assert finding(result, "rows_refused").facts["reason"] == "Invalid sender ID"
    assert SHELL.remedy(finding(result, "rows_not_sent")) == 'campaign resume "campaigns/my visits"'


def test_the_reason_of_people_who_were_accepted_since_is_not_that_of_others_who_were_refused(tmp_path):
    """Batch 2 was refused and its people were accepted in the next round; batch 3 was settled by hand."""
    options = {"folder": tmp_path / "visits", "batch_size": 10, "concurrency": 1, "progress": False}
    with campaign.Sandbox(faults={2: "Invalid sender ID", 3: "accept_reset"}) as sandbox:
        result = campaign.send(plan_for(people(31)), account=sandbox, canary=False, **options)
        assert result.totals["unknown"] == 10
        campaign.resume(result.folder, account=sandbox, progress=False)
        batch = int(result.batches.loc[result.batches["status"] == "unknown", "batch"].iloc[0])
        result = campaign.resolve(result.folder, batch, "refused", confirm=f"batch {batch} was refused")
    assert (result.totals["accepted"], result.totals["refused"]) == (21, 10)
    assert to_do(result) == ["rows_settled_as_refused"]


def test_each_command_stands_once_in_one_place_and_relative(tmp_path, monkeypatch):
    """A row to correct and two people with one phone need the same file."""
    monkeypatch.chdir(tmp_path)
    rows = "name,phone\nAnn,0772000001\nBen,none\nCy,0772000001\n"
    plan = campaign.prepare(
        campaign.read_contacts(rows.encode()), message="Hi {name}", sender="CLINIC", region="UG"
    )
    with campaign.Sandbox() as sandbox:
        result = campaign.send(plan, account=sandbox, name="visits", progress=False)
    shown = campaign.write_report(result, "report.html").read_text("utf-8")
    assert shown.count("campaign follow-up ") == 1
    folded = shown[shown.index("<summary>For whoever sends") :]
    assert "<code>campaign follow-up campaigns/visits.local to_correct.xlsx</code>" in folded


def test_a_user_that_is_nobody_is_no_person():
    assert sender_in_words("root") == "the system user root"
    assert sender_in_words("anna") == "anna"


def test_the_page_names_no_class_and_the_workbook_does(tmp_path):
    result = result_of((1, "unknown", None, NO_ANSWER))
    page = campaign.write_report(result, tmp_path / "report.html").read_text("utf-8")
    assert f"unknown: {PAGE.headline(NO_ANSWER)}</td>" in page
    assert "TimeoutError" not in page
    assert "TimeoutError" not in result.batches["error"].iloc[0]
    assert "TimeoutError" in result.batches["facts"].iloc[0]
    refused = result_of((1, "refused", None, "Out of credit (AccountError)"))  # the service's own words
    page = campaign.write_report(refused, tmp_path / "refused.html").read_text("utf-8")
    assert "Out of credit (AccountError)." in page


# --- batches, reasons, costs --------------------------------------------------------------------------


def test_equal_batches_are_one_line_and_unknown_ones_are_each_their_own():
    rows = [(10, "accepted", "350", "")] * 54 + [(10, "unknown", None, "no answer")] * 2
    rows += [(10, "accepted", "350", "")] * 2 + [(9, "accepted", None, "accepted; the answer has no cost")]
    frame, lines = batch_ranges(batches_of(*rows), UTC)
    assert lines == len(frame) == 5
    assert frame[["Batch", "Messages", "Outcome", "Cost"]].values.tolist() == [
        ["1–54", "540 (10 each)", "accepted", "18,900 (350 each)"],
        ["55", "10", "unknown: No answer.", "–"],
        ["56", "10", "unknown: No answer.", "–"],
        ["57–58", "20 (10 each)", "accepted", "700 (350 each)"],
        ["59", "9", "accepted: Accepted; the answer has no cost.", "–"],
    ]
    assert frame["Sent"].tolist()[:2] == ["11:02 to 11:55", "11:56"]
    assert frame["Code for the provider"].tolist()[:2] == ["54 codes, in the workbook", "code 55"]


def test_of_too_many_lines_the_unusual_ones_stay():
    rows = [(1, "accepted", "35", ""), (1, "refused", None, "no")] * 40
    frame, lines = batch_ranges(batches_of(*rows), UTC)
    assert (lines, len(frame)) == (80, 30)
    assert set(frame["Outcome"]) == {"refused: No."}


def test_people_are_grouped_by_reason_those_who_need_somebody_most_first():
    plan = plan_for(
        contacts_of("A,0772000001", "B,0772000002", "C,none", "D,07721", "E,none", "F,", "G,0772000007")
    )
    rows = [(1, "refused", None, "no"), (2, "unknown", None, NO_ANSWER)]
    frame = reasons(result_of(*rows, plan=plan))
    assert frame[["status", "people", "where"]].values.tolist() == [
        ["unknown", 2, "batch 2"],
        ["refused", 1, "batch 1"],
        ["invalid", 2, "rows 4, 6"],
        ["invalid", 1, "row 5"],
        ["invalid", 1, "row 7"],
    ]
    assert frame["reason"].tolist()[:2] == [PAGE.headline(NO_ANSWER), "No."]


def test_cost_by_sender_and_country_only_where_there_are_several():
    contacts = contacts_of(
        "A,+256772000001,ONE", "B,+447700900001,TWO", "C,+256772000003,ONE", header="name,phone,from"
    )
    plan = campaign.prepare(contacts, message="Hi", sender="{from}", region="UG")
    result = result_of((3, "accepted", "100", ""), plan=plan)
    assert cost_by_sender(result) == {"ONE": (Decimal("66.67"), 0), "TWO": (Decimal("33.33"), 0)}
    assert cost_by_country(result) == {"UG": (Decimal("66.67"), 0), "GB": (Decimal("33.33"), 0)}
    alike = result_of((2, "accepted", "70", ""))
    assert (cost_by_sender(alike), cost_by_country(alike)) == ({}, {})


def test_rows_that_were_not_read_are_counted_so_that_the_sum_is_the_sheets(tmp_path):
    sheet = tmp_path / "visits.csv"
    sheet.write_text("Visits of March\n\nName,Phone\nAnn,0772000001\nBo,0772000002\n", "utf-8")
    plan = campaign.prepare(campaign.read_contacts(sheet, header=3), message="Hi", sender="A", region="UG")
    page = campaign.write_report(
        result_of((2, "accepted", "70", ""), plan=plan), tmp_path / "report.html"
    ).read_text("utf-8")
    assert "2 rows not read: hidden, or above the header" in page


def test_a_column_of_numbers_is_masked_as_a_breakdown_too(tmp_path):
    result = result_of((2, "accepted", "70", ""))
    assert "0772000000" in result.by("phone").index
    for ending in ("html", "xlsx"):
        campaign.write_report(result, tmp_path / f"report.{ending}", by="phone")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "077*****00" in page
    assert "0772000000" not in page
    shown = campaign.write_report(result, tmp_path / "open.html", by="phone", reveal=True).read_text("utf-8")
    assert "0772000000" in shown


@pytest.mark.parametrize("by", [5, b"Clinic"])
def test_by_is_the_name_of_a_column(tmp_path, by):
    with refused("wrong_value", campaign.UsageError):
        campaign.write_report(result_of((1, "accepted", "35", "")), tmp_path / "report.html", by=by)
    with refused("column_missing", campaign.ColumnError, column="nam", columns=["name", "phone"]):
        campaign.write_report(result_of((1, "accepted", "35", "")), tmp_path / "report.html", by=["nam"])
    assert list(tmp_path.iterdir()) == []
