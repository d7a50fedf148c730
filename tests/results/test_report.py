"""The report as a page, a workbook and rows: complete, masked, and harmless to open."""

import csv
import datetime
import os
import re
import stat
import zipfile
from decimal import Decimal
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
from support.batch_rows import frame_of
from support.findings import rows_found
from support.refusals import refused

from campaign.contacts.reading import read_contacts
from campaign.errors import ReportError, UsageError
from campaign.formulas import disarm
from campaign.messages.preparation import prepare
from campaign.results.redaction import Redaction
from campaign.results.report import write_report
from campaign.results.tables import Result
from campaign.words.finding import Finding
from campaign.words.page import PAGE

CODE = "ApiJsonSubmit65f0a1b2c3d4e.12345678"
PEOPLE = """\
Name|Phone|Home|Notes
Grace|0772 000 101|0414 000 102|=HYPERLINK("http://example.org")
<b>Moses</b>|+256 772 000 103||call 0701 000 104 instead
Zoé|772000105||-20% until 2026-03-02 10:30
Sarah|0772 000 1O6||none
|||
Ivan|0772-000-107|0|@home
"""
SECRETS = [f"000{gap}{last}" for last in (101, 102, 103, 104, 105, 107) for gap in ("", " ", "-")]


def result_of(plan, *rows):
    """A result whose batches are (messages, status, cost, code, error)."""
    submitted = pd.Timestamp("2026-03-02 08:00:01", tz="UTC")
    came = [(place, *row, 1, submitted, 0.25, 1) for place, row in enumerate(rows, start=1)]
    return Result(plan, frame_of(came), environment="local", folder=Path("campaigns/visits-3fa2c1"))


@pytest.fixture
def result():
    contacts = read_contacts(PEOPLE.encode(), delimiter="|")
    plan = prepare(
        contacts,
        message="Hi {name}, call {phone}",
        sender="CLINIC",
        number="Phone",
        region="UG",
        priority="1",
    )
    return result_of(
        plan,
        (1, "accepted", Decimal("35.50"), CODE, ""),
        (2, "accepted", Decimal("71"), "ApiMSG.123456789012", ""),
        (1, "refused", None, "", "Wrong Username or Password <i>"),
    )


