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
    pair = notebook.find("dl.counts div").filter(has=notebook.page.locator(f"dt:text-is('{name}')"))
    return int(pair.locator("dd").inner_text().replace(",", ""))


def test_the_first_campaign_from_the_first_cell_to_the_last(lab, open_notebook):
    """Live while it runs, final at the end, the summary with its charts, the report, and no error."""
    for folder in ("notebooks", "sample_data"):
        shutil.copytree(
            PROJECT / folder, lab.folder / folder, ignore=shutil.ignore_patterns("campaigns", ".*")
        )
    path = lab.folder / "notebooks" / "01_first_campaign.ipynb"
    path.write_text(path.read_text("utf-8").replace("rate = 25", "rate = 75"), "utf-8")  # a third of the wait
    notebook = open_notebook("notebooks/01_first_campaign.ipynb")
    notebook.run_all()
    expect(notebook.find(".campaign")).not_to_have_count(0)
    expect(notebook.find(".campaign .title", has_text="Plan").first).to_be_visible()
    expect(notebook.find(WORD)).to_have_text("Running")
    expect(notebook.find(".campaign .where")).to_have_text("SANDBOX on this machine: nothing is sent")
    before = count(notebook, "accepted")
    notebook.page.wait_for_function(
        "before => Number(document.querySelector('dl.counts dd').textContent) > before", arg=before
    )
    expect(notebook.find(WORD)).to_have_text("Finished")
    assert (count(notebook, "accepted"), count(notebook, "waiting")) == (276, 0)
    for order in ("pause", "resume", "stop"):
        expect(notebook.find(f".campaign-{order}")).to_be_disabled()

    chart = notebook.find(".campaign .chart svg")
    expect(chart.first).to_be_visible()
    assert "276 accepted" in chart.first.get_attribute("aria-label")
    notebook.find("[role=tab]").filter(has_text="To follow up (15)").click()
    expect(notebook.find(".campaign tr", has_text="Emmanuel")).to_contain_text("**** *** *I*")  # row 24

    expect(notebook.find(".jp-Cell").filter(has_text="report.xlsx").first).to_contain_text("PosixPath")
    expect(notebook.find("[data-mime-type='application/vnd.jupyter.error']")).to_have_count(0)
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
        expect(notebook.find(".campaign-status")).to_contain_text("Resume the campaign to send the rest.")
        accepted, waiting, requests = (
            count(notebook, "accepted"),
            count(notebook, "waiting"),
            sandbox.requests,
        )
        notebook.page.wait_for_timeout(1_000)  # three answers' time, in which nothing may happen
        assert (count(notebook, "accepted"), sandbox.requests) == (accepted, requests)
        assert len(sandbox.inbox) == accepted
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
    expect(notebook.find(".campaign .title", has_text="Sending 47 messages")).to_be_visible()
    expect(notebook.find(".campaign .title", has_text="Sending 3 of 50 messages")).to_be_visible()
    expect(notebook.find(WORD)).to_have_text(["Finished", "Finished"])
    second = notebook.find(".campaign").filter(has=notebook.page.locator(WORD)).last
    expect(second).to_contain_text("Compared with what this campaign has sent: 3 new, 47 reached before.")
    before = notebook.find(".campaign[role=group]").filter(has_text="Before sending")
    expect(before.last).to_contain_text("3 messages would be sent: 3 new, 47 reached before.")
    expect(before.last.locator("td:text-is('new')")).to_have_count(3)
    expect(notebook.find(".jp-Cell").filter(has_text="phones.stop()").last).to_contain_text("visits.local")
    expect(notebook.find("[data-mime-type='application/vnd.jupyter.error']")).to_have_count(0)
    assert notebook.errors == []
