"""A page that was loaded again: the composer fills itself in as it was, up to the section reached."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from campaign.errors import CampaignError, LockedError
from campaign.notebook.composer.desk_words import desk_words
from campaign.notebook.composer.memory import Kept
from campaign.results.tables import Result
from campaign.sending.campaigns import load_result
from campaign.sending.store.locks import hold_lock

if TYPE_CHECKING:
    from campaign.notebook.composer.composer import Composer

_END = 10.0  # seconds that a page which is gone may take until its requests under way are answered
_BACK = "This page was loaded again, and what you had chosen is back."
_LOST = "This page was loaded again, but its spreadsheet cannot be read any more."
_ELSEWHERE = (
    "Its texts are still being sent in another window or tab. When that has ended, load this page again."
)
_INTERRUPTED = (
    "Loading the page again stopped the sending. Send below sends the rest; nobody gets anything twice."
)


def reopen(composer: Composer, kept: Kept) -> str:
    """Take the person back to where they were, and return what they have to know."""
    composer.desk.composition = kept.composition
    for section in composer.sections:
        section.refill(kept.composition)
    if composer.desk.contacts.empty:
        return _LOST
    if composer.desk.version == kept.version:  # else these rows may be those of other people
        composer.desk.decide(instead=kept.composition.instead)
    for section in composer.sections[: kept.reached]:
        if not section.is_open:
            break  # the section above could not be finished, and says why
        section.finish()
    if kept.sent is None:
        return _BACK
    composer.desk.sent = kept.sent
    return f"{_BACK} {_what_was_sent(composer, kept.sent)}"


def _what_was_sent(composer: Composer, folder: Path) -> str:
    """What became of the run of the page that is gone."""
    try:
        with hold_lock(folder / "lock", timeout=_END):
            result = load_result(folder)
    except LockedError:
        return _ELSEWHERE
    except CampaignError as error:
        return desk_words(error)
    if _is_complete(result):
        composer.show_outcome()
        return "What you sent is below."
    return f"{desk_words(result.headline)} {_INTERRUPTED}"


def _is_complete(result: Result) -> bool:
    return not result.totals["not_sent"]
