"""Spreadsheets as people keep them: persons with cells that are right or wrong, edited from day to day.

A sheet knows by itself what each of its rows ought to get, so that the package can be held to it.
"""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import campaign
from campaign.values import replace
from support.witnessed_service import Text, fold

_LONG = "Hi {name}, " + "please bring your card and your child to the clinic " * 3
TEMPLATES = {
    "Monday": "Hi {name}, come on Monday.",
    "Monday with other spaces": "Hi {name},  come\u00a0on Monday. ",
    "Tuesday": "Hi {name}, come on Tuesday.",
    "long, Monday": _LONG + "on Monday.",
    "long, Tuesday": _LONG + "on Tuesday.",  # differs in its last piece only
}
PREFIXES = {"UG": "256", "KE": "254"}
_NAMES = ("Aisha", "Ben", "Grace", "José", "Moses", "Zoé")
_WRONG_CELLS = ("not a number", "0772 00", "?")


@dataclass(frozen=True)
class Line:
    """A row of a sheet. `national` is the number without a country, "" where the cell holds none."""

    name: str
    cell: str
    national: str

    @property
    def cells(self) -> tuple[str, str]:
        """The row as it is read: with composed letters."""
        return unicodedata.normalize("NFC", self.name), self.cell

    def number(self, region: str) -> str:
        """What the cell means; "" for nothing."""
        if self.cell.startswith("+256"):
            return "256" + self.national
        return PREFIXES[region] + self.national if self.national else ""


