"""A desk at which something was done once, and which every test finds as it was left then.

It stays where it is, because campaigns and pages know their files by where they are.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


class KeptDesk:
    """A folder in `home` in which `work` was done, and a copy of it beside it."""

    def __init__(self, home: Path, work: Callable[[], Any]) -> None:
        self._desk, self._copy = home / "desk", home / "as it was left"
        self._desk.mkdir()
        with pytest.MonkeyPatch.context() as environment:
            environment.chdir(self._desk)
            work()
        shutil.copytree(self._desk, self._copy)

    def as_it_was_left(self) -> Path:
        """The desk, without anything that other tests did at it."""
        shutil.rmtree(self._desk)
        return shutil.copytree(self._copy, self._desk)
