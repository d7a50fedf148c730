"""What is said of characters: those that are never sent, those that were replaced, those that force UCS-2.

Many cells hold the same few characters in question: a sentence is made once for each such set.
"""

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from campaign.arrow_text import Ints, map_unique
from campaign.messages.issues import Findings
from campaign.messages.templates.filling import Column
from campaign.messages.templates.template import Template
from campaign.messages.text import gsm7 as alphabet
from campaign.messages.text.segments import Lengths

LOOKED_AT = 12  # foreign letters of a cell: whole texts in another script would each be a case of its own


def describe(template: Template, findings: Findings, *, what: str, downgrade: bool) -> None:
    """Say of the literal text, once for all rows, which characters force UCS-2 or are replaced."""
    own = foreign_literals(template, downgrade=downgrade)
    twins = alphabet.of_class(template.literal, alphabet.TWIN)
    if own:
        findings.add_for_table("message", "".join(own), "ucs2", "warning", f"The {what} holds {_ucs2(own)}")
    elif twins:
        detail = _replaced(template.literal, alphabet.plain)
        findings.add_for_table("message", "".join(twins), "replaced", "info", detail)


def foreign_literals(template: Template, *, downgrade: bool) -> list[str]:
    """The characters of the literal text that force UCS-2 in every row."""
    kinds = alphabet.FOREIGN if downgrade else alphabet.FOREIGN | alphabet.TWIN
    return alphabet.of_class(template.literal, kinds)


def name_foreign(columns: Iterable[Column], lengths: Lengths, rows: Ints, findings: Findings) -> None:
    """Say row by row which characters force UCS-2."""
    waiting = findings.waiting[rows]
    costly = lengths.parts > 1
    for each in columns:
        forced = (each.found.foreign | each.found.twins) & waiting
        for severity, which in (("warning", forced & costly), ("info", forced & ~costly)):
            places = np.flatnonzero(which)
            if not len(places):
                continue
            foreign = _only(each.values.texts.take(pa.array(places)), alphabet.ALL_BUT_FOREIGN)
            details = map_unique(pc.utf8_slice_codeunits(foreign, 0, LOOKED_AT), _forced)
            cells = each.values.raw.take(pa.array(places))
            findings.add(rows[places], each.values.column, cells, "ucs2", severity, details)


def _forced(characters: str) -> str:
    return f"The cell holds {_ucs2(characters)}"


def _ucs2(characters: Iterable[str]) -> str:
    return (
        f"{alphabet.named(characters)}, which GSM-7 has not: a part of the text holds 70 characters "
        "instead of 160 (67 instead of 153 where there are several)."
    )


def refuse_hidden(columns: Iterable[Column], rows: Ints, findings: Findings) -> None:
    """Exclude the rows with characters that are never sent, and name those."""
    for each in columns:
        places = np.flatnonzero(each.found.refused)
        if len(places):
            hidden = _only(each.values.texts.take(pa.array(places)), alphabet.ALL_BUT_HIDDEN)
            details = map_unique(hidden, _hidden)
            cells = map_unique(each.values.raw.take(pa.array(places)), alphabet.escaped)
            name = each.values.column
            findings.add(rows[places], name, cells, "hidden_character", "error", details, status="invalid")


def _hidden(characters: str) -> str:
    names = alphabet.named(characters)
    return f"There are characters in the cell that nobody can see: {names}. Type the cell anew."


def tell_replaced(
    each: Column,
    places: Ints,
    before: pa.Array,
    rows: Ints,
    rewrite: Callable[[str], str],
    findings: Findings,
) -> None:
    """Say of each of the rows, unless it is excluded already, what was replaced in the texts before."""
    told = np.flatnonzero(findings.waiting[rows[places]])
    characters = _only(before.take(pa.array(told)), alphabet.ALL_BUT_REPLACED)
    details = map_unique(characters, partial(_replaced, rewrite=rewrite))
    cells = each.values.raw.take(pa.array(places[told]))
    findings.add(rows[places[told]], each.values.column, cells, "replaced", "info", details)


def _replaced(characters: str, rewrite: Callable[[str], str]) -> str:
    pairs = [
        f"{alphabet.named([character])} by {_shown(rewrite(character))}"
        for character in dict.fromkeys(characters)
        if rewrite(character) != character
    ]
    return f"Replaced so that the text stays plain: {', '.join(pairs)}."


def _shown(text: str) -> str:
    return {" ": "a space", "\n": "a line break", "": "nothing"}.get(text, text)


def _only(values: pa.Array, others: str) -> pa.Array:
    """What is left of the texts without the others: many texts hold the same few characters in question."""
    return pc.replace_substring_regex(values, others, "")
