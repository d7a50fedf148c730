"""Texts that are too long: flagged, truncated or split, whole columns at a time but for those few."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from campaign.arrow_text import Ints, concat_arrays, integers_to_array, join_texts, replace_rows, text_array
from campaign.contract import TEXT_LIMIT
from campaign.messages.issues import Findings
from campaign.messages.templates.rendering import Rendered
from campaign.messages.text import limits
from campaign.messages.text.segments import Lengths, count_parts, count_units, measure
from campaign.text import shorten


@dataclass(frozen=True)
class Policy:
    """What becomes of a text that is too long."""

    overlong: str  # "flag", "truncate" or "split"
    ellipsis: str
    keep_words: bool
    max_parts: int | None


@dataclass(frozen=True)
class Fitted:
    """The messages of a table in the order of its rows: one each, or several where a text was split."""

    rows: Ints  # positions in the table, ascending
    texts: pa.Array
    lengths: Lengths


def fit(rendered: Rendered, policy: Policy, findings: Findings) -> Fitted:
    """The rendered texts within the limits; what does not fit excludes its row."""
    lengths = rendered.lengths
    long = lengths.units > TEXT_LIMIT
    if policy.max_parts is not None:
        long |= lengths.parts > policy.max_parts
    rows = np.flatnonzero(long & findings.waiting)
    everyone = np.arange(len(lengths.units))
    if policy.overlong == "split":
        fitted = _split(rendered, rows, policy, findings)
    elif policy.overlong == "truncate":
        fitted = _truncate(rendered, rows, policy, findings)
    else:
        _flag(rendered, rows, policy, findings)
        fitted = Fitted(everyone, rendered.texts, lengths)
    _warn_of_double_septets(fitted, findings)
    return fitted


def _flag(rendered: Rendered, rows: Ints, policy: Policy, findings: Findings) -> None:
    """Exclude the rows, and say by how much their texts are too long."""
    units = rendered.lengths.units[rows]
    overlong = rows[units > TEXT_LIMIT]
    counts = rendered.lengths.units[overlong]
    detail = join_texts(
        "The text has ", integers_to_array(counts), f" characters, and the service takes {TEXT_LIMIT}: ",
        integers_to_array(counts - TEXT_LIMIT),
        ' too many. Shorten it, or say overlong="truncate" or "split".',
    )  # fmt: skip
    cells = rendered.texts.take(pa.array(overlong))
    findings.add(overlong, "message", cells, "overlong", "error", detail, status="invalid")
    if policy.max_parts is not None:
        parts = rendered.lengths.parts[rows]
        costly = rows[parts > policy.max_parts]
        taken = integers_to_array(rendered.lengths.parts[costly])
        detail = join_texts(
            "The text takes ", taken, f" parts, and max_parts={policy.max_parts}. Shorten it."
        )
        cells = rendered.texts.take(pa.array(costly))
        findings.add(costly, "message", cells, "too_many_parts", "error", detail, status="invalid")


def _truncate(rendered: Rendered, rows: Ints, policy: Policy, findings: Findings) -> Fitted:
    before = rendered.texts.take(pa.array(rows))
    unique = before.dictionary_encode()
    long = unique.dictionary.to_pylist()
    cut = [
        limits.truncate(text, policy.ellipsis, keep_words=policy.keep_words, max_parts=policy.max_parts)
        for text in long
    ]
    indices = unique.indices.to_numpy()
    possible = np.array([text is not None for text in cut], dtype=bool)[indices]
    _flag(rendered, rows[~possible], policy, findings)
    after = text_array([text or "" for text in cut]).take(unique.indices).filter(pa.array(possible))
    details = text_array(
        [_left_out(text, short or "", policy.ellipsis) for text, short in zip(long, cut, strict=True)]
    )
    rows, before = rows[possible], before.filter(pa.array(possible))
    details = details.take(unique.indices).filter(pa.array(possible))
    findings.add(rows, "message", before, "truncated", "warning", details)
    return Fitted(
        np.arange(len(rendered.texts)),
        replace_rows(rendered.texts, rows, after),
        _with(rendered.lengths, rows, measure(after)),
    )


def _left_out(text: str, short: str, ellipsis: str) -> str:
    kept = short.removesuffix(ellipsis)
    return (
        f"The text has {count_units(text)} characters and was cut to {count_units(short)}. "
        f'Left out: "{shorten(text[len(kept) :].strip(), 80)}".'
    )


def _with(lengths: Lengths, rows: Ints, others: Lengths) -> Lengths:
    fields = []
    for name in ("units", "septets", "ucs2", "parts"):
        field = getattr(lengths, name).copy()
        field[rows] = getattr(others, name)
        fields.append(field)
    return Lengths(*fields)


def _split(rendered: Rendered, rows: Ints, policy: Policy, findings: Findings) -> Fitted:
    overlong = rows[rendered.lengths.units[rows] > TEXT_LIMIT]
    unique = rendered.texts.take(pa.array(overlong)).dictionary_encode()
    made = [limits.split(text) for text in unique.dictionary.to_pylist()]
    if policy.max_parts is not None:
        most = policy.max_parts
        made = [pieces if pieces and sum(map(count_parts, pieces)) <= most else None for pieces in made]
    counts = np.array([len(pieces or ()) for pieces in made], dtype=np.int64)
    indices = unique.indices.to_numpy()
    possible = counts[indices] > 0
    single = rows[rendered.lengths.units[rows] <= TEXT_LIMIT]  # not too long, but of too many parts
    _flag(rendered, single, policy, findings)
    _refuse(rendered, overlong[~possible], policy, findings)
    overlong, indices = overlong[possible], indices[possible]
    each = counts[indices]
    cells = rendered.texts.take(pa.array(overlong))
    detail = join_texts(
        "The text is too long for one message and goes out as ", integers_to_array(each), " numbered ones."
    )
    findings.add(overlong, "message", cells, "split", "warning", detail)
    return _with_pieces(rendered, overlong, indices, made, each)


def _refuse(rendered: Rendered, rows: Ints, policy: Policy, findings: Findings) -> None:
    allowed = f"max_parts={policy.max_parts} allows" if policy.max_parts else f"{limits.MOST_PIECES} messages"
    detail = f"Even split into numbered messages the text takes more than {allowed}. Shorten it."
    cells = rendered.texts.take(pa.array(rows))
    findings.add(rows, "message", cells, "overlong", "error", detail, status="invalid")


def _with_pieces(
    rendered: Rendered, rows: Ints, indices: Ints, made: list[list[str] | None], each: Ints
) -> Fitted:
    """The pieces in the places of their texts, in order."""
    total = len(rendered.texts)
    repeats = np.ones(total, dtype=np.int64)
    repeats[rows] = each
    flat = text_array([piece for pieces in made for piece in pieces or ()])
    starts = np.concatenate([[0], np.cumsum([len(pieces or ()) for pieces in made])]).astype(np.int64)
    positions = np.repeat(np.arange(total), repeats)
    source = positions.copy()
    nth = np.arange(len(positions)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    first_piece = np.zeros(total, dtype=np.int64)
    first_piece[rows] = starts[indices]
    is_piece = np.zeros(total, dtype=bool)
    is_piece[rows] = True
    at = is_piece[positions]
    source[at] = total + (first_piece[positions] + nth)[at]
    whole = concat_arrays([rendered.texts, flat]).take(pa.array(source))
    pieces, before = measure(flat), rendered.lengths
    fields = (
        np.concatenate([getattr(before, name), getattr(pieces, name)])[source]
        for name in ("units", "septets", "ucs2", "parts")
    )
    return Fitted(positions, whole, Lengths(*fields))


def _warn_of_double_septets(fitted: Fitted, findings: Findings) -> None:
    lengths = fitted.lengths
    fits = ~lengths.ucs2 & (lengths.units <= TEXT_LIMIT) & (lengths.septets > TEXT_LIMIT)
    places = np.flatnonzero(fits & findings.waiting[fitted.rows])
    cells = fitted.texts.take(pa.array(places))
    detail = join_texts(
        "The text has ", integers_to_array(lengths.units[places]),
        " characters, but ^ { } [ ] ~ | \\ and € count twice: ", integers_to_array(lengths.septets[places]),
        " in all. It takes ", integers_to_array(lengths.parts[places]), " parts.",
    )  # fmt: skip
    findings.add(fitted.rows[places], "message", cells, "double_septets", "warning", detail)
