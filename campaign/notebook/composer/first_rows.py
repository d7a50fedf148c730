"""The first rows of a spreadsheet, with phone numbers masked, as they are read with the chosen country."""

from __future__ import annotations

import numpy as np
import pandas as pd
from ipywidgets import HTML

from campaign import markup
from campaign.contacts.amount_columns import count_amounts
from campaign.contacts.columns import number_columns
from campaign.contacts.phone_numbers.cleaning import clean_numbers
from campaign.contacts.phone_numbers.number_lengths import number_lengths
from campaign.contacts.reserved_columns import file_names
from campaign.masking import mask_numbers, mask_texts

_COUNT = 5
_LOOKED_AT = 1000  # rows that show what a column holds
_NOTE = "Phone numbers are hidden here, and digits that could be one. Your file stays as it is."


class FirstRows(HTML):  # type: ignore[misc]  # ipywidgets has no types
    """The rows as in the sheet; on a narrow page they scroll by themselves."""

    def show(self, contacts: pd.DataFrame, number: str | None, region: str | None) -> None:
        """Show the first of these contacts; `number` is the column of the numbers, from this `region`."""
        table = markup.table(_masked(contacts, number, region), limit=_COUNT, rows=len(contacts))
        region_of_page = '<div class="sideways" role="region" aria-label="First rows" tabindex="0">'
        self.value = f"{region_of_page}{table}</div>{markup.paragraph(_NOTE, note=True)}"


def _masked(contacts: pd.DataFrame, number: str | None, region: str | None) -> pd.DataFrame:
    """The first rows with their phone numbers masked; amounts stay once the country of those is known."""
    numbers, rows = number_columns(contacts.columns), contacts.head(_COUNT)
    own, lengths = [rows[name] for name in numbers], frozenset[int]()
    if number in contacts:
        own.append(rows[number])
        cleaned = clean_numbers(rows[number], region=region)["number"].dropna()
        lengths = number_lengths(cleaned[cleaned != ""].to_numpy(dtype=np.int64))

    def masked(name: str) -> pd.Series[str]:
        if name in numbers:
            return mask_numbers(rows[name])
        of_amounts = lengths and count_amounts(contacts[name].head(_LOOKED_AT)).are_amounts
        return mask_texts(rows[name], own_numbers=own, lengths=lengths if of_amounts else ())

    shown = pd.DataFrame({name: masked(name) for name in rows.columns})
    return shown.set_axis(file_names(shown.columns), axis=1)  # beside the row numbers
