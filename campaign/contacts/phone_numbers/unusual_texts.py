"""Reading one text that is not just digits and separators: its number, or why it has none.

Quotation marks, invisible characters and the marks of links have already been removed. Each step takes time
in proportion to the text, which can have 32,767 characters.
"""

import re
import unicodedata
from typing import NamedTuple

from campaign.contacts.phone_numbers.problems_and_repairs import REPAIR_BITS

MAX_TEXT = 250  # characters that `phonenumbers` looks at
MIN_FULL_DIGITS = 5  # of the shortest text that counts as a full number: some islands have such
_MAX_ENDING_DIGITS = 4  # of an ending given instead of a second number: 0772000012/13

_SCIENTIFIC = re.compile(r"[+-]?\d++(?:[.,]\d*+)?e[+-]?\d+", re.I)
_EXTENSION = re.compile(
    r"\d[ ,;.(/-]*(?:extensi[oó]n|extn?|xtn?|poste|anexo|int|доб|x|#)[ .:=)]*\d{1,9}[ .)#]*$", re.I
)
_MAY_BEGIN_EXTENSION = re.compile("[#xXeEpPaAiIİıдД]")  # cheap to look for first: few texts have one
_MARK = r"[/\\|,;&\r\n\u2028\u2029]|::+"
_MARK_BETWEEN = re.compile(_MARK)  # takes a third of the time
_MARK_OR_WORD_BETWEEN = re.compile(rf"{_MARK}|\b(?:or|and|ou|et|und|oder|au|na|y|o)\b", re.I)
_DIGIT, _NO_DIGITS, _LETTER = re.compile(r"\d"), re.compile(r"\D+"), re.compile("[A-Za-z]")
_LINE_BREAKS = re.compile(r"[\r\n\u2028\u2029]+")
_ENDING = re.compile(r"[0-9 ().-]*[0-9][ ).]*")
_ZEROS_AND_PLUS = re.compile(r"\W*0{1,3} *\+ *(?=\d)")
_AROUND_NUMBER = re.compile(r"^[^+\d]+|(?<=[#\d])[^#\d]+$")
_PLAIN = re.compile(r"\+?[0-9 ()./-]*[0-9][ ()./-]*")
_SYMBOL_CATEGORIES = {"No", "Nl", "So", "Sk", "Cn", "Cs", "Co"}


class UnusualText(NamedTuple):
    """The number in one text, or the reason why it has none."""

    text: str = ""  # without what does not belong to the number
    repairs: int = 0  # bits
    problem: str = ""
    first_number: str = ""  # if there are several

    @property
    def needs_library(self) -> bool:
        """Whether it contains more than digits and the usual separators."""
        return self.text != "" and _PLAIN.fullmatch(self.text) is None


def read_unusual_text(text: str) -> UnusualText:
    """Remove what does not belong to the number, following `REPAIRS`, or say why there is no number."""
    repairs, text = 0, text.strip()
    if not text.isascii():
        text, original = _in_ascii_digits(text), text
        repairs |= REPAIR_BITS["digits"] if text != original else 0
    if not text:
        return UnusualText(problem="blank")
    if _SCIENTIFIC.fullmatch(text):
        return UnusualText(problem="scientific")
    if first_number := _first_of_several(text):
        return UnusualText(problem="several", first_number=first_number)
    if problem := _problem_with_characters(text):
        return UnusualText(problem=problem)
    if _LINE_BREAKS.search(text):
        text = _LINE_BREAKS.sub(" ", text)
        repairs |= REPAIR_BITS["invisible"]
    if _ZEROS_AND_PLUS.match(text):
        text = _ZEROS_AND_PLUS.sub("+", text, count=1)
        repairs |= REPAIR_BITS["international_prefix"]
    return UnusualText(_AROUND_NUMBER.sub("", text), repairs)


def _in_ascii_digits(text: str) -> str:
    """The text with the digits of every script as 0 to 9."""
    return "".join(str(unicodedata.decimal(c, c)) for c in text).replace("＋", "+")


def _first_of_several(text: str) -> str:
    """The first of several numbers in a text, or of a number and another ending for it: 0772000012/13."""
    if text.isalnum():
        return ""
    parts = (_MARK_OR_WORD_BETWEEN if _LETTER.search(text) else _MARK_BETWEEN).split(text)
    if len(parts) < 2:
        return ""
    pieces = [piece for part in parts if (piece := part.strip(" "))]
    digit_counts = [len(_NO_DIGITS.sub("", piece)) for piece in pieces]
    full_numbers = [count >= MIN_FULL_DIGITS for count in digit_counts]
    if sum(full_numbers) > 1 or (full_numbers[:1] == [True] and _has_ending(pieces[1:], digit_counts[1:])):
        return next(piece for piece, count in zip(pieces, digit_counts, strict=True) if count)
    return ""


def _has_ending(pieces: list[str], digit_counts: list[int]) -> bool:
    """Is one of these pieces the ending of another number? `digit_counts` are their digits."""
    others = zip(pieces, digit_counts, strict=True)
    return any(count <= _MAX_ENDING_DIGITS and _ENDING.fullmatch(piece) for piece, count in others)


def _problem_with_characters(text: str) -> str:
    """Why a text with these characters cannot be a number; "" if it can."""
    if not _DIGIT.search(text):
        return "no_digits"
    if _MAY_BEGIN_EXTENSION.search(text) and _EXTENSION.search(text):
        return "extension"
    if text.isascii():
        return "letters" if _LETTER.search(text) else ""
    categories = {unicodedata.category(character) for character in text}
    if any(category[0] == "L" for category in categories):
        return "letters"
    return "symbols" if categories & _SYMBOL_CATEGORIES else ""
