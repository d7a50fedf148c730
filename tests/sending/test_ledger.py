"""The ledger without a network: which moves exist, what survives, whose it is."""

import asyncio
import os
import shutil
import sqlite3
import sys
import threading
import time
from contextlib import closing
from decimal import Decimal
from functools import partial
from pathlib import Path

import pytest
from support.ledgers import IDENTITY, Count, count_by_state, make_ledger, result_frame, total_cost
from support.refusals import refused

from campaign.errors import LedgerError
from campaign.sending.ledger import connections
from campaign.sending.ledger import group_commit as group_commits
from campaign.sending.ledger.group_commit import GroupCommit
from campaign.sending.ledger.integrity import check_ledger
from campaign.sending.ledger.ledger import Entry, Move
from campaign.sending.ledger.ledger_file import LedgerFile, create_ledger, open_ledger
from campaign.sending.ledger.views import journal_frame, snapshot
from campaign.words.finding import Finding
from campaign.words.python import PYTHON
from campaign.words.stored import from_json, stored


@pytest.fixture
def path(tmp_path):
    """A fresh ledger of three batches, 201 messages."""
    path = tmp_path / "ledger.sqlite"
    entries = [Entry(1, 0, 0, 1, b"d1"), Entry(2, 0, 1, 100, b"d2"), Entry(3, 1, 0, 100, b"d3")]
    make_ledger(path, entries)
    return path


@pytest.fixture
def fresh_ledger(path):
    opened = open_ledger(path, IDENTITY)
    yield opened
    opened.close()


def test_every_batch_is_registered_before_anything_is_sent(fresh_ledger, path):
    assert count_by_state(path) == {"pending": Count(3, 201)}
    assert [entry.batch for entry in fresh_ledger.pending(0)] == [1, 2]
    assert fresh_ledger.pending(1) == [Entry(3, 1, 0, 100, b"d3")]


def test_a_batch_goes_out_and_comes_back(fresh_ledger, path):
    fresh_ledger.move(1, "sending", attempts=1, submitted_at="2026-01-05T08:00:00.000+00:00")
    fresh_ledger.move(1, "accepted", cost=Decimal("35.50"), code="c-1", seconds=0.25)
    first = result_frame(LedgerFile(path)).iloc[0]
    assert first.to_dict() | {"submitted_at": str(first["submitted_at"])} == {
        "batch": 1, "messages": 1, "status": "accepted", "cost": Decimal("35.50"), "code": "c-1", "why": "",
        "error": "", "attempts": 1, "submitted_at": "2026-01-05 08:00:00+00:00", "seconds": 0.25, "round": 1,
        "facts": "{}",
    }  # fmt: skip
    assert total_cost(LedgerFile(path)) == Decimal("35.50")


def test_what_was_not_attempted_is_not_sent(path):
    frame = result_frame(LedgerFile(path))
    assert frame["status"].tolist() == ["not_sent"] * 3
    assert frame["cost"].tolist() == [None] * 3
    assert frame["submitted_at"].isna().all()
    assert str(frame["submitted_at"].dtype) == "datetime64[us, UTC]"


@pytest.mark.parametrize(
    "moves",
    [
        ["accepted"],
        ["refused"],
        ["unknown"],
        ["sending", "sending"],
        ["sending", "pending"],
        ["sending", "accepted", "sending"],
        ["sending", "accepted", "unknown"],
        ["sending", "refused", "pending"],
        ["sending", "unknown", "sending"],
        ["sending", "unknown", "accepted"],  # without a note of who decided it
        ["sending", "unknown", "again"],
        ["sending", "unknown", "pending"],
        ["sending", "unknown", "withdrawn"],
        ["sending", "withdrawn"],
        ["sending", "accepted", "withdrawn"],
        ["again"],
        ["withdrawn", "pending"],
        ["withdrawn", "sending"],
    ],
)
def test_every_other_move_is_refused(fresh_ledger, moves):
    *allowed, wrong = moves
    for state in allowed:
        fresh_ledger.move(2, state)
    with refused("ledger_refuses", LedgerError, batch=2):
        fresh_ledger.move(2, wrong)


