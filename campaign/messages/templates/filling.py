"""Placeholders filled in: the values of their columns for some rows, and what speaks against them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from campaign.arrow_text import Bools, Ints, join_texts, series_to_array, text_scalar
from campaign.messages.issues import Findings
from campaign.messages.templates.template import Placeholder, Template, Values, fill
from campaign.messages.text.segments import Scan


@dataclass(frozen=True)
class Column:
    """A placeholder's values, and what they hold."""

    values: Values
    found: Scan


def fill_in(
    template: Template, contacts: pd.DataFrame, rows: Ints, findings: Findings, *, what: str
) -> dict[Placeholder, Values]:
    """The values of each placeholder for some rows; what is missing or cannot be read excludes the row."""
    filled: dict[Placeholder, Values] = {}
    told = set()
    for placeholder in dict.fromkeys(template.placeholders):
        cells = series_to_array(contacts[placeholder.column])
        values = fill(placeholder, cells if len(rows) == len(contacts) else cells.take(pa.array(rows)))
        filled[placeholder] = values
        name = placeholder.column
        missing = np.flatnonzero(values.missing)
        if name not in told and len(missing):
            told.add(name)
            detail = (
                f'"{name}" is empty, and the {what} needs it. Fill it in, or write '
                f"{{{name}|other words}} to say what stands there instead."
            )
            cells = values.raw.take(pa.array(missing))
            findings.add(rows[missing], name, cells, "missing_value", "error", detail, status="invalid")
        odd = np.flatnonzero(values.unreadable)
        detail = f'The {what} wants "{name}" to be {values.wanted}. Write it so.'
        cells = values.raw.take(pa.array(odd))
        findings.add(rows[odd], name, cells, "unreadable_value", "error", detail, status="invalid")
    return filled


def put_together(
    pieces: Sequence[str | Placeholder], columns: dict[Placeholder, pa.Array], rows: int
) -> pa.Array:
    """The pieces joined row by row."""
    if not columns:
        return pa.repeat(text_scalar("".join(map(str, pieces))), rows)
    return join_texts(*(piece if isinstance(piece, str) else columns[piece] for piece in pieces))


def render_short(
    template: Template, contacts: pd.DataFrame, findings: Findings, *, what: str
) -> tuple[pa.Array, Bools]:
    """The stripped texts of a sender or a priority for all rows, and for which rows a value is missing."""
    filled = fill_in(template, contacts, np.arange(len(contacts)), findings, what=what)
    missing = np.zeros(len(contacts), dtype=bool)
    for values in filled.values():
        missing |= values.missing | values.unreadable
    columns = {placeholder: values.texts for placeholder, values in filled.items()}
    return pc.utf8_trim_whitespace(put_together(template.pieces, columns, len(contacts))), missing
