"""What a number format shows beside the plain number: a country code, leading zeros, a dash, a unit.

That is what the user sees and means, so it is what the cell says. Formats of dates and amounts (currencies,
thousands, fixed decimals) are plain: their cells hold a number, and a message formats it as it likes. So are
formats that cannot be applied without doubt: fractions, exponents, scaled numbers.

Source: ECMA-376, part 1, 18.8.30 and 18.8.31.
"""

import operator
import re
import unicodedata
from collections.abc import Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from typing import NamedTuple

from campaign.contacts.cells.value_text import EXACT, number_text
from campaign.contacts.vocabulary import phrases

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_(?P<space>.)|\*.|\[(?P<bracket>[^\]]*)\]|(?P<general>general)'
    r"|(?P<place>[0#?])|(?P<point>\.)|(?P<percent>%)|(?P<text>@)|(?P<end>;)|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
ELAPSED = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)  # [h]:mm is a length of time, h:mm a time of day
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?\d+(?:\.\d+)?)")
_COMPARISONS = {
    "<=": operator.le, ">=": operator.ge, "<>": operator.ne,
    "<": operator.lt, ">": operator.gt, "=": operator.eq,
}  # fmt: skip
_COLOUR = re.compile(r"black|blue|cyan|green|magenta|red|white|yellow|colou?r ?\d+", re.IGNORECASE)
_AROUND = " \u00a0\u202f()-–—"  # aligns an amount, or is its sign
_GROUP = "([ .,'’\u00a0\u202f])"
_AMOUNT = re.compile(
    rf"(\D*?)(?:0|[1-9]\d*(?:{_GROUP}\d{{3}}(?:\2\d{{3}})*)?|[1-9]\d?(?:{_GROUP}\d\d)+\3\d{{3}})"
    r"([.,]\d+)?(?:E[+-]?\d+)?(\D*)",
    re.IGNORECASE,
)
_CURRENCIES = frozenset(phrases("cells", "currencies"))
_PROBES = (0, 7, 7.25, 1234567)  # a format that says no more of these says no more of any number
_BY_SIGN = {2: [(">=", 0.0)], 3: [(">", 0.0), ("<", 0.0)]}  # conditions of sections that have none


class _DoubtError(Exception):
    """A code that cannot be applied without doubt."""


class _Token(NamedTuple):
    kind: str
    text: str


class _Section:
    """One of the parts of a format between its semicolons."""

    def __init__(self, tokens: Sequence[_Token], condition: tuple[str, float] | None) -> None:
        kinds = [token.kind for token in tokens]
        numeric = [i for i, kind in enumerate(kinds) if kind in ("place", "point", "general")]
        first, end = (numeric[0], numeric[-1] + 1) if numeric else (len(tokens), len(tokens))
        self.tokens, self.condition, self._percents = tokens, condition, kinds.count("percent")
        self._before, self._after = _texts(tokens[:first]), _texts(tokens[end:])
        self._is_general = "general" in kinds
        point = kinds.index("point") if "point" in kinds else end
        self._whole, self._decimals = tokens[first:point], _places(tokens[point + 1 : end])
        if len(self._decimals) < end - point - 1:
            raise _DoubtError  # a literal among the decimals
        places = _places(self._whole)
        self._count, self._required = len(places), len(places.lstrip("#"))
        self.is_plain = not any(says_more(self.show(number)) for number in _PROBES)

    def show(self, value: float) -> str:
        """The number as the cell shows it, without its sign."""
        if self._is_general:
            return f"{self._before}{number_text(value)}{self._after}".strip()
        whole, _, decimals = self._fixed(value).partition(".")
        decimals = decimals.rstrip("0").ljust(len(self._decimals.rstrip("#")), "0")
        point = "." if decimals else ""
        return f"{self._before}{self._filled(whole)}{point}{decimals}{self._after}".strip()

    def _fixed(self, value: float) -> str:
        """The digits with as many decimals as are shown."""
        if not self._percents and not self._decimals and float(value).is_integer():
            return str(int(value))  # nearly all, in a tenth of the time
        exact = Decimal(format(value, ".15g")).scaleb(2 * self._percents)
        return format(exact.quantize(Decimal(1).scaleb(-len(self._decimals)), ROUND_HALF_UP), "f")

    def _filled(self, whole: str) -> str:
        """The digits of a whole number in their places."""
        digits = whole.lstrip("0").zfill(self._required).rjust(self._count)
        first = len(digits) - self._count + 1
        rest = iter([digits[:first], *digits[first:]])
        return "".join(next(rest).strip() if kind == "place" else text for kind, text in self._whole)

    def show_text(self, text: str) -> str:
        """A text in place of the @."""
        return "".join(text if kind == "text" else literal for kind, literal in self.tokens)


