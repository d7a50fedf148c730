"""What a list of people who want no texts holds, and what in it is no number, as pieces of HTML."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from campaign import markup
from campaign.messages.plan import Plan
from campaign.messages.recipients import are_among, distinct
from campaign.messages.suppression.list_columns import Audience
from campaign.messages.suppression.suppression_lists import ON_OPT_OUT_LIST, SuppressionRules
from campaign.notebook.composer.desk_words import desk_words
from campaign.text import agreeing, capitalised, counted, figure


def about_list(plan: Plan, path: str | None, region: str | None) -> str:
    """How many numbers a list of people who want no texts has, and how many rows have one of them; then which
    of its lines hold no number."""
    if path is None:
        return ""
    audience = Audience(lambda: plan.addressing.numbers, plan.reading)
    read = SuppressionRules.of(Path(path), None).read([region], audience)
    listed = plan.contacts.index[are_among(plan.addressing.numbers, read.opted_out)]
    issues, numbers = plan.issues, len(read.opted_out)
    found_rows = pd.Index(issues.loc[issues["detail"] == ON_OPT_OUT_LIST, "row"].unique()).intersection(
        listed
    )
    rows, copies = len(found_rows), int((plan.contacts["status"].reindex(found_rows) == "duplicate").sum())
    told = f"{capitalised(counted(numbers, 'number'))} {agreeing(numbers, 'was', 'were')} read from this list"
    found = f"{figure(rows)} {agreeing(rows, 'row has', 'rows have')}" if rows else "no row has"
    repeating = f" {figure(copies)} of these rows {agreeing(copies, 'repeats', 'repeat')} another one."
    said = f"{told}; {found} one of them.{repeating if copies else ''}"
    sentence = markup.paragraph(said, note=True)
    return f'<div role="status">{sentence}</div>{_oddities(read.issues.frame(np.empty(0, np.int64)))}'


def rows_with_numbers(plan: Plan, numbers: Sequence[str]) -> list[int]:
    """The rows that have one of some numbers, which are written with their country codes."""
    if not numbers:
        return []
    unwanted = distinct(np.array([int(number.removeprefix("+")) for number in numbers], np.int64))
    rows: list[int] = plan.contacts.index[are_among(plan.addressing.numbers, unwanted)].tolist()
    return rows


def _oddities(issues: pd.DataFrame) -> str:
    """What is odd about the list; "" if nothing is."""
    shown = "".join(markup.paragraph(desk_words(detail)) for detail in issues["detail"])
    return f'<div class="changed" role="status">{shown}</div>' if shown else ""
