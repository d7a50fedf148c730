"""Sends the rows of a csv file in two of five ways, in turn, and prints what each cost.

Arguments: WAY WAY URL TURNS CSV FOLDER [CA_FILE]

`loop` is an aiohttp loop with prebuilt bodies and the connections of the transport. `stage` is the engine
with batches that are encoded already, and the real ledger: what stands between such a loop and never sending
twice. `fast` is the same on the event loop of the extra `fast`. `run` is a whole campaign from its
spreadsheet on: read, prepared, frozen, registered, compared, encoded, sent, settled. `bare` is the same with
a ledger that keeps nothing. `sending` is what came after the preparation.

All turns are in one process, and the ways take it in turns to be the first: between two processes, or two
minutes, the same work differs by a fifth on a machine with other guests.
"""

import asyncio
import json
import resource
import shutil
import sys
from collections import defaultdict
from pathlib import Path

import aiohttp
import numpy as np
from dirty_contacts import MESSAGE

from campaign.contacts.reading import read_contacts
from campaign.messages.plan_tables.plan_columns import MessageStream
from campaign.messages.preparation import prepare
from campaign.sending.engine import valves
from campaign.sending.engine.budget import Budget
from campaign.sending.engine.engine import Engine
from campaign.sending.engine.garbage_collection import fewer_collections
from campaign.sending.engine.pace import Pace
from campaign.sending.engine.tally import Tally
from campaign.sending.engine.unsent import UnsentBatches
from campaign.sending.ledger.group_commit import GroupCommit
from campaign.sending.ledger.ledger_file import create_ledger, open_ledger
from campaign.sending.store.frozen_messages import Cutting, freeze, in_order, pending_batches
from campaign.sending.store.hashed_rows import with_hashes
from campaign.service.account import Account
from campaign.service.fast_loop import FastLoop
from campaign.service.transport import Transport

LOOPS = {"stage": asyncio.new_event_loop, "fast": FastLoop}
SIZE, CONCURRENCY, IDENTITY = 100, 32, {"manifest": "benchmark"}


def cpu():
    """Seconds of CPU of this process so far, user and system, of all threads."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def make_messages(csv):
    """What is to be sent to the people of a csv file, with the hashes that are frozen with it."""
    plan = prepare(read_contacts(csv), message=MESSAGE, sender="CLINIC", region="UG")
    (part,) = plan.parts()
    return with_hashes(plan.addressing.columns, part, plan.messages)


class NoLedger:
    """Keeps nothing: what a run would cost if it could send twice."""

    moves = commits = 0

    def __init__(self, entries):
        self._parts = defaultdict(list)
        for entry in entries:
            self._parts[entry.part].append(entry)

    def pending(self, part):
        return self._parts[part]

    def move(self, batch, state, told, **facts):
        told(None)

    def flush(self):
        pass

    def close(self):
        pass


def register(entries, folder):
    path = folder / "ledger.sqlite"
    create_ledger(path, IDENTITY)
    opened = open_ledger(path, IDENTITY)
    opened.register_round("benchmark", entries)
    return opened


def cut(messages, folder):
    """The messages frozen in a folder, and the batches that they are cut into."""
    cutting = Cutting(batch_size=SIZE, first_batch=1, canary=False)
    stream, rows = MessageStream(iter([messages])), messages["row"].to_numpy()
    entries, _ = freeze(in_order(stream), rows, np.arange(len(messages)), folder, cutting)
    return entries


async def loop(account, bodies, concurrency=CONCURRENCY):
    tls = account.certificates or True
    connector = aiohttp.TCPConnector(limit=concurrency, force_close=True, ssl=tls)
    timeout = aiohttp.ClientTimeout(total=300, sock_connect=15)
    async with aiohttp.ClientSession(
        connector=connector, timeout=timeout, cookie_jar=aiohttp.DummyCookieJar()
    ) as session:

        async def work():
            for body in bodies:
                async with session.post(account.endpoint, data=body, allow_redirects=False) as response:
                    assert json.loads(await response.read())["Status"] == "OK"

        await asyncio.gather(*(work() for _ in range(concurrency)))


async def engine(account, batches, record, count, concurrency=CONCURRENCY):
    with fewer_collections():  # as the thread of a run does
        await send(account, batches, record, count, concurrency)


async def send(account, batches, record, count, concurrency):
    async with Transport(account, connections=concurrency) as transport:
        made = Engine(
            UnsentBatches(batches), record, transport.post,
            tally=Tally(count),
            valves=[valves.Funds(), valves.Credentials(), valves.Reach(), valves.Unknown(), valves.Breaker(),
                    Budget(), valves.Canary()],
            pace=Pace(None), concurrency=concurrency, listen=lambda counts: None, end_when_paused=True,
        )  # fmt: skip
        await made.run()
        assert made.status == "finished", made.hold


def run(account, messages, folder, open_ledger):
    """A campaign from its frozen plan on; the ledger it leaves behind."""
    entries = cut(messages, folder)
    kept = open_ledger(entries)
    batches = pending_batches(folder, entries[-1].part + 1, kept, "url")
    record = kept if isinstance(kept, NoLedger) else GroupCommit(kept)
    asyncio.run(engine(account, batches, record, len(messages)))
    kept.close()
    return kept


def stage(account, batches, kept, count, new_loop=asyncio.new_event_loop):
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(engine(account, iter(batches), GroupCommit(kept), count))
    kept.close()
    return kept


def cost(way, account, csv, folder):
    """Seconds of CPU of one campaign, how many batches it had, and how many moves shared how many commits."""
    kept = NoLedger([])
    folder.mkdir()
    if way in ("loop", "stage", "fast"):
        messages = make_messages(csv)
        entries = cut(messages, folder)
        opened = register(entries, folder)
        encoded = list(pending_batches(folder, entries[-1].part + 1, opened, "url"))
        bodies = [account.body(batch.entries) for batch in encoded]
    start = sending = cpu()
    if way == "loop":
        asyncio.run(loop(account, iter(bodies)))
    elif way in ("stage", "fast"):
        kept = stage(account, encoded, opened, len(messages), LOOPS[way])
    else:
        messages = make_messages(csv)
        sending = cpu()
        make = NoLedger if way == "bare" else lambda entries: register(entries, folder)
        kept = run(account, messages, folder, make)
    end = cpu()
    shutil.rmtree(folder)  # or the disk is still busy with it when the next one begins
    return {
        "whole": end - start, "sending": end - sending, "batches": -(-len(messages) // SIZE),
        "moves": kept.moves, "commits": kept.commits,
    }  # fmt: skip


def main(first, second, url, turns, csv, folder, ca_file=None):
    account, folder = Account("local", url, "sandbox", "sesame", ca_file=ca_file), Path(folder)
    for turn in range(-1, int(turns)):  # the first turn touches memory for the first time, and does not count
        ways = (first, second) if turn % 2 else (second, first)
        costs = {way: cost(way, account, csv, folder / f"{way}{turn}") for way in ways}
        if turn >= 0:
            print(json.dumps([costs[first], costs[second]]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
