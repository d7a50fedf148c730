"""Exports of the field's tools, each as its tool writes it, from the file to the sandbox."""

import csv
import io

import pandas as pd
import pytest
from support.findings import as_codes
from support.refusals import refused
from support.spreadsheets import as_rows, reading, saved, workbook

import campaign
from campaign.contacts.exports import likely_number_columns
from campaign.errors import ColumnError, UsageError

COMMCARE_CASES = [
    ["number", "caseid", "name", "phone_number", "next_visit", "closed", "opened_date", "owner_name"],
    ["1", "8b0c", "Amina", "+256772000001", "2026-02-03", "False", "2026-01-05 08:30:00", "clinic"],
    ["2", "8b0d", "NA", "0772000002", "---", "False", "2026-01-06 09:00:00", "clinic"],
    ["3", "8b0e", "Chris", "---", "2026-02-04", "False", "2026-01-06 09:10:00", "---"],
]
COMMCARE_FORMS = [
    ["number", "formid", "form.patient.name", "form.patient.phone_number", "completed_time", "received_on"],
    ["1", "f00d", "Amina", "+256772000001", "2026-01-05 08:30:00", "2026-01-05 08:31:00"],
]
ONA = [
    ["person/name", "person/phone", "visit", "meta/instanceID", "_id", "_uuid", "_submission_time", "_tags"],
    ["Amina", "0772000001", "n/a", "uuid:1", "61", "1", "2026-01-05T09:41:19", ""],
    ["n/a", "0772000002", "2026-02-03", "uuid:2", "62", "2", "2026-01-05T09:42:19", ""],
]
KOBO = [
    ["start", "First name", "Mobile number", "_id", "_uuid", "_submission_time", "_validation_status"],
    ["", "", "#contact+phone", "", "", "", ""],
    ["2026-01-05T05:40:39", "Amina", "0772000001", "61", "1", "2026-01-05T09:41:19", ""],
    ["2026-01-05T05:50:39", "NA", "0772000002", "62", "2", "2026-01-05T09:51:19", ""],
]
RAPIDPRO = [
    [
        "Contact UUID", "Name", "Language", "Status", "Created On", "Last Seen On", "URN:Tel", "URN:Tel",
        "URN:Telegram", "URN:Whatsapp", "Field:visit_date", "Group:Mothers",
    ],
    ["a1", "Amina", "eng", "Active", "", "", "+256772000001", "", "33", "256772000009", "20-12-2026 08:30",
     "True"],
    ["a2", "Ben", "", "Active", "", "", "", "tel:+256772000002", "", "", "05-01-2027 09:00", "False"],
]  # fmt: skip
GOOGLE = [
    ["First Name", "Last Name", "Notes", "Labels", "E-mail 1 - Label", "E-mail 1 - Value", "Phone 1 - Label",
     "Phone 1 - Value", "Phone 2 - Label", "Phone 2 - Value"],
    ["Amina", "Okello", "", "* myContacts", "", "", "Mobile", "0772 000001", "Work", "0414 000000"],
    ["Ben", "Kato", "", "* myContacts", "", "", "Work", "0414 000000", "Mobile", "0772 000002"],
    ["Chris", "Ayo", "", "* myContacts", "", "", "Mobile", "0772 000003 ::: 0772 000004", "", ""],
]  # fmt: skip


def as_csv(rows, delimiter=","):
    target = io.StringIO()
    csv.writer(target, delimiter=delimiter).writerows(rows)
    return target.getvalue().encode()


def as_xlsx(rows):
    return saved(workbook(*rows))


def prepare(contacts, message, **options):
    return campaign.prepare(contacts, message=message, sender="CLINIC", region="UG", **options)


@pytest.fixture(scope="module")
def sandbox():
    with campaign.Sandbox() as running:
        yield running


@pytest.fixture
def received(sandbox, tmp_path):
    """What the sandbox has received of a plan: number -> text."""

    def send(plan):
        before = len(sandbox.inbox)
        campaign.send(plan, account=sandbox.account, folder=tmp_path / "sent", progress=False)
        inbox = sandbox.inbox.iloc[before:]
        return dict(zip(inbox["number"], inbox["text"], strict=True))

    return send


@pytest.mark.parametrize("write", [as_csv, as_xlsx])
def test_three_hyphens_of_commcare_are_no_value(write, received):
    """Sent as it is, Chris would get "Hi ---"; a person may still be called NA."""
    contacts = campaign.read_contacts(write(COMMCARE_CASES))
    assert as_codes(reading(contacts).notices) == {
        "export_of": {"tool": "CommCare", "columns": []},
        "texts_emptied": {"count": 3, "texts": ["---"]},
    }
    plan = prepare(contacts, "Hi {name}, come on {next_visit|any day}.")
    assert plan.contacts["status"].tolist() == ["not_sent", "not_sent", "invalid"]
    assert received(plan) == {
        "256772000001": "Hi Amina, come on 2026-02-03.",
        "256772000002": "Hi NA, come on any day.",
    }


