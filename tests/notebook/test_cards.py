"""What a person sees instead of a traceback, before something leaves, and in a notebook opened tomorrow."""

import os
import re
import subprocess
import sys
import time
from datetime import timedelta
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import nbformat
import openpyxl
import pandas as pd
import pytest
from nbclient import NotebookClient
from support.findings import finding
from support.live_service import LiveService, start_live
from support.pasted import pasted
from support.small_campaigns import people, plan_for
from support.widget_tree import find, html_of

import campaign
from campaign.local_times import clock, duration
from campaign.notebook.dashboard import Dashboard
from campaign.notebook.error_card import error_lines, question_card
from campaign.notebook.run_card import recent_batches, run_card
from campaign.sending.engine.tally import SettledBatch
from campaign.values import replace

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
ANSI = re.compile(r"\x1b\[[0-9;]*m")

SETTING = """
import campaign, os, signal, threading, time
table = "name,phone\\n" + "\\n".join(f"Ada,0772 000 0{n:02}" for n in range(40))
contacts = campaign.read_contacts(table.encode())
plan = campaign.prepare(contacts, message="Hi {name}, private words.", sender="CLINIC", region="UG")
service = campaign.Sandbox(latency=0.2).start()
live = campaign.Account("live", "https://sms.example.com", "clinic", "made-up-secret")
"""
CELLS = {
    "typo": 'campaign.prepare(\n    contacts, message="Hi {nmae}", sender="CLINIC", region="UG")',
    "question": "campaign.send(plan, account=live, name='visits')",
    "form": "campaign.start(plan, account=live, name='visits')",
    "interrupt": """
def interrupt():
    while service.requests < 2:
        time.sleep(0.02)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt, daemon=True).start()
campaign.send(plan, account=service, folder="stopped", batch_size=1, concurrency=1)""",
    "below its run": """
poor = campaign.Sandbox(balance=35)
result = campaign.send(plan, account=poor, folder="poor", batch_size=20, concurrency=1)
result""",
    "alone": "result",
    "everything": "%xmode Verbose\ncampaign.load_result('nowhere')",
    "no widgets": """
import sys
sys.modules["ipywidgets"] = None
run = campaign.start(plan, account=service, folder="plain", batch_size=10)
run""",
    "waited": "run.wait()\nrun",
}


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """What is below each cell of one notebook, by the cell's name."""
    cells = [nbformat.v4.new_code_cell(source) for source in (SETTING, *CELLS.values())]
    notebook = nbformat.v4.new_notebook(cells=cells)
    place = {"metadata": {"path": str(tmp_path_factory.mktemp("notebook"))}}
    NotebookClient(notebook, timeout=60, kernel_name="python3", allow_errors=True, resources=place).execute()
    return dict(zip(CELLS, [cell.outputs for cell in notebook.cells[1:]], strict=True))


def error_in(outputs):
    (error,) = [output for output in outputs if output.output_type == "error"]
    return error.ename, [ANSI.sub("", line) for line in error.traceback]


def cards_in(outputs):
    return [output.data["text/html"] for output in outputs if 'class="campaign"' in str(output.get("data"))]


def until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


# errors


def test_an_error_is_three_lines_what_what_to_do_and_where(shown):
    name, lines = error_in(shown["typo"])
    assert name == "TemplateError"
    assert lines == [
        "The message has the placeholder {nmae}, but no such column.",
        "Did you mean 'name'? The columns are 'name' and 'phone'.",
        "TemplateError in Cell In[2], line 1: campaign.prepare(",
    ]


