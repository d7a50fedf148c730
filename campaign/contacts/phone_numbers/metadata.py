"""What the metadata of `phonenumbers` says about numbers, as tables over plans.

A plan is the metadata of one region, or of one calling code that belongs to no region. The tables are made
from the installed library, one calling code at a time and when it is first met, so that a newer library needs
no change here. A plan with a pattern that cannot be made into a table is not `readable`: its numbers go to
the library one by one.
"""

import functools
import re
import threading
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from campaign.contacts.phone_numbers import libphonenumber
from campaign.contacts.phone_numbers.digit_patterns import (
    DEAD,
    WIDTH,
    Beginnings,
    Bools,
    Ints,
    Languages,
    States,
    UnknownPatternError,
)
from campaign.contacts.phone_numbers.libphonenumber import KINDS_BY_DESCRIPTION

LONGEST = 17  # digits of a national number that `phonenumbers` accepts
NO_PLAN = -1

# Ofcom keeps this range for films. `phonenumbers` knows it as no number, but examples and tests need some.
FICTITIOUS = {"GB": (r"7700900\d{3}", "mobile")}

_LENGTHS = 32  # of the tables by number of digits
_UNSEEN = -1

Outcomes = npt.NDArray[np.int16]

Label = tuple[int, int, str]  # calling code, position of the region behind it, description


class Outcome(NamedTuple):
    """What a valid number is."""

    kind: str
    region: str
    fictitious: bool = False


class Plan:
    """The metadata of one region, and what it means for columns of numbers."""

    def __init__(self, metadata: Any, position: int) -> None:
        self.metadata = metadata
        self.region: str = metadata.id
        self.calling_code: int = metadata.country_code
        self.position = position  # among the regions behind the same calling code
        self.readable = True
        self.zero_first = False  # can a national number begin with a 0 that belongs to it?
        self.national = self.international = self.numbers = 0  # the states where its patterns begin
        self.lengths = tuple(metadata.general_desc.possible_length)

    def patterns(self) -> Iterable[tuple[str, Label, bool]]:
        """Each pattern of a number with its label, and whether it is of a whole number."""
        for name in ("general_desc", *KINDS_BY_DESCRIPTION):
            description = getattr(self.metadata, name)
            if description is not None and description.national_number_pattern:
                yield description.national_number_pattern, (self.calling_code, self.position, name), True
        if self.metadata.leading_digits is not None:
            yield self.metadata.leading_digits, (self.calling_code, self.position, "leading_digits"), False
        if self.region in FICTITIOUS:
            yield FICTITIOUS[self.region][0], (self.calling_code, self.position, "fictitious"), True

    def kind(self, matched: set[str], length: int) -> str:
        """The kind of a number by the descriptions whose patterns it matches, "" where it is not valid."""
        fits = {name for name in matched if self._has_length(name, length)}
        if "general_desc" not in fits:
            return ""
        if self.metadata.same_mobile_and_fixed_line_pattern:
            fits = fits | {"mobile"} if "fixed_line" in fits else fits - {"mobile"}
        kind = next((kind for name, kind in KINDS_BY_DESCRIPTION.items() if name in fits), "")
        return "fixed_or_mobile" if kind == "fixed" and "mobile" in fits else kind

    def _has_length(self, name: str, length: int) -> bool:
        lengths = getattr(getattr(self.metadata, name, None), "possible_length", ())
        return not lengths or length in lengths

    @functools.cached_property
    def transform_group(self) -> int:
        """The group of the national prefix that makes the library rewrite a number, 0 for none."""
        prefix, rule = self.metadata.national_prefix_for_parsing, self.metadata.national_prefix_transform_rule
        return re.compile(prefix).groups if prefix and rule else 0

    @functools.cached_property
    def overlong(self) -> list[bool]:
        """By length: are so many digits more than any number of the plan has?"""
        local = self.metadata.general_desc.possible_length_local_only
        return [length > max(self.lengths) and length not in local for length in range(_LENGTHS)]

    @functools.cached_property
    def strippable(self) -> list[bool]:
        """By length: may the national prefix go if so many digits remain?"""
        return [overlong or length in self.lengths for length, overlong in enumerate(self.overlong)]

    @functools.cached_property
    def mobile_lengths(self) -> tuple[int, int]:
        """The fewest and the most digits of a mobile number, or of any where the plan does not say."""
        mobile = self.metadata.mobile
        lengths = [length for length in (mobile.possible_length if mobile else ()) if length > 0]
        return min(lengths or self.lengths), max(lengths or self.lengths)

    @functools.cached_property
    def zero_expected(self) -> bool:
        """Are mobile numbers of the region written with a 0 in front that is not part of them?"""
        mobile = self.metadata.mobile
        if not (mobile and mobile.example_number and self.metadata.national_prefix == "0"):
            return False
        for form in self.metadata.number_format:
            leading = (form.leading_digits_pattern or [""])[-1]
            if re.match(leading, mobile.example_number) and re.fullmatch(form.pattern, mobile.example_number):
                rule = form.national_prefix_formatting_rule or ""
                return rule.startswith("0") and not form.national_prefix_optional_when_formatting
        return False


