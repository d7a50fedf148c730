"""A result by the values of one column of the file: for the donor of a clinic, the head of a department."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from campaign.argument_checks import wrong
from campaign.arrow_text import Ints
from campaign.contacts.columns import find_column
from campaign.contacts.reserved_columns import OUTCOME_COLUMNS, original_names
from campaign.contract import NO_PEOPLE, PEOPLE_OF_THEIR_OWN, STATUSES
from campaign.results.cost_shares import count_pairs, share_costs
from campaign.results.follow_up_rows import TO_FOLLOW_UP
from campaign.results.result_part import ResultPart

_NONE: Ints = np.empty(0, np.int64)


def choose_column(contacts: Sequence[str], column: object) -> tuple[str, str]:
    """The column of `Result.contacts` that is meant by a name of the file, and that name as the file has it.

    `contacts` are the columns of the plan's contacts.
    Raises `ColumnError` with the nearest name.
    """
    if not isinstance(column, str):
        raise wrong(column, subject="by", needs="the name of a column", write='result.by("Clinic")')
    columns = [name for name in contacts if name not in OUTCOME_COLUMNS]
    originals = original_names(columns)
    name = find_column(originals, column)
    return columns[originals.index(name)], name


def with_people(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of `Result.by` that have people or a cost: without the empty value of blank rows."""
    return frame[(frame["people"] > 0) | (frame["unpriced"] > 0) | frame["cost_share"].map(bool)]


def break_down(
    parts: Iterable[ResultPart], column: str, name: str, batches: pd.DataFrame, excluded: pd.DataFrame
) -> pd.DataFrame:
    """The frame of `Result.by` for a column of the contacts, which the file calls `name`.

    Values that differ only by case or by white space around them are one. `excluded` are the rows of
    `excluded_rows`: what they got is known by its batch, but not how many SMS parts it had.
    """
    known, pairs = _Values(), [count_pairs(_NONE, _NONE)]
    figures: dict[str, Ints] = {}
    for part in parts:
        groups = known.groups_of(part.contacts[column].str.strip())
        before = excluded[excluded["row"].isin(part.status.index)]
        of_message = groups[part.positions]
        of_others = groups[part.status.index.get_indexer(pd.Index(before["row"]))]
        others = np.searchsorted(batches["batch"].to_numpy(), before["batch"].to_numpy())
        sent = np.concatenate([of_message, of_others])
        pairs.append(count_pairs(sent, np.concatenate([part.places, others]).astype(np.intp)))
        counted = _rows_counted(part)
        more = {name: _by_group(groups, weights, known.count) for name, weights in counted.items()}
        more["parts"] = _by_group(of_message, part.messages["parts"].to_numpy(), known.count)
        figures = {name: _added(figures.get(name, _NONE), added) for name, added in more.items()}
    messages = pd.concat(pairs).groupby(["group", "place"], as_index=False).sum()
    frame = pd.DataFrame(figures, index=pd.Index(known.usual_spellings, name=name, dtype="str"))
    return _with_costs(frame, messages, batches)


class _Values:
    """The values of a column so far, each a group however it is written."""

    def __init__(self) -> None:
        self._groups: dict[str, int] = {}  # by value without case
        self._spellings = Counter[str]()

    @property
    def count(self) -> int:
        return len(self._groups)

    def groups_of(self, cells: pd.Series[str]) -> Ints:
        """The group of each of these cells."""
        codes, distinct = pd.factorize(cells, use_na_sentinel=False)
        rows = np.bincount(codes, minlength=len(distinct)).tolist()
        self._spellings.update(dict(zip(distinct, rows, strict=True)))
        keys = (value.casefold() for value in distinct)
        numbers = [self._groups.setdefault(key, len(self._groups)) for key in keys]
        return np.array(numbers, np.int64)[codes]

    @property
    def usual_spellings(self) -> list[str]:
        """Each group as most rows write it; of equally many the first."""
        usual: dict[str, str] = {}
        for value, _ in self._spellings.most_common():
            usual.setdefault(value.casefold(), value)
        return [usual[value] for value in self._groups]


def _rows_counted(part: ResultPart) -> dict[str, npt.NDArray[Any]]:
    """For each row whether it counts in the columns of the frame, by their names."""
    statuses, duplicates = part.status, part.duplicates
    of_their_own = duplicates.index[duplicates.isin(PEOPLE_OF_THEIR_OWN)]
    is_person = ~statuses.isin(NO_PEOPLE) | statuses.index.isin(of_their_own)
    return {
        "rows": np.ones(len(statuses)),
        "people": is_person.to_numpy(),
        **{status: (statuses == status).to_numpy() for status in STATUSES},
        "needing_attention": statuses.isin(TO_FOLLOW_UP).to_numpy() | part.shares_phone,
    }


def _by_group(groups: Ints, weights: npt.NDArray[Any], count: int) -> Ints:
    """The sums of some weights for each of so many groups."""
    return np.bincount(groups, weights=weights, minlength=count).astype(np.int64)


def _added(sums: Ints, more: Ints) -> Ints:
    """Sums with more added; more groups may have been found since."""
    return more + np.pad(sums, (0, len(more) - len(sums)))


def _with_costs(frame: pd.DataFrame, messages: pd.DataFrame, batches: pd.DataFrame) -> pd.DataFrame:
    """The sums of the rows by value with the shares of the cost, for the messages of a group in a batch."""
    count = len(frame)
    shares = share_costs(messages, count, batches)
    order = np.lexsort((frame.index.to_numpy(), -frame["rows"].to_numpy(), frame.index == ""))
    frame = frame.assign(
        cost_share=pd.Series(shares.costs[:-1], index=frame.index, dtype=object),
        unpriced=shares.unpriced[:-1],
    ).iloc[order]
    if not shares.costs[-1] and not shares.unpriced[-1]:
        return frame
    elsewhere = dict.fromkeys(frame.columns, 0) | {
        "cost_share": shares.costs[-1],
        "unpriced": int(shares.unpriced[-1]),
    }
    last = pd.DataFrame([elsewhere], index=pd.Index([None], name=frame.index.name, dtype="str"))
    return pd.concat([frame, last.astype({"cost_share": object})])