def test_a_long_error_is_broken_between_words_and_what_can_be_copied_stays_whole():
    """JupyterLab breaks lines wherever they end: "may be different p" and below it "eople"."""
    call = 'result = campaign.resume("campaigns/a clinic", budget=campaign.Budget(messages=100))'
    path = f"'/home/clinic/{'my texts ' * 20}'"
    sentence = "The table of this campaign has changed since the rows to correct were written. "
    error = RuntimeError(f"{sentence * 3}Nobody's file is in {path}, so write {call} at once.\nThen go.")
    compiled = SimpleNamespace(format_code_name=lambda name: None)
    shell = SimpleNamespace(kernel=object(), colors="nocolor", compile=compiled)
    lines = "\n".join(error_lines(error, shell)).split("\n")
    assert " ".join(lines) == f"{error} RuntimeError".replace("\n", " ")
    assert [line for line in lines if len(line) > 104] == [f"{path},"]
    assert [line for line in lines if call in line]
    assert lines[-2:] == ["Then go.", "RuntimeError"]
    shell.kernel = None  # a terminal knows its own width
    assert max(map(len, error_lines(error, shell))) > 300


def test_an_error_is_as_short_where_ipython_has_no_names_for_cells():
    """As in version 7.34, which Colab has. Code that was imported is not the cell."""
    names = {"campaign": campaign}
    shell = SimpleNamespace(kernel=None, colors="nocolor", compile=object(), user_ns=names)
    with pytest.raises(campaign.FolderError) as caught:
        exec(compile("\ncampaign.load_result('nowhere')", "<ipython-input-2-c0ffee>", "exec"), names)
    *_, where = error_lines(caught.value, shell)
    assert where.startswith("FolderError in the cell, line 2")
    with pytest.raises(campaign.FolderError) as caught:
        campaign.load_result("nowhere")
    assert error_lines(caught.value, shell)[-1].startswith(f"FolderError in {__file__}, line ")


def test_a_question_is_a_card_with_the_phrase_and_no_alarm(shown):
    name, lines = error_in(shown["question"])
    # The error stays for programs that run notebooks; CSS of the card hides it from people at JupyterLab.
    assert (name, lines) == (
        "ConfirmationError", ["Nothing was done yet: a decision is needed."]
    )  # fmt: skip
    (card,) = cards_in(shown["question"])
    assert "{display:none}</style><span" in card
    assert "Run All stops here until then." in card
    assert "This sends 40 messages (40 SMS parts) to 40 people on real phones (LIVE, sms.example.com)" in card
    assert re.search(r'<pre class="phrase">confirm=&quot;send 40 messages live [0-9a-f]{4}&quot;</pre>', card)
    assert card.count("send 40 messages live") == 1
    assert "0772 000" not in card


def test_where_a_run_would_go_on_in_the_background_the_phrase_can_be_typed(shown):
    assert any(WIDGET_VIEW in output.get("data", {}) for output in shown["form"])
    assert not any(WIDGET_VIEW in output.get("data", {}) for output in shown["question"])


def test_an_interrupt_says_what_is_known_and_how_to_go_on(shown):
    name, lines = error_in(shown["interrupt"])
    assert name == "Interrupted"
    assert re.fullmatch(r"Rehearsal stopped: \d of 40 messages accepted \(3\d not sent\)\.", lines[0])
    assert "campaign.load_result(" in lines[1]
    assert 'campaign.resume("' in lines[1]
    assert len("\n".join(lines).splitlines()) == 4


def test_verbose_still_shows_every_frame_and_no_secret(shown):
    _, lines = error_in(shown["everything"])
    assert sum(" in \x1b" in line or ", in " in line for line in lines) > 2
    assert "made-up-secret" not in str(shown)


def test_in_a_terminal_ipython_shows_the_lines_and_python_its_traceback(tmp_path):
    call = "import campaign; campaign.load_result('nowhere')\n"
    ipython = subprocess.run(
        [sys.executable, "-m", "IPython", "--simple-prompt", "--no-banner", "--colors=nocolor"],
        input=call, capture_output=True, text=True, timeout=60, cwd=tmp_path,
        env={**os.environ, "IPYTHONDIR": str(tmp_path / "ipython")},
    )  # fmt: skip
    assert "nowhere: there is no such folder.\nGive the folder of a campaign.\nFolderError" in ipython.stdout
    assert "\x1b[1m" not in ipython.stdout
    assert "Traceback" not in ipython.stdout + ipython.stderr
    python = subprocess.run([sys.executable, "-c", call], capture_output=True, text=True, cwd=tmp_path)
    assert python.stderr.startswith("Traceback")


