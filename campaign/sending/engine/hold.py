"""Why a run holds: a valve's reason, or a person's order."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hold:
    """Why a run holds, and what to do about it.

    `final` ends the run instead of pausing it. `patient` is for the next batch only: it applies when nothing
    is under way any more, because an answer may remove its reason. `needs_change`
    says that going on with the same options would end the same way; then `option` is what to write in
    `resume` instead, "" where that is not known.
    """

    reason: str
    final: bool = False
    by_hand: bool = False
    patient: bool = False
    needs_change: bool = False
    option: str = ""


PAUSED = Hold("Paused by hand. Resume to send the rest.", by_hand=True)
STOPPED = Hold("Stopped by hand. Resume the campaign to send the rest.", final=True, by_hand=True)
CUT = Hold(
    "Ended at once by hand: batches without an answer are unknown. Resume the campaign to send the rest.",
    final=True,
    by_hand=True,
)
