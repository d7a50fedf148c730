"""Patterns over digits as one table of states, run over whole columns of numbers at a time.

The patterns of `phonenumbers` use a small part of what regular expressions can do: digits, sets of digits,
groups, alternatives and counted repeats. Such patterns together are one finite automaton, and a column moves
through an automaton with two look-ups a digit (5 ns), however many patterns are in it. RE2 takes 50 to 80 ns
a row for each single pattern, and a dozen of them decide about one number.

States come into being when a number first needs them: of the 25 countries behind +1 a list visits a part.
"""

import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

END = 10  # the symbol behind the last digit of a number
WIDTH = 16  # places a state takes in the table: ten digits, the end, and padding
DEAD = 0  # the state that nothing comes out of any more
_UNKNOWN = -1
_ANY_DIGIT, _ANY_SYMBOL = (1 << 10) - 1, (1 << 11) - 1
_MATCHED, _THROUGH = 1, 2
_USUAL = 11  # few national numbers are longer: the long ones go on alone

Ints = npt.NDArray[np.int64]
Long = npt.NDArray[np.uint64]
Short = npt.NDArray[np.int16]
Small = npt.NDArray[np.int8]
States = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]
Symbols = npt.NDArray[np.uint8]

_SIGN = re.compile(r"\\d|\[[\d-]+\]|\(\?:|[()|?$]|\{\d+(?:,\d+)?\}|\d")


class UnknownPatternError(ValueError):
    """A pattern with something in it that this module does not know."""


def parsed(pattern: str) -> Any:
    """A pattern as nested tuples: ("any", branches), ("all", parts), ("repeat", node, low, high), …"""
    signs = _SIGN.findall(pattern)
    if "".join(signs) != pattern:
        raise UnknownPatternError(pattern)
    groups = iter(range(1, len(signs) + 1))

    def alternatives() -> Any:
        branches: list[list[Any]] = [[]]
        while signs and signs[0] != ")":
            sign = signs.pop(0)
            if sign == "|":
                branches.append([])
            elif sign[0] in "?{":
                branches[-1].append(("repeat", branches[-1].pop(), *_bounds(sign)))
            elif sign[0] == "(":
                number = next(groups) if sign == "(" else 0
                branches[-1].append(("group", number, alternatives()))
                signs.pop(0)
            else:
                branches[-1].append(("read", _symbols(sign)))
        return ("any", tuple(("all", tuple(branch)) for branch in branches))

    try:
        tree = alternatives()
    except IndexError:
        raise UnknownPatternError(pattern) from None
    if signs:
        raise UnknownPatternError(pattern)
    return tree


def _bounds(sign: str) -> tuple[int, int]:
    if sign == "?":
        return 0, 1
    low, _, high = sign[1:-1].partition(",")
    return int(low), int(high or low)


def _symbols(sign: str) -> int:
    """The symbols that a sign reads, a bit for each."""
    if sign == "$":
        return 1 << END
    if sign == r"\d":
        return _ANY_DIGIT
    bits = 0
    for first, last in re.findall(r"(\d)(?:-(\d))?", sign):
        for digit in range(int(first), int(last or first) + 1):
            bits |= 1 << digit
    return bits


