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


def check_region(region: object, what: str = "region") -> str:
    """The code of a region in capitals: two letters, or "001" for the world.

    Raises `UsageError` with a suggestion if it is something else; `what` names the argument or the place.
    """
    if not isinstance(region, str):
        raise UsageError(
            f'{what} takes the two-letter code of a country, such as "UG", not {described(region)}.'
        )
    code = region.strip().upper()
    if is_region(code):
        return code
    suggestion = suggest_region(region)
    advice = (
        f'Did you mean "{suggestion}"?'
        if suggestion
        else 'Write the two-letter code of a country, such as "UG" or "KE".'
    )
    raise UsageError(f'{what}="{shorten(clean(region), 40)}" is not the code of a country. {advice}')


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
def regions_by_name() -> Mapping[str, str]:
    """The code of every country by its English name, in the order of the names: "Uganda" gives "UG"."""
    names = english_names() | _NAMES
    pairs = ((names[region], region) for region in code_by_region())
    return MappingProxyType(dict(sorted(pairs, key=lambda pair: _normalised(pair[0]))))


@functools.cache
def _codes_by_name() -> dict[str, str]:
    return _OTHER_NAMES | {_normalised(name): region for name, region in regions_by_name().items()}


def _normalised(name: str) -> str:
    """The name in lower case, without accents and punctuation."""
    letters = unicodedata.normalize("NFKD", name.casefold())
    return " ".join(
        "".join(c if c.isalnum() else " " * (not unicodedata.combining(c)) for c in letters).split()
    )
