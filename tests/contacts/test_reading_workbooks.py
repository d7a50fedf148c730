"""What workbooks keep beside their cells, and every way in which it can be written."""

import io
import re
import struct
import zipfile
from pathlib import Path

import pytest
import xlsxwriter
from ftfy.badness import is_bad
from hypothesis import example, given
from hypothesis import strategies as st
from support.findings import as_codes
from support.old_workbooks import container, formula, label, old_workbook, record
from support.refusals import refused
from support.spreadsheets import as_rows, reading, saved, workbook

from campaign.contacts.reading import read_contacts
from campaign.contacts.table import TableRows, table_of
from campaign.contacts.workbooks.sheet_grid import grid_of
from campaign.contacts.workbooks.xlsx import read_xlsx
from campaign.errors import FileError

SAMPLES = Path(__file__).parents[1] / "support" / "samples"


def with_part(data, name, content):
    """The workbook with one part replaced or added."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for other in old.namelist():
            if other != name:
                new.writestr(other, old.read(other))
        new.writestr(name, content)
    return target.getvalue()


def with_sheet(xml):
    """A workbook whose only sheet has this XML inside `worksheet`."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    whole = f'<?xml version="1.0" encoding="UTF-8"?><worksheet xmlns="{main}">{xml}</worksheet>'
    return with_part(saved(workbook(["x"])), "xl/worksheets/sheet1.xml", whole.encode())


def rows_xml(*rows):
    return f"<sheetData>{''.join(rows)}</sheetData>"


HEAD = '<row r="1"><c r="A1" t="str"><v>name</v></c><c r="B1" t="str"><v>n</v></c></row>'
AMINA = '<row r="2"><c r="A2" t="inlineStr"><is><t>Amina</t></is></c><c r="B2"><v>5</v></c></row>'
HIDDEN = AMINA.replace('r="2"', 'r="3" hidden="1"').replace('"A2"', '"A3"').replace('"B2"', '"B3"')
EXPECTED = {0: ["name", "n"], 2: ["Amina", "5"]}

