"""An older copy of a ledger is noticed, and so is a disk that cannot keep one."""

import shutil
from contextlib import closing
from pathlib import Path

import pytest
from support.ledgers import IDENTITY, count_by_state, make_ledger
from support.refusals import refused

from campaign.errors import LedgerError
from campaign.sending.ledger import connections, rollback_guard
from campaign.sending.ledger.connections import file_system_of, is_network
from campaign.sending.ledger.ledger import Entry, Move
from campaign.sending.ledger.ledger_file import LedgerFile, create_ledger, open_ledger
from campaign.sending.ledger.views import snapshot


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "ledger.sqlite"
    make_ledger(path, [Entry(batch, 0, batch, 10, b"d") for batch in range(1, 6)])
    return path


def send(path, *batches):
    opened = open_ledger(path, IDENTITY)
    for batch in batches:
        opened.move(batch, "sending")
        opened.move(batch, "accepted")
    opened.close()


def test_a_ledger_that_grows_while_it_is_checked_is_no_older_copy(path):
    """A run under way may write the guard between the two looks; the guard is looked at first."""
    guard = rollback_guard.RollbackGuard(path)

    def count_while_a_run_goes_on():
        before = 5
        guard.write(lambda: 7, at_once=True)
        return before

    guard.write(lambda: 4, at_once=True)
    guard.check(count_while_a_run_goes_on)
    with refused("ledger_older", LedgerError, missing=1):
        guard.check(lambda: 6)


def test_yesterdays_copy_is_noticed(path, tmp_path):
    send(path, 1)
    shutil.copy(path, tmp_path / "copy")
    send(path, 2, 3)
    shutil.copy(tmp_path / "copy", path)
    with refused("ledger_older", LedgerError, missing=4):
        open_ledger(path, IDENTITY)