@pytest.mark.parametrize("wrong", ["pending", "sending", "unknown", "accepted", "refused", "withdrawn"])
def test_a_batch_that_is_ordered_again_stays_that_for_good(fresh_ledger, path, wrong):
    """Its texts go out in a batch of a later round, so that nothing is ever in two batches that wait."""
    fresh_ledger.move(2, "sending")
    fresh_ledger.move(2, "unknown")
    fresh_ledger.move(2, "again", note="ana: again")
    with refused("ledger_refuses", LedgerError, batch=2):
        fresh_ledger.move(2, wrong, note="ana: once more")
    assert moves_of_batches(path)["note"].tolist() == ["", "", "ana: again"]


def moves_of_batches(path):
    """The journal without the registrations of rounds."""
    journal = journal_frame(LedgerFile(path))
    return journal[journal["batch"] > 0]


@pytest.mark.parametrize(
    ("moves", "kept"),
    [
        ("1 sending, 2 sending, 3 sending", [1, 1, 1]),
        ("1 sending, 2 accepted, 3 sending", [1, 0, 1]),  # never attempted
        ("1 sending, 99 sending, 3 sending", [1, 0, 1]),  # there is no such batch
        ("1 sending, 1 sending, 2 sending", [1, 0, 1]),
        ("1 sending, 2 sending, 2 accepted, 3 sending", [1, 1, 1, 1]),
        ("1 sending, 2 accepted, 2 sending, 3 accepted", [1, 0, 1, 0]),
    ],
)
def test_a_refused_move_does_not_spoil_the_others_of_its_group(fresh_ledger, path, moves, kept):
    facts = {"sending": {"attempts": 1}, "accepted": {"code": "A1"}}
    named = [move.split() for move in moves.split(", ")]
    group = [Move(int(batch), state, facts[state]) for batch, state in named]
    answers = fresh_ledger.commit(group)
    assert [answer is None for answer in answers] == [bool(one) for one in kept]
    written = moves_of_batches(path)[["batch", "now"]].to_numpy().tolist()
    assert written == [[move.batch, move.state] for move, one in zip(group, kept, strict=True) if one]


def test_moves_that_set_different_columns_share_a_commit(fresh_ledger, path):
    """As a run has them: some batches leave while others are answered."""
    fresh_ledger.commit([Move(batch, "sending", {"attempts": 1}) for batch in (1, 2)])
    fresh_ledger.commit(
        [
            Move(1, "accepted", {"cost": Decimal("35.50"), "code": "A1"}),
            Move(3, "sending", {"attempts": 2}),
            Move(2, "refused", {"cost": None, "code": "", "error": "No funds"}),
        ]
    )
    found = result_frame(LedgerFile(path))[["status", "cost", "code", "error", "attempts"]]
    assert found.to_numpy().tolist() == [
        ["accepted", Decimal("35.50"), "A1", "", 1],
        ["refused", None, "", "No funds", 1],
        ["unknown", None, "", "", 2],  # under way
    ]


def test_the_journal_keeps_every_move_and_cannot_be_changed(fresh_ledger, path):
    fresh_ledger.move(1, "sending")
    remark = stored(Finding("no_answer", {"failure": "TimeoutError"}))
    fresh_ledger.move(1, "unknown", error=remark)
    kept = journal_frame(LedgerFile(path))
    assert kept[["batch", "was", "now", "error"]].to_numpy().tolist() == [
        [0, "", "round", ""],
        [1, "pending", "sending", ""],
        [1, "sending", "unknown", remark],
    ]
    came = result_frame(LedgerFile(path)).iloc[0]
    assert (came["why"], from_json(came["facts"])) == ("no_answer", {"failure": "TimeoutError"})
    assert came["error"] == PYTHON.headline(Finding("no_answer"))
    with (
        sqlite3.connect(path) as connection,
        pytest.raises(sqlite3.IntegrityError, match="journal only grows"),
    ):
        connection.execute("DELETE FROM journal")
    connection.close()


COLUMNS = "(batch, round, part, first, messages, digest)"


