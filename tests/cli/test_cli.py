"""The same verbs from a shell."""

import json
import os
import re
import ssl
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import openpyxl
import pytest
from support.shell import phrase_in, refusal, refused_code

import campaign
from campaign.cli.arguments import commands_of, parser
from campaign.cli.commands import COMMANDS
from campaign.cli.main import function_of, main

VISITS = """\
first_name,phone,visit_date
Aisha,0772000001,2026-03-02
Ben,0772000002,2026-03-03
Caro,077200000,2026-03-04
"""
TEXT = "Hi {first_name}, your visit is on {visit_date}."


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("visits.csv").write_text(VISITS)


def send_arguments(*more):
    return ["send", "visits.csv", "--message", TEXT, "--sender", "CLINIC", "--region", "UG", *more]


def the_folder():
    (folder,) = Path("campaigns").iterdir()
    return folder


def test_check_says_what_would_be_sent_and_sends_nothing(capsys):
    assert main(["check", *send_arguments()[1:]]) == 0
    said = capsys.readouterr().out
    assert "2 messages" in said
    assert "phone, row 4: " in said
    assert not Path("campaigns").exists()


def test_send_leaves_a_folder_with_a_report(capsys):
    assert main(send_arguments()) == 0
    said = capsys.readouterr().out
    assert "2  accepted" in said
    assert "cost 70" in said
    assert (the_folder() / "report.html").read_text("utf-8").startswith("<!doctype html>")
    assert "0772000001" not in said


def test_sending_again_sends_nothing(capsys):
    main(send_arguments())
    capsys.readouterr()
    assert main(send_arguments()) == 0
    assert "Nothing was left to send: 2 messages accepted on " in capsys.readouterr().out


def test_nothing_can_be_sent_because_of_issues():
    Path("visits.csv").write_text("first_name,phone,visit_date\nAisha,none,2026-03-02\n")
    assert main(send_arguments()) == 3
    assert main(["check", *send_arguments()[1:]]) == 3
    assert not Path("campaigns").exists()


def test_a_wrong_file_is_what_is_wrong_and_what_to_do(capsys):
    assert main(["check", "missing.xlsx", "--message", "Hi", "--sender", "CLINIC"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("campaign: ")
    assert said.count("\n") == 2
    assert "missing.xlsx" in said


def test_a_file_without_a_header(capsys):
    Path("visits.csv").write_text(VISITS.split("\n", 1)[1])
    said = ["check", "visits.csv", "--message", "Hi {column A}.", "--sender", "CLINIC", "--region", "UG"]
    assert refused_code(capsys, *said) == "header_absent"
    assert main([*said, "--no-header", "--number", "column B"]) == 0
    told = capsys.readouterr().out
    assert "2 messages" in told
    assert "column B, row 3: " in told


def test_a_wrong_placeholder_lists_the_columns(capsys):
    error = refusal(capsys, "check", "visits.csv", "--message", "Hi {nmae}", "--sender", "CLINIC")
    assert (error["code"], error["facts"]["placeholder"]) == ("placeholder_unknown", "{nmae}")
    assert "first_name" in error["message"]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["dance"],
        ["send", "visits.csv"],
        send_arguments("--overlong", "cut"),
        send_arguments("--header", "1", "--no-header"),
    ],
)
def test_wrong_usage(arguments, capsys):
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert said.err.startswith("usage: campaign")
    assert said.err.endswith(" --help.\n")
    assert said.out == ""


def test_live_is_never_reached_by_accident(monkeypatch, capsys):
    error = refusal(capsys, *send_arguments("--account", "live"))
    assert error["code"] == "variables_missing"
    assert "CAMPAIGN_LIVE_URL" in error["facts"]["variables"]
    monkeypatch.setenv("CAMPAIGN_LIVE_URL", "https://sms.example.com")
    monkeypatch.setenv("CAMPAIGN_LIVE_USERNAME", "clinic")
    monkeypatch.setenv("CAMPAIGN_LIVE_PASSWORD", "sesame-1234")
    assert main(send_arguments("--account", "live")) == 2
    said = capsys.readouterr()
    assert re.search(r'--confirm "send 2 messages live [0-9a-f]{4}"', said.err)
    assert "sesame" not in said.err + said.out


def test_report_writes_what_it_is_asked_for(capsys):
    main(send_arguments())
    assert main(["report", str(the_folder()), "out.xlsx", "out.csv", "--reveal"]) == 0
    capsys.readouterr()
    assert Path("out.xlsx").read_bytes().startswith(b"PK")
    assert "0772000001" in Path("out.csv").read_text("utf-8-sig")


def test_some_refused_and_then_resumed(capsys):
    with campaign.Sandbox(balance=35, password="sesame") as service:
        environment = {
            "CAMPAIGN_SANDBOX_URL": service.account.url,
            "CAMPAIGN_SANDBOX_USERNAME": "sandbox",
            "CAMPAIGN_SANDBOX_PASSWORD": "sesame",
        }
        with pytest.MonkeyPatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value)
            rows = "".join(f"Person {n},077200{n:04d},2026-03-02\n" for n in range(30))
            Path("visits.csv").write_text("first_name,phone,visit_date\n" + rows)
            slow = ["--account", "sandbox", "--batch-size", "10", "--concurrency", "1"]
            assert main(send_arguments(*slow)) == 4
            service._behaviour.balance += 10_000
            assert main(["resume", str(the_folder()), "--account", "sandbox"]) == 0
    said = capsys.readouterr().out
    assert "Top it up" in said
    assert "10  refused" in said
    assert "30  accepted" in said


