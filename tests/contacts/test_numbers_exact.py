"""Every number that is neither repaired nor refused is the one that phonenumbers finds.

Each run checks 8,000 generated numbers, and 3,000 of each other set; `-m long` checks the full sets.
"""

from functools import cache

import pandas as pd
import phonenumbers
import pytest
from phonenumbers import PhoneNumberType
from support import written_numbers

from campaign.contacts.phone_numbers import libphonenumber
from campaign.contacts.phone_numbers.cleaning import KINDS, clean_numbers, readings
from campaign.contacts.phone_numbers.metadata import MAX_NATIONAL_DIGITS, RegionMetadata, metadata_tables
from campaign.contacts.phone_numbers.pattern_syntax import UnknownPatternError

MOBILE = ("mobile", "fixed_or_mobile")
SAMPLE = 3_000
GENERATED = 8_000  # as many as it takes until forgotten lengths are noticed

# Refused although the library would accept it; PROBLEMS gives the reasons.
REFUSED = {"letters", "symbols", "several", "extension", "scientific", "ambiguous"}

NAMES = {
    PhoneNumberType.FIXED_LINE: "fixed",
    PhoneNumberType.MOBILE: "mobile",
    PhoneNumberType.FIXED_LINE_OR_MOBILE: "fixed_or_mobile",
    PhoneNumberType.TOLL_FREE: "toll_free",
    PhoneNumberType.PREMIUM_RATE: "premium",
    PhoneNumberType.SHARED_COST: "shared_cost",
    PhoneNumberType.VOIP: "voip",
    PhoneNumberType.PERSONAL_NUMBER: "personal",
    PhoneNumberType.PAGER: "pager",
    PhoneNumberType.UAN: "uan",
    PhoneNumberType.VOICEMAIL: "voicemail",
}


@pytest.fixture
def fresh_tables():
    """New tables for the test, and new ones again after it."""
    metadata_tables.cache_clear()
    yield
    metadata_tables.cache_clear()


@cache  # most tests look at the same texts
def library_result(text, region):
    """Number, kind and region according to the library; None if the text is not a valid number."""
    try:
        number = phonenumbers.parse(text, region)
    except phonenumbers.NumberParseException:
        return None
    if not phonenumbers.is_valid_number(number):
        return None
    e164 = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
    return e164[1:], NAMES[phonenumbers.number_type(number)], phonenumbers.region_code_for_number(number)


def cleaned(rows, kinds):
    texts, regions = zip(*rows, strict=True)
    table = clean_numbers(pd.Series(texts, dtype="str"), region=pd.Series(regions, dtype="str"), kinds=kinds)
    return table.assign(number=table["number"].fillna("")).itertuples(index=False, name="Row")


def agrees(text, region, row, kinds):
    expected = library_result(text.strip(), region)
    if expected is None:
        repaired = row.repair != "" and (library_result("+" + row.number, None) or "fictitious" in row.repair)
        return row.number == "" or bool(repaired)
    if row.problem in REFUSED:
        return row.number == ""
    number, kind, home_region = expected
    if kind not in kinds:
        return (row.number, row.problem, row.kind, row.region) == ("", kind, kind, home_region)
    return (row.number, row.problem, row.kind, row.region) == (number, "", kind, home_region)


def mismatches(rows, kinds=MOBILE):
    return [
        (text, region, *row)
        for (text, region), row in zip(rows, cleaned(rows, kinds), strict=True)
        if not agrees(text, region, row, kinds)
    ]


@pytest.mark.parametrize(
    ("rows", "size", "kinds"),
    [
        ("generated", SAMPLE, MOBILE),
        ("generated", GENERATED, tuple(KINDS)),
        ("mixed", SAMPLE, MOBILE),
        ("fuzzed", SAMPLE, tuple(KINDS)),
    ],
    ids=["generated-mobile", "generated-all", "mixed-mobile", "fuzzed-all"],
)
def test_a_sample_agrees_with_the_library(rows, size, kinds):
    assert mismatches(getattr(written_numbers, rows)(2026, size), kinds) == []


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("rows", "size"), [("generated", 390_000), ("mixed", 250_000), ("fuzzed", 240_000)])
def test_everything_agrees_with_the_library(rows, size):
    texts = getattr(written_numbers, rows)(7, size)
    valid = sum(library_result(text.strip(), region) is not None for text, region in texts)
    print(f"\n{rows}: {size:,} texts, {valid:,} of them valid for phonenumbers", end=" ")
    assert mismatches(texts) == []


