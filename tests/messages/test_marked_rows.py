"""A column that marks people who want no messages: `opt_outs=contacts["No SMS"] == "x"`."""

from textwrap import dedent

import pandas as pd
import pytest
from support.issue_facts import fact_of, facts_of
from support.refusals import refused

import campaign
from campaign.contacts.reading import read_contacts
from campaign.errors import UsageError
from campaign.messages.preparation import prepare

CLINIC = """\
    Name,Phone,No SMS
    Ann,0772 000 001,
    Ben,0772 000 002,x
    Cas,0772 000,x
    Dan,,x
    Eve,0772 000 002,
    Fay,0772 000 00,
    Gus,0772 000 003 / 0772 000 004,x
    Hal,0772 000 003,
"""  # rows 2 to 9; Cas has half a number, Dan none, Eve the number of Ben, and Hal one of those of Gus
MARKED = "The row is marked in “No SMS” as one of somebody who wants no messages."


def contacts_in(text=CLINIC):
    return read_contacts(dedent(text).encode())


def plan(contacts, opt_outs, **changes):
    return prepare(contacts, message="Hi {name}", sender="CLINIC", region="UG", opt_outs=opt_outs, **changes)


def marks_in(contacts):
    return contacts["No SMS"] == "x"


@pytest.mark.parametrize("stream", [False, True])
def test_marked_rows_are_left_out_also_without_a_number_and_so_is_whoever_has_the_number_of_one(stream):
    contacts = contacts_in()
    made = plan(contacts, marks_in(contacts), stream=stream)
    assert made.contacts["status"].to_dict() == {
        2: "not_sent", 3: "opted_out", 4: "opted_out", 5: "opted_out", 6: "opted_out",
        7: "invalid", 8: "opted_out", 9: "opted_out",
    }  # fmt: skip
    assert made.contacts["why"][[3, 4, 5, 6, 9]].unique() == ["opted_out"]
    assert {*fact_of(made, "opted_out", "mark")} == {"No SMS"}
    named = made.issues.query("code == 'opted_out'").set_index("row")
    assert named.loc[[3, 6], ["column", "value"]].to_numpy().tolist() == [
        ["No SMS", "x"],
        ["Phone", "0772 000 002"],
    ]


def test_nobody_is_asked_to_correct_a_marked_row(tmp_path):
    contacts = contacts_in()
    result = campaign.send(plan(contacts, marks_in(contacts)), folder=tmp_path / "visits")
    assert result.follow_up()["Name"].tolist() == ["Fay"]
    loaded = campaign.load_result(tmp_path / "visits")
    assert loaded.contacts["status"].value_counts().to_dict() == {
        "opted_out": 6,
        "accepted": 1,
        "invalid": 1,
    }


def test_marks_are_one_list_of_several():
    contacts = contacts_in()
    made = plan(contacts, [["0772 000 001"], marks_in(contacts)])
    assert made.totals["opted_out"] == 7
    assert facts_of(made, "opted_out")[0] == {}


def test_the_marks_of_a_corrected_file_of_rows_leave_out_their_number_in_the_whole_campaign(tmp_path):
    text = "Name,Phone,No SMS\nAnn,0772000001,\nBen,0772000002,\nCas,07720,\n"
    folder = tmp_path / "visits"
    with campaign.Sandbox(balance=35) as service:
        first = campaign.send(plan(contacts_in(text), None), folder=folder, account=service)
        assert first.contacts["status"].tolist() == ["accepted", "refused", "invalid"]
        rows = first.follow_up()
        rows.loc[rows["Name"] == "Cas", ["Phone", "No SMS"]] = ["0772000002", "x"]
        corrected = read_contacts(rows[rows["Name"] == "Cas"])
        service.top_up(100)
        result = campaign.send(plan(corrected, corrected["No SMS"] == "x"), folder=folder, account=service)
    assert result.contacts["status"].tolist() == ["accepted", "opted_out", "opted_out"]


