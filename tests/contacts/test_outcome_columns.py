"""Columns of a file that are called like ours make way, and get their names back."""

import pytest

from campaign.contacts.reserved_columns import file_names, original_names

FILES = [
    ["Name", "Phone"],
    ["status"],
    ["status", "status (file)"],
    ["status (file)"],
    ["status (file) (file)", "status", "status (file)"],
    ["Status", "REASON", "Batch (File)", "code (FILE) (file)"],
    ["row"],
    ["row", "row (file)", "row (File) (file)", "status"],
    ["Row", "ROW (file)", "rows", "row "],
    ["status ", "status(file)", "my status", "last status", "(file)", " (file)", "Phone (file)", ""],
]


@pytest.mark.parametrize("columns", FILES)
def test_columns_get_their_own_names_back(columns):
    renamed = file_names(columns)
    assert original_names(renamed) == columns
    assert len(set(renamed)) == len(columns)


@pytest.mark.parametrize("columns", FILES)
def test_the_outcome_columns_and_the_row_numbers_are_free(columns):
    renamed = file_names(columns)
    assert {name.casefold() for name in renamed} & {"status", "reason", "batch", "code"} == set()
    assert "row" not in renamed


def test_only_columns_in_the_way_are_renamed():
    columns = ["Name", "status", "Status (file)", "Phone (file)", "my code", "row", "Row"]
    assert file_names(columns) == [
        "Name", "status (file)", "Status (file) (file)", "Phone (file)", "my code", "row (file)", "Row",
    ]  # fmt: skip
