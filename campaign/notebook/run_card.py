"""Where a run stands, as pieces of HTML: for its dashboard, and as a card that needs no program behind it."""

import json
import re
from collections.abc import Mapping

from campaign import markup
from campaign.environments import words_for
from campaign.local_times import LocalTimes, clock
from campaign.masking import mask_sentences, mask_text
from campaign.paths import seen_from_here
from campaign.results.calls_to_settle import (
    SHOWN,
    batches_in_words,
    calls_to_settle,
)
from campaign.results.outcome_tables import WORST_FIRST
from campaign.results.totals import cost_in_words
from campaign.sending.engine.budget import Budget, expected_cost, share_of_rest
from campaign.sending.engine.tally import RECENT, Snapshot
from campaign.sending.run import Run
from campaign.sending.store.identity import NOTHING_SENT_YET
from campaign.text import agreeing, all_counted, capitalised, counted, figure, listed_words

WORDS = {
    "running": "Running",
    "paused": "Paused",
    "stopping": "Stopping: requests under way finish first",
    "stopped": "Stopped",
    "failed": "Failed",
}
_MAY_HAVE_ENDED = (
    "The run may have ended since: this does not change by itself. The line “To look again” below shows "
    "where it stands."
)
_COMPARED = re.compile(r"^Compared with what this [a-z]+ has sent(?=: )")
_STOPPED = "cost at most, then the budget stops it"
_PASSING = (
    "expected cost",
    _STOPPED,
    "time left",
    "messages a second",
)  # figures that mean nothing once nobody sends
_SEGMENTS = {"accepted": "good", "refused": "bad", "unknown": "doubt", "in_flight": "moving"}

STYLE = """
.campaign .head{display:flex;flex-wrap:wrap;gap:.3em 1em;align-items:baseline;margin-bottom:.3em}
.campaign .where{border:1px solid var(--good);color:var(--good);border-radius:3px;padding:0 .5em;
font-size:13px}
.campaign .where.live{border-color:var(--bad);color:var(--bad);font-weight:600}
.campaign .word{font-size:1.1em;font-weight:600}
.campaign .progress{display:flex;height:1em;border-radius:3px;overflow:hidden;
margin:.4em 0;background:rgba(128,128,128,.25)}
.campaign .progress .bar{height:100%;min-width:0}
.campaign .progress .moving{opacity:.45;background:var(--good)}
.campaign.campaign dl.counts{display:flex;flex-wrap:wrap;gap:.5em 2em;margin:.5em 0}
.campaign.campaign dl.counts div{display:flex;flex-direction:column-reverse;min-width:4em;
white-space:nowrap}
.campaign.campaign dl.counts dt{font-weight:400;opacity:.85;font-size:13px;margin:0}
.campaign.campaign dl.counts dd{margin:0;font-size:1.35em;font-weight:600;line-height:1.2}
.campaign.campaign .bad dd{color:var(--bad)}.campaign.campaign .doubt dd{color:var(--doubt)}
.campaign.campaign code{font:13px/1.5 ui-monospace,Consolas,Menlo,monospace;color:inherit;
background:rgba(128,128,128,.14);border-radius:3px;padding:.1em .4em;overflow-wrap:anywhere}
"""


def run_card(run: Run) -> str:
    """The run as it is now, with the time and how to look again: for notebooks that are opened later."""
    ended, counts = run.ended, run.counts
    pieces = [
        f"<style>{STYLE}</style>",
        head(run, title=False),
        status(counts, run.sentence, written=None if ended else LocalTimes().now()),
        progress(counts),
        figures(run, counts, on_the_way=False),
        "" if run.sentence else refusal(counts),
        ways_on(run),
        markup.paragraph(LocalTimes().written_now(), note=True) if ended else "",
    ]
    return markup.card(_title(run), pieces)


def head(run: Run, *, title: bool = True) -> str:
    """What the run sends and where, and how that compares with what was sent before."""
    live = " live" if run.environment == "live" else ""
    said = _compared(run)
    comparison = markup.paragraph(said, note=True) if said else ""
    name = f'<span class="title">{markup.escape(_title(run))}</span>' if title else ""
    return (
        f'<div class="head">{name}'
        f'<span class="where{live}">{markup.escape(run.label)}</span></div>{comparison}'
    )


def _compared(run: Run) -> str:
    """What had been sent before the run; something of its own was, once it has ended."""
    if run.ended and run.comparison == NOTHING_SENT_YET:
        return ""
    if not (run.ended and run.outgoing and run.comparison):
        return run.comparison
    past, count = _COMPARED.subn("When this run began", run.comparison)
    return past if count else f"{run.comparison} That was when this run began."


