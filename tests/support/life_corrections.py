"""Rows to correct: a follow-up file is written, corrected, read back and sent, perhaps too late."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import openpyxl

import campaign
from campaign.values import replace
from support.life_attempts import Sender
from support.life_intents import Intent
from support.living_sheets import Editor, Line, Sheet
from support.witnessed_service import whole_texts

_ORIGIN = "row in the file"


@dataclass(frozen=True)
class FollowUp:
    """A follow-up file as the clerk has it: the table it is of, and the corrected lines by their row."""

    path: Path
    table: Sheet
    lines: dict[int, Line]

    def places_in(self, today: Sheet) -> dict[int, int | None]:
        """For each line that was corrected its row in the table of today; None where that is nobody's row."""
        originals = {row: self.table.lines[row - 2] for row in self.lines}
        corrected = [row for row, line in self.lines.items() if line.cell != originals[row].cell]
        return {row: _row_of(originals[row], today) for row in corrected}


def write_follow_up(life: Sender, editor: Editor) -> None:
    """Write the rows to correct, and let a clerk correct them; they lie on a desk until they are sent."""
    if not life.has_begun or not life.truth.sheets:
        return
    path = Path(f"correct {len(life.story)}.{life.chance.choice(('csv', 'xlsx'))}")
    result, table = campaign.load_result(life.place), _table_of_today(life)
    if table is None:
        return
    campaign.write_follow_up(result, path)
    lines: dict[int, Line] = {}

    def correct(row: dict[str, str]) -> dict[str, str]:
        origin = int(row[_ORIGIN])
        line = table.lines[origin - 2]
        if not line.national and life.chance.random() < 0.8:
            line = editor.with_number(line)
        lines[origin] = line
        return {**row, "phone": line.cell}

    (_change_csv if path.suffix == ".csv" else _change_xlsx)(path, correct)
    life.follow_ups[life.key] = FollowUp(path, table, lines)
    life.tell(f"a follow-up file of rows {list(lines)}, {path.suffix}")


def _row_of(original: Line, today: Sheet) -> int | None:
    """The one row of a person, or else the one that says in all of its cells what theirs said."""
    rows = dict(enumerate(today.lines, 2))
    own = [row for row, line in rows.items() if line.person == original.person]
    same = [row for row, line in rows.items() if (line.name, line.cell) == (original.name, original.cell)]
    found = own or same
    return found[0] if len(found) == 1 else None


def _table_of_today(life: Sender) -> Sheet | None:
    """The table of the last round: where a program was killed, it may be one of several."""
    result = campaign.load_result(life.place)
    cells = list(zip(result.contacts["name"], result.contacts["phone"], strict=True))
    tables = [
        sheet for sheet in life.truth.sheets if [(line.name, line.cell) for line in sheet.lines] == cells
    ]
    texts = set(whole_texts(zip(result.messages["number"], result.messages["message"], strict=True)))
    # People who keep an earlier text have it in the result, and not what the table says.
    return max(reversed(tables), key=lambda sheet: len(texts & set(sheet.texts())), default=None)


def send_follow_up(life: Sender) -> None:
    """Send the corrected rows: as a part of the table of today, or not at all."""
    file = life.follow_ups.pop(life.key, None)
    if file is None or not file.lines or life.place is None:
        return
    today = _table_of_today(life)
    if today is None or today.duplicates == "error":
        return
    places = file.places_in(today)
    is_stale = None in places.values()
    corrected = {place: file.lines[row] for row, place in places.items()}
    lines = tuple(corrected.get(row, line) for row, line in enumerate(today.lines, 2))
    before = life.sheet
    life.sheet = replace(
        today, lines=lines, follow_up=str(file.path), may_be_refused=today.lines != file.table.lines
    )
    life.tell(f"the follow-up file {file.path.name} is sent" + (", too late" if is_stale else ""))
    result = life.send(Intent("send", {"batch_size": 5, "concurrency": 1, "progress": False}))
    if is_stale and not life.refusal:
        raise life.failed(["rows were corrected that are of other people by now"])
    sent = replace(life.sheet, follow_up="", may_be_refused=False)
    life.sheet = before if result is None else sent


def _change_csv(path: Path, correct: Callable[[dict[str, str]], dict[str, str]]) -> None:
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    if not rows:
        return
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(correct(row) for row in rows)


def _change_xlsx(path: Path, correct: Callable[[dict[str, str]], dict[str, str]]) -> None:
    book = openpyxl.load_workbook(path)
    header, *rows = book.active.iter_rows()
    names = [cell.value for cell in header]
    for row in rows:
        corrected = correct({name: str(cell.value or "") for name, cell in zip(names, row, strict=True)})
        for name, cell in zip(names, row, strict=True):
            cell.value = corrected[name]
    book.save(path)
    book.close()
