"""Columns of a file that are called like ours make way, and get their names back."""

import pytest

from campaign.contacts.reserved_columns import OUTCOME_COLUMNS, file_names, original_names

FILES = [
    ["Name", "Phone"],
    ["status"],
    ["status", "status (your column)"],
    ["status (your column)"],
    ["status (your column) (your column)", "status", "status (your column)"],
    ["Status", "Why", "REASON", "Batch (Your column)", "code (YOUR COLUMN) (your column)"],
    ["row"],
    ["row", "row (your column)", "row (Your column) (your column)", "status"],
    ["Row", "ROW (your column)", "rows", "row "],
    [
        "status ",
        "status(your column)",
        "my status",
        "last status",
        "(your column)",
        " (your column)",
        "Phone (your column)",
        "",
    ],
]


@pytest.mark.parametrize("columns", FILES)
def test_columns_get_their_own_names_back(columns):
    renamed = file_names(columns)
    assert original_names(renamed) == columns
    assert len(set(renamed)) == len(columns)


@pytest.mark.parametrize("columns", FILES)
def test_the_outcome_columns_and_the_row_numbers_are_free(columns):
    renamed = file_names(columns)
    assert {name.casefold() for name in renamed} & {"row", *OUTCOME_COLUMNS} == set()


def test_only_columns_in_the_way_are_renamed():
    columns = ["Name", "status", "Status (your column)", "Phone (your column)", "my code", "row", "Row"]
    assert file_names(columns) == [
        "Name", "status (your column)", "Status (your column) (your column)", "Phone (your column)",
        "my code", "row (your column)", "Row (your column)",
    ]  # fmt: skip
