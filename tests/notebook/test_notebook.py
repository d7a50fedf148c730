"""The widgets, with real runs, and the notebooks as a program runs them."""

import asyncio
import base64
import html
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote

import nbformat
import pytest
from nbclient import NotebookClient
from support.findings import rows_found
from support.raw_server import hostile, reply
from support.widget_tree import find, html_of, widgets_in

import campaign
from campaign.notebook import run_card
from campaign.notebook.dashboard import Dashboard
from campaign.sending.opening import open_campaign
from campaign.sending.options import SendOptions
from campaign.sending.run import Run
from campaign.values import replace
from campaign.words.finding import Finding
from campaign.words.python import PYTHON

PROJECT = Path(__file__).parents[2]
NOTEBOOKS = sorted((PROJECT / "notebooks").glob("*.ipynb"))
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
CARD = "campaign-card-"
SENTINEL = "pass word+%/of <nobody>"


@pytest.fixture
def plan(tmp_path):
    """Forty messages, a row without a number, and a row with an attack in its cells."""
    lines = [f"Person {n:02},0772 000 {n:03},call +256 772 000 999" for n in range(40)]
    hostile = '<img src=x onerror="alert(1)">,0772 000 0I7,<script>alert(2)</script>'
    table = tmp_path / "people.csv"
    table.write_text("\n".join(["name,phone,note", *lines, "Nobody,,", hostile]), encoding="utf-8")
    return campaign.prepare(
        campaign.read_contacts(table), message="Dear {name}, hello.", sender="CLINIC", region="UG"
    )


@pytest.fixture
def slow_run(plan, tmp_path):
    """A run of twenty batches that takes some seconds, and the sandbox that it sends to."""
    with campaign.Sandbox(latency=0.2) as sandbox:
        run = campaign.start(
            plan, account=sandbox.account, folder=tmp_path / "visits", batch_size=2, concurrency=2
        )
        yield run, sandbox
        run.stop()
        until(lambda: run.ended)


def shown_buttons(panel):
    return {name for name in ("pause", "resume", "stop") if find(panel, name).layout.display != "none"}


def enabled(panel):
    return {name for name in ("pause", "resume", "stop") if not find(panel, name).disabled}


def until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def shows(panel, word):
    return f'<span class="word">{word}' in find(panel, "status").value


# the dashboard


def test_the_dashboard_follows_the_run_to_its_end(slow_run):
    run, sandbox = slow_run
    dashboard = Dashboard(run)
    assert shows(dashboard, "Running")
    assert enabled(dashboard) == {"pause", "stop"}
    assert ">REHEARSAL, embedded sandbox</span>" in html_of(dashboard)
    until(lambda: 0 < len(sandbox.inbox) < 40)
    until(lambda: "<dt>accepted</dt><dd>0</dd>" not in html_of(dashboard))
    run.wait(20)
    until(lambda: shows(dashboard, "Finished"))
    until(lambda: shown_buttons(dashboard) == set())  # once the ledger is closed, too
    until(lambda: "<b>40</b> accepted, cost 1,400 (made up)" in html_of(dashboard))
    assert "aria-valuenow" not in html_of(dashboard)  # it has become the card of the result


def test_pause_resume_and_stop(slow_run):
    run, sandbox = slow_run
    dashboard = Dashboard(run)
    find(dashboard, "pause").click()
    until(lambda: shows(dashboard, "Paused"))
    assert "time left" not in html_of(dashboard)  # nor a rate: while nothing leaves, neither means anything
    until(lambda: run.counts.in_flight == 0)
    paused_at = len(sandbox.inbox)
    time.sleep(0.6)  # three answers' time, in which nothing may arrive
    assert len(sandbox.inbox) == paused_at
    assert enabled(dashboard) == {"resume", "stop"}

    find(dashboard, "resume").click()
    until(lambda: shows(dashboard, "Running"))
    until(lambda: len(sandbox.inbox) > paused_at)
    find(dashboard, "stop").click()
    until(lambda: shows(dashboard, "Stopped"))
    until(lambda: "Resume sends what is left" in html_of(dashboard))
    final = html_of(dashboard)
    assert f"<b>{len(sandbox.inbox)}</b> accepted" in final
    assert 0 < len(sandbox.inbox) < 40
    assert enabled(dashboard) == shown_buttons(dashboard) == {"resume"}

    for name in ("pause", "stop"):
        find(dashboard, name).click()
    time.sleep(0.3)
    assert html_of(dashboard) == final
    assert run.status == "stopped"


