"""Bytes of a text file to UTF-8, and which encoding they were in.

A byte order mark or valid UTF-8 is proof. Everything else is a guess: a notice says so and quotes a word from
the file to check it by. If no guess fits, the file is refused.
"""

import codecs
import io
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from msgspec import Struct

from campaign.argument_checks import wrong
from campaign.contacts.files.octets import Octets, kept_on_disk, pieces_of
from campaign.contacts.files.signatures import is_binary
from campaign.errors import FileError
from campaign.text import clean
from campaign.words.finding import Finding

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# The letters beyond ASCII of the languages written in each encoding, which a list of names rarely mixes. Of
# encodings that read a file alike, the first is named. Icelandic is there for MS-DOS only: elsewhere its þ, ð
# and ý are the same bytes as Turkish ş, ğ and ı.
ALPHABETS = {
    line.split()[0]: line.split()[1:]
    for line in Path(__file__).with_name("alphabets.txt").read_text("utf-8").splitlines()
}
WEST = ALPHABETS["cp1252"]
NONSENSE = "?"  # a letter of no alphabet
IN_WORDS = "'’‘`´-–·.ªº"  # characters that stand between letters in all languages
SAMPLE = 1 << 16  # bytes in which an encoding is recognised
FEW = 2  # letters that are no evidence of an encoding that hardly anybody uses
QUOTED = 5  # words that show how an encoding reads the file


class DecodedText(Struct, frozen=True):
    """The text of a file as UTF-8; it may begin with a byte order mark."""

    data: Octets
    encoding: str
    notices: tuple[Finding, ...] = ()


def to_text(data: Octets, encoding: str | None) -> DecodedText:
    """The file as UTF-8, and its encoding: as given, else by its byte order mark, else UTF-8 if the bytes
    are valid, else guessed from its letters.

    Raises FileError where bytes do not fit the encoding or no guess fits, UsageError for an unknown name.
    """
    if encoding is not None:
        return DecodedText(_converted(data, encoding), encoding)
    for mark, name in BYTE_ORDER_MARKS:
        if data[:4].startswith(mark):
            return DecodedText(_converted(data, name), name)
    if is_utf8(data):
        return DecodedText(data, "utf-8")
    if is_binary(data[:SAMPLE]):
        raise FileError("not_text")
    name = _guess(data)
    converted = _converted(data, name)
    words = _odd_words(_odd_lines(converted).decode("utf-8", "ignore"))
    return DecodedText(
        converted, name, (Finding("encoding_guessed", {"encoding": name, "texts": words}, "info"),)
    )


def is_utf8(data: Octets) -> bool:
    """Whether all bytes are; ASCII is found at a fraction of the cost."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for piece in pieces_of(data):
            if not piece.isascii() or decoder.getstate()[0]:
                decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _converted(data: Octets, encoding: str) -> Octets:
    """The text as UTF-8, in a temporary file where it was not."""
    try:
        io.TextIOWrapper(io.BytesIO(), encoding)  # refuses what is no encoding of text
        name = codecs.lookup(encoding).name
        if name in ("utf-8", "utf-8-sig") and is_utf8(data):  # no need to decode what is checked faster
            return data
        return kept_on_disk(_recoded(data, name))
    except LookupError:
        needs, write = "the name of an encoding", 'encoding="cp1252"'
        raise wrong(encoding, subject="encoding", needs=needs, write=write) from None
    except UnicodeError as problem:
        line = data[: getattr(problem, "start", 0)].count(b"\n") + 1
        raise FileError("encoding_wrong", encoding=encoding, line=line) from None


def _recoded(data: Octets, encoding: str) -> Iterator[bytes]:
    """The text as UTF-8, piece by piece; a UnicodeDecodeError says where in the whole text it is."""
    decoder, at = codecs.getincrementaldecoder(encoding)(), 0
    for piece in (*pieces_of(data), b""):
        waiting = len(decoder.getstate()[0])
        try:
            yield decoder.decode(piece, final=not piece).encode()
        except UnicodeDecodeError as problem:
            problem.start += at - waiting
            raise
        at += len(piece)


# --- guesses ------------------------------------------------------------------------------------------


def _guess(data: Octets) -> str:
    """The encoding on which the tables above and chardet agree.

    Letters alone leave several readings where a file is small, and chardet, which counts pairs of letters,
    takes Spanish for Polish. Chinese, Japanese and Korean are asked about.
    """
    lines = _odd_lines(data)
    readings = _readings(_high_bytes(data), lines)
    texts = list(dict.fromkeys(readings.values()))
    guesses = _guesses(lines)
    likely = _preferred(texts, guesses) if len(texts) > 1 else "".join(texts)
    if not likely:
        named = readings or {name: text for text, (name, _) in guesses.items()}
        raise FileError("encoding_unclear", readings=_distinct(named))
    return next(name for name, text in readings.items() if text == likely)


def _guesses(lines: bytes) -> dict[str, tuple[str, float]]:
    """Texts that the lines may be according to chardet, with their encodings and how likely they are."""
    import chardet

    guesses: dict[str, tuple[str, float]] = {}
    for found in chardet.detect_all(lines, ignore_threshold=True, compat_names=False, max_bytes=SAMPLE):
        encoding = found["encoding"] or "ascii"
        if text := _decoded(lines, encoding):
            guesses.setdefault(text, (encoding, found["confidence"]))
    return guesses


def _preferred(texts: list[str], guesses: dict[str, tuple[str, float]]) -> str:
    """Which of several readings chardet prefers to all others, if that is the first, in the encoding that
    most people use, or there are more than a few letters; "" if it is unsure."""
    likely = {text: guesses[text][1] if text in guesses else 0 for text in texts}
    best, second = sorted(texts, key=lambda text: -likely[text])[:2]
    is_clear = best == next(iter(guesses), "") and len({c for c in best.lower() if not c.isascii()}) > FEW
    return best if likely[best] > likely[second] and (best == texts[0] or is_clear) else ""


def _distinct(readings: dict[str, str]) -> list[str]:
    """Encodings that read the file differently, with the words as each reads them: cp1252 (José)."""
    names: dict[str, str] = {}
    for name, text in readings.items():
        names.setdefault(", ".join(_odd_words(text)), name)
    return [f"{name} ({words})" for words, name in [*names.items()][:QUOTED]]


def _decoded(lines: bytes, encoding: str) -> str | None:
    """The lines, the last of which may end within a character; None if they do not fit."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(lines)
    except (UnicodeError, LookupError):
        return None


