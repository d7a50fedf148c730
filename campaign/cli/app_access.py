"""Who may open the page of `campaign app`, and what everybody else sees: a page of its own, and no form."""

from __future__ import annotations

from pathlib import Path

from jupyter_server.auth.identity import PasswordIdentityProvider
from tornado.web import RequestHandler

_PAGE = Path(__file__).with_name("app_page") / "other_address.html"
_HEADERS = {
    "Cache-Control": "no-store", "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
}  # fmt: skip


class Access(PasswordIdentityProvider):
    """The token in the address, and the cookie that it leaves, as in Jupyter; nothing can be typed instead.

    voila takes the name of this class from its settings.
    """

    def get_handlers(self) -> list[tuple[str, object]]:
        return [(r"/login", OtherAddress)]


class OtherAddress(RequestHandler):
    """Where an address without the token of this start leads, such as that of an earlier start."""

    def set_default_headers(self) -> None:
        for name, value in _HEADERS.items():
            self.set_header(name, value)

    def get(self) -> None:
        self.write(_PAGE.read_text("utf-8"))