def test_a_run_is_paused_once_nothing_is_under_way_any_more(slow_run):
    run, _ = slow_run
    pausing = replace(run.counts, status="paused", in_flight=1_200)
    assert '<span class="word">Pausing: 1,200 messages under way</span>' in run_card.status(
        pausing, None, PYTHON
    )
    assert '<span class="word">Paused</span>' in run_card.status(replace(pausing, in_flight=0), None, PYTHON)


def test_two_dashboards_of_one_run_show_the_same_also_after_one_has_resumed_it(slow_run):
    run, sandbox = slow_run
    first, second = Dashboard(run), Dashboard(run)
    until(lambda: sandbox.inbox.shape[0] > 2)
    find(first, "stop").click()
    until(lambda: shows(first, "Stopped") and shows(second, "Stopped"))
    find(second, "resume").click()
    later = Dashboard(run)  # displayed again
    assert run.wait(20).totals["accepted"] == 40
    until(lambda: all(shows(panel, "Finished") for panel in (first, second, later)))
    until(lambda: html_of(first).count("<b>40</b> accepted") == 1)
    assert shown_buttons(first) == shown_buttons(second) == shown_buttons(later) == set()
    assert not sandbox.inbox["number"].duplicated().any()


def test_resume_after_the_end_sends_the_rest_and_wait_speaks_of_it(slow_run):
    run, sandbox = slow_run
    dashboard = Dashboard(run)
    until(lambda: sandbox.inbox.shape[0] > 2)
    find(dashboard, "stop").click()
    until(lambda: shows(dashboard, "Stopped"))
    sent = len(sandbox.inbox)
    find(dashboard, "resume").click()
    until(lambda: f"Rehearsing {40 - sent} of 40 messages" in html_of(dashboard))
    assert run.wait(20).totals["accepted"] == 40
    until(lambda: shows(dashboard, "Finished"))
    assert (run.status, run.continuation.status) == ("stopped", "finished")
    assert sorted(sandbox.inbox["number"]) == sorted(run.plan.messages["number"])
    assert enabled(dashboard) == set()


def test_an_empty_account_is_topped_up_and_resume_does_what_the_sentence_says(plan, tmp_path):
    with campaign.Sandbox(balance=35 * 10) as sandbox:
        run = campaign.start(
            plan, account=sandbox.account, folder=tmp_path / "visits", batch_size=5, concurrency=1
        )
        dashboard = Dashboard(run)
        until(lambda: "Top it up, then resume" in find(dashboard, "status").value)
        until(lambda: enabled(dashboard) == {"resume"})
        assert f"<b>{len(sandbox.inbox)}</b> accepted" in find(dashboard, "status").value
        before = run.result
        assert before.changes_since == ""
        sandbox.top_up(100_000)
        find(dashboard, "resume").click()
        now = run.wait(20)
        assert now.totals["accepted"] == len(sandbox.inbox) == 40
    until(lambda: "<b>40</b> accepted" in html_of(dashboard))
    since = "the campaign has changed since."
    page = campaign.write_report(before, tmp_path / "report.html").read_text("utf-8")
    shown = [before._repr_html_(), html_of(campaign.summary(before)), repr(before), page]
    assert [since in text for text in shown] == [True] * 4
    assert "<code>result = campaign.load_result(" in shown[0]
    assert (0 < before.totals["accepted"] < 11, now.changes_since) == (True, "")
    shutil.rmtree(now.folder)
    assert before.changes_since == ""


