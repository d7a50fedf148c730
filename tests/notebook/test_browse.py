"""All rows of a plan or a result in a notebook: found by any column, and never saved with it."""

from html import unescape

import nbformat
import pandas as pd
import pytest
from nbclient import NotebookClient
from support.small_campaigns import contacts_of, plan_for
from support.unsent_result import unsent_result

import campaign
from campaign.cli.check_command import write_issues
from campaign.contacts.naming_column import naming_column
from campaign.notebook.row_browser import rows_to_browse
from campaign.words.finding import Finding
from campaign.words.page import PAGE

TABLE = b"""name,phone,note
Aisha Nansubuga,0772 000 001,call 0772 000 001 first
Ben Okello,0772 000 0I2,
Carol Auma,0772 000 001,
<b>Dan</b>,0772 000 004,
"""


@pytest.fixture(scope="module")
def plan():
    contacts = campaign.read_contacts(TABLE)
    return campaign.prepare(contacts, message="Dear {name}, hello.", sender="CLINIC", region="UG")


def asked(panel):
    """The rows that the table of a browser panel sends to a page that shows it."""
    return arguments(panel)["data_json"]


def arguments(panel):
    """What that table gives to the program in the page."""
    table = next(child for child in panel.children if hasattr(child, "waiting"))
    sent = []
    table.send = sent.append
    table._handle_custom_msg({"show": True}, [])
    return sent[0]["options"]["_dt_args"]


def test_every_row_with_what_becomes_of_it(plan):
    rows = rows_to_browse(plan, reveal=False)
    assert list(rows.columns) == ["row", "name", "status", "phone", "message", "reason", "note"]
    assert rows["row"].tolist() == [2, 3, 4, 5]
    assert rows["status"].tolist() == ["ready to send", "invalid", "duplicate", "ready to send"]
    assert rows["message"].tolist() == ["Dear Aisha Nansubuga, hello.", "", "", "Dear <b>Dan</b>, hello."]


@pytest.mark.parametrize("header", ["no,date,name,phone", "phone,second phone,name,no"])
def test_the_name_stands_beside_the_number_of_the_row(header):
    """Whoever is to be corrected is found by it, also where the file begins with figures."""
    cells = {"no": "7", "date": "2026-03-05", "second phone": "", "name": "Ada", "phone": "0772"}
    contacts = contacts_of(",".join(cells[name] for name in header.split(",")), header=header)
    rows = rows_to_browse(plan_for(contacts, number="phone"), reveal=False)
    assert list(rows.columns)[:4] == ["row", "name", "status", "phone"]
    assert rows["name"].tolist() == ["Ada"]


LISTS = {
    "of people and a total": ["1,2026-03-05,Ann,0772000001", "2,2026-03-05,Ben,0772000002", "TOTAL,,,"],
    "with a remark below": ["1,2026-03-05,Ann,0772000001", "TOTAL,,,12", "Checked by Grace,,,"],
    "with a heading": ["Village A,,,", "1,2026-03-05,Ann,0772000001", "2,2026-03-05,Ben,0772000002"],
}


@pytest.mark.parametrize("rows", LISTS.values(), ids=LISTS)
@pytest.mark.parametrize("counter", ["No", "Position"])
def test_a_column_that_counts_is_no_name_whatever_stands_beside_no_number(rows, counter):
    """One rule says it wherever a row is named: in the browser, and in the lists of the form."""
    plan = plan_for(contacts_of(*rows, header=f"{counter},day,name,phone"), "Hello.", number="phone")
    assert plan.addressing.naming_column(plan.contacts) == "name"
    assert list(rows_to_browse(plan, reveal=False).columns)[:2] == ["row", "name"]
    assert naming_column(plan.contacts, ["phone"]) == "name"


def test_a_column_of_codes_is_no_name_where_there_is_another():
    plan = plan_for(contacts_of("P-1,Ann,0772000001", "P-2,Ben,0772000002", header="ID,name,phone"))
    assert plan.addressing.naming_column(plan.contacts) == "name"


