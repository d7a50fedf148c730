"""A frozen plan on disk: the batches it is cut into, and that none leaves once its part file was changed."""

import pandas as pd
import pytest
from support.refusals import refused

from campaign.errors import LedgerError
from campaign.messages.plan_tables.plan_columns import MessageStream
from campaign.sending.store import frozen_messages
from campaign.sending.store.frozen_messages import Cutting, freeze, in_order, pending_batches
from campaign.sending.store.part_files import OUTGOING, part_path, read_part
from campaign.service.wire import EncodedMessages

MESSAGES = pd.DataFrame(
    {
        "row": [2, 3, 4, 5],
        "number": ["256772000001", "256772000002", "256772000003", "256772000004"],
        "message": ["Hi Aisha", "Hi Ben", "Hi Caro", "Hi José"],
        "sender": ["CLINIC", "CLINIC", "CLINIC", "SHOP"],
        "priority": ["0", "1", "", ""],
        "parts": [1, 1, 1, 1],
        "text_hash": [-2, -1, 0, 1],
        "cell_hash": [10, 11, 12, 13],
    }
)
GOLDEN = [
    "0467576e3980187b",
    "297ff65865ee29cf",
]  # SHA-256 over offsets (little-endian int64) and bytes of each column


class Waiting:
    """A ledger in which every batch waits."""

    def __init__(self, entries):
        self.entries = entries

    def pending(self, part):
        return [entry for entry in self.entries if entry.part == part]


def frozen(folder, messages=MESSAGES, size=2, canary=False, pilot=None, first_batch=1):
    """These messages as a round froze them, in their order."""
    cutting = Cutting(batch_size=size, first_batch=first_batch, canary=canary, pilot=pilot)
    rows, places = messages["row"].to_numpy(), messages.index.to_numpy()
    return Waiting(freeze(in_order(MessageStream(iter([messages]))), rows, places, folder, cutting)[0])


def change(folder, messages):
    """Put these messages into the part file."""
    messages.assign(place=messages.index).to_parquet(part_path(folder, 0), index=False)


def leaving(folder, ledger, encoding="plain"):
    parts = len({entry.part for entry in ledger.entries})
    return list(pending_batches(folder, parts, ledger, encoding))


def test_what_was_frozen_leaves_in_its_order(tmp_path):
    ledger = frozen(tmp_path, canary=True)
    assert [(entry.batch, entry.part, entry.first, entry.messages) for entry in ledger.entries] == [
        (1, 0, 0, 1), (2, 0, 1, 2), (3, 0, 3, 1),
    ]  # fmt: skip
    made = leaving(tmp_path, ledger)
    assert [(batch.number, batch.messages) for batch in made] == [(1, 1), (2, 2), (3, 1)]
    assert b"Hi Ben" in bytes(made[1].entries)
    assert b"Hi Caro" in bytes(made[1].entries)
    assert "Ben" not in repr(made[1])


def test_batches_are_numbered_on_and_leave_in_the_order_that_was_chosen(tmp_path):
    ledger = frozen(tmp_path, MESSAGES.iloc[[3, 0]], size=1, first_batch=7)
    assert [entry.batch for entry in ledger.entries] == [7, 8]
    assert [b"Jos" in bytes(batch.entries) for batch in leaving(tmp_path, ledger)] == [True, False]


def test_the_hashes_of_each_message_are_kept_beside_it(tmp_path):
    frozen(tmp_path, MESSAGES.iloc[[3, 0]])
    table = read_part(part_path(tmp_path, 0), OUTGOING, ["row", "text_hash", "cell_hash"])
    assert table.to_pydict() == {"row": [5, 2], "text_hash": [1, -2], "cell_hash": [13, 10]}


def test_a_pilot_shares_no_batch_and_no_part_with_what_comes_after_it(tmp_path):
    ledger = frozen(tmp_path, size=3, pilot=2)
    assert [(entry.part, entry.first, entry.messages) for entry in ledger.entries] == [(0, 0, 2), (1, 0, 2)]
    ledger = frozen(make(tmp_path / "canary"), size=3, pilot=3, canary=True)
    assert [entry.messages for entry in ledger.entries] == [1, 2, 1]


def make(folder):
    folder.mkdir()
    return folder


