"""Numbers in cells, 1500, 1,250.50 or 1.250,50, and the formats that write them: {amount:,.0f}."""

import re
import unicodedata
from typing import Any, cast

import numpy as np
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
    strip_texts,
    substitute,
)
from campaign.messages.issues import Notice

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
    and `notices` what there is to tell about it.
    """

    thousands: bool
    decimals: int | None
    signs: str = "ut"
    column_order: str = ""
    notices: tuple[Notice, ...] = ()

    needed = "a number such as 1500 or 1500.5, with nothing beside it"

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
