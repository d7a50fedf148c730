"""Phone numbers as spreadsheets, chats and people write them, and what each is cleaned to."""

import re
import time

import openpyxl
import pandas as pd
import phonenumbers
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.refusals import refused
from support.written_numbers import EXAMPLES, REGIONS

from campaign.contacts.phone_numbers.cleaning import KINDS, PROBLEMS, REPAIRS, clean_numbers, readings
from campaign.contacts.phone_numbers.regions import check_region, names_of_regions, suggest_region
from campaign.contacts.reading import read_contacts
from campaign.errors import ColumnError, UsageError

COLUMNS = ["number", "repair", "problem", "kind", "region"]


def clean(*texts, region="UG", **options):
    return clean_numbers(pd.Series(texts, dtype="str"), region=region, **options)


def clean_one(text, region="UG", **options):
    """number, repair and problem of one text."""
    row = clean(text, region=region, **options).iloc[0]
    return ("" if pd.isna(row["number"]) else row["number"]), row["repair"], row["problem"]


GRACE = "256772000012"  # the number meant by most of these texts


@pytest.mark.parametrize(
    "text",
    [
        "0772000012",
        "0772 000 012",
        " 0772000012  ",
        "0772-000-012",
        "0772.000.012",
        "0772/000012",
        "(0772) 000 012",
        "( 0772 ) 000-012",
        "[0772] 000012",
        "0772–000−012",  # an en dash, a minus sign
        "\u00a00772 000012\u00a0",  # no-break spaces outside
        "+256772000012",
        "+256 772 000 012",
        "+ 256 772 000 012",
        "(+256) 772-000-012",
        "++256772000012",
        "+256-(772)-000012",
        "000256772000012",  # 000 is how Uganda dials abroad
        "0772000012,",
        "<0772000012>",
    ],
)
def test_what_needs_no_repair(text):
    assert clean_one(text) == (GRACE, "", "")


