"""The limits of the service: senders of 11 characters, texts of 160, and cutting or splitting longer texts.

The 160 characters are counted before any encoding, in UTF-16 units. These are the same as characters except
for emoji and other rare ones, which count twice, so no service can count more.
"""

from collections.abc import Iterator
from typing import Any

from campaign.argument_checks import check_text, wrong
from campaign.contract import SENDER_LIMIT, TEXT_LIMIT
from campaign.errors import UsageError
from campaign.messages.text import gsm7
from campaign.messages.text.segments import count_parts, count_units
from campaign.text import shorten


def check_sender(sender: str) -> str:
    """The sender, stripped. Raises UsageError when the service would not take it."""
    stripped = sender.strip()
    if flaws := sender_flaws(stripped):
        raise UsageError("bad_sender", value=shorten(stripped, 40), limit=SENDER_LIMIT, **flaws)
    return stripped


def sender_flaws(sender: str) -> dict[str, Any]:
    """What is wrong with a sender, as facts; {} if the service takes it."""
    foreign = [character for character in sender if not " " <= character <= "~"]
    if sender and not foreign and len(sender) <= SENDER_LIMIT:
        return {}
    return {"characters": gsm7.named(foreign), "length": len(sender) * (len(sender) > SENDER_LIMIT)}


def check_ellipsis(ellipsis: str, *, downgrade: bool) -> str:
    """The end of a truncated text, plain if `downgrade`. Raises UsageError when it cannot be used."""
    check_text(ellipsis, subject="ellipsis", write='ellipsis="..."')
    import regex

    ending = gsm7.plain(ellipsis) if downgrade else ellipsis
    joins = ending and len(regex.findall(r"\X", "a" + ending)) == 1
    has_halves = any("\ud800" <= character <= "\udfff" for character in ellipsis)
    if joins or has_halves or count_units(ending) > TEXT_LIMIT // 2 or gsm7.of_class(ending, gsm7.REFUSED):
        raise wrong(ellipsis, subject="ellipsis", needs="a few visible characters", write='ellipsis="..."')
    return ending


def boundary(text: str, place: int) -> int:
    """The last place up to `place` where the text can be cut without cutting a grapheme cluster.

    There is always a boundary between two ASCII characters other than CR LF (UAX 29). The search begins at
    the last such pair, so its cost does not grow with the text (3 us instead of 55).
    """
    if place >= len(text):
        return len(text)
    import regex

    start = place
    while start > 0 and not _between_ascii(text, start):
        start -= 1
    end = start
    for cluster in regex.finditer(r"\X", text, pos=start):
        if cluster.end() > place:
            return end
        end = cluster.end()
    return end


def _between_ascii(text: str, place: int) -> bool:
    before, after = text[place - 1], text[place]
    return before < "\x80" and after < "\x80" and not (before == "\r" and after == "\n")


def _characters_within(text: str, units: int) -> int:
    """How many characters fit into this many UTF-16 units; half a surrogate pair does not count."""
    if len(text) <= units // 2 or text.isascii():
        return min(len(text), units)
    return len(text.encode("utf-16-le")[: 2 * units].decode("utf-16-le", errors="ignore"))


def cut(text: str, units: int, *, keep_words: bool = False) -> str:
    """The longest start of the text that fits into this many UTF-16 units and cuts no grapheme cluster.

    With `keep_words` it ends before a space if there is one. White space at the end is removed.
    """
    limit = _characters_within(text, units)
    place = boundary(text, limit)
    if keep_words and place < len(text) and not text[place].isspace():
        space = place
        while space > 0 and not text[space - 1].isspace():
            space -= 1
        place = space or place
    return text[: boundary(text, len(text[:place].rstrip()))]


def truncate(text: str, ellipsis: str, *, keep_words: bool, max_parts: int | None) -> str | None:
    """The text cut to 160 units and to `max_parts`, ellipsis included; None if nothing of it fits.

    With `keep_words` it ends before a space, if that leaves more than half of what fits: some languages
    write hardly any spaces.
    """
    room = TEXT_LIMIT - count_units(ellipsis)
    beginning = _beginning(text, room, keep_words=keep_words)
    if max_parts is None or count_parts(beginning + ellipsis) <= max_parts:
        return beginning + ellipsis if beginning else None
    fits, too_much = 0, room  # a binary search: a longer text never takes fewer parts
    while too_much - fits > 1:
        middle = (fits + too_much) // 2
        if count_parts(_beginning(text, middle, keep_words=keep_words) + ellipsis) <= max_parts:
            fits = middle
        else:
            too_much = middle
    beginning = _beginning(text, fits, keep_words=keep_words)
    return beginning + ellipsis if beginning else None


def _beginning(text: str, units: int, *, keep_words: bool) -> str:
    most = cut(text, units)
    words = cut(text, units, keep_words=True) if keep_words else most
    return words if 2 * len(words) > len(most) else most


def split(text: str) -> list[str] | None:
    """The text in numbered pieces of at most 160 units that begin with "(1/2) " and break between words.

    None if it needs more than 99 pieces, or contains a grapheme cluster that does not fit into a piece.
    """
    for digits in (1, 2):
        room = TEXT_LIMIT - len("(/) ") - 2 * digits
        pieces = list(_pieces(text, room, most=10**digits))
        if len(pieces) < 10**digits and all(pieces):
            return [f"({number}/{len(pieces)}) {piece}" for number, piece in enumerate(pieces, 1)]
    return None


def _pieces(text: str, room: int, *, most: int) -> Iterator[str]:
    """At most `most` pieces; an empty one stands for a cluster that does not fit."""
    rest = text.strip()
    for _ in range(most):
        piece = cut(rest, room, keep_words=True)
        yield piece
        rest = rest[len(piece) :].lstrip()
        if not (rest and piece):
            return
