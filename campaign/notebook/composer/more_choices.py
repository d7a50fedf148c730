"""What may stay as it is, put away until a person asks for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ipywidgets import VBox

from campaign.notebook.composer.fields import button, set_shown
from campaign.text import capitalised


class MoreChoices(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """A button that names some parts, and these parts below it, hidden until it is pressed.

    `closed` is called when a person has put them away again.
    """

    def __init__(self, parts: Sequence[Any], closed: Callable[[], None]) -> None:
        self._what, self._closed, self._is_unwanted = "", closed, False
        self._parts = VBox(parts)
        self._button = button("", "more", self._turn)
        set_shown(self._parts, False)
        super().__init__([self._button, self._parts])

    @property
    def is_open(self) -> bool:
        return bool(self._parts.layout.display != "none")

    def say(self, what: str) -> None:
        """Say what is there: "price, limit"."""
        self._what = what
        self._label()

    def suggest(self) -> None:
        """Show them, unless a person has put them away."""
        if not self._is_unwanted:
            self.unfold()

    def unfold(self) -> None:
        """Show them: something in them has to be put right."""
        set_shown(self._parts, True)
        self._label()

    def _turn(self) -> None:
        self._is_unwanted = self.is_open
        if not self.is_open:
            return self.unfold()
        set_shown(self._parts, False)
        self._label()
        self._closed()

    def _label(self) -> None:
        self._button.description = capitalised(f"{'hide' if self.is_open else 'more'}: {self._what}")
