"""The title of a section, which can take the focus."""

from pathlib import Path

import traitlets
from anywidget import AnyWidget


class Heading(AnyWidget):
    """A title. `take_focus` moves a person there, as soon as it is in the page."""

    _esm = Path(__file__).with_name("heading.js").read_text("utf-8")
    text = traitlets.Unicode().tag(sync=True)
    asked = traitlets.Int().tag(sync=True)

    def take_focus(self) -> None:
        self.asked += 1
