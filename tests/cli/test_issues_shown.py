"""`check --all` and `check --report`: every row that cannot be sent, and why."""

import json
import re
from pathlib import Path

import openpyxl
import pytest

import campaign
from campaign.cli.main import main
from campaign.results.issue_report import write_issues

PLAN = ["visits.csv", "--message", "Hi {name}", "--sender", "CLINIC", "--region", "UG"]


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    """Twelve rows with too few digits, one with two numbers, one that can be sent, one curly quote."""
    monkeypatch.chdir(tmp_path)
    rows = [f"Person {n},07720{n:02}" for n in range(12)]
    rows += ["Ann,0772 000 001 / 0772 000 002", "=HYPERLINK(1),0772 000 003", "O’Hara,0772 000 004"]
    Path("visits.csv").write_text("\n".join(["name,phone", *rows]))


def test_ten_are_shown_and_the_rest_on_request(capsys):
    assert main(["check", *PLAN]) == 0
    few = capsys.readouterr().out
    assert "13 rows that cannot be sent:" in few
    assert len(re.findall("^  row ", few, re.M)) == 10
    assert "… and 3 more: campaign check --all shows them, --report writes them to a file." in few
    assert main(["check", *PLAN, "--all"]) == 0
    all_of_them = capsys.readouterr().out
    assert len(re.findall("^  row ", all_of_them, re.M)) == 13
    assert "use the first with --several first" in all_of_them
    assert "more:" not in all_of_them


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
    assert rows[12][5] == "The cell contains several numbers. Keep one."
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
    assert "1 message ready to send" in page
    assert "<thead>" not in page
