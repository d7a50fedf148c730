"""The page as a person has it: on a screen, a phone and paper, in light and dark, heard and printed."""

import re
from decimal import Decimal

import pandas as pd
import pytest
from support.accessibility import findings
from support.batch_rows import NO_ANSWER, frame_of

import campaign
from campaign.results.tables import Result

pytest_plugins = ["support.jupyter_browser"]
pytestmark = pytest.mark.browser

PAGES = {1: 1, 300: 3, 20_000: 6}  # A4 pages at most, by rows of the file
FATES = [("accepted", ""), ("unknown", NO_ANSWER), ("refused", "Invalid sender ID")]


def result_of(rows):
    """That many rows, every 20th without a number; batches of 100, of which every tenth met a fault."""
    clinics = ["Lakeside Clinic", "Mulago National Referral Hospital Outpatients", ""]
    lines = [
        f"{'Wolfeschlegelsteinhausenbergerdorff ' * 4 if row == 7 else 'Harriet'},"
        f"{'' if row % 20 == 19 else f'0772{row:06}'},{clinics[row % 3]}"
        for row in range(rows)
    ]
    contacts = campaign.read_contacts("\n".join(["Name,Phone,Clinic", *lines]).encode())
    plan = campaign.prepare(contacts, message="Hi, your visit is due.", sender="CLINIC", region="UG")
    start = pd.Timestamp("2026-11-21 11:02", tz="UTC")
    sizes = [len(batch) for batch in plan.batches(100)]
    batches = []
    for number, size in enumerate(sizes, start=1):
        status, error = FATES[number // 10 % 2 + 1 if number % 10 == 2 else 0]
        cost = Decimal(35 * size) if status == "accepted" else None
        moment = start + pd.Timedelta(seconds=2 * number + 300 * (number > 30))
        batches.append((number, size, status, cost, f"Code{number:014}", error, 1, moment, 0.5, 1))
    return Result(plan, frame_of(batches), environment="live", name="visits")


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """The reports of one row, of 300 and of 20,000, and one of several campaigns."""
    folder = tmp_path_factory.mktemp("reports")
    paths = {
        rows: campaign.write_report(result_of(rows), folder / f"{rows}.html", by="Clinic") for rows in PAGES
    }
    (folder / "none").mkdir()
    paths["list"] = campaign.write_report(campaign.history(folder / "none"), folder / "list.html")
    return paths


@pytest.fixture
def open_page(chromium):
    """Opens a report with everything unfolded; nothing may be asked of anywhere, nothing may go wrong."""
    pages, heard = [], []

    def open_it(path, width=1280, scheme="light"):
        page = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page.on("request", lambda request: heard.append(request.url))
        page.on("console", lambda message: heard.append(message.text))
        page.goto(path.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        pages.append(page)
        return page

    yield open_it
    asked = [page.url for page in pages]
    for page in pages:
        page.close()
    assert heard == asked


@pytest.mark.parametrize("rows", [*PAGES, "list"])
def test_nothing_is_wider_than_the_screen(reports, open_page, rows):
    for width in (1280, 640, 390):
        page = open_page(reports[rows], width)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        tallest = page.evaluate(
            "Math.max(0, ...[...document.querySelectorAll('td')].map(e => e.offsetHeight))"
        )
        assert tallest < 300  # a long name folds, and is no cell of forty lines


APPOINTMENTS = """\
Patient,Mobile,Clinic,Appointment,Doctor,Ward
Agnes Lamunu,,Antenatal,2026-12-07 14:00,Dr Okello,Upper ward
Moses Komakech,0772 000 01,Antenatal,2026-12-10 09:30,Dr Okello,Upper ward
Paul Kato,0772 000 002,Dental,2026-12-04 13:30,Dr Nambi,Lower ward
"""


def test_a_wide_table_uses_more_of_the_window_than_the_text_does(open_page, tmp_path):
    """Nobody scrolls sideways for the last column in a box that is half as wide as the window."""
    contacts = campaign.read_contacts(APPOINTMENTS.encode())
    plan = campaign.prepare(contacts, message="Hi", sender="CLINIC", region="UG")
    result = campaign.send(plan, folder=tmp_path / "visits", progress=False)
    report = campaign.write_report(result, tmp_path / "report.html")
    hidden = "(table => table.scrollWidth - table.clientWidth)(document.querySelector('[aria-label=People]'))"
    box = "document.querySelector('details:has([aria-label=People])').getBoundingClientRect().%s"
    text = "document.querySelector('.figures').getBoundingClientRect().width"
    for width in (1280, 1600):
        page = open_page(report, width)
        assert page.evaluate(hidden) == 0
        assert page.evaluate(box % "left") > 0
        assert page.evaluate(box % "width") > page.evaluate(text) == 848
        assert page.evaluate(box % "right") < width
    assert open_page(report, 640).evaluate(box % "width") == 608  # as wide as the text
    page.emulate_media(media="print")
    assert page.evaluate(box % "width") == page.evaluate(text)


def test_the_tables_of_cards_fit_the_width_of_a_notebook(open_page, tmp_path):
    """A second round, a lost answer and an empty account: all the columns that there are."""
    names = ["parents' meeting of the whole district", "parents"]
    with campaign.Sandbox(balance=35 * 25, faults={2: "accept_close"}) as sandbox:
        for name, people in zip([*names, *names], (30, 20, 30, 21), strict=True):
            rows = "".join(f"Ada,0772 000 0{row:02}\n" for row in range(people))
            contacts = campaign.read_contacts(f"name,phone\n{rows}Ben,\n".encode())
            plan = campaign.prepare(contacts, message="Hi {name}", sender="SCHOOL", region="UG")
            folder = tmp_path / "campaigns" / name.replace("'", "")
            send = {"account": sandbox, "folder": folder, "name": name, "progress": False}
            result = campaign.send(plan, batch_size=10, max_unknown=9, **send)
    history = campaign.history(tmp_path / "campaigns")
    page = tmp_path / "cards.html"
    page.write_text("<meta charset=utf-8>" + result._repr_html_() + history._repr_html_(), "utf-8")
    hidden = "[...document.querySelectorAll('.scroller')].map(e => e.scrollWidth - e.clientWidth)"
    assert open_page(page, 1000).evaluate(hidden) == [0, 0]


@pytest.mark.parametrize("paper", ["#ffffff", "#111111"])
def test_a_table_of_a_card_that_goes_on_has_a_shade_at_its_edge(open_page, tmp_path, paper):
    """Not every system draws a bar for scrolling; where the table ends there is nothing but the page."""
    result = campaign.send(result_of(1).plan, folder=tmp_path / "visits", progress=False)
    page = tmp_path / "card.html"
    theme = f'data-jp-theme-light="{str(paper == "#ffffff").lower()}"'
    style = f"body{{background:{paper};--jp-layout-color0:{paper}}}.scroller table{{visibility:hidden}}"
    page.write_text(f"<meta charset=utf-8><style>{style}</style><body {theme}>{result._repr_html_()}")
    narrow, wide = open_page(page, 420), open_page(page, 1280)
    assert _right_edge(narrow) != _right_edge(wide)
    narrow.evaluate("document.querySelector('.scroller').scrollLeft = 1000")
    assert _right_edge(narrow) == _right_edge(wide)


def _right_edge(page):
    """A picture of the last points of a table in a card."""
    box = page.locator(".scroller").bounding_box()
    clip = {"x": round(box["x"] + box["width"]) - 4, "y": round(box["y"]) + 2, "width": 3, "height": 20}
    return page.screenshot(clip=clip, full_page=True)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(reports, open_page, scheme):
    for rows in (300, "list"):
        assert findings(open_page(reports[rows], 390, scheme)) == []  # narrow: tables scroll


def test_dark_is_dark_and_light_is_light(reports, open_page):
    paper = "getComputedStyle(document.body).backgroundColor"
    assert open_page(reports[1]).evaluate(paper) == "rgb(255, 255, 255)"
    assert open_page(reports[1], scheme="dark").evaluate(paper) == "rgb(15, 19, 23)"


@pytest.mark.parametrize("rows", PAGES)
def test_it_prints_on_a_few_pages(reports, chromium, rows):
    page = chromium.new_page()
    page.goto(reports[rows].as_uri())
    printed = page.pdf(prefer_css_page_size=True)
    page.close()
    assert b"/MediaBox [0 0 59" in printed  # A4: 595 by 842 points
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= PAGES[rows]


@pytest.mark.parametrize("rows", PAGES)
def test_it_is_small_enough_to_send(reports, rows):
    assert reports[rows].stat().st_size < 250_000