def test_status_names_the_batches_that_are_unknown(interrupted_campaign, capsys):
    assert main(["status", str(interrupted_campaign)]) == 4
    said = capsys.readouterr().out
    assert "2  accepted" in said
    assert re.search(r"batch 2: 2 messages unknown\. \S", said)
    assert "batch 1" not in said


def test_a_batch_is_settled_and_the_rest_is_sent(interrupted_campaign, capsys):
    folder = str(interrupted_campaign)
    assert main(["resolve", folder, "2", "accepted"]) == 2
    phrase = phrase_in(capsys.readouterr().err)
    assert main(["resolve", folder, "2", "accepted", "--confirm", phrase, "--note", "asked them"]) == 4
    assert "Settled: batch 2." in capsys.readouterr().out
    assert main(["resume", folder, "--report", "rest.html"]) == 0
    said = capsys.readouterr().out
    assert "10  accepted" in said
    assert "Report: rest.html" in said
    assert Path("rest.html").is_file()
    assert main(["status", folder]) == 0


def test_one_message_to_myself(capsys):
    assert main(["try-out", *send_arguments("--to", "0772 000 999", "--row", "3")[1:]]) == 0
    said = capsys.readouterr().out
    assert "Hi Ben, your visit is on 2026-03-03." in said
    assert "Hi%20Ben%2C%20your" in said
    assert "0772000999" not in said


def test_python_m_campaign_is_the_same():
    said = subprocess.run(
        [sys.executable, "-m", "campaign", "--help"], capture_output=True, text=True, check=True, cwd="."
    ).stdout
    assert all(verb in said for verb in ("check", "send", "resume", "report", "sandbox"))


