"""Which columns of a list hold the numbers of its people: in a log of messages, one side is our own.

Headers alone do not tell: in "From, To, Body" the people who wrote STOP are in the column that no list of
words for phones has. So the cells decide.
"""

from collections.abc import Callable, Collection, Sequence

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.arrow_text import Ints, is_one_of, matches, series_to_array, strip_texts
from campaign.contacts.columns import fold, is_of_others, listed, words
from campaign.contacts.complete_list import SEVEN_DIGITS, quoted
from campaign.contacts.exports import likely_number_columns
from campaign.contacts.reading_record import Reading, reading_of
from campaign.errors import UsageError
from campaign.messages.recipients import is_on_list
from campaign.messages.suppression.list_entries import A_PHONE, Entries, read_entries

# The two sides of a message, in headers of logs and exports, and words that may stand beside these.
_SIDES = frozenset(map(fold, (
    "from", "sender", "source", "src", "originator", "origination", "origin", "caller", "calling", "to",
    "recipient", "receiver", "destination", "dest", "dst", "called", "callee", "addressee", "de", "à", "para",
    "expéditeur", "émetteur", "destinataire", "remitente", "destinatario", "origen", "destino", "remetente",
    "destinatário", "origem", "von", "absender", "an", "empfänger", "da", "mittente", "van", "afzender",
    "naar", "ontvanger", "kutoka", "mtumaji", "kwenda", "mpokeaji", "от", "отправитель", "кому", "получатель",
    "من", "المرسل", "إلى", "المستلم", "发件人", "收件人",
)))  # fmt: skip
_BESIDE = {"number", "phone", "mobile", "msisdn", "no", "num", "id", "address", "call", "contact", "party"}
_SAMPLE = 300  # cells that show whether a column holds numbers
_MANY = 4  # times as many different numbers as another column has: that one holds a few of our own


class Audience(Struct, frozen=True):
    """Whom a list is about: the numbers of a contact table, 0 for rows without one, once somebody asks for
    them, and the reading of that table."""

    numbers: Callable[[], Ints] = lambda: np.empty(0, dtype=np.int64)
    reading: Reading | None = None

    def is_of(self, table: pd.DataFrame) -> bool:
        """Whether a list was taken from that table."""
        own, other = self.reading, reading_of(table)
        return own is not None and other is not None and own.version == other.version


class ListColumns:
    """The columns of a list, each of which is read once, when somebody asks for it."""

    def __init__(self, table: pd.DataFrame, regions: Collection[str | None], called: tuple[str, str]) -> None:
        """`called` is what the list is called in a sentence, and in a line of Python."""
        self._table, self._regions, self._called = table, regions, called
        self._read: dict[str, Entries] = {}
        self.likely = likely_number_columns(table.columns)
        self.notice = ""  # which of several was chosen

    def entries(self, name: str) -> Entries:
        """What the cells of a column were read as."""
        if name not in self._read:
            self._read[name] = read_entries(series_to_array(self._table[name]), self._regions)
        return self._read[name]

    def of_people(self, audience: Audience) -> list[str]:
        """The columns whose numbers count; [] if none holds numbers.

        Of the sides of a log, that one counts whose numbers differ from row to row and are some of those of
        the audience. Raises UsageError where two do.
        """
        names = [*self._table.columns]
        if len(names) == 1:
            return names
        likely = [name for name in self.likely if self._has_numbers(name)] or self.likely
        others = [name for name in names if name not in self.likely and self._holds_numbers(name)]
        candidates = [*likely, *others]
        is_log = any(map(self._is_side, candidates)) or (others and not self._varied(likely, candidates))
        if len(candidates) < 2 or not is_log:
            return likely or others
        return self._side_of_people(candidates, audience.numbers())

    def _is_side(self, name: str) -> bool:
        said = {*words(name)} - _BESIDE
        return bool(said) and said <= _SIDES

    def _has_numbers(self, name: str) -> bool:
        """Whether a column that is called one of numbers has any."""
        return len(self.likely) == 1 or bool((self.entries(name).every >= A_PHONE).any())

    def _holds_numbers(self, name: str) -> bool:
        """Whether another column holds numbers: that of a side has some, any other in half of its cells."""
        if self._is_side(name):
            return bool((self.entries(name).every >= A_PHONE).any())
        if is_of_others(name):
            return False
        cells = series_to_array(self._table[name])
        filled = np.flatnonzero(~is_one_of(strip_texts(cells), [""]))
        sample = cells.take(filled[:: max(len(filled) // _SAMPLE, 1)])
        may_be = sample.filter(matches(sample, SEVEN_DIGITS))
        if not len(may_be) or len(may_be) * 2 < len(sample):
            return False
        entries = read_entries(may_be, self._regions)
        return bool(((entries.first >= A_PHONE) | entries.have_several).sum() * 2 >= len(sample))

    def _different(self, name: str) -> Ints:
        first = self.entries(name).first
        return np.unique(first[first > 0])

    def _varied(self, names: Sequence[str], among: Sequence[str]) -> list[str]:
        """Those of some columns that hold more than a few numbers of our own."""
        counts = {name: len(self._different(name)) for name in among}
        most = max(counts.values())
        few = max(1, most // _MANY)
        return [name for name in names if counts[name] > few or counts[name] == most]

    def _side_of_people(self, candidates: Sequence[str], audience: Ints) -> list[str]:
        numbers = {self._different(name).tobytes(): name for name in reversed(candidates)}
        sides = [name for name in candidates if name in numbers.values()]  # each side once
        varied = self._varied(sides, sides)
        meeting = [name for name in sides if is_on_list(audience, self._different(name)).any()]
        people = [name for name in meeting if name in varied]
        if not meeting:
            self.notice = f"none of the numbers in {listed(sides)} is in the table, so nobody is left out."
            return varied
        if len(people) == 1:
            others = [name for name in candidates if name not in people]
            self.notice = f"its numbers are those in {listed(people)}, and not those in {listed(others)}."
            return people
        either, (called, in_python) = people or [*meeting, *varied], self._called
        raise UsageError(
            f"The {called} has several columns of numbers, and the people could be in {listed(either)}. "
            "Delete the columns that are not theirs, such as that of your own numbers; or in Python give "
            f"{' or '.join(f'{in_python}[{quoted(name)}]' for name in either)}."
        )
