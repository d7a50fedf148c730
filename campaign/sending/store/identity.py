"""TEMP"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ChosenName:
    name: str
    source: str = ""


def folder_name(name, environment):
    s = re.sub(r"[^a-z0-9_-]+", "-", name.lower())
    return s + ("" if environment == "live" else f".{environment}")


def folded_name(name):
    return name.strip().casefold()


def choose_name(plan, name, folder, account):
    if name:
        return ChosenName(name)
    if folder is not None:
        return ChosenName(Path(folder).name)
    if plan.reading is not None and plan.reading.source:
        return ChosenName(Path(plan.reading.source).stem, str(Path(plan.reading.source).resolve()))
    return ChosenName("campaign")
