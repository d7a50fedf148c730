"""What a cell says is what it shows: number formats, rows and columns not seen, odd cells of .ods."""

import datetime as dt
import io
import struct

import pytest
import xlsxwriter
from support.findings import as_codes
from support.old_workbooks import label, number, old_workbook, record
from support.open_documents import cell, number_cell, open_document, row, sheet, text_cell
from support.refusals import refused
from support.spreadsheets import as_rows, reading, saved, workbook
from test_reading_workbooks import with_sheet

import campaign
from campaign.contacts.reading import read_contacts
from campaign.contacts.workbooks import xlsx
from campaign.errors import FileError

US_PHONE = r"[<=9999999]###\-####;\(###\)\ ###\-####"  # Excel: Special, Phone Number
ACCOUNTING = '_-* #,##0_-;-* #,##0_-;_-* "-"_-;_-@_-'
SHOWN = [
    ('"+254 "000000000', 712345678, "+254 712345678"),
    ('"+254"### ### ###', 712345678, "+254712 345 678"),
    (r"+254\ 000\ 000\ 000", 712345678, "+254 712 345 678"),
    ('"+"0', 254712345678, "+254712345678"),
    (r"\+000", 254712345678, "+254712345678"),
    ("+0", 254712345678, "+254712345678"),
    ('"+"General', 254712345678, "+254712345678"),
    ('"0"###', 772000001, "0772000001"),
    ("0000 000 000", 772000001, "0772 000 001"),
    ("0# ## ## ## ##", 612345678, "06 12 34 56 78"),
    (US_PHONE, 5551234, "555-1234"),
    (US_PHONE, 2025550123, "(202) 555-0123"),
    (r"000\-00\-0000", 12345678, "012-34-5678"),
    ("0000-0000", 12345678, "1234-5678"),
    ("0000", 42, "0042"),
    ("0000", 123456, "123456"),  # longer than the format
    ('"A-"000', 7, "A-007"),
    ('"R"000', 7, "R007"),  # no rand
    ("[Red][>0]0000;0", 7, "0007"),
    ("0%", 0.2, "20%"),
    ("0.00%", 0.2, "20.00%"),
    ("0.0%", 0.125, "12.5%"),
    ("0%", 0.126, "13%"),
    ("0%;[Red]-0%", -0.05, "-5%"),
    ('0"%"', 20, "20%"),
    ('0.0" kg"', 2.54, "2.5 kg"),
    ('General" km"', 5.25, "5.25 km"),
    ('0" days"', 3, "3 days"),
    ('0" km"', -5, "-5 km"),
    ('"Yes";;"No"', 1, "Yes"),
    ('"Yes";;"No"', 0, "No"),
]
PLAIN = [  # amounts, dates, and formats that cannot be applied without doubt
    ("General", 5.25, "5.25"),
    ("#,##0", 1500, "1500"),
    ("0.00", 2, "2"),
    ('"$"#,##0.00', 1500, "1500"),
    ("[$UGX] #,##0", 1500, "1500"),
    ('"UGX "0', 1500, "1500"),
    ('0" UGX"', 1500, "1500"),
    ('0"/="', 1500, "1500"),
    ('"KSh"0.00', 1500, "1500"),
    ("[$€-407] 0.00", 2.5, "2.5"),
    ('"R"0.00', 7.5, "7.5"),
    ("# ##0", 1500, "1500"),
    ("# ##0", 1234567, "1234567"),
    (ACCOUNTING, 0, "0"),
    (ACCOUNTING, -5, "-5"),
    ("0.00_);[Red](0.00)", -5, "-5"),
    ("# ?/?", 0.5, "0.5"),
    ("0.00E+00", 123456, "123456"),
    ('0,"k"', 15000, "15000"),
    (";;;", 7, "7"),
    ("@", 5, "5"),
]


def with_format(code, value):
    book = workbook(["name", "value"], ["Amina", value])
    book.active["B2"].number_format = code
    return saved(book)


@pytest.mark.parametrize(("code", "value", "shown"), SHOWN + PLAIN)
def test_a_number_says_what_its_format_shows(code, value, shown):
    cells = xlsx.read_xlsx(with_format(code, value), sheet=None, max_bytes=10**6, max_cells=100)
    assert as_text(cells.columns[1])[1:] == [shown]


