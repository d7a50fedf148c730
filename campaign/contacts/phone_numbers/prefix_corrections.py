"""Repairing numbers that are not valid as written: each rule undoes one common mistake.

A rule is tried only where the number is not valid, or not of a kind that messages are sent to, and it is
applied only if no other rule finds a different number. A valid number is never changed: if it can also be
read as another number, it is refused as ambiguous.
"""

from pathlib import Path

import numpy as np

from campaign.arrow_text import Bools, Ints
from campaign.contacts.phone_numbers.digit_columns import Digits
from campaign.contacts.phone_numbers.digit_patterns import Int16s, UInt64s
from campaign.contacts.phone_numbers.libphonenumber import NATIONAL, WITHOUT_PLUS
from campaign.contacts.phone_numbers.metadata import NO_REGION, MetadataTables
from campaign.contacts.phone_numbers.parsing import (
    ParsedNumbers,
    ask_library,
    begins_with_own_code,
    parse_after_code,
    parse_numbers,
)
from campaign.contacts.phone_numbers.problems_and_repairs import REPAIR_BITS

# A number of another country without its plus is accepted if it has at least this many digits more than a
# mobile number of the region. With one digit more it may be a typing error: 7700900123, a British number that
# has lost its zero, is a number in Kazakhstan as soon as one of its digits is doubled. Nor may it be two
# numbers: in Norfolk Island, 381234 381235 looks like a number of Serbia.
_MIN_EXTRA_DIGITS = 2


class Corrections:
    """The numbers that the rules find, row by row."""

    def __init__(self, parsed: ParsedNumbers, tables: MetadataTables, unsendable: Bools) -> None:
        size = len(parsed.classification)
        self.classification: Int16s = np.zeros(size, np.int16)
        self.number: UInt64s = np.zeros(size, np.uint64)  # 0 if no rule finds a number
        self.repairs: Int16s = np.zeros(size, np.int16)
        self.conflict: Bools = np.zeros(size, bool)  # two rules find different numbers
        self.plus_missing: Bools = np.zeros(
            size, bool
        )  # of another country, but too similar to one of the region
        self.candidates: list[tuple[UInt64s, Int16s]] = []  # of each rule: numbers and classifications
        self._tables = tables
        self._without_trunk_zero(parsed, np.flatnonzero(unsendable), 0)
        self._with_international_prefix(parsed, unsendable)
        self._with_own_code(parsed, unsendable)
        self._with_foreign_code(parsed, unsendable)
        self._with_lost_zero(parsed, unsendable)
        self._renumbered(parsed)

    def _try(self, rows: Ints, digits: Digits, rule: str) -> None:
        """Parse these digits instead of those of the rows; in most columns a rule has none to try."""
        if not len(rows):
            return
        parsed = parse_numbers(digits, self._tables)
        parsed.needs_library &= parsed.region != NO_REGION
        ask_library(parsed, self._tables, {})
        self._add(rows, parsed, REPAIR_BITS[rule])
        invalid = np.flatnonzero(parsed.classification == 0)
        self._without_trunk_zero(parsed, invalid, REPAIR_BITS[rule], rows)

    def _add(self, rows: Ints, parsed: ParsedNumbers, repairs: int) -> None:
        self.candidates.append((parsed.number, parsed.classification))
        valid = np.flatnonzero(parsed.classification)
        rows, numbers = rows[valid], parsed.number[valid]
        self.conflict[rows] |= (self.number[rows] != 0) & (self.number[rows] != numbers)
        is_first = self.number[rows] == 0
        rows, valid = rows[is_first], valid[is_first]
        self.number[rows], self.classification[rows] = parsed.number[valid], parsed.classification[valid]
        self.repairs[rows] = library_repairs(parsed, self._tables)[valid] | repairs

    def _without_trunk_zero(
        self, parsed: ParsedNumbers, rows: Ints, repairs: int, original_rows: Ints | None = None
    ) -> None:
        """+65 (0)8123 4567: in some countries the library does not remove the zero by itself."""
        has_code = (parsed.code_source[rows] != NATIONAL) & (parsed.region[rows] != NO_REGION)
        has_code &= ~parsed.needs_library[rows]
        stream = parsed.digits.stream
        rows = rows[has_code & (stream[parsed.after_code[rows]] == 0)]
        if not len(rows):
            return
        start = parsed.after_code[rows] + 1
        length = parsed.digits.start[rows] + parsed.digits.length[rows] - start
        digits = Digits(stream, start, length, parsed.digits.plus[rows], parsed.region[rows])
        corrected = parse_after_code(digits, parsed.region[rows], parsed.code_source[rows], self._tables)
        target_rows = rows if original_rows is None else original_rows[rows]
        self._add(target_rows, corrected, repairs | REPAIR_BITS["trunk_zero"])

    def _with_international_prefix(self, parsed: ParsedNumbers, unsendable: Bools) -> None:
        """00256 772 000012 where calls abroad do not begin with 00, and +00256 …"""
        zeros = parsed.digits.leading_zeros
        rows = np.flatnonzero(unsendable & (zeros > 1))
        self._try(rows, parsed.digits.take(rows, skip=zeros[rows], plus=True), "international_prefix")

    def _with_own_code(self, parsed: ParsedNumbers, unsendable: Bools) -> None:
        """4915112345678 in Germany is a mobile number with its country code, or a landline in Leer (0491)."""
        rows = _without_plus_or_zero(parsed, unsendable | (parsed.code_source == NATIONAL))
        rows = rows[begins_with_own_code(parsed.digits, self._tables, rows)]
        self._try(rows, parsed.digits.take(rows, plus=True), "country_code")

    def _with_foreign_code(self, parsed: ParsedNumbers, unsendable: Bools) -> None:
        """254712000012 in Uganda"""
        digits = parsed.digits
        invalid = unsendable & (parsed.classification == 0) & (parsed.code_source == NATIONAL)
        rows = _without_plus_or_zero(parsed, invalid)
        extra = digits.length[rows] - self._tables.most_digits[digits.region[rows]]
        own_code = begins_with_own_code(digits, self._tables, rows)
        may_be_two = digits.length[rows] >= 2 * self._tables.usual_digits[digits.region[rows]]
        is_clear = (extra >= _MIN_EXTRA_DIGITS) & ~may_be_two
        doubtful_rows = rows[(extra > 0) & ~is_clear & ~own_code]
        clear_rows = rows[is_clear & ~own_code]
        self._try(clear_rows, digits.take(clear_rows, plus=True), "country_code")
        with_plus = parse_numbers(digits.take(doubtful_rows, plus=True), self._tables)
        self.plus_missing[doubtful_rows] = with_plus.classification > 0

    def _with_lost_zero(self, parsed: ParsedNumbers, unsendable: Bools) -> None:
        """707123456 in Ivory Coast, where the 0 in front is part of the number."""
        rows = _without_plus_or_zero(parsed, unsendable)
        rows = rows[self._tables.zero_belongs[parsed.digits.region[rows]]]
        self._try(rows, parsed.digits.take(rows).behind("0"), "lost_zero")

    def _renumbered(self, parsed: ParsedNumbers) -> None:
        """+229 97 00 00 01, which is +229 01 97 00 00 01 since 2024."""
        names = [region.region for region in self._tables.regions]
        changed = np.array([*(name in RENUMBERED for name in names), False])[parsed.region]  # NO_REGION is -1
        rows = np.flatnonzero(changed & ~self.plus_missing & ~parsed.needs_library)
        for region in np.unique(parsed.region[rows]).tolist():
            own_rows = rows[parsed.region[rows] == region]
            for old, new in RENUMBERED[names[region]]:
                self._add_renumbered(parsed, own_rows[parsed.length[own_rows] == len(old)], old, new)

    def _add_renumbered(self, parsed: ParsedNumbers, rows: Ints, old: str, new: str) -> None:
        old_front, new_front, digits = old.rstrip("."), new.rstrip("."), parsed.digits
        for place, digit in enumerate(old_front):
            rows = rows[digits.stream[parsed.start[rows] + place] == int(digit)]
        if not rows.size:
            return
        start, length = parsed.start[rows] + len(old_front), parsed.length[rows] - len(old_front)
        staying = Digits(digits.stream, start, length, digits.plus[rows], parsed.region[rows])
        source = parsed.code_source[rows]
        renumbered = parse_after_code(staying.behind(new_front), staying.region, source, self._tables)
        is_other = renumbered.length < len(new)  # what the library dials as something else
        renumbered.classification[is_other] = 0
        self._add(rows, renumbered, REPAIR_BITS["renumbered"])


