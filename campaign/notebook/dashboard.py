"""The live dashboard of a run: its progress, and the buttons Pause, Resume and Stop.

The buttons only pass on commands to the run. A thread reads the run ten times a second and updates the
widgets; it ends with the run, and the state that it draws last is final.
"""

import atexit
import threading
import time
from collections.abc import Callable
from typing import Any

from ipywidgets import HTML, Button, HBox, Layout

from campaign import markup
from campaign.masking import mask_text
from campaign.notebook.panel import Panel
from campaign.sending.engine.tally import Snapshot
from campaign.sending.run import Run
from campaign.text import counted, figure, money

TICK = 0.1  # seconds between two updates

_WORDS = {
    "running": "Running",
    "paused": "Paused",
    "stopping": "Stopping: requests under way finish first",
    "finished": "Finished",
    "stopped": "Stopped",
    "failed": "Failed",
}
_SEGMENTS = {"accepted": "good", "refused": "bad", "unknown": "doubt", "in_flight": "moving"}
# Measured: a cell that blocks in `wait` keeps clicks from the kernel until it ends (ipykernel 6.31, 7.4); one
# that awaits `finished` does not (7.1, 7.4). An interrupt always gets through.
_STUCK = "If a button does not respond, a cell is still running: press the notebook's own stop button (■)."
_REST = "To send the rest, run the cell with campaign.start again: nothing is sent twice."
_AGAIN = "To send them again, run the cell with campaign.start again: who was reached gets nothing more."

STYLE = """
.campaign .head{display:flex;flex-wrap:wrap;gap:.3em 1em;align-items:baseline}
.campaign .where{border:1px solid var(--good);color:var(--good);border-radius:3px;padding:0 .5em;
font-size:13px}
.campaign .where.live{border-color:var(--bad);color:var(--bad);font-weight:600}
.campaign .word{font-size:1.1em;font-weight:600}
.campaign .progress{display:flex;height:1em;border-radius:3px;overflow:hidden;
background:rgba(128,128,128,.25)}
.campaign .progress .bar{height:100%;min-width:0}
.campaign .progress .moving{opacity:.45;background:var(--good)}
.campaign dl.counts{display:flex;flex-wrap:wrap;gap:.5em 2em;margin:0}
.campaign dl.counts div{display:flex;flex-direction:column-reverse;min-width:4em;white-space:nowrap}
.campaign dl.counts dt{font-weight:400;opacity:.85;font-size:13px}
.campaign dl.counts dd{margin:0;font-size:1.35em;font-weight:600;line-height:1.2}
.campaign .bad dd{color:var(--bad)}.campaign .doubt dd{color:var(--doubt)}
"""