def as_text(column):
    from campaign.contacts.workbooks.sheet_grid import _arrow_column

    return _arrow_column(column).to_pylist()


def test_old_workbooks_say_what_their_formats_show():
    cases = SHOWN + PLAIN
    cells = [label(0, 0, "name"), label(0, 1, "value")]
    for i, (_, value, _) in enumerate(cases, 1):
        cells += [label(i, 0, f"Amina {i}"), number(i, 1, value, style=i)]
    table = read_contacts(old_workbook(*cells, formats=tuple(code for code, _, _ in cases)))
    assert list(table["value"]) == [shown for _, _, shown in cases]


def test_texts_dates_and_times_under_a_format():
    rows = [("0000", "42", "42"), ('"+254 "@', "712345678", "+254 712345678"), (ACCOUNTING, "x", "x")]
    rows += [(r"yyyy\-mm\-dd", dt.date(2026, 1, 5), "2026-01-05"), ("h:mm", dt.time(14, 30), "14:30")]
    for code, value, shown in rows:
        assert as_rows(read_contacts(with_format(code, value)))[2] == ["Amina", shown]


def test_the_country_that_only_the_format_shows_is_the_one_that_is_sent_to():
    for code in ('"+254 "000000000', '"+254"General', r"\+\2\5\40"):
        contacts = read_contacts(with_format(code, 712345678))
        plan = campaign.prepare(contacts, message="Hi {name}", sender="CLINIC", region="UG", number="value")
        assert list(plan.messages["number"]) == ["254712345678"]


# --- .ods ---------------------------------------------------------------------------------------------

OPEN_FORMATS = [  # kind, value, what LibreOffice writes as shown, what is read
    ("float", 712345678, "+254 712345678", "+254 712345678"),
    ("float", 12345678, "1234-5678", "1234-5678"),
    ("float", 772000001, "0772 000 001", "0772 000 001"),
    ("float", 7, "A-007", "A-007"),
    ("percentage", 0.125, "12.5%", "12.5%"),
    ("float", 5.25, "5.25 km", "5.25 km"),
    ("float", 1, "Yes", "Yes"),
    ("float", 7, "A 7", "A 7"),
    ("float", 12.5, "R 12.50", "12.5"),
    ("float", 1500, "1,500", "1500"),
    ("float", 1500, "1.500,00", "1500"),
    ("float", 1500000, "15,00,000", "1500000"),
    ("float", 1500, "UGX 1,500", "1500"),
    ("currency", 12.5, "12,50 €", "12.5"),
    ("currency", -5, "-€ 5.00", "-5"),
    ("float", -5, "(5.00)", "-5"),
    ("float", 3.14159, "3.14", "3.14159"),
    ("float", 712345678, "7.12E+08", "712345678"),
    ("float", 256712345678, "#FMT", "256712345678"),
    ("float", 712345678, "###", "712345678"),
    ("float", 0, "-", "0"),
    ("float", 772000001, "", "772000001"),
]


def test_open_documents_say_what_they_show():
    lines = [row(f"Amina {i}", number_cell(v, s, kind=k)) for i, (k, v, s, _) in enumerate(OPEN_FORMATS)]
    table = read_contacts(open_document(sheet(row("name", "value"), *lines)))
    assert list(table["value"]) == [read for _, _, _, read in OPEN_FORMATS]


def test_numbers_that_do_not_say_how_they_are_shown_are_read_and_said():
    """Some libraries write the value of a cell alone."""
    value = '<table:table-cell office:value-type="float" office:value="712345678"/>'
    table = read_contacts(open_document(sheet(row("name", "value"), row("Amina", value))))
    assert as_rows(table)[2] == ["Amina", "712345678"]
    assert as_codes(reading(table).notices) == {"formats_unknown": {}}


