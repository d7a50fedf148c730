"""Two cells say the same only where nothing that a person typed would be lost with one of them."""

import pandas as pd
import pytest

from campaign.results.cell_values import CellReader


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("12/12/2026", "2026-12-12 00:00:00", True),  # as programs write the cell of a date
        ("25/12/2026", "25 Dec 2026", True),
        ("05/01/2026", "2026-01-05", True),  # 25/12/2026 of the same column has the day first
        ("05/01/2026", "2026-05-01", False),
        ("12/12/2026 10:00", "2026-12-12", False),
        ("1,500.00", "1500", True),
        ("1500 ", "1500", True),
        ("007", "7", False),  # a code
        ("1,500 UGX", "1500", False),
        ("north", "North", False),
        ("", "0", False),
    ],
)
def test_dates_and_amounts_say_the_same_in_many_spellings(one, other, same):
    reader = CellReader.of(pd.Series(["25/12/2026", one]), "", is_number=False)
    assert reader.says_same(one, other, 256772000001) is same
    assert reader.says_same(other, one, 256772000001) is same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("0772 000 001", "772000001", True),
        ("+256 (0)772-000-001", "0772000001", False),  # a zero within the number: better kept than lost
        ("+256772000001", "0772000001", True),
        ("0772000001", "0772000002", False),
        ("0772000001 (Mary)", "0772000001", False),
        ("2000001", "000001", False),
    ],
)
def test_numbers_say_the_same_as_the_number_of_their_row(one, other, same):
    reader = CellReader.of(pd.Series([one]), "dmy", is_number=True)
    assert reader.says_same(one, other, 256772000001) is same
    assert not reader.says_same(one, other, 0)  # the row has no number
