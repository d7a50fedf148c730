"""The rows to correct as a file: written, corrected as a clerk would, read again and prepared."""

import csv
import io
import json
import stat
import sys
import zipfile
from decimal import Decimal

import openpyxl
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.batch_rows import frame_of
from support.findings import as_codes
from support.refusals import refused

import campaign
from campaign.contacts.continuation import FOLLOW_UP_COLUMNS, Continuation
from campaign.contacts.reading import read_contacts
from campaign.contacts.reading_record import Reading
from campaign.contacts.table_version import row_marks
from campaign.errors import FileError, ReportError, UsageError
from campaign.formulas import disarm, keep_apostrophes, rearm
from campaign.messages.preparation import prepare
from campaign.results.follow_up_file import write_follow_up
from campaign.results.tables import Result

VISITS = """\
Phone,Name,Notes,Campaign
0772 000 001,Grace,,spring
0772 000 002,Moses,=1+1,spring
0772O00003,Zoé Çelik,'=2+2,autumn
 00256772000004,Müller,"  two
lines ",=SUM(A1)
,Ruth,-,spring
0772 000 006,Amina,@home,spring
"""
MARKS = row_marks(read_contacts(VISITS.encode()))
SENDING = {"message": "Hi {name}", "sender": "CLINIC", "region": "UG"}
FORMATS = (".xlsx", ".ods", ".csv")


def continuation_of_visits(rows):
    """What a file says of its rows whose rows in the table are these, and that came with their marks."""
    return Continuation("visits", tuple((row, origin, MARKS[origin]) for row, origin in rows.items()))


def result_of(table, *outcomes, name="visits"):
    """The result of sending a table: each outcome is the number of messages of a batch and its status."""
    plan = prepare(read_contacts(table.encode() if isinstance(table, str) else table), **SENDING)
    rows = [
        (number, count, status, Decimal(35) if status == "accepted" else None, "", "", 1, None, 0.5, 1)
        for number, (count, status) in enumerate(outcomes, start=1)
    ]
    batches = frame_of(rows)
    return Result(plan, batches, environment="local", name=name)


@pytest.fixture
def visits():
    """Rows 2 and 3 accepted, rows 4 and 6 without a usable number, row 5 refused, row 7 unknown."""
    return result_of(VISITS, (2, "accepted"), (1, "refused"), (1, "unknown"))


def edited(path, change, *, ending=None):
    """The file after a person opened it, changed its lines (the header is the first) and saved it."""
    ending = ending or path.suffix
    if path.suffix == ".csv":
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = list(csv.reader(file))
    elif path.suffix == ".xlsx":
        sheet = openpyxl.load_workbook(path).active
        lines = [[cell or "" for cell in line] for line in sheet.iter_rows(values_only=True)]
    else:
        table = read_as_a_list(path)
        lines = [list(table.columns), *table.to_numpy().tolist()]
    change(lines)
    place = path.with_name(f"edited{ending}")
    if ending == ".xlsx":
        book = openpyxl.Workbook()
        for line in lines:
            book.active.append(line)
            for cell in book.active[book.active.max_row]:
                cell.data_type = "s"
        book.save(place)
    else:
        with place.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter=";").writerows(lines)
    return place


def read_as_a_list(path):
    """All cells of an .ods as they are in the file: with another header, nobody knows it for a follow-up."""
    changed = io.BytesIO()
    with zipfile.ZipFile(path) as book, zipfile.ZipFile(changed, "w") as copy:
        for name in book.namelist():
            copy.writestr(name, book.read(name).replace(b"<text:p>row in the file<", b"<text:p>origin<"))
    table = read_contacts(changed.getvalue())
    return table.rename(columns={"origin": "row in the file"})


