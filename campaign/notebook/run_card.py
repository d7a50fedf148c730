"""Where a run stands, as pieces of HTML: for its dashboard, and as a card that needs no program behind it."""

import json
from collections.abc import Mapping

from campaign import markup
from campaign.environments import words_for
from campaign.local_times import LocalTimes, clock
from campaign.masking import mask_sentences, mask_text
from campaign.paths import seen_from_here
from campaign.results import outcome_list
from campaign.results.calls_to_settle import call_to_settle
from campaign.results.outcome_tables import WORST_FIRST
from campaign.results.totals import cost_in_words
from campaign.sending.engine.budget import Budget, expected_cost, share_of_rest
from campaign.sending.engine.tally import RECENT, Snapshot
from campaign.sending.run import Run
from campaign.text import capitalised, counted, figure
from campaign.words.catalogue import Catalogue
from campaign.words.finding import Finding
from campaign.words.python import PYTHON

WORDS = {
    "running": "Running",
    "paused": "Paused",
    "stopping": "Stopping",
    "stopped": "Stopped",
    "failed": "Failed",
    "finished": "Finished",
}
_STOPPED = "cost at most, then the budget stops it"
_PASSING = (
    "expected cost",
    _STOPPED,
    "time left",
    "messages a second",
)  # figures that mean nothing once nobody sends
_SEGMENTS = {"accepted": "good", "refused": "bad", "unknown": "doubt", "in_flight": "moving"}

STYLE = f"""{outcome_list.STYLE}
.campaign .head{{display:flex;flex-wrap:wrap;gap:.3em 1em;align-items:baseline;margin-bottom:.3em}}
.campaign .word{{font-size:1.1em;font-weight:600}}
.campaign .progress{{display:flex;height:1em;border-radius:3px;overflow:hidden;
margin:.4em 0;background:rgba(128,128,128,.25)}}
.campaign .progress .bar{{height:100%;min-width:0}}
.campaign .progress .moving{{opacity:.45;background:var(--good)}}
.campaign.campaign dl.counts{{display:flex;flex-wrap:wrap;gap:.5em 2em;margin:.5em 0}}
.campaign.campaign dl.counts div{{display:flex;flex-direction:column-reverse;min-width:4em;
white-space:nowrap}}
.campaign.campaign dl.counts dt{{font-weight:400;opacity:.85;font-size:13px;margin:0}}
.campaign.campaign dl.counts dd{{margin:0;font-size:1.35em;font-weight:600;line-height:1.2}}
.campaign.campaign .bad dd{{color:var(--bad)}}.campaign.campaign .doubt dd{{color:var(--doubt)}}
"""


def run_card(run: Run) -> str:
    """The run as it is now, with the time and how to look again; once it has ended, its result."""
    if run.ended:
        return run.result._repr_html_()
    counts = run.counts
    pieces = [
        f"<style>{STYLE}</style>",
        head(run, PYTHON, title=False),
        status(counts, run.finding, PYTHON),
        said("run_as_of", at=LocalTimes().now(), call=_call_to_load(run)),
        progress(counts),
        figures(run, counts, on_the_way=False),
    ]
    return markup.card(_title(run), pieces)


def said(code: str, catalogue: Catalogue = PYTHON, /, **facts: object) -> str:
    """A finding about the run as a paragraph."""
    finding = Finding(code, facts, severity="info")
    return f'<p class="note">{outcome_list.with_code(catalogue.text(finding), finding)}</p>'


def head(run: Run, catalogue: Catalogue, *, title: bool = True) -> str:
    """What the run sends and where, and how that compares with what was sent before."""
    comparison = "" if run.ended else " ".join(map(catalogue.text, run.comparison))
    note = markup.paragraph(comparison, note=True) if comparison else ""
    name = f'<span class="title">{markup.escape(_title(run))}</span>' if title else ""
    return f'<div class="head">{name}{outcome_list.badge(run.environment)}</div>{note}'


def _title(run: Run) -> str:
    """How many messages the run sends."""
    messages = counted(run.counts.messages, "message")
    count = messages if run.outgoing == run.counts.messages else f"{run.outgoing:,} of {messages}"
    return f"{capitalised(words_for(run.environment).doing)} {count}"


def status(counts: Snapshot, finding: Finding | None, catalogue: Catalogue) -> str:
    """The status in a word, and the reason for it."""
    reason = "" if finding is None else markup.paragraph(mask_sentences(catalogue.text(finding)))
    word = f'<span class="word">{markup.escape(_status_in_words(counts))}</span>'
    return f'<div role="status">{word}{reason}</div>'


def _status_in_words(counts: Snapshot) -> str:
    """A run that pauses is paused once everything under way has come back."""
    if counts.status == "paused" and counts.in_flight:
        return f"Pausing: {counted(counts.in_flight, 'message')} under way"
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
    """The counts that are not 0, the cost and the times, with or without those that only matter on the way.

    A run that had nothing to send took no time: what earlier runs took is none of it. Where earlier runs sent
    something, it is said that the figures are those of all of them.
    """
    waiting = "withdrawn" if run.is_closed else "waiting"
    some = {"refused": counts.refused, "unknown": counts.unknown, waiting: counts.waiting}
    pairs = {"accepted": figure(counts.accepted)}
    pairs |= {name: figure(count) for name, count in some.items() if count}
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
    has_earlier = run.outgoing < counts.messages or counts.elsewhere
    return (said("figures_of_all_runs") if has_earlier else "") + _definitions(pairs)


def _definitions(pairs: Mapping[str, str]) -> str:
    tones = {"refused": "bad", "unknown": "doubt"} | dict.fromkeys(_PASSING, "passing")
    entries = "".join(
        f'<div class="{tones.get(name, "")}"><dt>{name}</dt><dd>{markup.escape(value)}</dd></div>'
        for name, value in pairs.items()
    )
    return f'<dl class="counts">{entries}</dl>'


def refusal(counts: Snapshot) -> str:
    """What the service said when it last refused something in this run; "" if it did not."""
    return said("batch_refused", reason=mask_text(counts.last_refusal)) if counts.last_refusal else ""


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
            "note": batch.said if isinstance(batch.said, str) else PYTHON.headline(batch.said),
            "code": batch.code,
        }
        for batch in sorted(counts.recent, key=lambda batch: WORST_FIRST.index(batch.status))
    ]
    empty = {name for name in ("code", "note") if not any(row[name] for row in rows)}
    shown = [{name: value for name, value in row.items() if name not in empty} for row in rows]
    caption = f"The last {RECENT} batches" if len(rows) == RECENT else "Batches so far"
    return markup.scroller(markup.small_table(shown, caption=caption), caption)


def unknown_batches(run: Run) -> str:
    """What to do about unknown batches while a run is paused; "" for none."""
    if run.made_way or not run.counts.unknown:  # whoever opened the campaign may have settled them since
        return ""
    batches = [*run.counts.unknown_batches]
    return said("batches_unknown", batches=batches, call=call_to_settle(run.folder, batches[:1], "accepted"))


def lost(run: Run, catalogue: Catalogue) -> str:
    """What a dashboard says when the program behind it has ended before the run did.

    A program that is asked to end waits for the answers to what is under way, and no page hears of them.
    """
    return (
        f'<span class="word">Last figures</span>{said("program_ended", catalogue, call=_call_to_load(run))}'
    )


def _call_to_load(run: Run) -> str:
    folder = json.dumps(seen_from_here(run.folder), ensure_ascii=False)
    return f"result = campaign.load_result({folder})"
