"""Page, workbook, csv, frames, by(), --json and ledger say the same of one campaign, whatever came of it."""

import csv
import json
import re
from decimal import Decimal

import openpyxl
import pandas as pd
import pytest
from support.small_campaigns import contacts_of, plan_for

import campaign
from campaign.cli.main import main
from campaign.contract import STATUSES
from campaign.results.follow_up_rows import TO_FOLLOW_UP
from campaign.results.page.sending_facts import sender_in_words
from campaign.sending.ledger.ledger_file import LedgerFile
from campaign.sending.ledger.views import snapshot

FIRST = ["Ann,0772000001,North", "Ben,0772000002,South", "Cat,0772000003,North", "Gone,0772000009,North"]
SECOND = [
    *FIRST[:3], "Dan,0772000004,South", "Eve,none,North", ",,", "Fay,0772000001,East", "Gus,0772000005,",
    "Hal,0772000006,East", "Ida,0772000007,East", "Jan,0772000008,East",
]  # fmt: skip
EXPECTED = {
    "invalid": 1, "blank": 1, "duplicate": 1, "opted_out": 1, "not_sent": 1, "accepted": 4, "refused": 1,
    "unknown": 1,
}  # fmt: skip


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """Two rounds: four people accepted in the first, one of whom has left; then one batch of each fate."""
    folder = tmp_path_factory.mktemp("told")
    place = {
        "folder": folder / "visits",
        "batch_size": 1,
        "concurrency": 1,
        "canary": False,
        "progress": False,
    }
    faults = {5: "accept_no_cost", 6: "Invalid sender ID", 7: "accept_reset"}
    service = campaign.Sandbox(username="clinic", password="made up", price="35.5", faults=faults)
    with pytest.MonkeyPatch.context() as environment, service as sandbox:
        environment.setenv("CAMPAIGN_STATE_DIR", str(folder / "state"))
        account = campaign.Account(
            "local", sandbox.account.url, "clinic", "made up", currency="UGX", ca_file=sandbox.ca_file
        )
        stopped = pd.Series(["+256772000008"], dtype="str")
        header = "name,phone,Clinic"
        campaign.send(plan_for(contacts_of(*FIRST, header=header)), account=account, **place)
        plan = plan_for(contacts_of(*SECOND, header=header), opt_outs=stopped)
        fresh = campaign.send(plan, account=account, **place)
        yield fresh, campaign.load_result(fresh.folder), folder


@pytest.fixture(params=["fresh", "loaded"])
def result(told, request):
    return told[request.param == "loaded"]


@pytest.fixture
def folder(told):
    return told[2]


def sheet(book, name, *, notes=0):
    """The table of a sheet, which some have below a note."""
    head, *rows = [*book[name].iter_rows(values_only=True)][notes:]
    return pd.DataFrame(rows, columns=head)


def test_every_status_two_rounds_and_an_unpriced_batch(result):
    assert dict(result.totals) == EXPECTED
    assert result.batches["round"].max() == 2
    assert (result.totals.cost, result.totals.unpriced) == (Decimal("142.0"), 2)
    assert result.totals.cost_in_words == "UGX 142.0 or more (made up)"


def test_the_frames_and_by_agree_with_the_ledger(result):
    ledger = snapshot(LedgerFile(result.folder / "ledger.sqlite")).outcomes
    assert result.contacts["status"].value_counts().to_dict() == EXPECTED
    costs = [cost for cost in ledger["cost"] if cost is not None]
    assert sum(costs) == result.totals.cost
    sent = ledger.groupby("status")["messages"].sum()
    assert sent["accepted"] == EXPECTED["accepted"] + 1  # one of them has left the table
    by = result.by("Clinic")
    assert {status: by[status].sum() for status in STATUSES} == EXPECTED
    assert sum(cost for cost in by["cost_share"] if cost is not None) == result.totals.cost
    assert by.loc["North", ["rows", "people", "accepted"]].tolist() == [3, 3, 2]


def test_the_page_agrees(result, folder):
    page = campaign.write_report(result, folder / "report.html", by="Clinic").read_text("utf-8")
    shown = re.findall(r"</span><b>(\d+)</b> (\w+)", page)
    assert {name: int(count) for count, name in shown} == {
        "accepted": 4, "unknown": 1, "refused": 1, "not": 1, "to": 1, "sharing": 1, "opted": 1, "repeats": 1,
    }  # fmt: skip
    assert "accepted for 4 of 9 people (44.4%)" in page  # without the one who opted out
    assert "<dd>UGX 142.0 or more</dd><dt>made-up cost</dt>" in page
    assert "refused: Invalid sender ID" in page
    assert "(not in the table)" in page
    assert "Sent, and not in this table: 1 message" in page
    assert ">duplicate</td>" not in page[page.index('aria-label="Reasons"') : page.index('id="batches"')]