class Dashboard(Panel):
    """Shows a run until its end, and passes on the user's commands.

    While it is shown, the run draws no progress bar of its own.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._status, self._progress, self._counts, self._note = (HTML() for _ in range(4))
        self._status.add_class("campaign-status")
        self._buttons = {
            "pause": _button("Pause", "pause", "Send nothing more until you press Resume", run.pause),
            "resume": _button("Resume", "play", "Continue sending", run.resume),
            "stop": _button("Stop", "stop", "Send nothing more and end the run", run.stop, style="danger"),
        }
        buttons = HBox([*self._buttons.values()])
        head = HTML(_head(run))
        children = [head, self._status, self._progress, self._counts, buttons, self._note]
        super().__init__(run.__repr__, children, style=STYLE)
        run.progress = False
        self._drawing = threading.Lock()
        self._left = False
        if not self.draw():
            threading.Thread(target=self._follow, name="campaign dashboard", daemon=True).start()

    def draw(self) -> bool:
        """Draw the run as it is now, and return whether that is final."""
        with self._drawing:
            if self._left:
                return True
            ended = self._run.ended  # read first: after the end, the counts no longer change
            counts, sentence = self._run.counts, self._run.sentence
            self._progress.value = _progress(counts)
            self._counts.value = _counts(counts, ended)
            self._buttons["pause"].disabled = counts.status != "running"
            self._buttons["resume"].disabled = counts.status != "paused"
            self._buttons["stop"].disabled = counts.status not in ("running", "paused")
            self._note.value = _note(counts, ended)
            self._status.value = _status(
                counts.status, sentence
            )  # last, so that whoever waits for the status finds the rest up to date
            return ended

    def _follow(self) -> None:
        atexit.register(self._leave)
        while not self.draw():
            time.sleep(TICK)
        atexit.unregister(self._leave)

    def _leave(self) -> None:
        """Stop drawing when the kernel ends and stops the run: the notebook keeps the state before that."""
        with self._drawing:
            self._left = True


def _button(name: str, icon: str, hint: str, command: Callable[[], None], style: str = "") -> Any:
    button = Button(
        description=name, icon=icon, tooltip=hint, button_style=style, layout=Layout(width="max-content")
    )
    button.on_click(lambda _: command())
    button.add_class(f"campaign-{name.lower()}")
    return button


def _head(run: Run) -> str:
    live = " live" if run.environment == "live" else ""
    comparison = markup.paragraph(run.comparison, note=True) if run.comparison else ""
    return (
        f'<div class="head"><span class="title">{markup.escape(_title(run))}</span>'
        f'<span class="where{live}">{markup.escape(run.label)}</span></div>{comparison}'
    )


def _title(run: Run) -> str:
    messages = counted(run.counts.messages, "message")
    if not run.outgoing:
        return f"Sending none of {messages}"
    return f"Sending {messages if run.outgoing == run.counts.messages else f'{run.outgoing:,} of {messages}'}"


def _status(status: str, sentence: str) -> str:
    reason = markup.paragraph(mask_text(sentence)) if sentence else ""
    return f'<div role="status"><span class="word">{markup.escape(_WORDS[status])}</span>{reason}</div>'


def _progress(counts: Snapshot) -> str:
    total = max(counts.messages, 1)
    answered = counts.accepted + counts.refused + counts.unknown
    bars = "".join(
        f'<div class="bar {tone}" style="width:{100 * getattr(counts, name) / total:.2f}%"></div>'
        for name, tone in _SEGMENTS.items()
    )
    label = f"{figure(answered)} of {counted(counts.messages, 'message')}"
    return (
        f'<div class="progress" role="progressbar" aria-label="Progress" aria-valuemin="0" '
        f'aria-valuemax="{total}" aria-valuenow="{answered}" aria-valuetext="{label}">{bars}</div>'
    )


def _counts(counts: Snapshot, ended: bool) -> str:
    expected = "not known yet" if counts.expected_cost is None else money(counts.expected_cost)
    figures = {
        "accepted": figure(counts.accepted),
        "refused": figure(counts.refused),
        "unknown": figure(counts.unknown),
        "under way": figure(counts.in_flight),
        "waiting": figure(counts.waiting),
        "cost": money(counts.cost),
        "expected cost": expected,
        "elapsed": _clock(counts.seconds),
    }
    if ended:
        del figures["expected cost"], figures["under way"]
    tones = {"refused": "bad" if counts.refused else "", "unknown": "doubt" if counts.unknown else ""}
    pairs = "".join(
        f'<div class="{tones.get(name, "")}"><dt>{name}</dt><dd>{markup.escape(value)}</dd></div>'
        for name, value in figures.items()
    )
    return f'<dl class="counts">{pairs}</dl>'


def _note(counts: Snapshot, ended: bool) -> str:
    if not ended:
        return markup.paragraph(_STUCK, note=True)
    if counts.waiting:
        return markup.paragraph(_REST, note=True)
    return markup.paragraph(_AGAIN, note=True) if counts.refused else ""


def _clock(seconds: float) -> str:
    """A duration as a clock shows it: 0:07, 12:30 or 1:02:03."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
