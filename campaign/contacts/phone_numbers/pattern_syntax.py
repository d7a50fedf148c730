"""The regular expressions of `phonenumbers` as trees, and what a number can continue with inside one.

They use little of what regular expressions can do: digits, sets of digits, groups, alternatives and counted
repeats.
"""

import functools
import itertools
import re
from collections.abc import Iterator
from typing import Any

END = 10  # the symbol after the last digit of a number
NOTHING, ANYTHING = 0, (1 << 11) - 1  # what may follow a goal

_ELEMENT = re.compile(r"\\d|\[[\d-]+\]|\(\?:|[()|?$]|\{\d+(?:,\d+)?\}|\d")

# A pattern is a tuple of nodes: the symbols that are read, one bit each; ("any", patterns);
# ("repeat", node, low, high); ("group",) at the end of a group; at last ("goal", label, what may follow).
Pattern = tuple[Any, ...]
Read = tuple[int, Pattern]  # symbols, one of which comes next, and the pattern of what follows
GOAL, GOAL_WITH_GROUP = (("goal", with_group, NOTHING) for with_group in (False, True))


class UnknownPatternError(ValueError):
    """A pattern with syntax that this module does not support."""


def parse_pattern(pattern: str, group: int = 0) -> Pattern:
    """A regular expression as nodes; the end of `group` is marked."""
    elements = _ELEMENT.findall(pattern)
    if "".join(elements) != pattern:
        raise UnknownPatternError(pattern)
    group_numbers = itertools.count(1)

    def parse_alternatives(end: Pattern = ()) -> Any:
        branches: list[list[Any]] = [[]]
        while elements and elements[0] != ")":
            element = elements.pop(0)
            if element == "|":
                branches.append([])
            elif element[0] in "?{":
                bounds = [int(bound) for bound in re.findall(r"\d+", element)] or [0, 1]
                branches[-1].append(("repeat", branches[-1].pop(), bounds[0], bounds[-1]))
            elif element[0] == "(":
                is_marked = element == "(" and next(group_numbers) == group
                branches[-1].append(parse_alternatives((("group",),) if is_marked else ()))
                elements.pop(0)
            else:
                branches[-1].append(_symbols(element))
        return ("any", tuple((*branch, *end) for branch in branches))

    try:
        tree = parse_alternatives()
    except IndexError:
        raise UnknownPatternError(pattern) from None
    if elements:
        raise UnknownPatternError(pattern)
    return (tree,)


@functools.cache
def _symbols(element: str) -> int:
    if element == "$":
        return 1 << END
    return sum(1 << digit for digit in range(10) if re.fullmatch(element, str(digit)))


def next_reads(pattern: Pattern) -> Iterator[Read]:
    """The symbols that can come next, each with the pattern of the rest, preferred ones first.

    A goal is its own rest. Behind the marked group, the goal is GOAL_WITH_GROUP.
    """
    node, rest = pattern[0], pattern[1:]
    match node:
        case ("goal", _, symbols):
            yield symbols, pattern
        case ("group",):
            yield from next_reads((*rest[:-1], GOAL_WITH_GROUP))
        case ("any", branches):
            for branch in branches:
                yield from next_reads(branch + rest)
        case ("repeat", repeated, low, high):
            if high:
                yield from next_reads((repeated, ("repeat", repeated, max(low - 1, 0), high - 1), *rest))
            if not low:
                yield from next_reads(rest)
        case symbols:
            yield symbols, rest


def goal_label(read: Read) -> Any:
    """The label of a goal that is reached, else None."""
    symbols, pattern = read
    return pattern[0][1] if symbols in (NOTHING, ANYTHING) else None