class CellFormat:
    """A format that shows more than the plain number in at least one of its sections."""

    def __init__(self, sections: Sequence[_Section]) -> None:
        has_text = "text" in [token.kind for token in sections[-1].tokens]
        self._text = sections[-1] if has_text else None
        self._numeric = sections[:-1] if has_text else sections[:3]
        text_is_plain = self._text is None or not self._text.show_text("").strip(_AROUND)
        self.is_plain = text_is_plain and all(section.is_plain for section in self._numeric)

    def shown(self, value: object) -> object:
        """The text that a cell shows, or the value itself where the value is all that is meant."""
        if isinstance(value, str):
            return self._text.show_text(value) if self._text is not None and value else value
        if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) <= EXACT:
            return value
        place = self._section(value)
        if place >= len(self._numeric) or self._numeric[place].is_plain:
            return value
        is_signed = value < 0 and (place != 1 or self._numeric[0].condition is not None)
        return "-" * is_signed + self._numeric[place].show(abs(value))

    def _section(self, value: float) -> int:
        """The place of the section for a number, chosen as SheetJS does, which follows Excel."""
        conditions = [section.condition for section in self._numeric[:2]]
        if not any(conditions):
            conditions = [*_BY_SIGN.get(len(self._numeric), ())]
        for place, condition in enumerate(conditions):
            if condition is not None and _COMPARISONS[condition[0]](value, condition[1]):
                return place
        return len(conditions) - conditions.count(None)


@cache
def number_format(code: str) -> CellFormat | None:
    """The format that a code stands for, or None where the value alone is what its cells say."""
    try:
        result = CellFormat(list(_sections(code)))
    except _DoubtError:
        return None
    return None if result.is_plain else result


def says_more(text: str) -> bool:
    """Whether a number shows more than an amount: a country code, leading zeros, a dash, a unit."""
    amount = _AMOUNT.fullmatch(text)
    if amount is None:
        return not text.startswith("#") and bool(text.strip(_AROUND))  # ### has no room
    before, after = amount[1].strip(_AROUND), amount[5].strip(_AROUND)
    if not before and not after:
        return False
    has_symbol = any(unicodedata.category(character) == "Sc" for character in before + after)
    is_letter = bool(amount[4]) and len(before) == 1 and before.isupper()  # R, K, P, N and others
    is_price = has_symbol or is_letter or not _CURRENCIES.isdisjoint((before.lower(), after.lower()))
    return not is_price


def _sections(code: str) -> Iterator[_Section]:
    tokens: list[_Token] = []
    condition = None
    for match in _TOKEN.finditer(code + ";"):
        kind = match.lastgroup or "fill"
        text = match[kind] if match.lastgroup else ""
        found = _CONDITION.fullmatch(text) if kind == "bracket" else None
        if found is not None:
            condition = found[1], float(found[2])
        elif kind == "end":
            yield _Section(tokens, condition)
            tokens, condition = [], None
        elif kind in ("place", "point", "general", "percent", "text"):
            tokens.append(_Token(kind, text))
        elif kind != "fill":
            tokens.append(_Token("literal", _literal(kind, text, tokens)))


def _literal(kind: str, text: str, before: Sequence[_Token]) -> str:
    """What a piece of a format shows that stands for itself. Raises _DoubtError where it does not."""
    if kind == "space":
        return " "
    if kind == "bracket" and text.startswith("$"):
        return text[1:].partition("-")[0]  # a currency and a language: $€-407
    if kind == "bracket" and _COLOUR.fullmatch(text):
        return ""
    is_letter = text.isascii() and text.isalpha()  # of a date, of a time, of an exponent
    is_fraction = text == "/" and bool(before) and before[-1].kind == "place"
    if kind == "bracket" or (kind == "other" and (is_letter or is_fraction or text == ",")):
        raise _DoubtError  # a comma: thousands, which an amount has, or a scaled number
    return text


def _texts(tokens: Sequence[_Token]) -> str:
    return "".join(token.text for token in tokens)


def _places(tokens: Sequence[_Token]) -> str:
    """The places of digits, as 0 for those that are always shown and # for the others."""
    return "".join(token.text for token in tokens if token.kind == "place").replace("?", "#")
