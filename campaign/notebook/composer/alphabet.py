"""Why a text takes more SMS than its length suggests: which characters do it, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

from campaign.contacts.columns import fold
from campaign.messages.text import gsm7
from campaign.messages.text.segments import SINGLE, SINGLE_UCS2, count_parts
from campaign.text import agreeing, counted, listed_words

_NAMED = 5  # characters
_IN_CELLS = " in the spreadsheet"  # where the characters of a value can be changed
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")


def without_placeholders(message: str) -> str:
    """What a message says in every row."""
    return _PLACEHOLDER.sub("", message)


def explain_alphabet(message: str, text: str) -> str:
    """A sentence or two about a text that was filled in from `message`; "" where there is nothing to explain.

    Phones leave their compact alphabet for a single character that is not in it. Some others count twice.
    """
    text = gsm7.plain(text) if gsm7.is_gsm(gsm7.plain(text)) else text
    foreign = gsm7.of_class(text, gsm7.FOREIGN | gsm7.TWIN)
    if foreign:
        return _explain_foreign(foreign, without_placeholders(message))
    doubles = [character for character in dict.fromkeys(text) if gsm7.is_double(character)]
    if not doubles or count_parts(text) == 1 or len(text) > SINGLE:
        return ""
    count = agreeing(len(doubles), "counts as two characters", "count as two characters each")
    return f"{_quoted(doubles)} {count}, so this text takes {count_parts(text)} SMS."


def named_letters(text: str) -> str:
    """The characters of a text that make one SMS hold fewer, for a line: "“ê” and “î”"; "" if none do."""
    foreign = gsm7.of_class(text, gsm7.FOREIGN)
    return _quoted(foreign) if foreign else ""


def explain_cells(message: str, cells: pd.DataFrame, rows: int) -> str:
    """Which columns bring characters into so many rows that make one SMS hold fewer; "" if none does.

    `cells` are those of some of these rows.
    """
    used = {fold(re.split("[:|]", placeholder[1:-1])[0]) for placeholder in _PLACEHOLDER.findall(message)}
    columns = [name for name in cells.columns if fold(name) in used]
    letters = {name: gsm7.of_class("".join(cells[name].unique()), gsm7.FOREIGN) for name in columns}
    letters = {name: found for name, found in letters.items() if found}
    if not letters:
        return ""
    distinct = [*dict.fromkeys(character for found in letters.values() for character in found)]
    where, are = listed_words(f"“{name}”" for name in letters), agreeing(len(distinct), "is", "are")
    return (
        f"{_quoted(distinct)} from {where} {are} not in the alphabet of SMS, "
        f"so in {counted(rows, 'row')} one SMS holds {SINGLE_UCS2} characters instead of {SINGLE}. "
        f"{_remedy(distinct, _IN_CELLS)}"
    )


def _explain_foreign(foreign: Sequence[str], written: str) -> str:
    of_text = [character for character in foreign if character in written]
    of_cells = [character for character in foreign if character not in written]
    consequence = f"so one SMS holds {SINGLE_UCS2} characters instead of {SINGLE}"
    sentences = []
    for characters, place, where in (
        (of_text, "in your text", ""),
        (of_cells, "from the spreadsheet", _IN_CELLS),
    ):
        if characters:
            what = f"{_quoted(characters)} {place} {agreeing(len(characters), 'is', 'are')}"
            sentences.append(
                f"{what} not in the alphabet of SMS, {consequence}. {_remedy(characters, where)}"
            )
    return " ".join(sentences)


def _remedy(characters: Sequence[str], where: str) -> str:
    """What to write instead of each, or to leave it out, and `where` if that is not in the text."""
    instead = [(character, gsm7.nearest(character)) for character in characters[:_NAMED]]
    replaced = [f"“{plainer}” instead of “{character}”" for character, plainer in instead if plainer]
    dropped = [f"“{character}”" for character, plainer in instead if not plainer]
    advice = []
    if replaced:
        advice.append(f"write {listed_words(replaced)}")
    if dropped:
        advice.append(f"leave out {listed_words(dropped)}")
    return f"To save room, {' and '.join(advice)}{where}."


def _quoted(characters: Sequence[str]) -> str:
    named = [f"“{character}”" for character in characters[:_NAMED]]
    more = len(characters) - _NAMED
    return listed_words([*named, f"{more} more"] if more > 0 else named)
