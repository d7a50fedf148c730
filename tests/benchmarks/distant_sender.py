"""Sends batches of 100 to a service at a distance, by a bare aiohttp loop and by the engine in turn.

Arguments: URL CA_FILE CSV FOLDER CONCURRENCY ROUNDS TURNS. Prints, for each turn, the messages a second of
the engine and of the loop. The engine's first request goes alone, so its time counts from the second one on.
"""

import asyncio
import json
import shutil
import sys
import time
from itertools import cycle, islice
from pathlib import Path

import sender

from campaign.sending.ledger.group_commit import GroupCommit
from campaign.sending.ledger.ledger import Entry
from campaign.sending.store.frozen_messages import pending_batches
from campaign.service.account import Account
from campaign.values import replace


def encoded(csv, folder, count):
    """So many batches, ready to leave: those of a csv file, again and again under new numbers."""
    folder.mkdir()
    entries = sender.cut(sender.make_messages(csv), folder)
    opened = sender.register(entries, folder)
    full = [batch for batch in pending_batches(folder, 1, opened, "url") if batch.messages == sender.SIZE]
    opened.close()
    shutil.rmtree(folder)
    return [replace(batch, number=number) for number, batch in enumerate(islice(cycle(full), count), 1)]


def loop(account, batches, concurrency):
    """Messages a second of the loop."""
    bodies = iter([account.body(batch.entries) for batch in batches])
    begun = time.perf_counter()
    asyncio.run(sender.loop(account, bodies, concurrency))
    return len(batches) * sender.SIZE / (time.perf_counter() - begun)


def engine(account, batches, folder, concurrency):
    """Messages a second of the engine with its ledger, once the first request was answered."""
    folder.mkdir()
    opened = sender.register([Entry(batch.number, 0, 0, sender.SIZE, b"") for batch in batches], folder)
    begun = []

    def supply():
        for batch in batches:
            if batch.number <= 2:
                begun.append(time.perf_counter())
            yield batch

    count = len(batches) * sender.SIZE
    asyncio.run(sender.engine(account, supply(), GroupCommit(opened), count, concurrency))
    seconds = time.perf_counter() - begun[-1]
    opened.close()
    shutil.rmtree(folder)
    return (count - sender.SIZE) / seconds


def main(url, ca_file, csv, folder, concurrency, rounds, turns):
    account, folder = Account("local", url, "sandbox", "sesame", ca_file=ca_file), Path(folder)
    concurrency = int(concurrency)
    batches = encoded(csv, folder, 1 + concurrency * int(rounds))
    for _ in range(int(turns)):
        rate = loop(account, batches[1:], concurrency)
        print(json.dumps([engine(account, batches, folder, concurrency), rate]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
