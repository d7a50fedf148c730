"""Spreadsheets as they are met, each beside the contact table that is wanted."""

import datetime as dt
import io
import json
import os
import zipfile
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
import xlsxwriter
from support.findings import as_codes
from support.old_workbooks import label, old_workbook
from support.old_workbooks import number as number_cell
from support.refusals import refused
from support.spreadsheets import as_rows, reading, saved, workbook

import campaign
from campaign.contacts.files.sources import open_source
from campaign.contacts.reading import read_contacts
from campaign.contacts.reading_record import Reading, reading_of
from campaign.errors import ColumnError, FileError, UsageError
from campaign.messages.preparation import prepare
from campaign.values import replace
from campaign.words.finding import Finding

SAMPLES = Path(__file__).parents[1] / "support" / "samples"
HEADER = ["name", "phone"]


def but_its_version(table):
    """What is said of a table, without what `test_follow_up.py` is about."""
    return replace(reading(table), version="")


def test_a_csv_and_what_is_said_of_it():
    table = read_contacts(b"name,phone\nAmina,0772000001\nBen,0772000002\n")
    assert as_rows(table) == {0: HEADER, 2: ["Amina", "0772000001"], 3: ["Ben", "0772000002"]}
    assert but_its_version(table) == Reading(
        "the given bytes", "csv", None, 1, "utf-8", ",", 2, 0, 0, (), detected=("encoding", "delimiter")
    )
    facts = {"file": "the given bytes", "rows": 2, "header": 1, "delimiter": ",", "encoding": "utf-8"}
    assert facts.items() <= reading(table).finding.facts.items()
    given = reading(read_contacts(b"name;phone\nAmina;1\n", delimiter=";", encoding="utf-8"))
    assert given.sentence == "the given bytes: 1 row (csv, header in row 1)."


def test_a_workbook_and_what_is_said_of_it(tmp_path):
    path = tmp_path / "visits.xlsx"
    workbook(HEADER, ["Amina", 256772000001], [None, None], ["Ben", "0772000002"]).save(path)
    table = read_contacts(path)
    assert as_rows(table) == {0: HEADER, 2: ["Amina", "256772000001"], 3: ["", ""], 4: ["Ben", "0772000002"]}
    assert but_its_version(table) == Reading(
        "visits.xlsx", "xlsx", "Sheet", 1, None, None, 3, 0, 1, (), path=str(path.resolve()),
        sheets=("Sheet",),
    )  # fmt: skip
    assert reading(table).sentence == "visits.xlsx, sheet 'Sheet': 3 rows (xlsx, header in row 1; 1 blank)."


# --- one case for each kind of damage met in the field ------------------------------------------------


def test_leading_zeros_and_plus_signs_stay():
    table = read_contacts(b"phone\n0772000001\n+256772000002\n")
    assert as_rows(table) == {0: ["phone"], 2: ["0772000001"], 3: ["+256772000002"]}


def test_a_numeric_column_with_a_gap_keeps_its_digits():
    table = read_contacts(saved(workbook(["phone", "x"], [256772000001, 1], [None, 2], [256772000003.0, 3])))
    assert as_rows(table) == {
        0: ["phone", "x"],
        2: ["256772000001", "1"],
        3: ["", "2"],
        4: ["256772000003", "3"],
    }


def test_a_number_in_scientific_notation_stays_as_it_is():
    """Its digits were lost in the spreadsheet; nobody expands it to a number that looks right."""
    assert as_rows(read_contacts(b"phone\n2.56772E+11\n")) == {0: ["phone"], 2: ["2.56772E+11"]}


def test_a_zero_that_only_a_number_format_shows_is_there():
    book = workbook(["phone"], [772000001])
    book.active["A2"].number_format = "0000000000"
    assert as_rows(read_contacts(saved(book))) == {0: ["phone"], 2: ["0772000001"]}


@pytest.mark.parametrize("name", ["NA", "None", "nan", "N/A", "null", "NULL", "-", "TRUE", "1e5", "inf"])
def test_words_that_readers_take_for_missing_are_kept(name):
    expected = {0: HEADER, 2: [name, "0772000001"]}
    assert as_rows(read_contacts(f"name,phone\n{name},0772000001\n".encode())) == expected
    assert as_rows(read_contacts(saved(workbook(HEADER, [name, "0772000001"])))) == expected


@pytest.mark.parametrize(
    "data", [b"phone,phone,Phone\n1,2,3\n", saved(workbook(["phone", "phone", "Phone"], [1, 2, 3]))]
)
def test_headers_that_are_the_same_are_all_named(data):
    with refused("columns_alike", ColumnError, columns=["phone", "phone", "Phone"], letters=["A", "B", "C"]):
        read_contacts(data)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found_and_said(delimiter):
    lines = [["name", "phone", "note"], ["Amina", "0772000001", "a; b, c"], ["Ben", "0772000002", "1,5"]]
    text = "".join(delimiter.join(f'"{cell}"' for cell in line) + "\n" for line in lines)
    table = read_contacts(text.encode())
    assert as_rows(table) == {0: lines[0], 2: lines[1], 3: lines[2]}
    assert reading(table).delimiter == delimiter


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_the_encoding_is_found_and_said(encoding):
    table = read_contacts("name;phone\r\nZoé – Müller;0772000001\r\n".encode(encoding))
    assert as_rows(table) == {0: HEADER, 2: ["Zoé – Müller", "0772000001"]}
    assert reading(table).encoding == encoding
    guessed = {"encoding_guessed": {"encoding": encoding, "texts": ["Zoé", "Müller"]}}
    assert as_codes(reading(table).notices) == (guessed if encoding == "cp1252" else {})


