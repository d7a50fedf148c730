"""A ledger in PostgreSQL, its sender killed and its server crashed: nothing twice, nothing lost.

Seeds are printed, so that a failure can be looked at again.
"""

import os
import random
import time

import pytest
from support.consistency_audit import audit_folder
from support.crash_sender import SENDING, begin, send
from support.postgres_server import running_server

import campaign
from campaign.sending.ledger.postgres.address import without_password

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
SIZE, CONCURRENCY = 5, 4
BEGINNING = (
    "before the ledger is made",
    "after the ledger is made",
    "after what was under way is unknown",
    "inside the registration",
    "after the round is registered",
)
AT_REST = [place for place in SENDING if place != "before a guard is written"]


@pytest.fixture
def chance():
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    return random.Random(seed)


@pytest.fixture
def sandbox():
    with campaign.Sandbox(password="sesame", latency=0.003) as service:
        yield service


@pytest.fixture
def database(postgres_server):
    address = postgres_server.database()
    without_password(address)  # for this process, which looks at what the others have done
    return address


def run(folder, people, sandbox, database, *, seconds=60.0, **options):
    """One process of the sender, to its end or to its death; returns how it ended."""
    process = begin(send, folder, people, sandbox.account.url, ledger=database, **options)
    process.join(seconds)
    process.kill()
    process.join()
    return process.exitcode


def check_at_the_end(folder, people, sandbox, database, deaths):
    """A last process that nobody kills: nothing is stuck, and no more is unknown than was under way.

    It may have nearly all to send, on a machine that is busy with other things.
    """
    assert run(folder, people, sandbox, database, seconds=600.0) == 0
    assert audit_folder(folder, sandbox.inbox) == []
    totals = campaign.load_result(folder).totals
    assert totals["not_sent"] == totals["refused"] == 0
    assert totals["accepted"] + totals["unknown"] == people
    assert totals["unknown"] <= deaths * CONCURRENCY * SIZE
    return totals["unknown"]


@pytest.mark.parametrize("place", BEGINNING)
def test_killed_before_anything_is_sent(place, tmp_path, sandbox, database, postgres_server):
    folder = tmp_path / "visits"
    assert run(folder, 31, sandbox, database, die=(place, 1)) == -9
    assert len(sandbox.inbox) == 0
    assert check_at_the_end(folder, 31, sandbox, database, deaths=0) == 0
    schemas = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'campaign%'"
    assert postgres_server.ask(schemas, database.rpartition("/")[2]) == [(1,)]


def kill_at_places(folder, people, sandbox, database, chance, kills):
    for number in range(kills):
        place = AT_REST[number % len(AT_REST)]
        assert run(folder, people, sandbox, database, die=(place, chance.randrange(1, 5))) == -9
        assert audit_folder(folder, sandbox.inbox) == []
    return check_at_the_end(folder, people, sandbox, database, deaths=kills)


def test_killed_at_every_place_of_sending(tmp_path, sandbox, database, chance):
    kill_at_places(tmp_path / "visits", 1501, sandbox, database, chance, kills=len(AT_REST))


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_killed_five_hundred_times(tmp_path, sandbox, database, chance):
    unknown = kill_at_places(tmp_path / "visits", 50_001, sandbox, database, chance, kills=500)
    print(f"500 kills, 10,001 batches: 0 twice, 0 lost, 0 stuck, {unknown} unknown")


def test_the_server_crashes_and_restarts_while_messages_leave(tmp_path, sandbox, chance):
    """A run waits for the server to come back, and knows then what was recorded: nothing is unknown."""
    folder, people = tmp_path / "visits", 1501
    with running_server() as server:
        database = server.database()
        without_password(database)
        process = begin(send, folder, people, sandbox.account.url, ledger=database)
        for crash in (True, False):
            goal = len(sandbox.inbox) + chance.randrange(50, 300)
            while len(sandbox.inbox) < goal:
                assert process.is_alive()
                time.sleep(0.005)
            server.stop(at_once=crash)
            server.start()
        process.join(60)
        assert process.exitcode == 0
        assert audit_folder(folder, sandbox.inbox) == []
        assert campaign.load_result(folder).totals["accepted"] == people
