"""`Result`: the plan joined with what its ledger knows about each batch, as tables."""

import os
from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from campaign import markup
from campaign.argument_checks import check_choice, wrong
from campaign.contacts.continuation import add_follow_up_columns
from campaign.contacts.reading_record import Reading
from campaign.contacts.reserved_columns import OUTCOME_COLUMNS, original_names
from campaign.contract import BATCH_COLUMNS, CLOSED, ORDERED_AGAIN, STATUSES
from campaign.errors import LedgerError, UsageError
from campaign.masking import mask_text, mask_texts
from campaign.messages.plan import Plan
from campaign.results.totals import ResultTotals, outcome_sentence
from campaign.text import agreeing, clean, counted, figure, money

# A row that was sent as several messages gets the status that most needs attention.
WORST_FIRST = ("unknown", "refused", "not_sent", "accepted")
TO_FOLLOW_UP = ("invalid", "refused", "unknown", "not_sent")
# Rows that can go into a new campaign without anybody getting a message twice. Those that are unknown may
# have been sent, and those that were not sent go out with `resume`.
SAFE_TO_PREPARE_AGAIN = ("invalid", "refused")

_REASONS = {
    "unknown": "The request may have reached the service, and no readable answer came.",
    "refused": "The service refused the batch.",
    "not_sent": "Not sent yet.",
    "accepted": "",
}
_ADVICE = {
    "unknown": "Unknown messages may have been sent: find out, then settle each batch with resolve, or all "
    "with reconcile and the provider's own list. They are never sent again automatically.",
    "refused": "The table of batches says why the service refused some of them. Once the cause is removed, "
    "resume the campaign or send the plan again: only people who got nothing are tried again.",
    "not_sent": "Resume the campaign to send the messages that were not sent.",
    "invalid": "Correct the invalid rows: result.follow_up() lists them in Python, with the reasons, and "
    'campaign.write_follow_up(result, "to_correct.xlsx") writes them to a file.',
}
_DECISIONS = (
    (
        "unknown",
        ORDERED_AGAIN,
        "Resume the campaign to send again what you ordered to be sent again.",
    ),
    (
        "not_sent",
        CLOSED,
        "The campaign was closed: to send to these people after all, send the plan again.",
    ),
)
ENVIRONMENTS = {
    "local": "embedded sandbox: nothing left this machine",
    "sandbox": "the provider's sandbox: no phone was reached",
    "live": "live",
}


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
    _places: npt.NDArray[np.intp]
    _batch_of_excluded: npt.NDArray[np.int64]
    _note: str
    _nothing_sent: bool

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
    ) -> None:
        """Join a plan with its batches.

        `batch_of_message` has the number of the batch of each message of the plan; without it the batches are
        consecutive slices of `plan.messages`. `batch_of_excluded` has for each row of the contacts that gets
        no message the batch that had reached its number before, 0 for none. `name` is that of the campaign.
        `sentence` says why the run ended, "" if there is nothing to say; with `nothing_sent` it comes first.
        Raises `LedgerError` if batches and messages do not fit.
        """
        if tuple(batches.columns) != BATCH_COLUMNS:
            raise UsageError(f"The batches need exactly the columns {', '.join(BATCH_COLUMNS)}.")
        if batch_of_message is None:
            batch_of_message = np.repeat(batches["batch"].to_numpy(), batches["messages"].to_numpy())
        if batch_of_excluded is None:
            batch_of_excluded = np.zeros(len(plan.contacts), np.int64)
        numbers = batches["batch"].to_numpy()  # ascending
        if len(batch_of_message) != len(plan.messages) or not np.isin(batch_of_message, numbers).all():
            raise LedgerError(
                f"The ledger has batches for {counted(len(batch_of_message), 'message')}, and the plan has "
                f"{len(plan.messages):,}: they do not belong together. Give the folder that the campaign was "
                "sent from."
            )
        vars(self).update(
            plan=plan,
            name=name,
            environment=environment,
            folder=folder,
            _batches=batches.reset_index(drop=True),
            _places=np.searchsorted(numbers, batch_of_message),
            _batch_of_excluded=batch_of_excluded,
            _note=sentence,
            _nothing_sent=nothing_sent,
        )

    @property
    def batches(self) -> pd.DataFrame:
        """One row for each request to the service, in order.

        Columns: batch (int64, starting at 1), messages (int64), status, cost (Decimal in the service's units,
        None if it reported none), code (to quote to the service, "" if there is none), error, attempts
        (int64), submitted_at (UTC, NaT if never), seconds (float), round (int64, starting at 1). Batches of
        earlier rounds are included, so that their messages may be in no row of today's table any more.
        """
        return self._batches.copy(deep=False)

    @property
    def messages(self) -> pd.DataFrame:
        """One row for each message, in sending order.

        The columns of `Plan.messages`, then status, batch (int64), code and cost_share: the batch's cost
        divided by its messages. It is an estimate, because the service reports only the cost of the batch.
        """
        return self._messages.copy(deep=False)

    @property
    def contacts(self) -> pd.DataFrame:
        """Every row of the file with its own columns, then status, reason, batch (Int64) and code.

        A row that was sent as several messages shows the one that most needs attention.
        """
        return self._contacts.copy(deep=False)

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
        return ResultTotals.of(self.plan.totals, self._contacts["status"], self._batches)

    def follow_up(self, statuses: Collection[str] = SAFE_TO_PREPARE_AGAIN) -> pd.DataFrame:
        """The rows to correct and send again, as a contact table for `prepare`; see also `write_follow_up`.

        Its columns are those of the file, then "last reason", "last status", "row in the file" and
        "campaign", by which `read_contacts` and `prepare` know the table again. Columns of the file that have
        such a name get " (file)" behind it until then. The index `row` is the row number in the file.

        Rows that are `unknown` may have been sent already, and rows that are `not_sent` go out with `resume`.
        Both are left out unless `statuses` names them, so that nobody gets a message twice.
        """
        rows = self._contacts[self._contacts["status"].isin(_checked_statuses(statuses))]
        before = None if self.reading is None else self.reading.continues
        numbers = rows.index.to_series()
        table = rows.drop(columns=list(OUTCOME_COLUMNS))
        table = add_follow_up_columns(
            table.set_axis(original_names(table.columns), axis=1),
            reason=rows["reason"],
            status=rows["status"],
            campaign=self.name or (before.campaign if before else ""),
            origins=numbers if before is None else numbers.map(before.rows),
        )
        table.attrs = {} if self.reading is None else {"reading": self.reading}
        return table

    @property
    def sentence(self) -> str:
        """The outcome and what is left to do, in plain words."""
        return " ".join((self.headline, *self.left_to_do))

    @property
    def headline(self) -> str:
        """The outcome, and why the run ended as it did."""
        pieces = [outcome_sentence(self.totals), self._note]
        if self._nothing_sent:
            pieces.reverse()
        return " ".join(piece for piece in (*pieces, self._about_earlier_rounds) if piece)

    @cached_property
    def _about_earlier_rounds(self) -> str:
        """What was sent in earlier rounds and is in no row of today's table; "" if there is nothing."""
        planned = np.bincount(self._places, minlength=len(self._batches))
        sent = self._batches["status"].isin(["accepted", "unknown"]).to_numpy()
        count = int((self._batches["messages"].to_numpy() - planned)[sent].clip(0).sum())
        if not count:
            return ""
        return (
            f"Earlier rounds sent {counted(count, 'message')} that {agreeing(count, 'is', 'are')} in no row "
            f"of this table any more; the cost includes {agreeing(count, 'it', 'them')}."
        )

    @property
    def left_to_do(self) -> tuple[str, ...]:
        """What is left to do, one sentence each; the note of a run that stopped early says how to resume."""
        in_note = {"not_sent"} if self._note else set()
        if self.is_erased:
            in_note |= {"invalid", "refused"}  # nothing here can be corrected or resumed
        decided = self._advice_on_decisions()
        return tuple(
            advice
            for status, advice in (_ADVICE | decided).items()
            if self.totals[status] and status not in in_note
        )

    @property
    def is_erased(self) -> bool:
        """Whether names, numbers and texts were erased, so that the contacts have no column of the file."""
        return set(self.plan.contacts.columns) <= set(OUTCOME_COLUMNS)

    def _advice_on_decisions(self) -> dict[str, str]:
        """What is left to do, by status, where a person has decided already about all of its messages."""
        batches = self._batches.iloc[np.unique(self._places)]
        return {
            status: advice
            for status, decision, advice in _DECISIONS
            if (batches.loc[batches["status"] == status, "error"] == decision).all()
        }

    @cached_property
    def _messages(self) -> pd.DataFrame:
        batches, places = self._batches, self._places
        shares = _shares(batches["cost"], batches["messages"])
        return self.plan.messages.assign(
            status=batches["status"].array.take(places),
            batch=batches["batch"].array.take(places),
            code=batches["code"].array.take(places),
            cost_share=shares.take(places),
        )

    @cached_property
    def _contacts(self) -> pd.DataFrame:
        contacts = self.plan.contacts
        reasons = _reasons(self._batches).array.take(self._places)
        outcomes = self._messages[["row", "status", "batch", "code"]].assign(reason=reasons)
        by_row = _worst(outcomes).reindex(contacts.index)
        has_message = by_row["status"].notna()
        batch, code = by_row["batch"].astype("Int64"), by_row["code"].fillna("")
        reached = self._batch_of_excluded > 0
        if reached.any():
            codes = self._batches.set_index("batch")["code"].reindex(self._batch_of_excluded[reached])
            batch[reached], code[reached] = self._batch_of_excluded[reached], codes.to_numpy()
        return contacts.assign(
            status=contacts["status"].where(~has_message, by_row["status"]),
            reason=contacts["reason"].where(~has_message, by_row["reason"]),
            batch=batch,
            code=code,
        )

    def __repr__(self) -> str:
        return f"<Result ({self.environment}): {mask_text(clean(self.sentence))}>"

    def _repr_html_(self) -> str:
        totals = self.totals
        batches = self._batches.assign(error=mask_texts(self._batches["error"]))
        pieces = [
            markup.paragraph(mask_text(self.headline)),
            *(markup.paragraph(advice) for advice in self.left_to_do),
            markup.bars(totals),
            markup.facts(
                {
                    "rows in the file": figure(totals.rows),
                    "messages": figure(totals.messages),
                    "cost": money(totals.cost) + (" or more" if totals.unpriced else ""),
                }
            ),
            markup.table(in_words(_newest_first(batches)), limit=10),
        ]
        if self.folder is not None:
            pieces.append(markup.paragraph(f"Kept in {self.folder}", note=True))
        where = ENVIRONMENTS.get(self.environment, self.environment)
        return markup.card(f"Result ({where})", pieces)


