"""Which column says the language of each row, for texts in several languages."""

import pandas as pd
from msgspec import Struct

from campaign.contacts.columns import words

_WORDS = {"language", "lang", "langue", "idioma", "lugha", "sprache", "lingua", "taal"}
_MOST = 12  # different ones; a column with more is about something else


class Languages(Struct, frozen=True):
    """A column of languages, and how many rows have each, the most frequent first."""

    column: str
    rows: dict[str, int]


def find_languages(contacts: pd.DataFrame) -> Languages | None:
    """The first column that is called a language and has at least two of them; None if there is none."""
    for name in contacts.columns:
        if _WORDS.isdisjoint(words(name)):
            continue
        languages = language_of(contacts, name)
        counts = languages[languages != ""].value_counts()
        if 2 <= len(counts) <= _MOST:
            return Languages(str(name), {str(language): int(count) for language, count in counts.items()})
    return None


def language_of(contacts: pd.DataFrame, column: str) -> "pd.Series[str]":
    """The language of each row, as texts in several languages name it: lower case, no outer spaces."""
    return contacts[column].str.strip().str.lower()