@pytest.mark.parametrize(
    ("meddling", "refusal"),
    [
        # REPLACE puts the column's default where NULL is not allowed.
        ("UPDATE OR REPLACE batches SET state = NULL WHERE batch = 3", "not allowed"),
        ("UPDATE OR REPLACE batches SET state = 'pending', note = NULL WHERE batch = 2", "not allowed"),
        ("UPDATE OR REPLACE batches SET state = 'again', note = NULL WHERE batch = 2", "not allowed"),
        (f"REPLACE INTO batches {COLUMNS} VALUES (1, 1, 0, 0, 9, x'00')", "the plan is frozen"),
        (f"REPLACE INTO batches {COLUMNS} VALUES (1, 2, 0, 0, 9, x'00')", "the plan is frozen"),
        (f"INSERT INTO batches {COLUMNS} VALUES (4, 1, 0, 0, 9, x'00')", "the plan is frozen"),
        (f"INSERT INTO batches {COLUMNS} VALUES (9, 2, 0, 0, 9, x'00')", "the plan is frozen"),
        (f"INSERT INTO batches {COLUMNS} VALUES (4, 3, 0, 0, 9, x'00')", "the plan is frozen"),
        (f"INSERT INTO batches {COLUMNS} VALUES (NULL, 1, 0, 0, 9, x'00')", "the plan is frozen"),
        ("UPDATE batches SET round = 2 WHERE batch = 1", "the plan is frozen"),
        ("UPDATE batches SET batch = 9 WHERE batch = 1", "the plan is frozen"),
        ("UPDATE batches SET part = 9 WHERE batch = 1", "the plan is frozen"),
        ("UPDATE batches SET first = 9 WHERE batch = 1", "the plan is frozen"),
        ("UPDATE batches SET messages = 9 WHERE batch = 1", "the plan is frozen"),
        ("UPDATE batches SET digest = x'00' WHERE batch = 1", "the plan is frozen"),
        ("DELETE FROM batches WHERE batch = 1", "never deleted"),
        ("UPDATE journal SET note = 'ana: again'", "journal only grows"),
        ("DELETE FROM journal", "journal only grows"),
        ("REPLACE INTO journal VALUES (1, '', 1, '', '', '', '')", "journal only grows"),
        ("UPDATE rounds SET round = 2", "rounds only grow"),
        ("UPDATE rounds SET digest = 'x'", "rounds only grow"),
        ("UPDATE OR REPLACE rounds SET at = 'x'", "rounds only grow"),
        ("DELETE FROM rounds", "rounds only grow"),
        ("REPLACE INTO rounds VALUES (1, 'x', 'x')", "rounds follow each other"),
        ("INSERT INTO rounds VALUES (0, 'x', 'x')", "rounds follow each other"),
        ("INSERT INTO rounds VALUES (2, 'x', 'x')", "batches of an earlier round still wait"),
        ("UPDATE campaign SET value = 'x' WHERE key = 'manifest'", "never changes"),
        ("UPDATE campaign SET key = 'machine' WHERE key = 'manifest'", "never changes"),
        ("REPLACE INTO campaign VALUES ('manifest', 'x')", "never changes"),
        ("INSERT INTO campaign VALUES ('environment', 'live')", "never changes"),
        ("DELETE FROM campaign", "never changes"),
        ("UPDATE OR IGNORE batches SET state = 'lost' WHERE batch = 3", "not allowed"),
    ],
)
def test_another_program_cannot_make_a_batch_leave_again(fresh_ledger, path, meddling, refusal):
    for batch in (1, 2):
        fresh_ledger.move(batch, "sending")
    fresh_ledger.move(1, "accepted")
    fresh_ledger.move(2, "unknown")
    with closing(sqlite3.connect(path)) as connection:
        before = list(connection.iterdump())
        with pytest.raises(sqlite3.IntegrityError, match=refusal):
            connection.execute(meddling)
        connection.commit()
        assert list(connection.iterdump()) == before


@pytest.mark.parametrize("number", [-1, 0, 1, 3, 99])
def test_a_round_of_another_number_is_refused(fresh_ledger, path, number):
    """With nothing waiting, so that only the number is against it."""
    fresh_ledger.close_campaign("closed")
    with (
        closing(sqlite3.connect(path)) as connection,
        pytest.raises(sqlite3.IntegrityError, match="rounds follow each other"),
    ):
        connection.execute("INSERT INTO rounds VALUES (?, 'x', 'x')", (number,))


def test_batches_of_a_round_that_was_never_registered_are_refused(fresh_ledger, path):
    """The triggers let them in, because a round's batches are registered before the round itself."""
    fresh_ledger.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"INSERT INTO batches {COLUMNS} VALUES (4, 2, 0, 0, 9, x'00')")
        connection.commit()
    with refused("ledger_damaged", LedgerError):
        open_ledger(path, IDENTITY)


