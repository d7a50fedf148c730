"""The only module that imports `phonenumbers`, the Python port of Google's libphonenumber.

Its metadata decides what is a valid number, and its answer is final for any single text. It is imported when
it is first needed, so that `import campaign` stays fast.
"""

import functools
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

WORLD = "001"  # the region of numbers that belong to no country

NATIONAL, EXPLICIT, WITHOUT_PLUS = range(3)  # how the calling code of a number was found

# In the order in which `phonenumbers` tries them: the first description that matches gives the kind.
KINDS_BY_DESCRIPTION = {
    "premium_rate": "premium",
    "toll_free": "toll_free",
    "shared_cost": "shared_cost",
    "voip": "voip",
    "personal_number": "personal",
    "pager": "pager",
    "uan": "uan",
    "voicemail": "voicemail",
    "fixed_line": "fixed",
    "mobile": "mobile",
}


class LibraryAnswer(NamedTuple):
    """What `phonenumbers` says about one text."""

    calling_code: int = 0
    national: str = ""
    kind: str = ""  # empty if the number is not valid
    region: str = ""
    code_source: int = NATIONAL
    trunk_zero: bool = False  # a national prefix followed the calling code
    problem: str = ""  # "symbols" or "extension"


@functools.cache
def regions_by_code() -> dict[int, tuple[str, ...]]:
    """The regions with each calling code, the main one first; ("001",) if it belongs to no country."""
    import phonenumbers

    return dict(phonenumbers.COUNTRY_CODE_TO_REGION_CODE)


@functools.cache
def code_by_region() -> dict[str, int]:
    """The calling code of every region."""
    pairs = regions_by_code().items()
    return {region: code for code, regions in pairs for region in regions if region != WORLD}


@functools.cache
def english_names() -> dict[str, str]:
    """The English name of every region that has one.

    Importing `phonenumbers.geodata` loads the names of towns too (0.5 s, 100 MB), so its table of countries
    is loaded by itself (0.02 s, 3 MB).
    """
    import phonenumbers

    path = Path(phonenumbers.__file__).parent / "geodata" / "locale.py"
    loader = SourceFileLoader("phonenumbers.geodata.locale", str(path))
    module = ModuleType(loader.name)
    module.__package__ = "phonenumbers.geodata"
    loader.exec_module(module)
    names = {region: _english_name(names) for region, names in module.LOCALE_DATA.items()}
    return {region: name for region, name in names.items() if name}


def _english_name(names: dict[str, str]) -> str:
    """The English one of a region's names by language; "*fr" means: as in French."""
    name = names.get("en", "")
    return names.get(name[1:], "") if name.startswith("*") else name


def metadata(calling_code: int, region: str) -> Any:
    """The metadata of a region, or of a calling code if the region is "001"; None if there is none."""
    from phonenumbers import PhoneMetadata

    return PhoneMetadata.metadata_for_region_or_calling_code(calling_code, region)


@functools.cache
def longest_short_code(region: str) -> int:
    """The number of digits of the longest short code of a region, 0 if it has none."""
    from phonenumbers import PhoneMetadata

    short = PhoneMetadata.short_metadata_for_region(region)
    lengths = short.general_desc.possible_length if short and short.general_desc else ()
    return max(lengths, default=0)


@functools.lru_cache(10_000)
def parse_one(text: str, region: str) -> LibraryAnswer:
    """What `phonenumbers` says about a text that was written in a region ("" for none)."""
    import phonenumbers
    from phonenumbers import CountryCodeSource, NumberParseException

    try:
        number = phonenumbers.parse(text, region or None, keep_raw_input=True)
    except NumberParseException as error:
        return LibraryAnswer(
            problem="symbols" if error.error_type == NumberParseException.NOT_A_NUMBER else ""
        )
    if number.extension:
        return LibraryAnswer(problem="extension")
    source = number.country_code_source
    code_source = {
        CountryCodeSource.FROM_DEFAULT_COUNTRY: NATIONAL,
        CountryCodeSource.FROM_NUMBER_WITHOUT_PLUS_SIGN: WITHOUT_PLUS,
    }.get(source, EXPLICIT)
    national = phonenumbers.national_significant_number(number)
    digits, code = phonenumbers.normalize_digits_only(text), str(number.country_code)
    if source == CountryCodeSource.FROM_NUMBER_WITH_IDD:
        trunk_zero = not digits.endswith(code + national)
    else:
        trunk_zero = code_source != NATIONAL and digits.removeprefix(code) != national
    kind, home_region = "", ""
    if phonenumbers.is_valid_number(number):
        kind = _kind_name(phonenumbers.number_type(number))
        home_region = phonenumbers.region_code_for_number(number) or ""
    return LibraryAnswer(int(code), national, kind, home_region, code_source, trunk_zero)


@functools.lru_cache(10_000)
def short_kind(digits: str, region: str) -> str:
    """What digits that are not a full number are in a region: "emergency", "short_code" or ""."""
    from phonenumbers import PhoneNumber, shortnumberinfo

    if shortnumberinfo.is_emergency_number(digits, region):
        return "emergency"
    zeros = len(digits) - len(digits.lstrip("0"))
    number = PhoneNumber(
        country_code=code_by_region()[region],
        national_number=int(digits),
        italian_leading_zero=zeros > 0,
        number_of_leading_zeros=zeros,
    )
    return "short_code" if shortnumberinfo.is_valid_short_number_for_region(number, region) else ""


def format_international(number: str) -> str:
    """A number with spaces between the groups: "+256 772 000012"."""
    import phonenumbers

    parsed = phonenumbers.parse("+" + number)
    return phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.INTERNATIONAL)


def _kind_name(number_type: int) -> str:
    from phonenumbers import PhoneNumberType

    names = {
        getattr(PhoneNumberType, description.upper()): kind
        for description, kind in KINDS_BY_DESCRIPTION.items()
    }
    return (names | {PhoneNumberType.FIXED_LINE_OR_MOBILE: "fixed_or_mobile"})[number_type]
