"""`prepare`: a contact table and what to tell its people become a plan."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.argument_checks import check_choice
from campaign.arrow_text import Ints
from campaign.contacts.contact_parts import ContactParts
from campaign.contacts.contact_source import open_contacts
from campaign.contacts.files.frames import as_frame
from campaign.contacts.phone_numbers.cleaning import check_kinds
from campaign.contacts.reading_record import Reading
from campaign.contacts.totals_lines import closing_totals
from campaign.messages import draft
from campaign.messages.draft import write_draft
from campaign.messages.number_rules import NumberRules, choose_columns, choose_region, distinct_regions
from campaign.messages.overlong import OverlongRules
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.duplicates import DUPLICATES
from campaign.messages.plan_tables.row_block import Rules
from campaign.messages.suppression.suppression_lists import SuppressionLists, SuppressionRules, counting_in
from campaign.messages.templates.campaign_texts import choose_campaign_texts
from campaign.values import replace


def prepare(
    contacts: Any,
    *,
    message: str | Mapping[str, str],
    sender: str,
    number: str | list[str] | None = None,
    region: str | pd.Series[str] | None = None,
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
    stream: bool | None = None,
    client: Any = None,
) -> Plan:
    """Turn a contact table into checked messages: a `Plan` with what each row gets, or why it gets none.

    `contacts`: a contact table, or anything that `read_contacts` reads. `message`, `sender` and `priority`
    are texts with placeholders: `{column}`, `{column|words for empty cells}`, `{visit_date:%d %b}`,
    `{amount:,.0f}`, or both, the format first: `{amount:,.0f|0}`; `{{` and `}}` are literal braces. The names
    of columns are compared without case, spaces and underscores. White space around values and messages is
    removed. With several texts, `message={"en": ..., "fr": ...}`, the column `language` says which one each
    row gets.

    `as_written`: by default the placeholders of other tools (`{{name}}`, `[Name]`, `%s`), formats after the
    words for empty cells (`{amount|0:,.0f}`) and the paths of files are refused, because they would be
    sent as they are; `as_written=True` sends them.

    `number`: the column of the phone numbers, or several in order of preference: the first usable number of
    each row is taken. By default the column is found by its header; exports of known tools have several in
    order. `region`: the country of numbers without a country code, such as "UG", or the column that contains
    it; "001" if every number begins with its country code, with + or without. `several` and `kinds` are
    those of `clean_numbers`.

    `overlong`: a text over 160 characters (UTF-16 units) excludes its row ("flag"), is cut and ends in
    `ellipsis` ("truncate", between words with `keep_words`, unless that takes half of what fits), or becomes
    several numbered messages ("split").
    `max_parts`: the most SMS parts that one row may take; a text with more is flagged or truncated likewise.
    `downgrade`: curly quotes, long dashes, ellipses and special spaces are replaced with plain characters
    where that makes a text fit the GSM-7 alphabet, and each replacement is an issue.

    `duplicates`: of rows with the same number the first is kept ("skip"), or one for each different text
    ("keep"), or a ContactsError names them ("error"). `opt_outs`: a file, DataFrame, Series or list of
    numbers that get no message, or a Series of True and False that marks rows: `contacts["No SMS"] == "x"`
    leaves out the marked rows, also without a usable number, and everybody who has the number of one. Their
    status is opted_out, whatever else is wrong with the row. Several are given as a list:
    `["stop.csv", contacts["No SMS"] == "x"]`. A campaign remembers the numbers of lists, also those that are
    in no row, and none of them gets anything more under its name; a mark counts as it stands. `not_again`:
    results or folders of earlier campaigns, or lists of numbers. Numbers that were reached, or may have been,
    get no message: their status is duplicate, with the issue other_campaign. A campaign counts in its own
    environment only, so that a rehearsal leaves nobody out of a live campaign.

    `stream`: whether the table is read, checked and kept in parts on disk, so that it may be larger than the
    memory; the plan is the same. By default a large file is (over 200 MB of text, or 20 MB of parquet).
    See `Plan.parts`. Csv and parquet files are read in parts; anything else is read whole first.

    `contacts` may be a Dask DataFrame: its rows are numbered from 2 over the partitions in their order, and
    the plan is the same as of a DataFrame. It is made on the workers of `client`, by default those of the
    current client, and stays there; sending has them write it into the campaign folder, which they have to
    share. Raises UsageError if there is no client.

    Rows that cannot be sent are data: see `Plan.issues`. Raises TemplateError for a placeholder without a
    column, ColumnError when the column of the numbers is unclear, UsageError for unusable arguments.
    """
    contacts = as_frame(contacts)
    table = open_contacts(contacts, draft.BLOCK, stream=stream, client=client)
    check_choice(duplicates, DUPLICATES, subject="duplicates")
    check_choice(several, ("refuse", "first"), subject="several")
    check_kinds(kinds)
    suppression = SuppressionRules.of(opt_outs, not_again)
    texts = choose_campaign_texts(
        table, message, language, sender, priority, downgrade=downgrade, as_written=as_written
    )
    columns, its_region = choose_columns(table.columns, number, table), choose_region(table, region)
    numbers = NumberRules(columns, its_region, several, kinds, closing_totals(table, columns))
    rules = Rules(
        texts,
        numbers,
        OverlongRules.of(overlong, ellipsis, keep_words=keep_words, max_parts=max_parts, downgrade=downgrade),
        suppression.read_for(table, contacts, numbers, distinct_regions(table, numbers.region)),
        duplicates,
    )
    template = message if isinstance(message, str) else json.dumps(dict(message), ensure_ascii=False)
    return _Preparation(table, rules, suppression.not_again, template).plan()


class _Preparation(Struct, frozen=True, eq=False):
    """What a plan is made of: its table, its rules, and the rows that are kept instead of the first."""

    table: ContactParts
    rules: Rules
    not_again: tuple[Any, ...]
    template: str
    preferred: tuple[Ints, ...] = ()

    @property
    def suppression(self) -> SuppressionLists:
        """The lists of numbers that get no message."""
        return self.rules.suppression

    @property
    def reading(self) -> Reading | None:
        """The reading of the table, with the order of the dates in its columns."""
        reading = self.table.reading
        orders = tuple(self.rules.texts.date_orders.items())
        return None if reading is None else replace(reading, date_orders=orders)

    def plan(self) -> Plan:
        preferred = np.concatenate([np.empty(0, dtype=np.int64), *self.preferred])
        return Plan(
            **write_draft(self.table, self.rules, preferred),
            reading=self.reading,
            not_again=self.not_again,
            template=self.template,
            _made_of=self,
        )

    def plan_keeping(self, positions: Ints) -> Plan:
        """The plan if the rows at these positions came before the others with their numbers."""
        return replace(self, preferred=(*self.preferred, positions)).plan()

    def plan_in(self, environment: str) -> Plan:
        """The plan if campaigns of other environments had reached nobody."""
        not_again = counting_in(environment, self.not_again)
        suppression = self.rules.suppression.in_environment(environment)
        rules = replace(self.rules, suppression=suppression)
        return replace(self, not_again=not_again, rules=rules).plan()