@pytest.fixture
def page(result, tmp_path):
    return write_report(result, tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.fixture
def workbook(result, tmp_path):
    return openpyxl.load_workbook(write_report(result, tmp_path / "report.xlsx"))


def cells(sheet):
    return [list(row) for row in sheet.iter_rows(values_only=True)]


# --- page ---------------------------------------------------------------------------------------------


def test_the_page_needs_nothing_from_elsewhere(page):
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    assert f'<meta http-equiv="Content-Security-Policy" content="{policy}">' in page
    assert "<script" not in page
    assert not re.findall(r'(?:src|href)="(?!#)', page)
    assert not re.findall(r"url\((?!#)", page)


def test_what_people_and_the_service_wrote_is_text_on_the_page(page):
    assert "&lt;b&gt;Moses&lt;/b&gt;" not in page  # accepted: nothing to follow up
    assert "Wrong Username or Password &lt;i&gt;" in page
    assert "<b>Moses" not in page
    assert "<i>" not in page


def test_the_totals_on_the_page_add_up_to_the_file(page, result):
    assert sum(rows_found(result).values()) == result.totals.rows == 6
    shown = re.findall(r"</span><b>(\d+)</b>", page)
    assert [*map(int, shown)] == [*rows_found(result).values()]


def test_the_page_shows_cost_codes_and_who_is_left(page):
    assert "<dd>106.50</dd><dt>made-up cost</dt>" in page
    assert "<dd>35.50</dd><dt>for each accepted message</dt>" in page
    assert CODE in page
    assert "ApiMSG.123456789012" in page  # quoted whole: it is no phone number
    followed = page[page.index("2 people, row by row") : page.index('id="batches"')]
    assert re.findall(r'<td class="figure">(\d)</td><td class="short">([\w ]+)</td>', followed) == [
        ("7", "refused"),
        ("5", "to correct"),
    ]


def test_the_charts_can_be_heard(page):
    heard = re.findall(r'<svg role="img" aria-label="([^"]*)"', page)
    assert heard == ["3 accepted, 1 refused, 1 to correct, 1 repeated or blank"]
    ids = re.findall(r'\bid="([^"]*)"', page)
    assert len(ids) == len(set(ids))


def test_a_long_campaign_still_fits_on_a_page(result, tmp_path):
    many = 30_000
    numbers = "\n".join(f"0772{number:06d},x" for number in range(many))
    contacts = read_contacts(f"phone,name\n{numbers}".encode())
    plan = prepare(contacts, message="Hi", sender="CLINIC", region="UG")
    pairs = [(10, "accepted", Decimal(350), CODE, ""), (10, "refused", None, "", "no")] * (many // 20)
    path = write_report(result_of(plan, *pairs), tmp_path / "report.html")
    text = path.read_text(encoding="utf-8")
    assert len(text) < 300_000
    assert "2,970 more lines are left out here, unusual ones last." in text
    assert "The first 200 of 3,000 rows." in text
    assert "The first 100 of 15,000 rows." in text


# --- workbook -----------------------------------------------------------------------------------------


def test_the_workbook_holds_everything(workbook, result):
    assert workbook.sheetnames == ["Summary", "Batches", "Messages", "Contacts", "Issues", "Follow-up"]
    facts = {row[0]: row[1] for row in cells(workbook["Summary"])}
    assert (facts["Cost"], facts["accepted"], facts["all rows of the file"]) == (106.5, 3, 6)
    assert facts["When"] == "on 2 March 2026 at 08:00 (UTC)"
    note, *rows = cells(workbook["Follow-up"])
    assert note[0] == PAGE.remedy(Finding("rows_to_correct"))
    assert [row[:2] for row in rows] == [["row", "Name"], [5, "Sarah"], [7, "Ivan"]]
    assert rows[0] == [
        "row",
        "Name",
        "Phone",
        "Home",
        "Notes",
        "last reason",
        "last status",
    ]
    for sheet, frame in (
        ("Batches", result.batches),
        ("Messages", result.messages),
        ("Issues", result.issues.drop(columns="facts")),
    ):
        assert cells(workbook[sheet])[0] == [
            name.replace("submitted_at", "submitted_at (UTC)") for name in frame.columns
        ]
        assert workbook[sheet].max_row == len(frame) + 1
    own, outcome = ["row", *result.contacts.columns[:-5]], result.contacts.columns[-5:]
    assert cells(workbook["Contacts"])[0] == [*own, *outcome]
    assert [row[0] for row in cells(workbook["Contacts"])[1:]] == [2, 3, 4, 5, 6, 7]


def test_the_tables_are_ready_to_search(workbook):
    for name in ("Batches", "Messages", "Contacts", "Issues", "Follow-up"):
        sheet = workbook[name]
        head = 2 if name == "Follow-up" else 1  # below the note
        assert sheet.freeze_panes == f"A{head + 1}"
        assert sheet.auto_filter.ref == sheet.dimensions.replace("A1", f"A{head}")
        assert all(sheet.column_dimensions[letter].width > 8 for letter in ("A", "B", "C"))


def test_text_stays_text_and_figures_are_figures(result, tmp_path):
    book = openpyxl.load_workbook(write_report(result, tmp_path / "open.xlsx", reveal=True))
    kinds = {cell.data_type for sheet in book for row in sheet.iter_rows() for cell in row}
    assert kinds == {"s", "n", "d"}  # no "f": not one formula
    contacts = cells(book["Contacts"])
    assert contacts[1][1:5] == ["Grace", "0772 000 101", "0414 000 102", '=HYPERLINK("http://example.org")']
    assert contacts[3][2] == "772000105"
    assert cells(book["Messages"])[1][1] == "256772000101"
    first = dict(zip(*cells(book["Batches"])[:2], strict=True))
    assert first["cost"] == 35.5
    assert first["submitted_at (UTC)"] == datetime.datetime(2026, 3, 2, 8, 0, 1)
    assert first["code"] == CODE


def test_the_chart_of_the_workbook_can_be_heard(result, tmp_path):
    with zipfile.ZipFile(write_report(result, tmp_path / "report.xlsx")) as parts:
        drawing = parts.read("xl/drawings/drawing1.xml").decode()
    heard = "Bar chart of the rows by outcome: 3 accepted, 1 refused, 1 to correct, 1 repeated or blank."
    assert f'descr="{heard}"' in drawing


# --- rows ---------------------------------------------------------------------------------------------


def read_rows(path):
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")  # so that Excel reads accents as they are
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def test_the_rows_are_those_of_the_file_with_their_outcome(result, tmp_path):
    rows = read_rows(write_report(result, tmp_path / "report.csv", reveal=True))
    assert rows[0] == ["row", "Name", "Phone", "Home", "Notes", "status", "why", "reason", "batch", "code"]
    assert rows[3] == [
        "4",
        "Zoé",
        "772000105",
        "",
        "'-20% until 2026-03-02 10:30",
        "accepted",
        "",
        "",
        "2",
        "ApiMSG.123456789012",
    ]
    assert [row[0] for row in rows[1:]] == ["2", "3", "4", "5", "6", "7"]
    assert [row[5] for row in rows[1:]] == ["accepted", "accepted", "accepted", "invalid", "blank", "refused"]


def test_what_would_run_as_a_formula_is_disarmed_and_numbers_are_left_alone(tmp_path):
    cells = {
        "=1+1": "'=1+1",
        "＝1+1": "'＝1+1",
        "+1 free mug": "'+1 free mug",
        "-20% on coffee": "'-20% on coffee",
        "@home": "'@home",
        "\t=1": "'\t'=1",
        " =1": "' =1",
        "+2*3": "'+2*3",
        "+256 772 000 101": "+256 772 000 101",
        "+256772000101": "+256772000101",
        "-12.5": "-12.5",
        "a=b": "a=b",
    }
    lines = ["=phone;name", *(f"{cell};Grace" for cell in cells)]
    contacts = read_contacts("\n".join(lines).encode(), delimiter=";")
    plan = prepare(contacts, message="Hi", sender="CLINIC", number="=phone", region="UG")
    result = result_of(plan, (len(plan.messages), "not_sent", None, "", ""))
    rows = read_rows(write_report(result, tmp_path / "report.csv", reveal=True))
    assert rows[0][1] == "'=phone"
    assert [row[1] for row in rows[1:]] == list(cells.values())


def test_a_formula_that_begins_inside_a_cell_is_disarmed_too(tmp_path):
    """A program that splits lines at semicolons or tabs starts a cell there, quotes or not."""
    cells = {
        ";=cmd|' /C calc'!A0": ";'=cmd|' /C calc'!A0",
        "Grace; =1+1": "Grace;' =1+1",
        "a\t@SUM(1)": "a\t'@SUM(1)",
        "Notes:\n-2+3": "Notes:\n'-2+3",
        'a;"=1+1"': 'a;\'"=1+1"',
        "a;＝1": "a;'＝1",
        "+256 772 000 101; +256 772 000 102": "+256 772 000 101; +256 772 000 102",
        "a; b = c": "a; b = c",
        "08:00; 10:00 - 12:00": "08:00; 10:00 - 12:00",
        "\r\n+a": "'\r\n'+a",
    }
    assert disarm(pd.Series(list(cells), dtype="str")).tolist() == list(cells.values())


def test_disarming_leaves_missing_cells_and_the_index_alone():
    cells = pd.Series(["=1", None, "a"], index=[5, 6, 9], dtype="str")
    pd.testing.assert_series_equal(disarm(cells), pd.Series(["'=1", None, "a"], index=[5, 6, 9], dtype="str"))


# --- masks --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["html", "csv", "xlsx"])
def test_no_number_is_readable_unless_it_is_to_be(result, tmp_path, ending):
    def written(reveal):
        path = write_report(result, tmp_path / f"report.{ending}", reveal=reveal)
        if ending != "xlsx":
            return path.read_text(encoding="utf-8")
        with zipfile.ZipFile(path) as parts:
            return "".join(parts.read(name).decode() for name in parts.namelist())

    masked = written(reveal=False)
    assert [secret for secret in SECRETS if secret in masked] == []
    assert re.findall(r"0?7?7?2\D?000\D?1O6", masked) == []
    assert ("2 March 2026" if ending == "html" else "2026-03-02") in masked
    assert "000" in written(reveal=True)


def test_masked_numbers_keep_what_tells_them_apart(workbook):
    assert [row[1] for row in cells(workbook["Messages"])[1:]] == [
        "25677*****01",
        "25677*****03",
        "25677*****05",
        "25677*****07",
    ]
    contacts = cells(workbook["Contacts"])
    assert contacts[1][2:4] == ["077*****01", "041*****02"]
    assert contacts[2][4] == "call 070*****04 instead"
    assert contacts[4][2] == "**** *** *O*"


def test_a_number_column_is_masked_whatever_it_is_called(tmp_path):
    contacts = read_contacts(b"Reach me,Name\n9000 0067,Ada\n9000 0068,Bo\n")
    plan = prepare(contacts, message="Hi", sender="SHOP", number="Reach me", region="SG")
    assert len(plan.messages) == 2
    result = result_of(plan, (2, "accepted", Decimal(2), CODE, ""))
    rows = read_rows(write_report(result, tmp_path / "report.csv"))
    assert [row[1] for row in rows[1:]] == ["******67", "******68"]


@pytest.mark.parametrize(
    ("other", "balance"),
    [("+256 772 000 002", "1250000"), ("+372 5123 4567", "*****00"), ("077", "1250000")],
)
def test_balances_of_a_million_stay_unless_they_could_be_phone_numbers(other, balance):
    """A Ugandan number has nine digits, an Estonian one seven: with such parents nobody can tell."""
    table = f"""\
Name,Phone,Balance,Note
Ada,0772 000 001,1250000,call 0772 000 009
Bo,{other},75000,772000
Total,,1250000,
"""
    plan = prepare(read_contacts(table.encode()), message="Hi", sender="SCHOOL", region="UG")
    shown = Redaction(plan, reveal=False).contacts(plan.contacts, plan.issues)
    assert shown["Balance"].tolist() == [balance, "75000", balance]
    assert shown["Note"].iloc[0] == "call 077*****09"


def test_columns_named_like_ours_are_masked_as_columns_of_the_file(tmp_path):
    """`code` and `status` of the file are cells of the file; our own of these names are quoted in full."""
    table = b"Code,sender,message,status,Name\n0772 000 001,0772 000 002,0772 000 003,0772 000 004,Ada\n"
    table += b"12,13,14,15,Bo\n"
    plan = prepare(read_contacts(table), message="Hi", sender="SHOP", number="Code", region="UG")
    code = "ApiJsonSubmit65f0a1b2c3d4e.12345678"
    result = result_of(plan, (1, "refused", None, code, "Refused 0772 000 001"))
    for ending in ("csv", "xlsx", "html"):
        path = write_report(result, tmp_path / f"report.{ending}")
        shown = (
            path.read_text(encoding="utf-8")
            if ending != "xlsx"
            else str([*map(cells, openpyxl.load_workbook(path))])
        )
        assert re.findall(r"0772 000 00\d", shown) == []
        assert code in shown


@pytest.mark.parametrize("sent", ["Ada,0772 000 001", "Ada,90813"])
def test_a_number_column_named_like_ours_loses_short_numbers_too(tmp_path, sent):
    """Also where it is called as in the file, where no row had a usable number, and where it was not used."""
    table = f"Name,Code,Home phone\n{sent},90814\nBo,90812,90815\n".encode()
    plan = prepare(read_contacts(table), message="Hi", sender="SHOP", number="Code", region="UG")
    result = result_of(plan, *[(1, "accepted", None, "", "")][: len(plan.messages)])
    assert result.follow_up().loc[3, "Code"] == "90812"
    for ending in ("csv", "xlsx", "html"):
        path = write_report(result, tmp_path / f"report.{ending}")
        book = [cells(sheet) for sheet in openpyxl.load_workbook(path)] if ending == "xlsx" else None
        shown = str(book) if book else path.read_text(encoding="utf-8")
        assert "9081" not in shown
        assert "*****" in shown


def test_a_column_that_has_the_number_of_a_message_loses_short_numbers_too():
    """Its header says nothing, and only one row repeats the number, written in another way."""
    contacts = read_contacts(b"phone,remark\n0772 000 001,0772-000-001\n0772 000 002,1234\n")
    plan = prepare(contacts, message="Hello", sender="CLINIC", region="UG")
    shown = Redaction(plan, reveal=False).contacts(plan.contacts, plan.issues)
    assert shown["remark"].tolist() == ["077*****01", "****"]


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 1, 2)])
def test_a_column_no_shows_the_numbers_of_rows_also_once_they_are_sorted(order):
    table = "No,Phone\n" + "".join(f"{place},0772 000 00{place}\n" for place in order)
    plan = prepare(read_contacts(table.encode()), message="Hi", sender="SCHOOL", region="UG")
    shown = Redaction(plan, reveal=False).contacts(plan.contacts, plan.issues)
    assert shown["No"].tolist() == [*map(str, order)]


