"""Text files: quotes, delimiters, encodings, and row numbers as a spreadsheet program shows them."""

import contextlib
import csv
import io
import time

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.encoded_tables import encoded_tables
from support.findings import as_codes
from support.refusals import refused
from support.spreadsheets import as_rows, reading

import campaign
from campaign.contacts.files.csv_records import _strict_end, read_blocks, records
from campaign.contacts.files.encodings import to_text
from campaign.contacts.reading import read_contacts
from campaign.errors import FileError, UsageError

# --- quotes and rows ----------------------------------------------------------------------------------

ROWS = {
    b"a,b\n1,2\n\n3,4": {2: ["1", "2"], 3: ["", ""], 4: ["3", "4"]},
    b"a,b\r\n1,2\r\n\r\n3,4\r\n": {2: ["1", "2"], 3: ["", ""], 4: ["3", "4"]},
    b"a,b\r1,2\r\r3,4\r": {2: ["1", "2"], 3: ["", ""], 4: ["3", "4"]},
    b'a,b\n"1\n\n1",2\n3,4\n': {2: ["1\n\n1", "2"], 3: ["3", "4"]},  # a quoted line break starts no row
    b'a,b\n"say ""hi""",""\n': {2: ['say "hi"', ""]},
    b'a,b\n5" pipe,2\n3,4" and 5"\n': {2: ['5" pipe', "2"], 3: ["3", '4" and 5"']},  # inches are no quotes
    b'a,b\n "1" he said,2\n': {2: [' "1" he said', "2"]},
    b"a,b\n1\n,2\n": {2: ["1", ""], 3: ["", "2"]},  # Excel drops delimiters at the end
    b"a,b\n1,2,,\n3,4,\n": {2: ["1", "2"], 3: ["3", "4"]},
    b"a,b\n1,2\n3,4\n5,6,,,,,\n": {2: ["1", "2"], 3: ["3", "4"], 4: ["5", "6"]},
    b'a,b\n1,"2"': {2: ["1", "2"]},
    b"a,b\n1,": {2: ["1", ""]},
    b'sep=;\r\na;b\r\n1;2,5\r\n': {2: ["1", "2,5"]},  # Excel's own line is no row of the sheet
    "a,b\n1\u2028,2\x0b\x1c\x85\n".encode(): {2: ["1\u2028", "2\x0b\x1c\x85"]},  # no line ends of a csv
}  # fmt: skip


@pytest.mark.parametrize("data", ROWS)
def test_rows_are_numbered_and_cells_unquoted(data):
    assert as_rows(read_contacts(data)) == {0: ["a", "b"]} | ROWS[data]


def test_short_rows_are_named():
    table = read_contacts(b"a,b,c\n1,2,3\n4\n5,6\n")
    assert as_rows(table) == {0: ["a", "b", "c"], 2: ["1", "2", "3"], 3: ["4", "", ""], 4: ["5", "6", ""]}
    assert as_codes(reading(table).notices) == {"rows_filled": {"count": 2, "first": 3}}


SPACED = {
    b'"name", "phone"\n"Kampala, Uganda", "0772000001"\n': ["Kampala, Uganda", "0772000001"],
    b'"name" , "phone"\n"Kam ""x"" pala" ,"0772000001" \n': ['Kam "x" pala', "0772000001"],
    b'"name"\t "phone"\n"Kampala"\t "0772000001"\n': ["Kampala", "0772000001"],
    b'name; phone\nKampala;\t"0772000001"\n': ["Kampala", "0772000001"],
    b'name,phone\nKampala,\xc2\xa0"0772000001"\n': ["Kampala", "0772000001"],
    b'name,phone\n"he said, ""hi""", "0772000001"\n': ['he said, "hi"', "0772000001"],
    b'name,phone\n" b , c ", "0772000001"\n': [" b , c ", "0772000001"],
    b'name,phone\nsay "hi",0772000001\n': ['say "hi"', "0772000001"],
    b'name,phone\n "hi" there,0772000001\n': [' "hi" there', "0772000001"],
}


