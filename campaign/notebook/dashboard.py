"""The live dashboard of a run: the question before it, its progress, and the buttons Pause, Resume and Stop.

The buttons only pass on commands to the run. A thread reads the run ten times a second and updates the
widgets; it ends with the run, and the state that it draws last is final.
"""

import atexit
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from ipywidgets import HTML, Button, HBox, Layout

from campaign import markup
from campaign.errors import CampaignError, ConfirmationError
from campaign.notebook import error_card, run_card
from campaign.notebook.cell_output import after_each_cell
from campaign.notebook.confirmation_form import ConfirmationForm
from campaign.notebook.panel import Panel
from campaign.sending.campaigns import continued
from campaign.sending.engine.tally import Snapshot
from campaign.sending.run import Run

TICK = 0.1  # seconds between two updates
CARD_INTERVAL = 15.0  # seconds; how old the card may be in a notebook that is saved in mid-run

# Measured: a cell that blocks in `wait` keeps clicks from the kernel until it ends (ipykernel 6.31, 7.4); one
# that awaits `finished` does not (7.1, 7.4). An interrupt always gets through.
_STUCK = "If a button does not respond, a cell is still running: press the notebook's own stop button (■)."
_WAITED_FOR = (
    "The cell waits for the end, so buttons could not act until then. To stop, press the "
    "notebook's own stop button (■)."
)
_BUTTONS = {  # what a form says, whose readers know of no cells
    "running": "Pause holds the texts back until you press Resume. After Stop, the rest can be sent later.",
    "paused": "Resume goes on, and Stop ends it here: the rest can be sent later.",
}
_REST = "Resume sends the rest; what was sent is not sent again."
_AGAIN = "Resume sends the refused messages again; who was reached gets nothing more."

_OUT_OF_DATE = "Out of date, from before Resume was pressed: a line in the card above reads it again."

# JupyterLab marks widgets whose kernel has gone.
STYLE = f"""{run_card.STYLE}{error_card.STYLE}
.campaign .campaign-lost{{display:none}}
.campaign.jupyter-widgets-disconnected .campaign-buttons,
.campaign.jupyter-widgets-disconnected .campaign-note,
.campaign.jupyter-widgets-disconnected .campaign-form,
.campaign.campaign.jupyter-widgets-disconnected dl.counts .passing,
.campaign.jupyter-widgets-disconnected:not(.campaign-final) .campaign-status{{display:none}}
.campaign.jupyter-widgets-disconnected:not(.campaign-final) .campaign-lost{{display:block}}
.campaign.jupyter-widgets-disconnected::before,
.campaign .jupyter-widgets-disconnected::before{{content:none}}
"""


