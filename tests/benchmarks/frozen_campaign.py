"""Preparing and freezing a csv file, in parts here or on two Dask workers: CSV stream|dask FOLDER.

Prints JSON: seconds, seconds of CPU, and the highest memory of this process and of a worker in bytes.
"""

import json
import re
import resource
import shutil
import sys
import time
from contextlib import ExitStack
from pathlib import Path

from dirty_contacts import MESSAGE

import campaign
from campaign.sending.opening import open_campaign
from campaign.sending.options import SendOptions


def cpu(*_):
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def peak(*_):
    return 1024 * int(re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[1])


def on_cluster(held, csv):
    """The client of a new cluster, and the file as a Dask frame."""
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    made = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", host="127.0.0.1")
    client = held.enter_context(Client(held.enter_context(made)))
    return client, dd.read_csv(csv, dtype=str, keep_default_na=False, blocksize="16MB")


def main(csv, way, folder):
    with ExitStack() as held:
        client, source = on_cluster(held, csv) if way == "dask" else (None, csv)
        start, used = time.monotonic(), cpu()
        of_workers = sum(client.run(cpu).values()) if client else 0.0
        plan = campaign.prepare(source, message=MESSAGE, sender="CLINIC", region="UG", stream=True)
        prepared, fingerprint = time.monotonic(), plan.fingerprint
        marked = time.monotonic()
        open_campaign(plan, SendOptions(folder=folder, name="large", canary=False)).close()
        frozen = time.monotonic()
        of_workers = sum(client.run(cpu).values()) - of_workers if client else 0.0
        outcome = {
            "seconds": frozen - start,
            "preparing": prepared - start,
            "fingerprint": marked - prepared,
            "freezing": frozen - marked,
            "cpu": cpu() - used + of_workers,
            "of workers": of_workers,
            "peak": peak(),
            "peak of a worker": max(client.run(peak).values()) if client else 0,
            "rows": plan.totals.rows,
            "messages": plan.totals.messages,
            "mark": fingerprint,
        }
    print(json.dumps(outcome))
    shutil.rmtree(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
