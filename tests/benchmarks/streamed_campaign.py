"""One campaign from its csv file to its result, and what it cost: CSV in-memory|in-parts FOLDER URL.

Prints JSON: seconds of CPU, the highest memory of the process in bytes, and what came of it.
"""

import json
import re
import resource
import sys
from pathlib import Path

from dirty_contacts import MESSAGE

import campaign


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def peak():
    return 1024 * int(re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[1])


def main(csv, way, folder, url):
    start = cpu()
    plan = campaign.prepare(csv, message=MESSAGE, sender="CLINIC", region="UG", stream=way == "in-parts")
    prepared = cpu()
    account = campaign.Account("local", url, "sandbox", "sesame")
    result = campaign.send(plan, account=account, folder=folder, name="large", concurrency=32, progress=False)
    totals, batches = result.totals, result.batches
    print(
        json.dumps(
            {
                "cpu": cpu() - start,
                "preparing": prepared - start,
                "peak": peak(),
                "parts": sum(1 for _ in plan.parts()),
                "fingerprint": plan.fingerprint,
                "rows": totals.rows,
                "statuses": dict(totals),
                "messages": totals.messages,
                "attempts": int(batches["attempts"].max()),
                "in batches": int(batches["messages"].sum()),
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
