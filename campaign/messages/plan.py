"""`Plan`, and the `prepare` that makes one: what will be sent, what will not, and why."""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd

from campaign import markup
from campaign.argument_checks import check_amount, check_choice, check_count, described, wrong
from campaign.arrow_text import Ints, series_to_chunks, text_buffers
from campaign.contacts.continuation import is_follow_up
from campaign.contacts.phone_numbers.cleaning import check_kinds
from campaign.contacts.reading import read_contacts
from campaign.contacts.reading_record import Reading
from campaign.contract import MESSAGE_TEXTS
from campaign.copied_field import CopiedField
from campaign.errors import UsageError
from campaign.messages.batching import batch_bounds
from campaign.messages.duplicates import DUPLICATES
from campaign.messages.issues import issue_summary
from campaign.messages.overlong import OverlongRules
from campaign.messages.preparation import Rules, draft
from campaign.messages.preview import Preview
from campaign.messages.recipients import Addressing, NumberRules, choose_columns, choose_region
from campaign.messages.suppression import EarlierCampaign, SuppressionRules
from campaign.messages.templates.campaign_texts import choose_campaign_texts
from campaign.messages.totals import Totals, status_bars, totals_table


def _copy(table: pd.DataFrame) -> pd.DataFrame:
    return table.copy(deep=False)  # pandas copies on write


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Plan:
    """What a campaign would send, and what it would not send and why, row by row. Immutable.

    `prepare` makes one. Its tables are copies: changing one changes nothing here.

    - `messages`: the messages in sending order: row (int64), number, message, sender, priority (str), parts
      (int64). `priority` is "" where none is given. A text that was split takes several rows, in order.
    - `issues`: everything that is wrong or worth knowing: row (Int64, <NA> for the whole table), column,
      value, code, severity, detail (str). Severity is "error" (the row is excluded), "warning" or "info".
      The table is made when it is first needed: half a million issues take 80 MB.
    - `contacts`: every row of the contact table with all its columns, its status, and why it gets no message.
    - `totals`: rows by status, messages, parts, countries.
    - `fingerprint`: SHA-256 of the ordered numbers, messages, senders and priorities, as 64 hexadecimal
      digits. It is the same on every machine and for every version of pandas, whatever else the contact
      table contains and however its columns are ordered.
    - `reading`: how the file was read, if known.
    - `not_again`: the earlier campaigns and lists whose recipients were left out.
    - `template`: the text with its placeholders as it was given; JSON where there were several.
    - `addressing`: the number of every row, also of those without a message, and what rows would get that
      repeat another row's number.
    """

    messages: CopiedField[pd.DataFrame] = CopiedField(_copy)
    issues: CopiedField[pd.DataFrame] = CopiedField(_copy)
    contacts: CopiedField[pd.DataFrame] = CopiedField(_copy)
    totals: Totals
    fingerprint: CopiedField[str] = CopiedField()
    reading: Reading | None = None
    not_again: tuple[Any, ...] = ()
    template: str = ""
    addressing: Addressing = field(default_factory=Addressing.unknown)
    _preparation: "_Preparation | None" = None

    def preview(self, row: int | None = None) -> Preview:
        """What one row will get; without `row`, the first row that gets a message."""
        messages, contacts = self.messages, self.contacts
        if contacts.empty:
            raise UsageError("The contact table has no rows, so there is nothing to preview.")
        rows = contacts.index
        if row is None:
            row = int(messages["row"].iloc[0] if len(messages) else rows[0])
        check_count(row, subject="row", least=0, write=f"plan.preview({rows[0]})")
        if row not in rows:
            raise UsageError(f"There is no row {row}. The rows are numbered {rows.min()} to {rows.max()}.")
        row_messages = messages.loc[messages["row"] == row]
        status, reason = (str(contacts.at[row, name]) for name in ("status", "reason"))
        sender, number = (
            str(row_messages[name].iloc[0]) if len(row_messages) else "" for name in ("sender", "number")
        )
        return Preview(int(row), status, reason, number, sender, tuple(row_messages["message"]))

    def sample(self, n: int = 5) -> pd.DataFrame:
        """Some messages from throughout the plan, in sending order; the same ones each time."""
        check_count(n, subject="n", least=0, write="plan.sample(5)")
        messages = self.messages
        count = len(messages)
        positions = np.random.default_rng(count).choice(count, size=min(n, count), replace=False)
        return messages.iloc[np.sort(positions)]

    def estimate(self, price: Decimal | float | str, *, per: str = "part") -> Decimal:
        """What sending would cost at a price for each part, or for each message with per="message"."""
        check_choice(per, ("part", "message"), subject="per")
        check_amount(price, subject="price", write="plan.estimate(35)")
        return Decimal(str(price)) * (self.totals.parts if per == "part" else self.totals.messages)

    def batches(self, size: int = 100) -> Iterator[pd.DataFrame]:
        """The messages in batches of at most `size`, as they would be sent.

        The pieces of one row's text stay together: a row with more pieces than `size` gets its own batch.
        """
        check_count(size, subject="size", write="plan.batches(100)")
        messages = self.messages
        bounds = batch_bounds(messages["row"].to_numpy(), int(size))
        return (messages.iloc[start:stop] for start, stop in bounds)

    def keep_instead(self, rows: Iterable[int]) -> "Plan":
        """The plan that the table would give if these rows came before the others with their numbers.

        `rows` are numbers of rows in `addressing.alternatives`, one for each number at most. They get their
        messages, and the rows that were kept so far become their duplicates. Costs as much as `prepare`.
        """
        alternatives = self.addressing.alternatives.drop_duplicates("row")
        chosen = _check_rows(rows, alternatives["row"].to_numpy())
        if not len(chosen) or self._preparation is None:
            return self
        repeated = alternatives.loc[alternatives["row"].isin(chosen), "number"].duplicated()
        if repeated.any():
            raise UsageError(
                "Some rows of keep_instead have the same number. Choose one row for each number."
            )
        positions = self.contacts.index.get_indexer(pd.Index(chosen)).astype(np.int64)
        return self._preparation.preferring(positions).plan()

    @property
    def sentence(self) -> str:
        """How many messages are ready, and how many rows get none."""
        return self.totals.sentence

    def __repr__(self) -> str:
        return f"Plan: {self.sentence} Fingerprint {self.fingerprint[:12]}."

    def _repr_html_(self) -> str:
        pieces = [markup.paragraph(self.sentence), status_bars(self.totals)]
        if self.totals.messages:
            pieces.append(_side_by_side(self.preview().phone(), totals_table(self.totals)))
        pieces.append(issue_summary(self.issues))
        if self.reading is not None:
            pieces.append(markup.paragraph(self.reading.sentence, note=True))
        pieces.append(markup.paragraph(f"Fingerprint {self.fingerprint[:12]}", note=True))
        return markup.card("Plan", pieces)