@pytest.mark.parametrize("data", SPACED)
def test_spaces_around_a_quoted_cell_are_no_part_of_it(data):
    assert as_rows(read_contacts(data)) == {0: ["name", "phone"], 2: SPACED[data]}


MISQUOTED = {
    b'a,b\n"1,2\n3,4\n': 2,  # never closed
    b'a,b\n1,2\n"1" x,2\n': 3,  # text behind the closing quote
    b'a,b\n1,"2\n3,4\n5,6"7\n': 2,
    b'"a,b\n1,2\n': 1,
}


@pytest.mark.parametrize("data", MISQUOTED)
def test_quotes_that_do_not_match_are_stopped_at_their_row(data):
    """Read leniently, an open quote swallows the rows up to the next one."""
    with refused("quote_unclosed", FileError, row=MISQUOTED[data]):
        read_contacts(data)


def test_a_single_column_needs_no_delimiter():
    table = read_contacts(b'phone\n0772000001\n\n"0772\n000002"\n0772000003 / 0772000004\n')
    assert as_rows(table) == {
        0: ["phone"], 2: ["0772000001"], 3: [""], 4: ["0772\n000002"], 5: ["0772000003 / 0772000004"],
    }  # fmt: skip
    assert reading(table).delimiter is None


def test_a_delimiter_can_be_given():
    assert as_rows(read_contacts(b"a:b;c\n1:2;3\n", delimiter=":")) == {0: ["a", "b;c"], 2: ["1", "2;3"]}
    for wrong in ("", "::", '"', "\n", "é", "\ud800"):
        with refused("wrong_value", UsageError):
            read_contacts(b"a,b\n1,2\n", delimiter=wrong)


def test_decimal_commas_and_texts_do_not_mislead_the_search_for_the_delimiter():
    text = "name;amount;note\n" + "Amina;1,5;yes, of course\n" * 20 + "Ben;2;no\n"
    assert reading(read_contacts(text.encode())).delimiter == ";"


def test_a_record_longer_than_a_block_is_read():
    long = "x, " * 5_000
    header = ",".join(f"n{i}" for i in range(50))
    record = ",".join([f'"{long}\n{long}"'] * 50)
    table = read_contacts(f"{header}\n{record}\nBen\n".encode())
    assert as_rows(table)[2] == [f"{long}\n{long}"] * 50


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
tricky = st.text(st.sampled_from('ab",;\n\r "'), max_size=6)


@given(st.lists(st.tuples(texts, tricky, texts), max_size=8), st.sampled_from(",;\t|"), st.booleans())
@example([('"', "\r\n", ""), ("", "", "")], ",", True)
@example([(",", ",", "0"), ("", ",", ",")], ";", False)
def test_any_table_of_texts_written_as_csv_reads_back_equal(rows, delimiter, quote_all):
    """The standard library writes the file; blank rows at the end are no rows."""
    target = io.StringIO(newline="")
    style = csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL
    writer = csv.writer(target, delimiter=delimiter, quoting=style, lineterminator="\r\n")
    writer.writerows([("first", "second", "third"), *rows])
    kept = [list(row) for row in rows]
    while kept and not "".join(kept[-1]).strip():
        kept.pop()
    names = ["first", "second", "third"]
    frame = pd.DataFrame(kept, columns=names, dtype="str")  # whose cells are repaired in the same way
    assert as_rows(read_contacts(target.getvalue().encode())) == as_rows(read_contacts(frame))


@given(
    st.text(st.sampled_from('ab1,,\n\n\r""  '), max_size=60), st.integers(1, 4), st.sampled_from([1, 7, 99])
)
@example('a"b,c\n5" x,y"\n', 2, 7)
@example('"a\n","b"""\r\n"c"\r', 2, 1)
@example("\r", 1, 1)
@example('111\r"1\r\n"', 1, 7)
@example('1, "a\nb"\n2,3\n', 2, 7)
def test_records_are_the_same_in_blocks_of_any_size(text, width, block):
    """Arrow reads what can be read in one way only; the rest is followed cell by cell."""
    whole, parts = (cells_or_error(text, size, width) for size in (10**6, block))
    assert parts == whole
    with contextlib.suppress(FileError):
        assert whole == [(cells + [""] * width)[:width] for cells, _ in records(text, ",")]


