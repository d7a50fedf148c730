"""A plan made in parts on disk is the plan made in memory: the same rows, statuses, texts and fingerprint."""

import gc
import os
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.cards import card_without_its_moment

import campaign
from campaign import memory
from campaign.contacts import contact_source
from campaign.errors import CampaignError, ColumnError, ContactsError, FileError
from campaign.messages.preparation import prepare
from campaign.messages.suppression.suppression_lists import EarlierCampaign

CLINIC = """\
Name,Phone,Day,Lang
Grace,0772 000 001,2026-01-05,en
Joseph,+256772000002,2026-01-06,fr
Nobody,,2026-01-07,en
,,,
Sarah,0772000003,2026-01-08,de
Grace again,256772000001,2026-01-09,en
Grace,0772000001,2026-01-05,en
Bad,12,2026-01-05,en
José – “Pepe”,O772000004,2026-01-05,fr
😀,0772 000 005 / 0772 000 006,2026-01-05,en
Late,0772000007,,en
Last,0772000008,2026-12-25,en
"""
MORE_COLUMNS = "".join(line.replace(",", ",,", 1) for line in CLINIC.splitlines(keepends=True))
HELLO = "Hi {Name}, come on {Day}."
UG = {"region": "UG", "sender": "CLINIC"}


def same_table(one: pd.DataFrame, other: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(one, other)


def assert_same_plan(plan: campaign.Plan, other: campaign.Plan) -> None:
    assert dict(plan.totals) == dict(other.totals)
    assert plan.totals.as_record() == other.totals.as_record()
    assert list(plan.totals.countries) == list(other.totals.countries)
    assert plan.fingerprint == other.fingerprint
    assert plan.reading == other.reading
    assert plan.template == other.template
    same_table(plan.messages, other.messages)
    same_table(plan.contacts, other.contacts)
    same_table(plan.issues, other.issues)
    same_table(plan.addressing.alternatives, other.addressing.alternatives)
    np.testing.assert_array_equal(plan.addressing.numbers, other.addressing.numbers)
    assert plan.addressing.columns == other.addressing.columns
    assert card_without_its_moment(plan) == card_without_its_moment(other)


@pytest.fixture(autouse=True)
def parts_of_three_rows(monkeypatch):
    monkeypatch.setattr("campaign.messages.draft.BLOCK", 3)


def both(source, **options):
    """The plan in memory and the plan in parts."""
    options = {"message": HELLO, **UG} | options
    return prepare(source, stream=False, **options), prepare(source, stream=True, **options)


def write(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path


FILES = {
    "plain": CLINIC,
    "no line end at the end": CLINIC.rstrip(),
    "blank rows at the end": CLINIC + ",,,\n\n ,,,\n",
    "semicolons": CLINIC.replace(",", ";"),
    "tabs": CLINIC.replace(",", "\t"),
    "carriage returns": CLINIC.replace("\n", "\r\n"),
    "Excel's declaration": "sep=;\n" + CLINIC.replace(",", ";"),
    "title lines": "Clinic visits,,,\nExported 2026,,,\n\n" + CLINIC,
    "quotes": CLINIC.replace("Joseph", '"Joseph ""J"",\nthe second"'),
    "quotes in words": CLINIC.replace("Joseph", 'Joseph 5" pipe'),
    "tangled quotes": CLINIC.replace("Joseph", '"Joseph 5"" pipe"').replace("Sarah", 'Sarah 5" pipe'),
    "short rows": CLINIC.replace("Late,0772000007,,en", "Late,0772000007"),
    "a column without a header": MORE_COLUMNS.replace("Sarah,,", "Sarah,a note,"),
    "an empty column without a header": MORE_COLUMNS,
    "an export with texts for no value": "caseid,closed,number,Name,Phone,Day,Lang\n"
    "1,no,1,Grace,0772000001,---,en\n2,no,2,---,0772000002,2026-01-05,en\n",
    "a row of tags": "Name,Phone,Day,Lang\n#name,#contact+phone,#date,#lang\n" + CLINIC.split("\n", 1)[1],
    "only a header": "Name,Phone,Day,Lang\n",
}


@pytest.mark.parametrize("kind", FILES)
def test_every_kind_of_text_file_gives_the_same_plan(tmp_path, kind):
    held, streamed = both(write(tmp_path / "visits.csv", FILES[kind]))
    assert_same_plan(held, streamed)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_every_encoding_gives_the_same_plan(tmp_path, monkeypatch, encoding):
    monkeypatch.setattr("campaign.contacts.files.octets.PIECE", 7)  # in the middle of characters
    text = CLINIC.replace("😀", "Zoë").replace("– “Pepe”", "Muñoz")
    held, streamed = both(write(tmp_path / "visits.csv", text, encoding))
    assert_same_plan(held, streamed)
    assert "José Muñoz" in streamed.contacts["Name"].tolist()


OPTIONS = {
    "languages": {"message": {"en": HELLO, "fr": "Salut {Name}", "sw": "Habari {Name}"}, "language": "Lang"},
    "a sender and a priority for each row": {"sender": "{Lang}CLINIC", "priority": "{Name}"},
    "texts that are split": {"message": HELLO + " Please bring your card. " * 8, "overlong": "split"},
    "texts that are cut": {"message": HELLO + " Please bring your card. " * 8, "overlong": "truncate"},
    "all duplicates": {"duplicates": "keep"},
    "opt-outs": {"opt_outs": ["0772000008", "nonsense"]},
    "people reached before": {
        "not_again": EarlierCampaign("campaigns/visits", pd.Series(["256772000001"]), "local")
    },
    "the first of several numbers": {"several": "first"},
    "a region for each row": {"region": pd.Series(["UG", "KE", "", "XX"] * 3)},
    "no region": {"region": None},
}


@pytest.mark.parametrize("options", OPTIONS)
def test_every_option_gives_the_same_plan(tmp_path, options):
    held, streamed = both(write(tmp_path / "visits.csv", CLINIC), **OPTIONS[options])
    assert_same_plan(held, streamed)


SHEETS = {
    "several number columns": (
        "Name,Mobile,Home phone,Day\nA,0772000001,0414000001,x\nB,bad,0772000002,y\nC,,,z\n,,,\n"
        "D,12,0772000001,v\n",
        {"number": ["Mobile", "Home phone"], "kinds": ("mobile", "fixed", "fixed_or_mobile")},
    ),
    "a column of regions": (
        "Name,Phone,Country,Day\nA,0772000001,UG,x\nB,07700 900001,GB,y\nC,0772000003,KE,z\nD,1,,v\n"
        "E,+447700900002,,w\n",
        {"region": "Country", "opt_outs": ["07700 900001"]},
    ),
    "dates whose order a late row shows": (
        "Name,Phone,Day\nA,0772000001,05/01/2026\nB,0772000002,06/01/2026\nC,0772000003,07/01/2026\n"
        "D,0772000004,25/12/2026\n",
        {"message": "Hi {Name}, on {Day:%d %b}."},
    ),
    "dates of both orders": (
        "Name,Phone,Day\nA,0772000001,05/01/2026\nB,0772000002,01/13/2026\nC,0772000003,x\nD,0772000004,25/12/2026\n",
        {"message": "Hi {Name}, on {Day:%d %b}."},
    ),
    "amounts behind a dollar sign": (
        "Name,Phone,Day\nA,0772000001,x\nB,0772000002,y\nC,0772000003,z\nD,0772000004,12\n",
        {"message": "Hi {Name}, you owe ${Day}."},
    ),
}


@pytest.mark.parametrize("kind", SHEETS)
def test_what_needs_a_whole_column_is_the_same(tmp_path, kind):
    text, options = SHEETS[kind]
    held, streamed = both(write(tmp_path / "visits.csv", text), **options)
    assert_same_plan(held, streamed)


@pytest.mark.parametrize(
    ("text", "options", "error"),
    {
        "a shifted row": (CLINIC + "A,B,0772000001,2026-01-05,en\n" * 20, {}, FileError),
        "no header": ("0772000001,Grace\n0772000002,Sarah\n", {}, FileError),
        "two headers of one name": (CLINIC.replace("Lang", "Name"), {}, ColumnError),
        "duplicates that are errors": (CLINIC, {"duplicates": "error"}, ContactsError),
        "a zero byte": (CLINIC + "\0", {}, FileError),
        "an open quote": (CLINIC + '"Grace,0772000001,x,y\n', {}, FileError),
        "an empty file": ("", {}, FileError),
        "blank rows only": ("\n \n\n", {}, FileError),
    }.values(),
    ids=str,
)
def test_a_file_is_refused_in_the_same_words(tmp_path, text, options, error):
    file = write(tmp_path / "visits.csv", text)
    told = []
    for stream in (False, True):
        with pytest.raises(error) as refused:
            prepare(file, message=HELLO, **UG | options, stream=stream)
        told.append(str(refused.value))
    assert told[0] == told[1]


def test_a_parquet_file_gives_the_same_plan(tmp_path):
    frame = pd.DataFrame(
        {
            "Name": ["Grace", "Joseph", None, "Sarah", ""],
            "Phone": [256772000001, 256772000002, 256772000003, 256772000001, 256772000005],
            "Day": pd.to_datetime(["2026-01-05", "2026-01-06", None, "2026-01-08", None]),
            "Paid": [1500.0, 2.5, None, 3.0, 4.0],
        }
    )
    frame.to_parquet(tmp_path / "visits.parquet", row_group_size=2)
    held, streamed = both(tmp_path / "visits.parquet", message="Hi {Name|friend}, {Paid|0}.")
    assert_same_plan(held, streamed)


def test_a_workbook_is_read_whole_and_then_kept_in_parts(tmp_path):
    rows = [line.split(",") for line in CLINIC.splitlines()]
    pd.DataFrame(rows[1:], columns=rows[0]).to_excel(tmp_path / "visits.xlsx", index=False)
    held, streamed = both(tmp_path / "visits.xlsx")
    assert_same_plan(held, streamed)
    assert len(list(streamed.parts())) == 4


def test_a_table_that_was_filtered_keeps_its_row_numbers(tmp_path):
    contacts = campaign.read_contacts(write(tmp_path / "visits.csv", CLINIC))
    contacts = contacts[contacts["Lang"] != "fr"]
    held, streamed = both(contacts)
    assert_same_plan(held, streamed)
    assert streamed.contacts.index.tolist() == [2, 4, 5, 6, 7, 8, 9, 11, 12, 13]


def test_several_files_give_the_same_plan(tmp_path):
    head, *lines = CLINIC.splitlines(keepends=True)
    files = [
        write(tmp_path / f"{name}.csv", head + "".join(rows))
        for name, rows in {"north": lines[:5], "south": lines[5:]}.items()
    ]
    held, streamed = both(files)
    assert_same_plan(held, streamed)
    assert streamed.contacts["file"].unique().tolist() == ["north.csv", "south.csv"]


def test_a_row_that_is_kept_instead_gives_the_same_plan(tmp_path):
    file = write(tmp_path / "visits.csv", CLINIC)
    held, streamed = both(file)
    file.unlink()  # the plan does not need it any more
    assert held.addressing.alternatives["row"].tolist() == [7]
    assert_same_plan(held.keep_instead([7]), streamed.keep_instead([7]))


def test_the_parts_of_a_plan_follow_each_other(tmp_path):
    held, streamed = both(write(tmp_path / "visits.csv", CLINIC))
    assert [len(part.contacts) for part in held.parts()] == [12]
    assert [len(part.contacts) for part in streamed.parts()] == [3, 3, 3, 3]
    same_table(pd.concat([part.messages for part in streamed.parts()], ignore_index=True), held.messages)
    same_table(pd.concat([part.contacts for part in streamed.parts()]), held.contacts)


def test_what_parts_hand_out_cannot_be_changed(tmp_path):
    streamed = both(write(tmp_path / "visits.csv", CLINIC))[1]
    before = streamed.messages
    for part in streamed.parts():
        messages, contacts = part.messages, part.contacts
        messages["message"] = contacts["Name"] = "changed"
    same_table(streamed.messages, before)


@pytest.mark.parametrize("large", [True, False])
def test_a_large_file_is_read_in_parts_by_itself(tmp_path, monkeypatch, large):
    monkeypatch.setattr(contact_source, "LARGE", len(CLINIC.encode()) - large)
    plan = prepare(write(tmp_path / "visits.csv", CLINIC), message=HELLO, **UG)
    assert len(list(plan.parts())) == (4 if large else 1)


def test_a_frame_that_does_not_fit_into_memory_says_so(tmp_path, monkeypatch):
    streamed = both(write(tmp_path / "visits.csv", CLINIC))[1]
    monkeypatch.setattr(memory, "_COPIES", 10**12)
    for table in ("messages", "contacts", "issues"):
        with pytest.raises(CampaignError, match=rf"for part in plan\.parts\(\): part\.{table}"):
            getattr(streamed, table)
    assert streamed.totals.rows == 12


@pytest.mark.skipif(os.name == "nt", reason="Windows gives every file a name")
def test_nothing_of_a_plan_lies_in_the_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    plan = prepare(write(tmp_path / "visits.csv", CLINIC), message=HELLO, **UG, stream=True)
    assert list((tmp_path / "temporary").iterdir()) == []
    assert len(plan.messages) == 4
    files = len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").exists() else 0
    del plan
    gc.collect()
    assert not files or len(list(Path("/proc/self/fd").iterdir())) < files


def test_a_full_disk_says_what_to_do(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pyarrow.ipc.new_stream", full)
    with pytest.raises(CampaignError, match=r"No space left on device\. Make room there"):
        prepare(write(tmp_path / "visits.csv", CLINIC), message=HELLO, **UG, stream=True)