def test_a_comma_too_many_in_every_row_stops_with_the_rows():
    with refused("rows_too_wide", FileError, rows=[2, 3], columns=2):
        read_contacts(b"phone,message\n0772000001,Hello, friend\n0772000002,Hello, friend\n")


def test_a_comma_too_many_in_one_row_names_it():
    text = (
        b"phone,message\n" + b"0772000001,Hello\n" * 50 + b"0772000002,Hello, friend\n" + b"0772000003,Bye\n"
    )
    with refused("rows_too_wide", FileError, rows=[52], columns=2):
        read_contacts(text)


def test_a_delimiter_too_many_under_a_header_with_an_open_end_is_no_extra_column():
    """Otherwise "Hello, friend" would quietly become "Hello"."""
    with refused("rows_too_wide", FileError, rows=[3], columns=2):
        read_contacts(b"phone,message,\n0772000001,Hello,\n0772000002,Hello, friend\n")


def test_quoted_line_breaks_stay_in_their_cell_and_row():
    table = read_contacts(b'name,note\r\nAmina,"one\r\ntwo\n\nthree"\r\nBen,four\r\n')
    assert as_rows(table) == {0: ["name", "note"], 2: ["Amina", "one\r\ntwo\n\nthree"], 3: ["Ben", "four"]}


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_blank_rows_count_and_blank_ends_are_ignored(kind):
    if kind == "csv":
        data = b"name,phone,,\nAmina,1,,\n\n , ,,\nBen,2,,\n\n,,,\n\n"
    else:
        target = (
            io.BytesIO()
        )  # openpyxl does not mark cells that hold only spaces, as Excel and this writer do
        with xlsxwriter.Workbook(target) as book:
            sheet = book.add_worksheet()
            for i, row in enumerate([HEADER, ["Amina", "1"], [], [" ", " "], ["Ben", "2"], [], ["", " "]]):
                sheet.write_row(i, 0, row)
            sheet.write_blank("G9", None, book.add_format({"bold": True}))  # formatted and far out, but empty
        data = target.getvalue()
    table = read_contacts(data)
    assert as_rows(table) == {0: HEADER, 2: ["Amina", "1"], 3: ["", ""], 4: [" ", " "], 5: ["Ben", "2"]}
    assert (reading(table).rows, reading(table).blank_rows, reading(table).notices) == (4, 2, ())


def test_a_table_without_a_header_is_not_read_as_if_it_had_one():
    data = b"Amina,0772000001\nBen,0772000002\n"
    with refused("header_absent", FileError):
        read_contacts(data)
    expected = {0: ["column A", "column B"], 1: ["Amina", "0772000001"], 2: ["Ben", "0772000002"]}
    for header in (False, "if any"):
        table = read_contacts(data, header=header)
        assert as_rows(table) == expected
        assert reading(table).header_row is None
        assert as_codes(reading(table).notices) == {"columns_unnamed": {"columns": ["column A", "column B"]}}


TITLED = {
    0: ["name", "phone", "visit"],
    5: ["Amina", "0772000001", "Monday"],
    6: ["Ben", "0772000002", "Friday"],
}


def test_the_header_is_found_below_title_lines():
    title = b"Clinic visits\nExported on,2026-01-05\n\n"
    table = read_contacts(title + b"name,phone,visit\nAmina,0772000001,Monday\nBen,0772000002,Friday\n")
    assert as_rows(table) == TITLED
    assert reading(table).header_row == 4
    assert as_codes(reading(table).notices) == {"above_header": {"header": 4, "count": 3}}


def test_the_header_is_found_below_a_merged_banner():
    book = workbook(
        ["Clinic visits", None, None], ["January", None, None], [None] * 3, *(TITLED[i] for i in (0, 5, 6))
    )
    book.active.merge_cells("A1:C1")
    book.active.merge_cells("A2:C2")
    assert as_rows(read_contacts(saved(book))) == TITLED


def test_the_header_can_be_given():
    assert as_rows(read_contacts(b"a,b,c\nname,phone,x\nAmina,1,2\n", header=2)) == {
        0: ["name", "phone", "x"],
        3: ["Amina", "1", "2"],
    }
    with refused("header_row_missing", UsageError, row=9, last=2):
        read_contacts(b"a,b\n1,2\n", header=9)


def test_a_cell_merged_over_two_people_counts_for_both():
    book = workbook(
        ["name", "phone", "clinic"], ["Amina", "1", "Gulu"], ["Ben", "2", None], ["Chidi", "3", "Mbale"]
    )
    book.active.merge_cells("C2:C3")
    table = read_contacts(saved(book))
    assert as_rows(table)[3] == ["Ben", "2", "Gulu"]
    assert as_codes(reading(table).notices) == {"merged_cell": {"count": 1, "column": "clinic", "first": 3}}
    found = reading(table).issues[0]
    place = (found.row, found.column, found.facts["value"], found.code)
    assert place == (3, "clinic", "Gulu", "merged_cell")


def test_merged_cells_in_the_header_and_above_it_fill_no_row():
    book = workbook(["Visits", None], [None, None], ["name", "clinic"], [None, "Gulu"], ["Ben", None])
    book.active.merge_cells("A1:A2")
    book.active.merge_cells("A3:A4")  # the header's own cell, which reaches into the row of a contact
    table = read_contacts(saved(book), header=3)
    assert as_rows(table) == {0: ["name", "clinic"], 4: ["", "Gulu"], 5: ["Ben", ""]}
    assert reading(table).issues == ()


