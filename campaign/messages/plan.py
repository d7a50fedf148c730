"""The plan: what will be sent, what will not, and why."""

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

import numpy as np
import pandas as pd

from campaign import markup
from campaign.arrow_text import series_to_chunks, text_buffers
from campaign.contacts.reading import Reading, read_contacts
from campaign.contract import MESSAGE_TEXTS
from campaign.errors import UsageError
from campaign.messages import overview, preparation
from campaign.messages.batching import stretches
from campaign.messages.overlong import Policy
from campaign.messages.preview import Preview
from campaign.messages.recipients import choose_columns, choose_region
from campaign.messages.suppression import DUPLICATES
from campaign.messages.text import limits
from campaign.messages.totals import Totals
from campaign.messages.wording import choose_wording


class Plan:
    """What a campaign would send, row by row, and what it would not, with the reasons. Immutable.

    `prepare` makes one. The frames are copies: whatever is done to them, the plan stays as it is.
    """

    def __init__(
        self,
        *,
        messages: pd.DataFrame,
        issues: pd.DataFrame | Callable[[], pd.DataFrame],
        contacts: pd.DataFrame,
        totals: Totals,
        reading: Reading | None = None,
        fingerprint: str | None = None,
    ) -> None:
        self._messages = messages
        self._issues = issues
        self._contacts = contacts
        self._totals = totals
        self._reading = reading
        self._fingerprint = fingerprint

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("_") or name in self.__dict__:
            raise AttributeError(f"A plan never changes: {name} cannot be set. Prepare another plan.")
        super().__setattr__(name, value)

    @property
    def messages(self) -> pd.DataFrame:
        """The messages in sending order: row int64, number, message, sender, priority (str), parts int64.

        `priority` is "" where none is given. A text that was split stands in several rows, in order.
        """
        return self._messages.copy(deep=False)  # pandas copies on write

    @property
    def issues(self) -> pd.DataFrame:
        """Every finding: row Int64 (<NA> for the whole table), column, value, code, severity, detail (str).

        Severity is "error" (the row is excluded), "warning" or "info". The table is put together when it is
        first asked for: half a million findings take 80 MB.
        """
        issues = self._issues if isinstance(self._issues, pd.DataFrame) else self._issues()
        self.__dict__["_issues"] = issues
        return issues.copy(deep=False)

    @property
    def contacts(self) -> pd.DataFrame:
        """Every row of the contact table with all its columns, its status and why it gets nothing."""
        return self._contacts.copy(deep=False)

    @property
    def totals(self) -> Totals:
        """Rows by status, messages, parts, countries."""
        return self._totals

    @property
    def reading(self) -> Reading | None:
        """How the file was read; None where it is not known."""
        return self._reading

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the ordered numbers, messages, senders and priorities, as 64 hexadecimal digits.

        The same on every machine and for every version of pandas, whatever else the contact table holds and
        in whatever order its columns stand.
        """
        known = self._fingerprint or fingerprint(self._messages)
        self.__dict__["_fingerprint"] = known  # computed once: 0.06 us a message
        return known

    def preview(self, row: int | None = None) -> Preview:
        """What one row will get; without a number the first row that gets something."""
        if row is None:
            if self._contacts.empty:
                raise UsageError("The contact table is empty: there is nothing to preview.")
            row = int(self._messages["row"].iloc[0] if len(self._messages) else self._contacts.index[0])
        if row not in self._contacts.index:
            known = self._contacts.index
            rows = f"Rows go from {known.min()} to {known.max()}." if len(known) else "The table is empty."
            raise UsageError(f"There is no row {row!r}. {rows}")
        own = self._messages.loc[self._messages["row"] == row]
        status, reason = (str(self._contacts.at[row, name]) for name in ("status", "reason"))
        sender, number = (str(own[name].iloc[0]) if len(own) else "" for name in ("sender", "number"))
        return Preview(int(row), status, reason, number, sender, tuple(own["message"]))

    def sample(self, n: int = 5) -> pd.DataFrame:
        """So many messages from all over the plan, in sending order; the same ones each time."""
        if n < 0:
            raise UsageError(f"A sample of {n} messages cannot be taken.")
        count = len(self._messages)
        chosen = np.random.default_rng(count).choice(count, size=min(n, count), replace=False)
        return self._messages.iloc[np.sort(chosen)]

    def estimate(self, price: Decimal | float | str, *, per: str = "part") -> Decimal:
        """What sending would cost at a price for each part, or for each message with per="message"."""
        if per not in ("part", "message"):
            raise UsageError(f'per={per!r} is not known. Choose "part" or "message".')
        try:
            each = Decimal(str(price))
        except InvalidOperation:
            raise UsageError(f"{price!r} is no price. Give a number such as 35 or 0.04.") from None
        if not each.is_finite() or each < 0:
            raise UsageError(f"{price!r} is no price. Give a number such as 35 or 0.04.")
        return each * (self.totals.parts if per == "part" else self.totals.messages)

    def batches(self, size: int = 100) -> Iterator[pd.DataFrame]:
        """The messages in stretches of at most `size`, as they would be sent.

        The pieces of one row's text stay together: a row of more pieces than `size` has a stretch of its own.
        """
        if not (isinstance(size, int) and size >= 1):
            raise UsageError(f"A batch of {size!r} messages cannot be made. Give a whole number from 1 on.")
        for start, stop in stretches(self._messages["row"].to_numpy(), size):
            yield self._messages.iloc[start:stop]

    @property
    def sentence(self) -> str:
        """In plain words how many messages are ready, and how many rows get none."""
        return overview.sentence(self.totals)

    def __repr__(self) -> str:
        return f"Plan: {self.sentence} Fingerprint {self.fingerprint[:12]}."

    def _repr_html_(self) -> str:
        pieces = [markup.paragraph(self.sentence), overview.fates(self.totals)]
        if len(self._messages):
            pieces.append(overview.beside(self.preview().phone(), overview.what_it_takes(self.totals)))
        pieces.append(overview.issue_kinds(self.issues))
        if self.reading is not None:
            pieces.append(markup.paragraph(self.reading.sentence, note=True))
        pieces.append(markup.paragraph(f"Fingerprint {self.fingerprint[:12]}", note=True))
        return markup.card("Plan", pieces)


def fingerprint(messages: pd.DataFrame) -> str:
    """SHA-256 over number, message, sender and priority, as lengths and bytes.

    Each column is preceded by how many texts it has (64 bits) and how long each is in UTF-8 (32 bits, both
    little-endian), so that no two tables give the same bytes.
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
) -> Plan:
    """Make checked messages of a contact table: a `Plan` that says what each row gets, or why it gets none.

    `contacts`: a contact table, or anything that `read_contacts` reads. `message`, `sender` and `priority`
    are texts with placeholders: `{column}`, `{column|words if it is empty}`, `{visit_date:%d %b}`,
    `{amount:,.0f}`; `{{` and `}}` are braces. Columns are found without case, spaces and underscores. The
    outer spaces of values and messages are left out. With several texts, `message={"en": ..., "fr": ...}`,
    the column `language` says which one a row takes.

    `number`: the column of the phone numbers, or several in order of preference, of which each row's first
    good number is taken; by default it is found by its header. `region`: the country of numbers without a
    country code, such as "UG", or the column that holds it; "001" where every number begins with its country
    code, with + or without. `several` and `kinds` go to `clean_numbers`.

    `overlong`: a text over 160 characters (UTF-16 units) excludes its row ("flag"), is cut and ends in
    `ellipsis` ("truncate", at words with `keep_words`), or becomes several numbered messages ("split").
    `max_parts`: the most SMS parts that one row may take; a text of more is flagged or truncated likewise.
    `downgrade`: curly quotes, long dashes, ellipses and odd spaces become plain ones where that makes a text
    fit GSM-7, each time with an issue.

    `duplicates`: of rows with the same number the first is kept ("skip"), or all are ("keep"), or a
    ContactsError names them ("error"). `opt_outs`: a file, DataFrame or Series of numbers that get nothing.
    `not_again`: results or folders of earlier campaigns, or lists of numbers; whom these reached or may
    have reached gets nothing and has the status duplicate, with the issue already_sent.

    Bad rows are data: see `Plan.issues`. Raises TemplateError for a placeholder without a column, ColumnError
    when no column of numbers can be told, UsageError for arguments that cannot be used.
    """
    _check_choice("overlong", overlong, limits.OVERLONG)
    _check_choice("duplicates", duplicates, DUPLICATES)
    if max_parts is not None and not (isinstance(max_parts, int) and max_parts >= 1):
        raise UsageError(f"max_parts={max_parts!r} leaves no message. Give a whole number from 1 on.")
    table = _contact_table(contacts)
    columns = list(table.columns)
    wording = choose_wording(columns, message, language, sender, priority, downgrade=downgrade)
    ending = limits.check_ellipsis(ellipsis, downgrade=downgrade)
    policy = Policy(overlong, ending, keep_words, max_parts)
    rules = preparation.Rules(wording, policy, choose_columns(columns, number), several, kinds)
    exclusions = preparation.Exclusions(duplicates, opt_outs, not_again)
    drafted = preparation.draft(table, rules, exclusions, choose_region(table, region))
    return Plan(
        messages=drafted.messages,
        issues=drafted.issues,
        contacts=drafted.contacts,
        totals=drafted.totals,
        reading=table.attrs.get("reading"),
    )


def _check_choice(name: str, value: str, choices: Collection[str]) -> None:
    if value not in choices:
        raise UsageError(f"{name}={value!r} is not known. Choose from {', '.join(choices)}.")


def _contact_table(contacts: Any) -> pd.DataFrame:
    """The table as it is if `read_contacts` made it and its cells are still text; else read now."""
    if isinstance(contacts, pd.DataFrame) and "reading" in contacts.attrs:
        index = contacts.index
        numbered = index.name == "row" and index.dtype == np.int64 and index.is_unique
        if numbered and (contacts.dtypes == "str").all():
            return contacts
    return read_contacts(contacts)
