"""Extracting the digits of a column of written numbers: plain texts all at once, unusual ones one by one.

Plain texts consist of digits, spaces, hyphens, dots, brackets and slashes, with a plus in front. Their bytes
go through one table of 256 entries (15 ns a row); a regular expression that keeps the digits takes 550 ns.
"""

import numpy as np
import pyarrow.compute as pc
from msgspec import Struct

from campaign.arrow_text import (
    Bools,
    Ints,
    TextArray,
    join_column,
    mask_to_numpy,
    text_scalar,
    unique_texts,
)
from campaign.contacts.phone_numbers.digit_columns import MARGIN, Digits
from campaign.contacts.phone_numbers.digit_patterns import Int16s, Symbols
from campaign.contacts.phone_numbers.pattern_syntax import END
from campaign.contacts.phone_numbers.problems_and_repairs import REPAIR_BITS
from campaign.contacts.phone_numbers.unusual_texts import (
    MAX_TEXT,
    MIN_FULL_DIGITS,
    UnusualText,
    read_unusual_text,
)

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
_UNUSUAL_TEXT = text_scalar("?")


class ExtractedDigits(Struct):
    """The digits of a column of texts, and what was noticed while reading them."""

    digits: Digits
    bracketed_zero: Bools  # the text contains (0)
    repairs: Int16s  # bits
    decimal_rows: Ints  # with a .0 at the end
    with_decimal_zeros: Digits  # of these rows, as if the .0 were digits of the number
    unusual_texts: list[UnusualText]  # each distinct one once, after one that stands for all plain texts
    unusual_index: Ints  # by row, in `unusual_texts`
    library_texts: dict[int, str] = {}  # by row: texts that only the library can read
    first_numbers: dict[int, str] = {}  # by row: the first of several numbers

    @classmethod
    def plain(cls, digits: Digits, bracketed_zero: Bools, decimal_rows: Ints) -> "ExtractedDigits":
        """A column without unusual texts."""
        repairs = np.zeros(len(digits), np.int16)
        repairs[decimal_rows] = REPAIR_BITS["decimal"]
        with_zeros, index = digits.take(decimal_rows).copied(), np.zeros(len(digits), np.int64)
        return cls(digits, bracketed_zero, repairs, decimal_rows, with_zeros, [UnusualText()], index)

    def replace(self, rows: Ints, others: "ExtractedDigits") -> None:
        """Replace the entries of some rows."""
        self.digits.replace(rows, others.digits)
        self.repairs[rows], self.bracketed_zero[rows] = others.repairs, others.bracketed_zero
        self.decimal_rows = np.concatenate([self.decimal_rows, rows[others.decimal_rows]])
        self.with_decimal_zeros = self.with_decimal_zeros.followed_by(others.with_decimal_zeros)
        self.unusual_texts, self.unusual_index[rows] = others.unusual_texts, others.unusual_index
        self.library_texts = {int(rows[row]): text for row, text in others.library_texts.items()}
        self.first_numbers = {int(rows[row]): text for row, text in others.first_numbers.items()}


def extract_digits(texts: TextArray, region: Ints) -> ExtractedDigits:
    """The digits of texts that were written in regions."""
    normalised, unusual_rows = _normalise_plain(texts, region)
    if unusual_rows.size:
        stripped, repairs = _strip_surroundings(texts.take(unusual_rows))
        others, still_unusual_rows = _normalise_plain(stripped, region[unusual_rows])
        others.repairs |= repairs
        _normalise_unusual(others, stripped, still_unusual_rows)
        normalised.replace(unusual_rows, others)
    return normalised


def _strip_surroundings(texts: TextArray) -> tuple[TextArray, Int16s]:
    """Texts without invisible characters, quotation marks and the marks of links, and the repairs as bits."""
    visible = pc.replace_substring_regex(pc.replace_substring_regex(texts, _INVISIBLE, ""), _SPACES, " ")
    trimmed = pc.utf8_trim_whitespace(visible)
    unquoted = pc.utf8_trim(pc.replace_substring_regex(trimmed, _FORMULA, r"\1"), characters=_QUOTES)
    stripped = pc.replace_substring_regex(unquoted, _SCHEME, r"\1")
    stripped = pc.replace_substring_regex(stripped, _WHATSAPP, r"+\1\2")
    had_invisible = mask_to_numpy(pc.not_equal(trimmed, pc.utf8_trim_whitespace(texts)))
    had_quotes = mask_to_numpy(pc.not_equal(unquoted, trimmed))
    had_link = mask_to_numpy(pc.not_equal(stripped, unquoted))
    bits = had_invisible * REPAIR_BITS["invisible"] + had_quotes * REPAIR_BITS["quotes"]
    bits += had_link * REPAIR_BITS["link"]
    return stripped, bits.astype(np.int16)


