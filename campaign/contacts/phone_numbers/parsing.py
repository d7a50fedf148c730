"""Parsing columns of digits as phone numbers, with the same result as `phonenumbers.parse`.

The steps and their order are the library's: the international prefix of the region; the calling code; the
region's own calling code without a plus, if the number is only valid that way; the national prefix, if what
remains has a length and a pattern of the region; finally the first region with that calling code that knows
the number.
"""

import numpy as np
from msgspec import Struct

from campaign.arrow_text import Bools, Ints
from campaign.contacts.phone_numbers.digit_columns import Digits, as_integers
from campaign.contacts.phone_numbers.digit_patterns import Int8s, Int16s, Symbols, UInt64s
from campaign.contacts.phone_numbers.libphonenumber import EXPLICIT, NATIONAL, WITHOUT_PLUS, parse_one
from campaign.contacts.phone_numbers.metadata import NO_REGION, Classification, MetadataTables

MAX_DIGITS = 20  # longer numbers are never valid, but the library is asked about them

# The longest number of any region has 19 digits with its calling code, so it fits; a test checks that.
_POWERS_OF_TEN = np.array([10**n for n in range(20)], np.uint64)


class ParsedNumbers(Struct):
    """What a column of digits was parsed as, row by row."""

    digits: Digits
    start: Ints  # of the national number in the stream
    length: Ints
    length_without_prefix: Ints  # without the national prefix, even if that could not be removed
    region: Ints  # whose metadata the national number is read by, NO_REGION if there is none
    code_source: Int8s  # how the calling code was found: NATIONAL, EXPLICIT or WITHOUT_PLUS
    after_code: Ints  # where the calling code ends
    trunk_zero: Bools  # a national prefix after the calling code was removed
    needs_library: Bools  # only the library itself can parse the row
    classification: Int16s  # index of `MetadataTables.classifications`, 0 for an invalid number
    number: UInt64s  # calling code and national number, 0 for an invalid number

    @classmethod
    def unparsed(cls, digits: Digits, region: Ints) -> "ParsedNumbers":
        """The state before the first step."""
        size = len(digits)
        return cls(
            digits=digits,
            start=digits.start.copy(),
            length=digits.length.copy(),
            length_without_prefix=digits.length.copy(),
            region=region.copy(),
            code_source=np.where(digits.plus, EXPLICIT, NATIONAL).astype(np.int8),
            after_code=digits.start.copy(),
            trunk_zero=np.zeros(size, bool),
            needs_library=np.zeros(size, bool),
            classification=np.zeros(size, np.int16),
            number=np.zeros(size, np.uint64),
        )


def parse_numbers(digits: Digits, tables: MetadataTables) -> ParsedNumbers:
    """Parse each number as dialled from its region."""
    parsed = ParsedNumbers.unparsed(digits, digits.region)
    parsed.needs_library = digits.length > MAX_DIGITS
    _read_international_prefix(parsed, tables)
    _read_calling_code(parsed, tables)
    _read_own_code_without_plus(parsed, tables)
    _read_national_number(parsed, tables)
    return parsed


def parse_after_code(
    digits: Digits, region: Ints, code_source: Int8s, tables: MetadataTables
) -> ParsedNumbers:
    """Parse digits as what follows the calling code of a region."""
    parsed = ParsedNumbers.unparsed(digits, region)
    parsed.code_source = code_source
    _read_national_number(parsed, tables)
    return parsed


def _read_international_prefix(parsed: ParsedNumbers, tables: MetadataTables) -> None:
    """The prefix for calls abroad, unless a zero follows: no calling code begins with one."""
    stream = parsed.digits.stream
    rows = np.flatnonzero((parsed.code_source == NATIONAL) & (parsed.region != NO_REGION))
    pattern_starts = tables.international_prefix_start[parsed.region[rows]]
    width, _ = tables.patterns.match_prefixes(stream, parsed.start[rows], pattern_starts)
    abroad = (width >= 0) & (stream[parsed.start[rows] + width] != 0)
    rows, width = rows[abroad], width[abroad]
    parsed.code_source[rows] = EXPLICIT
    parsed.start[rows] += width
    parsed.length[rows] -= width


def _read_calling_code(parsed: ParsedNumbers, tables: MetadataTables) -> None:
    """The calling code after a plus or an international prefix."""
    rows = np.flatnonzero(parsed.code_source == EXPLICIT)
    parsed.region[rows] = NO_REGION
    rows = rows[parsed.length[rows] > 2]
    stream, start = parsed.digits.stream, parsed.start[rows]
    three_digits = stream[start] * np.int16(100) + stream[start + 1] * np.int16(10) + stream[start + 2]
    code, width = tables.calling_code_by_digits[three_digits], tables.code_width_by_digits[three_digits]
    tables.load(code)
    parsed.region[rows] = tables.main_region[code]
    parsed.start[rows] += width
    parsed.length[rows] -= width
    # If there is no such calling code, the library ignores the plus and starts again.
    parsed.needs_library[rows] |= (code == 0) & parsed.digits.plus[rows]
    parsed.after_code[rows] = parsed.start[rows]