ODD_FACTS = [
    {"cost": "1.2.3"},
    {"cost": "-35"},
    {"cost": "1e5"},
    {"cost": "NaN"},
    {"cost": ""},
    {"cost": ".5"},
    {"submitted_at": "soon"},
    {"submitted_at": "2026-13"},
    {"submitted_at": "2026-01-05 08:00"},
    {"code": None},
    {"error": None},
    {"note": None},
    {"attempts": None},
    {"attempts": "often"},
    {"seconds": "long"},
]


@pytest.mark.parametrize("facts", ODD_FACTS, ids=str)
def test_a_fact_that_no_run_knows_is_refused(fresh_ledger, path, facts):
    """The table checks them too, because results add them up and compare them later."""
    fresh_ledger.move(1, "sending")
    with refused("ledger_refuses", LedgerError, batch=1, state="accepted"):
        fresh_ledger.move(1, "accepted", **facts)
    assert count_by_state(path)["sending"].batches == 1


@pytest.mark.parametrize("cost", ["0", "35", "35.50", "12345678901234567890.123"])
def test_costs_are_kept_to_the_last_digit(fresh_ledger, path, cost):
    fresh_ledger.move(1, "sending")
    fresh_ledger.move(1, "accepted", cost=Decimal(cost))
    assert str(result_frame(LedgerFile(path))["cost"][0]) == cost
    assert total_cost(LedgerFile(path)) == Decimal(cost)


def test_costs_are_added_up_batch_by_batch(fresh_ledger, path):
    """Two of the same, and one that Python writes with an exponent."""
    for batch, cost in ((1, "35.5"), (2, "35.5"), (3, "1E+3")):
        fresh_ledger.move(batch, "sending")
        fresh_ledger.move(batch, "accepted", cost=Decimal(cost))
    assert total_cost(LedgerFile(path)) == Decimal("1071.0")


def test_what_was_under_way_when_the_program_died_is_unknown(fresh_ledger, path):
    fresh_ledger.move(2, "sending")
    assert result_frame(LedgerFile(path))["status"].tolist() == ["not_sent", "unknown", "not_sent"]
    fresh_ledger.close()
    again = open_ledger(path, IDENTITY)
    assert count_by_state(path) == {"pending": Count(2, 101), "unknown": Count(1, 100)}
    with pytest.raises(LedgerError):
        again.move(2, "sending")
    again.close()


def test_moves_that_come_together_share_one_commit(fresh_ledger, path):
    async def send():
        group_commit, heard = GroupCommit(fresh_ledger), []
        for batch in (1, 2, 3):
            group_commit.move(batch, "sending", heard.append)
        while not heard:  # nobody asks for the commit: it comes by itself
            await asyncio.sleep(0.001)
        for batch in (1, 2, 3, 3):
            group_commit.move(batch, "refused", heard.append)
        group_commit.flush()
        return heard

    *allowed, refused = asyncio.run(send())
    assert allowed == [None] * 6
    assert isinstance(refused, LedgerError)
    assert fresh_ledger.commits == 2
    assert count_by_state(path) == {"refused": Count(3, 201)}


def test_a_commit_begins_some_time_after_the_one_before_it(fresh_ledger, monkeypatch):
    monkeypatch.setattr(group_commits, "INTERVAL", 3600.0)

    async def send():
        group_commit, heard = GroupCommit(fresh_ledger), []
        group_commit.move(1, "sending", heard.append)
        while not heard:  # the first one waits for nothing
            await asyncio.sleep(0.001)
        group_commit.move(2, "sending", heard.append)
        await asyncio.sleep(0.02)
        group_commit.move(3, "sending", heard.append)
        assert len(heard) == 1
        group_commit.flush()  # and the end of a run waits for nothing either
        return heard

    assert asyncio.run(send()) == [None] * 3
    assert fresh_ledger.commits == 2


def test_an_outcome_is_committed_with_the_next_intent(fresh_ledger, monkeypatch):
    """A body waits for its intent, and nothing waits for an outcome."""
    monkeypatch.setattr(group_commits, "INTERVAL", 3600.0)
    fresh_ledger.move(1, "sending")

    async def send():
        group_commit, heard = GroupCommit(fresh_ledger), []
        group_commit.move(1, "refused", lambda answer: heard.append("refused"))
        await asyncio.sleep(0.02)
        assert heard == []
        group_commit.move(2, "sending", lambda answer: heard.append("sending"))
        while not heard:
            await asyncio.sleep(0.001)
        group_commit.flush()
        return heard

    assert asyncio.run(asyncio.wait_for(send(), 5)) == ["refused", "sending"]


