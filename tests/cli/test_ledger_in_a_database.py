"""`campaign send --ledger` with the address of a PostgreSQL database."""

from pathlib import Path

import pytest
from support.postgres_server import PASSWORD
from support.shell import refusal

from campaign.cli.main import main

SEND = ["send", "visits.csv", "--message", "Hi {name}", "--sender", "CLINIC", "--region", "UG", "--ledger"]


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A directory with a spreadsheet of three people."""
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"Person {n},0772 000 00{n}\n" for n in range(3))
    Path("visits.csv").write_text("name,phone\n" + rows)
    return tmp_path


def test_it_is_sent_listed_and_shown(desk, postgres_server, monkeypatch, capsys):
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    address = postgres_server.database().replace(f":{PASSWORD}", "")
    assert main([*SEND, address]) == 0
    assert main(["status", "campaigns/visits.local"]) == 0
    assert main(["history"]) == 0
    said = capsys.readouterr().out
    assert said.count("accepted for 3 of 3 people") == 2
    assert not Path("campaigns/visits.local/ledger.sqlite").exists()


def test_a_password_in_the_arguments_is_refused(desk, postgres_server, capsys):
    error = refusal(capsys, *SEND, postgres_server.database())
    assert error["code"] == "password_shown"
    assert "PGPASSWORD" in error["message"]
    assert PASSWORD not in str(error)
    assert not Path("campaigns").exists()
