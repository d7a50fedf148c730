"""One odd text: what number is written in it, or why none can be read.

Quotation marks and invisible characters are off it already.
"""

import re
import unicodedata
from typing import NamedTuple

from campaign.contacts.phone_numbers.wording import REPAIR_BITS

LONGEST_TEXT = 250  # characters that `phonenumbers` looks at

_SCIENTIFIC = re.compile(r"[+-]?\d+(?:[.,]\d*)?e[+-]?\d+", re.I)
_DECIMAL = re.compile(r"(\+?\d{7,})[.,]0{1,2}")
_EXTENSION = re.compile(
    r"\d[ ,;.(/-]*(?:extensi[oó]n|extn?|xtn?|poste|anexo|int|доб|x|#)[ .:=)]*\d{1,9}[ .)#]*$", re.I
)
_SEPARATOR = re.compile(
    r" *(?:[/\\|,;&\r\n\u2028\u2029]|:{2,}|\b(?:or|and|ou|et|und|oder|au|na|y|o)\b)+ *", re.I
)
_DIGIT, _NO_DIGITS, _LETTER = re.compile(r"\d"), re.compile(r"\D+"), re.compile("[A-Za-z]")
_LINE = re.compile(r"[\r\n\u2028\u2029]+")
_ENDING = re.compile(r"[0-9 ().-]*[0-9][ ).]*")
_ZERO_PLUS = re.compile(r"\W*0{1,3} *\+ *(?=\d)")
_BESIDE = re.compile(r"^[^+\d]+|[^#\d]+$")
_PLAIN = re.compile(r"\+?[0-9 ().-]*[0-9][ ().-]*")
_NO_SIGNS = {"No", "Nl", "So", "Sk", "Cn", "Cs", "Co"}
WHOLE, _TAIL = 7, 4  # digits of the shortest whole number; of the longest ending given for a second number


class Written(NamedTuple):
    """One text without what was added to it, or the reason why it cannot be read."""

    text: str = ""
    repairs: int = 0  # bits
    problem: str = ""
    with_zeros: str = ""  # the text if a .0 at its end were digits of the number
    first: str = ""  # the first number, where there are several

    @property
    def unusual(self) -> bool:
        """Is there more in it than digits and what usually stands between them?"""
        return self.text != "" and _PLAIN.fullmatch(self.text) is None


def write_out(text: str) -> Written:
    """Take off what does not belong to the number, by rules of `REPAIRS`, or say why it cannot be read."""
    repairs, text = 0, text.strip()
    if not text.isascii():
        text, written = _in_digits(text), text
        repairs |= REPAIR_BITS["digits"] if text != written else 0
    if not text:
        return Written(problem="blank")
    if _SCIENTIFIC.fullmatch(text):
        return Written(problem="scientific")
    if decimal := _DECIMAL.fullmatch(text):
        return Written(decimal[1], repairs | REPAIR_BITS["decimal"], with_zeros=text.replace(",", "."))
    if first := _first_of_several(text):
        return Written(problem="several", first=first)
    if problem := _unreadable(text):
        return Written(problem=problem)
    if _LINE.search(text):
        text = _LINE.sub(" ", text)
        repairs |= REPAIR_BITS["invisible"]
    if _ZERO_PLUS.match(text):
        text = _ZERO_PLUS.sub("+", text, count=1)
        repairs |= REPAIR_BITS["international_prefix"]
    return Written(_BESIDE.sub("", text), repairs)


def _in_digits(text: str) -> str:
    """The text with 0 to 9 for the digits of every script."""
    return "".join(str(unicodedata.decimal(c, c)) for c in text).replace("＋", "+")


def _first_of_several(text: str) -> str:
    """The first number of a text with two in it, or with one and another ending for it: 0772000012/13."""
    pieces = [piece for piece in _SEPARATOR.split(text) if piece]
    if len(pieces) < 2:
        return ""
    digits = [len(_NO_DIGITS.sub("", piece)) for piece in pieces]
    whole = sum(count >= WHOLE for count in digits)
    others = zip(pieces[1:], digits[1:], strict=True)
    ending = any(count <= _TAIL and _ENDING.fullmatch(piece) for piece, count in others)
    several = whole > 1 or (digits[0] >= WHOLE and ending)
    return next(piece for piece, count in zip(pieces, digits, strict=True) if count) if several else ""


def _unreadable(text: str) -> str:
    """Why a text cannot be a number, as far as its characters tell."""
    if not _DIGIT.search(text):
        return "no_digits"
    if _EXTENSION.search(text):
        return "extension"
    if text.isascii():
        return "letters" if _LETTER.search(text) else ""
    categories = {unicodedata.category(character) for character in text}
    if any(category[0] == "L" for category in categories):
        return "letters"
    return "symbols" if categories & _NO_SIGNS else ""
