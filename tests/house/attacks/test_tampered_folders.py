"""A campaign folder in which somebody has changed a file: whatever it is, the answer is a sentence.

The files of a round are known by their digests, which the manifest and the ledger keep. Here somebody has
written these anew, too, so that every value arrives where it is used.
"""

import hashlib
import json
import shutil
import sqlite3
from contextlib import closing
from functools import cache
from itertools import product
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.golden_folder import GOLDEN
from support.shares import a_share

import campaign
from campaign.sending.store.manifest import FORMAT, read_round_manifest

ROUND = Path("rounds/0001")
SHEET = b"First name,Phone,Visit\nAisha,0772 000 001,Monday\nEve,0772000009,Monday\nBen,0772000003,Friday\n"
VERBS = {
    "load_result": lambda folder: used(campaign.load_result(folder)),
    "compare": lambda folder: campaign.compare(plan(), folder=folder).messages,
    "send": lambda folder: campaign.send(
        plan(), folder=folder, progress=False, changed="send", waiting="withdraw"
    ),
    "resume": lambda folder: used(campaign.resume(folder, progress=False)),
    "history": campaign.history,
    "resolve": lambda folder: agreed(campaign.resolve, folder, 4, "accepted"),
    "reconcile": lambda folder: agreed(campaign.reconcile, folder, "list.csv"),
    "not_again": lambda folder: plan(not_again=folder),
    "close": lambda folder: agreed(campaign.close, folder),
    "erase": lambda folder: agreed(campaign.erase, folder),
}


def plan(**options):
    return campaign.prepare(
        campaign.read_contacts(SHEET), message="Hi {First name}, your visit is on {Visit}.", sender="CLINIC",
        region="UG", **options,
    )  # fmt: skip


def used(result):
    """Whatever can be seen of a result."""
    for table in (result.messages, result.contacts, result.batches, result.plan.issues, result.totals):
        repr(table)
    result._repr_html_()
    campaign.write_report(result, "report.html")
    campaign.write_follow_up(result, "follow_up.csv")


def agreed(verb, *arguments):
    """What asks for a phrase gets it."""
    try:
        verb(*arguments)
    except campaign.ConfirmationError as question:
        verb(*arguments, confirm=question.phrase)


def told(verb, folder):
    """Use a folder in every way; raises what is no sentence of ours."""
    try:
        VERBS[verb](folder)
    except campaign.CampaignError as error:
        assert len(str(error).encode()) > 20  # noqa: PT017 - there need not be any


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("list.csv").write_text('number,message\n256772000004,"Hi Daudi, your visit is on Friday."\n')
    return Path(shutil.copytree(GOLDEN / f"format-{FORMAT}", "visits"))


def vouch(folder):
    """Write the digests of the round anew, as somebody would who knows the format."""
    path = folder / ROUND / "manifest.json"
    record = json.loads(path.read_text("utf-8"))
    for name in record["digests"]:
        if (folder / ROUND / name).is_file():
            record["digests"][name] = hashlib.sha256((folder / ROUND / name).read_bytes()).hexdigest()
    path.write_text(json.dumps(record))
    try:
        digest = read_round_manifest(folder / ROUND).digest
    except campaign.CampaignError:
        return
    change_ledger(folder, "UPDATE rounds SET digest = ?", digest)


def change_ledger(folder, statement, *values):
    """Change what triggers guard, and put the triggers back."""
    with closing(sqlite3.connect(folder / "ledger.sqlite", isolation_level=None)) as ledger:
        triggers = ledger.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        ledger.execute("PRAGMA ignore_check_constraints = ON")
        for name, _ in triggers:
            ledger.execute(f"DROP TRIGGER {name}")
        ledger.execute(statement, values)
        for _, sql in triggers:
            ledger.execute(sql)


# the tables of a round

TABLES = [f"{table}/part-00000.parquet" for table in ("contacts", "issues", "alternatives", "plan")]


def other_names(table):
    return table.rename_columns([f"{name}x" for name in table.column_names])


def of_type(kind, value):
    def retyped(table):
        columns = [pa.array([value] * len(table), kind) for _ in table.column_names]
        return pa.table(columns, names=table.column_names).replace_schema_metadata(table.schema.metadata)

    return retyped


