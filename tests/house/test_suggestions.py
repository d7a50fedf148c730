"""Near misses."""

import pytest

import campaign
from campaign.suggestions import closest, similar_file


@pytest.mark.parametrize(
    ("wanted", "near"),
    [
        ("lvie", "live"),
        ("LIVE", "live"),
        (" live ", "live"),
        ("sandbx", "Sandbox"),
        ("prod", ""),
        ("", ""),
        (5, ""),
        (None, ""),
    ],
)
def test_the_choice_that_is_near(wanted, near):
    assert closest(wanted, ["local", "Sandbox", "live"]) == near


def test_a_missing_file_has_a_neighbour(tmp_path):
    for name in ("clinic_visits.xlsx", "Reminder.txt", "other.csv"):
        (tmp_path / name).touch()
    assert similar_file(tmp_path / "clinic_visit.xlsx") == "clinic_visits.xlsx"
    assert similar_file(tmp_path / "clinic visits.xls") == "clinic_visits.xlsx"
    assert similar_file(tmp_path / "reminders.TXT") == "Reminder.txt"
    assert similar_file(tmp_path / "other.xlsx") == "other.csv"
    assert similar_file(tmp_path / "orders.pdf") == ""
    assert similar_file(tmp_path / "nobody.csv") == ""  # the same ending alone is no likeness
    with pytest.raises(campaign.FileError, match=r"clinic_visits\.xlsx"):
        campaign.read_contacts(tmp_path / "clinic visits.xlsx")


@pytest.mark.parametrize("name", ["missing/visits.csv", "nul\0/visits.csv", "x" * 5000 + "/visits.csv"])
def test_where_there_is_no_folder_there_is_no_neighbour(tmp_path, name):
    assert similar_file(tmp_path / name) == ""


def test_a_file_of_another_kind_is_not_suggested(tmp_path):
    (tmp_path / "parents.ipynb").touch()
    assert similar_file(tmp_path / "parents.xlsx", {".xlsx", ".csv"}) == ""
    assert similar_file(tmp_path / "parents.xlsx") == "parents.ipynb"
