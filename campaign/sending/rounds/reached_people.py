"""Of several rows with one number, the one whose person was reached, once none of them has the text of then.

The rows say it themselves: beside the number, the cells of that person's row are those of the row of then, or
most of them are. Of what was erased nothing is known any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd

from campaign.arrow_text import Ints
from campaign.contacts.rows_alike import likeness, which_are_alone
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_part import PlanPart
from campaign.sending.rounds.comparison import AGAIN, CHANGED, NEW, Comparison, Knowledge
from campaign.sending.rounds.corrected_numbers import other_columns
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.frame_files import count_parts, read_frame
from campaign.sending.store.rounds import ALTERNATIVES, CONTACTS, RECIPIENTS, Round
from campaign.values import replace

_NO_ROWS = np.empty(0, np.int64)


def alternatives_of_reached(plan: Plan, record: CampaignRecord, numbers: Ints) -> Ints:
    """The row numbers of the alternatives to keep: their person got the text of these numbers, and the person
    of the row that is kept did not.

    `numbers` were reached with other texts than those of the plan. Where rows are alike, nothing changes.
    """
    columns = other_columns(plan)
    reached = reached_rows(record, numbers)
    if reached.empty or not columns:
        return _NO_ROWS
    candidates = pd.concat([*plan.map_parts(partial(candidates_of, columns, numbers))])
    then = [rows_of_then(one_round, columns, reached) for one_round in record.rounds]
    likely = likeness(candidates, pd.concat([*filter(len, then)])) if any(map(len, then)) else None
    if likely is None or likely.empty:
        return _NO_ROWS
    best = likely.sort_values(["equal", "is_kept"], ascending=False, kind="stable")
    best = best.drop_duplicates("number")
    rows: Ints = best.loc[~best["is_kept"], "row"].to_numpy(dtype=np.int64)
    return np.sort(rows)


def with_their_own_people(
    plan: Plan, record: CampaignRecord, rows: Ints, numbers: Ints, comparison: Comparison
) -> Comparison:
    """The comparison in which, of several rows with one number, those are CHANGED whose people were reached.

    Texts alone do not tell who of them is NEW. `rows` and `numbers` are those of the entries. Where rows are
    alike, nothing changes.
    """
    knowledge = comparison.knowledge
    sought = np.intersect1d(numbers[knowledge == CHANGED], numbers[knowledge == NEW])
    columns = other_columns(plan) if len(sought) else []
    if not columns:
        return comparison
    places = np.flatnonzero(np.isin(knowledge, (NEW, CHANGED)) & np.isin(numbers, sought))
    changed = places[knowledge[places] == CHANGED]
    reached = pd.DataFrame(
        {
            "round": record.round_of_batch[comparison.batches[changed]],
            "row": comparison.recorded_rows[changed],
            "number": numbers[changed],
        }
    )
    then = [rows_of_then(one_round, columns, reached) for one_round in record.rounds]
    candidates = pd.concat([*plan.map_parts(partial(candidates_of, columns, sought))])
    candidates = candidates[candidates["row"].isin(rows[places])]
    if not any(map(len, then)):
        return comparison
    likely = likeness(candidates, pd.concat([*filter(len, then)]))
    equal = likely.set_index("row")["equal"].reindex(rows[places], fill_value=0).to_numpy()
    return _traded(comparison, _most_alike(places, equal, numbers, knowledge))


def _most_alike(places: Ints, equal: Ints, numbers: Ints, knowledge: Knowledge) -> pd.DataFrame:
    """Which entries trade: columns `reached`, a NEW one more alike to a row that was reached than the CHANGED
    one in `other`; as many of each number are CHANGED as before."""
    entries = pd.DataFrame(
        {
            "place": places,
            "equal": equal,
            "number": numbers[places],
            "is_changed": knowledge[places] == CHANGED,
        }
    )
    entries = entries.sort_values(
        ["number", "equal", "is_changed"], ascending=[True, False, False], kind="stable"
    )
    count = entries.groupby("number")["is_changed"].transform("sum")
    entries["is_reached"] = entries.groupby("number").cumcount() < count
    gaining = entries[entries["is_reached"] & ~entries["is_changed"]]
    losing = entries[~entries["is_reached"] & entries["is_changed"]]
    return pd.DataFrame({"reached": gaining["place"].to_numpy(), "other": losing["place"].to_numpy()})


def _traded(comparison: Comparison, pairs: pd.DataFrame) -> Comparison:
    """The comparison in which the entries of each pair have traded what is known of them."""
    reached, other = pairs["reached"].to_numpy(), pairs["other"].to_numpy()
    columns = {}
    for name in ("knowledge", "batches", "recorded_rows"):
        column = getattr(comparison, name).copy()
        column[reached], column[other] = column[other], column[reached]
        columns[name] = column
    return replace(comparison, **columns)


def reached_rows(record: CampaignRecord, numbers: Ints) -> pd.DataFrame:
    """The recorded rows whose text reached one of the numbers, or may have: columns round, row and number."""
    found = [pd.DataFrame({"round": _NO_ROWS, "row": _NO_ROWS, "number": _NO_ROWS})]
    rounds = record.round_of_batch
    for part in record.texts() if len(numbers) else ():
        is_theirs = np.isin(part.rows.numbers, numbers) & (record.knowledge[part.batches] >= AGAIN)
        found.append(
            pd.DataFrame(
                {
                    "round": rounds[part.batches[is_theirs]],
                    "row": part.labels[is_theirs],
                    "number": part.rows.numbers[is_theirs],
                }
            )
        )
    return pd.concat(found, ignore_index=True)


def candidates_of(columns: Sequence[str], numbers: Ints, part: PlanPart) -> pd.DataFrame:
    """The rows of a part with one of the numbers that get something, or would in place of another one:
    columns row, number and is_kept, and their cells by position."""
    kept, others = np.unique(part.rows_of_messages), part.alternatives["row"].unique()
    labels = part.status.index.to_numpy(dtype=np.int64)
    own = part.numbers
    is_candidate = np.isin(own, numbers) & (np.isin(labels, kept) | np.isin(labels, others))
    cells = part.contacts.loc[is_candidate, list(columns)].set_axis([*range(len(columns))], axis=1)
    rows = labels[is_candidate]
    about = {"row": rows, "number": own[is_candidate], "is_kept": np.isin(rows, kept)}
    return pd.concat([pd.DataFrame(about), cells.reset_index(drop=True)], axis=1)


def rows_of_then(one_round: Round, columns: Sequence[str], reached: pd.DataFrame) -> pd.DataFrame:
    """What the rows said in a round that reached one of the numbers, and those that it left out for sharing
    the phone, as `rows_with_others` has them."""
    own = reached[reached["round"] == one_round.number]
    return rows_with_others(one_round, columns, own, own["number"])


def rows_with_others(
    one_round: Round,
    columns: Sequence[str],
    own: pd.DataFrame,
    wanted: pd.Series[int],
) -> pd.DataFrame:
    """What its `own` rows said that a round reached, and those with one of the wanted numbers that it left
    out for sharing the phone: columns number, is_reached, round and row, their cells by position, and whether
    each cell is alone among those of all rows with the number."""
    if wanted.empty:
        return pd.DataFrame()
    others = read_frame(one_round.path / ALTERNATIVES, ["row", "number"]).drop_duplicates("row")
    numbers = others["number"].to_numpy(dtype=np.int64)
    others = others.assign(number=numbers)[np.isin(numbers, wanted)]
    rows = pd.concat([own[["row", "number"]].assign(is_reached=True), others.assign(is_reached=False)])
    everybody = _cells_of_numbers(one_round, columns, rows["number"])
    places = [*range(len(columns))]
    alone = which_are_alone(everybody)
    cells = everybody.join(alone).drop(columns="number").reindex(rows["row"]).reset_index(drop=True)
    filled = dict.fromkeys(places, "") | dict.fromkeys(alone.columns, False)
    about = rows[["number", "is_reached", "row"]].assign(round=one_round.number).reset_index(drop=True)
    return pd.concat([about, cells.fillna(filled)], axis=1)


def _cells_of_numbers(one_round: Round, columns: Sequence[str], wanted: pd.Series[int]) -> pd.DataFrame:
    """All rows of a round with one of these numbers: column number, and their cells by position."""
    recipients = read_frame(one_round.path / RECIPIENTS, ["number"])["number"]
    own = pd.Series(recipients.to_numpy(dtype=np.int64), recipients.index)
    own = own[own.isin(wanted)]
    path = one_round.path / CONTACTS
    parts = (read_frame(path, columns, part=part) for part in range(count_parts(path)))
    contacts = pd.concat([cells[cells.index.isin(own.index)] for cells in parts])
    contacts = contacts.reindex(columns=pd.Index(columns), fill_value="")
    return contacts.set_axis([*range(len(columns))], axis=1).assign(number=own)
