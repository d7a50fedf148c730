"""Waiting for a run: the progress bar, and the signals that ask the program to end meanwhile."""

from __future__ import annotations

import builtins
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from campaign.environments import words_for
from campaign.errors import Interrupted
from campaign.sending.engine.tally import Snapshot


@contextmanager
def noted_signals() -> Iterator[list[int]]:
    """Note Ctrl-C and SIGTERM in the list that this yields, instead of acting on them.

    Raised by its usual handler, `KeyboardInterrupt` could fall anywhere, even into the code that stops the
    run. Only the usual handlers are replaced, and only in the main thread, where Python allows it: what a
    program has set for itself stays, and a signal that is ignored (as nohup does) stays ignored.
    """
    noted: list[int] = []
    replaced = {}
    if threading.current_thread() is threading.main_thread():
        usual = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
        for number, handler in usual.items():
            if signal.getsignal(number) == handler:
                replaced[number] = signal.signal(number, lambda number, frame: noted.append(number))
    try:
        yield noted
    finally:
        for number, previous in replaced.items():
            signal.signal(number, previous)


def interruption(noted: int, sentence: str) -> BaseException:
    """What a program that a signal asked to end raises after a clean stop; 143 is 128 + SIGTERM."""
    return Interrupted(sentence) if noted == signal.SIGINT else SystemExit(128 + noted)


def notebook_display() -> Callable[[object], None] | None:
    """In the kernel of a notebook, the function that shows something below the cell; elsewhere None.

    IPython puts it among the builtins, so nothing has to be imported, and nothing is where IPython is not.
    """
    shell = getattr(builtins, "get_ipython", lambda: None)()
    in_notebook = getattr(shell, "kernel", None) is not None
    return getattr(builtins, "display", None) if in_notebook else None


@contextmanager
def progress_bar(
    progress: bool | Literal["tqdm"], environment: str, look: Callable[[], Snapshot]
) -> Iterator[Callable[[], None]]:
    """A progress bar for as long as somebody waits; yields the function that redraws it."""
    if not progress:
        yield lambda: None
        return
    from tqdm import tqdm

    counts = look()
    with tqdm(
        total=counts.messages, unit="msg", desc=words_for(environment).label, initial=_answered(counts)
    ) as bar:

        def draw() -> None:
            counts = look()
            bar.set_postfix_str(_note(counts, environment), refresh=False)
            bar.n = _answered(counts)
            bar.refresh()

        try:
            yield draw
        finally:
            draw()


def _answered(counts: Snapshot) -> int:
    return counts.accepted + counts.refused + counts.unknown


def _note(counts: Snapshot, environment: str) -> str:
    parts = [f"{getattr(counts, name):,} {name}" for name in ("refused", "unknown") if getattr(counts, name)]
    return ", ".join([f"cost {counts.cost_in_words(environment)}", *parts])
