"""The decision about each number of a column: accepted as written, repaired, or refused with a problem."""

from collections.abc import Set

import numpy as np
from msgspec import Struct

from campaign.arrow_text import Bools, Ints, TextArray
from campaign.contacts.phone_numbers.digit_extraction import (
    ExtractedDigits,
    extract_digits,
    with_decimal_zeros,
)
from campaign.contacts.phone_numbers.digit_patterns import Int16s, UInt64s, by_value
from campaign.contacts.phone_numbers.libphonenumber import EXPLICIT, longest_short_code, short_kind
from campaign.contacts.phone_numbers.metadata import NO_REGION, Classification, MetadataTables
from campaign.contacts.phone_numbers.parsing import ParsedNumbers, ask_library, parse_numbers
from campaign.contacts.phone_numbers.prefix_corrections import Corrections, library_repairs
from campaign.contacts.phone_numbers.problems_and_repairs import PROBLEM_INDEXES, REPAIR_BITS

_INVALID = ("too_short", "too_long", "plus_missing", "no_such_number")


class Decisions(Struct):
    """The decision, row by row."""

    number: UInt64s  # 0 if there is none
    classification: Int16s  # index of `MetadataTables.classifications`, 0 if unknown
    repairs: Int16s  # bits
    problem: Int16s  # index, 0 if there is none

    def replace(self, rows: Ints, others: "Decisions", repair: int = 0) -> None:
        """Replace the decision on some rows; `repair`, a bit, says how."""
        self.number[rows], self.classification[rows] = others.number, others.classification
        self.problem[rows] = others.problem
        self.repairs[rows] = others.repairs | np.where(others.problem == 0, repair, 0)

    def filter(self, mask: Bools) -> "Decisions":
        """The decisions about some of the rows."""
        return Decisions(self.number[mask], self.classification[mask], self.repairs[mask], self.problem[mask])

    def refuse(self, rows: Ints, problem: str) -> None:
        """Refuse the rows with a problem that leaves the kind of the number open."""
        self.problem[rows] = PROBLEM_INDEXES[problem]
        self.classification[rows] = 0


def decide(
    extracted: ExtractedDigits, texts: TextArray, tables: MetadataTables, kinds: Set[str]
) -> Decisions:
    """Decide about every row of a column; numbers of these `kinds` may be sent to."""
    parsed = parse_numbers(extracted.digits, tables)
    unreadable = ask_library(parsed, tables, extracted.library_texts)
    corrections = Corrections(parsed, tables, ~_sendable(parsed.classification, tables, kinds))
    corrected = (parsed.classification == 0) & (corrections.number != 0)
    decisions = Decisions(
        number=np.where(corrected, corrections.number, parsed.number),
        classification=np.where(corrected, corrections.classification, parsed.classification),
        repairs=np.where(corrected, corrections.repairs, library_repairs(parsed, tables)) | extracted.repairs,
        problem=np.zeros(len(texts), np.int16),
    )
    _refuse_invalid(decisions, parsed, corrections, tables)
    _refuse_kinds(decisions, tables, kinds)
    _refuse_ambiguous(decisions, parsed, corrections, tables, kinds)
    _refuse_decimals(decisions, extracted, texts, tables)
    _refuse_texts(decisions, extracted, unreadable)
    _find_short_codes(decisions, parsed, tables)
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
    tables: MetadataTables,
    kinds: Set[str],
) -> None:
    """A valid number is ambiguous if a correction is sendable too, an invalid one if corrections differ."""
    differs = (corrections.number != 0) & (corrections.number != parsed.number)
    differs &= _sendable(corrections.classification, tables, kinds)
    ambiguous = corrections.conflict | ((parsed.classification > 0) & differs)
    decisions.refuse(np.flatnonzero(ambiguous), "ambiguous")


def _refuse_decimals(
    decisions: Decisions, extracted: ExtractedDigits, texts: TextArray, tables: MetadataTables
) -> None:
    """6641234567.0 is ambiguous in Austria, where a number may have a digit more."""
    rows = np.flatnonzero(extracted.repairs & REPAIR_BITS["decimal"])
    if rows.size:
        parsed = parse_with_decimal_zeros(texts.take(rows), extracted.digits.region[rows], tables)
        decisions.refuse(rows[parsed.classification > 0], "ambiguous")


def parse_with_decimal_zeros(texts: TextArray, region: Ints, tables: MetadataTables) -> ParsedNumbers:
    """Texts with a .0 at their end, as if its zeros were digits of the number."""
    parsed = parse_numbers(extract_digits(with_decimal_zeros(texts), region).digits, tables)
    ask_library(parsed, tables, {})
    return parsed


def _refuse_texts(decisions: Decisions, extracted: ExtractedDigits, unreadable: dict[int, str]) -> None:
    problems = extracted.problem
    for row, problem in unreadable.items():
        problems[row] = PROBLEM_INDEXES[problem]
    rows = np.flatnonzero(problems)
    decisions.problem[rows] = problems[rows]
    decisions.classification[rows] = 0


def _find_short_codes(decisions: Decisions, parsed: ParsedNumbers, tables: MetadataTables) -> None:
    """Numbers that are invalid because they are short codes or emergency numbers of the region."""
    digits = parsed.digits
    invalid = np.isin(decisions.problem, [PROBLEM_INDEXES[problem] for problem in _INVALID]) & ~digits.plus
    rows = np.flatnonzero(invalid & (digits.region != NO_REGION) & (digits.length > 1))
    longest = by_value(digits.region[rows], lambda region: longest_short_code(tables.regions[region].region))
    for row in rows[digits.length[rows] <= longest].tolist():
        code, region = digits.text(row), tables.regions[digits.region[row]].region
        if kind := short_kind(code, region):
            decisions.classification[row] = tables.classification_index(Classification(kind, region))
            decisions.problem[row] = PROBLEM_INDEXES[kind]
