"""Regular expressions over digits, run over whole columns of numbers at once.

The patterns of `phonenumbers` are compiled together into one deterministic finite automaton (DFA), so a
column needs two table look-ups per digit (5 ns), however many patterns there are. RE2 takes 50 to 80 ns a row
for each pattern, and a dozen patterns decide about one number.

States are built when a number first reaches them: a list with numbers of all 25 countries behind +1 reaches
only a part of them.
"""

import threading
from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from campaign.arrow_text import Bools, Ints
from campaign.contacts.phone_numbers.pattern_syntax import (
    ANYTHING,
    END,
    GOAL,
    NOTHING,
    Pattern,
    Read,
    goal_label,
    next_reads,
    parse_pattern,
)

STATE_WIDTH = 16  # table cells per state: ten digits, the end, and padding
DEAD = 0  # the state from which nothing can match any more
_NOT_BUILT = -1
_MATCHED_WITH_GROUP = 2
_USUAL_DIGITS = 11  # few national numbers are longer; from here on only the long ones are followed

UInt64s = npt.NDArray[np.uint64]
Int32s = npt.NDArray[np.int32]
Int16s = npt.NDArray[np.int16]
Int8s = npt.NDArray[np.int8]
Symbols = npt.NDArray[np.uint8]


class DigitPatterns:
    """Patterns as a table of states, built on demand. A state is the position of its first cell."""

    def __init__(self) -> None:
        self._states: dict[tuple[Read, ...], int] = {}  # by what can come next, preferred reads first
        self._reads: list[tuple[Read, ...]] = []  # the same, by state
        self._labels: list[frozenset[Any]] = []
        self._table = np.full(STATE_WIDTH * 256, _NOT_BUILT, np.int32)
        self._lock = threading.Lock()
        self._state([])  # DEAD

    def add(self, patterns: Iterable[tuple[str, Hashable, bool]]) -> int:
        """The start state for these patterns, each with its label and whether it must match the whole number.

        The others match any number that begins with them.
        """
        return self._add(
            (*parse_pattern(pattern), *((1 << END,) if full_match else ()), ("goal", label, ANYTHING))
            for pattern, label, full_match in patterns
        )

    def add_prefix(self, pattern: str, group: int = 0) -> int:
        """The start state for a pattern that `match_prefixes` looks for at the beginning of numbers."""
        return self._add([(*parse_pattern(pattern, group), GOAL)])

    def _add(self, patterns: Iterable[Pattern]) -> int:
        with self._lock:
            return self._state([read for pattern in patterns for read in next_reads(pattern)])

    def _state(self, reads: Iterable[Read]) -> int:
        """The state in which these reads come next, up to the first goal that nothing may follow."""
        key = tuple(dict.fromkeys(reads))
        final = next((place for place, (symbols, _) in enumerate(key) if symbols == NOTHING), len(key))
        key = key[: final + 1]
        if key not in self._states:
            state = self._states[key] = len(self._reads) * STATE_WIDTH
            if state == len(self._table):
                self._table = np.concatenate([self._table, np.full_like(self._table, _NOT_BUILT)])
            self._reads.append(key)
            self._labels.append(frozenset(label for label in map(goal_label, key) if label is not None))
        return self._states[key]

    def follow(self, cells: Ints) -> Int32s:
        """The states that cells of the table lead to; a cell is a state plus a symbol."""
        states = self._table.take(cells)
        if states.min(initial=0) == _NOT_BUILT:
            with self._lock:
                for cell in np.unique(cells[states == _NOT_BUILT]).tolist():
                    self._build_cell(cell)
                states = self._table.take(cells)
        return states

    def _build_cell(self, cell: int) -> None:
        state, symbol = divmod(cell, STATE_WIDTH)
        rests = [rest for symbols, rest in self._reads[state] if symbols >> symbol & 1]
        next_state = self._state(read for rest in rests for read in next_reads(rest))
        self._table[cell] = next_state  # which may be a larger table now

    def labels(self, state: int) -> frozenset[Any]:
        """The labels of the patterns that have matched in a state."""
        return self._labels[state // STATE_WIDTH]

    def run(self, stream: Symbols, starts: Ints, states: Int32s, steps: int) -> Int32s:
        """The states after `steps` symbols of the numbers that begin at `starts` in `stream`.

        The stream needs that many symbols after the last start.
        """
        positions, states = starts.copy(), states.copy()
        cells = np.empty_like(positions)
        for step in range(steps):
            symbols = stream.take(positions)
            states = self.follow(np.add(states, symbols, out=cells))
            positions += 1
            if step == _USUAL_DIGITS and (longer := np.flatnonzero(symbols < END)).size < len(positions):
                states[longer] = self.run(stream, positions[longer], states[longer], steps - step - 1)
                break
            if not states.any():
                break
        return states

    def match_prefixes(self, stream: Symbols, starts: Ints, states: Int32s) -> tuple[Ints, Bools]:
        """The number of digits matched, like `re.match`, -1 for no match, and whether the group took part."""
        lengths = np.full(len(starts), -1)
        with_group = np.zeros(len(starts), bool)
        rows, positions, ended = np.arange(len(starts)), starts, np.zeros(len(starts), bool)
        while rows.size:
            goals = by_value(states, self._goal)
            matched = goals > 0
            lengths[rows[matched]] = (positions - starts[rows] - ended)[matched]  # the end is not a digit
            with_group[rows[matched]] = goals[matched] == _MATCHED_WITH_GROUP
            symbols = stream.take(positions)
            states = self.follow(np.add(states, symbols, dtype=np.int64))
            alive = np.flatnonzero(states != DEAD)
            rows, states, positions = rows[alive], states[alive], positions[alive] + 1
            ended = symbols[alive] == END
        return lengths, with_group

    def _goal(self, state: int) -> int:
        labels = self.labels(state)
        return len(labels) + (True in labels)


def by_value(values: Ints | Int32s, function: Callable[[int], int]) -> Ints:
    """What a function makes of small numbers: called once for each different one."""
    distinct = np.flatnonzero(np.bincount(values))
    results = np.zeros(distinct.max(initial=0) + 1, np.int64)
    results[distinct] = [function(value) for value in distinct.tolist()]
    return results[values]
