"""A desk that is filled in as it was, up to the section reached.

Its page was loaded again, or a person goes on with a campaign another day.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from campaign.errors import CampaignError, LockedError
from campaign.masking import mask_text
from campaign.notebook.composer.desk import Desk
from campaign.notebook.composer.desk_words import desk_words
from campaign.notebook.composer.memory import Kept
from campaign.notebook.composer.section import Section
from campaign.sending.afterwards.unknown_batches import UnknownBatches
from campaign.sending.campaigns import load_result
from campaign.sending.store.lock_holder import LOCK
from campaign.sending.store.locks import hold_lock
from campaign.text import agreeing, capitalised, clean, counted, listed_words

_END = 10.0  # seconds that a page which is gone may take until its requests under way are answered
_DONE = {"refused": "settled as not there", "again": "ordered to be sent again"}
_NOTHING_TWICE = "Whoever has this text from this campaign gets nothing more."
PAGE_IS_BACK = "This page was loaded again, and what you had chosen is back."
_LOST = "What you had chosen is back, but its spreadsheet cannot be read any more."
_ELSEWHERE = (
    "Its texts are still being sent in another window or tab. When that has ended, load this page again."
)


def reopen(
    desk: Desk,
    sections: Sequence[Section],
    kept: Kept,
    show_outcome: Callable[[], None],
    way_on: Callable[[], str],
    *,
    is_back: str,
) -> str:
    """Take the person back to where they were, and return what they have to know.

    `show_outcome` shows the result of what was sent, `way_on` names the button that sends what was not, and
    `is_back` is the sentence to begin with.
    """
    desk.composition, desk.price, desk.own_number = kept.composition, kept.price, kept.own_number
    for section in sections:
        section.refill(kept.composition)
    if desk.contacts.empty:
        return _LOST
    if desk.version == kept.version:  # else these rows may be those of other people
        desk.decide(instead=kept.composition.instead)
    else:
        desk.take_other_rows()
    for section in sections[: kept.reached]:
        if not section.is_open:
            break  # the section above could not be finished, and says why
        section.finish()
    if kept.sent is None:
        return is_back
    desk.sent = kept.sent
    is_decided = not any(section.is_open for section in sections[:3])
    sent = _what_was_sent(kept.sent, show_outcome if is_decided else None, way_on)
    return f"{is_back} {sent}"


def _what_was_sent(folder: Path, show_outcome: Callable[[], None] | None, way_on: Callable[[], str]) -> str:
    """What became of the run that was here before; None while something else is being decided."""
    try:
        with hold_lock(folder / LOCK, timeout=_END):
            result = load_result(folder)
    except LockedError:
        return _ELSEWHERE
    except CampaignError as error:
        return desk_words(error)
    if show_outcome is None:
        return desk_words(result.headline)
    show_outcome()
    rest, batches = result.totals["not_sent"], UnknownBatches.of(folder, shown=0)
    in_doubt = f" {_about_unknown(batches.messages)}" if batches.messages else ""
    once_more = about_once_more(batches.waiting)
    if not rest and not once_more:
        return f"What you sent is below.{in_doubt}"
    waiting = [_about_rest(rest, result.name)] if rest else []
    way = " ".join([*waiting, *once_more[:1], f"Press {way_on()}.", *(once_more[1:] or [_NOTHING_TWICE])])
    return f"{way}{in_doubt} Section 5 says what was sent."


def about_once_more(waiting: Mapping[str, int]) -> list[str]:
    """How many texts go out once more because a person has settled them so, and who may get one twice;
    [] for none."""
    settled = [
        f"{counted(waiting[how], 'text')} that {agreeing(waiting[how], 'was', 'were')} {done}"
        for how, done in _DONE.items()
        if waiting.get(how)
    ]
    count = sum(waiting.values())
    if not count:
        return []
    of_them = agreeing(count, "this text", f"one of these {count:,} texts")
    go = agreeing(count, "goes", "go")
    return [
        f"Besides, {listed_words(settled)} {go} out once more.",
        f"Whoever has got {of_them} after all gets it twice; nobody else gets a text twice.",
    ]


def _about_unknown(count: int) -> str:
    were, them = agreeing(count, "it was", "they were"), agreeing(count, "it", "them")
    return f"Of {counted(count, 'text')} it is not known whether {were} sent: section 5 asks about {them}."


def _about_rest(count: int, campaign: str) -> str:
    texts, are = capitalised(counted(count, "text")), agreeing(count, "is", "are")
    return f"{texts} of “{mask_text(clean(campaign))}” {are} not sent yet."
