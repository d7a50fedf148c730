"""Commands as programs give them: with --json."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from campaign.cli.main import main


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """The error of a command that has to refuse: its code, facts, kind and message."""
    capsys.readouterr()
    assert main([*arguments, "--json"]) == 2
    error: dict[str, Any] = json.loads(capsys.readouterr().out)["error"]
    return error


def refused_code(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The code of that error."""
    return str(refusal(capsys, *arguments)["code"])


def phrase_in(shown: str, option: str = "confirm") -> str:
    """The only phrase that a command asks for."""
    (phrase,) = re.findall(rf'--{option} "(.*?)"', shown)
    return str(phrase)
