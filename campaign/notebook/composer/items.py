"""The items that pages are made of, and `Sheet`: a whole page. `page.js` draws one of each kind."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from msgspec import Struct, to_builtins

from campaign.contacts.files.sources import KINDS
from campaign.errors import CampaignError
from campaign.text import clean, without_controls
from campaign.words.finding import Finding
from campaign.words.page import PAGE

Tone = Literal["", "soft", "bad", "ask", "good", "live"]


class _Item(Struct, frozen=True, kw_only=True, tag_field="kind", tag=str.lower, omit_defaults=True):
    id: str = ""


class Note(_Item, frozen=True):
    """A sentence. One that is "bad" is announced at once."""

    text: str
    tone: Tone = ""


class Chip(Struct, frozen=True):
    """A button that inserts a placeholder into the text."""

    label: str
    insert: str


class Text(_Item, frozen=True):
    """A field to type in, of so many lines; `count` stands below it. A secret is never handed back."""

    label: str
    value: str = ""
    hint: str = ""
    lines: int = 1
    count: str = ""
    is_wrong: bool = False
    is_secret: bool = False
    chips: tuple[Chip, ...] = ()


class Choice(_Item, frozen=True):
    """One of several, as (value, words): a list, or where all of them are in sight, buttons or tabs."""

    label: str
    value: str
    options: tuple[tuple[str, str], ...]
    look: Literal["list", "buttons", "tabs"] = "list"
    hint: str = ""


class Checks(_Item, frozen=True):
    """Any of several, as (value, words), those in `value` being ticked."""

    label: str
    value: tuple[str, ...]
    options: tuple[tuple[str, str], ...]


class Upload(_Item, frozen=True):
    """A place for a file."""

    label: str
    is_small: bool = False
    accept: str = ",".join(KINDS)


class Button(_Item, frozen=True):
    """What a person presses; `busy` says what goes on until it is done."""

    label: str
    look: Literal["plain", "main", "live", "link"] = "plain"
    busy: str = ""
    is_off: bool = False


class Table(_Item, frozen=True):
    """Some rows of a table; `more` says how many there are besides."""

    label: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    more: str = ""


class Phone(_Item, frozen=True):
    """A phone with messages, each with the end that is cut off, and buttons to other people."""

    sender: str
    texts: tuple[tuple[str, str], ...]
    caption: str
    says: str = ""


class Bar(_Item, frozen=True):
    """One bar of (words, count, tone), which is also its legend."""

    parts: tuple[tuple[str, int, Tone], ...]


class Pairs(_Item, frozen=True):
    """A list of (term, words)."""

    pairs: tuple[tuple[str, str], ...]


class Group(_Item, frozen=True):
    """Items that belong together: beside each other ("two"), in a line, folded, or framed by a tone.

    Of tasks, one is unfolded at a time.
    """

    items: tuple[Item, ...]
    look: Literal["two", "column", "line", "fold", "task", "tile", "ask", "danger"] = "column"
    title: str = ""
    figure: str = ""
    is_open: bool = False


Item: TypeAlias = Note | Text | Choice | Checks | Upload | Button | Table | Phone | Bar | Pairs | Group


class Sheet(Struct, frozen=True, kw_only=True):
    """A page: its title, the items below, and at its foot the way back and the main button.

    `steps` are (name, what was decided, state); `top` is what the form is about.
    """

    step: str
    title: str
    items: tuple[Item, ...]
    top: str = ""
    steps: tuple[tuple[str, str, str], ...] = ()
    badge: str = ""
    foot: tuple[Button, ...] = ()

    def as_message(self) -> Any:
        """The page as plain values, as a browser gets it."""
        return _cleaned(to_builtins(self))


def _cleaned(value: Any) -> Any:
    """The same without control characters and those that change the direction of what follows."""
    if isinstance(value, str):
        return "\n".join(map(without_controls, value.split("\n")))
    if isinstance(value, dict):
        return {name: _cleaned(entry) for name, entry in value.items()}
    return [*map(_cleaned, value)] if isinstance(value, list | tuple) else value


def words(code: str, **facts: Any) -> str:
    """What a finding says on a page, without what to do."""
    return PAGE.headline(Finding(code, facts))


def say(code: str, tone: Tone = "", **facts: Any) -> Note:
    """A finding as a sentence."""
    return Note(text=words(code, **facts), tone=tone)


def told(found: Finding | CampaignError, tone: Tone = "") -> Note:
    """A finding or an error with what to do about it."""
    finding = found.finding if isinstance(found, CampaignError) else found
    return Note(text=PAGE.text(finding), tone=tone or ("bad" if isinstance(found, CampaignError) else ""))


def cell(value: object) -> str:
    """A cell as it is shown."""
    return clean(str(value))


def two(left: tuple[Item, ...], right: tuple[Item, ...]) -> Group:
    """Items beside each other, where the page is wide enough."""
    return Group(look="two", items=(Group(items=left), Group(items=right)))


def line(*items: Item) -> Group:
    """Items one behind the other."""
    return Group(look="line", items=items)
