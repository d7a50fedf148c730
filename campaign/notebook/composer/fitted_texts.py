"""Texts that are cut or sent in several SMS, before and after, and what the cut takes away, as HTML."""

from __future__ import annotations

from typing import Any

import pandas as pd

from campaign import markup
from campaign.contract import TEXT_LIMIT
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.text_lengths import values_cut_off
from campaign.messages.text.segments import SINGLE_UCS2, count_units
from campaign.notebook.composer.alphabet import named_letters
from campaign.notebook.composer.composition import Composition
from campaign.notebook.composer.who_leaves import WhoLeaves
from campaign.text import agreeing, capitalised, counted, listed_words

_SHOWN = 5  # texts before and after
_NAMED = 4  # rows that lose a value


def fitted_texts(leaves: WhoLeaves, contacts: pd.DataFrame, composition: Composition) -> str:
    """A few of the texts that are changed, and which values are cut off; "" if none of them leaves now.

    `contacts` and `composition` are what the plan was made of.
    """
    plan, issues = leaves.plan, leaves.plan.issues
    changed = issues[issues["code"].isin(["truncated", "split"]) & issues["row"].isin(leaves.rows)]
    if changed.empty:
        return ""
    few = changed.head(_SHOWN)
    sent = _sent(plan, few["row"]).groupby("row").agg({"message": "\n".join, "parts": "sum"})
    sent = sent.reindex(few["row"]).set_axis(few.index)
    table = pd.DataFrame({"row": few["row"], "too long": few["value"], "what is sent": sent["message"]})
    cut = changed.loc[changed["code"] == "truncated", "row"]
    if len(cut):
        pairs = zip(table["too long"], table["what is sent"], strict=True)
        table = table.assign(**{"cut to": [_room(*pair, composition.max_parts) for pair in pairs]})
    shown = markup.table(table.assign(SMS=sent["parts"]), limit=_SHOWN, rows=len(changed))
    return _lost_values(_sent(plan, cut), contacts, composition) + markup.scroller(
        shown, "Texts that are cut"
    )


def _sent(plan: Plan, rows: pd.Series[int]) -> pd.DataFrame:
    messages = plan.messages
    return messages[messages["row"].isin(rows)]


def _room(before: str, after: str, max_parts: int | None) -> str:
    """How many characters a text was cut to, and what made it so few."""
    length = f"{count_units(after)}"
    letters = named_letters(before[:TEXT_LIMIT])  # what comes later is cut off anyway
    if max_parts != 1 or not letters:
        return f"{length} of {TEXT_LIMIT}"
    holds = f"one SMS holds {SINGLE_UCS2} with {letters}"
    return f"{length}: {holds}" if named_letters(after) else f"{length}, before {letters}: {holds}"


def _lost_values(cut: pd.DataFrame, contacts: pd.DataFrame, composition: Composition) -> str:
    """From how many texts the value of a column is cut off, and of which rows."""
    texts = cut.set_index("row")["message"]
    lost = values_cut_off(contacts, texts, composition.text, composition.language) if len(cut) else {}
    said = "".join(markup.paragraph(_losing(column, rows.tolist())) for column, rows in lost.items())
    return f'<div class="changed" role="status">{said}</div>' if said else ""


def _losing(column: str, rows: list[Any]) -> str:
    more = len(rows) - _NAMED
    named = [*map(str, rows[:_NAMED]), *([counted(more, "other")] if more > 0 else [])]
    count = len(rows)
    return (
        f"{capitalised(counted(count, 'text'))} {agreeing(count, 'loses its', 'lose their')} “{column}” to "
        f"the cut ({agreeing(count, 'row', 'rows')} {listed_words(named)})."
    )
