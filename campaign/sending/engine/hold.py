"""Why a run holds: a valve's reason, or a person's order."""

from __future__ import annotations

from msgspec import Struct

from campaign.values import replace
from campaign.words.finding import Finding


class Hold(Struct, frozen=True):
    """Why a run holds.

    `final` ends the run instead of pausing it. `patient` is for the next batch only: it applies when nothing
    is under way any more, because an answer may remove its reason. `needs_change`
    says that going on with the same options would end the same way; then `option` is what to write in
    `resume` instead, "" where that is not known.
    """

    reason: Finding
    final: bool = False
    by_hand: bool = False
    patient: bool = False
    needs_change: bool = False
    option: str = ""

    def at(self, waiting: int) -> Finding:
        """The reason, while so many messages wait."""
        return replace(self.reason, facts={**self.reason.facts, "waiting": waiting})

    def after(self, before: Hold | None) -> Hold:
        """This hold; if a person ends a run that a valve had paused, with the valve's reason and option."""
        if before is None or before.by_hand or not self.by_hand:
            return self
        reason = replace(self.reason, facts={**self.reason.facts, "cause": before.reason})
        return replace(before, reason=reason, final=self.final, by_hand=True)


PAUSED = Hold(Finding("paused_by_hand", {"who": "hand"}), by_hand=True)
STOPPED = Hold(Finding("stopped_by_hand"), final=True, by_hand=True)
MADE_WAY = Hold(Finding("made_way"), final=True)
CUT = Hold(Finding("cut_by_hand"), final=True, by_hand=True)
