"""Numbers in an .xlsx sheet that calamine misreads: negative dates, durations that are too long."""

import re
from collections.abc import Iterable, Iterator

from campaign.contacts.workbooks.xlsx_facts_events import column_position

_FORMULA = rb"(?:<f(?:\s[^<>]*)?>(?:(?<=/>)|[^<]*</f>)\s*)?"
_NEGATIVE = re.compile(
    rb'<c r="([A-Z]{1,3})(\d{1,8})"[^<>]*>' + _FORMULA + rb"<v>(-[\d.]+(?:[Ee][+-]?\d+)?)</v>"
)
# Of ten digits or more, or with an exponent; Python has no duration of so many days.
_HUGE = re.compile(
    rb'(<c r="[A-Z]{1,3}\d{1,8}"[^<>]*?)\ss="\d+"([^<>]*>' + _FORMULA + rb"<v>-?(?:\d{9}|[\d.]+[Ee]\+?\d))"
)


def negative_numbers(pieces: Iterable[bytes]) -> Iterator[tuple[int, int, float]]:
    """Row number, column position and value of each cell with a negative number."""
    rest = b""
    for piece in pieces:
        xml = rest + piece
        cut = xml.rfind(b"<c ")  # the last cell may be cut in two
        rest = xml[cut:] if cut > 0 else xml
        for cell in _NEGATIVE.finditer(xml, 0, max(cut, 0)):
            yield int(cell[2]), column_position(cell[1]), float(cell[3])
    for cell in _NEGATIVE.finditer(rest):
        yield int(cell[2]), column_position(cell[1]), float(cell[3])


def without_formats(xml: bytes) -> bytes:
    """The sheet with no format on numbers that are too large for a date or a length of time."""
    return _HUGE.sub(rb"\1\2", xml)