@pytest.mark.parametrize(
    ("text", "repair"),
    [
        ("\u200e+256 772 000012\u202c", "invisible"),  # direction marks, copied from a chat
        ("0772\u200b000\ufeff012", "invisible"),  # zero-width space, byte order mark
        ("0772\u00a0000\u202f012", "invisible"),  # no-break spaces
        ("0772\u00ad000012", "invisible"),  # soft hyphen
        ("0772\t000\x00012", "invisible"),
        ("0772\n000012", "invisible"),  # a line break inside the cell
        ("'0772000012", "quotes"),  # the mark by which a spreadsheet keeps text
        ('"0772000012"', "quotes"),
        ("“0772 000012”", "quotes"),
        ("«0772000012»", "quotes"),
        ('="0772000012"', "quotes"),  # a formula that keeps the zero
        ('="+256772000012"', "quotes"),
        ("=0772000012", "quotes"),
        ("tel:+256772000012", "link"),
        ("TEL:0772-000-012", "link"),
        ("sms:+256772000012?body=Hi", "link"),
        ("callto:+256772000012", "link"),
        ("skype:+256772000012?call", "link"),
        ("p:+256772000012", "link"),  # Facebook's lead ads
        ("p:0772 000 012", "link"),
        ("whatsapp:+256772000012", "link"),  # Twilio
        ("https://wa.me/256772000012", "link"),
        ("wa.me/+256772000012?text=Hi%20there", "link"),
        ("https://api.whatsapp.com/send?phone=256772000012&text=Hi", "link"),
        ("256772000012@c.us", "link"),  # names of chats in WhatsApp
        ("256772000012:3@s.whatsapp.net", "link"),
        ('"p:+256772000012"', "quotes, link"),
        ("p:+256772000012\u200b", "invisible, link"),
        ("p:256772000012", "link, country_code"),
        ("tel:٠٧٧٢٠٠٠٠١٢", "link, digits"),
        ("０７７２００００１２", "digits"),  # full-width
        ("＋２５６７７２００００１２", "digits"),
        ("٠٧٧٢٠٠٠٠١٢", "digits"),  # Arabic-Indic
        ("۰۷۷۲۰۰۰۰۱۲", "digits"),  # Persian
        ("०७७२००००१२", "digits"),  # Devanagari
        ("0772000012.0", "decimal"),
        ("0772000012.00", "decimal"),
        ("0772000012,0", "decimal"),
        ("٠٧٧٢٠٠٠٠١٢.٠", "digits, decimal"),
        ("+256772000012.0", "decimal"),
        ("00256772000012", "international_prefix"),  # libphonenumber: invalid, Uganda dials 000
        ("00 256 772 000 012", "international_prefix"),
        ("0+256772000012", "international_prefix"),
        ("0 + 256 772 000012", "international_prefix"),
        ("00+256772000012", "international_prefix"),
        ("+00256772000012", "international_prefix"),
        ("256772000012", "country_code"),
        ("256 772 000 012", "country_code"),
        ("+2560772000012", "trunk_zero"),
        ("+256 0772 000 012", "trunk_zero"),
        ("+256 (0)772 000012", "trunk_zero"),
        ("+256(0)0772000012", "trunk_zero"),
        ("772000012", "lost_zero"),
        ("772 000 012", "lost_zero"),
        ("256 0772 000012", "country_code, trunk_zero"),
        ("256(0)772000012", "country_code, trunk_zero"),
        ("00256(0)772000012", "international_prefix, trunk_zero"),
        ("256772000012.0", "decimal, country_code"),
        ("772000012.0", "decimal, lost_zero"),
        ("'256772000012.0\u200b", "invisible, quotes, decimal, country_code"),
        ("'٧٧٢٠٠٠٠١٢", "quotes, digits, lost_zero"),
    ],
)
def test_repairs(text, repair):
    assert clean_one(text) == (GRACE, repair, "")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "blank"),
        ("   ", "blank"),
        ("\u200b\u00a0", "blank"),
        ("''", "blank"),
        ("n/a", "no_digits"),
        ("nobody", "no_digits"),
        ("-", "no_digits"),
        ("+", "no_digits"),
        ("2.56772E+11", "scientific"),
        ("2,56772e+11", "scientific"),
        ("'2.56772000012E11", "scientific"),  # all digits are there, but nothing says so
        ("7.72e8", "scientific"),
        ("O772000012", "letters"),
        ("0772I00012", "letters"),
        ("0772 ooo 012", "letters"),
        ("0772000012 (home)", "letters"),
        ("Tel: 0772000012", "letters"),
        ("p:O772000012", "letters"),
        ("mailto:0772000012", "letters"),
        ("0772000012@example.org", "letters"),
        ("wa.me/message/ABC123", "letters"),
        ("256772000012-1617000000@g.us", "letters"),  # a group
        ("+=256772000012", "symbols"),
        ("tel:+256772000012;ext=5", "extension"),
        ("1-800-FLOWERS", "letters"),
        ("0772²00012", "symbols"),
        ("①772000012", "symbols"),
        ("0772000012🙂", "symbols"),
        ("0️⃣772000012", "symbols"),
        ("0772$000012", "symbols"),
        ("772,000,012", "symbols"),
        ("0772000012 / 0701000012", "several"),
        ("0772000012/0701000012", "several"),
        ("0772000012, 0701000012", "several"),
        ("0772000012;0701000012", "several"),
        ("0772000012 or 0701000012", "several"),
        ("0772000012 ::: 0701000012", "several"),
        ("0772000012 & 0701000012", "several"),
        ("0772000012\n0701000012", "several"),
        ("0772000012/13", "several"),  # and 0772000013
        ("0772000012 ext 5", "extension"),
        ("0772000012x5", "extension"),
        ("0772000012 #5", "extension"),
        ("0772000012 POSTE 5", "extension"),
        ("0772000012 anexo 5", "extension"),
        ("0772000012 İnt 5", "extension"),
        ("0772000012 доб. 5", "extension"),
        ("+256772000012;ext=5", "extension"),
        ("077200001", "too_short"),
        ("77200001", "too_short"),
        ("+25677200001", "too_short"),
        ("12", "too_short"),
        ("07720000123", "too_long"),
        ("7720000123", "too_long"),
        ("+2567720000123", "too_long"),
        ("0256772000012", "too_long"),
        ("0772000012 0701000012", "too_long"),
        ("1" * 300, "too_long"),
        ("0972000012", "no_such_number"),
        ("+256972000012", "no_such_number"),
        ("+999772000012", "unknown_country"),
        ("+0772000012", "unknown_country"),
        ("0414000012", "fixed"),
        ("0800100012", "toll_free"),
        ("999", "emergency"),
    ],
)
def test_refusals(text, problem):
    assert clean_one(text) == ("", "", problem)


