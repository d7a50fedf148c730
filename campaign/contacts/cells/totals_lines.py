"""Lines of totals below or between people: "Total" and figures, with no number to send to."""

from __future__ import annotations

import numpy as np
import pandas as pd

from campaign.arrow_text import Bools, Ints, matches, series_to_array

# What such a line is called in the languages whose spreadsheets are seen most; "Total paid:", "GRAND TOTAL".
# Suma and soma are left out: people have these names.
_WORD = (
    r"(?i)^\s*(?:(?:grand|sub|over)[ -]?)?(?:totals?|totaux|sums?|somme|summe|gesamt|gesamtsumme|"
    r"jumla|jumla kuu|total g[eé]n[eé]ral|total general|total geral|итого|всего|المجموع|कुल|ድምር)"
    r"(?: (?:amount|due|paid|people|persons|cost|balance))?\s*[:=.]*\s*$"
)
# An amount: digits, perhaps grouped, perhaps with a currency or a unit of a few letters: "UGX 66,000", "12%".
_FIGURE = r"^\s*[^\d]{0,5}\d[\d.,'’ \x{a0}\x{202f}]*[^\d]{0,5}\s*$"
_BLANK = r"^\s*$"


def looks_like_totals(contacts: pd.DataFrame, rows: Ints) -> Bools:
    """Which of some rows have one word for a total, figures, and nothing else: a person has a name beside.

    `rows` are positions; rows with a number are not asked about.
    """
    words, figures, others = (np.zeros(len(rows), np.int64) for _ in range(3))
    for name in contacts.columns if len(rows) else ():
        cells = series_to_array(contacts[name].iloc[rows])
        is_word, is_figure = matches(cells, _WORD), matches(cells, _FIGURE)
        words += is_word
        figures += is_figure
        others += ~is_word & ~is_figure & ~matches(cells, _BLANK)
    found: Bools = (words == 1) & (figures > 0) & (others == 0)
    return found
