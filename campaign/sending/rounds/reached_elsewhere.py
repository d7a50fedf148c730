"""Whom other campaigns beside this one have reached: a new name knows nothing of those under others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.arrow_text import Bools, Ints
from campaign.environments import words_for
from campaign.errors import CampaignError
from campaign.local_times import LocalTimes
from campaign.masking import mask_text
from campaign.messages.plan import Plan
from campaign.sending.rounds.comparison import AGAIN, NOTHING_SENT, SentRows
from campaign.sending.rounds.left_out_before import opted_out_before
from campaign.sending.rounds.planned_rows import PlannedRows
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.creation import LEDGER
from campaign.sending.store.folder import open_folder
from campaign.sending.store.identity import is_try_out
from campaign.text import agreeing, all_counted, capitalised, clean, counted, listed_words
from campaign.values import replace

_CAMPAIGNS, _MESSAGES = 30, 500_000  # looked at: 3 ms for each campaign, 70 ms for 100,000 messages
_NAMED = 3
_THESE = "these people"  # who get a message, as was said before


class ReachedElsewhere(Struct, frozen=True, eq=False):
    """What another campaign has to do with some people: a row of `people` for each of them.

    Its columns are `row`, `reached` (or perhaps), `with_this_text` (reached with the text that they would get
    now), `opted_out` (left out, because they wanted no messages) and `sent_at`, NaT if that is not known.
    """

    name: str
    environment: str
    people: pd.DataFrame

    @property
    def is_news(self) -> bool:
        """Whether it has to do with any of them."""
        return bool(self.people[["reached", "opted_out"]].any(axis=None))

    def count(self, what: str) -> int:
        """Of how many people a column says so."""
        return int(self.people[what].sum())

    @property
    def named(self) -> str:
        """Under which name it was sent."""
        return f"under “{mask_text(clean(self.name))}”"

    @property
    def day(self) -> str:
        """When it reached the last of them, after a space; "" if that is not known."""
        last_sent = self.people["sent_at"].max()
        return "" if pd.isna(last_sent) else f" on {LocalTimes().day(last_sent)}"

    @property
    def with_text(self) -> str:
        """With which text it has reached how many of them: "3 with another text"."""
        count, same = self.count("reached"), self.count("with_this_text")
        if same not in (0, count):
            return f"{count:,} ({same:,} of them with this text)"
        return f"{count:,} with {'this' if same else 'another'} text"

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
    planned = PlannedRows.of(plan)
    planned = planned.take(planned.is_planned)
    planned = planned.take(np.isin(planned.starts, outgoing))
    found, messages = [], 0
    for record in islice(_records_beside(path, environment), _CAMPAIGNS):
        with suppress(CampaignError):
            found.append(_reached_by(record, planned, environment))
        messages += sum(batch.messages for batch in record.ledger.batches)
        if messages >= _MESSAGES:
            break
    return [one for one in found if one.is_news]


def about_reached_elsewhere(
    found: Sequence[ReachedElsewhere],
    people: int,
    whom: str = _THESE,
    named: Callable[[Ints], str] = lambda rows: "",
) -> str:
    """What other campaigns reached of so many people, in a sentence, and whom they left out, in another one;
    "" for nobody. `whom` is what the people are called, and `named` names some of their rows.

    Another campaign knows numbers. With another text it may have reached somebody else who has the phone.
    """
    reached = [one for one in found if one.count("reached")]
    left_out = [one for one in found if one.count("opted_out")]
    whose = [_about_one(one, people, whom, named) for one in reached]
    if len(reached) > 1:
        whose = [_about_several(reached, whom)]
    return " ".join([*whose, *([_about_left_out(left_out, people, whom)] if left_out else [])])


def _about_one(found: ReachedElsewhere, people: int, whom: str, named: Callable[[Ints], str]) -> str:
    """Whose numbers the only such campaign has reached; of some of the people, the rows are named."""
    count, same = found.count("reached"), found.count("with_this_text")
    which = f"with {'another' if not same else 'this'} text {found.named}{found.day}"
    if same not in (0, count):
        which = f"{found.named}{found.day}, {same:,} of them with this text"
    numbers = agreeing(count, "The number", "The numbers")
    done = f"{agreeing(count, 'was', 'were')} {words_for(found.environment).reached}"
    rows = found.people.loc[found.people["reached"], "row"].to_numpy(dtype=np.int64)
    where = f" ({rows_named})" if count < people and (rows_named := named(rows)) else ""
    too = "" if same or whom != _THESE else " They get this text too."
    return f"{numbers} of {_who(count, people, whom)}{where} {done} {which}.{too}"


def _about_several(found: Sequence[ReachedElsewhere], whom: str) -> str:
    """How many people's numbers each of several campaigns has reached."""
    others = len(found) - _NAMED
    listed = [f"{one.with_text} {one.named}{one.day}" for one in found[:_NAMED]]
    listed += [f"some under {counted(others, 'other name')}"] if others > 0 else []
    reached = words_for(found[0].environment).reached
    return (
        f"Numbers of {whom} were {reached} by {len(found):,} other campaigns in this folder: "
        f"{listed_words(listed)}."
    )


def _about_left_out(found: Sequence[ReachedElsewhere], people: int, whom: str) -> str:
    """How many people these campaigns have left out."""
    first, *others = ((one.count("opted_out"), one.named) for one in found)
    were = agreeing(first[0], "was", "were")
    more = [named if people == 1 else f"{count:,} {named}" for count, named in others]
    under = listed_words([first[1], *more])
    who = capitalised(_who(first[0], people, whom))
    return f"{who} {were} left out {under}, because they wanted no messages."


def _who(count: int, people: int, whom: str) -> str:
    """So many of some people, who are known from the sentence before or from what they are called."""
    if people == 1:
        return "this person"
    of_them = f"of {whom}"
    return all_counted(count, of_them, of_them) if count == people else f"{count:,} {of_them}"


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


def _reached_by(record: CampaignRecord, planned: PlannedRows, environment: str) -> ReachedElsewhere:
    """Which of these rows the campaign of a record has reached, and which it left out."""
    reached = SentRows.joined(
        [NOTHING_SENT, *(part.take(record.knowledge[part.batches] >= AGAIN) for part in record.sent())]
    )
    numbers = planned.hashes.numbers
    reached = reached.take(np.isin(reached.rows.numbers, numbers))
    times = record.ledger.outcomes.set_index("batch")["submitted_at"].reindex(reached.batches)
    sent_at = times.set_axis(reached.rows.numbers).groupby(level=0).max()
    people = {
        "row": planned.labels,
        "reached": np.isin(numbers, sent_at.index),
        "with_this_text": np.isin(planned.hashes.keys, reached.rows.keys),
        "opted_out": opted_out_before(numbers, record),
        "sent_at": sent_at.reindex(numbers).to_numpy(),
    }
    return ReachedElsewhere(record.name, environment, pd.DataFrame(people))
