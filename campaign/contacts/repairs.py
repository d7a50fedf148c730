"""What spreadsheets, chats and hands do to a phone number, and how each is put right, by name."""

import re
import unicodedata
from dataclasses import dataclass

REPAIRS = {
    "invisible": "Invisible characters, which come along when a number is copied from a chat, were taken out.",
    "quotes": "Quotation marks around the number were taken off.",
    "digits": "Digits of another script were written as 0 to 9.",
    "decimal": "The .0 that a spreadsheet puts behind numbers was taken off.",
    "first_of_several": "There were several numbers in the cell; the first was taken.",
    "international_prefix": "The 00 or 0+ in front of the country code was read as +.",
    "stray_plus": "The + in front of a number without country code was left out.",
    "country_code": "The number begins with its country code, but without +.",
    "trunk_zero": "The 0 between the country code and the number was left out.",
    "lost_zero": "The 0 at the beginning was missing, as it is when a spreadsheet takes the number for an amount.",
    "fictitious": "The number is from a range set aside for films and examples. Nobody has it.",
}

_QUOTES = "'\"`´‘’‚‛“”„‟«»‹›′″＇＂"
_SPACES = " \t\r\n\v\f"
_SCIENTIFIC = re.compile(r"[+-]?\d+([.,]\d*)?[eE][+-]?\d+")
_DECIMAL = re.compile(r"(\+?\d{6,})[.,]0+")
_EXTENSION = re.compile(
    r"(?i)(?<=\d)[ ,;.(/-]*(?:ext(?:ensi[oó]n?)?|extn|xtn|poste|anexo|int|доб|x|#)[ .:)]*\d{1,9}[ .)]*$"
)
_SEPARATORS = re.compile(r"(?i)\s*(?:[/\\|,;&\r\n]|:::?|\bor\b|\band\b|\bou\b|\bau\b|\bund\b)+\s*")
_PLUS_INSIDE = re.compile(r"^\D*0\s*\+")


@dataclass(frozen=True)
class Written:
    """A text without the damage of spreadsheet and chat: what is left, what was done, what cannot be read."""

    text: str
    repairs: tuple[str, ...] = ()
    problem: str = ""

    @property
    def digits(self) -> str:
        return "".join(c for c in self.text if c in "0123456789")


def write_out(text: str, *, first: bool) -> Written:
    """Take off what is not part of the number, by the rules in `REPAIRS`, or say why it cannot be read."""
    repairs: list[str] = []
    for name, rule in (("invisible", _visible), ("quotes", _unquoted), ("digits", _plain_digits)):
        changed = rule(text)
        if changed.strip(_SPACES) != text.strip(_SPACES):
            repairs.append(name)
        text = changed.strip(_SPACES)
    if not text:
        return Written(text, problem="blank")
    if _SCIENTIFIC.fullmatch(text):
        return Written(text, problem="scientific")
    if decimal := _DECIMAL.fullmatch(text):
        text = decimal[1]
        repairs.append("decimal")
    pieces = _SEPARATORS.split(text)
    if sum(len(re.sub(r"\D", "", piece)) >= 7 for piece in pieces) > 1:
        if not first:
            return Written(text, problem="several")
        text = next(piece for piece in pieces if re.search(r"\d", piece))
        repairs.append("first_of_several")
    if problem := _unreadable(text):
        return Written(text, problem=problem)
    if _PLUS_INSIDE.match(text):
        text = _PLUS_INSIDE.sub("+", text)
        repairs.append("international_prefix")
    return Written(text, tuple(repairs))


def _unreadable(text: str) -> str:
    if not re.search(r"\d", text):
        return "no_digits"
    if _EXTENSION.search(text):
        return "extension"
    if any(unicodedata.category(c).startswith("L") for c in text):
        return "letters"
    if any(unicodedata.category(c) in ("No", "Nl", "So", "Sk", "Cn", "Cs", "Co") for c in text):
        return "symbols"
    return ""


def _visible(text: str) -> str:
    """Without control, direction and zero-width characters; every kind of space as a space."""
    if text.isascii() and text.isprintable():
        return text
    spaced = "".join(" " if unicodedata.category(c) == "Zs" or c == "\t" else c for c in text)
    return "".join(c for c in spaced if c == "\n" or unicodedata.category(c) not in ("Cf", "Cc", "Zl", "Zp"))


def _unquoted(text: str) -> str:
    if text.startswith('="') and text.endswith(
        '"'
    ):  # how some programs write a number so that Excel keeps its zero
        text = text[1:]
    return text.strip(_SPACES + _QUOTES)


def _plain_digits(text: str) -> str:
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(c, c)) for c in text).replace("＋", "+")
