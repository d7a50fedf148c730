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
    """Turn a contact table into checked messages.

    Parameters
    ----------
    contacts
        A contact table, or anything that `read_contacts` reads.
    message
        Text with placeholders: `{column}`, `{column|words for empty cells}`, `{visit_date:%-d %B}`,
        `{amount:,.0f}`. Several: `{"en": ..., "fr": ...}`, with `language`.
    sender
        Sender ID, at most 11 characters.
    number
        Column of the numbers, or several in order of preference; by default found.
    region
        Country of numbers without one: "UG", or a column.
    priority
        0 to 4, or a placeholder.
    overlong
        Texts over 160 characters: "flag" leaves the row out, "truncate" cuts, "split" sends several.
    ellipsis, keep_words
        How a text is cut.
    downgrade
        Replace typographic characters to fit GSM-7.
    duplicates
        Rows with one number: "skip" keeps the first, "keep" each different text.
    opt_outs
        Who gets nothing: a file, DataFrame, list, Series of True and False, or several of these.
    max_parts
        SMS parts that a row may take.
    language
        Column that says which text a row gets.
    not_again
        Results, campaign folders or lists: whoever they reached gets nothing.
    several, kinds
        See `clean_numbers`.
    as_written
        Send what looks like another tool's placeholder.
    stream
        Keep the table on disk.
    client
        Of the Dask cluster with the table.

    Returns
    -------
    Plan
        What each row gets, or why it gets nothing.

    Raises
    ------
    TemplateError
        A placeholder has no column.
    ColumnError
        The column of the numbers is unclear.
    UsageError
        An argument cannot be used.

    Examples
    --------
    >>> plan = campaign.prepare(contacts, message="Hi {name}!", sender="CLINIC", region="UG")
    >>> plan.messages["message"].tolist()
    ['Hi Amina!']
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
    def language(self) -> str | None:
        """The column that says which text a row gets."""
        return self.rules.texts.language

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
