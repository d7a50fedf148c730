"""The job in docs/cli.md, word for word: it dry-runs, compares, and confirms what it has seen."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from support.live_service import NAME, LiveService, start_live

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text("utf-8")
# `campaign` for a machine on which the name of the live service means this machine.
PROGRAM = f"""\
#!{sys.executable}
import socket, sys
look_up = socket.getaddrinfo
def getaddrinfo(host, *arguments, **options):
    return look_up("127.0.0.1" if host == "{NAME}" else host, *arguments, **options)
socket.getaddrinfo = getaddrinfo
from campaign.cli.main import main
sys.exit(main())
"""

pytestmark = pytest.mark.skipif(os.name == "nt", reason="cron and sh are not there")


def write_visits(home, people):
    frame = pd.DataFrame(
        {"name": [f"Person {n}" for n in people], "phone": [f"0772 000 {n:03}" for n in people]}
    )
    frame.to_excel(home / "reminders" / "visits.xlsx", index=False)


def test_the_job_sends_what_is_new_once_and_stops_at_more_than_usual(tmp_path, resolves_here, monkeypatch):
    """Run by the line of the crontab, as cron runs it: with a shell and hardly any environment."""
    (job,) = re.findall(r"```shell\n(.*?)```", PAGE, re.S)
    (line,) = re.findall(r"`0 7 \* \* 1-5 ([^`]*)`", PAGE)
    home, programs = tmp_path / "home", tmp_path / "bin"
    (home / "reminders").mkdir(parents=True)
    programs.mkdir()
    (programs / "campaign").write_text(PROGRAM)
    (programs / "campaign").chmod(0o755)
    (home / "reminders.sh").write_text(job)
    (home / "reminders" / "visit.txt").write_text("Hi {name}, your visit is today.\n")

    with start_live(resolves_here, monkeypatch) as sandbox:
        service = LiveService(sandbox)
        settings = {
            "PATH": f"{programs}:{os.environ['PATH']}", "CAMPAIGN_LIVE_URL": service.account.url,
            "CAMPAIGN_LIVE_USERNAME": "clinic", "CAMPAIGN_LIVE_PASSWORD": "only-for-tests",
            "CAMPAIGN_LIVE_CA_FILE": str(sandbox.ca_file),
        }  # fmt: skip
        names = re.findall(r"`(CAMPAIGN_LIVE_[A-Z]+)`", PAGE.split("In the crontab")[1].split("## ")[0])
        assert set(names) <= set(settings)
        exports = [f"export {name}={shlex.quote(value)}\n" for name, value in settings.items()]
        (home / "sms.env").write_text("".join(exports))
        kept = ("CAMPAIGN_STATE_DIR", "PYTHONPATH")  # of this test, not of cron
        environment = {name: os.environ[name] for name in kept if name in os.environ}
        environment |= {"HOME": str(home), "PATH": "/usr/bin:/bin"}

        def run():
            return subprocess.run(
                ["/bin/sh", "-c", line], env=environment, cwd=home, stdin=subprocess.DEVNULL,
                capture_output=True, text=True,
            )  # fmt: skip

        write_visits(home, range(3))
        first = run()
        assert (first.returncode, first.stdout, first.stderr) == (0, "", "")
        assert len(service.numbers) == 3

        result = json.loads((home / "reminders" / "result.json").read_text())["result"]
        assert (result["rows"], result["statuses"]["accepted"]) == (3, 3)

        write_visits(home, range(600))
        refused = run()
        assert refused.returncode == 2
        assert refused.stderr == "597 messages are more than usual: look at plan.json\n"
        assert len(service.numbers) == 3
