"""A person at the form in a browser, who clicks and types, and `campaign app` as a program of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import psutil
from playwright.sync_api import Locator, Page, expect

from support.accessibility import findings
from support.proxy import proxy_beside

PROJECT = Path(__file__).parents[2]
SAMPLE = PROJECT / "sample_data" / "clinic_visits.xlsx"
LOOPBACK = ("127.0.0.1", "localhost", "")
_END = 30  # seconds until a program has ended that was asked to

# What besides a person's own data stands on a page: the words of its labels, buttons and sentences. What is
# said several times, as the buttons of a list are, counts once.
_WORDS = """form => {
  const data = "td, th, dd, select, textarea, .from, .bubble, .phone nav span, .line > h2, .chips, .busy, " +
    ".steps small, .top b, legend span";
  const texts = document.createTreeWalker(form, NodeFilter.SHOW_TEXT), said = new Set();
  while (texts.nextNode()) {
    const node = texts.currentNode.parentElement;
    if (!node.closest(data) && node.checkVisibility()) said.add(texts.currentNode.textContent);
  }
  return [...said].flatMap(text => text.match(/\\p{L}[\\p{L}\\p{N}'’-]*/gu) ?? []);
}"""
_SMALL = """form => [...form.querySelectorAll(
    "button, summary, .upload label, .options label, select, input[type=text]")]
  .filter(node => node.checkVisibility() && node.getBoundingClientRect().height < 40)
  .map(node => node.textContent || node.id)"""


@dataclass
class FormPage:
    """A page with the form in it. `problems` are errors of its scripts and requests to other machines."""

    page: Page
    problems: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        expect.set_options(timeout=30_000)  # milliseconds; the usual five seconds are short on a busy machine
        self.page.set_default_timeout(30_000)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", lambda said: said.type == "error" and self.problems.append(said.text))
        self.page.on("request", lambda request: self._note_address(request.url))

    def _note_address(self, url: str) -> None:
        if urlsplit(url).scheme not in ("data", "blob") and urlsplit(url).hostname not in LOOPBACK:
            self.problems.append(f"a request to {url}")

    # what a person sees

    @property
    def form(self) -> Locator:
        return self.page.locator(".campaign-form")

    @property
    def title(self) -> Locator:
        return self.form.locator("h1")

    @property
    def phone(self) -> Locator:
        return self.form.locator(".phone .screen")

    @property
    def main(self) -> Locator:
        """The main button at the foot of the page."""
        return self.form.locator(".foot button.main")

    def button(self, name: str | re.Pattern[str]) -> Locator:
        return self.form.get_by_role("button", name=name, exact=isinstance(name, str))

    def faults(self, *, words: int = 60) -> list[str]:
        """What is wrong with how the page looks now, in light and in dark."""
        width = self.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        said = self.form.evaluate(_WORDS)
        wrong = [f"{width} px too wide"] if width > 0 else []
        wrong += [f"{len(said)} words: {' '.join(said)}"] if len(said) > words else []
        wrong += [f"less than 40 px: {name}" for name in self.form.evaluate(_SMALL)]
        if self.main.count() and not is_in_sight(self.main, self.page):
            wrong.append("the main button is below the fold")
        for scheme in ("dark", "light"):
            self.page.emulate_media(color_scheme=scheme)
            wrong += [f"{scheme}: {fault}" for fault in findings(self.page)]
        return [f"{self.title.inner_text()}: {fault}" for fault in wrong]

    # what a person does

    def press(self, name: str | re.Pattern[str]) -> None:
        self.button(name).click()

    def go_on(self, title: str | re.Pattern[str]) -> None:
        """Press the main button; the next page has the focus at its title."""
        self.main.click()
        self.arrive(title)

    def arrive(self, title: str | re.Pattern[str]) -> None:
        expect(self.title).to_contain_text(title)
        expect(self.title).to_be_focused()

    def choose(self, spreadsheet: Path, label: str = "Choose a spreadsheet") -> None:
        with self.page.expect_file_chooser() as chooser:
            self.form.get_by_text(label, exact=True).click()
        chooser.value.set_files(spreadsheet)

    def write(self, text: str, sender: str = "CLINIC") -> None:
        self.form.get_by_label("Text", exact=True).fill(text)
        self.form.get_by_label("Sender").fill(sender)

    def download(self, label: str) -> tuple[str, bytes]:
        """The name and the content of what a button downloads."""
        with self.page.expect_download() as download:
            self.press(label)
        return download.value.suggested_filename, Path(download.value.path()).read_bytes()

    def unfold(self, title: str) -> None:
        self.form.locator("summary", has_text=title).click()

    def add_account(self, address: str, user: str, password: str) -> None:
        self.unfold("Add your account")
        self.form.get_by_label("Address").fill(address)
        self.form.get_by_label("User name").fill(user)
        self.form.get_by_label("Password").press_sequentially(password)
        self.press("Use this account")
        expect(self.form.get_by_label(re.compile("^Type: "))).to_be_visible()

    def send_for_real(self, button: str) -> None:
        self.type_phrase()
        self.press(button)

    def type_phrase(self) -> None:
        """Type the phrase that sending for real asks for, as it stands above its field."""
        field = self.form.get_by_label(re.compile("^Type: "))
        phrase = self.form.get_by_text(re.compile("^Type: ")).inner_text().removeprefix("Type: ")
        field.press_sequentially(phrase)


def is_in_sight(node: Locator, page: Page) -> bool:
    box = node.bounding_box()
    assert box is not None
    assert page.viewport_size is not None
    return box["y"] >= 0 and box["y"] + box["height"] <= page.viewport_size["height"]


@dataclass
class App:
    """`campaign app`, and the folder that it works in."""

    process: subprocess.Popen[str]
    desk: Path
    address: str

    @property
    def seconds(self) -> float:
        """What its start has taken of a processor: the time it takes on a machine that is not busy."""
        times = psutil.Process(self.process.pid).cpu_times()
        return times.user + times.system

    def interrupt(self) -> tuple[str, str]:
        """End it as Ctrl-C does: what it said since it has started."""
        self.process.send_signal(signal.SIGINT)
        return self.process.communicate(timeout=_END)

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=_END)


@contextmanager
def running_app(desk: Path, *options: str, **variables: str) -> Iterator[App]:
    """The app in a folder, with these variables in its environment."""
    desk.mkdir(exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "campaign", "app", "--no-browser", *options],
        cwd=desk, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(PROJECT), **variables},
    )  # fmt: skip
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        found = re.search(r"http\S+", line)
        assert found, f"{line}{process.communicate(timeout=_END)[1] if process.poll() is not None else ''}"
        yield App(process, desk, found[0])
    finally:
        if process.poll() is None and sys.platform != "win32":
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=_END)
        process.kill()
        process.communicate()


@contextmanager
def live_at(port: int, ca_file: Path) -> Iterator[dict[str, str]]:
    """The variables with which any host is the service on that port of this machine, through a proxy."""
    with proxy_beside(port) as proxy:
        address = f"http://127.0.0.1:{proxy.port}"
        yield {"CAMPAIGN_LIVE_PROXY": address, "CAMPAIGN_LIVE_CA_FILE": str(ca_file)}
