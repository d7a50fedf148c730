"""Which texts were sent: those of the rounds of which something left, whatever is in the table."""

from __future__ import annotations

import json
from collections import Counter

from campaign.results.tables import Result
from campaign.text import counted, shorten

_LONGEST_TEMPLATE = 400


def sent_by_round(result: Result) -> dict[int, int]:
    """How many messages of each round were sent, or may have been; rounds without any are not there."""
    batches = result.batches
    sent = batches[batches["status"].isin(["accepted", "unknown"])].groupby("round")["messages"].sum()
    return dict(zip(sent.index.tolist(), sent.tolist(), strict=True))


def sent_texts(result: Result) -> str:
    """The text that was sent; of several, a line for each with the number of its messages.

    The text of the last table has a line that says so where none of its messages was sent. Where nothing was
    sent at all, it is the only text.
    """
    sent, counts = sent_by_round(result), Counter[str]()
    for one_round in result.rounds:
        counts[_in_words(one_round.template)] += sent.get(one_round.round, 0)
    counts = +counts  # without texts of which nothing was sent
    today = _in_words(result.rounds[-1].template if result.rounds else result.plan.template)
    if len({*counts, today}) < 2:
        return today
    lines = [f"{counted(count, 'message')}: {text}" for text, count in counts.items()]
    if today and today not in counts:
        lines.append(f"Text of the last table, of which nothing was sent: {today}")
    return "\n".join(lines)


def _in_words(template: str) -> str:
    """The text, or each of several texts behind its language."""
    try:
        texts = json.loads(template)
    except ValueError:
        texts = None
    if isinstance(texts, dict) and all(isinstance(text, str) for text in texts.values()):
        template = "\n".join(f"{language}: {text}" for language, text in texts.items())
    return shorten(template, _LONGEST_TEMPLATE)
