"""`campaign app`: the composer as a page of its own."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from support.composer_page import ComposerPage
from support.killed_composer import die_while_sending

import campaign
from campaign.cli.app_command import _VOILA as VOILA
from campaign.cli.app_command import _free_port
from campaign.cli.main import main

pytest_plugins = ["support.jupyter_browser"]

# The colour of what covers the shade at the edge of a table, and the one that is behind the table.
COVER_AND_PAPER = """() => {
  const panel = document.querySelector(".campaign");
  let behind = panel;
  while (getComputedStyle(behind).backgroundColor === "rgba(0, 0, 0, 0)") behind = behind.parentElement;
  const cover = panel.appendChild(document.createElement("i"));
  cover.style.background = "var(--paper)";
  const colours = [cover, behind].map((element) => getComputedStyle(element).backgroundColor);
  cover.remove();
  return colours;
}"""
PROJECT = Path(__file__).parents[2]


def test_voila_starts_without_a_grammar_that_takes_longer_to_make_than_all_the_rest():
    timed = [sys.executable, "-X", "importtime", "-c", VOILA, "--version"]
    loaded = subprocess.run(timed, capture_output=True, text=True, check=True).stderr
    assert "voila.server_extension" in loaded
    assert "rfc3987_syntax.syntax_helpers" not in loaded


def test_without_voila_a_sentence_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "voila", None)
    assert main(["app"]) == 2
    assert 'campaign app needs voila: pip install "campaign[app]".' in capsys.readouterr().err


def test_a_port_that_another_program_has_is_refused(capsys):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert main(["app", "--no-browser", "--port", str(port)]) == 2
    assert f"Port {port} cannot be used" in capsys.readouterr().err


def test_the_port_of_a_page_that_was_open_until_now_is_free():
    """Its connections wait for late packets for a minute after the program has ended."""
    with socket.create_server(("127.0.0.1", 0)) as ended:
        port = ended.getsockname()[1]
        page = socket.create_connection(("127.0.0.1", port))
        ended.accept()[0].close()  # the side that closes first has to wait
        page.close()
    assert _free_port(port) == port


@pytest.mark.skipif(sys.platform != "linux", reason="tells from /proc which signals are ignored")
def test_what_a_script_starts_in_the_background_can_be_stopped(tmp_path):
    """The shell has it ignore Ctrl-C, and so would voila and the program that sends."""
    process = subprocess.Popen(
        ["sh", "-c", 'trap "" INT; exec "$@"', "sh", sys.executable, "-u", "-m", "campaign", "app",
         "--no-browser"],
        cwd=tmp_path, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(PROJECT)},
    )  # fmt: skip
    try:
        while "Stop it with Ctrl-C" not in process.stdout.readline():
            assert process.poll() is None
        (voila,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        assert not ignores(voila, signal.SIGINT)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert said == "Stopped.\n"


def ignores(process, number):
    status = Path(f"/proc/{process}/status").read_text()
    return bool(int(re.search(r"SigIgn:\s*([0-9a-f]+)", status)[1], 16) >> (number - 1) & 1)


@contextmanager
def started(desk, temporary, *options):
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "campaign", "app", "--no-browser", *options],
        cwd=desk, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(PROJECT), "TMPDIR": str(temporary)},
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.poll() is None and sys.platform != "win32":
            process.send_signal(signal.SIGINT)  # killed, it would leave voila behind
            with suppress(subprocess.TimeoutExpired):
                process.wait(30)
        process.kill()
        process.wait()
        process.stdout.close()


def address_of(process):
    return re.search(r'http[^\s"]+', process.stdout.readline())[0]


@pytest.fixture
def folders(tmp_path):
    """The folder that the app is started in, and one for temporary files of its own."""
    for name in ("desk", "temporary"):
        (tmp_path / name).mkdir()
    return tmp_path / "desk", tmp_path / "temporary"


@pytest.fixture
def app(folders):
    """The app as a program starts it."""
    with started(*folders, "--json") as process:
        yield process, *folders


@pytest.fixture(scope="module")
def running_app(tmp_path_factory):
    """The address of an app that runs, and the folder that it was started in."""
    desk, temporary = (tmp_path_factory.mktemp(name) for name in ("desk", "temporary"))
    with started(desk, temporary) as process:
        yield address_of(process), desk


@pytest.fixture
def opened_before(folders, chromium):
    """A page of the app that was stopped since, its address, and what the app said at its end; a campaign is
    in the folder."""
    desk, temporary = folders
    contacts = campaign.read_contacts(b"name,phone\nAisha,0772 000 001\n")
    plan = campaign.prepare(contacts, message="Hi {name}", sender="CLINIC", region="UG")
    campaign.send(plan, name="visits", folder=desk / "campaigns" / "visits", progress=False)
    with started(desk, temporary) as process:
        address = address_of(process)
        page = chromium.new_context().new_page()
        page.set_default_timeout(30_000)
        page.goto(address)
        page.locator(".campaign-upload").wait_for()
        with page.expect_response(lambda answer: "/api/kernels/" in answer.url):
            pass  # it knows which start of the app it is from
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=30)
        assert process.returncode == 0
    yield page, address, said.splitlines()[-1]
    page.context.close()


@pytest.mark.browser
@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent as a signal")
def test_a_page_from_before_the_app_was_started_again_says_so(folders, opened_before):
    """Neither the page itself nor its address, loaded again, leaves a person at a form for a token."""
    page, address, last_line = opened_before
    assert last_line == f"Stopped. What was sent is kept in {folders[0] / 'campaigns'}."
    gone, port = page.locator("#campaign-gone"), re.search(r":(\d+)/", address)[1]
    expect(gone).to_contain_text("The app has stopped")
    with started(*folders, "--port", port) as process:
        new_address = address_of(process)
        expect(gone).to_contain_text("The app was started again")
        expect(page.locator("#rendered_cells")).to_have_attribute("inert", "")

        page.reload()
        assert page.title() == "Campaign: another address"
        expect(page.locator("main")).to_contain_text("Use the page that the app opened")
        expect(page.locator("form, input")).to_have_count(0)
        assert Axe().run(page).violations_count == 0
        shown = page.content()
        assert all(one.partition("token=")[2] not in shown for one in (address, new_address))

        page.goto(new_address)
        expect(page.locator(".campaign-look-back")).to_have_text(
            "Show the result of the rehearsal of “visits”"
        )
        expect(page.locator(".campaign-look-back")).to_have_css("border-style", "solid")
        other = page.context.new_page()  # of the same person, who has the cookie of the new one
        other.goto(page.url.partition("?")[0])
        expect(other.locator(".campaign-upload")).to_be_visible()
        other.close()


@pytest.mark.browser
def test_enter_reads_a_file_that_has_changed(running_app, chromium):
    address, desk = running_app
    table = desk / "visits.csv"
    table.write_text("name,phone\nAisha,+256 772 000 001\n")
    page = chromium.new_page()
    page.set_default_timeout(30_000)
    composer = ComposerPage(page)
    page.goto(address)
    page.fill(".campaign-path input", "visits.csv")
    page.press(".campaign-path input", "Enter")
    section = page.locator(".campaign-section-1")
    expect(section).to_contain_text("visits.csv: 1 row.")
    table.write_text("name,phone\nAisha,+256 772 000 001\nBen,+256 772 000 002\n")
    page.fill(".campaign-path input", "visits.csv")
    page.press(".campaign-path input", "Enter")
    expect(section).to_contain_text("visits.csv: 2 rows.")
    assert composer.problems == []
    page.close()


PUPILS = """name,phone,fees due
Aisha Nakato,+256 772 000 001,1250
Benjamin Okello,+256 772 000 001,31500
"""


@pytest.mark.browser
def test_in_a_narrow_window_the_way_on_and_the_end_of_a_table_can_be_seen(app, chromium):
    """However long the text is; and a table that goes on sideways has a shade at its edge."""
    process, desk, _ = app
    (desk / "pupils.csv").write_text(PUPILS)
    page = chromium.new_page(viewport={"width": 640, "height": 800})
    page.set_default_timeout(30_000)
    composer = ComposerPage(page)
    page.goto(json.loads(process.stdout.readline())["address"])
    page.fill(".campaign-path input", "pupils.csv")
    page.press(".campaign-path input", "Enter")
    page.click(".campaign-use")
    text = page.locator(".text-editor textarea")
    text.fill("Hi {name}, your fees of {fees due:,.0f} are due. " + "Please come and pay. " * 12)
    expect(page.locator(".campaign-phone")).to_contain_text("what is struck out does not fit")
    text.evaluate("area => area.scrollIntoView()")
    expect(page.locator(".campaign-check")).to_be_in_viewport()

    text.fill("Hi {name}, your fees of {fees due:,.0f} are due.")
    page.fill(".campaign-sender input", "SCHOOL")
    page.click(".campaign-check")
    page.locator(".campaign-section-3 .campaign-show-rows").first.click()
    rows = page.locator(".campaign-section-3 .row-list .page").first
    expect(rows.locator("th").last).to_have_css("white-space", "normal")
    assert rows.evaluate("table => table.scrollWidth > table.clientWidth")
    assert rows.evaluate("table => getComputedStyle(table).backgroundImage").count("gradient") == 4
    assert composer.problems == []
    page.close()


def test_nothing_can_be_typed_to_get_in(running_app):
    """Only the address lets anybody in: there is no form that takes the token, and none to set a password."""
    address, _ = running_app
    plain, token = address.partition("?")[0], address.partition("token=")[2]
    for path in ("", f"?token={token[::-1]}"):
        with urllib.request.urlopen(f"{plain}{path}", timeout=10) as answer:
            assert "/login" in answer.url
            assert answer.headers["Set-Cookie"] is None
            assert token not in f"{answer.headers}{answer.read().decode()}"
    typed = urllib.parse.urlencode({"password": token, "new_password": "sesame"}).encode()
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{plain}login", typed, timeout=10)
    with refused.value as answer:
        assert answer.code == 405


@pytest.mark.browser
@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent as a signal")
def test_from_the_file_to_the_report_in_a_page_of_its_own(app, chromium):
    """Loopback only, behind a token; Ctrl-C ends it and leaves nothing but the campaign."""
    process, desk, temporary = app
    address = json.loads(process.stdout.readline())["address"]
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{32}", address)
    page = chromium.new_page(viewport={"width": 1280, "height": 1000})
    page.set_default_timeout(30_000)
    composer = ComposerPage(page)
    page.goto(address.partition("?")[0])
    assert "/login" in page.url
    page.goto(address)
    assert page.title() == "Campaign"
    composer.choose(PROJECT / "sample_data" / "clinic_visits.xlsx")
    composer.write()
    composer.type_and_press("opt-outs", "stop-list.csv", "go-on")
    expect(page.locator(".campaign-section-3")).to_contain_text("There is no file")
    expect(page.locator(".campaign-section-4 h2")).to_have_text("4 · Send")
    expect(page.locator(".campaign-send")).to_have_count(0)
    page.fill(".campaign-opt-outs input", "")
    page.locator(".campaign-section-2 .fold").click()
    composer.type_and_press("sender", "MULAGO", "check")
    expect(page.locator(".campaign-section-2 .fold")).to_contain_text("sender MULAGO")
    composer.send()
    assert composer.download("Report as a workbook")[1].startswith(b"PK")
    assert composer.problems == []

    for scheme, is_light, background in (
        ("dark", "false", "rgb(17, 17, 17)"), ("light", "true", "rgb(255, 255, 255)"),
    ):  # fmt: skip
        page.emulate_media(color_scheme=scheme)
        expect(page.locator("body")).to_have_attribute("data-jp-theme-light", is_light)
        expect(page.locator("body")).to_have_css("background-color", background)
        assert len(set(page.evaluate(COVER_AND_PAPER))) == 1
        assert Axe().run(page).violations_count == 0
    page.reload()
    expect(page.locator(".campaign-greeting")).to_contain_text("What you sent is below.")
    expect(page.locator(".campaign-section-1 .fold")).to_contain_text(
        "clinic_visits.xlsx, sheet Visits, 299 rows"
    )
    expect(page.locator(".campaign-section-5")).to_contain_text("276 of 299 rows were accepted")
    assert composer.problems == []

    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0
    expect(page.locator("#campaign-gone")).to_contain_text("The app has stopped")
    expect(page.locator("#rendered_cells")).to_have_attribute("inert", "")
    page.close()
    assert sorted(path.name for path in desk.iterdir()) == ["campaigns", "uploads"]
    assert [path.name for path in temporary.iterdir() if path.name.startswith("campaign-app-")] == []


@pytest.mark.browser
@pytest.mark.skipif(sys.platform == "win32", reason="the program is killed by a signal")
def test_after_a_kill_the_unknown_texts_are_settled_by_clicks_and_a_phrase(app, chromium):
    """First a list whose columns no header names, which settles nothing; then what somebody says."""
    process, desk, _ = app
    people = [f"P{n},+256772000{n:03},Mon" for n in range(250)]
    (desk / "visits.csv").write_text("\n".join(["name,phone,day", *people]))
    die_while_sending(desk, bodies=3)
    (desk / "list.csv").write_text("A,B\n+256772000900,Hello\n")
    page = chromium.new_page(viewport={"width": 640, "height": 1000})
    page.set_default_timeout(30_000)
    composer = ComposerPage(page)
    page.goto(address_of(process))
    page.locator(".campaign-take-up").click()
    part = page.locator(".campaign-unknown-texts")
    expect(part.locator("h3")).to_have_text("Find out what became of 5 texts")
    with page.expect_file_chooser() as chooser:
        page.click(".campaign-provider-list-upload")
    chooser.value.set_files(desk / "list.csv")
    expect(part).to_contain_text("no header looks like a number")
    expect(part.get_by_label("Column with the numbers").locator("option:checked")).to_have_text(
        "found by its header"
    )
    part.get_by_label("Column with the numbers").select_option(label="A")
    part.get_by_label("Column with the texts").select_option(label="B")
    expect(part).to_contain_text("Batch 3 (5 texts), unknown: not known")
    page.click("button:text-is('It was accepted')")
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        assert Axe().run(page).violations_count == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 640
    page.fill(".campaign-settle-cost input", "175")
    page.fill(".campaign-settle-phrase input", "batch 3 was accepted")
    page.click("button:text-is('Settle batch 3')")
    expect(page.locator(".campaign-settled")).to_have_text("Batch 3 was settled as accepted.")
    expect(part.locator("h3")).to_have_count(0)
    expect(page.locator(".campaign-section-5 h2")).to_be_focused()
    expect(page.locator(".campaign-section-5")).to_contain_text("11 of 250 rows were accepted")
    expect(page.locator(".campaign-section-3 .fold")).to_contain_text("11 people were sent a text")
    assert composer.problems == []
    page.close()
