"""Placeholders filled in with the values of their columns; rows whose values cannot be used are excluded."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.arrow_text import (
    Bools,
    Ints,
    TextArray,
    choose_texts,
    constant_array,
    equal_texts,
    join_texts,
    matches,
    series_to_array,
    strip_texts,
)
from campaign.messages.issues import IssueCollector
from campaign.messages.templates.date_orders import needs_order, orders_of
from campaign.messages.templates.formats import DateFormat
from campaign.messages.templates.moments import flaws_of_dates
from campaign.messages.templates.number_format import (
    are_doubtful,
    readings_of,
    what_is_beside,
    without_sign,
)
from campaign.messages.templates.template import Placeholder, Template
from campaign.values import replace

_INCOMPLETE = r"^-?(?:[0-9](?:\.[0-9]+)?[eE]\+[0-9]+|inf)$"  # numbers of which digits were lost: 7.72E+08


class Values(Struct, frozen=True):
    """The values of one placeholder for some rows."""

    column: str
    texts: TextArray  # stripped, formatted, with the fallback in place of empty ones
    raw: TextArray  # as in the table
    missing: Bools
    unreadable: Bools  # not what the format needs
    needed: str  # what the format needs, in words


def format_values(placeholder: Placeholder, raw: TextArray) -> Values:
    """The values of a placeholder, made from the cells of its column."""
    texts = _plain_texts(placeholder, raw)
    empty = missing = equal_texts(texts, "")
    unreadable, needed = np.zeros(len(raw), dtype=bool), ""
    if placeholder.format is not None:
        texts, unreadable = placeholder.format.apply(texts)
        needed = placeholder.format.needed
    else:
        unreadable, needed = matches(texts, _INCOMPLETE), "number with all its digits"
    if placeholder.fallback is not None:
        texts = choose_texts(empty, placeholder.fallback, texts)
        missing = np.zeros(len(raw), dtype=bool)
    return Values(placeholder.column, texts, raw, missing, unreadable, needed)


def _plain_texts(placeholder: Placeholder, raw: TextArray) -> TextArray:
    """The cells without spaces around them, and without the currency that stands beside the placeholder."""
    texts = strip_texts(raw)
    return without_sign(texts, placeholder.sign) if placeholder.sign else texts


def fill_in(
    template: Template, contacts: pd.DataFrame, rows: Ints, issues: IssueCollector, *, what: str
) -> dict[Placeholder, Values]:
    """The values of each placeholder for some rows; missing and unreadable ones exclude their rows."""
    values_by_placeholder: dict[Placeholder, Values] = {}
    reported = set()
    for placeholder in dict.fromkeys(template.placeholders):
        cells = series_to_array(contacts[placeholder.column])
        values = format_values(placeholder, cells if len(rows) == len(contacts) else cells.take(rows))
        values_by_placeholder[placeholder] = values
        name = placeholder.column
        missing = np.flatnonzero(values.missing)
        if name not in reported and len(missing):
            reported.add(name)
            cells, facts = values.raw.take(missing), {"text": what, "write": placeholder.with_other_words}
            issues.add(rows[missing], name, cells, "missing_value", "error", **facts)
        _refuse_unreadable(placeholder, values, rows, issues, what=what)
    return values_by_placeholder


def _refuse_unreadable(
    placeholder: Placeholder, values: Values, rows: Ints, issues: IssueCollector, *, what: str
) -> None:
    """Exclude rows whose values are not what the format needs; what can be read in two ways is a question."""
    unreadable = np.flatnonzero(values.unreadable)
    name, form = placeholder.column, placeholder.format
    cells = _plain_texts(placeholder, values.raw.take(unreadable))
    if isinstance(form, DateFormat):
        flaws = flaws_of_dates(cells, form.order, form.languages)
        code, kind, ask = "ambiguous_date", "flaw", orders_of
        is_question = needs_order(cells, form.order, form.languages) & form.has_date
    else:
        code, kind, ask = "ambiguous_number", "beside", readings_of
        is_question = are_doubtful(cells)
        flaws = [""] * len(cells) if form is None else what_is_beside(cells)
    asked = unreadable[is_question]
    if len(asked):
        example = str(cells[int(is_question.argmax())])
        about: dict[str, Any] = {"example": example, **ask(example)}
        issues.add(rows[asked], name, values.raw.take(asked), code, "error", **about)
    unreadable, own_flaws = unreadable[~is_question], np.array(flaws, dtype=object)[~is_question]
    plain = replace(placeholder, format=None).written
    for flaw in sorted(set(own_flaws)):
        chosen = unreadable[own_flaws == flaw]
        facts = {"text": what, "needed": values.needed, "plain": plain} | ({kind: flaw} if flaw else {})
        issues.add(rows[chosen], name, values.raw.take(chosen), "unreadable_value", "error", **facts)


def join_pieces(
    pieces: Sequence[str | Placeholder], columns: Mapping[Placeholder, TextArray], rows: int
) -> TextArray:
    """The pieces joined row by row."""
    if not columns:
        return constant_array("".join(map(str, pieces)), rows)
    return join_texts(*(piece if isinstance(piece, str) else columns[piece] for piece in pieces))


def fill_short(
    template: Template, contacts: pd.DataFrame, issues: IssueCollector, *, what: str
) -> tuple[TextArray, Bools]:
    """The stripped texts of a sender or a priority for all rows, and which rows have all their values."""
    values_by_placeholder = fill_in(template, contacts, np.arange(len(contacts)), issues, what=what)
    complete = np.ones(len(contacts), dtype=bool)
    for values in values_by_placeholder.values():
        complete &= ~(values.missing | values.unreadable)
    columns = {placeholder: values.texts for placeholder, values in values_by_placeholder.items()}
    return strip_texts(join_pieces(template.pieces, columns, len(contacts))), complete
