"""The pictures of README and docs, taken of the product itself in Chromium, light and dark.

`python -m support.pictures` in the folder of the tests takes them again.
"""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

import campaign
from campaign.notebook.composer.composer import SCRIPT, STYLE
from support.form_person import Person
from support.jupyter_browser import find_chromium

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "pictures"
_SAMPLE = ROOT / "sample_data" / "clinic_visits.xlsx"
_TEXT = "Hi {first_name}, your visit is on {visit_date:%-d %B}."
_FORM_TEXT = "Hi {First name}, your visit is on {Visit date:%-d %B}. Please bring your card."
_PAPER = {"light": ("#ffffff", "#1f2328"), "dark": ("#0d1117", "#e6edf3")}  # of GitHub's pages


def _prepare(rows: int) -> campaign.Plan:
    contacts = campaign.read_contacts(_SAMPLE).head(rows)
    return campaign.prepare(contacts, message=_TEXT, sender="CLINIC", region="UG")


def take_plan(browser: Browser) -> None:
    """The card of a plan as a notebook shows it, of as many rows of the sample as fit a screen."""
    card = _prepare(60)._repr_html_()
    for scheme, (paper, ink) in _PAPER.items():
        page = browser.new_page(viewport={"width": 880, "height": 100}, device_scale_factor=2)
        style = f"margin:0;padding:1px 0;background:{paper};color:{ink};--jp-layout-color0:{paper}"
        theme = str(scheme == "light").lower()
        page.set_content(f'<body data-jp-theme-light="{theme}" style="{style}">{card}</body>')
        page.screenshot(path=FOLDER / f"plan-{scheme}.png", full_page=True)
        page.close()


def take_form(browser: Browser) -> None:
    """The page of the message, as a browser draws it."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        person = Person()
        person.press("new")
        rows = campaign.read_contacts(_SAMPLE).head(100).to_csv(index=False)
        person.upload("source", "clinic visits.csv", rows)
        person.press("next")
        person.fill("text", _FORM_TEXT)
        person.fill("sender", "CLINIC")
    script = SCRIPT.read_text("utf-8")
    begin = "mount(document.querySelector('main'), {send() {}, listen(take) { window.take = take; }});"
    for scheme, paper in (("light", "#fff"), ("dark", "#0f1317")):
        page = browser.new_page(
            viewport={"width": 940, "height": 640}, device_scale_factor=1.5, color_scheme=scheme
        )
        style = f"{STYLE.read_text('utf-8')}body{{margin:0;background:{paper}}}"
        page.set_content(f"<style>{style}</style><main></main>")
        page.add_script_tag(content=f"{script}\n{begin}", type="module")
        page.evaluate("page => window.take({page, number: 1})", person.page)
        page.screenshot(path=FOLDER / f"form-{scheme}.png")
        page.close()


def take_report(browser: Browser) -> None:
    """The head of a report."""
    with tempfile.TemporaryDirectory() as folder:
        result = campaign.send(_prepare(300), name="visits", folder=f"{folder}/visits", progress=False)
        path = campaign.write_report(result, f"{folder}/report.html", by="Clinic")
        page = browser.new_page(viewport={"width": 960, "height": 490}, device_scale_factor=1.5)
        page.goto(path.as_uri())
        page.screenshot(path=FOLDER / "report.png")


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        take_plan(browser)
        take_form(browser)
        take_report(browser)
        browser.close()


if __name__ == "__main__":
    main()