@pytest.mark.parametrize("ending", FORMATS)
def test_what_is_written_is_read_again_cell_by_cell(visits, tmp_path, ending):
    """Formulas, umlauts, leading zeros, spaces and line breaks; a column of the file called Campaign, too."""
    path = write_follow_up(visits, tmp_path / f"to_correct{ending}")
    again = read_contacts(path)
    file = read_contacts(VISITS.encode())
    assert list(again.columns) == list(file.columns)
    assert again.to_numpy().tolist() == file.loc[[4, 5, 6]].to_numpy().tolist()
    reading = again.attrs["reading"]
    assert reading.continues == continuation_of_visits({2: 4, 3: 5, 4: 6})
    assert as_codes(reading.notices)["rows_continue"] == {"campaign": "visits", "added": 0}
    assert prepare(again, **SENDING).reading == reading


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("saved_as", [".csv", ".xlsx"])
def test_a_corrected_sorted_and_shortened_file_continues_its_campaign(visits, tmp_path, ending, saved_as):
    """Ruth gets a number and comes first, one row is deleted, one is added; saved by another program."""

    def correct(lines):
        header, zoe, mueller, ruth = lines
        ruth[0] = "0772000005"
        new = ["0772000009", "Ivan", "", "spring", "", "", "", "", ""]
        lines[:] = [header, ruth, mueller, new]
        assert zoe[5:] == ["invalid", "4", MARKS[4], "visits"]

    path = edited(write_follow_up(visits, tmp_path / f"f{ending}"), correct, ending=saved_as)
    again = read_contacts(path)
    assert again["Name"].tolist() == ["Ruth", "Müller", "Ivan"]
    assert again.loc[2, "Phone"] == "0772000005"
    assert again.loc[3, ["Notes", "Campaign"]].tolist() == ["  two\nlines ", "=SUM(A1)"]
    reading = again.attrs["reading"]
    assert reading.continues == continuation_of_visits({2: 6, 3: 5})
    assert as_codes(reading.notices)["rows_continue"] == {"campaign": "visits", "added": 1}
    assert prepare(again, **SENDING).messages["number"].tolist() == [
        "256772000005", "256772000004", "256772000009",
    ]  # fmt: skip


def give_ruth_a_number(lines):
    lines[3][0] = "0772000005"


def add_ivan(lines):
    lines.append(["0772000009", "Ivan", "", "spring", "", "", "", "", ""])


def add_a_column(lines):
    for line, cell in zip(lines, ["Asked", "yes", "", ""], strict=True):
        line.append(cell)


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("change", [give_ruth_a_number, add_ivan, add_a_column])
def test_a_file_that_somebody_has_changed_is_kept(visits, tmp_path, ending, change):
    saved_as = ".xlsx" if ending == ".ods" else ending
    saved = edited(write_follow_up(visits, tmp_path / f"f{ending}"), change, ending=saved_as)
    before = saved.read_bytes()
    kept = write_follow_up(visits, saved)
    assert (kept, saved.read_bytes()) == (saved, before)
    assert f"edited_2{saved.suffix}" in kept.why_kept


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize(
    "change", [list, lambda lines: lines.pop(2), lambda lines: lines.insert(1, lines.pop())]
)
def test_a_file_in_which_nothing_was_typed_is_written_anew(visits, tmp_path, ending, change):
    """As it was, shortened or sorted; meanwhile, one of its rows was corrected in the own spreadsheet."""
    saved_as = ".xlsx" if ending == ".ods" else ending
    saved = edited(write_follow_up(visits, tmp_path / f"f{ending}"), change, ending=saved_as)
    own = VISITS.replace(",Ruth", "0772 000 005,Ruth")
    written = write_follow_up(result_of(own, (2, "accepted"), (1, "refused"), (2, "accepted")), saved)
    assert (written, written.why_kept) == (saved, "")
    assert read_contacts(written)["Name"].tolist() == ["Zoé Çelik", "Müller"]


def test_a_file_that_cannot_be_read_is_not_replaced_by_rows_to_correct(visits, tmp_path):
    path = tmp_path / "f.xlsx"
    path.write_bytes(b"PK\x03\x04saved by a program that crashed")
    with refused("file_in_the_way", ReportError, file="f.xlsx"):
        write_follow_up(visits, path)


