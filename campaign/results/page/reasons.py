"""Why people need attention: one line for each reason, with how many and where."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from campaign.messages.issues import CODES
from campaign.remedies import texts_without_code
from campaign.results.plain_words import in_plain_words
from campaign.results.tables import TO_FOLLOW_UP, Result
from campaign.text import capitalised

_SHOWN = 8  # rows or batches that a line names
_SHARING = "duplicate_other_text"  # the code of people who share a phone


def reasons(result: Result) -> pd.DataFrame:
    """Columns status, people, reason and where, those that need a person most first.

    Invalid rows are grouped by what is wrong with them, those of people who share a phone together, and the
    others by what happened to their batch.
    """
    needing = result.contacts.loc[result.needing_attention]
    keys, words = _keys(result, needing)
    groups = needing.assign(key=keys, words=words).reset_index().groupby(["status", "key"], sort=False)
    lines = [
        (str(status), len(group), _words(str(key), group["words"]), _where(str(status), group))
        for (status, key), group in groups
    ]
    frame = pd.DataFrame(lines, columns=["status", "people", "reason", "where"])
    order = frame["status"].map({status: place for place, status in enumerate(TO_FOLLOW_UP)})
    ranked = frame.assign(order=order).sort_values(
        ["order", "people"], ascending=[True, False], kind="stable"
    )
    return ranked.drop(columns="order").reset_index(drop=True)


def _keys(result: Result, needing: pd.DataFrame) -> tuple[pd.Series[str], pd.Series[str]]:
    """What each row is grouped by, and its reason in words."""
    issues = result.issues
    errors = issues[(issues["severity"] == "error") & issues["row"].notna()].drop_duplicates("row")
    errors = errors.set_index(errors["row"].astype("int64"))
    is_invalid = needing["status"] == "invalid"
    words = in_plain_words(needing["reason"], needing["status"])
    keys = words.where(~is_invalid, errors["code"].reindex(needing.index).fillna(words))
    keys = keys.where(needing["status"] != "duplicate", _SHARING)
    details = texts_without_code(errors["detail"]).reindex(needing.index).fillna(words)
    return keys, words.where(~is_invalid, details)


def _words(key: str, words: pd.Series[str]) -> str:
    """The reason that all rows of a group share, or what they have in common with an example."""
    first = str(words.iloc[0])
    if key not in CODES or (words == first).all():
        return first
    return f"{capitalised(CODES[key])}. For example: {first}"


def _where(status: str, group: pd.DataFrame) -> str:
    if status in ("unknown", "refused"):
        return _listed("batch", "batches", group["batch"].dropna().astype("int64").unique().tolist())
    return _listed("row", "rows", group["row"].tolist())


def _listed(one: str, many: str, numbers: Sequence[int]) -> str:
    shown = ", ".join(str(number) for number in numbers[:_SHOWN])
    more = f" and {len(numbers) - _SHOWN:,} more" if len(numbers) > _SHOWN else ""
    return f"{one if len(numbers) == 1 else many} {shown}{more}" if numbers else ""
