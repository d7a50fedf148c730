"""Several programs send one campaign from a shell: released, ordered about, shown, sent."""

import json
import os

import pytest
from support.broken_output import main_into
from support.postgres_server import PASSWORD
from support.shell import refusal

import campaign
from campaign.cli.main import main

VISITS = "name,phone\n" + "".join(f"Person {n},0772 000 {n:03}\n" for n in range(7))
RELEASE = (
    "send", "visits.csv", "--message", "Hi {name}", "--sender", "CLINIC", "--region", "UG", "--release",
)  # fmt: skip
FOLDER = "campaigns/visits.local"


@pytest.fixture(autouse=True)
def _desk(tmp_path, monkeypatch, postgres_server):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    (tmp_path / "visits.csv").write_text(VISITS)


@pytest.fixture
def ledger(postgres_server):
    """The address of an empty database, without its password."""
    return postgres_server.database().replace(f":{PASSWORD}", "")


def test_released_paused_resumed_and_sent(capsys, ledger):
    assert main([*RELEASE, "--ledger", ledger]) == 0
    said = capsys.readouterr().out
    assert "Released: 7 messages wait for workers. Nothing was sent yet." in said
    assert "On each machine: campaign worker campaigns/visits.local" in said
    assert main(["status", FOLDER]) == 4
    said = capsys.readouterr().out
    assert "7  waiting for workers" in said
    assert main(["order", FOLDER, "pause", "--note", "lunch"]) == 0
    capsys.readouterr()
    assert main(["worker", FOLDER, "--when-paused", "end"]) == 4
    said = capsys.readouterr().out
    assert said.startswith("0 accepted, 0 refused, 0 unknown, 7 waiting\n")
    assert "lunch" in said
    assert main(["status", FOLDER]) == 4
    said = capsys.readouterr().out
    assert "lunch" in said
    assert main(["order", FOLDER, "resume"]) == 0
    assert main(["worker", FOLDER]) == 0
    assert "7 accepted, 0 refused, 0 unknown, 0 waiting\n" in capsys.readouterr().out
    assert main(["status", FOLDER]) == 0


def test_what_programs_are_told(capsys, ledger):
    def told(*arguments):
        code = main([*arguments, "--json"])
        facts = json.loads(capsys.readouterr().out)
        assert facts["exit_code"] == code
        return facts

    assert told(*RELEASE, "--ledger", ledger)["release"]["parts"] == 1
    assert told("order", FOLDER, "stop")["workers"] == []
    assert told("worker", FOLDER)["worker"]["status"] == "stopped"
    refused = told("order", FOLDER, "resume")
    assert (refused["exit_code"], refused["error"]["kind"]) == (2, "UsageError")
    assert told("release", FOLDER, "--rate", "500")["release"]["messages"] == 7
    worker = told("worker", FOLDER, "--part", "0")["worker"]
    assert (worker["accepted"], worker["waiting"], worker["status"]) == (7, 0, "finished")


def test_a_file_cannot_be_shared(capsys):
    error = refusal(capsys, *RELEASE)
    assert error["code"] == "ledger_not_shared"
    assert "--ledger postgresql+psycopg://" in error["message"]


@pytest.mark.skipif(os.name == "nt", reason="its pipes and disks differ")
@pytest.mark.parametrize("place", ["full", "left"])
def test_a_command_does_its_work_when_nobody_can_read_what_it_says(place, capsys, ledger):
    code = 4 if place == "full" else 0
    assert main_into(place, [*RELEASE, "--ledger", ledger]) == code
    assert main_into(place, ["release", FOLDER]) == code
    assert main_into(place, ["order", FOLDER, "pause"]) == code
    assert main_into(place, ["order", FOLDER, "resume"]) == code
    assert main_into(place, ["worker", FOLDER]) == code
    assert "Traceback" not in capsys.readouterr().err
    assert campaign.load_result(FOLDER).totals["accepted"] == 7
