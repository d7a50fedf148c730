"""Texts that are cut or sent in several SMS, before and after, and what the cut takes away, as HTML."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

import pandas as pd

from campaign import markup
from campaign.contract import TEXT_LIMIT
from campaign.messages.plan import Plan
from campaign.messages.templates.text_lengths import filled_in
from campaign.messages.text.segments import SINGLE_UCS2, count_units
from campaign.notebook.composer.alphabet import named_letters
from campaign.notebook.composer.who_leaves import WhoLeaves
from campaign.text import agreeing, capitalised, counted, listed_words

_SHOWN = 5  # texts before and after
_NAMED = 4  # rows that lose a value
_PLACEHOLDER = re.compile(r"\{([^{}:|]+)[^{}]*\}")


def fitted_texts(plan: Plan, leaves: WhoLeaves, templates: Collection[str], max_parts: int | None) -> str:
    """A few of the texts that are changed, and which values are cut off; "" if none of them leaves now.

    `templates` are the texts with their placeholders.
    """
    issues = plan.issues
    texts = plan.messages
    changed = issues[issues["code"].isin(["truncated", "split"]) & issues["row"].isin(leaves.rows)]
    if changed.empty:
        return ""
    sent = texts[texts["row"].isin(changed["row"])].groupby("row").agg({"message": "\n".join, "parts": "sum"})
    sent = sent.reindex(changed["row"]).set_axis(changed.index)
    table = pd.DataFrame(
        {"row": changed["row"], "too long": changed["value"], "what is sent": sent["message"]}
    )
    few = table.head(_SHOWN)
    is_cut = changed["code"] == "truncated"
    if is_cut.any():
        rooms = [_room(*pair, max_parts) for pair in zip(few["too long"], few["what is sent"], strict=True)]
        few = few.assign(**{"cut to": rooms})
    few = few.assign(SMS=sent["parts"].head(_SHOWN))
    return _lost_values(table[is_cut], plan, templates) + markup.table(few, limit=_SHOWN, rows=len(changed))


def _room(before: str, after: str, max_parts: int | None) -> str:
    """How many characters a text was cut to, and what made it so few."""
    length = f"{count_units(after)}"
    letters = named_letters(before[:TEXT_LIMIT])  # what comes later is cut off anyway
    if max_parts != 1 or not letters:
        return f"{length} of {TEXT_LIMIT}"
    holds = f"one SMS holds {SINGLE_UCS2} with {letters}"
    return f"{length}: {holds}" if named_letters(after) else f"{length}, before {letters}: {holds}"


def _lost_values(table: pd.DataFrame, plan: Plan, templates: Collection[str]) -> str:
    """From how many texts the value of a column is cut off, and of which rows."""
    rows = plan.contacts.loc[table["row"]]
    placeholders = {found[0]: found[1] for text in templates for found in _PLACEHOLDER.finditer(text)}
    lost: dict[str, set[Any]] = {}
    for placeholder, column in placeholders.items() if len(table) else ():
        values = filled_in(rows, placeholder, whole=plan.contacts)
        cut_off = [
            row
            for row, value, before, after in zip(
                table["row"], values, table["too long"], table["what is sent"], strict=True
            )
            if value.strip() and value in before and value not in after
        ]
        lost[column] = lost.get(column, set()) | {*cut_off}
    sentences = [_losing(column, sorted(own)) for column, own in lost.items() if own]
    said = "".join(map(markup.paragraph, sentences))
    return f'<div class="changed" role="status">{said}</div>' if said else ""


def _losing(column: str, rows: list[Any]) -> str:
    more = len(rows) - _NAMED
    named = [*map(str, rows[:_NAMED]), *([counted(more, "other")] if more > 0 else [])]
    count = len(rows)
    return (
        f"{capitalised(counted(count, 'text'))} {agreeing(count, 'loses its', 'lose their')} “{column}” to "
        f"the cut ({agreeing(count, 'row', 'rows')} {listed_words(named)})."
    )
