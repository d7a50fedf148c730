"""The outline of an .xlsx workbook: its sheets, which of them are hidden, and the parts that hold them."""

import posixpath
from collections.abc import Iterable

from campaign.contacts.workbooks.archives import Archive
from campaign.contacts.workbooks.number_formats import CellFormat, number_format
from campaign.contacts.workbooks.sheet_choice import Sheet
from campaign.contacts.workbooks.xml_parts import parse_xml


class Outline:
    """What a workbook consists of.

    `parts` list its sheets, `shared` are the parts that all sheets use (texts, number formats).
    `formats` are those that show more than a plain number, by the style of a cell.
    `never_calculated`: a library wrote it, and formulas may hold 0 until a spreadsheet program opens it.
    """

    def __init__(self, parts: list[str]) -> None:
        self.parts = parts
        self.sheets: list[Sheet] = []
        self.shared: list[str] = []
        self.formats: dict[int, CellFormat] = {}
        self.never_calculated = self.has_links = self.has_macros = False


def read_outline(archive: Archive) -> Outline:
    """The worksheets in their order; those that hold only a chart or a dialog are left out."""
    root = _relations(archive, "")
    book = next((part for kind, part in root.values() if kind == "officeDocument"), "")
    around = _relations(archive, book)
    outline = Outline([_relations_part(""), book, _relations_part(book)])
    names = set(archive.names)
    for kind, part in around.values():
        outline.has_links |= kind == "externalLink"
        outline.has_macros |= kind == "vbaProject"
        if kind in ("sharedStrings", "styles") and part in names and part not in outline.shared:
            outline.shared.append(part)

    def element(name: str, attributes: dict[str, str]) -> None:
        if name == "calcPr":
            outline.never_calculated = attributes.get("fullCalcOnLoad") in ("1", "true")
        if name == "sheet":
            reference = next((value for key, value in attributes.items() if key.endswith("}id")), "")
            kind, part = around.get(reference, ("", ""))
            if kind == "worksheet":
                visible = attributes.get("state", "visible") == "visible"
                outline.sheets.append(Sheet(attributes.get("name", ""), visible, part))

    parse_xml([archive.read(book)], element)
    styles = next((part for kind, part in around.values() if kind == "styles" and part in names), None)
    if styles is not None:
        outline.formats = _formats([archive.read(styles)])
    return outline


def _formats(pieces: Iterable[bytes]) -> dict[int, CellFormat]:
    codes = {"9": "0%", "10": "0.00%"}  # built in; the others there are plain
    used: list[str] = []  # by the styles of cells, in their order
    is_inside = False

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal is_inside
        is_inside |= name == "cellXfs"
        if name == "numFmt":
            codes.setdefault(attributes.get("numFmtId", ""), attributes.get("formatCode", ""))
        elif name == "xf" and is_inside:
            used.append(attributes.get("numFmtId", "0"))

    def end(name: str) -> None:
        nonlocal is_inside
        is_inside &= name != "cellXfs"

    parse_xml(pieces, start, end=end)
    formats = {code: number_format(codes[code]) for code in set(used) & set(codes)}
    shown = ((style, formats.get(code)) for style, code in enumerate(used))
    return {style: shows for style, shows in shown if shows is not None}


def _relations_part(part: str) -> str:
    folder, name = posixpath.split(part)
    return posixpath.join(folder, "_rels", f"{name}.rels")


def _relations(archive: Archive, part: str) -> dict[str, tuple[str, str]]:
    """What a part refers to: id -> (last word of the kind, part)."""
    relations: dict[str, tuple[str, str]] = {}
    folder = "/" + posixpath.dirname(part)

    def relation(name: str, attributes: dict[str, str]) -> None:
        if name == "Relationship":
            target = posixpath.normpath(posixpath.join(folder, attributes.get("Target", "")))
            kind = attributes.get("Type", "").rpartition("/")[2]
            relations[attributes.get("Id", "")] = (kind, target.lstrip("/").lower())

    parse_xml([archive.read(_relations_part(part))], relation)
    return relations