def test_an_outcome_without_a_next_intent_is_committed_by_itself(fresh_ledger, path):
    fresh_ledger.move(1, "sending")

    async def send():
        group_commit, heard = GroupCommit(fresh_ledger), []
        group_commit.move(1, "refused", heard.append)
        while not heard:
            await asyncio.sleep(0.001)
        group_commit.flush()

    asyncio.run(asyncio.wait_for(send(), 5))
    assert count_by_state(path)["refused"].batches == 1


def test_a_flush_leaves_no_thread_behind_and_the_next_commit_has_one_again(fresh_ledger):
    def threads():
        return [thread.name for thread in threading.enumerate() if thread.name == "campaign commits"]

    async def send():
        group_commit, heard = GroupCommit(fresh_ledger), []
        for batch in (1, 2):
            group_commit.move(batch, "sending", heard.append)
            while len(heard) < batch:
                await asyncio.sleep(0.001)
            assert len(threads()) == 1
            group_commit.flush()
            assert threads() == []

    asyncio.run(send())
    assert fresh_ledger.commits == 2


def with_a_busy_disk(ledger):
    """The ledger, and what lets its disk go on: until then, a commit that was started does not end."""
    disk, start = threading.Event(), ledger.start_commit

    def busy(moves):
        end = start(moves)
        return lambda: end() if disk.wait(5) else None

    ledger.start_commit = busy
    return ledger, disk


def test_others_go_on_while_a_commit_waits_for_the_disk(fresh_ledger, path):
    ledger, disk = with_a_busy_disk(fresh_ledger)

    async def send():
        group_commit, heard = GroupCommit(ledger), []
        group_commit.move(1, "sending", heard.append)
        await asyncio.sleep(0.02)
        group_commit.move(2, "sending", heard.append)
        await asyncio.sleep(0.02)
        assert (heard, count_by_state(path)) == ([], {"pending": Count(3, 201)})
        disk.set()
        while len(heard) < 2:
            await asyncio.sleep(0.001)

    asyncio.run(send())
    assert fresh_ledger.commits == 2  # the second did not mix with the first
    assert count_by_state(path)["sending"].batches == 2


def test_an_error_of_ours_in_a_commit_is_an_answer_and_the_next_commit_goes_on(fresh_ledger):
    """On the thread of the commits nobody would hear of it."""
    start, failures = fresh_ledger.start_commit, iter([True])

    def commit(moves):
        end = start(moves)
        return partial(fail_after, end) if next(failures, False) else end

    def fail_after(end):
        end()
        raise KeyError("a witness")

    fresh_ledger.start_commit = commit

    async def send():
        group_commit, heard = GroupCommit(fresh_ledger), []
        for batch in (1, 2):
            group_commit.move(batch, "sending", heard.append)
            while len(heard) < batch:
                await asyncio.sleep(0.001)
        group_commit.flush()
        return heard

    refused, allowed = asyncio.run(asyncio.wait_for(send(), 5))
    assert "An error in this program ended the run: KeyError" in str(refused)
    assert allowed is None


@pytest.mark.parametrize("moment", ["before a commit", "in a commit", "before a flush"])
def test_a_commit_whose_thread_is_killed_is_answered_within_seconds(fresh_ledger, path, moment, monkeypatch):
    start, commits, may_die = fresh_ledger.start_commit, iter(range(3)), threading.Event()
    monkeypatch.setattr(threading, "excepthook", lambda _: time.sleep(0.2))  # it dies slowly

    def die():
        may_die.wait()
        sys.exit()

    def commit(moves):
        end = start(moves)
        return die if moment != "before a commit" and next(commits) == 1 else end

    fresh_ledger.start_commit = commit

    async def send():
        group_commit, heard = GroupCommit(fresh_ledger), []
        for batch in (1, 2, 3):
            if batch == 2 and moment == "before a commit":
                group_commit._thread.do(die, lambda: None)  # and the commit waits behind it
            group_commit.move(batch, "sending", heard.append)
            if batch == 2:
                while group_commit._under_way is None:
                    await asyncio.sleep(0.001)
                threading.Timer(0.05, may_die.set).start()
                if moment == "before a flush":
                    group_commit.flush()
            while len(heard) < batch:
                await asyncio.sleep(0.001)
        group_commit.flush()
        return heard

    first, second, third = asyncio.run(asyncio.wait_for(send(), 5))
    assert (first, third) == (None, None)
    assert "thread was killed" in str(second)
    assert count_by_state(path) == {"sending": Count(2, 101), "pending": Count(1, 100)}


