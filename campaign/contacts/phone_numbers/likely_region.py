"""The country that the numbers of a column probably belong to: that of those with a country code."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from campaign.contacts.phone_numbers.cleaning import clean_numbers
from campaign.contacts.phone_numbers.libphonenumber import WORLD, code_by_region, english_names


@dataclass(frozen=True)
class LikelyRegion:
    """A country, with how many numbers were `written` with its code, of how many with any code."""

    region: str
    written: int
    with_code: int


def find_likely_region(numbers: "pd.Series[Any]") -> LikelyRegion | None:
    """The country of most numbers that are written with + or 00 and a country code.

    None where there are no such numbers, or where two countries have as many.
    """
    regions = clean_numbers(numbers, region=None)["region"]
    counts = regions[(regions != "") & (regions != WORLD)].value_counts()
    if counts.empty or (len(counts) > 1 and counts.iloc[0] == counts.iloc[1]):
        return None
    return LikelyRegion(str(counts.index[0]), int(counts.iloc[0]), int(counts.sum()))


def regions_by_name() -> dict[str, str]:
    """The code of every country by its English name, in the order of the names: "Uganda" gives "UG"."""
    names = english_names()
    return dict(sorted((names.get(region, region), region) for region in code_by_region()))