@pytest.mark.parametrize(
    ("text", "region", "problem"),
    [
        ("0906 640 0012", "GB", "premium"),
        ("0180 1 000012", "DE", "shared_cost"),
        ("070 0000 0012", "GB", "personal"),
        ("056 0000 0012", "GB", "voip"),
        ("076 4000 0012", "GB", "pager"),
        ("0300 000 0012", "GB", "uan"),
        ("116 123", "GB", "short_code"),
        ("112", "GB", "emergency"),
        ("911", "US", "emergency"),
        ("+800 1234 5678", "UG", "toll_free"),
    ],
)
def test_kinds_that_cannot_be_relied_on(text, region, problem):
    table = clean(text, region=region)
    assert table["number"].isna().all()
    assert (table["problem"].item(), table["kind"].item()) == (problem, problem)


def test_kinds_may_be_allowed():
    table = clean("0414000012", "0800100012", "0772000012", kinds=("fixed", "premium"))
    assert table["number"].fillna("").tolist() == ["256414000012", "", ""]
    assert table["problem"].tolist() == ["", "toll_free", "mobile"]
    assert table["kind"].tolist() == ["fixed", "toll_free", "mobile"]
    assert table["repair"].tolist() == [""] * 3


def test_no_kinds_let_short_codes_through():
    assert clean("999", "116 123", region="GB", kinds=KINDS)["problem"].tolist() == [
        "emergency",
        "short_code",
    ]


@pytest.mark.parametrize(
    ("text", "region", "number", "repair"),
    [
        ("+39 (0)347 123 4567", "IT", "393471234567", "trunk_zero"),
        ("+65 (0)8123 4567", "SG", "6581234567", "trunk_zero"),  # no trunk zero there at all
        ("65081234567", "SG", "6581234567", "country_code, trunk_zero"),
        ("707123456", "CI", "2250707123456", "lost_zero"),  # the zero belongs to the number
        ("0707123456", "CI", "2250707123456", ""),
        ("9812345678", "IN", "919812345678", ""),  # people there leave the zero out
        ("202 555 0123", "US", "12025550123", ""),
        ("1 202 555 0123", "US", "12025550123", "country_code"),
        ("8 912 345-67-89", "RU", "79123456789", ""),
        ("00447400123456", "GB", "447400123456", ""),  # as it is dialled there
        ("00447400123456", "US", "447400123456", "international_prefix"),
        ("011447400123456", "US", "447400123456", ""),
        ("0 11 15 2345-6789", "AR", "5491123456789", ""),  # the library rewrites it
        ("254712123456", "UG", "254712123456", "country_code"),  # Kenya
        ("447400123456", "UG", "447400123456", "country_code"),
        ("447400123456", "FI", "447400123456", "country_code"),  # where numbers may have six digits
        ("263712345678", "ZA", "263712345678", "country_code"),
        ("+881612345678", "UG", "881612345678", ""),  # a satellite phone
        ("447400123456@c.us", "UG", "447400123456", "link"),  # always with its country code
        ("0049 151/23456789", "DE", "4915123456789", ""),
        ("0049 151/23456789", "UG", "4915123456789", "international_prefix"),
        ("+49 (0)151/2345/6789", "DE", "4915123456789", "trunk_zero"),
        ("0047 912/34567", "NO", "4791234567", ""),
        ("97 00 00 01", "BJ", "2290197000001", "renumbered"),
        ("+229 97 00 00 01", "UG", "2290197000001", "renumbered"),
        ("22997000001", "BJ", "2290197000001", "country_code, renumbered"),
        ("197000001", "BJ", "2290197000001", "lost_zero"),
        ("07 12 34 56", "CI", "2250707123456", "renumbered"),
        ("+225 45 12 34 56", "CI", "2250545123456", "renumbered"),
        ("41123456", "CI", "2250141123456", "renumbered"),
        ("+52 1 55 1234 5678", "MX", "525512345678", "renumbered"),
        ("5215512345678@c.us", "UG", "525512345678", "link, renumbered"),
        ("044 55 1234 5678", "MX", "525512345678", "renumbered"),
        ("0169 1234567", "VN", "84391234567", "renumbered"),
        ("+84 120 1234567", "VN", "84701234567", "renumbered"),
        ("077 12 34 56", "GA", "24177123456", ""),
        ("+241 077 12 34 56", "GA", "24177123456", "trunk_zero"),
    ],
)
def test_other_countries(text, region, number, repair):
    assert clean_one(text, region) == (number, repair, "")