def test_marks_in_another_order_belong_to_their_rows():
    contacts = contacts_in()
    marks = marks_in(contacts)
    by_name = contacts.sort_values("Name", ascending=False)
    assert plan(by_name, marks).contacts["status"].to_dict() == (
        plan(by_name, marks_in(by_name)).contacts["status"].to_dict()
    )
    own = pd.DataFrame({"phone": ["0772000001", "0772000002"], "name": "Ann", "no_sms": [False, True]})
    turned = own.iloc[::-1]
    assert plan(turned, own["no_sms"]).contacts["status"].tolist() == ["opted_out", "not_sent"]


def test_a_path_can_be_marked_by_its_table(tmp_path):
    path = tmp_path / "clinic.csv"
    path.write_text(dedent(CLINIC))
    for stream in (False, True):
        assert plan(path, marks_in(read_contacts(path)), stream=stream).totals["opted_out"] == 6


def test_marks_of_which_nothing_is_known_leave_out_nobody_in_silence_no_more():
    """Lines of last month, run again with a spreadsheet in another language."""
    contacts = contacts_in(CLINIC.replace(",x", ",ndiyo"))
    meaning = contacts["No SMS"].map({"x": True, "no": False})
    assert meaning.isna().all()
    with refused("marks_missing", UsageError):
        plan(contacts, meaning)


def test_lines_that_are_no_people_need_no_mark_and_count_as_nobody_who_wants_none():
    lines = "    ,,\n    Total people,,\n    Remark: the list of the front desk of November,,\n"
    contacts = contacts_in(CLINIC + lines)
    meaning = contacts["No SMS"].map({"x": True, "": False})
    meaning = meaning.mask(contacts.index > 9)  # as where a dictionary says nothing of an empty cell
    for marks in (meaning, contacts["No SMS"].isin(["x", ""]) & (contacts.index > 9)):
        made = plan(contacts, marks)
        assert made.contacts["status"].loc[10:].tolist() == ["blank"] * 3
        assert (made.totals.totals_lines, made.totals.remarks) == (1, 1)


def test_several_conditions_have_no_column_to_name():
    contacts = contacts_in()
    marks = marks_in(contacts) | (contacts["Name"] == "Ann")
    made = plan(contacts, marks.rename(None))
    assert made.contacts["why"][[2, 6]].unique() == ["opted_out"]
    assert {*fact_of(made, "opted_out", "mark")} == {""}


def test_marks_that_do_not_belong_to_the_table_are_refused():
    contacts = contacts_in()
    marks = marks_in(contacts)
    with refused("rows_differ", UsageError):
        plan(contacts, marks.iloc[1:])
    with refused("rows_differ", UsageError):
        plan(contacts, marks.reset_index(drop=True))
    some = marks.where(contacts["Name"] != "Ann")
    for undecided in (some, some.astype("boolean"), some.sample(frac=1, random_state=1), some.rename(None)):
        with refused("marks_missing", UsageError):
            plan(contacts, undecided)


def test_going_on_needs_numbers_and_no_marks(tmp_path):
    contacts = contacts_in()
    campaign.send(plan(contacts, None), folder=tmp_path / "visits")
    with refused("wrong_value", UsageError):
        campaign.resume(tmp_path / "visits", opt_outs=marks_in(contacts))


def test_whoever_wants_no_messages_by_now_is_said_to_have_got_one(tmp_path):
    contacts = contacts_in()
    folder = tmp_path / "visits"
    campaign.send(plan(contacts, None), folder=folder)
    campaign.send(plan(contacts, ["0772 000 001"]), folder=folder)
    for result in (campaign.load_result(folder), campaign.resume(folder, opt_outs=["0772 000 002"])):
        assert (result.contacts.at[2, "why"], result.contacts.at[2, "batch"]) == ("opted_out", 1)
    loaded = campaign.load_result(folder)
    reached = loaded.contacts.loc[loaded.issues.query("code == 'reached_before'")["row"]]
    assert reached["batch"].to_dict() == {2: 1, 3: 2, 6: 2}
    assert reached["why"].tolist() == ["opted_out"] * 3
    assert reached["code"].str.len().all()
