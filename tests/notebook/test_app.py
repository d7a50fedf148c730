"""`campaign app`: the composer as a page of its own."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from support.composer_page import ComposerPage

from campaign.cli.app_command import _free_port
from campaign.cli.main import main

pytest_plugins = ["support.jupyter_browser"]

PROJECT = Path(__file__).parents[2]


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


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent as a signal")
def test_ctrl_c_says_that_it_has_stopped_and_where_what_was_sent_is(tmp_path):
    (tmp_path / "campaigns").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "campaign", "app", "--no-browser"],
        cwd=tmp_path, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(PROJECT)},
    )  # fmt: skip
    try:
        while "Stop it with Ctrl-C" not in process.stdout.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert said == f"Stopped. What was sent is kept in {tmp_path / 'campaigns'}.\n"


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


@pytest.fixture
def app(tmp_path):
    """The app as a person starts it, in a folder and with temporary files of its own."""
    desk, temporary = tmp_path / "desk", tmp_path / "temporary"
    desk.mkdir()
    temporary.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "campaign", "app", "--no-browser", "--json"],
        cwd=desk, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(PROJECT), "TMPDIR": str(temporary)},
    )  # fmt: skip
    try:
        yield process, desk, temporary
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


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
