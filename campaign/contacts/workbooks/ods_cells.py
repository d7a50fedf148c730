"""Cells of an .ods file: what they show, and their values as a person writes them."""

import datetime as dt
import re
from functools import lru_cache
from html import unescape

from campaign.contacts.cells.value_text import LONGEST_CELL, clock_text, moment_text, span_text
from campaign.contacts.workbooks.number_formats import CellFormat

_PIECE = re.compile(r"<(/?)([\w:.-]+)([^<>]*?)(/?)>|([^<]+)")
_SPAN = re.compile(r"(-?)PT(?:(\d{1,7})H)?(?:(\d{1,7})M)?(?:(\d{1,7})(?:[.,]\d+)?S)?")
_SPACING = {"text:s": " ", "text:tab": "\t", "text:line-break": "\n"}
_SPACES = re.compile(r'text:c="(\d{1,5})"')
_SPACE = re.compile(r"[\t\r\n]")


def shown_text(content: str) -> str:
    """The paragraphs of a cell, without the texts of comments and drawings in it."""
    paragraphs: list[str] = []
    around: list[str] = []  # the elements around a piece
    for is_end, name, attributes, is_empty, text in _PIECE.findall(content):
        is_inside = around[:1] == ["text:p"] and "text:p" not in around[1:]
        if text and is_inside:
            paragraphs[-1] += _SPACE.sub(" ", unescape(text))
        elif is_end:
            del around[-1:]
        elif name in _SPACING and is_inside:
            spaces = _SPACES.search(attributes)
            paragraphs[-1] += _SPACING[name] * min(int(spaces[1]) if spaces else 1, LONGEST_CELL)
        elif name == "text:p" and not around:
            paragraphs.append("")
        if name and not is_end and not is_empty:
            around.append(name)
    return "\n".join(paragraphs)


def cell_value(kind: str, value: str, shown: str, number_format: CellFormat | None) -> object:
    """A cell's number, or its text as a person writes it; what is shown may be cut or rounded."""
    if kind in ("float", "percentage", "currency"):
        number = float(value or "nan")
        result = number_format.shown(number) if number_format else shown if kind == "percentage" else ""
        return result if isinstance(result, str) and result else number
    if kind == "boolean":
        return value.upper()
    if kind == "date":
        return _moment(value, shown)
    if kind == "time":
        return _clock(value, shown)
    text = unescape(value) or shown
    return number_format.shown(text) if number_format else text


@lru_cache(4096)  # columns of dates repeat them
def _moment(value: str, shown: str) -> str:
    try:
        moment = dt.datetime.fromisoformat(value)
    except ValueError:
        return shown
    if moment.date() == dt.date(1899, 12, 30):  # day 0: only a time of day was meant
        return clock_text(moment.time())
    return moment_text(moment)


def _clock(value: str, shown: str) -> str:
    match = _SPAN.fullmatch(value)
    if match is None:
        return shown
    sign, hours, minutes, seconds = match.groups(default="0")
    span = dt.timedelta(hours=int(hours), minutes=int(minutes), seconds=int(seconds))
    if sign != "-" and span < dt.timedelta(days=1):
        return clock_text((dt.datetime.min + span).time())
    return span_text(-span if sign == "-" else span)
