"""`Result`: the plan joined with what its ledger knows about each batch, as tables."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from campaign import markup
from campaign.argument_checks import check_choice, wrong
from campaign.contacts.reading_record import Reading
from campaign.contract import BATCH_COLUMNS, STATUSES
from campaign.errors import LedgerError, UsageError
from campaign.local_times import LocalTimes
from campaign.masking import mask_finding, mask_texts
from campaign.messages.plan import Plan
from campaign.public_calls import public_call
from campaign.results.breakdown import break_down, choose_column
from campaign.results.card import result_pieces
from campaign.results.dask_frames import TABLES, frame_of_one, frame_of_parts
from campaign.results.finding_lines import headlines, in_lines
from campaign.results.findings import ResultFindings
from campaign.results.follow_up_rows import FollowUpRows
from campaign.results.joined_rows import JoinedRows
from campaign.results.not_in_table import NotInTable, Recorded, nothing_recorded
from campaign.results.outcome_tables import by_urgency
from campaign.results.result_part import ResultPart
from campaign.results.sent_rounds import SentRound, count_rounds
from campaign.results.timeline import Timeline
from campaign.results.totals import ResultTotals
from campaign.words.finding import Finding
from campaign.words.python import PYTHON

# Rows that can go into a new campaign without anybody getting a message twice. Those that are unknown may
# have been sent, and those that were not sent go out with `resume`.
SAFE_TO_PREPARE_AGAIN = ("invalid", "refused")


# What Tab offers: a person needs no more of it.
_OFFERED = (
    "plan", "name", "environment", "folder", "findings", "sentence", "totals", "batches", "messages",
    "contacts", "issues", "by", "follow_up", "not_in_table", "parts", "reading", "timeline", "to_dask",
    "changes_since",
)  # fmt: skip


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Result:
    """The outcome of a plan: tables that account for every batch, every message and every row. Immutable.

    `send`, `Run.wait` and `load_result` make one. Its tables are copies.

    Attributes
    ----------
    plan : Plan
        What was to be sent.
    name, environment : str
        The campaign, and where it went: "local", "sandbox" or "live".
    folder : pathlib.Path or None
        The campaign's folder.
    ending : Finding or None
        Why the run ended, or that it had nothing to send.

    Examples
    --------
    >>> result.contacts["status"].tolist(), [finding.code for finding in result.findings]
    (['accepted'], ['rehearsal_result', 'rows_accepted'])
    """

    plan: Plan
    name: str
    environment: str
    folder: Path | None
    nothing_sent: bool
    ending: Finding | None
    rounds: tuple[SentRound, ...]
    is_closed: bool
    open_in: str
    given_price: Decimal | None
    _changes: Callable[[], str]
    recorded: Recorded
    _rows: JoinedRows
    _outcome: ResultFindings

    def __init__(
        self,
        plan: Plan,
        batches: pd.DataFrame,
        *,
        environment: str,
        name: str = "",
        folder: Path | None = None,
        ending: Finding | None = None,
        nothing_sent: bool = False,
        batch_of_message: npt.NDArray[np.int64] | None = None,
        batch_of_excluded: npt.NDArray[np.int64] | None = None,
        rounds: Sequence[SentRound] = (),
        is_closed: bool = False,
        open_in: str = "",
        order: str = "",
        changes: Callable[[], str] = str,
        resume: str = "",
        recorded: Recorded = nothing_recorded,
    ) -> None:
        """Join a plan with its batches.

        `batch_of_message` has the number of the batch of each message of the plan; without it the batches are
        consecutive slices of `plan.messages`. `batch_of_excluded` has for each row of the contacts that gets
        no message the batch that had reached its number before, 0 for none. `name` is that of the campaign.
        `ending` says why the run ended, None if there is nothing to say, and `nothing_sent` that it had
        nothing to send.
        `rounds` is what the folder tells about the campaign's rounds, in order; () if there is no folder.
        `is_closed` says that a person has closed the campaign since, `open_in` where a run has it open, "" if
        none is known to, `order` which order holds for all workers, "" if there never were any. `changes`
        says what happened in the campaign after this was read, in a sentence, "" for nothing. `resume` is
        the line of Python that sends what is left. `recorded` reads whom the messages of some batches were
        for. Raises `LedgerError` if batches and messages do not fit.
        """
        if tuple(batches.columns) != BATCH_COLUMNS:
            raise wrong(batches, subject="batches", needs=f"the columns {', '.join(BATCH_COLUMNS)}")
        if batch_of_message is None:
            batch_of_message = np.repeat(batches["batch"].to_numpy(), batches["messages"].to_numpy())
        if batch_of_excluded is None:
            batch_of_excluded = np.zeros(plan.totals.rows, np.int64)
        named = (
            _all_name_batches(column, batches["batch"]) for column in (batch_of_message, batch_of_excluded)
        )
        if len(batch_of_message) != plan.totals.messages or not all(named):
            sent, planned = len(batch_of_message), plan.totals.messages
            raise LedgerError("ledger_of_another_plan", sent=sent, planned=planned)
        rows = JoinedRows(
            plan,
            batches.reset_index(drop=True),
            batch_of_message,
            batch_of_excluded,
            environment,
            name,
            tuple(rounds),
            recorded,
        )
        ending = None if ending is None else mask_finding(ending)
        vars(self).update(
            plan=plan,
            name=name,
            environment=environment,
            folder=folder,
            nothing_sent=nothing_sent,
            ending=ending,
            rounds=tuple(rounds),
            is_closed=is_closed,
            open_in=open_in,
            given_price=None,
            _changes=changes,
            recorded=recorded,
            _rows=rows,
            _outcome=ResultFindings(rows, ending, is_closed, open_in, order, folder, resume),
        )

    @property
    def batches(self) -> pd.DataFrame:
        """One row for each request to the service, in order.

        Columns: batch (int64, starting at 1), messages (int64), status, cost (Decimal in the service's units,
        None if it reported none), code (to quote to the service, "" if there is none), why (the code of what
        error says, "" where the service says it), error (the service's own words, or what is known in a
        sentence; also who settled it by `resolve` or `reconcile`, and how), attempts (int64), submitted_at
        (UTC, NaT if never), seconds (float), round (int64, starting at 1; a run that had nothing to send has
        a number too, which reports do not count), facts (JSON: what `why` is about, with the class of an
        exception and the system's number for it). Batches of earlier rounds are included, so that their
        messages may be in no row of today's table any more. Numbers are never used twice, and those of
        batches that were withdrawn before they left are not here.
        """
        return self._rows.batches.copy(deep=False)

    @property
    def messages(self) -> pd.DataFrame:
        """One row for each message, in sending order.

        The columns of `Plan.messages`, then status, batch (int64), code and cost_share: the batch's cost
        divided by its messages. It is an estimate, because the service reports only the cost of the batch.
        """
        return self._rows.whole.messages

    @property
    def contacts(self) -> pd.DataFrame:
        """Every row of the file with its own columns, then status, why, reason, batch (Int64) and code.

        A row that was sent as several messages shows the one that most needs attention. `why` is a short code
        for rows that get no message and for refused ones, such as "too_short", "opted_out" or
        "refused_funds", else "". That of a duplicate is "same_text" (a copy of another row), "shared_phone"
        (another row has the number, with another text), "earlier_text" (the phone keeps another text of this
        campaign), "other_number" (this cell was reached as another number) or "other_campaign" (left out by
        `not_again`). A row without a message whose number was reached before has the batch and the code of
        that; while it is not known whether an earlier text was sent, the row that keeps it is unknown.
        """
        return self._rows.whole.contacts

    @public_call
    def parts(self) -> Iterator[ResultPart]:
        """The tables of the result in parts of consecutive rows: `messages`, `contacts` and `issues` of each.

        The parts of a large result are read one by one; a result in memory is one part.
        """
        return self._rows.parts()

    @public_call
    def to_dask(self, table: str = "contacts") -> Any:
        """The contacts, messages or issues as a Dask DataFrame with a partition for each of the `parts`.

        The campaign folder has to be on a disk that the workers share; each reads only its own parts. The
        index and the columns are those of the table of that name. Needs Dask.
        """
        check_choice(table, TABLES, subject="table")
        store = self.plan.store
        if store is None:
            return frame_of_one(getattr(self, table))
        if not store.is_readable_elsewhere:
            raise UsageError("tables_not_shared")
        return frame_of_parts(self.parts, table)

    @property
    def issues(self) -> pd.DataFrame:
        """The issues of the plan: what was wrong or worth knowing before sending."""
        return self.plan.issues

    @property
    def reading(self) -> Reading | None:
        """How the file was read, if known."""
        return self.plan.reading

    @property
    def not_in_table(self) -> pd.DataFrame:
        """What the campaign has sent, or may have, and no row of the table names: one row for each message.

        Columns: round, batch (both int64), number and text. It is empty where nobody knows them any more.
        """
        return self._rows.not_in_table.messages.copy(deep=False)

    @property
    def totals(self) -> ResultTotals:
        """The number of rows in each status; they add up to the rows of the file."""
        return self._rows.totals

    @property
    def currency(self) -> str:
        """The currency of the account, "" if it was not given. The service itself names none."""
        return self._rows.currency

    @property
    def sent_rounds(self) -> int:
        """How many rounds had messages to send: a run that had none is no round to people."""
        return count_rounds(self._rows.batches["round"])

    @property
    def seconds(self) -> float:
        """How long the campaign has been sending, over all runs: no pauses, nothing between them."""
        return self._rows.seconds

    @property
    def timeline(self) -> Timeline | None:
        """When batches left and were answered, with the pauses; None when nothing has left."""
        return self._rows.timeline

    @public_call
    def by(self, column: str) -> pd.DataFrame:
        """The result for each value of a column of the file, such as a clinic, those with most rows first.

        The index has the values, "" for the rows in which the cell is empty. Values that differ only by case,
        "Gulu" and "gulu", are one, as most rows write it. Columns: rows, people (rows that are neither blank
        nor a copy of another row, nor left out by `not_again`), the eight statuses, needing_attention
        (unknown, refused and invalid rows, and those that share a phone), parts (SMS parts of the messages of
        this table, as in `totals`), cost_share and unpriced (of all rounds). All are int64 but `cost_share`:
        the batches' costs, shared out by messages, as Decimal. It is an estimate, because the service names
        one cost for a batch. `unpriced` counts messages without a known cost that may have been charged; with
        any, the cost is a lower bound, and None if that is all.

        The sums are those of `totals`. What a row cost includes the earlier text to its number, if that has
        no message now. What is `not_in_table` is in a last row, with a missing value (NaN) and without rows,
        so that the costs add up too. Reports call it "(not in the table)", and the empty value "(empty)".

        Raises `ColumnError` if there is no such column.
        """
        place, name = choose_column(self.columns, column)
        rows = self._rows
        return break_down(rows.parts(), place, name, rows.batches, rows.excluded)

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
        got another text. Their last status is "sharing a phone"; with another number they are reached.
        """
        table = pd.concat([*self.follow_up_rows.with_status(_checked_statuses(statuses))])
        table.attrs = {} if self.reading is None else {"reading": self.reading}
        return table

    @property
    def follow_up_rows(self) -> FollowUpRows:
        """The rows of `follow_up` part by part."""
        return self._rows.follow_up_rows

    @property
    def needing_attention(self) -> pd.Index[int]:
        """The rows that need a person: unknown, refused, invalid, and those that share a phone."""
        return self._rows.needing_attention

    @property
    def unknown_rows(self) -> pd.DataFrame:
        """The rows of people of whom it is not known whether they were reached: columns row, and batch.

        A row whose messages are in several unknown batches is there for each of them.
        """
        return self._rows.unknown_rows

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What came of it: the outcome, then one finding for each kind of rows.

        Codes and facts, to work with: `finding.code`, `finding.facts["rows"]`. Those with the severity
        "warning" ask for something to be done.
        """
        return self._outcome.findings

    @property
    def sentence(self) -> str:
        """The findings in words: the outcome, then a line for each kind of rows with what to do."""
        findings = self.findings
        return "\n".join([*headlines(findings, PYTHON), *in_lines(findings, PYTHON)])

    @property
    def changes_since(self) -> str:
        """What has happened in the campaign since this was read, in a sentence; "" for nothing.

        A result does not change: `load_result` reads what is known now.
        """
        return self._changes()

    @property
    def outside(self) -> NotInTable:
        """What is `not_in_table`, counted, with its cost."""
        return self._rows.not_in_table

    @property
    def unpriced_batches(self) -> pd.DataFrame:
        """Those of `batches` whose cost nobody but a person can give, by `resolve` with `cost=`."""
        return self.batches[self.batches["batch"].isin(self._outcome.unpriced)]

    @property
    def columns(self) -> list[str]:
        """The columns of the plan's contacts."""
        return self._rows.columns

    @property
    def messages_by_batch(self) -> npt.NDArray[np.int64]:
        """How many messages of the table are in each batch."""
        return self._rows.messages_by_batch

    @property
    def batches_by_urgency(self) -> npt.NDArray[np.int64]:
        """The positions of the batches in the order in which people look at them.

        First those to look at, each kind with the newest first; last those that were not sent, and those
        whose messages are all in later batches, or whose people left the table before anything reached them.
        """
        return by_urgency(self._rows.batches, self.messages_by_batch)

    def __dir__(self) -> list[str]:
        return [*_OFFERED]

    def __repr__(self) -> str:
        return "\n".join(filter(None, [self.changes_since, self.sentence]))

    def _repr_html_(self) -> str:
        return markup.card(self.name or "Result", self.card_pieces)

    @property
    def card_pieces(self) -> list[str]:
        """The card as pieces of HTML, without its frame and title."""
        batches = self._rows.batches
        return result_pieces(
            self.environment,
            self.findings,
            self.changes_since,
            batches.assign(error=mask_texts(batches["error"])).iloc[self.batches_by_urgency],
            times=LocalTimes.of_rounds(self.rounds),
            folder=self.folder,
        )


def _checked_statuses(statuses: Any) -> list[str]:
    if isinstance(statuses, str | bytes) or not isinstance(statuses, Collection):
        write = f"result.follow_up([{statuses if statuses in STATUSES else 'invalid'!r}])"
        raise wrong(statuses, subject="follow_up", needs="a list of statuses", write=write)
    for status in statuses:
        check_choice(status, STATUSES, subject="A status of follow_up")
    return list(statuses)


def _all_name_batches(numbers: npt.NDArray[np.int64], batches: pd.Series[int]) -> bool:
    """Whether all of these numbers are those of batches, or 0."""
    known = np.zeros(int(max(batches.max() if len(batches) else 0, numbers.max(initial=0))) + 1, dtype=bool)
    known[[0, *batches]] = True
    return bool(known[numbers].all())