@pytest.mark.parametrize("ending", [".csv", ".xlsx"])
@pytest.mark.parametrize("index", [True, False])
def test_a_table_that_pandas_saves_is_known_too(visits, tmp_path, ending, index):
    path = tmp_path / f"saved{ending}"
    rows = visits.follow_up()
    save = {".csv": rows.to_csv, ".xlsx": rows.to_excel}[ending]
    save(path, index=index)
    again = read_contacts(path)
    assert list(again.columns) == ["Phone", "Name", "Notes", "Campaign"]
    assert again.attrs["reading"].continues == continuation_of_visits({2: 4, 3: 5, 4: 6})


def test_prepare_takes_the_table_itself_and_knows_it(visits):
    rows = visits.follow_up()
    rows.loc[6, "Phone"] = "0772 000 005"
    plan = prepare(rows, **SENDING)
    assert plan.messages["row"].tolist() == [5, 6]
    assert plan.reading.continues == continuation_of_visits({4: 4, 5: 5, 6: 6})
    assert list(plan.contacts.columns) == ["Phone", "Name", "Notes", "Campaign", "status", "why", "reason"]


def test_what_pandas_changes_afterwards_still_continues_the_campaign(visits, tmp_path):
    again = read_contacts(write_follow_up(visits, tmp_path / "f.xlsx"))
    fewer = prepare(again[again["Name"] != "Ruth"], **SENDING)
    renumbered = prepare(again.reset_index(drop=True), **SENDING)
    assert fewer.reading.continues.campaign == renumbered.reading.continues.campaign == "visits"
    assert renumbered.reading.continues.rows == {}


def test_the_file_of_rows_that_became_a_campaign_of_their_own_names_the_rows_there(visits, tmp_path):
    again = read_contacts(write_follow_up(visits, tmp_path / "f.xlsx")).loc[[4, 3]]
    plan = prepare(again, **SENDING)
    came = result_of(VISITS, (2, "accepted"), (1, "refused"), (1, "unknown")).batches.iloc[[1]]
    second = Result(plan, came, environment="local").follow_up()
    assert second["row in the file"].tolist() == ["4", "3"]
    assert len(set(second.columns)) == len(second.columns) == 9


def test_which_rows_are_in_the_file(visits, tmp_path):
    """Whoever may have been written to only when asked for."""
    usual = read_contacts(write_follow_up(visits, tmp_path / "f.csv"))
    asked = read_contacts(write_follow_up(visits, tmp_path / "f.csv", statuses=["unknown"]))
    assert usual["Name"].tolist() == ["Zoé Çelik", "Müller", "Ruth"]
    assert asked["Name"].tolist() == ["Amina"]


def test_the_workbook_opens_at_the_first_marked_cell_and_its_cells_are_text(visits, tmp_path):
    sheet = openpyxl.load_workbook(write_follow_up(visits, tmp_path / "f.xlsx")).active
    marked = [cell.coordinate for line in sheet.iter_rows() for cell in line if cell.fill.fill_type]
    assert marked == ["A2", "A4"]  # the numbers of Zoé and Ruth; the row between was only refused
    assert (sheet.sheet_view.selection[-1].activeCell, sheet.freeze_panes) == ("A2", "A2")
    assert {cell.number_format for line in sheet.iter_rows() for cell in line} == {"@"}
    assert {cell.data_type for line in sheet.iter_rows(max_col=2) for cell in line} <= {"s", "n"}
    assert sheet["A4"].value is None
    header = [cell.value for cell in sheet[1]]
    assert header == ["Phone", "Name", "Notes", "Campaign (your column)", *FOLLOW_UP_COLUMNS]


def test_a_workbook_whose_first_correction_is_far_below_opens_there(tmp_path):
    rows = "".join(f"0772 000 {n:03},P\n" for n in range(300))
    result = result_of(f"Phone,Name\n{rows}none,Last\n", (300, "refused"))
    sheet = openpyxl.load_workbook(write_follow_up(result, tmp_path / "f.xlsx")).active
    assert sheet.sheet_view.selection[-1].activeCell == "A302"
    assert sheet.sheet_view.pane.topLeftCell == "A299"


def test_spaces_that_a_program_would_drop_are_written_out_in_an_ods(visits, tmp_path):
    with zipfile.ZipFile(write_follow_up(visits, tmp_path / "f.ods")) as book:
        content = book.read("content.xml").decode()
    assert "<text:p><text:s/>00256772000004</text:p>" in content
    assert "<text:p><text:s/><text:s/>two</text:p><text:p>lines<text:s/></text:p>" in content
    assert "<text:p>Zoé Çelik</text:p>" in content


