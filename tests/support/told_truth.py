"""What is true of one campaign by the service's own record, and what may be true of it.

It knows persons, cells and what was accepted. Of the package it reads the result that a person sees, and at
the very end of a step the frozen batches, to hold each against the request that it claims to have been.
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
from support.living_sheets import Line, Sheet
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
    chosen: set[Text] = field(default_factory=set)  # may be a second text: a person has said so
    cells: dict[str, set[str]] = field(default_factory=dict)  # the numbers under which each cell was reached
    sheets: list[Sheet] = field(default_factory=list)  # the last round is of one of these
    is_closed: bool | None = False  # None: the program was killed, so it is not known
    budgets: set[int | None] = field(default_factory=lambda: {None})  # one of them holds; None: no limit
    stopped: set[str] = field(default_factory=set)  # they answered STOP, and `resume` was told
    perhaps_stopped: set[str] = field(default_factory=set)  # the program may have died meanwhile
    lost_answers: int = 0  # how many batches may be unknown
    pilot: Pilot | None = None  # where the last runs were a pilot and its repetitions
    pilot_sizes: dict[str, int] = field(default_factory=dict)  # the largest one of each template
    is_older: bool | None = (
        False  # copied back from a backup, and not taken over; None: the program was killed
    )
    is_displaced: bool | None = False  # moved or restored, and not taken over; None: the program was killed
    # Who was told as sharing a phone when the campaign was last seen, and to whose number nothing went since:
    # the row and the text of each person.
    left_out: dict[int, tuple[Line, Text]] = field(default_factory=dict)

    def batches(self, folder: Path) -> list[Recorded]:
        """Every batch of the campaign in its folder."""
        return recorded_batches(folder)

    def reached(self, number: str) -> set[str]:
        return {text for reached, text in self.arrivals if reached == number}

    def receive(self, requests: list[Request], sheets: list[Sheet], changed: str) -> list[str]:
        """What is wrong with what the service has accepted in one run of one of these sheets."""
        before = {number: self.reached(number) for request in requests for number, _ in request.messages}
        arrived = [text for request in requests for text in request.texts]
        broken = []
        for text in arrived:
            self.arrivals[text] += 1
            if self.arrivals[text] > 1 + self.again[text]:
                broken.append(f"{text} arrived {self.arrivals[text]} times")
        numbers = {number for number, _ in arrived}
        self.left_out = {who: told for who, told in self.left_out.items() if told[1][0] not in numbers}
        self.requests.update(request.messages for request in requests)
        unfit = [self._misfits(arrived, before, sheet, changed) for sheet in sheets]
        unfit = unfit or [[f"{text} arrived although nothing was to be sent" for text in arrived]]
        broken += min(unfit, key=len)
        for sheet in sheets:
            self._remember(sheet, set(arrived), changed)
        return broken

    def _remember(self, sheet: Sheet, arrived: set[Text], changed: str) -> None:
        """Which cells were reached, and which texts a person has chosen although others were received."""
        for line, text in zip(sheet.lines, sheet.texts(), strict=True):
            if text in arrived:
                self.cells.setdefault(line.cell, set()).add(text[0])
        for number, texts in sheet.texts_by_number().items():
            if changed == "send" or (sheet.duplicates == "keep" and len(texts) > 1):
                self.chosen |= {(number, text) for text in texts}

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

    def is_question_justified(self, sheet: Sheet, folder: Path) -> bool:
        """Whether somebody may have got another text, or this one under another number."""
        said: dict[str, set[str]] = {}
        for batch in self.batches(folder):
            for number, text in batch.texts if batch.state in SENT else ():
                said.setdefault(number, set()).add(text)
        has_other = any(
            said.get(number, set()) - texts and texts - said[number]
            for number, texts in sheet.texts_by_number().items()
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
            new = {text for other, text in arrived if other == number} - before[number]
            new -= {text for text in new if (number, text) in self.chosen}
            limit = _second_texts(before[number], planned.get(number, set()), sheet.duplicates, changed)
            if len(new) > limit:
                broken.append(f"{number} got {new} after {before[number]}, and changed= was {changed}")
            if new and not before[number] and changed != "send" and self._has_moved(number, new, sheet):
                broken.append(f"{number} got {new}, and its cell was reached under another number")
        return broken

    def _has_moved(self, number: str, texts: set[str], sheet: Sheet) -> bool:
        cells = {
            line.cell
            for line, text in zip(sheet.lines, sheet.texts(), strict=True)
            if text is not None and text[0] == number and text[1] in texts
        }
        return bool(cells) and all(self.cells.get(cell, set()) - {number} - sheet.numbers for cell in cells)

    def check_result(self, result: campaign.Result, sheet: Sheet) -> list[str]:
        """What the result says and is not true."""
        broken = []
        messages = result.messages
        for _, row in messages.groupby("row", sort=False):
            (text,) = whole_texts(zip(row["number"], row["message"], strict=True))
            statuses = set(row["status"])
            if "accepted" in statuses and not self.arrivals[text]:
                broken.append(f"{text} is accepted and never arrived")
            if statuses & {"refused", "not_sent"} and self.arrivals[text] and not self.again[text]:
                broken.append(f"{text} is {statuses} and has arrived")
            if len(statuses) > 1:
                broken.append(f"{text} is {statuses}: pieces of one text")
        if sum(result.totals.values()) != len(sheet.lines):
            broken.append(f"{dict(result.totals)} are not the {len(sheet.lines)} rows of the table")
        return broken + self._check_excluded(result, sheet) + self._check_left_out(result, sheet)

    def _check_left_out(self, result: campaign.Result, sheet: Sheet) -> list[str]:
        """Who shared a phone and got nothing since is not accepted, if the row or its text is known."""
        messages = result.messages[result.messages["status"] == "accepted"]
        accepted = messages.drop_duplicates("row").set_index("row")["number"]
        broken, left_out = [], {}
        for line, text, (row, why) in zip(
            sheet.lines, sheet.texts(), result.contacts["why"].items(), strict=True
        ):
            if text is not None and why == "shared_phone":
                left_out[line.person] = line, text
            if text is None or line.person not in self.left_out or accepted.get(row) != text[0]:
                continue
            before, told = self.left_out[line.person]
            is_same_row = (line.name, line.cell) == (before.name, before.cell)
            if not self.arrivals[text] and (text == told or (is_same_row and text[0] == told[0])):
                broken.append(f"{line.name} shared the phone {text[0]}, got nothing, and is accepted")
        self.left_out = left_out
        return broken

    def _check_excluded(self, result: campaign.Result, sheet: Sheet) -> list[str]:
        broken = []
        contacts = result.contacts
        for line, (_, row) in zip(sheet.lines, contacts.iterrows(), strict=True):
            number = line.number(sheet.region)
            if number and row["status"] == "opted_out" and self.reached(number) and pd.isna(row["batch"]):
                broken.append(f"{number} opted out after it was reached, and no batch says so")
        return broken

    def check_record(self, folder: Path) -> list[str]:
        """Hold each frozen batch against the requests that the service accepted."""
        batches = self.batches(folder)
        sent = Counter(batch.messages for batch in batches if batch.state in SENT)
        accepted = Counter(batch.messages for batch in batches if batch.state == "accepted")
        broken = [f"the service has {one} and no batch says so" for one in self.requests - sent]
        broken += [
            f"a batch of {one} is accepted, and the service never had it" for one in accepted - self.requests
        ]
        for batch in batches:
            if batch.cost is not None and batch.cost != cost_of(batch.messages):
                broken.append(f"batch {batch.batch} costs {batch.cost} instead of {cost_of(batch.messages)}")
        last_round = ask_ledger(folder, "SELECT max(round) FROM rounds")[0][0]
        given_up = [b.batch for b in batches if b.state == "withdrawn" and b.round == last_round]
        if given_up and self.is_closed is False:
            broken.append(f"batches {given_up} of the last table are withdrawn, and nobody has closed it")
        doubtful = sum(batch.state in ("unknown", "sending") for batch in batches)
        if doubtful > self.lost_answers:
            broken.append(f"{doubtful} batches are unknown, and {self.lost_answers} answers were lost")
        return broken


def cost_of(messages: tuple[Text, ...]) -> Decimal:
    return Decimal(PRICE * sum(count_parts(text) for _, text in messages))


def _second_texts(before: set[str], planned: set[str], duplicates: str, changed: str) -> int:
    """How many new texts a number may get at most in one run."""
    if duplicates != "keep":
        return 1 if changed == "send" or not before else 0
    if changed == "send":
        return len(planned - before)
    return max(0, len(planned - before) - len(before - planned))


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
    if "were to keep that earlier text" in result.sentence:
        return []  # only the plan has the text that they are to get now
    waiting = {status: result.totals[status] for status in ("not_sent", "refused") if result.totals[status]}
    return [f"nothing was in the way, and {waiting} are left"] if waiting else []
