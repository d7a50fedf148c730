"""A person at the composer in a browser: clicks and typing only, from the spreadsheet to the report."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

LOOPBACK = ("127.0.0.1", "localhost", "")


@dataclass
class ComposerPage:
    """A page with a composer in it. `problems` are errors of its scripts and requests to other machines."""

    page: Page
    problems: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        expect.set_options(timeout=30_000)  # milliseconds; the usual five seconds are short on a busy machine
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", lambda said: said.type == "error" and self.problems.append(said.text))
        self.page.on("request", lambda request: self._note_address(request.url))

    def _note_address(self, url: str) -> None:
        if urlsplit(url).scheme not in ("data", "blob") and urlsplit(url).hostname not in LOOPBACK:
            self.problems.append(f"a request to {url}")

    def choose(self, spreadsheet: Path) -> None:
        with self.page.expect_file_chooser() as chooser:
            self.page.click(".campaign-upload")
        chooser.value.set_files(spreadsheet)
        expect(self.page.locator(".campaign-section-1 table")).to_be_visible()
        self.page.focus(".campaign-use")
        self.page.keyboard.press("Enter")
        expect(self.page.locator(".campaign-section-2 h2")).to_be_focused()  # the button has gone

    def write(self) -> None:
        """The text with two placeholders, each at the cursor, and the sender."""
        text = self.page.locator(".text-editor textarea")
        text.click()
        self.page.keyboard.type("Hi , come.")
        for _ in range(len(", come.")):
            self.page.keyboard.press("ArrowLeft")
        self.page.click("button.placeholder:text-is('First name')")
        self.page.keyboard.type(", see you on ")
        self.page.click("button.placeholder:text-is('Visit date')")
        expect(text).to_have_value("Hi {First name}, see you on {Visit date}, come.")
        self.page.fill(".campaign-sender input", "CLINIC")
        phone, counter = self.page.locator(".campaign-phone"), self.page.locator(".campaign-counter")
        expect(phone).to_contain_text("CLINIC")
        expect(phone).to_contain_text("Hi Harriet, see you on 2026-03-05, come.")
        expect(counter).to_contain_text("40 of 160 · 1 SMS · the longest is row 154")
        self.page.click(".campaign-check")

    def type_and_press(self, field: str, text: str, button: str) -> None:
        """Write in a field as fast as it goes, and press a button at once."""
        self.page.fill(f".campaign-{field} input", "")
        self.page.locator(f".campaign-{field} input").press_sequentially(text)
        self.page.click(f".campaign-{button}")

    def send(self) -> None:
        """Check, rehearse on this machine, and wait for the result."""
        check = self.page.locator(".campaign-section-3")
        expect(check).to_contain_text("276 people get a text; 23 rows get none.")
        self.page.click(".campaign-go-on")
        phone = self.page.locator(".campaign-own-number").get_by_label("Your own phone")
        expect(phone).not_to_be_visible()
        self.page.focus(".campaign-more")
        self.page.keyboard.press("Enter")
        expect(self.page.locator(".campaign-more")).to_be_focused()
        expect(phone).to_be_visible()  # each field has a label of its own
        self.page.click(".campaign-section-4 .campaign-send:text-is('Rehearse 276 texts')")
        result = self.page.locator(".campaign-section-5")
        expect(result).to_contain_text("276 of 299 rows were accepted in the rehearsal")
        expect(result.locator("pre")).to_contain_text("result = campaign.send(plan, name=")

    def download(self, label: str) -> tuple[str, bytes]:
        """The name and the content of what a button downloads."""
        with self.page.expect_download() as download:
            self.page.click(f"button.download:text-is('{label}')")
        return download.value.suggested_filename, Path(download.value.path()).read_bytes()
