"""A disk whose power can be cut: it records every write and sync of a ledger, and shows what a cut may leave.

SQLite runs through a file system of apsw, which stands between it and the real one, so that the very pragmas
and statements of the ledger are what is tried. What was synced before a cut is there after it; of what was
written since the last sync each piece is there, missing, or torn at the boundary of a sector.
"""

# ruff: noqa: N802 - the names of the methods are those of SQLite

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import apsw

from campaign.sending.ledger import connections, ledger_file
from campaign.sending.ledger.ledger import Entry, Ledger, Move
from campaign.sending.ledger.ledger_file import LedgerFile, open_ledger
from campaign.sending.ledger.rollback_guard import RollbackGuard, guard_path
from campaign.sending.ledger.views import journal_frame
from support.ledgers import IDENTITY, make_ledger

SECTOR = 512  # bytes that a disk writes whole or not at all


class Event(NamedTuple):
    """Something that happened to a file: "write", "truncate", "sync", "delete", "name"; "kept", "guard"."""

    kind: str
    file: str
    at: int = 0
    data: Any = b""


class Disk(apsw.VFS):
    """Keeps what happens to each file, in order, and passes it on to the real file system."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.name = f"disk {id(self)}"
        super().__init__(self.name, "")

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:
        return _File(self.events, name, flags)

    def xDelete(self, name: str, sync: bool) -> None:
        super().xDelete(name, sync)
        self.events.append(Event("delete", Path(name).name))

    def stand_in(self) -> SimpleNamespace:
        """What `connections` takes for the module sqlite3."""

        def connect(address: str, **_: Any) -> _Connection:
            return _Connection(address, self.name)

        return SimpleNamespace(connect=connect, Error=apsw.Error, IntegrityError=apsw.ConstraintError)


class _File(apsw.VFSFile):
    def __init__(self, events: list[Event], name: Any, flags: list[int]) -> None:
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        self._events, self._name = events, Path(path or "").name
        super().__init__("", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:
        super().xWrite(data, offset)
        self._events.append(Event("write", self._name, offset, bytes(data)))

    def xTruncate(self, size: int) -> None:
        super().xTruncate(size)
        self._events.append(Event("truncate", self._name, size))

    def xSync(self, flags: int) -> None:
        super().xSync(flags)
        self._events.append(Event("sync", self._name))


class _Connection:
    """What the ledger uses of a sqlite3.Connection, on apsw."""

    def __init__(self, address: str, disk: str) -> None:
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI
        self._real = apsw.Connection(address, flags=flags, vfs=disk)
        self.close = self._real.close

    def execute(self, sql: str, values: Any = None) -> _Answer:
        return _Answer(list(self._real.execute(sql, values)), self._real.changes())

    def executemany(self, sql: str, values: Iterable[Any]) -> _Answer:
        return _Answer([], sum(self.execute(sql, row).rowcount for row in values))

    def executescript(self, sql: str) -> None:
        self._real.execute(sql)


class _Answer(list[Any]):
    def __init__(self, rows: list[Any], changed: int) -> None:
        super().__init__(rows)
        self.rowcount = changed

    def fetchone(self) -> Any:
        return self[0] if self else None

    def fetchall(self) -> list[Any]:
        return list(self)


class Recording(NamedTuple):
    """A campaign as the disk saw it, and how many events there were when its batches were registered."""

    events: list[Event]
    registered: int


def record(folder: Path, monkeypatch: Any, batches: int, seed: int) -> Recording:
    """Two sessions of a made-up campaign, committed in groups as a run commits them.

    The last ten batches are withdrawn by a second round.
    """
    disk, path, chance = Disk(), folder / "ledger.sqlite", random.Random(seed)
    with monkeypatch.context() as patch:
        patch.setattr(connections, "sqlite3", disk.stand_in())
        _keep(patch, disk)
        entries = [Entry(batch, 0, 100 * batch, 100, b"d" * 32) for batch in range(1, batches + 1)]
        make_ledger(path, entries)
        registered = len(disk.events)
        for numbers in (range(1, batches // 2), range(batches // 2, batches - 9)):
            opened = open_ledger(path, IDENTITY)
            for group in groups(numbers, chance):
                assert set(opened.commit(group)) == {None}
            opened.close()
        opened = open_ledger(path, IDENTITY)
        opened.register_round("digest of round 2", [Entry(batches + 1, 0, 0, 100, b"d" * 32)])
        withdrawn = [(batch, "withdrawn") for batch in range(batches - 9, batches + 1)]
        disk.events.append(Event("kept", "", data=withdrawn))
        opened.close()
    return Recording(disk.events, registered)


def _keep(patch: Any, disk: Disk) -> None:
    """Note in the order of events what the ledger acknowledged, what its guard says, and its file's name."""
    commit, write, name_file = Ledger.commit, RollbackGuard.write, ledger_file.name_new_file

    def keep(self: Ledger, moves: Sequence[Move]) -> Any:
        answers = commit(self, moves)
        disk.events.append(Event("kept", "", data=[(move.batch, move.state) for move in moves]))
        return answers

    def guard(self: RollbackGuard, *arguments: Any, **options: Any) -> None:
        write(self, *arguments, **options)
        disk.events.append(Event("guard", "", data=self._path.read_text()))

    def name(unfinished_path: Path, path: Path) -> None:
        name_file(unfinished_path, path)
        disk.events.append(Event("name", path.name, data=unfinished_path.name))

    patch.setattr(ledger_file, "name_new_file", name)
    patch.setattr(Ledger, "commit", keep)
    patch.setattr(RollbackGuard, "write", guard)


