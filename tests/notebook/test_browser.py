"""The notebooks in JupyterLab as a person sees them, in a real browser."""

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect

import campaign

pytest_plugins = ["support.jupyter_browser"]
pytestmark = pytest.mark.browser

PROJECT = Path(__file__).parents[2]
WORD = ".campaign-status .word"
WIDGET = ".campaign.jupyter-widgets"
ERROR = ".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.stderr']"  # tracebacks, too

SLOW = """
import campaign
account = campaign.Account("local", "{address}", "clinic", "made up")
contacts = campaign.read_contacts({table!r})
plan = campaign.prepare(contacts, message="Hello", sender="CLINIC", region="UG", duplicates="keep")
run = campaign.start(plan, account=account, folder="slow", batch_size=2, concurrency=2)
run
"""


def count(notebook, name):
    """One figure of the dashboard, as it is shown."""
    pair = notebook.find(f"{WIDGET} dl.counts div").filter(has=notebook.page.locator(f"dt:text-is('{name}')"))
    return int(pair.locator("dd").inner_text().replace(",", ""))


def test_the_first_campaign_from_the_first_cell_to_the_last(lab, open_notebook):
    """Live while it runs, final at the end, the summary with its charts, the report, and no error."""
    text = (PROJECT / "notebooks" / "01_first_campaign.ipynb").read_text("utf-8")
    path = lab.folder / "01_first_campaign.ipynb"
    path.write_text(text.replace("rate = 25", "rate = 75"), "utf-8")  # a third of the wait
    notebook = open_notebook("01_first_campaign.ipynb")
    notebook.run_all()
    expect(notebook.find(".campaign")).not_to_have_count(0)
    expect(notebook.find(".campaign .title", has_text="Plan").first).to_be_visible()
    expect(notebook.find(WORD)).to_have_text("Running")
    expect(notebook.find(f"{WIDGET} .where")).to_have_text("REHEARSAL, embedded sandbox")
    before = count(notebook, "accepted")
    notebook.page.wait_for_function(
        "before => Number(document.querySelector('.jupyter-widgets dl.counts dd').textContent) > before",
        arg=before,
    )
    expect(notebook.find(WORD)).to_have_text("Finished")
    expect(notebook.find(f"{WIDGET} ul.outcomes").first).to_contain_text("275 accepted")
    for order in ("pause", "resume", "stop"):
        expect(notebook.find(f".campaign-{order}")).to_be_hidden()

    chart = notebook.find(f"{WIDGET} .chart svg")
    expect(chart.first).to_be_visible()
    assert "275 accepted" in chart.first.get_attribute("aria-label")
    notebook.find("[role=tab]").filter(has_text="To follow up (19)").click()
    expect(notebook.find(f"{WIDGET} tr", has_text="Emmanuel")).to_contain_text("**** *** *I*")  # row 24
    assert notebook.accessibility_findings() == []

    expect(notebook.find("a[download]", has_text="report.xlsx")).to_be_visible()
    expect(notebook.find(ERROR)).to_have_count(0)
    assert notebook.errors == []


def test_pause_resume_and_stop_from_the_page(lab, open_notebook, tmp_path):
    """Also while a cell waits for the end. Stop stops: nothing more arrives at the service."""
    table = tmp_path / "people.csv"
    table.write_text("phone\n" + "\n".join(f"0772 000 {n:03}" for n in range(200)))
    with campaign.Sandbox(username="clinic", password="made up", latency=0.3) as sandbox:
        start = SLOW.format(address=sandbox.account.url, table=str(table))
        lab.write("slow.ipynb", start, "result = await run.finished()", "result.totals")
        notebook = open_notebook("slow.ipynb")
        notebook.run_all()
        expect(notebook.find(WORD)).to_have_text("Running")
        notebook.find(".campaign-pause").focus()
        notebook.page.keyboard.press("Enter")
        expect(notebook.find(WORD)).to_have_text("Paused")
        expect(notebook.find(".campaign-pause")).to_be_disabled()
        notebook.find(".campaign-resume").click()
        expect(notebook.find(WORD)).to_have_text("Running")

        notebook.find(".campaign-stop").click()
        expect(notebook.find(WORD)).to_have_text("Stopped")
        expect(notebook.find(".campaign-status")).to_contain_text("Stopped by hand. Resume the campaign")
        expect(notebook.find(".campaign-resume")).to_be_enabled()
        accepted, requests = len(sandbox.inbox), sandbox.requests
        waiting = 200 - accepted
        notebook.page.wait_for_timeout(1_000)  # three answers' time, in which nothing may happen
        assert sandbox.requests == requests
        expect(notebook.find(f"{WIDGET} ul.outcomes")).to_contain_text(f"{accepted} accepted")
        assert 0 < accepted < 200
        expect(notebook.find(".jp-Cell").last).to_contain_text(f"not_sent {waiting}, accepted {accepted}")
    kept = campaign.load_result(lab.folder / "slow").totals
    assert (kept["accepted"], kept["not_sent"]) == (accepted, waiting)
    assert accepted + waiting == 200
    assert notebook.errors == []


