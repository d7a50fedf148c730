"""A ledger that was lost, moved or put back from an older copy is found out; so is a disk that keeps none."""

import shutil
from pathlib import Path

import pytest

from campaign.errors import LedgerError
from campaign.sending.ledger.file_systems import file_system_of, is_network
from campaign.sending.ledger.ledger import Entry, Move, create_ledger, open_ledger
from campaign.sending.ledger.views import count_by_state

IDENTITY = {"fingerprint": "f1"}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "ledger.sqlite"
    create_ledger(path, IDENTITY, [Entry(batch, 0, batch, 10, b"d") for batch in range(1, 6)])
    return path


def send(path, *batches):
    opened = open_ledger(path, IDENTITY)
    for batch in batches:
        opened.move(batch, "sending")
        opened.move(batch, "accepted")
    opened.close()


def test_yesterdays_copy_is_found_out(path, tmp_path):
    send(path, 1)
    shutil.copy(path, tmp_path / "copy")
    send(path, 2, 3)
    shutil.copy(tmp_path / "copy", path)
    with pytest.raises(LedgerError, match="4 moves are missing"):
        open_ledger(path, IDENTITY)


def test_a_copy_without_its_write_ahead_file_is_found_out(path, tmp_path):
    opened = open_ledger(path, IDENTITY)
    opened.move(1, "sending")
    opened._write_guard(at_once=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.copy(path, elsewhere)
    shutil.copy(path.with_name("ledger.sqlite.moves"), elsewhere)
    opened.close()
    with pytest.raises(LedgerError, match="1 move is missing"):
        open_ledger(elsewhere / "ledger.sqlite", IDENTITY)


def test_a_missing_guard_is_reported(path):
    path.with_name("ledger.sqlite.moves").unlink()
    with pytest.raises(LedgerError, match=r"ledger\.sqlite\.moves is missing"):
        open_ledger(path, IDENTITY)


def test_a_ledger_moved_away_under_a_run_keeps_everything_here(path, tmp_path):
    opened = open_ledger(path, IDENTITY)
    path.rename(tmp_path / "moved.sqlite")
    with pytest.raises(LedgerError, match="moved, deleted or replaced"):
        opened.move(1, "sending")
    (tmp_path / "moved.sqlite").rename(path)
    opened.close()
    assert count_by_state(path)["pending"].batches == 5


def test_a_full_disk_keeps_everything_here_that_had_not_left(tmp_path):
    """`max_page_count` makes SQLite say that the disk is full, as it would on a real one."""
    path = tmp_path / "ledger.sqlite"
    create_ledger(path, IDENTITY, [Entry(batch, 0, batch, 1, b"d") for batch in range(1, 2001)])
    opened = open_ledger(path, IDENTITY)
    pages = opened._connection.execute("PRAGMA page_count").fetchone()[0]
    opened._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    moves = {batch: opened.commit([Move(batch, "sending", {})])[0] for batch in range(1, 2001)}
    opened.close()
    refused = {batch for batch, error in moves.items() if error is not None}
    assert refused
    assert all("disk is full" in str(moves[batch]) for batch in refused)
    again = open_ledger(path, IDENTITY)
    assert {entry.batch for entry in again.pending(0)} == refused
    assert again.counts()["unknown"].batches == 2000 - len(refused)
    again.close()


MOUNTS = r"""
21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
35 21 0:45 / /home/ana/share\040one rw,nosuid shared:18 - cifs //server/one rw
36 21 0:46 / /data rw shared:19 - nfs4 server:/data rw
37 36 8:2 / /data/local rw shared:20 - xfs /dev/sdb1 rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/ana/campaigns", "ext4"),
        ("/home/ana/share one/campaigns", "cifs"),
        ("/data/campaigns", "nfs4"),
        ("/data/local/campaigns", "xfs"),
        ("/database", "ext4"),
    ],
)
def test_the_file_system_of_a_folder(path, kind):
    assert file_system_of(Path(path), MOUNTS.strip()) == kind
    assert is_network(kind) is (kind in ("cifs", "nfs4"))


def test_a_network_file_system_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("campaign.sending.ledger.connections.network_file_system", lambda path: "nfs4")
    with pytest.raises(LedgerError, match="to a folder on a local disk"):
        create_ledger(tmp_path / "ledger.sqlite", IDENTITY, [])