def in_words(frame: pd.DataFrame) -> pd.DataFrame:
    """The table as it is shown to people: statuses without underscores, times with their zone."""
    statuses = [name for name in ("status", "last status") if name in frame.columns]
    words = {name: frame[name].str.replace("_", " ") for name in statuses}
    return frame.assign(**words).rename(columns={"submitted_at": "submitted (UTC)"})


def _newest_first(batches: pd.DataFrame) -> pd.DataFrame:
    """The batches as a card shows them: the newest round first, and a single one is not named."""
    rounds = batches["round"]
    shown = batches.drop(columns=["attempts", "seconds", "round"])
    if rounds.nunique() > 1:
        shown.insert(0, "round", rounds)
        shown = shown.sort_values("round", ascending=False, kind="stable")
    return shown.drop(columns=[name for name in ("code", "error") if (batches[name] == "").all()])


def _reasons(batches: pd.DataFrame) -> "pd.Series[str]":
    """The reason for the status of each batch: the service's error, or else what the status means."""
    meanings = batches["status"].map(_REASONS).astype("str")
    without_error = (batches["error"] == "") | (batches["status"] == "accepted")
    return batches["error"].where(~without_error, meanings)


def _shares(costs: "pd.Series[Any]", messages: "pd.Series[int]") -> npt.NDArray[np.object_]:
    """The cost of one message in each batch: the batch's cost divided by its messages."""
    shares = np.empty(len(costs), dtype=object)
    shares[:] = [
        None if not isinstance(cost, Decimal) else cost / count
        for cost, count in zip(costs, messages.tolist(), strict=True)
    ]
    return shares


