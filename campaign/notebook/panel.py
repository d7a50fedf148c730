"""The frame around every widget of this package."""

from collections.abc import Callable, Sequence
from typing import Any

from ipywidgets import HTML, VBox

from campaign.markup import STYLE

# JupyterLab sets its own line height for the text of widgets, and clips it.
FRAME = """
.campaign.jupyter-widgets{gap:.5em}
.campaign .widget-html,.campaign .widget-html-content{height:auto;margin:0;line-height:1.45;overflow:visible;
color:inherit;font-size:14px}
.campaign .widget-html-content{flex:1 1 auto;min-width:0}
"""


class Panel(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """A framed column of widgets. `plain` returns the line to show where widgets cannot be drawn."""

    def __init__(self, plain: Callable[[], str], children: Sequence[Any], *, style: str = "") -> None:
        self._plain = plain
        super().__init__([HTML(f"<style>{STYLE}{FRAME}{style}</style>"), *children])
        self.add_class("campaign")

    def __repr__(self) -> str:
        return self._plain()
