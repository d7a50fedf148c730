"""A person at the form, without a browser: sees its pages as plain values, types, chooses and presses."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import campaign
from campaign.notebook.composer.composer import Composer
from campaign.notebook.composer.items import Sheet, words

VISITS = """name,phone,day
Aisha,0772 000 001,Mon
Ben,0772 000 002,Tue
Carol,0772 00,Wed
Dan,+256 772 000 004,Thu
"""
TEXT = "Hi {name}, come on {day}."
CORRECTED = VISITS.replace("0772 00,", "0772 000 003,")
_PATIENCE = 60.0  # seconds


class Page:
    """A page as it is shown: what `page.js` gets."""

    def __init__(self, page: Mapping[str, Any]) -> None:
        self.page = page

    @classmethod
    def of(cls, sheet: Sheet) -> Page:
        return cls(sheet.as_message())

    def items(self) -> Iterator[Mapping[str, Any]]:
        """All items of the page, those in groups and at its foot too."""
        yield from _within(self.page["items"])
        yield from self.page.get("foot", ())
        yield from [{"id": "start", "kind": "button"}] * (self.page["step"] != "start")

    def item(self, name: str) -> Mapping[str, Any]:
        found = [item for item in self.items() if item.get("id") == name]
        assert found, f"no {name}: {[item.get('id') for item in self.items()]}"
        return found[0]

    def shows(self, name: str) -> bool:
        return any(item.get("id") == name for item in self.items())

    def offers(self, name: str) -> list[str]:
        """The values that a choice has."""
        return [value for value, _ in self.item(name)["options"]]

    def rows(self, group: str) -> list[list[str]]:
        """The rows of the table in a group, without their names."""
        (table,) = (item for item in _within(self.item(group)["items"]) if item["kind"] == "table")
        return [[row[0], *row[2:]] for row in table["rows"]]

    @property
    def bar(self) -> dict[str, int]:
        """The counts of the bar."""
        return {words: count for words, count, _ in self._only("bar")["parts"]}

    @property
    def phone(self) -> list[str]:
        """What is on the phone: each text without the end that is cut off, and whose it is."""
        phone = self._only("phone")
        return [*(text for text, _ in phone["texts"]), phone["caption"]]

    @property
    def texts(self) -> list[str]:
        """All that is written on the page, as it stands in its items."""
        return [*_texts(self.page)]

    def says(self, code: str, **facts: Any) -> bool:
        """Whether a sentence on the page is, or begins with, what is said of a finding."""
        return any(text.startswith(words(code, **facts)) for text in self.texts)

    def _only(self, kind: str) -> Mapping[str, Any]:
        (item,) = (item for item in self.items() if item.get("kind") == kind)
        return item


class Person(Page):
    """Somebody at a form. `page` is what is shown now, `files` what was downloaded, by name."""

    def __init__(self, composer: Composer | None = None, *, may_add_account: bool = False) -> None:
        self.composer = composer or Composer(may_add_account=may_add_account)
        self.composer.show = self._see
        super().__init__({})
        self.files: dict[str, bytes] = {}
        self._said = 0
        self.do("look")

    def _see(self, message: Mapping[str, Any], content: bytes) -> None:
        if "file" in message:
            self.files[message["file"]] = content
        else:
            self.page = message["page"]

    def do(self, what: str, item: str = "", content: bytes = b"", **more: Any) -> None:
        """Tell the form something, whether that is on the page now or not."""
        self._said += 1
        self.composer.receive({"do": what, "id": item, "number": self._said, **more}, content)

    # what a person does; only what is on the page can be used

    def press(self, name: str) -> None:
        button = self.item(name)
        assert not button.get("is_off"), f"{name} is off"
        self.do("press", name)

    def fill(self, name: str, value: Any) -> None:
        item = self.item(name)
        if "options" in item:
            offered = self.offers(name)
            assert {*([value] if isinstance(value, str) else value)} <= {*offered}, f"{name} offers {offered}"
        self.do("change", name, value=value)

    def turn(self, step: int) -> None:
        """Look at the message of another person."""
        self._only("phone")
        self.do("press", f"turn:{step}")

    def upload(self, place: str, name: str, content: bytes | str | Path) -> None:
        self.item(place)
        if isinstance(content, Path):
            content = content.read_bytes()
        self.do("upload", place, content.encode() if isinstance(content, str) else content, name=name)

    def choose(self, content: bytes | str | Path = VISITS, name: str = "visits.csv") -> None:
        """Begin a new message, and choose a spreadsheet."""
        if self.shows("start"):
            self.press("start")
        self.press("new")
        self.upload("source", name, content)

    def write(self, text: str = TEXT, sender: str = "CLINIC") -> None:
        """Go on to the page of the message, and write it."""
        self.press("next")
        self.fill("text", text)
        self.fill("sender", sender)

    def check(
        self, content: bytes | str | Path = VISITS, name: str = "visits.csv", *, text: str = TEXT
    ) -> None:
        """Choose a spreadsheet, write the text, and look at who gets it."""
        self.choose(content, name)
        if not self.item("region")["value"]:
            self.fill("region", "UG")
        self.write(text)
        self.press("next")
        assert not self.refused, self.problem

    def compose(
        self, content: bytes | str | Path = VISITS, name: str = "visits.csv", *, text: str = TEXT
    ) -> None:
        """Choose a spreadsheet, write the text, and go as far as the page of sending."""
        self.check(content, name, text=text)
        self.press("next")

    def go_on(self) -> None:
        """Press the main button up to the page of sending, from wherever that is."""
        while self.page["step"] != "send":
            self.press("next")
            assert not self.refused, self.problem

    def change_text(self, text: str) -> None:
        """Go back from the page of sending, write another text, and come back."""
        self.do("press", "step:1")
        self.fill("text", text)
        self.go_on()

    def continue_with(self, content: bytes | str | Path, name: str = "visits.csv") -> None:
        """Choose a spreadsheet that was sent before, go on with its campaign, as far as sending."""
        self.choose(content, name)
        self.press(f"continue:{Path(name).stem}")
        self.go_on()

    def rehearse(self) -> None:
        """Press the main button of the page of sending, and wait for the result."""
        self.press("send:local")
        self.await_result()

    @property
    def phrase(self) -> str:
        """The phrase that is to be typed."""
        label = self.item("typed:phrase")["label"]
        return label.removeprefix(words("form_phrase", phrase="")).strip()

    def send_live(self) -> None:
        """Type the phrase, press the red button, and wait for the result."""
        self.fill("typed:phrase", self.phrase)
        self.press("send:live")
        self.await_result()

    def await_result(self) -> None:
        """Wait for the page of the result."""
        assert not self.problem, self.problem
        until(lambda: self.page["step"] == "result")

    def download(self, kind: str) -> Path:
        """Press a button for a file; where it is now."""
        self.press(f"download:{kind}")
        assert not self.problem, self.problem
        name = [*self.files][-1]
        path = Path("downloads", name)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(self.files[name])
        return path

    # what a person sees

    @property
    def problem(self) -> str:
        """What is said to be wrong, "" for nothing."""
        return next((item["text"] for item in self.items() if item.get("id") == "problem"), "")

    @property
    def refused(self) -> str:
        """The code of what is said to be wrong, "" for nothing."""
        error = self.composer._problem
        assert (error is None) == (not self.problem)
        return "" if error is None else error.finding.code

    @property
    def counts(self) -> dict[str, int]:
        """How many rows of the campaign that was sent have each status; those of none are left out."""
        totals = campaign.load_result(self.composer.form.folder).totals
        return {status: count for status, count in totals.items() if count}

    @property
    def questions(self) -> dict[str, list[str]]:
        """The open questions on the page of sending by their names, each with the answer that is chosen."""
        asked = [item for item in self.items() if item.get("id", "").startswith("answer:")]
        return {item["id"].removeprefix("answer:"): item["value"] for item in asked}


def until(condition: Callable[[], object]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + _PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def _within(items: Any) -> Iterator[Mapping[str, Any]]:
    for item in items:
        yield item
        yield from _within(item.get("items", ()))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for entry in value.values():
            yield from _texts(entry)
    elif isinstance(value, list | tuple):
        for entry in value:
            yield from _texts(entry)