def test_a_column_no_that_holds_the_numbers_is_masked():
    plan = prepare(read_contacts(b"No,Name\n0772 000 001,Ada\n"), message="Hi", sender="SCHOOL", region="UG")
    assert Redaction(plan, reveal=False).contacts(plan.contacts, plan.issues)["No"].tolist() == ["077*****01"]


def test_a_rows_own_number_is_masked_where_it_looks_like_a_code(tmp_path):
    table = b"Phone,Reference\n0772 000 001,INV2000001\n0772 000 002,INV2000001\n"
    plan = prepare(read_contacts(table), message="About {reference}", sender="SHOP", region="UG")
    result = result_of(plan, (2, "refused", None, "", "no"))
    book = openpyxl.load_workbook(write_report(result, tmp_path / "report.xlsx"))
    assert [row[2] for row in cells(book["Messages"])[1:]] == ["About INV*****01", "About INV2000001"]


def test_a_date_in_an_issue_stays_readable(tmp_path):
    issues = pd.DataFrame(
        {"row": pd.array([2], "Int64"), "column": "Visit", "value": "22/11/2026", "code": "date_order",
         "severity": "info", "facts": '{"first": "day", "like": "22/11/2026"}', "detail": ""}
    )  # fmt: skip
    table = read_contacts(b"Phone,Visit\n0772000001,22/11/2026\n")
    plan = prepare(table, message="Hi", sender="CLINIC", region="UG")
    masked = Redaction(plan, reveal=False).issues(issues)
    assert "as in 22/11/2026" in masked["detail"].iloc[0]


