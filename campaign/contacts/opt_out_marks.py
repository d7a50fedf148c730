"""A column of the contact table that marks people who want no messages: which of its cells say so."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

import pandas as pd
from msgspec import Struct

from campaign.errors import UsageError
from campaign.masking import mask_text
from campaign.text import agreeing, clean, counted, listed_words, shorten

# Compared without case and without space around. What is in neither is for a person to decide.
_YES = (
    "1", "1.0", "j", "ja", "ndio", "ndiyo", "opt out", "opt-out", "opted out", "opted-out", "oui", "si",
    "sim", "stop", "sí", "true", "unsubscribed", "vrai", "wahr", "x", "y", "yes", "✓", "✔", "☑",
)  # fmt: skip
_NOTHING = ("", "-")
_NO = (
    "", "-", "0", "0.0", "falsch", "false", "faux", "hapana", "n", "nao", "nein", "no", "non", "não", "☐",
)  # fmt: skip
# Words of a header that say that a mark stands for no messages. Below any other one, such as "SMS", a yes may
# as well be of somebody who wants them.
_NONE_WANTED = re.compile(
    r"\b(no|not|non|never|none|without|dont|don.t|stop\w*|opt\W?out\w*|opted\W?out|unsub\w*|block\w*|exclu\w*|"
    r"refus\w*|declin\w*|dnd|hapana|pas|sans|nein|kein\w*|nicht|ohne|sin|sem)\b"
)
# What such a header is about. Without it, "Phone no" or "No." would say that, too.
_ABOUT_MESSAGES = re.compile(
    r"\b(sms|te?xts?|messag\w*|contact\w*|call\w*|whatsapp|mails?|reminders?|stop\w*|opt\W?out\w*|opted\W?out|"
    r"unsub\w*|dnd|market\w*|promo\w*|advert\w*|offers?|newsletters?|mailings?|communications?)\b"
)
# Headers of columns in which a yes, or a no, may say whether somebody wants messages.
_ABOUT_WISHES = re.compile(
    r"\b(sms|te?xts?|messag\w*|reminders?|whatsapp|consent\w*|opt\W?in|opted\W?in|subscribed|wants?|agree\w*|"
    r"permission\w*|gdpr|market\w*|promo\w*|newsletters?|mailings?)\b"
)
# Whoever wants none may have to be told that an order is ready all the same.
_ABOUT_ADVERTISING = re.compile(r"\b(market\w*|promo\w*|advert\w*|offers?|newsletters?|mailings?)\b")
_OTHERS = 2  # different cells that are neither, "not sure", "call her": more of them are about something else
_NAMED = 5  # cells that are neither
_LENGTH = 24  # characters of such a cell
_LENGTH_OF_HEADER = 40  # characters


class OptOutMarks(Struct, frozen=True, eq=False):
    """The cells of a column that mark people who want no messages, by row, and those that are unclear.

    `says_none`: the header says that a mark means that. Below another header, no cell says so by itself, nor
    where a person has said the contrary of what the header says about some cells. `is_decided`: a person has
    said what some of the cells mean.
    """

    column: str
    marked: pd.Series[str]
    unclear: pd.Series[str]
    says_none: bool
    is_decided: bool = False

    @classmethod
    def of(
        cls, contacts: pd.DataFrame, column: str, also: Collection[str] = (), besides: Collection[str] = ()
    ) -> OptOutMarks:
        """Read the cells of a column; a person has said that those in `also` are marks too, and those in
        `besides` are none.

        Raises `UsageError` if the table has no such column.
        """
        if column not in contacts.columns:
            raise UsageError(
                f"The table has no column “{clean(column)}” that could mark people who want no messages. "
                "Choose another one, or none."
            )
        cells = contacts[column]
        folded = cells.str.strip().str.casefold()
        header_says_none = bool(_NONE_WANTED.search(_words(column)))
        is_turned = header_says_none and _are_contrary(also, besides)
        says_none = header_says_none and not is_turned
        is_mark = cells.isin([*also]) | folded.isin(_YES if says_none else ())
        is_none = cells.isin([*besides]) | folded.isin(
            _NO if says_none else _NOTHING if is_turned else _nothing(folded)
        )
        is_decided = bool(also or besides)
        return cls(column, cells[is_mark], cells[~is_mark & ~is_none], says_none, is_decided)

    @property
    def counts(self) -> pd.Series[int]:
        """How many rows each of the marks has, as it is written."""
        return self.marked.value_counts(sort=False)

    @property
    def about_unclear(self) -> str:
        """Which cells are neither a mark nor its absence, with the first row of each; "" for none."""
        if self.unclear.empty:
            return ""
        first = self.unclear[~self.unclear.duplicated()]
        named = [
            f"{f'“{shorten(mask_text(clean(cell)), _LENGTH)}”' if cell.strip() else 'nothing'} (row {row})"
            for row, cell in first.head(_NAMED).items()
        ]
        more = len(first) - _NAMED
        named += [counted(more, "other")] if more > 0 else []
        if self.is_decided and not self.says_none:
            column = clean(self.column)
            return f"What cells in “{column}” mean was chosen one by one, but not for {listed_words(named)}."
        if not self.says_none and _ABOUT_WISHES.search(_words(self.column)):
            what = "advertising" if is_about_advertising(self.column) else "texts"
            return (
                f"“{clean(self.column)}” seems to say who wants {what}. Its cells say {listed_words(named)}."
            )
        if not self.says_none:
            return (
                f"The header “{clean(self.column)}” does not say whether a mark means that a person wants "
                f"texts, or wants none. Its cells say {listed_words(named)}."
            )
        count = len(self.unclear)
        say = agreeing(count, "says", "say")
        return (
            f"In “{clean(self.column)}”, {counted(count, 'row')} {say} neither yes nor no: "
            f"{listed_words(named)}."
        )

    def of_rows(self, contacts: pd.DataFrame) -> pd.Series[bool]:
        """Which rows of the table are marked."""
        return pd.Series(contacts.index.isin(self.marked.index), index=contacts.index, name=self.column)


def _nothing(folded: pd.Series[str]) -> Collection[str]:
    """The cells that say nothing. Between a yes for some and a no for others, a cell without an answer may be
    that of somebody who has not agreed."""
    distinct = {*folded.unique()}
    return () if distinct & {*_YES} and distinct & ({*_NO} - {*_NOTHING}) else _NOTHING


def _are_contrary(also: Iterable[str], besides: Iterable[str]) -> bool:
    """Whether a person has said that a yes is no mark, or that a no, or an empty cell, is one."""
    marks, others = ({cell.strip().casefold() for cell in cells} for cells in (also, besides))
    return bool(marks & {*_NO} or others & {*_YES})


def seems_to_mark(column: str, cells: Iterable[str]) -> str:
    """That a column with these cells seems to tell who wants no messages, as the beginning of a sentence; ""
    if it does not. The cells are looked at only where the header is about that."""
    words, name = _words(column), shorten(clean(column), _LENGTH_OF_HEADER)
    if _NONE_WANTED.search(words):
        is_about_it = bool(_ABOUT_MESSAGES.search(words)) and _are_marks_of_some(cells)
        return f"“{name}” seems to mark people who want no messages" if is_about_it else ""
    is_about_it = bool(_ABOUT_WISHES.search(words)) and _are_answers(cells)
    whom = "advertising" if is_about_advertising(column) else "messages"
    return f"“{name}” seems to say who wants {whom}" if is_about_it else ""


def is_about_advertising(column: str) -> bool:
    """Whether a header is about advertising, which a text to be sent may or may not be."""
    return bool(_ABOUT_ADVERTISING.search(_words(column)))


def refusing(column: str, cells: Iterable[str]) -> list[str]:
    """Which of these cells seem to say that somebody wants no messages; none where the header is about
    something else."""
    words, header = {*_NO} - {*_NOTHING}, _words(column)
    if _NONE_WANTED.search(header):
        words = {*_YES} if _ABOUT_MESSAGES.search(header) else set()
    elif not _ABOUT_WISHES.search(header):
        words = set()
    return sorted(cell for cell in {*cells} if cell.strip().casefold() in words)


def _are_marks_of_some(cells: Iterable[str]) -> bool:
    """Whether some of these cells are marks, and the others say that there is none, but for a few."""
    distinct = {cell.strip().casefold() for cell in cells}
    return bool(distinct & {*_YES}) and len(distinct - {*_YES, *_NO}) <= _OTHERS


def _are_answers(cells: Iterable[str]) -> bool:
    """Whether these cells are a yes, a no or nothing, but for a few, and some are a yes and others a no."""
    distinct = {cell.strip().casefold() for cell in cells}
    nays = {*_NO} - {*_NOTHING}
    few_others = len(distinct - {*_YES, *_NO}) <= _OTHERS
    return bool(distinct & {*_YES}) and bool(distinct & nays) and few_others


def _words(column: str) -> str:
    return re.sub(r"[\W_]+", " ", column.casefold())
