"""`Catalogue`: how findings are said to one audience. No sentence is made anywhere else.

Headlines and remedies are texts with the facts of the finding in braces:

- `{rows:row}`, `{people:person|people}`: a count with its noun, "1 row", "2,000 people", "no rows"
- `{rows:|has|have}`: the word that agrees with a count
- `{row:#}`: a number without thousands separators, such as a row number
- `{column!r}`: in quotes; `{columns!r}`, `{choices:or}`: all entries of a list, "'a', 'b' and 'c'", "a or b"
- `{rows:|row|rows} {rows:#}`: a list of row numbers, "rows 3 and 1200"; a noun counts the entries of a list
- `[[ Did you mean {suggestion}?]]`: left out where one of its facts is missing, empty or zero
- a fact that is a finding is said by the same catalogue, and several of them follow each other;
  `{questions:lines}`: each entry on a line of its own
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from string import Formatter
from typing import Any

from campaign.text import agreeing, clean, counted, figure, money
from campaign.words.finding import Finding

OPTIONAL = re.compile(r"\[\[(.*?)\]\]", re.DOTALL)
FACT = re.compile(r"\{(\w+)")
_SHOWN = 10  # entries of a list


class Catalogue:
    """Headlines and remedies by the codes of findings."""

    def __init__(self, headlines: Mapping[str, str], remedies: Mapping[str, str]) -> None:
        self.headlines, self.remedies = headlines, remedies

    def headline(self, finding: Finding) -> str:
        """What was found."""
        return self._filled(self.headlines[finding.code], finding)

    def remedy(self, finding: Finding) -> str:
        """What to do; "" where there is nothing."""
        return self._filled(self.remedies.get(finding.code, ""), finding)

    def text(self, finding: Finding) -> str:
        """Both; where one has several lines, the remedy begins on a line of its own."""
        headline, remedy = self.headline(finding), self.remedy(finding)
        gap = "\n" if "\n" in headline + remedy else " "
        return f"{headline}{gap}{remedy}".strip()

    def template(self, code: str) -> str:
        """The headline and the remedy of a code with the names of facts in braces."""
        return f"{self.headlines[code]} {self.remedies.get(code, '')}"

    def fact(self, value: Any, format_spec: str = "", conversion: str | None = None) -> str:
        """A fact in words, as a template with such a field says it."""
        filler = _Filler(self)
        return filler.format_field(filler.convert_field(value, conversion), format_spec)

    def _filled(self, template: str, finding: Finding) -> str:
        facts = finding.facts
        needed = OPTIONAL.sub(lambda match: match[1] if _are_there(match[1], facts) else "", template)
        return _Filler(self).vformat(needed, (), facts).strip()


def _are_there(template: str, facts: Mapping[str, Any]) -> bool:
    return all(facts.get(name) for name in FACT.findall(template))


class _Filler(Formatter):
    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def convert_field(self, value: Any, conversion: Any) -> Any:
        if conversion == "r" and isinstance(value, (list, tuple)):
            return [repr(clean(entry)) for entry in value]
        if conversion == "r" and isinstance(value, str):
            return repr(clean(value))
        return super().convert_field(value, conversion)

    def format_field(self, value: Any, format_spec: str) -> str:
        """The fact in words: see the module."""
        if isinstance(value, Finding):
            return self._catalogue.text(value)
        if isinstance(value, (list, tuple)) and "|" in format_spec:
            value = len(value)
        if isinstance(value, (list, tuple)):
            return self._entries(value, format_spec)
        if isinstance(value, (int, Decimal)) and format_spec == "#":
            return f"{value:f}" if isinstance(value, Decimal) else str(value)
        if isinstance(value, int) and format_spec:
            noun, *others = format_spec.split("|")
            return counted(value, noun, *others) if noun else agreeing(value, *others)
        if isinstance(value, Decimal):
            return money(value)
        return figure(value) if isinstance(value, (int, float)) else clean(value)

    def _entries(self, values: Sequence[Any], format_spec: str) -> str:
        """All entries of a list: findings one after the other, anything else with a conjunction."""
        number, conjunction = ("#", "and") if format_spec == "#" else ("", format_spec or "and")
        words = [self.format_field(value, number) for value in values]
        if format_spec == "lines":
            return "\n".join(words)
        are_findings = any(isinstance(value, Finding) for value in values)
        return " ".join(words) if are_findings else _listed(words, conjunction)


def _listed(words: list[str], conjunction: str) -> str:
    if len(words) > _SHOWN:
        words = [*words[:_SHOWN], f"{len(words) - _SHOWN:,} more"]
    *others, last = words or ["none"]
    return f"{', '.join(others)} {conjunction} {last}" if others else last
