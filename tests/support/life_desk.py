"""A person's desk: a sheet, the name of its campaign, the service, and the story of what was done."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import campaign
from support.living_sheets import Sheet
from support.told_truth import SENT, Recorded, Truth, ask_ledger, recorded_batches
from support.witnessed_service import Text, WitnessedService


class PromiseBroken(Exception):  # noqa: N818 - no error of a program
    """The rest of the life says nothing more."""


@dataclass
class Desk:
    """A sheet that is sent under a name, and an account at a service that remembers everything."""

    chance: random.Random
    folder: Path
    service: WitnessedService
    sheet: Sheet
    design: str = ""
    name: str = "Visits"
    story: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    has_ledger_outside: bool = False
    truths: dict[str, Truth] = field(default_factory=dict)
    has_trouble: bool = False  # the service was told to fail
    held: campaign.Run | None = None
    phrase: str | None = None  # the last one that was typed
    folders: dict[str, Path] = field(default_factory=dict)  # of campaigns that were moved, by name
    refusal: str = ""  # why the last attempt was refused for good
    backups: dict[str, Any] = field(default_factory=dict)  # of campaigns, by name
    follow_ups: dict[str, Any] = field(default_factory=dict)  # written and not yet sent, by name
    is_named_by_file: bool = False  # no name is given: it is that of the file
    erased: int = 0  # how many campaigns were, which ends them

    @property
    def key(self) -> str:
        """The campaign's name as names are compared."""
        return self.name.casefold()

    @property
    def truth(self) -> Truth:
        return self.truths.setdefault(self.key, Truth())

    @property
    def place(self) -> Path | None:
        """The folder of the campaign, found by its name as a person would."""
        return self._place_of(self.key)

    def _place_of(self, key: str) -> Path | None:
        if key in self.folders:
            folder = self.folders[key]
            return folder if (folder / "manifest.json").exists() else None
        for manifest in Path("campaigns").glob("[!.]*/manifest.json"):
            content = json.loads(manifest.read_bytes())
            if (content["name"].casefold(), content["environment"]) == (key, self.service.environment):
                return manifest.parent.absolute()
        return None

    def texts_elsewhere(self) -> set[Text]:
        """What campaigns of other names have sent, perhaps, or have waiting."""
        places = [self._place_of(key) for key in self.truths if key != self.key]
        kept = [place for place in filter(None, places) if any(place.glob("rounds/*/plan/*"))]  # not erased
        batches = [batch for place in kept for batch in recorded_batches(place)]
        return {text for batch in batches if batch.state in (*SENT, "pending") for text in batch.texts}

    @property
    def are_others_at_home(self) -> bool:
        """Whether the campaigns of other names lie where they were begun, and none is an older copy."""
        others = [truth for key, truth in self.truths.items() if key != self.key]
        return self.folders.keys() <= {self.key} and all(truth.is_displaced is False for truth in others)

    @property
    def has_begun(self) -> bool:
        """Whether there is a campaign with a round; a kill may leave one without."""
        if self.place is None:
            return False
        return bool(ask_ledger(self.place, "SELECT * FROM rounds"))

    @property
    def batches(self) -> list[Recorded]:
        return recorded_batches(self.place) if self.place is not None else []

    @property
    def names(self) -> dict[str, Any]:
        """The options that say which campaign is meant."""
        folder = {"folder": self.folders[self.key]} if self.key in self.folders else {}
        return ({} if self.is_named_by_file and not folder else {"name": self.name}) | folder

    @property
    def ledger(self) -> dict[str, Any]:
        return {"ledger": f"{self.name}.sqlite"} if self.has_ledger_outside else {}

    def let_go(self) -> None:
        """End a run that a valve holds, because it has the lock."""
        if self.held is not None:
            self.held.stop()
            self.held.wait()
            self.held = None

    def check(self, broken: list[str]) -> None:
        if broken:
            raise self.failed(broken)

    def failed(self, broken: list[str]) -> PromiseBroken:
        self.broken += broken
        self.story += [f"BROKEN: {promise}" for promise in broken]
        return PromiseBroken()

    def tell(self, words: str) -> None:
        self.story.append(words)
