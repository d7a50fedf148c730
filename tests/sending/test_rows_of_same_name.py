"""Cy's own number is still wrong in the own spreadsheet; only the follow-up file has the right one."""

import pytest
from support.small_campaigns import contacts_of

import campaign
from campaign.contacts.reading import read_contacts

FEES = """\
name,phone,amount
Ann,0772 000 001,10
Ben,0772 000 002,20
Cy,0772 000,30
Di,0772 000 004,40
"""
LATER = FEES.replace("Cy,0772 000,30", "Cy,0772 000,35")  # so that no cell tells row 4 as corrected
GONE = "1 number that was reached in rehearsal is no longer in the table (25677*****03, who got “Hi Cy: 30”"


def plan_of(rows, **options):
    contacts = read_contacts(rows.encode()) if isinstance(rows, str) else rows
    return campaign.prepare(contacts, message="Hi {name}: {amount}", sender="CLINIC", region="UG", **options)


def compared(rows, folder, **options):
    return campaign.compare(plan_of(rows, **options), folder=folder).sentence


def corrected(rows, folder):
    """The folder of a campaign in which a follow-up file had Cy's number."""
    result = campaign.send(plan_of(rows), folder=folder, progress=False)
    rows = result.follow_up()
    rows["phone"] = "0772 000 003"
    campaign.send(plan_of(rows), folder=folder, progress=False)
    return folder


@pytest.fixture
def folder(tmp_path):
    return corrected(FEES, tmp_path / "fees")


@pytest.mark.parametrize("stream", [False, True])
def test_the_row_of_a_number_that_only_the_follow_up_file_had_is_said(folder, stream):
    assert compared(LATER, folder, stream=stream).endswith(f'{GONE} and has the same "name" as row 4).')


def test_it_is_said_wherever_the_row_is_now(folder):
    header, *rows = LATER.splitlines()
    assert f'{GONE} and has the same "name" as row 3)' in compared("\n".join([header, *rows[::-1]]), folder)


def test_it_is_said_once_the_table_was_sent_and_read_again(folder):
    campaign.send(plan_of(LATER), folder=folder, progress=False)
    assert f'{GONE} and has the same "name" as row 4)' in compared(LATER, folder)


def test_it_is_said_of_a_number_that_counts_as_new(folder):
    other = LATER.replace("Cy,0772 000,", "Cy,0772 000 009,")
    assert compared(other, folder).endswith(
        f'{GONE} and has the same "name" as row 4), and whoever has another number now counts as new.'
    )


@pytest.mark.parametrize(
    "later",
    [
        LATER.replace("Ann", "Cy"),  # two rows of today have the name
        LATER.replace("Cy", "Moses"),
        LATER.replace("Cy", ""),
    ],
)
def test_no_row_is_said_that_is_not_the_only_one(folder, later):
    assert f"{GONE})" in compared(later, folder)


def test_no_row_is_said_where_two_had_the_name_then(tmp_path):
    folder = corrected(FEES.replace("Ann", "Cy"), tmp_path / "fees")
    assert f"{GONE})" in compared(LATER, folder)


def test_no_row_is_said_without_the_column_of_the_names(folder):
    unnamed = read_contacts(LATER.encode()).rename(columns={"name": "patient"})
    plan = campaign.prepare(unnamed, message="Hi {patient}: {amount}", sender="CLINIC", region="UG")
    assert f"{GONE})" in campaign.compare(plan, folder=folder).sentence


def test_a_table_of_numbers_only_has_no_names(tmp_path):
    folder = tmp_path / "numbers"
    for phone in ("0772 000 001", "0772 000 002"):
        plan = campaign.prepare(
            contacts_of(f",{phone}")[["phone"]], message="Hi", sender="CLINIC", region="UG"
        )
        said = campaign.compare(plan, folder=folder).sentence
        campaign.send(plan, folder=folder, progress=False)
    assert "(25677*****01, who got “Hi”)" in said
