"""Bytes of a text file to UTF-8, and which encoding they were in.

A byte order mark or valid UTF-8 is proof. Everything else is a guess: a notice says so and quotes a word from
the file to check it by. If no guess fits, the file is refused.
"""

import codecs
import re
import unicodedata
from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
from msgspec import Struct

from campaign.contacts.files.octets import FileOctets, Octets, lines_of, pieces_of, without_start
from campaign.contacts.files.signatures import is_binary
from campaign.errors import FileError, UsageError
from campaign.text import clean

# The longer mark first: UTF-32 LE begins like UTF-16 LE.
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
WEST = ("àâæçéèêëîïôœùûüÿ", "äöüß", "áéíñóúüªº", "ãõáéíóúâêôàçü", "àèéìíòóùú", "åäöæøéü", "éëïöüáíóúèà")
# The letters beyond ASCII of the languages written in each encoding: a list of names rarely mixes them.
# Icelandic is missing: its þ, ð and ý are the same bytes as Turkish ş, ğ and ı.
ALPHABETS: dict[str, tuple[str, ...]] = {
    "cp1252": WEST,
    "cp1250": ("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "ăâîşţ", "čćđšž"),
    "cp1254": ("çğıiöşüâ",),
    "cp1257": ("ąčęėįšųūž", "āčēģīķļņšūž", "äõöüšž"),
    "cp850": WEST,
    "mac_roman": WEST,
}
# Other scripts, which charset-normalizer recognises by the frequencies of their letters. It fails on Latin
# letters: it named the wrong encoding for all of eight short Western samples.
OTHER_SCRIPTS = (
    "cp1251", "koi8_r", "koi8_u", "cp1253", "cp1255", "cp1256", "cp874", "cp932", "gb18030", "big5", "cp949",
)  # fmt: skip
IN_WORDS = "'’‘`´-–·.ªº"  # characters that stand between letters in all languages
SAMPLE = 1 << 16  # bytes in which a script is recognised
UNKNOWN = (
    "The file is not UTF-8, and its encoding cannot be determined. Save it as UTF-8 (in Excel: CSV UTF-8), "
    'or give encoding=, such as "cp1252" for Western Europe, "cp1250" for Poland, "cp1254" for Turkey.'
)
NO_TEXT = (
    "The file is neither a spreadsheet nor text: it may be a picture, a document or a program, or it is "
    "damaged. Save the table itself as .xlsx or .csv."
)


class Text(Struct):
    """The text of a file as UTF-8 without a byte order mark."""

    data: Octets
    encoding: str
    notices: tuple[str, ...] = ()

    def give(self) -> Octets:
        """The data, which is released here: the caller decides how long it takes up memory."""
        data, self.data = self.data, b""
        return data


def to_text(data: Octets, encoding: str | None) -> Text:
    """The file as UTF-8, and its encoding: as given, else by its byte order mark, else UTF-8 if the bytes
    are valid, else UTF-16 if every second byte is zero, else guessed from its letters.

    Raises FileError where bytes do not fit the encoding or no guess fits, UsageError for an unknown name.
    """
    if encoding is not None:
        return Text(_convert(data, encoding), encoding)
    for mark, name in BYTE_ORDER_MARKS:
        if data[:4].startswith(mark):
            return Text(_convert(data, name), name)
    if wide := _wide(data):
        return Text(_convert(data, wide), wide)
    if is_utf8(data):
        return Text(data, "utf-8")
    if is_binary(data[:SAMPLE]):
        raise FileError(NO_TEXT)
    name = _guess(data)
    converted = _convert(data, name)
    notice = (
        f'The file does not say its encoding and is not UTF-8: read as {name}, so that it holds "'
        f'{_odd_word(converted)}". If letters look wrong, give encoding=.'
    )
    return Text(converted, name, (notice,))


def is_utf8(data: Octets) -> bool:
    """Arrow's check: several times faster than decoding, and without a copy of what is in memory."""
    if isinstance(data, bytes):
        return _is_utf8(data)
    rest = b""
    for piece in pieces_of(data):
        piece = rest + piece
        end = _whole_characters(piece)
        rest = piece[end:]
        if not _is_utf8(piece[:end]):
            return False
    return not rest


def _is_utf8(data: bytes) -> bool:
    offsets = pa.py_buffer(b"\0" * 8 + len(data).to_bytes(8, "little"))
    try:
        pa.Array.from_buffers(pa.large_string(), 1, [None, offsets, pa.py_buffer(data)]).validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _whole_characters(piece: bytes) -> int:
    """Where the last whole character of a piece of UTF-8 ends; a character has four bytes at most."""
    for back in range(1, min(4, len(piece)) + 1):
        byte = piece[-back]
        if byte >= 0xC0:  # the first of a character of two, three or four bytes
            length = 2 + (byte >= 0xE0) + (byte >= 0xF0)
            return len(piece) - back if length > back else len(piece)
        if byte < 0x80:
            break
    return len(piece)


def _wide(data: Octets) -> str | None:
    """UTF-16 without a mark: of the first characters, a good part have a zero on the same side."""
    start = data[:1000]
    first, second = start[::2].count(0), start[1::2].count(0)
    if len(data) % 2 == 0 and max(first, second) * 6 > len(start):
        if not first:
            return "utf-16-le"
        if not second:
            return "utf-16-be"
    return None


def _convert(data: Octets, encoding: str) -> Octets:
    try:
        name = codecs.lookup(encoding).name
        if name in ("utf-8", "utf-8-sig"):  # no need to decode what is checked faster
            rest = without_start(data, len(codecs.BOM_UTF8)) if data[:3] == codecs.BOM_UTF8 else data
            if is_utf8(rest):
                return rest
        if isinstance(data, bytes):
            return data.decode(name).removeprefix("\ufeff").encode()
        return FileOctets.of_pieces(_converted(data, name))
    except LookupError:
        raise UsageError(
            f'There is no encoding "{encoding}". Give one such as "utf-8", "utf-16" or "cp1252".'
        ) from None
    except UnicodeError as problem:
        line = data[: getattr(problem, "start", 0)].count(b"\n") + 1
        raise FileError(
            f"The file is not {encoding}: line {line} holds bytes that this encoding does not have."
        ) from None


def _converted(data: Octets, encoding: str) -> Iterator[bytes]:
    """The text as UTF-8, piece by piece; a UnicodeDecodeError says where in the whole text it is."""
    decoder, mark, at = codecs.getincrementaldecoder(encoding)(), "\ufeff", 0
    for piece in (*pieces_of(data), b""):
        waiting = len(decoder.getstate()[0])
        try:
            text = decoder.decode(piece, final=not piece)
        except UnicodeDecodeError as problem:
            problem.start += at - waiting
            raise
        at += len(piece)
        yield text.removeprefix(mark).encode()
        mark = "" if text else mark


# --- guesses ------------------------------------------------------------------------------------------


def _guess(data: Octets) -> str:
    lines = _odd_lines(data)
    # Latin words have a few letters beyond ASCII among others within it; other scripts have nothing else.
    runs = re.findall(rb"([A-Za-z])?[\x80-\xff]+([A-Za-z])?", lines)
    mixed = sum(bool(before or after) for before, after in runs)
    counts = np.zeros(256, np.int64)
    for piece in pieces_of(data):
        counts += np.bincount(np.frombuffer(piece, np.uint8), minlength=256)
    high = bytes((np.flatnonzero(counts[128:]) + 128).tolist())
    foreign = re.search(rb"[\x80-\xff]{3}", lines)
    name = _guess_latin(high, lines) if mixed * 2 >= len(runs) or not foreign else None
    if name is None and not foreign:
        raise FileError(UNKNOWN)
    return name or _guess_script(lines)


def _odd_lines(data: Octets) -> bytes:
    """The first lines with anything beyond ASCII."""
    odd: list[bytes] = []
    size = 0
    for piece in lines_of(data):
        found = [line for line in piece.splitlines() if not line.isascii()]
        odd += found
        size += sum(map(len, found))
        if size > SAMPLE:
            break
    return b"\n".join(odd)[:SAMPLE]


def _guess_latin(high: bytes, lines: bytes) -> str | None:
    letters = {name: _letters(name, high, lines) for name in ALPHABETS}
    for name, used in letters.items():
        if used is not None and any(used <= set(alphabet) for alphabet in ALPHABETS[name]):
            return name
    western = letters["cp1252"]  # names from all over Western Europe in one list
    return "cp1252" if western is not None and western <= set("".join(WEST)) else None


def _letters(encoding: str, high: bytes, lines: bytes) -> set[str] | None:
    """The lower-case letters that the high bytes are in an encoding; None if words make no sense in it."""
    try:
        text = lines.decode(encoding)
        characters = high.decode(encoding)
    except UnicodeDecodeError:
        return None
    odd = re.escape("".join(c for c in characters if not c.isalpha() and c not in IN_WORDS))
    if odd and re.search(rf"[^\W\d_][{odd}]+[^\W\d_]|(?:^|[\W_])[£¥¯¼¾¤¦¨¬±³¹][^\W\d_]", text):
        return None
    capitals = re.escape("".join(c for c in characters if c.isupper()))
    if capitals and any(match[0].islower() for match in re.finditer(rf"[^\W\d_](?=[{capitals}])", text)):
        return None  # a foreign capital behind a small letter: "JosŽ"
    return {c.lower()[:1] for c in characters if c.isalpha()}


def _guess_script(lines: bytes) -> str:
    import charset_normalizer

    matches = charset_normalizer.from_bytes(lines, cp_isolation=list(OTHER_SCRIPTS))
    likely = [(match.encoding, match.chaos, match.coherence) for match in list(matches)[:2]]
    if not likely or (len(likely) == 2 and likely[0][1:] == likely[1][1:] and not likely[0][2]):
        raise FileError(UNKNOWN)  # a tie, and neither resembles a language: its only errors in 40 samples
    return likely[0][0]


def _odd_word(data: Octets) -> str:
    """The first word with a letter beyond ASCII."""
    at = 0
    for piece in pieces_of(data):
        if not piece.isascii():
            at += next(re.finditer(rb"[\x80-\xff]", piece)).start()
            break
        at += len(piece)
    around = data[max(at - 200, 0) : at + 200].decode("utf-8", "ignore")
    words: Iterable[str] = re.findall(r"[^\W\d_]+", around)
    odd = [word for word in words if not word.isascii()]
    return unicodedata.normalize("NFC", odd[0])[:40] if odd else clean(around).strip()[:10]