def test_a_merged_area_of_blank_cells_is_no_issue():
    book = workbook(["name", "clinic"], ["Amina", None], ["Ben", None])
    book.active.merge_cells("B2:B3")
    table = read_contacts(saved(book))
    assert as_rows(table) == {0: ["name", "clinic"], 2: ["Amina", ""], 3: ["Ben", ""]}
    assert reading(table).issues == ()


def test_more_merged_cells_than_any_contact_table_has_are_refused(monkeypatch):
    rows = [["Title", None]] * 6 + [
        ["name", "clinic"],
        ["Amina", "Gulu"],
        *([[f"N{i}", None]] for i in range(4)),
    ]
    book = workbook(*[row if len(row) == 2 else row[0] for row in rows])
    book.active.merge_cells("A1:A6")  # above the header: not counted
    book.active.merge_cells("B8:B10")
    monkeypatch.setattr("campaign.contacts.table.FILLED", 2)
    assert read_contacts(saved(book), header=7)["clinic"].tolist() == ["Gulu", "Gulu", "Gulu", "", ""]
    book.active.merge_cells("A10:A11")
    with refused("file_too_large", FileError, unit="merged cells"):
        read_contacts(saved(book), header=7)


def test_merged_areas_in_hidden_columns_and_below_the_table_are_left_alone():
    book = workbook(["name", "secret", "phone"], ["Amina", "s", "1"], ["Ben", None, "2"])
    book.active.column_dimensions["B"].hidden = True
    book.active.merge_cells("B2:B3")
    book.active.merge_cells("C3:C9")
    table = read_contacts(saved(book))
    assert as_rows(table) == {0: HEADER, 2: ["Amina", "1"], 3: ["Ben", "2"]}
    assert reading(table).issues == ()


def with_hidden():
    book = openpyxl.Workbook()
    book.active.title = "Old"
    book.active.append(["nobody"])
    book.active.sheet_state = "hidden"
    sheet = book.create_sheet("Visits")
    for row in (["name", "secret", "phone"], *([f"N{i}", f"s{i}", f"077200000{i}"] for i in range(2, 7))):
        sheet.append(row)
    sheet.auto_filter.ref = "A1:C6"
    sheet.auto_filter.add_filter_column(0, ["N2", "N5", "N6"])
    for row in (3, 4):
        sheet.row_dimensions[row].hidden = True  # what Excel does to the rows that a filter takes out
    sheet.column_dimensions["B"].hidden = True
    book.create_sheet("Notes").append(["x"])
    return saved(book)


def test_hidden_sheets_rows_and_columns_are_left_out_and_said():
    table = read_contacts(with_hidden())
    assert as_rows(table) == {
        0: HEADER,
        2: ["N2", "0772000002"],
        5: ["N5", "0772000005"],
        6: ["N6", "0772000006"],
    }
    assert (reading(table).sheet, reading(table).hidden_rows, reading(table).rows) == ("Visits", 2, 3)
    assert as_codes(reading(table).notices) == {
        "sheets_not_read": {"sheet": "Visits", "others": ["Old", "Notes"]},
        "columns_hidden": {"letters": ["B"]},
        "rows_hidden": {"count": 2, "first": 3},
    }


def test_all_sheets_of_a_workbook_are_named_whichever_is_read():
    assert reading(read_contacts(with_hidden())).sheets == ("Old", "Visits", "Notes")
    assert reading(read_contacts(with_hidden(), sheet="Notes", header=1)).sheets == ("Old", "Visits", "Notes")
    assert reading(read_contacts(b"name,phone\nAmina,0772000001\n")).sheets == ()


def test_hidden_rows_and_columns_are_read_when_asked_for():
    table = read_contacts(with_hidden(), hidden="include")
    assert list(as_rows(table)) == [0, 2, 3, 4, 5, 6]
    assert list(table.columns) == ["name", "secret", "phone"]
    assert reading(table).hidden_rows == 0


def test_a_sheet_is_named_without_case_and_spaces_or_all_are_listed():
    assert reading(read_contacts(with_hidden(), sheet="notes", header=1)).sheet == "Notes"
    hidden = read_contacts(with_hidden(), sheet="Old", header=1)
    assert reading(hidden).notices[0].code == "sheet_hidden"
    with refused("wrong_choice", UsageError, argument="sheet", choices=["'Old'", "'Visits'", "'Notes'"]):
        read_contacts(with_hidden(), sheet="Feb")


def test_a_formula_that_was_never_calculated_is_named():
    table = read_contacts(saved(workbook(["name", "total"], ["Amina", "=1+1"], ["Ben", 5])))
    assert as_rows(table) == {0: ["name", "total"], 2: ["Amina", ""], 3: ["Ben", "5"]}
    facts = {"count": 1, "column": "total", "first": 2}
    assert as_codes(reading(table).notices) == {"formula_without_value": facts}
    assert [(found.row, found.code) for found in reading(table).issues] == [(2, "formula_without_value")]


def test_the_zero_that_a_library_writes_for_a_formula_is_no_value():
    target = io.BytesIO()
    book = xlsxwriter.Workbook(target)
    sheet = book.add_worksheet()
    sheet.write_row(0, 0, ["name", "total", "known"])
    sheet.write_row(1, 0, ["Amina", "=1+1"])
    sheet.write_formula(1, 2, "=2+3", None, 5)
    book.close()
    table = read_contacts(target.getvalue())
    assert as_rows(table) == {0: ["name", "total", "known"], 2: ["Amina", "", "5"]}
    assert [found.column for found in reading(table).issues] == ["total"]


