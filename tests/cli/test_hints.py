"""What the shell says when something is nearly right."""

import campaign
from campaign.cli.main import main

SENT = ["--message", "Hi {name}", "--sender", "CLINIC", "--region", "UG"]


def complaint(capsys, *words):
    capsys.readouterr()
    assert main([*words]) == 2
    return capsys.readouterr().err


def visits(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "visits.csv").write_text("name,phone\nAnn,0772000001\n")


def test_what_has_its_place_needs_no_option(capsys):
    shown = complaint(capsys, "report", "campaigns/visits", "--report", "visits.html")
    assert shown.startswith("usage: campaign report FOLDER [FILE …] [options]\n")
    assert "there is no --report" in shown
    assert "Did you mean --reveal?" in complaint(capsys, "report", "campaigns/visits", "--revael")


def test_a_campaign_is_suggested_where_a_name_was_given(tmp_path, monkeypatch, capsys):
    visits(tmp_path, monkeypatch)
    assert main(["send", "visits.csv", *SENT]) == 0
    assert "Did you mean campaigns/visits.local?" in complaint(capsys, "status", "visits")
    assert "Did you mean campaigns/visits.local?" in complaint(capsys, "follow-up", "visit", "x.xlsx")
    (tmp_path / "campaigns" / "visits.local").rename(tmp_path / "campaigns" / "visits")
    assert main(["send", "visits.csv", *SENT]) == 0
    assert "Did you mean campaigns/visits or campaigns/visits.local?" in complaint(capsys, "status", "VISITS")
    (tmp_path / "campaigns").rename(tmp_path / "2026")
    assert f"Did you mean {tmp_path / '2026' / 'visits'} or" in complaint(capsys, "status", "2026/vists")
    (tmp_path / "2026").rename(tmp_path / "campaigns")
    assert "mean" not in complaint(capsys, "status", "something else")
    assert "mean" not in complaint(capsys, "status", "campaigns/nothing.local")


def test_try_outs_are_listed_on_request(tmp_path, monkeypatch, capsys):
    visits(tmp_path, monkeypatch)
    assert main(["send", "visits.csv", *SENT]) == 0
    assert main(["try-out", "visits.csv", *SENT, "--to", "0772 000 099"]) == 0
    capsys.readouterr()
    assert main(["history"]) == 0
    listed = capsys.readouterr().out
    assert "1 campaign in campaigns" in listed
    assert "try-out" not in listed
    assert main(["history", "--try-outs"]) == 0
    assert "2 campaigns in campaigns" in capsys.readouterr().out
    (one,) = (folder for folder in campaign.history(try_outs=True)["folder"] if "try-out" in folder)
    assert len(campaign.history(one)) == 1