def _normalise_plain(texts: TextArray, region: Ints) -> tuple[ExtractedDigits, Ints]:
    """The digits of plain texts, and the rows that are unusual."""
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
    digits = Digits(stream, start, ends - start, plus, region)
    zeros = _decimal_zeros(content, text_starts, text_ends, digits) * ~unusual
    decimal_rows = np.flatnonzero(zeros)
    normalised = ExtractedDigits.plain(digits, _find_bracketed_zeros(content, text_ends), decimal_rows)
    digits.length -= zeros
    stream[digits.start[decimal_rows] + digits.length[decimal_rows]] = END
    return normalised, np.flatnonzero(unusual)


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


def _decimal_zeros(content: Symbols, text_starts: Ints, text_ends: Ints, digits: Digits) -> Ints:
    """How many zeros follow the point in texts that are digits with .0 or .00 at the end, else 0."""
    zeros = np.zeros(len(text_ends), np.int64)
    rows = np.flatnonzero(content[text_ends - 1] == ord("0"))
    one_zero = content[text_ends[rows] - 2] == ord(".")
    two_zeros = (content[text_ends[rows] - 3] == ord(".")) & (content[text_ends[rows] - 2] == ord("0"))
    only_digits = digits.length[rows] + digits.plus[rows] + 1 == text_ends[rows] - text_starts[rows]
    counts = np.select([only_digits & one_zero, only_digits & two_zeros], [1, 2], 0)
    zeros[rows] = np.where(digits.length[rows] >= MIN_FULL_DIGITS + counts, counts, 0)
    return zeros


def _find_bracketed_zeros(content: Symbols, text_ends: Ints) -> Bools:
    """Which texts contain (0)."""
    positions = np.flatnonzero(content == ord("("))
    is_zero = (content[positions + 1] == ord("0")) & (content[positions + 2] == ord(")"))
    bracketed_zero = np.zeros(len(text_ends), bool)
    bracketed_zero[np.searchsorted(text_ends, positions[is_zero])] = True
    return bracketed_zero


def _normalise_unusual(normalised: ExtractedDigits, texts: TextArray, rows: Ints) -> None:
    """Read unusual texts one by one, each distinct text once."""
    strings, index = unique_texts(texts.take(rows))
    unusual = [read_unusual_text(string) for string in strings]
    normalised.unusual_texts += unusual
    normalised.unusual_index[rows] = index + 1
    normalised.repairs[rows] |= np.array([text.repairs for text in unusual], np.int16)[index]
    normalised.bracketed_zero[rows] = np.array(["(0)" in text.text for text in unusual], bool)[index]
    library_texts = [text.text if text.needs_library else "" for text in unusual]
    normalised.library_texts = _by_row(rows, index, library_texts)
    normalised.first_numbers = _by_row(rows, index, [text.first_number for text in unusual])
    with_zeros = _by_row(rows, index, [text.with_decimal_zeros for text in unusual])
    decimal_rows = np.array(list(with_zeros), np.int64)
    normalised.decimal_rows = np.concatenate([normalised.decimal_rows, decimal_rows])
    decimal_digits = Digits.of(list(with_zeros.values()), normalised.digits.region[decimal_rows])
    normalised.with_decimal_zeros = normalised.with_decimal_zeros.followed_by(decimal_digits)
    digits = Digits.of([text.text for text in unusual], np.empty(len(unusual), np.int64))
    normalised.digits.replace(rows, digits.take(index))


def _by_row(rows: Ints, index: Ints, strings: list[str]) -> dict[int, str]:
    """The rows whose string is not empty, each with its string."""
    positions = np.flatnonzero(np.array([string != "" for string in strings], bool)[index])
    return {int(rows[position]): strings[index[position]] for position in positions.tolist()}
