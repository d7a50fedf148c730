"""A person at the composer's widgets, without a browser."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from html import unescape
from typing import Any

from ipywidgets import Checkbox

from campaign.notebook.composer.python_lines import python_lines
from support.widget_tree import find, html_of, widgets_in

VISITS = """name,phone,day
Aisha,0772 000 001,Mon
Ben,0772 000 002,Tue
Carol,0772 00,Wed
Dan,+256 772 000 004,Thu
"""
TEXT = "Hi {name}, come on {day}."


class Person:
    """Somebody at a composer who chooses, types and presses."""

    def __init__(self, composer: Any) -> None:
        self.composer = composer

    def fill(self, name: str, text: str) -> None:
        find(self.composer, name).value = text

    def upload(self, button: str, name: str, content: bytes) -> None:
        """Choose a file, as the page tells it."""
        find(self.composer, button)._handle_custom_msg({"name": name}, [memoryview(content)])

    def press(self, name: str) -> None:
        find(self.composer, name).click()

    def press_enter(self, name: str, *, repeated: bool = False) -> None:
        """Press Enter in a field, as the page tells it; `repeated` where its text was told before."""
        find(self.composer, name)._handle_custom_msg({"entered": True, "repeated": repeated}, [])

    def write(self, text: str) -> None:
        editor = find(self.composer, "text")
        editor.value = text
        editor.asked += 1  # as the page does

    def reopen(self, number: int) -> None:
        find(self.composer, f"section-{number}")._line.click()

    def section(self, number: int) -> Any:
        return find(self.composer, f"section-{number}")

    def sees(self, name: str) -> str:
        """The text that a part shows, without its markup."""
        html = re.sub("<style>.*?</style>", "", html_of(find(self.composer, name)), flags=re.DOTALL)
        return unescape(" ".join(re.sub("<[^>]*>", " ", html).split()))

    def offered(self, name: str) -> list[str]:
        """The labels of a list."""
        return [
            option if isinstance(option, str) else option[0] for option in find(self.composer, name).options
        ]

    def check_boxes(self) -> list[Any]:
        """The boxes that can be ticked."""
        return [one for one in widgets_in(self.composer) if isinstance(one, Checkbox)]

    def is_shown(self, name: str) -> bool:
        return find(self.composer, name).layout.display != "none"

    def folded(self) -> list[str]:
        """The lines of the sections that are folded."""
        return [
            section._line.description
            for section in self.composer.sections
            if section.children == (section._line,)
        ]

    def compose(self, path: str = "visits.csv", text: str = TEXT) -> None:
        """Everything up to sending."""
        self.fill("path", path)
        self.press("use")
        self.write(text)
        self.fill("sender", "CLINIC")
        self.press("check")
        self.press("go-on")

    def lines_of_python(self, confirm: str | None = None) -> str:
        """The lines that the desk would give for what is decided."""
        desk = self.composer.desk
        return python_lines(desk.composition, desk.contacts, confirm)

    def send(self) -> None:
        """Send, and wait until the result is shown."""
        self.press("send")
        assert self.composer.desk.run is not None, self.sees("section-4")
        until(lambda: self.composer.desk.run.ended)
        until(lambda: self.section(5).is_open)
        until(lambda: "This is what came of" in self.sees("section-5"))


def until(condition: Callable[[], object], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)