def test_a_send_that_a_lost_answer_paused_has_ended_and_resume_sends_the_rest(plan, tmp_path, monkeypatch):
    """What `send` shows: nobody waits for it any more, so it is no pause. The lines to copy are complete."""
    with campaign.Sandbox(faults={3: "accept_close"}) as sandbox:
        shell = SimpleNamespace(user_ns={"_1": sandbox, "box": sandbox})
        monkeypatch.setattr("IPython.get_ipython", lambda: shell)
        options = SendOptions(account=sandbox, folder=tmp_path / "visits", batch_size=5, concurrency=1)
        run = Run(open_campaign(plan, options), attended=False)
        dashboard = Dashboard(run)
        until(lambda: shows(dashboard, "Stopped"))
        assert enabled(dashboard) == shown_buttons(dashboard) == {"resume"}
        assert "Nothing was sent under this name before." not in html_of(dashboard)
        assert ", account=box, batch_size=5, concurrency=1)" in find(dashboard, "status").value
        find(dashboard, "resume").click()
        assert run.wait(20).totals["accepted"] == 35
        until(lambda: shows(dashboard, "Finished"))
    assert sandbox.inbox["number"].is_unique
    assert PYTHON.headline(Finding("connection_broke")) in html_of(dashboard)
    until(lambda: "visits&quot;, 3, &quot;accepted&quot;)</code>" in html_of(dashboard))
    assert 0 < run.continuation.seconds_before < run.continuation.counts.seconds
    table = run.result._repr_html_().split("<tbody>")[1]
    assert re.findall(r'<td class="figure">(\d+)</td><td class="figure">5</td>', table)[:2] == ["3", "8"]


def test_resume_is_not_offered_where_it_would_end_the_same_way(plan, tmp_path):
    with campaign.Sandbox(username="clinic", password="right") as sandbox:
        account = campaign.Account("local", sandbox.account.url, "clinic", "wrong")
        run = campaign.start(plan, account=account, folder=tmp_path / "visits")
        dashboard = Dashboard(run)
        until(lambda: "campaign.resume(" in find(dashboard, "status").value)
    assert run.finding.code == "account_refused"
    assert enabled(dashboard) == set()


def test_it_says_how_fast_and_how_long_what_was_refused_and_which_batches_came_back(plan, tmp_path):
    with campaign.Sandbox(latency=0.25, faults={3: "Invalid sender ID"}) as sandbox:
        run = campaign.start(
            plan, account=sandbox.account, folder=tmp_path / "visits", batch_size=1, concurrency=1
        )
        dashboard = Dashboard(run)
        moving = []
        until(lambda: moving.append(run.counts) or (moving[-1].rate and moving[-1].refused))
        counts = moving[-1]
        until(lambda: "<dt>time left</dt><dd>about " in html_of(dashboard))
        shown = html_of(dashboard)
        # One message every quarter of a second at most: four a second, and in a second one more may come in.
        # How slow this machine is says nothing: tests/sending/test_speed.py turns the clock.
        assert 0 < counts.rate <= 5
        assert counts.seconds_left == pytest.approx((counts.waiting + counts.in_flight) / counts.rate)
        assert "The service refused a batch: Invalid sender ID." in shown
        assert {batch.number: batch.status for batch in counts.recent}[3] == "refused"
        assert re.search(r"(The last 5 batches|Batches so far)</caption>", shown)
        find(dashboard, "pause").click()
        until(lambda: run.counts.status == "paused")
        assert (run.counts.rate, run.counts.seconds_left) == (None, None)
        run.stop()
        run.wait(20)


