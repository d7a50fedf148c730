"""Findings about a table as a whole: its header, its columns, what was left out, and its cells by column."""

from collections.abc import Iterator, Sequence
from typing import Any

from campaign.contacts.cells.repairs import LISTED
from campaign.contacts.columns import column_letter
from campaign.contacts.exports import export_notices
from campaign.contacts.table import TableRows
from campaign.words.finding import Finding


def notices_of(rows: TableRows, issues: Sequence[Finding]) -> Iterator[Finding]:
    """The findings about rows that were taken, and about the issues of their cells."""
    facts = rows.facts
    places, names = rows.columns()
    yield from facts.notices
    yield from _of_header(rows, places)
    if facts.hidden:
        yield _info("rows_hidden", count=len(facts.hidden), first=facts.hidden[0])
    yield from _of_issues(issues)
    for kind, lines in facts.lines:
        yield _info("header_lines", count=len(lines), first=lines[0], kind=kind)
    yield from export_notices(rows.export, names)
    if facts.missing:
        yield _info("texts_emptied", count=facts.missing, texts=[*rows.missing])


def _info(code: str, **facts: Any) -> Finding:
    return Finding(code, facts, "info")


def _of_header(rows: TableRows, places: Sequence[int]) -> Iterator[Finding]:
    """The findings about the header, about columns without one, and about the rows above it."""
    header_row, above = rows.header_row, rows.facts.above
    letters = [column_letter(at) for at in rows.top.positions]
    if unnamed := [f"column {letters[i]}" for i in places if not rows.heads[i].strip()]:
        yield _info("columns_unnamed", columns=unnamed)
    if texts := [text for row, _, text in rows.top.repairs if row == header_row]:
        yield _info("repaired_text", texts=texts)
    empty = sorted(set(range(places[-1])) - set(places))
    if header_row is not None and empty:
        yield _info("columns_empty", letters=[letters[i] for i in empty])
    if not rows.facts.rows:
        yield _info("header_only")
    if above:
        yield _info("above_header", header=header_row, count=above)


def _of_issues(issues: Sequence[Finding]) -> Iterator[Finding]:
    if len(issues) >= LISTED:
        yield _info("cells_not_listed", most=LISTED)
    rows: dict[tuple[str, str], list[int]] = {}
    for issue in issues:
        rows.setdefault((issue.code, issue.column or ""), []).append(issue.row or 0)
    for (code, column), found in rows.items():
        yield _info(code, count=len(found), column=column, first=found[0])
