"""What a number format shows beside the plain number: a country code, leading zeros, a dash, a unit.

That is what the user sees and means, so it is what the cell says. Formats of dates and amounts (currencies,
thousands, fixed decimals) are plain: their cells hold a number, and a message formats it as it likes. So are
formats that cannot be applied without doubt: fractions, exponents, scaled numbers.

Source: ECMA-376, part 1, 18.8.30 and 18.8.31. Sections are chosen as SheetJS does, which follows Excel.
"""

import operator
import re
import unicodedata
from collections.abc import Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from typing import NamedTuple

from campaign.contacts.cells.value_text import EXACT, number_text

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_(?P<space>.)|\*.|\[(?P<bracket>[^\]]*)\]|(?P<general>general)'
    r"|(?P<place>[0#?])|(?P<point>\.)|(?P<comma>,)|(?P<percent>%)|(?P<text>@)|(?P<end>;)|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
ELAPSED = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)  # [h]:mm is a length of time, h:mm a time of day
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?\d+(?:\.\d+)?)")
_COMPARISONS = {"<=": "le", ">=": "ge", "<>": "ne", "<": "lt", ">": "gt", "=": "eq"}
_COLOUR = re.compile(r"black|blue|cyan|green|magenta|red|white|yellow|colou?r ?\d+", re.IGNORECASE)
_NUMERIC = ("place", "point", "comma", "general")
_THOUSANDS = re.compile(r"#+([ \u00a0\u202f'’])#*[#0]{3}(?:\1[#0]{3})*|#+(?:[ \u00a0\u202f'’]##[#0])+")
_AROUND = " \u00a0\u202f()-–—"  # aligns an amount, or is its sign
# Prices: ISO 4217, and what people write instead.
_CURRENCY = re.compile(
    r"aed|afn|all|amd|aoa|ars|aud|awg|azn|bam|bbd|bdt|bgn|bhd|bif|bmd|bnd|bob|brl|bsd|btn|bwp|byn|bzd|cad"
    r"|cdf|chf|clp|cny|cop|crc|cup|cve|czk|djf|dkk|dop|dzd|egp|ern|etb|eur|fjd|fkp|gbp|gel|ghs|gip|gmd|gnf"
    r"|gtq|gyd|hkd|hnl|htg|huf|idr|ils|inr|iqd|irr|isk|jmd|jod|jpy|kes|kgs|khr|kmf|kpw|krw|kwd|kyd|kzt|lak"
    r"|lbp|lkr|lrd|lsl|lyd|mad|mdl|mga|mkd|mmk|mnt|mop|mru|mur|mvr|mwk|mxn|myr|mzn|nad|ngn|nio|nok|npr|nzd"
    r"|omr|pab|pen|pgk|php|pkr|pln|pyg|qar|ron|rsd|rub|rwf|sar|sbd|scr|sdg|sek|sgd|shp|sle|sos|srd|ssp|stn"
    r"|svc|syp|szl|thb|tjs|tmt|tnd|top|try|ttd|twd|tzs|uah|ugx|usd|uyu|uzs|ves|vnd|vuv|wst|xaf|xcd|xof|xpf"
    r"|yer|zar|zig|zmw|ksh|tsh|ush|shs|sh|fcfa|cfa|ghc|rs|fr|sfr|kr|kč|zł|birr|naira|ksh\.|tsh\.|ush\."
    r"|shs\.|sh\.|rs\.|fr\.|kr\.|/=|=/",
    re.IGNORECASE,
)


class _DoubtError(Exception):
    """A code that cannot be applied without doubt."""


class _Token(NamedTuple):
    kind: str
    text: str


