"""A table of text as an OpenDocument sheet (.ods): the few parts of such a file, written as XML."""

import zipfile
from pathlib import Path

import numpy as np
import pandas as pd

from campaign.arrow_text import (
    Bools,
    TextArray,
    choose_texts,
    constant_array,
    join_column,
    join_texts,
    matches,
    series_to_array,
    substitute,
)
from campaign.markup import escape
from campaign.results.workbook import MARKED

_CHUNK = 10_000  # rows turned into XML at a time
_TYPE = "application/vnd.oasis.opendocument.spreadsheet"
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{place}:1.0"'
    for name, place in {
        "office": "office", "table": "table", "text": "text", "style": "style", "number": "datastyle",
        "fo": "xsl-fo-compatible",
    }.items()
)  # fmt: skip
_MANIFEST = (
    f'{_HEAD}<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" '
    f'manifest:version="1.3"><manifest:file-entry manifest:full-path="/" manifest:media-type="{_TYPE}"/>'
    '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>'
    "</manifest:manifest>"
)
# The number style "text" is what keeps the zeros of 0772 when a person edits the cell.
_CELL_STYLE = (
    '<style:style style:name="{}" style:family="table-cell" style:data-style-name="as-text">{}</style:style>'
)
_STYLES = (
    "<office:automatic-styles>"
    '<style:style style:name="wide" style:family="table-column">'
    '<style:table-column-properties style:column-width="4cm"/></style:style>'
    '<number:text-style style:name="as-text"><number:text-content/></number:text-style>'
    + _CELL_STYLE.format("plain", "")
    + _CELL_STYLE.format("bold", '<style:text-properties fo:font-weight="bold"/>')
    + _CELL_STYLE.format("marked", f'<style:table-cell-properties fo:background-color="{MARKED}"/>')
    + "</office:automatic-styles>"
)
_NOT_IN_XML = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x{fffe}\x{ffff}]"  # XML 1.0 cannot hold them in any form


def write_ods(path: Path, sheet_name: str, frame: pd.DataFrame, marked: Bools) -> None:
    """Write a table of text as one sheet whose cells stay text when a person edits them; some are marked.

    Control characters other than tabs and line breaks cannot be in such a file and are left out.
    """
    width = len(frame.columns)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("mimetype", _TYPE, zipfile.ZIP_STORED)  # first and unpacked: programs look for it there
        book.writestr("META-INF/manifest.xml", _MANIFEST)
        with book.open("content.xml", "w", force_zip64=True) as content:
            content.write(
                f'{_HEAD}<office:document-content {_SPACES} office:version="1.3">{_STYLES}<office:body>'
                f'<office:spreadsheet><table:table table:name="{escape(sheet_name)}">'
                f'<table:table-column table:style-name="wide" table:default-cell-style-name="plain" '
                f'table:number-columns-repeated="{width}"/>'.encode()
            )
            header = pd.DataFrame([frame.columns], columns=frame.columns, dtype="str")
            content.write(_rows(header, np.zeros((1, width), dtype=bool), "bold"))
            for start in range(0, len(frame), _CHUNK):
                stop = start + _CHUNK
                content.write(_rows(frame.iloc[start:stop], marked[start:stop], "plain"))
            content.write(b"</table:table></office:spreadsheet></office:body></office:document-content>")


def _rows(frame: pd.DataFrame, marked: Bools, style: str) -> bytes:
    """Some rows as XML, made for whole columns."""
    pieces: list[TextArray | str] = ["<table:table-row>"]
    for place in range(len(frame.columns)):
        styles = choose_texts(marked[:, place], "marked", constant_array(style, len(frame)))
        paragraphs = _paragraphs(series_to_array(frame.iloc[:, place]))
        pieces += [
            '<table:table-cell office:value-type="string" table:style-name="', styles, '"><text:p>',
            paragraphs, "</text:p></table:table-cell>",
        ]  # fmt: skip
    return join_column(join_texts(*pieces, "</table:table-row>"), "\n")


def _paragraphs(texts: TextArray) -> TextArray:
    """The texts as the inside of a paragraph. Spaces beside each other would be taken for one."""
    texts = substitute(texts, _NOT_IN_XML, "")
    for character, escaped in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        texts = substitute(texts, character, escaped)
    has_lost_spaces = matches(texts, r"^ | $|  |[\r\n] | [\r\n]|\t | \t")
    texts = choose_texts(has_lost_spaces, substitute(texts, " ", "<text:s/>"), texts)
    return substitute(substitute(texts, "\t", "<text:tab/>"), r"\r\n|\r|\n", "</text:p><text:p>")
