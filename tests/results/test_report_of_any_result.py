"""A result can be reported whatever became of it and wherever it comes from: sent, loaded, resumed, empty."""

import csv
import html
from decimal import Decimal
from pathlib import Path

import openpyxl
import pandas as pd
import pyarrow as pa
import pytest
from support.batch_rows import frame_of
from support.findings import codes, rows_found, to_do
from support.widget_tree import html_of

import campaign
from campaign.contract import STATUSES
from campaign.results.tables import Result
from campaign.values import replace
from campaign.words.finding import Finding
from campaign.words.python import PYTHON

PEOPLE = """\
Name,Phone,Notes,status
Grace,0772 000 001,call 0772 000 009 instead,1st
Moses,+256 772 000 002,=1+1,2nd
Zoé,772000003,,3rd
Sarah,0772 000 O04,,4th
,,,
Grace,0772 000 001,again,5th
Ruth,0772 000 005,,6th
Ivan,0772 000 006,,7th
Ada,0772 000 007,20000008,8th
"""
HEADER = "Name,Phone,Notes,status\n"
NUMBERS = [f"000{gap}00{last}" for gap in ("", " ") for last in range(1, 10)]


def plan_of(text, folder, **options):
    table = folder / "people.csv"
    table.write_text(text, encoding="utf-8")
    contacts = campaign.read_contacts(table)
    return campaign.prepare(
        contacts,
        message="Hi {name}, is {phone} yours?",
        sender="CLINIC",
        number="Phone",
        region="UG",
        **options,
    )


def with_batches(plan, *batches):
    """A result whose batches are (messages, status, cost, code, error)."""
    submitted = pd.Timestamp("2026-03-02 08:00:01", tz="UTC")
    rows = [(place, *batch, 1, submitted, 0.25, 1) for place, batch in enumerate(batches, start=1)]
    return Result(plan, frame_of(rows), environment="live", folder=Path("campaigns/visits-3fa2c1"))


def fresh(folder):
    return campaign.send(plan_of(PEOPLE, folder), folder=folder / "visits", batch_size=2, progress=False)


def loaded(folder):
    fresh(folder)
    return campaign.load_result(folder / "visits")


def held(folder):
    """What a budget of two messages lets through, loaded from its folder."""
    plan = plan_of(PEOPLE, folder)
    budget = campaign.Budget(messages=2)
    campaign.send(plan, folder=folder / "visits", batch_size=2, budget=budget, progress=False)
    return campaign.load_result(folder / "visits")


def resumed(folder):
    held(folder)
    return campaign.resume(folder / "visits", progress=False)


def nothing_to_send(folder):
    plan = plan_of(f"{HEADER}Sarah,none,,\n", folder)
    campaign.send(plan, folder=folder / "visits", progress=False)
    return campaign.load_result(folder / "visits")


def no_rows(folder):
    campaign.send(plan_of(HEADER, folder), folder=folder / "visits", progress=False)
    return campaign.load_result(folder / "visits")


def one_row(folder):
    campaign.send(plan_of(f"{HEADER}Grace,0772000001,,\n", folder), folder=folder / "visits", progress=False)
    return campaign.load_result(folder / "visits")


# The service's own words, with a phone number in them.
UNCLEAR = Finding("answer_unclear", {"says": "Failed", "reason": "No answer for 0772 000 002"})


def every_status(folder):
    plan = plan_of(PEOPLE, folder, opt_outs=pd.Series(["+256772000007"], dtype="str"))
    return with_batches(
        plan,
        (1, "accepted", Decimal("35.50"), "ApiJsonSubmit65f0a1b2c3d4e.12345678", ""),
        (1, "unknown", None, "", UNCLEAR),
        (2, "refused", None, "", "Money Not Enough To Send This Batch of Msgs"),
        (1, "not_sent", None, "", ""),
    )


def in_chunks(folder):
    """Every text column of plan and batches in one chunk for each row."""
    result = every_status(folder)
    plan = replace(
        result.plan,
        messages=chunked(result.plan.messages),
        issues=chunked(result.plan.issues),
        contacts=chunked(result.plan.contacts),
    )
    return Result(plan, chunked(result.batches), environment="live", folder=result.folder)


def chunked(table):
    def split(column):
        pieces = pa.chunked_array([pa.array([text], pa.large_string(), from_pandas=True) for text in column])
        return pd.Series(pieces, dtype="str", index=column.index)

    texts = [name for name in table.columns if table[name].dtype == "str"]
    return table.assign(**{name: split(table[name]) for name in texts}) if len(table) else table


RESULTS = [
    fresh,
    loaded,
    held,
    resumed,
    nothing_to_send,
    no_rows,
    one_row,
    every_status,
    in_chunks,
]