def test_a_file_without_any_text_has_its_first_column_there():
    rows = rows_to_browse(plan_for(contacts_of("0772,7", header="phone,no"), "Hi"), reveal=False)
    assert list(rows.columns) == ["row", "no", "status", "phone", "message", "reason"]


def test_a_plan_shows_the_texts_that_are_too_long(tmp_path):
    """The name is what makes one of them long: that is seen in the text, not in "Shorten it"."""
    name = f"Immaculate Katushabe {'of Namugongo, 0772 000 009, ' * 5}"
    contacts = campaign.read_contacts(f'name,phone\nAda,0772 000 001\n"{name}",0772 000 002\n'.encode())
    plan = campaign.prepare(contacts, message="Dear {name}, hello.", sender="CLINIC", region="UG")
    rows = rows_to_browse(plan, reveal=False).set_index("row")
    masked = f"Dear {name}, hello.".replace("0772 000 009", "077*****09").replace(", ,", ",,")
    assert rows["message"].tolist() == ["Dear Ada, hello.", masked]
    assert "173 characters, 13 more" in rows.at[3, "reason"]
    shown = "".join(unescape(getattr(child, "value", "")) for child in campaign.browse(plan).children)
    assert (
        "1 text is too long: shorten what fills it in, or prepare the plan with "
        'overlong="truncate" or overlong="split".'
    ) in shown
    assert plan.messages["row"].tolist() == [2]
    result = campaign.send(plan, folder=tmp_path / "visits", progress=False)
    assert rows_to_browse(result, reveal=False)["message"].tolist() == ["Dear Ada, hello.", ""]


def test_a_result_shows_the_outcome_and_the_code(plan, tmp_path):
    result = campaign.send(plan, folder=tmp_path / "visits", progress=False)
    rows = rows_to_browse(result, reveal=False).set_index("row")
    assert rows["status"].to_dict() == {2: "accepted", 3: "invalid", 4: "duplicate", 5: "accepted"}
    assert list(rows.columns) == ["name", "status", "phone", "message", "reason", "note", "batch", "code"]
    assert rows.at[2, "code"] == result.contacts.at[2, "code"] != ""


def test_the_reason_of_what_is_unknown_names_no_class(plan, tmp_path):
    with campaign.Sandbox(faults={1: "accept_reset"}) as sandbox:
        result = campaign.send(plan, account=sandbox, folder=tmp_path / "visits", progress=False)
    rows = rows_to_browse(result, reveal=False).set_index("row")
    assert rows.at[2, "status"] == "unknown"
    assert rows.at[2, "reason"] == PAGE.headline(Finding("connection_broke"))


@pytest.mark.parametrize(
    ("numbers", "shown"),
    [
        (["1", "2", "3"], ["1", "2", "3"]),
        (["311", "312", "313"], ["311", "312", "313"]),
        (["4711", "31", "5"], ["4711", "31", "5"]),
        (["0772000021", "0772000022", "0772000023"], ["077*****21", "077*****22", "077*****23"]),
    ],
)
def test_a_column_called_no_is_masked_only_where_it_holds_phone_numbers(numbers, shown):
    rows = [f"{number},Ann,077200000{place}" for place, number in enumerate(numbers)]
    plan = plan_for(contacts_of(*rows, header="No,name,phone"))
    rows = rows_to_browse(unsent_result(plan, name="visits"), reveal=False)
    assert rows["No"].tolist() == shown


def test_a_line_of_totals_below_a_column_that_counts_the_rows_does_not_have_it_masked():
    rows = contacts_of("1,Ann,0772000001", "2,Ben,0772000002", "TOTAL,2,", header="No,name,phone")
    shown = rows_to_browse(unsent_result(plan_for(rows), name="visits"), reveal=False)
    assert shown["No"].tolist() == ["1", "2", "TOTAL"]


def test_a_column_of_the_provider_that_is_empty_is_left_out(plan):
    rows = rows_to_browse(unsent_result(plan, name="visits"), reveal=False)
    assert "code" not in rows.columns


