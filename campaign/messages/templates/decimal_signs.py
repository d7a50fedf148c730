"""Amounts such as 12.500: what point and comma do in a column, and what to ask where nobody can know."""

from collections.abc import Iterator, Mapping
from functools import partial

import pandas as pd
import pyarrow as pa

from campaign.arrow_text import matches, series_to_array, substitute, text_array
from campaign.contacts.contact_parts import ContactParts
from campaign.messages.issues import Notice
from campaign.messages.templates.number_format import (
    BESIDE,
    DECIMALS,
    DOUBTFUL,
    GROUPED,
    SPACED,
    NumberFormat,
    european,
)
from campaign.values import replace

_OTHER = {".": ",", ",": "."}
_NAMES = {".": "point", ",": "comma"}
_DECIMALS, _THOUSANDS, _UNKNOWN = "d", "t", "u"  # what a cell shows of a sign, as in `NumberFormat.signs`
_PATTERNS = {
    **{_DECIMALS + sign: f"^{DECIMALS[sign]}$" for sign in _OTHER},
    **{_THOUSANDS + sign: f"^{GROUPED[sign]}(?:[{_OTHER[sign]}][0-9]{{1,10}})?$" for sign in _OTHER},
    **{_UNKNOWN + sign: f"^{DOUBTFUL[sign]}$" for sign in _OTHER},
}
_BY_HAND = r"^[1-9][0-9]{0,2}\.[0-9]{2}0$"  # no program writes a number that it holds as 12.500
_UNCLEAR = rf"^{BESIDE}(?:{DOUBTFUL['.']}|(?:[0-9]{{1,20}}|{SPACED}),[0-9]{{1,10}}){BESIDE}$"
_OF_TEXT = {"csv", "tsv"}  # in other files, cells may hold numbers
# A slip makes no column of decimals: 1,50 among four amounts such as 150,000, or 12.50 among 21 like 12.500.
_MOST_DOUBTFUL = {".": 20, ",": 3}

_Facts = Mapping[str, tuple[int, str]]  # by what is shown and the sign, "d.": how many cells, and the first
_NOTHING = (0, "")


def with_signs(form: NumberFormat, column: str, contacts: ContactParts) -> NumberFormat:
    """The format with what the point and the comma do in a column, and with what there is to tell about it.

    It is what other cells of the column show, or what the campaign that the file continues read.
    """
    if not any(contacts.map(partial(_has_unclear, column))):
        return replace(form, signs=_DECIMALS + _THOUSANDS)  # as no cell asks for it
    reading = contacts.reading
    facts = _joined(contacts.map(partial(_count, column)))
    may_hold_numbers = reading is not None and not _OF_TEXT & {*reading.format.split(" and ")}
    shown = _signs(facts, may_hold_numbers=may_hold_numbers and _BY_HAND not in facts)
    kept = reading.continues.date_order(column) if reading is not None and reading.continues else ""
    if len(kept) == len(shown):
        signs = "".join(then if then != "u" else now for then, now in zip(kept, shown, strict=True))
        return replace(form, signs=signs, column_order=signs)
    return replace(form, signs=shown, column_order=shown, notices=tuple(_notices(facts, column, shown)))


def _has_unclear(column: str, contacts: pd.DataFrame) -> bool:
    return bool(matches(european(series_to_array(contacts[column]).unique()), _UNCLEAR).any())


def _count(column: str, contacts: pd.DataFrame) -> _Facts:
    """What the different cells of a part show."""
    texts = series_to_array(contacts[column])
    distinct = european(texts.filter(pa.array(matches(texts, "[.,\u066b]"))).unique())
    amounts = substitute(distinct, f"^{BESIDE}|{BESIDE}$", "")
    is_doubtful = {sign: matches(amounts, _PATTERNS[_UNKNOWN + sign]) for sign in _OTHER}
    facts = {}
    for use, pattern in {**_PATTERNS, _BY_HAND: _BY_HAND}.items():
        shows = matches(amounts, pattern)
        if use[0] in (_DECIMALS, _THOUSANDS):
            shows &= ~is_doubtful[use[1]]
        if shows.any():
            facts[use] = (int(shows.sum()), str(amounts[int(shows.argmax())]))
    return facts


def _joined(parts: Iterator[_Facts]) -> _Facts:
    facts = dict[str, tuple[int, str]]()
    for part in parts:
        for use, (count, cell) in part.items():
            before, first = facts.get(use, (0, cell))
            facts[use] = (before + count, first)
    return facts


def _signs(facts: _Facts, *, may_hold_numbers: bool) -> str:
    """What the point and the comma do in a column: see `NumberFormat.signs`."""
    point, comma = (_use_of(sign, facts) for sign in _OTHER)
    is_point_shown = _THOUSANDS + "." in facts or _DECIMALS + "," in facts
    if not is_point_shown and (may_hold_numbers or _UNKNOWN + "." not in facts):
        point = _DECIMALS
    # Three digits are thousands by custom, and texts are written so, too: 1,250 needs no other witness.
    if comma == _UNKNOWN and point != _UNKNOWN and _THOUSANDS + "." not in facts:
        comma = _THOUSANDS
    return point + comma


def _use_of(sign: str, facts: _Facts) -> str:
    """What a sign does as its own cells show it, or those with the other sign."""
    decimals, thousands, doubtful, others = (
        facts.get(use, _NOTHING)[0]
        for use in (_DECIMALS + sign, _THOUSANDS + sign, _UNKNOWN + sign, _DECIMALS + _OTHER[sign])
    )
    if thousands + others > decimals:
        return _THOUSANDS
    is_enough = doubtful <= _MOST_DOUBTFUL[sign] * decimals
    return _DECIMALS if decimals > thousands + others and is_enough else _UNKNOWN


def _notices(facts: _Facts, column: str, signs: str) -> Iterator[Notice]:
    """How numbers are read that could be read in another way, but for 1,250 as 1250."""
    for sign, use in zip(_OTHER, signs, strict=True):
        _, cell = facts.get(_UNKNOWN + sign, _NOTHING)
        if not cell or use == _UNKNOWN or (sign, use) == (",", _THOUSANDS):
            continue
        value, other = _meanings(cell) if use == _DECIMALS else reversed(_meanings(cell))
        _, witness = facts.get(use + sign) or facts.get(_DECIMALS + _OTHER[sign], _NOTHING)
        reason = f"as {witness} shows" if witness else "as workbooks and tables hold numbers"
        detail = (
            f'Numbers in "{column}" such as {cell} are read as {value}, {reason}. If that is wrong, write '
            f"{other} in their place."
        )
        yield Notice("decimal_sign", "warning" if sign == "," else "info", cell, detail)


def _meanings(cell: str) -> tuple[str, str]:
    """A doubtful number as one with decimals, and as one without."""
    whole, decimals = cell.replace(",", ".").split(".")
    return f"{whole}.{decimals}".rstrip("0").rstrip("."), f"{whole}{decimals}"


def sign_question(column: str, cell: str) -> str:
    """What a person is asked where nobody can know what the point or the comma does in a column."""
    decimals, thousands = _meanings(str(european(text_array([cell]))[0]))
    sign = "," if "," in cell else "."
    return (
        f'"{column}" has numbers such as {cell}, which can be {thousands} or {decimals}. Write {thousands} '
        f"or {decimals} in their place. If the {_NAMES[sign]} separates thousands in all, take it out, for "
        f'example with contacts[{column!r}] = contacts[{column!r}].str.replace({sign!r}, "").'
    )
