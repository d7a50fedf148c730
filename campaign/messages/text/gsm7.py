"""GSM-7: the characters an SMS carries in one septet or two, those that need UCS-2, those never sent.

Sources: the basic and extension tables of 3GPP TS 23.038, section 6.2.1; the Unicode code charts for the
punctuation that word processors insert by themselves.
"""

import unicodedata
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from campaign.arrow_text import Ints

# One septet each. The escape character, 0x1B in the table, introduces the extension and is not text.
BASIC = (
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
EXTENSION = "^{}\\[~]|€"  # an escape before each: two septets. The form feed, also there, is a control.

# Typographic characters that word processors insert, and the plain ones that were typed.
TWINS = {
    # quotes (General Punctuation 2018-201F, 2039-203A; Latin-1 00AB, 00BB), accents used as quotes
    **dict.fromkeys("‘’‚‛′‹›´`", "'"),
    **dict.fromkeys("“”„‟″«»", '"'),
    # hyphens and dashes (2010-2015), the minus sign
    **dict.fromkeys("‐‑‒–—―−", "-"),
    "…": "...",
    # no-break and typographic spaces (00A0, 2000-200A, 202F, 205F)
    **dict.fromkeys(map(chr, (0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F)), " "),
    # ligatures that come out of PDF files (Alphabetic Presentation Forms FB00-FB04)
    **dict(zip("ﬀﬁﬂﬃﬄ", ("ff", "fi", "fl", "ffi", "ffl"), strict=True)),
}  # fmt: skip
# Layout that no phone shows: tabs, other line breaks, soft hyphens.
LAYOUT = {"\t": " ", "\r": "\n", "\u2028": "\n", "\u2029": "\n", "\u00ad": ""}

# Controls, direction controls, zero-width and filler characters, noncharacters: nobody can see them, and they
# can make a text look like something else. Joiners and tags are allowed after some
# characters only. U+FFFD stands for a letter that was lost.
INVISIBLE = (
    *((0x00, 0x09), (0x0B, 0x0C), (0x0E, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C)),
    *((0x115F, 0x1160), (0x17B4, 0x17B5), (0x180E, 0x180E), (0x200B, 0x200B), (0x200E, 0x200F)),
    *((0x2028, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFDD0, 0xFDEF), (0xFEFF, 0xFEFF)),
    *((0xFFA0, 0xFFA0), (0xFFF0, 0xFFFB), (0xFFFD, 0xFFFF), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A)),
    *((0xE0000, 0xE001F), (0xE0080, 0xE00FF), (0xE01F0, 0xE0FFF)),
)
JOINERS = (0x200C, 0x200D)  # between letters of Arabic and Indic scripts, and inside joined emoji
TAGS = (0xE0020, 0xE007F)  # after a black flag: the flags of England, Scotland, Wales
BLACK_FLAG = 0x1F3F4

# Classes of characters, as bits; 0 is a plain character of one septet.
DOUBLE, FOREIGN, TWIN, UNTIDY, REFUSED, JOINER, TAG = (1 << bit for bit in range(7))


def _classes() -> npt.NDArray[np.uint8]:
    """The class of each code point of the basic plane; 65,536 bytes."""
    classes = np.full(0x10000, FOREIGN, dtype=np.uint8)
    for characters, kind in ((BASIC, 0), (EXTENSION, DOUBLE), (TWINS, TWIN), (LAYOUT, UNTIDY)):
        classes[[ord(character) for character in characters]] = kind
    for first, last in INVISIBLE:
        classes[first : last + 1] |= REFUSED
    classes[list(JOINERS)] |= JOINER
    return classes


CLASSES = _classes()


def classify(codes: Ints) -> npt.NDArray[np.uint8]:
    """The class of each code point."""
    classes = CLASSES[np.minimum(codes, 0xFFFF)]
    beyond = np.flatnonzero(codes > 0xFFFF)
    if len(beyond):
        high_codes = codes[beyond]
        kinds = np.full(len(beyond), FOREIGN, dtype=np.uint8)
        for first, last in INVISIBLE:
            if last > 0xFFFF:
                kinds[(high_codes >= first) & (high_codes <= last)] |= REFUSED
        kinds[(high_codes & 0xFFFE) == 0xFFFE] |= REFUSED
        kinds[(high_codes >= TAGS[0]) & (high_codes <= TAGS[1])] |= TAG
        classes[beyond] = kinds
    return classes


_UNTIDY = str.maketrans(LAYOUT)
_PLAIN = str.maketrans(LAYOUT | TWINS)


def tidy(text: str) -> str:
    """The text with plain spaces and line breaks instead of tabs, CR LF and the like."""
    return text.replace("\r\n", "\n").translate(_UNTIDY)


def plain(text: str) -> str:
    """The text, tidy, and with the plain twins of typographic characters."""
    return text.replace("\r\n", "\n").translate(_PLAIN)


def nearest(character: str) -> str:
    """What a person can write instead of a character that is not in GSM-7: "e" for "ê"; "" if nothing."""
    letters = unicodedata.normalize("NFKD", character)
    plainer = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return plainer if is_gsm(plainer) else ""


_GSM = frozenset(BASIC + EXTENSION).union(LAYOUT)


def is_gsm(text: str) -> bool:
    """Whether every character is in GSM-7, or is layout, which is replaced before sending."""
    return _GSM.issuperset(text)


def of_class(text: str, kinds: int) -> list[str]:
    """The distinct characters of the text that are of one of the classes, in order."""
    codes = np.fromiter(map(ord, text), dtype=np.int64, count=len(text))
    positions = np.flatnonzero(classify(codes) & np.uint8(kinds))
    return list(dict.fromkeys(text[position] for position in positions))


_HIDDEN = (*INVISIBLE, (JOINERS[0], JOINERS[1]), TAGS)
_ESCAPES = {
    code: chr(code).encode("unicode_escape").decode("ascii")
    for first, last in _HIDDEN
    for code in range(first, last + 1)
    if code < 0xE0080
}


def escaped(text: str) -> str:
    """The text with invisible characters written as Python escapes: \\u202e."""
    return text.translate(_ESCAPES)


def _ranges(codes: Iterable[tuple[int, int]]) -> str:
    return "".join(rf"\x{{{first:x}}}-\x{{{last:x}}}" for first, last in codes)


def _one_by_one(characters: Iterable[str]) -> str:
    return _ranges((ord(character), ord(character)) for character in characters)


# RE2 patterns for everything except some characters: removing the matches leaves those characters.
ALL_BUT_FOREIGN = f"[{_one_by_one(_GSM)}]+"
ALL_BUT_REPLACED = f"[^{_one_by_one([*TWINS, *LAYOUT])}]+"
ALL_BUT_HIDDEN = f"[^{_ranges(_HIDDEN)}]+"


def named(characters: Iterable[str], most: int = 5) -> str:
    """Characters as a person can look them up: ŋ (U+014B), and invisible ones by their Unicode names."""
    distinct = list(dict.fromkeys(characters))
    names = ", ".join(_named(character) for character in distinct[:most])
    return names + (f" and {len(distinct) - most} more" if len(distinct) > most else "")


def _named(character: str) -> str:
    code = f"U+{ord(character):04X}"
    if character.isprintable() and not character.isspace() and not unicodedata.combining(character):
        return f"{character} ({code})"
    name = unicodedata.name(character, "").lower() or {"\t": "tab", "\r": "carriage return"}.get(
        character, ""
    )
    return f"{code} ({name})" if name else code