class _Steps:
    """Patterns broken into steps: ("read", symbols, next), ("choose", steps), ("goal", label).

    A goal that stays is still reached whatever comes after it.
    """

    def __init__(self, *, goals_stay: bool) -> None:
        self.reads: list[tuple[int, int]] = []  # by step the symbols that it reads, and the next step
        self._steps: list[tuple[Any, ...]] = []
        self._known: dict[tuple[Any, ...], int] = {}
        self._leaves: dict[int, dict[int, None]] = {}
        self._read_at_goals = _ANY_SYMBOL if goals_stay else 0

    def add(self, *step: Any) -> int:
        if step not in self._known:
            here = self._known[step] = len(self._steps)
            self._steps.append(step)
            reads = {"read": step[1:], "goal": (self._read_at_goals, here), "choose": (0, here)}
            self.reads.append(reads[step[0]])
        return self._known[step]

    def goal(self, step: int) -> Any:
        """The label if the step is a goal, else None."""
        kind, what, *_ = self._steps[step]
        return what if kind == "goal" else None

    def build(self, tree: Any, after: int, marked: int, group: int = 0) -> int:
        """The step that reads `tree` and goes on `after`, or on `marked` once it went through that group."""
        match tree:
            case ("read", symbols):
                return self.add("read", symbols, after)
            case ("any", branches):
                return self.add("choose", tuple(self.build(b, after, marked, group) for b in branches))
            case ("group", number, node):
                return self.build(node, marked if number and number == group else after, marked, group)
            case ("all", parts):
                for part in reversed(parts):
                    after, marked = self._both(part, after, marked, group)
                return after
            case ("repeat", node, low, high):
                ends = after, marked
                for _ in range(high - low):
                    after, marked = self._both(node, after, marked, group)
                    after, marked = (
                        self.add("choose", pair) for pair in zip((after, marked), ends, strict=True)
                    )
                return self.build(("all", (node,) * low), after, marked, group)
        raise UnknownPatternError(str(tree))

    def _both(self, tree: Any, after: int, marked: int, group: int) -> tuple[int, int]:
        built = self.build(tree, after, marked, group)
        return built, built if marked == after else self.build(tree, marked, marked, group)

    def leaves(self, step: int) -> dict[int, None]:
        """The steps, preferred ones first, that come next from here and read something or are a goal."""
        if step not in self._leaves:
            kind, choices, *_ = self._steps[step]
            found: dict[int, None] = {} if kind == "choose" else {step: None}
            for choice in choices if kind == "choose" else ():
                found.update(self.leaves(choice))
            self._leaves[step] = found
        return self._leaves[step]


class _Machine(ABC):
    """Patterns as states and moves. A state is named by the place of its first cell in the table."""

    def __init__(self, *, goals_stay: bool) -> None:
        self._steps = _Steps(goals_stay=goals_stay)
        self._places: dict[tuple[int, ...], int] = {}
        self._leaves: list[tuple[int, ...]] = []
        self._table = np.full(WIDTH * 256, _UNKNOWN, np.int32)
        self._lock = threading.Lock()
        self._place({})  # DEAD

    def _place(self, leaves: dict[int, None]) -> int:
        """The state in which these steps are the next ones."""
        key = self._key(leaves)
        if key not in self._places:
            place = len(self._leaves) * WIDTH
            if place == len(self._table):
                self._table = np.concatenate([self._table, np.full_like(self._table, _UNKNOWN)])
            self._leaves.append(key)
            self._places[key] = place
        return self._places[key]

    @abstractmethod
    def _key(self, leaves: dict[int, None]) -> tuple[int, ...]:
        """What tells this state from others: two sets of next steps with the same key are one state."""

    def moved(self, cells: Ints) -> States:
        """The states that cells of the table lead to, a cell being a state plus a symbol."""
        table = self._table
        states = table.take(cells)
        if states.min(initial=0) == _UNKNOWN:
            with self._lock:
                for cell in np.unique(cells[states == _UNKNOWN]).tolist():
                    self._fill(cell)
                states = self._table.take(cells)
        return states

    def _fill(self, cell: int) -> None:
        state, symbol = divmod(cell, WIDTH)
        following: dict[int, None] = {}
        for leaf in self._leaves[state]:
            symbols, behind = self._steps.reads[leaf]
            if symbols >> symbol & 1:
                following.update(self._steps.leaves(behind))
        place = self._place(following)  # may replace the table by a larger one
        self._table[cell] = place


