"""A spreadsheet may call its columns as this package calls its own: each keeps its cells, nothing fails."""

from pathlib import Path

import pandas as pd
import pytest
from support.spreadsheets import saved, workbook

import campaign

NAMES = [
    "row", "status", "reason", "batch", "code", "row (your column)", "status (your column)", "self", "index",
    "number", "message", "people", "rows", "accepted", "needing_attention", "cost_share", "round", "key",
    "words", "outcome", "group", "what they get", "why", "outcome in the Summary", "last status", "campaign",
]  # fmt: skip
OTHER_LETTERS = [
    "Row", "Status", "REASON", "Batch", "Code", "Row (your column)", "STATUS (YOUR COLUMN)", "Self", "Index",
    "Message", "People", "Accepted", "Need attention", "SMS parts", "Share of the cost", "Last Status",
    "Campaign",
]  # fmt: skip
PHONES = ["0772 000 001", "0772 000 002", "0772 00"]


def cells_of(names):
    """The table of three people; Carol's number is wrong."""
    own = {name: [f"{person} {place}" for person in "ABC"] for place, name in enumerate(names)}
    return pd.DataFrame({**own, "Name": ["Aisha", "Ben", "Carol"], "Phone": PHONES})


SOURCES = {
    "csv": lambda cells: cells.to_csv(index=False).encode(),
    "xlsx": lambda cells: saved(workbook(list(cells), *cells.to_numpy().tolist())),
    "DataFrame": lambda cells: cells.set_axis(pd.Index([7, 8, 9], name="row")),
}


def prepared(source, names):
    text = "Hi {Name}" + "".join(f" {{{name}}}" for name in names)
    numbers = {"number": "Phone", "region": "UG"}
    return campaign.prepare(source, message=text, sender="CLINIC", **numbers, max_parts=None)


def sent(names):
    """Two people are reached, and one number has to be corrected."""
    cells_of(names).to_csv("visits.csv", index=False)
    return campaign.send(prepared("visits.csv", names), progress=False)


@pytest.fixture
def result(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return sent(NAMES)


def assert_holds(table, cells):
    """The table has the columns of the file, in their order, with all their cells."""
    kept = [column.astype("str").tolist() for _, column in table.items()]
    own = iter(kept)
    assert all(column.tolist() in own for _, column in cells.items()), list(table)


def sheets_of(path, header=0):
    return pd.read_excel(path, sheet_name=None, header=header, dtype="str", engine="calamine")


@pytest.mark.parametrize("names", [NAMES, OTHER_LETTERS], ids=["exactly", "other letters"])
@pytest.mark.parametrize("kind", SOURCES)
def test_every_placeholder_stands_for_the_cells_of_the_file(kind, names):
    cells = cells_of(names)
    contacts = campaign.read_contacts(SOURCES[kind](cells))
    assert list(contacts) == [*names, "Name", "Phone"]
    plan = prepared(contacts, names)
    assert_holds(plan.contacts, cells)
    own = cells[names].head(2).agg(" ".join, axis=1)
    assert plan.messages["message"].tolist() == ("Hi " + cells["Name"].head(2) + " " + own).tolist()


def test_results_reports_and_cards_have_all_cells(result):
    cells = cells_of(NAMES)
    assert_holds(result.contacts, cells)
    assert_holds(campaign.load_result(result.folder).contacts, cells)
    for show in (result, campaign.compare(result.plan), result.plan):
        assert show._repr_html_()
    assert campaign.summary(result).card()
    assert campaign.browse(result).card()
    for reveal in (True, False):
        for kind in ("csv", "xlsx", "html"):
            campaign.write_report(result, f"{reveal}.{kind}", reveal=reveal)
    assert_holds(sheets_of("True.xlsx")["Contacts"], cells)
    assert_holds(sheets_of("True.xlsx", header=1)["Follow-up"], cells.tail(1))
    assert_holds(pd.read_csv("True.csv", dtype="str"), cells)


@pytest.mark.parametrize("names", [NAMES, OTHER_LETTERS], ids=["exactly", "other letters"])
def test_a_report_by_such_a_column_lists_its_values(names, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result, cells = sent(names), cells_of(names)
    for file in ("report.html", "report.xlsx"):
        campaign.write_report(result, file, by=names, reveal=True)
    page = Path("report.html").read_text(encoding="utf-8")
    breakdowns = [sheet for name, sheet in sheets_of("report.xlsx").items() if name.startswith("By ")]
    for name, sheet in zip(names, breakdowns, strict=True):
        assert sorted(sheet.iloc[:, 0]) == sorted(cells[name])
        assert all(f">{value}</td>" in page for value in cells[name])


@pytest.mark.parametrize("suffix", [".xlsx", ".csv", ".ods"])
def test_a_follow_up_file_brings_all_columns_back(result, suffix):
    cells = cells_of(NAMES)
    file = campaign.write_follow_up(result, f"rows{suffix}")
    returned = campaign.read_contacts(file)
    assert list(returned) == list(cells)
    assert_holds(returned, cells.tail(1))
    returned["Phone"] = "0772 000 003"
    again = campaign.send(prepared(returned, NAMES), progress=False)
    assert (again.totals["accepted"], len(again.contacts)) == (3, 3)
    assert_holds(again.contacts, cells.replace({"0772 00": "0772 000 003"}))


def test_a_column_that_counts_the_rows_is_not_taken_for_a_saved_index(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cells = cells_of([]).assign(row=["2", "3", "4"])[["row", "Name", "Phone"]]
    cells.to_csv("visits.csv", index=False)
    result = campaign.send(prepared("visits.csv", ["row"]), progress=False)
    result.follow_up().to_csv("saved.csv")
    for file in (campaign.write_follow_up(result, "rows.csv"), "saved.csv"):
        assert campaign.read_contacts(file).to_numpy().tolist() == [["4", "Carol", "0772 00"]]


@pytest.mark.parametrize("first", ["row", "self", "Message", "why it gets no text"])
def test_a_person_at_the_form_finds_all_cells_before_and_after_sending(first, person):
    """Ben has no cell in such a column, and Carol's number is too short."""
    phones = ["0772 000 001", "+256 772 000 002", "0772 00"]
    cells = pd.DataFrame({first: ["A1", "", "A3"], "why": ["B1", "B2", "B3"], "phone": phones})
    person.check(cells.to_csv(index=False), text=f"Bring {{{first}}} and {{why}}.")
    assert person.rows("not_sent") == [["2", "Bring A1 and B1."]]
    assert [row for row, _, _ in person.rows("to_correct")] == ["3", "4"]
    listed = sheets_of(person.download("invalid"))["Rows to correct"].fillna("")
    assert_holds(listed, cells.tail(2).fillna(""))
    person.press("next")
    person.rehearse()
    assert person.counts == {"invalid": 2, "accepted": 1}
    assert_holds(campaign.read_contacts(person.download("follow-up")), cells.tail(2))


def test_the_first_rows_tell_the_row_numbers_from_a_column_of_that_name(person):
    person.choose("row,name,phone\nA1,Aisha,+256 772 000 001\n")
    (table,) = (item for item in person.items() if item["kind"] == "table")
    assert (table["columns"], table["rows"]) == (
        ["Row", "row", "name", "phone"],
        [["2", "A1", "Aisha", "+256 772 000 001"]],
    )