def test_numbers_in_issues_are_masked(tmp_path):
    """The value of a number column loses its digits, and details lose what could be a number."""
    table = b"Reach me,Visit\n0772 000 1O1,tomorrow\n12345,0772 000 102\n256772000103,1 March 2026\n"
    plan = prepare(
        read_contacts(table), message="Come {visit:%d %b}", sender="CLINIC", number="Reach me", region="UG"
    )
    result = result_of(plan, (1, "accepted", Decimal(35), CODE, ""))
    rows = cells(openpyxl.load_workbook(write_report(result, tmp_path / "report.xlsx"))["Issues"])
    issues = [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
    values = {(issue["row"], issue["column"]): issue["value"] for issue in issues}
    assert values[2, "Reach me"] == "**** *** *O*"
    assert values[3, "Reach me"] == "*****"
    assert values[3, "Visit"] == "077*****02"
    assert re.findall(r"\d[\d ]{7,}", str(issues)) == []
    page = write_report(result, tmp_path / "report.html").read_text(encoding="utf-8")
    assert "0772 000 102" not in page
    assert "12345" not in page[page.index('id="file"') :]


def test_details_do_not_quote_the_number_that_they_are_about():
    facts = '{"value": "0772 000 101 INV2000101, not INV2000102"}'
    issues = pd.DataFrame(
        {
            "row": [3],
            "column": ["Phone"],
            "value": ["0772 000 101"],
            "code": ["unused_text"],
            "severity": ["info"],
        }
    ).assign(detail="", facts=facts)
    plan = prepare(read_contacts(b"Phone\n0772 000 101\n"), message="Hi", sender="SHOP", region="UG")
    redaction = Redaction(result_of(plan, (1, "accepted", None, "", "")), reveal=False)
    masked = redaction.issues(issues.astype("str"))
    assert "077*****01 INV*****01, not INV2000102" in masked["detail"].iloc[0]
    assert masked["value"].tolist() == ["077*****01"]


def test_what_may_be_shown_says_so(result):
    assert Redaction(result, reveal=True).finding.code == "numbers_shown"
    assert Redaction(result, reveal=False).finding.code == "numbers_masked"


# --- the file -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "answer"),
    [
        ("plan", "campaign.load_result(folder), path) once it was sent, or look at plan.issues."),
        ("contacts", "a DataFrame. Write campaign.write_report(result, path)."),
        ("sentence", ". Write campaign.write_report(campaign.load_result(folder), path)."),
        ("folder", "Path. Write campaign.write_report(campaign.load_result(folder), path)."),
        ("nothing", "None. Write campaign.write_report(result, path)."),
    ],
)
def test_what_is_no_result_is_answered_with_what_to_write(result, tmp_path, what, answer):
    with pytest.raises(UsageError, match=f"^write_report needs a Result, but got .*{re.escape(answer)}$"):
        write_report(getattr(result, what, None), tmp_path / "report.html")