def test_a_run_that_a_lost_answer_pauses_shows_how_to_settle_it(plan, tmp_path):
    with campaign.Sandbox(faults={3: "accept_close"}) as sandbox:
        run = campaign.start(plan, account=sandbox, folder=tmp_path / "visits", batch_size=5, concurrency=1)
        dashboard = Dashboard(run)
        until(lambda: run.counts.status == "paused")
        until(lambda: "visits&quot;, 3, &quot;accepted&quot;)" in find(dashboard, "note").value)
        run.stop()
        run.wait(20)


def test_while_a_cell_waits_no_button_is_shown_that_could_not_act(slow_run):
    run, _ = slow_run
    dashboard = Dashboard(run)
    row = find(dashboard, "buttons")
    seen = []
    watch = threading.Thread(target=lambda: (until(lambda: row.layout.display == "none"), seen.append(
        html_of(dashboard))))  # fmt: skip
    watch.start()
    run.wait(1)
    watch.join()
    assert "The cell waits for the end" in seen[0]
    until(lambda: row.layout.display is None)
    assert "The cell waits for the end" not in html_of(dashboard)


def lose_the_ledger(run):
    run._engine._record._ledger.close()


def meet_a_fault_of_our_own(run):
    run._thread._transport = None


@pytest.mark.parametrize("happens", [lose_the_ledger, meet_a_fault_of_our_own])
def test_a_run_that_fails_says_so_and_why(slow_run, happens):
    run, sandbox = slow_run
    dashboard = Dashboard(run)
    until(lambda: run.counts.accepted)
    received = sandbox.requests
    until(lambda: sandbox.requests > received)  # one has just left, and its answer takes a while
    happens(run)
    with pytest.raises(campaign.CampaignError) as failure:
        run.wait(20)
    until(lambda: shows(dashboard, "Failed"))
    # The engine's own word is shown a moment before the run's last one.
    until(lambda: str(failure.value) in find(dashboard, "status").value)
    assert enabled(dashboard) == set()


def test_while_a_dashboard_is_shown_waiting_draws_no_bar(slow_run, capsys):
    run, _ = slow_run
    Dashboard(run)
    run.wait(0.5)
    assert capsys.readouterr() == ("", "")


def test_what_the_service_says_is_escaped_and_masked(plan, tmp_path):
    said = b'{"Status": "Failed", "Message": "<img src=x onerror=alert(3)> ask 256772000012"}'

    async def refuse(visit):
        await visit.request()
        await visit.say(reply(said))

    async def send():
        async with hostile(refuse) as service:
            account = campaign.Account("local", f"http://127.0.0.1:{service.port}", "clinic", "made up")
            run = campaign.start(plan, account=account, folder=tmp_path / "visits", batch_size=10)
            await run.finished()  # three refusals pause it
            shown = html_of(Dashboard(run)), html_of(campaign.summary(run.result))
            run.stop()
            await run.finished()
            return shown

    for shown in asyncio.run(send()):
        assert "&lt;img src=x onerror=alert(3)&gt; ask 25677*****12" in shown
        assert "<img" not in shown
        assert "256772000012" not in shown


# the summary


@pytest.fixture
def summed_up(plan, tmp_path):
    """A result with accepted, refused and invalid rows, and its widget."""
    with campaign.Sandbox(faults={2: "Wrong JSON Passed"}) as sandbox:
        result = campaign.send(
            plan, account=sandbox.account, folder=tmp_path / "visits", batch_size=10, progress=False
        )
        return result, campaign.summary(result), sandbox


def test_the_summary_accounts_for_every_row_and_the_cost(summed_up):
    result, panel, sandbox = summed_up
    shown = html_of(panel)
    assert rows_found(result) == {"rows_accepted": 30, "rows_refused": 10, "rows_to_correct": 2}
    assert 'aria-label="30 accepted, 10 refused, 2 to correct"' in shown
    assert f'<td class="figure">{sandbox.charged:,} (made up)</td>' in shown
    assert repr(panel) == repr(result)


