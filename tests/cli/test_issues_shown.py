"""`check --all` and `check --report`: every row that cannot be sent, and why."""

import json
import re
from pathlib import Path

import openpyxl
import pytest
from support.shell import refusal

import campaign
from campaign.cli.check_command import write_issues
from campaign.cli.main import main

PLAN = ["visits.csv", "--message", "Hi {name}", "--sender", "CLINIC", "--region", "UG"]


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    """Twelve rows with too few digits, one with two numbers, one that can be sent, one curly quote."""
    monkeypatch.chdir(tmp_path)
    rows = [f"Person {n},07720{n:02}" for n in range(12)]
    rows += ["Ann,0772 000 001 / 0772 000 002", "=HYPERLINK(1),0772 000 003", "O’Hara,0772 000 004"]
    Path("visits.csv").write_text("\n".join(["name,phone", *rows]))


MORE = "campaign check --all shows everything"


def checked(capsys, *options):
    main(["check", *PLAN, *options])
    return capsys.readouterr().out


def test_rows_with_the_same_fault_are_one_line(capsys):
    output = checked(capsys)
    assert "      12  phone, rows 2-13: " in output
    assert "       1  phone, row 14: " in output
    assert "--several first" in output
    assert MORE in output  # a curly quote was replaced


def test_a_column_without_numbers_is_one_line_and_not_one_for_each_row(capsys):
    output = checked(capsys, "--number", "name")
    assert re.findall("^ +([0-9]+)  name, rows (.*?): ", output, re.M) == [
        ("13", "2-13, 15"),
        ("2", "14, 16"),
    ]
    Path("visits.csv").write_text("name,phone\n" + "".join(f"P,0772 000 {n:03}\n" for n in range(60)))
    main(["check", "visits.csv", "--message", "Hi", "--sender", "CLINIC"])
    (line,) = re.findall("^ +60  phone, rows 2-61: .*", capsys.readouterr().out, re.M)
    assert "--region UG" in line


def test_what_is_left_out_is_shown_on_request(capsys):
    """Fifteen other faults in the first column, and every second row with too few digits."""
    rows = [f"{'' if n % 2 else 'x'},{'0772' if n % 2 else '0772 000 003'}" for n in range(40)]
    rows += [f"P,{'1/' * n}0772000001" for n in range(2)]
    Path("visits.csv").write_text("\n".join(["name,phone", *rows]))
    few = checked(capsys)
    assert "phone, rows 3, 5, 7 …: " in few
    assert MORE in few
    every = checked(capsys, "--all")
    assert "rows 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25" in every
    assert MORE not in every


def test_the_countries_of_the_numbers_are_told(capsys):
    assert "(UG 2)" in checked(capsys)


@pytest.mark.parametrize("reveal", [False, True])
def test_a_report_has_all_of_them_in_words_that_name_no_option(reveal, capsys):
    names = ["issues.xlsx", "issues.csv", "issues.html"]
    options = [word for name in names for word in ("--report", name)] + (["--reveal"] if reveal else [])
    assert main(["check", *PLAN, *options]) == 0
    assert re.findall("Report: (.*)", capsys.readouterr().out) == names

    sheet = openpyxl.load_workbook("issues.xlsx")["Issues"]
    header, *rows = sheet.iter_rows(values_only=True)
    assert header == ("row", "column", "value", "code", "severity", "detail")
    assert [row[4] for row in rows] == ["error"] * 13 + ["info"]
    assert rows[12][0] == "14"
    assert rows[12][3] == "several"
    assert "=" not in rows[12][5]
    assert sheet.cell(2, 3).fill.fgColor.rgb == "FFFFE699"  # the cell to correct is marked

    table = Path("issues.csv").read_text("utf-8-sig").splitlines()
    assert len(table) == 15
    page = Path("issues.html").read_text("utf-8")
    assert "Before sending: visits.csv" in page
    assert page.count("<tr>") == 1 + 14 + page.count('<th scope="row">')
    for content in ("\n".join(table), page, str(rows)):
        assert ("0772 000 001" in content) is reveal