def test_the_sets_are_of_use():
    """They contain enough valid and invalid numbers, all kinds, and hardly any that are ambiguous."""
    fuzzed = written_numbers.fuzzed(2026, SAMPLE)
    assert (
        0.1 < sum(library_result(text.strip(), region) is not None for text, region in fuzzed) / SAMPLE < 0.5
    )
    rows = written_numbers.generated(2026, SAMPLE)
    table = list(cleaned(rows, tuple(KINDS)))
    assert 0.3 < sum(row.number != "" for row in table) / SAMPLE < 0.9
    assert set(NAMES.values()) <= {row.kind for row in table}
    assert sum(row.problem == "ambiguous" for row in table) / SAMPLE < 0.02


def test_what_is_ambiguous_has_two_readings():
    rows = written_numbers.generated(5, SAMPLE)
    refused = [
        (text, region)
        for (text, region), row in zip(rows, cleaned(rows, MOBILE), strict=True)
        if row.problem == "ambiguous"
    ]
    assert refused
    assert [row for row in refused if len(readings(row[0], region=row[1])) < 2] == []


def broken(monkeypatch, name, change):
    """Make the tables from patterns that differ from the library's."""
    patterns = RegionMetadata.patterns

    def wrong(region):
        for pattern, label, full_match in patterns(region):
            yield (change(pattern) if label[2] == name else pattern), label, full_match

    monkeypatch.setattr(RegionMetadata, "patterns", wrong)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("mobile", lambda pattern: pattern.replace(r"\d{6}", r"\d{5}")),
        ("mobile", lambda pattern: pattern.replace("9", "8")),
        ("fixed_line", lambda pattern: "|".join(pattern.split("|")[1:]) if "(" not in pattern else pattern),
        ("general_desc", lambda pattern: r"\d{9}"),
        ("leading_digits", lambda pattern: "9"),
        ("toll_free", lambda pattern: "7"),
    ],
)
@pytest.mark.usefixtures("fresh_tables")
def test_a_broken_pattern_is_noticed(monkeypatch, name, change):
    broken(monkeypatch, name, change)
    assert len(mismatches(written_numbers.generated(2026, SAMPLE), tuple(KINDS))) > 5


@pytest.mark.parametrize("forgotten", ["national_prefix_for_parsing", "international_prefix"])
@pytest.mark.usefixtures("fresh_tables")
def test_a_forgotten_prefix_is_noticed(monkeypatch, forgotten):
    monkeypatch.setattr(libphonenumber, "metadata", without(forgotten))
    assert len(mismatches(written_numbers.generated(2026, SAMPLE), tuple(KINDS))) > 5


@pytest.mark.usefixtures("fresh_tables")
def test_forgotten_lengths_are_noticed(monkeypatch):
    monkeypatch.setattr(RegionMetadata, "prefix_removable", [True] * 32)
    assert mismatches(written_numbers.generated(2026, GENERATED), tuple(KINDS)) != []


def without(attribute):
    """The library's metadata, with one thing missing."""
    real = libphonenumber.metadata

    class Missing:
        def __init__(self, metadata):
            self._metadata = metadata

        def __getattr__(self, name):
            return None if name == attribute else getattr(self._metadata, name)

    return lambda code, region: Missing(real(code, region))


@pytest.mark.usefixtures("fresh_tables")
def test_patterns_that_cannot_be_read_are_left_to_the_library(monkeypatch):
    """A newer library may have patterns with other syntax: cleaning is then slower, but as exact."""

    def unknown(region):
        raise UnknownPatternError(region.region)
        yield

    monkeypatch.setattr(RegionMetadata, "patterns", unknown)
    assert mismatches(written_numbers.generated(3, 1_000)) == []
    assert not any(region.compiled for region in metadata_tables().regions)


def test_every_pattern_of_the_installed_library_can_be_read():
    tables = metadata_tables()
    for region in written_numbers.REGIONS:
        tables.index(region)
    assert [region.region for region in tables.regions if not region.compiled] == []


def test_no_number_has_more_digits_than_an_integer_holds():
    longest = {
        code: max(
            max(libphonenumber.metadata(code, region).general_desc.possible_length) for region in regions
        )
        for code, regions in libphonenumber.regions_by_code().items()
    }
    assert max(len(str(code)) + digits for code, digits in longest.items()) <= 19
    assert max(longest.values()) <= MAX_NATIONAL_DIGITS