AS_WRITTEN = {
    "2026-01-05": dt.date(2026, 1, 5),
    "2026-01-05 14:30": dt.datetime(2026, 1, 5, 14, 30),
    "2026-01-05 14:30:05": dt.datetime(2026, 1, 5, 14, 30, 5),
    "14:30": dt.time(14, 30),
    "26:30": dt.timedelta(hours=26, minutes=30),
    "1500": 1500.0,
    "1500.5": 1500.5,
    "0.3": 0.1 + 0.2,
    "-20": -20,
    "0.00001": 0.00001,
    "123456789012345": 123456789012345,
    "TRUE": True,
}


def test_dates_and_amounts_are_as_a_person_writes_them():
    book = workbook(["name", "value"], *(["x", value] for value in AS_WRITTEN.values()))
    assert read_contacts(saved(book))["value"].tolist() == list(AS_WRITTEN)
    frame = pd.DataFrame({"name": "x", "value": pd.Series(list(AS_WRITTEN.values()), dtype=object)})
    assert read_contacts(frame)["value"].tolist() == list(AS_WRITTEN)


NO_MOMENT = [  # a number, its format, what a person would write
    (256772000001, "[h]:mm:ss", "256772000001"),
    (772000001, "[h]:mm:ss", "772000001"),
    (256772000001, "yyyy-mm-dd", "256772000001"),
    (-256772000001, "[h]:mm", "-256772000001"),
    (-5, "yyyy-mm-dd", "-5"),
    (-0.25, "h:mm", "-0.25"),
    (-0.25, "[h]:mm", "-6:00"),
    (1.5, "[h]:mm", "36:00"),
    (0, "h:mm", "00:00"),
    (0.5, "h:mm", "12:00"),
    (61, "yyyy-mm-dd", "1900-03-01"),
    (2958465, "yyyy-mm-dd", "9999-12-31"),
    (2958466, "yyyy-mm-dd", "2958466"),
]


def test_numbers_that_no_date_or_time_can_be_keep_their_digits():
    """A format for dates or times on a column of phone numbers is a slip of the hand."""
    book = workbook(["name", "value"])
    for number, style, _ in NO_MOMENT:
        book.active.append(["Amina", number])
        book.active.cell(book.active.max_row, 2).number_format = style
    assert read_contacts(saved(book))["value"].tolist() == [text for *_, text in NO_MOMENT]
    cells = [number_cell(i + 1, 1, value, i + 1) for i, (value, *_) in enumerate(NO_MOMENT)]
    names = [label(i + 1, 0, "Amina") for i in range(len(NO_MOMENT))]
    styles = tuple(style for _, style, _ in NO_MOMENT)
    old = old_workbook(label(0, 0, "name"), label(0, 1, "value"), *names, *cells, formats=styles)
    assert read_contacts(old)["value"].tolist() == [text for *_, text in NO_MOMENT]


def test_negative_amounts_beside_times_stay_what_they_are():
    book = workbook(["name", "time", "amount"], ["Amina", 0.5, -5], ["Ben", -3, -7])
    for cell in ("B2", "B3"):
        book.active[cell].number_format = "h:mm"
    assert as_rows(read_contacts(saved(book))) == {
        0: ["name", "time", "amount"],
        2: ["Amina", "12:00", "-5"],
        3: ["Ben", "-3", "-7"],
    }


NOT_A_VALUE = """
#N/A
#REF!
#VALUE!
########
#¡REF!
#NOM?
#NV
#ИМЯ?
Err:502
\\N
(null)
""".strip("\n").splitlines()
REPAIRED = {
    "O&#039;Brien": "O'Brien",
    "Tom &amp; Mary": "Tom & Mary",
    "Ren&eacute;": "René",
    "AT&amp;amp;T": "AT&T",  # encoded twice
    "JosÃ©": "José",
    "JOSÃ‰": "JOSÉ",
    "MUÃ‘OZ": "MUÑOZ",
    "donâ€™t": "don’t",
    "JosÃƒÂ©": "José",
    "Jos√©": "José",  # on a Mac
    "Jos├⌐": "José",  # in MS-DOS
    "РњР°СЂРёСЏ": "Мария",  # in Windows in Russia
    "ç”°ä¸\xad": "田中",
    "JoseÌ\x81": "José",
    "ðŸ˜€": "😀",
}
ORDINARY = """
#1 Fan
AT&T
R&D; Q&A
São
IRMÃO
MAÇÃ
“MAÇÔ
CAFÉ…
NESCAFÉ®
« café\u00a0»
PERÚ’S
È\u00a0la
Её
Ñ’
N/A
NULL
5" #12
""".strip("\n").splitlines()