@pytest.mark.parametrize(
    ("text", "region", "shown"),
    [
        (
            "4915112345678",  # 0491 is the area code of Leer
            "DE",
            ("+49 491 5112345678 (a landline, DE)", "+49 1511 2345678 (a mobile phone, DE)"),
        ),
        (
            "62812345678",
            "ID",
            ("+62 628 12345678 (a landline, ID)", "+62 812-345-678 (a mobile phone, ID)"),
        ),
        (
            "6641234567.0",  # one digit more or less is a number as well
            "AT",
            ("+43 664 1234567 (a mobile phone, AT)", "+43 664 12345670 (a mobile phone, AT)"),
        ),
        (
            "07 12 34 56",  # until 2019, or 077 … with a digit missing
            "GA",
            ("+241 07 12 34 56 (a mobile phone, GA)", "+241 77 12 34 56 (a mobile phone, GA)"),
        ),
        (
            "+241 7 12 34 56",
            "GA",
            ("+241 7 12 34 56 (a mobile phone, GA)", "+241 77 12 34 56 (a mobile phone, GA)"),
        ),
        (
            "11 7712-3456",  # until 2012, or 11 97712-3456 with a digit missing
            "BR",
            ("+55 11 7712-3456 (a mobile phone, BR)", "+55 11 97712-3456 (a mobile phone, BR)"),
        ),
    ],
)
def test_two_readings_are_refused_and_shown(text, region, shown):
    assert clean_one(text, region) == ("", "", "ambiguous")
    assert readings(text, region=region) == shown


def test_readings_of_what_is_clear_and_of_what_is_nothing():
    assert readings("0772 000 012", region="UG") == ("+256 772 000012 (a mobile phone, UG)",)
    assert readings("nobody", region="UG") == ()
    assert readings("0772000012", region=None) == ()


def test_a_digit_doubled_by_a_slip_is_not_taken_for_another_country():
    """07700 900123 without its zero and with a 0 doubled would be somebody in Kazakhstan."""
    assert clean_one("77009001234", "GB") == ("", "", "plus_missing")


def test_numbers_kept_for_films_may_be_used_in_examples():
    table = clean("07700 900123", "+447700900999", "07700 901000", region="GB")
    assert table["number"].fillna("").tolist() == ["447700900123", "447700900999", ""]
    assert table["repair"].tolist() == ["fictitious", "fictitious", ""]
    assert clean("202-555-0123", region="US")["repair"].item() == ""


def test_the_first_of_several():
    table = clean(
        "0772000012 / 0701000012",
        "772000012 or 0701000012",
        "0414000012, 0701000012",
        "0772 OOO 012; 0701000012",
        "0772000012",
        several="first",
    )
    assert table["number"].fillna("").tolist() == [GRACE, GRACE, "", "", GRACE]
    first = "first_of_several"
    assert table["repair"].tolist() == [first, f"{first}, lost_zero", "", "", ""]
    assert table["problem"].tolist() == ["", "", "fixed", "letters", ""]


