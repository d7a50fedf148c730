"""A last look at the campaigns that `not_again=` named, when a round is about to be registered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from campaign.arrow_text import Ints
from campaign.contacts.reserved_columns import OUTCOME_COLUMNS
from campaign.errors import FolderError, UsageError
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import messages_at
from campaign.messages.suppression.earlier_rows import EarlierRows
from campaign.messages.suppression.suppression_lists import EarlierCampaign
from campaign.sending.rounds.comparison import AGAIN, missing_numbers
from campaign.sending.rounds.reached_people import reached_rows, rows_of_then, rows_with_others
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.folder import open_folder
from campaign.sending.store.frame_files import frame_columns, read_frame
from campaign.sending.store.rounds import ALTERNATIVES, CONTACTS, RECIPIENTS, Round
from campaign.text import agreeing, counted


def read_earlier_campaign(folder: str) -> EarlierCampaign:
    """Whom a campaign has reached; raises `FolderError` while some of its messages still wait.

    They would go out later, to people who may by then have been reached by the campaign that is prepared now.
    """
    place = open_folder(folder)
    record = CampaignRecord.of(place)
    unsent = 0 if record.ledger.is_closed else sum(unsent_messages(record))
    if unsent:
        raise FolderError(
            f"The campaign in {folder} is not finished: {counted(unsent, 'message')} "
            f"{agreeing(unsent, 'waits or was refused', 'wait or were refused')}, and would go out with the "
            "next run. Finish it with resume, or close it, before it can be named in not_again=."
        )
    if record.is_erased:
        raise FolderError(
            f"The campaign in {folder} was erased, so the numbers that it reached are not known any more. "
            "Give a list of their numbers as not_again= instead, for example the spreadsheet that was sent."
        )
    # All rounds count: people who have left the table or opted out since were reached nevertheless.
    numbers = missing_numbers(record.texts, record.knowledge >= AGAIN, np.empty(0, np.int64))
    reached, rows = pd.Series(numbers).astype("str"), _rows_of_shared_phones(record)
    return EarlierCampaign(folder, reached, place.manifest.environment, rows)


def _rows_of_shared_phones(record: CampaignRecord) -> EarlierRows | None:
    """What the rows said whose number others had with another text when the campaign ended; None where there
    are none. Copies count for nothing: they are of one person."""
    if not record.rounds:
        return None
    last = record.rounds[-1]
    left_out = read_frame(last.path / ALTERNATIVES, ["number"])["number"].astype("int64")
    numbers = read_frame(last.path / RECIPIENTS, ["number"])["number"]
    repeated = numbers[numbers.duplicated() & (numbers > 0)].unique()
    reached = reached_rows(record, repeated)
    texts = reached.groupby("number")["row"].nunique()
    several = texts.index[texts > 1]
    reached = reached[reached["number"].isin(left_out) | reached["number"].isin(several)]
    names = [name for name in frame_columns(last.path / CONTACTS) if name not in OUTCOME_COLUMNS]
    columns = [name for name in names if name not in last.manifest.number_columns]
    rounds = [rows_of_then(one_round, columns, reached) for one_round in record.rounds[:-1]]
    rounds = [rows[rows["is_reached"]] for rows in rounds if len(rows)]
    own = reached[reached["round"] == last.number]
    rounds.append(rows_with_others(last, columns, own, reached["number"]))
    if not any(map(len, rounds)):
        return None
    rows = pd.concat([*filter(len, rounds)], ignore_index=True)
    return EarlierRows(tuple(columns), _identifying(last, columns), rows.drop(columns=["row", "round"]))


def _identifying(one_round: Round, columns: Sequence[str]) -> tuple[int, ...]:
    """The positions of the columns in which most rows of a round differ, as its first part has them."""
    cells = read_frame(one_round.path / CONTACTS, columns, part=0)
    filled = ((cells[name][cells[name] != ""]) for name in columns)
    return tuple(place for place, own in enumerate(filled) if 2 * own.nunique() > len(own) > 0)


def unsent_messages(record: CampaignRecord) -> tuple[int, int]:
    """How many messages of the last round wait, and how many were refused: the next run would send both."""
    if not record.rounds:
        return 0, 0
    planned = record.rounds[-1].messages_by_batch(record.ledger.batches)
    counts = Counter[str]()
    for batch in record.ledger.batches:
        counts[batch.state] += planned.get(batch.batch, 0)
    return counts["pending"] + counts["again"], counts["refused"]


def check_names_others(plan: Plan, path: Path) -> None:
    """Raise if `not_again=` names the very campaign whose folder this is."""
    for campaign in plan.not_again:
        place = campaign.place if isinstance(campaign, EarlierCampaign) else ""
        if place and Path(place).resolve() == path.resolve():
            raise UsageError(
                "not_again= names the campaign that this plan would continue, so everybody whom it has "
                "reached would be left out. Give the new campaign a name of its own, for example "
                'name="reminder", or leave not_again= out: nobody gets the same text twice from one campaign.'
            )


def check_not_again(plan: Plan, outgoing: Ints) -> None:
    """Raise if a campaign named in `not_again=` waits, or has reached people of the plan since it was read.

    `outgoing` are the positions of the messages that are to go out.
    """
    for campaign in plan.not_again:
        if not (isinstance(campaign, EarlierCampaign) and campaign.place):
            continue
        reached = _reached_since(campaign, read_earlier_campaign(campaign.place))
        count = sum(int(frame["number"].isin(reached).sum()) for frame in messages_at(plan, outgoing))
        if count:
            raise UsageError(
                f"{campaign.place} has reached {counted(count, 'person', 'people')} of this plan since it "
                "was prepared. Prepare it again, so that they are left out."
            )


def _reached_since(then: EarlierCampaign, now: EarlierCampaign) -> pd.Series[str]:
    """The numbers that a campaign has reached since it was read, or with the text of one more row."""
    more = _reached_rows_by_number(now).sub(_reached_rows_by_number(then), fill_value=0)
    once_more = pd.Series(more.index[more > 0].astype("str"), dtype="str")
    numbers: pd.Series[str] = pd.concat([now.reached[~now.reached.isin(then.reached)], once_more])
    return numbers


def _reached_rows_by_number(campaign: EarlierCampaign) -> pd.Series[int]:
    """Of how many rows the text has reached each number that several of them had."""
    if campaign.rows is None:
        return pd.Series(0, index=pd.Index([], dtype="int64"))
    rows = campaign.rows.rows
    counts: pd.Series[int] = rows.loc[rows["is_reached"], "number"].value_counts()
    return counts