SPELLINGS = {
    "as Excel writes it": rows_xml(HEAD, AMINA, HIDDEN),
    "true for 1": rows_xml(HEAD, AMINA, HIDDEN.replace('"1"', '"true"')),
    "single quotes": rows_xml(HEAD, AMINA, HIDDEN).replace('"', "'"),
    "line breaks": rows_xml(HEAD, AMINA, HIDDEN).replace("<row ", "\n  <row\n ").replace("<c ", "\n <c  "),
    "hidden first": rows_xml(HEAD, AMINA, HIDDEN.replace('r="3" hidden="1"', 'hidden="1" r="3"')),
    "comments": rows_xml(HEAD, "<!-- <row r='9'><c r='XFD9'/></row> -->", AMINA, HIDDEN),
    "a sign in an attribute": rows_xml(HEAD, AMINA, HIDDEN.replace(" hidden", ' note=">" hidden')),
    "cells without their place": re.sub(r' r="[A-Z]\d"', "", rows_xml(HEAD, AMINA, HIDDEN)),
    "rows without their number": re.sub(r' r="(\d|[A-Z]\d)"', "", rows_xml(HEAD, AMINA, HIDDEN)),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_hidden_rows_are_seen_however_the_xml_is_written(spelling):
    table = read_contacts(with_sheet(SPELLINGS[spelling]))
    assert as_rows(table) == EXPECTED
    assert reading(table).hidden_rows == 1


def test_a_prefix_before_every_element_changes_nothing():
    data = with_sheet(rows_xml(HEAD, AMINA, HIDDEN))
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        xml = opened.read("xl/worksheets/sheet1.xml").decode()
    prefixed = re.sub(r"<(/?)(?=[a-z])", r"<\1x:", xml).replace("xmlns=", "xmlns:x=")
    data = with_part(data, "xl/worksheets/sheet1.xml", prefixed.encode())
    assert as_rows(read_contacts(data)) == EXPECTED


def test_hidden_columns_merges_and_errors_are_seen():
    xml = (
        '<cols><col min="2" max="2" hidden="1" width="9"/><col min="4" max="16384" hidden="1"/></cols>'
        + rows_xml(
            '<row r="1">' + "".join(f'<c r="{c}1" t="str"><v>{c}</v></c>' for c in "ABCD") + "</row>",
            '<row r="2"><c r="A2" t="str"><v>x</v></c><c r="C2" t="e"><f>NA()</f><v>#N/A</v></c></row>',
            '<row r="3"><c r="C3" t="str"><f>""</f><v></v></c></row>',  # comes to an empty text
            '<row r="4"><c r="A4" t="str"><v>y</v></c><c r="C4"><f>1+1</f></c></row>',
        )
        + '<mergeCells count="1"><mergeCell ref="A2:A3"/></mergeCells>'
    )
    table = read_contacts(with_sheet(xml))
    assert as_rows(table) == {0: ["A", "C"], 2: ["x", ""], 3: ["x", ""], 4: ["y", ""]}
    assert [(f.row, f.column, f.code) for f in reading(table).issues] == [
        (3, "A", "merged_cell"),
        (4, "C", "formula_without_value"),
        (2, "C", "cell_error"),
    ]


def test_whole_blocks_of_numbers_are_written_as_others_are():
    book = workbook(["name", "n"], *([f"Amina {i}", i / 8] for i in range(10_001)))
    book.active.row_dimensions[3].hidden = True
    cells = read_xlsx(saved(book), sheet=None, max_bytes=10**7, max_cells=10**6)
    assert cells.hidden_rows == {3}
    assert grid_of(cells).columns[1].take([0, 1, 2, 9_999, 10_001]).to_pylist() == [
        "n", "0", "0.125", "1249.75", "1250"
    ]  # fmt: skip


def test_a_header_of_two_merged_rows_is_read_from_the_lower_one():
    book = workbook(["name", "phones", None], [None, "first", "second"], ["Amina", "1", "2"])
    book.active.merge_cells("A1:A2")
    book.active.merge_cells("B1:C1")
    assert as_rows(read_contacts(saved(book))) == {0: ["name", "first", "second"], 3: ["Amina", "1", "2"]}


def test_a_merge_whose_first_row_is_hidden_fills_the_others():
    book = workbook(["name", "clinic"], ["Amina", "Gulu"], ["Ben", None])
    book.active.merge_cells("B2:B3")
    book.active.row_dimensions[2].hidden = True
    assert as_rows(read_contacts(saved(book))) == {0: ["name", "clinic"], 3: ["Ben", "Gulu"]}


@pytest.mark.parametrize("header", [None, 1, False])
def test_a_sheet_whose_columns_are_all_hidden_is_refused_with_the_way_to_read_it(header):
    book = workbook(["name"], ["Amina"])
    book.active.column_dimensions["A"].hidden = True
    with refused("all_hidden", FileError, what="columns", option='hidden="include"'):
        read_contacts(saved(book), header=header)


def test_columns_without_a_header_are_named_and_empty_ones_left_out():
    book = workbook([None, "name", None, "phone"], [7, "Amina", None, "1"])
    table = read_contacts(saved(book))
    assert as_rows(table) == {0: ["column A", "name", "phone"], 2: ["7", "Amina", "1"]}
    assert as_codes(reading(table).notices) == {
        "columns_unnamed": {"columns": ["column A"]},
        "columns_empty": {"letters": ["C"]},
    }


def test_a_table_that_starts_anywhere_keeps_its_places():
    book = workbook()
    sheet = book.active
    sheet["C4"], sheet["D4"], sheet["C5"], sheet["E5"] = "name", "phone", "Amina", "x"
    table = read_contacts(saved(book))
    assert as_rows(table) == {0: ["name", "phone", "column E"], 5: ["Amina", "", "x"]}


def test_all_sheets_hidden_is_said():
    data = saved(workbook(["name"], ["Amina"]))
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        xml = opened.read("xl/workbook.xml").decode()
    xml = xml.replace('state="visible"', 'state="veryHidden"')
    hidden = with_part(data, "xl/workbook.xml", xml.encode())
    with refused("all_hidden", FileError, what="sheets", option='sheet="Sheet"'):
        read_contacts(hidden)
    assert as_rows(read_contacts(hidden, sheet="Sheet")) == {0: ["name"], 2: ["Amina"]}


def test_a_table_in_a_cell_of_an_open_document_is_refused():
    data = (SAMPLES / "visits.ods").read_bytes()
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        xml = opened.read("content.xml").decode()
    start, end = xml.index("<table:table-row"), xml.rindex("</table:table-row>") + len("</table:table-row>")

    def row(*cells):
        content = "".join(
            f'<table:table-cell office:value-type="string">{cell}</table:table-cell>' for cell in cells
        )
        return f"<table:table-row>{content}</table:table-row>"

    inner = row("<text:p>0772000009</text:p>", "<text:p>nobody</text:p>")
    nested = f'<table:table table:name="inner">{inner}<table:table>{inner}</table:table>{inner}</table:table>'
    rows = row(f"<text:p>Amina</text:p>{nested}", "<text:p>1</text:p>")
    with refused("file_damaged", FileError):
        read_contacts(with_part(data, "content.xml", (xml[:start] + rows + xml[end:]).encode()))


texts = st.text(
    st.characters(
        exclude_categories=["Cs", "Cc"], include_characters="\n\t", exclude_characters="\ufffe\uffff"
    ),
    max_size=8,
).filter(lambda text: not is_bad(text))  # which would be repaired


@given(st.lists(st.tuples(texts, texts), max_size=6))
@example([("_x0041_", " \n"), ("", "\t"), ("=1+1", "00123")])
def test_any_table_of_texts_written_as_xlsx_reads_back_equal(rows):
    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as book:
        sheet = book.add_worksheet()
        for i, row in enumerate([("first", "second"), *rows]):
            for j, cell in enumerate(row):
                sheet.write_string(i, j, cell)
    kept = [list(row) for row in rows]
    while kept and not "".join(kept[-1]).strip():
        kept.pop()
    # In this process: fifty others would take many seconds.
    cells = read_xlsx(target.getvalue(), sheet=None, max_bytes=10**6, max_cells=10**6)
    sheet = TableRows([grid_of(cells)], header=None, skip_hidden=True, trim=True)
    table = table_of([*sheet.parts()], *sheet.columns())
    assert as_rows(table) == {0: ["first", "second"]} | dict(enumerate(kept, start=2))


# --- .xls ---------------------------------------------------------------------------------------------


def test_a_workbook_of_excel_5_is_read():
    table = read_contacts(
        old_workbook(
            label(0, 0, "name"), label(0, 1, "phone"), label(0, 2, "total"),
            label(1, 0, "Zoë"), record(0x203, struct.pack("<3Hd", 1, 1, 0, 256772000001)),
            formula(1, 2, struct.pack("<d", 2.5)),
            label(2, 0, "Ben"), record(0x27E, struct.pack("<3HI", 2, 1, 0, 772000 << 2 | 2)),
            formula(2, 2, bytes(8), flags=2),  # 0 until a spreadsheet program opens it
            label(3, 0, "Eve"), formula(3, 1, b"\0\0\0\0\0\0\xff\xff"),
            record(0x207, struct.pack("<H", 4) + b"0772"), formula(3, 2, b"\2\0\7\0\0\0\xff\xff"),
        )
    )  # fmt: skip
    assert as_rows(table) == {
        0: ["name", "phone", "total"],
        2: ["Zoë", "256772000001", "2.5"],
        3: ["Ben", "772000", ""],
        4: ["Eve", "0772", ""],
    }
    assert [(f.row, f.column, f.code) for f in reading(table).issues] == [
        (3, "total", "formula_without_value"),
        (4, "total", "cell_error"),
    ]


def test_a_protected_old_workbook_is_told_apart():
    with refused("password_protected", FileError):
        read_contacts(old_workbook(sheets=record(0x2F, bytes(6))))


def test_an_old_document_is_no_workbook():
    with refused("no_spreadsheet", FileError, kind="an old Office document"):
        read_contacts(container("WordDocument", b"x"))


@pytest.mark.parametrize("name", ["visits.ods", "visits.xls"])
def test_the_sheets_of_other_formats_are_named_too(name):
    sheets = reading(read_contacts(SAMPLES / name)).sheets
    assert reading(read_contacts(SAMPLES / name)).sheet in sheets
