"""The page of the people: which file, which sheet, which numbers of which country."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pandas as pd

from campaign.arrow_text import matches, series_to_array
from campaign.contacts.exports import likely_number_columns
from campaign.contacts.phone_numbers.cleaning import WORLD, clean_numbers
from campaign.contacts.phone_numbers.likely_region import NumberColumn, find_other_country
from campaign.contacts.phone_numbers.regions import names_of_regions
from campaign.errors import CampaignError, ContactsError, UsageError
from campaign.notebook.composer.facts import Facts, made_of
from campaign.notebook.composer.form import TABLE, Form
from campaign.notebook.composer.items import (
    Button,
    Choice,
    Group,
    Item,
    Note,
    Sheet,
    Table,
    Upload,
    cell,
    line,
    told,
    two,
    words,
)
from campaign.notebook.composer.message_page import written_language
from campaign.text import shorten

_ROWS, _COLUMNS, _CELL = 3, 6, 30  # of the table, and characters of a cell
_LOOKED_AT = 200  # rows that show whether a column may hold numbers
_DIGITS = r"(?:[0-9][^0-9]*){6}"
_NOTICES = 2  # in sight


def people_page(form: Form, facts: Facts) -> Sheet:
    """Ask for the file, then show what was found in it."""
    back = Button(id="back", label="Back")
    if not form.source:
        return Sheet(step="people", title="Who is it for?", items=(_upload(is_small=False),), foot=(back,))
    known = facts.names_sent(form) if not form.name and not facts.continues(form) else []
    if known:
        title = "You have sent to this file before"
        return Sheet(step="people", title=title, items=_known(known), foot=(back,))
    return Sheet(
        step="people",
        title="Who is it for?",
        items=(_file(form, facts), _fields(form, facts), *_warnings(form, facts), _first_rows(form, facts)),
        foot=(back, Button(id="next", label="Next: the message", look="main")),
    )


def _upload(*, is_small: bool) -> Upload:
    label = "Choose another file" if is_small else "Choose a spreadsheet"
    return Upload(id="source", label=label, is_small=is_small)


def _known(names: list[str]) -> tuple[Item, ...]:
    """The same list again: with a new text, or what is left of a campaign."""
    going_on = [
        Button(id=f"continue:{name}", label=f"Continue “{shorten(cell(name), _CELL)}”") for name in names[:3]
    ]
    new = Button(id="new-name", label="New message to these people", look="main")
    return (line(new), line(*going_on), _upload(is_small=True))


def _file(form: Form, facts: Facts) -> Item:
    """What was read, and what was left out or repaired."""
    reading = facts.reading(form)
    sheet = f" · sheet {cell(reading.sheet)}" if reading.sheet else ""
    rows = words("form_rows", rows=reading.rows)
    notices = [told(notice, "soft") for notice in reading.notices]
    folded = Group(look="fold", title="More about this file", items=(*notices[_NOTICES:],))
    return Group(
        look="tile",
        items=(
            Note(text=f"{cell(Path(form.source).name)}{sheet} · {rows}"),
            *notices[:_NOTICES],
            *([folded] if notices[_NOTICES:] else []),
            *_sheets(form, facts),
            _upload(is_small=True),
        ),
    )


def _sheets(form: Form, facts: Facts) -> Iterator[Item]:
    reading = facts.reading(form)
    if len(reading.sheets) > 1:
        options = tuple((name, cell(name)) for name in reading.sheets)
        yield Choice(id="sheet", label="Sheet", value=reading.sheet or "", options=options)


def _fields(form: Form, facts: Facts) -> Item:
    """The columns of the numbers, each with how many of its cells can be used, and their country."""
    usable, count = usable_numbers(facts, form), len(facts.contacts(form))
    shares = {
        name: words("form_usable", column=cell(name), usable=usable[name], count=count)
        for name in usable
        if usable[name]
    }
    columns = tuple((name, shares.get(name, cell(name))) for name in facts.contacts(form).columns if name)
    others = tuple((name, shares[name]) for name in shares if name != form.number)
    second = Choice(
        id="second", label="If that one cannot be used", value=form.second, options=(("", "nothing"), *others)
    )
    number = Choice(id="number", label="Phone numbers are in", value=form.number, options=columns)
    return two((number, *([second] if others else [])), (_country(form, facts),))


def _country(form: Form, facts: Facts) -> Item:
    names = names_of_regions().items()
    options = (("", "Choose the country"), *names, (WORLD, "Every number has its country code"))
    return Choice(
        id="region", label="Country of numbers without a code", value=form.region, options=options,
        hint=_example(form, facts),
    )  # fmt: skip


def _example(form: Form, facts: Facts) -> str:
    """What the country makes of a number."""
    written, number = number_column(facts, form).fit(form.region).example if form.region else ("", "")
    return words("form_example", written=cell(written), number=f"+{number}") if written else ""


def _warnings(form: Form, facts: Facts) -> Iterator[Item]:
    other = find_other_country(facts.contacts(form)[form.number], form.region) if form.region else None
    if other is not None:
        yield told(other, "ask")


def _first_rows(form: Form, facts: Facts) -> Item:
    contacts = facts.contacts(form)
    shown = list(contacts.columns[:_COLUMNS])
    if form.number not in shown:
        shown = [*shown[:-1], form.number]
    rows = tuple(
        (str(row), *(shorten(cell(contacts.at[row, name]), _CELL) for name in shown))
        for row in contacts.index[:_ROWS]
    )
    return Table(label="First rows", columns=("Row", *map(cell, shown)), rows=rows)


@made_of(*TABLE, "region")
def usable_numbers(facts: Facts, form: Form) -> dict[str, int]:
    """How many cells of each column that may hold numbers can be sent to."""
    contacts = facts.contacts(form)
    first = contacts.head(_LOOKED_AT)
    names = [name for name in contacts.columns if matches(series_to_array(first[name]), _DIGITS).any()]
    region = form.region or None
    return {
        name: int((clean_numbers(contacts[name], region=region)["problem"] == "").sum()) for name in names
    }


@made_of(*TABLE, "number")
def number_column(facts: Facts, form: Form) -> NumberColumn:
    """What the chosen column says of its country."""
    return NumberColumn(facts.contacts(form)[form.number])


def fitted(form: Form, facts: Facts) -> Form:
    """The form with columns of this table only; the likeliest one takes the place of that of the numbers."""
    columns = facts.contacts(form).columns
    if form.number not in columns:
        form = form.changed(number=[*likely_number_columns(columns), *columns][0])
    if form.second not in columns:
        form = form.changed(second="")
    return form if form.language in columns else written_language(form, facts, "")


def guessed(form: Form, facts: Facts, usual: str) -> Form:
    """The form with the likeliest column and country; `usual` is that of the last campaign here."""
    form = fitted(form, facts)
    column = number_column(facts, form)
    if column.likely_region is not None:
        return form.changed(region=column.likely_region.region)
    fits = [region for region in (form.region, usual) if region and not column.fit(region).is_clearly_worse]
    return form.changed(region=fits[0] if fits else "")


def check_people(form: Form, facts: Facts) -> None:
    """Raise what is wrong where nobody could get anything: no rows, the wrong column, or no country."""
    if facts.contacts(form).empty:
        raise UsageError("no_rows")
    problems: pd.Series[str] = clean_numbers(facts.contacts(form)[form.number], region=form.region or None)[
        "problem"
    ]
    without = int((problems == "no_region").sum())
    if without and not form.region:
        raise ContactsError("numbers_without_country", count=without)
    if not facts.continues(form) and not (facts.numbers(form) > 0).any():
        several = "sheet" if len(facts.reading(form).sheets) > 1 else ""
        raise ContactsError("few_numbers", column=form.number, sheet=several)


def people_line(form: Form, facts: Facts) -> str:
    """What was decided, in a few words."""
    with suppress(CampaignError):
        country = names_of_regions().get(form.region, "")
        rows = words("form_rows", rows=facts.reading(form).rows)
        return ", ".join(filter(None, (rows, cell(form.number), country)))
    return ""
