"""`sandbox`: the embedded sandbox, for programs that are not written in Python."""

from __future__ import annotations

import argparse
import os
import secrets
import signal
import sys
import threading

from campaign.cli.exit_codes import ACCEPTED
from campaign.cli.output import Page
from campaign.service.sandbox.server import Sandbox
from campaign.text import money


def run_sandbox(options: argparse.Namespace, page: Page) -> int:
    chosen_password = os.environ.get("CAMPAIGN_LOCAL_PASSWORD")
    password = chosen_password or secrets.token_urlsafe(12)
    service = Sandbox(
        port=options.port, username=options.username, password=password,
        balance=options.balance, price=options.price, charge=options.charge, decode=options.decode,
        latency=options.latency, faults=dict(options.fault), random_faults=dict(options.random_fault),
        seed=options.seed, tls=options.tls,
    )  # fmt: skip
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # like Ctrl-C, so that it cleans up
    with service:
        try:
            _introduce(service, None if chosen_password else password, page)
            threading.Event().wait()
        except KeyboardInterrupt:
            print(f"{len(service.inbox):,} accepted, {money(service.charged)} charged", file=sys.stderr)
    return ACCEPTED


def _introduce(service: Sandbox, password: str | None, page: Page) -> None:
    """Say at once where it is and as whom to send: it runs until it is stopped."""
    page.facts |= {
        "address": service.account.endpoint,
        "username": service.account.username,
        "password": password,
        "ca_file": None if service.ca_file is None else str(service.ca_file),
    }
    page.say("sandbox_started")
    page.line(f"address   {service.account.endpoint}")
    if service.ca_file is not None:
        page.line(f"ca file   {service.ca_file}")
    page.line(f"username  {service.account.username}")
    page.line(f"password  {password or 'as in CAMPAIGN_LOCAL_PASSWORD'}")
    page.finish(ACCEPTED)
