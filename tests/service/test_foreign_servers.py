"""Over TLS, against servers that nobody here wrote, each batch is reported as what it came to."""

import asyncio
import random
from collections import Counter

import pyarrow as pa
import pytest
from support.foreign_servers import SERVERS

from campaign.service.transport import Transport
from campaign.service.wire import EncodedMessages

STATUS = {"accept": "accepted", "refuse": "refused", "garble": "unknown", "drop": "unknown"}
SHARES = {"accept": 80, "refuse": 10, "garble": 5, "drop": 5}


def batch(word, number, messages):
    texts = [f"{word}-{number}"] + ["a" * 160] * (messages - 1)
    columns = {"number": "256772000012", "sender": "CLINIC", "priority": ""}
    table = {name: [text] * messages for name, text in columns.items()} | {"message": texts}
    return EncodedMessages(pa.table(table), "url").slice(0, messages)


async def gate():
    pass


async def report_all(account, orders, chance):
    """Post a batch for each order, at most 16 at once; its outcome."""
    sizes = chance.choices([1, 20, 400, 4000], [70, 20, 9, 1], k=len(orders))
    at_once = asyncio.Semaphore(16)

    async def post(number):
        async with at_once:
            return await transport.post(batch(orders[number], number, sizes[number]), gate)

    async with Transport(account, connections=16, timeout=60) as transport:
        return await asyncio.gather(*map(post, range(len(orders))))


def check(server, link, batches, seed):
    chance = random.Random(seed)
    orders = chance.choices(list(SHARES), list(SHARES.values()), k=batches)
    with SERVERS[server](link) as service:
        outcomes = asyncio.run(report_all(link.account(service.port), orders, chance))
    wrong = Counter(
        (word, outcome.status, outcome.error)
        for word, outcome in zip(orders, outcomes, strict=True)
        if outcome.status != STATUS[word]
    )
    assert wrong == {}
    accepted = [str(number) for number, word in enumerate(orders) if word == "accept"]
    assert sorted(service.accepted, key=int) == accepted
    assert [outcome.code for outcome in outcomes if outcome.status == "accepted"] == accepted
    return Counter(outcome.status for outcome in outcomes)


@pytest.mark.parametrize("server", SERVERS)
def test_every_batch_is_reported_as_what_it_came_to(server, tls_link):
    check(server, tls_link, batches=300, seed=1)


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("server", SERVERS)
def test_every_batch_of_thousands_is_reported_as_what_it_came_to(server, tls_link):
    statuses = check(server, tls_link, batches=3334, seed=2)
    print(f"{server}: {dict(statuses)}; 0 reported otherwise")