def plan_in(environment: str, plan: Plan) -> Plan:
    """The plan as it is in an environment, where campaigns of other environments have reached nobody."""
    others = [
        source
        for source in plan.not_again
        if isinstance(source, EarlierCampaign) and source.environment not in ("", environment)
    ]
    if not others or plan._preparation is None:
        return plan
    return plan._preparation.in_environment(environment).plan()


def with_fields(plan: Plan, **fields: Any) -> Plan:
    """The same plan with other values in some fields; what is made when first needed stays so."""
    amended = Plan.__new__(Plan)
    vars(amended).update(vars(plan) | fields)
    return amended


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
        examples = ", ".join(map(str, possible[:5])) or "none"
        more = ", …" if len(possible) > 5 else "."
        raise UsageError(
            f"Row {described(impossible[0])} cannot be kept instead of another one. "
            f"Rows that can: {examples}{more}"
        )
    return chosen.to_numpy(dtype=np.int64)


def _side_by_side(*pieces: str) -> str:
    """Pieces of HTML next to each other if there is room."""
    cells = "".join(f"<div>{piece}</div>" for piece in pieces)
    return f'<div style="display:flex;flex-wrap:wrap;gap:0 3em;align-items:center">{cells}</div>'


def fingerprint(messages: pd.DataFrame) -> str:
    """SHA-256 of number, message, sender and priority, as lengths and bytes.

    Each column begins with the number of its texts (64 bits) and their lengths in UTF-8 (32 bits each, both
    little-endian), so that no two tables give the same bytes. Takes 0.06 us a message.
    """
    digest = hashlib.sha256(b"campaign plan 1\n")
    for name in MESSAGE_TEXTS:
        chunks = [text_buffers(chunk) for chunk in series_to_chunks(messages[name])]
        digest.update(np.array([len(messages)], dtype="<i8").tobytes())
        for offsets, _ in chunks:
            digest.update(np.diff(offsets).astype("<i4").tobytes())
        for _, data in chunks:
            digest.update(data.data)
    return digest.hexdigest()


