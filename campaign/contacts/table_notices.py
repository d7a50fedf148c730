"""What is said of a table while it is read, as sentences."""

from collections.abc import Iterator, Sequence

from campaign.contacts.cells.grid import name_rows
from campaign.contacts.cells.repairs import LISTED
from campaign.contacts.columns import column_letter, listed
from campaign.contacts.exports import export_notices
from campaign.contacts.header_lines import about_lines
from campaign.contacts.table import CellIssue, TableRows
from campaign.text import agreeing, capitalised, counted

_OF_ISSUES = {
    "merged_cell": "merged cells were filled with the value above them",
    "formula_without_value": "formulas have no value, so their cells are blank "
    "(open the file in your spreadsheet program, save it, and read it again)",
    "cell_error": "cells show an error such as #N/A and are taken as blank",
    "repaired_text": "letters that another program had written as codes were repaired",
}


def notices_of(rows: TableRows, issues: Sequence[CellIssue]) -> Iterator[str]:
    """All that is said of rows that were taken, and of the issues of their cells."""
    facts = rows.facts
    places, names = rows.columns()
    yield from facts.notices
    yield from _of_header(rows, places)
    if facts.hidden:
        yield _of_hidden(facts.hidden)
    yield from _of_issues(issues)
    yield from (about_lines(kind, lines) for kind, lines in facts.lines)
    yield from export_notices(rows.export, names)
    if facts.missing:
        cells, count = capitalised(counted(facts.missing, "cell")), agreeing(facts.missing, "counts", "count")
        yield f"{cells} with {listed(rows.missing)} {count} as empty."


def _of_header(rows: TableRows, places: Sequence[int]) -> Iterator[str]:
    """What is said of the header, of columns without one, and of the rows above it."""
    header_row, above = rows.header_row, rows.facts.above
    letters = [column_letter(at) for at in rows.top.positions]
    unnamed = [f"column {letters[i]}" for i in places if not rows.heads[i].strip()]
    if header_row is None:
        yield f"The table has no header; its columns are called {listed(unnamed)}."
    elif unnamed:
        yield f"Columns without a header are named after their place: {listed(unnamed)}."
    if codes := [text for row, _, text in rows.top.repairs if row == header_row]:
        yield f"Headers that another program had written as codes were repaired: {listed(codes)}."
    empty = sorted(set(range(places[-1])) - set(places))
    if header_row is not None and empty:
        yield f"Empty columns were left out: {', '.join(letters[i] for i in empty[:30])}."
    if not rows.facts.rows:
        yield "The table has a header and no rows."
    if above:
        were = "row above it was" if above == 1 else f"{above} rows above it were"
        yield f"The header was found in row {header_row}; the {were} left out."


def _of_hidden(rows: list[int]) -> str:
    was, them = agreeing(len(rows), "was", "were"), agreeing(len(rows), "it", "them")
    named = name_rows(rows).lower()
    left_out = f"{counted(len(rows), 'hidden row')} {was} left out ({named})"
    return f'{left_out}; hidden="include" reads {them}.'


def _of_issues(issues: Sequence[CellIssue]) -> Iterator[str]:
    if len(issues) >= LISTED:
        yield f"Only the first {LISTED:,} issues of cells are listed. What is said of them is true of all."
    for code, sentence in _OF_ISSUES.items():
        rows: dict[str, list[int]] = {}
        for issue in issues:
            if issue.code == code:
                rows.setdefault(issue.column, []).append(issue.row)
        for column, affected in rows.items():
            yield f'{name_rows(affected)}, column "{column}": {sentence}.'
