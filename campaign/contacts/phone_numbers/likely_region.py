"""The country that the numbers of a column probably belong to, and how well a chosen country fits them."""

from typing import Any

import pandas as pd
from msgspec import Struct

from campaign.contacts.phone_numbers.cleaning import clean_numbers
from campaign.contacts.phone_numbers.libphonenumber import WORLD, code_by_region
from campaign.contacts.phone_numbers.regions import names_of_regions
from campaign.contacts.phone_numbers.unusual_texts import MAX_TEXT
from campaign.words.finding import Finding


class LikelyRegion(Struct, frozen=True):
    """A country, with how many numbers were `written` with its code, of how many with any code."""

    region: str
    written: int
    with_code: int


class RegionFit(Struct, frozen=True):
    """How well a region fits the numbers that are written without + or 00.

    - `usable`: how many of the `looked_at` ones can be sent to if they are from the region
    - `with_code`: how many of these have a country code nevertheless, such as 256772000001
    - `best`: how many can in the regions that fit best, and `others`: those of these that are not the region
    - `example`: one as it is written and in the service's form, ("", "") if none is usable; one without a
      country code if there is one
    - `is_sample`: whether only the first different ones were looked at; else all were
    """

    looked_at: int
    usable: int
    with_code: int
    best: int
    others: tuple[str, ...]
    example: tuple[str, str]
    is_sample: bool

    @property
    def is_clearly_worse(self) -> bool:
        """Whether another region makes so many more numbers usable that this one is probably a mistake."""
        more = self.best - self.usable
        return more > 0 and (self.usable == 0 or more >= max(_FEW, self.looked_at // 4))


_FEW = 2  # a mistyped number or two may be right elsewhere by chance
_SAMPLE = 200  # numbers tried in all regions: 50,000 in 0.05 s


class NumberColumn:
    """What a column says of the country of its numbers: worked out once, whichever country is then chosen.

    - `likely_region`: the country of most numbers that are written with + or 00 and a country code; None if
      there are no such numbers, or where two countries have as many
    - `holds_numbers`: whether at least half of the filled cells can be phone numbers, in whatever country
      fits best
    """

    def __init__(self, cells: "pd.Series[Any]") -> None:
        cleaned = clean_numbers(cells, region=None)
        problems = cleaned["problem"]
        self.likely_region = _likely_region(cleaned["region"])
        # In all regions, a sample of cells of 32,767 characters would take 1.6 GB.
        without_plus = cells[(problems == "no_region") & (cells.astype("str").str.len() <= MAX_TEXT)]
        different = without_plus.drop_duplicates()
        self._is_sample = len(different) > _SAMPLE
        sample = different.head(_SAMPLE) if self._is_sample else without_plus
        self._sample = sample.reset_index(drop=True)
        self._usable = _usable_by_region(self._sample)
        self._best = int(self._usable.max()) if len(sample) else 0
        local = len(without_plus) * self._best / max(len(sample), 1)
        filled = int((problems != "blank").sum())
        good = int(problems.isin(["", "several"]).sum())
        self.holds_numbers = filled > 0 and 2 * (good + local) >= filled

    def fit(self, region: str) -> RegionFit:
        """How well a region, or "001", fits; of many numbers, the first 200 different ones count."""
        sample, best = self._sample, self._best
        cleaned = clean_numbers(sample, region=region)
        good = cleaned["problem"] == ""
        with_code = good & cleaned["repair"].str.contains("country_code", regex=False)
        best_regions = self._usable.index[self._usable == best] if best else ()
        others = tuple(str(name) for name in best_regions if name != region)
        likely_example = good & ~with_code if (good & ~with_code).any() else good
        first = int(likely_example.to_numpy().argmax()) if good.any() else None
        example = ("", "") if first is None else (str(sample[first]).strip(), str(cleaned["number"][first]))
        usable, coded = int(good.sum()), int(with_code.sum())
        return RegionFit(len(sample), usable, coded, best, others, example, self._is_sample)


def find_other_country(cells: "pd.Series[Any]", region: str) -> Finding | None:
    """A finding if most numbers with a country code are of another country than `region`, as which the others
    are read; None if they are not, or if all numbers have a code."""
    cleaned = clean_numbers(cells, region=None)
    has_others = bool((cleaned["problem"] == "no_region").any())
    return other_country(_likely_region(cleaned["region"]), region, has_others=has_others)


def other_country(likely: LikelyRegion | None, region: str, *, has_others: bool) -> Finding | None:
    """What `find_other_country` finds, where it is known whether there are numbers without a code."""
    if likely is None or not has_others or region in ("", likely.region, WORLD):
        return None
    names = names_of_regions()
    counts = {"written": likely.written, "with_code": likely.with_code}
    countries = {"country": names[likely.region], "region": names[region]}
    return Finding("other_country", {**counts, **countries}, "warning")


def _likely_region(regions: "pd.Series[Any]") -> LikelyRegion | None:
    counts = regions[(regions != "") & (regions != WORLD)].value_counts()
    if counts.empty or (len(counts) > 1 and counts.iloc[0] == counts.iloc[1]):
        return None
    return LikelyRegion(str(counts.index[0]), int(counts.iloc[0]), int(counts.sum()))


def _usable_by_region(sample: "pd.Series[Any]") -> "pd.Series[int]":
    """How many of some numbers can be sent to in each region of the world."""
    regions, counts = [*code_by_region()], sample.value_counts(sort=False)
    tried = pd.Series(counts.index.repeat(len(regions)).to_numpy(), dtype="str")
    column = pd.Series(regions * len(counts), dtype="str")
    good = clean_numbers(tried, region=column)["problem"] == ""
    usable = good.astype("int64") * counts.to_numpy().repeat(len(regions))
    return usable.groupby(column, sort=False).sum()