@pytest.mark.parametrize(
    ("text", "region"),
    [
        ("0772123456/0701234567", "UG"),
        ("0772123456/7", "UG"),  # a range
        ("030 1234567/8", "DE"),  # a range, though 030 12345678 is a number, too
        ("06 03 12 34/5", "GA"),  # as dialled until 2019; 060 31 23 45 is somebody else's
        ("381234/381235", "NF"),  # two numbers of Norfolk Island, or one of Serbia
        ("40123 / 40124", "AC"),
        ("20129120|6166", "HN"),
        ("20129120/6166", "HN"),  # with a plus, it is a number of Egypt
    ],
)
def test_several_stay_several(text, region):
    assert clean_one(text, region, kinds=KINDS) == ("", "", "several")


@pytest.mark.parametrize(
    ("text", "region"), [("381234 381235", "NF"), ("393123 345678", "AD"), ("8999/8999", "TA")]
)
def test_two_short_numbers_are_nobody_elsewhere(text, region):
    """With a plus in front, the first would be a number of Serbia."""
    assert clean_one(text, region, kinds=KINDS)[0] == ""


def mobiles():
    """A mobile number of every country, as it is dialled there and from abroad."""
    kind, style = phonenumbers.PhoneNumberType.MOBILE, phonenumbers.PhoneNumberFormat
    for region in REGIONS:
        number = phonenumbers.example_number_for_type(region, kind) or phonenumbers.example_number(region)
        yield region, phonenumbers.format_number(number, style.NATIONAL)
        yield region, phonenumbers.format_number(number, style.INTERNATIONAL)


def test_two_numbers_are_several_in_every_country():
    rows = [
        (region, number + mark + number)
        for region, written in mobiles()
        for number in (written, re.sub(r"[^\d+]", "", written))
        for mark in (" / ", "/", ";" if len(number) > 9 else "/ ")
        if len(number) > 4  # as in Tristan da Cunha
    ]
    regions, written = (pd.Series(column, dtype="str") for column in zip(*rows, strict=True))
    table = clean_numbers(written, region=regions, kinds=KINDS)
    assert [row for row, problem in zip(rows, table["problem"], strict=True) if problem != "several"] == []


def test_marks_inside_a_number_change_nothing_in_any_country():
    """Wherever the slash is: unless what stands before it is a number by itself, as in Finland."""
    rows = []
    for region, number in mobiles():
        plain = re.sub(r"[^\d+]", "", number)
        rows += [(region, plain, re.sub(r"[\s()./-]+", mark, number).strip(mark)) for mark in " -./"]
        rows += [(region, plain, f"{plain[:place]}/{plain[place:]}") for place in range(3, len(plain) - 1)]
    regions, plain, written = (pd.Series(column, dtype="str") for column in zip(*rows, strict=True))
    expected = clean_numbers(plain, region=regions, kinds=KINDS)
    table = clean_numbers(written, region=regions, kinds=KINDS)
    before = clean_numbers(written.str.split("/").str[0], region=regions, kinds=KINDS)
    is_two = written.str.contains("/") & ~before["problem"].isin(["too_short", "too_long", "no_such_number"])
    assert is_two.mean() < 0.01
    columns = ["number", "problem", "kind", "region"]
    assert expected.loc[~is_two, columns].equals(table.loc[~is_two, columns])
    assert set(table.loc[is_two, "problem"]) <= {"several", *expected["problem"]}


def test_without_a_region_the_country_code_is_needed():
    table = clean("+256772000012", "00256772000012", "256772000012", "0772000012", "00999123456", region=None)
    assert table["number"].fillna("").tolist() == [GRACE, GRACE, "", "", ""]
    assert table["problem"].tolist() == ["", "", "no_region", "no_region", "unknown_country"]
    assert table["repair"].tolist() == ["", "international_prefix", "", "", ""]


def test_in_the_world_every_number_begins_with_its_country_code():
    table = clean("256772000012", "4915112345678", "881612345678", "+256 772 000012", region="001")
    assert table["number"].tolist() == [GRACE, "4915112345678", "881612345678", GRACE]
    assert table["region"].tolist() == ["UG", "DE", "001", "UG"]


