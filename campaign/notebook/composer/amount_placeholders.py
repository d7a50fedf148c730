"""Placeholders that write amounts as spreadsheets show them: 170,000 for a cell that holds 170000."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from decimal import Decimal

import numpy as np
import pandas as pd

from campaign import markup
from campaign.arrow_text import array_to_series, series_to_array
from campaign.contacts.amount_columns import count_amounts
from campaign.contacts.columns import number_columns
from campaign.errors import TemplateError
from campaign.messages.templates.formats import parse_format
from campaign.messages.templates.number_format import NumberFormat
from campaign.messages.templates.template import formats_in

_PLAIN = r"-?[0-9]{1,15}(?:\.[0-9]{1,2})?"  # as workbooks hold amounts, whatever they show
_WITH_CURRENCY = (  # one that `Placeholder.sign` knows, too; letters without a space are a code, "VHT12"
    r"^(?P<before>[$£€¥₦₹₵] ?|[A-Z]{3} )?(?P<amount>[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]{1,2})?|"
    r"[0-9]{1,15}(?:\.[0-9]{1,2})?)(?P<behind> ?[$£€¥₦₹₵]| [A-Z]{3})?$"
)
_MOST = 0.8  # of the cells with digits that have to be plain amounts
_LEAST = 1000  # an amount that is written with a comma
_UNITS, _HUNDREDTHS = ",.0f", ",.2f"
_YEARS = (1900, 2100)  # which nobody writes with a comma
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_LOOKED_AT = 1000  # rows in which an example is looked for, at every key


def amount_placeholders(contacts: pd.DataFrame) -> dict[str, str]:
    """For each column of amounts how one looks, "balance, as 170,000", and the placeholder that writes it so.

    Only columns are offered whose amounts are mostly written without separators, and not those of years.
    Beside them a column may have words, "nil", and amounts written otherwise: section 3 says which rows do
    not fit. Of amounts with decimals, two ways are offered. Where some have a currency and others have none,
    it is written before all of them: "fee, as UGX 150,000", "UGX {fee:,.0f}".
    """
    numbers = {*number_columns(contacts.columns)}
    columns = [name for name in contacts.columns if name not in numbers and not {*"{}:|"} & set(name)]
    return {
        f"{name}, as {example}": placeholder
        for name in columns
        for example, placeholder in _offered(name, contacts[name].str.strip()).items()
    }


def amounts_in_words(text: str, contacts: pd.DataFrame, number: str | None) -> str:
    """What each placeholder of a text makes of an amount of the spreadsheet, as a piece of HTML: "{fee:,.0f}
    stands for an amount: 1250 is written as “1,250”." "" where none writes amounts in its own way.

    Columns of phone numbers, such as `number`, are none of amounts, whatever the text does with them.
    """
    names = [*contacts.columns]
    amounts = {*names} - {number, *number_columns(names)}
    said = [
        f"{placeholder} stands for an amount: {cell} is written as “{written}”."
        for placeholder, column, form in _formats_of_numbers(text, names, amounts)
        for cell, written in _example(contacts[column].head(_LOOKED_AT), form)
    ]
    return markup.paragraph(" ".join(said), note=True) if said else ""


def _formats_of_numbers(
    text: str, names: Collection[str], wanted: Collection[str]
) -> Iterator[tuple[str, str, NumberFormat]]:
    """Each placeholder of a text that gives one of the wanted columns a format of numbers, with both."""
    for placeholder in dict.fromkeys(_PLACEHOLDER.findall(text)):
        for column, way in formats_in(placeholder, names, wanted).items():
            with suppress(TemplateError):  # the counter says it
                form = parse_format(way, "")
                if isinstance(form, NumberFormat):
                    yield placeholder, column, form


def _example(cells: pd.Series[str], form: NumberFormat) -> list[tuple[str, str]]:
    """A cell and how the format writes it, one on which that shows if there is any; [] without amounts."""
    cells = cells[cells.str.strip() != ""].str.strip()
    texts, is_none = form.apply(series_to_array(cells))
    written = array_to_series(texts, cells.index)
    if is_none.all():
        return []
    shows = ~is_none & (written != cells).to_numpy()
    place = int(np.argmax(shows if shows.any() else ~is_none))
    return [(str(cells.iloc[place]), str(written.iloc[place]))]


def _offered(name: str, cells: pd.Series[str]) -> dict[str, str]:
    """How the amounts of a column look, each with the placeholder that writes them so."""
    plain, before = _without_currency(cells)
    written = _written(plain, is_mixed=bool(before))
    if not before:
        return {example: f"{name}:{pattern}" for example, pattern in written.items()}
    return {f"{before}{example}": f"{before}{{{name}:{pattern}}}" for example, pattern in written.items()}


def _without_currency(cells: pd.Series[str]) -> tuple[pd.Series[str], str]:
    """The cells without a currency that some of them have, as workbooks hold amounts, and how it is written
    before an amount; "" where they have none, or several."""
    parts = cells.str.extract(_WITH_CURRENCY)
    currency = parts["before"].fillna("").str.strip() + parts["behind"].fillna("").str.strip()
    found = currency[currency != ""].unique()
    if len(found) != 1:
        return cells, ""
    amounts = parts["amount"].str.replace(",", "", regex=False)
    return cells.where(currency == "", amounts), f"{found[0]} " if found[0].isalpha() else str(found[0])


def _written(cells: pd.Series[str], *, is_mixed: bool) -> dict[str, str]:
    """The first large amount as each format of the column writes it; {} where it has no amounts, or where
    they need no format: it `is_mixed` where some had a currency."""
    has_digits, is_plain = cells.str.contains("[0-9]"), cells.str.fullmatch(_PLAIN)
    is_enough = is_plain.sum() >= _MOST * has_digits.sum()
    if not is_enough or not count_amounts(cells[is_plain | ~has_digits]).are_amounts:
        return {}
    cells = cells[is_plain]
    amounts = cells.astype("float64")
    large = cells[amounts.abs() >= _LEAST]
    if (large.empty or amounts.between(*_YEARS).all()) and not is_mixed:
        return {}
    first = Decimal((cells if large.empty else large).iloc[0])
    if not cells.str.contains(".", regex=False).any():
        return {format(first, _UNITS): _UNITS}
    # A workbook holds 12.50 as 12.5.
    return {format(first, _HUNDREDTHS): _HUNDREDTHS, f"{format(first, _UNITS)}, rounded": _UNITS}