@dataclass(frozen=True)
class Sheet:
    """A spreadsheet with what is done with it. `opt_outs` are whole numbers.

    `follow_up` is a file with `corrections`, some of the rows, which is sent in place of them all.
    """

    lines: tuple[Line, ...]
    template: str = "Monday"
    region: str = "UG"
    duplicates: str = "skip"
    file: str = "visits"
    opt_outs: frozenset[str] = frozenset()
    not_again: tuple[str, ...] = ()
    follow_up: str = ""
    corrections: tuple[Line, ...] = ()
    may_be_refused: bool = False  # a follow-up file that is older than the table

    @property
    def numbers(self) -> set[str]:
        return {line.number(self.region) for line in self.lines} - {""}

    def texts(self) -> list[Text | None]:
        """What each row should get, whoever shares its number; None for nothing."""
        template = TEMPLATES[self.template]
        return [
            (number, fold(template.format(name=line.name)))
            if (number := line.number(self.region)) and number not in self.opt_outs
            else None
            for line in self.lines
        ]

    def texts_by_number(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for text in filter(None, self.texts()):
            found.setdefault(text[0], set()).add(text[1])
        return found

    def with_rows(self, names: Iterable[str], cells: Iterable[str]) -> Sheet:
        """The same with these rows, each of which is its own or a correction."""
        lines = {line.cells: line for line in (*self.lines, *self.corrections)}
        found = tuple(lines[row] for row in zip(names, cells, strict=True))
        return replace(self, lines=found, corrections=(), follow_up="", may_be_refused=False)

    def write(self) -> Path:
        path = Path(f"{self.file}.csv")
        rows = "".join(f"{line.name},{line.cell}\n" for line in self.lines)
        path.write_text("name,phone\n" + rows, encoding="utf-8")
        return path

    def source(self) -> Path:
        """The file that is read."""
        return Path(self.follow_up) if self.follow_up else self.write()

    @property
    def preparation(self) -> dict[str, Any]:
        """The arguments of `prepare` beside the contacts."""
        return {
            "message": TEMPLATES[self.template], "sender": "CLINIC", "region": self.region,
            "overlong": "split", "duplicates": self.duplicates,
            "opt_outs": [f"+{number}" for number in sorted(self.opt_outs)] or None,
            "not_again": list(self.not_again) or None,
        }  # fmt: skip

    def prepare(self) -> campaign.Plan:
        return campaign.prepare(campaign.read_contacts(self.source()), **self.preparation)


class Editor:
    """A person who works on a sheet. Every edit returns the new sheet and says in words what it was."""

    def __init__(self, chance: random.Random, edits: tuple[str, ...] = ()) -> None:
        self._chance = chance
        self._names = edits or tuple(self._edits)
        self._people = 0

    def first_sheet(self) -> Sheet:
        size = self._chance.choice((5, 6, 7, 8, 10, 12, 16, 25, 40))
        lines = tuple(self._somebody() for _ in range(size))
        return Sheet(
            lines, self._chance.choice(list(TEMPLATES)), duplicates=self._chance.choice(("skip", "keep"))
        )

    def edit(self, sheet: Sheet) -> tuple[Sheet, str]:
        name = self._chance.choice(self._names)
        return self._edits[name](self, sheet), name

    def _somebody(self) -> Line:
        if self._chance.random() < 0.15:
            return Line(self._name(), self._chance.choice(_WRONG_CELLS), "")
        return self.with_number(Line(self._name(), "", ""))

    def _name(self) -> str:
        return self._chance.choice(_NAMES)

    def with_number(self, line: Line) -> Line:
        self._people += 1
        return self._spelled(replace(line, national=f"772000{self._people % 1000:03}"))

    def _spelled(self, line: Line) -> Line:
        subscriber = line.national[6:]
        cell = self._chance.choice(
            (f"0772 000 {subscriber}", f"0772000{subscriber}", f"+256 772 000 {subscriber}")
        )
        return replace(line, cell=cell)

    def _at_one(self, sheet: Sheet, change: Callable[[Line], Line]) -> Sheet:
        place = self._chance.randrange(len(sheet.lines))
        lines = list(sheet.lines)
        lines[place] = change(lines[place])
        return replace(sheet, lines=tuple(lines))

    def _correct(self, sheet: Sheet) -> Sheet:
        lines = [line if line.national else self.with_number(line) for line in sheet.lines]
        return replace(sheet, lines=tuple(lines))

    def _mistype(self, sheet: Sheet) -> Sheet:
        cell = self._chance.choice(_WRONG_CELLS)
        return self._at_one(sheet, lambda line: replace(line, cell=cell, national=""))

    def _respell(self, sheet: Sheet) -> Sheet:
        return self._at_one(sheet, lambda line: self._spelled(line) if line.national else line)

    def _add(self, sheet: Sheet) -> Sheet:
        place = self._chance.randrange(len(sheet.lines) + 1)
        lines = [*sheet.lines[:place], self._somebody(), *sheet.lines[place:]]
        return replace(sheet, lines=tuple(lines))

    def _drop(self, sheet: Sheet) -> Sheet:
        if len(sheet.lines) < 3:
            return sheet
        place = self._chance.randrange(len(sheet.lines))
        return replace(sheet, lines=sheet.lines[:place] + sheet.lines[place + 1 :])

    def _sort(self, sheet: Sheet) -> Sheet:
        return replace(sheet, lines=tuple(sorted(sheet.lines, key=lambda line: (line.name, line.cell))))

    def _shuffle(self, sheet: Sheet) -> Sheet:
        return replace(sheet, lines=tuple(self._chance.sample(sheet.lines, len(sheet.lines))))

    def _share_a_phone(self, sheet: Sheet) -> Sheet:
        owner = self._chance.choice(sheet.lines)
        return self._at_one(sheet, lambda line: replace(owner, name=line.name))

    def _part_two(self, sheet: Sheet) -> Sheet:
        """The first of some who share a phone leaves the sheet, or has another number."""
        cells = [line.number(sheet.region) for line in sheet.lines]
        places = [place for place, cell in enumerate(cells) if cell and cell in cells[place + 1 :]]
        if not places:
            return sheet
        place = self._chance.choice(places)
        instead = (self.with_number(sheet.lines[place]),) if self._chance.random() < 0.5 else ()
        return replace(sheet, lines=(*sheet.lines[:place], *instead, *sheet.lines[place + 1 :]))

    def _recompose(self, sheet: Sheet) -> Sheet:
        form = self._chance.choice(("NFC", "NFD"))
        lines = [replace(line, name=unicodedata.normalize(form, line.name)) for line in sheet.lines]
        return replace(sheet, lines=tuple(lines))

    def _opt_out(self, sheet: Sheet) -> Sheet:
        coming = f"256772000{(self._people + 1) % 1000:03}"  # of somebody who is in no row yet
        number = self._chance.choice([*sorted(sheet.numbers), coming])
        return replace(sheet, opt_outs=sheet.opt_outs | {number})

    _edits: ClassVar[dict[str, Callable[[Editor, Sheet], Sheet]]] = {
        "correct the wrong cells": _correct,
        "type a wrong number": _mistype,
        "replace a number": lambda self, sheet: self._at_one(sheet, self.with_number),
        "spell a number otherwise": _respell,
        "correct a name": lambda self, sheet: self._at_one(
            sheet, lambda line: replace(line, name=self._name())
        ),
        "write names with other code points": _recompose,
        "add a row": _add,
        "drop a row": _drop,
        "sort the rows": _sort,
        "shuffle the rows": _shuffle,
        "let two share a phone": _share_a_phone,
        "part two who share a phone": _part_two,
        "add an opt-out": _opt_out,
        "take back the opt-outs": lambda self, sheet: replace(sheet, opt_outs=frozenset()),
        "change the text": lambda self, sheet: replace(sheet, template=self._chance.choice(list(TEMPLATES))),
        "change the region": lambda self, sheet: replace(sheet, region=self._chance.choice(list(PREFIXES))),
        "change duplicates=": lambda self, sheet: replace(
            sheet, duplicates=self._chance.choice(("skip", "keep", "error"))
        ),
        "rename the file": lambda self, sheet: replace(sheet, file=sheet.file + " (1)"),
    }