def test_the_row_counter_of_commcare_is_no_phone_number():
    without_phone = [[line[0], *line[1:3], *line[4:]] for line in COMMCARE_CASES]
    with refused("number_column_missing", ColumnError):
        prepare(campaign.read_contacts(as_csv(without_phone)), "Hi {name}")


def test_questions_of_a_commcare_form_are_found_by_their_last_name():
    plan = prepare(campaign.read_contacts(as_xlsx(COMMCARE_FORMS)), "Hi {name}")
    assert plan.messages[["number", "message"]].values.tolist() == [["256772000001", "Hi Amina"]]


@pytest.mark.parametrize("write", [as_csv, as_xlsx])
def test_an_export_of_ona(write, received):
    contacts = campaign.read_contacts(write(ONA))
    assert as_codes(reading(contacts).notices) == {
        "export_of": {"tool": "Ona or KoboToolbox", "columns": []},
        "texts_emptied": {"count": 2, "texts": ["n/a"]},
    }
    plan = prepare(contacts, "Hi {name|friend}, come on {visit|any day}.")
    assert received(plan) == {
        "256772000001": "Hi Amina, come on any day.",
        "256772000002": "Hi friend, come on 2026-02-03.",
    }


@pytest.mark.parametrize("write", [lambda rows: as_csv(rows, ";"), as_xlsx])
def test_the_tag_row_of_kobo_is_no_person(write, received):
    contacts = campaign.read_contacts(write(KOBO))
    assert contacts.index.tolist() == [3, 4]
    assert as_codes(reading(contacts).notices) == {
        "header_lines": {"count": 1, "first": 2, "kind": "HXL tags"},
        "export_of": {"tool": "Ona or KoboToolbox", "columns": []},
    }
    plan = prepare(contacts, "Hi {first_name}")
    assert plan.totals.rows == 2
    assert received(plan) == {"256772000001": "Hi Amina", "256772000002": "Hi NA"}


def test_contacts_that_rapidpro_stopped_or_blocked_get_nothing():
    rows = [*RAPIDPRO]
    for row, status in enumerate(["Stopped", "Blocked", "Archived", " Stopped "], start=3):
        rows.append([f"a{row}", f"P{row}", "", status, "", "", f"+25677200000{row}", "", "", "", "", ""])
    contacts = campaign.read_contacts(as_xlsx(rows))
    plan = prepare(contacts, "Hi {name}")
    assert plan.contacts["status"].tolist() == [
        "not_sent", "not_sent", "opted_out", "opted_out", "not_sent", "opted_out",
    ]  # fmt: skip
    issues = plan.issues[plan.issues["code"] == "opted_out"]
    assert issues[["row", "column", "value"]].to_numpy().tolist() == [
        [4, "Status", "Stopped"], [5, "Status", "Blocked"], [7, "Status", " Stopped "],
    ]  # fmt: skip


def test_a_status_in_any_other_table_is_a_column_like_others():
    contacts = pd.DataFrame({"phone": ["+256772000001"], "Status": ["Stopped"]}, dtype="str")
    assert prepare(contacts, "Hi").contacts["status"].tolist() == ["not_sent"]


def test_numbers_of_rapidpro_are_its_tel_columns_in_order(received):
    """Not WhatsApp, and the second column, which has the same header, stands in for the first."""
    contacts = campaign.read_contacts(as_xlsx(RAPIDPRO))
    assert as_codes(reading(contacts).notices) == {
        "export_of": {"tool": "RapidPro or TextIt", "columns": ["URN:Tel", "URN:Tel 2"]}
    }
    plan = prepare(contacts, "Hi {name}, see you on {visit_date:%-d %b at %H:%M}.")
    assert plan.issues.loc[plan.issues["row"] == 3, "code"].tolist() == ["link"]
    assert received(plan) == {
        "256772000001": "Hi Amina, see you on 20 Dec at 08:30.",
        "256772000002": "Hi Ben, see you on 5 Jan at 09:00.",
    }


def test_an_opt_out_list_from_rapidpro_counts_both_numbers_of_a_contact():
    contacts = campaign.read_contacts(b"name,phone\nAmina,0772000001\nBen,0772000002\nChris,0772000003\n")
    plan = prepare(contacts, "Hi {name}", opt_outs=campaign.read_contacts(as_xlsx(RAPIDPRO)))
    assert plan.contacts["status"].tolist() == ["opted_out", "opted_out", "not_sent"]


def test_numbers_of_google_contacts_are_its_values_in_order(received):
    contacts = campaign.read_contacts(as_csv(GOOGLE))
    assert as_codes(reading(contacts).notices) == {
        "export_of": {"tool": "Google Contacts", "columns": ["Phone 1 - Value", "Phone 2 - Value"]}
    }
    plan = prepare(contacts, "Hi {first_name}")
    assert plan.issues.loc[plan.issues["row"] == 4, "code"].tolist() == ["several"]
    assert received(plan) == {"256772000001": "Hi Amina", "256772000002": "Hi Ben"}
    assert prepare(contacts, "Hi", several="first").messages["number"].iloc[-1] == "256772000003"


def test_a_column_that_is_named_wins_over_the_tool():
    contacts = campaign.read_contacts(as_csv(GOOGLE))
    plan = prepare(contacts, "Hi {first_name}", number="Phone 2 - Value")
    assert plan.messages["number"].tolist() == ["256772000002"]


