"""One of the numbered sections of the composer: open, or folded to the line that says what was decided."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ipywidgets import HTML, Button, VBox

from campaign import markup
from campaign.errors import CampaignError
from campaign.notebook.composer.desk_words import desk_words
from campaign.text import counted

STYLE = """
.campaign .section{border-top:1px solid var(--line);padding:.4em 0}
.campaign .section h2{font-size:1.1em;font-weight:600;margin:.2em 0}
.campaign .section.ahead h2{opacity:.75;font-weight:400}
.campaign .fold{height:auto;min-height:2.2em;width:100%;text-align:left;white-space:normal;line-height:1.4;
background:none;color:inherit;padding:.2em 0}
.campaign .problem p{color:var(--bad);font-weight:600}
.campaign .changed p{border-left:3px solid var(--doubt);padding-left:.6em}
.campaign .widget-label,.campaign .widget-dropdown,.campaign .widget-text{height:auto}
.campaign .jupyter-button{height:auto;min-height:2.2em;line-height:1.4;white-space:normal}
"""


class Section(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """A section with its number, its title and its widgets.

    It begins hidden. `announce` shows its title, `unfold` its widgets, `fold` one line that opens it again.
    """

    def __init__(self, number: int, title: str, body: Sequence[Any]) -> None:
        self.number, self.title = number, title
        self._heading = HTML(f"<h2>{number} · {markup.escape(title)}</h2>")
        self._line = Button(icon="check", tooltip="Open this section again")
        self._line.add_class("fold")
        self._line.on_click(lambda _: self.unfold())
        self._problem, self._changed = HTML(), HTML()
        self._problem.add_class("problem")
        self._changed.add_class("changed")
        self._body = VBox([self._changed, *body, self._problem])
        super().__init__()
        self.add_class("section")
        self.add_class(f"campaign-section-{number}")

    @property
    def is_open(self) -> bool:
        return self._body in self.children

    def hide(self) -> None:
        self.children = ()

    def announce(self) -> None:
        """Show that this section comes next."""
        self.add_class("ahead")
        self.children = (self._heading,)

    def unfold(self) -> None:
        self.remove_class("ahead")
        self.children = (self._heading, self._body)

    def fold(self) -> None:
        """Show only what was decided."""
        self._line.description = f"{self.number} · {self.line}"
        self.children = (self._line,)

    def lock(self, locked: bool) -> None:
        """While texts are on their way, a folded section does not open."""
        self._line.disabled = locked

    @property
    def line(self) -> str:
        """What was decided, in one line."""
        return self.title

    def enter(self) -> None:
        """Take what was decided above, the first time and after each change."""

    def say_changed(self, sentence: str) -> None:
        """Say what a change above has changed here; "" for nothing."""
        self._changed.value = f'<div role="status">{markup.paragraph(sentence)}</div>' if sentence else ""

    def show_problem(self, error: CampaignError | str) -> None:
        """Show an error in the words of the desk; "" for none."""
        text = desk_words(error)
        self._problem.value = f'<div role="alert">{markup.paragraph(text)}</div>' if text else ""

    @contextmanager
    def problems_shown(self) -> Iterator[None]:
        """Within this, an error of ours is shown in the section instead of raised."""
        self.show_problem("")
        try:
            yield
        except CampaignError as error:
            self.show_problem(error)


def people(count: int) -> str:
    """A count of people: "no people", "1 person", "299 people"."""
    return counted(count, "person", "people")
