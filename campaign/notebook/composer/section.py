"""One of the numbered sections of the composer: open, or folded to the line that says what was decided."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import traitlets
from anywidget import AnyWidget
from ipywidgets import HTML, Button, VBox

from campaign import markup
from campaign.errors import CampaignError
from campaign.notebook.composer.composition import Composition
from campaign.notebook.composer.desk_words import desk_words
from campaign.notebook.composer.fields import set_shown
from campaign.text import counted

STYLE = """
.campaign .section{border-top:1px solid var(--line);padding:.4em 0;overflow:visible}
.campaign .section.campaign-section-1,.campaign .section.folded{border-top:0}
.campaign .section.folded{padding:.15em 0}
.campaign .section h2{font-size:1.1em;font-weight:600;margin:.2em 0}
.campaign .section.ahead h2{opacity:.75;font-weight:400}
.campaign .campaign-open-campaigns .jupyter-button{font-family:inherit;height:auto;min-height:2.2em;
line-height:1.4;margin:.15em .3em .15em 0;padding:.2em .9em;white-space:normal;border:1px solid var(--line)}
.campaign .problem p{color:var(--bad);font-weight:600;white-space:pre-line}
.campaign .changed p{border-left:3px solid var(--doubt);padding-left:.6em}
.campaign .section .widget-hbox,.campaign .placeholders{display:flex;flex-wrap:wrap;gap:.4em;margin:.2em 0}
.campaign .section .jupyter-button{height:auto;min-height:2.2em;line-height:1.4;margin:.15em .3em .15em 0;
padding:.2em .9em;white-space:normal;border:1px solid var(--line)}
.campaign .section .widget-vbox>.jupyter-button.mod-primary{margin-top:.6em}
.campaign .section .jupyter-button.fold{width:100%;text-align:left;background:none;color:inherit;
padding:.25em .6em;margin:0;font-size:14px;position:relative;padding-right:2em}
.campaign .section .jupyter-button.fold:enabled::after{content:"";position:absolute;right:.9em;top:50%;
width:.45em;height:.45em;margin-top:-.4em;border:solid currentColor;border-width:0 2px 2px 0;
transform:rotate(45deg)}
.campaign .section .jupyter-button.fold:enabled:hover{text-decoration:underline;border-color:currentColor}
.campaign .section .jupyter-button:disabled:not(.fold){background:none;color:inherit;opacity:.75;
box-shadow:inset 0 0 0 1px var(--line)}
.campaign .section h2:focus{outline:none}
.campaign .section h2:focus-visible{outline:2px solid var(--good);outline-offset:-2px}
.campaign .section .campaign,.campaign .section .widget-box,.campaign .section.widget-box{overflow:visible}
.campaign .section .sideways{overflow-x:auto;background:var(--edges,none)}
.campaign .section .jupyter-button:focus-visible,.campaign .section textarea:focus-visible,
.campaign .section input:focus-visible,.campaign .section select:focus-visible{
outline:2px solid var(--good)!important;outline-offset:1px}
.campaign .section textarea:focus-visible,.campaign .section input:focus-visible,
.campaign .section select:focus-visible{outline-offset:-1px}
.campaign .section .widget-text,.campaign .section .widget-dropdown{flex-flow:column;align-items:flex-start;
height:auto;margin:.3em 0}
.campaign .section .widget-text .widget-label,.campaign .section .widget-dropdown .widget-label,
.campaign .text-editor label{width:auto;text-align:left;font-weight:600;margin:0;height:auto;line-height:1.6;
overflow:visible}
.campaign .section select{appearance:auto;background-image:none}
.campaign .section .widget-radio>.widget-label{font-weight:600}
.campaign .section .campaign-question p{white-space:pre-line}
.campaign .section .campaign-ways-away{margin-top:1em}
.campaign .section .writing{gap:.4em 2em}
.campaign .section .campaign-recent{display:none}
.campaign .section details{margin:.6em 0}
.campaign .reason{flex-flow:row wrap;align-items:flex-start;gap:.2em 1em;padding:.3em 0;
border-top:1px solid var(--line)}
.campaign .reason>.widget-html{flex:1 1 24em;min-width:0}
.campaign .reason>.row-list{display:contents}
.campaign .reason>.row-list>.widget-html,.campaign .reason>.row-list>.widget-hbox{flex:1 1 100%;min-width:0}
.campaign .row-list .page{max-height:24em;overflow:auto;border:1px solid var(--line);margin:.3em 0;
background:var(--edges,none)}
.campaign.campaign .row-list .page table{margin:0;width:100%}
.campaign.campaign .row-list .page th:first-child{width:1%}
.campaign.campaign .row-list .page th{position:sticky;top:0;background:var(--jp-layout-color1,Canvas);
white-space:normal;overflow-wrap:normal;vertical-align:bottom}
@media (max-width:800px){.campaign.campaign .row-list .page th,.campaign.campaign .row-list .page td{
padding:.2em .35em}}
.campaign .section summary{cursor:pointer;width:max-content;max-width:100%}
.campaign .section summary:focus-visible{outline:2px solid var(--good);outline-offset:-2px}
.campaign .section select,.campaign .section .widget-text input{width:100%;height:2.3em;flex:0 0 auto;
font-size:14px;box-sizing:border-box;margin:0}
.campaign .section .widget-radio-box label{height:auto;line-height:1.6;white-space:normal}
.campaign .text-editor{width:100%;box-sizing:border-box}
.campaign .text-editor label{display:block}
.campaign .text-editor textarea{width:100%;box-sizing:border-box;font:inherit;padding:.5em;resize:vertical;
color:inherit;background:none;border:1px solid var(--line)}
.campaign .campaign-phone{min-height:9em}
.campaign .section .jupyter-button,.campaign .section select,.campaign .section input{font-family:inherit}
.campaign .section pre{font-family:monospace;white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere;
padding:.6em;border:1px solid var(--line);color:inherit;background:none}
"""


_OPEN = "Open this section again"
KEPT = "What you decided here is kept, and comes back when you go on above."
_LOCKED = "It opens again when the sending has ended"
_FAULT = (
    "A fault of this program has stopped this ({}), and nothing was sent by it. Load the page again. If it "
    "happens again, undo what you changed last, and tell whoever looks after the program."
)
_UNSAID = "This cannot be done here. Ask somebody who knows the program."


class Section(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """A section with its number, its title and its widgets.

    It begins hidden. `announce` shows its title, `unfold` its widgets, `fold` one line that opens it again.
    `problem` is where the body shows what is wrong, by default at its end.
    """

    def __init__(self, number: int, title: str, body: Sequence[Any], problem: Any = None) -> None:
        self.number, self.title = number, title
        self._heading = Heading(text=f"{number} · {title}")
        self._line = Button(icon="check", tooltip=_OPEN)
        self._line.add_class("fold")
        # Called when a person opens it again, or changes what was handed on.
        self.touched: Callable[[Section], None] = lambda _: None
        self._line.on_click(lambda _: self.reopen())
        self._problem, self._changed = problem or HTML(), HTML()
        self._note = HTML()
        self._problem.add_class("problem")
        self._changed.add_class("changed")
        self._body = VBox([self._changed, *body, *([] if problem else [self._problem])])
        super().__init__()
        self.hide()
        self.add_class("section")
        self.add_class(f"campaign-section-{number}")

    @property
    def is_open(self) -> bool:
        return self._body in self.children

    def hide(self) -> None:
        set_shown(self, False)

    def announce(self, note: str = "") -> None:
        """Show that this section comes next, with a note about what was decided here or what is going on."""
        self.remove_class("folded")
        self.add_class("ahead")
        self._note.value = markup.paragraph(note, note=True)
        self._show(self._heading, *([self._note] if note else []))

    def unfold(self) -> None:
        self.remove_class("ahead")
        self.remove_class("folded")
        self._show(self._heading, self._body)

    def take_focus(self) -> None:
        """Move whoever pressed a button that has gone to this section."""
        self._heading.take_focus()

    def reopen(self) -> None:
        """Open again what was decided, and put away what follows from it."""
        self.unfold()
        self.take_focus()
        self.touched(self)

    def fold(self) -> None:
        """Show only what was decided."""
        self.add_class("folded")
        self._line.description = f"{self.number} · {self.line}"
        self._show(self._line)

    def _show(self, *widgets: Any) -> None:
        self.children = widgets
        set_shown(self, True)

    def lock(self, locked: bool) -> None:
        """While texts are on their way, a folded section does not open."""
        self._line.disabled, self._line.tooltip = locked, _LOCKED if locked else _OPEN

    @property
    def line(self) -> str:
        """What was decided, in one line."""
        return self.title

    @property
    def news(self) -> str:
        """What a change above has brought that a person looks at before going on; "" for nothing."""
        return ""

    def enter(self) -> None:
        """Take what was decided above, the first time and after each change."""

    def finish(self) -> None:
        """Hand on what was decided here, as the section's main button does."""

    def refill(self, composition: Composition) -> None:
        """Show what was decided before the page was loaded again; nothing is done about it yet."""

    def say_changed(self, sentence: str) -> None:
        """Say what a change above has changed here; "" for nothing."""
        self._changed.value = f'<div role="status">{markup.paragraph(sentence)}</div>' if sentence else ""

    def show_problem(self, error: CampaignError | str) -> None:
        """Show an error in the words of the desk; "" for none."""
        text = (desk_words(error, here=self.number) or _UNSAID) if str(error) else ""
        self._problem.value = f'<div role="alert">{markup.paragraph(text)}</div>' if text else ""

    @contextmanager
    def problems_shown(self) -> Iterator[None]:
        """Within this, an error of ours is shown in the section instead of raised; a fault of the program is
        shown as one, too, and raised for whoever reads the log."""
        self.show_problem("")
        try:
            yield
        except CampaignError as error:
            self.show_problem(error)
        except Exception as fault:
            self.show_problem(_FAULT.format(type(fault).__name__))
            raise


def marked(said: str) -> str:
    """A sentence that stands out, as HTML."""
    return f'<div class="changed" role="status">{markup.paragraph(said)}</div>'


def people(count: int) -> str:
    """A count of people: "no people", "1 person", "299 people". Whom it counts says `contract.NO_PEOPLE`."""
    return counted(count, "person", "people")


class Heading(AnyWidget):
    """A title. `take_focus` moves a person there, as soon as it is in the page."""

    _esm = Path(__file__).with_name("heading.js").read_text("utf-8")
    text = traitlets.Unicode().tag(sync=True)
    asked = traitlets.Int().tag(sync=True)

    def take_focus(self) -> None:
        self.asked += 1