# a result


def test_below_its_run_a_result_is_not_shown_twice_and_alone_it_says_all(shown):
    *_, run = cards_in(shown["below its run"])
    (alone,) = map(unescape, cards_in(shown["alone"]))
    reason = "Top it up, then resume"
    going_on = f'campaign.resume("{Path("poor")}", account=poor, batch_size=20, concurrency=1)</code>'
    for said in (reason, going_on, "<b>1</b> accepted", "<b>20</b> refused"):
        assert [said in unescape(card) for card in (run, alone)] == [True, True], said


# without widgets


def test_without_ipywidgets_a_card_and_a_bar_stand_in(shown):
    assert not any(WIDGET_VIEW in str(outputs) for outputs in (shown["no widgets"], shown["waited"]))
    (card,) = cards_in(shown["no widgets"])
    assert "<b>40</b> accepted" in card
    bar = "".join(output.text for output in shown["waited"] if output.output_type == "stream")
    assert "40/40" in bar
    assert len(cards_in(shown["waited"])) == 1


# the card of a run


def test_a_card_written_in_mid_run_says_when_and_how_to_look_again(tmp_path):
    with campaign.Sandbox(latency=0.3) as sandbox:
        run = campaign.start(plan_for(people(9)), account=sandbox, folder=tmp_path / "visits", batch_size=1)
        card = run_card(run)
        run.stop()
        run.wait(20)
    assert re.search(r"Written on \d+ \w+ \d{4}, \d\d:\d\d:\d\d \(.*the run may have ended since", card)
    assert f"campaign.load_result(&quot;{tmp_path / 'visits'}&quot;)" in card
    assert "may have ended" not in run_card(run)


def test_a_card_at_the_end_of_a_finished_run_offers_nothing_to_resume(tmp_path):
    run = campaign.start(plan_for(people(3)), folder=tmp_path / "visits")
    run.wait(20)
    assert "campaign.load_result(" in run_card(run)
    assert "campaign.resume(" not in run_card(run)


def test_batches_that_need_a_person_come_first_and_the_caption_says_that_there_are_more(tmp_path):
    run = campaign.start(plan_for(people(1)), folder=tmp_path / "visits")
    run.wait(20)
    statuses = ["accepted", "accepted", "refused", "unknown", "accepted"]
    recent = [SettledBatch(9 - place, 1, status, None, "", "") for place, status in enumerate(statuses)]
    table = recent_batches(replace(run.counts, recent=tuple(recent)))
    assert re.findall(r'<tr><td class="figure">(\d)</td>', table) == ["6", "7", "9", "8", "5"]
    assert "The last 5 batches</caption>" in table
    assert ">Batches so far</caption>" in recent_batches(replace(run.counts, recent=tuple(recent[:4])))


def test_cards_whose_words_may_become_untrue_say_when_they_were_written(tmp_path):
    """In a notebook that is opened again tomorrow, "to send what is left" may have been done since."""
    plan, folder = plan_for(people(4)), tmp_path / "all" / "visits"
    before = campaign.compare(plan, folder=folder)
    with campaign.Sandbox(faults={2: "accept_reset"}) as sandbox:
        run = campaign.start(plan, account=sandbox, folder=folder, batch_size=2, concurrency=1)
        run.wait(20)
        run.stop()
        result = run.wait(20)
    provider = b"number,message\n256772000999,Hi\n"
    with pytest.raises(campaign.ConfirmationError) as asked:
        campaign.close(result.folder)
    cards = [
        run_card(run), result._repr_html_(), before._repr_html_(),
        campaign.history(tmp_path / "all")._repr_html_(), campaign.summary(result).card(),
        campaign.browse(result).card(), question_card(asked.value),
        campaign.reconcile(result.folder, provider)._repr_html_(),
    ]  # fmt: skip
    written = r'<p class="note">Written on \d+ \w+ \d{4}, \d\d:\d\d:\d\d \([^)]+\)\.</p></div>$'
    assert [card for card in cards if not re.search(written, card)] == []


