"""Where the text and the table come from: files by language, standard input."""

import io
import sys
from pathlib import Path

import pytest
from support.shell import refusal, refused_code

import campaign
from campaign.cli.main import main

VISITS = "name,phone,language\nAisha,0772 000 001,en\nBen,0772 000 002,lg\nCaro,0772 000 003,sw\n"
TO = ["--sender", "CLINIC", "--region", "UG"]
BY_LANGUAGE = ["--language", "language", "--message-file", "en=en.txt", "--message-file", "lg=lg.txt"]


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("visits.csv").write_text(VISITS)
    Path("en.txt").write_text("Hi {name}\n")
    Path("lg.txt").write_text("Gyebale {name}\n")


def type_in(content, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def texts(folder):
    messages = campaign.load_result(folder).messages
    return dict(zip(messages["number"].str[-3:], messages["message"], strict=True))


def test_each_language_has_its_file(capsys):
    assert main(["send", "visits.csv", *BY_LANGUAGE, *TO]) == 0
    assert texts("campaigns/visits.local") == {"001": "Hi Aisha", "002": "Gyebale Ben"}


@pytest.mark.parametrize(
    "arguments",
    [
        ["--message-file", "en=en.txt", "--message-file", "lg=lg.txt"],
        ["--language", "language", "--message-file", "en.txt"],
        [*BY_LANGUAGE, "--message-file", "en=lg.txt"],
        ["--message-file", "-", "--message-file", "en.txt"],
    ],
)
def test_languages_and_files_belong_together(arguments, capsys):
    assert refused_code(capsys, "check", "visits.csv", *arguments, *TO) == "text_without_language"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--language", "lang", "--message-file", "en=en.txt"], "column_missing"),
        (["--language", "language", "--message", "Hi"], "languages_incomplete"),
    ],
)
def test_a_column_of_languages_is_there_and_has_texts(arguments, code, capsys):
    assert refused_code(capsys, "check", "visits.csv", *arguments, *TO) == code


def test_a_table_on_standard_input_is_sent_under_a_name(monkeypatch, capsys):
    type_in(VISITS.encode(), monkeypatch)
    assert main(["send", "-", "--name", "visits", "--message", "Hi {name}", *TO]) == 0
    assert len(texts("campaigns/visits.local")) == 3
    capsys.readouterr()
    type_in(VISITS.encode(), monkeypatch)
    assert main(["send", "-", "--name", "visits", "--message", "Hi {name}", *TO]) == 0
    assert "Nothing was left to send: 3 messages accepted" in capsys.readouterr().out


def test_a_workbook_on_standard_input(monkeypatch, capsys):
    import pandas as pd

    pd.read_csv("visits.csv", dtype=str).to_excel("visits.xlsx", index=False)
    type_in(Path("visits.xlsx").read_bytes(), monkeypatch)
    assert main(["check", "-", "--message", "Hi {name}", *TO]) == 0
    assert "3 messages" in capsys.readouterr().out


def test_a_table_is_sent_in_parts(monkeypatch, capsys):
    monkeypatch.setattr("campaign.messages.draft.BLOCK", 2)
    assert main(["send", "visits.csv", "--name", "whole", "--message", "Hi {name}", *TO]) == 0
    whole = capsys.readouterr().out
    assert main(["send", "visits.csv", "--stream", "--name", "parts", "--message", "Hi {name}", *TO]) == 0
    assert capsys.readouterr().out == whole.replace("whole", "parts")
    plans = [campaign.load_result(f"campaigns/{name}.local").plan for name in ("whole", "parts")]
    assert [plan.is_in_memory for plan in plans] == [True, False]
    assert plans[0].fingerprint == plans[1].fingerprint


def test_what_is_read_in_parts_is_read_as_it_is_found(capsys):
    arguments = ["check", "visits.csv", "--stream", "--delimiter", ",", "--message", "Hi {name}", *TO]
    assert refused_code(capsys, *arguments) == "options_conflict"


def test_live_asks_for_the_name_of_a_table_on_standard_input(monkeypatch, capsys):
    type_in(VISITS.encode(), monkeypatch)
    arguments = ["check", "-", "--message", "Hi {name}", "--account", "live", *TO]
    assert refused_code(capsys, *arguments) == "campaign_name_missing"


def test_a_text_on_standard_input(monkeypatch):
    type_in("\ufeffHi {name}, à bientôt\r\n".encode(), monkeypatch)
    assert main(["send", "visits.csv", "--message-file", "-", *TO]) == 0
    assert texts("campaigns/visits.local")["001"] == "Hi Aisha, à bientôt"


def test_a_text_of_one_language_on_standard_input(monkeypatch):
    type_in(b"Habari {name}\n", monkeypatch)
    assert main(["send", "visits.csv", *BY_LANGUAGE, "--message-file", "sw=-", *TO]) == 0
    assert texts("campaigns/visits.local")["003"] == "Habari Caro"


def test_only_one_thing_comes_from_standard_input(monkeypatch, capsys):
    type_in(VISITS.encode(), monkeypatch)
    assert refused_code(capsys, "check", "-", "--message-file", "-", *TO) == "input_twice"


def test_the_path_of_a_file_as_text_names_the_option(capsys):
    error = refusal(capsys, "check", "visits.csv", "--message", "en.txt", *TO)
    assert (error["code"], error["facts"]["path"]) == ("text_is_path", "en.txt")
    assert "--message-file" in error["message"]


def test_kinds_of_numbers_are_words_with_commas(capsys):
    Path("visits.csv").write_text("name,phone\nShop,+442079460958\nAisha,+447700900001\n")
    arguments = ["check", "visits.csv", "--message", "Hi {name}", "--sender", "CLINIC"]
    assert main(arguments) == 0
    assert "add fixed to --kinds" in capsys.readouterr().out
    assert main([*arguments, "--kinds", "mobile,fixed"]) == 0
    assert "2 messages" in capsys.readouterr().out
    assert refused_code(capsys, *arguments, "--kinds", "mobiles") == "wrong_choice"
