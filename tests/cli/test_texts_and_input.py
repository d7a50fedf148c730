"""Where the text and the table come from: files by language, standard input."""

import io
import sys
from pathlib import Path

import pytest

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
    assert "1 row that cannot be sent: campaign check says why." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--message-file", "en=en.txt", "--message-file", "lg=lg.txt"], "give --language and write each"),
        (["--language", "language", "--message-file", "en.txt"], "With --language, each text needs"),
        ([*BY_LANGUAGE, "--message-file", "en=lg.txt"], "Two texts are for the same language."),
        (["--language", "lang", "--message-file", "en=en.txt"], "lang"),
        (["--language", "language", "--message", "Hi"], "--message-file en=FILE --message-file fr=FILE"),
        (["--message-file", "-", "--message-file", "en.txt"], "give --language"),
    ],
)
def test_languages_and_files_belong_together(arguments, words, capsys):
    assert main(["check", "visits.csv", *arguments, *TO]) == 2
    assert words in capsys.readouterr().err


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
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert "With --stream, the file is read in parts" in said
    assert said.rstrip().endswith("or leave out --stream.")


def test_live_asks_for_the_name_of_a_table_on_standard_input(monkeypatch, capsys):
    type_in(VISITS.encode(), monkeypatch)
    assert main(["check", "-", "--message", "Hi {name}", "--account", "live", *TO]) == 2
    assert "Give it one, for example --name visits." in capsys.readouterr().err


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
    assert main(["check", "-", "--message-file", "-", *TO]) == 2
    assert "Only one file can be read from standard input." in capsys.readouterr().err


def test_the_path_of_a_file_as_text_names_the_option(capsys):
    assert main(["check", "visits.csv", "--message", "en.txt", *TO]) == 2
    assert "with --message-file FILE, or use --as-written" in capsys.readouterr().err


def test_kinds_of_numbers_are_words_with_commas(capsys):
    Path("visits.csv").write_text("name,phone\nShop,+442079460958\nAisha,+447700900001\n")
    arguments = ["check", "visits.csv", "--message", "Hi {name}", "--sender", "CLINIC"]
    assert main(arguments) == 0
    assert 'To send to it anyway, add "fixed" to --kinds.' in capsys.readouterr().out
    assert main([*arguments, "--kinds", "mobile,fixed"]) == 0
    assert "2 messages" in capsys.readouterr().out
    assert main([*arguments, "--kinds", "mobiles"]) == 2
    assert "mobile" in capsys.readouterr().err
