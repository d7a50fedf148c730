"""Whom other campaigns beside this one have reached: a new name knows nothing of those under others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd

from campaign.arrow_text import Bools, Ints
from campaign.environments import words_for
from campaign.errors import CampaignError
from campaign.local_times import LocalTimes
from campaign.masking import mask_text
from campaign.messages.plan import Plan
from campaign.sending.rounds.comparison import AGAIN, RowTexts
from campaign.sending.rounds.distinct_texts import DistinctTexts
from campaign.sending.rounds.left_out_before import opted_out_before
from campaign.sending.rounds.record import CampaignRecord, planned_parts
from campaign.sending.store.creation import LEDGER
from campaign.sending.store.folder import open_folder
from campaign.sending.store.identity import is_try_out
from campaign.text import agreeing, all_counted, capitalised, clean, counted

_CAMPAIGNS, _MESSAGES = 30, 500_000  # looked at: 3 ms for each campaign, 70 ms for 100,000 messages
_NAMED = 3


@dataclass(frozen=True, eq=False)
class ReachedElsewhere:
    """What another campaign has to do with some people: a row of `people` for each of them.

    Its columns are `reached` (or perhaps), `with_this_text` (reached with the text that they would get now),
    `opted_out` (left out, because they wanted no messages) and `sent_at`, NaT if that is not known.
    """

    name: str
    environment: str
    people: pd.DataFrame

    @property
    def is_news(self) -> bool:
        """Whether it has to do with any of them."""
        return bool(self.people[["reached", "opted_out"]].any(axis=None))

    def among(self, chosen: Bools) -> ReachedElsewhere:
        """The same about some of the people."""
        return replace(self, people=self.people[chosen])


def reached_elsewhere(plan: Plan, outgoing: Ints, path: Path, environment: str) -> list[ReachedElsewhere]:
    """Which other campaigns have reached people of a plan, the one that sent last first.

    `outgoing` are the positions of the messages that would leave: the people are their rows, in this order.
    `path` is the folder of their campaign. Looked at are campaigns beside it in the same environment, those
    that sent last, until half a million messages were looked at. One that cannot be read is left out, and so
    is one whose ledger is not in its folder; a plan that is not in memory is not compared. Nothing is
    written.
    """
    if not plan.is_in_memory or not len(outgoing):
        return []
    starts, rows = next(planned_parts(plan))
    rows = rows.take(np.flatnonzero(np.isin(starts, outgoing)))
    found, messages = [], 0
    for record in islice(_records_beside(path, environment), _CAMPAIGNS):
        with suppress(CampaignError):
            found.append(_reached_by(record, rows, environment))
        messages += sum(batch.messages for batch in record.ledger.batches)
        if messages >= _MESSAGES:
            break
    return [one for one in found if one.is_news]


def about_reached_elsewhere(
    found: Sequence[ReachedElsewhere], people: int, whom: str = "these people"
) -> str:
    """Sentences about other campaigns that reached some of so many people, or left some out; "" for none.

    `whom` is what the people are called.
    """
    sentences = [sentence for one in found[:_NAMED] for sentence in _sentences(one, people, whom)]
    more = len(found) - _NAMED
    if more > 0:
        sentences.append(f"{counted(more, 'other campaign')} in this folder reached some of them too.")
    return " ".join(sentences)


def _sentences(found: ReachedElsewhere, people: int, whom: str) -> Iterator[str]:
    count, same, left_out = (
        int(found.people[name].sum()) for name in ("reached", "with_this_text", "opted_out")
    )
    name = f"under “{mask_text(clean(found.name))}”"
    if count:
        last_sent = found.people["sent_at"].max()
        day = "" if pd.isna(last_sent) else f" on {LocalTimes().day(last_sent)}"
        done = f"{agreeing(count, 'was', 'were')} {words_for(found.environment).reached}"
        who = _who(count, people, whom)
        if same in (0, count):
            text = "this" if same else "another"
            yield f"{who} {done} with {text} text {name}{day}."
        else:
            yield f"{who} {done} {name}{day}, {same:,} of them with this text."
    if left_out:
        were = agreeing(left_out, "was", "were")
        yield f"{_who(left_out, people, whom)} {were} left out {name}, because they wanted no messages."


def _who(count: int, people: int, whom: str) -> str:
    """So many of some people, who are known from the sentence before or from what they are called."""
    if people == 1:
        return "This person"
    of_them = f"of {whom}"
    return capitalised(all_counted(count, of_them, of_them)) if count == people else f"{count:,} {of_them}"


def _records_beside(path: Path, environment: str) -> Iterator[CampaignRecord]:
    """What the other campaigns in the same folder have recorded; the one that was sent last comes first."""
    for place in sorted(_folders_beside(path), key=_last_written, reverse=True):
        with suppress(CampaignError):
            folder = open_folder(place)
            if folder.manifest.environment == environment:
                yield CampaignRecord.of(folder)


def _folders_beside(path: Path) -> list[Path]:
    with suppress(OSError):
        places = [place for place in path.parent.iterdir() if place != path and not is_try_out(place.name)]
        return [place for place in places if (place / LEDGER).is_file()]
    return []


def _last_written(place: Path) -> float:
    with suppress(OSError):
        return (place / LEDGER).stat().st_mtime
    return 0


def _reached_by(record: CampaignRecord, rows: RowTexts, environment: str) -> ReachedElsewhere:
    """Which of these rows the campaign of a record has reached, and which it left out."""
    planned = record.comparable(rows)
    texts = DistinctTexts(planned.numbers, planned.texts)
    with_this_text = np.zeros(len(planned), dtype=bool)
    numbers, batches = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for part in record.texts():
        found = texts.find(part.rows.numbers, part.rows.texts)
        is_reached = (record.knowledge[part.batches] >= AGAIN) & (found.places >= 0)
        with_this_text[found.rows[is_reached & (found.rows >= 0)]] = True
        numbers.append(part.rows.numbers[is_reached])
        batches.append(part.batches[is_reached])
    times = record.ledger.outcomes.set_index("batch")["submitted_at"].reindex(np.concatenate(batches))
    sent_at = times.set_axis(np.concatenate(numbers)).groupby(level=0).max()
    people = {
        "reached": np.isin(planned.numbers, sent_at.index),
        "with_this_text": with_this_text[texts.first_rows],
        "opted_out": opted_out_before(planned.numbers, record),
        "sent_at": sent_at.reindex(planned.numbers).to_numpy(),
    }
    return ReachedElsewhere(record.name, environment, pd.DataFrame(people))
