"""A text that is still being written: how long it would be in each row, which rows would get it, and which
values are lost where it is cut.
"""

from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd

from campaign.arrow_text import Bools, Ints, array_to_series, series_to_array
from campaign.contacts.contact_parts import RowsOfTable
from campaign.contacts.phone_numbers.cleaning import clean_numbers
from campaign.contract import TEXT_LIMIT
from campaign.errors import CampaignError
from campaign.messages.issues import IssueCollector
from campaign.messages.recipients import are_among, as_integers
from campaign.messages.suppression.suppression_lists import SuppressionRules
from campaign.messages.templates.campaign_texts import CampaignTexts, choose_campaign_texts
from campaign.messages.templates.rendering import Rendered
from campaign.messages.templates.template import Placeholder, Template
from campaign.messages.text.segments import measure
from campaign.values import replace

_ANY_SENDER = "SENDER"


def text_lengths(contacts: pd.DataFrame, message: str, *, whole: pd.DataFrame | None = None) -> pd.DataFrame:
    """The lengths of a message after filling it in, for every row; much faster than a whole `prepare`.

    `whole` is the table that the rows are from, if they are not all of it.

    Columns: characters (int32, UTF-16 units), plain (bool, whether the GSM-7 alphabet is enough), parts
    (int32), text (str) and complete (bool, whether no value is missing or unreadable). The index is that of
    `contacts`. Values that are missing count as empty.

    Raises `TemplateError` as `prepare` does.
    """
    issues = IssueCollector(len(contacts))
    rendered = _render(contacts, message, whole, issues)
    lengths = rendered.lengths
    return pd.DataFrame(
        {
            "characters": lengths.units, "plain": np.logical_not(lengths.ucs2), "parts": lengths.parts,
            "text": array_to_series(rendered.texts, contacts.index), "complete": issues.sendable,
        },
        index=contacts.index,
    )  # fmt: skip


def filled_in(contacts: pd.DataFrame, message: str, *, whole: pd.DataFrame | None = None) -> list[str]:
    """What a message becomes in each of a few rows, whether they can get it or not."""
    rendered = _render(contacts, message, whole, IssueCollector(len(contacts)))
    return [str(text) for text in rendered.texts.to_pylist()]


def _render(
    contacts: pd.DataFrame, message: str, whole: pd.DataFrame | None, issues: IssueCollector
) -> Rendered:
    texts = _texts(contacts, contacts if whole is None else whole, message, None)
    return texts.render(contacts, issues)


def _texts(
    rows: pd.DataFrame, whole: pd.DataFrame, message: str | Mapping[str, str], language: str | None
) -> CampaignTexts:
    table = RowsOfTable.of(rows, whole)
    return choose_campaign_texts(
        table, message, language, _ANY_SENDER, None, downgrade=True, as_written=False
    )


def values_cut_off(
    contacts: pd.DataFrame,
    cut: "pd.Series[str]",
    message: str | Mapping[str, str],
    language: str | None,
    *,
    ellipsis: str = "...",
) -> dict[str, "pd.Index[Any]"]:
    """The rows that lose a value of a column to the cut, by column, in the order of the text.

    `cut` has the cut text of some rows of `contacts`, each ending in `ellipsis`; `message` and `language` are
    those of `prepare`. A value is lost if the text ends before it or within it; the first one of its column
    in a text counts.
    """
    rows = contacts.loc[cut.index]
    texts = _texts(rows, contacts, message, language)
    kept = measure(series_to_array(cut)).units - len(ellipsis)
    columns = dict.fromkeys(one.column for text in texts.texts.values() for one in text.placeholders)
    lost = {}
    for column in columns:
        start, end = (_units_up_to(column, texts, rows, including=including) for including in (False, True))
        lost[column] = cut.index[(end > start) & (end > kept)]
    return {column: index for column, index in lost.items() if len(index)}


def _units_up_to(column: str, texts: CampaignTexts, rows: pd.DataFrame, *, including: bool) -> Ints:
    """How long each text is up to the first value of a column; 0 for a text without one."""
    beginnings = {name: _beginning(text, column, including) for name, text in texts.texts.items()}
    rendered = replace(texts, texts=beginnings).render(rows, IssueCollector(len(rows)))
    return np.asarray(rendered.lengths.units)


def _beginning(text: Template, column: str, including: bool) -> Template:
    """A text up to the first placeholder of a column, or with it; without one nothing."""
    for place, piece in enumerate(text.pieces):
        if isinstance(piece, Placeholder) and piece.column == column:
            return Template(("", *text.pieces[: place + including]))
    return Template(("",))


def numbers_of(
    cells: "pd.Series[Any]", *, region: str | None, several: str, opt_outs: Any = None
) -> "pd.Series[int]":
    """The number of each row as an integer, 0 where there is none to send to.

    To those on a list of `opt_outs`, or on one of several, nothing is sent; what cannot be read has nobody
    on it.
    """
    numbers = as_integers(clean_numbers(cells, region=region, several=several)["number"])
    if opt_outs is not None:
        with suppress(CampaignError):
            opted_out = SuppressionRules.of(opt_outs, None).read([region]).opted_out
            numbers = np.where(are_among(numbers, opted_out), 0, numbers)
    return pd.Series(numbers, index=cells.index)


def are_too_long(lengths: pd.DataFrame, numbers: "pd.Series[int]") -> Bools:
    """Which rows would get a text that is too long: they have a number and all values.

    The arguments are those of `get_text`.
    """
    has_number = numbers.reindex(lengths.index).to_numpy() > 0
    is_long = lengths["characters"].to_numpy() > TEXT_LIMIT
    return np.asarray(has_number & lengths["complete"].to_numpy() & is_long)


def get_text(
    lengths: pd.DataFrame,
    numbers: "pd.Series[int]",
    *,
    every_text: bool,
    with_too_long: bool = True,
    preferred: Collection[int] = (),
) -> Bools:
    """Which rows get their text: they have a number and all values, and no row before them gets it there.

    `lengths` is what `text_lengths` makes of some rows, `numbers` has all rows of their table; the others
    count as having all values. With `every_text` a number gets each text once. Without `with_too_long` a text
    that is too long goes to nobody. `preferred` rows come before those with the same number.
    """
    values, places = numbers.to_numpy(), numbers.index.get_indexer(lengths.index)
    sendable = values > 0
    sendable[places] &= lengths["complete"].to_numpy()
    if not with_too_long:
        sendable[places] &= lengths["characters"].to_numpy() <= TEXT_LIMIT
    rows = np.flatnonzero(sendable)
    if len(preferred):
        rows = rows[np.argsort(~numbers.index[rows].isin(preferred), kind="stable")]
    table = pd.DataFrame({"number": values[rows]}, index=rows)
    table = table[table["number"].duplicated(keep=False)]
    if every_text:
        texts = lengths["text"].set_axis(places)
        table = table.loc[table.index.isin(places)].assign(text=texts)
    sendable[table.index[table.duplicated()]] = False
    return np.asarray(sendable[places])
