"""Findings and facts as JSON, which ledgers and issues keep: they can be said in other words later."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from campaign.words.finding import Finding
from campaign.words.python import PYTHON


def as_json(value: Any) -> str:
    """A fact, facts by their names, or a finding as JSON."""
    return json.dumps(value, default=_packed, ensure_ascii=False)


def from_json(text: str) -> Any:
    """What `as_json` wrote; raises `ValueError` or `TypeError` for anything else."""
    return json.loads(text, object_hook=_unpacked)


def stored(finding: Finding) -> str:
    """The code and the facts of a finding as JSON."""
    return as_json(finding)


def read_stored(text: str) -> Finding:
    """The finding of such a text; raises `ValueError` where it is none, or lacks a fact that it needs."""
    try:
        finding = from_json(text)
        PYTHON.text(finding)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        raise ValueError("no finding") from None
    return finding  # type: ignore[no-any-return] # nothing else can be said


def _packed(value: Any) -> Any:
    if isinstance(value, Finding):
        return {"code": value.code, "facts": dict(value.facts)}
    return {"amount": str(value)} if isinstance(value, Decimal) else str(value)


def _unpacked(record: dict[str, Any]) -> Any:
    if record.keys() == {"code", "facts"}:
        return Finding(record["code"], record["facts"])
    return Decimal(record["amount"]) if record.keys() == {"amount"} else record