@pytest.fixture(params=["csv", "streamed", "frame", "parquet", "xlsx"])
def planned(request, tmp_path):
    """The plan of "Hi {name}" for these names, whatever they come in."""

    def plan(names):
        frame = pd.DataFrame({"name": names, "phone": [f"0772000{i:03}" for i in range(len(names))]})
        path = tmp_path / f"names.{request.param.replace('streamed', 'csv')}"
        if request.param == "frame":
            path = frame
        elif path.suffix == ".csv":
            frame.to_csv(path, index=False)
        elif path.suffix == ".parquet":
            frame.to_parquet(path)
        else:
            with xlsxwriter.Workbook(path, {"strings_to_formulas": False}) as book:
                sheet = book.add_worksheet()
                for row, cells in enumerate([frame.columns, *frame.to_numpy()]):
                    for column, cell in enumerate(cells):
                        sheet.write_string(row, column, cell)
        stream = True if request.param == "streamed" else None
        return campaign.prepare(
            path, message="Hi {name}", sender="X", region="UG", stream=stream, downgrade=False
        )

    return plan


def codes_of(plan, column):
    issues = plan.issues[plan.issues["column"] == column]
    return issues.groupby("row")["code"].agg(set).to_dict()


def test_what_a_cell_shows_instead_of_a_value_goes_to_nobody(planned):
    plan = planned([*NOT_A_VALUE, "Jos\ufffd", "Amina"])
    assert plan.messages["message"].tolist() == ["Hi Amina"]
    errors = {row: {"cell_error", "missing_value"} for row in range(2, len(NOT_A_VALUE) + 2)}
    assert codes_of(plan, "name") == errors | {len(NOT_A_VALUE) + 2: {"hidden_character"}}


def test_an_error_that_is_named_as_missing_is_counted_there():
    table = read_contacts(b"name,phone\n#N/A,0772000001\n#REF!,0772000002\n", missing="#N/A")
    assert table["name"].tolist() == ["", ""]
    assert [(found.row, found.code) for found in reading(table).issues] == [(3, "cell_error")]
    assert as_codes(reading(table).notices)["texts_emptied"] == {"count": 1, "texts": ["#N/A"]}


def test_codes_of_other_programs_are_repaired_and_said(planned):
    plan = planned([*REPAIRED])
    assert plan.messages["message"].tolist() == [f"Hi {name}" for name in REPAIRED.values()]
    said = plan.issues[(plan.issues["code"] == "repaired_text") & plan.issues["row"].notna()]
    assert said["value"].tolist() == list(REPAIRED.values())
    assert set(said["severity"]) == {"info"}


def test_ordinary_names_with_such_characters_stay_as_they_are(planned):
    plan = planned(ORDINARY)
    assert plan.messages["message"].tolist() == [f"Hi {name}" for name in ORDINARY]
    assert "repaired_text" not in set(plan.issues["code"])


def test_a_header_with_codes_is_repaired_and_said():
    table = read_contacts("prÃ©nom,phone\nAmina,0772000001\n".encode())
    assert list(table.columns) == ["prénom", "phone"]
    assert as_codes(reading(table).notices) == {"repaired_text": {"texts": ["prÃ©nom"]}}


def test_letters_from_a_mac_are_composed(planned):
    """Decomposed, José costs three parts instead of one, and differs from what another phone wrote."""
    name = "Jose\u0301"
    plan = planned([name, "José"])
    assert plan.messages["message"].tolist() == ["Hi José"] * 2
    assert plan.messages["parts"].tolist() == [1, 1]
    literal = campaign.prepare(
        pd.DataFrame({"pre\u0301nom": ["x"], "phone": ["0772000001"]}),
        message=f"{name} {{pre\u0301nom}}" * 3, sender="X", region="UG",
    )  # fmt: skip
    assert literal.contacts.columns[0] == "prénom"
    assert literal.messages["message"].tolist() == ["José x" * 3]


UNTOUCHED = """
\u200b\u202a+256 772 000001\u202c\u00a0
０７７２０００００１
٠٧٧٢٠٠٠٠٠١
O772000001
0772I00001
0772000001 / 0701000001
00256772000001
(0)772 000 001
0772000001 ext 5
0414000001
👩‍👩‍👧 नमस्ते สวัสดี é
“curly” – …\u00a0’
{name} {{x}} =1+1 @cmd
""".strip("\n").splitlines()


@pytest.mark.parametrize("cell", UNTOUCHED)
def test_what_later_steps_judge_arrives_untouched(cell):
    """Cleaning numbers and texts is no business of the reader."""
    quoted = cell.replace('"', '""')
    assert read_contacts(f'name,cell\nx,"{quoted}"\n'.encode())["cell"].tolist() == [cell]
    book = workbook(["name", "cell"], ["x", cell])
    book.active["B2"].data_type = "s"
    assert read_contacts(saved(book))["cell"].tolist() == [cell]


def test_the_mark_of_an_open_workbook_is_told_apart(tmp_path):
    path = tmp_path / "~$visits.xlsx"
    path.write_bytes(b"\5Amina" + b" " * 159)
    with refused("lock_file", FileError, workbook="visits.xlsx"):
        read_contacts(path)


def test_a_workbook_with_a_password_is_told_apart():
    with refused("password_protected", FileError):
        read_contacts(SAMPLES / "password.xlsx")


def test_only_the_content_says_what_a_file_is(tmp_path):
    path = tmp_path / "export.xls"
    path.write_bytes(b"name\tphone\nAmina\t0772000001\n")
    table = read_contacts(path)
    assert as_rows(table) == {0: HEADER, 2: ["Amina", "0772000001"]}
    assert reading(table).format == "tsv"
    path = tmp_path / "visits.csv"
    path.write_bytes((SAMPLES / "visits.xls").read_bytes())
    assert reading(read_contacts(path)).format == "xls"


