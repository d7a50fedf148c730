"""Placeholders filled in with the values of their columns; rows whose values cannot be used are excluded."""

from collections.abc import Mapping, Sequence

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
from campaign.messages.templates.date_orders import date_question, needs_order
from campaign.messages.templates.formats import DateFormat
from campaign.messages.templates.moments import flaws_of_dates
from campaign.messages.templates.number_format import (
    are_doubtful,
    sign_question,
    what_is_beside,
    without_sign,
)
from campaign.messages.templates.template import Placeholder, Template
from campaign.remedies import in_curly_quotes
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
        unreadable, needed = matches(texts, _INCOMPLETE), "written with all its digits"
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
            detail = (
                f'"{name}" is empty, and the {what} needs it. Fill in the cell, or write '
                f"{placeholder.with_other_words} to use other words instead."
            )
            cells = values.raw.take(missing)
            issues.add(rows[missing], name, cells, "missing_value", "error", detail)
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
        code, ask, flaws = "ambiguous_date", date_question, flaws_of_dates(cells, form.order, form.languages)
        is_question = needs_order(cells, form.order, form.languages) & form.has_date
    else:
        code, ask, is_question = "ambiguous_number", sign_question, are_doubtful(cells)
        flaws = [""] * len(cells) if form is None else what_is_beside(cells)
    asked = unreadable[is_question]
    if len(asked):
        detail = ask(name, str(cells[int(is_question.argmax())]))
        issues.add(rows[asked], name, values.raw.take(asked), code, "error", detail)
    unreadable, kinds = unreadable[~is_question], np.array(flaws, dtype=object)[~is_question]
    for flaw in sorted(set(kinds)):
        chosen = unreadable[kinds == flaw]
        cells = values.raw.take(chosen)
        detail = f'The {what} needs "{name}" to be {values.needed}{_remedy(placeholder, flaw)}'
        issues.add(rows[chosen], name, cells, "unreadable_value", "error", detail)


def _remedy(placeholder: Placeholder, flaw: str) -> str:
    """What to do about cells with the same flaw, as the end of a sentence: what is wrong with their dates, or
    what stands beside their numbers."""
    if not flaw:
        return ". Correct the cell."
    if isinstance(placeholder.format, DateFormat):
        return f": {flaw}. Correct the cell."
    plain, column = replace(placeholder, format=None).written, f"contacts[{placeholder.column!r}]"
    without = f'{column} = {column}.str.replace({flaw!r}, "")'
    return (
        f". Take {in_curly_quotes(flaw)} out of the column, for example with {without}, or write {plain} to "
        "repeat its cells as they are."
    )


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