def test_correct_and_run_again_from_the_first_cell_to_the_last(lab, open_notebook):
    """Two dashboards with what was sent before, the cards before and after, and three messages in between."""
    shutil.copy(PROJECT / "notebooks" / "03_correct_and_run_again.ipynb", lab.folder)
    notebook = open_notebook("03_correct_and_run_again.ipynb")
    notebook.run_all()
    expect(notebook.find(f"{WIDGET} ul.outcomes").first).to_contain_text("47 accepted")
    expect(notebook.find(f"{WIDGET} ul.outcomes").last).to_contain_text("50 accepted")
    expect(notebook.find(WORD)).to_have_text(["Finished", "Finished"])
    before = notebook.find(".campaign[role=group]").filter(has_text="Before sending")
    expect(before.last).to_contain_text("This would send 3 messages.")
    expect(before.last.locator("td:text-is('new')")).to_have_count(3)
    expect(notebook.find(".jp-Cell").filter(has_text="phones.stop()").last).to_contain_text("visits.local")
    expect(notebook.find(ERROR)).to_have_count(0)
    assert notebook.errors == []


def test_a_notebook_that_is_opened_again_shows_true_cards(lab, open_notebook, tmp_path):
    """Restarted in mid-run it shows the last figures as such; opened again, what was known and when."""
    table = tmp_path / "people.csv"
    table.write_text("phone\n" + "\n".join(f"0772 000 {n:03}" for n in range(60)))
    with campaign.Sandbox(username="clinic", password="made up", latency=0.3) as sandbox:
        start = SLOW.format(address=sandbox.account.url, table=str(table))
        start = start.replace('"slow"', '"again"').replace("batch_size=2", "batch_size=1")
        lab.write("again.ipynb", start, "1 + 1")
        notebook = open_notebook("again.ipynb")
        notebook.run_all()
        expect(notebook.find(WORD)).to_have_text("Running")
        expect(notebook.find(".jp-Cell").last).to_contain_text("2")
        assert notebook.find("[class^=campaign-card]").is_hidden()
        notebook.save()
        notebook.restart_kernel()
        lost = notebook.find(".campaign-lost")
        expect(lost).to_be_visible()
        expect(lost).to_contain_text("These are its last figures.")
        expect(lost).to_contain_text("result = campaign.load_result(")
        expect(notebook.find(".campaign-status")).to_be_hidden()
        expect(notebook.find(".campaign-pause")).to_be_hidden()
        assert notebook.errors == []
        notebook.wait_until_ready()
        assert notebook.accessibility_findings() == []
        shown, known = count(notebook, "accepted"), campaign.load_result(lab.folder / "again").totals
        assert shown <= known["accepted"] == 60 - known["not_sent"]
        lab.end_kernels()

        notebook = open_notebook("again.ipynb")
        card = notebook.find("[class^=campaign-card]")
        expect(card).to_be_visible()
        expect(card).to_contain_text("the run may have ended since")
        expect(card).to_contain_text("campaign.load_result(")
        # JupyterLab draws this where it has no widget any more, after it has looked for some seconds.
        expect(notebook.find("text=Error displaying widget")).to_be_attached()
        expect(notebook.find("text=Error displaying widget")).to_be_hidden()
        assert notebook.accessibility_findings() == []
        # It logs the same, whatever stands in for the widget.
        assert [error for error in notebook.errors if "widget model not found" not in error] == []


def test_an_error_and_a_question_in_the_page(lab, open_notebook):
    """Three lines for an error; the live confirmation is a card in which only the phrase lets go of it."""
    lab.write(
        "question.ipynb",
        "import campaign\n"
        "contacts = campaign.read_contacts(b'name,phone\\nAda,0772 000 001')\n"
        "plan = campaign.prepare(contacts, message='Hi {name}', sender='CLINIC', region='UG')\n"
        "live = campaign.Account('live', 'https://sms.example.com', 'clinic', 'made up')\n"
        "campaign.start(plan, account=live, name='visits')",
    )
    notebook = open_notebook("question.ipynb")
    notebook.run_all()
    expect(notebook.find(".campaign-form")).to_contain_text(
        "This sends 1 message (1 SMS part) to 1 person on real phones"
    )
    expect(notebook.find(ERROR)).to_be_hidden()
    notebook.find(".campaign-phrase input").fill("send it")
    notebook.find(".campaign-send").click()
    expect(notebook.find(".campaign-form [role=alert]")).to_contain_text("That is not the phrase")
    assert notebook.accessibility_findings() == []
    assert notebook.errors == []
    assert not list(lab.folder.glob("campaigns/visits*"))