def test_a_copy_without_its_write_ahead_log_is_noticed(path, tmp_path):
    opened = open_ledger(path, IDENTITY)
    opened.move(1, "sending")
    opened._tell_witnesses(at_once=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.copy(path, elsewhere)
    shutil.copy(path.with_name("ledger.sqlite.moves"), elsewhere)
    opened.close()
    with refused("ledger_older", LedgerError, missing=1):
        open_ledger(elsewhere / "ledger.sqlite", IDENTITY)


def test_a_missing_guard_is_reported(path):
    path.with_name("ledger.sqlite.moves").unlink()
    with refused("ledger_missing", LedgerError):
        open_ledger(path, IDENTITY)


@pytest.mark.parametrize(
    "content", [b"", b"-5", b"1_0", b" 1", b"1\n", b"4.0", b"many", "٣".encode(), b"\xff", b"9" * 5000]
)
def test_a_damaged_guard_is_reported_and_never_taken_for_a_number(path, content):
    send(path, 1)
    path.with_name("ledger.sqlite.moves").write_bytes(content)
    with refused("campaign_file_damaged", LedgerError):
        open_ledger(path, IDENTITY)


def test_a_guard_that_is_behind_the_ledger_is_no_reason_to_refuse_it(path):
    """It is written at most twice a second, and a power cut may take the last one."""
    send(path, 1)
    path.with_name("ledger.sqlite.moves").write_text("0")
    send(path, 2)
    assert path.with_name("ledger.sqlite.moves").read_text() == "5"  # the round, and two moves of two batches


def test_a_guard_that_was_being_written_at_a_kill_is_no_obstacle_to_the_next(path):
    path.with_name("ledger.sqlite.moves.new").write_text("")
    send(path, 1)
    assert path.with_name("ledger.sqlite.moves").read_text() == "3"
    assert not path.with_name("ledger.sqlite.moves.new").exists()


def test_the_guard_follows_a_run_without_being_written_at_every_move(path, monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(rollback_guard.time, "monotonic", lambda: clock[0])
    opened, guard = open_ledger(path, IDENTITY), path.with_name("ledger.sqlite.moves")
    shown = []
    for batch, seconds in ((1, 0), (2, 0.4), (3, 0.2), (4, 0.1)):
        clock[0] += seconds
        opened.move(batch, "sending")
        shown.append(guard.read_text())
    opened.close()
    assert shown == ["2", "2", "4", "4"]  # the first move is that of the round
    assert guard.read_text() == "5"


def test_a_ledger_from_before_the_last_round_is_noticed(path, tmp_path):
    """The guard counts rounds too, and is written as soon as one is registered."""
    shutil.copy(path, tmp_path / "copy")
    with closing(open_ledger(path, IDENTITY)) as ledger:
        ledger.register_round("digest of round 2", [Entry(6, 0, 0, 10, b"d")])
        assert path.with_name("ledger.sqlite.moves").read_text() == "7"  # five withdrawals, and the round
    shutil.copy(tmp_path / "copy", path)
    with refused("ledger_older", LedgerError, missing=6):
        open_ledger(path, IDENTITY)


def test_a_ledger_moved_away_under_a_run_keeps_everything_here(path, tmp_path):
    opened = open_ledger(path, IDENTITY)
    path.rename(tmp_path / "moved.sqlite")
    with refused("ledger_unwritable", LedgerError):
        opened.move(1, "sending")
    (tmp_path / "moved.sqlite").rename(path)
    opened.close()
    assert count_by_state(path)["pending"].batches == 5


def test_a_full_disk_keeps_everything_here_that_had_not_left(tmp_path):
    """`max_page_count` makes SQLite say that the disk is full, as it would on a real one."""
    path = tmp_path / "ledger.sqlite"
    make_ledger(path, [Entry(batch, 0, batch, 1, b"d") for batch in range(1, 2001)])
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
    assert count_by_state(path)["unknown"].batches == 2000 - len(refused)
    again.close()


MOUNTS = r"""
21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
35 21 0:45 / /home/ana/share\040one rw,nosuid shared:18 - cifs //server/one rw
36 21 0:46 / /data rw shared:19 - nfs4 server:/data rw
37 36 8:2 / /data/local rw shared:20 - xfs /dev/sdb1 rw
38 21 0:50 / /drive rw - fuse.google-drive drive rw
39 21 8:1 / /twice rw - ext4 /dev/sda1 rw
40 39 0:51 / /twice rw - nfs4 server:/twice rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/ana/campaigns", "ext4"),
        ("/home/ana/share one/campaigns", "cifs"),
        ("/data/campaigns", "nfs4"),
        ("/data/local/campaigns", "xfs"),
        ("/database", "ext4"),
        ("/drive/campaigns", "fuse.google-drive"),
        ("/twice/campaigns", "nfs4"),
    ],
)
def test_the_file_system_of_a_folder(path, kind):
    assert file_system_of(Path(path), MOUNTS.strip()) == kind


REMOTE = """
nfs nfs4 cifs smb3 9p ceph ocfs2 vboxsf virtiofs prl_fs vmhgfs
fuse fuse.sshfs fuse.gcsfuse fuse.mount-s3 fuse.rclone fuse.google-drive-ocamlfuse fuse.vmhgfs-fuse
"""
LOCAL = "ext4 xfs btrfs zfs tmpfs overlay apfs fuseblk fuse.ntfs-3g fuse.gocryptfs fuse.fuse-overlayfs"


def test_which_file_systems_may_be_on_a_network():
    """Whatever comes through FUSE may, unless it is known to be on a local disk."""
    assert [kind for kind in REMOTE.split() if not is_network(kind)] == []
    assert [kind for kind in LOCAL.split() if is_network(kind)] == []


@pytest.fixture
def on_a_network(path, monkeypatch):
    """The folder of the ledger is mounted from another machine."""
    mounts = path.parent / "mountinfo"
    mounts.write_text(
        f"21 1 8:1 / / rw - ext4 /dev/sda1 rw\n22 21 0:9 / {path.parent} rw - fuse.sshfs s: rw\n"
    )
    monkeypatch.setattr(connections, "_MOUNTS", mounts)


@pytest.mark.usefixtures("on_a_network")
@pytest.mark.parametrize(
    "use",
    [
        lambda path: create_ledger(path.with_name("new.sqlite"), IDENTITY),
        lambda path: open_ledger(path, IDENTITY),
        lambda path: snapshot(LedgerFile(path)),
    ],
    ids=["made", "opened", "read"],
)
def test_a_network_file_system_is_refused_at_every_opening(path, use):
    """A folder may be moved there, or the share mounted over it, long after the start."""
    with refused("ledger_unsafe", LedgerError):
        use(path)
    assert not path.with_name("new.sqlite").exists()
