"""Numbers in cells, 1500, 1,250.50 or 1.250,50: what point and comma do in their column, what to ask where
nobody can know, and the formats that write them: {amount:,.0f}.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct

from campaign.arrow_text import (
    Bools,
    TextArray,
    are_ascii,
    as_text,
    byte_lengths,
    choose_texts,
    constant_array,
    join_texts,
    map_unique,
    matches,
    series_to_array,
    strip_texts,
    substitute,
    text_array,
)
from campaign.contacts.contact_parts import ContactParts
from campaign.values import replace
from campaign.words.finding import Finding

# Up to 21 digits before the decimals and 10 of these, which fits into Arrow's 38 digits.
_GAPS = r" '’\x{a0}\x{2009}\x{202f}"
SPACED = rf"[1-9][0-9]{{0,2}}(?:[{_GAPS}][0-9]{{3}}){{1,6}}"
GROUPED = {
    ".": r"[1-9][0-9]{0,2}(?:\.[0-9]{3}){1,6}",
    ",": r"(?:[1-9][0-9]{0,2}(?:,[0-9]{3}){1,6}|[1-9][0-9]?(?:,[0-9]{2}){1,7},[0-9]{3})",  # and 1,25,000
}
_WHOLE = {sign: rf"(?:[0-9]{{1,20}}|{SPACED}|{GROUPED[other]})" for sign, other in ((".", ","), (",", "."))}
_NUMBER = {sign: rf"{whole}(?:[{sign}][0-9]{{1,10}})?" for sign, whole in _WHOLE.items()}
DECIMALS = {sign: rf"{whole}[{sign}][0-9]{{1,10}}" for sign, whole in _WHOLE.items()}
_AS_POINT, _AS_COMMA = (f"^[-+]?{_NUMBER[sign]}$" for sign in ".,")
_GROUPED_BY_POINT = rf"^[-+]?{GROUPED['.']}(?:,[0-9]{{1,10}})?$"
_POINT_ALONE = rf"^[-+]?(?:[0-9]{{1,20}}|{SPACED})\.[0-9]"
DOUBTFUL = {sign: rf"[1-9][0-9]{{0,2}}[{sign}][0-9]{{3}}" for sign in ".,"}  # 12.500: 12500, or 12.5
BESIDE = "[^0-9]{0,8}"  # a currency, a unit
_WITH_SOMETHING = rf"^{BESIDE}(?:{_NUMBER['.']}|{_NUMBER[',']}){BESIDE}$"
_STORED = pa.decimal128(38, 10)
_MINUS = str.maketrans("\u2212\u066c", "-'")  # and the Arabic sign between thousands


class NumberFormat(Struct, frozen=True):
    """Numbers with thousands separators, a fixed number of decimals, or both; halves round away from zero.

    `signs` has what the point and the comma do in the numbers of the column: "d" for decimals, "t" for
    thousands, "u" if that is unknown. `column_order` is the same where cells show it, "" where they do not,
    and `findings` what there is to tell about it.
    """

    thousands: bool
    decimals: int | None
    signs: str = "ut"
    column_order: str = ""
    findings: tuple[Finding, ...] = ()

    needed = "number with nothing beside it"

    @property
    def written(self) -> str:
        """The format as it stands in a placeholder."""
        decimals = "" if self.decimals is None else f".{self.decimals}f"
        return f"{',' * self.thousands}{decimals}"

    def apply(self, texts: TextArray) -> tuple[TextArray, Bools]:
        """The formatted texts, and which texts are not numbers; blank ones do not count."""
        encoded = texts.dictionary_encode()  # a column has few amounts
        formatted, readable = self._written(cast(TextArray, encoded.dictionary))
        positions = encoded.indices
        return formatted.take(positions), ~readable[np.asarray(positions)] & (byte_lengths(texts) > 0)

    def _written(self, texts: TextArray) -> tuple[TextArray, Bools]:
        """The formatted texts, and which texts are numbers."""
        texts = european(texts)
        as_point, as_comma = self._readable(texts)
        readable = as_point | as_comma
        digits = choose_texts(readable, texts, constant_array("0", len(texts)))
        if as_comma.any():
            with_point = substitute(substitute(digits, r"\.", ""), ",", ".")
            digits = choose_texts(as_comma, with_point, digits)
        digits = substitute(digits, rf"^[+]|[,{_GAPS}]", "")
        if self.decimals is not None:
            stored: Any = digits.cast(_STORED)
            rounded = pc.round(stored, ndigits=self.decimals, round_mode="half_towards_infinity")
            digits = as_text(rounded.cast(pa.decimal128(38, self.decimals)))
        formatted = _separate_thousands(digits) if self.thousands else digits
        return formatted, readable

    def _readable(self, texts: TextArray) -> tuple[Bools, Bools]:
        """Which texts are numbers with a decimal point, and which are such with a decimal comma.

        A number that is clear by itself is read so, unless it has decimals as no other of its column does,
        which may be a slip: 12,50 between 1,250 and 3,000.
        """
        point, comma = self.signs[0], self.signs[1]
        as_point, as_comma = matches(texts, _AS_POINT), np.zeros(len(texts), dtype=bool)
        if point != "d":
            unclear = matches(texts, f"^[-+]?{DOUBTFUL['.']}$")
            as_comma |= unclear & (point == "t")
            as_point &= ~unclear
        if point == "t":
            as_point &= ~matches(texts, _POINT_ALONE)
        if comma != "t":
            as_point &= ~matches(texts, f"^[-+]?{DOUBTFUL[',']}$")
        if (~(as_point | as_comma) & (byte_lengths(texts) > 0)).any():
            others = _AS_COMMA if comma == "d" else _GROUPED_BY_POINT
            as_comma |= matches(texts, others) & ~matches(texts, f"^[-+]?{DOUBTFUL['.']}$") & ~as_point
        return as_point, as_comma


def are_doubtful(texts: TextArray) -> Bools:
    """Which texts are numbers that depend on what the point or the comma does in their column."""
    return matches(european(texts), f"^[-+]?(?:{DOUBTFUL['.']}|{DOUBTFUL[',']})$")


def european(texts: TextArray) -> TextArray:
    """The texts with the digits 0 to 9, whatever their script."""
    return texts if are_ascii(texts) else map_unique(texts, _european)


def _european(text: str) -> str:
    """An Arabic decimal sign is never doubtful: the zero behind its decimals says so."""
    digits = "".join(str(unicodedata.decimal(sign, sign)) for sign in text.translate(_MINUS))
    return re.sub("\u066b([0-9]+)", r".\g<1>0", digits)


def what_is_beside(texts: TextArray) -> list[str]:
    """What stands beside the one number of each cell, such as UGX; "" where nothing short does."""
    beside = strip_texts(substitute(texts, "[0-9].*[0-9]|[0-9]", ""))
    short = choose_texts(matches(texts, _WITH_SOMETHING), beside, constant_array("", len(texts)))
    return cast(list[str], short.to_pylist())


def without_sign(texts: TextArray, sign: str) -> TextArray:
    """The texts, in which amounts have no such currency before or behind them: "£24" is 24."""
    sign = re.escape(sign)
    behind = substitute(texts, rf"^{sign}[ \x{{a0}}]?([0-9].*)$", r"\1")
    return substitute(behind, rf"^(.*[0-9])[ \x{{a0}}]?{sign}$", r"\1")


def _separate_thousands(numbers: TextArray) -> TextArray:
    """Separate the thousands with commas. Backwards, because RE2 cannot look ahead."""
    sign, integer, decimals = (
        substitute(numbers, "^(-?)([0-9]+)([.][0-9]+)?$", rf"\{group}") for group in (1, 2, 3)
    )
    backwards = substitute(pc.utf8_reverse(integer), "([0-9]{3})", r"\1,")
    return join_texts(sign, substitute(pc.utf8_reverse(backwards), "^,", ""), decimals)


_OTHER = {".": ",", ",": "."}
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
    return replace(form, signs=shown, column_order=shown, findings=tuple(_findings(facts, column, shown)))


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


def _findings(facts: _Facts, column: str, signs: str) -> Iterator[Finding]:
    """How numbers are read that could be read in another way, but for 1,250 as 1250."""
    for sign, use in zip(_OTHER, signs, strict=True):
        _, cell = facts.get(_UNKNOWN + sign, _NOTHING)
        if not cell or use == _UNKNOWN or (sign, use) == (",", _THOUSANDS):
            continue
        value, other = _meanings(cell) if use == _DECIMALS else reversed(_meanings(cell))
        _, witness = facts.get(use + sign) or facts.get(_DECIMALS + _OTHER[sign], _NOTHING)
        told = {"value": cell, "meaning": value, "like": witness, "other": other}
        yield Finding("decimal_sign", told, "warning" if sign == "," else "info", column=column)


def _meanings(cell: str) -> tuple[str, str]:
    """A doubtful number as one with decimals, and as one without."""
    whole, decimals = cell.replace(",", ".").split(".")
    return f"{whole}.{decimals}".rstrip("0").rstrip("."), f"{whole}{decimals}"


def readings_of(cell: str) -> dict[str, Any]:
    """The two numbers as which a doubtful one can be read."""
    decimals, thousands = _meanings(str(european(text_array([cell]))[0]))
    return {"readings": [thousands, decimals]}