def test_a_flush_waits_for_the_commit_that_is_under_way(fresh_ledger, path):
    ledger, disk = with_a_busy_disk(fresh_ledger)

    async def send():
        group_commit, heard = GroupCommit(ledger), []
        group_commit.move(1, "sending", lambda answer: heard.append((1, answer)))
        await asyncio.sleep(0.02)
        group_commit.move(2, "sending", lambda answer: heard.append((2, answer)))
        threading.Timer(0.05, disk.set).start()
        group_commit.flush()
        assert heard == [(1, None), (2, None)]
        await asyncio.sleep(0.02)
        assert len(heard) == 2  # nobody is told twice

    asyncio.run(send())
    assert count_by_state(path)["sending"].batches == 2


def test_a_text_that_is_none_fails_its_group_and_no_other(fresh_ledger, path):
    """Half a surrogate pair cannot be written; whoever waits for the group has to be told."""
    moves = [Move(1, "sending", {"error": "\ud800"}), Move(2, "sending", {})]
    assert all(isinstance(answer, LedgerError) for answer in fresh_ledger.commit(moves))
    assert fresh_ledger.commit(moves[1:]) == [None]
    assert count_by_state(path) == {"pending": Count(2, 101), "sending": Count(1, 100)}


def test_a_run_with_very_many_requests_does_not_wait_to_commit(path_of_many):
    """256 moves fill a group: it is committed at once, without a turn of the event loop."""
    ledger = open_ledger(path_of_many, IDENTITY)

    async def send():
        group_commit, heard = GroupCommit(ledger), []
        for batch in range(1, 256):
            group_commit.move(batch, "sending", heard.append)
        assert (len(heard), ledger.commits) == (0, 0)
        group_commit.move(256, "sending", heard.append)
        assert (len(heard), ledger.commits) == (256, 1)
        group_commit.move(257, "sending", heard.append)
        assert len(heard) == 256  # a new group, which waits again
        while len(heard) < 257:
            await asyncio.sleep(0.001)

    asyncio.run(send())
    assert ledger.commits == 2
    ledger.close()


@pytest.fixture
def path_of_many(tmp_path):
    """A fresh ledger of 300 batches of one message."""
    path = tmp_path / "many.sqlite"
    make_ledger(path, [Entry(batch, 0, batch, 1, b"d") for batch in range(1, 301)])
    return path


def test_a_ledger_of_another_campaign_is_refused(path):
    with refused("ledger_of_another", LedgerError):
        open_ledger(path, IDENTITY | {"manifest": "m2"})


def test_a_ledger_that_could_not_be_made_leaves_nothing_behind(tmp_path):
    path = tmp_path / "ledger.sqlite"
    with refused("ledger_unwritable", LedgerError):
        create_ledger(path, IDENTITY | {"machine": None})
    assert list(tmp_path.iterdir()) == []
    create_ledger(path, IDENTITY)


def test_a_round_that_cannot_be_registered_changes_nothing(fresh_ledger, path):
    """One batch twice: neither the round nor the withdrawal of what waits may be left half done."""
    twice = [Entry(4, 0, 0, 1, b"d"), Entry(4, 0, 1, 1, b"d")]
    before, moves = snapshot(LedgerFile(path)), len(journal_frame(LedgerFile(path)))
    with refused("ledger_refuses", LedgerError, reason="the plan is frozen"):
        fresh_ledger.register_round("digest of round 2", twice)
    assert (snapshot(LedgerFile(path)).rounds, snapshot(LedgerFile(path)).batches) == (
        before.rounds,
        before.batches,
    )
    assert len(journal_frame(LedgerFile(path))) == moves
    assert fresh_ledger.register_round("digest of round 2", twice[:1]) == 2


