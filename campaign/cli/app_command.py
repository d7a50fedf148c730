"""`app`: the composer as a page of its own, for people without notebooks."""

from __future__ import annotations

import argparse
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from campaign.cli.exit_codes import ACCEPTED
from campaign.cli.output import Page
from campaign.errors import UsageError
from campaign.sending.store.identity import CAMPAIGNS

# What the page serves; its name is the title of the page.
_NOTEBOOK = Path(__file__).parents[1] / "notebook" / "app.ipynb"
_TITLE = "Campaign.ipynb"
_PAGE = Path(__file__).with_name("app_page")  # of voila's template, with the script that is in it
_TEMPLATE = "campaign"
_ACCESS = "campaign.cli.app_access.Access"
_HOST = "127.0.0.1"
# For a check that voila never asks for, jsonschema would build a grammar of addresses: 1.7 s of 2.3 in all.
_VOILA = "import sys; sys.modules['rfc3987_syntax'] = None; from voila.app import main; main()"
_NEEDED = 'campaign app needs voila: pip install "campaign[app]".'
_START, _END = 60.0, 15.0  # seconds until it answers, and until it has ended
_LARGEST_UPLOAD = 200_000_000  # bytes; without this, a file over 10 MB breaks the connection without a word
# Where Jupyter would look for a person's settings, and leave its own files.
_FOLDERS = {
    "JUPYTER_CONFIG_DIR": "config", "JUPYTER_DATA_DIR": "data", "JUPYTER_RUNTIME_DIR": "runtime",
    "IPYTHONDIR": "ipython",
}  # fmt: skip


def run_app(options: argparse.Namespace, page: Page) -> int:
    if find_spec("voila") is None:
        raise UsageError(_NEEDED)
    # Whatever ends it cleans up. What a script starts in the background ignores Ctrl-C, and so does what that
    # starts in turn: the program that sends could not be stopped.
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, signal.default_int_handler)
    token = secrets.token_urlsafe(24)
    port = _free_port(options.port)
    with TemporaryDirectory(prefix="campaign-app-") as home, _server(Path(home), port, token) as server:
        _await_answer(server, port, Path(home))
        address = f"http://{_HOST}:{port}/?token={token}"
        page.facts["address"] = address
        page.line(f"The campaign app is at {address}")
        with suppress(KeyboardInterrupt):  # from the line on that tells of it
            page.line(
                "Only this machine can reach it. Stop it with Ctrl-C; what is being sent stops cleanly."
            )
            page.finish(ACCEPTED)
            if options.browser:
                webbrowser.open(address)
            server.wait()
    kept = f" What was sent is kept in {CAMPAIGNS.absolute()}." if CAMPAIGNS.is_dir() else ""
    page.line(f"Stopped.{kept}")
    return ACCEPTED


@contextmanager
def _server(home: Path, port: int, token: str) -> Iterator[subprocess.Popen[bytes]]:
    """voila with the composer, in a process of its own; ended at the end, with its kernels."""
    _write_settings(home, port, token)
    with (home / "log").open("wb") as log:
        server = subprocess.Popen(  # noqa: S603 - nothing in the command comes from outside
            [sys.executable, "-c", _VOILA, str(home / _TITLE)],
            cwd=home, env=_environment(home), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            # Ctrl-C is for this process, which ends the other one in order.
            start_new_session=True,
        )  # fmt: skip
    try:
        yield server
    finally:
        server.terminate()
        try:
            server.wait(_END)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _write_settings(home: Path, port: int, token: str) -> None:
    """The notebook, its page, and voila's settings in a file: others on this machine can see arguments."""
    shutil.copyfile(_NOTEBOOK, home / _TITLE)
    settings = {
        "Voila": {
            "ip": _HOST, "port": port, "port_retries": 0, "open_browser": False, "token": token,
            "connection_dir_root": str(home),
            "identity_provider_class": _ACCESS,
            "tornado_settings": {
                "websocket_max_message_size": _LARGEST_UPLOAD,
                # Every answer names the start that it is from: a page of an earlier one finds that it is old.
                "headers": {"Campaign-Start": secrets.token_urlsafe(9)},
            },
        },
        "VoilaConfiguration": {"template": _TEMPLATE},
        # A program that has died is not replaced by an empty one behind the page of the old one.
        "KernelRestarter": {"restart_limit": 0},
        "KernelManager": {"shutdown_wait_time": _END},
    }  # fmt: skip
    for folder in _FOLDERS.values():
        (home / folder).mkdir()
    template = home / _FOLDERS["JUPYTER_DATA_DIR"] / "voila" / "templates" / _TEMPLATE
    template.mkdir(parents=True)
    for part in ("index.html.j2", "theme.js", "watch.js"):
        shutil.copyfile(_PAGE / part, template / part)
    (template / "conf.json").write_text('{"base_template": "lab"}')
    (home / _FOLDERS["JUPYTER_CONFIG_DIR"] / "voila.json").write_text(json.dumps(settings))


def _environment(home: Path) -> dict[str, str]:
    """This environment, with Jupyter's folders in `home`, and the folder that the app works in."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "IPYTHON"))}
    folders = {name: str(home / folder) for name, folder in _FOLDERS.items()}
    memory = str(home / "desk.json")  # what a page that is loaded again comes back to; gone with the app
    return kept | folders | {"CAMPAIGN_APP_FOLDER": str(Path.cwd()), "CAMPAIGN_APP_MEMORY": memory}


def _free_port(wanted: int) -> int:
    """The port, or any free one for 0. Raises `UsageError` if another program has it."""
    with socket.socket() as free:
        if os.name == "posix":  # as servers do; on Windows it would take a port that another program has
            free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            free.bind((_HOST, wanted))
        except (OSError, OverflowError):
            raise UsageError(f"Port {wanted} cannot be used: try another --port, or leave it out.") from None
        return int(free.getsockname()[1])


def _await_answer(server: subprocess.Popen[bytes], port: int, home: Path) -> None:
    """Wait until the page can be opened. Raises `UsageError` with what voila said if it does not start."""
    until = time.monotonic() + _START
    while time.monotonic() < until and server.poll() is None:
        with suppress(OSError), socket.create_connection((_HOST, port), timeout=1):
            return
        time.sleep(0.1)
    lines = (home / "log").read_text("utf-8", "replace").strip().splitlines()
    said = lines[-1] if lines else "nothing"
    raise UsageError(f"The app did not start on port {port}. voila said: {said}. Try another --port.")