def prepare(
    contacts: Any,
    *,
    message: str | Mapping[str, str],
    sender: str,
    number: str | list[str] | None = None,
    region: "str | pd.Series[str] | None" = None,
    priority: str | int | None = None,
    overlong: Literal["flag", "truncate", "split"] = "flag",
    ellipsis: str = "...",
    downgrade: bool = True,
    duplicates: Literal["skip", "keep", "error"] = "skip",
    opt_outs: Any = None,
    max_parts: int | None = None,
    language: str | None = None,
    keep_words: bool = False,
    not_again: Any = None,
    several: Literal["refuse", "first"] = "refuse",
    kinds: Collection[str] = ("mobile", "fixed_or_mobile"),
    as_written: bool = False,
) -> Plan:
    """Turn a contact table into checked messages: a `Plan` with what each row gets, or why it gets none.

    `contacts`: a contact table, or anything that `read_contacts` reads. `message`, `sender` and `priority`
    are texts with placeholders: `{column}`, `{column|words for empty cells}`, `{visit_date:%d %b}`,
    `{amount:,.0f}`; `{{` and `}}` are literal braces. The names of columns are compared without case, spaces
    and underscores. White space around values and messages is removed. With several texts,
    `message={"en": ..., "fr": ...}`, the column `language` says which one each row gets.

    `as_written`: by default the placeholders of other tools (`{{name}}`, `[Name]`, `%s`) and the paths of
    existing files are refused, because they would be sent as they are; `as_written=True` sends them.

    `number`: the column of the phone numbers, or several in order of preference: the first usable number of
    each row is taken. By default the column is found by its header; exports of known tools have several in
    order. `region`: the country of numbers without a country code, such as "UG", or the column that contains
    it; "001" if every number begins with its country code, with + or without. `several` and `kinds` are
    those of `clean_numbers`.

    `overlong`: a text over 160 characters (UTF-16 units) excludes its row ("flag"), is cut and ends in
    `ellipsis` ("truncate", between words with `keep_words`), or becomes several numbered messages ("split").
    `max_parts`: the most SMS parts that one row may take; a text with more is flagged or truncated likewise.
    `downgrade`: curly quotes, long dashes, ellipses and special spaces are replaced with plain characters
    where that makes a text fit the GSM-7 alphabet, and each replacement is an issue.

    `duplicates`: of rows with the same number the first is kept ("skip"), or all are ("keep"), or a
    ContactsError names them ("error"). `opt_outs`: a file, DataFrame, Series or list of numbers that get no
    message. `not_again`: results or folders of earlier campaigns, or lists of numbers. Numbers that were
    reached, or may have been, get no message: their status is duplicate, with the issue already_sent. A
    campaign counts in its own environment only, so that a rehearsal leaves nobody out of a live campaign.

    Rows that cannot be sent are data: see `Plan.issues`. Raises TemplateError for a placeholder without a
    column, ColumnError when the column of the numbers is unclear, UsageError for unusable arguments.
    """
    table = _copy(_contact_table(contacts))  # `keep_instead` reads it again, and the user may change theirs
    columns = list(table.columns)
    check_choice(duplicates, DUPLICATES, subject="duplicates")
    check_choice(several, ("refuse", "first"), subject="several")
    check_kinds(kinds)
    suppression = SuppressionRules.of(opt_outs, not_again)
    texts = choose_campaign_texts(
        table, message, language, sender, priority, downgrade=downgrade, as_written=as_written
    )
    numbers = NumberRules(choose_columns(columns, number), choose_region(table, region), several, kinds)
    rules = Rules(
        texts,
        numbers,
        OverlongRules.of(overlong, ellipsis, keep_words=keep_words, max_parts=max_parts, downgrade=downgrade),
        suppression.read(numbers.region),
        duplicates,
    )
    template = message if isinstance(message, str) else json.dumps(dict(message), ensure_ascii=False)
    return _Preparation(table, rules, suppression.not_again, template).plan()


@dataclass(frozen=True, eq=False)
class _Preparation:
    """What a plan is made of: its table, its rules, and the rows that are kept instead of the first."""

    table: pd.DataFrame
    rules: Rules
    not_again: tuple[Any, ...]
    template: str
    preferred: tuple[Ints, ...] = ()

    def plan(self) -> Plan:
        tables = draft(self.table, self.rules, np.concatenate([np.empty(0, dtype=np.int64), *self.preferred]))
        return Plan(
            messages=tables.messages,
            issues=tables.issues,
            contacts=tables.contacts,
            totals=tables.totals,
            fingerprint=partial(fingerprint, tables.messages),
            reading=self.table.attrs.get("reading"),
            not_again=self.not_again,
            template=self.template,
            addressing=tables.addressing,
            _preparation=self,
        )

    def preferring(self, rows: Ints) -> "_Preparation":
        """The same, except that of several rows with one number these are kept; they are positions."""
        return replace(self, preferred=(*self.preferred, rows))

    def in_environment(self, environment: str) -> "_Preparation":
        """The same, except that campaigns of other environments have reached nobody."""
        not_again = tuple(
            source
            for source in self.not_again
            if not isinstance(source, EarlierCampaign) or source.environment in ("", environment)
        )
        suppression = self.rules.suppression.in_environment(environment)
        return replace(self, not_again=not_again, rules=replace(self.rules, suppression=suppression))


def _contact_table(contacts: Any) -> pd.DataFrame:
    """The table itself if `read_contacts` made it and its cells are still text; otherwise read it now."""
    if isinstance(contacts, pd.DataFrame) and "reading" in contacts.attrs:
        index = contacts.index
        numbered = index.name == "row" and index.dtype == np.int64 and index.is_unique
        if numbered and (contacts.dtypes == "str").all() and not is_follow_up(contacts.columns):
            return contacts
    if isinstance(getattr(contacts, "contacts", None), pd.DataFrame):  # a Plan, a Result
        raise wrong(
            contacts, subject="prepare", needs="a contact table or a file",
            write="campaign.prepare(campaign.read_contacts(path), …)",
        )  # fmt: skip
    return read_contacts(contacts)
