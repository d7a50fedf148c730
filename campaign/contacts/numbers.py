"""Written phone numbers to the form the service takes: digits, country code first, no plus.

What a number is, and whether it exists, is decided by `phonenumbers` and by nothing else. On top of it stand the
repairs of what spreadsheets and people do to numbers, each with a name (`REPAIRS`), and the refusals, each with a
sentence for the person who has to put the cell right (`PROBLEMS`).
"""

import re
from collections.abc import Collection, Iterable
from typing import Any

import numpy as np
import pandas as pd

from campaign.contacts.repairs import REPAIRS, Written, write_out
from campaign.errors import UsageError

__all__ = ["KINDS", "PROBLEMS", "REPAIRS", "clean_numbers", "readings"]

KINDS = {
    "mobile": "a mobile phone",
    "fixed_or_mobile": "a landline or a mobile phone: the country does not tell them apart",
    "fixed": "a landline",
    "toll_free": "a freephone number",
    "premium": "a premium-rate number",
    "shared_cost": "a shared-cost number",
    "voip": "an internet telephony number",
    "personal": "a personal number that forwards to other phones",
    "pager": "a pager",
    "uan": "a company's nationwide number",
    "voicemail": "a voice mailbox",
    "short_code": "a short code",
    "emergency": "an emergency number",
}

_KIND_REMEDY = "Give a mobile number, or allow this kind with kinds=."

PROBLEMS = {
    "blank": "The cell is empty. Fill in the number, or leave the row out.",
    "no_digits": "There is no number in this cell. Write the phone number, or leave the cell empty.",
    "scientific": "The spreadsheet shortened this number to something like 2.56E+11 and its last digits are lost. "
    "Format the column as text, type or import the number again, and save.",
    "letters": "There are letters in the number, perhaps O for 0 or I for 1. Keep only the digits of the number.",
    "symbols": "There are signs in the cell that do not belong in a phone number. Keep only the number.",
    "several": 'There are two numbers in this cell. Keep one of them, or ask for the first with several="first".',
    "extension": "The number has an extension, and no SMS can reach an extension. Give the number of a mobile phone.",
    "ambiguous": "The number can be read in two ways, and the wrong one would be a stranger. "
    "Write it with + and the country code.",
    "plus_missing": "This is no number of the region, but it would be one of another country with + in front. "
    "If that is meant, write the +; otherwise correct the number.",
    "no_region": "The number has no country code, and no region was given. Write it with + and the country code, "
    'or say where these numbers are from with region=, for example region="UG".',
    "unknown_country": "No country has the code that follows the +. Correct the country code.",
    "too_short": "The number has too few digits. Compare it with its source and fill in what is missing.",
    "too_long": "The number has too many digits. Compare it with its source and take out what is too much.",
    "no_such_number": "The country has no numbers like this one. Compare it with its source; if it is from another "
    "country, write it with + and the country code.",
} | {
    kind: f"This is {words}, which cannot be counted on to receive SMS. {_KIND_REMEDY}"
    for kind, words in KINDS.items()
}


def clean_numbers(
    numbers: pd.Series,
    *,
    region: str | pd.Series | None,
    several: str = "refuse",
    kinds: Collection[str] = ("mobile", "fixed_or_mobile"),
) -> pd.DataFrame:
    """Bring written phone numbers into the form the service takes, and say what was done to each.

    `region` is where numbers without a country code are from: an ISO code such as "UG", or a column of them beside
    the numbers. With None, and where the column is blank, only numbers with + or 00 and a country code can be read.
    `several="first"` takes the first of two numbers in one cell. `kinds` are the kinds of number that may be sent to.

    Returns a table with the index of `numbers`, every column text:

    - `number`: digits, country code first, no plus; missing where there is none that can be sent to
    - `repair`: names from `REPAIRS`, joined by ", "; empty where nothing was done
    - `problem`: a name from `PROBLEMS`; empty exactly where there is a number
    - `kind`: a name from `KINDS`; empty where it is not known
    - `region`: the country of the number as an ISO code, "001" for numbers of no country, empty where not known

    Never raises for a text. Raises `UsageError` for an unknown region, kind or `several`.
    """
    if several not in ("refuse", "first"):
        raise UsageError(f'several={several!r} is not known. Choose "refuse" or "first".')
    allowed = _known_kinds(kinds)
    texts = _texts(numbers)
    regions = _regions(region, numbers)
    codes, unique = pd.factorize(pd.MultiIndex.from_arrays([texts, list(regions)]))
    rows = [_clean(text, where, several == "first", allowed) for text, where in unique]
    columns = ["number", "repair", "problem", "kind", "region"]
    table = pd.DataFrame(rows, columns=columns, dtype="str")
    cleaned = table.take(codes)
    cleaned.index = numbers.index
    return cleaned


