"""Phone numbers are hidden wherever a person may look over another's shoulder."""

import numpy as np
import pandas as pd
import phonenumbers
import pyarrow as pa
import pytest
from phonenumbers import PhoneNumberFormat, PhoneNumberType

from campaign.contacts.amount_columns import count_amounts
from campaign.contacts.phone_numbers.number_lengths import number_lengths
from campaign.masking import mask_apart, mask_number, mask_numbers, mask_sentences, mask_text, mask_texts


def texts(*values):
    return pd.Series(values, dtype="str")


def test_numbers_are_masked_as_people_type_them():
    typed = {
        "256772000056": "25677*****56",
        "0772 000 012": "077*****12",
        "+256 (0)772-000-012": "+256 (0)7******12",
        "772000012": "772****12",  # as many places as the cell has
        "0772 000 0123": "0772 0****23",
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


def test_two_numbers_side_by_side_are_told_apart_by_the_digits_in_which_they_differ():
    assert mask_apart("256772000156", "256772000356") == ("25677****156", "25677****356")
    assert mask_apart("256772000156", "256772000157") == ("25677*****56", "25677*****57")
    assert mask_apart("447700900156", "256772000156") == ("44770*****56", "25677*****56")
    assert mask_apart("256772010156", "256772000056") == ("25677**1*156", "25677**0*056")


@pytest.mark.parametrize("mask", [mask_numbers, mask_texts])
def test_a_column_in_several_pieces_is_masked_like_any_other(mask):
    """Columns read from a campaign folder come in chunks, and a chunk may be empty."""
    pieces = pa.chunked_array([["256772000056"], [], ["256772000057", None]], type=pa.large_string())
    column = pd.Series(pieces, dtype="str", index=[2, 3, 5], name="Phone")
    expected = pd.Series(["25677*****56", "25677*****57", None], index=[2, 3, 5], name="Phone", dtype="str")
    pd.testing.assert_series_equal(mask(column), expected)


@pytest.mark.parametrize("mask", [mask_numbers, mask_texts])
def test_columns_without_rows_and_of_python_objects_can_be_masked(mask):
    assert mask(pd.Series([], dtype="str")).tolist() == []
    mixed = mask(pd.Series(["256772000056", 256772000057, None], dtype="object"))
    assert mixed.iloc[:2].tolist() == ["25677*****56", "25677*****57"]
    assert mixed.isna().tolist() == [False, False, True]


def test_whatever_could_be_a_phone_number_in_a_text_is_masked():
    masked = {
        "Call 0772 000 123 or 0701-000-002.": "Call 077*****23 or 070*****02.",
        "your mother's phone 256772000056": "your mother's phone 25677*****56",
        "ring 12 34 56 78": "ring ******78",  # Danish
        "ring 123 45 678": "ring ******78",  # Norwegian
        "ring 20123456": "ring ******56",
        "9000 0067 (Singapore)": "******67 (Singapore)",
        "555-0123": "*****23",
        "0712 000 123 is her number": "071*****23 is her number",  # ten digits
        "0712000123": "071*****23",
        "+1 (555) 010-0199": "+1 (555) 0****99",
        "0772/000123": "077*****23",
        "٠٧٧٢٠٠٠٠١٢": "٠٧٧*****١٢",
        "0772\u202e000\x00123": "077*****23",  # what is invisible is taken out later
        "0772000123 2026-11-22 14:02": "077*****23 2026-11-22 14:02",
        "2026-11-22 0772000123": "2026-11-22 077*****23",
        "UGX 5 0772000123": "UGX 5 0772****23",
        "KES 500 254 712 000 123": "KES 500 25********23",
        "256772000123 UGX": "25677*****23 UGX",
        "tel0772000123": "tel077*****23",
        "12-34-2056": "******56",  # there is no month 34
        "20261122": "******22",  # a date or a Danish number
        "order 12345678": "order ******78",  # an order or a number
        "12 000 000": "******00",  # an amount or a Tunisian number
    }
    assert mask_texts(texts(*masked)).tolist() == list(masked.values())
    assert [mask_text(text) for text in masked] == list(masked.values())


def test_dates_times_amounts_and_codes_stay_readable():
    readable = [
        "Visit on 2026-03-02 10:30",
        "2026-11-22 14:02",
        "2026-03-02 09:00:00",
        "02.03.2026 10:30:00 and 02-03-2026 10:30",
        "22/11/2026",
        "22-11-26 14:02",
        "2 April 2026 10:00",
        "open 08.00-20.00",
        "the school year 2025-2026",
        "UGX 1,500,000",
        "UGX 12,000,000",
        "UGX 12000000 was paid",
        "12000000 UGX was paid",
        "USh 12 000 000",
        "12.000.000 kr",
        "Shs 1500000/= please",
        "1500000.00 due",
        "1,500,000 - 2,000,000",
        "between 1,500,000 2026",
        "INV1234567 and 12345678B",
        "rows 12, 13 and 999999",
        "",
    ]
    assert mask_texts(texts(*readable)).tolist() == readable


def test_a_figure_that_begins_a_sentence_stays_readable_after_a_year_or_a_row_number():
    said = (
        "They were reached on 25 November 2026. 130 of them got it in rows 1203 and 1204. 1204. 12 did not."
    )
    assert mask_sentences(said) == said
    quoted = 'The cell "0772. 000 123" and “0772. 000. 123” are no sentences. Call 0772 000 123.'
    assert mask_sentences(quoted) == (
        'The cell "077*****23" and “077*****23” are no sentences. Call 077*****23.'
    )


def test_a_rows_own_number_is_masked_whatever_it_looks_like():
    said = texts("INV4000067 on 2026-11-22", "INV4000067", "UGX 12000067", "INV4000067", None, "no digits")
    own = texts("256784000067", "256784000068", "25612000067", None, "256784000067", "67")
    assert mask_texts(said, own_numbers=[own]).tolist()[:4] == [
        "INV*****67 on 2026-11-22",
        "INV4000067",
        "UGX ******67",
        "INV4000067",
    ]
    both = [texts("256772000001"), texts("+45 20 26 11 22")]
    assert mask_texts(texts("due 2026-11-22"), own_numbers=both).tolist() == ["due ******22"]


def test_every_number_of_a_cell_with_several_is_the_rows_own():
    own = texts("0772 000 001 / 0701 000 002")
    assert mask_texts(texts("2000001"), own_numbers=[own], lengths=UGANDA).tolist() == ["*****01"]


UGANDA = number_lengths(np.array([256772000012]))


def test_amounts_stay_where_no_phone_number_is_as_short():
    assert {9, 12} == UGANDA
    amounts = ["1250000", "36042000", "1 250 000", "12.500.000", "-1250000", "1,250,000"]
    own = [texts(*["0772 000 012"] * len(amounts))]
    assert mask_texts(texts(*amounts), own_numbers=own, lengths=UGANDA).tolist() == amounts
    denmark = number_lengths(np.array([256772000012, 4520123456]))
    assert mask_texts(texts("1250000", "12500000"), lengths=denmark).tolist() == ["1250000", "******00"]
    assert mask_texts(texts("1250000"), lengths=number_lengths(np.array([0]))).tolist() == ["*****00"]


def test_what_is_no_amount_is_masked_where_no_phone_number_is_as_short():
    masked = {
        "2000012": "*****12",  # the end of the row's own number
        "772000013": "772****13",
        "0414123": "*****23",
        "+1250000": "+*****00",
        "tel1250000": "tel*****00",
        "1250000 or 36042000": "*****00 or ******00",
        "555-1234": "*****34",
        "12 34 56 78": "******78",
    }
    own = [texts(*["0772 000 012"] * len(masked))]
    assert mask_texts(texts(*masked), own_numbers=own, lengths=UGANDA).tolist() == list(masked.values())


AMOUNTS = ["340500", "0", "-75000", "12.50", "1250000", "1,250,000", "1 250 000", ""]


@pytest.mark.parametrize(
    ("cells", "are_amounts"),
    [
        (AMOUNTS, True),
        ([*AMOUNTS, "paid"], True),
        ([*AMOUNTS, "0772000"], False),  # no amount begins with a 0
        ([*AMOUNTS, "call 20123456"], False),
        (["20123456", "20123457", "20123458"], False),  # the Danish mothers in a table of another country
        (["20123456", *["20123457"] * 12, "1"], False),  # and one of them typed wrong
        (["20000008", "5", "again", "moved", "pays late"], False),  # notes
        (["", ""], False),
    ],
)
def test_a_column_of_amounts_is_known_by_all_of_its_cells(cells, are_amounts):
    halves = count_amounts(texts(*cells[:3])) + count_amounts(texts(*cells[3:]))
    assert count_amounts(texts(*cells)) == halves
    assert halves.are_amounts == are_amounts


KINDS_OF_PEOPLE = (
    PhoneNumberType.MOBILE, PhoneNumberType.FIXED_LINE, PhoneNumberType.VOIP,
    PhoneNumberType.PERSONAL_NUMBER, PhoneNumberType.PAGER,
)  # fmt: skip


@pytest.mark.parametrize("region", sorted(phonenumbers.SUPPORTED_REGIONS))
def test_numbers_of_every_country_are_masked_though_amounts_stay(region):
    """As they are written there, abroad and by the service, whatever separates their digits."""
    examples = (phonenumbers.example_number_for_type(region, kind) for kind in KINDS_OF_PEOPLE)
    for number in filter(None, examples):
        national = phonenumbers.national_significant_number(number)
        wire = f"{number.country_code}{national}"
        forms = (PhoneNumberFormat.NATIONAL, PhoneNumberFormat.INTERNATIONAL)
        written = [phonenumbers.format_number(number, form) for form in forms]
        spellings = [national, wire, f"+{wire}", f"00{wire}", *written]
        spellings += [one.replace(" ", by).replace("-", by) for one in written for by in ("", " ", ".", "-")]
        said = texts(
            *spellings, *(f" {one} " for one in spellings), *(f"ring {one}, please" for one in spellings)
        )
        lengths = number_lengths(np.array([int(wire)]))
        pd.testing.assert_series_equal(mask_texts(said, lengths=lengths), mask_texts(said))


def test_masking_a_plain_text_keeps_index_and_missing_values():
    said = pd.Series(["call 256772000056", None, "none"], index=[7, 9, 11], name="Notes", dtype="str")
    expected = pd.Series(["call 25677*****56", None, "none"], index=[7, 9, 11], name="Notes", dtype="str")
    pd.testing.assert_series_equal(mask_texts(said), expected)


@pytest.mark.parametrize("mask", [mask_numbers, mask_texts])
def test_ascii_texts_are_masked_as_they_are_beside_others(mask):
    between = [f"0772{chr(code)}000{chr(code)}012" for code in range(128)]
    ascii_only = texts(*between, "25677200 0056", "25677", "2026-11-22", "INV1234567", "", None)
    beside_others = pd.concat([ascii_only, texts("é")], ignore_index=True)
    pd.testing.assert_series_equal(mask(ascii_only), mask(beside_others).iloc[:-1])
