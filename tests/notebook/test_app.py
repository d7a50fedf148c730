"""`campaign app` as a program: who may reach it, how it starts and how it ends."""

import asyncio
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import aiohttp
import pytest
from support.form_page import PROJECT, running_app

from campaign.cli.main import main
from campaign.notebook.app import TAKEN_OVER, WRONG_TOKEN, free_port

# What stands in for a browser: it notes how it was started and what it was given to open.
BROWSER = """#!/bin/sh
printf '%s\\n' "$0" "$@" > called
cp "$(printf '%s' "$1" | sed 's/^file:..//')" opened
stat -c %a "$(printf '%s' "$1" | sed 's/^file:..//')" > mode
sleep 20
"""
# The app where none of these can be imported.
WITHOUT_NOTEBOOKS = """
import sys
for name in ("anywidget", "ipykernel", "jupyter_server", "jupyterlab", "tornado", "itables"):
    sys.modules[name] = None
from campaign.cli.main import main
main(["app", "--no-browser"])
"""


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
    with free_port(port) as bound:
        assert bound.getsockname() == ("127.0.0.1", port)


def test_the_app_needs_nothing_that_notebooks_need(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-u", "-c", WITHOUT_NOTEBOOKS], cwd=tmp_path, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
    ) as process:  # fmt: skip
        address = re.search(r"http\S+", process.stdout.readline())[0]
        assert asyncio.run(first_page(address))["title"] == "Your messages"
        process.kill()


async def first_page(address):
    """What the page at an address is shown first."""
    async with aiohttp.ClientSession() as session, session.ws_connect(**form_at(address)) as page:
        await page.send_str(address.partition("#")[2])
        await page.send_json({"do": "look", "number": 1})
        return (await page.receive_json())["page"]


def form_at(address, **headers):
    """How the page at an address connects."""
    place = address.partition("/#")[0]
    return {"url": f"{place}/form", "headers": {"Origin": place, **headers}}


@pytest.fixture
def app(tmp_path):
    with running_app(tmp_path / "desk") as running:
        yield running


def test_only_the_page_of_the_app_with_its_token_is_let_in(app):
    """Nothing can be typed to get in; another page of this browser is refused, and so is another name."""
    place, _, token = app.address.partition("/#")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", place)
    assert re.fullmatch(r"[\w-]{32}", token)

    async def look():
        async with aiohttp.ClientSession() as session:
            for path in ("/", "/app.js", "/page.js", "/page.css"):
                async with session.get(f"{place}{path}") as answer:
                    assert answer.status == 200
                    assert token not in f"{answer.headers}{await answer.text()}"
                    policy = dict(
                        rule.split(" ", 1) for rule in answer.headers["Content-Security-Policy"].split("; ")
                    )
                    assert policy["default-src"] == policy["frame-ancestors"] == "'none'"
                    assert policy["script-src"] == policy["connect-src"] == "'self'"
                async with session.get(f"{place}{path}", headers={"Host": "campaign.example.com"}) as answer:
                    assert answer.status == 403
            for headers in (
                {"Origin": "http://127.0.0.1:1"}, {"Origin": "https://example.com"}, {"Origin": "null"},
                {"Host": "campaign.example.com"}, {"Host": "localhost"},
            ):  # fmt: skip
                with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                    await session.ws_connect(**form_at(app.address, **headers))
                assert refused.value.status == 403
            for said in ("", token[::-1], f"{token} ", "look"):
                async with session.ws_connect(**form_at(app.address)) as page:
                    await page.send_str(said)
                    await page.send_json({"do": "look", "number": 1})
                    assert (await page.receive()).type is aiohttp.WSMsgType.CLOSE
                    assert page.close_code == WRONG_TOKEN
            with pytest.raises(aiohttp.WSServerHandshakeError):
                await session.ws_connect(f"{place}/form")

    asyncio.run(look())
    assert asyncio.run(first_page(app.address))["title"] == "Your messages"


def test_whoever_opens_the_page_anew_takes_it_over(app):
    async def look():
        async with aiohttp.ClientSession() as session:
            first, second = [await session.ws_connect(**form_at(app.address)) for _ in range(2)]
            await first.send_str(app.address.partition("#")[2])
            await first.send_json({"do": "press", "id": "new", "number": 1})
            assert (await first.receive_json())["page"]["step"] == "people"
            await second.send_str(app.address.partition("#")[2])
            assert (await first.receive()).type is aiohttp.WSMsgType.CLOSE
            assert first.close_code == TAKEN_OVER
            await second.send_json({"do": "look", "number": 1})
            assert (await second.receive_json())["page"]["step"] == "people"

    asyncio.run(look())


def test_others_on_this_machine_cannot_be_reached(app):
    """It listens at the loopback address only."""
    port = int(re.search(r":(\d+)/", app.address)[1])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outward:
        outward.connect(("192.0.2.1", 9))  # sends nothing
        own = outward.getsockname()[0]
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((own, port), timeout=5)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_the_token_is_in_no_argument_of_a_process(tmp_path, state_directory):
    """The browser is given a file that only its owner can read, and that is gone at the end."""
    browser = tmp_path / "browser"
    browser.write_text(BROWSER)
    browser.chmod(0o755)
    desk = tmp_path / "desk"
    desk.mkdir()
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "campaign", "app"], cwd=desk, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(PROJECT), "BROWSER": str(browser)},
    ) as process:  # fmt: skip
        address = re.search(r"http\S+", process.stdout.readline())[0]
        token = address.partition("#")[2]
        until = time.monotonic() + 30
        while not (desk / "mode").exists() or not (desk / "mode").read_text():
            assert time.monotonic() < until
            time.sleep(0.05)
        arguments = b"".join(map(arguments_of, Path("/proc").glob("[0-9]*")))
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    assert str(browser).encode() in arguments
    assert token.encode() not in arguments
    assert address in (desk / "opened").read_text()
    assert (desk / "mode").read_text() == "600\n"
    assert stat.S_IMODE(state_directory.stat().st_mode) & 0o077 == 0
    assert [*state_directory.glob("app-*")] == []


def arguments_of(process):
    try:
        return (process / "cmdline").read_bytes()
    except OSError:  # it has ended
        return b""


@pytest.mark.skipif(sys.platform != "linux", reason="tells from /proc which signals are ignored")
def test_what_a_script_starts_in_the_background_can_be_stopped(tmp_path):
    """The shell has it ignore Ctrl-C."""
    process = subprocess.Popen(
        ["sh", "-c", 'trap "" INT; exec "$@"', "sh", sys.executable, "-u", "-m", "campaign", "app",
         "--no-browser"],
        cwd=tmp_path, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(PROJECT)},
    )  # fmt: skip
    try:
        assert "http://127.0.0.1" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert said.endswith("The app has stopped.\n")
    assert process.returncode == 0