PARAGRAPH = "<text:p>Amina</text:p>"
COMMENT = "<office:annotation><text:p>call her</text:p></office:annotation>"
BOX = f"<draw:frame><draw:text-box>{PARAGRAPH}</draw:text-box></draw:frame>"
STRING, TIME = 'office:value-type="string"', 'office:value-type="time" office:time-value="{}"'
CELLS = [
    (text_cell("a<text:tab/>b"), "a\tb"),
    (text_cell("a<text:line-break/>b"), "a\nb"),
    (text_cell('a<text:s/>b<text:s text:c="3"/>c'), "a b   c"),
    (text_cell("a<text:span>b</text:span> &amp; c"), "ab & c"),
    (text_cell("a\nb\tc"), "a b c"),
    (text_cell("<![CDATA[<x>]]>"), "<x>"),
    (text_cell("a<!-- b -->c"), "ac"),
    (cell("<text:p>one</text:p><text:p>two</text:p>", STRING), "one\ntwo"),
    (cell(COMMENT + PARAGRAPH, STRING), "Amina"),
    (cell(PARAGRAPH + BOX, STRING), "Amina"),
    (cell(PARAGRAPH, ""), "Amina"),
    (text_cell("+254 712345678", 'office:string-value="712345678"'), "+254 712345678"),
    (cell("", f'{STRING} office:string-value="a &lt; b"'), "a < b"),
    (number_cell(0.2, "20%", kind="percentage"), "20%"),
    (number_cell(1500, "$1,500", kind="currency"), "1500"),
    (cell("", TIME.format("PT26H30M00S")), "26:30"),
    (cell("", TIME.format("PT14H30M00.5S")), "14:30"),
    (cell("", TIME.format("-PT02H30M00S")), "-2:30"),
    (cell("", 'office:value-type="date" office:date-value="1899-12-30T08:00:00"'), "08:00"),
    (cell("<text:p>Ides</text:p>", 'office:value-type="date" office:date-value="-0044-03-15"'), "Ides"),
    (cell("<text:p>#N/A</text:p>", f'{STRING} calcext:value-type="error"'), ""),
    (f"<table:covered-table-cell {STRING}>{PARAGRAPH}</table:covered-table-cell>", ""),
]


@pytest.mark.parametrize(("written", "text"), CELLS)
def test_a_cell_of_an_open_document_is_read_exactly(written, text):
    """Whatever is in it, and the cells beside and below it stay where they are."""
    lines = [row("name", "x", "y"), row("Ben", written, "z"), row("Eve", "b", "c")]
    table = read_contacts(open_document(sheet(*lines)))
    assert as_rows(table) == {0: ["name", "x", "y"], 2: ["Ben", text, "z"], 3: ["Eve", "b", "c"]}


def test_an_open_document_is_read_however_its_xml_is_laid_out():
    """With space between all tags, with other quotes, and with several sheets."""
    lines = [
        row("name", "x"),
        row("Ben", text_cell("a<text:tab/>b"), attributes='table:visibility="collapse"'),
    ]
    page = sheet(*lines, row("Eve", number_cell(5)))
    expected = {0: ["name", "x"], 3: ["Eve", "5"]}
    for written in (
        page.replace("><table", ">\n  <table"),
        page.replace("></", "> </"),
        page.replace('"', "'"),
    ):
        for document in (open_document(written), open_document(written, sheet(row("z"), name="Other"))):
            assert as_rows(read_contacts(document)) == expected


# --- what is not seen ---------------------------------------------------------------------------------

FLAT = (
    '<style:style style:name="ro9" style:family="table-row"><style:table-row-properties '
    'style:row-height="0cm"/></style:style><style:style style:name="co9" style:family="table-column">'
    '<style:table-column-properties style:column-width="0cm"/></style:style>'
)
GROUP = '<table:table-row-group table:display="false">{}</table:table-row-group>'
HEAD, AMINA, BEN, EVE = row("name", "n"), row("Amina", "1"), row("Ben", "2"), row("Eve", "3")


@pytest.mark.parametrize(
    "hidden",
    [
        row("Ben", "2", attributes='table:style-name="ro9"'),
        row("Ben", "2", attributes='table:visibility="filter"'),
        GROUP.format(BEN),
        f"<table:table-row-group>{GROUP.format(BEN)}</table:table-row-group>",
    ],
)
def test_a_row_of_an_open_document_that_is_not_seen_is_hidden(hidden):
    table = read_contacts(open_document(sheet(HEAD, AMINA, hidden, EVE), styles=FLAT))
    assert as_rows(table) == {0: ["name", "n"], 2: ["Amina", "1"], 4: ["Eve", "3"]}
    assert reading(table).hidden_rows == 1


