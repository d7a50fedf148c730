"""What is said of a campaign that another program is sending at this moment."""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.findings import codes, finding
from support.refusals import facts_of, findings_of, refused

import campaign
from campaign.sending.afterwards.unknown_batches import UnknownBatches
from campaign.words.finding import Finding

LIST = b"name,phone\n" + b"".join(b"Person %d,07700900%03d\n" % (n, n) for n in range(100, 200))
PROGRAM = """
    import sys, time
    from pathlib import Path
    import campaign
    contacts = campaign.read_contacts(Path("list.csv"))
    plan = campaign.prepare(contacts, message="Hi {name}", sender="CLINIC", region="GB")
    with campaign.Sandbox(latency=60) as sandbox:
        options = {"batch_size": 10, "canary": False, "progress": False}
        run = campaign.start(plan, name="visits", account=sandbox, **options)
        while not campaign.load_result(run.folder).totals["unknown"]:
            time.sleep(0.01)
        print("10 under way", flush=True)
        sys.stdin.readline()
"""
FOLDER = Path("campaigns", "visits.local")


def plan_of_the_list():
    contacts = campaign.read_contacts(Path("list.csv"))
    return campaign.prepare(contacts, message="Hi {name}", sender="CLINIC", region="GB")


@pytest.fixture
def plan(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("list.csv").write_bytes(LIST)
    return plan_of_the_list()


@contextmanager
def program_in(folder):
    command = [sys.executable, "-c", textwrap.dedent(PROGRAM)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=folder, **pipes) as program:
        assert program.stdout.readline() == "10 under way\n"
        yield program
        program.kill()


@pytest.fixture
def sender(plan, tmp_path):
    """Another program that sends the plan and has 10 messages under way."""
    with program_in(tmp_path) as program:
        yield program


@pytest.fixture(scope="module")
def busy_folder(tmp_path_factory):
    """The current folder of a program that sends the plan all the while, and the program. Tests only look."""
    folder = tmp_path_factory.mktemp("busy")
    (folder / "list.csv").write_bytes(LIST)
    with program_in(folder) as program:
        yield folder, program


@pytest.fixture
def busy_plan(busy_folder, monkeypatch):
    """Its plan, in its current folder."""
    monkeypatch.chdir(busy_folder[0])
    return plan_of_the_list()


@pytest.fixture
def at_work(busy_folder):
    """That program."""
    return busy_folder[1]


def test_compare_says_that_a_run_is_under_way_and_shows_what_would_leave(busy_plan, at_work):
    compared = campaign.compare(busy_plan, name="visits")
    assert (len(compared.outgoing()), compared.counts["unsent"], compared.unknown) == (90, 90, 10)
    place = f"in process {at_work.pid} on this machine"
    assert place in facts_of(compared.findings)["campaign_in_use"]["place"]
    assert place in compared._repr_html_()


@pytest.mark.usefixtures("busy_plan")
def test_nobody_is_told_to_send_what_another_program_sends(at_work, tmp_path):
    result = campaign.load_result(FOLDER)
    assert {"rows_under_way", "rows_in_other_run"} <= {*codes(result)}
    assert "call" not in finding(result, "rows_under_way").facts
    assert UnknownBatches.of(FOLDER, shown=20).numbers == ()  # an answer may come any moment
    page = campaign.write_report(result, tmp_path / "report.html").read_text("utf-8")
    command = [sys.executable, "-m", "campaign", "status", os.fspath(FOLDER)]
    status = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stdout
    for told in (result.sentence, result._repr_html_(), page, status):
        assert f"in process {at_work.pid} on this machine" in told
        assert not re.search("resume", told, re.IGNORECASE)


@pytest.mark.usefixtures("busy_plan")
@pytest.mark.parametrize("verb", [campaign.resume, campaign.close])
def test_whoever_is_locked_out_learns_by_which_program(verb, at_work):
    with refused("campaign_open", campaign.LockedError) as told:
        verb(FOLDER)
    holder = rf"in process {at_work.pid} on this machine since \d\d:\d\d"
    assert re.fullmatch(holder, told.value.finding.facts["holder"])


def test_a_program_that_was_killed_has_nothing_open(plan, sender):
    sender.kill()
    sender.wait()
    assert "campaign_in_use" not in facts_of(campaign.compare(plan, name="visits").findings)
    assert "campaign.resume(" in finding(campaign.load_result(FOLDER), "rows_not_sent").facts["resume"]
    assert campaign.resume(FOLDER, progress=False).totals["accepted"] == 90


def test_after_a_kill_the_card_has_the_call_that_settles_what_was_under_way(plan, sender):
    """Nobody has opened the campaign since, so no batch says yet that its program ended."""
    sender.kill()
    sender.wait()
    result = campaign.load_result(FOLDER)
    under_way = result.batches.loc[result.batches["status"] == "unknown", "batch"].tolist()
    assert (result.batches["error"] == "").all()
    found = finding(result, "rows_under_way").facts
    assert found["batches"] == under_way
    line = found["call"]
    assert html.escape(line) in result._repr_html_()
    with pytest.raises(campaign.ConfirmationError) as asked:
        eval(line.removeprefix("result = "))  # it asks, and says what the batch holds
    assert findings_of(asked.value)[0].facts["came"] == Finding("ended_before_answer", {"who": "program"})
    again = campaign.load_result(FOLDER)
    assert finding(again, "rows_unknown").facts["call"] == line


@pytest.mark.usefixtures("busy_plan")
def test_a_copy_of_the_folder_is_open_nowhere(tmp_path):
    copy = shutil.copytree(FOLDER, tmp_path / "copy")
    assert "rows_in_other_run" not in codes(campaign.load_result(copy))


def test_a_run_of_this_very_program_is_named_as_such(plan):
    with campaign.Sandbox(latency=0.2) as sandbox:
        run = campaign.start(plan, name="visits", account=sandbox, batch_size=10, progress=False)
        here = campaign.load_result(run.folder)
        assert "rows_in_other_run" not in codes(run.wait())
    assert "in this notebook or program since" in finding(here, "rows_in_other_run").facts["place"]


def test_only_words_depend_on_what_is_noted(plan, sender):
    """Notes of another machine, damaged ones and none are believed as far as they can be."""
    note = FOLDER / "lock.json"
    record = json.loads(note.read_text("utf-8"))
    note.write_text(json.dumps(record | {"machine": "desk.example"}), "utf-8")
    assert "rows_in_other_run" not in codes(campaign.load_result(FOLDER))  # which may have ended
    with refused("campaign_open", campaign.LockedError) as told:
        campaign.resume(FOLDER)
    assert f"in process {sender.pid} on desk.example since" in told.value.finding.facts["holder"]
    wrong = ({"process": "1"}, {"machine": 7}, {"since": "2026-01-01T08:00"})
    for damaged in ("", "{", "[]", "[" * 100_000, *(json.dumps(record | one) for one in wrong)):
        note.write_text(damaged, "utf-8")
        with refused("campaign_open", campaign.LockedError):
            campaign.resume(FOLDER)


@pytest.mark.skipif(os.name == "nt", reason="links and pipes of POSIX")
def test_a_link_or_a_pipe_in_place_of_the_note_is_neither_written_nor_read(plan):
    """As in the folder of a campaign that somebody sends you."""
    first = campaign.send(plan, name="visits", progress=False)
    mine, note = Path("mine.txt"), first.folder / "lock.json"
    mine.write_text("precious")
    note.unlink()
    note.symlink_to(mine.absolute())
    campaign.resume(first.folder, progress=False)
    assert mine.read_text() == "precious"
    note.unlink()
    os.mkfifo(note)
    assert campaign.resume(first.folder, progress=False).totals["accepted"] == 100