def test_a_round_withdraws_what_waits_for_good(fresh_ledger, path):
    fresh_ledger.move(1, "sending")
    fresh_ledger.move(1, "accepted")
    fresh_ledger.register_round("digest of round 2", [Entry(4, 0, 0, 50, b"d4")])
    assert count_by_state(path) == {
        "accepted": Count(1, 1), "withdrawn": Count(2, 200), "pending": Count(1, 50),
    }  # fmt: skip
    assert fresh_ledger.pending(0) == [Entry(4, 0, 0, 50, b"d4")]
    assert result_frame(LedgerFile(path))[["batch", "round"]].to_numpy().tolist() == [
        [1, 1],
        [2, 1],
        [3, 1],
        [4, 2],
    ]
    for state in ("sending", "pending", "accepted"):
        with refused("ledger_refuses", LedgerError, batch=2):
            fresh_ledger.move(2, state)


def test_what_waits_is_given_up_and_shown_as_not_sent(fresh_ledger, path):
    """A campaign that a person closes."""
    assert fresh_ledger.waiting_messages() == 201
    assert fresh_ledger.close_campaign("closed") == 3
    assert fresh_ledger.waiting_messages() == 0
    assert result_frame(LedgerFile(path))["status"].tolist() == ["not_sent"] * 3


def test_the_numbers_of_rounds_and_batches_go_on(fresh_ledger):
    assert (fresh_ledger.last_round(), fresh_ledger.next_batch()) == (1, 4)
    assert fresh_ledger.register_round("digest of round 2", []) == 2
    assert (fresh_ledger.last_round(), fresh_ledger.next_batch()) == (2, 4)


def test_what_is_under_way_is_not_withdrawn(fresh_ledger, path):
    fresh_ledger.move(2, "sending")
    fresh_ledger.register_round("digest of round 2", [])
    assert count_by_state(path) == {"sending": Count(1, 100), "withdrawn": Count(2, 101)}
    fresh_ledger.move(2, "accepted")


def test_a_ledger_that_another_program_holds_is_said_in_words(path, monkeypatch):
    """Whatever SQLite says becomes a LedgerError, also while the ledger is opened."""
    monkeypatch.setattr(connections, "PATIENCE", 10)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with refused("campaign_open", LedgerError):
        open_ledger(path, IDENTITY)
    other.close()
    open_ledger(path, IDENTITY).close()


def test_a_program_that_holds_the_ledger_for_a_moment_is_waited_for(path):
    """A backup, say. It lets go as soon as the ledger has had to wait."""
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    letting_go = threading.Timer(0.3, other.rollback)
    letting_go.start()
    open_ledger(path, IDENTITY).close()
    letting_go.join()
    other.close()


def test_a_ledger_that_exists_already_is_left_as_it_is(fresh_ledger, path):
    fresh_ledger.move(1, "sending")
    with refused("ledger_exists", LedgerError):
        create_ledger(path, IDENTITY)
    assert count_by_state(path)["sending"].batches == 1


@pytest.mark.skipif(os.name != "posix", reason="Windows gives names without hard links")
def test_a_disk_without_hard_links_keeps_a_ledger_too(path_of_many, tmp_path, monkeypatch):
    """A USB stick, say."""

    def refuse(self, target):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    create_ledger(tmp_path / "new.sqlite", IDENTITY)
    open_ledger(tmp_path / "new.sqlite", IDENTITY).close()
    before = path_of_many.read_bytes()
    with refused("ledger_exists", LedgerError):
        create_ledger(path_of_many, IDENTITY)
    assert path_of_many.read_bytes() == before
    names = {file.name for file in tmp_path.iterdir()}
    assert names == {"many.sqlite", "many.sqlite.moves", "new.sqlite", "new.sqlite.moves"}


def test_a_ledger_put_in_the_place_of_another_during_a_run_gets_no_move(fresh_ledger, path, tmp_path):
    """By a program that syncs folders, say: what is written would be lost, and sent again later."""
    fresh_ledger.move(1, "sending")
    shutil.copy(path, tmp_path / "copy")
    (tmp_path / "copy").replace(path)
    with refused("ledger_unwritable", LedgerError):
        fresh_ledger.move(2, "sending")


@pytest.mark.skipif(os.name != "posix", reason="SQLite has no such file system on Windows")
def test_a_disk_without_shared_memory_keeps_no_ledger(path, monkeypatch):
    """Then SQLite falls back to another journal by itself, and says so only when asked."""
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    real = sqlite3.connect

    def connect(address, **options):
        return real(address + "&vfs=unix-dotfile", **options)

    monkeypatch.setattr(connections.sqlite3, "connect", connect)
    with refused("ledger_unsafe", LedgerError):
        connections.connect(path)