@pytest.mark.parametrize("arguments", [["--help"], ["send", "--help"], ["snd"], ["send", "visits.csv"], []])
def test_help_and_wrong_usage_answer_without_loading_anything_heavy(arguments):
    code = (
        "import sys\n"
        "from campaign.cli.main import main\n"
        f"main({arguments})\n"
        "print(sorted({'pandas', 'pyarrow', 'numpy', 'aiohttp', 'asyncio'} & sys.modules.keys()))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines()[-1] == "[]"
    assert "usage: " in ended.stdout + ended.stderr


def test_checking_a_file_loads_no_network_and_collects_garbage_once_it_has_loaded():
    code = (
        "import gc, sys\n"
        "from campaign.cli.main import main\n"
        f"sys.argv[1:] = {['check', *send_arguments()[1:]]}\n"
        "assert main() == 0\n"
        "print(sorted({'aiohttp', 'sqlite3'} & sys.modules.keys()))\n"
        "print(gc.isenabled(), gc.get_freeze_count() > 0, gc.get_threshold()[0])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines()[-2:] == ["[]", "True True 10000"]


def test_a_campaign_that_goes_well_looks_for_no_names_that_may_be_meant():
    code = (
        "import sys\n"
        "from campaign.cli.main import main\n"
        f"assert main({send_arguments()}) == 0\n"
        "print('difflib' in sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines()[-1] == "False"


def test_every_command_has_its_function():
    assert set(commands_of(parser())) == set(COMMANDS)
    assert all(callable(function_of(name)) for name in COMMANDS)


def test_every_option_says_what_it_does():
    options = [action for command in commands_of(parser()).values() for action in command._actions]
    assert len(options) > 60
    assert [action.dest for action in options if not action.help] == []


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("texst.txt", {"reason": "no such file", "suggestion": "text.txt"}),
        ("other.md", {"reason": "no such file", "suggestion": ""}),
        ("latin.txt", {"reason": "not UTF-8 text"}),
        (".", {"reason": "Permission denied" if os.name == "nt" else "Is a directory"}),
        ("x\0y", {"reason": "impossible name"}),
    ],
)
def test_a_message_file_that_cannot_be_read(name, facts, capsys):
    Path("text.txt").write_text("Hi {first_name}")
    Path("latin.txt").write_bytes(b"Caf\xe9 {first_name}")
    arguments = ["check", "visits.csv", "--message-file", name, "--sender", "CLINIC", "--region", "UG"]
    error = refusal(capsys, *arguments)
    assert error["code"] == "text_file_unreadable"
    assert {name: error["facts"][name] for name in facts} == facts


def test_a_message_file_is_read_as_it_is(capsys):
    Path("text.txt").write_bytes("\ufeffHi {first_name}, à bientôt\n".encode())
    given = ["--message-file", "text.txt", "--sender", "CLINIC", "--region", "UG"]
    assert main(["check", "visits.csv", *given]) == 0
    assert "2 messages in 2 parts, at most 19 characters" in capsys.readouterr().out


def test_a_file_without_a_message_says_so(capsys):
    Path("visits.csv").write_text("first_name,phone,visit_date\nAisha,none,2026-03-02\n")
    assert main(["check", *send_arguments()[1:]]) == 3
    said = capsys.readouterr().out
    assert "no messages" in said
    assert "phone, row 2: " in said


def test_sandbox_serves_other_programs():
    command = [sys.executable, "-u", "-m", "campaign", "sandbox", "--port", "0", "--fault", "2=throttle"]
    environment = {**os.environ, "CAMPAIGN_LOCAL_PASSWORD": "sesame"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as service:
        try:
            said = [service.stdout.readline() for _ in range(5)]
            address = said[2].split()[1]
            body = {
                "method": "SendSms",
                "userdata": {"username": "sandbox", "password": "sesame"},
                "msgdata": [{"number": "256772000001", "message": "Hi%20there", "senderid": "CLINIC"}],
            }
            request = urllib.request.Request(
                address, json.dumps(body).encode(), {"Content-Type": "application/json"}
            )
            with urllib.request.urlopen(request, timeout=10) as answer:
                assert json.load(answer)["Status"] == "OK"
            with pytest.raises(urllib.error.HTTPError) as second:
                urllib.request.urlopen(request, timeout=10)
            second.value.close()
            assert second.value.code == 429
        finally:
            service.terminate()
    assert said[0].startswith("SANDBOX: nothing is sent")
    assert "sesame" not in "".join(said)


def test_sandbox_serves_tls_to_programs_that_trust_its_file():
    command = [sys.executable, "-u", "-m", "campaign", "sandbox", "--port", "0", "--tls"]
    environment = {**os.environ, "CAMPAIGN_LOCAL_PASSWORD": "sesame"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as service:
        try:
            shown = dict(service.stdout.readline().split(maxsplit=1) for _ in range(5))
            ca_file = Path(shown["ca"].removeprefix("file").strip())
            assert shown["address"].startswith("https://127.0.0.1:")
            trusting = ssl.create_default_context(cafile=ca_file)
            request = urllib.request.Request(shown["address"].strip(), b"{}")
            with urllib.request.urlopen(request, timeout=10, context=trusting) as answer:
                assert json.load(answer)["Message"] == "Either Username or Password Not Set"
        finally:
            service.terminate()
    assert not ca_file.exists()  # a service manager's signal ends it as Ctrl-C does


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--fault", "three=html"], "wrong_usage"),
        (["--fault", "3=flood"], "wrong_choice"),
        (["--random-fault", "html=often"], "wrong_usage"),
        (["--random-fault", "html=2"], "wrong_value"),
        (["--decode", "twice"], "wrong_choice"),
    ],
)
def test_a_sandbox_that_cannot_be_is_refused(options, code, capsys):
    assert refused_code(capsys, "sandbox", "--port", "0", *options) == code


def test_no_bar_is_drawn_into_a_file(capsys):
    main(send_arguments())
    assert "msg/s" not in capsys.readouterr().err


def test_a_placeholder_of_another_tool_stops_the_command_unless_it_is_meant(capsys):
    arguments = [
        "check",
        "visits.csv",
        "--message",
        "Hi {{first_name}}",
        "--sender",
        "CLINIC",
        "--region",
        "UG",
    ]
    assert main(arguments) != 0
    assert "--as-written" in capsys.readouterr().err
    assert main([*arguments, "--as-written"]) == 0


def test_a_report_has_the_outcome_for_the_values_of_a_column(capsys):
    assert main(send_arguments("--report", "days.html", "--by", "visit_date")) == 0
    assert "2026-03-03" in Path("days.html").read_text("utf-8")
    assert (
        main(["report", "campaigns/visits.local", "days.xlsx", "--by", "Visit date", "--by", "first_name"])
        == 0
    )
    sheets = openpyxl.load_workbook("days.xlsx").sheetnames
    assert len([name for name in sheets if "visit_date" in name or "first_name" in name]) == 2


@pytest.mark.parametrize("command", ["send", "resume", "report"])
def test_a_column_that_does_not_exist_is_refused_before_anything_is_sent(command, capsys):
    if command != "send":
        main(send_arguments("--pilot", "1"))
    before = sorted(Path.cwd().rglob("*"))
    arguments = send_arguments() if command == "send" else [command, "campaigns/visits.local"]
    assert main([*arguments, "--by", "visit_day"]) == 2
    assert "There is no column 'visit_day'." in capsys.readouterr().err
    assert sorted(Path.cwd().rglob("*")) == before


def test_a_message_that_looks_like_an_argument_is_shown_as_it_is(capsys):
    text = 'Hi {first_name}, reply region="UG" or name=.'
    arguments = ["visits.csv", "--message", text, "--sender", "CLINIC", "--region", "UG"]
    assert main(["try-out", *arguments, "--to", "0772 000 999"]) == 0
    assert 'CLINIC: Hi Aisha, reply region="UG" or name=.' in capsys.readouterr().out
    main(["send", *arguments])
    capsys.readouterr()
    assert main(["history"]) == 0
    assert f"from CLINIC: {text}" in capsys.readouterr().out
