"""The facts about an .xlsx sheet that calamine leaves out, by expat: any XML, one event at a time."""

import re
from collections.abc import Collection, Iterable

from campaign.contacts.cells.merge import Merge
from campaign.contacts.workbooks.archives import DAMAGED
from campaign.contacts.workbooks.sheet_choice import LAST_COLUMN, SheetFacts
from campaign.contacts.workbooks.xml_parts import parse_xml
from campaign.errors import FileError
from campaign.text import clean


def column_position(letters: bytes) -> int:
    """AA is 26: columns are counted from 0."""
    column = 0
    for letter in letters:
        column = column * 26 + letter - 64
    return column - 1


_REFERENCE = re.compile(r"([A-Z]{1,3})(\d{1,8})")


class _Events:
    def __init__(self, styles: Collection[int]) -> None:
        self.facts, self.styles = SheetFacts(), {str(style): style for style in styles}
        self.row, self.column = 0, -1
        self.formula = self.inside = self.has_value = False
        self.value, self.kind = "", "n"

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "c":
            self._cell(attributes)
        elif name == "row":
            self.row, self.column = int(attributes.get("r", self.row + 1)), -1
            self.facts.reach(self.row, -1)
            if attributes.get("hidden") in ("1", "true") or float(attributes.get("ht", 1)) == 0:
                self.facts.hidden_rows.add(self.row)
            is_collapsed = attributes.get("collapsed") in ("1", "true")
            self.facts.note_outline(
                self.row, int(attributes.get("outlineLevel", 0)), is_collapsed=is_collapsed
            )
        elif name == "outlinePr":
            self.facts.summary_below = attributes.get("summaryBelow") not in ("0", "false")
        elif name == "f":
            self.formula = True
        elif name == "v":
            self.inside, self.has_value, self.value = True, True, ""
        elif name == "col" and (
            attributes.get("hidden") in ("1", "true") or float(attributes.get("width", 1)) == 0
        ):
            span = int(attributes.get("min", 1)) - 1, min(int(attributes.get("max", 1)), LAST_COLUMN) - 1
            self.facts.hidden_spans.append(span)
        elif name == "mergeCell":
            first, _, last = attributes.get("ref", "").partition(":")
            (top, left), (bottom, right) = self._place(first), self._place(last or first)
            self.facts.merges.append(Merge(top, left, bottom, right))

    def _cell(self, attributes: dict[str, str]) -> None:
        given = attributes.get("r")
        self.row, self.column = self._place(given) if given else (self.row, self.column + 1)
        self.facts.cells += 1
        self.facts.reach(self.row, self.column)
        self.formula, self.has_value, self.value = False, False, ""
        if self.styles and attributes.get("s") in self.styles:
            self.facts.styled.append((self.row, self.column, self.styles[attributes["s"]]))
        self.kind = attributes.get("t", "n")

    def _place(self, reference: str) -> tuple[int, int]:
        match = _REFERENCE.fullmatch(reference)
        if match is None:
            raise FileError(DAMAGED.format(f'a cell is called "{clean(reference[:20])}"'))
        return int(match[2]), column_position(match[1].encode())

    def characters(self, text: str) -> None:
        if self.inside:
            self.value += text

    def end(self, name: str) -> None:
        if name == "v":
            self.inside = False
            self._note_negative()
        elif name == "c" and self.kind == "e":
            self.facts.errors.append((self.row, self.column, self.value[:20]))
        elif name == "c" and self.formula:
            if self.value == "0":
                self.facts.zero_formulas.append((self.row, self.column))
            elif not self.value.strip() and not (self.has_value and self.kind == "str"):
                self.facts.uncalculated.append((self.row, self.column))

    def _note_negative(self) -> None:
        if self.kind == "n" and self.value.startswith("-"):
            self.facts.has_negatives = True
            self.facts.negatives.append((self.row, self.column, float(self.value)))


def scan_events(pieces: Iterable[bytes], styles: Collection[int] = ()) -> SheetFacts:
    """The facts of a sheet from any XML, and the cells in these styles.

    Raises FileError where the XML makes no sense.
    """
    events = _Events(styles)
    parse_xml(pieces, events.start, end=events.end, text=events.characters)
    return events.facts