def test_a_column_of_regions():
    numbers = pd.Series(["0772000012", "0712345678", "202-555-0123", "0772000012"], index=[2, 3, 5, 9])
    regions = pd.Series(["UG", " ke ", "us", None], index=numbers.index)
    table = clean_numbers(numbers, region=regions)
    assert table.index.tolist() == [2, 3, 5, 9]
    assert table["number"].fillna("").tolist() == [GRACE, "254712345678", "12025550123", ""]
    assert table["region"].tolist() == ["UG", "KE", "US", ""]
    assert table["problem"].tolist() == ["", "", "", "no_region"]


@pytest.mark.parametrize(
    ("options", "code", "facts"),
    [
        ({"region": "Uganda"}, "region_unknown", {"given": "'Uganda'", "suggestion": "UG"}),
        ({"region": "Côte d’Ivoire"}, "region_unknown", {"suggestion": "CI"}),
        ({"region": "Ugnada"}, "region_unknown", {"suggestion": "UG"}),
        ({"region": "UK"}, "region_unknown", {"suggestion": "GB"}),
        ({"region": "+256"}, "region_unknown", {"suggestion": "UG"}),
        ({"region": "00 44"}, "region_unknown", {"suggestion": None}),
        ({"region": "Phone"}, "region_unknown", {"suggestion": None}),
        ({"region": ""}, "region_unknown", {"given": "''"}),
        (
            {"region": "U\ud800\x1b[2J\n" * 50},
            "region_unknown",
            {"given": repr("U\ufffd " * 13)[:-2] + "…'"},
        ),
        ({"region": pd.Series(["UG", "XX"], index=[2, 7])}, "region_unknown", {"given": "'XX'", "row": "7"}),
        ({"region": ["UG", "KE"]}, "wrong_value", {"argument": "region", "given": "a list"}),
        ({"region": 256}, "wrong_value", {"given": "256"}),
        ({"region": pd.NA}, "wrong_value", {"given": "a missing value"}),
        ({"region": pd.Series(["UG"])}, "wrong_value", {"argument": "region", "given": "1 codes"}),
        ({"region": "UG", "several": "all"}, "wrong_choice", {"choices": ["'refuse'", "'first'"]}),
        ({"region": "UG", "several": ["first"]}, "wrong_choice", {"given": "a list"}),
        ({"region": "UG", "kinds": None}, "wrong_value", {"argument": "kinds", "given": "None"}),
        ({"region": "UG", "kinds": [["mobile"]]}, "wrong_choice", {"argument": "One of kinds"}),
        ({"region": "UG", "kinds": []}, "wrong_value", {"argument": "kinds"}),
        ({"region": "UG", "kinds": ["mobile", "cell"]}, "wrong_choice", {"given": "'cell'"}),
    ],
)
def test_calls_that_cannot_be_carried_out(options, code, facts):
    with refused(code, UsageError, **facts):
        clean_numbers(pd.Series(["0772000012", "0772000013"]), **options)


@pytest.mark.parametrize(
    ("numbers", "described"),
    [
        (["0772000012"], "a list"),
        ("0772000012", "the text '077*****12'"),
        (None, "None"),
        (256772000012, "25677*****12"),
        (pd.DataFrame({"Phone": ["0772000012"]}), "a DataFrame"),
    ],
)
def test_numbers_are_a_column(numbers, described):
    with refused("wrong_value", UsageError, argument="clean_numbers", given=described) as info:
        clean_numbers(numbers, region="UG")
    assert "772000012" not in str(info.value)


def test_a_country_is_known_by_its_names():
    names = ("United Kingdom", "USA", "OUGANDA", " Cote d'Ivoire", "Viet-Nam", "Kosovo", "Narnia")
    assert [suggest_region(name) for name in names] == ["GB", "US", "UG", "CI", "VN", "XK", None]
    assert all(suggest_region(name) == region for region, name in names_of_regions().items())


def test_a_region_may_be_written_in_small_letters():
    assert [check_region(code) for code in ("ug", " KE ", "001")] == ["UG", "KE", "001"]


def test_one_kind_may_be_given_alone():
    assert clean_one("0772000012", kinds="mobile") == (GRACE, "", "")


