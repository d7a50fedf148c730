"""Headers as people write them."""

import pytest
from support.refusals import refused

from campaign.contacts.columns import (
    check_headers,
    find_column,
    may_hold_numbers,
    number_columns,
    without_groups,
)
from campaign.errors import ColumnError


@pytest.mark.parametrize("wanted", ["First name", "first_name", "FIRST-NAME", "firstname", "Fïrst Náme"])
def test_a_column_is_found_however_it_is_written(wanted):
    assert find_column(["Phone", "First name"], wanted) == "First name"


def test_an_exact_name_wins_over_a_similar_one():
    assert find_column(["Name", "name"], "name") == "name"


def test_several_similar_names_are_all_named():
    with refused("column_ambiguous", ColumnError, column="NAME", columns=["Name", "name"]):
        find_column(["Name", "name"], "NAME")


def test_a_missing_column_is_answered_with_the_nearest_and_all():
    columns = ["name", "phone", "visit date"]
    with refused("column_missing", ColumnError, column="nmae", suggestions=["name"], columns=columns):
        find_column(columns, "nmae")


def test_a_word_of_a_header_is_answered_with_that_header():
    columns = ["Patient name", "Phone", "Visit Date"]
    with refused(
        "column_missing", ColumnError, column="name", columns=["Patient name", "Phone", "Visit Date"]
    ):
        find_column(columns, "name")
    with refused("column_missing", ColumnError, column="name"):
        find_column([*columns, "Clinic name"], "name")


def test_of_a_thousand_columns_thirty_are_named():
    with refused("column_missing", ColumnError, column="phone"):
        find_column([f"c{i}" for i in range(1000)], "phone")


def test_vowel_signs_are_no_accents():
    """Without them two Hindi words become the same."""
    with pytest.raises(ColumnError):
        find_column(["नाम"], "नम")


NUMBER_HEADERS = """
Phone
phone number
PHONE_NO
Patient mobile no.
mobilePhone
MSISDN
Cell
cell phone
GSM
Tel
Tel.
Téléphone portable
Numéro
Telemóvel
Celular
Número
Teléfono
Handynummer
Telefon
Telefono
Numer telefonu
Телефон
رقم الهاتف
هاتف
手机号码
电话
Namba ya simu
Simu
मोबाइल नंबर
Số điện thoại
No HP
to
Recipient
Contact
""".strip().splitlines()


@pytest.mark.parametrize("header", NUMBER_HEADERS)
def test_a_number_column_is_known_by_its_header(header):
    assert number_columns(["name", header, "visit date"]) == [header]


OTHER_HEADERS = """
total
name
notes
customer
phone type
Phone model
has phone
phone_verified
mobile money balance
mobile network
country code
contact name
fax
Telephone bill
account number
""".strip().splitlines()


@pytest.mark.parametrize(
    ("wanted", "header"),
    [("phone", "person/phone"), ("Visit date", "Field:visit_date"), ("name", "form.patient.first.name")],
)
def test_a_column_is_found_without_the_groups_of_its_header(wanted, header):
    assert find_column(["other", header], wanted) == header
    assert find_column([wanted, header], wanted) == wanted


def test_one_name_in_two_groups_is_not_guessed():
    with refused("column_ambiguous", ColumnError, column="name", columns=["child/name", "kin/name"]):
        find_column(["child/name", "kin/name"], "name")


@pytest.mark.parametrize("header", ["Name / phone", "Date/Time", "formula.phone"])
def test_other_headers_have_no_groups(header):
    assert without_groups(header) == header


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (["owner/phone", "owner/name"], ["owner/phone"]),  # an owner's name is no number, but the phone is
        (["phones/type", "phones/age"], []),
        (["next_of_kin/phone", "person/tel"], ["person/tel"]),
        (["Phone 1 - Label", "Phone 1 - Value"], ["Phone 1 - Value"]),
        (["Tel 1", "Tel 2"], ["Tel 1", "Tel 2"]),
    ],
)
def test_number_columns_of_exports(columns, expected):
    assert number_columns(columns) == expected


@pytest.mark.parametrize("header", OTHER_HEADERS)
def test_other_columns_are_not_taken_for_numbers(header):
    assert number_columns([header]) == []


def test_candidates_come_in_order_of_preference():
    columns = ["to", "Work phone", "Phone", "Next of kin phone", "Mobile"]
    assert number_columns(columns) == ["Mobile", "Phone", "to", "Work phone"]


def test_somebody_elses_phone_counts_only_where_there_is_no_other():
    assert number_columns(["pupil", "Parent phone"]) == ["Parent phone"]


@pytest.mark.parametrize("phone", ["Phone", "Tel", "Parent's phone", "Home phone"])
@pytest.mark.parametrize("counter", ["No", "No.", "Nr"])
def test_a_column_that_counts_the_rows_is_no_phone_while_any_other_speaks_of_one(counter, phone):
    assert number_columns([counter, "Pupil", phone]) == [phone]
    assert (may_hold_numbers(counter), may_hold_numbers(phone)) == (False, True)
    assert number_columns([counter, "Pupil"]) == [counter]


@pytest.mark.parametrize("header", ["Next of kin phone", "Guardian mobile", "Home phone"])
def test_asked_about_alone_every_column_of_numbers_counts(header):
    """Reports ask so, to mask the numbers of somebody else as well."""
    assert number_columns([header]) == [header]


def test_headers_that_are_the_same_are_all_named():
    with refused("columns_alike", ColumnError, columns=["phone", "phone", "Phone"], letters=["A", "B", "D"]):
        check_headers(["phone", "phone", "name", "Phone"])


def test_a_missing_header_is_named_after_its_place():
    assert check_headers(["", "name", "  "], letters=["A", "B", "AA"]) == ["column A", "name", "column AA"]


def test_headers_are_brought_to_one_clean_line():
    assert check_headers([" First\n name ", "\ufeffphone", "a\u202eb\x1b"]) == ["First name", "phone", "ab"]


def test_a_header_as_long_as_a_book_is_none():
    with refused("header_too_long", ColumnError):
        check_headers(["name", "x" * 20_000])
