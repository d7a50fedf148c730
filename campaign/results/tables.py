"""`Result`: the plan joined with what its ledger knows about each batch, as tables."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from campaign.argument_checks import check_choice, wrong
from campaign.contacts.reading_record import Reading
from campaign.contacts.reserved_columns import OUTCOME_COLUMNS
from campaign.contract import BATCH_COLUMNS, CORRECTED, KEPT_TEXT, ORDERED_AGAIN, STATUSES
from campaign.environments import words_for
from campaign.errors import LedgerError, UsageError
from campaign.local_times import LocalTimes
from campaign.masking import mask_sentences, mask_texts
from campaign.messages.plan import Plan, whole_part
from campaign.messages.plan_tables.plan_columns import (
    columns_of_contacts,
    labels_of_contacts,
    rows_of_messages,
)
from campaign.public_calls import public_call
from campaign.results.breakdown import break_down, choose_column
from campaign.results.card import result_card
from campaign.results.dask_frames import TABLES, frame_of_one, frame_of_parts
from campaign.results.earlier_messages import about_elsewhere, about_kept_texts
from campaign.results.follow_up_rows import FollowUpRows
from campaign.results.left_to_do import LeftToDo, WaysOn
from campaign.results.messages_elsewhere import (
    MessagesElsewhere,
    messages_elsewhere,
)
from campaign.results.outcome_tables import by_urgency, outcomes_of
from campaign.results.plain_words import without_error_classes
from campaign.results.reached_earlier import (
    ReachedEarlier,
    kept_as_corrected,
    reached_earlier,
    texts_that_reached,
)
from campaign.results.recorded import ContactsOfRounds, Recorded, no_contacts, nothing_recorded
from campaign.results.result_part import ResultPart, result_parts
from campaign.results.sending_time import seconds_spent
from campaign.results.sent_rounds import SentRound, count_rounds
from campaign.results.shared_phones import (
    LikelyRepeats,
    column_of_names,
    reasons_of_shared,
    rows_that_share,
    shared_phones,
)
from campaign.results.text_owners import TextOwners
from campaign.results.totals import ResultTotals, outcome_sentence
from campaign.text import clean, counted

# Rows that can go into a new campaign without anybody getting a message twice. Those that are unknown may
# have been sent, and those that were not sent go out with `resume`.
SAFE_TO_PREPARE_AGAIN = ("invalid", "refused")


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Result:
    """The outcome of a plan: tables that account for every batch, every message and every row. Immutable.

    Made by `send`, `Run.wait` and `load_result`. The tables are copies: changing one changes nothing here.
    """

    plan: Plan
    name: str
    environment: str
    folder: Path | None
    _batches: pd.DataFrame
    _batch_of_message: npt.NDArray[np.int64]
    _batch_of_excluded: npt.NDArray[np.int64]
    _note: str
    nothing_sent: bool
    rounds: tuple[SentRound, ...]
    is_closed: bool
    open_in: str
    given_price: Decimal | None
    _order: str
    _changes: Callable[[], str]
    _ways_on: WaysOn
    contacts_of_rounds: ContactsOfRounds
    table_of_version: Callable[[str], pd.DataFrame | None]
    recorded: Recorded

    def __init__(
        self,
        plan: Plan,
        batches: pd.DataFrame,
        *,
        environment: str,
        name: str = "",
        folder: Path | None = None,
        sentence: str = "",
        nothing_sent: bool = False,
        batch_of_message: npt.NDArray[np.int64] | None = None,
        batch_of_excluded: npt.NDArray[np.int64] | None = None,
        rounds: Sequence[SentRound] = (),
        is_closed: bool = False,
        open_in: str = "",
        order: str = "",
        changes: Callable[[], str] = str,
        ways_on: WaysOn = (),
        contacts_of_rounds: ContactsOfRounds = no_contacts,
        table_of_version: Callable[[str], pd.DataFrame | None] = lambda _: None,
        recorded: Recorded = nothing_recorded,
    ) -> None:
        """Join a plan with its batches.

        `batch_of_message` has the number of the batch of each message of the plan; without it the batches are
        consecutive slices of `plan.messages`. `batch_of_excluded` has for each row of the contacts that gets
        no message the batch that had reached its number before, 0 for none. `name` is that of the campaign.
        `sentence` says why the run ended, "" if there is nothing to say; with `nothing_sent` it comes first.
        `rounds` is what the folder tells about the campaign's rounds, in order; () if there is no folder.
        `is_closed` says that a person has closed the campaign since, `open_in` where a run has it open, "" if
        none is known to, `order` which order holds for all workers, "" if there never were any. `changes`
        says what happened in the campaign after this was read, in a sentence, "" for nothing. `ways_on` are
        the calls that send what is left, and `contacts_of_rounds` reads the tables of all rounds, this one
        included, part by part, and `table_of_version` the one of that version as it was first sent, None if
        it is not known. `recorded` reads whom the messages of some batches were for. Raises `LedgerError` if
        batches and messages do not fit.
        """
        if tuple(batches.columns) != BATCH_COLUMNS:
            raise UsageError(f"The batches need exactly the columns {', '.join(BATCH_COLUMNS)}.")
        if batch_of_message is None:
            batch_of_message = np.repeat(batches["batch"].to_numpy(), batches["messages"].to_numpy())
        if batch_of_excluded is None:
            batch_of_excluded = np.zeros(plan.totals.rows, np.int64)
        distinct = np.flatnonzero(np.bincount(batch_of_message))
        if len(batch_of_message) != plan.totals.messages or not np.isin(distinct, batches["batch"]).all():
            raise LedgerError(
                f"The ledger has batches for {counted(len(batch_of_message), 'message')}, and the plan has "
                f"{plan.totals.messages:,}: they do not belong together. Give the folder that the campaign "
                "was sent from."
            )
        vars(self).update(
            plan=plan,
            name=name,
            environment=environment,
            folder=folder,
            _batches=batches.reset_index(drop=True),
            _batch_of_message=batch_of_message,
            _batch_of_excluded=batch_of_excluded,
            _note=sentence,
            nothing_sent=nothing_sent,
            rounds=tuple(rounds),
            is_closed=is_closed,
            open_in=open_in,
            given_price=None,
            _order=order,
            _changes=changes,
            _ways_on=ways_on,
            contacts_of_rounds=contacts_of_rounds,
            table_of_version=table_of_version,
            recorded=recorded,
        )

    @property
    def batches(self) -> pd.DataFrame:
        """One row for each request to the service, in order.

        Columns: batch (int64, starting at 1), messages (int64), status, cost (Decimal in the service's units,
        None if it reported none), code (to quote to the service, "" if there is none), error (also who
        settled it by `resolve` or `reconcile`, and how), attempts (int64), submitted_at (UTC, NaT if never),
        seconds (float), round (int64, starting at 1; a run that had nothing to send has a number too, which
        reports do not count). Batches of earlier rounds are included, so that their messages may be in no row
        of today's table any more. Numbers are never used twice, and those of batches that were withdrawn
        before they left are not here.
        """
        return self._batches.copy(deep=False)

    @property
    def messages(self) -> pd.DataFrame:
        """One row for each message, in sending order.

        The columns of `Plan.messages`, then status, batch (int64), code and cost_share: the batch's cost
        divided by its messages. It is an estimate, because the service reports only the cost of the batch.
        """
        return self._whole.messages

    @property
    def contacts(self) -> pd.DataFrame:
        """Every row of the file with its own columns, then status, reason, batch (Int64) and code.

        A row that was sent as several messages shows the one that most needs attention. A row with a mistake
        whose number was reached earlier in the campaign keeps its status, and its reason says so. The reason
        of an accepted row says if a later text went to its number.
        """
        return self._whole.contacts

    @public_call
    def parts(self) -> Iterator[ResultPart]:
        """The tables of the result in parts of consecutive rows: `messages`, `contacts` and `issues` of each.

        The parts of a large result are read one by one; a result in memory is one part.
        """
        if self.plan.is_in_memory:
            return iter([self._whole])
        return result_parts(
            self.plan,
            self._batches,
            self._batch_of_message,
            self._batch_of_excluded,
            self._reasons,
            self._reached,
        )

    @public_call
    def to_dask(self, table: str = "contacts") -> Any:
        """The contacts, messages or issues as a Dask DataFrame with a partition for each of the `parts`.

        The campaign folder has to be on a disk that the workers share; each reads only its own parts. The
        index and the columns are those of the table of that name. Needs `pip install "campaign[dask]"`.
        """
        check_choice(table, TABLES, subject="table")
        store = self.plan.store
        if store is None:
            return frame_of_one(getattr(self, table))
        if not store.is_readable_elsewhere:
            raise UsageError(
                "The tables of this result are in a temporary file of this program, which no worker can "
                "read. Use campaign.load_result(result.folder).to_dask() instead."
            )
        return frame_of_parts(self.parts, table)

    @property
    def outcomes(self) -> pd.Series[str]:
        """What became of each row, named as in the bars: `totals.by_outcome` counts them.

        `contacts` has the statuses, which do not tell who shares a phone or was reached in an earlier round.
        """
        statuses = pd.concat([part.status for part in self._bare_parts()])
        return outcomes_of(statuses, self._sharing, self._reached)

    @property
    def texts_that_reached(self) -> pd.Series[str]:
        """For each row that was reached earlier the text that it got then, if that is known."""
        return texts_that_reached(
            self._reached, self.plan, self._batch_of_excluded, self.recorded, self._batches_of_this_table
        )

    @property
    def _batches_of_this_table(self) -> npt.NDArray[np.int64]:
        """The batches of rounds in which a row number means the same row as here."""
        version = "" if self.reading is None else self.reading.version
        rounds = [one.round for one in self.rounds if version and one.table_version == version]
        return self._batches.loc[self._batches["round"].isin(rounds), "batch"].to_numpy(dtype=np.int64)

    @property
    def issues(self) -> pd.DataFrame:
        """The issues of the plan: what was wrong or worth knowing before sending."""
        return self.plan.issues

    @property
    def reading(self) -> Reading | None:
        """How the file was read, if known."""
        return self.plan.reading

    @cached_property
    def totals(self) -> ResultTotals:
        """The number of rows in each status; they add up to the rows of the file."""
        statuses = (part.status for part in self._bare_parts())
        sharing, reached = self._sharing, self._reached
        return ResultTotals.of(
            self.plan.totals,
            statuses,
            self._batches,
            self.currency,
            self.environment,
            sharing=len(sharing),
            sharing_unreached=len(np.setdiff1d(sharing, np.union1d(reached.rows, reached.doubtful))),
            sharing_corrected=len(np.intersect1d(sharing, reached.outdated)),
            reached_earlier=len(reached.rows),
            in_doubt=len(reached.doubtful),
            kept_as_corrected=self._count_accepted(self._kept_as_corrected),
        )

    @property
    def currency(self) -> str:
        """The currency of the account, "" if it was not given. The service itself names none."""
        return next((one.currency for one in reversed(self.rounds) if one.currency), "")

    @property
    def sent_rounds(self) -> int:
        """How many rounds had messages to send: a run that had none is no round to people."""
        return count_rounds(self._batches["round"])

    @property
    def seconds(self) -> float:
        """How long the campaign has been sending, over all runs: no pauses, nothing between them."""
        rates = {one.round: one.options.get("rate") for one in self.rounds}
        return seconds_spent(self._batches, rates, self.rounds[-1].paces if self.rounds else ())

    @public_call
    def by(self, column: str) -> pd.DataFrame:
        """The result for each value of a column of the file, such as a clinic, those with most rows first.

        The index has the values, "" for the rows in which the cell is empty. Values that differ only by case,
        "Gulu" and "gulu", are one, as most rows write it. Columns: rows, people (rows that are neither blank
        nor a copy of another row), the eight statuses, sharing_a_phone and reached_earlier (rows that have
        one of these statuses, too: see `outcomes`), needing_attention (people who got nothing, or perhaps
        nothing, though they did not opt out), parts (SMS parts of the messages), cost_share and unpriced. All
        are int64 but `cost_share`: the batches' costs, shared out by messages, as Decimal. It is an estimate,
        because the service names one cost for a batch. `unpriced` counts messages without a known cost that
        may have been charged; with any, the cost is a lower bound, and None if that is all.

        The sums are those of `totals`. The costs of all texts to the person of a row are in its value. What
        went to numbers that are in no row any more, or only in that of somebody else, is in a last row, with
        a missing value (NaN) and without rows, so that the costs add up too.

        Raises `ColumnError` if there is no such column.
        """
        return self._broken_down(column, "status")

    @public_call
    def outcomes_by(self, column: str) -> pd.DataFrame:
        """The frame of `by` with each row in one column only, that of its outcome, as reports show it.

        Somebody who shares a phone is no duplicate there, and a row to correct whose person an earlier round
        reached is not invalid. The sums are those of `totals.by_outcome`.
        """
        return self._broken_down(column, "outcome")

    def _broken_down(self, column: str, kind: Literal["status", "outcome"]) -> pd.DataFrame:
        place, name = choose_column(self.columns, column)
        needing = self.needing_attention.to_numpy()
        elsewhere = self.elsewhere.places(self._batches)
        return break_down(self.parts(), place, name, self._sharing, needing, self._batches, elsewhere, kind)

    @public_call
    def follow_up(self, statuses: Collection[str] = SAFE_TO_PREPARE_AGAIN) -> pd.DataFrame:
        """The rows to correct and send again, as a contact table for `prepare`; see also `write_follow_up`.

        Its columns are those of the file, then "last reason", "last status", "row in the file", "mark (leave
        as it is)" and "campaign", by which `read_contacts` and `prepare` know the table again. Columns of the
        file that have such a name get " (your column)" behind it until then. The index `row` is the row
        number in the file.

        Rows that are `unknown` may have been sent already, and rows that are `not_sent` go out with `resume`.
        Both are left out unless `statuses` names them, so that nobody gets a message twice. "invalid" stands
        for all rows to correct: also for those of people who share a phone with somebody in another row, who
        got another text. Their status is duplicate; with another number they are reached. Rows whose people
        were reached earlier in the campaign are left out, as after a follow-up file.
        """
        table = pd.concat([*self.follow_up_rows.with_status(_checked_statuses(statuses))])
        table.attrs = {} if self.reading is None else {"reading": self.reading}
        return table

    @property
    def follow_up_rows(self) -> FollowUpRows:
        """The rows of `follow_up` part by part."""
        return FollowUpRows(
            self.parts,
            self._sharing,
            self._reached.rows,
            self._reached.doubtful,
            lambda: self.corrected_rows,
            self.reading,
            self.name,
        )

    @property
    def needing_attention(self) -> pd.Index[int]:
        """The rows of people who got nothing, or perhaps nothing, though they did not opt out."""
        rows = replace(self.follow_up_rows, parts=self._bare_parts)
        return pd.Index(rows.labels(), dtype="int64", name="row")

    @property
    def unknown_rows(self) -> pd.DataFrame:
        """The rows of people of whom it is not known whether they were reached: columns row, and batch.

        A row whose messages are in several unknown batches is there for each of them.
        """
        labels, batches = labels_of_contacts(self.plan), self._batches
        is_unknown = np.isin(self._batch_of_message, batches.loc[batches["status"] == "unknown", "batch"])
        is_doubtful = np.isin(labels, self._reached.doubtful)
        rows = [rows_of_messages(self.plan)[is_unknown], labels[is_doubtful]]
        numbers = [self._batch_of_message[is_unknown], self._batch_of_excluded[is_doubtful]]
        table = pd.DataFrame({"row": np.concatenate(rows), "batch": np.concatenate(numbers)})
        return table.drop_duplicates().sort_values("batch", kind="stable")

    @property
    def sentence(self) -> str:
        """The outcome and what is left to do, in plain words."""
        return " ".join((self.headline, *self.left_to_do))

    @property
    def headline(self) -> str:
        """The outcome, and why the run ended as it did."""
        return self._headline(self._note)

    def _headline(self, note: str) -> str:
        outcome, earlier = outcome_sentence(self.totals), self._about_earlier_rounds
        if self.nothing_sent and self.totals["accepted"]:
            pieces = [note, f"So far, {outcome[0].lower()}{outcome[1:]}", earlier]
        else:
            pieces = [note, outcome, earlier] if self.nothing_sent else [outcome, note, earlier]
        pieces = [words_for(self.environment).caution, *pieces, self.about_closing]
        return " ".join(piece for piece in pieces if piece)

    @property
    def changes_since(self) -> str:
        """What has happened in the campaign since this was read, in a sentence; "" for nothing.

        A result does not change: `load_result` reads what is known now.
        """
        return self._changes()

    @property
    def remarks(self) -> tuple[str, str]:
        """Why the run ended, and what was sent that is not in today's table; "" for neither."""
        return self._note, self._about_earlier_rounds

    @property
    def about_closing(self) -> str:
        """That a person has closed the campaign, where nothing that is left to do says so; else ""."""
        says_so = self.totals["refused"] or self.totals["not_sent"]
        return "The campaign is closed: nothing waits in it." if self.is_closed and not says_so else ""

    @cached_property
    def _about_earlier_rounds(self) -> str:
        """Who keeps what earlier rounds sent, and what was sent that is not in today's table."""
        kept = about_kept_texts(sum(part.kept_texts for part in self.parts()))
        return " ".join(filter(None, (kept, about_elsewhere(self.elsewhere))))

    @cached_property
    def elsewhere(self) -> MessagesElsewhere:
        """The messages that left, or may have, and are not in today's table."""
        reached, excluded = self._reached, self._batch_of_excluded
        owners = TextOwners(
            self.plan, reached, excluded, self._batches_of_this_table, self.recorded, self.contacts_of_rounds
        )
        rows = np.union1d(reached.rows, reached.doubtful)
        own = self._batch_of_message
        return owners.named(messages_elsewhere(self.plan, self._batches, own, excluded, rows, self.recorded))

    @property
    def left_to_do(self) -> tuple[str, ...]:
        """What is left to do, one sentence each; the note of a run that stopped early says how to resume."""
        says_how = self._note and self._order != "paused"
        return self._to_do.sentences(without={"not_sent"} if says_how else set())

    @property
    def decisions(self) -> dict[str, str]:
        """What is left to do, by status, where a person has decided already what becomes of it."""
        return self._to_do.decisions

    @property
    def about_ordered_again(self) -> str:
        """What to do about batches that are ordered again, where others are unknown too; "" for none."""
        return self._to_do.about_ordered_again

    @property
    def corrections_to_copy(self) -> list[str]:
        """What your own spreadsheet lacks, a sentence each: rows with a mistake whose people were reached,
        and rows that were corrected in the follow-up file, in this round or an earlier one."""
        return self._to_do.corrections_to_copy

    @property
    def about_later_texts(self) -> str:
        """What to do about people whose last message is not the one of the table; "" where there are none."""
        return self._to_do.about_later_texts

    @cached_property
    def corrected_rows(self) -> pd.Index[int]:
        """The row numbers of those that the table has as they were corrected, in its order."""
        if len(self.rounds) < 2 or self.is_erased:
            return pd.Index([], dtype="int64", name="row")
        issues = pd.concat([part.issues[["row", "code"]] for part in self.parts()])
        return pd.Index(issues.loc[issues["code"] == CORRECTED, "row"].astype("int64"), name="row")

    @cached_property
    def _kept_as_corrected(self) -> pd.Index[int]:
        """The rows whose people keep what they got under the number of a follow-up file: only after an answer
        that lets them, as a table has to be read for it."""
        if not self.rounds or self.is_erased or self.rounds[-1].options.get("changed") != "skip":
            return pd.Index([], dtype="int64", name="row")
        return kept_as_corrected(pd.concat([part.issues[["row", "code"]] for part in self.parts()]))

    def _count_accepted(self, rows: pd.Index[int]) -> int:
        if rows.empty:
            return 0
        statuses = pd.concat([part.status for part in self._bare_parts()])
        return int((statuses.reindex(rows) == "accepted").sum())

    @property
    def _to_do(self) -> LeftToDo:
        return LeftToDo(
            self.totals,
            self._batches,
            self.messages_by_batch,
            self._reached,
            lambda: self.corrected_rows.union(self._kept_as_corrected),
            lambda: rows_of_messages(self.plan),
            self._kept_batches,
            self.elsewhere.last_texts,
            lambda: self.likely_repeats,
            folder=self.folder,
            order=self._order,
            is_closed=self.is_closed,
            open_in=self.open_in,
            is_erased=self.is_erased,
        )

    def _kept_batches(self) -> set[int]:
        """Of the batches that are to go out again those of which every person keeps an earlier text."""
        ordered_again = set(self._batches.loc[self._batches["error"] == ORDERED_AGAIN, "batch"])
        if not ordered_again:
            return set()  # nobody needs the issues, which have to be read
        for part in self.parts():
            issues, messages = part.issues, part.messages
            is_kept = messages["row"].isin(issues.loc[issues["code"] == KEPT_TEXT, "row"].dropna())
            ordered_again -= set(messages.loc[~is_kept, "batch"])
        return ordered_again

    @property
    def is_erased(self) -> bool:
        """Whether names, numbers and texts were erased, so that the contacts have no column of the file."""
        return set(self.columns) <= set(OUTCOME_COLUMNS)

    @property
    def columns(self) -> list[str]:
        """The columns of the plan's contacts."""
        return columns_of_contacts(self.plan)

    @cached_property
    def messages_by_batch(self) -> npt.NDArray[np.int64]:
        """How many messages of the table are in each batch."""
        numbers = self._batches["batch"].to_numpy()
        counts: npt.NDArray[np.int64] = np.bincount(
            self._batch_of_message, minlength=int(numbers.max(initial=0)) + 1
        )[numbers]
        return counts

    @cached_property
    def _whole(self) -> ResultPart:
        """All rows in memory. Raises `CampaignError` where the memory is too small."""
        whole, excluded = whole_part(self.plan), self._batch_of_excluded
        reasons, reached = self._reasons, self._reached
        return ResultPart(whole, self._batches, self._batch_of_message, excluded, reasons, reached)

    @cached_property
    def _sharing(self) -> npt.NDArray[np.int64]:
        """The rows of people who share a phone with somebody else, whose text was another one."""
        return rows_that_share(self.plan)

    @cached_property
    def _reached(self) -> ReachedEarlier:
        """Who was reached in an earlier round, though today's row has a mistake or another text."""
        may_keep = len(self.rounds) > 1 and not self.is_erased
        return reached_earlier(self.plan, self._batches, self._batch_of_excluded, may_keep=may_keep)

    @cached_property
    def _reasons(self) -> pd.Series[str]:
        """Why rows that share a phone got nothing, and which accepted rows got a later text."""
        later = self.elsewhere.reasons(LocalTimes.of_rounds(self.rounds))
        if not len(self._sharing) or self.is_erased:
            return later
        sharing = reasons_of_shared(self._shared_phones, column_of_names(self.plan), self.environment)
        return pd.concat([sharing, later])

    @cached_property
    def _shared_phones(self) -> pd.DataFrame:
        """Whose text went to the phones of these rows, or will."""
        return shared_phones(self._sharing, self.plan, self._bare_parts)

    @cached_property
    def likely_repeats(self) -> LikelyRepeats:
        """Of `totals.lacking_numbers` those who are probably in the table twice, and what column says so."""
        if not self.totals.lacking_numbers or self.is_erased:
            return LikelyRepeats(0, "")
        reached = self._reached
        others = np.concatenate([reached.rows, reached.doubtful, reached.outdated])
        is_same = self._shared_phones["is_same_name"]
        rows = int(is_same[~is_same.index.isin(others)].sum())
        return LikelyRepeats(rows, column_of_names(self.plan))

    def _bare_parts(self) -> Iterator[ResultPart]:
        """The parts without the reasons that only other parts tell: enough where no reason is needed."""
        return result_parts(self.plan, self._batches, self._batch_of_message, self._batch_of_excluded)

    @property
    def batches_by_urgency(self) -> npt.NDArray[np.int64]:
        """The positions of the batches in the order in which people look at them.

        First those to look at, each kind with the newest first; last those that were not sent, and those
        whose messages are all in later batches, or whose people left the table before anything reached them.
        """
        return by_urgency(self._batches, self.messages_by_batch)

    def __repr__(self) -> str:
        said = " ".join(filter(None, [self.changes_since, mask_sentences(clean(self.sentence))]))
        return f"<Result ({self.environment}): {said}>"

    @property
    def ways_on(self) -> WaysOn:
        """What each call is for that settles or sends what is left, and the call; () where nothing is.

        None is for what nobody can send, and none if the campaign has changed since: load it again first.
        """
        to_do = self._to_do
        if self.changes_since:
            return ()
        rest = self._ways_on if to_do.can_go_on else ()
        return (*to_do.ways_to_settle, *rest, *to_do.way_to_add_cost)

    def _repr_html_(self) -> str:
        return self._card(self.headline, self.left_to_do, self.ways_on)

    @property
    def card_below_run(self) -> str:
        """The result as HTML below the card of its run, which says why it ended and how to go on."""
        return self._card(
            self._headline(""), self._to_do.sentences(without={"not_sent"}), self._to_do.way_to_add_cost
        )

    def _card(self, headline: str, left_to_do: tuple[str, ...], ways_on: WaysOn) -> str:
        return result_card(
            self.changes_since,
            mask_sentences(headline),
            left_to_do,
            ways_on,
            self.totals,
            self._batches.assign(
                error=mask_texts(without_error_classes(self._batches["error"], self._batches["status"]))
            ).iloc[self.batches_by_urgency],
            self.reading,
            where=words_for(self.environment).where,
            times=LocalTimes.of_rounds(self.rounds),
            folder=self.folder,
            is_erased=self.is_erased,
        )


def check_result(result: object, function: str, call: str) -> None:
    """Raise `UsageError` unless this is a `Result`; `call` is the right call, with {} for the result."""
    if isinstance(result, Result):
        return
    write = call.format("result")
    if isinstance(result, str | os.PathLike):
        write = call.format("campaign.load_result(folder)")
    elif isinstance(result, Plan):  # the remedy may be copied, so it must not send
        write = f"{call.format('campaign.load_result(folder)')} once it was sent, or look at plan.issues"
    raise wrong(result, subject=function, needs="a Result", write=write)


def _checked_statuses(statuses: Any) -> list[str]:
    if isinstance(statuses, str | bytes) or not isinstance(statuses, Collection):
        write = f"result.follow_up([{statuses if statuses in STATUSES else 'invalid'!r}])"
        raise wrong(statuses, subject="follow_up", needs="a list of statuses", write=write)
    for status in statuses:
        check_choice(status, STATUSES, subject="A status of follow_up")
    return list(statuses)
