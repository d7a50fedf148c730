"""The field for the text: placeholders are inserted at the cursor by buttons."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import traitlets
from anywidget import AnyWidget


class TextEditor(AnyWidget):
    """A labelled text area; `placeholders` are offered as buttons, and `formats` after them, by their labels:
    placeholders without their braces, or with what stands before them.

    `typed` is called with the text after each change that a person makes.
    """

    _esm = Path(__file__).with_name("text_editor.js").read_text("utf-8")
    label = traitlets.Unicode().tag(sync=True)
    value = traitlets.Unicode().tag(sync=True)
    formats = traitlets.Dict(traitlets.Unicode()).tag(sync=True)
    placeholders = traitlets.List(traitlets.Unicode()).tag(sync=True)
    # The page counts what it asks, and sends nothing more until that is answered.
    asked = traitlets.Int().tag(sync=True)
    answered = traitlets.Int().tag(sync=True)

    def __init__(self, label: str, typed: Callable[[str], None]) -> None:
        super().__init__(label=label)
        self._typed = typed
        self.observe(self._answer, "asked")
        self.on_msg(self._hear)

    def _hear(self, _widget: object, content: Mapping[str, Any], _buffers: object) -> None:
        """Take the text as it was when a person left it, before the button that they press next."""
        text = str(content.get("written", self.value))
        if text != self.value:
            self.value = text
            self._typed(text)

    def _answer(self, _change: Any) -> None:
        try:
            self._typed(self.value)
        finally:
            self.answered = self.asked
