"""OpenDocument sheets (.ods) written by hand: no Python library writes what tests need of them."""

import io
import zipfile

_SPACES = {"office": "office", "table": "table", "text": "text", "style": "style", "number": "datastyle"}
_NAMESPACES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for prefix, name in _SPACES.items()
)
_OTHERS = (
    'xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0" '
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"'
)


def open_document(*sheets: str, styles: str = "") -> bytes:
    """A file with these sheets, which `sheet` makes."""
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {_NAMESPACES} {_OTHERS}>'
        f"<office:automatic-styles>{styles}</office:automatic-styles><office:body><office:spreadsheet>"
        f"{''.join(sheets)}</office:spreadsheet></office:body></office:document-content>"
    )
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as written:
        written.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        written.writestr("content.xml", content)
    return target.getvalue()


def sheet(*rows: str, name: str = "Visits") -> str:
    """A sheet of rows, columns and groups."""
    return f'<table:table table:name="{name}">{"".join(rows)}</table:table>'


def row(*cells: str, attributes: str = "") -> str:
    """A row; a cell that is no XML is a text."""
    written = (cell if cell.startswith("<") else text_cell(cell) for cell in cells)
    return f"<table:table-row {attributes}>{''.join(written)}</table:table-row>"


def text_cell(content: str, attributes: str = "") -> str:
    """A cell of type string."""
    return cell(f"<text:p>{content}</text:p>", f'office:value-type="string" {attributes}')


def number_cell(value: float, shown: str = "", attributes: str = "", kind: str = "float") -> str:
    """A cell with a number, and what it shows."""
    return cell(
        f"<text:p>{shown}</text:p>", f'office:value-type="{kind}" office:value="{value}" {attributes}'
    )


def cell(content: str, attributes: str) -> str:
    """Any cell."""
    return f"<table:table-cell {attributes}>{content}</table:table-cell>"