@pytest.mark.parametrize("seconds", [1.2, 8.4, 8.5, 8.6, 59.4, 59.6, 90.7])
def test_a_dashboard_and_a_report_round_a_time_alike(seconds):
    """One run was said to have taken 0:08 here, and 9 s there."""
    minutes, rest = clock(seconds).split(":")
    assert duration(timedelta(seconds=seconds)) == f"{60 * int(minutes) + int(rest)} s"


def test_a_notebook_of_100_000_rows_stays_small_and_names_nobody(tmp_path):
    numbers = [f"07700 900{n % 1000:03}" for n in range(100_000)]
    table = pd.DataFrame({"phone": numbers, "name": [f"Person{n}" for n in range(100_000)]})
    plan = campaign.prepare(table, message="Hello {name}", sender="CLINIC", region="GB", duplicates="keep")
    run = campaign.start(plan, folder=tmp_path / "visits", batch_size=1000)
    dashboard = Dashboard(run)
    result = run.wait(60)
    dashboard.draw()
    summary = campaign.summary(result)
    kept = [plan._repr_html_(), dashboard.card(), summary.card(), result._repr_html_(), html_of(dashboard)]
    assert sum(map(len, kept)) < 200 * 1024
    for text in (dashboard.card(), summary.card(), result._repr_html_(), html_of(dashboard)):
        assert "Person" not in text
        assert not re.search(r"44770\d{5}|07700 900", text)


# the live confirmation inside the dashboard


@pytest.fixture
def live(resolves_here, monkeypatch):
    with start_live(resolves_here, monkeypatch, latency=0.2) as sandbox:
        yield LiveService(sandbox)


def question_of(plan, live, tmp_path):
    with pytest.raises(campaign.ConfirmationError) as asked:
        campaign.start(plan, account=live.account, folder=tmp_path / "visits", batch_size=2, concurrency=1)
    return asked.value


def submit(dashboard, phrase):
    find(dashboard, "phrase").value = phrase
    find(dashboard, "send").click()


def test_nothing_leaves_until_the_phrase_is_typed(live, tmp_path):
    question = question_of(plan_for(people(6)), live, tmp_path)
    dashboard = Dashboard(question)
    assert "This sends 6 messages (6 SMS parts) to 6 people on real phones" in html_of(dashboard)
    assert find(dashboard, "buttons").layout.display == "none"
    for wrong in ("", "yes", question.phrase.upper(), question.phrase.replace("6", "5")):
        submit(dashboard, wrong)
        assert live.sandbox.requests == 0
    assert "That is not the phrase, so nothing was done." in html_of(dashboard)
    assert "a decision is needed" in dashboard.card()

    submit(dashboard, question.phrase)
    # Then the run has let go of everything.
    until(lambda: "campaign.load_result(" in find(dashboard, "status").value)
    assert "Finished" in find(dashboard, "status").value
    assert len(live.numbers) == len(set(live.numbers)) == 6
    assert find(dashboard, "form").layout.display == "none"
    assert "<b>6</b> accepted" in dashboard.card()


def test_what_is_left_of_a_live_run_asks_again_before_it_goes_on(live, tmp_path):
    question = question_of(plan_for(people(9)), live, tmp_path)
    run = question.proceed(question.phrase)
    dashboard = Dashboard(run)
    until(lambda: live.sandbox.requests)
    run.stop()
    until(lambda: not find(dashboard, "resume").disabled)
    sent, requests = len(live.numbers), live.sandbox.requests
    find(dashboard, "resume").click()
    assert live.sandbox.requests == requests
    assert f"This sends {9 - sent} message" in html_of(dashboard)
    submit(dashboard, re.search(r'<pre class="phrase">(.*?)</pre>', html_of(dashboard))[1])
    assert run.wait(20).totals["accepted"] == 9
    assert len(live.numbers) == len(set(live.numbers)) == 9


