"""The page of the message: the text, how long it is, and what it becomes for each person."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime

import numpy as np
import pandas as pd

from campaign.arrow_text import text_array
from campaign.contacts.amount_columns import count_amounts
from campaign.contacts.columns import number_columns
from campaign.contract import SENDER_LIMIT, TEXT_LIMIT
from campaign.errors import CampaignError, UsageError
from campaign.messages.plan_tables.text_lengths import are_too_long
from campaign.messages.templates.date_names import date_names
from campaign.messages.templates.date_orders import date_columns, time_of_day
from campaign.messages.templates.formats import parse_format
from campaign.messages.templates.languages import language_of
from campaign.messages.templates.moments import read_moment
from campaign.messages.text import gsm7
from campaign.messages.text.limits import check_sender
from campaign.messages.text.segments import count_units
from campaign.notebook.composer.facts import Facts, made_of
from campaign.notebook.composer.form import TABLE, Form
from campaign.notebook.composer.items import (
    Button,
    Chip,
    Choice,
    Item,
    Phone,
    Sheet,
    Text,
    cell,
    say,
    two,
    words,
)
from campaign.text import figure, listed_words, shorten, shorten_to_words
from campaign.values import replace
from campaign.words.page import PAGE

_LINE, _NAME = 40, 30  # characters of a text and of a name
_NAMED = 3  # characters that make a text longer
_EXAMPLE = date(2026, 12, 1)  # where the dates of a table can be read in more than one way
_LOOKED_AT = 1000  # rows that show whether a column has amounts
_LEAST = 1000  # an amount that is written with a comma
_PLAIN = r"-?[0-9]{1,15}(?:\.[0-9]{1,2})?"  # as workbooks hold amounts, whatever they show
_YEARS = (1900, 2100)


def message_page(form: Form, facts: Facts) -> Sheet:
    """The text on one side, the phone on the other."""
    languages = facts.languages(form)
    writing: list[Item] = []
    if languages is not None:
        each = (languages.column, f"A text for each {cell(languages.column)}")
        options = (("", "One text for everybody"), each)
        writing.append(
            Choice(id="language", label="Languages", value=form.language, options=options, look="buttons")
        )
    if form.language:
        writing.append(_tabs(form, facts))
    writing += [_text(form, facts), *_remarks(form, facts), _sender(form)]
    return Sheet(
        step="message",
        title="What do you want to tell them?",
        items=(two(tuple(writing), (phone(form, facts),)),),
        foot=(
            Button(id="back", label="Back"),
            Button(id="next", label="Next: check everybody", look="main", busy="Checking everybody …"),
        ),
    )


def _tabs(form: Form, facts: Facts) -> Item:
    """A tab for each language; one without a text says so."""
    languages = facts.languages(form)
    rows = {} if languages is None else languages.rows
    options = tuple(
        (name, f"{cell(name)} · {figure(count)}{'' if form.texts.get(name, '').strip() else ' · no text'}")
        for name, count in rows.items()
    )
    return Choice(id="editing", label="Text in", value=form.editing, options=options, look="tabs")


def _text(form: Form, facts: Facts) -> Text:
    try:
        count, is_wrong = _count(form, facts), _is_too_long(form, facts)
    except CampaignError as error:
        count, is_wrong = PAGE.text(error.finding), True
    return Text(
        id="text", label="Text", value=form.text, lines=5, count=count, is_wrong=is_wrong,
        chips=offered_chips(facts, form),
    )  # fmt: skip


@made_of(*TABLE, "number", "editing")
def offered_chips(facts: Facts, form: Form) -> tuple[Chip, ...]:
    """The columns to insert."""
    order = facts.reading(form).dates
    return chips(facts.contacts(form), number=form.number, language=form.editing, order=order)


def chips(contacts: pd.DataFrame, *, number: str, language: str, order: str) -> tuple[Chip, ...]:
    """A chip for each column but that of the numbers, in the order of the table."""
    columns = [name for name in contacts.columns if name != number and name and not {*"{}:|"} & set(name)]
    dates = date_columns(contacts[columns])
    phones = {*number_columns(columns)}
    return tuple(
        _of_date(name, dates[name], language, order) if name in dates
        else Chip(shorten(cell(name), _LINE), f"{{{name}}}") if name in phones
        else _of_column(name, contacts[name].head(_LOOKED_AT).str.strip())
        for name in columns
    )  # fmt: skip


def _of_date(name: str, example: str, language: str, order: str) -> Chip:
    """A date in the words of the language, with an example."""
    day: date = read_moment(example, order)[0] or _EXAMPLE
    clock = time_of_day(example)
    names = date_names()
    code = next((one for one in names if language.strip().casefold().startswith(one)), "en")
    way = f"{names[code].day}{'' if clock is None else ', %H:%M'}{'' if code == 'en' else f'@{code}'}"
    day = day if clock is None else datetime.combine(day, clock)
    written = parse_format(way, "").apply(text_array([str(day)]))[0][0].as_py()
    return Chip(f"{shorten(cell(name), _LINE)} · {written}", f"{{{name}:{way}}}")


def _of_column(name: str, cells: pd.Series[str]) -> Chip:
    """A column as it is; one of large amounts with a comma for thousands."""
    filled = cells[cells != ""]
    if filled.str.fullmatch(_PLAIN).all() and count_amounts(cells).are_amounts:
        amounts = filled.astype("float64")
        if (amounts.abs() >= _LEAST).any() and not amounts.between(*_YEARS).all():
            way = ",.2f" if filled.str.contains(".", regex=False).any() else ",.0f"
            return Chip(f"{shorten(cell(name), _LINE)} · {amounts.max():{way}}", f"{{{name}:{way}}}")
    return Chip(shorten(cell(name), _LINE), f"{{{name}}}")


def shown_row(form: Form, facts: Facts) -> int:
    """Whose message is on the phone: the chosen row, or else the first that gets one; 0 for none."""
    rows = facts.reached(form)
    return form.row if form.row in rows else int([*rows[:1], 0][0])


def _count(form: Form, facts: Facts) -> str:
    """How long the text on the phone is, and for how many people any is too long."""
    if not form.text.strip():
        return words("form_count", characters=0, limit=TEXT_LIMIT, parts=0, too_long=0)
    lengths, row = facts.lengths(form), shown_row(form, facts)
    at = lengths.index.get_indexer(pd.Index([row]))[0]
    characters, parts = count_units(form.text), 1
    if at >= 0:
        characters, parts = (int(lengths[name].to_numpy()[at]) for name in ("characters", "parts"))
    return words(
        "form_count", characters=characters, limit=TEXT_LIMIT,
        parts=parts if parts > 1 and characters <= TEXT_LIMIT else 0, too_long=len(_too_long(form, facts)),
    )  # fmt: skip


def _too_long(form: Form, facts: Facts) -> pd.Index[int]:
    """The rows whose text is too long; empty where they are cut or split."""
    lengths = facts.lengths(form)
    if form.overlong != "flag":
        return lengths.index[:0]
    rows = lengths.index[are_too_long(lengths, facts.numbers(form))]
    return rows.intersection(facts.reached(form))


def _is_too_long(form: Form, facts: Facts) -> bool:
    return bool(form.text.strip()) and len(_too_long(form, facts)) > 0


def _remarks(form: Form, facts: Facts) -> Iterator[Item]:
    """Which characters make the text on the phone take more SMS, and whose language has no text."""
    row = shown_row(form, facts)
    try:
        text = str(facts.lengths(form)["text"].get(row, "")) if form.text.strip() else ""
    except CampaignError:  # the counter says it
        return
    foreign = gsm7.of_class(text, gsm7.FOREIGN)
    if foreign:
        letters = listed_words(f"“{letter}”" for letter in foreign[:_NAMED])
        yield say("form_letters", "soft", letters=letters)
    if form.language:
        given = {language for language, text in form.texts.items() if text.strip()}
        without = ~language_of(facts.contacts(form), form.language).isin(given)
        if count := int(without.sum()):
            yield say("form_without_text", "ask", rows=count)


def _sender(form: Form) -> Text:
    wrong = ""
    try:
        check_sender(form.sender or "SENDER")
    except UsageError as error:
        wrong = "" if "{" in form.sender else PAGE.text(error.finding)
    label = f"Sender (up to {SENDER_LIMIT} characters)"
    return Text(id="sender", label=label, value=form.sender, count=wrong, is_wrong=bool(wrong))


def phone(form: Form, facts: Facts) -> Phone:
    """The message of one person, with what does not fit."""
    row = shown_row(form, facts)
    sender = cell(form.sender) or "Sender"
    if not row:
        return Phone(id="phone", sender=sender, texts=(), caption="", says=words("form_nobody"))
    name = facts.name_column(form)
    called = cell(facts.contacts(form).at[row, name]) if name else ""
    caption = ", ".join(filter(None, (shorten_to_words(called, _NAME), f"row {row}")))
    try:
        text = str(facts.lengths(form).at[row, "text"]) if form.text.strip() else ""
    except CampaignError:
        text = ""
    return Phone(
        id="phone", sender=sender, texts=(_cut(text, form.overlong),) if text else (), caption=caption
    )


def _cut(text: str, overlong: str) -> tuple[str, str]:
    """A text, and the end that does not fit; where texts are split, all of it does."""
    if overlong == "split" or count_units(text) <= TEXT_LIMIT:
        return text, ""
    fits = len(text)
    while count_units(text[:fits]) > TEXT_LIMIT:
        fits -= 1
    return text[:fits], text[fits:]


def turned(form: Form, facts: Facts, step: int) -> Form:
    """The form with the next person on the phone, or the one before."""
    rows, now = facts.reached(form).to_numpy(), shown_row(form, facts)
    if not len(rows):
        return form
    place = int(np.searchsorted(rows, now)) + step
    return form.changed(row=int(rows[place % len(rows)]))


def check_message(form: Form, facts: Facts) -> None:
    """Raise what is wrong with the sender or the text; `prepare` says it."""
    check_sender(form.sender)
    if not form.text.strip() and not any(text.strip() for text in form.texts.values()):
        raise UsageError("text_empty", text="message")
    try:
        facts.plan(form)
    except CampaignError:
        facts.plan(replace(form, opt_outs=""))  # a list is told of where it can be left out


def message_line(form: Form) -> str:
    """What was decided, in a few words."""
    texts = [text for text in form.texts.values() if text.strip()] if form.language else [form.message]
    return shorten_to_words(texts[0].strip(), _LINE) if texts else ""


def written_language(form: Form, facts: Facts, column: str) -> Form:
    """The form with a text for each language of a column, or again with one for everybody."""
    languages = facts.languages(form)
    if not column or languages is None:
        return form.changed(language="", editing="", message=form.text or form.message)
    first = next(iter(languages.rows))
    return form.changed(language=column, editing=first, texts={first: form.message, **form.texts})