def test_the_summary_shows_what_needs_a_person_first(summed_up):
    _, panel, _ = summed_up
    tabs = next(widget for widget in widgets_in(panel) if hasattr(widget, "titles"))
    assert tabs.titles == ("Outcome", "Cost", "Batches (5)", "To follow up (12)")
    batches = tabs.children[2].value
    assert batches.index("Wrong JSON Passed") < batches.index("accepted")


def test_the_rows_of_the_summary_are_there_once_their_page_is_opened(summed_up):
    _, panel, _ = summed_up
    tabs = next(widget for widget in widgets_in(panel) if hasattr(widget, "titles"))
    assert "not saved with" in tabs.children[3].value
    tabs.selected_index = 2
    assert "not saved with" in tabs.children[3].value
    tabs.selected_index = 3
    assert "last reason" in tabs.children[3].value
    assert tabs.children[3].value.startswith('<div class="scroller"')  # not wider than its page


def test_the_summary_escapes_cells_and_masks_numbers(summed_up):
    _, panel, _ = summed_up
    next(widget for widget in widgets_in(panel) if hasattr(widget, "titles")).selected_index = 3
    shown = html_of(panel)
    assert "&lt;img src=x onerror=&quot;alert(1)&quot;&gt;" in shown
    assert "<img" not in shown
    assert "<script" not in shown
    assert "call +256 77*****99" in shown
    for number in ("0772 000 0", "256772000", "772 000 999"):
        assert number not in shown


def add_up(rows):
    """The columns that the summary of a table with these rows offers to add up costs by."""
    table = "\n".join(["name,phone,Clinic,Note", *rows]).encode()
    plan = campaign.prepare(campaign.read_contacts(table), message="Hi {name}", sender="CLINIC", region="UG")
    return campaign.summary(campaign.send(plan, name="visits", progress=False))


def test_the_summary_adds_up_by_a_column_that_most_rows_share(tmp_path, monkeypatch):
    """A column of notes has few values too, but most of its cells are empty; blank rows are no clinic."""
    monkeypatch.chdir(tmp_path)
    rows = [f"Ann {n},0772000{n:03},{('Gulu', 'Lira')[n % 2]},{'call back' * (n < 3)}" for n in range(12)]
    panel = add_up([*rows, ",,,"])
    assert find(panel, "column").options == ("Clinic",)
    assert "Gulu" in html_of(panel)
    assert "Cost by Clinic" not in html_of(panel)  # the list beside it says so
    assert "Cost by Clinic" in panel.card()
    assert "(empty)" not in html_of(panel)


