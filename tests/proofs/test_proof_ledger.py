"""Whatever is asked of a ledger, in any order, killed and reopened: it agrees with a model of a page.

100 examples of a file and 5 of a database in every run, 20,000 and 2,000 behind `-m long`.
"""

import itertools
import secrets
import shutil
import tempfile
from contextlib import closing
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from support.ledgers import IDENTITY, result_frame, total_cost

from campaign.errors import LedgerError
from campaign.sending.ledger.ledger import Entry, Move
from campaign.sending.ledger.ledger_file import LedgerFile
from campaign.sending.ledger.postgres.address import without_password
from campaign.sending.ledger.postgres.connections import connect
from campaign.sending.ledger.postgres.place import PostgresPlace
from campaign.sending.ledger.rollback_guard import guard_path
from campaign.sending.ledger.views import journal_frame, snapshot

ENTRIES = [Entry(batch, batch // 4, 10 * batch, batch, b"d" * 32) for batch in range(1, 7)]
STATES = ("pending", "sending", "accepted", "refused", "unknown", "again", "withdrawn")
ALLOWED = {
    ("pending", "sending"), ("sending", "accepted"), ("sending", "refused"), ("sending", "unknown"),
    ("pending", "withdrawn"),
}  # fmt: skip
BY_A_PERSON = {("unknown", "accepted"), ("unknown", "refused"), ("unknown", "again")}
# Syncing to memory costs nothing; power cuts are the matter of another proof.
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None

batches = st.integers(1, 9)  # from 7 on only after more rounds
costs = st.none() | st.decimals(0, 10**6, places=2)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
moves = st.builds(
    lambda batch, state, cost, code, note: Move(batch, state, {"cost": cost, "code": code, "note": note}),
    batches, st.sampled_from(STATES), costs, texts, st.sampled_from(["", "", "ana: the log says so"]),
)  # fmt: skip


def in_order(journal):
    """The entries of a journal. What was under way when a ledger was opened became unknown at one moment: a
    database notes these batches in any order."""
    runs = itertools.groupby(journal, key=lambda entry: entry[1:])
    of_openings = ("sending", "unknown", "")
    return [entry for said, run in runs for entry in (sorted(run) if said == of_openings else run)]


class LedgerAndModel(RuleBasedStateMachine):
    """A ledger of six batches and of rounds with more of them, and beside it what it has to say."""

    as_kept = staticmethod(lambda text: text)

    def __init__(self):
        super().__init__()
        self.home = Path(tempfile.mkdtemp(dir=MEMORY))
        self.entries = {}  # of each batch, its round and its entry
        self.states, self.facts = {}, {}
        self.rounds = 0
        self.journal = []

    @initialize()
    def register(self):
        self.place = self.new_place()
        self.place.create(IDENTITY)
        with closing(self.place.open(IDENTITY)) as ledger:
            ledger.register_round("digest of round 1", ENTRIES)
        self.follow_a_round(ENTRIES)
        self.open()

    def new_place(self):
        return LedgerFile(self.home / "ledger.sqlite")

    def follow_a_round(self, entries):
        self.withdraw_waiting()
        self.rounds += 1
        self.journal.append((0, "", "round", str(self.rounds)))
        for entry in entries:
            self.entries[entry.batch] = self.rounds, entry
            self.states[entry.batch], self.facts[entry.batch] = "pending", (None, "")

    def withdraw_waiting(self):
        for batch, state in self.states.items():
            if state == "pending":
                self.go(batch, "withdrawn", self.facts[batch], "")

    def open(self):
        self.ledger = self.place.open(IDENTITY)
        for batch, state in self.states.items():
            if state == "sending":
                self.go(batch, "unknown", self.facts[batch], "")

    def go(self, batch, state, facts, note):
        self.journal.append((batch, self.states[batch], state, self.as_kept(note)))
        self.states[batch], self.facts[batch] = state, (facts[0], self.as_kept(facts[1]))

    @rule(group=st.lists(moves, min_size=1, max_size=6))
    def commit(self, group):
        answers = self.ledger.commit(group)
        for (batch, state, facts), answer in zip(group, answers, strict=True):
            pair = (self.states.get(batch), state)
            allowed = pair in ALLOWED or (pair in BY_A_PERSON and facts["note"] != "")
            assert (answer is None) == allowed
            assert allowed or isinstance(answer, LedgerError)
            if allowed:
                self.go(batch, state, (facts["cost"], facts["code"]), facts["note"])

    @precondition(lambda self: self.rounds < 4)
    @rule(sizes=st.lists(st.integers(1, 100), max_size=3))
    def register_round(self, sizes):
        first = len(self.entries) + 1
        entries = [Entry(first + place, 0, place, size, b"d" * 32) for place, size in enumerate(sizes)]
        assert self.ledger.register_round(f"digest of round {self.rounds + 1}", entries) == self.rounds + 1
        self.follow_a_round(entries)

    @rule(gap=st.integers(-3, 3).filter(bool))
    def register_a_round_whose_batches_do_not_follow(self, gap):
        with pytest.raises(LedgerError, match="the plan is frozen"):
            self.ledger.register_round("digest", [Entry(len(self.entries) + 1 + gap, 0, 0, 1, b"d" * 32)])

    @rule()
    def close_the_campaign(self):
        waiting = sum(state == "pending" for state in self.states.values())
        assert self.ledger.close_campaign("amina: closed") == waiting
        self.journal.append((0, "", "closed", "amina: closed"))
        for batch, state in self.states.items():
            if state == "pending":
                self.go(batch, "withdrawn", self.facts[batch], "amina: closed")

    @rule(batch=st.integers(1, 6), state=st.sampled_from(["accepted", "refused", "unknown"]), cost=costs)
    def deliver(self, batch, state, cost):
        """What a run does: so that examples get past the first move."""
        if self.states[batch] == "pending":
            self.ledger.move(batch, "sending")
            self.go(batch, "sending", self.facts[batch], "")
            self.ledger.move(batch, state, cost=cost, code="c")
            self.go(batch, state, (cost, "c"), "")

    @rule(group=st.lists(moves, min_size=1, max_size=3))
    def commit_on_a_disk_that_fails(self, group):
        self.allow_writing(False)
        assert all(isinstance(answer, LedgerError) for answer in self.ledger.commit(group))
        self.allow_writing(True)

    def allow_writing(self, allowed):
        self.ledger._connection.execute(f"PRAGMA query_only = {'OFF' if allowed else 'ON'}")

    @rule()
    def close_and_open(self):
        self.ledger.close()
        self.open()

    @rule()
    def die_and_open(self):
        self.die()
        self.open()

    def die(self):
        """What a kill leaves: the file and its log as they are, and nothing of the memory they share."""
        folder, path = Path(tempfile.mkdtemp(dir=self.home)), self.place.path
        for name in ("ledger.sqlite", "ledger.sqlite-wal", guard_path(path).name):
            if (path.parent / name).exists():
                shutil.copy(path.parent / name, folder)
        self.ledger._connection.close()
        self.place = LedgerFile(folder / "ledger.sqlite")

    @rule(key=st.sampled_from(["manifest", "environment"]))
    def open_as_another_campaign(self, key):
        with pytest.raises(LedgerError, match="another campaign"):
            self.place.check(IDENTITY | {key: "other"})

    @invariant()
    def agrees_in_its_states(self):
        if hasattr(self, "ledger"):
            kept = snapshot(self.place)
            assert {batch.batch: batch.state for batch in kept.batches} == self.states
            assert [one.round for one in kept.rounds] == [*range(1, self.rounds + 1)]
            waiting = sum(
                entry.messages
                for batch, (_, entry) in self.entries.items()
                if self.states[batch] == "pending"
            )
            assert self.ledger.waiting_messages() == waiting
            events = [now for _, _, now, _ in self.journal if now in ("round", "closed")]
            assert kept.is_closed == (events[-1:] == ["closed"])

    @precondition(lambda self: len(self.journal) % 3 == 0)
    @rule()
    def look_closely(self):
        self.agrees_in_everything()

    def agrees_in_everything(self):
        for part in (0, 1):
            waiting = [entry for batch, (_, entry) in self.entries.items() if self.states[batch] == "pending"]
            assert self.ledger.pending(part) == [entry for entry in waiting if entry.part == part]
        shown = {
            "pending": "not_sent", "withdrawn": "not_sent", "sending": "unknown", "again": "unknown",
        }  # fmt: skip
        listed = [*self.entries]
        frame = result_frame(self.place)
        assert frame["batch"].tolist() == listed
        assert frame["round"].tolist() == [self.entries[batch][0] for batch in listed]
        assert frame["status"].tolist() == [
            shown.get(self.states[batch], self.states[batch]) for batch in listed
        ]
        facts = [self.facts[batch] for batch in listed]
        assert [*zip(frame["cost"], frame["code"], strict=True)] == facts
        known = [cost for cost, _ in self.facts.values() if cost is not None]
        assert total_cost(self.place) == sum(known, Decimal(0))
        kept = journal_frame(self.place)[["batch", "was", "now", "note"]]
        assert in_order(kept.itertuples(index=False, name=None)) == in_order(self.journal)

    def teardown(self):
        if hasattr(self, "ledger"):
            self.agrees_in_everything()
            self.ledger.close()
        self.clear_away()

    def clear_away(self):
        shutil.rmtree(self.home)


class DatabaseAndModel(LedgerAndModel):
    """The same with a ledger in PostgreSQL."""

    address = ""
    as_kept = staticmethod(lambda text: text.replace("\0", "\N{REPLACEMENT CHARACTER}"))

    def new_place(self):
        return PostgresPlace(self.home, self.address, f"campaign_{secrets.token_hex(8)}")

    def allow_writing(self, allowed):
        only_reading = "off" if allowed else "on"
        self.ledger._connection.execute(f"SET default_transaction_read_only TO {only_reading}")

    def die(self):
        """What a kill leaves: a connection that has ended, without a word."""
        self.ledger._connection._session.connection.dbapi_connection.pgconn.finish()
        self.ledger._connection.close()

    def clear_away(self):
        with closing(connect(self.address, self.place.schema)) as connection:
            connection.execute(f"DROP SCHEMA {self.place.schema} CASCADE")
        super().clear_away()


QUIET = {"deadline": None, "suppress_health_check": [*HealthCheck], "print_blob": True}


def test_a_ledger_agrees_with_its_model():
    run_state_machine_as_test(
        LedgerAndModel, settings=settings(max_examples=100, stateful_step_count=12, **QUIET)
    )


def test_a_ledger_in_a_database_agrees_with_the_same_model(postgres_server):
    agree_in_a_database(postgres_server, max_examples=5)


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_a_ledger_in_a_database_agrees_with_its_model_in_two_thousand_examples(postgres_server):
    agree_in_a_database(postgres_server, max_examples=2_000)


def agree_in_a_database(server, max_examples):
    DatabaseAndModel.address = without_password(server.database())
    run_state_machine_as_test(
        DatabaseAndModel, settings=settings(max_examples=max_examples, stateful_step_count=12, **QUIET)
    )


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_a_ledger_agrees_with_its_model_in_twenty_thousand_examples():
    run_state_machine_as_test(
        LedgerAndModel, settings=settings(max_examples=20_000, stateful_step_count=25, **QUIET)
    )
