"""From a shell, once a campaign was sent: reconcile, close, follow-up, history."""

import re
from pathlib import Path

import pytest
from support.shell import phrase_in, refusal, refused_code
from support.small_campaigns import contacts_of, people, plan_for

import campaign
from campaign.cli.main import main

OTHERS = "0772000900,Another campaign,2026-01-01 09:00Z\n0772000901,Another campaign,2126-01-01 09:00Z\n"
TOOK = "".join(f"25677200000{n},Hi Person {n},2126-01-01 08:00Z\n" for n in (0, 1, 2, 3))

REHEARSAL = "rehearsal in the embedded sandbox: nobody got anything"


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def send(contacts, sandbox=None, folder="visits"):
    campaign.send(
        plan_for(contacts), account=sandbox, folder=folder, batch_size=2, concurrency=1, canary=False,
        progress=False,
    )  # fmt: skip
    return folder


def told(capsys):
    """What was printed since the last look; numbers are never shown in full."""
    said = capsys.readouterr()
    assert "772000" not in said.out + said.err
    return said.out + said.err


def test_reconciling_shows_what_the_list_says_and_then_settles_it(interrupted_campaign, capsys):
    """Batch 2 of ten people is unknown, and the provider has both of its messages."""
    Path("provider.csv").write_text(f"Number,Text,Time\n{TOOK}")
    assert main(["reconcile", str(interrupted_campaign), "provider.csv"]) == 4
    said = told(capsys)
    assert "Batch 2 (2 messages): the list has all." in said
    phrase = phrase_in(said)
    assert campaign.load_result(interrupted_campaign).totals["unknown"] == 2
    arguments = ["reconcile", str(interrupted_campaign), "provider.csv", "--confirm"]
    assert main([*arguments, "settle it"]) == 2
    assert phrase_in(told(capsys)) == phrase
    assert main([*arguments, phrase]) == 4  # six still wait
    said = told(capsys)
    assert "What is certain is settled." in said
    assert "4  accepted" in said


def test_people_of_a_batch_that_stays_unknown_are_listed_masked(interrupted_campaign, capsys):
    """The list has one of the two, and none of the first batch."""
    Path("provider.csv").write_text(f"Who,What,When\n{TOOK.splitlines()[2]}\n{OTHERS}")
    columns = ["--number", "Who", "--text", "What", "--time", "When"]
    error = refusal(capsys, "reconcile", str(interrupted_campaign), "provider.csv")
    assert error["code"] == "list_column_missing"
    assert "--number" in error["message"]
    assert main(["reconcile", str(interrupted_campaign), "provider.csv", *columns]) == 4
    said = told(capsys)
    assert "Batch 2 (2 messages): the list does not settle that, it has 1." in said
    assert re.search(r"batch 2, row 4, 25677\*+02: in the list", said)
    assert re.search(r"batch 2, row 5, 25677\*+03: not in the list", said)
    assert "--confirm" not in said


def test_nothing_unknown_is_nothing_to_settle(sandbox, capsys):
    folder = send(people(2), sandbox)
    Path("provider.csv").write_text(f"Number,Text,Time\n{TOOK}")
    assert main(["reconcile", folder, "provider.csv"]) == 0
    assert "No batch is unknown." in told(capsys)


def test_a_list_or_a_folder_that_is_not_there(interrupted_campaign, capsys):
    error = refusal(capsys, "reconcile", str(interrupted_campaign), "provider.csv")
    assert (error["code"], error["facts"]["cause"]["code"]) == ("list_unreadable", "file_missing")
    assert refused_code(capsys, "reconcile", "nowhere", "provider.csv") == "no_campaign"


def test_closing_asks_for_its_phrase_and_nothing_waits_afterwards(interrupted_campaign, capsys):
    assert main(["close", str(interrupted_campaign)]) == 2
    phrase = phrase_in(told(capsys))
    assert phrase == "close with 6 messages not sent"
    assert main(["close", str(interrupted_campaign), "--confirm", phrase]) == 4
    assert "6  withdrawn" in told(capsys)
    assert main(["resume", str(interrupted_campaign)]) == 4
    assert "Nothing was left to send" in told(capsys)


