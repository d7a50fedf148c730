"""The digits of a column of texts, all at once where they are plain, one by one where they are odd.

Plain are digits, spaces, hyphens, dots, brackets and slashes, with a plus in front. The bytes of a column go
through one table of 256 signs (15 ns a row); a regular expression that keeps the digits takes 550 ns.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from campaign.contacts.phone_numbers.digit_patterns import END, Bools, Ints, Short, Symbols
from campaign.contacts.phone_numbers.digits import MARGIN, Digits
from campaign.contacts.phone_numbers.unusual_texts import LONGEST_TEXT, WHOLE, Written, write_out
from campaign.contacts.phone_numbers.wording import REPAIR_BITS

_SKIPPED, _ODD = END + 1, END + 2
_SIGNS = np.full(256, _ODD, np.uint8)
_SIGNS[list(b"0123456789")] = range(10)
_SIGNS[list(b" -.()/+")] = _SKIPPED  # the plus is looked at apart
_SIGNS[ord("\n")] = END
# As Unicode has them: format and control characters; every kind of space.
_INVISIBLE = r"[\p{Cf}\x{00}-\x{08}\x{0b}\x{0c}\x{0e}-\x{1f}\x{7f}-\x{9f}]"
_SPACES = r"[\p{Zs}\t]"
_QUOTES = "'\"`´‘’‚‛“”„‟«»‹›′″＇＂ "
_FORMULA = '^="([^"]*)"$'  # how some programs write a number so that a spreadsheet keeps its zero
_LINE_END = pa.scalar("\n", pa.large_string())
_ODD_TEXT = pa.scalar("?", pa.large_string())


@dataclass
class Column:
    """The digits of a column of texts, and what was found out on the way."""

    digits: Digits
    bracketed: Bools  # the text has a (0)
    repairs: Short  # bits
    which: Ints  # by row the place in `written`
    decimal: Ints  # the rows with a .0 at the end
    with_zeros: Digits  # these as if the .0 were digits of the number
    written: list[Written]  # each odd text once, behind one that stands for all the plain ones
    unusual: dict[int, str]  # rows that have more than digits in them and must be read by the library itself
    firsts: dict[int, str]  # rows with several numbers, and the first of them

    @classmethod
    def plain(cls, digits: Digits, bracketed: Bools, decimal: Ints) -> "Column":
        """A column in which no text is odd."""
        repairs = np.zeros(len(digits), np.int16)
        repairs[decimal] = REPAIR_BITS["decimal"]
        which = np.zeros(len(digits), np.int64)
        with_zeros = digits.take(decimal).copied()
        return cls(digits, bracketed, repairs, which, decimal, with_zeros, [Written()], {}, {})

    def replace(self, rows: Ints, others: "Column") -> None:
        """Put what was found out about some rows in their place."""
        self.digits.replace(rows, others.digits)
        self.repairs[rows], self.bracketed[rows] = others.repairs, others.bracketed
        self.decimal = np.concatenate([self.decimal, rows[others.decimal]])
        self.with_zeros = self.with_zeros.followed_by(others.with_zeros)
        self.written, self.which[rows] = others.written, others.which
        self.unusual = {int(rows[place]): text for place, text in others.unusual.items()}
        self.firsts = {int(rows[place]): text for place, text in others.firsts.items()}


def spell(texts: pa.LargeStringArray, plan: Ints) -> Column:
    """The digits of texts that are dialled under plans."""
    column, odd = _spell_plain(texts, plan)
    if odd.size:
        polished, repairs = _polished(texts.take(pa.array(odd)))
        others, still_odd = _spell_plain(polished, plan[odd])
        others.repairs |= repairs
        _write_out(others, polished, still_odd)
        column.replace(odd, others)
    return column


def _polished(texts: pa.LargeStringArray) -> tuple[pa.LargeStringArray, Short]:
    """Texts without invisible characters and quotation marks, and the repairs as bits."""
    seen = pc.replace_substring_regex(pc.replace_substring_regex(texts, _INVISIBLE, ""), _SPACES, " ")
    bare = pc.utf8_trim_whitespace(seen)
    polished = pc.utf8_trim(pc.replace_substring_regex(bare, _FORMULA, r"\1"), characters=_QUOTES)
    hidden = pc.not_equal(bare, pc.utf8_trim_whitespace(texts)).to_numpy(zero_copy_only=False)
    quoted = pc.not_equal(polished, bare).to_numpy(zero_copy_only=False)
    bits = hidden * REPAIR_BITS["invisible"] + quoted * REPAIR_BITS["quotes"]
    return polished, bits.astype(np.int16)


def _spell_plain(texts: pa.LargeStringArray, plan: Ints) -> tuple[Column, Ints]:
    """The digits of plain texts, and the rows that are odd."""
    content, opening, closing = _joined(texts)
    signs = _SIGNS.take(content)
    kept = np.flatnonzero(signs <= END)  # faster than a mask
    stream = signs.take(kept)
    close = np.flatnonzero(stream == END)[: len(texts)]
    start = np.concatenate([[0], close + 1])[: len(texts)]
    odd = (start == close) | (closing - opening > LONGEST_TEXT)
    odd[np.searchsorted(closing, np.flatnonzero(signs == _ODD))] = True
    plus = _pluses(content, opening, closing, odd)
    _look_at_slashes(content, kept, start, closing, odd)
    digits = Digits(stream, start, close - start, plus, plan)
    zeros = _decimal_zeros(content, opening, closing, digits) * ~odd
    decimal = np.flatnonzero(zeros)
    column = Column.plain(digits, _brackets(content, closing), decimal)
    digits.length -= zeros
    stream[digits.start[decimal] + digits.length[decimal]] = END
    return column, np.flatnonzero(odd)


def _joined(texts: pa.LargeStringArray) -> tuple[Symbols, Ints, Ints]:
    """The bytes of all texts, each closed by a line end, and where each begins and is closed."""
    joined = pc.binary_join(pa.ListArray.from_arrays([0, len(texts)], texts), _LINE_END)
    content = np.frombuffer(
        joined[0].as_buffer().to_pybytes() + b"\n" * (min(len(texts), 1) + MARGIN), np.uint8
    )
    closing = np.flatnonzero(content == ord("\n"))
    if len(closing) != len(texts) + MARGIN:  # there are line ends in the texts themselves
        return _joined(pc.if_else(pc.match_substring(texts, "\n"), _ODD_TEXT, texts))
    closing = closing[: len(texts)]
    return content, np.concatenate([[0], closing + 1])[: len(texts)], closing


def _pluses(content: Symbols, opening: Ints, closing: Ints, odd: Bools) -> Bools:
    """Which texts begin with a plus, perhaps behind a bracket or a space. Any other plus makes a text odd."""
    signs = content == ord("+")
    plus: Bools = signs[opening]
    signs[opening[plus]] = False
    places = np.flatnonzero(signs)
    rows = np.searchsorted(closing, places)
    second = (places == opening[rows] + 1) & np.isin(content[opening[rows]], list(b"( "))
    plus[rows[second]] = True
    odd[rows[~second]] = True
    return plus


def _look_at_slashes(content: Symbols, kept: Ints, start: Ints, closing: Ints, odd: Bools) -> None:
    """A slash behind a whole number makes a text odd: another number may follow."""
    places = np.flatnonzero(content == ord("/"))
    rows = np.searchsorted(closing, places)
    digits = np.searchsorted(kept, places) - start[rows]
    odd[rows[digits >= WHOLE]] = True


def _decimal_zeros(content: Symbols, opening: Ints, closing: Ints, digits: Digits) -> Ints:
    """How many zeros stand behind the point in texts of digits with .0 or .00 at the end and nothing else."""
    zeros = np.zeros(len(closing), np.int64)
    rows = np.flatnonzero(content[closing - 1] == ord("0"))
    one, two = content[closing[rows] - 2] == ord("."), content[closing[rows] - 3] == ord(".")
    two &= content[closing[rows] - 2] == ord("0")
    only_digits = digits.length[rows] + digits.plus[rows] + 1 == closing[rows] - opening[rows]
    found = np.select([only_digits & one, only_digits & two], [1, 2], 0)
    zeros[rows] = np.where(digits.length[rows] >= WHOLE + found, found, 0)
    return zeros


def _brackets(content: Symbols, closing: Ints) -> Bools:
    """Which texts have a (0)."""
    places = np.flatnonzero(content == ord("("))
    zero = (content[places + 1] == ord("0")) & (content[places + 2] == ord(")"))
    bracketed = np.zeros(len(closing), bool)
    bracketed[np.searchsorted(closing, places[zero])] = True
    return bracketed


def _write_out(column: Column, texts: pa.LargeStringArray, rows: Ints) -> None:
    """Look at odd texts one by one, once however often each occurs."""
    unique = texts.take(pa.array(rows)).dictionary_encode()
    written = [write_out(text) for text in unique.dictionary.to_pylist()]
    which = unique.indices.to_numpy()
    column.written += written
    column.which[rows] = which + 1
    column.repairs[rows] |= np.array([one.repairs for one in written], np.int16)[which]
    column.bracketed[rows] = np.array(["(0)" in one.text for one in written], bool)[which]
    column.unusual = _marked(rows, which, [one.text if one.unusual else "" for one in written])
    column.firsts = _marked(rows, which, [one.first for one in written])
    zeros = _marked(rows, which, [one.with_zeros for one in written])
    column.decimal = np.concatenate([column.decimal, np.array(list(zeros), np.int64)])
    plan = column.digits.plan
    column.with_zeros = column.with_zeros.followed_by(Digits.of(list(zeros.values()), plan[list(zeros)]))
    digits = Digits.of([one.text for one in written], np.empty(len(written), np.int64))
    column.digits.replace(rows, digits.take(which))


def _marked(rows: Ints, which: Ints, marks: list[str]) -> dict[int, str]:
    """The rows whose text has a mark, each with its mark."""
    marked = np.flatnonzero(np.array([mark != "" for mark in marks], bool)[which])
    return {int(rows[place]): marks[which[place]] for place in marked.tolist()}