def test_a_database_that_does_not_sync_keeps_no_ledger(path, monkeypatch):
    """SQLite ignores a pragma that it was built without."""

    class Hurried(sqlite3.Connection):
        def execute(self, sql, *values):
            return super().execute("PRAGMA synchronous = NORMAL" if sql.endswith("= FULL") else sql, *values)

    real = sqlite3.connect
    monkeypatch.setattr(
        connections.sqlite3, "connect", lambda address, **options: real(address, factory=Hurried, **options)
    )
    with refused("ledger_unsafe", LedgerError):
        open_ledger(path, IDENTITY)


def test_a_missing_ledger_is_never_made_anew(tmp_path):
    with refused("ledger_missing", LedgerError):
        open_ledger(tmp_path / "ledger.sqlite", IDENTITY)
    with refused("ledger_damaged", LedgerError):
        result_frame(LedgerFile(tmp_path / "ledger.sqlite"))  # deleted between two looks
    assert not (tmp_path / "ledger.sqlite").exists()


@pytest.mark.parametrize("content", [b"", b"not a database", b"SQLite format 3\0" + b"\0" * 84])
def test_a_file_that_is_no_ledger_is_refused(tmp_path, content):
    path = tmp_path / "ledger.sqlite"
    path.write_bytes(content)
    with pytest.raises(LedgerError):
        open_ledger(path, IDENTITY)


def test_a_truncated_ledger_is_refused(path):
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(LedgerError):
        open_ledger(path, IDENTITY)


def test_a_ledger_without_its_triggers_is_refused(path):
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TRIGGER only_known_moves")
    connection.close()
    with refused("ledger_damaged", LedgerError):
        open_ledger(path, IDENTITY)


def test_every_connection_survives_a_power_cut(path):
    """WAL and FULL, both as SQLite reports them."""
    connection = connections.connect(path)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
    assert connection.execute("PRAGMA fullfsync").fetchone() == (1,)
    assert connection.execute("PRAGMA trusted_schema").fetchone() == (0,)
    connection.close()


def test_a_ledger_is_read_where_nothing_can_be_written(fresh_ledger, path, monkeypatch):
    """In an archive: as it was, without a file beside it, and without a way to go on."""
    fresh_ledger.move(1, "sending")
    fresh_ledger.close()
    monkeypatch.setattr(os, "access", lambda place, mode: mode != os.W_OK)
    before = sorted(file.name for file in path.parent.iterdir())
    check_ledger(path, IDENTITY)
    assert result_frame(LedgerFile(path))["status"].tolist() == ["unknown", "not_sent", "not_sent"]
    assert sorted(file.name for file in path.parent.iterdir()) == before
    with refused("ledger_unwritable", LedgerError):
        open_ledger(path, IDENTITY)


def test_an_archive_with_a_write_ahead_log_is_read_with_it(fresh_ledger, path, monkeypatch):
    """A killed run left it, and the newest moves are only there."""
    fresh_ledger.move(1, "sending")
    monkeypatch.setattr(os, "access", lambda place, mode: mode != os.W_OK)
    assert result_frame(LedgerFile(path))["status"].tolist() == ["unknown", "not_sent", "not_sent"]


@pytest.mark.skipif(os.name != "posix", reason="Windows has no file modes")
def test_only_the_owner_reads_a_ledger(path):
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_ledger_is_refused_after_a_fork(fresh_ledger):
    fresh_ledger._process += 1  # what a forked child would see: another process number
    with refused("ledger_unwritable", LedgerError):
        fresh_ledger.move(1, "sending")


def test_a_closed_ledger_takes_no_moves(fresh_ledger):
    fresh_ledger.close()
    with refused("ledger_unwritable", LedgerError):
        fresh_ledger.move(1, "sending")


@pytest.mark.parametrize("state", ["pending", "sending", "unknown"])
def test_while_anything_waits_or_is_unknown_it_is_not_erased(fresh_ledger, state):
    for move in {"pending": [], "sending": ["sending"], "unknown": ["sending", "unknown"]}[state]:
        fresh_ledger.move(1, move)
    with refused("ledger_refuses", LedgerError, reason="something waits or is unknown"):
        fresh_ledger.erase_campaign("ana: erased")
    assert fresh_ledger.erased_at() == ""