def readings(text: str, *, region: str | None) -> tuple[str, ...]:
    """Every number that one written text can be read as, for showing a person why it was refused as ambiguous.

    Each is plain words: "+39 347 123 4567 (a mobile phone, IT)". Empty where nothing can be read.
    """
    _regions(region, pd.Series([text]))
    written = write_out(text, first=False)
    found = _candidates(text, written, region or "")
    return tuple(dict.fromkeys(_words(reading) for reading in found if reading is not None))


def _known_kinds(kinds: Collection[str]) -> frozenset[str]:
    if isinstance(kinds, str):
        kinds = (kinds,)
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        raise UsageError(f"kinds= does not know {unknown[0]!r}. Choose from {', '.join(KINDS)}.")
    return frozenset(kinds)


def _texts(numbers: pd.Series) -> list[str]:
    values = numbers.array
    return ["" if pd.isna(value) else str(value) for value in values]


def _regions(region: str | pd.Series | None, numbers: pd.Series) -> Iterable[str]:
    """One upper-case region code per number, "" where there is none."""
    import phonenumbers

    known = phonenumbers.SUPPORTED_REGIONS | {"", "001"}
    if not isinstance(region, pd.Series):
        code = "" if region is None else str(region).strip().upper()
        if region is not None and (not code or code not in known):
            raise UsageError(_unknown_region(region))
        return [code] * len(numbers)
    if len(region) != len(numbers):
        raise UsageError(
            f"region= has {len(region)} rows, but there are {len(numbers)} numbers. Give one per number."
        )
    codes = ["" if pd.isna(value) else str(value).strip().upper() for value in region.array]
    for row, code in zip(region.index, codes, strict=True):
        if code not in known:
            raise UsageError(f"Row {row}: {_unknown_region(code)}")
    return codes


def _unknown_region(region: object) -> str:
    hint = " The code of the United Kingdom is GB." if str(region).strip().upper() == "UK" else ""
    return f"{region!r} is not a region. Give a two-letter ISO code such as UG, KE or GB.{hint}"


# Ofcom keeps these for films; `phonenumbers` knows them as no number, but examples and tests need some.
_FICTITIOUS = re.compile(r"7700900\d{3}")

Reading = tuple[str, str, str, tuple[str, ...]]  # number, kind, region, repairs


def _clean(text: str, region: str, first: bool, kinds: frozenset[str]) -> tuple[Any, str, str, str, str]:
    written = write_out(text, first=first)
    if written.problem:
        return np.nan, "", written.problem, "", ""
    as_written, *repaired = _candidates(text, written, region)
    found = {r[0]: r for r in reversed(repaired) if r}
    if as_written:
        found = {n: r for n, r in found.items() if n != as_written[0] and r[1] in kinds}
        if found and (
            as_written[1] not in kinds or "country_code" in "".join(r[3][-1] for r in found.values())
        ):
            return np.nan, "", "ambiguous", "", ""
        return _settle(as_written, kinds)
    if len(found) > 1:
        return np.nan, "", "ambiguous", "", ""
    if found:
        return _settle(next(iter(found.values())), kinds)
    return (np.nan, "", *_why(written, region))


def _settle(reading: Reading, kinds: frozenset[str]) -> tuple[Any, str, str, str, str]:
    number, kind, region, repairs = reading
    if kind not in kinds:
        return np.nan, "", kind, kind, region
    return number, ", ".join(dict.fromkeys(repairs)), "", kind, region


def _candidates(text: str, written: Written, region: str) -> list[Reading | None]:
    """The number as it is written, then as each rule would have it."""
    readings = [_read(written.text, region, written.repairs)]
    digits = written.digits
    if written.text.startswith("+"):
        readings += [_read("+" + digits.lstrip("0"), region, (*written.repairs, "international_prefix"))]
        readings += (
            [_read(digits, region, (*written.repairs, "stray_plus"))] if digits.startswith("0") else []
        )
        readings += [_without_trunk_zero(digits, region, written.repairs)]
    elif digits.startswith("00"):
        readings += [_read("+" + digits.lstrip("0"), region, (*written.repairs, "international_prefix"))]
        readings += [
            _without_trunk_zero(digits.lstrip("0"), region, (*written.repairs, "international_prefix"))
        ]
    elif region:
        readings += [_read("0" + digits, region, (*written.repairs, "lost_zero"))]
        readings += [_with_plus(digits, region, written.repairs)]
    return readings