def _title(run: Run) -> str:
    """How many messages the run sends; once it has ended, how many of them were accepted."""
    messages, words = counted(run.counts.messages, "message"), words_for(run.environment)
    if not run.outgoing:
        unknown = f", {run.counts.unknown:,} of them unknown" if run.counts.unknown else ""
        closed = "the campaign is closed, and " if run.is_closed else ""
        return f"Nothing left to send: {closed}the table has {messages}{unknown}"
    if not run.ended:
        count = messages if run.outgoing == run.counts.messages else f"{run.outgoing:,} of {messages}"
        return f"{capitalised(words.doing)} {count}"
    if run.pilot_was_over:  # nothing was meant to go, which is no failure
        return f"{run.outgoing:,} of {messages} {agreeing(run.outgoing, 'waits', 'wait')}"
    return _accepted_of(run.accepted_here, run.outgoing, is_part=run.outgoing < run.counts.messages)


def _accepted_of(accepted: int, outgoing: int, *, is_part: bool) -> str:
    """How many messages were accepted of those that were to go out; others had gone out before."""
    here = " of this run" if is_part else ""
    if outgoing == 1:
        return f"The message{here} was {'' if accepted else 'not '}accepted"
    if accepted == outgoing:
        return f"{capitalised(all_counted(outgoing, 'message'))}{here} were accepted"
    share = figure(accepted) if accepted else "None"
    were = agreeing(accepted, "was", "were")
    return f"{share} of {counted(outgoing, 'message')}{here} {were} accepted"


def status(counts: Snapshot, sentence: str, *, written: str | None = None) -> str:
    """The status in a word, and the reason for it; with the time where it may not be true any more."""
    reason = markup.paragraph(mask_sentences(sentence)) if sentence else ""
    word = f'<span class="word">{markup.escape(_status_in_words(counts))}</span>'
    if written is None:
        return f'<div role="status">{word}{reason}</div>'
    return f"<div>{word} when this was written, {written}. {_MAY_HAVE_ENDED}{reason}</div>"


def _status_in_words(counts: Snapshot) -> str:
    """A run that pauses is paused once everything under way has come back; an end is no success by itself."""
    if counts.status == "paused" and counts.in_flight:
        return f"Pausing: {counted(counts.in_flight, 'message')} under way"
    if counts.status == "finished":
        missing = {"refused": counts.refused, "unknown": counts.unknown}
        named = listed_words(f"{count:,} {name}" for name, count in missing.items() if count)
        return f"Finished, with {named}" if named else "Finished"
    return WORDS[counts.status]


def progress(counts: Snapshot) -> str:
    """One bar of what has come back and what is under way."""
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


def figures(run: Run, counts: Snapshot, *, on_the_way: bool) -> str:
    """The counts, the cost and the times, with or without those that only matter on the way.

    A run that had nothing to send took no time: what earlier runs took is none of it. Where earlier runs sent
    something, it is said that the figures are those of all of them.
    """
    pairs = {
        "accepted": figure(counts.accepted),
        "refused": figure(counts.refused),
        "unknown": figure(counts.unknown),
        "withdrawn" if run.is_closed else "waiting": figure(counts.waiting),
    }
    if on_the_way or counts.in_flight:
        pairs["under way"] = figure(counts.in_flight)
    pairs["cost"] = counts.cost_in_words(run.environment, run.currency)
    if run.budget:
        pairs["budget"] = run.budget
    if on_the_way:
        limit = Budget.of(run.options.budget)
        expected = expected_cost(counts, limit)
        words = cost_in_words(expected, currency=run.currency, environment=run.environment)
        pairs["expected cost" if expected == counts.expected_cost else _STOPPED] = (
            "not known yet" if expected is None else words
        )
    if run.outgoing:
        name = "sending time of all runs" if run.seconds_before >= 1 else "elapsed"
        pairs[name] = clock(counts.seconds)
    if on_the_way and counts.status == "running":
        left = counts.seconds_left if counts.is_steady else None
        pairs["time left"] = "–" if left is None else f"about {clock(left * share_of_rest(counts, limit))}"
        pairs["messages a second"] = "–" if counts.rate is None else figure(round(counts.rate, 1))
    return _about_all_runs(run, counts) + _definitions(pairs, counts)


def _about_all_runs(run: Run, counts: Snapshot) -> str:
    """What the figures are of where they are not only of this run, and the table; "" where they are."""
    pieces, elsewhere = [], counts.elsewhere
    if run.outgoing < counts.messages:
        all_of_table = counted(counts.messages, "message")
        pieces.append(f"These figures are for the {all_of_table} in the table, with what was sent earlier.")
    if elsewhere:
        known = "; not all of it is known" if counts.has_unknown_costs else ""
        others = counted(elsewhere, "other message")
        pieces.append(f"The cost is also that of {others} of this campaign{known}.")
    return markup.paragraph(" ".join(pieces), note=True) if pieces else ""