def test_a_report_is_written_also_when_nothing_can_be_sent(capsys):
    Path("visits.csv").write_text("name,phone\nAisha,none\n")
    assert main(["check", *PLAN, "--report", "issues.csv", "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["reports"] == ["issues.csv"]
    assert "none" in Path("issues.csv").read_text("utf-8-sig")


def test_a_table_that_was_not_read_from_a_file_has_a_page_too(tmp_path):
    plan = campaign.prepare(
        campaign.read_contacts(b"name,phone\nAisha,0772000001\n"), message="Hi {name}", sender="CLINIC",
        region="UG",
    )  # fmt: skip
    page = write_issues(plan, tmp_path / "issues.html").read_text("utf-8")
    assert "1 message (1 SMS part) from 1 row" in page
    assert "<thead>" not in page


TABLE = """\
name,phone,visit
Ann,0772 000 001,22/11/2026
Ben,772000002,05/11/2026
Cy,12,24/11/2026
Eve,0772 000 001,24/11/2026
"""
VISIT = ["visits.csv", "--message", "{name} on {visit:%-d %b}", "--sender", "CLINIC", "--region", "UG"]


def test_the_screen_adds_up_and_says_what_was_repaired(capsys):
    """One row is invalid, one shares a phone, one had lost its 0; 22/11 shows that the day comes first."""
    Path("visits.csv").write_text(TABLE)
    main(["check", *VISIT])
    said = capsys.readouterr().out
    assert "  duplicate             1\n  ready                 2\n" in said
    assert re.findall("^ +1  phone, row ([0-9])", said, re.M) == ["4", "5"]
    assert "Dates in 'visit' are read day first" in said
    assert MORE in said
    main(["check", *VISIT, "--all"])
    assert "       1  phone, row 3: " in capsys.readouterr().out
    main(["check", *VISIT, "--json"])
    plan = json.loads(capsys.readouterr().out)["plan"]
    assert plan["notices"][-1].startswith('1 cell in "phone": ')
    assert any("day first" in warning for warning in plan["warnings"])


def test_send_says_once_what_its_result_has(capsys):
    """Nor is a corrected file written over, also after it was sent."""
    Path("visits.csv").write_text(TABLE)
    main(["send", *VISIT])
    said = capsys.readouterr().out
    assert [said.count(f"  1  {kind}") for kind in ("to correct", "sharing a phone")] == [1, 1]
    assert not re.search("^  (invalid|duplicate)", said, re.M)
    main(["follow-up", "campaigns/visits.local", "correct.csv"])
    assert capsys.readouterr().out.startswith("2 rows to correct (1 invalid and 1 sharing a phone): ")
    corrected = Path("correct.csv").read_text("utf-8-sig").replace('"12"', '"0772 000 003"')
    Path("correct.csv").write_text(corrected, "utf-8")
    main(["send", "correct.csv", *VISIT[1:]])
    assert "  3  accepted" in capsys.readouterr().out
    main(["follow-up", "campaigns/visits.local", "correct.csv"])
    assert Path("correct.csv").read_text("utf-8") == corrected
    main(["follow-up", "campaigns/visits.local", "correct_2.csv"])
    assert "1 row to correct" in capsys.readouterr().out


def test_a_wrong_option_is_said_before_any_file_is_read(capsys):
    error = refusal(capsys, "send", "no such file.csv", *VISIT[1:], "--hours", "25")
    assert (error["code"], error["facts"]["argument"]) == ("wrong_value", "hours")
    assert error["message"].startswith("--hours")


def test_a_file_with_a_date_in_its_name_keeps_it_in_the_report():
    Path("march 20261122.csv").write_text(TABLE)
    main(["send", "march 20261122.csv", *VISIT[1:], "--report", "told.html"])
    assert "march 20261122.csv: " in Path("told.html").read_text("utf-8")


def test_a_cell_that_was_repaired_in_two_ways_is_one(capsys):
    """The + was missing, and the 0 behind the country code had to go; the other number is as it was."""
    Path("visits.csv").write_text("name,phone\nAnn,256 (0)772000001\nBen,+447700900001\n")
    main(["check", "visits.csv", "--message", "Hi {name}", "--sender", "CLINIC", "--region", "UG"])
    assert "other finding" in capsys.readouterr().out
