"""What a manager quotes: how many people, which share, when, and how many need attention."""

from __future__ import annotations

from campaign.environments import words_for
from campaign.local_times import LocalTimes
from campaign.results.tables import Result
from campaign.results.totals import ResultTotals, about_earlier_texts
from campaign.text import agreeing, all_counted, capitalised, counted, percentage


def headline(result: Result, times: LocalTimes) -> str:
    """The outcome in a few sentences, with the date and the times in a zone that is named."""
    totals, words = result.totals, words_for(result.environment)
    if not totals.rows:
        return "The file has no rows, so there was nothing to send."
    timeline = result.timeline
    attention = _attention(result)
    if timeline is None:
        return f"Nothing was sent. {attention}".strip()
    when = times.span(timeline.first, timeline.last)
    sentence = f"{capitalised(words.service)} accepted {_accepted(totals)} {when}."
    return " ".join(filter(None, (words.caution, sentence, attention)))


def _accepted(totals: ResultTotals) -> str:
    reached, people = totals.reached, totals.people
    if people == 1:
        return f"{'the' if reached else 'no'} message for the only person"
    if not reached:
        return f"no message for any of {people:,} people"
    earlier = about_earlier_texts(totals.with_earlier_text)
    of_them = f"{earlier}," if earlier else ""
    if reached == people:
        return f"messages for {all_counted(people, 'person', 'people')}{of_them}"
    what = agreeing(reached, "a message", "messages")
    return f"{what} for {reached:,} of {people:,} people ({percentage(reached, people)}){of_them}"


def _attention(result: Result) -> str:
    count, waiting = result.totals.attention, result.totals["not_sent"]
    people, others = (counted(number, "person", "people") for number in (count, waiting))
    needs = f"{people} {agreeing(count, 'needs', 'need')} attention" if count else ""
    waits = f"{others} {agreeing(waiting, 'waits', 'wait')}" if waiting else ""
    said = " and ".join(filter(None, [needs, waits])) or "nobody needs attention"
    return capitalised(f"{said}.")
