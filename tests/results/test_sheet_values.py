"""Amounts and dates of the file in the workbook of a report: values, where nothing changes by it."""

import datetime

import openpyxl
import pandas as pd
import pytest
from support.small_campaigns import contacts_of, plan_for
from support.unsent_result import unsent_result

import campaign

MEMBERS = [
    "Ada,0772 000 001,5000,12.50,2026-03-05,017,2024",
    "Ben,0772 000 0,-250,3.00,,18,2025",
    "Cleo,0772 000 003,,120.25,2026-03-07,19,2024",
]
HEADER = "name,phone,balance,fee,visit,code,year"


def sheets_of(folder, rows=MEMBERS, header=HEADER, **options):
    plan = plan_for(contacts_of(*rows, header=header), number="phone")
    result = unsent_result(plan, name="visits")
    return openpyxl.load_workbook(campaign.write_report(result, folder / "report.xlsx", **options))


def column(sheet, name):
    """The cells below the header that is called so."""
    (head,) = (cell for row in sheet.iter_rows() for cell in row if cell.value == name)
    return [sheet.cell(line, head.column) for line in range(head.row + 1, sheet.max_row + 1)]


def test_amounts_can_be_added_up_and_dates_sorted(tmp_path):
    book = sheets_of(tmp_path)
    contacts, to_follow_up = book["Contacts"], book["Follow-up"]
    assert [cell.value for cell in column(contacts, "balance")] == [5000, -250, None]
    assert [cell.value for cell in column(contacts, "fee")] == [12.5, 3, 120.25]
    assert {cell.number_format for cell in column(contacts, "fee")} == {"0.00"}  # 3.00 as in the file
    days = [datetime.datetime(2026, 3, 5), None, datetime.datetime(2026, 3, 7)]
    assert [cell.value for cell in column(contacts, "visit")] == days
    assert column(contacts, "visit")[0].number_format == "yyyy-mm-dd"
    assert [cell.value for cell in column(to_follow_up, "balance")] == [-250]  # the others wait


def test_a_code_is_text_in_both_sheets(tmp_path):
    """A row to follow up alone would have a code without a zero in front."""
    book = sheets_of(tmp_path, [*MEMBERS[:1], MEMBERS[1].replace("18", "19")])
    assert [cell.value for cell in column(book["Contacts"], "code (your column)")] == ["017", "19"]
    assert [cell.value for cell in column(book["Follow-up"], "code")] == ["19"]


@pytest.mark.parametrize(
    "cells",
    [
        ["12.50", "3"],  # no one format shows both
        ["1,000", "250"],
        ["3,5", "4,5"],  # another country's decimals
        ["1e5", "10"],
        ["-0", "10"],
        ["12345678901234567", "10"],  # a sheet would forget its last digits
        ["nil", "10"],
        ["2026-02-30", "2026-03-05"],
        ["05/03/2026", "06/03/2026"],
        ["1899-12-31", "2026-03-05"],
    ],
)
def test_what_a_value_would_not_show_as_it_is_written_stays_text(tmp_path, cells):
    rows = [f'Ada,0772 000 00{place},"{cell}"' for place, cell in enumerate(cells)]
    book = sheets_of(tmp_path, rows, "name,phone,amount", reveal=True)
    assert [cell.value for cell in column(book["Contacts"], "amount")] == cells


def test_amounts_with_decimals_where_they_are_needed_are_shown_so(tmp_path):
    rows = ["Ada,0772 000 001,12.5", "Ben,0772 000 002,3"]
    cells = column(sheets_of(tmp_path, rows, "name,phone,amount")["Contacts"], "amount")
    assert [(cell.value, cell.number_format) for cell in cells] == [(12.5, "General"), (3, "General")]


def test_phone_numbers_are_text_also_where_they_are_shown_in_full(tmp_path):
    rows = ["Ada,256772000001,772000003", "Ben,256772000002,77200"]
    contacts = sheets_of(tmp_path, rows, "name,phone,second phone", reveal=True)["Contacts"]
    assert [cell.value for cell in column(contacts, "phone")] == ["256772000001", "256772000002"]
    assert [cell.value for cell in column(contacts, "second phone")] == ["772000003", "77200"]


def test_the_file_to_correct_stays_text(tmp_path):
    """It is read again, and must give the same texts."""
    result = unsent_result(plan_for(contacts_of(*MEMBERS, header=HEADER)), name="visits")
    path = campaign.write_follow_up(result, tmp_path / "to_correct.xlsx", statuses=["invalid", "not_sent"])
    again = campaign.read_contacts(path)
    for name in HEADER.split(","):
        own = result.contacts[f"{name} (your column)" if name == "code" else name]
        pd.testing.assert_series_equal(again[name].sort_index(), own, check_names=False, check_index=False)
