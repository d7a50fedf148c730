"""Lists of numbers as people have them: read completely, by what their cells hold, or not at all."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.findings import as_codes
from support.issue_facts import fact_of, facts_of
from support.refusals import refused
from support.spreadsheets import saved, workbook

import campaign
from campaign.errors import CampaignError, FileError, UsageError

PEOPLE = pd.DataFrame({"Name": ["Ann", "Ben", "Cas", "Dan"], "Phone": [f"0772 000 00{n}" for n in "1234"]})
ALL, NOBODY = "1234", ""


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def plan(contacts=PEOPLE, **options):
    return campaign.prepare(contacts, message="Hi {name}", sender="CLINIC", region="UG", **options)


def left_out(opt_outs, contacts=PEOPLE, **options):
    """The last digits of those who get nothing."""
    contacts = plan(contacts, opt_outs=opt_outs, **options).contacts
    return "".join(contacts.loc[contacts["status"] == "opted_out", "Phone"].str[-1])


def file(name, text):
    Path(name).write_text(text)
    return name


# --- what a file holds and does not show --------------------------------------------------------------


def book(*rows, sheets=None, hidden_rows=(), hidden_columns=(), hidden_sheets=(), name="stop.xlsx"):
    """A workbook with these rows on its first sheet, and other sheets beside."""
    made = workbook(*(rows or [["Phone"], ["0772000001"], ["0772000002"]]))
    for row in hidden_rows:
        made.active.row_dimensions[row].hidden = True
    for letter in hidden_columns:
        made.active.column_dimensions[letter].hidden = True
    for title, lines in (sheets or {}).items():
        sheet = made.create_sheet(title)
        sheet.sheet_state = "hidden" if title in hidden_sheets else "visible"
        for line in lines:
            sheet.append(line)
    Path(name).write_bytes(saved(made))
    return name


INCOMPLETE = {
    "a filtered row": {"hidden_rows": [3]},
    "a hidden column of numbers": {
        "rows": [["Name", "Phone"], ["Ben", "0772000002"]], "hidden_columns": "B"
    },
    "a second number in a hidden column": {
        "rows": [["Phone", "Phone 2"], ["0772000001", "0772000002"]], "hidden_columns": "B"
    },
    "the numbers of two months": {"sheets": {"December": [["Phone"], ["0772000002"]]}},
    "numbers without a header": {"sheets": {"More": [["0772000002"]]}},
    "a number of seven digits": {"sheets": {"Fiji": [["Phone"], ["712 3456"]]}},
    "a hidden sheet": {"sheets": {"Old": [["Tel"], ["0772000002"]]}, "hidden_sheets": ["Old"]},
    "words beside the numbers": {"sheets": {"SMS": [["Phone"], ["STOP 0772000002"]]}},
    "a formula without a value": {"rows": [["Phone"], ["0772000001"], ["=A9"]]},
    "a column that lost all its values": {
        "rows": [["Phone", "Tel 2"], ["=A9", "0772000001"], ["=A9", ""]]
    },
    "an error": {"rows": [["Phone"], ["0772000001"], ["#N/A"]]},
}  # fmt: skip


def code_of(case):
    values = ("a formula without a value", "a column that lost all its values", "an error")
    return "list_values_lost" if case in values else "list_incomplete"


@pytest.mark.parametrize("case", INCOMPLETE)
def test_a_list_that_was_not_read_completely_leaves_nobody_else_to_chance(case):
    rows = INCOMPLETE[case].get("rows", ())
    path = book(*rows, **{name: given for name, given in INCOMPLETE[case].items() if name != "rows"})
    table = campaign.read_contacts(path)
    for given in (path, Path(path), [path, ["0772000004"]], table, table.get("Phone", table)):
        with refused(code_of(case), FileError):
            plan(opt_outs=given)
    for lists in ({"not_again": path}, {"opt_outs": path, "stream": True}):
        with refused(code_of(case), FileError):
            plan(**lists)


@pytest.mark.parametrize("kind", ["xls", "ods"])
def test_hidden_rows_of_other_workbooks_count_too(kind):
    """Rows 6 and 7 of it are hidden."""
    samples = Path(__file__).parents[1] / "support" / "samples"
    with refused("list_incomplete", FileError):
        plan(opt_outs=samples / f"clinic.{kind}")


def test_a_list_can_be_given_completely():
    path = book(hidden_rows=[3])
    with refused("list_incomplete", FileError, file="stop.xlsx") as hidden:
        plan(opt_outs=path)
    assert as_codes(hidden.value.finding.facts["left_out"]) == {
        "numbers_hidden": {"what": "rows", "places": ["3"]}
    }
    assert left_out(campaign.read_contacts(path, hidden="include")) == "12"
    path = book(sheets={"December": [["Phone"], ["0772000003"]]})
    with refused("list_incomplete", FileError) as sheets:
        plan(opt_outs=path)
    assert as_codes(sheets.value.finding.facts["left_out"]) == {
        "sheets_not_read": {"sheet": "Sheet", "others": ["December"]}
    }
    assert left_out([campaign.read_contacts(path, sheet=name) for name in ("Sheet", "December")]) == "123"
    assert left_out(campaign.read_contacts(path, sheet="December")) == "3"


def test_several_files_of_which_one_hides_a_row():
    paths = [book(name="a.xlsx"), book(name="b.xlsx", hidden_rows=[2])]
    for given in (paths, campaign.read_contacts(paths)):
        with refused("list_incomplete", FileError):
            plan(opt_outs=given)


@pytest.mark.parametrize(
    "harmless",
    [
        {"sheets": {"Notes": [["Updated every Monday"], ["Call Ann if in doubt"], ["2026-11-01"]]}},
        {"sheets": {"Pivot": [["Network", "Network"], ["AIRTEL", 25], ["MTN", 250_000]]}},
        {"sheets": {"Empty": []}},
        {
            "rows": [["Phone", "Since"], ["0772000001", "2026-11-01"], ["0772000002", ""]],
            "hidden_columns": "B",
        },
        {"rows": [["Phone", "Ratio"], ["0772000001", "=1/0"], ["0772000002", ""]]},
    ],
)
def test_what_holds_no_numbers_is_no_reason_to_refuse(harmless):
    rows = harmless.pop("rows", ())
    assert left_out(book(*rows, **harmless)) == "12"


def test_a_list_taken_from_the_table_itself_may_lack_what_the_table_lacks():
    """Whoever is hidden there, or has a wrong number, gets nothing anyway."""
    path = book(
        ["Name", "Phone", "No SMS"], ["Ann", "0772000001", ""], ["Ben", "0772000002", "x"],
        ["Cas", "0772", "x"], hidden_rows=[2],
        sheets={"Other village": [["Name", "Phone"], ["Eve", "0772000005"]]},
    )  # fmt: skip
    table = campaign.read_contacts(path)
    marked = table.loc[table["No SMS"] == "x", "Phone"]
    assert left_out(marked, table) == left_out(marked, path) == "2"
    with refused("list_incomplete", FileError):
        plan(opt_outs=marked)


# --- entries ------------------------------------------------------------------------------------------

ONE_NUMBER = """\
STOP 0772000001
0772000001 (wife)
0772 000 001 STOP
Jane 0772 000 001
Mr. Okello: (0772) 000-001
stop +256 772 000 001
STOP 256772000001
whatsapp:+256772000001
256772000001@c.us
0772000001 2 kids
0772000001 since 2026-11-01
01/11/2026 14:30 0772000001
0772000001; 0772 000 001
STOP ٠٧٧٢٠٠٠٠٠١
"""


@pytest.mark.parametrize("entry", ONE_NUMBER.splitlines())
def test_one_number_counts_whatever_words_are_beside_it(entry):
    assert left_out([entry]) == left_out(file("stop.csv", f'Phone\n"{entry}"\n')) == "1"


UNCLEAR = """\
0772000001, 0772000002
Jane 0772 000 001 / 0772 000 002
0772000001 0772 000 002
0772000001 (0772 000 0023)
0772OOO001
077200000
Jane 07720000011
8080
Total 35
ann2000@example.org
"""


@pytest.mark.parametrize("entry", UNCLEAR.splitlines())
def test_an_entry_with_digits_that_is_not_one_number_stops_before_anything_leaves(entry):
    with refused("entry_unreadable", UsageError):
        plan(opt_outs=["0772000003", entry])


def test_all_such_entries_are_named_at_once_and_masked():
    lines = ["Phone", "0772000001", *("07720000" for _ in range(12))]
    with refused("entry_unreadable", UsageError, rows=[*range(3, 15)]) as caught:
        plan(opt_outs=file("stop.csv", "\n".join(lines)))
    assert "07720000" not in str(caught.value)


def test_entries_without_digits_are_skipped_and_counted():
    entries = ["AIRTEL", "n/a", "-", "0", "0772000001", "", None, pd.NA]
    assert left_out(entries) == "1"
    assert fact_of(plan(opt_outs=entries), "unreadable_entry", "count") == [4]


@pytest.mark.parametrize(
    "numbers",
    [
        {772000001}, [772000001.0, float("nan")], [np.int64(772000001)],
        pd.Series([772000001, pd.NA], dtype="Int64"), pd.Series([772000001.0, None]),
        pd.Series(["0772000001"], name="0772000001"), [["0772000001"]],
    ],
    ids=str,
)  # fmt: skip
def test_numbers_of_any_kind_are_read(numbers):
    assert left_out(numbers) == "1"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("STOP 0772000001\n0772000002 stop\n", "12"),  # the first line is no header
        ("People who said STOP\n\nName,Phone\nAnn,0772000001\n", "1"),
        ("Ann,0772000001\nBen,STOP 0772000002\n", "12"),
        ("Number,Name,Telephone\n1,Ann,0772000001\n2,Ben,0772000002\n", "12"),
        ("Phone,Phone 2\n0772000001,0772000002\n0772000009,\n", "12"),
        ("Número de teléfono,Número de celular\n0772000001,0772000002\n0772000003,\n", "123"),
        ("Phone,Referred by\n0772000001,0772000002\n0772000009,0772000003\n", "1"),
        ("ID,Phone,Joined\n12345678,0772000001,2026-01-01\n22345678,0772000002,2026-01-02\n", "12"),
    ],
)
def test_lists_as_people_write_them(text, expected):
    assert left_out(file("stop.csv", text)) == expected


# --- logs of messages ---------------------------------------------------------------------------------

OURS = "+256200111222"
SIDES = """\
From,To
To,From
recipient,sender
Sender,Receiver
Originator,Recipient
Source,Destination
Destination,Source
Phone Number,From
From,Phone Number
to_number,from_number
Caller,Called
Sender ID,Mobile
Expéditeur,Destinataire
Absender,Empfänger
De,Para
Customer,Phone
Line A,Line B
"""


def log(header, pairs, name="log.csv"):
    return file(
        name, "\n".join([f"{header},Body,Time", *(f"{a},{b},STOP,2026-11-22 10:00" for a, b in pairs)])
    )


@pytest.mark.parametrize("ours_first", [True, False])
@pytest.mark.parametrize("header", SIDES.splitlines())
def test_people_are_on_the_side_whose_numbers_differ_and_meet_the_table(header, ours_first):
    people = ["+256772000001", "+256772000003", "+256772000088"]
    path = log(header, [(OURS, one) if ours_first else (one, OURS) for one in people])
    assert left_out(path) == left_out(path, stream=True) == left_out(pd.read_csv(path)) == "13"
    first = campaign.read_contacts(path, header=False).iloc[1:].to_csv(index=False, header=False)
    assert left_out(file("headerless.csv", first)) == "13"


def test_a_handful_of_our_own_numbers_is_no_side_of_people_though_one_is_in_the_table():
    pairs = [(f"+25677200{n:04}", f"+25620011122{n % 3}") for n in range(1, 41)]
    contacts = pd.concat([PEOPLE, pd.DataFrame({"Name": ["Us"], "Phone": ["0200111221"]})])
    assert left_out(log("From,To", pairs), contacts) == "1234"


def test_the_choice_of_a_column_is_said():
    path = log("From,To", [("0772000001", OURS), ("0772000003", OURS)])
    (facts,) = facts_of(plan(opt_outs=path), "list_column")
    assert (facts["columns"], facts["others"]) == (["From"], ["To"])


def test_short_codes_and_names_on_the_other_side_are_no_numbers():
    for other in ("8080", "CLINIC"):
        assert left_out(log("Source,Destination", [("0772000001", other), ("0772000003", other)])) == "13"
    path = log("From,To", [("AIRTEL", OURS)] * 4 + [("0772000001", OURS), ("0772000003", OURS)])
    assert left_out(path) == "13"


def test_where_both_sides_may_be_the_people_both_are_named():
    path = log(
        "From,To", [("0772000001", OURS), ("0772000003", OURS), (OURS, "0772000002"), (OURS, "0772000004")]
    )
    for option in ({"opt_outs": path}, {"not_again": path}, {"opt_outs": path, "stream": True}):
        with refused("list_unclear", UsageError):
            plan(**option)
    assert left_out(campaign.read_contacts(path)["From"]) == "13"


def test_a_log_of_one_message_and_one_that_meets_nobody():
    assert left_out(log("From,To", [("0772000001", OURS)])) == "1"
    assert left_out(log("From,To", [(OURS, "0772000001")])) == "1"
    assert left_out(log("From,To", [("0701000001", OURS), ("0701000002", OURS)])) == NOBODY


# --- the second step: a campaign that goes on ---------------------------------------------------------


@pytest.fixture
def stopped():
    """A campaign of which two of four messages have left."""
    with campaign.Sandbox() as sandbox:
        held = campaign.send(
            plan(), account=sandbox, folder="c", budget=70, batch_size=1, concurrency=1, progress=False
        )
        assert held.totals["accepted"] == 2
        yield sandbox


def test_resume_reads_its_list_before_anything_leaves(stopped):
    refused = [
        book(hidden_rows=[3]), book(sheets={"More": [["0772000004"]]}, name="more.xlsx"),
        ["0772000003, 0772000004"], ["0772OOO003"],
        log("From,To", [("0772000003", "0772000004"), ("0772000004", "0772000001")]),
    ]  # fmt: skip
    for opt_outs in refused:
        with pytest.raises(CampaignError):
            campaign.resume("c", opt_outs=opt_outs, account=stopped, budget=1000, progress=False)
    assert len(stopped.inbox) == 2
    path = log("From,To", [("STOP 0772 000 003", OURS), ("0772000088", OURS)])
    result = campaign.resume("c", opt_outs=path, account=stopped, budget=1000, progress=False)
    assert result.totals["opted_out"] == 1
    assert stopped.inbox["number"].str[-1].tolist() == ["1", "2", "4"]
    again = campaign.send(plan(opt_outs=path), account=stopped, folder="c", progress=False)
    assert (again.totals["opted_out"], len(stopped.inbox)) == (1, 3)
