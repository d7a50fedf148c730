"""The rows of a table compared with what its campaign has sent: one join, by number, text and cell.

The number is the unit: whose text a phone got is not guessed from anything else. Texts are compared by the
hashes of `text_hashes`, sender and priority make no difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from campaign.arrow_text import Bools, Ints
from campaign.sending.store.hashed_rows import HashedRows

# What the record says of a row. The first six are also what is known of a batch: where a text was cut into
# several, the highest counts.
NEW, UNSENT, REFUSED, AGAIN, UNKNOWN, ACCEPTED, OTHER_TEXT, OTHER_NUMBER = range(8)
RECORDED = ("new", "unsent", "refused", "again", "unknown", "accepted", "other_text", "other_number")
GOES_OUT = (NEW, UNSENT, REFUSED, AGAIN)
ASKED = (OTHER_TEXT, OTHER_NUMBER)  # `changed=` decides on these
MAY_GO_OUT = (*GOES_OUT, *ASKED)

Knowledge = npt.NDArray[np.int8]
_RANK = 1 << 40  # more than there are batches: state and batch are one whole number


class SentRows(Struct, frozen=True, eq=False):
    """Recorded rows with the batch of each, and its row number in the table of its round."""

    rows: HashedRows
    batches: Ints
    labels: Ints

    def __len__(self) -> int:
        return len(self.batches)

    def take(self, rows: Ints | Bools) -> SentRows:
        """Some of them."""
        return SentRows(self.rows.take(rows), self.batches[rows], self.labels[rows])

    @classmethod
    def joined(cls, parts: Sequence[SentRows]) -> SentRows:
        """Those of several parts."""
        rows = HashedRows.joined([part.rows for part in parts])
        batches, labels = ([getattr(part, name) for part in parts] for name in ("batches", "labels"))
        return cls(rows, np.concatenate(batches), np.concatenate(labels))


_NOTHING = np.empty(0, np.int64)
NOTHING_SENT = SentRows(HashedRows(_NOTHING, _NOTHING, _NOTHING), _NOTHING, _NOTHING)


class Comparison(Struct, frozen=True, eq=False):
    """What the record says of each row that has a text; the arrays have an entry for each of these rows.

    - `recorded`: one of NEW to OTHER_NUMBER.
    - `batches`: the batch that says so, 0 for NEW. For OTHER_TEXT and OTHER_NUMBER it is the one that reached
      the number, or the cell under another number, and `labels` has the row number of then, else 0.
    - `kept`: the position of the row that is kept of those with its number: that of the row itself, unless it
      is a duplicate. Of several it is one with the same text, or else the first.
    - `reached_before`: for each excluded number the last batch that reached it, 0 for none.
    - `gone`: the last text to each number that was reached and is in no row any more.
    - `waiting`: the texts that wait and would not go out, because their number is in no row any more, or gets
      another text now: that of the row `replaced_by`, -1 for none.
    """

    recorded: Knowledge
    batches: Ints
    labels: Ints
    kept: Ints
    reached_before: Ints
    gone: SentRows = NOTHING_SENT
    waiting: SentRows = NOTHING_SENT
    replaced_by: Ints = field(default_factory=lambda: _NOTHING)


def compare_rows(
    rows: HashedRows,
    excluded: Ints,
    sent: Iterable[SentRows],
    states: Knowledge,
    *,
    waiting: Bools,
    planned: Bools | None = None,
    every_text: bool = False,
) -> Comparison:
    """Compare the rows of a table, in its order, with the recorded ones, which come in the order of batches.

    `excluded` are the numbers of rows without a text, 0 for none. `states` has what is known of each batch
    (NEW to ACCEPTED) and `waiting` whether it waits, both by its number. Of several rows with one number
    those are kept whose text was reached; if there is none, the one that was ordered again, else the one that
    is `planned`, else the first. With `every_text`, each different text is.
    """
    record = _Record(Places(rows.keys), Places(rows.numbers), Places(excluded))
    for part in sent:
        record.add(part, states[part.batches].astype(np.int64), waiting[part.batches])
    of_texts, batches = np.divmod(record.best[record.texts.places], _RANK)
    recorded, labels = of_texts.astype(np.int8), np.zeros(len(batches), np.int64)
    planned = np.zeros(len(recorded), dtype=bool) if planned is None else planned
    elected = _elected(record.texts, record.numbers, recorded, planned, every_text=every_text)
    _mark_other_texts(record, recorded, batches, labels)
    gone = record.gone
    _mark_other_numbers(rows.cells, gone, recorded, batches, labels)
    lost, replaced_by = record.lost_texts(elected)
    before = record.before[record.excluded.places]
    last_gone = gone.take(_last_places(gone.rows.numbers))
    return Comparison(
        recorded, batches, labels, record.kept_rows(elected), before, last_gone, lost, replaced_by
    )


class Places:
    """Some whole numbers, each once and ascending in `distinct`, and the `places` there of all of them."""

    def __init__(self, values: Ints) -> None:
        order = np.argsort(values, kind="stable")
        ordered = values[order]
        is_first = np.ones(len(ordered), dtype=bool)
        is_first[1:] = ordered[1:] != ordered[:-1]
        self.distinct = ordered[is_first]
        self.places = np.empty(len(values), np.int64)
        self.places[order] = np.cumsum(is_first) - 1

    def find(self, values: Ints) -> Ints:
        """The place of each value, -1 for those that are not here."""
        found = np.full(len(values), -1)
        if len(self.distinct):
            order = np.argsort(values)  # values in order are found in a tenth of the time
            ordered = values[order]
            nearest = np.minimum(np.searchsorted(self.distinct, ordered), len(self.distinct) - 1)
            is_here = self.distinct[nearest] == ordered
            found[order[is_here]] = nearest[is_here]
        return found

    def first_of(self, chosen: Ints) -> Ints:
        """The first of some positions of the given values at each place, -1 for none."""
        first = np.full(len(self.distinct), -1)
        first[self.places[chosen[::-1]]] = chosen[::-1]  # the last assignment stands
        return first


class _Record:
    """What recorded rows, added in the order of their batches, say of texts and numbers.

    - `best`, `last_cut`: of each text of the table the best state with the last batch that has it, and the
      last batch that it was cut into.
    - `others`: of each of its numbers the last batch that reached it with a text that no row has, and the
      row number there.
    - `before`: of each excluded number the last batch that reached it.
    """

    def __init__(self, texts: Places, numbers: Places, excluded: Places) -> None:
        self.texts, self.numbers, self.excluded = texts, numbers, excluded
        self.best, self.last_cut = np.zeros((2, len(texts.distinct)), np.int64)
        self.others = np.zeros((2, len(numbers.distinct)), np.int64)
        self.before = np.zeros(len(excluded.distinct), np.int64)
        self._departed, self._waiting = [NOTHING_SENT], [NOTHING_SENT]

    def add(self, part: SentRows, states: Ints, is_waiting: Bools) -> None:
        """Take the next rows with the state of each."""
        places = self.texts.find(part.rows.keys)
        known = np.flatnonzero(places >= 0)
        np.maximum.at(self.best, places[known], states[known] * _RANK + part.batches[known])
        self.last_cut[places[known]] = part.batches[known]
        is_reached = states >= AGAIN
        self._add_unknown_texts(part.take(np.flatnonzero(is_reached & (places < 0))))
        if len(self.excluded.distinct):
            before = self.excluded.find(part.rows.numbers)
            known = np.flatnonzero(is_reached & (before >= 0))
            self.before[before[known]] = part.batches[known]
        if is_waiting.any():
            self._waiting.append(part.take(np.flatnonzero(is_waiting)))

    def _add_unknown_texts(self, reached: SentRows) -> None:
        """Take rows that were reached with texts that no row of the table has for their numbers."""
        places = self.numbers.find(reached.rows.numbers)
        known = np.flatnonzero(places >= 0)
        self.others[:, places[known]] = reached.batches[known], reached.labels[known]
        self._departed.append(reached.take(np.flatnonzero(places < 0)))

    @property
    def gone(self) -> SentRows:
        """What was reached under numbers that are in no row any more."""
        departed = SentRows.joined(self._departed)
        return departed.take(np.flatnonzero(self.excluded.find(departed.rows.numbers) < 0))

    def kept_rows(self, elected: Bools) -> Ints:
        """The elected row that each row stands behind, or that it is."""
        rows = np.flatnonzero(elected)
        same_text = self.texts.first_of(rows)[self.texts.places]
        return np.where(same_text >= 0, same_text, self.numbers.first_of(rows)[self.numbers.places])

    def lost_texts(self, elected: Bools) -> tuple[SentRows, Ints]:
        """The texts that wait and would not go out, and the row whose text takes the place of each, or -1.

        Nobody asks about those whose number is in excluded rows only.
        """
        waiting = SentRows.joined(self._waiting)
        rows = np.flatnonzero(elected)
        going_out = np.append(self.texts.first_of(rows), -1)[self.texts.find(waiting.rows.keys)] >= 0
        replaced_by = np.append(self.numbers.first_of(rows), -1)[self.numbers.find(waiting.rows.numbers)]
        is_excluded = self.excluded.find(waiting.rows.numbers) >= 0
        is_lost = np.flatnonzero(~going_out & ((replaced_by >= 0) | ~is_excluded))
        return waiting.take(is_lost), replaced_by[is_lost]


def _elected(
    texts: Places, numbers: Places, recorded: Knowledge, planned: Bools, *, every_text: bool
) -> Bools:
    """Which rows are elected: see `compare_rows`. Of rows with the same number and text it is the first."""
    all_rows = np.arange(len(recorded))
    if len(numbers.distinct) == len(recorded):  # as mostly
        return np.ones(len(recorded), dtype=bool)
    is_first: Bools = texts.first_of(all_rows)[texts.places] == all_rows
    if every_text:
        return is_first
    rank = np.maximum(recorded, REFUSED)  # below that, none is better than another
    has_planned_text = np.zeros(len(texts.distinct), dtype=bool)
    has_planned_text[texts.places[planned]] = True
    preference = rank * 2 + has_planned_text[texts.places]
    best = np.zeros(len(numbers.distinct), np.int8)
    np.maximum.at(best, numbers.places, preference)
    is_open = (preference == best[numbers.places]) & (rank < UNKNOWN)
    is_one = numbers.first_of(np.flatnonzero(is_open))[numbers.places] == all_rows
    elected: Bools = is_first & ((rank >= UNKNOWN) | is_one)
    return elected


def _mark_other_texts(record: _Record, recorded: Knowledge, batches: Ints, labels: Ints) -> None:
    """Mark the rows whose number got another text after theirs was cut for the last time, if it ever was.

    An earlier one does not count: a person knew of it and chose this text.
    """
    other_batches, other_labels = record.others[:, record.numbers.places]
    is_later = other_batches > record.last_cut[record.texts.places]
    rows = np.flatnonzero((recorded < UNKNOWN) & is_later)
    recorded[rows], batches[rows], labels[rows] = OTHER_TEXT, other_batches[rows], other_labels[rows]


def _mark_other_numbers(
    cells: Ints, gone: SentRows, recorded: Knowledge, batches: Ints, labels: Ints
) -> None:
    """Mark the new rows whose very cell was reached under a number that is in no row any more."""
    rows = np.flatnonzero(recorded == NEW) if len(gone) else _NOTHING
    last = gone.take(_last_places(gone.rows.cells))
    places = Places(last.rows.cells).find(cells[rows])
    rows, places = rows[places >= 0], places[places >= 0]
    recorded[rows], batches[rows], labels[rows] = OTHER_NUMBER, last.batches[places], last.labels[places]


def _last_places(values: Ints) -> Ints:
    """The last position of each value, in the order of the values."""
    order = np.argsort(values, kind="stable")
    is_last = np.ones(len(values), dtype=bool)
    is_last[:-1] = np.diff(values[order]) != 0
    last: Ints = order[is_last]
    return last