def _read_own_code_without_plus(parsed: ParsedNumbers, tables: MetadataTables) -> None:
    """The region's own calling code without a plus, if the number is invalid or too long with it."""
    stream = parsed.digits.stream
    rows = np.flatnonzero((parsed.code_source == NATIONAL) & (parsed.region != NO_REGION))
    rows = rows[begins_with_own_code(parsed.digits, tables, rows)]
    region = parsed.region[rows]
    width = tables.code_width[region]
    start, length, needs_library = _remove_national_prefix(
        stream, parsed.start[rows] + width, parsed.length[rows] - width, region, tables
    )
    viable_with_code = _viable(stream, parsed.start[rows], parsed.length[rows], region, tables)
    viable_without = _viable(stream, start, length, region, tables)
    too_long = tables.too_long[region, np.minimum(parsed.length[rows], MAX_DIGITS)]
    removed = (viable_without & ~viable_with_code) | too_long
    parsed.needs_library[rows] |= needs_library
    rows, width, start, length = rows[removed], width[removed], start[removed], length[removed]
    parsed.after_code[rows] = parsed.start[rows] + width
    parsed.trunk_zero[rows] = start > parsed.after_code[rows]
    parsed.start[rows], parsed.length[rows] = start, length
    parsed.code_source[rows] = WITHOUT_PLUS
    parsed.region[rows] = tables.main_region[tables.calling_code[parsed.region[rows]]]


def begins_with_own_code(digits: Digits, tables: MetadataTables, rows: Ints) -> Bools:
    """Whether these numbers begin with the calling code of their own region."""
    region, start = digits.region[rows], digits.start[rows]
    first_digits = digits.stream[start].astype(np.int16)
    for position in (1, 2):
        longer = tables.code_width[region] > position
        first_digits = np.where(longer, first_digits * 10 + digits.stream[start + position], first_digits)
    own_code: Bools = first_digits == tables.calling_code[region]
    return own_code & (digits.length[rows] > 2)


def _read_national_number(parsed: ParsedNumbers, tables: MetadataTables) -> None:
    """What follows the calling code: is it a valid number, and of which kind?"""
    rows = np.flatnonzero((parsed.region != NO_REGION) & ~parsed.needs_library)
    region, stream = parsed.region[rows], parsed.digits.stream
    start, length, needs_library = _remove_national_prefix(
        stream, parsed.start[rows], parsed.length[rows], region, tables
    )
    parsed.length_without_prefix[rows] = length
    removable = tables.prefix_removable[region, np.clip(length, 0, MAX_DIGITS)]
    prefix_removed = removable & (start > parsed.start[rows])
    parsed.trunk_zero[rows] |= prefix_removed & (parsed.code_source[rows] != NATIONAL)
    parsed.start[rows] = start = np.where(removable, start, parsed.start[rows])
    parsed.length[rows] = length = np.where(removable, length, parsed.length[rows])
    states = tables.patterns.run(stream, start, tables.number_start[region], _steps(length))
    needs_library |= ~tables.compiled[region]
    parsed.needs_library[rows] = needs_library
    classification = np.where(needs_library | (length < 2), 0, tables.classify(states, length))
    parsed.classification[rows] = classification
    valid = np.flatnonzero(classification)
    rows, start, length, region = rows[valid], start[valid], length[valid], region[valid]
    codes = tables.calling_code[region].astype(np.uint64)
    parsed.number[rows] = codes * _POWERS_OF_TEN[length] + as_integers(stream, start, length)


def _remove_national_prefix(
    stream: Symbols, start: Ints, length: Ints, region: Ints, tables: MetadataTables
) -> tuple[Ints, Ints, Bools]:
    """Numbers without their national prefix, and which of them the library would rewrite instead.

    The prefix stays if the number is only viable with it.
    """
    width, with_group = tables.patterns.match_prefixes(stream, start, tables.national_prefix_start[region])
    width = np.maximum(width, 0)
    rows = np.flatnonzero(width)
    rows = rows[_viable(stream, start[rows], length[rows], region[rows], tables)]
    if rows.size:
        rest_start, rest_length = start[rows] + width[rows], length[rows] - width[rows]
        needs_prefix = ~_viable(stream, rest_start, rest_length, region[rows], tables)
        width[rows[needs_prefix]] = 0
    return start + width, length - width, with_group & tables.transforms[region]


def _viable(stream: Symbols, start: Ints, length: Ints, region: Ints, tables: MetadataTables) -> Bools:
    """Whether numbers match the general description of their region."""
    states = tables.patterns.run(stream, start, tables.number_start[region], _steps(length))
    return tables.viable(states, region)


def _steps(length: Ints) -> int:
    return min(int(length.max(initial=0)), MAX_DIGITS) + 1


def ask_library(parsed: ParsedNumbers, tables: MetadataTables, texts: dict[int, str]) -> dict[int, str]:
    """Let the library parse the rows that need it, and those whose text is given here.

    Returns the problems of texts that it cannot parse at all, by row.
    """
    problems: dict[int, str] = {}
    for row in {*np.flatnonzero(parsed.needs_library).tolist(), *texts}:
        region = int(parsed.digits.region[row])
        text = texts.get(row) or parsed.digits.text(row)
        answer = parse_one(text, "" if region == NO_REGION else tables.regions[region].region)
        if answer.problem:
            problems[row] = answer.problem
        own_classification = tables.classifications[parsed.classification[row]]
        if answer.kind or not (own_classification and own_classification.fictitious):
            classification = Classification(answer.kind, answer.region) if answer.kind else None
            parsed.classification[row] = tables.classification_index(classification)
            parsed.number[row] = int(f"{answer.calling_code}{answer.national}") if answer.kind else 0
        if answer.kind:
            parsed.code_source[row], parsed.trunk_zero[row] = answer.code_source, answer.trunk_zero
    return problems
