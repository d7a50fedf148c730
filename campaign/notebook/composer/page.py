"""The form in a notebook: a widget without state, so that nothing of it becomes part of what is saved."""

from collections.abc import Mapping, Sequence
from typing import Any

from anywidget import AnyWidget

from campaign.notebook.composer.composer import SCRIPT, STYLE, Composer
from campaign.notebook.panel import Panel


class FormWidget(Panel):
    """The form, and what stands in for it where no program is behind it."""

    def __init__(self) -> None:
        self.view = _View()
        self.composer = Composer(self.view.hand_on)
        self.view.on_msg(self._take)
        super().__init__(lambda: "The form of campaign. Run this cell again to open it.", [self.view])
        self.remove_class("campaign")  # without the frame of cards: it is a page
        self.add_class("campaign-page")

    def _take(self, _widget: object, message: Mapping[str, Any], buffers: Sequence[Any]) -> None:
        self.composer.receive(message, bytes(buffers[0]) if buffers else b"")


class _View(AnyWidget):
    _esm = SCRIPT.read_text("utf-8")
    _css = STYLE.read_text("utf-8")

    def hand_on(self, message: Mapping[str, Any], content: bytes) -> None:
        self.send(dict(message), [content] if content else [])
