"""The regular expressions of `phonenumbers` as trees.

They use little of what regular expressions can do: digits, sets of digits, groups, alternatives and counted
repeats.
"""

import re
from typing import Any

END = 10  # the symbol after the last digit of a number
_ANY_DIGIT = (1 << 10) - 1

_ELEMENT = re.compile(r"\\d|\[[\d-]+\]|\(\?:|[()|?$]|\{\d+(?:,\d+)?\}|\d")


class UnknownPatternError(ValueError):
    """A pattern with syntax that this module does not support."""


def parse_pattern(pattern: str) -> Any:
    """A pattern as nested tuples: ("any", branches), ("all", parts), ("repeat", node, low, high), …"""
    elements = _ELEMENT.findall(pattern)
    if "".join(elements) != pattern:
        raise UnknownPatternError(pattern)
    group_numbers = iter(range(1, len(elements) + 1))

    def parse_alternatives() -> Any:
        branches: list[list[Any]] = [[]]
        while elements and elements[0] != ")":
            element = elements.pop(0)
            if element == "|":
                branches.append([])
            elif element[0] in "?{":
                branches[-1].append(("repeat", branches[-1].pop(), *_repeat_bounds(element)))
            elif element[0] == "(":
                number = next(group_numbers) if element == "(" else 0
                branches[-1].append(("group", number, parse_alternatives()))
                elements.pop(0)
            else:
                branches[-1].append(("read", _symbol_bits(element)))
        return ("any", tuple(("all", tuple(branch)) for branch in branches))

    try:
        tree = parse_alternatives()
    except IndexError:
        raise UnknownPatternError(pattern) from None
    if elements:
        raise UnknownPatternError(pattern)
    return tree


def _repeat_bounds(element: str) -> tuple[int, int]:
    if element == "?":
        return 0, 1
    low, _, high = element[1:-1].partition(",")
    return int(low), int(high or low)


def _symbol_bits(element: str) -> int:
    """The symbols that an element matches, one bit each."""
    if element == "$":
        return 1 << END
    if element == r"\d":
        return _ANY_DIGIT
    bits = 0
    for first, last in re.findall(r"(\d)(?:-(\d))?", element):
        for digit in range(int(first), int(last or first) + 1):
            bits |= 1 << digit
    return bits