def test_the_table_has_the_rows_and_columns_it_says():
    numbers = pd.Series(["0772000012", "0772000012", "x"], index=[2, 2, 5], name="Phone", dtype="str")
    table = clean_numbers(numbers, region="UG")
    assert list(table) == COLUMNS
    assert table.index.equals(numbers.index)
    assert all(dtype == "str" for dtype in table.dtypes)
    nothing = clean_numbers(pd.Series([], dtype="str"), region="UG")
    assert list(nothing) == COLUMNS
    assert len(nothing) == 0
    assert all(dtype == "str" for dtype in nothing.dtypes)


def test_columns_of_other_types():
    """A table that somebody made without the readers: numbers as numbers, missing cells, half characters."""
    whole = clean_numbers(pd.Series([256772000012, 772000012]), region="UG")
    assert whole["number"].tolist() == [GRACE, GRACE]
    some_missing = clean_numbers(pd.Series([256772000012, None], dtype="Int64"), region="UG")
    assert some_missing["problem"].tolist() == ["", "blank"]
    broken = clean_numbers(pd.Series([256772000012.0, float("nan"), 2.5e17]), region="UG")
    assert broken["problem"].tolist() == ["", "blank", "scientific"]
    assert broken["repair"].tolist()[0] == "decimal, country_code"
    mixed = clean_numbers(pd.Series([None, pd.NA, 772000012, "\ud8000772000012"]), region="UG")
    assert mixed["problem"].tolist() == ["blank", "blank", "", "symbols"]
    chunked = pd.concat([pd.Series(["0772000012"], dtype="str")] * 3)
    assert clean_numbers(chunked, region="UG")["number"].tolist() == [GRACE] * 3


def test_long_columns_are_cleaned_in_parts(monkeypatch):
    texts = ["0772000012", "'0772000012", "0772\n000012", "x", "", "772000012 / 0701000012", "999"] * 3
    whole = clean(*texts, several="first", kinds=KINDS)
    for rows in (1, 2, 5, 21):
        monkeypatch.setattr("campaign.contacts.phone_numbers.cleaning.CHUNK", rows)
        assert clean(*texts, several="first", kinds=KINDS).equals(whole)


# The rows of spreadsheets, read by the readers.