def _without_plus_or_zero(parsed: ParsedNumbers, mask: Bools) -> Ints:
    """The rows in the mask that have a region and whose number begins with neither a plus nor a zero."""
    digits = parsed.digits
    return np.flatnonzero(mask & ~digits.plus & (digits.first != 0) & (digits.region != NO_REGION))


def library_repairs(parsed: ParsedNumbers, tables: MetadataTables) -> Int16s:
    """The repairs that the library makes without mentioning them, as bits."""
    digits = parsed.digits
    national = (parsed.code_source == NATIONAL) & (parsed.start == digits.start) & (digits.first != 0)
    national &= (parsed.classification > 0) & (digits.region != NO_REGION)
    bits = np.zeros(len(parsed.classification), np.int16)
    bits[parsed.trunk_zero] |= REPAIR_BITS["trunk_zero"]
    bits[parsed.code_source == WITHOUT_PLUS] |= REPAIR_BITS["country_code"]
    bits[national & tables.zero_expected[digits.region]] |= REPAIR_BITS["lost_zero"]
    fictitious = np.array([entry is not None and entry.fictitious for entry in tables.classifications])
    bits[fictitious[parsed.classification]] |= REPAIR_BITS["fictitious"]
    return bits


_FILE = Path(__file__).with_name("renumberings.txt")
RENUMBERED: dict[str, list[tuple[str, str]]] = {}  # by region, pairs of an old and a new form
for _line in _FILE.read_text(encoding="utf-8").splitlines():
    if _line[:1].isupper():
        _region, _old, _new = _line.split()
        RENUMBERED.setdefault(_region, []).append((_old, _new))
