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


def _table_of_today(life: Sender) -> Sheet | None:
    """The table of the last round: where a program was killed, it may be one of several."""
    result = campaign.load_result(life.place)
    cells = list(zip(result.contacts["name"], result.contacts["phone"], strict=True))
    texts = set(whole_texts(zip(result.messages["number"], result.messages["message"], strict=True)))
    tables = [sheet for sheet in life.truth.sheets if [line.cells for line in sheet.lines] == cells]
    return next((sheet for sheet in reversed(tables) if texts <= set(sheet.texts())), None)


def send_follow_up(life: Sender) -> None:
    """Send the corrected rows: as a part of the table of today, or not at all."""
    file = life.follow_ups.pop(life.key, None)
    if file is None or not file.lines or life.place is None:
        return
    before, today = life.sheet, _table_of_today(life)
    if today is None or today.duplicates == "error":
        return
    is_changed = today.lines != file.table.lines
    corrections = tuple(file.lines.values())
    life.sheet = replace(today, follow_up=str(file.path), corrections=corrections, may_be_refused=is_changed)
    life.tell(
        f"the follow-up file {file.path.name} is sent" + (", after other changes" if is_changed else "")
    )
    if life.send(Intent("send", {"batch_size": 5, "concurrency": 1, "progress": False})) is None:
        life.sheet = before
        return
    sent = zip(today.lines, life.sheet.lines, strict=True)
    strange = [line for own, line in sent if own.cells != line.cells and line not in corrections]
    missing = set(corrections) - set(life.sheet.lines)
    life.check([f"{strange} took the place of other rows, {missing} did not"] if strange or missing else [])


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
