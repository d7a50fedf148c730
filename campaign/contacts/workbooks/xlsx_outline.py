"""The outline of an .xlsx workbook: its sheets, which of them are hidden, and the parts that hold them."""

import posixpath
import re

from campaign.contacts.workbooks.archives import Archive, parse_tree
from campaign.contacts.workbooks.number_formats import ELAPSED, CellFormat, number_format
from campaign.contacts.workbooks.sheet_choice import SheetOfWorkbook

# Formats that are built in; others are plain numbers.
_BUILT_IN = {"9": "0%", "10": "0.00%", "46": "[h]:mm:ss"}
_BUILT_IN |= {str(code): "d" for code in (*range(14, 23), *range(27, 37), 45, 47, *range(50, 59))}
_MOMENT = re.compile("[dmyhs]", re.IGNORECASE)  # formats of other numbers may have these letters, too


class Outline:
    """What a workbook consists of.

    `parts` list its sheets or are used by all of them (texts, number formats). By the style of a cell:
    `formats` are those that show more than a plain number, `moments` may show a date or a time, `spans` a
    length of time. `never_calculated`: a library wrote it, and formulas may hold 0 until a spreadsheet
    program opens it.
    """

    def __init__(self, parts: list[str]) -> None:
        self.parts = parts
        self.sheets: list[SheetOfWorkbook] = []
        self.formats: dict[bytes, CellFormat] = {}
        self.moments: list[bytes] = []
        self.spans: list[bytes] = []
        self.never_calculated = False


def read_outline(archive: Archive) -> Outline:
    """The worksheets in their order; those that hold only a chart or a dialog are left out."""
    root = _relations(archive, "")
    book = next((part for kind, part in root.values() if kind == "officeDocument"), "")
    around = _relations(archive, book)
    outline = Outline([_relations_part(""), book, _relations_part(book)])
    tree = parse_tree(archive.read(book))
    calculation = tree.find("{*}calcPr")
    outline.never_calculated = calculation is not None and calculation.get("fullCalcOnLoad") in ("1", "true")
    for element in tree.iterfind("{*}sheets/{*}sheet"):
        reference = next((value for key, value in element.items() if key.endswith("}id")), "")
        kind, part = around.get(reference, ("", ""))
        if kind == "worksheet":
            is_visible = element.get("state", "visible") == "visible"
            outline.sheets.append(SheetOfWorkbook(element.get("name", ""), is_visible, part))
    for kind, part in around.values():
        if kind in ("sharedStrings", "styles") and part in archive.names:
            outline.parts.append(part)
            if kind == "styles":
                _read_formats(outline, archive.read(part))
    return outline


def _read_formats(outline: Outline, styles: bytes) -> None:
    tree = parse_tree(styles)
    codes = {one.get("numFmtId", ""): one.get("formatCode", "") for one in tree.iterfind(".//{*}numFmt")}
    codes |= _BUILT_IN
    for place, style in enumerate(tree.iterfind("{*}cellXfs/{*}xf")):
        number, code = b"%d" % place, codes.get(style.get("numFmtId", "0"), "")
        shows = number_format(code)
        if shows is not None:
            outline.formats[number] = shows
        if ELAPSED.search(code):
            outline.spans.append(number)
        elif _MOMENT.search(code):
            outline.moments.append(number)


def _relations_part(part: str) -> str:
    folder, name = posixpath.split(part)
    return posixpath.join(folder, "_rels", f"{name}.rels")


def _relations(archive: Archive, part: str) -> dict[str, tuple[str, str]]:
    """What a part refers to: id -> (last word of the kind, part)."""
    relations: dict[str, tuple[str, str]] = {}
    folder = "/" + posixpath.dirname(part)
    for relation in parse_tree(archive.read(_relations_part(part))).iterfind("{*}Relationship"):
        target = posixpath.normpath(posixpath.join(folder, relation.get("Target", "")))
        kind = relation.get("Type", "").rpartition("/")[2]
        relations[relation.get("Id", "")] = (kind, target.lstrip("/").lower())
    return relations
