"""Which column is which: headers compared as people write them."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import chain

from campaign.contacts.consent import ConsentHeader
from campaign.contacts.vocabulary import phrases
from campaign.errors import ColumnError
from campaign.suggestions import closest
from campaign.text import clean

STROKES = str.maketrans("đłøıħŧ", "dloiht")  # Unicode does not decompose these into a letter and an accent
LONGEST = 10_000  # characters of a header; questions of an online form have a few hundred
LISTED = 30  # columns named in one error; a sheet can have 16,384


def fold(header: str) -> str:
    """A header as it is compared: without case, accents, spaces, underscores, hyphens and punctuation.

    Vowel signs of Indic and Arabic scripts stay: without them, different words would be equal.
    """
    letters = unicodedata.normalize("NFKD", header.casefold()).translate(STROKES)
    kept = (
        c
        for c in letters
        if not "\u0300" <= c <= "\u036f" and (c.isalnum() or unicodedata.category(c)[0] == "M")
    )
    return "".join(kept) or header.strip()


def words(header: str) -> list[str]:
    """The folded words of a header: "PatientMobile_No." gives patient, mobile, no."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", header)
    return [fold(word) for word in re.split(r"[\W_]+", spaced) if word]


def listed(columns: Sequence[str]) -> str:
    """The columns in quotes for a sentence, at most 30 of them."""
    shown = ", ".join(f'"{clean(column)}"' for column in columns[:LISTED])
    return f"{shown} and {len(columns) - LISTED} more" if len(columns) > LISTED else shown


# The groups in front of a header in exports: person/phone, form.person.phone, Field:visit_date, URN:Tel.
_GROUPS = re.compile(r"^(?:(?:[a-z_][\w.-]*/)+(?=\w)|form\.(?:[\w@#-]+\.)*(?=\w)|(?:Field|URN):(?=\s*\w))")


def without_groups(header: str) -> str:
    """The last piece of a header that exports prefix with groups: "person/phone" -> "phone"."""
    return _GROUPS.sub("", header.strip(), count=1)


def find_column(columns: Iterable[str], wanted: str) -> str:
    """The column that `wanted` means.

    An exact match wins; otherwise case, accents, spaces, underscores, hyphens and punctuation do not count.
    Where nothing else matches, "phone" also means the column "person/phone" of an export.
    Raises ColumnError if no column matches (it names the nearest and lists all) or more than one does.
    """
    names = [str(column) for column in columns]
    if (column := column_meant(names, wanted)) is None:
        raise no_column(names, wanted)
    return column


def column_meant(columns: Sequence[str], wanted: str) -> str | None:
    """The column that `find_column` finds; None if there is none, or more than one."""
    matches = [wanted] if wanted in columns else _matches(columns, wanted)
    return matches[0] if len(matches) == 1 else None


def _matches(names: Sequence[str], wanted: str) -> list[str]:
    """The columns that `wanted` may mean: by their whole headers, else by what follows their groups."""
    whole = [name for name in names if fold(name) == fold(wanted)]
    return whole or [name for name in names if fold(without_groups(name)) == fold(wanted)]


def no_column(columns: Sequence[str], wanted: str) -> ColumnError:
    """The error of `find_column`."""
    if matches := _matches(columns, wanted):
        return ColumnError("column_ambiguous", column=wanted, columns=matches)
    suggestions = meant_by(columns, wanted)
    return ColumnError("column_missing", column=wanted, suggestions=suggestions, columns=list(columns))


def meant_by(columns: Sequence[str], wanted: str) -> list[str]:
    """The column that is spelled most like this, or else up to three that have it as a word: "name" may mean
    "Patient name"."""
    by_fold = {fold(name): name for name in reversed(columns)}
    near = closest(fold(wanted), by_fold)
    if near:
        return [by_fold[near]]
    asked = {*words(wanted)}
    with_word = [name for name in columns if asked and asked <= {*words(name)}]
    return with_word[:_MOST_MEANT]


_MOST_MEANT = 3


