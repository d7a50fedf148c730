"""The frame that every widget of this package stands in."""

from collections.abc import Callable, Sequence
from typing import Any

from ipywidgets import HTML, VBox

from campaign.markup import STYLE

# JupyterLab gives the text of widgets a line height of its own, and labels in bars no room to breathe.
FRAME = """
.campaign.jupyter-widgets{gap:.5em}
.campaign .widget-html,.campaign .widget-html-content{height:auto;margin:0;line-height:1.45;overflow:visible;
color:inherit;font-size:14px}
.campaign .widget-html-content{flex:1 1 auto;min-width:0}
"""


class Panel(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """A framed column of widgets. `plain` gives the line that stands for it where no widget can be drawn."""

    def __init__(self, plain: Callable[[], str], children: Sequence[Any], *, style: str = "") -> None:
        self._plain = plain
        super().__init__([HTML(f"<style>{STYLE}{FRAME}{style}</style>"), *children])
        self.add_class("campaign")

    def __repr__(self) -> str:
        return self._plain()