class NumberingPlans:
    """The plans met so far; what columns of numbers need of them is in arrays by the place of the plan."""

    def __init__(self) -> None:
        self.plans: list[Plan] = []
        self.outcomes: list[Outcome | None] = [None]  # place 0: not a valid number
        self.national, self.international, self.languages = Beginnings(), Beginnings(), Languages()
        self.main_plan = np.full(1000, NO_PLAN, np.int16)  # by calling code
        self.code_at, self.width_at = _calling_codes()
        self._places: dict[tuple[int, str], int] = {}
        self._lock = threading.RLock()
        self._verdicts = np.full(256 * _LENGTHS, _UNSEEN, np.int16)
        self._viable = np.full(256, _UNSEEN, np.int64)
        self.meet(np.array([max(libphonenumber.regions_by_code())]))  # any one: no table is ever empty

    def place(self, region: str) -> int:
        """The place of a region's plan."""
        code = libphonenumber.code_by_region()[region]
        self.meet(np.array([code]))
        return self._places[code, region]

    def meet(self, codes: Ints | Outcomes) -> None:
        """Make the tables for these calling codes where they are not made yet."""
        for code in np.unique(codes[self.main_plan[codes] == NO_PLAN]).tolist():
            with self._lock:
                if code and self.main_plan[code] == NO_PLAN:
                    self._add(code)

    def _add(self, code: int) -> None:
        regions = libphonenumber.regions_by_code()[code]
        found = [(region, libphonenumber.metadata(code, region)) for region in regions]
        plans = [Plan(known, position) for position, (_, known) in enumerate(found) if known is not None]
        try:
            self._compile(plans)
        except UnknownPatternError:
            for plan in plans:
                plan.readable = False
        for plan in plans:
            self._places[code, plan.region] = len(self.plans)
            self.plans.append(plan)
        self._arrange()
        self.main_plan[code] = self._places[code, regions[0]]

    def _compile(self, plans: list[Plan]) -> None:
        numbers = self.languages.start(pattern for plan in plans for pattern in plan.patterns())
        for plan in plans:
            plan.numbers = numbers
            if prefix := plan.metadata.national_prefix_for_parsing:
                plan.national = self.national.start(prefix, plan.transform_group)
            plan.zero_first = self.languages.step(numbers, 0) != DEAD
            if prefix := plan.metadata.international_prefix:
                plan.international = self.international.start(prefix)

    def _arrange(self) -> None:
        plans = self.plans
        self.calling_code = np.array([plan.calling_code for plan in plans], np.int16)
        self.width = np.array([len(str(plan.calling_code)) for plan in plans], np.int8)
        self.position = np.array([plan.position for plan in plans], np.int8)
        self.readable = np.array([plan.readable for plan in plans])
        self.begin_number = np.array([plan.numbers for plan in plans], np.int32)
        self.begin_national = np.array([plan.national for plan in plans], np.int32)
        self.begin_international = np.array([plan.international for plan in plans], np.int32)
        self.transforms = np.array([plan.transform_group > 0 for plan in plans])
        self.overlong = np.array([plan.overlong for plan in plans])
        self.strippable = np.array([plan.strippable for plan in plans])
        self.fewest, self.most = np.array([plan.mobile_lengths for plan in plans], np.int8).T
        self.zero_expected = np.array([plan.zero_expected for plan in plans])
        self.zero_first = np.array([plan.zero_first for plan in plans])

    def viable(self, states: States, plans: Ints) -> Bools:
        """Do the numbers in these states match the general description of their plans?"""
        rows = states // WIDTH
        if rows.max(initial=0) >= len(self._viable) or (self._viable.take(rows) == _UNSEEN).any():
            self._judge(rows)
        viable: Bools = (self._viable.take(rows) >> self.position.take(plans)) & 1 == 1
        return viable

    def _judge(self, rows: States) -> None:
        with self._lock:
            while rows.max() >= len(self._viable):
                self._viable = np.concatenate([self._viable, np.full_like(self._viable, _UNSEEN)])
            for row in np.unique(rows[self._viable[rows] == _UNSEEN]).tolist():
                labels = self.languages.labels(row * WIDTH)
                self._viable[row] = sum(
                    1 << position for _, position, name in labels if name == "general_desc"
                )

    def verdict(self, states: States, lengths: Ints) -> Outcomes:
        """What the numbers with so many digits are, as places in `outcomes`."""
        cells = states.astype(np.int64) * (_LENGTHS // WIDTH) + np.minimum(lengths, LONGEST + 1)
        if cells.max(initial=0) >= len(self._verdicts) or (self._verdicts.take(cells) == _UNSEEN).any():
            self._decide(cells)
        return self._verdicts.take(cells)

    def _decide(self, cells: Ints) -> None:
        with self._lock:
            while cells.max() >= len(self._verdicts):
                self._verdicts = np.concatenate([self._verdicts, np.full_like(self._verdicts, _UNSEEN)])
            for cell in np.unique(cells[self._verdicts[cells] == _UNSEEN]).tolist():
                row, length = divmod(cell, _LENGTHS)
                outcome = self._outcome(self.languages.labels(row * WIDTH), length)
                self._verdicts[cell] = self.outcome_place(outcome)

    def outcome_place(self, outcome: Outcome | None) -> int:
        """The place of an outcome in `outcomes`."""
        with self._lock:
            if outcome not in self.outcomes:
                self.outcomes.append(outcome)
            return self.outcomes.index(outcome)

    def _outcome(self, labels: frozenset[Label], length: int) -> Outcome | None:
        """As in the library: the first region that owns the leading digits or knows the number has it."""
        if not labels or length > LONGEST:
            return None
        code = next(iter(labels))[0]
        plans = [plan for plan in self.plans if plan.calling_code == code]
        for plan in plans:
            matched = {name for _, position, name in labels if position == plan.position}
            kind = plan.kind(matched, length)
            leads = len(plans) > 1 and plan.metadata.leading_digits is not None
            if kind and (not leads or "leading_digits" in matched):
                return Outcome(kind, plan.region)
            if leads and "leading_digits" in matched:
                break
        films = next((plan.region for plan in plans if (code, plan.position, "fictitious") in labels), None)
        return Outcome(FICTITIOUS[films][1], films, fictitious=True) if films else None


def _calling_codes() -> tuple[Outcomes, npt.NDArray[np.int8]]:
    """By the first three digits of a number: its calling code and how many digits that has, 0 where none."""
    codes, widths = np.zeros(1000, np.int16), np.zeros(1000, np.int8)
    for code in libphonenumber.regions_by_code():
        share = 10 ** (3 - len(str(code)))
        codes[code * share : (code + 1) * share] = code
        widths[code * share : (code + 1) * share] = len(str(code))
    return codes, widths


@functools.cache
def numbering_plans() -> NumberingPlans:
    """The tables of this process."""
    return NumberingPlans()
