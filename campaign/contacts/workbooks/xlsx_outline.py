"""The outline of an .xlsx workbook: its sheets, which of them are hidden, and the parts that hold them."""

import posixpath
import re

from campaign.contacts.workbooks.archives import Archive
from campaign.contacts.workbooks.number_formats import ELAPSED, CellFormat, number_format
from campaign.contacts.workbooks.sheet_choice import Sheet
from campaign.contacts.workbooks.xml_parts import local_name, parse_tree

# Formats that are built in; others are plain numbers.
_BUILT_IN = {"9": "0%", "10": "0.00%", "46": "[h]:mm:ss"}
_BUILT_IN |= {str(code): "d" for code in (*range(14, 23), *range(27, 37), 45, 47, *range(50, 59))}
_MOMENT = re.compile("[dmyhs]", re.IGNORECASE)  # formats of other numbers may have these letters, too


class Outline:
    """What a workbook consists of.

    `parts` list its sheets, `shared` are the parts that all sheets use (texts, number formats). By the style
    of a cell: `formats` are those that show more than a plain number, `moments` may show a date or a time,
    `spans` a length of time. `never_calculated`: a library wrote it, and formulas may hold 0 until a
    spreadsheet program opens it.
    """

    def __init__(self, parts: list[str]) -> None:
        self.parts = parts
        self.sheets: list[Sheet] = []
        self.shared: list[str] = []
        self.formats: dict[bytes, CellFormat] = {}
        self.moments: list[bytes] = []
        self.spans: list[bytes] = []
        self.never_calculated = self.has_links = self.has_macros = False


def read_outline(archive: Archive) -> Outline:
    """The worksheets in their order; those that hold only a chart or a dialog are left out."""
    root = _relations(archive, "")
    book = next((part for kind, part in root.values() if kind == "officeDocument"), "")
    around = _relations(archive, book)
    outline = Outline([_relations_part(""), book, _relations_part(book)])
    kinds = {kind for kind, _ in around.values()}
    outline.has_links, outline.has_macros = "externalLink" in kinds, "vbaProject" in kinds
    shared = {part: kind for kind, part in around.values() if kind in ("sharedStrings", "styles")}
    outline.shared = [part for part in shared if part in archive.names]
    for element in parse_tree(archive.read(book)).iter():
        if local_name(element) == "calcPr":
            outline.never_calculated = element.get("fullCalcOnLoad") in ("1", "true")
        if local_name(element) == "sheet":
            reference = next((value for key, value in element.items() if key.endswith("}id")), "")
            kind, part = around.get(reference, ("", ""))
            if kind == "worksheet":
                is_visible = element.get("state", "visible") == "visible"
                outline.sheets.append(Sheet(element.get("name", ""), is_visible, part))
    styles = [part for part in outline.shared if shared[part] == "styles"]
    if styles:
        _read_formats(outline, archive.read(styles[0]))
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