class Dashboard(Panel):
    """Shows a run until its end, and passes on the user's commands.

    Given the question of a live campaign that was not confirmed, it asks for the phrase first. While a run is
    shown, it draws no progress bar of its own, unless it was told to with progress="tqdm". `in_words` puts
    each piece of HTML into the words of a form that this is a part of, whose readers know of no cells.
    """

    def __init__(
        self, subject: Run | ConfirmationError, *, in_words: Callable[[str], str] | None = None
    ) -> None:
        self._in_words = in_words
        self._run: Run | None = None
        self._question: ConfirmationError | None = None
        self._began_with_question = not isinstance(subject, Run)
        self._in_card: object = None  # the stage that the card showed when the last cell ended
        self._card_due = 0.0  # a reading of the monotonic clock
        self._drawing = threading.RLock()
        self._left = False
        self._parts = {name: _part(name) for name in (
            "head", "status", "progress", "counts", "refusal", "note", "recent", "lost")}  # fmt: skip
        self._buttons = {
            "pause": _button("Pause", "pause", "Send nothing more until you press Resume", self._pause),
            "resume": _button("Resume", "play", "Continue sending", self._resume),
            "stop": _button("Stop", "stop", "Send nothing more and end the run", self._stop, style="danger"),
        }
        self._button_row = HBox([*self._buttons.values()])
        self._button_row.add_class("campaign-buttons")
        self._form = ConfirmationForm(self._confirm)
        self._form.add_class("campaign-form")
        above = [self._parts[name] for name in ("head", "status", "progress", "counts", "refusal", "lost")]
        below = [self._parts["note"], self._parts["recent"]]
        children = [*above, self._form, self._button_row, *below]
        super().__init__(self._line, children, style=STYLE)
        if isinstance(subject, Run):
            self._watch(subject)
        else:
            self._ask(subject)

    def draw(self) -> bool:
        """Draw the run as it is now, and return whether that is final."""
        with self._drawing:
            run = self._run
            if self._left or run is None:
                return True
            ended = run.ended  # read first: after the end, the counts no longer change
            counts, sentence = run.counts, run.sentence
            self._show("head", run_card.head(run))
            self._show("progress", run_card.progress(counts))
            self._show("counts", run_card.figures(run, counts, on_the_way=not ended))
            self._show("refusal", "" if sentence else run_card.refusal(counts))
            self._show("recent", "" if ended else run_card.recent_batches(counts))  # the result has all
            self._draw_buttons(run, counts, ended)
            if self._in_words is not None and not ended:
                buttons = _BUTTONS.get(counts.status)
                self._show("note", markup.paragraph(buttons, note=True) if buttons else "")
            else:
                self._show("note", _note(run, counts, ended))
            if ended:
                self.add_class("campaign-final")
            # last, so that whoever waits for the status finds the rest up to date
            self._show("status", run_card.status(counts, sentence))
            return ended

    def _draw_buttons(self, run: Run, counts: Snapshot, ended: bool) -> None:
        """Enable what can be done now. After the end, a button that can do nothing any more is gone."""
        is_over = ended or counts.status in ("finished", "stopped", "failed")  # before its ledger is closed
        enabled = {
            "pause": counts.status == "running",
            "resume": counts.status == "paused" or (run.can_be_continued and self._question is None),
            "stop": counts.status in ("running", "paused"),
        }
        for name, button in self._buttons.items():
            button.disabled = not enabled[name]
            _hide(button, is_over and not enabled[name])
        _hide(self._button_row, run.is_waited_for)

    def _show(self, name: str, html: str) -> None:
        self._parts[name].value = html if self._in_words is None else self._in_words(html)

    def _watch(self, run: Run) -> None:
        """Show a run from now on, or the one that goes on with it, also if another dashboard resumed it."""
        while run.continuation is not None:
            run = run.continuation
        if run is self._run:
            return
        run.follow(self._watch)
        with self._drawing:
            self._run, self._question = run, None
            if run.progress is True:
                run.progress = False
            self.remove_class("campaign-final")
            _hide(self._form, True)
            self._show("lost", run_card.lost(run))
            ended = self.draw()
        if not ended:
            threading.Thread(target=self._follow, name="campaign dashboard", daemon=True).start()
        self.refresh_card()

    def _follow(self) -> None:
        atexit.register(self._leave)
        shown: object = None
        while not self.draw():
            stage = self._stage()
            if stage != shown or time.monotonic() >= self._card_due:
                shown, self._card_due = stage, time.monotonic() + CARD_INTERVAL
                self.refresh_card()
            time.sleep(TICK)
        atexit.unregister(self._leave)
        if not self._left:
            self.refresh_card()

    def _leave(self) -> None:
        """Stop drawing when the kernel ends and stops the run: the notebook keeps the state before that."""
        with self._drawing:
            self._left = True

    # what a person does

    def _pause(self) -> None:
        if self._run is not None:
            self._run.pause()

    def _stop(self) -> None:
        if self._run is not None:
            self._run.stop()

    def _resume(self) -> None:
        run = self._run
        if run is None:
            return
        if run.can_be_continued:
            self._attempt(partial(continued, run))
        else:
            run.resume()

    def _confirm(self, phrase: str) -> None:
        if self._question is not None and self._question.proceed is not None:
            self._attempt(partial(self._question.proceed, phrase))

    def _attempt(self, start: Callable[[], Run]) -> None:
        """Start a run and show it; or ask, or say why not."""
        try:
            run = start()
        except ConfirmationError as question:
            self._ask(question)
        except CampaignError as error:
            _hide(self._form, self._question is None)
            self._form.complain(str(error))
            self._show("note", markup.paragraph(str(error)))
        else:
            self._watch(run)

    def _ask(self, question: ConfirmationError) -> None:
        """Ask for the phrase without which nothing leaves."""
        with self._drawing:
            self._question = question
            self._form.ask(question)
            _hide(self._form, False)
            if self._run is None:
                self._show("status", '<div role="status"><span class="word">To be confirmed</span></div>')
                _hide(self._button_row, True)
            else:
                self.draw()

    # what stands in for it

    def _ipython_display_(self) -> None:
        super()._ipython_display_()
        after_each_cell(self._after_cell)

    def _after_cell(self, _: object) -> None:
        """A cell that saw the run end or pause, such as one with `wait`, does not end before this shows it.

        Programs that run notebooks keep what was shown when the last cell ended, and what a thread sends
        between two cells is lost to them.
        """
        self.draw()
        stage = self._stage()
        if stage != self._in_card:
            self._in_card = stage
            self.refresh_card()

    def _stage(self) -> object:
        """What a card has to be written again for: a run that pauses is paused once nothing is under way."""
        if self._run is None:
            return self._question
        counts = self._run.counts
        return self._run, counts.status, counts.status == "paused" and counts.in_flight > 0

    def _line(self) -> str:
        return repr(self._run) if self._run is not None else f"<Not confirmed: {self._question}>"

    def card(self) -> str:
        """The run as it is now, or the question."""
        above = error_card.INSTEAD_OF_ERROR if self._began_with_question else ""
        if self._run is not None:
            return f"{above}{self._about_result_below(self._run)}{run_card.run_card(self._run)}"
        assert self._question is not None  # noqa: S101 - one of the two is always there
        return f"{above}{error_card.question_card(self._question)}"

    @property
    def class_below(self) -> str:
        """The class of a result that stands below this in the same cell."""
        return f"below-{self._card_class}"

    def _about_result_below(self, run: Run) -> str:
        """CSS that marks a result below as out of date once a person has pressed Resume; it never changes."""
        mark = f'.{self.class_below}::before{{content:"{_OUT_OF_DATE}";font-weight:600}}'
        return f"<style>{mark}</style>" if run.is_continuation else ""


def _part(name: str) -> Any:
    part = HTML()
    part.add_class(f"campaign-{name}")
    return part


def _button(name: str, icon: str, hint: str, command: Callable[[], None], style: str = "") -> Any:
    button = Button(
        description=name, icon=icon, tooltip=hint, button_style=style, layout=Layout(width="max-content")
    )
    button.on_click(lambda _: command())
    button.add_class(f"campaign-{name.lower()}")
    return button


def _hide(widget: Any, hidden: bool) -> None:
    widget.layout.display = "none" if hidden else None


def _note(run: Run, counts: Snapshot, ended: bool) -> str:
    if not ended:
        buttons = markup.paragraph(_WAITED_FOR if run.is_waited_for else _STUCK, note=True)
        return f"{run_card.ways_to_settle(run)}{buttons}" if counts.status == "paused" else buttons
    if not run.can_be_continued:
        return run_card.ways_on(run)
    return markup.paragraph(_REST if counts.waiting else _AGAIN, note=True) + run_card.ways_on(run)