def one_by_one(change):
    return lambda table: [change(table, place) for place in range(table.num_columns)]


def with_column(table, place, column):
    field = pa.field(table.column_names[place], column.type)
    return table.set_column(place, field, column)


def odd(table, place):
    """The column with every value replaced by one of its type that nobody would write."""
    column = table.column(place)
    value = 2**62 if pa.types.is_integer(column.type) else "\ud7ff\x00{}<b>"
    return with_column(table, place, pa.array([value] * len(table), column.type))


DAMAGE = {
    "no rows": lambda table: [table.slice(0, 0)],
    "one row less": lambda table: [table.slice(1)],
    "rows twice": lambda table: [pa.concat_tables([table, table])],
    "other columns": lambda table: [other_names(table)],
    "no names": lambda table: [table.replace_schema_metadata(None)],
    "odd names": lambda table: [
        table.replace_schema_metadata({"names": text}) for text in (b"[]", b"7", b"[1, 2]", b"\xff", b"{}")
    ],
    "all text": lambda table: [of_type(pa.string(), "x")(table)],
    "all numbers": lambda table: [of_type(pa.int64(), -1)(table)],
    "all missing": lambda table: [of_type(pa.int64(), None)(table), of_type(pa.string(), None)(table)],
    "all lists": lambda table: [of_type(pa.list_(pa.int64()), [1])(table)],
    "all fractions": lambda table: [of_type(pa.float64(), float("nan"))(table)],
    "a column less": one_by_one(lambda table, place: table.remove_column(place)),
    "a column missing": one_by_one(
        lambda table, place: with_column(table, place, pa.nulls(len(table), table.column(place).type))
    ),
    "a column as text": one_by_one(
        lambda table, place: with_column(table, place, pa.array(["x"] * len(table)))
    ),
    "a column as numbers": one_by_one(
        lambda table, place: with_column(table, place, pa.array([-5] * len(table)))
    ),
    "odd values": one_by_one(odd),
}


@cache
def golden_table(name):
    return pq.read_table(GOLDEN / f"format-{FORMAT}" / ROUND / name)


@pytest.mark.parametrize(("damage", "name"), a_share(product(DAMAGE, TABLES), 5))
def test_a_table_with_other_contents_is_a_sentence(folder, name, damage):
    for table in DAMAGE[damage](golden_table(name)):
        for verb in ("load_result", "send"):
            shutil.rmtree(folder)
            shutil.copytree(GOLDEN / f"format-{FORMAT}", folder)
            pq.write_table(table, folder / ROUND / name)
            vouch(folder)
            told(verb, folder)


# the ledger

ODD = {
    "no UTF-8": "CAST(x'ff' AS TEXT)",
    "other text": "'x'",
    "no text": "''",
    "controls": "char(0, 27, 8238)",
    "a very long number": "'1e999999'",
    "below zero": "-1",
    "as large as can be": "9223372036854775807",
    "bytes": "x'00'",
    "nothing": "NULL",
}
COLUMNS = {
    "batches": (
        "part", "first", "messages", "digest", "state", "attempts", "cost", "code", "error", "submitted_at",
        "seconds", "note", "round",
    ),
    "rounds": ("digest", "at"),
    "journal": ("at", "batch", "was", "now", "error", "note"),
    "campaign": ("value",),
}  # fmt: skip


PLACES = [f"{table}.{column}" for table, columns in COLUMNS.items() for column in columns]


@pytest.mark.parametrize(("place", "odd_value"), a_share(product(PLACES, ODD), 8))
def test_a_ledger_with_other_contents_is_a_sentence(folder, place, odd_value):
    table, column = place.split(".")
    for verb in ("load_result", "history", "resolve", "resume"):
        shutil.rmtree(folder)
        shutil.copytree(GOLDEN / f"format-{FORMAT}", folder)
        try:
            change_ledger(folder, f"UPDATE {table} SET {column} = {ODD[odd_value]}")
        except sqlite3.IntegrityError:  # not a type that the column can hold
            return
        told(verb, folder)
