"""Senders on Dask workers with one ledger in PostgreSQL: killed, frozen and woken, their scheduler lost.

Nothing is sent twice, nothing is lost, and no more is unknown than a dead sender had under way, by the record
of the service itself. Dask runs the task of a lost worker again, which must do no harm.
"""

import os
import random
import signal
import threading
import time

import dask.dataframe as dd
import pandas as pd
import pytest
from distributed import Client
from support.consistency_audit import audit_folder
from support.dask_processes import dask_processes, freeze
from support.postgres_server import PASSWORD as DATABASE_PASSWORD
from support.postgres_server import running_server
from support.worker_processes import TIME_TO_LIVE, adopt_no_claims, hurry

import campaign
from campaign.errors import CampaignError
from campaign.sending.ledger.postgres import roster
from campaign.sending.ledger.postgres.address import without_password

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="this system freezes no processes"),
]
PEOPLE, PASSWORD = 50_000, "velvet-sesame-41"
CONCURRENCY, BATCH_SIZE = 4, 5


class Sending:
    """`campaign.send` with senders on a cluster, in a thread."""

    def __init__(self, folder, service, ledger, client, people=PEOPLE, **options):
        self.folder, self.service, self.people = folder, service, people
        self.account = campaign.Account("sandbox", service.account.url, "sandbox", PASSWORD)
        self.problem = None
        rows = pd.DataFrame({"name": "Aisha", "phone": [f"07720{number:05}" for number in range(people)]})
        frame = dd.from_pandas(rows, npartitions=7)
        self.plan = campaign.prepare(frame, message="Hi {name}", sender="CLINIC", region="UG")
        self._options = {
            "account": self.account, "folder": folder, "ledger": ledger, "client": client, "progress": False,
            "batch_size": BATCH_SIZE, "concurrency": CONCURRENCY, "max_unknown": 10**6, **options,
        }  # fmt: skip
        self._thread = threading.Thread(target=self._send)
        self._thread.start()

    def _send(self):
        try:
            campaign.send(self.plan, **self._options)
        except CampaignError as problem:
            self.problem = problem

    def await_received(self, count):
        until = time.monotonic() + 600
        while len(self.service.inbox) < count:
            assert time.monotonic() < until, f"{len(self.service.inbox)} of {count} received"
            assert self._thread.is_alive(), self.problem
            time.sleep(0.05)

    def end(self):
        self._thread.join(900)
        assert not self._thread.is_alive()

    def check(self, dead):
        """Nothing twice, nothing lost, and no more unknown than the dead had under way."""
        assert audit_folder(self.folder, self.service.inbox) == []
        totals = campaign.load_result(self.folder).totals
        print(f"\n{totals}, {dead} dead, {len(self.service.inbox)} received")
        assert totals["not_sent"] == totals["refused"] == 0
        assert totals["accepted"] + totals["unknown"] == self.people
        assert totals["unknown"] <= dead * CONCURRENCY * BATCH_SIZE


@pytest.fixture
def chance():
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    return random.Random(seed)


@pytest.fixture
def world(tmp_path):
    """A service, a database, and a cluster whose workers know both; their addresses."""
    with campaign.Sandbox(password=PASSWORD, latency=0.003) as service, running_server() as server:
        variables = {
            "CAMPAIGN_SANDBOX_URL": service.account.url,
            "CAMPAIGN_SANDBOX_USERNAME": "sandbox",
            "CAMPAIGN_SANDBOX_PASSWORD": PASSWORD,
            "PGPASSWORD": DATABASE_PASSWORD,
        }
        ledger = server.database()
        without_password(ledger)  # for this process, which looks at what the others have done
        with dask_processes(tmp_path, variables) as cluster:
            cluster.begin_workers(3)
            yield service, ledger, cluster


def test_workers_are_killed_and_sleep_past_their_time_to_live(tmp_path, world, chance):
    service, ledger, cluster = world
    with Client(scheduler_file=cluster.scheduler_file) as client:
        client.wait_for_workers(3)
        client.run(hurry)
        sending = Sending(tmp_path / "visits", service, ledger, client, senders=3)
        dead = 0
        for goal in range(5_000, 45_000, 10_000):
            sending.await_received(goal)
            killed, frozen = chance.sample(list(client.run(os.getpid).values()), 2)
            os.kill(killed, signal.SIGKILL)
            cluster.begin_workers(1)
            sending.await_received(goal + chance.randrange(500, 3_000))
            freeze(frozen, TIME_TO_LIVE + 1.5)
            dead += 2
            client.wait_for_workers(3)
            client.run(hurry)
        sending.end()
        assert sending.problem is None
    sending.check(dead)


def test_a_worker_that_never_wakes_is_not_waited_for(tmp_path, world, monkeypatch):
    """Its claims go to the others, and `send` returns; Dask alone would wait for minutes."""
    service, ledger, cluster = world
    monkeypatch.setattr(roster, "TIME_TO_LIVE", TIME_TO_LIVE)  # as on the workers
    with Client(scheduler_file=cluster.scheduler_file) as client:
        client.wait_for_workers(3)
        client.run(hurry)
        sending = Sending(tmp_path / "visits", service, ledger, client, people=5_000, senders=3)
        sending.await_received(1_000)
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGSTOP)
        began = time.monotonic()
        sending.end()
        assert sending.problem is None
        assert time.monotonic() - began < 120
    sending.check(dead=1)


def test_without_claims_the_audit_finds_what_was_sent_twice(tmp_path, world):
    service, ledger, cluster = world
    with Client(scheduler_file=cluster.scheduler_file) as client:
        client.wait_for_workers(3)
        client.run(adopt_no_claims)
        sending = Sending(tmp_path / "visits", service, ledger, client, people=500, senders=3, canary=False)
        time.sleep(20)
        cluster.end()
        sending.end()
    found = audit_folder(sending.folder, service.inbox)
    assert any("were received twice" in sentence for sentence in found), found


def test_the_scheduler_is_lost(tmp_path, world, chance):
    """The senders end with their workers; whoever resumes then sends the rest."""
    service, ledger, cluster = world
    client = Client(scheduler_file=cluster.scheduler_file)
    client.wait_for_workers(3)
    client.run(hurry)
    sending = Sending(tmp_path / "visits", service, ledger, client, senders=3)
    sending.await_received(chance.randrange(5_000, 20_000))
    cluster.scheduler.kill()
    sending.end()
    assert sending.problem is not None
    assert sending.problem.begun
    assert sending.problem.finding.code == "senders_lost"
    client.close()
    while (campaign.workers(sending.folder)["seconds"] <= 30).any():
        time.sleep(1)
    campaign.resume(sending.folder, account=sending.account, max_unknown=10**6, progress=False)
    sending.check(dead=3)
