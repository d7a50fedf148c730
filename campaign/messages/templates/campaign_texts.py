"""The texts of a campaign in its languages, with their sender and priority."""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
import pyarrow.compute as pc
from msgspec import Struct

from campaign.argument_checks import check, check_switch, check_text, described, wrong
from campaign.arrow_text import (
    Ints,
    TextArray,
    is_one_of,
    series_to_array,
    strip_texts,
    unique_texts,
)
from campaign.contacts.columns import find_column
from campaign.contacts.contact_parts import ContactParts, distinct_cells, whole_table
from campaign.contract import PRIORITIES, SENDER_LIMIT
from campaign.errors import TemplateError, UsageError
from campaign.messages.issues import IssueCollector
from campaign.messages.templates.character_issues import describe_literal
from campaign.messages.templates.date_orders import with_order
from campaign.messages.templates.filling import fill_short
from campaign.messages.templates.foreign_placeholders import refuse_file_path, refuse_foreign_placeholders
from campaign.messages.templates.formats import DateFormat, Format
from campaign.messages.templates.number_format import with_signs
from campaign.messages.templates.plain_dates import describe_mixed_dates
from campaign.messages.templates.rendering import Rendered, merge, render_message
from campaign.messages.templates.template import Placeholder, Template, parse, refuse_format_after_words
from campaign.messages.text import gsm7, limits
from campaign.values import replace
from campaign.words.finding import Finding


class CampaignTexts(Struct, frozen=True):
    """The texts of a campaign: one, or one for each language, with their sender and priority."""

    texts: Mapping[str, Template]  # by language in lower case; "" if there is only one
    language: str | None  # the column that chooses
    sender: Template
    priority: Template
    downgrade: bool

    @property
    def date_orders(self) -> dict[str, str]:
        """The order of day, month and year in each column of dates, where it is known, and what the point and
        the comma do in each column of numbers."""
        formats = _formats([*self.texts.values(), self.sender, self.priority])
        return {column: form.column_order for column, form in formats.items() if form.column_order}

    def describe(self, contacts: ContactParts, issues: IssueCollector) -> None:
        """Add the issues that concern the texts themselves, such as a language that no row has."""
        used = set(self.texts)
        if self.language is not None:
            parts = distinct_cells(contacts, self.language)
            used = {name for cells in parts for name in _rows_by_language(cells)}
        for language, template in self.texts.items():
            describe_literal(template, issues, downgrade=self.downgrade)
            if self.language is not None and language not in used:
                facts = {"value": language}
                issues.add_for_table(Finding("unused_text", facts, "warning", column=self.language))
        for form in _formats(self.texts.values()).values():
            for finding in form.findings:
                issues.add_for_table(finding)
        describe_mixed_dates(self.texts.values(), contacts, issues)

    def render(self, contacts: pd.DataFrame, issues: IssueCollector) -> Rendered:
        """The message of each row; rows whose language has no text are excluded."""
        if self.language is None:
            all_rows = np.arange(len(contacts))
            return render_message(self.texts[""], contacts, all_rows, issues, downgrade=self.downgrade)
        rows_by_language = _rows_by_language(series_to_array(contacts[self.language]))
        groups: list[tuple[Ints, Rendered]] = []
        for language, template in self.texts.items():
            rows = rows_by_language.pop(language, None)
            if rows is not None:
                rendered = render_message(
                    template, contacts, rows, issues, what=_describe(language), downgrade=self.downgrade
                )
                groups.append((rows, rendered))
        without_text = np.sort(np.concatenate([np.empty(0, dtype=np.int64), *rows_by_language.values()]))
        cells = series_to_array(contacts[self.language]).take(without_text)
        issues.add(without_text, self.language, cells, "no_text", "error", languages=[*self.texts])
        return merge(groups, len(contacts))

    def senders(self, contacts: pd.DataFrame, issues: IssueCollector) -> TextArray | str:
        """The sender of each row, or one for all rows, which has already been checked."""
        if not self.sender.placeholders:
            return self.sender.literal
        senders, complete = fill_short(self.sender, contacts, issues, what="sender")
        strings, positions = unique_texts(senders)
        flaws = [limits.sender_flaws(sender) for sender in strings]
        for place in np.flatnonzero(np.array(flaws, dtype=bool)).tolist():
            bad = np.flatnonzero((positions == place) & complete)
            facts = flaws[place] | {"limit": SENDER_LIMIT}
            issues.add(bad, "sender", senders.take(bad), "bad_sender", "error", **facts)
        return senders

    def priorities(self, contacts: pd.DataFrame, issues: IssueCollector) -> TextArray | str:
        """The priority of each row, or one for all rows, which has already been checked."""
        if not self.priority.placeholders:
            return self.priority.literal
        priorities, complete = fill_short(self.priority, contacts, issues, what="priority")
        bad = np.flatnonzero(~is_one_of(priorities, ["", *PRIORITIES]) & complete)
        issues.add(bad, "priority", priorities.take(bad), "bad_priority", "error")
        return priorities


