"""Extracting the digits of a column of written numbers: plain texts all at once, unusual ones one by one.

Plain texts consist of digits, spaces, hyphens, dots, brackets and slashes, with a plus in front. Their bytes
go through one table of 256 entries (15 ns a row); a regular expression that keeps the digits takes 550 ns.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct

from campaign.arrow_text import (
    Bools,
    Ints,
    TextArray,
    join_column,
    map_unique,
    mask_to_numpy,
    text_scalar,
    unique_texts,
)
from campaign.contacts.phone_numbers.digit_columns import MARGIN, Digits
from campaign.contacts.phone_numbers.digit_patterns import Int16s, Symbols
from campaign.contacts.phone_numbers.pattern_syntax import END
from campaign.contacts.phone_numbers.problems_and_repairs import PROBLEM_INDEXES, REPAIR_BITS
from campaign.contacts.phone_numbers.unusual_texts import MAX_TEXT, MIN_FULL_DIGITS, read_unusual_text

_SEPARATOR, _UNUSUAL = END + 1, END + 2
_SYMBOL_OF_BYTE = np.full(256, _UNUSUAL, np.uint8)
_SYMBOL_OF_BYTE[list(b"0123456789")] = range(10)
_SYMBOL_OF_BYTE[list(b" -.()/+")] = _SEPARATOR  # the plus is treated separately
_SYMBOL_OF_BYTE[ord("\n")] = END
# In the terms of Unicode: format and control characters; every kind of space.
_INVISIBLE = r"[\p{Cf}\x{00}-\x{08}\x{0b}\x{0c}\x{0e}-\x{1f}\x{7f}-\x{9f}]"
_SPACES = r"[\p{Zs}\t]"
_QUOTES = "'\"`´‘’‚‛“”„‟«»‹›′″＇＂ "
_FORMULA = "^=(.+)$"  # ="0772 …": how some programs write a number so that a spreadsheet keeps its zero
# What links and exports write around a number; "Tel: 0772 …" is a note. Facebook writes p:, Twilio whatsapp:.
_SCHEME = r"(?i)^(?:tel|sms|smsto|callto|skype|whatsapp|viber|p):(?://)?([+＋(]?\p{Nd}[^?]*)(?:\?.*)?$"
# WhatsApp always leaves out the plus in front of the country code, in its links and in its names of chats.
_WHATSAPP = (
    r"(?i)^(?:(?:https?://)?(?:www\.|web\.|api\.)?(?:wa\.me/|whatsapp\.com/send/?\?phone=)|whatsapp://send\?phone=)"
    r"(?:\+|%2B)?([\p{Nd} ().-]+)/?(?:[?&].*)?$|^\+?(\p{Nd}+)(?::\p{Nd}+)?@(?:c\.us|s\.whatsapp\.net)$"
)
_ZEROS = "[0٠۰०０]{1,2}"
_DECIMAL = rf"^(\+?\p{{Nd}}{{{MIN_FULL_DIGITS},}})[.,]{_ZEROS}$"
_POINT = rf"[.,]({_ZEROS}\W*)$"
_UNUSUAL_TEXT = text_scalar("?")


class ExtractedDigits(Struct):
    """The digits of a column of texts, and what was noticed while reading them."""

    digits: Digits
    repairs: Int16s  # bits
    problem: Int16s  # index, 0 if there is none
    library_texts: dict[int, str] = {}  # by row: texts that only the library can read


def extract_digits(texts: TextArray, region: Ints) -> ExtractedDigits:
    """The digits of texts that were written in regions."""
    digits, is_unusual = _plain_digits(texts, region)
    is_unusual |= mask_to_numpy(pc.or_(pc.ends_with(texts, ".0"), pc.ends_with(texts, ".00")))
    repairs, problem = np.zeros((2, len(texts)), np.int16)
    extracted, rows = ExtractedDigits(digits, repairs, problem), np.flatnonzero(is_unusual)
    if rows.size:
        stripped, repairs[rows] = _strip_surroundings(texts.take(rows))
        digits_of_stripped, is_unusual = _plain_digits(stripped, region[rows])
        digits.replace(rows, digits_of_stripped)
        _read_unusual(extracted, stripped.filter(pa.array(is_unusual)), rows[is_unusual])
    return extracted


def first_numbers(texts: TextArray) -> TextArray:
    """The first number of each text that contains several."""
    stripped, _ = _strip_surroundings(texts)
    return map_unique(stripped, lambda text: read_unusual_text(text).first_number)


def with_decimal_zeros(texts: TextArray) -> TextArray:
    """Texts with a .0 at their end as if its zeros were digits of the number."""
    return pc.replace_substring_regex(texts, _POINT, r"\1")


def _strip_surroundings(texts: TextArray) -> tuple[TextArray, Int16s]:
    """Texts without invisible characters, quotation marks, marks of links and .0, and the repairs as bits."""
    visible = pc.replace_substring_regex(pc.replace_substring_regex(texts, _INVISIBLE, ""), _SPACES, " ")
    trimmed = pc.utf8_trim_whitespace(visible)
    unquoted = pc.utf8_trim(pc.replace_substring_regex(trimmed, _FORMULA, r"\1"), characters=_QUOTES)
    stripped = pc.replace_substring_regex(unquoted, _SCHEME, r"\1")
    stripped = pc.replace_substring_regex(stripped, _WHATSAPP, r"+\1\2")
    had_invisible = mask_to_numpy(pc.not_equal(trimmed, pc.utf8_trim_whitespace(texts)))
    had_quotes = mask_to_numpy(pc.not_equal(unquoted, trimmed))
    had_link = mask_to_numpy(pc.not_equal(stripped, unquoted))
    whole = pc.replace_substring_regex(stripped, _DECIMAL, r"\1")
    had_point = mask_to_numpy(pc.not_equal(whole, stripped))
    bits = had_invisible * REPAIR_BITS["invisible"] + had_quotes * REPAIR_BITS["quotes"]
    bits += had_link * REPAIR_BITS["link"] + had_point * REPAIR_BITS["decimal"]
    return whole, bits.astype(np.int16)


def _plain_digits(texts: TextArray, region: Ints) -> tuple[Digits, Bools]:
    """The digits of plain texts, and which texts are unusual."""
    content, text_starts, text_ends = _joined(texts)
    symbols = _SYMBOL_OF_BYTE.take(content)
    digit_positions = np.flatnonzero(symbols <= END)  # faster than a mask
    stream = symbols.take(digit_positions)
    ends = np.flatnonzero(stream == END)[: len(texts)]
    start = np.concatenate([[0], ends + 1])[: len(texts)]
    unusual = (start == ends) | (text_ends - text_starts > MAX_TEXT)
    unusual[np.searchsorted(text_ends, np.flatnonzero(symbols == _UNUSUAL))] = True
    plus = _find_plus_signs(content, text_starts, text_ends, unusual)
    _find_slashes(content, digit_positions, start, text_ends, unusual)
    return Digits(stream, start, ends - start, plus, region), unusual


def _joined(texts: TextArray) -> tuple[Symbols, Ints, Ints]:
    """The bytes of all texts, each followed by a line feed, and where each text starts and ends."""
    padding = b"\n" * (min(len(texts), 1) + MARGIN)
    content = np.frombuffer(join_column(texts, "\n") + padding, np.uint8)
    text_ends = np.flatnonzero(content == ord("\n"))
    if len(text_ends) != len(texts) + MARGIN:  # some texts contain line feeds themselves
        return _joined(pc.if_else(pc.match_substring(texts, "\n"), _UNUSUAL_TEXT, texts))
    text_ends = text_ends[: len(texts)]
    return content, np.concatenate([[0], text_ends + 1])[: len(texts)], text_ends


def _find_plus_signs(content: Symbols, text_starts: Ints, text_ends: Ints, unusual: Bools) -> Bools:
    """Which texts begin with a plus, perhaps after a bracket or a space; any other plus is unusual."""
    is_plus = content == ord("+")
    plus: Bools = is_plus[text_starts]
    is_plus[text_starts[plus]] = False
    positions = np.flatnonzero(is_plus)
    rows = np.searchsorted(text_ends, positions)
    is_second = (positions == text_starts[rows] + 1) & np.isin(content[text_starts[rows]], list(b"( "))
    plus[rows[is_second]] = True
    unusual[rows[~is_second]] = True
    return plus


def _find_slashes(
    content: Symbols, digit_positions: Ints, start: Ints, text_ends: Ints, unusual: Bools
) -> None:
    """A slash after a full number is unusual: another number may follow."""
    positions = np.flatnonzero(content == ord("/"))
    rows = np.searchsorted(text_ends, positions)
    digits_before = np.searchsorted(digit_positions, positions) - start[rows]
    unusual[rows[digits_before >= MIN_FULL_DIGITS]] = True


def _read_unusual(extracted: ExtractedDigits, texts: TextArray, rows: Ints) -> None:
    """Read unusual texts one by one, each distinct text once."""
    strings, index = unique_texts(texts)
    unusual = [read_unusual_text(string) for string in strings]
    extracted.repairs[rows] |= np.array([text.repairs for text in unusual], np.int16)[index]
    extracted.problem[rows] = np.array([PROBLEM_INDEXES[text.problem] for text in unusual], np.int16)[index]
    needs_library = np.array([text.needs_library for text in unusual], bool)[index]
    for row, position in zip(rows[needs_library].tolist(), index[needs_library].tolist(), strict=True):
        extracted.library_texts[row] = unusual[position].text
    digits = Digits.of([text.text for text in unusual], np.empty(len(unusual), np.int64))
    extracted.digits.replace(rows, digits.take(index))