def groups(numbers: range, chance: random.Random) -> Iterator[list[Move]]:
    """The moves of these batches as a run commits them: intents and outcomes mixed, 1 to 12 together."""
    waiting, under_way = list(numbers)[::-1], []
    while waiting or under_way:
        begun = [waiting.pop() for _ in range(min(len(waiting), chance.randrange(7)))]
        done = [
            under_way.pop(chance.randrange(len(under_way)))
            for _ in range(min(len(under_way), chance.randrange(7)))
        ]
        under_way += begun
        moves = [Move(batch, "sending", {"attempts": 1, "submitted_at": MOMENT}) for batch in begun]
        moves += [Move(batch, chance.choice(OUTCOMES), {"cost": "3500", "code": CODE}) for batch in done]
        if moves:
            yield moves


MOMENT, CODE = "2026-01-05T08:00:00.000+00:00", "ApiJsonSubmit0123456789abc.00000001"
OUTCOMES = ("accepted", "accepted", "accepted", "refused", "unknown")


class Remains(NamedTuple):
    """What a cut left: the files, and the moves that had been acknowledged by then."""

    files: dict[str, bytes]
    guard: str
    kept: list[tuple[int, str]]

    def lost(self, folder: Path) -> int:
        """How many acknowledged moves a ledger has forgotten that is opened with these files."""
        for name, content in self.files.items():
            (folder / name).write_bytes(content)
        path = folder / "ledger.sqlite"
        guard_path(path).write_text(self.guard)
        open_ledger(path, IDENTITY).close()
        moves = journal_frame(LedgerFile(path))
        remembered = set(zip(moves["batch"].tolist(), moves["now"].tolist(), strict=True))
        return len(set(self.kept) - remembered)


def cuts(recording: Recording, count: int, chance: random.Random) -> Iterator[Remains]:
    """What so many cuts leave, each at its own moment after the batches were registered."""
    events, registered = recording
    moments = sorted(chance.sample(range(registered, len(events) + 1), count))
    disk, guards, kept = _Plates(), ["0", "0"], []
    for place in range(len(events) + 1):
        while moments and moments[0] == place:
            moments.pop(0)
            yield Remains(disk.after_a_cut(chance), chance.choice(guards), list(kept))
        if place < len(events):
            event = events[place]
            if event.kind == "kept":
                kept += event.data
            elif event.kind == "guard":
                guards = [guards[1], event.data]
            else:
                disk.take(event)


class _Plates:
    """What is durable of each file, and what was written to it since it was synced."""

    def __init__(self) -> None:
        self.durable: dict[str, bytearray] = {}
        self.waiting: dict[str, list[Event]] = {}

    def take(self, event: Event) -> None:
        if event.kind == "name":
            for files in (self.durable, self.waiting):
                files[event.file] = files.pop(event.data)
            return
        content = self.durable.setdefault(event.file, bytearray())
        waiting = self.waiting.setdefault(event.file, [])
        if event.kind == "delete":
            del self.durable[event.file], self.waiting[event.file]
        elif event.kind == "sync":
            for unsynced in waiting:
                _apply(content, unsynced)
            waiting.clear()
        else:
            waiting.append(event)

    def after_a_cut(self, chance: random.Random) -> dict[str, bytes]:
        files = {}
        for name, durable in self.durable.items():
            content = bytearray(durable)
            for event in self.waiting[name]:
                for piece in _torn(event, chance):
                    _apply(content, piece)
            files[name] = bytes(content)
        return files


def _torn(event: Event, chance: random.Random) -> list[Event]:
    """What the disk made of one write that was not synced: all, nothing, or some of its sectors."""
    fate = chance.choice(("whole", "missing", "torn"))
    if fate == "missing" or event.kind == "truncate":
        return [event] if fate == "whole" else []
    if fate == "whole":
        return [event]
    edges = [0, *range(SECTOR - event.at % SECTOR, len(event.data), SECTOR), len(event.data)]
    return [
        event._replace(at=event.at + start, data=event.data[start:stop])
        for start, stop in pairwise(edges)
        if chance.random() < 0.5
    ]


def _apply(content: bytearray, event: Event) -> None:
    if event.kind == "truncate":
        del content[event.at :]
        return
    missing = event.at + len(event.data) - len(content)
    content.extend(bytes(max(0, missing)))
    content[event.at : event.at + len(event.data)] = event.data
