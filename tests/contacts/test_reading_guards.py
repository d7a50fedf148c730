"""Files made to hurt whoever opens them: each is refused with a sentence, at once and in little memory."""

import io
import os
import struct
import tracemalloc
import zipfile
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.old_workbooks import container, label, old_workbook, record
from support.refusals import refused
from support.spreadsheets import as_rows, saved, workbook
from test_reading_workbooks import AMINA, HEAD, rows_xml, with_part, with_sheet

from campaign.contacts.reading import read_contacts
from campaign.errors import FileError

SAMPLES = Path(__file__).parents[1] / "support" / "samples"
SHEET = "xl/worksheets/sheet1.xml"


def plain():
    return saved(workbook(["name", "n"], ["Amina", 5]))


def part_of(data, name):
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        return opened.read(name)


def far(cell, rest=""):
    row = "".join(c for c in cell if c.isdigit())
    return with_sheet(rows_xml(HEAD, AMINA, f'<row r="{row}"><c r="{cell}"><v>1</v></c></row>{rest}'))


def with_entities(part, encoding="UTF-8"):
    """A billion laughs: ten entities, each ten times the one before."""
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    xml = part_of(plain(), part).decode()
    start = xml.index("?>") + 2 if "?>" in xml else 0
    doctype = f'<!DOCTYPE x [<!ENTITY l0 "lol">{laughs}<!ENTITY out SYSTEM "file:///etc/passwd">]>'
    xml = xml[:start].replace("UTF-8", encoding) + doctype + xml[start:].replace("Amina", "&l9;&out;")
    return with_part(plain(), part, xml.encode(encoding))


def bomb():
    """Thirty megabytes of spaces behind the table, which are read; what is too much is said by max_bytes=."""
    return with_part(plain(), SHEET, part_of(plain(), SHEET) + b" " * 30_000_000)


def lying(size):
    """The directory says that the sheet is of another size than it is."""
    data = bytearray(plain())
    at = data.index(SHEET.encode(), data.index(b"PK\1\2")) - 46
    struct.pack_into("<I", data, at + 24, size)
    return bytes(data)


def doubled():
    """Two parts of one name: which one is read is anybody's guess."""
    target = io.BytesIO(plain())
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(target, "a") as opened:
        opened.writestr(SHEET, part_of(far("XFD1048576"), SHEET))
    return target.getvalue()


def repeated_texts():
    """One text of a megabyte, shared by ten thousand cells."""
    import xlsxwriter

    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as book:
        sheet = book.add_worksheet()
        for i in range(10_000):
            sheet.write_string(i, 0, "text")
    data = target.getvalue()
    shared = part_of(data, "xl/sharedStrings.xml").replace(b"text", b"text" * 250_000)
    return with_part(data, "xl/sharedStrings.xml", shared)


def open_document(rows):
    """The clinic's sheet with other rows."""
    data = (SAMPLES / "visits.ods").read_bytes()
    xml = part_of(data, "content.xml").decode()
    start, end = xml.index("<table:table-row"), xml.rindex("</table:table-row>") + len("</table:table-row>")
    return with_part(data, "content.xml", (xml[:start] + rows + xml[end:]).encode())


def open_row(repeat, cell):
    text = '<table:table-cell office:value-type="string" {}><text:p>{}</text:p></table:table-cell>'
    return f"<table:table-row {repeat}>{text.format(cell, 'x' * 1000)}</table:table-row>"


def wide_header():
    return ",".join(f"c{i}" for i in range(10_000)).encode() + b"\n"


def looping_container():
    """A chain of sectors that never ends."""
    data = bytearray(container("Workbook", bytes(100_000)))
    struct.pack_into("<I", data, 512 + 4 * 20, 10)
    return bytes(data)


def old_with_texts(count):
    return old_workbook(label(0, 0, "name"), sheets=record(0xFC, struct.pack("<2I", count, count)))


def repeating_parquet(length=1_000_000):
    """One long text in a dictionary, named by a million rows."""
    text = pa.array(["x" * length]).dictionary_encode()
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 1_000_000, pa.int8()), text.dictionary)
    target = io.BytesIO()
    pq.write_table(pa.table({"name": column}), target)
    return target.getvalue()