def test_the_summary_adds_up_by_nothing_where_no_column_is_shared(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    panel = add_up([f"Ann {n},0772000{n:03},,{'call back' * (n < 3)}{'deaf' * (n > 8)}" for n in range(12)])
    assert "Cost by" not in html_of(panel)


@pytest.mark.parametrize(
    ("values", "offered"),
    [
        (("15000", "20000"), ("Clinic",)),
        (("1,500.50", "900"), ("Clinic",)),
        (("5/11/2026", "12/11/2026"), ("Clinic",)),
        (("2025", "2026"), ("Clinic",)),
        (("5", "6"), ("Note", "Clinic")),  # a class
        (("P5", "P6"), ("Note", "Clinic")),
    ],
)
def test_the_summary_adds_up_by_no_amounts_and_no_dates(tmp_path, monkeypatch, values, offered):
    monkeypatch.chdir(tmp_path)
    clinics = ("Gulu", "Lira", "Kitgum")
    rows = [f'Ann {n},0772000{n:03},{clinics[n % 3]},"{values[n % 2]}"' for n in range(12)]
    assert find(add_up(rows), "column").options == offered


def test_the_summary_shows_when_the_messages_were_accepted(plan, tmp_path):
    result = campaign.send(plan, folder=tmp_path / "visits", batch_size=1, rate=15, progress=False)
    panel = campaign.summary(result)
    assert "40 messages accepted from" in html_of(panel)
    assert "40 messages accepted from" in panel.card()


def test_a_summary_of_nothing_sent(tmp_path):
    table = tmp_path / "people.csv"
    table.write_text("name,phone\nAda,none\n")
    plan = campaign.prepare(campaign.read_contacts(table), message="Hello", sender="CLINIC", region="UG")
    result = campaign.send(plan, folder=tmp_path / "visits", progress=False)
    shown = html_of(campaign.summary(result))
    assert rows_found(result) == {"rows_to_correct": 1}
    assert "accepted from" not in shown


# in IPython


def test_in_a_terminal_a_run_stays_text(tmp_path):
    lines = f"""
import sys, campaign
table = campaign.read_contacts({str(PROJECT / "sample_data" / "shop_customers.csv")!r})
run = campaign.start(campaign.prepare(table, message="Hello", sender="SHOP", region="GB"))
run
f"widgets: {{'ipywidgets' in sys.modules}}"
run.wait().totals.messages > 0
"""
    ran = subprocess.run(
        [sys.executable, "-m", "IPython", "--simple-prompt", "--no-banner", "--colors=nocolor"],
        input=lines, capture_output=True, text=True, timeout=60, cwd=tmp_path,
        env={**os.environ, "IPYTHONDIR": str(tmp_path / "ipython")},
    )  # fmt: skip
    assert "]: <Run " in ran.stdout
    assert "widgets: False" in ran.stdout
    assert "]: True" in ran.stdout


def test_outside_ipython_an_import_leaves_the_notebook_layer_alone():
    code = "import sys, campaign; print([name for name in sys.modules if name.startswith('campaign.')])"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "['campaign.version']"


REGISTERED = """
import importlib, sys, campaign
importlib.reload(campaign)
table = get_ipython().display_formatter.ipython_display_formatter.deferred_printers
print([key for key in table if "campaign" in key[0]], "ipywidgets" in sys.modules, "pandas" in sys.modules)
"""


def test_in_a_notebook_an_import_registers_the_name_of_the_run_once(tmp_path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(REGISTERED)])
    execute(notebook, tmp_path)
    (output,) = outputs(notebook)
    assert output.text == "[('campaign.sending.run', 'Run')] False False\n"


# the notebooks


@pytest.fixture
def project(tmp_path):
    """The notebooks and the sample data, in a folder of their own."""
    for folder in ("notebooks", "sample_data"):
        shutil.copytree(PROJECT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("campaigns", ".*"))
    return tmp_path


