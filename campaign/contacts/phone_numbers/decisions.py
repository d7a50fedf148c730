"""The decision about each number of a column: accepted as written, repaired, or refused with a problem."""

import re
from collections.abc import Sequence, Set
from functools import lru_cache
from typing import Any

import numpy as np
from msgspec import Struct

from campaign.arrow_text import Bools, Ints, TextArray
from campaign.contacts.phone_numbers.digit_extraction import ExtractedDigits
from campaign.contacts.phone_numbers.digit_patterns import Int16s, UInt64s
from campaign.contacts.phone_numbers.libphonenumber import (
    EXPLICIT,
    NATIONAL,
    longest_short_code,
    parse_one,
    short_kind,
)
from campaign.contacts.phone_numbers.metadata import NO_REGION, Classification, MetadataTables
from campaign.contacts.phone_numbers.parsing import MAX_DIGITS, ParsedNumbers, ask_library, parse_numbers
from campaign.contacts.phone_numbers.prefix_corrections import Corrections, library_repairs
from campaign.contacts.phone_numbers.problems_and_repairs import PROBLEM_INDEXES, REPAIR_BITS
from campaign.contacts.phone_numbers.unusual_texts import MAX_TEXT, MIN_FULL_DIGITS

_GAP = re.compile(r"(?<=\d)[^\d+]+")
_INVALID = ("too_short", "too_long", "plus_missing", "no_such_number")


class Decisions(Struct):
    """The decision, row by row."""

    number: UInt64s  # 0 if there is none
    classification: Int16s  # index of `MetadataTables.classifications`, 0 if unknown
    repairs: Int16s  # bits
    problem: Int16s  # index, 0 if there is none
    first_numbers: dict[int, str] = {}  # by row: the first of several numbers
    short_codes: dict[int, str] = {}  # by row: short codes that are allowed

    def replace(self, rows: Ints, others: "Decisions", repair: int) -> None:
        """Replace the decision on rows that were refused for several numbers; `repair` says how, as a bit."""
        self.number[rows], self.classification[rows] = others.number, others.classification
        self.problem[rows] = others.problem
        self.repairs[rows] = others.repairs | np.where(others.problem == 0, repair, 0)
        self.short_codes |= {int(rows[row]): code for row, code in others.short_codes.items()}
        for row in rows.tolist():
            del self.first_numbers[row]

    @classmethod
    def one_below_the_other(cls, blocks: Sequence["Decisions"]) -> "Decisions":
        """The decisions about consecutive blocks of rows."""
        starts = np.cumsum([0, *(len(block.number) for block in blocks)]).tolist()
        columns = ("number", "classification", "repairs", "problem")
        arrays: dict[str, Any] = {
            name: np.concatenate([getattr(block, name) for block in blocks]) for name in columns
        }

        def by_row(name: str) -> dict[int, str]:
            pairs = zip(starts, (getattr(block, name) for block in blocks), strict=False)
            return {start + row: text for start, texts in pairs for row, text in texts.items()}

        return cls(**arrays, first_numbers=by_row("first_numbers"), short_codes=by_row("short_codes"))

    @property
    def integers(self) -> Ints:
        """The numbers, short codes included, as integers, which compare faster than texts; 0 for none."""
        integers = self.number.astype(np.int64)
        for row, code in self.short_codes.items():
            integers[row] = int(code)
        return integers

    def refuse(self, rows: Ints, problem: str) -> None:
        """Refuse the rows with a problem that leaves the kind of the number open."""
        self.problem[rows] = PROBLEM_INDEXES[problem]
        self.classification[rows] = 0


def decide(
    normalised: ExtractedDigits, texts: TextArray, tables: MetadataTables, kinds: Set[str]
) -> Decisions:
    """Decide about every row of a column; numbers of these `kinds` may be sent to."""
    parsed = parse_numbers(normalised.digits, tables)
    unreadable = ask_library(parsed, tables, normalised.library_texts)
    unsendable = ~_sendable(parsed.classification, tables, kinds)
    corrections = Corrections(parsed, tables, unsendable, normalised.bracketed_zero)
    corrected = (parsed.classification == 0) & (corrections.number != 0)
    decisions = Decisions(
        number=np.where(corrected, corrections.number, parsed.number),
        classification=np.where(corrected, corrections.classification, parsed.classification),
        repairs=np.where(corrected, corrections.repairs, library_repairs(parsed, tables))
        | normalised.repairs,
        problem=np.zeros(len(texts), np.int16),
        first_numbers=normalised.first_numbers,
    )
    _refuse_invalid(decisions, parsed, corrections, tables)
    _refuse_kinds(decisions, tables, kinds)
    _refuse_ambiguous(decisions, parsed, corrections, normalised, tables, kinds)
    _refuse_texts(decisions, normalised, unreadable)
    _find_short_codes(decisions, parsed, tables, kinds)
    _find_two_numbers(decisions, parsed, tables, texts)
    refused = decisions.problem > 0
    decisions.number[refused] = decisions.repairs[refused] = 0
    return decisions


def _sendable(classification: Int16s, tables: MetadataTables, kinds: Set[str]) -> Bools:
    by_index = np.array([entry is not None and entry.kind in kinds for entry in tables.classifications])
    sendable: Bools = by_index[classification]
    return sendable


