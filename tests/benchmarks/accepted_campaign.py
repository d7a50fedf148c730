"""A campaign of a million messages of which all were accepted, without a network, and what it costs to look
at it: FOLDER send|compare|compare_changed|result.

Prints JSON: seconds of CPU, and the memory above what was in use before in bytes.
"""

import json
import os
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from dirty_contacts import NAMES

import campaign
from campaign.sending.ledger.ledger import Move
from campaign.sending.opening import open_campaign
from campaign.sending.options import SendOptions

ROWS, BATCH = 1_000_000, 100
MOVES = 1_000  # in one commit
TEXT = "Hi {name}, your visit to Mulago is on {day}. Please bring your card and come at 9."
ACCOUNT = campaign.Account("local", "http://127.0.0.1:9", "clinic", "sesame", encoding="plain")


class Cost:
    """CPU, user and system, of all threads, and the highest memory above that at the start."""

    def __enter__(self):
        pa.default_memory_pool().release_unused()
        Path("/proc/self/clear_refs").write_text("5")  # forget the peak until now
        self._memory, self._seconds = status("VmRSS"), cpu()
        return self

    def __exit__(self, *_):
        self.cpu, self.peak = cpu() - self._seconds, status("VmHWM") - self._memory


def cpu():
    used = os.times()
    return used.user + used.system


def status(name):
    return 1024 * int(re.search(name + r":\s+(\d+) kB", Path("/proc/self/status").read_text())[1])


def people():
    """So many people with a number each, in no order."""
    chance = np.random.default_rng(7)
    phones = pd.Series(772_000_000 + chance.permutation(10_000_000)[:ROWS]).astype("str")
    days = pd.Series(np.datetime64("2026-01-01") + chance.integers(0, 300, ROWS)).dt.strftime("%Y-%m-%d")
    names = NAMES[chance.integers(0, len(NAMES), ROWS)]
    return campaign.read_contacts(pd.DataFrame({"Name": names, "Phone": "+256" + phones, "Day": days}))


def plan_of(contacts, message=TEXT):
    return campaign.prepare(contacts, message=message, sender="CLINIC")


def send(folder):
    """Prepare the plan, freeze it, and have each batch accepted."""
    contacts = people()
    with Cost() as preparing:
        plan = plan_of(contacts)
    options = SendOptions(account=ACCOUNT, folder=folder, name="visits", batch_size=BATCH, canary=False)
    with Cost() as freezing:
        opened = open_campaign(plan, options)
    for first in range(1, ROWS // BATCH + 1, MOVES):
        batches = range(first, first + MOVES)
        opened.ledger.commit([Move(batch, "sending", {"attempts": 1}) for batch in batches])
        facts = {"cost": "3500", "seconds": 0.1}
        opened.ledger.commit([Move(batch, "accepted", facts | {"code": f"code{batch}"}) for batch in batches])
    opened.close()
    return {"prepare": preparing.cpu, "freeze": freezing.cpu, "peak": freezing.peak}


def compare(folder, message=TEXT):
    """Compare the same people with what was sent, once."""
    contacts = people()
    with Cost() as preparing:
        plan = plan_of(contacts, message)
    with Cost() as comparing:
        difference = campaign.compare(plan, account=ACCOUNT, folder=folder, name="visits")
    changed = difference.counts["other_text"]
    counts = {"reached": difference.reached, "changed": changed, "new": difference.new}
    return {"prepare": preparing.cpu, "compare": comparing.cpu, "peak": comparing.peak, **counts}


def compare_changed(folder):
    return compare(folder, TEXT.replace("bring", "take"))


def result(folder):
    """The tables of the result, from the start."""
    with Cost() as loading:
        loaded = campaign.load_result(folder)
        frames = loaded.contacts, loaded.batches
    counts = {"rows": len(frames[0]), "accepted": int((frames[0]["status"] == "accepted").sum())}
    return {"load": loading.cpu, "peak": loading.peak, "batches": len(frames[1]), **counts}


def main(folder, act):
    acts = {"send": send, "compare": compare, "compare_changed": compare_changed, "result": result}
    print(json.dumps(acts[act](folder)))


if __name__ == "__main__":
    main(*sys.argv[1:])