class _Section:
    """One of the parts of a format between its semicolons."""

    def __init__(self, tokens: Sequence[_Token], condition: tuple[str, float] | None) -> None:
        kinds = [token.kind for token in tokens]
        numeric = [i for i, kind in enumerate(kinds) if kind in _NUMERIC]
        first, end = (numeric[0], numeric[-1] + 1) if numeric else (len(tokens), len(tokens))
        self.tokens, self.condition, self.percents = tokens, condition, kinds.count("percent")
        self.before, self.after = _texts(tokens[:first]), _texts(tokens[end:])
        self._is_general = "general" in kinds
        inside = list(tokens[first:end])
        point = next((i for i, token in enumerate(inside) if token.kind == "point"), len(inside))
        self._whole, self._decimals = inside[:point], inside[point + 1 :]
        places = _places(self._whole)
        self._count, self._required = len(places), len(places.lstrip("#"))
        self._places = _places(self._decimals)
        self._is_joined = self._count == len(self._whole)
        self.is_plain = self._finds_plain("comma" in kinds)

    def _finds_plain(self, has_commas: bool) -> bool:
        """Whether the value alone is what is meant."""
        around = (self.before + self.after).strip(_AROUND)
        is_price = _is_price(self.before, self.after, has_decimals=bool(self._places))
        if not self.percents and (has_commas or (self._required <= 1 and is_price)):
            return True
        if len(self._places) < len(self._decimals):
            return True  # a literal among the decimals
        is_amount = self._is_joined or _THOUSANDS.fullmatch(_texts(self._whole)) is not None
        return not (around or self.percents or self._required > 1 or (not is_amount and not self._is_general))

    def show(self, value: float, *, signed: bool) -> str:
        """The number as the cell shows it."""
        sign = "-" if signed and value < 0 else ""
        if self._is_general:
            return f"{sign}{self.before}{number_text(abs(value))}{self.after}".strip()
        whole, _, decimals = self._fixed(abs(value)).partition(".")
        decimals = decimals.rstrip("0").ljust(len(self._places.rstrip("#")), "0")
        point = "." if decimals else ""
        return f"{sign}{self.before}{self._filled(whole)}{point}{decimals}{self.after}".strip()

    def _fixed(self, value: float) -> str:
        """The digits with as many decimals as are shown."""
        if not self.percents and not self._places and value.is_integer():
            return str(int(value))  # nearly all, in a tenth of the time
        exact = Decimal(format(value, ".15g")).scaleb(2 * self.percents)
        return format(exact.quantize(Decimal(1).scaleb(-len(self._places)), ROUND_HALF_UP), "f")

    def _filled(self, whole: str) -> str:
        """The digits of a whole number in their places."""
        digits = whole.lstrip("0").zfill(self._required)
        if self._is_joined:
            return digits if self._count else ""
        digits = digits.rjust(self._count)
        first = len(digits) - self._count + 1
        rest = iter([digits[:first], *digits[first:]])
        whole_tokens = (token for token in self._whole if token.kind != "comma")
        return "".join(next(rest).strip() if kind == "place" else text for kind, text in whole_tokens)

    def show_text(self, text: str) -> str:
        """A text in place of the @."""
        return "".join(text if kind == "text" else literal for kind, literal in self.tokens)


class CellFormat:
    """A format that shows more than the plain number in at least one of its sections."""

    def __init__(self, sections: Sequence[_Section]) -> None:
        has_text = "text" in [token.kind for token in sections[-1].tokens]
        numeric = list(sections[:-1] if has_text else sections[:3])
        self._text = sections[-1] if has_text else None
        self._numeric = numeric
        text_is_plain = self._text is None or not _texts(self._text.tokens).replace("@", "").strip(_AROUND)
        self.is_plain = text_is_plain and all(section.is_plain for section in numeric)

    def shown(self, value: object) -> object:
        """The text that a cell shows, or the value itself where the value is all that is meant."""
        if isinstance(value, str):
            return self._text.show_text(value) if self._text is not None and value else value
        if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) <= EXACT:
            return value
        place = self._section(value)
        if place >= len(self._numeric) or self._numeric[place].is_plain:
            return value
        negative_only = place == 1 and self._numeric[0].condition is None
        return self._numeric[place].show(float(value), signed=not negative_only)

    def _section(self, value: float) -> int:
        """The place of the section for a number."""
        conditions = [section.condition for section in self._numeric[:2]]
        if any(conditions):
            for place, condition in enumerate(conditions):
                if condition is not None and getattr(operator, _COMPARISONS[condition[0]])(
                    value, condition[1]
                ):
                    return place
            return 2 if len(conditions) == 2 and all(conditions) else 1
        if value < 0 and len(self._numeric) > 1:
            return 1
        return 2 if value == 0 and len(self._numeric) > 2 else 0


@cache
def number_format(code: str) -> CellFormat | None:
    """The format that a code stands for, or None where the value alone is what its cells say."""
    try:
        result = CellFormat(list(_sections(code)))
    except _DoubtError:
        return None
    return None if result.is_plain else result


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
        elif kind in _NUMERIC or kind in ("percent", "text"):
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
    if kind == "bracket" or (kind == "other" and (is_letter or is_fraction)):
        raise _DoubtError
    return text


def _texts(tokens: Sequence[_Token]) -> str:
    return "".join(token.text for token in tokens)


def _places(tokens: Sequence[_Token]) -> str:
    """The places of digits, as 0 for those that are always shown and # for the others."""
    return "".join(token.text for token in tokens if token.kind == "place").replace("?", "#")


def _is_price(before: str, after: str, *, has_decimals: bool) -> bool:
    """Whether there is a currency beside a number."""
    before, after = before.strip(_AROUND), after.strip(_AROUND)
    has_symbol = any(unicodedata.category(character) == "Sc" for character in before + after)
    is_letter = has_decimals and len(before) == 1 and before.isupper()  # R, K, P, N and others
    return has_symbol or is_letter or any(_CURRENCY.fullmatch(word) for word in (before, after))
