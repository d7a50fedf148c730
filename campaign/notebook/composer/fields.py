"""Buttons and fields of the composer: labelled, and as wide as what they hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import traitlets
from anywidget import AnyWidget
from ipywidgets import Button, Dropdown, Layout

from campaign import markup
from campaign.errors import ConfirmationError

_AS_SHOWN = "Type it exactly as it is shown."
_SAYS_MESSAGE = " It says “message” where this page says text."
_OUTDATED = (
    "An earlier phrase no longer counts once the texts or the people who get them have changed: type the one "
    "that is shown now."
)
_ANY_PHRASE = re.compile(r"send \d+ messages? live [0-9a-f]{4}\b")
_MESSAGE = re.compile(r"\bmessages?\b")
_LABEL = {"description_width": "12em"}


def _wide() -> Any:
    return Layout(width="100%", max_width="42em")


class Picker(Dropdown):  # type: ignore[misc]  # ipywidgets has no types
    """A list to choose from. `picked` is called with the value that a person chooses, and only then."""

    def __init__(self, label: str, name: str, picked: Callable[[Any], None]) -> None:
        super().__init__(description=label, layout=_wide(), style=_LABEL)
        self.add_class(f"campaign-{name}")
        self._offering = False
        self._picked = picked
        self.observe(self._tell, "value")

    def offer(self, options: Sequence[Any], chosen: Any) -> None:
        """Offer other options, with one of them chosen."""
        self._offering = True
        self.options = options
        self.value = chosen
        self._offering = False

    def _tell(self, change: Any) -> None:
        if not self._offering:
            self._picked(change["new"])


class Field(AnyWidget):
    """A line to write in.

    `written` is called with the text when a person leaves the line or presses Enter, or `at_once`; then
    `entered`, if it was Enter, and `repeated`, if that told the same text again. A button that is pressed
    next finds the text that was on the page.
    """

    _esm = Path(__file__).with_name("field.js").read_text("utf-8")  # of a path, anywidget keeps all widgets
    description = traitlets.Unicode().tag(sync=True)
    placeholder = traitlets.Unicode().tag(sync=True)
    value = traitlets.Unicode().tag(sync=True)
    at_once = traitlets.Bool().tag(sync=True)

    def __init__(
        self,
        label: str,
        name: str,
        hint: str = "",
        *,
        written: Callable[[str], None] | None = None,
        entered: Callable[[], None] = lambda: None,
        repeated: Callable[[], None] = lambda: None,
        at_once: bool = False,
    ) -> None:
        super().__init__(description=label, placeholder=hint, at_once=at_once, layout=_wide())
        self.add_class(f"campaign-{name}")
        self._filling = False
        self._written, self._entered, self._repeated = written, entered, repeated
        self.observe(self._tell, "value")
        self.on_msg(self._hear)

    def fill(self, text: str) -> None:
        """Put a text there as if it had been written before."""
        self._filling = True
        self.value = text
        self._filling = False

    def _hear(self, _widget: object, content: Mapping[str, Any], _buffers: object) -> None:
        self.value = str(content.get("written", self.value))
        if content.get("entered"):
            self._entered()
        if content.get("repeated"):
            self._repeated()

    def _tell(self, change: Any) -> None:
        if self._written is not None and not self._filling:
            self._written(change["new"].strip())


def button(
    label: str, name: str, pressed: Callable[[], None], *, main: bool = False, meanwhile: str = ""
) -> Any:
    """A button as wide as its label. One that takes its time says `meanwhile` what it does."""
    made = Button(
        description=label, layout=Layout(width="max-content"), button_style="primary" if main else ""
    )

    def press_slowly() -> None:
        made.description = meanwhile  # and enabled: a browser takes the focus from a button that is not
        try:
            pressed()
        finally:
            made.description = label

    made.on_click(lambda _: press_slowly() if meanwhile else pressed())
    made.add_class(f"campaign-{name}")
    return made


def asked_phrase(what: str, confirmation: ConfirmationError) -> str:
    """The phrase to type, and what for, as a piece of HTML."""
    phrase = f"<p>{markup.escape(what)}, type: <strong>{markup.escape(confirmation.phrase)}</strong></p>"
    says = _SAYS_MESSAGE if _MESSAGE.search(confirmation.phrase) else ""
    return phrase + markup.paragraph(f"{_AS_SHOWN}{says}", note=True)


def wrong_phrase(typed: str, *, not_done: str = "nothing was sent") -> str:
    """Why a phrase that does not fit was not taken, as a piece of HTML; "" if none was typed."""
    if not typed.strip():
        return ""
    reason = _OUTDATED if _ANY_PHRASE.match(typed.strip()) else _AS_SHOWN
    said = markup.paragraph(f"That is not the phrase, so {not_done}. {reason}")
    return f'<div role="alert">{said}</div>'


def set_shown(widget: Any, shown: bool) -> None:
    """Show a widget, or take its place away too."""
    widget.layout.display = None if shown else "none"