def test_the_cells_to_correct_are_marked_in_an_ods(visits, tmp_path):
    with zipfile.ZipFile(write_follow_up(visits, tmp_path / "f.ods")) as book:
        assert book.infolist()[0].filename == "mimetype"
        assert book.infolist()[0].compress_type == zipfile.ZIP_STORED
        content = book.read("content.xml").decode()
    assert content.count('table:style-name="marked"') == 2
    assert '"marked"><text:p>0772O00003<' in content


@pytest.mark.parametrize("ending", FORMATS)
def test_the_file_is_for_its_owner_only(visits, tmp_path, ending):
    path = write_follow_up(visits, tmp_path / f"f{ending}")
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_rows_of_different_campaigns_are_refused(visits, tmp_path):
    def mix(lines):
        lines[2][-1] = "autumn 0772000009"

    path = edited(write_follow_up(visits, tmp_path / "f.csv"), mix)
    with refused("several_campaigns", FileError):
        read_contacts(path)


def test_a_campaign_is_the_same_however_it_is_spelled(visits, tmp_path):
    def respell(lines):
        lines[2][-1], lines[3][-1] = " VISITS ", ""

    again = read_contacts(edited(write_follow_up(visits, tmp_path / "f.csv"), respell))
    assert again.attrs["reading"].continues.campaign == "visits"


def test_row_numbers_that_are_repeated_or_unreadable_count_as_none(visits, tmp_path):
    def spoil(lines):
        lines[1][-3], lines[2][-3], lines[3][-3] = "5", "5.0", "row 6"

    again = read_contacts(edited(write_follow_up(visits, tmp_path / "f.csv"), spoil))
    reading = again.attrs["reading"]
    assert reading.continues.rows == {2: 5}
    assert as_codes(reading.notices)["rows_continue"]["added"] == 2


def test_a_file_without_a_campaign_is_a_new_list_and_says_so(visits, tmp_path):
    nameless = result_of(VISITS, (2, "accepted"), (1, "refused"), (1, "unknown"), name="")
    reading = read_contacts(write_follow_up(nameless, tmp_path / "f.xlsx")).attrs["reading"]
    assert reading.continues is None
    assert "campaign_unnamed" in as_codes(reading.notices)


def test_a_list_with_some_of_the_columns_is_a_list_of_its_own():
    table = read_contacts(b"Phone,campaign,last status\n0772000001,visits,invalid\n")
    assert list(table.columns) == ["Phone", "campaign", "last status"]
    assert table.attrs["reading"].continues is None


def test_several_files_of_one_campaign_are_read_together_and_of_two_refused(visits, tmp_path):
    autumn = result_of(VISITS, (2, "accepted"), (1, "refused"), (1, "unknown"), name="autumn")
    first = write_follow_up(visits, tmp_path / "1.csv")
    second = write_follow_up(visits, tmp_path / "2.xlsx", statuses=["unknown"])
    other = write_follow_up(autumn, tmp_path / "3.ods")
    table = read_contacts([first, second])
    assert table.attrs["reading"].continues == continuation_of_visits({2: 4, 3: 5, 4: 6, 6: 7})
    assert table.loc[6, "Name"] == "Amina"
    with refused("several_campaigns", FileError):
        read_contacts([first, other])


@pytest.mark.parametrize("corrected", [(1,), (2,), (1, 2)])
def test_a_row_that_is_in_two_files_is_corrected_once(tmp_path, monkeypatch, sandbox, corrected):
    """Two clerks, each with the file, and both files are sent together; two rows of it are equal."""
    monkeypatch.chdir(tmp_path)
    table = read_contacts(b"Name,Phone\nGrace,0772 000 001\nRuth,call\nMoses,call\nMoses,call\n")
    options = {"account": sandbox.account, "progress": False}
    first = campaign.send(prepare(table, **SENDING), name="visits", **options)
    files = [write_follow_up(first, tmp_path / f"{number}.csv") for number in (1, 2)]
    for number in corrected:
        text = files[number - 1].read_text("utf-8-sig")
        files[number - 1].write_text(text.replace("call", "0772 000 005", 1), "utf-8")
    for _ in range(2):  # sent twice, they change nothing more
        result = campaign.send(prepare(read_contacts(files), **SENDING), **options)
        assert result.contacts.loc[[3, 4, 5], "status"].tolist() == ["accepted", "invalid", "invalid"]
        assert sandbox.inbox["number"].tolist() == ["256772000001", "256772000005"]