def number_columns(columns: Iterable[str]) -> list[str]:
    """The columns that hold phone numbers, judged by their headers alone, the most likely first.

    Mobile before phone before general words ("number", "to": only when they stand alone); home and office
    phones come last, somebody else's phone ("next of kin", "parent") only when there is no other, and "No",
    which counts the rows in most spreadsheets, only when there is not even that.
    """
    ranked = [(rank, column) for column in map(str, columns) if (rank := _rank(column)) is not None]
    last = max(LANDLINE, min((rank for rank, _ in ranked), default=LANDLINE))
    return [column for rank, column in sorted(ranked, key=lambda pair: pair[0]) if rank <= last]


def may_hold_numbers(header: str) -> bool:
    """Whether a header alone speaks of phone numbers; "No" speaks of rows."""
    return _rank(header) not in (None, COUNTER)


def is_of_others(header: str) -> bool:
    """Whether a header speaks of something beside phones, or of somebody else's phone."""
    return not (_NO_NUMBER | _OTHER_PERSON).isdisjoint(words(header))


LANDLINE, OTHER_PERSON, COUNTER = 3, 4, 5
# "What is your phone number, with code?" asks for a number, though "is" and "code" are of other columns.
_ASKED = re.compile(r"(?i)(?<![a-z])what(?:[ _]i|')s(?![a-z])|\b(?:with|incl\w*|e\.g)\b.*")


def _rank(header: str) -> int | None:
    header = _ASKED.sub("", header)
    own_name = without_groups(header)
    folded, parts = fold(own_name), set(words(header))
    if not parts.isdisjoint(_NO_NUMBER) and not _NO_NUMBER.isdisjoint(words(own_name)):
        return None
    rank = 0 if _MOBILE.search(folded) else 1 if _PHONE.search(folded) else None
    if rank is None:
        alone = folded.rstrip("0123456789")  # of "Tel", "Tel 2"
        return 2 if alone in _EXACT else COUNTER if alone in _COUNTING else None
    if ConsentHeader.of(own_name).is_clear:
        last = fold(words(own_name)[-1])  # "Unsubscribed phone" may hold the numbers of a list
        is_phone = "not" not in parts and (_MOBILE.search(last) or _PHONE.search(last))
        return OTHER_PERSON if is_phone else None
    if not parts.isdisjoint(_OTHER_PERSON):
        return OTHER_PERSON
    return rank if parts.isdisjoint(_LANDLINE) else LANDLINE


_MOBILE, _PHONE = (re.compile("|".join(map(fold, phrases("numbers", name)))) for name in ("mobile", "phone"))
_EXACT, _COUNTING, _LANDLINE, _OTHER_PERSON, _NO_NUMBER = (
    frozenset(map(fold, phrases("numbers", name)))
    for name in ("alone", "counting", "landline", "other_person", "no_number")
)


def column_letter(position: int) -> str:
    """The letters over a sheet's column, counted from 0: 0 is A, 25 is Z, 26 is AA."""
    letters = ""
    position += 1
    while position:
        position, rest = divmod(position - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def clean_header(text: str) -> str:
    """A header cell on one line, without control, zero-width and direction characters and outer spaces."""
    spaced = re.sub(r"\s+", " ", text)
    return "".join(c for c in spaced if unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Cn")).strip()


def check_headers(headers: Sequence[str], *, letters: Sequence[str] | None = None) -> list[str]:
    """The column names made of a header row: cleaned, each present, each different.

    A column without a header is called "column D" after its letter in the sheet (`letters`, else counted
    from A). Raises ColumnError, naming all of them, if two headers are the same apart from case, accents,
    spaces and punctuation: it cannot be determined which of them is meant.
    """
    longest = max(map(len, headers), default=0)
    if longest > LONGEST:
        raise ColumnError("header_too_long", characters=longest)
    if letters is None:
        letters = [column_letter(i) for i in range(len(headers))]
    names = [
        clean_header(header) or f"column {letter}" for header, letter in zip(headers, letters, strict=True)
    ]
    groups: dict[str, list[int]] = {}
    for i, name in enumerate(names):
        groups.setdefault(fold(name), []).append(i)
    duplicates = [group for group in groups.values() if len(group) > 1]
    if duplicates:
        places = list(chain.from_iterable(duplicates))
        columns, their_letters = ([column[i] for i in places] for column in (names, letters))
        raise ColumnError("columns_alike", columns=columns, letters=their_letters)
    return names
