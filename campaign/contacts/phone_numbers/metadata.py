"""The metadata of `phonenumbers` as tables: which numbers each region has, and of which kind.

The tables are made from the installed library, one calling code at a time, when a number first needs them, so
a newer library needs no change here. If a pattern cannot be compiled, its region is not `compiled`, and the
numbers of that region go to the library one by one.
"""

import functools
import re
import threading
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from campaign.arrow_text import Bools, Ints
from campaign.contacts.phone_numbers import libphonenumber
from campaign.contacts.phone_numbers.digit_patterns import (
    DEAD,
    STATE_WIDTH,
    DigitPatterns,
    Int8s,
    Int16s,
    Int32s,
    by_value,
)
from campaign.contacts.phone_numbers.libphonenumber import KINDS_BY_DESCRIPTION
from campaign.contacts.phone_numbers.pattern_syntax import UnknownPatternError
from campaign.once import Once

MAX_NATIONAL_DIGITS = 17  # what `phonenumbers` accepts
NO_REGION = -1

# Ofcom reserves this range for drama. `phonenumbers` calls its numbers invalid, but examples need some.
FICTITIOUS = {"GB": (r"7700900\d{3}", "mobile")}

_LENGTHS = 32  # entries of the tables by number of digits

PatternLabel = tuple[int, int, str]  # calling code, rank of the region behind it, description


class Classification(NamedTuple):
    """What a valid number is: its kind and its region."""

    kind: str
    region: str
    fictitious: bool = False


class RegionMetadata:
    """The metadata of one region, or of a calling code that belongs to no region."""

    def __init__(self, metadata: Any, rank: int) -> None:
        self.metadata = metadata
        self.region: str = metadata.id
        self.calling_code: int = metadata.country_code
        self.rank = rank  # among the regions with the same calling code, the main one first
        self.compiled = True
        self.zero_belongs = False  # can a national number begin with a 0 that is part of it?
        # The states in which its patterns start.
        self.number_start = self.national_prefix_start = self.international_prefix_start = 0
        self.lengths = tuple(metadata.general_desc.possible_length)

    def patterns(self) -> Iterable[tuple[str, PatternLabel, bool]]:
        """Each pattern of a number with its label, and whether it must match the whole number."""
        for name in ("general_desc", *KINDS_BY_DESCRIPTION):
            description = getattr(self.metadata, name)
            if description is not None and description.national_number_pattern:
                yield description.national_number_pattern, (self.calling_code, self.rank, name), True
        if self.metadata.leading_digits is not None:
            yield self.metadata.leading_digits, (self.calling_code, self.rank, "leading_digits"), False
        if self.region in FICTITIOUS:
            yield FICTITIOUS[self.region][0], (self.calling_code, self.rank, "fictitious"), True

    def kind(self, matched: set[str], length: int) -> str:
        """The kind of a number whose digits match these descriptions, "" if it is not valid."""
        descriptions = {name for name in matched if self._has_length(name, length)}
        if "general_desc" not in descriptions:
            return ""
        if self.metadata.same_mobile_and_fixed_line_pattern:
            mobile = {"mobile"}
            descriptions = descriptions | mobile if "fixed_line" in descriptions else descriptions - mobile
        kind = next((kind for name, kind in KINDS_BY_DESCRIPTION.items() if name in descriptions), "")
        return "fixed_or_mobile" if kind == "fixed" and "mobile" in descriptions else kind

    def _has_length(self, name: str, length: int) -> bool:
        lengths = getattr(getattr(self.metadata, name, None), "possible_length", ())
        return not lengths or length in lengths

    @functools.cached_property
    def transform_group(self) -> int:
        """The group of the national prefix pattern that makes the library rewrite a number, 0 for none."""
        prefix, rule = self.metadata.national_prefix_for_parsing, self.metadata.national_prefix_transform_rule
        return re.compile(prefix).groups if prefix and rule else 0

    @functools.cached_property
    def too_long(self) -> list[bool]:
        """By number of digits: whether every number of the region has fewer."""
        local = self.metadata.general_desc.possible_length_local_only
        return [length > max(self.lengths) and length not in local for length in range(_LENGTHS)]

    @functools.cached_property
    def prefix_removable(self) -> list[bool]:
        """By number of remaining digits: whether the national prefix may be removed."""
        return [too_long or length in self.lengths for length, too_long in enumerate(self.too_long)]

    @functools.cached_property
    def mobile_lengths(self) -> tuple[int, int]:
        """The fewest and most digits of a mobile number, or of any number if the metadata does not say."""
        mobile = self.metadata.mobile
        lengths = [length for length in (mobile.possible_length if mobile else ()) if length > 0]
        return min(lengths or self.lengths), max(lengths or self.lengths)

    @functools.cached_property
    def usual_digits(self) -> int:
        """The digits of an example of a landline or a mobile number, whichever is shorter."""
        kinds = (self.metadata.fixed_line, self.metadata.mobile)
        examples = [kind.example_number for kind in kinds if kind and kind.example_number]
        return min(map(len, examples), default=max(self.lengths))

    @functools.cached_property
    def zero_expected(self) -> bool:
        """Whether mobile numbers of the region are written with a 0 in front that is not part of them."""
        mobile = self.metadata.mobile
        if not (mobile and mobile.example_number and self.metadata.national_prefix == "0"):
            return False
        for form in self.metadata.number_format:
            leading = (form.leading_digits_pattern or [""])[-1]
            if re.match(leading, mobile.example_number) and re.fullmatch(form.pattern, mobile.example_number):
                rule = form.national_prefix_formatting_rule or ""
                return rule.startswith("0") and not form.national_prefix_optional_when_formatting
        return False


