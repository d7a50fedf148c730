"""The findings of a result in words: headlines, and lines with a count and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from campaign.words.catalogue import Catalogue
from campaign.words.finding import Finding
from campaign.words.page import PAGE

_COUNTED = ("workers_paused", "messages_not_in_table", "costs_missing")  # and all kinds of rows


def rows_of(finding: Finding) -> int:
    """How many rows of the file a finding counts; 0 where it counts none."""
    return int(finding.facts.get("rows", 0))


def remedy(finding: Finding, catalogue: Catalogue) -> str:
    """What to do, "" for nothing."""
    return "" if finding.severity == "info" else catalogue.remedy(finding)


def in_words(findings: Iterable[Finding], catalogue: Catalogue) -> str:
    """What was found and what to do, as sentences."""
    pieces = ((catalogue.headline(one), remedy(one, catalogue) or _again(one, catalogue)) for one in findings)
    return ". ".join(text.removesuffix(".") for text in chain.from_iterable(pieces) if text) + "."


def _again(finding: Finding, catalogue: Catalogue) -> str:
    """How to send the same once more; the form says it in a place of its own, and a report does not."""
    return catalogue.remedy(finding) if finding.code == "nothing_left" and catalogue is not PAGE else ""


def is_counted(finding: Finding) -> bool:
    """Whether it stands in the list below the headlines."""
    return finding.code.startswith("rows_") or finding.code in _COUNTED


def headlines(findings: Iterable[Finding], catalogue: Catalogue) -> list[str]:
    """Why a run ended, the outcome, and that the campaign is closed."""
    return [in_words([one], catalogue) for one in findings if not is_counted(one)]


def in_lines(findings: Iterable[Finding], catalogue: Catalogue) -> list[str]:
    """The findings that are counted, in columns: how many, of what, and what to do."""
    shown = [one for one in findings if is_counted(one)]
    lines = [(*catalogue.headline(one).split(" ", 1), remedy(one, catalogue)) for one in shown]
    widths = [max((len(line[place]) for line in lines), default=0) for place in (0, 1)]
    return [
        f"  {number:>{widths[0]}}  {words:<{widths[1]}}  {to_do}".rstrip() for number, words, to_do in lines
    ]