def test_the_workbook_agrees(result, folder):
    book = openpyxl.load_workbook(campaign.write_report(result, folder / "report.xlsx", by="Clinic"))
    assert book.sheetnames == [
        "Summary", "By Clinic", "Batches", "Messages", "Messages not in the table", "Contacts", "Issues",
        "Follow-up",
    ]  # fmt: skip
    summary = {row[0]: row[1] for row in book["Summary"].iter_rows(values_only=True)}
    names = ("accepted", "unknown", "refused", "not sent", "to correct", "sharing a phone", "opted out")
    assert [summary[name] for name in names] == [4, 1, 1, 1, 1, 1, 1]
    assert (summary["Cost, at least"], summary["all rows of the file"]) == (142, 11)
    contacts = sheet(book, "Contacts")
    assert contacts["status"].value_counts().to_dict() == EXPECTED
    assert contacts["why"].dropna().tolist() == result.contacts["why"][result.contacts["why"] != ""].tolist()
    assert sheet(book, "Messages")["status"].value_counts().to_dict() == {
        name: EXPECTED[name] for name in ("accepted", "not_sent", "refused", "unknown")
    }
    assert sheet(book, "Batches")["cost"].sum() == 142
    by = sheet(book, "By Clinic")
    assert {name: by[name].sum() for name in STATUSES} == EXPECTED
    assert by["cost_share"].sum() == 142
    statuses = [status.replace("_", " ") for status in result.follow_up(TO_FOLLOW_UP)["last status"]]
    assert sorted(statuses) == ["invalid", "refused", "sharing a phone", "unknown"]  # Fay shares
    _, head, *rows = book["Follow-up"].iter_rows(values_only=True)
    assert [row[head.index("last status")] for row in rows] == statuses
    cost = next(cell for row in book["Summary"].iter_rows() for cell in row if cell.value == 142)
    assert cost.number_format == '"UGX" #,##0.00'


def test_the_csv_agrees(result, folder):
    path = campaign.write_report(result, folder / "report.csv")
    with path.open(encoding="utf-8-sig", newline="") as file:
        statuses = pd.Series([row["status"] for row in csv.DictReader(file)])
    assert statuses.value_counts().to_dict() == EXPECTED


def test_the_shell_agrees(told, capsys):
    _, loaded, _ = told
    assert main(["status", str(loaded.folder), "--json"]) == 4
    facts = json.loads(capsys.readouterr().out)
    said = facts["result"]
    assert said["statuses"] == EXPECTED
    assert (said["rows"], said["people"], said["needing_attention"]) == (11, 10, 4)
    assert (said["cost"], said["unpriced_batches"], said["currency"]) == (142, 2, "UGX")
    assert (said["messages"], said["parts"], said["batches"]) == (7, 7, 8)
    by_round = [sum(one["statuses"].values()) for one in facts["rounds"]]
    assert by_round == [4, 4]
    assert main(["follow-up", str(loaded.folder), str(loaded.folder / "to_correct.csv"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == len(loaded.follow_up()) == 3


def test_history_agrees(result):
    (row,) = campaign.history(result.folder).to_dict("records")
    counts = {name: row[name] for name in ("accepted", "refused", "unknown", "waiting")}
    assert counts == {"accepted": 5, "refused": 1, "unknown": 1, "waiting": 1}  # of all rounds
    assert (row["cost"], row["unpriced"], row["currency"]) == (Decimal("142.0"), 2, "UGX")
    assert row["people"] == result.totals.people == result.by("Clinic")["people"].sum() == 10


def test_who_sent_what_and_how_is_told_of_both_rounds(result, folder):
    page = campaign.write_report(result, folder / "told.html").read_text("utf-8")
    who = sender_in_words(result.rounds[0].who)
    assert [one.template for one in result.rounds] == ["Hi {name}", "Hi {name}"]
    assert f"<dt>Sent by</dt><dd>{who}</dd>" in page
    assert "<dt>Text</dt><dd>Hi {name}</dd>" in page
    assert "<dt>From</dt><dd>CLINIC</dd>" in page
    assert '<p class="text">Hi Ann</p>' in page
    rounds = page[page.index('aria-label="Rounds"') : page.index('id="attention"')]
    assert re.findall(r"(?:<td class=\"figure\">\d+</td>)+", rounds) == [
        "".join(f'<td class="figure">{count}</td>' for count in counts)
        for counts in ((4, 4, 0, 0, 0), (4, 1, 1, 1, 1))  # messages, accepted, unknown, refused, not sent
    ]
