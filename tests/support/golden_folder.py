"""Makes the golden folder of today's format: python -m support.golden_folder, from within tests/.

A released format must be readable for good, so its golden folder is made once, by the release that has the
format, and never again. It holds one batch of each status; the numbers are invented.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import campaign
from campaign.sending.store.manifest import FORMAT

GOLDEN = Path(__file__).parent / "golden"
VISITS = """\
First name,Phone,Visit
Aisha,0772 000 001,Monday
José,+256 772 000 002,Tuesday 🎉
Ben,0772000003,Monday
Aisha,0772000001,Monday
Grace,not a number,Friday
,,
Daudi,0772000004,Friday
Esther,0772000005,Friday
"""


def make(folder: Path) -> None:
    """A campaign of five messages: two accepted, one refused, one unknown, one waiting."""
    with tempfile.TemporaryDirectory() as home:
        spreadsheet = Path(home) / "visits.csv"
        spreadsheet.write_text(VISITS, "utf-8")
        os.chdir(home)  # so that the spreadsheet's path is its name
        plan = campaign.prepare(
            campaign.read_contacts("visits.csv"),
            message="Hi {First name}, your visit is on {Visit}.",
            sender="CLINIC",
            region="UG",
        )
        with campaign.Sandbox(faults={3: "Wrong JSON Passed", 4: "accept_reset"}) as sandbox:
            result = campaign.send(
                plan, account=sandbox.account, folder="visits", batch_size=1, concurrency=1, progress=False
            )
        assert result.batches["status"].tolist() == ["accepted", "accepted", "refused", "unknown", "not_sent"]
        for name in ("lock", "lock.json"):
            Path("visits", name).unlink()
        shutil.copytree("visits", folder)
        os.chdir("/")


if __name__ == "__main__":
    make(GOLDEN / f"format-{FORMAT}")