def _without_trunk_zero(digits: str, region: str, repairs: tuple[str, ...]) -> Reading | None:
    import phonenumbers

    for width in (1, 2, 3):
        if (
            int(digits[:width] or 0) in phonenumbers.COUNTRY_CODE_TO_REGION_CODE
            and digits[width : width + 1] == "0"
        ):
            return _read("+" + digits[:width] + digits[width + 1 :], region, (*repairs, "trunk_zero"))
    return None


def _with_plus(digits: str, region: str, repairs: tuple[str, ...]) -> Reading | None:
    import phonenumbers

    code = phonenumbers.country_code_for_region(region)
    own = str(code) if code else ""
    longest = (
        11
        if not own
        else max(phonenumbers.PhoneMetadata.metadata_for_region(region).mobile.possible_length) + 1
    )
    if not digits.startswith(own) and len(digits) <= longest:
        return None
    return _read("+" + digits, region, (*repairs, "country_code"))


def _read(text: str, region: str, repairs: tuple[str, ...]) -> Reading | None:
    """What `phonenumbers` makes of a text, or None where it is no valid number."""
    import phonenumbers

    if region == "001" and not text.startswith("+"):
        text = "+" + text
    try:
        number = phonenumbers.parse(text, region or None, keep_raw_input=True)
    except phonenumbers.NumberParseException:
        return None
    if number.country_code == 44 and _FICTITIOUS.fullmatch(str(number.national_number)):
        return f"44{number.national_number}", "mobile", "GB", (*repairs, "fictitious")
    if not phonenumbers.is_valid_number(number):
        return None
    kind = _KIND_NAMES[phonenumbers.number_type(number)]
    where = phonenumbers.region_code_for_number(number)
    source = number.country_code_source
    if source == phonenumbers.CountryCodeSource.FROM_NUMBER_WITHOUT_PLUS_SIGN:
        repairs = (*repairs, "country_code")
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)[1:], kind, where, repairs


_KIND_NAMES = dict(
    enumerate(
        (
            "fixed",
            "mobile",
            "fixed_or_mobile",
            "toll_free",
            "premium",
            "shared_cost",
            "voip",
            "personal",
            "pager",
            "uan",
        )
    )
) | {27: "emergency", 28: "voicemail", 29: "short_code"}


def _why(written: Written, region: str) -> tuple[str, str, str]:
    """problem, kind and region of a text that cannot be read as a number."""
    import phonenumbers

    text = written.text
    plus = text.startswith("+") or region == "001"
    if not plus and not region:
        return "no_region", "", ""
    if not plus and phonenumbers.shortnumberinfo.is_emergency_number(text, region):
        return "emergency", "emergency", region
    try:
        number = phonenumbers.parse(text if text.startswith("+") or not plus else "+" + text, region or None)
    except phonenumbers.NumberParseException as error:
        if error.error_type == error.INVALID_COUNTRY_CODE:
            return "unknown_country", "", ""
        return ("too_long" if error.error_type == error.TOO_LONG else "too_short"), "", ""
    if not plus and phonenumbers.is_valid_short_number_for_region(number, region):
        return "short_code", "short_code", region
    why = phonenumbers.is_possible_number_for_type_with_reason(number, phonenumbers.PhoneNumberType.MOBILE)
    if why == phonenumbers.ValidationResult.TOO_LONG:
        if not plus and _read("+" + written.digits, "", ()):
            return "plus_missing", "", ""
        return "too_long", "", ""
    if why == phonenumbers.ValidationResult.TOO_SHORT:
        return "too_short", "", ""
    return "no_such_number", "", ""


def _words(reading: Reading) -> str:
    import phonenumbers

    number, kind, region, _ = reading
    shown = phonenumbers.format_number(
        phonenumbers.parse("+" + number), phonenumbers.PhoneNumberFormat.INTERNATIONAL
    )
    return f"{shown} ({KINDS[kind]}, {region})"