def cells_or_error(text, block, width):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("campaign.contacts.files.csv_records.BLOCK", block)
        try:
            blocks = list(read_blocks(text.encode(), 0, ",", width, 10**6))
        except FileError as problem:
            return str(problem)
    columns = [[cell for part in blocks for cell in part.columns[i].to_pylist()] for i in range(width)]
    return [[*row] for row in zip(*columns, strict=True)]


@given(st.text(st.sampled_from('a,\n"'), max_size=30))
def test_a_well_quoted_text_is_read_as_the_standard_library_reads_it(text):
    if _strict_end(text.encode(), ",", True) == len(text):
        strict = csv.reader(io.StringIO(text, newline=""), strict=True)
        assert [cells for cells, _ in records(text, ",")] == [row or [""] for row in strict]


# --- columns without a name ---------------------------------------------------------------------------

UNNAMED = {
    "name,phone\nAmina,0772000001,Gulu\nBen,0772000002,Lira\n": ["Amina", "0772000001", "Gulu"],
    "name;phone\nAmina;0772000001;Gulu\nBen;0772000002\nEva;0772000003;x\n": ["Amina", "0772000001", "Gulu"],
    "phone,name,\n0772000001,Amina,Gulu\n0772000002,Ben,Lira\n": ["0772000001", "Amina", "Gulu"],
    "phone,visit\n0772000001,2026-01-05,Gulu\n0772000002,2026-01-06,Lira\n": [
        "0772000001", "2026-01-05", "Gulu",
    ],
}  # fmt: skip
SHIFTED = [
    "name,phone\nOkello, John,0772000001\nAkello, Jane,0772000002\n",  # a comma in each name
    "phone,message\n0772000001,Hello, friend\n0772000002,Hello, friend\n",
    "name,phone,amount\nAmina,0772000001,1,500\nBen,0772000002,2,500\n",
    "name,phone,amount\nOkello, John,0772000001,500\nAkello, Jane,0772000002,500\n",
    "name,phone\nAmina,0772000001,Gulu\nOkello, John,0772000002,Lira\nEva,0772000003,Lira\n",
    "phone,name,,\n0772000001,Amina,,\nOkello, John,0772000002,\nEva,0772000003,,\n",
]


@pytest.mark.parametrize("text", UNNAMED)
def test_columns_without_a_name_at_the_end_are_called_after_their_place(text):
    table = read_contacts(text.encode())
    assert table.iloc[0].tolist() == UNNAMED[text]
    assert table.columns[2] == "column C"
    assert as_codes(reading(table).notices)["columns_unnamed"] == {"columns": ["column C"]}


@pytest.mark.parametrize("text", SHIFTED)
def test_a_delimiter_that_shifts_cells_still_stops(text):
    with refused("rows_too_wide", FileError):
        read_contacts(text.encode())


def test_rows_with_several_cells_too_many_are_named_once_and_in_order():
    text = "Report\nname,phone,village\nAmina,0772000001\nBen,0772000002,Gulu\n"
    with refused("rows_too_wide", FileError, rows=[2, 3, 4], columns=1):
        read_contacts(text.encode(), header=1)


def test_a_control_character_in_the_only_column_parts_no_cell():
    text = "Phone\n0772000001\n07720\x1f00002\n\x1e0772000003\n0772000004\n"
    cells = [[line] for line in text.removesuffix("\n").split("\n")]
    table = read_contacts(text.encode())
    assert as_rows(table) == {0: cells[0]} | dict(enumerate(cells[1:], start=2))
    assert reading(table).notices == ()