class Languages(_Machine):
    """Which of many labelled patterns a number matches."""

    def __init__(self) -> None:
        super().__init__(goals_stay=True)

    def start(self, patterns: Iterable[tuple[str, Hashable, bool]]) -> int:
        """The state before the first digit for these patterns, each with its label and whether it is whole.

        A pattern that is not whole matches whatever begins with it.
        """
        with self._lock:
            leaves: dict[int, None] = {}
            for pattern, label, whole in patterns:
                goal = self._steps.add("goal", label)
                after = self._steps.add("read", 1 << END, goal) if whole else goal
                leaves.update(self._steps.leaves(self._steps.build(parsed(pattern), after, after)))
            return self._place(leaves)

    def run(self, stream: Symbols, at: Ints, states: States, steps: int) -> States:
        """The states after so many symbols of the numbers that begin in `stream` at `at`.

        The stream needs as many symbols behind the last beginning.
        """
        at, states = at.copy(), states.copy()
        cells = np.empty_like(at)
        for step in range(steps):
            symbols = stream.take(at)
            states = self.moved(np.add(states, symbols, out=cells))
            at += 1
            if step == _USUAL and (going := np.flatnonzero(symbols < END)).size < len(at):
                states[going] = self.run(stream, at[going], states[going], steps - step - 1)
                break
            if not states.any():
                break
        return states

    def step(self, state: int, symbol: int) -> int:
        """The state after one symbol."""
        return int(self.moved(np.array([state + symbol]))[0])

    def labels(self, state: int) -> frozenset[Any]:
        """The labels of the patterns that have matched in a state."""
        goals = (self._steps.goal(leaf) for leaf in self._leaves[state // WIDTH])
        return frozenset(goal for goal in goals if goal is not None)

    def _key(self, leaves: dict[int, None]) -> tuple[int, ...]:
        return tuple(sorted(leaves))


class Beginnings(_Machine):
    """How much of a number a pattern matches at its beginning, as `re.match` does it."""

    def __init__(self) -> None:
        self._goals = np.zeros(256, np.int8)
        super().__init__(goals_stay=False)

    def start(self, pattern: str, group: int = 0) -> int:
        """The state before the first digit; `group` is the group whose use `run` reports."""
        with self._lock:
            goals = self._steps.add("goal", _MATCHED), self._steps.add("goal", _THROUGH)
            return self._place(self._steps.leaves(self._steps.build(parsed(pattern), *goals, group)))

    def run(self, stream: Symbols, at: Ints, states: States) -> tuple[Ints, Bools]:
        """How many digits are matched, -1 where none, and whether the group took part."""
        length = np.full(len(at), -1)
        through = np.zeros(len(at), bool)
        rows, start, ended = np.arange(len(at)), at, np.zeros(len(at), bool)
        while rows.size:
            goal = self._goals.take(states // WIDTH)
            if goal.any():
                length[rows[goal > 0]] = (at - start[rows] - ended)[goal > 0]  # the end is no digit
                through[rows[goal > 0]] = goal[goal > 0] == _THROUGH
            symbols = stream.take(at)
            states = self.moved(np.add(states, symbols, dtype=np.int64))
            alive = np.flatnonzero(states != DEAD)
            rows, states, at, ended = rows[alive], states[alive], at[alive] + 1, symbols[alive] == END
        return length, through

    def _place(self, leaves: dict[int, None]) -> int:
        place = super()._place(leaves)
        if len(self._goals) < len(self._table) // WIDTH:
            self._goals = np.concatenate([self._goals, np.zeros_like(self._goals)])
        last = self._leaves[place // WIDTH][-1:]
        self._goals[place // WIDTH] = (self._steps.goal(last[0]) if last else None) or 0
        return place

    def _key(self, leaves: dict[int, None]) -> tuple[int, ...]:
        """Up to the first goal: what comes after it is not preferred to it."""
        goals = [place for place, leaf in enumerate(leaves) if self._steps.goal(leaf) is not None]
        return tuple(leaves)[: goals[0] + 1] if goals else tuple(leaves)
