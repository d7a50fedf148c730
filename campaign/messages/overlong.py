"""Texts that are too long: flagged, truncated or split. Only these few are handled one by one."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from msgspec import Struct

from campaign.argument_checks import check_choice, check_count, check_switch
from campaign.arrow_text import (
    Ints,
    TextArray,
    concat_arrays,
    replace_rows,
    text_array,
    unique_texts,
)
from campaign.contract import TEXT_LIMIT
from campaign.messages.issues import IssueCollector
from campaign.messages.templates.rendering import Rendered
from campaign.messages.text import limits
from campaign.messages.text.segments import SINGLE, Lengths, count_parts, measure
from campaign.text import shorten

OVERLONG = ("flag", "truncate", "split")
TOO_LONG = ("overlong", "too_many_parts")  # the issues of texts that do not fit; they hold the text


class OverlongRules(Struct, frozen=True):
    """What happens to a text that is too long."""

    overlong: str  # one of OVERLONG
    ellipsis: str
    keep_words: bool
    max_parts: int | None

    @classmethod
    def of(
        cls, overlong: str, ellipsis: str, *, keep_words: bool, max_parts: int | None, downgrade: bool
    ) -> "OverlongRules":
        """Check the arguments of `prepare`."""
        check_choice(overlong, OVERLONG, subject="overlong")
        check_switch(keep_words, subject="keep_words", write="keep_words=True")
        check_count(max_parts, subject="max_parts", write="max_parts=2", or_none=True)
        ending = limits.check_ellipsis(ellipsis, downgrade=downgrade)
        return cls(overlong, ending, bool(keep_words), None if max_parts is None else int(max_parts))

    def exceeded_by(self, lengths: Lengths) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        """Which texts are too long or take too many parts."""
        too_long = lengths.units > TEXT_LIMIT
        return too_long if self.max_parts is None else too_long | (lengths.parts > self.max_parts)


class Fitted(Struct, frozen=True):
    """The messages of a table in the order of its rows: one for each, or several where a text was split."""

    rows: Ints  # positions in the table, ascending
    texts: TextArray
    lengths: Lengths


def fit(rendered: Rendered, rules: OverlongRules, issues: IssueCollector) -> Fitted:
    """Bring the rendered texts within the limits; rows whose text does not fit are excluded."""
    rows = np.flatnonzero(rules.exceeded_by(rendered.lengths) & issues.sendable)
    if rules.overlong == "split":
        fitted = _split(rendered, rows, rules, issues)
    elif rules.overlong == "truncate":
        fitted = _truncate(rendered, rows, rules, issues)
    else:
        _flag(rendered, rows, rules, issues)
        fitted = Fitted(np.arange(len(rendered.texts)), rendered.texts, rendered.lengths)
    _warn_of_double_septets(fitted, issues)
    return fitted


def _flag(rendered: Rendered, rows: Ints, rules: OverlongRules, issues: IssueCollector) -> None:
    """Exclude the rows, with issues that say by how much their texts are too long."""
    units = rendered.lengths.units[rows]
    _refuse_overlong(rendered, rows[units > TEXT_LIMIT], issues, ways=["truncate", "split"])
    if rules.max_parts is not None:
        costly = rows[rendered.lengths.parts[rows] > rules.max_parts]
        facts: dict[str, Any] = {"parts": pa.array(rendered.lengths.parts[costly]), "most": rules.max_parts}
        texts = rendered.texts.take(costly)
        issues.add(costly, "message", texts, "too_many_parts", "error", **facts)


def _refuse_overlong(
    rendered: Rendered, rows: Ints, issues: IssueCollector, *, ways: Sequence[str] = ()
) -> None:
    units = rendered.lengths.units[rows]
    facts: dict[str, Any] = {
        "characters": pa.array(units),
        "excess": pa.array(units - TEXT_LIMIT),
        "ways": [*ways],
    }
    issues.add(rows, "message", rendered.texts.take(rows), "overlong", "error", **facts)


def _truncate(rendered: Rendered, rows: Ints, rules: OverlongRules, issues: IssueCollector) -> Fitted:
    long_texts, positions = unique_texts(rendered.texts.take(rows))
    short_texts = [
        limits.truncate(text, rules.ellipsis, keep_words=rules.keep_words, max_parts=rules.max_parts)
        for text in long_texts
    ]
    possible = np.array([text is not None for text in short_texts], dtype=bool)[positions]
    _flag(rendered, rows[~possible], rules, issues)
    rows, positions = rows[possible], positions[possible]
    after = text_array([text or "" for text in short_texts]).take(positions)
    lost = text_array(
        _left_out(long, short or "", rules.ellipsis)
        for long, short in zip(long_texts, short_texts, strict=True)
    )
    lengths = measure(after)
    facts: dict[str, Any] = {"characters": pa.array(lengths.units), "lost": lost.take(positions)}
    issues.add(rows, "message", rendered.texts.take(rows), "truncated", "warning", **facts)
    return Fitted(
        np.arange(len(rendered.texts)),
        replace_rows(rendered.texts, rows, after),
        rendered.lengths.with_rows(rows, lengths),
    )


def _left_out(text: str, short: str, ellipsis: str) -> str:
    return shorten(text[len(short.removesuffix(ellipsis)) :].strip(), 80)


def _split(rendered: Rendered, rows: Ints, rules: OverlongRules, issues: IssueCollector) -> Fitted:
    overlong = rows[rendered.lengths.units[rows] > TEXT_LIMIT]
    strings, positions = unique_texts(rendered.texts.take(overlong))
    pieces = [_pieces_within(string, rules.max_parts) for string in strings]
    counts = np.array([len(own) for own in pieces], dtype=np.int64)
    possible = counts[positions] > 0
    short_but_costly = rows[rendered.lengths.units[rows] <= TEXT_LIMIT]
    _flag(rendered, short_but_costly, rules, issues)
    _refuse_overlong(rendered, overlong[~possible], issues)
    overlong, positions = overlong[possible], positions[possible]
    texts = rendered.texts.take(overlong)
    issues.add(overlong, "message", texts, "split", "warning", pieces=pa.array(counts[positions]))
    return _insert_pieces(rendered, overlong, positions, pieces)


def _pieces_within(text: str, max_parts: int | None) -> Sequence[str]:
    """The pieces of a text; none if it cannot be split into pieces that take at most `max_parts` parts."""
    pieces = limits.split(text) or []
    too_many = max_parts is not None and sum(map(count_parts, pieces)) > max_parts
    return [] if too_many else pieces


def _insert_pieces(
    rendered: Rendered, rows: Ints, positions: Ints, pieces: Sequence[Sequence[str]]
) -> Fitted:
    """The texts, with those of some rows replaced by the pieces at `positions`."""
    total = len(rendered.texts)
    counts = np.array([len(row_pieces) for row_pieces in pieces], dtype=np.int64)
    repeats = np.ones(total, dtype=np.int64)
    repeats[rows] = counts[positions]
    all_pieces = text_array([piece for row_pieces in pieces for piece in row_pieces])
    starts = np.cumsum(counts) - counts  # of each text's pieces among all of them
    row_of_message = np.repeat(np.arange(total), repeats)
    place_in_row = np.arange(len(row_of_message)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    first_piece = np.full(total, -1, dtype=np.int64)
    first_piece[rows] = starts[positions]
    first_of_row = first_piece[row_of_message]
    source = np.where(first_of_row < 0, row_of_message, total + first_of_row + place_in_row)
    texts = concat_arrays([rendered.texts, all_pieces]).take(source)
    return Fitted(row_of_message, texts, Lengths.concat([rendered.lengths, measure(all_pieces)]).take(source))


def _warn_of_double_septets(fitted: Fitted, issues: IssueCollector) -> None:
    lengths = fitted.lengths
    fits = ~lengths.ucs2 & (lengths.units <= SINGLE) & (lengths.septets > SINGLE)
    positions = np.flatnonzero(fits & issues.sendable[fitted.rows])
    facts: dict[str, Any] = {
        "septets": pa.array(lengths.septets[positions]),
        "parts": pa.array(lengths.parts[positions]),
    }
    texts = fitted.texts.take(positions)
    issues.add(fitted.rows[positions], "message", texts, "double_septets", "warning", **facts)