REFUSED = {
    "page.xls": (b"<html><table><tr><td>name</td></tr></table>", "a web page"),
    "sheet.xls": (b'<?xml version="1.0"?><Workbook></Workbook>', "an XML file"),
    "list.pkl": (b"\x80\x04\x95\x10\x00.", "a pickle, which can run code"),
    "list.pdf": (b"%PDF-1.7 ...", "a PDF"),
    "list.csv.gz": (b"\x1f\x8b\x08\x00", "compressed (gzip)"),
    "list.json": (b'[{"name": "Amina"}]', "JSON"),
    "empty.csv": (b"", "table_empty"),
    "blank.csv": (b"\xef\xbb\xbf \r\n\r\n", "table_empty"),
    "noise.csv": (b"name,phone\nA\0mina,1\n", "not_text"),
    "x.zip": (b"PK\5\6" + b"\0" * 18, "an archive (zip)"),
    "photo.jpg": (b"\xff\xd8\xff\xe0 JFIF", "a picture"),
    "photo.csv": (b"\x89PNG\r\n", "a picture"),
    "phone.heic": (b"\0\0\0\x20ftypheic", "a picture"),
    "screen.webp": (b"RIFF\x10\0\0\0WEBPVP8 ", "a picture"),
    "voice.mp3": (b"ID3\x04\0", "a sound recording"),
    "people.vcf": (b"BEGIN:VCARD\nTEL:0772000001\n", "a file of contact cards (vCard)"),
    "blank lines.pdf": (b"\n\n%PDF-1.4 \xe2\xe3", "a PDF"),
    "wide.csv": ("name,phone\nAmina,1\n".encode("utf-32"), "not_text"),
    "random.xlsx": (bytes(range(1, 256)) * 4, "not_text"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_files_are_named_for_what_they_are(name, tmp_path):
    data, what = REFUSED[name]
    (tmp_path / name).write_bytes(data)
    with pytest.raises(FileError) as caught:
        read_contacts(tmp_path / name)
    finding = caught.value.finding
    assert finding.facts.get("kind", finding.code) == what


@pytest.mark.parametrize("header", ["PARENT", "ID3", "BMI", "MM", "GIF"])
def test_a_header_that_begins_like_another_kind_of_file_is_a_header(header):
    assert as_rows(read_contacts(f"{header},phone\nx,0772000001\n".encode()))[0] == [header, "phone"]


def zipped(parts):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


@pytest.mark.parametrize("inside", ["word/document.xml", "ppt/presentation.xml"])
def test_a_document_in_a_zip_is_called_a_document(inside):
    with refused("no_spreadsheet", FileError, kind="a document"):
        read_contacts(zipped({inside: b"<xml/>"}))
    odt = zipped({"mimetype": b"application/vnd.oasis.opendocument.text", "content.xml": b"<x/>"})
    with refused("no_spreadsheet", FileError, kind="a document"):
        read_contacts(odt)


def test_a_missing_file_and_a_folder_are_said_plainly(tmp_path):
    with refused("file_missing", FileError):
        read_contacts(tmp_path / "nothing.csv")
    with refused("not_a_file", FileError, kind="a folder"):
        read_contacts(tmp_path)


def test_a_table_with_a_header_and_no_rows_is_empty():
    for data in (b"name,phone\n", saved(workbook(HEADER))):
        table = read_contacts(data)
        assert as_rows(table) == {0: HEADER}
        assert as_codes(reading(table).notices) == {"header_only": {}}


def test_an_opt_out_list_may_stand_without_a_header():
    bare = read_contacts(b"0772000001\n0772000002\n", header="if any")
    assert as_rows(bare) == {0: ["column A"], 1: ["0772000001"], 2: ["0772000002"]}
    headed = read_contacts(b"phone\n0772000001\n", header="if any")
    assert as_rows(headed) == {0: ["phone"], 2: ["0772000001"]}


def test_files_are_complained_of_first_then_columns_then_rows():
    row = b"1,2,3,4\n"
    with refused("not_text", FileError, line=3):
        read_contacts(b"phone,Phone,x\n" + row + b"\0\n")
    with refused("columns_alike", ColumnError, columns=["phone", "Phone"], letters=["A", "B"]):
        read_contacts(b"phone,Phone,x\n" + row)
    with refused("rows_too_wide", FileError, rows=[2], columns=3):
        read_contacts(b"phone,mobile,x\n" + row)


def test_one_row_and_one_column_are_a_table():
    assert as_rows(read_contacts(b"phone\n0772000001")) == {0: ["phone"], 2: ["0772000001"]}


def test_a_thousand_columns_are_read():
    header = [f"c{i}" for i in range(1000)]
    text = ",".join(header) + "\n" + ",".join(["x"] * 1000) + "\n"
    assert as_rows(read_contacts(text.encode())) == {0: header, 2: ["x"] * 1000}
    assert as_rows(read_contacts(saved(workbook(header, ["x"] * 1000)))) == {0: header, 2: ["x"] * 1000}


# --- the same table, however it is kept ---------------------------------------------------------------

VISITS = {
    0: ["name", "phone", "visit date", "amount", "note"],
    2: ["Amina", "0772000001", "2026-01-05", "1500", "NA"],
    3: ["Zoë Müller", "+256772000002", "2026-01-05 14:30", "1500.5", "first line\nsecond line"],
    4: ["", "", "", "", ""],
    5: ["  Ben ", "772000004", "2026-12-31", "0.1", 'says "yes", twice'],
    6: ["Chidi", "00256772000005", "", "-20", "None"],
}


def visits_csv(delimiter, encoding):
    quoted = [[f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in row] for row in VISITS.values()]
    return "".join(delimiter.join(row) + "\r\n" for row in quoted).encode(encoding)


def visits_xlsx():
    book = workbook(*VISITS.values())
    sheet = book.active
    for row in VISITS:
        for column in (1, 2, 5):
            sheet.cell(max(row, 1), column).data_type = "s"
    sheet["C2"], sheet["C3"], sheet["C5"] = (
        dt.date(2026, 1, 5),
        dt.datetime(2026, 1, 5, 14, 30),
        dt.date(2026, 12, 31),
    )
    sheet["D2"], sheet["D3"], sheet["D5"], sheet["D6"] = 1500, 1500.5, 0.1, -20
    sheet["B5"] = 772000004
    return saved(book)


def visits_frame():
    rows = [VISITS[i] for i in range(2, 7)]
    frame = pd.DataFrame(rows, columns=VISITS[0])
    frame["amount"] = [1500, 1500.5, None, 0.1, -20]
    frame["visit date"] = pd.to_datetime(frame["visit date"].replace("", None), format="mixed")
    return frame


def visits_parquet():
    target = io.BytesIO()
    visits_frame().to_parquet(target)
    return target.getvalue()


KEPT = {
    **{
        f"csv {encoding} {name}": (visits_csv, delimiter, encoding)
        for encoding in ("utf-8", "utf-8-sig", "utf-16", "cp1252")
        for name, delimiter in {"comma": ",", "semicolon": ";", "tab": "\t"}.items()
    },
    "xlsx": (visits_xlsx,),
    "parquet": (visits_parquet,),
    "DataFrame": (visits_frame,),
    "xls": ((SAMPLES / "visits.xls").read_bytes,),
    "ods": ((SAMPLES / "visits.ods").read_bytes,),
}


@pytest.mark.parametrize("kind", KEPT)
def test_the_same_table_in_any_format_is_the_same_contact_table(kind):
    make, *arguments = KEPT[kind]
    table = read_contacts(make(*arguments))
    assert as_rows(table) == VISITS
    assert (reading(table).rows, reading(table).blank_rows, reading(table).header_row) == (5, 1, 1)


@pytest.mark.parametrize("kind", ["xls", "ods"])
def test_old_and_open_workbooks_tell_all_that_xlsx_tells(kind):
    """A hidden sheet, a banner, hidden rows, a hidden column, merged cells, formulas: made by LibreOffice."""
    table = read_contacts(SAMPLES / f"clinic.{kind}")
    assert as_rows(table) == {
        0: ["name", "phone", "clinic", "total"],
        4: ["Amina", "0772000001", "Kampala", "2"],
        5: ["Ben", "0772000002", "Kampala", "UGX 1500"],
        8: ["Eve", "0772000005", "Mbale", "5"],
    }
    assert as_codes(reading(table).notices) == {
        "sheets_not_read": {"sheet": "Clinic", "others": ["Old", "Notes"]},
        "columns_hidden": {"letters": ["C"]},
        "above_header": {"header": 3, "count": 2},
        "rows_hidden": {"count": 2, "first": 6},
        "merged_cell": {"count": 1, "column": "clinic", "first": 5},
    }
    shown = read_contacts(SAMPLES / f"clinic.{kind}", hidden="include")
    assert as_rows(shown)[6] == ["Chidi", "0772000003", "s3", "Gulu", ""]
    assert as_codes(reading(shown).notices)["cell_error"] == {"count": 1, "column": "total", "first": 6}


# --- ways to hand a table over ------------------------------------------------------------------------


def test_paths_bytes_and_open_files_are_the_same(tmp_path):
    data = b"name,phone\nAmina,0772000001\n"
    path = tmp_path / "list.csv"
    path.write_bytes(data)
    with path.open("rb") as binary, path.open(encoding="utf-8") as text:
        tables = [
            read_contacts(one)
            for one in (path, str(path), data, bytearray(data), io.BytesIO(data), binary, text)
        ]
    assert all(as_rows(table) == as_rows(tables[0]) for table in tables)
    assert [reading(table).source for table in tables[-2:]] == ["list.csv", "list.csv"]


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path):
    """Its first rows would be of one table and its last of another."""
    path = tmp_path / "list.csv"
    path.write_bytes(b"name,phone\nAmina,0772000001\n")
    opened = open_source(path, max_bytes=100)
    assert opened.data[:4] == b"name"
    os.utime(path, ns=(0, 0))
    with refused("file_changed", FileError):
        opened.data[4:]


def test_a_closed_file_and_a_number_are_no_source():
    closed = io.BytesIO(b"name\n")
    closed.close()
    with refused("file_unreadable", FileError):
        read_contacts(closed)
    with refused("wrong_value", UsageError):
        read_contacts(5)


def test_a_frame_numbers_its_rows_like_a_sheet_with_its_names_in_row_1():
    frame = pd.DataFrame({"name": ["Amina", None], 7: [256772000001, None]}, index=[40, 41])
    table = read_contacts(frame)
    assert as_rows(table) == {0: ["name", "7"], 2: ["Amina", "256772000001"], 3: ["", ""]}
    assert but_its_version(table) == Reading("a DataFrame", "DataFrame", None, 1, None, None, 2, 0, 1, ())
    assert list(frame.columns) == ["name", 7]


def test_a_named_index_is_a_column_of_its_own():
    frame = pd.DataFrame({"phone": ["1"]}, index=pd.Index(["Amina"], name="name"))
    assert as_rows(read_contacts(frame)) == {0: HEADER, 2: ["Amina", "1"]}


def test_a_contact_table_read_again_keeps_its_rows_and_what_was_said():
    table = read_contacts(b"name,phone\nAmina,1\nBen,2\nChidi,3\n")
    assert as_rows(read_contacts(table)) == as_rows(table)
    assert reading(read_contacts(table)) == reading(table)
    part = read_contacts(table[table["phone"] != "2"].assign(amount=[1.0, None]))
    assert as_rows(part) == {0: ["name", "phone", "amount"], 2: ["Amina", "1", "1"], 4: ["Chidi", "3", ""]}
    assert as_codes(reading(part).notices) == {"table_changed": {"rows": 2, "rows_read": 3}}


def test_a_contact_table_in_another_order_keeps_all_rows():
    table = read_contacts(b"name,phone\nAmina,1\n,\nBen,2\n")
    turned = read_contacts(table.sort_values("name", ascending=False))
    assert as_rows(turned) == {0: HEADER, 4: ["Ben", "2"], 2: ["Amina", "1"], 3: ["", ""]}
    assert reading(turned) == reading(table)


def test_a_parquet_file_has_its_names_for_a_header_whatever_they_are():
    target = io.BytesIO()
    pd.DataFrame({"0772000001": ["phone"], "b": ["number"]}).to_parquet(target)
    assert as_rows(read_contacts(target.getvalue())) == {0: ["0772000001", "b"], 2: ["phone", "number"]}


@pytest.mark.parametrize("value", [["a"], {"a": 1}, b"a"])
def test_what_is_no_cell_is_refused_by_column(value):
    with refused("cell_unfit", ColumnError, column="name"):
        read_contacts(pd.DataFrame({"name": [value]}))


def test_the_reading_survives_what_notebooks_do():
    table = read_contacts(b"name,phone\nAmina,0772000001\n")
    assert reading(table.copy().pipe(lambda frame: frame[["phone"]]).assign(x="y")) == reading(table)


def test_a_reading_comes_back_from_json():
    book = workbook(["name", "clinic"], ["Amina", "Gulu"], ["Ben", None])
    book.active.merge_cells("B2:B3")
    said = reading(read_contacts(saved(book)))
    record = json.loads(json.dumps(said.as_record()))
    assert Reading.from_record(record) == said


def test_a_contact_table_is_written_as_parquet_and_read_again_by_pandas(tmp_path):
    """With its reading, so that the plan is the same; a reading of another program counts as none."""
    table = read_contacts(b"name;phone\nAisha;0772 000 001 \n;\nBen;0772 000 002\n")
    table.to_parquet(tmp_path / "visits.parquet")
    again = pd.read_parquet(tmp_path / "visits.parquet")
    assert reading_of(again) == reading(table)
    options = {"message": "Hi {name|you}", "sender": "CLINIC", "region": "UG"}
    first, second = prepare(table, **options), prepare(again, **options)
    assert first.reading == second.reading
    assert first.issues.equals(second.issues)
    assert first.contacts.equals(second.contacts)
    again.attrs["reading"] = {"minutes": 20}
    assert reading_of(again) is None
    assert prepare(again, **options).reading.source == "a DataFrame"


def test_options_that_can_have_no_effect_are_refused():
    with refused("wrong_value", UsageError):
        read_contacts(b"name\nA\n", sheet="x")
    with refused("wrong_value", UsageError):
        read_contacts(saved(workbook(HEADER)), delimiter=";")
    with refused("wrong_value", UsageError):
        read_contacts(pd.DataFrame({"a": ["b"]}), header=2)
    with refused("wrong_choice", UsageError):
        read_contacts(b"name\nA\n", hidden="show")


def test_several_files_are_numbered_as_if_pasted_below_each_other(tmp_path):
    (tmp_path / "north.csv").write_bytes(b"name,phone\nAmina,1\nBen,2\n")
    workbook(["Phone", "Name"], ["3", "Chidi"]).save(tmp_path / "south.xlsx")
    table = read_contacts([tmp_path / "north.csv", tmp_path / "south.xlsx"])
    assert as_rows(table) == {
        0: ["file", "row in file", "name", "phone"],
        2: ["north.csv", "2", "Amina", "1"],
        3: ["north.csv", "3", "Ben", "2"],
        5: ["south.xlsx", "2", "Chidi", "3"],
    }
    assert but_its_version(table) == Reading(
        "north.csv and south.xlsx", "csv and xlsx", None, 1, None, None, 3, 0, 0,
        (
            Finding("table_joined", {"first": 2, "last": 3, "file": "north.csv"}, "info"),
            Finding("table_joined", {"first": 5, "last": 5, "file": "south.xlsx"}, "info"),
        ),
    )  # fmt: skip


def test_several_files_need_the_same_columns():
    with refused("columns_differ", ColumnError, columns=["phone", "mobile"]):
        read_contacts([b"name,phone\nA,1\n", b"name,mobile\nB,2\n"])
    with refused("wrong_value", UsageError, argument="read_contacts"):
        read_contacts([])


def test_a_frame_without_columns_and_half_a_character_are_said_in_a_sentence():
    with refused("table_empty", FileError):
        read_contacts(pd.DataFrame())
    broken = pd.DataFrame({"phone": pd.Series(["0772000001", "a\ud800"], dtype=object)})
    with refused("cell_unfit", ColumnError, column="phone", row=3, kind="half a character"):
        read_contacts(broken)
