"""Regular expressions over digits, run over whole columns of numbers at once.

The patterns of `phonenumbers` are compiled together into one deterministic finite automaton (DFA), so a
column needs two table look-ups per digit (5 ns), however many patterns there are. RE2 takes 50 to 80 ns a row
for each pattern, and a dozen patterns decide about one number.

States are built when a number first reaches them: a list with numbers of all 25 countries behind +1 reaches
only a part of them.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from campaign.arrow_text import Bools, Ints
from campaign.contacts.phone_numbers.pattern_syntax import END, UnknownPatternError, parse_pattern

STATE_WIDTH = 16  # table cells per state: ten digits, the end, and padding
DEAD = 0  # the state from which nothing can match any more
_NOT_BUILT = -1
_ANY_SYMBOL = (1 << 11) - 1
_MATCHED, _MATCHED_WITH_GROUP = 1, 2
_USUAL_DIGITS = 11  # few national numbers are longer; from here on only the long ones are followed

UInt64s = npt.NDArray[np.uint64]
Int32s = npt.NDArray[np.int32]
Int16s = npt.NDArray[np.int16]
Int8s = npt.NDArray[np.int8]
Symbols = npt.NDArray[np.uint8]


class _Nfa:
    """Patterns as the steps of a nondeterministic automaton.

    A step is ("read", symbols, next step), ("choose", steps) or ("goal", label).
    """

    def __init__(self, *, goals_last: bool) -> None:
        self.reads: list[tuple[int, int]] = []  # per step: the symbols that it reads, and the next step
        self._steps: list[tuple[Any, ...]] = []
        self._step_numbers: dict[tuple[Any, ...], int] = {}
        self._leaves: dict[int, dict[int, None]] = {}
        # A goal that lasts stays reached whatever symbols follow.
        self._read_at_goals = _ANY_SYMBOL if goals_last else 0

    def add(self, *step: Any) -> int:
        if step not in self._step_numbers:
            number = self._step_numbers[step] = len(self._steps)
            self._steps.append(step)
            reads = {"read": step[1:], "goal": (self._read_at_goals, number), "choose": (0, number)}
            self.reads.append(reads[step[0]])
        return self._step_numbers[step]

    def goal(self, step: int) -> Any:
        """The label if the step is a goal, else None."""
        kind, label, *_ = self._steps[step]
        return label if kind == "goal" else None

    def build(self, tree: Any, after: int, after_group: int, group: int = 0) -> int:
        """The step that matches `tree` and continues at `after`, or at `after_group` if `group` took part."""
        match tree:
            case ("read", symbols):
                return self.add("read", symbols, after)
            case ("any", branches):
                return self.add("choose", tuple(self.build(b, after, after_group, group) for b in branches))
            case ("group", number, node):
                continuation = after_group if number and number == group else after
                return self.build(node, continuation, after_group, group)
            case ("all", parts):
                for part in reversed(parts):
                    after, after_group = self._build_both(part, after, after_group, group)
                return after
            case ("repeat", node, low, high):
                exits = after, after_group
                for _ in range(high - low):
                    after, after_group = self._build_both(node, after, after_group, group)
                    after, after_group = (
                        self.add("choose", pair) for pair in zip((after, after_group), exits, strict=True)
                    )
                return self.build(("all", (node,) * low), after, after_group, group)
        raise UnknownPatternError(str(tree))

    def _build_both(self, tree: Any, after: int, after_group: int, group: int) -> tuple[int, int]:
        step = self.build(tree, after, after_group, group)
        if after_group == after:
            return step, step
        return step, self.build(tree, after_group, after_group, group)

    def leaves(self, step: int) -> dict[int, None]:
        """The reading steps and goals that can come next from here, preferred ones first."""
        if step not in self._leaves:
            kind, choices, *_ = self._steps[step]
            leaves: dict[int, None] = {} if kind == "choose" else {step: None}
            for choice in choices if kind == "choose" else ():
                leaves.update(self.leaves(choice))
            self._leaves[step] = leaves
        return self._leaves[step]


class _LazyDfa(ABC):
    """Patterns as a table of states, built on demand. A state is the position of its first cell."""

    def __init__(self, *, goals_last: bool) -> None:
        self._nfa = _Nfa(goals_last=goals_last)
        self._states: dict[tuple[int, ...], int] = {}
        self._leaves: list[tuple[int, ...]] = []  # of each state
        self._table = np.full(STATE_WIDTH * 256, _NOT_BUILT, np.int32)
        self._lock = threading.Lock()
        self._state({})  # DEAD

    def _state(self, leaves: dict[int, None]) -> int:
        """The state in which these steps come next."""
        key = self._key(leaves)
        if key not in self._states:
            state = len(self._leaves) * STATE_WIDTH
            if state == len(self._table):
                self._table = np.concatenate([self._table, np.full_like(self._table, _NOT_BUILT)])
            self._leaves.append(key)
            self._states[key] = state
        return self._states[key]

    @abstractmethod
    def _key(self, leaves: dict[int, None]) -> tuple[int, ...]:
        """What identifies a state: two sets of next steps with the same key are one state."""

    def follow(self, cells: Ints) -> Int32s:
        """The states that cells of the table lead to; a cell is a state plus a symbol."""
        table = self._table
        states = table.take(cells)
        if states.min(initial=0) == _NOT_BUILT:
            with self._lock:
                for cell in np.unique(cells[states == _NOT_BUILT]).tolist():
                    self._build_cell(cell)
                states = self._table.take(cells)
        return states

    def _build_cell(self, cell: int) -> None:
        state, symbol = divmod(cell, STATE_WIDTH)
        leaves: dict[int, None] = {}
        for leaf in self._leaves[state]:
            symbols, next_step = self._nfa.reads[leaf]
            if symbols >> symbol & 1:
                leaves.update(self._nfa.leaves(next_step))
        next_state = self._state(leaves)  # may replace the table by a larger one
        self._table[cell] = next_state


class PatternSet(_LazyDfa):
    """Which of many labelled patterns a number matches."""

    def __init__(self) -> None:
        super().__init__(goals_last=True)

    def add(self, patterns: Iterable[tuple[str, Hashable, bool]]) -> int:
        """The start state for these patterns, each with its label and whether it must match the whole number.

        The others match any number that begins with them.
        """
        with self._lock:
            leaves: dict[int, None] = {}
            for pattern, label, full_match in patterns:
                goal = self._nfa.add("goal", label)
                after = self._nfa.add("read", 1 << END, goal) if full_match else goal
                leaves.update(self._nfa.leaves(self._nfa.build(parse_pattern(pattern), after, after)))
            return self._state(leaves)

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

    def step(self, state: int, symbol: int) -> int:
        """The state after one symbol."""
        return int(self.follow(np.array([state + symbol]))[0])

    def labels(self, state: int) -> frozenset[Any]:
        """The labels of the patterns that have matched in a state."""
        goals = (self._nfa.goal(leaf) for leaf in self._leaves[state // STATE_WIDTH])
        return frozenset(goal for goal in goals if goal is not None)

    def _key(self, leaves: dict[int, None]) -> tuple[int, ...]:
        return tuple(sorted(leaves))


class PrefixPatterns(_LazyDfa):
    """How many digits at the beginning of a number a pattern matches, like `re.match`."""

    def __init__(self) -> None:
        self._goals = np.zeros(256, np.int8)  # by state: not matched, matched, or matched with the group
        super().__init__(goals_last=False)

    def add(self, pattern: str, group: int = 0) -> int:
        """The start state for this pattern; `run` reports whether `group` took part in the match."""
        with self._lock:
            goals = self._nfa.add("goal", _MATCHED), self._nfa.add("goal", _MATCHED_WITH_GROUP)
            return self._state(self._nfa.leaves(self._nfa.build(parse_pattern(pattern), *goals, group)))

    def run(self, stream: Symbols, starts: Ints, states: Int32s) -> tuple[Ints, Bools]:
        """The number of digits matched, -1 for no match, and whether the group took part."""
        lengths = np.full(len(starts), -1)
        with_group = np.zeros(len(starts), bool)
        rows, positions, ended = np.arange(len(starts)), starts, np.zeros(len(starts), bool)
        while rows.size:
            goals = self._goals.take(states // STATE_WIDTH)
            if goals.any():
                matched = goals > 0
                lengths[rows[matched]] = (positions - starts[rows] - ended)[matched]  # the end is not a digit
                with_group[rows[matched]] = goals[matched] == _MATCHED_WITH_GROUP
            symbols = stream.take(positions)
            states = self.follow(np.add(states, symbols, dtype=np.int64))
            alive = np.flatnonzero(states != DEAD)
            rows, states, positions = rows[alive], states[alive], positions[alive] + 1
            ended = symbols[alive] == END
        return lengths, with_group

    def _state(self, leaves: dict[int, None]) -> int:
        state = super()._state(leaves)
        if len(self._goals) < len(self._table) // STATE_WIDTH:
            self._goals = np.concatenate([self._goals, np.zeros_like(self._goals)])
        last_leaf = self._leaves[state // STATE_WIDTH][-1:]
        self._goals[state // STATE_WIDTH] = (self._nfa.goal(last_leaf[0]) if last_leaf else None) or 0
        return state

    def _key(self, leaves: dict[int, None]) -> tuple[int, ...]:
        """The leaves up to the first goal: what comes after it is never preferred to it."""
        goals = [position for position, leaf in enumerate(leaves) if self._nfa.goal(leaf) is not None]
        return tuple(leaves)[: goals[0] + 1] if goals else tuple(leaves)