def test_erasing_asks_for_its_phrase_and_no_name_is_left_afterwards(sandbox, capsys):
    folder = send(people(3), sandbox)
    assert main(["erase", folder]) == 2
    phrase = phrase_in(told(capsys))
    assert phrase == f"erase 3 people of {Path(folder).name}"
    assert main(["erase", folder, "--confirm", phrase]) == 0
    assert "The campaign is erased" in told(capsys)
    assert not list(Path(folder).rglob("*.parquet"))
    assert main(["erase", folder]) == 0
    assert refused_code(capsys, "follow-up", folder, "to_correct.csv") == "erased_before"


def test_where_nothing_waits_closing_needs_no_phrase(sandbox, capsys):
    assert main(["close", send(people(2), sandbox)]) == 0
    assert "closed" in told(capsys)


@pytest.mark.parametrize("path", ["to_correct.xlsx", "to_correct.ods", "to_correct.csv"])
@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ([], "no rows to correct"),
        (["Nobody,12"], "1 row to correct"),
        (["No,12", "One,13"], "2 rows to correct"),
    ],
)
def test_the_rows_to_correct_are_written_to_a_file(sandbox, capsys, path, wrong, words):
    folder = send(contacts_of("Aisha,0772 000 001", *wrong), sandbox)
    assert main(["follow-up", folder, path]) == 0
    said = told(capsys)
    assert f"{words}: {path}" in said
    assert "written in full" in said
    assert len(campaign.read_contacts(path)) == len(wrong)


def test_rows_of_other_statuses_are_written_on_request(interrupted_campaign, capsys):
    folder = str(interrupted_campaign)
    assert main(["follow-up", folder, "rest.csv", "--status", "not_sent", "--status", "unknown"]) == 0
    assert "8 rows to correct (6 not sent and 2 unknown): rest.csv" in told(capsys)
    assert refused_code(capsys, "follow-up", folder, "rest.csv", "--status", "waiting") == "wrong_usage"
    assert refused_code(capsys, "follow-up", folder, "rest.pdf") == "wrong_ending"


def test_no_one_and_many_campaigns_are_listed(capsys):
    Path("campaigns").mkdir()
    assert main(["history"]) == 0
    assert told(capsys) == "no campaigns in campaigns\n"
    send(people(1), folder="campaigns/thanks")
    assert main(["history"]) == 0
    said = told(capsys)
    assert said.startswith(f"1 campaign in campaigns\n\nthanks ({REHEARSAL}), finished\n  sent on ")
    assert (
        "), 1 message accepted, cost 35 (made up)\n  1 person in the last table\n"
        "  from CLINIC: Hi {name}\n" in said
    )
    with campaign.Sandbox(faults={2: "accept_reset"}) as sandbox:
        send(people(10), sandbox, "campaigns/visits")
    Path("campaigns/thanks/ledger.sqlite").unlink()
    assert main(["history", "campaigns"]) == 0
    said = told(capsys)
    assert said.startswith(f"2 campaigns in campaigns\n\nvisits ({REHEARSAL})")
    assert "  10 people in the last table, 2 unknown, 6 waiting\n" in said
    assert f"thanks ({REHEARSAL})\n  cannot be read: There is no ledger at" in said


def test_a_place_without_campaigns(capsys):
    assert refused_code(capsys, "history") == "no_campaigns"


def test_a_report_of_all_campaigns(capsys):
    send(people(1), folder="campaigns/thanks")
    assert refused_code(capsys, "history", "--report", "nowhere/all.html") == "file_not_writable"
    assert main(["history", "--report", "all.html", "--report", "all.xlsx"]) == 0
    assert told(capsys).endswith("\nReport: all.html\nReport: all.xlsx\n")
    assert "thanks" in Path("all.html").read_text("utf-8")