def _refuse_invalid(
    decisions: Decisions, parsed: ParsedNumbers, corrections: Corrections, tables: MetadataTables
) -> None:
    rows = np.flatnonzero(decisions.classification == 0)
    region, length = parsed.region[rows], parsed.length_without_prefix[rows]
    no_region = region == NO_REGION
    conditions = {
        "no_region": no_region & (parsed.code_source[rows] != EXPLICIT),
        "unknown_country": no_region & (parsed.digits.length[rows] > 2),
        "too_short": no_region | (length < tables.fewest_digits[region]),
        "plus_missing": corrections.plus_missing[rows],
        "too_long": length > tables.most_digits[region],
    }
    indexes = [PROBLEM_INDEXES[name] for name in conditions]
    decisions.problem[rows] = np.select(list(conditions.values()), indexes, PROBLEM_INDEXES["no_such_number"])


def _refuse_kinds(decisions: Decisions, tables: MetadataTables, kinds: Set[str]) -> None:
    problems = [
        PROBLEM_INDEXES[entry.kind] if entry and entry.kind not in kinds else 0
        for entry in tables.classifications
    ]
    decisions.problem += np.array(problems, np.int16)[decisions.classification]


def _refuse_ambiguous(
    decisions: Decisions,
    parsed: ParsedNumbers,
    corrections: Corrections,
    normalised: ExtractedDigits,
    tables: MetadataTables,
    kinds: Set[str],
) -> None:
    """A valid number is ambiguous if a correction is sendable too, an invalid one if corrections differ."""
    differs = (corrections.number != 0) & (corrections.number != parsed.number)
    differs &= _sendable(corrections.classification, tables, kinds)
    ambiguous = corrections.conflict | ((parsed.classification > 0) & differs)
    with_decimal_zeros = parse_numbers(normalised.with_decimal_zeros, tables)
    ask_library(with_decimal_zeros, tables, {})
    ambiguous[normalised.decimal_rows[with_decimal_zeros.classification > 0]] = True
    decisions.refuse(np.flatnonzero(ambiguous), "ambiguous")


def _refuse_texts(decisions: Decisions, normalised: ExtractedDigits, unreadable: dict[int, str]) -> None:
    by_text = np.array([PROBLEM_INDEXES[text.problem] for text in normalised.unusual_texts])
    problems = by_text[normalised.unusual_index]
    for row, problem in unreadable.items():
        problems[row] = PROBLEM_INDEXES[problem]
    rows = np.flatnonzero(problems)
    decisions.problem[rows] = problems[rows]
    decisions.classification[rows] = 0


def _find_short_codes(
    decisions: Decisions, parsed: ParsedNumbers, tables: MetadataTables, kinds: Set[str]
) -> None:
    """Numbers that are invalid because they are short codes or emergency numbers of the region."""
    digits = parsed.digits
    invalid = np.isin(decisions.problem, [PROBLEM_INDEXES[problem] for problem in _INVALID]) & ~digits.plus
    rows = np.flatnonzero(invalid & (digits.region != NO_REGION) & (digits.length > 1))
    regions, index = np.unique(digits.region[rows], return_inverse=True)
    longest = np.array([longest_short_code(tables.regions[region].region) for region in regions], np.int64)
    for row in rows[digits.length[rows] <= longest[index]].tolist():
        code, region = digits.text(row), tables.regions[digits.region[row]].region
        if kind := short_kind(code, region):
            decisions.classification[row] = tables.classification_index(Classification(kind, region))
            decisions.problem[row] = 0 if kind in kinds else PROBLEM_INDEXES[kind]
            if kind in kinds:
                decisions.short_codes[row] = code


def _find_two_numbers(
    decisions: Decisions, parsed: ParsedNumbers, tables: MetadataTables, texts: TextArray
) -> None:
    """Numbers that are too long, or look like a foreign one, because the text consists of two numbers.

    In Norfolk Island, 381234/381235 looks like a number of Serbia.
    """
    digits = parsed.digits
    fewest = np.where(digits.region == NO_REGION, MIN_FULL_DIGITS, tables.fewest_digits[digits.region])
    may_be_two = (parsed.code_source == NATIONAL) & (decisions.repairs & REPAIR_BITS["country_code"] > 0)
    may_be_two |= decisions.problem == PROBLEM_INDEXES["too_long"]
    may_be_two &= (digits.length >= 2 * fewest) & (digits.length <= 2 * MAX_DIGITS)
    for row in np.flatnonzero(may_be_two).tolist():
        region = digits.region[row]
        name = "" if region == NO_REGION else tables.regions[region].region
        if first_number := _first_of_two(texts[row].as_py(), name):
            decisions.first_numbers[row] = first_number
            decisions.refuse(np.array([row]), "several")


@lru_cache(10_000)
def _first_of_two(text: str, region: str) -> str:
    """The first number of a text that can be split between two groups of digits into two valid numbers."""
    for gap in _GAP.finditer(text if len(text) <= 2 * MAX_TEXT else ""):
        first, second = text[: gap.start()], text[gap.end() :]
        if parse_one(first, region).kind and parse_one(second, region).kind:
            return first
    return ""