def execute(notebook, folder):
    """Run a notebook there, and return what its widgets show at the end: the state of each."""
    client = NotebookClient(
        notebook, timeout=60, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    saved = notebook.metadata.get("widgets", {}).get(WIDGET_STATE, {"state": {}})["state"]
    return [widget["state"] for widget in saved.values()]


def first_campaign(project):
    """The notebook, ready to run, without the pace at which a person can watch it."""
    notebook = nbformat.read(project / "notebooks" / "01_first_campaign.ipynb", as_version=4)
    (parameters,) = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    parameters.source = parameters.source.replace("rate = 25", "rate = 500")
    return notebook


def outputs(notebook):
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_committed_without_what_they_showed(path):
    notebook = nbformat.read(path, as_version=4)
    assert outputs(notebook) == []
    assert all(cell.execution_count is None for cell in notebook.cells if cell.cell_type == "code")
    assert "widgets" not in notebook.metadata


def test_the_first_campaign_runs(project):
    """From its own folder, as JupyterLab and VS Code run it, and once more from a new kernel."""
    notebook = first_campaign(project)
    states = execute(notebook, project / "notebooks")
    shown = "\n".join(str(state.get("value", "")) for state in states)
    assert '<span class="word">Finished' in shown
    assert "<b>275</b> accepted" in shown
    assert 'role="img"' in shown
    assert len([1 for output in outputs(notebook) if WIDGET_VIEW in output.get("data", {})]) == 3
    cards = [
        output.data for output in outputs(notebook) if CARD in output.get("data", {}).get("text/html", "")
    ]
    # That of the rows of the plan, the dashboard and the summary.
    assert ["<b>275</b> accepted" in data["text/html"] for data in cards] == [False, True, True]
    assert not [output for output in outputs(notebook) if output.output_type in ("stream", "error")]
    (report,) = (project / "notebooks" / "campaigns").glob("*/report.html")
    assert report.stat().st_size > 10_000
    states = execute(first_campaign(project), project / "notebooks")
    shown = "\n".join(str(state.get("value", "")) for state in states)
    assert "Nothing was left to send: 275 messages accepted on " in shown
    assert len(list((project / "notebooks" / "campaigns").iterdir())) == 1


CAMPAIGN = """
import os, campaign
contacts = campaign.read_contacts("sample_data/shop_customers.csv")
plan = campaign.prepare(contacts, message="Hi {first_name}, private words.", sender="SHOP", region="GB")
sandbox = campaign.Sandbox(username="shop", password=os.environ["MADE_UP"], faults=FAULTS).start()
run = campaign.start(plan, account=sandbox.account, batch_size=10)
run
"""


FAULTS = {}, {3: "accept_half"}, {1: "Wrong Username or Password"}


def test_a_notebook_that_is_kept_holds_no_secret(project, monkeypatch):
    """Neither the password nor the bodies, in whatever spelling, whether it went well or not."""
    monkeypatch.setenv("MADE_UP", SENTINEL)
    cells = []
    for i, faults in enumerate(FAULTS):
        cells += [
            CAMPAIGN.replace("FAULTS", repr(faults)).replace("size=10", f"size=10, folder='campaigns/{i}'"),
            "sandbox.account, sandbox",
            "result = run.wait()",
            "run",
            "campaign.summary(result)",
            "result",
            "%xmode Verbose\nrun.no_such_thing",
        ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    for cell in notebook.cells[6::7]:
        cell.metadata.tags = ["raises-exception"]
    states = execute(notebook, project)
    assert [output.output_type for output in outputs(notebook)].count("error") == len(FAULTS)
    assert len(list((project / "campaigns").iterdir())) == len(FAULTS)
    kept = json.dumps(notebook, ensure_ascii=False)
    encoded = base64.b64encode(SENTINEL.encode()).decode()
    percent = quote(SENTINEL, safe="")
    for secret in (SENTINEL, html.escape(SENTINEL), encoded, quote(SENTINEL), percent, percent.lower()):
        assert secret not in kept
    assert len(states) > 20 * len(FAULTS)
    assert "private words" not in json.dumps(states)
    shown = json.dumps(states) + "".join(str(output.get("data", "")) for output in outputs(notebook))
    customers = campaign.read_contacts(PROJECT / "sample_data" / "shop_customers.csv")
    assert [voucher for voucher in customers["voucher"].unique() if voucher and voucher in shown] == []
    assert "private%20words" not in kept


def test_what_a_notebook_keeps_is_where_the_run_stood_at_its_end(project):
    """A run that a valve has paused: the dashboard is not behind, though the run goes on being shown."""
    faults = {2: "accept_half"}
    cells = [
        CAMPAIGN.replace("FAULTS", repr(faults))
        .replace('os.environ["MADE_UP"]', "'made up'")
        .replace("batch_size=10", "batch_size=2"),  # so that much is left to send
        "run.wait()",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    states = execute(notebook, project)
    disabled = {state["description"]: state["disabled"] for state in states if "disabled" in state}
    assert {name: disabled[name] for name in ("Pause", "Resume", "Stop")} == {
        "Pause": True, "Resume": False, "Stop": False
    }  # fmt: skip
    (card,) = [output.data["text/html"] for output in outputs(notebook)
               if CARD in output.get("data", {}).get("text/html", "")]  # fmt: skip
    assert '<span class="word">Paused</span>' in card
    assert "the run may have ended since" in card
    assert "It is not known whether 2 messages were sent" in card
