"""`ComparedPlan`: a plan beside the record of its campaign, with what is known of each of its messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from campaign.arrow_text import Bools, Ints
from campaign.contacts.cells.grid import name_rows
from campaign.environments import EnvironmentWords, words_for
from campaign.masking import mask_number, mask_text
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import labels_of_contacts, messages_at, rows_of_messages
from campaign.messages.plan_tables.plan_part import PlanPart
from campaign.results.plain_words import SHARING, STATUS_WORDS
from campaign.results.reached_earlier import reached_earlier
from campaign.results.shared_phones import rows_that_share
from campaign.sending.rounds.comparison import (
    ACCEPTED,
    AGAIN,
    AS_CORRECTED,
    ASKED,
    CHANGED,
    GOES_OUT,
    MAY_GO_OUT,
    MOVED,
    NEW,
    SHARED,
    UNDER_ANOTHER_NUMBER,
    UNKNOWN,
    Comparison,
    Knowledge,
)
from campaign.sending.rounds.continuation_plan import continuation_of
from campaign.sending.rounds.people_in_words import PeopleInWords
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.rounds.rows_of_file import RowsOfFile
from campaign.sending.store.identity import NOTHING_SENT_YET
from campaign.text import agreeing, capitalised, clean, counted, figure, listed_words, shorten

_NAMED = 3  # numbers that are in no row any more
_LENGTH = 48  # characters of what each of them got
_LEFT_OUT = {**STATUS_WORDS, "sharing": SHARING}
# What is said of those on whom `changed=` decides: of one and of several, in short, and how that came about.
_ASKED_WORDS = {
    CHANGED: (("was reached", "were reached"), "reached", "with another text"),
    SHARED: (
        ("shares a phone that was reached", "share a phone that was reached"),
        "sharing a phone reached",
        "with somebody else's text",
    ),
    AS_CORRECTED: (
        ("was reached", "were reached"),
        "reached",
        "as corrected in a follow-up file, with another number",
    ),
    MOVED: (
        ("was reached", "were reached"),
        "reached",
        "under another number, as the same cell was read then",
    ),
}


@dataclass(frozen=True, eq=False)
class ComparedPlan:
    """A plan compared with the record of its campaign.

    - `plan`: as it would be sent: of rows with one number the one that was reached, without repeats and
      without those who answered STOP; the rows of a follow-up file are in their table.
    - `given`: the fingerprint of the plan before that.
    - `starts`: the position of the first message of each row that gets something; `comparison` has an entry
      for each of these rows.
    - `waiting_gone`: the numbers that still wait for a message and are in no row any more.
    - `record`: None for a campaign that is not there yet.
    - `environment`: that of the campaign.
    - `opted_out`: which of the rows that get something, or are asked about, the campaign left out before
      because they wanted no messages; an entry for each of these rows.
    - `corrected`: which rows of the contacts get nothing, and were reached, or perhaps, as a person has
      corrected them in a follow-up file.
    - `has_earlier_text`: which rows to correct were reached, or perhaps, with another text than the plan's.
    - `renumbered`: the rows that would go out as new and were reached with their text under another number,
      which other rows still have.
    - `file`: the rows of a follow-up file of the campaign; None for any other plan.
    - `open_in`: where another run has the campaign open, in words; "" if none is known to.
    """

    plan: Plan
    given: str
    starts: Ints
    comparison: Comparison
    waiting_gone: Ints
    record: CampaignRecord | None
    environment: str
    opted_out: Bools
    corrected: Bools
    has_earlier_text: Bools
    renumbered: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    file: RowsOfFile | None = None
    open_in: str = ""

    @property
    def is_first(self) -> bool:
        """Whether nothing was sent under the campaign's name yet."""
        return self.record is None or not self.record.rounds

    @cached_property
    def knowledge(self) -> Knowledge:
        """What is known of each message of the plan."""
        return spread(self.comparison.knowledge, self.starts, self.plan.totals.messages)

    def count(self, *states: int) -> int:
        """Of how many rows one of these is known."""
        return int(np.isin(self.comparison.knowledge, states).sum())

    def earlier_messages(self, places: Ints) -> pd.DataFrame:
        """What some rows or their numbers got before, as `CampaignRecord.messages` gives it."""
        if self.record is None:
            raise AssertionError("without a record nobody was reached")
        return self.record.messages(self.comparison.batches[places], self.comparison.recorded_rows[places])

    def got_other_texts(self, places: Ints) -> Bools:
        """Of some rows whether their number got a text that the plan does not have for it."""
        firsts = pd.concat([*messages_at(self.plan, self.starts[places])])
        numbers = firsts["number"].to_numpy(dtype=np.int64)
        if self.record is not None:
            numbers = self.record.comparable_numbers(numbers)
        return np.isin(numbers, self.comparison.replaced.numbers)

    @property
    def earlier_texts(self) -> pd.DataFrame:
        """For each message what its row or its number got instead: columns `message`, and `number` where the
        row was reached under another one; "" for all that is not known."""
        earlier = pd.DataFrame("", index=range(self.plan.totals.messages), columns=["message", "number"])
        places = np.flatnonzero(np.isin(self.comparison.knowledge, ASKED))
        if len(places):
            got = self.earlier_messages(places).groupby("entry").agg({"message": " ".join, "number": "first"})
            asked = places[got.index.to_numpy()]
            is_other = np.isin(self.comparison.knowledge[asked], UNDER_ANOTHER_NUMBER)
            got["number"] = got["number"].where(is_other, "")
            earlier.iloc[self.starts[asked]] = got.to_numpy()
        return earlier.astype("str")

    @property
    def words(self) -> EnvironmentWords:
        """What the environment of the campaign is called."""
        return words_for(self.environment)

    @property
    def people(self) -> PeopleInWords:
        """The people of the plan by what is known of them, in words."""
        return self.people_among(np.ones_like(self.opted_out), np.zeros_like(self.opted_out))

    def people_among(self, chosen: Bools, elsewhere: Bools) -> PeopleInWords:
        """Some of these people; another campaign has reached those `elsewhere`.

        Both have an entry for each row that gets something.
        """
        knowledge = self.comparison.knowledge
        states, counts = np.unique(knowledge[chosen], return_counts=True)
        known = dict(zip(states.tolist(), counts.tolist(), strict=True))
        is_new = chosen & (knowledge == NEW)
        return PeopleInWords(
            known,
            len(self.corrected_rows),
            self.words,
            left_out=int((is_new & self.opted_out).sum()),
            elsewhere=int((is_new & elsewhere & ~self.opted_out).sum()),
            under_way=self._count_under_way(chosen & (knowledge == UNKNOWN)),
        )

    def _count_under_way(self, unknown: Bools) -> int:
        """For how many of the rows whose message is unknown the run that has the campaign open waits."""
        if self.record is None or not self.open_in:
            return 0
        return int(self.record.under_way[self.comparison.batches[unknown]].sum())

    @property
    def about_run(self) -> str:
        """A sentence about the run that has the campaign open; "" where there is none."""
        return (
            f"The campaign is open in another run, {self.open_in}: these figures change until that run has "
            "ended."
            if self.open_in
            else ""
        )

    @property
    def about_rows(self) -> str:
        """Sentences about rows that get nothing, or something else, for what is known of them."""
        return (
            f"{self.about_beside_file}{self.about_left_out}{self.about_overtaken}{self.about_corrected}"
            f"{self.about_left_behind}{self.about_gone}"
        )

    @property
    def about_gone(self) -> str:
        """A sentence about people who were reached and have left the table, and one about those who have
        another number now, each after a space; "" for nobody."""
        gone = len(self.comparison.gone)
        if not gone:
            return self._about_renumbered
        in_doubt = int(self._are_in_doubt(self.comparison.gone_batches).sum())
        perhaps = " or may have been" if in_doubt else ""
        return (
            f" {counted(gone, 'number')} that {agreeing(gone, 'was', 'were')}{perhaps} {self.words.reached} "
            f"{agreeing(gone, 'is', 'are')} no longer in the table{self._gone_numbers}"
            f"{self._about_corrected_numbers}."
            f"{self._about_renumbered}"
        )

    @property
    def _gone_numbers(self) -> str:
        """The first of these numbers, masked, with what they got, in brackets after a space; "" once that was
        erased."""
        if self.record is None or self.record.digests is not None:
            return ""
        gone, first = self.comparison, slice(_NAMED)
        more = len(gone.gone) - _NAMED
        got = self.record.messages(gone.gone_batches[first], gone.gone_rows[first])
        texts = got.groupby("entry")["message"].agg(" ".join)
        numbers = zip(gone.gone[first].tolist(), self._are_in_doubt(gone.gone_batches[first]), strict=True)
        named = [
            f"{mask_number(str(number))}, who {'may have ' if in_doubt else ''}got "
            f"“{shorten(mask_text(clean(texts[entry])), _LENGTH)}”"
            for entry, (number, in_doubt) in enumerate(numbers)
        ]
        return f" ({'; '.join([*named, *([counted(more, 'other')] if more > 0 else [])])})"

    @property
    def _about_corrected_numbers(self) -> str:
        """What numbers that are gone have to do with new ones, as a continued sentence; "" without any."""
        return ", and whoever has another number now counts as new" if self.count(NEW) else ""

    @property
    def _about_renumbered(self) -> str:
        """The sentence about rows whose old number other rows still have."""
        rows = len(self.renumbered)
        if not rows:
            return ""
        which, count = self._named(self.renumbered), agreeing(rows, "counts", "count")
        how = agreeing(
            rows,
            "this text under another number, which another row still has,",
            "their texts under other numbers, which other rows still have,",
        )
        return (
            f" {capitalised(counted(rows, 'row'))} {agreeing(rows, 'was', 'were')} {self.words.reached} with "
            f"{how} and {count} as new ({which})."
        )

    def _named(self, rows: Ints) -> str:
        """Rows of the campaign's table, which is not the file of a plan that is a follow-up file."""
        return f"{name_rows(rows.tolist()).lower()}{' of your own spreadsheet' if self.file else ''}"

    def name_row(self, row: int) -> str:
        """One of these rows: as it is in a follow-up file, where the plan is one and has it."""
        return f"row {row}" if self.file is None else self.file.name_row(row)

    @cached_property
    def left_out(self) -> dict[str, int]:
        """How many rows of a follow-up file get nothing after all in their campaign, by status; "sharing" are
        those who share a phone with another row, which has another text."""
        if self.rows_left_out.empty:
            return {}
        statuses = self.plan.contacts["status"].reindex(self.rows_left_out)
        shares = statuses.index.isin(rows_that_share(self.plan))
        return {
            str(name): int(count) for name, count in statuses.mask(shares, "sharing").value_counts().items()
        }

    @cached_property
    def rows_left_out(self) -> pd.Index[int]:
        """Those rows."""
        if self.file is None or self.file.offered.empty:
            return pd.Index([], dtype="int64")
        statuses = self.plan.contacts["status"].reindex(self.file.offered)
        return statuses.index[statuses != "not_sent"]

    @cached_property
    def beside_file(self) -> Ints:
        """The rows that get something though a follow-up file does not have them, as its campaign goes on."""
        if self.file is None:
            return np.empty(0, np.int64)
        goes_out = self.starts[np.isin(self.comparison.knowledge, GOES_OUT)]
        return np.setdiff1d(rows_of_messages(self.plan)[goes_out], self.file.places)

    @property
    def about_beside_file(self) -> str:
        """A sentence about these rows, after a space; "" for none."""
        rows = len(self.beside_file)
        if not rows:
            return ""
        are, theirs = agreeing(rows, "is", "are"), agreeing(rows, "gets a message", "get their messages")
        return (
            f" {counted(rows, 'person', 'people')} who {are} not in this file {theirs} too, because it "
            f"continues its campaign ({self._named(self.beside_file)})."
        )

    @property
    def about_left_out(self) -> str:
        """A sentence about these rows, after a space; "" for none."""
        rows = sum(self.left_out.values())
        if not rows:
            return ""
        kinds = [
            f"{count:,} {agreeing(count, *_LEFT_OUT[status.replace('_', ' ')])}"
            for status, count in self.left_out.items()
        ]
        return (
            f" Of the rows of this file that have a text, {rows:,} {agreeing(rows, 'gets', 'get')} nothing "
            f"in this {self.words.campaign}: {', '.join(kinds)}."
        )

    @property
    def about_corrected(self) -> str:
        """A sentence about rows that lack their correction, which was sent, after a space; "" for none."""
        rows = np.union1d(self.corrected_rows, self._reached_as_corrected)
        if not len(rows):
            return ""
        were, them = agreeing(len(rows), "was", "were"), agreeing(len(rows), "correction", "corrections")
        return (
            f" {capitalised(counted(len(rows), 'row'))} to correct {were} sent as corrected in a follow-up "
            f"file: put the {them} into your own spreadsheet too ({self._named(rows)})."
        )

    @property
    def _reached_as_corrected(self) -> Ints:
        """The rows that would get something, and were reached under the number of a follow-up file."""
        rows: Ints = rows_of_messages(self.plan)[self.starts[self.comparison.knowledge == AS_CORRECTED]]
        return rows

    @property
    def about_left_behind(self) -> str:
        """Sentences about rows that get no text and that another one has reached, each after a space; "" for
        none."""
        if not len(rows := self._left_behind):
            return ""
        is_too_long = np.isin(rows, np.concatenate([*self.plan.map_parts(_only_too_long)]))
        kinds = (
            (rows[~is_too_long], "to correct", "corrected in your own spreadsheet too"),
            (rows[is_too_long], "with a text that is too long", "it fits"),
        )
        return "".join(
            f" {capitalised(counted(len(some), 'row'))} {which} {agreeing(len(some), 'was', 'were')} "
            f"{self.words.reached} with another text, and {agreeing(len(some), 'gets', 'get')} this one only "
            f"once {done} ({self._named(some)})."
            for some, which, done in kinds
            if len(some)
        )

    @property
    def _left_behind(self) -> Ints:
        """The rows with a mistake that another text has reached, and not only perhaps."""
        if self.record is None:
            return np.empty(0, np.int64)
        is_accepted: Bools = self.record.knowledge[self.comparison.reached_before] == ACCEPTED
        return labels_of_contacts(self.plan)[self.has_earlier_text & is_accepted]

    @property
    def about_sharing(self) -> str:
        """A sentence about rows that get nothing because another row has their number; "" for none.

        What becomes of the rows of a follow-up file is in `about_left_out`.
        """
        if self.file is not None:
            return ""
        corrected = labels_of_contacts(self.plan)[self.corrected]
        rows = np.setdiff1d(rows_that_share(self.plan), corrected)
        if not len(rows):
            return ""
        shares, gets = agreeing(len(rows), "shares", "share"), agreeing(len(rows), "gets", "get")
        return (
            f"{capitalised(counted(len(rows), 'row'))} {shares} a phone with another row and {gets} nothing "
            f"({name_rows(rows.tolist()).lower()})."
        )

    @property
    def about_overtaken(self) -> str:
        """Sentences about rows of a follow-up file that give way to the own spreadsheet, each after a space;
        "" for none."""
        if self.file is None or self.file.overtaken.empty:
            return ""
        rows, done = self.file.overtaken, self.reached_meanwhile
        no_more = f"nothing is to correct in {agreeing(len(done), 'it', 'them')}"
        put_right = f"put right in your own spreadsheet since, and {self.words.reached}: {no_more}"
        changed = "changed in your own spreadsheet since, or removed from it, and that counts"
        kinds = ((done, put_right), (rows.difference(done), changed))
        return "".join(
            f" {capitalised(counted(len(some), 'row'))} of this file "
            f"{agreeing(len(some), 'was', 'were')} {what} ({self.file.named(some)})."
            for some, what in kinds
            if len(some)
        )

    @cached_property
    def reached_meanwhile(self) -> pd.Index[int]:
        """The rows of a follow-up file that were put right in the own spreadsheet since, and reached.

        Those of which this is not known are none of them.
        """
        if self.file is None or self.record is None:
            return pd.Index([], dtype="int64")
        is_accepted = self.record.knowledge == ACCEPTED
        rows = rows_of_messages(self.plan)[self.starts[is_accepted[self.comparison.batches]]]
        left_out = labels_of_contacts(self.plan)[is_accepted[self.comparison.reached_before]]
        reached = np.union1d(rows, left_out)
        places = self.file.places.reindex(self.file.overtaken)
        return places.index[places.isin(reached)]

    @property
    def corrected_rows(self) -> Ints:
        """The row numbers of those in `corrected`, without those that got another text."""
        return labels_of_contacts(self.plan)[self.corrected & ~self.has_earlier_text]

    @cached_property
    def reached_with_mistake(self) -> Ints:
        """The rows with a mistake whose numbers were reached, without those in `corrected_rows`."""
        if self.record is None:
            return np.empty(0, np.int64)
        reached = reached_earlier(
            self.plan,
            self.record.ledger.outcomes,
            self.comparison.reached_before,
            may_keep=False,
            corrected=self.corrected_rows,
            with_earlier_text=labels_of_contacts(self.plan)[self.has_earlier_text],
        )
        return np.setdiff1d(reached.rows, self.corrected_rows)

    def count_opted_out(self, *states: int) -> int:
        """How many rows were left out before, and one of these is known of them."""
        return int((self.opted_out & np.isin(self.comparison.knowledge, states)).sum())

    @property
    def about_closing(self) -> str:
        """A sentence, after a space, about a campaign that was closed and would go on; "" for any other."""
        if self.record is None or not self.record.ledger.is_closed or not self.count(*MAY_GO_OUT):
            return ""
        return f" The {self.words.campaign} was closed before: sending this opens it again."

    @property
    def reached_otherwise(self) -> str:
        """On whom `changed=` decides, a sentence for each way in which they were reached."""
        by = f"by this {self.words.campaign}"
        ways = [
            f"{counted(count, 'person', 'people')} {agreeing(count, *verbs)} {by} {how}."
            for state, (verbs, _, how) in _ASKED_WORDS.items()
            if (count := self.count(state))
        ]
        return f"{' '.join(ways)}{self._about_doubtful}"

    @property
    def _about_doubtful(self) -> str:
        """That some of these people may have got nothing, after a space; "" where all were reached."""
        is_asked = np.isin(self.comparison.knowledge, ASKED)
        doubtful = int(self._are_in_doubt(self.comparison.batches[is_asked]).sum())
        if not doubtful:
            return ""
        is_all = doubtful == is_asked.sum()
        all_of_them = agreeing(doubtful, "this person", "these people")
        who = all_of_them if is_all else f"{figure(doubtful)} of these people"
        return f" It is not known whether {who} got anything: find out before you decide."

    def _are_in_doubt(self, batches: Ints) -> Bools:
        """Which batches may have been received, or not."""
        known = np.zeros(len(batches), np.int8) if self.record is None else self.record.knowledge[batches]
        return np.isin(known, (AGAIN, UNKNOWN))

    def questions(self, *, changed: bool = True, gone: bool = True) -> str:
        """What `send` asks about before anything leaves, and the choices, after a space; "" for nothing.

        Not about other texts, or about people who are gone, where the answer is given.
        """
        waiting = len(self.waiting_gone)
        others = [
            f"the {counted(count, 'person', 'people')} {reached} {how}"
            for state, (_, reached, how) in _ASKED_WORDS.items()
            if (count := self.count(state))
        ]
        about_others = (
            f' First, send asks about {listed_words(others)}; answer with changed="skip" or changed="send".'
        )
        about_waiting = (
            f" First, send asks about {counted(waiting, 'person', 'people')} no longer in the table, for "
            'whom an earlier message waits; finish it with resume, or answer with gone="withdraw".'
        )
        about_others = f"{about_others}{self._about_doubtful}" if others and changed else ""
        return f"{about_others}{about_waiting if waiting and gone else ''}"

    @property
    def _about_new_name(self) -> str:
        """What it means that rows to correct are sent under another name than that of their campaign."""
        continuation = continuation_of(self.plan)
        if continuation is None:
            return ""
        name = mask_text(clean(continuation.campaign))
        return (
            f"These rows to correct are of the campaign {name!r}. Under another name they are a "
            f"{self.words.campaign} of their own, which does not know whom that one reached."
        )

    @property
    def overview(self) -> str:
        """What the campaign has to do with the rows of the plan, before anything is decided."""
        if self.is_first:
            return self._about_new_name or NOTHING_SENT_YET
        people = ", ".join(self.people.all)
        by_kind = f": {people}" if people else ""
        about = f"{self.about_rows}{self.about_closing}"
        if not by_kind and not about:
            return "This table has no messages to send."
        return f"Compared with what this {self.words.campaign} has sent{by_kind}.{about}"


def spread(by_row: npt.NDArray[Any], starts: Ints, messages: int) -> npt.NDArray[Any]:
    """A value of each row that gets something, for each of its messages; `starts` are its first messages."""
    return by_row if len(starts) == messages else np.repeat(by_row, np.diff(np.r_[starts, messages]))


def _only_too_long(part: PlanPart) -> Ints:
    """The rows of a part that have no mistake but a text that is too long."""
    errors = part.issues[part.issues["severity"] == "error"]
    is_length = errors["code"] == "overlong"
    too_long, mistaken = (errors.loc[kind, "row"].dropna() for kind in (is_length, ~is_length))
    rows: Ints = np.setdiff1d(too_long, mistaken).astype(np.int64)
    return rows
