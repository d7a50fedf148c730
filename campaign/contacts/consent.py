"""Columns that tell who wants messages, or who wants none: which headers are about that, what the cells say.

The process that opens workbooks loads this module, so it imports as little as it can.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from typing import NamedTuple

from campaign.contacts.vocabulary import VOCABULARY, phrases

_OTHERS = 2  # different cells that are neither, "not sure", "call her": more of them are about something else
_MOST_OTHERS = 20  # below a header that is about nothing else
FEW = 20  # cells that a line of Python names


def _without_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))


def fold_cell(cell: str) -> str:
    """A cell as it is compared. A question mark stays: "yes?" is no yes."""
    text = re.sub(r"(?<=^[01])\.0+$", "", cell.strip())
    return re.sub(r"[^\w?]+|_", "", _without_accents(text)) or text


def _words(header: str) -> str:
    """The words of a header: "HasOptedOutOfEmail" -> "has opted out of email". In "No. of texts" no is a
    number, and "SMS (yes/no)" says neither."""
    spaced = re.sub(r"(?i)\bno\.|\bno(?= of\b|$)", "number ", header.strip())
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", spaced)
    return _BOTH.sub("", re.sub(r"[\W_]+", " ", _without_accents(spaced))).strip()


def _pattern(listed: Iterable[str]) -> re.Pattern[str]:
    """Phrases as a pattern of headers: a space may be missing, a star is any letters."""
    alternatives = "|".join(map(_without_accents, listed))
    pattern = alternatives.replace(" ", " ?").replace("*", r"\w*")
    return re.compile(rf"\b(?:sms|e?mail|phone|whatsapp)?(?:{pattern})\b")


_BOTH = re.compile(
    r"\b(?:yes|y|oui|ja|si|sim|ndiyo|true|1) (?:or |ou |oder |o )?(?:no|n|non|nein|nao|hapana|false|0)\b"
)
_CELLS = {name: frozenset(map(fold_cell, phrases("cells", name))) for name in VOCABULARY["cells"]}
_HEADERS = {name: _pattern(phrases("headers", name)) for name in VOCABULARY["headers"]}
_YES, _NO, _NOTHING = _CELLS["yes"], _CELLS["no"], _CELLS["nothing"] | {""}
_WANTED, _OPTED_OUT = _CELLS["wanted"], _CELLS["opted_out"]
_REFUSED = _CELLS["refused"] | _OPTED_OUT
_DATE = re.compile(
    r"\d{1,4}[\W_]{1,3}(?:\d{1,2}|[^\W\d_]{3,9})[\W_]{1,3}\d{2,4}(?:\D.*)?|"  # 2025-03-01, 1 mars 2025
    r"[^\W\d_]{3,9}[\W_]{1,3}\d{1,2}[\W_]{1,3}\d{4}(?:\D.*)?|"  # Mar 1, 2025
    r"\d{5}(?:\.\d+)?|\d{8}|\d{10}|\d{13}"  # days or seconds, as spreadsheets and computers count them
)
_YEAR = re.compile("[0-9]{4}")
_COUNT = re.compile(r"[2-6]|[1-9]\d+")
_NO_ANSWER = frozenset(("7", "8", "9", "77", "88", "97", "98", "99", "998", "999"))  # in questionnaires


class ConsentHeader(NamedTuple):
    """What a header is about. `kind`: a mark below it refuses ("refusal"), a yes wants ("consent"), or may
    want ("wishes"); it may be about anything ("any"), or is about something else ("").

    `is_clear`: it is about nothing else. `has_moment`: it asks when, or why. `is_negated`: it has a word such
    as "no" and is not about wishes, as far as one can see.
    """

    kind: str
    is_clear: bool = False
    has_moment: bool = False
    is_negated: bool = False

    @classmethod
    def of(cls, column: str) -> ConsentHeader:
        words = _words(column)
        has = {name: pattern.search(words) is not None for name, pattern in _HEADERS.items()}
        if has["other"]:
            return cls("", is_negated=has["none"])
        is_taken_back = has["none"] or (has["taken_back"] and not has["given"])
        if not has["either"] and (has["refusal"] or (has["consent"] and is_taken_back)):
            return cls("refusal", True, has["moment"])
        if has["none"] and has["messages"] and not has["either"]:
            return cls("refusal")
        is_about_mail = _is_about_mail(words)
        if has["consent"] and not is_about_mail:
            return cls("consent", True, has["moment"])
        if has["wishes"] and not has["other_than_wishes"] and not is_about_mail:
            return cls("wishes")
        return cls("any" if has["any"] or has["consent"] else "", is_negated=has["none"])

    def refuses(self, cell: str) -> bool | None:
        """Whether a cell below it says that no messages are wanted; None where it says neither clearly."""
        word = fold_cell(cell)
        if word in _WANTED or word in _REFUSED:
            return word in _REFUSED
        is_date = self.is_clear and bool(_DATE.fullmatch(cell.strip()))
        if self.kind == "refusal":
            if word in _NO or word in _NOTHING:
                return False
            return True if word in _YES or is_date or (self.is_clear and self.has_moment) else None
        if self.kind == "any" or word not in _NO:
            is_yes = word in _YES or (is_date and self.has_moment)
            return False if is_yes and self.kind != "any" else None
        return True


def _is_about_mail(words: str) -> bool:
    return bool(_HEADERS["mail"].search(words)) and not _HEADERS["phone"].search(words)


def refusals(column: str, cells: Iterable[str]) -> dict[str, bool | None]:
    """The different cells of a column that tells who wants messages, each with whether it refuses them, None
    where that is unclear; empty for any other column. The cells are looked at only where the header may be
    about that."""
    header = ConsentHeader.of(column)
    if not header.kind:
        return {}
    most = _MOST_OTHERS if header.is_clear else _OTHERS
    said: dict[str, bool | None] = {}
    others = 0
    for cell in cells:
        if cell not in said:
            said[cell] = header.refuses(cell)
            others += said[cell] is None and fold_cell(cell) not in _NOTHING
            if others > most:
                return {}
    answers = {*said.values()}
    is_unclear = header.is_clear and others > 0  # "?" below "May we text you?": a person has to decide
    tells = {
        "refusal": True in answers or is_unclear,
        "consent": answers > {False} or True in answers or is_unclear,
        "wishes": answers >= {True, False} and not any(map(_is_count, said)),
    }
    if tells.get(header.kind):
        return said
    if header.is_clear or not any(fold_cell(cell) in _OPTED_OUT for cell in said):
        return {}
    return said if False in answers else {cell: said[cell] is True for cell in said}


def _is_count(cell: str) -> bool:
    return bool(_COUNT.fullmatch(cell.strip())) and cell.strip() not in _NO_ANSWER


def leaving_out(column: str, cells: Iterable[str]) -> tuple[str, list[str]]:
    """The rows of a column of wishes that are to be left out, as Python: of whoever does not clearly want
    messages, or below a header of refusals of whoever has a mark. Also the unclear cells that are among them.
    """
    said = refusals(column, cells)
    left_out = sorted(cell for cell, refuses in said.items() if refuses is not False)
    unclear = [cell for cell in left_out if said[cell] is None]
    others = [cell for cell in said if said[cell] is False]
    if not others or (ConsentHeader.of(column).kind == "refusal" and len(left_out) < FEW):
        return f"contacts[{column!r}].isin({left_out})", unclear
    return f"~contacts[{column!r}].{has_one_of(others)}", unclear


def has_one_of(cells: Collection[str]) -> str:
    """A test for these cells as Python; dates are not named one by one."""
    is_dated = len(cells) > FEW and all(map(_YEAR.search, cells))
    return f"str.contains({_YEAR.pattern!r})" if is_dated else f"isin({sorted(cells)})"
