"""What the service takes: 160 characters of message, 11 of sender, a priority from 0 to 4.

The contract's 160 characters are counted on the text, before any encoding, in UTF-16 units: equal to
characters but for emoji and their like, which count two. No service can count more than that.
"""

from collections.abc import Iterator

import regex

from campaign.contract import SENDER_LIMIT, TEXT_LIMIT
from campaign.errors import UsageError
from campaign.messages.text import gsm7 as alphabet
from campaign.messages.text.segments import count_parts, count_units

MOST_PIECES = 99  # two digits in "(12/34) "

OVERLONG = ("flag", "truncate", "split")


def check_sender(sender: str) -> str:
    """A sender that is the same for all, stripped; a UsageError says what is wrong with it."""
    stripped = sender.strip()
    if not stripped:
        raise UsageError("The sender is empty. Give a name or a number of 1 to 11 characters.")
    strange = [character for character in stripped if not " " <= character <= "~"]
    if strange:
        raise UsageError(
            f"The sender holds {alphabet.named(strange)}. Only letters, digits and signs of a US keyboard "
            "are allowed: look-alikes from other alphabets would pass for another sender."
        )
    if len(stripped) > SENDER_LIMIT:
        raise UsageError(
            f'The sender "{stripped}" has {len(stripped)} characters; '
            f"the service takes {SENDER_LIMIT} at most."
        )
    return stripped


def check_ellipsis(ellipsis: str, *, downgrade: bool) -> str:
    """The ending of a truncated text, made plain where asked; a UsageError if it cannot be one."""
    if not isinstance(ellipsis, str):
        raise UsageError(f"The ellipsis is a text such as '...', not {ellipsis!r}.")
    ending = alphabet.plain(ellipsis) if downgrade else ellipsis
    joins = ending and len(regex.findall(r"\X", "a" + ending)) == 1
    if joins or count_units(ending) > TEXT_LIMIT // 2 or alphabet.of_class(ending, alphabet.REFUSED):
        raise UsageError(
            f"The ellipsis {ellipsis!r} cannot end a text. "
            "Give a few visible characters, such as '...', or none: ''."
        )
    return ending


def boundary(text: str, place: int) -> int:
    """The last place up to `place` where the text can be cut without cutting a grapheme cluster.

    Between two ASCII characters, CR LF apart, there is always a boundary (UAX 29): the search begins at the
    last such pair, so that it costs the same whatever the text's length (3 us; 55 over whole texts).
    """
    if place >= len(text):
        return len(text)
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


def _place(text: str, units: int) -> int:
    """The characters of the text's first UTF-16 units; half a pair does not count."""
    if len(text) <= units // 2 or text.isascii():
        return min(len(text), units)
    return len(text.encode("utf-16-le")[: 2 * units].decode("utf-16-le", errors="ignore"))


def cut(text: str, units: int, *, keep_words: bool = False) -> str:
    """The longest beginning of the text within so many UTF-16 units that cuts no grapheme cluster.

    `keep_words` goes back to the last space where there is one. White space at the end is left out.
    """
    limit = _place(text, units)
    place = boundary(text, limit)
    if keep_words and place < len(text) and not text[place].isspace():
        space = place
        while space > 0 and not text[space - 1].isspace():
            space -= 1
        place = space or place
    return text[: boundary(text, len(text[:place].rstrip()))]


def truncate(text: str, ellipsis: str, *, keep_words: bool, max_parts: int | None) -> str | None:
    """The text cut to 160 units and to `max_parts`, the ellipsis included; None if nothing of it fits."""
    room = TEXT_LIMIT - count_units(ellipsis)
    found = cut(text, room, keep_words=keep_words)
    if max_parts is None or count_parts(found + ellipsis) <= max_parts:
        return found + ellipsis if found else None
    fits, too_much = 0, room  # parts never fall as the text grows: the longest that fits is found by halving
    while too_much - fits > 1:
        middle = (fits + too_much) // 2
        if count_parts(cut(text, middle, keep_words=keep_words) + ellipsis) <= max_parts:
            fits = middle
        else:
            too_much = middle
    found = cut(text, fits, keep_words=keep_words)
    return found + ellipsis if found else None


def split(text: str) -> list[str] | None:
    """The text in numbered pieces of at most 160 units, "(1/2) " first; words are kept whole where they fit.

    None if it takes more than 99 pieces, or holds a cluster that fits none.
    """
    for digits in (1, 2):
        room = TEXT_LIMIT - len("(/) ") - 2 * digits
        pieces = list(_pieces(text, room, most=10**digits))
        if len(pieces) < 10**digits and all(pieces):
            return [f"({number}/{len(pieces)}) {piece}" for number, piece in enumerate(pieces, 1)]
    return None


def _pieces(text: str, room: int, *, most: int) -> Iterator[str]:
    """At most so many pieces; an empty one stands for a cluster that does not fit."""
    rest = text.strip()
    for _ in range(most):
        piece = cut(rest, room, keep_words=True)
        yield piece
        rest = rest[len(piece) :].lstrip()
        if not (rest and piece):
            return
