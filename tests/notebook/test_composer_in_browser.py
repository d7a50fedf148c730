"""The composer and the row browser in JupyterLab, in a real browser."""

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect
from support.composer_page import ComposerPage

import campaign
from campaign.notebook.composer import section

pytest_plugins = ["support.jupyter_browser"]
pytestmark = pytest.mark.browser

VISITS = Path(__file__).parents[2] / "sample_data" / "clinic_visits.xlsx"

# Notes which thread of the kernel hears each message of the page.
NOTING = """
import threading
import ipywidgets

hear = ipywidgets.Widget._handle_msg

def note_and_hear(widget, message):
    with open("threads.txt", "a") as file:
        file.write(f"{threading.current_thread().name}\\n")
    hear(widget, message)

ipywidgets.Widget._handle_msg = note_and_hear
"""

# A title as Jupyter shows it; ask() asks it once more to take the focus, and waits for what it does then.
ASKED_TITLE = """async script => {
    const {default: title} = await import(`data:text/javascript,${encodeURIComponent(script)}`);
    const state = {text: "Check", asked: 0}, model = new EventTarget();
    model.get = name => state[name];
    model.on = (name, heard) => model.addEventListener(name, heard);
    title.render({model, el: document.querySelector("#title")});
    window.ask = () => {
        state.asked++;
        model.dispatchEvent(new Event("change:asked"));
        return new Promise(done => setTimeout(done, 50));
    };
}"""


def run_cell(notebook, place):
    notebook.page.evaluate(
        """place => {
            jupyterapp.shell.currentWidget.content.activeCellIndex = place;
            jupyterapp.commands.execute('notebook:run-cell');
            return null;
        }""",
        place,
    )


def test_from_the_file_to_the_report_by_clicks_and_typing(lab, open_notebook):
    """Nothing is two sections ahead; the rows can be searched, and the notebook is saved without them."""
    shutil.copy(VISITS, lab.folder)
    lab.write(
        "compose.ipynb", f"{NOTING}\nimport campaign\ncampaign.compose()",
        "campaign.browse(campaign.load_result('campaigns/clinic_visits.local'))",
    )  # fmt: skip
    notebook = open_notebook("compose.ipynb")
    composer = ComposerPage(notebook.page)
    run_cell(notebook, 0)
    expect(notebook.find(".campaign .section h2")).to_have_text(["1 · Spreadsheet", "2 · Text"])
    composer.choose(VISITS)
    line = "1 · clinic_visits.xlsx, sheet Visits, 299 rows, number in Phone (Uganda)"
    expect(notebook.find(".campaign-section-1 .fold")).to_have_text(line)
    expect(notebook.find(".campaign .section h2")).to_have_text(["2 · Text", "3 · Check"])
    composer.write()
    composer.send()
    name, report = composer.download("Report")
    assert re.fullmatch(r"clinic_visits 20\d\d-\d\d-\d\d report\.html", name)
    assert report.startswith(b"<!doctype html>")
    assert b"clinic_visits" in report
    _, to_correct = composer.download("Rows to correct")
    assert len(campaign.read_contacts(to_correct)) == 18  # 15 invalid, and 3 people who share a phone
    heard_by = (lab.folder / "threads.txt").read_text().split()
    assert {*heard_by} == {"MainThread"}  # in two, a click could overtake what was written before it
    problems, composer.problems = composer.problems, []

    run_cell(notebook, 1)
    notebook.find(".dt-search input").fill("Harriet")
    expect(notebook.find(".dt-info")).to_contain_text("found among 299")
    expect(notebook.find(".dt-container td", has_text="Hi Harriet").first).to_be_visible()
    notebook.page.evaluate("() => { jupyterapp.commands.execute('docmanager:save'); return null }")
    notebook.page.wait_for_function("() => !jupyterapp.shell.currentWidget.context.model.dirty")
    assert "Harriet" not in (lab.folder / "compose.ipynb").read_text("utf-8")
    assert problems + composer.problems == []


def test_two_tables_of_rows_are_told_apart_by_a_screen_reader(lab, open_notebook):
    """Each list of pages is a landmark, and a notebook often shows the rows of a plan and of its result."""
    lab.write(
        "rows.ipynb",
        "import campaign\n"
        "contacts = campaign.read_contacts(b'name,phone\\nAda,0772 000 001')\n"
        "plan = campaign.prepare(contacts, message='Hi {name}', sender='CLINIC', region='UG')\n"
        "campaign.browse(plan)",
        "campaign.browse(plan, reveal=True)",
    )
    notebook = open_notebook("rows.ipynb")
    notebook.run_all()
    pages = notebook.find(".campaign nav")
    expect(pages).to_have_count(2)
    names = [one.get_attribute("aria-label") for one in pages.all()]
    assert sorted(names) == ["Pages of table 1", "Pages of table 2"]
    assert [one for one in notebook.accessibility_findings() if "landmark" in one] == []
    shade = "getComputedStyle(document.querySelector('.dt-scroll-body')).backgroundImage"
    assert notebook.page.evaluate(shade).count("gradient") == 4  # where the columns go on


def test_a_title_that_is_asked_late_takes_no_key_from_whoever_writes_below_it(chromium):
    """On a busy machine a section can be written in before its title is asked to take the focus."""
    page = chromium.new_page()
    page.set_content('<div class="section"><div id="title"></div><input></div>')
    page.evaluate(ASKED_TITLE, Path(section.__file__).with_name("heading.js").read_text())
    title, line = page.locator("h2"), page.locator("input")
    line.press_sequentially("stop-")
    page.evaluate("ask()")
    page.keyboard.type("list.csv")
    expect(line).to_have_value("stop-list.csv")
    expect(line).to_be_focused()
    line.blur()
    page.evaluate("ask()")
    expect(title).to_be_focused()
    page.close()
