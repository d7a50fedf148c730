"""`sandbox`: the embedded sandbox, for programs that are not written in Python."""

from __future__ import annotations

import argparse
import os
import secrets
import signal
import threading

from campaign.cli.exit_codes import ACCEPTED
from campaign.service.sandbox.server import Sandbox
from campaign.text import counted, money


def run_sandbox(options: argparse.Namespace) -> int:
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
        print("SANDBOX: nothing is sent. Stop it with Ctrl-C.")
        print(f"address   {service.account.endpoint}")
        if service.ca_file is not None:
            print(f"ca file   {service.ca_file}")
        print(f"username  {service.account.username}")
        print(f"password  {'as in CAMPAIGN_LOCAL_PASSWORD' if chosen_password else password}", flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print(f"{counted(len(service.inbox), 'message')} accepted, {money(service.charged)} charged.")
    return ACCEPTED