def test_a_row_hidden_in_the_sheet_is_counted_wherever_the_rows_are(sandbox, tmp_path):
    book = openpyxl.Workbook()
    for row in (("name", "phone"), ("Ann", "0772 000 001"), ("Bea", "0772 000 002")):
        book.active.append(row)
    book.active.row_dimensions[3].hidden = True
    book.save(tmp_path / "visits.xlsx")
    plan = plan_for(campaign.read_contacts(tmp_path / "visits.xlsx"))
    sent = campaign.send(plan, account=sandbox, folder=tmp_path / "visits", progress=False)
    for result in (sent, campaign.load_result(tmp_path / "visits")):
        assert result.totals.rows == 1
        assert finding(result, "rows_not_read").facts == {"lines": 1}


def test_the_cost_of_a_run_is_said_as_in_its_report(tmp_path):
    """A batch without a cost makes the sum a lower bound while it runs, at its end and in the result."""
    with campaign.Sandbox(faults={2: "accept_no_cost"}) as sandbox:
        run = campaign.start(plan_for(people(3)), account=sandbox, folder=tmp_path / "visits", batch_size=1)
        result = run.wait(20)
    assert result.totals.cost_in_words == "70 or more (made up)"
    assert "cost 70 or more (made up)" in run_card(run)
    assert campaign.history(tmp_path)._repr_html_().count("70 or more (made up)") == 2


def test_the_call_that_goes_on_names_an_account_where_one_was_given(tmp_path, monkeypatch):
    """A sandbox that was topped up is not the one that resume would start."""
    with campaign.Sandbox(balance=1) as sandbox:
        shell = SimpleNamespace(user_ns={"_": sandbox})
        monkeypatch.setattr("IPython.get_ipython", lambda: shell)
        given = campaign.start(
            plan_for(people(3)), account=sandbox.account, folder=tmp_path / "given", progress=False,
            rate=100, hours="00:00-23:59 UTC",
        )  # fmt: skip
        given.wait(20)
        pace = 'rate=100, hours="00:00-23:59 UTC"'  # or the rest would leave as fast as it can, by night too
        assert f'given", {pace})</code>' in unescape(run_card(given))
        shell.user_ns |= {"box": sandbox, "campaign": campaign}
        assert f'given", account=box, {pace})</code>' in unescape(run_card(given))
        sandbox.top_up(1000)
        assert pasted(given.call_for_the_rest, **shell.user_ns).totals["accepted"] == 3
        assert len(sandbox.inbox) == 3


def test_the_lines_of_a_question_settle_what_is_unknown(tmp_path):
    """They are copied and run as they are; a run that a valve holds ends for that."""
    with campaign.Sandbox(faults={2: "accept_reset"}) as sandbox:
        folder = tmp_path / "slow"
        options = {"folder": folder, "batch_size": 3, "concurrency": 1, "progress": False}
        run = campaign.start(plan_for(people(10)), account=sandbox, **options)
        run.wait(20)
        with pytest.raises(campaign.ConfirmationError) as asked:
            campaign.resolve(folder, 2, "accepted")
        with pytest.raises(campaign.ConfirmationError, match="close with 6 messages not sent"):
            campaign.close(folder)
        assert run.status == "paused"  # the question has done nothing yet
        pasted(asked.value.call)
        assert run.status == "stopped"
        done = campaign.resume(account=sandbox, **options)
        assert done.totals["accepted"] == len(sandbox.inbox) == 10
        assert done.batches["batch"].iloc[done.batches_by_urgency].tolist() == [2, 4, 3, 1]  # settled first