def test_a_search_that_finds_nothing_says_that_masked_numbers_cannot_be_searched(plan):
    words = [
        arguments(campaign.browse(plan, reveal=reveal))["language"]["zeroRecords"] for reveal in (False, True)
    ]
    assert ["reveal=True" in text for text in words] == [True, False]


def test_numbers_are_masked_unless_they_are_revealed(plan):
    masked, revealed = asked(campaign.browse(plan)), asked(campaign.browse(plan, reveal=True))
    assert "772 000 001" not in masked
    assert "077*****01" in masked.replace(" ", "")
    assert "0772 000 001" in revealed


def test_a_number_with_too_few_digits_is_masked_but_shows_how_many(tmp_path):
    """The reason speaks of the digits; nobody believes it beside a number that looks complete."""
    contacts = campaign.read_contacts(
        b"name,phone\nAda,0772 000 001\nBen,0772 000 14\nCleo,+256 772 000 0013\n"
    )
    plan = campaign.prepare(contacts, message="Hi {name}", sender="CLINIC", region="UG")
    assert plan.contacts["status"].tolist() == ["not_sent", "invalid", "invalid"]
    expected = ["077*****01", "077****14", "+256 77******13"]
    assert rows_to_browse(plan, reveal=False)["phone"].tolist() == expected
    with campaign.Sandbox() as sandbox:
        result = campaign.send(plan, account=sandbox, folder=tmp_path / "sent", progress=False)
    page = campaign.write_report(result, tmp_path / "report.html").read_text("utf-8")
    assert all(f">{number}<" in page for number in expected[1:])  # one form in every list of the rows
    path = write_issues(plan, tmp_path / "issues.csv")
    assert pd.read_csv(path)["value"].str.lstrip("'").tolist() == expected[1:]


def test_cells_are_shown_as_text(plan):
    assert "<b>" not in asked(campaign.browse(plan))


def test_columns_that_are_called_like_ours_keep_their_cells():
    contacts = campaign.read_contacts(b"row,message,phone\n7,old,0772 000 001\n")
    plan = campaign.prepare(contacts, message="Hello", sender="CLINIC", region="UG")
    rows = rows_to_browse(plan, reveal=False)
    ours = ["status", "phone", "message (campaign)", "reason"]
    assert list(rows.columns) == ["row", "message", *ours, "row (your column)"]
    assert rows.iloc[0][["row", "row (your column)", "message (campaign)", "message"]].tolist() == [
        2, "7", "Hello", "old",
    ]  # fmt: skip


def test_the_pieces_of_a_split_text_are_in_one_row():
    contacts = campaign.read_contacts(b"phone,text\n0772 000 001," + b"word " * 50)
    plan = campaign.prepare(contacts, message="{text}", sender="CLINIC", region="UG", overlong="split")
    (message,) = rows_to_browse(plan, reveal=False)["message"]
    assert message.split("\n") == plan.messages["message"].tolist()
    assert len(plan.messages) == 2


def test_a_saved_notebook_holds_counts_and_nobodys_data(tmp_path):
    """nbclient writes the state of every widget into the file, and so may JupyterLab."""
    (tmp_path / "people.csv").write_bytes(TABLE)
    cells = [
        "import campaign",
        "plan = campaign.prepare('people.csv', message='Dear {name}, hello.', sender='CLINIC', region='UG')",
        "campaign.browse(plan, reveal=True)",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(tmp_path)}}).execute()
    saved = nbformat.writes(notebook)
    assert "Nansubuga" not in saved
    assert "000 001" not in saved
    assert len(saved) < 200 * 1024
    card = notebook.cells[-1].outputs[0]["data"]["text/html"]
    assert "4 rows" in card
    assert "ready to send" in card
    assert "Run the cell" in card
    assert notebook.metadata.widgets  # the states were saved, so the search above was one


def test_sentences_have_wide_columns_and_numbers_stay_on_one_line(plan):
    given = arguments(campaign.browse(plan))
    places = {one["className"]: one["targets"] for one in given["columnDefs"] if "className" in one}
    columns = rows_to_browse(plan, reveal=False).columns
    assert columns[places["wide"]].tolist() == ["message", "reason"]
    assert columns[places["unbroken"]].tolist() == ["phone"]
