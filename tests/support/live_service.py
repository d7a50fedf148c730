"""A live service that is none: the embedded sandbox over TLS, under a name that means this machine."""

from __future__ import annotations

from cryptography import x509

import campaign
from campaign.service.sandbox import certificate

NAME = "sms.example.com"


class LiveService:
    """What the provider would be: `account` is live, `inbox` is what it accepted, with each number."""

    def __init__(self, sandbox: campaign.Sandbox) -> None:
        self.sandbox = sandbox

    def account_as(self, username: str = "clinic", host: str = NAME, **options) -> campaign.Account:
        port = self.sandbox.account.url.rsplit(":", 1)[1].strip("/")
        return campaign.Account(
            "live",
            f"https://{host}:{port}",
            username,
            "only-for-tests",
            ca_file=self.sandbox.ca_file,
            **options,
        )

    @property
    def account(self) -> campaign.Account:
        return self.account_as()

    @property
    def numbers(self) -> list[str]:
        """The number of every message that the service accepted."""
        return self.sandbox.inbox["number"].tolist()


def start_live(resolves_here, monkeypatch, **options) -> campaign.Sandbox:
    """A sandbox whose certificate is for the live name; the caller enters it."""
    names = [*certificate.NAMES, *(x509.DNSName(name) for name in (NAME, f"www.{NAME}"))]
    monkeypatch.setattr(certificate, "NAMES", names)
    # It answers to this machine's own names only, and here it stands in for another machine.
    monkeypatch.setattr(campaign.Sandbox, "_is_for_this_machine", staticmethod(lambda host: True))
    for name in (NAME, f"www.{NAME}"):
        resolves_here(name)
    return campaign.Sandbox(tls=True, username="clinic", password="only-for-tests", **options)


def known_as(environment, sandbox, monkeypatch):
    """Let variables name a service as that of an environment, such as "LIVE"."""
    port = sandbox.account.url.rsplit(":", 1)[1].strip("/")
    for name, value in {
        "URL": f"https://{NAME}:{port}", "USERNAME": "clinic", "PASSWORD": "only-for-tests",
        "CA_FILE": str(sandbox.ca_file), "CURRENCY": "UGX",
    }.items():  # fmt: skip
        monkeypatch.setenv(f"CAMPAIGN_{environment}_{name}", value)