def _formats(templates: Iterable[Template]) -> dict[str, Format]:
    """A format of each column that has one."""
    placeholders = (placeholder for template in templates for placeholder in template.placeholders)
    return {one.column: one.format for one in placeholders if one.format is not None}


def _describe(language: str) -> str:
    return f'text for "{language}"' if language else "message"


def _rows_by_language(cells: TextArray) -> dict[str, Ints]:
    """The rows of each language, by its name in lower case."""
    languages, positions = unique_texts(pc.utf8_lower(strip_texts(cells)))
    return {language: np.flatnonzero(positions == place) for place, language in enumerate(languages)}


def choose_campaign_texts(
    contacts: ContactParts,
    message: str | Mapping[str, str],
    language: str | None,
    sender: str,
    priority: str | int | None,
    *,
    downgrade: bool,
    as_written: bool,
) -> CampaignTexts:
    """Check and parse the arguments of `prepare` that are texts. Raises the errors of these arguments."""
    check_switch(downgrade, subject="downgrade", write="downgrade=False")
    check_switch(as_written, subject="as_written", write="as_written=True")
    check(
        message, (str, Mapping), subject="message", needs="text, or a dictionary of texts by language",
        write='message="Hi {first_name}, …"',
    )  # fmt: skip
    check_text(language, subject="language", write='language="language", the name of a column', or_none=True)
    if isinstance(message, Mapping) != (language is not None):
        given = {"message": message} if language is None else {"language": language}
        raise UsageError("languages_incomplete", **{name: described(value) for name, value in given.items()})
    parser = _Parser(contacts, bool(downgrade), bool(as_written))
    texts = _by_language(message) if isinstance(message, Mapping) else {"": message}
    return CampaignTexts(
        {key: parser.message(text, key) for key, text in texts.items()},
        None if language is None else find_column(contacts.columns, language),
        parser.sender(sender),
        parser.priority(priority),
        bool(downgrade),
    )


def _by_language(message: Mapping[str, str]) -> dict[str, str]:
    for language in message:
        check_text(language, subject="A language in message=", write='message={"en": "..."}')
    languages = [language.strip().lower() for language in message]
    printable = all(language.isprintable() for language in languages)  # half characters are not
    if not languages or "" in languages or len(set(languages)) < len(languages) or not printable:
        raise wrong(message, subject="message", needs="a language for each text", write='{"en": "…"}')
    return dict(zip(languages, message.values(), strict=True))


class _Parser(Struct, frozen=True, eq=False):
    """Parses the texts of a call against the columns of the table."""

    contacts: ContactParts
    downgrade: bool
    as_written: bool

    def message(self, text: str, language: str) -> Template:
        what = _describe(language)
        check_text(text, subject=what, write='"Hi {first_name}, …"')
        if not self.as_written:
            refuse_file_path(text.strip(), what=what)
        text = (gsm7.tidy(text) if self.downgrade else text).strip()
        if not text:
            raise TemplateError("text_empty", text=what)
        return self._parse(text, what)

    def sender(self, text: str) -> Template:
        check_text(text, subject="sender", write='sender="CLINIC"')
        template = self._parse(text, "sender")
        return template if template.placeholders else Template((limits.check_sender(template.literal),))

    def priority(self, priority: str | int | None) -> Template:
        if priority is None:
            return Template(("",))
        if isinstance(priority, bool) or not isinstance(priority, str | int | np.integer):
            raise self._bad_priority(priority)
        template = self._parse(str(priority), "priority")
        if template.placeholders:
            return template
        if template.literal.strip() not in PRIORITIES:
            raise self._bad_priority(priority)
        return Template((template.literal.strip(),))

    @staticmethod
    def _bad_priority(priority: object) -> UsageError:
        needs = "0 (highest) to 4 (lowest), or a {column} of these"
        return wrong(priority, subject="priority", needs=needs, write="priority=2")

    def _parse(self, text: str, what: str) -> Template:
        if not self.as_written:
            refuse_foreign_placeholders(text, self.contacts, what=what)
        template = parse(text, self.contacts.columns, what=what)
        if not self.as_written:
            refuse_format_after_words(template, what=what)
        return _with_column_readings(template, whole_table(self.contacts))


def _with_column_readings(template: Template, contacts: ContactParts) -> Template:
    """The template whose formats know what the cells of their columns say together: the order of dates, and
    what the point and the comma do in numbers. One cell such as 05/01/2026 or 12.500 does not say it."""

    def informed(piece: str | Placeholder) -> str | Placeholder:
        if isinstance(piece, str) or piece.format is None:
            return piece
        if isinstance(piece.format, DateFormat):
            return replace(piece, format=with_order(piece.format, piece.column, contacts))
        return replace(piece, format=with_signs(piece.format, piece.column, contacts))

    return Template(tuple(map(informed, template.pieces)))
