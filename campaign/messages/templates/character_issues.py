"""Issues about characters: those that are never sent, those that were replaced, those that need UCS-2.

Many cells contain the same few special characters, so they are named once for each set of them.
"""

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
import pyarrow.compute as pc
from msgspec import Struct

from campaign.arrow_text import Ints, TextArray, map_unique, substitute
from campaign.messages.issues import IssueCollector
from campaign.messages.templates.filling import Values
from campaign.messages.templates.template import Template
from campaign.messages.text import gsm7
from campaign.messages.text.segments import Lengths, Scan
from campaign.words.finding import Finding

EXAMINED = 12  # UCS-2 characters of a cell: otherwise each text in another script would be a set of its own


class ScannedValues(Struct, frozen=True):
    """The values of a placeholder, and which special characters they contain."""

    values: Values
    scan: Scan


def describe_literal(template: Template, issues: IssueCollector, *, downgrade: bool) -> None:
    """Add one issue for all rows that names the literal characters that need UCS-2 or are replaced."""
    foreign = ucs2_literals(template, downgrade=downgrade)
    twins = gsm7.of_class(template.literal, gsm7.TWIN)
    if foreign:
        facts = {"characters": gsm7.named(foreign), "value": "".join(foreign)}
        issues.add_for_table(Finding("ucs2", facts, "warning", column="message"))
    elif twins:
        facts = {"characters": _replacements(template.literal, gsm7.plain), "value": "".join(twins)}
        issues.add_for_table(Finding("replaced", facts, "info", column="message"))


def ucs2_literals(template: Template, *, downgrade: bool) -> list[str]:
    """The characters of the literal text because of which every row needs UCS-2."""
    kinds = gsm7.FOREIGN if downgrade else gsm7.FOREIGN | gsm7.TWIN
    return gsm7.of_class(template.literal, kinds)


def report_ucs2(
    columns: Iterable[ScannedValues], lengths: Lengths, rows: Ints, issues: IssueCollector
) -> None:
    """Add issues for the characters that need UCS-2: warnings if the message takes several parts."""
    sendable = issues.sendable[rows]
    costly = lengths.parts > 1
    for column in columns:
        needs_ucs2 = (column.scan.foreign | column.scan.twins) & sendable
        for severity, mask in (("warning", needs_ucs2 & costly), ("info", needs_ucs2 & ~costly)):
            positions = np.flatnonzero(mask)
            if not len(positions):
                continue
            characters = substitute(column.values.texts.take(positions), gsm7.ALL_BUT_FOREIGN, "")
            named = map_unique(pc.utf8_slice_codeunits(characters, 0, EXAMINED), gsm7.named)
            cells = column.values.raw.take(positions)
            issues.add(rows[positions], column.values.column, cells, "ucs2", severity, characters=named)


def refuse_hidden(columns: Iterable[ScannedValues], rows: Ints, issues: IssueCollector) -> None:
    """Exclude the rows with characters that are never sent, with issues that name these characters."""
    for column in columns:
        positions = np.flatnonzero(column.scan.refused)
        if len(positions):
            characters = substitute(column.values.texts.take(positions), gsm7.ALL_BUT_HIDDEN, "")
            named = map_unique(characters, gsm7.named)
            cells = map_unique(column.values.raw.take(positions), gsm7.escaped)
            name = column.values.column
            issues.add(rows[positions], name, cells, "hidden_character", "error", characters=named)


def report_replaced(
    column: ScannedValues,
    positions: Ints,
    before: TextArray,
    rows: Ints,
    rewrite: Callable[[str], str],
    issues: IssueCollector,
) -> None:
    """Add issues for what was replaced in the texts `before`, except in rows that are already excluded."""
    sendable = np.flatnonzero(issues.sendable[rows[positions]])
    positions = positions[sendable]
    characters = substitute(before.take(sendable), gsm7.ALL_BUT_REPLACED, "")
    replacements = map_unique(characters, partial(_replacements, rewrite=rewrite))
    cells = column.values.raw.take(positions)
    issues.add(rows[positions], column.values.column, cells, "replaced", "info", characters=replacements)


def _replacements(characters: str, rewrite: Callable[[str], str]) -> str:
    """Each character with what replaces it."""
    return ", ".join(
        f"{gsm7.named([character])} → {_LABELS.get(rewrite(character), rewrite(character))}"
        for character in dict.fromkeys(characters)
        if rewrite(character) != character
    )


_LABELS = {" ": "space", "\n": "line break", "": "nothing"}