def test_text_with_every_control_character_is_no_table():
    with refused("not_text", FileError):
        read_contacts(b"phone\n" + bytes({*range(1, 32)} - {*b"\t\n\r"}) + b"\n")


def test_a_blank_line_that_is_named_as_the_header_has_no_names():
    table = read_contacts(b"\n0772000001\n0772000002\n", header=1)
    assert as_rows(table) == {0: ["column A"], 2: ["0772000001"], 3: ["0772000002"]}
    with refused("rows_too_wide", FileError, rows=[2], columns=1):
        read_contacts(b"\nname,phone\n", header=1)


# --- limits -------------------------------------------------------------------------------------------

TOO_LARGE = {
    "name,phone\nAmina,0772000001\n" + "x" * 40_000 + ",1\n": {"row": 3, "column": "A"},
    'name,phone\nAmina,0772000001\nBen,"' + "é\n" * 20_000 + '"\n': {"row": 3, "column": "B"},
    "name,phone\n" + "Ben,0772000001\n" * 90 + "Eva," + "7" * 40_000 + "\n": {"row": 92, "column": "B"},
    "name,phone\n" + "Ben,0772000001\n" * 90 + "," * 22_000_000: {"row": 92, "unit": "cells"},
    "name,phone\n" + "," * 17_000: {"row": 2, "unit": "cells"},
    "name,phone\nBen,0772000001\n" + "\n" * 9_000_000: {},
    "name,phone\nBen,0772000001\n" + "\r\n" * 9_000_000 + "x,1\n": {},
    ",".join(f"c{i}" for i in range(1_000)) + "\n" * 95_000: {"corner": "ALL95000"},
    '"' * 100_000: {"most": 32_767},
}  # fmt: skip


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("text", TOO_LARGE, ids=[*map(str, range(len(TOO_LARGE)))])
def test_what_fits_into_no_sheet_is_refused_at_once(text, streamed, tmp_path):
    path = tmp_path / "large.csv"
    path.write_text(text, encoding="utf-8", newline="")
    start = time.process_time()
    facts = TOO_LARGE[text]
    with refused("beyond_sheet" if "row" in facts or "most" in facts else "mostly_blank", FileError, **facts):
        campaign.prepare(path, message="Hi", sender="X", region="UG", stream=streamed)
    assert time.process_time() - start < 3


def test_a_cell_as_long_as_in_a_sheet_is_read():
    table = read_contacts(f"name,phone\n{'é' * 32_767},0772000001\n".encode())
    assert len(table["name"][2]) == 32_767


# --- encodings ----------------------------------------------------------------------------------------

GUESSED = {
    "cp1252": "name,phone\nJosé – Müller,1\n",
    "cp1250": "imię,telefon\nŁukasz Żółć,1\nMałgorzata Wiśniewska,2\n",
    "cp1254": "isim,telefon\nŞükrü Güneş,1\nAyşe Yıldız İnci,2\n",
    "cp1257": "vards,tālrunis\nJānis Bērziņš,1\nĒriks Ķīlis,2\n",
    "cp850": "name,phone\nJosé Müller,1\n",
    "mac_roman": "name,phone\nJosé Müller,1\nAnaïs,2\n",
    "cp1251": "имя,телефон\nАлексей Иванов,1\nМария Петрова,2\nОльга Смирнова,3\n",
    "koi8_r": "имя,телефон,город\nАлексей Иванов,1,Москва\nМария Петрова,2,Казань\nОльга,3,Тула\n",
    "cp1253": "όνομα,τηλέφωνο\nΓιώργος Παπαδόπουλος,1\nΕλένη,2\n",
    "cp1255": "שם,טלפון,הודעה\nדוד כהן,1,שלום רב\nשרה לוי,2,מה שלומך\nמשה,3\n",
    "cp1256": "الاسم,هاتف\nمحمد أحمد,1\nفاطمة,2\n",
    "cp874": "ชื่อ,โทรศัพท์\nสมชาย ใจดี,1\n",
}