@pytest.mark.parametrize(
    ("path", "what"),
    [(12, "12"), (None, "None"), (["a.html"], "a list"), (b"a.html", "bytes"), ("", "an empty text")],
)
def test_what_is_no_path_is_answered_with_what_to_write(result, path, what):
    sentence = f'path needs a path, but got {what}. Write campaign.write_report(result, "report.html").'
    with pytest.raises(UsageError, match=f"^{re.escape(sentence)}$"):
        write_report(result, path)


@pytest.mark.parametrize("reveal", ["yes", 1, None])
def test_reveal_is_true_or_false(result, tmp_path, reveal):
    with pytest.raises(UsageError, match=r"^reveal needs True or False, but got .*\. Write reveal=True\.$"):
        write_report(result, tmp_path / "report.html", reveal=reveal)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_ending_is_refused_with_those_that_exist(result, tmp_path):
    with refused("wrong_ending", UsageError, file="report.pdf"):
        write_report(result, tmp_path / "report.pdf")


def test_an_existing_report_is_replaced(result, tmp_path):
    path = tmp_path / "Report.HTML"
    path.touch()
    for _ in range(2):
        assert write_report(result, str(path)) == path
        assert "</html>" in path.read_text(encoding="utf-8")
        assert [entry.name for entry in tmp_path.iterdir()] == ["Report.HTML"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_only_its_owner_can_read_a_report(result, tmp_path):
    assert stat.S_IMODE(write_report(result, tmp_path / "report.csv").stat().st_mode) == 0o600


def test_links_and_folders_are_refused(result, tmp_path):
    target = tmp_path / "precious.html"
    target.write_text("precious")
    link = tmp_path / "report.html"
    link.symlink_to(target)
    with refused("file_not_writable", ReportError, reason="a symbolic link"):
        write_report(result, link)
    assert target.read_text() == "precious"
    (tmp_path / "folder.html").mkdir()
    with refused("file_not_writable", ReportError, reason="a folder"):
        write_report(result, tmp_path / "folder.html")


def test_the_folder_of_a_report_has_to_be_there(result, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reports 2026").mkdir()
    (tmp_path / "nowhere else.txt").touch()
    for folder, meant in (("report_2026", "reports 2026"), ("nowhere_else", "")):
        with refused("file_not_writable", ReportError, reason="no such folder", suggestion=meant):
            write_report(result, f"{folder}/december.html")


def test_a_report_that_fails_leaves_the_old_one(result, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("campaign.results.result_workbook.write_workbook", full)
    path = tmp_path / "report.xlsx"
    path.touch()
    with refused("file_not_writable", ReportError, reason="No space left on device"):
        write_report(result, path)
    assert path.read_bytes() == b""
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.xlsx"]


def test_more_rows_than_a_sheet_holds_are_in_a_file_beside_it(result, tmp_path, monkeypatch):
    """Nothing is cut, and the summary says where the rows are."""
    monkeypatch.setattr("campaign.results.workbook.MOST_ROWS", 5)
    book = openpyxl.load_workbook(write_report(result, tmp_path / "report.xlsx"))
    assert book.sheetnames == ["Summary", "Batches", "Messages", "Issues", "Follow-up"]
    facts = {row[0]: row[1] for row in cells(book["Summary"])}
    assert facts["Contacts not here"].endswith("report.contacts.csv")
    rows = read_rows(tmp_path / "report.contacts.csv")
    assert [row[0] for row in rows] == ["row", "2", "3", "4", "5", "6", "7"]
    assert rows[1][2] == "077*****01"
    if os.name != "nt":
        assert stat.S_IMODE((tmp_path / "report.contacts.csv").stat().st_mode) == 0o600
