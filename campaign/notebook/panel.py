"""The frame around every widget of this package, and the card that stands in where there are no widgets."""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

from ipywidgets import HTML, VBox

from campaign import markup
from campaign.markup import STYLE
from campaign.notebook.cell_output import Output, show

# JupyterLab sets its own line height for the text of widgets, and clips it.
FRAME = """
.campaign.jupyter-widgets{gap:.5em}
.campaign .widget-html,.campaign .widget-html-content{height:auto;margin:0;line-height:1.45;overflow:visible;
color:inherit;font-size:14px}
.campaign .widget-html-content{flex:1 1 auto;min-width:0}
.campaign .widget-html:has(>.widget-html-content:empty){display:none}
"""
_WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


class Panel(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """A framed column of widgets, with two things that stand in for it.

    `plain` returns the line for a console. The method `card` returns the HTML for a notebook that is opened
    again or exported, when no program stands behind the widgets any more; what it holds is saved.

    The card is an output of its own, above the widgets. Where JupyterLab cannot draw a widget, it does not
    fall back on other forms of the same output, but shows an error. So the card hides that error, and the
    widgets, where they live, hide the card.
    """

    def __init__(self, plain: Callable[[], str], children: Sequence[Any], *, style: str = "") -> None:
        self._plain = plain
        self._card_class = f"campaign-card-{uuid4().hex[:12]}"
        self._cards: list[Output] = []
        style = f"{STYLE}{FRAME}{style}.{self._card_class}{{display:none}}"
        self._style = HTML(f"<style>{style}</style>")
        super().__init__()
        self.lay_out(children)
        self.add_class("campaign")

    def lay_out(self, children: Sequence[Any]) -> None:
        """Show these widgets, instead of any others."""
        self.children = [self._style, *children]

    def card(self) -> str:
        """What a notebook shows when it is opened again: by default the line for a console."""
        return markup.card("Campaign", [markup.paragraph(self._plain())])

    def refresh_card(self) -> None:
        """Replace what notebooks keep of it by how it is now."""
        for card in self._cards:
            card.update(self._static_bundle(), raw=True)

    def __repr__(self) -> str:
        return self._plain()

    def _ipython_display_(self) -> None:
        self._cards.append(show(self._static_bundle()))
        widget_view = self._repr_mimebundle_()[_WIDGET_VIEW]
        show({_WIDGET_VIEW: widget_view, "text/html": "<span></span>", "text/plain": ""})

    def _static_bundle(self) -> dict[str, str]:
        name = self._card_class
        error = f".jp-OutputArea-child:has(.{name})+.jp-OutputArea-child:not(:has(.widget-box))"
        html = f'<style>{error}{{display:none}}</style><div class="{name}">{self.card()}</div>'
        return {"text/plain": repr(self), "text/html": html}
