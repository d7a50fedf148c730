"""Whatever is asked of a ledger, in any order, killed and reopened: it agrees with a model of a page.

300 examples in every run, 20,000 behind `-m long`.
"""

import shutil
import tempfile
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

from campaign.errors import LedgerError
from campaign.sending.ledger.integrity import check_ledger
from campaign.sending.ledger.ledger import Entry, Move, create_ledger, open_ledger
from campaign.sending.ledger.rollback_guard import guard_path
from campaign.sending.ledger.views import Count, journal_frame, result_frame, total_cost

IDENTITY = {"fingerprint": "f1"}
ENTRIES = [Entry(batch, batch // 4, 10 * batch, batch, b"d" * 32) for batch in range(1, 7)]
STATES = ("pending", "sending", "accepted", "refused", "unknown")
ALLOWED = {
    ("pending", "sending"), ("sending", "accepted"), ("sending", "refused"), ("sending", "unknown"),
}  # fmt: skip
BY_A_PERSON = {("unknown", "accepted"), ("unknown", "refused"), ("unknown", "pending")}
# Syncing to memory costs nothing; power cuts are the matter of another proof.
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None

batches = st.integers(1, 7)  # 7 does not exist
costs = st.none() | st.decimals(0, 10**6, places=2)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
moves = st.builds(
    lambda batch, state, cost, code, note: Move(batch, state, {"cost": cost, "code": code, "note": note}),
    batches, st.sampled_from(STATES), costs, texts, st.sampled_from(["", "", "ana: the log says so"]),
)  # fmt: skip


class LedgerAndModel(RuleBasedStateMachine):
    """A ledger of six batches, and beside it what it has to say."""

    def __init__(self):
        super().__init__()
        self.home = Path(tempfile.mkdtemp(dir=MEMORY))
        self.states = {entry.batch: "pending" for entry in ENTRIES}
        self.facts = {entry.batch: (None, "") for entry in ENTRIES}
        self.journal = []

    @initialize()
    def register(self):
        self.path = self.home / "ledger.sqlite"
        create_ledger(self.path, IDENTITY, ENTRIES)
        self.open()

    def open(self):
        self.ledger = open_ledger(self.path, IDENTITY)
        for batch, state in self.states.items():
            if state == "sending":
                self.go(batch, "unknown", self.facts[batch], "")

    def go(self, batch, state, facts, note):
        self.journal.append((batch, self.states[batch], state, note))
        self.states[batch], self.facts[batch] = state, facts

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
        self.ledger._connection.execute("PRAGMA query_only = ON")
        assert all(isinstance(answer, LedgerError) for answer in self.ledger.commit(group))
        self.ledger._connection.execute("PRAGMA query_only = OFF")

    @rule()
    def close_and_open(self):
        self.ledger.close()
        self.open()

    @rule()
    def die_and_open(self):
        """What a kill leaves: the file and its log as they are, and nothing of the memory they share."""
        place = Path(tempfile.mkdtemp(dir=self.home))
        for name in ("ledger.sqlite", "ledger.sqlite-wal", guard_path(self.path).name):
            if (self.path.parent / name).exists():
                shutil.copy(self.path.parent / name, place)
        self.ledger._connection.close()
        self.path = place / "ledger.sqlite"
        self.open()

    @rule(key=st.sampled_from(["fingerprint", "environment"]))
    def open_as_another_campaign(self, key):
        with pytest.raises(LedgerError, match="another campaign"):
            check_ledger(self.path, IDENTITY | {key: "other"})

    @invariant()
    def agrees_in_its_counts(self):
        expected = {}
        for entry in ENTRIES if hasattr(self, "ledger") else ():
            state, (cost, _) = self.states[entry.batch], self.facts[entry.batch]
            unpriced = entry.messages if state == "accepted" and cost is None else 0
            known = expected.get(state, Count(0, 0))
            expected[state] = Count(
                known.batches + 1, known.messages + entry.messages, known.unpriced + unpriced
            )
        assert not expected or self.ledger.counts() == expected

    @precondition(lambda self: len(self.journal) % 3 == 0)
    @rule()
    def look_closely(self):
        self.agrees_in_everything()

    def agrees_in_everything(self):
        for part in (0, 1):
            waiting = [entry for entry in ENTRIES if self.states[entry.batch] == "pending"]
            assert self.ledger.pending(part) == [entry for entry in waiting if entry.part == part]
        shown = {"pending": "not_sent", "sending": "unknown"}
        frame = result_frame(self.path)
        assert frame["status"].tolist() == [shown.get(state, state) for state in self.states.values()]
        assert [*zip(frame["cost"], frame["code"], strict=True)] == [*self.facts.values()]
        known = [cost for cost, _ in self.facts.values() if cost is not None]
        assert total_cost(self.path) == sum(known, Decimal(0))
        kept = journal_frame(self.path)[["batch", "was", "now", "note"]]
        assert [*kept.itertuples(index=False, name=None)] == self.journal

    def teardown(self):
        if hasattr(self, "ledger"):
            self.agrees_in_everything()
            self.ledger.close()
        shutil.rmtree(self.home)


QUIET = {"deadline": None, "suppress_health_check": [*HealthCheck], "print_blob": True}


def test_a_ledger_agrees_with_its_model():
    run_state_machine_as_test(
        LedgerAndModel, settings=settings(max_examples=300, stateful_step_count=12, **QUIET)
    )


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_a_ledger_agrees_with_its_model_in_twenty_thousand_examples():
    run_state_machine_as_test(
        LedgerAndModel, settings=settings(max_examples=20_000, stateful_step_count=25, **QUIET)
    )