def _definitions(pairs: Mapping[str, str], counts: Snapshot) -> str:
    tones = {"refused": "bad" if counts.refused else "", "unknown": "doubt" if counts.unknown else ""}
    tones |= dict.fromkeys(_PASSING, "passing")
    entries = "".join(
        f'<div class="{tones.get(name, "")}"><dt>{name}</dt><dd>{markup.escape(value)}</dd></div>'
        for name, value in pairs.items()
    )
    return f'<dl class="counts">{entries}</dl>'


def refusal(counts: Snapshot) -> str:
    """What the service said when it last refused something in this run; "" if it did not."""
    if not counts.last_refusal:
        return ""
    return markup.paragraph(f"The service refused a batch: {mask_text(counts.last_refusal)}.")


def recent_batches(counts: Snapshot) -> str:
    """The last batches, those that need a person first, then the newest; "" before there are any."""
    if not counts.recent:
        return ""
    rows: list[dict[str, object]] = [
        {
            "batch": batch.number,
            "messages": batch.messages,
            "status": batch.status,
            "cost": batch.cost,
            "note": mask_text(batch.error),
            "code": batch.code,
        }
        for batch in sorted(counts.recent, key=lambda batch: WORST_FIRST.index(batch.status))
    ]
    empty = {name for name in ("code", "note") if not any(row[name] for row in rows)}
    shown = [{name: value for name, value in row.items() if name not in empty} for row in rows]
    caption = f"The last {RECENT} batches" if len(rows) == RECENT else "Batches so far"
    return markup.scroller(markup.small_table(shown, caption=caption), caption)


def ways_on(run: Run) -> str:
    """The calls that look at the campaign again and, if something is left, settle or send it."""
    folder = json.dumps(seen_from_here(run.folder), ensure_ascii=False)
    again = _code(f"result = campaign.load_result({folder})")
    why = ", as a result from before Resume was pressed is out of date" if run.is_continuation else ""
    ways = [f"To look again{why}: {again}"]
    ways += _ways_to_settle(run)
    if not run.is_closed and (not run.ended or run.counts.waiting or run.counts.refused):
        when = "" if run.ended else ", once nothing sends any more"
        ways.append(f"To send what is left{when}: {_code(run.call_for_the_rest)}")
    return f'<p class="note">{"<br>".join(ways)}</p>'


def ways_to_settle(run: Run) -> str:
    """The same while a run is paused, and what its buttons do meanwhile; "" if nothing is unknown."""
    ways = _ways_to_settle(run)
    return f'<p class="note">{"<br>".join([_MEANWHILE, *ways])}</p>' if ways else ""


_MEANWHILE = (
    "Resume sends the rest, and what is unknown stays unknown. Stop, or settling it in a cell, ends this "
    "run; the rest can be sent then, too."
)


def _ways_to_settle(run: Run) -> list[str]:
    """The calls that settle what is unknown, batch by batch or all together."""
    batches, folder = run.counts.unknown_batches, run.folder
    if run.made_way or not run.counts.unknown:  # whoever opened the campaign may have settled them since
        return []
    one_by_one = ", ".join(map(_code, calls_to_settle(folder, batches)))
    refused, again = _code('"refused"'), _code('"again"')
    received = agreeing(len(batches), "if it was received", "for each that was received")
    which = batches_in_words(batches)
    more = " and so on" if len(batches) > SHOWN else ""
    unknown = f"{agreeing(len(batches), 'is', 'are')} unknown"
    place = json.dumps(seen_from_here(folder), ensure_ascii=False)
    together = _code(f'campaign.reconcile({place}, "provider.csv")')
    return [
        f"To settle {which}, which {unknown}: ask the service. Then run "
        f"{one_by_one}{more} {received}, with {refused} if it was not, with {again} to send it again where "
        "nobody knows. "
        "The first call asks, and shows the lines that do it.",
        f"To settle by the service's own list: {together}",
    ]


def lost(run: Run) -> str:
    """What a dashboard says when the program behind it has ended before the run did.

    A program that is asked to end waits for the answers to what is under way, and no page hears of them.
    """
    sentence = (
        "The program that was sending has ended, and these are the last figures that this page received. "
        "More may have been sent since, and what was under way has been answered or is unknown. The campaign "
        "folder has what is true now, and what was sent is not sent again."
    )
    return f'<span class="word">Last figures</span>{markup.paragraph(sentence)}{ways_on(run)}'


def _code(call: str) -> str:
    return f"<code>{markup.escape(call)}</code>"