@pytest.mark.parametrize("encoding", GUESSED)
def test_an_encoding_is_guessed_from_letters_and_said(encoding):
    text = to_text(GUESSED[encoding].encode(encoding), None)
    assert (text.encoding, text.data[:].decode()) == (encoding, GUESSED[encoding])
    assert text.notices[0].facts["encoding"] == encoding


@pytest.mark.parametrize("streamed", [False, True])
def test_the_words_in_doubt_are_quoted_as_they_were_read(streamed, tmp_path):
    """Of MS-DOS and a Mac, whose bytes for é and ü are others in Windows."""
    for encoding, name in {
        "cp437": "José",
        "cp850": "Jürgen Müller",
        "mac_roman": "José Jürgen Müller",
    }.items():
        path = tmp_path / f"{encoding}.csv"
        path.write_bytes(f"name,phone\nAmina,0772000001\n{name},0772000002\n".encode(encoding))
        plan = campaign.prepare(path, message="Hi {name}", sender="X", region="UG", stream=streamed)
        assert plan.messages["message"].tolist() == ["Hi Amina", f"Hi {name}"]
        assert all(f"'{word}'" in " ".join(plan.issues["detail"]) for word in name.split()[-1:])


def test_of_small_tables_in_26_encodings_hardly_one_is_misread_and_few_are_asked_about():
    wrong, asked = [], []
    tables = encoded_tables(1)
    for language, encoding, rows, text in tables:
        try:
            read = to_text(text.encode(encoding), None).data[:].decode()
        except FileError:
            asked.append((language, encoding, rows))
        else:
            wrong += [] if read == text else [(language, encoding, rows)]
    assert len(tables) > 590
    assert len(wrong) <= 2, wrong
    assert len(asked) <= 60, asked  # all of Chinese, Japanese and Korean


UNKNOWN = {
    "Japanese": "名前,電話\n田中太郎,1\n".encode("cp932"),
    "Chinese": "姓名,手机\n王小明,1\n李华,2\n".encode("gb18030"),
    "Korean": "이름,전화\n김철수,1\n".encode("cp949"),
    "Icelandic or Turkish": "nafn,sími\nÞór Guðmundsson,1\n".encode("cp1252"),
    "MS-DOS, Mac or Windows": "name,phone\nHans Müller,1\n".encode("mac_roman"),  # or MŸller, or Mźller
    "of a language that is not known": "isem,belt\nĠorġ Żammit,Ħamrun\nĊensu,Birżebbuġa\n".encode(
        "iso8859_3"
    ),
    "noise": bytes(range(128, 256)) * 4,
}


@pytest.mark.parametrize("kind", UNKNOWN)
def test_an_encoding_that_cannot_be_told_is_refused(kind):
    with refused("encoding_unclear", FileError):
        to_text(UNKNOWN[kind], None)


def test_an_encoding_can_be_given():
    data = "nafn,x\nÞór,1\n".encode("cp1252")
    table = read_contacts(data, encoding="cp1252")
    assert as_rows(table) == {0: ["nafn", "x"], 2: ["Þór", "1"]}
    assert reading(table).notices == ()
    wide = "nafn,x\nÞór,1\n".encode("utf-16-le")
    assert as_rows(read_contacts(wide, encoding="utf-16-le")) == as_rows(table)
    for unmarked in (wide, "name,x\nAnn,1\n".encode("utf-16-le")):
        with refused("not_text", FileError):
            read_contacts(unmarked)
    with refused("encoding_wrong", FileError, encoding="utf-8", line=2):
        read_contacts(data, encoding="utf-8")
    for unknown in ("klingon", "hex"):
        with refused("wrong_value", UsageError, argument="encoding", given=f"the text '{unknown}'"):
            read_contacts(data, encoding=unknown)
    for no_name in ("utf\0", "\ud800"):
        with refused("wrong_value", UsageError):
            read_contacts(data, encoding=no_name)
