"""The lines of Python that settle what is unknown, ready to be copied."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from campaign.paths import seen_from_here
from campaign.text import counted, listed_words

SHOWN = 3  # batches that have a line of their own; the table of batches has all


def batches_in_words(batches: Sequence[int], *, shown: int | None = SHOWN) -> str:
    """ "batch 2", "batches 2 and 3", or "batches 2, 3, 5 and 4 others"; None shows all of them."""
    named = [str(batch) for batch in batches[:shown]]
    others = [counted(len(batches) - len(named), "other")] if len(batches) > len(named) else []
    return f"{'batch' if len(batches) == 1 else 'batches'} {listed_words([*named, *others])}"


def call_to_settle(folder: Path, batches: Sequence[int], outcome: str, **given: object) -> str:
    """The line that settles these batches so; of what is given, texts are quoted but the cost."""
    which = str(batches[0] if len(batches) == 1 else [*batches])
    options = [
        f"{name}={value if name == 'cost' else json.dumps(value, ensure_ascii=False)}"
        for name, value in given.items()
    ]
    return f"result = campaign.resolve({', '.join([_in_code(folder), which, json.dumps(outcome), *options])})"


def _in_code(folder: Path) -> str:
    return json.dumps(seen_from_here(folder), ensure_ascii=False)