class MetadataTables:
    """The metadata of the regions met so far, in arrays by the index of the region."""

    def __init__(self) -> None:
        self.regions: list[RegionMetadata] = []
        self.classifications: list[Classification | None] = [None]  # index 0: not a valid number
        self.patterns = DigitPatterns()
        self.main_region = np.full(1000, NO_REGION, np.int16)  # by calling code
        self.calling_code_by_digits, self.code_width_by_digits = _calling_codes()
        self._indexes: dict[tuple[int, str], int] = {}
        self._lock = threading.RLock()
        self._viable_ranks = functools.cache(self._find_viable_ranks)
        self._classified = functools.cache(self._classify)
        self.load(_code_of_no_country())  # so that no table is empty

    def index(self, region: str) -> int:
        """The index of a region, loaded if necessary."""
        code = libphonenumber.code_by_region()[region]
        self.load(np.array([code]))
        return self._indexes[code, region]

    def load(self, codes: Ints | Int16s) -> None:
        """Make the tables for these calling codes unless they exist."""
        for code in np.unique(codes[self.main_region[codes] == NO_REGION]).tolist():
            with self._lock:
                if code and self.main_region[code] == NO_REGION:
                    self._add(code)

    def _add(self, code: int) -> None:
        names = libphonenumber.regions_by_code()[code]
        metadata = [libphonenumber.metadata(code, name) for name in names]
        regions = [RegionMetadata(data, rank) for rank, data in enumerate(metadata) if data is not None]
        try:
            self._compile(regions)
        except UnknownPatternError:
            for region in regions:
                region.compiled = False
        for region in regions:
            self._indexes[code, region.region] = len(self.regions)
            self.regions.append(region)
        self._update_arrays()
        self.main_region[code] = self._indexes[code, names[0]]

    def _compile(self, regions: list[RegionMetadata]) -> None:
        number_start = self.patterns.add(pattern for region in regions for pattern in region.patterns())
        for region in regions:
            region.number_start = number_start
            if prefix := region.metadata.national_prefix_for_parsing:
                region.national_prefix_start = self.patterns.add_prefix(prefix, region.transform_group)
            region.zero_belongs = self.patterns.follow(np.array([number_start]))[0] != DEAD  # with a 0
            if prefix := region.metadata.international_prefix:
                region.international_prefix_start = self.patterns.add_prefix(prefix)

    def _update_arrays(self) -> None:
        regions = self.regions
        self.calling_code = np.array([region.calling_code for region in regions], np.int16)
        self.code_width = np.array([len(str(region.calling_code)) for region in regions], np.int8)
        self.rank = np.array([region.rank for region in regions], np.int8)
        self.compiled = np.array([region.compiled for region in regions])
        self.number_start = np.array([region.number_start for region in regions], np.int32)
        self.national_prefix_start = np.array([region.national_prefix_start for region in regions], np.int32)
        self.international_prefix_start = np.array(
            [region.international_prefix_start for region in regions], np.int32
        )
        self.transforms = np.array([region.transform_group > 0 for region in regions])
        self.too_long = np.array([region.too_long for region in regions])
        self.prefix_removable = np.array([region.prefix_removable for region in regions])
        self.fewest_digits, self.most_digits = np.array(
            [region.mobile_lengths for region in regions], np.int8
        ).T
        self.usual_digits = np.array([region.usual_digits for region in regions], np.int8)
        self.zero_expected = np.array([region.zero_expected for region in regions])
        self.zero_belongs = np.array([region.zero_belongs for region in regions])

    def viable(self, states: Int32s, regions: Ints) -> Bools:
        """Whether the numbers in these states match the general description of their regions."""
        viable: Bools = (by_value(states, self._viable_ranks) >> self.rank.take(regions)) & 1 == 1
        return viable

    def _find_viable_ranks(self, state: int) -> int:
        """A bit for the rank of each region whose general description has matched."""
        labels = self.patterns.labels(state)
        return sum(1 << rank for _, rank, name in labels if name == "general_desc")

    def classify(self, states: Int32s, lengths: Ints) -> Int16s:
        """The classifications of numbers of these lengths, as indexes of `classifications`."""
        states_and_lengths = states * np.int64(_LENGTHS // STATE_WIDTH)
        states_and_lengths += np.minimum(lengths, MAX_NATIONAL_DIGITS + 1)
        return by_value(states_and_lengths, self._classified).astype(np.int16)

    def _classify(self, state_and_length: int) -> int:
        row, length = divmod(state_and_length, _LENGTHS)
        labels = self.patterns.labels(row * STATE_WIDTH)
        return self.classification_index(self._classification(labels, length))

    def classification_index(self, classification: Classification | None) -> int:
        """The index of a classification in `classifications`, where it is added if it is new."""
        with self._lock:
            if classification not in self.classifications:
                self.classifications.append(classification)
            return self.classifications.index(classification)

    def _classification(self, labels: frozenset[PatternLabel], length: int) -> Classification | None:
        """As in the library: the first region that owns the leading digits or knows the number has it."""
        if not labels or length > MAX_NATIONAL_DIGITS:
            return None
        code = next(iter(labels))[0]
        regions = [region for region in self.regions if region.calling_code == code]
        for region in regions:
            matched = {name for _, rank, name in labels if rank == region.rank}
            kind = region.kind(matched, length)
            has_leading_digits = len(regions) > 1 and region.metadata.leading_digits is not None
            if kind and (not has_leading_digits or "leading_digits" in matched):
                return Classification(kind, region.region)
            if has_leading_digits and "leading_digits" in matched:
                break
        for region in regions:
            if (code, region.rank, "fictitious") in labels:
                return Classification(FICTITIOUS[region.region][1], region.region, fictitious=True)
        return None


def _calling_codes() -> tuple[Int16s, Int8s]:
    """By the first three digits of a number: its calling code and the digits of that, 0 if there is none."""
    codes, widths = np.zeros(1000, np.int16), np.zeros(1000, np.int8)
    for code in libphonenumber.regions_by_code():
        share = 10 ** (3 - len(str(code)))
        codes[code * share : (code + 1) * share] = code
        widths[code * share : (code + 1) * share] = len(str(code))
    return codes, widths


def _code_of_no_country() -> Ints:
    """One of the calling codes that need the fewest patterns."""
    found = (code for code, regions in libphonenumber.regions_by_code().items() if regions == ("001",))
    return np.array([next(found)])


@Once
def metadata_tables() -> MetadataTables:
    """The tables of this process."""
    return MetadataTables()
