"""`Plan`: what will be sent, in which batches, what will not, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Any, Protocol

import numpy as np
import pandas as pd

from campaign import markup
from campaign.argument_checks import check_amount, check_choice, check_count, described, wrong
from campaign.arrow_text import Ints
from campaign.contacts.reading_record import Reading
from campaign.contacts.reserved_columns import file_names
from campaign.copied_field import CopiedField
from campaign.errors import UsageError
from campaign.local_times import LocalTimes
from campaign.messages.issues import findings_in, issue_kinds, issue_summary
from campaign.messages.plan_tables.plan_columns import (
    MessageStream,
    labels_of_contacts,
    messages_at,
    rows_of_messages,
)
from campaign.messages.plan_tables.plan_part import (
    Amend,
    AmendedParts,
    PartStore,
    PlanPart,
    T,
    copy_frame,
    whole_frame,
)
from campaign.messages.preview import Preview
from campaign.messages.recipients import Addressing
from campaign.messages.suppression.suppression_lists import SuppressionLists, counting_in
from campaign.messages.templates.languages import language_of
from campaign.messages.totals import Totals, findings_of, status_bars, totals_table
from campaign.public_calls import public_call
from campaign.text import counted
from campaign.words.finding import Finding
from campaign.words.python import PYTHON

_TABLES = ("messages", "issues", "contacts")


class PlanSource(Protocol):
    """What a plan was made of, so that it can be made again with one difference."""

    @property
    def suppression(self) -> SuppressionLists:
        """The lists of numbers that get no message."""

    @property
    def language(self) -> str | None:
        """The column that says which text a row gets; None if there is one text."""

    def plan_keeping(self, positions: Ints) -> Plan:
        """The plan if the rows at these positions came before the others with their numbers."""

    def plan_in(self, environment: str) -> Plan:
        """The plan if campaigns of other environments had reached nobody."""


# What Tab offers: a person needs no more of it.
_OFFERED = (
    "messages", "issues", "errors", "contacts", "totals", "findings", "sentence", "fingerprint",
    "preview", "sample", "estimate", "batches", "parts", "reading", "template", "not_again",
    "keep_instead",
)  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Plan:
    """What a campaign would send, and what it would not send and why, row by row. Immutable.

    `prepare` makes one. Its tables are copies. Those of a large table are on disk: `parts` reads them part
    by part, and a whole one is made when it is asked for.

    Attributes
    ----------
    messages : pandas.DataFrame
        In sending order: row (int64), number, message, sender, priority (str; "" for none) and parts
        (int64). A text that was split takes several rows, in order.
    issues : pandas.DataFrame
        All that is wrong or worth knowing: row (Int64, <NA> for the whole table), column, value, code,
        severity ("error": the row gets nothing; "warning", "info"), detail, and facts, which are what the
        detail names, as JSON. Half a million issues take 90 MB.
    contacts : pandas.DataFrame
        Every row of the table with all its columns, its status, `why` and reason.
    totals : Totals
        Rows by status, messages, parts, countries.
    fingerprint : str
        SHA-256 of numbers, messages, senders and priorities in order, 64 hexadecimal digits. It does not
        depend on the machine, the version of pandas or the other columns.
    reading : Reading or None
        How the file was read.
    not_again : tuple
        Earlier campaigns and lists whose recipients were left out.
    template : str
        The text with its placeholders; JSON where there are several.
    addressing : Addressing
        The number of every row, and what rows would get that repeat another row's number.

    Examples
    --------
    >>> plan.totals["not_sent"], plan.errors.empty
    (1, True)
    """

    messages: CopiedField[pd.DataFrame] = CopiedField(copy_frame)
    issues: CopiedField[pd.DataFrame] = CopiedField(copy_frame)
    contacts: CopiedField[pd.DataFrame] = CopiedField(copy_frame)
    totals: Totals
    fingerprint: CopiedField[str] = CopiedField()
    reading: Reading | None = None
    not_again: tuple[Any, ...] = ()
    template: str = ""
    addressing: Addressing = field(default_factory=Addressing.unknown)
    _made_of: PlanSource | None = None
    _store: PartStore | None = None

    @property
    def is_in_memory(self) -> bool:
        """Whether its tables are in memory, and not in parts on disk."""
        return self._store is None

    @property
    def store(self) -> PartStore | None:
        """Where its parts are; None if they are in memory."""
        return self._store

    @public_call
    def parts(self) -> Iterator[PlanPart]:
        """The tables of the plan in parts of consecutive rows: `messages`, `issues` and `contacts` of each.

        The parts of a plan of a large file are read one by one; a plan in memory is one part.
        """
        return iter([whole_part(self)]) if self._store is None else self._store.parts()

    def map_parts(self, function: Callable[..., T], *columns: Iterable[Any]) -> Iterator[T]:
        """What a function makes of each part, and of an entry of each of the columns, in order.

        It is called where the part is: for a plan of a Dask table, on a worker.
        """
        if self._store is None:
            return map(function, self.parts(), *columns)
        return self._store.map_parts(function, *columns)

    @public_call
    def preview(self, row: int | None = None) -> Preview:
        """What one row will get; without `row`, the first row that gets a message."""
        if not self.totals.rows:
            raise UsageError("no_rows")
        if row is None:
            row = self._first_row
        check_count(row, subject="row", least=0, write=f"plan.preview({self._first_row})")
        part = next((part for part in self.parts() if row in part.status.index), None)
        if part is None:
            rows = labels_of_contacts(self)
            raise UsageError("row_missing", row=int(row), first=int(rows.min()), last=int(rows.max()))
        messages, contacts = part.messages, part.contacts
        row_messages = messages.loc[messages["row"] == row]
        status, reason = (str(contacts.at[row, name]) for name in ("status", "reason"))
        sender, number = (
            str(row_messages[name].iloc[0]) if len(row_messages) else "" for name in ("sender", "number")
        )
        return Preview(int(row), status, reason, number, sender, tuple(row_messages["message"]))

    @property
    def _first_row(self) -> int:
        """The first row that gets a message; the first of all if none does."""
        with_messages = (part for part in self.parts() if len(part.rows_of_messages))
        part = next(with_messages, None)
        return int(next(self.parts()).status.index[0] if part is None else part.rows_of_messages[0])

    @public_call
    def sample(self, n: int = 5) -> pd.DataFrame:
        """Some messages from throughout the plan, in sending order; the same ones each time.

        A notebook shows 50 characters of a text, unless `pd.set_option("display.max_colwidth", None)` is set.
        """
        check_count(n, subject="n", least=0, write="plan.sample(5)")
        count = self.totals.messages
        positions = np.sort(np.random.default_rng(count).choice(count, size=min(n, count), replace=False))
        return self._messages_at(positions)

    def _messages_at(self, positions: Ints) -> pd.DataFrame:
        """The messages at some ascending positions, which are the index of the frame."""
        frames = [*messages_at(self, positions)] or [next(self.parts()).messages.iloc[:0]]
        return pd.concat(frames).set_axis(positions) if len(frames) > 1 else frames[0].set_axis(positions)

    @public_call
    def estimate(self, price: Decimal | float | str, *, per: str = "part") -> Decimal:
        """What sending would cost at a price for each part, or for each message with per="message"."""
        check_choice(per, ("part", "message"), subject="per")
        check_amount(price, subject="price", write="plan.estimate(35)")
        return Decimal(str(price)) * (self.totals.parts if per == "part" else self.totals.messages)

    @public_call
    def batches(self, size: int = 100) -> Iterator[pd.DataFrame]:
        """The messages in batches of at most `size`, as they would be sent.

        The pieces of one row's text stay together: a row with more pieces than `size` gets its own batch.
        """
        check_count(size, subject="size", write="plan.batches(100)")
        bounds = batch_bounds(rows_of_messages(self), int(size))
        messages = MessageStream(part.messages for part in self.parts())
        return (
            messages.take(stop - start).set_axis(pd.RangeIndex(start, stop), axis=0) for start, stop in bounds
        )

    @public_call
    def keep_instead(self, rows: Iterable[int]) -> Plan:
        """The plan that the table would give if these rows came before the others with their numbers.

        `rows` are numbers of rows in `addressing.alternatives`, one for each number at most. They get their
        messages, and the rows that were kept so far become their duplicates. Costs as much as `prepare`.
        """
        alternatives = self.addressing.alternatives.drop_duplicates("row")
        chosen = _check_rows(rows, alternatives["row"].to_numpy())
        if not len(chosen) or self._made_of is None:
            return self
        repeated = alternatives.loc[alternatives["row"].isin(chosen), "number"].duplicated()
        if repeated.any():
            raise UsageError("same_number")
        positions = pd.Index(labels_of_contacts(self)).get_indexer(pd.Index(chosen)).astype(np.int64)
        return self._made_of.plan_keeping(positions)

    @property
    def errors(self) -> pd.DataFrame:
        """The issues with severity "error": why rows get no message, and what to do."""
        issues = self.issues
        return issues[issues["severity"] == "error"].reset_index(drop=True)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """How much is ready to send, then what stops people from getting a message, or changes who does."""
        continues = self.reading is not None and self.reading.continues is not None
        return (*findings_of(self.totals, self._issue_kinds(), continues=continues),)

    @property
    def sentence(self) -> str:
        """What was found, as sentences."""
        return " ".join(map(PYTHON.text, self.findings))

    @property
    def unused_marks(self) -> list[Finding]:
        """The columns that seem to tell who wants no messages, and leave out nobody."""
        issues = next(self.parts()).issues  # what is said of the whole table stands in the first
        return findings_in(issues[issues["code"] == "unused_marks"])

    def _issue_kinds(self) -> pd.DataFrame:
        return issue_kinds(part.issues for part in self.parts())

    def __dir__(self) -> list[str]:
        return [*_OFFERED]

    def __repr__(self) -> str:
        return f"Plan: {self.sentence} Fingerprint {self.fingerprint[:12]}."

    def _repr_html_(self) -> str:
        headline, *others = self.findings
        warnings = map(PYTHON.text, others)
        pieces = [markup.paragraph(PYTHON.text(headline)), status_bars(self.totals)]
        pieces += map(markup.box, warnings)
        pieces.append(_side_by_side(self._previews()))
        pieces += [issue_summary(self._issue_kinds()), markup.folded("About this plan", self._about())]
        return markup.card("Plan", pieces)

    def _about(self) -> str:
        """How the file was read, and what was counted."""
        notes = [
            PYTHON.text(self.addressing.finding(next(self.parts()).contacts.columns)),
            "" if self.reading is None else self.reading.sentence,
            f"Fingerprint {self.fingerprint[:12]}. {LocalTimes().written_now()}",
        ]
        return totals_table(self.totals) + "".join(
            markup.paragraph(note, note=True) for note in notes if note
        )

    def _previews(self) -> Iterator[str]:
        """A message in each language, with how many people get one, those of most people first."""
        if not self.totals.messages:
            return
        column = None if self._made_of is None else self._made_of.language
        if column is None:
            yield self.preview().phone()
            return
        counts, firsts = Counter[str](), dict[str, int]()
        for part in self.parts():
            languages = language_of(part.contacts[part.status == "not_sent"], file_names([column])[0])
            counts.update(languages.tolist())
            distinct = languages.drop_duplicates()
            firsts = dict(zip(distinct, distinct.index, strict=True)) | firsts
        for language, count in counts.most_common():
            label = markup.paragraph(f"{language}: {counted(count, 'person', 'people')}")
            yield label + self.preview(firsts[language]).phone()


def whole_part(plan: Plan) -> PlanPart:
    """All rows of a plan as one part."""
    return PlanPart(
        messages=lambda: plan.messages,
        issues=lambda: plan.issues,
        contacts=lambda: plan.contacts,
        status=lambda: plan.contacts["status"],
        rows_of_messages=lambda: plan.messages["row"].to_numpy(dtype=np.int64),
        numbers=lambda: plan.addressing.numbers,
        alternatives=lambda: plan.addressing.alternatives,
    )


def plan_in(environment: str, plan: Plan) -> Plan:
    """The plan as it is in an environment, where campaigns of other environments have reached nobody."""
    count_all = len(counting_in(environment, plan.not_again)) == len(plan.not_again)
    return plan if count_all or plan._made_of is None else plan._made_of.plan_in(environment)


def suppression_of(plan: Plan) -> SuppressionLists | None:
    """The lists of numbers that get no message from a plan; None where they are not known any more."""
    return None if plan._made_of is None else plan._made_of.suppression


def with_fields(plan: Plan, **fields: Any) -> Plan:
    """The same plan with other values in some fields; what is made when first needed stays so.

    With another table, the plan is in memory from now on.
    """
    if fields.keys() & {"messages", "contacts", "issues", "addressing"}:
        fields.setdefault("_store", None)
    amended = Plan.__new__(Plan)
    vars(amended).update(vars(plan) | fields)
    return amended


def amended(plan: Plan, amend: Amend) -> Plan:
    """The plan whose parts are what a function makes of them; its totals and fingerprint stay as they are.

    The tables of a plan in memory are one part, and the parts of another one are amended when they are read.
    """
    addressing = plan.addressing.changed
    if plan._store is None:
        part = amend(whole_part(plan), 0)
        tables: dict[str, Any] = {name: partial(getattr, part, name) for name in (*_TABLES, "alternatives")}
        return with_fields(plan, addressing=addressing(alternatives=tables.pop("alternatives")), **tables)
    store = AmendedParts(plan._store, amend)
    tables = {name: whole_frame(store, name) for name in (*_TABLES, "alternatives")}
    return with_fields(
        plan, addressing=addressing(alternatives=tables.pop("alternatives")), **tables, _store=store
    )


def _check_rows(rows: Any, possible: Ints) -> Ints:
    """The rows as an array; each must be one of those that are possible."""
    is_list = isinstance(rows, Iterable) and not isinstance(rows, str | bytes | Mapping)
    chosen: pd.Index[Any] = pd.Index([*rows] if is_list else [rows]).unique()
    if len(chosen) and chosen.inferred_type != "integer":
        raise wrong(
            rows, subject="keep_instead", needs="a list of row numbers", write="plan.keep_instead([8])"
        )
    impossible = chosen[~chosen.isin(possible)]
    if len(impossible):
        raise UsageError("row_not_repeated", row=described(impossible[0]), rows=possible.tolist())
    return chosen.to_numpy(dtype=np.int64)


def _side_by_side(pieces: Iterable[str]) -> str:
    """Pieces of HTML next to each other if there is room."""
    cells = "".join(f"<div>{piece}</div>" for piece in pieces)
    return f'<div style="display:flex;flex-wrap:wrap;gap:0 3em;align-items:center">{cells}</div>'


def batch_bounds(rows: Ints, size: int, first_size: int | None = None) -> Iterator[tuple[int, int]]:
    """Start and stop of each batch of at most `size` messages; `rows` holds the row of each message.

    The messages of one row stay together: a row with more messages than `size` gets its own longer batch.
    """
    count, start = len(rows), 0
    while start < count:
        limit = start + (first_size or size if start == 0 else size)
        stop = min(limit, count)
        while start < stop < count and rows[stop] == rows[stop - 1]:
            stop -= 1
        if stop == start:  # one row fills more than a batch
            stop = min(limit, count)
            while stop < count and rows[stop] == rows[stop - 1]:
                stop += 1
        yield start, stop
        start = stop
