"""What is true of one campaign by the service's own record, and what may be true of it.

It knows phones, what each of them received, and what a person chose, and none of the product's rules. Of the
package it reads the result that a person sees, and at the very end of a step the frozen batches, to hold each
against the request that it claims to have been.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow.parquet as pq

import campaign
from campaign.messages.text.segments import count_parts
from support.living_sheets import Sheet
from support.witnessed_service import PRICE, Request, Text, whole_texts

SENT = ("accepted", "unknown", "sending", "again")  # states of a batch that may have been accepted


class Recorded(NamedTuple):
    """A batch as the ledger and the frozen files of its round have it."""

    batch: int
    round: int
    state: str
    cost: Decimal | None
    messages: tuple[Text, ...]

    @property
    def texts(self) -> list[Text]:
        return whole_texts(self.messages)


def ask_ledger(folder: Path, query: str) -> list[Any]:
    """What the ledger of a campaign answers, wherever the manifest says that it is."""
    ledger = folder / json.loads((folder / "manifest.json").read_bytes())["ledger"]
    with closing(sqlite3.connect(f"file:{ledger}?mode=ro", uri=True)) as connection:
        return connection.execute(query).fetchall()


def recorded_batches(folder: Path) -> list[Recorded]:
    """Every batch of a campaign with what it says."""
    rows = ask_ledger(
        folder,
        "SELECT batch, round, part, first, messages, CASE WHEN batch IN "
        "(SELECT batch FROM journal WHERE now = 'found') THEN 'accepted' ELSE state END, cost "
        "FROM batches ORDER BY batch",
    )
    parts: dict[tuple[int, int], list[Text]] = {}
    batches = []
    for batch, round_, part, first, count, state, cost in rows:
        money = None if cost is None else Decimal(cost)
        if (round_, part) not in parts:
            file = folder / f"rounds/{round_:04d}/plan/part-{part:05d}.parquet"
            table = pq.read_table(file, columns=["number", "message"])
            parts[round_, part] = list(zip(*(table.column(n).to_pylist() for n in (0, 1)), strict=True))
        messages = tuple(parts[round_, part][first : first + count])
        batches.append(Recorded(batch, round_, state, money, messages))
    return batches


def last_round_of(folder: Path) -> int:
    number: int = ask_ledger(folder, "SELECT max(round) FROM rounds")[0][0]
    return number


@dataclass
class Pilot:
    """Runs of a pilot, one after the other, and everybody whom they reached."""

    template: str
    people: set[str] = field(default_factory=set)


@dataclass
class Truth:
    """One campaign: what the service accepted for it, and what persons have decided about it."""

    arrivals: Counter[Text] = field(default_factory=Counter)
    requests: Counter[tuple[Text, ...]] = field(default_factory=Counter)
    again: Counter[Text] = field(default_factory=Counter)  # ordered although it may have arrived
    # Texts that a person chose for a number that had another one, each with those that were chosen beside it.
    chosen: dict[Text, set[str]] = field(default_factory=dict)
    cut: set[Text] = field(default_factory=set)  # what was ever to go out, and what of it still waits
    waiting: set[Text] = field(default_factory=set)
    cells: dict[str, set[str]] = field(default_factory=dict)  # the numbers under which each cell was reached
    sheets: list[Sheet] = field(default_factory=list)  # the last round is of one of these
    is_closed: bool | None = False  # None: the program was killed, so it is not known
    budgets: set[int | None] = field(default_factory=lambda: {None})  # one of them holds; None: no limit
    stopped: set[str] = field(default_factory=set)  # on a list that was given: they get nothing any more
    perhaps_stopped: set[str] = field(default_factory=set)  # the program may have died meanwhile
    lost_answers: int = 0  # how many batches may be unknown
    pilot: Pilot | None = None  # where the last runs were a pilot and its repetitions
    pilot_sizes: dict[str, int] = field(default_factory=dict)  # the largest one of each template
    # Copied back from a backup; moved or restored; and not taken over. None: the program was killed.
    is_older: bool | None = False
    is_displaced: bool | None = False

    def reached(self, number: str) -> set[str]:
        return {text for reached, text in self.arrivals if reached == number}

    def receive(self, requests: list[Request], sheets: list[Sheet], changed: str) -> list[str]:
        """What is wrong with what the service has accepted in one run of one of these sheets."""
        before = {number: self.reached(number) for request in requests for number, _ in request.messages}
        arrived = [text for request in requests for text in request.texts]
        self.arrivals.update(arrived)
        self.requests.update(request.messages for request in requests)
        broken = [
            f"{text} arrived {self.arrivals[text]} times"
            for text in set(arrived)
            if self.arrivals[text] > 1 + self.again[text]
        ]
        unfit = [self._misfits(arrived, before, sheet, changed) for sheet in sheets]
        unfit = unfit or [[f"{text} arrived although nothing was to be sent" for text in arrived]]
        for sheet in sheets:
            self._remember(sheet, changed)
            self._remember_cells(sheet, set(arrived))
        self.chosen = {
            (number, text): beside
            for (number, text), beside in self.chosen.items()
            if all(other in beside or other == text for phone, other in arrived if phone == number)
        }
        return broken + min(unfit, key=len)

    def _remember(self, sheet: Sheet, changed: str) -> None:
        """Which texts a person has chosen for numbers that have others; a later text ends that."""
        for number, texts in sheet.texts_by_number().items():
            is_all = sheet.duplicates == "keep" and self.reached(number) <= texts
            if changed == "send" or is_all:
                self.chosen |= {(number, text): texts if is_all else set() for text in texts}

    def _remember_cells(self, sheet: Sheet, arrived: set[Text]) -> None:
        """Under which numbers cells were reached; of rows with the same text it is unknown which was sent."""
        texts = sheet.texts()
        for line, text in zip(sheet.lines, texts, strict=True):
            if text in arrived and texts.count(text) == 1:
                self.cells.setdefault(line.cell, set()).add(text[0])

    def begin_pilot(self, size: int | None, template: str) -> None:
        """Count the people of a pilot: everybody is one of the first that were chosen, run after run."""
        if size is None:
            self.pilot = None
            return
        if self.pilot is None or self.pilot.template != template:
            self.pilot = Pilot(template)
        self.pilot_sizes[template] = max(size, self.pilot_sizes.get(template, 0))

    def count_pilot(self, requests: list[Request]) -> list[str]:
        if self.pilot is None:
            return []
        self.pilot.people |= {number for request in requests for number, _ in request.messages}
        size = self.pilot_sizes[self.pilot.template]
        return [f"a pilot of {size} reached {self.pilot.people}"] if len(self.pilot.people) > size else []

    def justifies(self, question: str, sheet: Sheet, folder: Path) -> bool:
        """Whether there is anything to ask about what waits, or about what was reached before."""
        planned = sheet.texts_by_number()
        if question == "waiting":
            return any(planned.get(number, set()) != {text} for number, text in self.waiting)
        said: dict[str, set[str]] = {}
        for batch in recorded_batches(folder):
            for number, text in batch.texts if batch.state in SENT else ():
                said.setdefault(number, set()).add(text)
        has_other = any(
            said.get(number, set()) - texts
            and any(text not in said[number] or self.again[number, text] for text in texts)
            for number, texts in planned.items()
        )
        return has_other or bool(said.keys() - sheet.numbers)

    def _misfits(
        self, arrived: list[Text], before: dict[str, set[str]], sheet: Sheet, changed: str
    ) -> list[str]:
        """What has arrived and does not fit a sheet, or is a second text that nobody has ordered."""
        planned = sheet.texts_by_number()
        broken = [
            f"{number}: {text!r} arrived and is not in the table"
            for number, text in arrived
            if text not in planned.get(number, ())
        ]
        for number in {number for number, _ in arrived}:
            old, texts = before[number], planned.get(number, set())
            new = {text for other, text in arrived if other == number} - old
            unasked = (
                set() if changed == "send" else {text for text in new if (number, text) not in self.chosen}
            )
            if unasked and old - texts:
                broken.append(f"{number} got {unasked} after {old}, and nobody had said so")
            if len(new) > (len(texts - old) if sheet.duplicates == "keep" else not old & texts):
                broken.append(f"{number} got {new} after {old}, and duplicates= was {sheet.duplicates}")
            if unasked and not old and self._has_moved(number, unasked, sheet):
                broken.append(f"{number} got {unasked}, and its cell was reached under another number")
        return broken

    def _has_moved(self, number: str, texts: set[str], sheet: Sheet) -> bool:
        """Whether the cell was reached under a number that is gone, and these texts were never to go out."""
        cells = {
            line.cell
            for line, text in zip(sheet.lines, sheet.texts(), strict=True)
            if text is not None and text[0] == number and text[1] in texts and text not in self.cut
        }
        return bool(cells) and all(self.cells.get(cell, set()) - {number} - sheet.numbers for cell in cells)

    def check_record(self, folder: Path) -> list[str]:
        """Hold each frozen batch against the requests that the service accepted."""
        batches = recorded_batches(folder)
        sent = Counter(batch.messages for batch in batches if batch.state in SENT)
        accepted = Counter(batch.messages for batch in batches if batch.state == "accepted")
        broken = [f"the service has {one} and no batch says so" for one in self.requests - sent]
        broken += [
            f"a batch of {one} is accepted, and the service never had it" for one in accepted - self.requests
        ]
        for batch in batches:
            if batch.cost is not None and batch.cost != cost_of(batch.messages):
                broken.append(f"batch {batch.batch} costs {batch.cost} instead of {cost_of(batch.messages)}")
        last_round = last_round_of(folder)
        given_up = [b.batch for b in batches if b.state == "withdrawn" and b.round == last_round]
        if given_up and self.is_closed is False:
            broken.append(f"batches {given_up} of the last table are withdrawn, and nobody has closed it")
        doubtful = sum(batch.state in ("unknown", "sending") for batch in batches)
        if doubtful > self.lost_answers:
            broken.append(f"{doubtful} batches are unknown, and {self.lost_answers} answers were lost")
        self.cut = {text for batch in batches for text in batch.texts}
        self.waiting = {text for batch in batches if batch.state == "pending" for text in batch.texts}
        return broken

    def replaced_unasked(self, folder: Path) -> list[str]:
        """What waited before this run and would never go out any more, although nobody was asked."""
        last_round = last_round_of(folder)
        kept = {
            text
            for batch in recorded_batches(folder)
            if batch.round == last_round or batch.state in SENT
            for text in batch.texts
        }
        opted_out = self.perhaps_stopped.union(*(sheet.opt_outs for sheet in self.sheets))
        lost = {text for text in self.waiting - kept if text[0] not in opted_out}
        return [f"{lost} waited, will not go out, and nobody was asked"] if lost else []


def cost_of(messages: tuple[Text, ...]) -> Decimal:
    return Decimal(PRICE * sum(count_parts(text) for _, text in messages))


def differences(result: campaign.Result, other: campaign.Result) -> list[str]:
    """In which tables two results differ."""
    broken = []
    for name in ("messages", "contacts", "batches", "issues"):
        try:
            pd.testing.assert_frame_equal(getattr(result, name), getattr(other, name))
        except AssertionError as error:
            broken.append(f"{name} on disk differ from those that were returned: {error}")
    return broken


def left_behind(result: campaign.Result) -> list[str]:
    waiting = {status: result.totals[status] for status in ("not_sent", "refused") if result.totals[status]}
    return [f"nothing was in the way, and {waiting} are left"] if waiting else []