HOSTILE = {
    "a cell in the last corner": (lambda: far("XFD1048576"), "mostly_blank"),
    "a cell in the last row": (lambda: far("D1048576"), "mostly_blank"),
    "a cell beyond the last row": (lambda: far("A99999999"), "file_damaged"),
    "a cell beyond the last column": (lambda: far("ZZZ9"), "file_damaged"),
    "a far cell after a comment": (
        lambda: far("XFD1048576", "<!-- -->"),
        "mostly_blank",
    ),
    "a far cell with a prefix": (
        lambda: with_sheet(rows_xml(HEAD, AMINA, '<row r="3"><x:c xmlns:x="y" r="XFD1048576"/></row>')),
        "file_damaged",
    ),
    "a far cell in a second table": (
        lambda: with_sheet(
            rows_xml(HEAD, AMINA) + rows_xml('<row r="9"><c r="XFD1048576"><v>1</v></c></row>')
        ),
        "file_damaged",
    ),
    "a far cell in small letters": (lambda: far("xfd1048576"), "file_damaged"),
    "a far row whose cells have no place": (
        lambda: with_sheet(rows_xml(HEAD, '<row r="1048576"><c><v>1</v></c><c><v>1</v></c></row>')),
        "mostly_blank",
    ),
    "entities in the sheet": (lambda: with_entities(SHEET), "file_damaged"),
    "entities in UTF-16": (lambda: with_entities(SHEET, "UTF-16"), "file_damaged"),
    "entities in the list of sheets": (lambda: with_entities("xl/workbook.xml"), "file_damaged"),
    "entities in the styles": (lambda: with_entities("xl/styles.xml"), "file_damaged"),
    "a size that is too small": (lambda: lying(100), "file_damaged"),
    "a size that is too large": (lambda: lying(2**31), "file_damaged"),
    "two parts of one name": (doubled, "file_damaged"),
    "a row repeated without end": (
        lambda: open_document(open_row('table:number-rows-repeated="1048576"', "") * 3),
        "file_damaged",
    ),
    "a long row repeated": (
        lambda: open_document(
            open_row('table:number-rows-repeated="1000000"', 'table:number-columns-repeated="16000"')
        ),
        "file_too_large",
    ),
    "a cell repeated without end": (
        lambda: open_document(open_row("", 'table:number-columns-repeated="99999999"')),
        "file_damaged",
    ),
    "a far cell in an open document": (
        lambda: open_document(
            open_row("", "")
            + '<table:table-row table:number-rows-repeated="1000000"/>'
            + '<table:table-row><table:table-cell table:number-columns-repeated="16000"/>'
            + open_row("", "").removeprefix("<table:table-row >")
        ),
        "mostly_blank",
    ),
    "a chain without end": (looping_container, "file_damaged"),
    "texts that are only claimed": (lambda: old_with_texts(2**31 - 1), "file_damaged"),
    "a column that no old sheet has": (
        lambda: old_workbook(label(0, 60_000, "name")),
        "file_damaged",
    ),
    "a few far cells in an old sheet": (
        lambda: old_workbook(label(0, 0, "name"), label(16_383, 255, "x")),
        "mostly_blank",
    ),
    "a csv of delimiters and line ends": (
        lambda: b"," * 99_999 + b"a\n" + b"\n" * 99_999,
        "beyond_sheet",
    ),
    "a csv of short rows": (
        lambda: wide_header() + b"x,y\n" * 99_999,
        "file_too_large",
    ),
    "a csv of 200,000 columns": (
        lambda: b"c," * 199_999 + b"c\n" + (b"x," * 199_999 + b"x\n") * 20,
        "beyond_sheet",
    ),
    "a parquet of one text": (repeating_parquet, "file_damaged_or_large", "file_too_large"),
    "a parquet of few texts": (lambda: repeating_parquet(1_900), "file_too_large"),
}


def cpu_seconds():
    """Of this process and of those that it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_file_is_refused_at_once_and_in_little_memory(kind):
    make, *codes = HOSTILE[kind]
    data = make()
    start = cpu_seconds()
    with pytest.raises(FileError) as caught:
        read_contacts(data)
    assert caught.value.finding.code in codes
    assert cpu_seconds() - start < 5


def test_a_far_format_without_a_value_is_no_far_cell():
    """People format whole columns; programs write such cells only near the table."""
    book = workbook(["name", "n"], ["Amina", 5])
    book.active["A5000"].number_format = "0.00"
    assert as_rows(read_contacts(saved(book))) == {0: ["name", "n"], 2: ["Amina", "5"]}


def test_budgets_can_be_raised():
    data = b"a,b,c\n" + b"1,2,3\n" * 100
    with refused("file_too_large", FileError, most=200, option="cells"):
        read_contacts(data, max_cells=200)
    with refused("file_too_large", FileError, most=500, option="bytes"):
        read_contacts(data, max_bytes=500)
    assert len(read_contacts(data, max_cells=303, max_bytes=606)) == 100
    for other in (plain(), (SAMPLES / "visits.xls").read_bytes(), (SAMPLES / "visits.ods").read_bytes()):
        with refused("file_too_large", FileError, option="cells"):
            read_contacts(other, max_cells=3)
    with refused("file_too_large", FileError, option="cells"):
        read_contacts(pd.DataFrame({"a": [1, 2, 3]}), max_cells=3)


def test_the_reader_gets_only_what_was_checked():
    """Bytes before, between and behind the parts, and parts that nobody asked for, stay outside."""
    from campaign.contacts.workbooks.archives import Archive, packed_again

    archive = Archive(plain(), max_bytes=10**6)
    fresh = packed_again({name: archive.read(name) for name in ("xl/workbook.xml", SHEET)})
    with zipfile.ZipFile(io.BytesIO(fresh)) as opened:
        assert opened.namelist() == ["xl/workbook.xml", SHEET]
        assert opened.testzip() is None
        assert opened.read(SHEET) == part_of(plain(), SHEET)


def test_a_refused_bomb_costs_little_memory():
    data = bomb()
    assert len(read_contacts(data)) == 1
    tracemalloc.start()
    with refused("file_too_large", FileError, option="bytes"):
        read_contacts(data, max_bytes=20_000_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60_000_000


def test_a_cell_longer_than_any_sheet_has_is_named():
    """Everything that reads texts would take long: a file of 58 KB can hold 60 million characters."""
    longest = "é" * 32_767
    assert read_contacts(saved(workbook(["name", "n"], [longest, 5])))["name"].tolist() == [longest]
    with refused("beyond_sheet", FileError, row=3, column="A", most=32_767):
        read_contacts(
            with_sheet(rows_xml(HEAD, AMINA, f'<row r="3"><c r="A3" t="str"><v>{"a" * 32_768}</v></c></row>'))
        )
