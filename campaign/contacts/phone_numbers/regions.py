"""Region codes such as UG and KE: checking one, and suggesting one for a country name or a calling code."""

import functools
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType

from campaign.argument_checks import described
from campaign.contacts.phone_numbers.libphonenumber import (
    WORLD,
    code_by_region,
    english_names,
    regions_by_code,
)
from campaign.errors import UsageError
from campaign.suggestions import closest
from campaign.text import clean, shorten

# The library names no region without a country of its own in ISO 3166, and some by an older name.
_NAMES = {
    "AC": "Ascension Island", "TA": "Tristan da Cunha", "XK": "Kosovo",
    "CD": "Congo (Democratic Republic)", "CG": "Congo (Republic)", "MK": "North Macedonia",
    "RE": "Réunion", "SZ": "Eswatini",
}  # fmt: skip
# Other names in common use.
_OTHER_NAMES = {
    "america": "US", "usa": "US",
    "britain": "GB", "great britain": "GB", "uk": "GB",
    "england": "GB", "northern ireland": "GB", "scotland": "GB", "wales": "GB",
    "czechia": "CZ", "ivory coast": "CI", "turkiye": "TR", "viet nam": "VN", "drc": "CD", "uae": "AE",
}  # fmt: skip


def check_region(region: object, row: object = None) -> str:
    """The code of a region in capitals: two letters, or "001" for the world.

    Raises `UsageError` with a suggestion if it is something else; `row` names the row of a column of regions.
    """
    code = region.strip().upper() if isinstance(region, str) else ""
    if is_region(code):
        return code
    raise UsageError(
        "region_unknown",
        given=repr(shorten(clean(region), 40)) if isinstance(region, str) else described(region),
        suggestion=suggest_region(region) if isinstance(region, str) else None,
        row=None if row is None else str(row),
    )


def is_region(code: str) -> bool:
    """Whether this is the code of a country, in capitals, or "001" for the world."""
    return code == WORLD or code in code_by_region()


def suggest_region(text: str) -> str | None:
    """The code of the country with this name or calling code, if any.

    "Uganda", "Ugnada" and "+256" all give "UG".
    """
    digits = text.strip().removeprefix("+").removeprefix("00")
    if digits.isdecimal() and digits.isascii():
        main_region, *_ = regions_by_code().get(int(digits[:4]), (WORLD,))
        return None if main_region == WORLD else main_region
    codes = _codes_by_name()
    name = _normalised(text)
    near = closest(name, codes, likeness=0.8) if len(name) > 4 else ""
    return codes.get(name) or codes.get(near)


@functools.cache
def names_of_regions() -> Mapping[str, str]:
    """The English name of every country by its code, in the order of the names: "UG" gives "Uganda"."""
    names = english_names() | _NAMES
    pairs = ((region, names[region]) for region in code_by_region())
    return MappingProxyType(dict(sorted(pairs, key=lambda pair: _normalised(pair[1]))))


@functools.cache
def _codes_by_name() -> dict[str, str]:
    return _OTHER_NAMES | {_normalised(name): region for region, name in names_of_regions().items()}


def _normalised(name: str) -> str:
    """The name in lower case, without accents and punctuation."""
    letters = unicodedata.normalize("NFKD", name.casefold())
    return " ".join(
        "".join(c if c.isalnum() else " " * (not unicodedata.combining(c)) for c in letters).split()
    )
