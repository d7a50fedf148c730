"""A plan compared with what its campaign has sent already: whole columns, one recorded part at a time.

Each row's number and whole text (all pieces of a split text) are compared, after Unicode normalization (NFC)
and folding of spaces. Sender and priority make no difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from campaign.arrow_text import Bools, Ints, TextArray, concat_arrays, first_positions, text_array
from campaign.messages.text.folding import HashedTexts, folded, text_hashes
from campaign.sending.rounds.distinct_texts import DistinctTexts, FoundTexts, contains
from campaign.values import replace

# What is known of a text. Where a text went out more than once, the highest outweighs the others.
NEW, MOVED, AS_CORRECTED, SHARED, CHANGED, UNSENT, REFUSED, AGAIN, UNKNOWN, ACCEPTED = range(10)
GOES_OUT = (NEW, UNSENT, AGAIN, REFUSED)
ASKED = (CHANGED, SHARED, AS_CORRECTED, MOVED)  # `changed=` decides on these
MAY_GO_OUT = (*GOES_OUT, *ASKED)
UNDER_ANOTHER_NUMBER = (MOVED, AS_CORRECTED)

Knowledge = npt.NDArray[np.int8]


class RowTexts(Struct, frozen=True, eq=False):
    """One entry for each row that gets a message: its number, its whole text, and the cell of the number."""

    numbers: Ints
    texts: TextArray
    cells: TextArray

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: Ints) -> RowTexts:
        """Some of the rows."""
        return RowTexts(self.numbers[rows], self.texts.take(rows), self.cells.take(rows))

    @classmethod
    def below_each_other(cls, parts: Sequence[RowTexts]) -> RowTexts:
        """The rows of several parts."""
        numbers = np.concatenate([part.numbers for part in parts])
        texts, cells = (concat_arrays([part.texts for part in parts]), [part.cells for part in parts])
        return cls(numbers, texts, concat_arrays(cells))


class HashedRowTexts(Struct, frozen=True, eq=False):
    """The same for a plan that is not in memory, with a hash in place of each text and each cell."""

    numbers: Ints
    texts: HashedTexts
    cells: HashedTexts

    def __len__(self) -> int:
        return len(self.numbers)

    @classmethod
    def of(cls, parts: Iterable[RowTexts]) -> HashedRowTexts:
        """The rows of several parts, each of which is needed only once."""
        hashed = [(part.numbers, text_hashes(folded(part.texts)), text_hashes(part.cells)) for part in parts]
        numbers, texts, cells = map(np.concatenate, zip(*hashed, strict=True))
        return cls(numbers, HashedTexts(texts), HashedTexts(cells))


class RecordedTexts(Struct, frozen=True, eq=False):
    """Some rows of earlier rounds.

    `batches`: the batch of each, numbered from 1 through all rounds. `labels`: its row number in the table of
    its round, which says with the batch which text is meant.
    """

    rows: RowTexts
    batches: Ints
    labels: Ints


Record = Callable[[], Iterable[RecordedTexts]]


class EarlierTexts(Struct, frozen=True, eq=False):
    """Texts that reached a number which the plan names, but not with this text.

    `numbers` are those that were reached, `hashes` those of the texts (see `text_hashes`), `batches` and
    `labels` as in `RecordedTexts`.
    """

    numbers: Ints
    hashes: Ints
    batches: Ints
    labels: Ints


class Comparison(Struct, frozen=True, eq=False):
    """What is known of each row of a plan, and which batch says so.

    - `knowledge`: one of NEW to ACCEPTED for each row that gets a message. Texts alone do not tell SHARED,
      where the text that reached the number was that of another row, from CHANGED: see `shared_before`. Nor
      do they tell AS_CORRECTED, where a follow-up file had another number for the row: see
      `corrected_before`.
    - `batches`: for each of these rows the batch, 0 for NEW. For CHANGED and SHARED it is the batch of the
      text that the number got instead, for MOVED the one that reached the same cell under another number,
      and for AS_CORRECTED the one that reached the row.
    - `recorded_rows`: for these four the row number of that text in this batch, else 0.
    - `reached_before`: for each row that gets no message the batch that reached its number, or 0.
    - `gone`: the numbers that were reached and are in no row any more, ascending; `gone_batches` and
      `gone_rows`: the last batch that reached each, and its row number there.
    - `replaced`: the texts that reached a number of the plan which it has for other texts only.
    - `of_own`: the places of CHANGED rows of which the record says that the text they got was their own.

    Rows with the same number and the same text have the same entries.
    """

    knowledge: Knowledge
    batches: Ints
    recorded_rows: Ints
    reached_before: Ints
    gone: Ints
    replaced: EarlierTexts = EarlierTexts(*np.empty((4, 0), np.int64))
    gone_batches: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    gone_rows: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    of_own: Ints = field(default_factory=lambda: np.empty(0, np.int64))

    def without_gone(self, numbers: Ints) -> Comparison:
        """The comparison in which some numbers do not count as gone."""
        stay = ~np.isin(self.gone, numbers)
        kept = {name: getattr(self, name)[stay] for name in ("gone", "gone_batches", "gone_rows")}
        return replace(self, **kept)


def compare_texts(
    planned: RowTexts | HashedRowTexts, excluded_numbers: Ints, record: Record, knowledge: Knowledge
) -> Comparison:
    """Compare the rows of a plan with what earlier rounds recorded.

    `excluded_numbers`: the number of each row that gets no message, 0 where it has none. `record` gives the
    recorded rows part by part. `knowledge`: what is known of each batch, by its number: UNSENT, REFUSED,
    AGAIN (unknown, and ordered to go out again), UNKNOWN or ACCEPTED.
    """
    plan_texts, excluded = DistinctTexts(planned.numbers, planned.texts), np.unique(excluded_numbers)
    outcomes, exclusions = _Outcomes(len(planned)), _Outcomes(len(excluded))
    replaced, departed = _ReplacedTexts(), _DepartedRows()
    for part in record():
        numbers, states = part.rows.numbers, knowledge[part.batches]
        found = plan_texts.find(numbers, part.rows.texts)
        matched = np.flatnonzero(found.rows >= 0)
        outcomes.add(found.rows[matched], states[matched], part.batches[matched])
        reached = states >= AGAIN
        named = found.places >= 0
        replaced.add(part, states, found, np.flatnonzero(reached & named & (found.rows < 0)))
        is_excluded = reached & contains(excluded, numbers)
        chosen = np.flatnonzero(is_excluded)
        exclusions.add(np.searchsorted(excluded, numbers[chosen]), states[chosen], part.batches[chosen])
        departed.add(part, np.flatnonzero(reached & ~named & ~is_excluded))
    _mark_changed(plan_texts, replaced, outcomes)
    _mark_moved(planned, plan_texts, departed, outcomes)
    return Comparison(
        outcomes.states[plan_texts.first_rows],
        outcomes.batches[plan_texts.first_rows],
        outcomes.recorded_rows[plan_texts.first_rows],
        exclusions.batches[np.searchsorted(excluded, excluded_numbers)],
        departed.numbers[0],
        replaced.texts(plan_texts),
        *departed.numbers[1:],
    )


def repeated_texts(planned: RowTexts) -> Bools:
    """Which rows have the same number and the same text as an earlier row: these go out once."""
    return ~DistinctTexts(planned.numbers, planned.texts).is_first


def missing_numbers(record: Record, batches: Bools, plan_numbers: Ints) -> Ints:
    """The numbers of some batches that are in no row of the plan, ascending.

    `batches` says which, by their numbers. `plan_numbers`: those of all rows, also of rows without a message.
    """
    if not batches.any():  # as after most sendings: the whole record need not be read for that
        return np.empty(0, np.int64)
    numbers = [part.rows.numbers[batches[part.batches]] for part in record()]
    return np.setdiff1d(np.concatenate([np.empty(0, np.int64), *numbers]), plan_numbers)


class ReachedAlternatives(Struct, frozen=True, eq=False):
    """The positions of rows that were left out because of their number, though their text was reached.

    - `instead`: those to keep in place of the row that was kept, whose text was not reached. Of each number
      the best, then the first.
    - `beside`: all others. Their people have their texts, as after all of them were sent once.

    `unreached` are the numbers for which no text of the plan was reached.
    """

    instead: Ints
    beside: Ints
    unreached: Ints


def reached_alternatives(
    kept: RowTexts, alternatives: RowTexts, record: Record, knowledge: Knowledge
) -> ReachedAlternatives:
    """The alternatives whose text was reached.

    `kept` are rows of a plan, `alternatives` rows that were left out because a kept row has the same number
    with another text. Reached means UNKNOWN or ACCEPTED; failing that, AGAIN: a person has ordered that text,
    which goes out only where no other text of the number was reached.
    """
    if not len(alternatives):
        return ReachedAlternatives(*np.empty((3, 0), np.int64))
    rivals = kept.take(np.flatnonzero(contains(np.unique(alternatives.numbers), kept.numbers)))
    numbers = np.concatenate([alternatives.numbers, rivals.numbers])
    texts = DistinctTexts(numbers, RowTexts.below_each_other([alternatives, rivals]).texts)
    outcomes = _Outcomes(len(numbers))
    for part in record():
        rows = texts.find(part.rows.numbers, part.rows.texts).rows
        matched = np.flatnonzero(rows >= 0)
        states = knowledge[part.batches[matched]]
        outcomes.add(rows[matched], states, part.batches[matched])
    states = outcomes.states[texts.first_rows]
    unreached = np.setdiff1d(numbers, numbers[states >= AGAIN])
    states, rival_states = states[: len(alternatives)], states[len(alternatives) :]
    better = np.zeros(len(alternatives), dtype=bool)
    for level in (UNKNOWN, AGAIN):
        settled = np.unique(rivals.numbers[rival_states >= level])
        better |= (states >= level) & ~contains(settled, alternatives.numbers)
    reached = np.flatnonzero(better)
    best_first = reached[np.lexsort((reached, -states[reached]))]
    _, first_of_number = np.unique(alternatives.numbers[best_first], return_index=True)
    instead = np.sort(best_first[first_of_number])
    beside = np.setdiff1d(np.flatnonzero(states >= UNKNOWN), instead)
    return ReachedAlternatives(instead, beside, unreached)


class _Outcomes:
    """What is known of each row, the batch that says so, and the last batch that held the row's text.

    Where another text was reached, `recorded_rows` says which one of that batch.
    """

    def __init__(self, rows: int) -> None:
        self.states = np.full(rows, NEW, np.int8)
        self.batches = np.zeros(rows, np.int64)
        self.last_batches = np.zeros(rows, np.int64)
        self.recorded_rows = np.zeros(rows, np.int64)

    def add(self, rows: Ints, states: Knowledge, batches: Ints) -> None:
        """Keep the states that outweigh those so far; of equal states, that of the later batch."""
        np.maximum.at(self.last_batches, rows, batches)
        order = np.lexsort((batches, states))  # the best come last, and the last assignment stands
        rows, states, batches = rows[order], states[order], batches[order]
        kept_states = self.states[rows]
        better = (states > kept_states) | ((states == kept_states) & (batches > self.batches[rows]))
        self.states[rows[better]], self.batches[rows[better]] = states[better], batches[better]

    def mark(self, rows: Ints, state: int, batches: Ints, recorded_rows: Ints) -> None:
        """Note what else was reached, by the batch and the row number of each."""
        self.states[rows], self.batches[rows], self.recorded_rows[rows] = state, batches, recorded_rows


class _ReplacedTexts:
    """Texts that reached a number which the plan names, but not with this text."""

    def __init__(self) -> None:
        self._parts: list[tuple[Ints | Knowledge, ...]] = []

    def add(self, part: RecordedTexts, states: Knowledge, found: FoundTexts, chosen: Ints) -> None:
        """Keep some rows of a part; `found` says where their numbers are in the plan."""
        if len(chosen):
            columns = (found.places, found.keys, states, part.batches, part.labels)
            self._parts.append(tuple(column[chosen] for column in columns))

    def by_number(self) -> tuple[Ints, Ints, Ints]:
        """The place of the number of each different text, its best batch and the row there.

        By place, then batch.
        """
        if not self._parts:
            return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int64)
        places, keys, states, batches, labels = self._columns()
        order = np.lexsort((batches, states, keys))
        is_best = np.append(keys[order[1:]] != keys[order[:-1]], True)
        best = np.sort(order[is_best])
        best = best[np.lexsort((labels[best], batches[best], places[best]))]
        return places[best], batches[best], labels[best]

    def texts(self, plan_texts: DistinctTexts) -> EarlierTexts:
        """All of them; `plan_texts` are those in which their numbers were found."""
        if not self._parts:
            return EarlierTexts(*np.empty((4, 0), np.int64))
        places, keys, _, batches, labels = self._columns()
        numbers = plan_texts.numbers_at(places)
        return EarlierTexts(numbers, plan_texts.hashes_of(places, keys), batches, labels)

    def _columns(self) -> tuple[Ints, ...]:
        return tuple(map(np.concatenate, zip(*self._parts, strict=True)))


class _DepartedRows:
    """Recorded rows that were reached and whose number is in no row any more."""

    def __init__(self) -> None:
        self._numbers = [np.empty((3, 0), np.int64)]
        self._parts: list[tuple[TextArray, Ints, Ints]] = []

    def add(self, part: RecordedTexts, places: Ints) -> None:
        if len(places):
            numbers = np.array([part.rows.numbers[places], part.batches[places], part.labels[places]])
            self._numbers.append(_last_of_each(numbers))
            self._parts.append((part.rows.cells.take(places), part.batches[places], part.labels[places]))

    @cached_property
    def numbers(self) -> Ints:
        """Each number once, ascending, then its last batch and its row there: three rows."""
        return _last_of_each(np.concatenate(self._numbers, axis=1))

    def cells(self) -> tuple[TextArray, Ints, Ints]:
        """The cells of the numbers, their batches and their rows there, the last batch first."""
        if not self._parts:
            return text_array([]), np.empty(0, np.int64), np.empty(0, np.int64)
        cells, batches, labels = zip(*self._parts, strict=True)
        all_batches = np.concatenate(batches)
        order = np.argsort(-all_batches, kind="stable")
        return concat_arrays(cells).take(order), all_batches[order], np.concatenate(labels)[order]


def _last_of_each(numbers: Ints) -> Ints:
    """The last of the batches of each number, with its row there: three rows, by number."""
    ordered = numbers[:, np.lexsort((numbers[1], numbers[0]))]
    is_last = np.diff(ordered[0], append=-1) != 0
    last: Ints = ordered[:, is_last]
    return last


def _mark_changed(texts: DistinctTexts, replaced: _ReplacedTexts, outcomes: _Outcomes) -> None:
    """Mark as CHANGED as many texts of a number as reached it and are in the plan no longer.

    Texts and replaced texts are paired in the order of their batches, new texts first, and where there are
    more replaced texts the last of them. A text that was recorded but did not go out counts as changed only
    if the other one went out in a later batch: in an earlier one, a person knew of it and chose this text.
    """
    replaced_places, batches, labels = replaced.by_number()
    if not len(replaced_places):
        return
    rows, places = texts.by_number()
    counts = np.bincount(replaced_places, minlength=places[-1] + 1)
    is_asked = (outcomes.states[rows] < AGAIN) & (counts[places] > 0)
    rows, places = rows[is_asked], places[is_asked]
    order = np.lexsort((outcomes.last_batches[rows], places))
    rows, places = rows[order], places[order]
    row_counts = np.bincount(places, minlength=len(counts))
    rank = np.arange(len(rows)) - _starts(row_counts)[places]
    partners = (_starts(counts) + np.maximum(counts - row_counts, 0))[places] + rank
    paired = rank < counts[places]
    rows, partners = rows[paired], partners[paired]
    later = batches[partners] > outcomes.last_batches[rows]
    rows, partners = rows[later], partners[later]
    outcomes.mark(rows, CHANGED, batches[partners], labels[partners])


def _first_places(cells: TextArray | HashedTexts, others: TextArray) -> Ints:
    """Where each cell first occurs in a column of others; -1 for cells that do not occur there."""
    if not isinstance(cells, HashedTexts):
        return first_positions(cells, others)
    distinct, first = np.unique(text_hashes(others), return_index=True)
    found = contains(distinct, cells.hashes)
    places = np.full(len(cells), -1)
    places[found] = first[np.searchsorted(distinct, cells.hashes[found])]
    return places


def _starts(counts: Ints) -> Ints:
    """Where each run begins, of runs as long as `counts` says."""
    return np.cumsum(counts) - counts


def _mark_moved(
    planned: RowTexts | HashedRowTexts,
    texts: DistinctTexts,
    departed: _DepartedRows,
    outcomes: _Outcomes,
) -> None:
    """Mark as MOVED what would go out to a cell that was reached under a number that is in no row any more.

    As in `_mark_changed`, only a later batch counts.
    """
    cells, batches, labels = departed.cells()
    if not len(cells):
        return
    rows = np.flatnonzero(np.isin(outcomes.states[texts.first_rows], (NEW, UNSENT, REFUSED)))
    places = _first_places(planned.cells.take(rows), cells)
    rows = texts.first_rows[rows]
    moved = (places >= 0) & (batches[places] > outcomes.last_batches[rows])
    rows, places = rows[moved][::-1], places[moved][::-1]  # of equal texts the first row counts
    outcomes.mark(rows, MOVED, batches[places], labels[places])
