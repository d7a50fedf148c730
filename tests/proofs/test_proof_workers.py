"""Two workers with one ledger in PostgreSQL: killed, frozen and woken, their database restarted.

Nothing is sent twice, nothing is lost, and no more is unknown than a dead worker had under way, by the record
of the service itself. Seeds are printed, so that a failure can be looked at again.
"""

import os
import random
import signal
import time

import numpy as np
import pytest
from support.consistency_audit import audit_folder
from support.crash_sender import plan_of
from support.postgres_server import running_server
from support.worker_processes import TIME_TO_LIVE, begin_worker

import campaign
from campaign.sending.ledger.postgres.address import without_password

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
CONCURRENCY = 4


@pytest.fixture
def chance():
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    return random.Random(seed)


@pytest.fixture
def sandbox():
    with campaign.Sandbox(password="sesame", latency=0.003) as service:
        yield service


class Crew:
    """A campaign that was released, and its workers, each a process."""

    def __init__(self, folder, people, sandbox, database, **options):
        self.folder, self.people, self.sandbox, self.database = folder, people, sandbox, database
        self.size = options.setdefault("batch_size", 5)
        without_password(database)  # for this process, which looks at what the others have done
        campaign.release(
            plan_of(people), account=sandbox.account, folder=folder, ledger=database, concurrency=CONCURRENCY,
            max_unknown=10**6, **options,
        )  # fmt: skip
        self.workers = []

    def begin(self, count=2, **options):
        for _ in range(count):
            self.workers.append(begin_worker(self.folder, self.sandbox.account.url, self.database, **options))
        return self.workers[-count:]

    def await_received(self, count):
        """Wait until the service has taken so many messages."""
        until = time.monotonic() + 120
        while len(self.sandbox.inbox) < count:
            assert time.monotonic() < until, f"{len(self.sandbox.inbox)} of {count} received"
            time.sleep(0.01)

    def send(self, worker, signal_number):
        os.kill(worker.pid, signal_number)

    def end(self, seconds=300):
        """Wait for the end of all workers that are not dead; returns how each ended."""
        for worker in self.workers:
            worker.join(seconds)
            worker.kill()
            worker.join()
        return [worker.exitcode for worker in self.workers]

    def check(self, dead):
        """Nothing twice, nothing lost; returns how many messages are unknown."""
        assert audit_folder(self.folder, self.sandbox.inbox) == []
        totals = campaign.load_result(self.folder).totals
        assert totals["not_sent"] == totals["refused"] == 0
        assert totals["accepted"] + totals["unknown"] == self.people
        assert totals["unknown"] <= dead * CONCURRENCY * self.size
        return totals["unknown"]


def freeze_past_the_time_to_live(crew, worker):
    crew.send(worker, signal.SIGSTOP)
    time.sleep(TIME_TO_LIVE + 1.5)
    crew.send(worker, signal.SIGCONT)


def test_one_is_killed_and_one_sleeps(tmp_path, sandbox, postgres_server, chance):
    """The one that sleeps learns what became of what it was sending, and goes on as a new worker."""
    crew = Crew(tmp_path / "visits", 6001, sandbox, postgres_server.database())
    killed, frozen, _ = crew.begin(3)
    crew.await_received(chance.randrange(100, 1000))
    killed.kill()
    crew.await_received(len(sandbox.inbox) + chance.randrange(50, 300))
    freeze_past_the_time_to_live(crew, frozen)
    assert crew.end() == [-9, 0, 0]
    crew.check(dead=1)


def test_without_claims_the_audit_finds_what_was_sent_twice(tmp_path, sandbox, postgres_server):
    crew = Crew(tmp_path / "visits", 501, sandbox, postgres_server.database(), canary=False)
    crew.begin(2, naive=True)
    crew.end(30)
    found = audit_folder(crew.folder, sandbox.inbox)
    assert any("were received twice" in sentence for sentence in found), found


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_fifty_thousand_messages(tmp_path, sandbox, chance):
    """Again and again a worker is killed, another one frozen, and the database crashed or restarted."""
    deaths = 0
    with running_server() as server:
        crew = Crew(tmp_path / "visits", 50_000, sandbox, server.database())
        crew.begin(2)
        for goal in range(5_000, 45_000, 5_000):
            crew.await_received(goal)
            victim = chance.choice([worker for worker in crew.workers if worker.is_alive()])
            match (goal // 5_000) % 3:
                case 1:
                    victim.kill()
                    deaths += 1
                    crew.begin(1)
                case 2:
                    freeze_past_the_time_to_live(crew, victim)
                case 0:
                    server.stop(at_once=chance.random() < 0.5)
                    server.start()
        codes = crew.end()
        assert sorted(codes) == [-9] * deaths + [0, 0]
        unknown = crew.check(dead=deaths)
        print(f"50,000 messages, {deaths} killed: 0 twice, 0 lost, {unknown} unknown")


def most_in_a_second(inbox):
    """The most messages that the service took within any second, wherever it begins."""
    seconds = np.sort(inbox["time"].dt.as_unit("us").astype("int64").to_numpy() / 1e6)
    return int((np.searchsorted(seconds, seconds + 1.0) - np.arange(len(seconds))).max())


@pytest.mark.long
@pytest.mark.timeout(600)
def test_no_second_is_faster_than_the_pace(tmp_path, sandbox, postgres_server):
    """Two workers at 1,000 messages a second, and one of them is killed: the other one takes its turns."""
    crew = Crew(tmp_path / "visits", 30_000, sandbox, postgres_server.database(), batch_size=10, rate=1000)
    killed, _ = crew.begin(2)
    time.sleep(10)  # and no look at the inbox: it would keep the service from noting when a message came
    killed.kill()
    assert crew.end() == [-9, 0]
    crew.check(dead=1)
    most = most_in_a_second(sandbox.inbox)
    seconds = (sandbox.inbox["time"].max() - sandbox.inbox["time"].min()).total_seconds()
    print(f"{len(sandbox.inbox)} messages in {seconds:.1f} s, {most} in the fastest second")
    assert most <= 1040