def _worst(messages: pd.DataFrame) -> pd.DataFrame:
    """One message for each row of the file, by row: of several, the one that most needs attention."""
    if not messages["row"].is_unique:
        rank = pd.Categorical(messages["status"], categories=WORST_FIRST).codes
        order = np.lexsort((rank, messages["row"].to_numpy()))
        messages = messages.take(order).drop_duplicates("row")
    return messages.set_index("row")


def check_result(result: object, function: str, call: str) -> None:
    """Raise `UsageError` unless this is a `Result`; `call` is the right call, with {} for the result."""
    if isinstance(result, Result):
        return
    remedy = "result"
    if isinstance(result, Plan):
        remedy = "campaign.send(plan)"
    elif isinstance(result, str | os.PathLike):
        remedy = "campaign.load_result(folder)"
    raise wrong(result, subject=function, needs="a Result", write=call.format(remedy))


def _checked_statuses(statuses: Any) -> list[str]:
    if isinstance(statuses, str | bytes) or not isinstance(statuses, Collection):
        write = f"result.follow_up([{statuses if statuses in STATUSES else 'invalid'!r}])"
        raise wrong(statuses, subject="follow_up", needs="a list of statuses", write=write)
    for status in statuses:
        check_choice(status, STATUSES, subject="A status of follow_up")
    return list(statuses)
