"""`--json`: one object on standard output, the same keys however it ends, figures as numbers."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.small_campaigns import people, plan_for

import campaign
from campaign.cli.commands import COMMANDS
from campaign.cli.main import main

ROOT = Path(__file__).parents[2]
VISITS = "name,phone\nAisha,0772 000 001\nBen,0772 000 002\nCaro,077200000\nDan,0772 000 001\n"
PLAN = ["visits.csv", "--message", "Hi {name}", "--sender", "CLINIC", "--region", "UG"]
ALWAYS = {"command", "exit_code", "error", "warnings"}


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("visits.csv").write_text(VISITS)


@pytest.fixture
def told(capsys):
    """Runs a command with --json: its object, whose exit code is that of the command."""

    def run(*arguments):
        code = main([*arguments, "--json"])
        output = capsys.readouterr().out
        assert output.count("\n") == 1
        facts = json.loads(output)
        assert facts["exit_code"] == code
        if facts["command"] is not None:
            assert set(facts) == ALWAYS | set(COMMANDS[facts["command"]].facts)
        assert "772000" not in output
        return facts

    return run


def test_a_check_has_the_plan_the_issues_and_the_comparison(told):
    facts = told("check", *PLAN)
    issues = facts["plan"].pop("issues")
    fingerprint = facts["plan"].pop("fingerprint")
    assert facts == {
        "command": "check", "exit_code": 0, "error": None, "warnings": [], "comparison": None, "reports": [],
        "plan": {
            "source": "visits.csv", "notices": [], "rows": 4, "messages": 2, "parts": 2, "longest": 8,
            "countries": {"UG": 2}, "warnings": [],
            "statuses": {
                "invalid": 1, "blank": 0, "duplicate": 1, "opted_out": 0, "not_sent": 2, "accepted": 0,
                "refused": 0, "unknown": 0,
            },
        },
    }  # fmt: skip
    assert re.fullmatch("[0-9a-f]{64}", fingerprint)
    assert [(issue["row"], issue["column"], issue["code"]) for issue in issues] == [
        (4, "phone", "too_short"), (5, "phone", "shared_phone"),
    ]  # fmt: skip


def test_send_status_and_history_agree_with_the_result(told):
    sent = told("send", *PLAN)
    result = campaign.load_result("campaigns/visits.local")
    assert sent["result"]["statuses"] == dict(result.totals)
    assert sent["result"]["cost"] == 70 == result.totals.cost
    assert sent["reports"] == [str(Path.cwd() / "campaigns/visits.local/report.html")]
    status = told("status", "campaigns/visits.local")
    assert status["result"] == sent["result"]
    (only_round,) = status["rounds"]
    assert (only_round["round"], only_round["statuses"]) == (1, {"accepted": 2})
    (listed,) = told("history")["campaigns"]
    assert (listed["name"], listed["accepted"], listed["cost"]) == ("visits", 2, 70)
    assert listed["last_sent"].endswith("+00:00")

    again = told("send", *PLAN, "--dry-run")
    assert again["comparison"]["recorded"]["accepted"] == 2
    assert again["comparison"]["outgoing"] == 0
    assert again["confirm"] is None
    assert again["result"] is None


def test_an_error_is_an_object_too(told, capsys):
    facts = told("check", "missing.csv", *PLAN[1:])
    assert set(facts["error"]) == {"code", "severity", "facts", "kind", "message"}
    assert (facts["error"]["kind"], facts["error"]["code"]) == ("FileError", "file_missing")
    assert facts["error"]["facts"]["file"] == "missing.csv"
    assert "missing.csv" in facts["error"]["message"]
    assert facts["plan"] is None
    main(["check", "missing.csv", *PLAN[1:], "--json"])
    assert "missing.csv" in capsys.readouterr().err  # for the mail of a cron job


@pytest.mark.parametrize("arguments", [["sned"], ["send"], []])
def test_wrong_usage_is_an_object_too(told, arguments):
    facts = told(*arguments)
    assert (facts["command"], facts["exit_code"], facts["error"]["kind"]) == (None, 2, "WrongUsage")


def test_nothing_that_can_be_sent(told):
    Path("visits.csv").write_text("name,phone\nAisha,none\n")
    facts = told("send", *PLAN)
    assert facts["exit_code"] == 3
    assert facts["plan"]["messages"] == 0
    assert len(facts["plan"]["issues"]) == 1


def test_the_phrase_that_is_asked_for_is_a_fact_of_its_own(told, interrupted_campaign):
    folder = str(interrupted_campaign)
    asked = told("resolve", folder, "2", "accepted")
    assert asked["confirm"] == "batch 2 was accepted"
    assert asked["error"]["kind"] == "ConfirmationError"
    settled = told("resolve", folder, "2", "accepted", "--confirm", asked["confirm"])
    assert settled["exit_code"] == 4
    assert settled["result"]["statuses"]["accepted"] == 4
    closed = told("close", folder, "--confirm", told("close", folder)["confirm"])
    assert closed["result"]["statuses"]["not_sent"] == 6


def test_unknown_batches_and_what_the_provider_says_of_them(told, interrupted_campaign):
    folder = str(interrupted_campaign)
    came = campaign.load_result(folder).batches.iloc[1]
    unknown = {"batch": 2, "messages": 2, "code": "connection_broke", "error": came["error"]}
    assert told("status", folder)["unknown"] == [unknown | {"facts": json.loads(came["facts"])}]
    assert json.loads(came["facts"])["failure"]
    Path("provider.csv").write_text(
        "Number,Text,Time\n"
        + "".join(f"25677200000{n},Hi Person {n},2126-01-01 08:00Z\n" for n in (0, 1, 2, 3))
    )
    compared = told("reconcile", folder, "provider.csv")
    assert compared["reconciliation"]["batches"][0]["verdict"] == "all"
    settled = told("reconcile", folder, "provider.csv", "--confirm", compared["confirm"])
    assert settled["result"]["statuses"]["unknown"] == 0


def test_the_other_commands(told):
    campaign.send(plan_for(people(2)), folder="done", progress=False)
    assert told("follow-up", "done", "rows.csv") | {"path": "", "rows": 0} == {
        "command": "follow-up", "exit_code": 0, "error": None, "warnings": [], "rows": 0, "path": "",
    }  # fmt: skip
    assert told("report", "done", "done.csv")["reports"] == ["done.csv"]
    assert told("resume", "done")["result"]["statuses"]["accepted"] == 2
    tried = told("try-out", *PLAN, "--to", "0772 000 099")
    assert tried["message"] == "Hi Aisha"
    assert told("erase", "done", "--confirm", "erase 2 people of done")["exit_code"] == 0
    assert "campaign" in told("completion", "fish")["script"]


def test_the_sandbox_says_where_it_is_before_it_waits():
    command = [sys.executable, "-m", "campaign", "sandbox", "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, stderr=subprocess.PIPE) as service:
        try:
            facts = json.loads(service.stdout.readline())
        finally:
            service.terminate()
            rest, errors = service.communicate()
    assert facts["address"].startswith("http://127.0.0.1:")
    assert (facts["username"], len(facts["password"])) == ("sandbox", 16)
    assert rest == ""
    assert errors == "0 accepted, 0 charged\n"


def test_the_page_of_the_shell_names_every_key():
    """And no other."""
    table = (ROOT / "docs" / "cli.md").read_text("utf-8").split("| key of `--json` |")[1].split("\n\n")[0]
    named = set(re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", table, re.M))
    keys = {key for keys in named for key in re.findall(r"`(\w+)`", keys)}
    assert keys == ALWAYS | {key for command in COMMANDS.values() for key in command.facts}
