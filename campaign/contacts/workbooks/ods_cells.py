"""Cells of an .ods file: what they show, and their values as a person writes them."""

import datetime as dt
import re
from collections.abc import Mapping
from functools import lru_cache
from xml.etree.ElementTree import Element

from campaign.contacts.cells.value_text import LONGEST_CELL, clock_text, moment_text, span_text
from campaign.contacts.workbooks.number_formats import says_more

OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_VALUE = OFFICE + "value"
NUMBERS = ("float", "percentage", "currency")
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_PARAGRAPH = _TEXT + "p"
_SPACING = {_TEXT + "s": " ", _TEXT + "tab": "\t", _TEXT + "line-break": "\n"}
_SPACE = re.compile(r"[\t\r\n]")
_SPAN = re.compile(r"(-?)PT(?:(\d{1,7})H)?(?:(\d{1,7})M)?(?:(\d{1,7})(?:[.,]\d+)?S)?")


def shown_text(cell: Element) -> str:
    """The paragraphs of a cell, without the texts of comments and drawings in it."""
    texts = [_text_in(part) for part in cell if part.tag == _PARAGRAPH]
    return texts[0] if len(texts) == 1 else "\n".join(texts)


def _text_in(element: Element) -> str:
    text = _SPACE.sub(" ", element.text or "")
    for part in element:
        if part.tag in _SPACING:
            text += _SPACING[part.tag] * min(int(part.get(_TEXT + "c", "1")), LONGEST_CELL)
        elif part.tag.startswith(_TEXT) and part.tag != _PARAGRAPH:
            text += _text_in(part)
        text += _SPACE.sub(" ", part.tail or "")
    return text


def cell_value(kind: str, attributes: Mapping[str, str], shown: str) -> object:
    """A cell's number, or its text as a person writes it.

    A number that shows more than an amount, such as a country code, is what it shows. Dates and times are
    never what they show, which may be cut.
    """
    if kind in NUMBERS:
        value = attributes.get(_VALUE) or "nan"
        return shown.strip() if shown != value and says_more(shown) else float(value)
    if kind == "boolean":
        return attributes.get(OFFICE + "boolean-value", "").upper()
    if kind == "date":
        return _moment(attributes.get(OFFICE + "date-value", ""), shown)
    if kind == "time":
        return _clock(attributes.get(OFFICE + "time-value", ""), shown)
    return shown or attributes.get(OFFICE + "string-value", "")


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
