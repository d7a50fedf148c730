"""Phone numbers are hidden wherever a person may look over another's shoulder."""

import pandas as pd

from campaign.masking import mask_number, mask_numbers, mask_texts


def texts(*values: str | None) -> "pd.Series[str]":
    return pd.Series(values, dtype="str")


def test_numbers_are_masked_as_people_type_them():
    typed = {
        "256772000056": "25677*****56",
        "0772 000 012": "077*****12",
        "+256 (0)772-000-012": "+256 (0)7*****12",
        "772000012": "772*****12",
        "0772.000.012": "077*****12",
        "0772\u00a0000\u00a0012": "077*****12",
        "555-0123": "*****23",
        "0772 000 012 ext 5": "**** *** *** ext *",  # no telling which digits are the number
        "0772 000 001 / 0701 000 002": "**** *** *** / **** *** ***",
        "O772I00012": "O***I*****",
        "2.56772E+11": "*.*****E+**",
        "٠٧٧٢٠٠٠٠١٢": "٠٧٧*****١٢",
        "999": "***",
        "none": "none",
        "": "",
    }
    assert mask_numbers(texts(*typed)).tolist() == list(typed.values())


def test_masking_keeps_index_name_and_missing_values():
    numbers = pd.Series(["256772000056", None], index=[7, 9], name="Phone", dtype="str")
    expected = pd.Series(["25677*****56", None], index=[7, 9], name="Phone", dtype="str")
    pd.testing.assert_series_equal(mask_numbers(numbers), expected)
    assert mask_number("256772000056") == "25677*****56"


def test_numbers_inside_a_text_are_masked_and_dates_are_not():
    said = {
        "Call 0772 000 123 or 0701-000-002.": "Call 077*****23 or 070*****02.",
        "Visit on 2026-03-02 10:30": "Visit on 2026-03-02 10:30",
        "2026-03-02 09:00:00": "2026-03-02 09:00:00",
        "02.03.2026 10:30:00 and 02-03-2026 10:30": "02.03.2026 10:30:00 and 02-03-2026 10:30",
        "UGX 1,500,000": "UGX 1,500,000",
        "your mother's phone 256772000056": "your mother's phone 25677*****56",
        "": "",
    }
    assert mask_texts(texts(*said)).tolist() == list(said.values())