def report(result, path, *, reveal=False):
    """The text of a report, as its reader sees it."""
    campaign.write_report(result, path, reveal=reveal)
    if path.suffix == ".xlsx":
        book = openpyxl.load_workbook(path)
        return "\n".join(
            "|".join("" if cell is None else str(cell) for cell in row)
            for sheet in book
            for row in sheet.iter_rows(values_only=True)
        )
    return path.read_text(encoding="utf-8-sig")


@pytest.mark.parametrize("make", RESULTS)
def test_every_result_has_every_report(make, tmp_path):
    result = make(tmp_path)
    for ending in (".html", ".xlsx", ".csv"):
        masked = report(result, tmp_path / f"report{ending}")
        assert [number for number in NUMBERS if number in masked] == []
        assert "20000008" not in masked
    for ending in (".xlsx", ".csv"):
        revealed = report(result, tmp_path / f"open{ending}", reveal=True)
        typed = [phone for phone in result.contacts["Phone"] if phone]
        assert [phone for phone in typed if phone not in revealed] == []


@pytest.mark.parametrize("make", RESULTS)
def test_every_result_can_be_looked_at(make, tmp_path):
    result = make(tmp_path)
    seen = "\n".join([repr(result), result._repr_html_(), html_of(campaign.summary(result))])
    assert [number for number in NUMBERS if number in seen] == []
    assert all(PYTHON.headline(one) in html.unescape(seen) for one in result.findings[:1])
    assert sum(rows_found(result).values()) == len(result.contacts)
    assert sum(result.totals.values()) == len(result.contacts)
    again = result.follow_up(list(STATUSES))
    assert list(again.columns) == [
        "Name",
        "Phone",
        "Notes",
        "status",
        "last reason",
        "last status",
        "row in the file",
        "mark (leave as it is)",
        "campaign",
    ]
    assert again["status"].tolist() == result.contacts["status (your column)"].tolist()


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (no_rows, ["nobody_to_send_to"]),
        (one_row, ["rehearsal_result", "rows_accepted"]),
        (nothing_to_send, ["rehearsal_result", "rows_to_correct"]),
        (
            every_status,
            [
                "live_result", "rows_accepted", "rows_unknown", "rows_refused", "rows_not_sent",
                "rows_to_correct", "rows_opted_out", "rows_repeated",
            ],
        ),
    ],
)  # fmt: skip
def test_there_is_one_finding_for_each_kind_of_rows(make, found, tmp_path):
    result = make(tmp_path)
    assert [code for code in codes(result) if code != "text"] == found
    assert len(to_do(result)) <= 3


def test_a_result_from_disk_is_reported_like_the_fresh_one(tmp_path):
    sent = fresh(tmp_path)
    from_disk = campaign.load_result(tmp_path / "visits")
    for ending in (".html", ".xlsx", ".csv"):
        before, after = (
            without_date(report(result, tmp_path / f"{name}{ending}"))
            for name, result in (("sent", sent), ("loaded", from_disk))
        )
        assert before == after
    for tables in ("batches", "messages", "contacts", "issues"):
        pd.testing.assert_frame_equal(getattr(sent, tables), getattr(from_disk, tables))
    assert sent.totals.as_record() == from_disk.totals.as_record()
    assert (sent.totals.cost, sent.totals.batches) == (from_disk.totals.cost, from_disk.totals.batches)


def test_a_report_from_disk_says_what_was_read(tmp_path):
    result = loaded(tmp_path)
    assert result.reading == fresh_reading(tmp_path)
    page = report(result, tmp_path / "report.html")
    assert '<th scope="row">File</th><td class="figure">people.csv</td>' in page
    assert '<th scope="row">Rows</th><td class="figure">9</td>' in page
    assert "File|people.csv" in report(result, tmp_path / "report.xlsx")


def test_rows_of_a_loaded_result_go_straight_back_to_prepare(tmp_path):
    rows = loaded(tmp_path).follow_up()
    assert rows.index.tolist() == [5]
    rows.loc[5, "Phone"] = "0772 000 004"
    again = campaign.prepare(rows, message="Hi {name}", sender="CLINIC", number="Phone", region="UG")
    assert again.messages["row"].tolist() == [5]


def test_every_field_of_a_csv_is_quoted(tmp_path):
    campaign.write_report(every_status(tmp_path), tmp_path / "report.csv")
    with (tmp_path / "report.csv").open(encoding="utf-8-sig", newline="") as file:
        lines = file.read().split("\r\n")
    ours = '"status","why","reason","batch","code"'
    assert lines[0] == f'"row","Name","Phone","Notes","status (your column)",{ours}'
    assert lines[1].startswith(
        '"2","Grace","077*****01","call 077*****09 instead","1st","accepted","","","1",'
    )
    assert next(csv.reader(lines[5:6])) == ["6", *[""] * 4, "blank", "blank_row", "The row is empty.", "", ""]


def without_date(text):
    return "\n".join(line for line in text.splitlines() if "Written" not in line)


def fresh_reading(folder):
    return campaign.read_contacts(folder / "people.csv").attrs["reading"]