def test_a_digest_stays_what_it_was_in_every_version(tmp_path):
    """Folders on disk hold these bytes: a version that computes them otherwise could resume none."""
    ledger = frozen(tmp_path)
    assert [entry.digest.hex()[:16] for entry in ledger.entries] == GOLDEN


@pytest.mark.parametrize(
    ("column", "texts"),
    [
        ("number", ["256772000009"]),
        ("message", ["Hi Aisho"]),
        ("message", ["Hi AishaHi", " Ben"]),  # the same characters, divided otherwise
        ("message", ["Hi AishaHi Ben", ""]),
        ("sender", ["CLINIK"]),
        ("sender", ["CLINICC", "LINIC"]),
        ("priority", ["4"]),
        ("priority", ["01", ""]),
    ],
)
def test_a_part_that_was_changed_does_not_leave(column, texts, tmp_path):
    ledger = frozen(tmp_path)
    changed = MESSAGES.copy()
    changed.loc[: len(texts) - 1, column] = texts
    change(tmp_path, changed)
    with refused("campaign_file_damaged", LedgerError):
        leaving(tmp_path, ledger)


def test_rows_that_were_swapped_or_taken_away_do_not_leave(tmp_path):
    ledger = frozen(tmp_path)
    for changed in (MESSAGES.iloc[[1, 0, 2, 3]], MESSAGES.iloc[:3], MESSAGES.iloc[:0]):
        change(tmp_path, changed)
        with refused("campaign_file_damaged", LedgerError):
            leaving(tmp_path, ledger)


def test_a_batch_whose_rows_are_all_gone_does_not_leave(tmp_path):
    second = Waiting(frozen(tmp_path).entries[1:])
    change(tmp_path, MESSAGES.iloc[:1])
    with refused("campaign_file_damaged", LedgerError):
        leaving(tmp_path, second)


def test_a_change_in_a_batch_that_has_left_does_not_hold_the_others(tmp_path):
    """What was sent is sent; what waits is looked at batch by batch."""
    ledger = frozen(tmp_path)
    changed = MESSAGES.copy()
    changed.loc[0, "message"] = "Hi Amina"
    change(tmp_path, changed)
    rest = Waiting(ledger.entries[1:])
    assert [batch.number for batch in leaving(tmp_path, rest)] == [2]


@pytest.mark.parametrize("content", [None, b"PAR1"])
def test_a_part_that_is_missing_or_damaged_is_said(content, tmp_path):
    ledger = frozen(tmp_path)
    part_path(tmp_path, 0).unlink()
    if content is not None:
        part_path(tmp_path, 0).write_bytes(content)
    with refused("campaign_file_damaged", LedgerError):
        leaving(tmp_path, ledger)


def test_parts_of_a_long_plan_are_read_one_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(frozen_messages, "PART_MESSAGES", 2)
    ledger = frozen(tmp_path, size=1, canary=True)
    assert [(entry.part, entry.first) for entry in ledger.entries] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["part-00000.parquet", "part-00001.parquet"]
    made = pending_batches(tmp_path, 2, ledger, "plain")
    next(made)
    part_path(tmp_path, 1).unlink()  # not opened before its turn
    assert next(made).number == 2
    with refused("campaign_file_damaged", LedgerError):
        next(made)


def test_only_the_first_batch_of_a_round_is_the_canary(tmp_path, monkeypatch):
    monkeypatch.setattr(frozen_messages, "PART_MESSAGES", 2)
    assert [entry.messages for entry in frozen(tmp_path, size=2, canary=True).entries] == [1, 1, 2]


def test_a_part_without_anything_left_to_send_is_not_opened(tmp_path, monkeypatch):
    monkeypatch.setattr(frozen_messages, "PART_MESSAGES", 2)
    ledger = frozen(tmp_path)
    part_path(tmp_path, 0).unlink()
    rest = Waiting(ledger.entries[1:])
    assert [batch.number for batch in pending_batches(tmp_path, 2, rest, "plain")] == [2]


@pytest.mark.parametrize("encoding", ["url", "plain"])
def test_a_batch_is_encoded_as_its_account_wants_it(encoding, tmp_path):
    (first, _) = leaving(tmp_path, frozen(tmp_path), encoding)
    table = read_part(part_path(tmp_path, 0), OUTGOING)
    assert bytes(first.entries) == bytes(EncodedMessages(table, encoding).slice(0, 2))
    assert (b"Hi%20Aisha" in bytes(first.entries)) == (encoding == "url")