def test_cells_of_a_csv_stay_text(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("Name,Phone\nNA,0772000012\nNone,+256772000013\nnull,2.56772E+11\nnan,\n")
    contacts = read_contacts(path)
    table = clean_numbers(contacts["Phone"], region="UG")
    assert contacts["Name"].tolist() == ["NA", "None", "null", "nan"]
    assert table["number"].fillna("").to_dict() == {2: GRACE, 3: "256772000013", 4: "", 5: ""}
    assert table["problem"].tolist() == ["", "", "scientific", "blank"]


def test_cells_of_a_workbook_that_are_numbers(tmp_path):
    """A blank cell makes no floats of the others; a zero that only the format shows is the national one."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Name", "Phone"])
    for name, phone in (("Grace", 256772000012), ("Ann", None), ("Joseph", 772000013), ("Ben", "0772000014")):
        sheet.append([name, phone])
    sheet["B4"].number_format = "0000000000"
    book.save(tmp_path / "visits.xlsx")
    table = clean_numbers(read_contacts(tmp_path / "visits.xlsx")["Phone"], region="UG")
    assert table["number"].fillna("").tolist() == [GRACE, "", "256772000013", "256772000014"]
    assert table["problem"].tolist() == ["", "blank", "", ""]


def test_two_columns_of_one_name_are_an_error(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("name,phone,phone,Phone\nGrace,0772000012,,\n")
    with refused("columns_alike", ColumnError, columns=["phone", "phone", "Phone"], letters=["B", "C", "D"]):
        read_contacts(path)


def test_one_person_in_three_spellings_is_one_number():
    table = clean("0772 000 012", "+256772000012", "772000012")
    assert table["number"].nunique() == 1


# What holds for every text.

CELL = 32_767  # characters, as many as a spreadsheet allows
LONG = (
    " ",
    "7",
    "0",
    "1 ",
    "1/",
    "/",
    "+",
    "1+",
    "(",
    "(0)",
    ")",
    "\u200b",
    "٧",
    "\u00a0",
    "\t",
    "1\n",
    ",",
    "1,",
)
LONG += (" or ", "1 or ", "::", "1x", "#", "-", ".", "1.0", "e1", "=", "'", "0772000012/", "+256772000012 ")
LONG += ("tel:", "p:+1", "wa.me/", "1@", "1 ext ", "0+", " + ", "[", "\u0301", "１")


def test_a_long_cell_takes_no_longer_than_many_short_ones():
    """About a microsecond a character. When steps were quadratic, a cell of this length took seconds."""
    ends = (("", ""), ("0772000012", "0701000012"), ("0772,", "12"), ("p:+256772000012", ""))
    cells = [start + piece * (CELL // len(piece)) + end for piece in LONG for start, end in ends]
    before = time.process_time()
    clean(*cells)
    assert time.process_time() - before < 0.2 * len(cells)


texts = st.one_of(
    st.text(max_size=30),
    st.text("0123456789+() -./'\"\u200b\n,;:xeE٠٧²#O", max_size=30),
    st.sampled_from(EXAMPLES).flatmap(
        lambda e: st.sampled_from([e[4], e[2] + e[4], f"+{e[1]}{e[4]}", e[1] + e[4]])
    ),
)
firsts = st.sampled_from(["refuse", "first"])
regions = st.one_of(st.none(), st.just("001"), st.sampled_from(REGIONS))


@given(
    rows=st.lists(texts, min_size=1, max_size=20),
    region=regions,
    several=firsts,
)
def test_no_text_raises_and_every_row_is_decided(rows, region, several):
    table = clean(*rows, region=region, several=several, kinds=KINDS)
    assert (table["number"].notna() == table["problem"].eq("")).all()
    assert table["number"].dropna().str.fullmatch(r"[0-9]{2,19}").all()
    assert set(table["problem"]) <= {"", *PROBLEMS}
    assert {name for joined in table["repair"] for name in joined.split(", ")} <= {"", *REPAIRS}
    assert (table["problem"].eq("") | table["repair"].eq("")).all()
    assert table[COLUMNS[1:]].notna().all(axis=None)


@given(rows=st.lists(st.text(st.characters(), max_size=12), min_size=1, max_size=10))
def test_not_even_half_characters_raise(rows):
    """Such as come from files that were cut inside a character; no column of text can hold them."""
    halves = pd.Series([text + "\ud83d" for text in rows], dtype=object)
    assert clean_numbers(halves, region="UG")["number"].isna().all()


@given(rows=st.lists(texts, min_size=1, max_size=20), region=regions)
def test_cleaning_a_cleaned_number_changes_nothing(rows, region):
    """Never in the world or with a plus; in its own region it may be refused as ambiguous."""
    once = clean(*rows, region=region)
    once = once[once["number"].notna()]
    numbers = once["number"]
    for again in (clean_numbers(numbers, region="001"), clean_numbers("+" + numbers, region=region)):
        assert again["number"].equals(numbers)
    own = clean_numbers(numbers, region=once["region"])
    assert (own["number"].eq(numbers) | own["problem"].eq("ambiguous")).all()


def test_most_countries_have_no_two_readings_of_a_cleaned_number():
    mobile = [(region, code + number) for region, code, _, _, number in EXAMPLES]
    regions, numbers = (pd.Series(values, dtype="str") for values in zip(*mobile, strict=True))
    once = clean_numbers("+" + numbers, region=None)
    own = clean_numbers(numbers, region=regions)
    sent_to = once["number"].notna() & once["region"].eq(regions)
    changed = sent_to & own["number"].ne(once["number"])
    assert set(regions[changed]) == {"DE", "ID", "XK"}


@given(rows=st.lists(texts, min_size=1, max_size=20), region=st.sampled_from(REGIONS))
def test_a_row_does_not_depend_on_its_neighbours(rows, region):
    together = clean(*rows, region=region, several="first")
    alone = pd.concat([clean(text, region=region, several="first") for text in rows], ignore_index=True)
    assert together.equals(alone)