@pytest.mark.parametrize(
    "hidden",
    [
        '<table:table-column table:style-name="co9"/>',
        '<table:table-column-group table:display="false"><table:table-column/></table:table-column-group>',
    ],
)
def test_a_column_of_an_open_document_that_is_not_seen_is_hidden(hidden):
    table = read_contacts(open_document(sheet("<table:table-column/>", hidden, HEAD, AMINA), styles=FLAT))
    assert as_rows(table) == {0: ["name"], 2: ["Amina"]}


def test_rows_and_columns_of_no_extent_are_hidden():
    rows = "".join(
        f'<row r="{i}" {height}><c r="A{i}"><v>{i}</v></c><c r="B{i}"><v>7</v></c></row>'
        for i, height in enumerate(
            ["", 'ht="0.75" customHeight="1"', 'ht="0" customHeight="1"', 'ht="0.0"'], 1
        )
    )
    widths = '<cols><col min="2" max="2" width="0" customWidth="1"/></cols>'
    data = with_sheet(f"{widths}<sheetData>{rows}</sheetData>")
    cells = xlsx.read_xlsx(data, sheet=None, max_bytes=10**6, max_cells=100)
    assert (cells.hidden_rows, cells.hidden_columns) == ({3, 4}, {1})  # a thin line is seen


@pytest.mark.parametrize("hidden", ["", 'hidden="1"'])
def test_a_collapsed_group_whose_rows_are_not_hidden_is_said(hidden):
    """Programs hide the rows themselves; some libraries do not, and programs show such a file differently."""
    rows = f'<row r="2" outlineLevel="1" {hidden}><c r="A2"><v>7</v></c></row>'
    rows += '<row r="3" collapsed="1"><c r="A3"><v>8</v></c></row>'
    data = with_sheet(f'<sheetData><row r="1"><c r="A1" t="str"><v>n</v></c></row>{rows}</sheetData>')
    assert ("rows_collapsed" in as_codes(reading(read_contacts(data)).notices)) == (not hidden)


def test_rows_and_columns_of_no_extent_are_hidden_in_old_workbooks():
    heights = b"".join(
        record(0x208, struct.pack("<H4xH4xi", i, height, 0)) for i, height in enumerate((0x80FF, 0, 0x8000))
    )
    width = record(0x7D, struct.pack("<6H", 1, 1, 0, 0, 0, 0))
    cells = [label(r, c, text) for r, line in enumerate(("ab", "cd", "ef")) for c, text in enumerate(line)]
    assert as_rows(read_contacts(old_workbook(width, heights, *cells))) == {0: ["a"], 3: ["e"]}


def test_rows_with_cells_are_seen_where_unused_rows_are_hidden():
    """Excel's option for forms: a row that is in the file is not one of the unused."""
    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as book:
        page = book.add_worksheet()
        page.set_default_row(hide_unused_rows=True)
        page.write_column("A1", ["name", "Amina", "Ben"])
    assert as_rows(read_contacts(target.getvalue())) == {0: ["name"], 2: ["Amina"], 3: ["Ben"]}


# --- sheets and sizes ---------------------------------------------------------------------------------


def empty_first(kind):
    if kind == "ods":
        return open_document(sheet(name="Cover"), sheet(HEAD, AMINA, name="People"))
    book = workbook()
    book.active.title = "Cover"
    book.active["C9"].number_format = "0.00"
    for line in (["name", "n"], ["Amina", "1"]):
        (book["People"] if "People" in book.sheetnames else book.create_sheet("People")).append(line)
    return saved(book)


@pytest.mark.parametrize("kind", ["xlsx", "ods"])
def test_an_empty_first_sheet_names_those_with_cells(kind):
    with refused("sheet_empty", FileError, sheet="Cover"):
        read_contacts(empty_first(kind))
    assert as_rows(read_contacts(empty_first(kind), sheet="People"))[2] == ["Amina", "1"]


def test_constant_columns_unpack_to_a_hundred_times_their_size_and_are_read():
    same = "".join(map(text_cell, ["Kampala", "Clinic of the north", "Please come"]))
    data = open_document(sheet(row(*"abcdef"), *[row(same + same)] * 20_000))
    assert len(data) * 100 < 20_000 * len(same + same)
    assert len(read_contacts(data)) == 20_000
