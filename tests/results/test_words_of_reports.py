"""A manager and a clerk read the report, the workbook and the follow-up file: nothing there is Python."""

import csv
import html
import re

import openpyxl
import pytest

import campaign
from campaign.messages.issues import sentences
from campaign.words.page import PAGE

PYTHON = re.compile(r"""\b[a-z]+(?:_[a-z]+)*=|\b(?:campaign|plan|result)\.[a-z]+_?[a-z]*\(""")
FAULTS = """\
name,phone,visit,note
Ann,0772 000 001,05/01/2026,fine
Ben,0772 000 002; 0772 000 003,2026-01-06,fine
Cy,0772000001,2026-01-07,fine
Dan,0414 000 000,2026-01-07,fine
Eve,0772000005,2026-01-07,LONG
Fay,077,2026-01-07,fine
Gus,0772000007,2026-01-07,fine
Hal,0772000008,2026-01-07,region="UG"
"""
SENDING = {"message": "Hi {name}, {visit:%d %b} {note}", "sender": "CLINIC"}


@pytest.fixture(params=["UG", None])
def result(tmp_path, request):
    """Every kind of reason that names an option: with a country, and without one."""
    path = tmp_path / "visits.csv"
    path.write_text(FAULTS.replace("LONG", "word " * 60), encoding="utf-8")
    plan = campaign.prepare(campaign.read_contacts(path), region=request.param, **SENDING)
    assert plan.contacts["reason"].str.contains(PYTHON).sum() >= 3
    return campaign.send(plan, folder=tmp_path / "visits", progress=False)


def of_our_own(cells):
    """What is said of rows, without what the file itself says."""
    return [cell for cell in cells if cell and 'region="UG"' not in cell]


def test_the_page_speaks_without_options(result, tmp_path):
    page = campaign.write_report(result, tmp_path / "report.html").read_text("utf-8")
    words = html.unescape(re.sub(r"<style>.*?</style>|<[^>]*>", " ", page, flags=re.S))
    assert PYTHON.findall(words.replace('region="UG"', "")) == []


@pytest.mark.parametrize("reveal", [True, False])
def test_the_workbook_and_the_csv_speak_without_options(result, tmp_path, reveal):
    book = openpyxl.load_workbook(campaign.write_report(result, tmp_path / "report.xlsx", reveal=reveal))
    cells = [str(cell.value or "") for sheet in book for row in sheet.iter_rows() for cell in row]
    assert [cell for cell in of_our_own(cells) if PYTHON.search(cell)] == []
    path = campaign.write_report(result, tmp_path / "report.csv", reveal=reveal)
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert [cell for row in rows for cell in of_our_own(row) if PYTHON.search(cell)] == []


def test_the_follow_up_file_has_a_reason_in_words_beside_each_row(result, tmp_path):
    path = campaign.write_follow_up(result, tmp_path / "to_correct.csv")
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert all(row["last reason"] for row in rows)
    assert [row["last reason"] for row in rows if PYTHON.search(row["last reason"])] == []
    if result.totals["accepted"]:
        reasons = {row["name"]: row["last reason"] for row in rows}
        assert reasons["Ben"].endswith("Keep one.")
        assert reasons["Eve"].endswith("Shorten it.")


def test_whoever_corrects_cells_is_not_asked_to_write_a_template():
    contacts = campaign.read_contacts(b"name,phone\n,0772 000 001\n")
    plan = campaign.prepare(contacts, message="Hi {name}", sender="CLINIC", region="UG")
    reasons = plan.contacts["reason"]
    assert "{name|other words}" in reasons[2]  # in Python, where the text is written
    assert "{" not in sentences(plan.issues, PAGE)[0]


def test_the_report_says_how_many_cells_count_as_empty(tmp_path):
    """What names the argument is left out; the rest of the sentence stays."""
    table = campaign.read_contacts(b"name,phone\nn/a,0772 000 001\n", missing=["n/a"])
    plan = campaign.prepare(table, message="Hi", sender="CLINIC", region="UG")
    result = campaign.send(plan, folder=tmp_path / "visits", progress=False)
    told = "1 cell with 'n/a' counts as empty."
    assert html.escape(told) in campaign.write_report(result, tmp_path / "r.html").read_text("utf-8")
    issues = openpyxl.load_workbook(campaign.write_report(result, tmp_path / "r.xlsx"))["Issues"]
    assert told in [cell for line in issues.iter_rows(values_only=True) for cell in line]