@pytest.mark.parametrize("ending", FORMATS)
def test_equal_rows_are_told_apart_by_their_row_numbers_after_sorting(tmp_path, monkeypatch, sandbox, ending):
    monkeypatch.chdir(tmp_path)
    table = read_contacts(b"Name,Phone\nGrace,0772 000 001\nMoses,call\nMoses,call\nMoses,call\n")
    options = {"account": sandbox.account, "progress": False}
    first = campaign.send(prepare(table, **SENDING), name="visits", **options)

    def correct_the_second(lines):
        lines[2][1] = "0772 000 004"
        lines[1:] = reversed(lines[1:])

    path = edited(
        write_follow_up(first, tmp_path / f"f{ending}"),
        correct_the_second,
        ending=ending.replace("ods", "xlsx"),
    )
    result = campaign.send(prepare(read_contacts(path), **SENDING), **options)
    assert result.contacts["status"].tolist() == ["accepted", "invalid", "accepted", "invalid"]
    assert result.contacts.loc[4, "Phone"] == "0772 000 004"


def test_a_reading_comes_back_from_json(visits, tmp_path):
    reading = read_contacts(write_follow_up(visits, tmp_path / "f.csv")).attrs["reading"]
    record = json.loads(json.dumps(reading.as_record()))
    assert Reading.from_record(record) == reading
    assert Reading.from_record({**record, "continues": None}).continues is None


def test_a_campaign_that_continues_another_can_be_loaded(tmp_path, sandbox):
    """Ten rows and more: as keys of JSON, 10 would come before 2, and the manifest's digest would differ."""
    rows = "".join(f"0772 000 {n:03},P\n" for n in range(12))
    refused = result_of(f"Phone,Name\n{rows}", (12, "refused"))
    plan = prepare(read_contacts(write_follow_up(refused, tmp_path / "f.xlsx")), **SENDING)
    options = {"account": sandbox.account, "folder": tmp_path / "again", "name": "again", "progress": False}
    folder = campaign.send(plan, **options).folder
    assert campaign.load_result(folder).reading == plan.reading
    assert plan.reading.continues.rows == {row: row for row in range(2, 14)}


def test_a_name_of_a_file_and_a_place_that_do_not_fit(visits, tmp_path):
    with refused("wrong_ending", UsageError, endings=[".xlsx", ".ods", ".csv"], file="f.pdf"):
        write_follow_up(visits, tmp_path / "f.pdf")
    (tmp_path / "f.csv").mkdir()
    with refused("file_not_writable", ReportError, reason="a folder"):
        write_follow_up(visits, tmp_path / "f.csv")


@pytest.mark.parametrize("ending", [".xlsx", ".ods"])
def test_a_text_that_no_cell_can_hold_is_not_cut(tmp_path, ending):
    result = result_of(pd.DataFrame({"Phone": ["none"], "Notes": ["x" * 40_000], "Name": ["Grace"]}))
    with refused("too_large_for_sheet", ReportError, what="a cell of row 2", most=32_767):
        write_follow_up(result, tmp_path / f"f{ending}")


@given(st.lists(st.text("'=+-@ \t\n\r;\"0a＝", max_size=8), min_size=1))
@example(["'=1", "''=1", "'\t=1", "\t'=1", ";'=1;=2", "'+256772000001", "-", "'"])
def test_disarming_can_be_undone_whatever_the_text(texts):
    cells = pd.Series(texts, dtype="str")
    assert rearm(disarm(cells)).tolist() == texts
    assert rearm(keep_apostrophes(cells)).tolist() == texts