def _high_bytes(data: Octets) -> bytes:
    counts = np.zeros(256, np.int64)
    for piece in pieces_of(data):
        counts += np.bincount(np.frombuffer(piece, np.uint8), minlength=256)
    return bytes((np.flatnonzero(counts[128:]) + 128).tolist())


def _odd_lines(data: Octets) -> bytes:
    """The first lines with anything beyond ASCII."""
    odd: list[bytes] = []
    size = 0
    for piece in pieces_of(data):
        if size > SAMPLE:
            break
        if not piece.isascii():
            found = [line[:SAMPLE] for line in piece.splitlines() if not line.isascii()]
            odd += found
            size += sum(map(len, found))
    return b"\n".join(odd)[:SAMPLE]


def _readings(high: bytes, lines: bytes) -> dict[str, str]:
    """The lines in each encoding in which they make sense: their letters are of one language, or those of
    names from all over Western Europe."""
    letters = {name: _letters(name, high, lines) for name in ALPHABETS}
    mixed = {*"".join(WEST)}
    of_one = [name for name, used in letters.items() if any(used <= {*one} for one in ALPHABETS[name])]
    of_west = [name for name, used in letters.items() if used <= mixed and ALPHABETS[name] == WEST]
    return {name: _decoded(lines, name) or "" for name in of_one or of_west}


def _letters(encoding: str, high: bytes, lines: bytes) -> set[str]:
    """The lower-case letters that the high bytes are in an encoding, or one of no alphabet if words make no
    sense in it."""
    text, characters = _decoded(lines, encoding), _decoded(high, encoding)
    if text is None or characters is None:
        return {NONSENSE}
    letters = [c for c in characters if unicodedata.category(c)[0] in "LM"]
    odd = _class("".join(c for c in characters if c not in letters and c not in IN_WORDS))
    capitals = _class("".join(filter(str.isupper, letters)))
    foreign = _class("".join(c for c in letters if c > "\u02ff"))
    nonsense = (
        odd and rf"[^\W\d_]{odd}+[^\W\d_]|(?:^|[\W_])[£¥¯¼¾¤¦¨¬±³¹][^\W\d_]",
        capitals and rf"(?![A-Z]|{capitals})[^\W\d_](?={capitals})",  # behind a small letter: "JosŽ"
        foreign and rf"[A-Za-z]{foreign}|{foreign}[A-Za-z]",  # two scripts in a word
        r"[^\W\d_][\x80-\x9f‚„¡¿ˆ˜•¤¦¬¨¸±\u2500-\u259f]",  # what no letter stands before
    )
    if any(pattern and re.search(pattern, text) for pattern in nonsense):
        return {NONSENSE}
    return {c.lower()[:1] for c in letters if c.isalpha()}


def _class(characters: str) -> str:
    return f"[{re.escape(characters)}]" if characters else ""


def _odd_words(text: str) -> list[str]:
    """The first words with letters beyond ASCII; with other characters where there are none."""
    odd = re.findall(r'[^\s,;|"]{0,30}[^\x00-\x7f][^\s,;|"]{0,30}', text[:SAMPLE])
    words = [word for word in odd if re.search(r"(?![\x00-\x7f])\w", word)] or odd
    return [*dict.fromkeys(unicodedata.normalize("NFC", clean(word)) for word in words)][:QUOTED]
