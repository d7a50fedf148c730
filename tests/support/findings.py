"""Findings as tests compare them: their codes, and the facts of each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from campaign.results.tables import Result
from campaign.words.finding import Finding


def as_codes(findings: Iterable[Finding]) -> dict[str, dict[str, Any]]:
    """The facts of each finding by its code, in order."""
    return {finding.code: dict(finding.facts) for finding in findings}


def codes(result: Result) -> list[str]:
    """The codes, in order."""
    return [finding.code for finding in result.findings]


def rows_found(result: Result) -> dict[str, int]:
    """How many rows each finding counts."""
    return {finding.code: finding.facts["rows"] for finding in result.findings if "rows" in finding.facts}


def to_do(result: Result) -> list[str]:
    """The codes of what a person has to do something about."""
    return [finding.code for finding in result.findings if finding.severity == "warning"]


def finding(result: Result, code: str) -> Finding:
    """The finding with this code."""
    return next(one for one in result.findings if one.code == code)
