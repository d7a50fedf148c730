"""Texts that are too long: flagged, truncated or split. Only these few are handled one by one."""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from campaign.argument_checks import check_choice, check_count, check_switch
from campaign.arrow_text import (
    Ints,
    TextArray,
    concat_arrays,
    integers_to_array,
    join_texts,
    replace_rows,
    text_array,
    unique_texts,
)
from campaign.contract import TEXT_LIMIT
from campaign.messages.issues import IssueCollector
from campaign.messages.templates.rendering import Rendered
from campaign.messages.text import limits
from campaign.messages.text.segments import SINGLE, Lengths, count_parts, count_units, measure
from campaign.remedies import in_curly_quotes
from campaign.text import counted, shorten

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
    overlong = rows[units > TEXT_LIMIT]
    counts = rendered.lengths.units[overlong]
    detail = join_texts(
        "The message has ", integers_to_array(counts), " characters, ",
        integers_to_array(counts - TEXT_LIMIT),
        f' more than the limit of {TEXT_LIMIT}. Shorten it, or use overlong="truncate" or overlong="split".',
    )  # fmt: skip
    texts = rendered.texts.take(overlong)
    issues.add(overlong, "message", texts, "overlong", "error", detail)
    if rules.max_parts is not None:
        costly = rows[rendered.lengths.parts[rows] > rules.max_parts]
        parts = integers_to_array(rendered.lengths.parts[costly])
        detail = join_texts(
            "The message takes ",
            parts,
            f" parts, more than the limit of {rules.max_parts}. Shorten it, or change max_parts=.",
        )
        texts = rendered.texts.take(costly)
        issues.add(costly, "message", texts, "too_many_parts", "error", detail)


def _truncate(rendered: Rendered, rows: Ints, rules: OverlongRules, issues: IssueCollector) -> Fitted:
    long_texts, positions = unique_texts(rendered.texts.take(rows))
    short_texts = [
        limits.truncate(text, rules.ellipsis, keep_words=rules.keep_words, max_parts=rules.max_parts)
        for text in long_texts
    ]
    possible = np.array([text is not None for text in short_texts], dtype=bool)[positions]
    _flag(rendered, rows[~possible], rules, issues)
    rows, positions = rows[possible], positions[possible]
    details = [
        _describe_cut(long, short or "", rules.ellipsis)
        for long, short in zip(long_texts, short_texts, strict=True)
    ]
    before, detail = rendered.texts.take(rows), text_array(details).take(positions)
    issues.add(rows, "message", before, "truncated", "warning", detail)
    after = text_array([text or "" for text in short_texts]).take(positions)
    return Fitted(
        np.arange(len(rendered.texts)),
        replace_rows(rendered.texts, rows, after),
        rendered.lengths.with_rows(rows, measure(after)),
    )


def _describe_cut(text: str, short: str, ellipsis: str) -> str:
    kept = short.removesuffix(ellipsis)
    return (
        f"The message had {count_units(text)} characters and was cut to {count_units(short)}. "
        f"Left out: {in_curly_quotes(shorten(text[len(kept) :].strip(), 80))}."
    )


def _split(rendered: Rendered, rows: Ints, rules: OverlongRules, issues: IssueCollector) -> Fitted:
    overlong = rows[rendered.lengths.units[rows] > TEXT_LIMIT]
    strings, positions = unique_texts(rendered.texts.take(overlong))
    pieces = [_pieces_within(string, rules.max_parts) for string in strings]
    counts = np.array([len(own) for own in pieces], dtype=np.int64)
    possible = counts[positions] > 0
    short_but_costly = rows[rendered.lengths.units[rows] <= TEXT_LIMIT]
    _flag(rendered, short_but_costly, rules, issues)
    _refuse_to_split(rendered, overlong[~possible], rules, issues)
    overlong, positions = overlong[possible], positions[possible]
    texts = rendered.texts.take(overlong)
    number_of_pieces = integers_to_array(counts[positions])
    detail = join_texts(
        "The message is too long for one SMS and is sent as ", number_of_pieces, " numbered messages."
    )
    issues.add(overlong, "message", texts, "split", "warning", detail)
    return _insert_pieces(rendered, overlong, positions, pieces)


def _pieces_within(text: str, max_parts: int | None) -> Sequence[str]:
    """The pieces of a text; none if it cannot be split into pieces that take at most `max_parts` parts."""
    pieces = limits.split(text) or []
    too_many = max_parts is not None and sum(map(count_parts, pieces)) > max_parts
    return [] if too_many else pieces


def _refuse_to_split(rendered: Rendered, rows: Ints, rules: OverlongRules, issues: IssueCollector) -> None:
    allowed, remedy = f"{limits.MOST_PIECES} messages", "Shorten it."
    if rules.max_parts is not None:
        allowed, remedy = counted(rules.max_parts, "part"), "Shorten it, or change max_parts=."
    detail = f"Even when split into numbered messages, the text takes more than {allowed}. {remedy}"
    texts = rendered.texts.take(rows)
    issues.add(rows, "message", texts, "overlong", "error", detail)


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
    units, septets, parts = (
        integers_to_array(field[positions]) for field in (lengths.units, lengths.septets, lengths.parts)
    )
    detail = join_texts(
        "The message has ", units, " characters, but ^ { } [ ] ~ | \\ and € count twice: ", septets,
        " in all. It takes ", parts, " parts.",
    )  # fmt: skip
    texts = fitted.texts.take(positions)
    issues.add(fitted.rows[positions], "message", texts, "double_septets", "warning", detail)
