"""Why a run holds: a valve's reason, or a person's order."""

from __future__ import annotations

from msgspec import Struct

from campaign.values import replace


class Hold(Struct, frozen=True):
    """Why a run holds, and what to do about it.

    `rest` says what to do about messages that are left, where any are.
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
    rest: str = ""

    def sentence(self, waiting: int) -> str:
        """The reason, and what to do about the messages that wait."""
        return f"{self.reason} {self.rest}" if self.rest and waiting else self.reason

    def after(self, before: Hold | None) -> Hold:
        """This hold; if a person ends a run that a valve had paused, with the valve's reason and advice."""
        if before is None or before.by_hand or not self.by_hand:
            return self
        return replace(before, reason=f"{self.reason} {before.reason}", final=self.final, by_hand=True)


_RESUME = "Resume the campaign to send the rest."

PAUSED = Hold("Paused by hand.", by_hand=True, rest="Resume to send the rest.")
STOPPED = Hold("Stopped by hand.", final=True, by_hand=True, rest=_RESUME)
MADE_WAY = Hold(
    "This run made way for another call that opened its campaign, such as resolve or resume. The figures are "
    "of that moment.",
    final=True, rest=_RESUME,
)  # fmt: skip
CUT = Hold(
    "Ended at once by hand: batches without an answer are unknown.", final=True, by_hand=True, rest=_RESUME
)