def test_other_tables_keep_what_looks_like_no_value():
    table = as_rows(campaign.read_contacts(b"name,phone\nNA,0772000001\nn/a,0772000002\n---,0772000003\n"))
    assert [line[0] for line in table.values()] == ["name", "NA", "n/a", "---"]


def test_a_tool_is_known_after_the_table_was_cut_and_read_again():
    contacts = campaign.read_contacts(as_csv(GOOGLE))
    some = contacts[contacts["First Name"] != "Amina"].copy()
    some["Clinic"] = 7
    plan = prepare(some, "Hi {first_name}")
    assert plan.messages["number"].tolist() == ["256772000002"]
    assert [notice.code for notice in plan.reading.notices].count("export_of") == 1


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_rows_to_correct_of_an_export_are_still_one(ending, sandbox, tmp_path):
    """Row 4 had no number; corrected in the file that was handed out, it is the one that leaves."""
    plan = prepare(campaign.read_contacts(as_csv(COMMCARE_CASES)), "Hi {name}")
    result = campaign.send(plan, account=sandbox.account, folder=tmp_path / "visits", progress=False)
    path = tmp_path / f"to_correct.{ending}"
    campaign.write_follow_up(result, path)
    rows = campaign.read_contacts(path)
    assert as_rows(rows)[0] == COMMCARE_CASES[0]
    rows.loc[rows["name"] == "Chris", "phone_number"] = "0772000003"
    before = len(sandbox.inbox)
    result = campaign.send(
        prepare(rows, "Hi {name}"), account=sandbox.account, folder=tmp_path / "visits", progress=False
    )
    assert sandbox.inbox["text"].tolist()[before:] == ["Hi Chris"]
    assert result.totals["accepted"] == 3


# --- texts that mean "no value" -----------------------------------------------------------------------


def test_texts_that_mean_no_value_are_named():
    table = campaign.read_contacts(
        b"name,phone\n NA ,0772000001\nna,0772000002\n?,0772000003\n", missing=("NA", "?")
    )
    assert as_rows(table) == {
        0: ["name", "phone"], 2: ["", "0772000001"], 3: ["na", "0772000002"], 4: ["", "0772000003"]
    }  # fmt: skip
    assert as_codes(reading(table).notices) == {"texts_emptied": {"count": 2, "texts": ["NA", "?"]}}


@pytest.mark.parametrize(("cell", "count"), [("-", 1), ("x", 0)])
def test_how_often_a_text_meant_no_value(cell, count):
    table = campaign.read_contacts(f"name,phone\n{cell},0772000001\n".encode(), missing="-")
    assert as_codes(reading(table).notices).get("texts_emptied", {}).get("count", 0) == count


def test_rows_of_nothing_but_such_texts_are_blank():
    table = campaign.read_contacts(b"name,phone\nNA,NA\nBen,0772000002\nNA,\n", missing="NA")
    assert as_rows(table) == {0: ["name", "phone"], 2: ["", ""], 3: ["Ben", "0772000002"]}
    assert reading(table).blank_rows == 1


def test_several_files_and_a_dataframe_know_missing_too():
    one, other = b"name,phone\nNA,0772000001\n", b"name,phone\nNA,0772000002\n"
    assert campaign.read_contacts([one, other], missing="NA")["name"].tolist() == ["", ""]
    frame = campaign.read_contacts(campaign.read_contacts(one), missing="NA")
    assert as_rows(frame) == {0: ["name", "phone"], 2: ["", "0772000001"]}


def test_a_number_is_no_text_that_means_no_value():
    with refused("wrong_value", UsageError):
        campaign.read_contacts(b"name\nAmina\n", missing=0)


# --- a row of tags ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "is_left_out"),
    [
        ("#adm1,#contact+phone", True),
        ("#adm1 +name,# contact", False),  # no tag
        ("#1,#2", False),
        (",#vip", False),  # a single one may be a person's remark
        ("Ben,#vip", False),
    ],
)
def test_two_tags_and_nothing_else_make_a_row_of_tags(row, is_left_out):
    table = campaign.read_contacts(f"place,phone\n{row}\nGulu,0772000001\n".encode())
    assert table.index.tolist() == ([3] if is_left_out else [2, 3])


# --- which columns hold numbers ------------------------------------------------------------------------


def test_numbers_of_an_export_come_before_others_and_its_row_counter_is_none():
    """What the composer offers, and what an opt-out list is read by."""
    assert likely_number_columns(RAPIDPRO[0][:7] + RAPIDPRO[0][8:]) == ["URN:Tel", "URN:Whatsapp"]
    assert likely_number_columns(COMMCARE_CASES[0]) == ["phone_number"]
    assert likely_number_columns(["number", "name"]) == ["number"]


def test_the_card_of_a_plan_does_not_take_the_row_counter_for_numbers():
    plan = prepare(campaign.read_contacts(as_csv(COMMCARE_CASES)), "Hi {name}")
    assert "The numbers are from &#x27;phone_number&#x27;.<" in plan._repr_html_()
