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
from campaign.words.catalogue import Catalogue
from campaign.words.page import PAGE
from campaign.words.python import PYTHON

TICK = 0.1  # seconds between two updates
CARD_INTERVAL = 15.0  # seconds; how old the card may be in a notebook that is saved in mid-run

_ABOVE = ("head", "status", "progress", "counts", "refusal", "lost")
_BELOW = ("note", "recent")

# Measured: a cell that blocks in `wait` keeps clicks from the kernel until it ends (ipykernel 6.31, 7.4); one
# that awaits `finished` does not (7.1, 7.4). An interrupt always gets through.
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
    shown, it draws no progress bar of its own, unless it was told to with progress="tqdm". With the
    `catalogue` of pages it is part of a form, whose readers know of no cells.
    """

    def __init__(self, subject: Run | ConfirmationError, *, catalogue: Catalogue = PYTHON) -> None:
        self._catalogue, self._is_form = catalogue, catalogue is PAGE
        self._run: Run | None = None
        self._question: ConfirmationError | None = None
        self._began_with_question = not isinstance(subject, Run)
        self._in_card: object = None  # the stage that the card showed when the last cell ended
        self._card_due = 0.0  # a reading of the monotonic clock
        self._drawing = threading.RLock()
        self._left = False
        self._final: tuple[Run, str] | None = None  # the run that has ended, and its result as HTML
        self._parts = {name: _part(name) for name in (*_ABOVE, *_BELOW)}
        self._buttons = {
            "pause": _button("Pause", "pause", "Send nothing more until you press Resume", self._pause),
            "resume": _button("Resume", "play", "Continue sending", self._resume),
            "stop": _button("Stop", "stop", "Send nothing more and end the run", self._stop, style="danger"),
        }
        self._button_row = HBox([*self._buttons.values()])
        self._button_row.add_class("campaign-buttons")
        self._form = ConfirmationForm(self._confirm)
        self._form.add_class("campaign-form")
        above, below = ([self._parts[name] for name in names] for names in (_ABOVE, _BELOW))
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
            counts = run.counts
            result = self._result_of(run) if ended and not self._is_form else ""
            self._draw_buttons(run, counts, ended)
            self._show("note", _note(run, counts, ended, is_form=self._is_form))
            self._show("recent", "" if ended else run_card.recent_batches(counts))  # the result has all
            if ended:
                self.add_class("campaign-final")
            # last, so that whoever waits for the status finds the rest up to date
            if result:
                for name in ("head", "progress", "counts", "refusal"):
                    self._show(name, "")
                self._show("status", result)
            else:
                self._draw_progress(run, counts, ended)
            return ended

    def _draw_progress(self, run: Run, counts: Snapshot, ended: bool) -> None:
        self._show("head", run_card.head(run, self._catalogue))
        self._show("progress", run_card.progress(counts))
        self._show("counts", run_card.figures(run, counts, on_the_way=not ended))
        self._show("refusal", "" if run.sentence else run_card.refusal(counts))
        self._show("status", run_card.status(counts, run.finding, self._catalogue))

    def _result_of(self, run: Run) -> str:
        """What came of a run that has ended, read once; "" where it failed, or its folder is gone."""
        if run.status == "failed":
            return ""
        if self._final is None or self._final[0] is not run:
            try:
                result = run.result
                name, word = markup.escape(result.name or "Result"), run_card.WORDS[run.status]
                title = f'<p class="title">{name}: <span class="word">{word}</span></p>'
                self._final = run, f'<div role="status">{title}{"".join(result.card_pieces)}</div>'
            except CampaignError:
                self._final = run, ""
        return self._final[1]

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
        self._parts[name].value = html

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
            self._show("lost", run_card.lost(run, self._catalogue))
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
            return f"{above}{run_card.run_card(self._run)}"
        assert self._question is not None  # noqa: S101 - one of the two is always there
        return f"{above}{error_card.question_card(self._question)}"


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


def _note(run: Run, counts: Snapshot, ended: bool, *, is_form: bool) -> str:
    """What the buttons do now. A form has readers who know of no cells."""
    if ended:
        return run_card.said("run_can_resume") if run.can_be_continued else ""
    if is_form:
        return run_card.said("run_can_pause" if counts.status == "running" else "run_can_resume", PAGE)
    hint = run_card.said("cell_waits" if run.is_waited_for else "button_may_wait")
    return f"{run_card.unknown_batches(run)}{hint}" if counts.status == "paused" else hint
