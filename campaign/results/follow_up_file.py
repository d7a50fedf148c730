"""The rows to correct as a file: a person corrects the marked cells, and the file is read and sent again."""

import json
import os
import zipfile
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from campaign import markup
from campaign.argument_checks import check_path
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
from campaign.contacts.continuation import FOLLOW_UP_COLUMNS
from campaign.contacts.reading import read_contacts
from campaign.errors import ContactsError, ReportError
from campaign.formulas import keep_apostrophes
from campaign.log import log
from campaign.markup import escape
from campaign.paths import seen_from_here
from campaign.public_calls import public_call
from campaign.results.checked_result import check_result
from campaign.results.csv_file import write_csv
from campaign.results.outcome_list import with_code
from campaign.results.plain_words import with_attention_words, with_own_words
from campaign.results.replaced_file import check_ending, check_own, free_name, replace_file
from campaign.results.tables import SAFE_TO_PREPARE_AGAIN, Result
from campaign.results.workbook import LONGEST_CELL, MARKED, MOST_ROWS, write_rows
from campaign.results.written_file import WrittenFile
from campaign.text import capitalised, counted
from campaign.words.finding import Finding
from campaign.words.python import PYTHON

_SHEET = "To correct"


@public_call
def write_follow_up(
    result: Result, path: str | os.PathLike[str], *, statuses: Collection[str] = SAFE_TO_PREPARE_AGAIN
) -> WrittenFile:
    """Write the rows to correct to a file, which continues the campaign once it is corrected and sent.

    Parameters
    ----------
    result
        What `send` or `load_result` returned.
    path
        `.xlsx`, `.ods` or `.csv`. Prefer the first two: they keep leading zeros, and mark the cells to
        correct.
    statuses
        Which rows, besides those of people who share a phone; see `Result.follow_up`.

    Returns
    -------
    WrittenFile
        A path; `why_kept` says why the file was left as it was, "" if it was written. One in which somebody
        has corrected rows is never overwritten.

    Raises
    ------
    UsageError
        The extension is another one.
    ReportError
        The file cannot be written there, or has more rows than a sheet holds.

    Notes
    -----
    The file has the original columns, then five of its own: leave those as they are. Rows can be sorted,
    deleted and added. Phone numbers are in full, so only its owner can read it.

    Examples
    --------
    >>> campaign.write_follow_up(result, "to_correct.xlsx").name
    'to_correct.xlsx'
    """
    check_result(result, "write_follow_up", "campaign.write_follow_up({}, path)")
    check_path(path, subject="path", write='campaign.write_follow_up(result, "to_correct.xlsx")')
    path = Path(path)
    writers: dict[str, Callable[[Path, pd.DataFrame, Bools], None]] = {
        ".xlsx": _write_xlsx,
        ".ods": _write_ods,
        ".csv": lambda new_path, rows, _: write_csv(new_path, rows, index=False),
    }
    check_ending(path, writers, "a follow-up file")
    rows = result.follow_up(statuses)
    if _has_corrections(path):
        facts = {"file": path.name, "other": free_name(path).name}
        why = PYTHON.text(Finding("corrections_kept", facts, severity="warning"))
        log.warning("%s", why)
        return WrittenFile.kept(path, why)
    written = with_attention_words(with_own_words(rows, (part.issues for part in result.parts())))
    to_correct = cells_to_correct(
        written, (part.issues for part in result.parts()), added=len(FOLLOW_UP_COLUMNS)
    )
    write = writers[path.suffix.lower()]
    # What must not be replaced was found above, where it is also known what may be kept.
    replace_file(path, lambda new_path: write(new_path, written, to_correct), check=lambda _: None)
    return WrittenFile.showing(path, _about(path, written))


def _has_corrections(path: Path) -> bool:
    """Whether a follow-up file that is here is not as it was written; raises `ReportError` for a file that
    is none, or that cannot be read."""
    if not path.is_file() or not path.stat().st_size:
        return False
    try:
        table = read_contacts(path)
    except ContactsError:
        raise ReportError("file_in_the_way", file=path.name) from None
    continues = table.attrs["reading"].continues
    if continues is None:
        if len(table):
            check_own(path)
        return False
    return len(continues.untouched(table)) < len(table)


def _about(path: Path, rows: pd.DataFrame) -> list[str]:
    """How many rows there are of each kind, and what to do next, as HTML."""
    if rows.empty:
        return [markup.paragraph("no rows to correct")]
    kinds = rows["last status"].value_counts()
    counts = ", ".join(f"{count:,} {kind}" for kind, count in kinds.items())
    place = json.dumps(seen_from_here(path.absolute()), ensure_ascii=False)
    finding = Finding("cells_to_correct", {"call": f"contacts = campaign.read_contacts({place})"})
    return [
        markup.paragraph(f"{capitalised(counted(len(rows), 'row'))}: {counts}, phone numbers in full"),
        f"<p>{with_code(PYTHON.text(finding), finding)}</p>",
    ]


def cells_to_correct(rows: pd.DataFrame, parts: Iterable[pd.DataFrame], *, added: int) -> Bools:
    """For each cell of some rows whether it is why its row was left out: rows by columns.

    The index of the rows has their numbers, and the last of the columns, as many as were `added`, are not
    those of the file. `parts` are those of the issues.
    """
    marked, own = np.zeros(rows.shape, dtype=bool), rows.columns[: len(rows.columns) - added]
    for issues in parts:
        errors = issues[(issues["severity"] == "error") & issues["row"].notna()]
        lines = rows.index.get_indexer(pd.Index(errors["row"].astype("int64")))
        places = own.get_indexer(pd.Index(errors["column"]))
        is_cell = (lines >= 0) & (places >= 0)
        marked[lines[is_cell], places[is_cell]] = True
    return marked


def _write_xlsx(path: Path, rows: pd.DataFrame, to_correct: Bools) -> None:
    write_rows(path, _SHEET, for_sheet(rows), to_correct)


def _write_ods(path: Path, rows: pd.DataFrame, to_correct: Bools) -> None:
    write_ods(path, _SHEET, for_sheet(rows), to_correct)


def for_sheet(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows as the cells of a sheet. Raises `ReportError` for more than a sheet holds: nothing is cut."""
    if len(rows) > MOST_ROWS:
        raise ReportError("too_large_for_sheet", what=f"{len(rows):,} rows", most=MOST_ROWS)
    for _, column in rows.items():
        too_long = column.str.len() > LONGEST_CELL
        if too_long.any():
            what = f"a cell of row {too_long.idxmax()}"
            raise ReportError("too_large_for_sheet", what=what, most=LONGEST_CELL)
    sheet = rows.apply(keep_apostrophes)
    return sheet.set_axis(keep_apostrophes(pd.Series(rows.columns, dtype="str")), axis=1)


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
