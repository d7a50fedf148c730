"""`app`: the form as a page of its own, for people without notebooks."""

from __future__ import annotations

import argparse
import asyncio
import signal
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from campaign.cli.exit_codes import ACCEPTED
from campaign.cli.output import Page
from campaign.errors import UsageError
from campaign.notebook.app import App, free_port
from campaign.sending.store.identity import CAMPAIGNS
from campaign.sending.store.user_state import state_directory

_REDIRECT = '<!doctype html><title>Campaign</title><meta http-equiv="refresh" content="0;url={}">'


def run_app(options: argparse.Namespace, page: Page) -> int:
    # What a script starts in the background ignores Ctrl-C, and could not be stopped.
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, signal.default_int_handler)
    try:
        app = App(free_port(options.port))
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or "no such port"
        raise UsageError("port_unusable", port=options.port, reason=reason) from None

    with _redirect(app.address) as file:

        def started() -> None:
            page.facts["address"] = app.address
            page.say("app_started", address=app.address)
            page.finish(ACCEPTED)
            if options.browser:  # some browsers are waited for until they are closed
                threading.Thread(target=webbrowser.open, args=[file.as_uri()], daemon=True).start()

        with suppress(KeyboardInterrupt):
            asyncio.run(app.serve(started))
    page.say("app_stopped", folder=CAMPAIGNS.absolute() if CAMPAIGNS.is_dir() else "")
    return ACCEPTED


@contextmanager
def _redirect(address: str) -> Iterator[Path]:
    """A file that leads to the address and that only its owner can read: everybody on this machine sees what
    a browser is started with."""
    folder = state_directory()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="app-", dir=folder) as place:
        file = Path(place) / "campaign.html"
        file.touch(0o600)
        file.write_text(_REDIRECT.format(address), "utf-8")
        yield file
