"""Who gets a text and who does not, as pieces of HTML: a headline, a bar, dates."""

from __future__ import annotations

import pandas as pd

from campaign import markup
from campaign.environments import EnvironmentWords
from campaign.messages.plan import Plan
from campaign.notebook.composer.desk_words import desk_words
from campaign.notebook.composer.section import people
from campaign.notebook.composer.who_leaves import WhoLeaves
from campaign.results.plain_words import SHARING, STATUS_WORDS
from campaign.text import agreeing, capitalised, counted, figure, listed_words

STYLE = """
.campaign .shares{display:flex;height:1.2em;border-radius:3px;overflow:hidden;max-width:34em}
.campaign .shares .bar{height:100%;min-width:2px}
.campaign .shares .duplicate,.campaign .shares .reached_before,.campaign .shares .sharing,
.campaign .shares .blank,.campaign .shares .opted_out,
.campaign .shares .nothing_more,.campaign .shares .corrected,.campaign .shares .reached,
.campaign .shares .put_right,.campaign .shares .totals,.campaign .shares .remarks{background:var(--quiet)}
"""

_COLUMN_READINGS = ("date_order", "decimal_sign", "utc_time")
_LEFT_OUT = {
    **{status.replace(" ", "_"): words for status, words in STATUS_WORDS.items()},
    "totals": ("is a line of totals", "are lines of totals"),
    "remarks": ("is a remark", "are remarks"),
    "sharing": SHARING,
    "reached_before": ("was reached before, as you said", "were reached before, as you said"),
}
_TONES = {"not_sent": "good", "asked": "doubt", "in_doubt": "doubt", "held": "doubt", "invalid": "bad"}


def headline(plan: Plan, leaves: WhoLeaves, words: EnvironmentWords, *, asks_here: bool = False) -> str:
    """How many people get a text, how many more may, and how many rows get none, in one line.

    Who wanted no texts before is asked about in both sections: `asks_here` in the one below this line.
    """
    who = f"{people(leaves.now)} {agreeing(leaves.now, 'gets', 'get')}" if leaves.now else "nobody gets"
    more = leaves.nothing_more + len(leaves.done)
    sent = more - leaves.in_doubt
    is_for_later = not leaves.now and (more or leaves.asked or leaves.held or len(leaves.beside))
    left_out = plan.totals.rows - plan.totals["not_sent"] + sum(leaves.left_out.values())
    left_out -= len(leaves.explained)
    pieces = [
        "nothing can be sent yet" if leaves.held else "",
        "" if is_for_later else f"{who} a text",
        _beside_file(leaves) if len(leaves.beside) else "",
        _asked_about(leaves, asks_here=asks_here),
        _already_sent(sent, words) if sent else "",
        _in_doubt(leaves.in_doubt, "one" if sent else f"a text {words.before}") if leaves.in_doubt else "",
        f"{counted(left_out, 'row')} {agreeing(left_out, 'gets', 'get')} none"
        if left_out
        else "no row is left out",
    ]
    return capitalised("; ".join(filter(None, pieces)))


def _asked_about(leaves: WhoLeaves, *, asks_here: bool) -> str:
    """About how many people is asked, and where; "" for nobody."""
    here = min(len(leaves.unwanted_rows), leaves.asked) if asks_here else 0
    later, are = leaves.asked - here, agreeing(here, "is", "are")
    pieces = [
        f"{people(here)} who wanted none before {are} asked about below" if here else "",
        f"section 4 asks about {people(later)}{_asked_why(leaves, without=here)}" if later else "",
    ]
    return "; ".join(filter(None, pieces))


def _asked_why(leaves: WhoLeaves, *, without: int) -> str:
    """For how many of them each question of section 4 is, in brackets after a space; "" where all have the
    same one."""
    wanted_none, elsewhere = len(leaves.unwanted_rows), len(leaves.rows_elsewhere)
    counts = {
        ("whose phone got another text", "whose phones got another text"): (
            leaves.asked - wanted_none - elsewhere
        ),
        ("who wanted none before",) * 2: wanted_none - without,
        ("who has this text already", "who have this text already"): elsewhere,
    }
    whom = [f"{figure(count)} {agreeing(count, *words)}" for words, count in counts.items() if count]
    return f" ({listed_words(whom)})" if len(whom) > 1 else ""


def _beside_file(leaves: WhoLeaves) -> str:
    count, text = len(leaves.beside), "one too" if leaves.now else "a text"
    are, get = agreeing(count, "is", "are"), agreeing(count, "gets", "get")
    return f"{people(count)} who {are} not in this file {get} {text}"


def _already_sent(count: int, words: EnvironmentWords) -> str:
    were, get = agreeing(count, "was", "were"), agreeing(count, "gets", "get")
    return f"{people(count)} {were} sent a text {words.before} and {get} nothing more"


def _in_doubt(count: int, text: str) -> str:
    return f"of {people(count)} it is not known whether they were sent {text}, and they get nothing more"


def shares(plan: Plan, leaves: WhoLeaves, where: EnvironmentWords) -> str:
    """One bar of all rows: who gets a text, then who does not, by kind; the kinds are named below it."""
    words, rows = _words(where), _counts(plan, leaves)
    counts = {kind: rows[kind] for kind in words if rows[kind]}
    legend = ", ".join(f"{figure(count)} {agreeing(count, *words[kind])}" for kind, count in counts.items())
    bars = "".join(
        f'<div class="bar {_TONES.get(kind, kind)}" style="width:{count / plan.totals.rows:.2%}"></div>'
        for kind, count in counts.items()
    )
    bar = f'<div class="shares" role="img" aria-label="{markup.escape(legend)}">{bars}</div>'
    return bar + markup.paragraph(f"Of {counted(plan.totals.rows, 'row')}: {legend}.", note=True)


def _words(where: EnvironmentWords) -> dict[str, tuple[str, str]]:
    """What is said of one row of each kind, and of several."""
    in_doubt = f"may have been sent a text {where.before}"
    return {
        "not_sent": ("gets a text", "get a text"),
        "asked": ("is asked about", "are asked about"),
        "held": ("waits", "wait"),
        "nothing_more": (f"was sent a text {where.before}", f"were sent a text {where.before}"),
        "in_doubt": (in_doubt, in_doubt),
        "corrected": ("was sent as corrected", "were sent as corrected"),
        "reached": ("has a mistake but was reached earlier", "have a mistake but were reached earlier"),
        "put_right": ("was put right in your own spreadsheet", "were put right in your own spreadsheet"),
        **_LEFT_OUT,
    }


def _counts(plan: Plan, leaves: WhoLeaves) -> dict[str, int]:
    """How many rows there are of each kind; a row is of one."""
    going = {
        "not_sent": leaves.now, "asked": leaves.asked, "held": leaves.held,
        "nothing_more": leaves.nothing_more - leaves.in_doubt + len(leaves.sent_beside),
        "in_doubt": leaves.in_doubt,
        "corrected": len(leaves.corrected), "reached": len(leaves.reached),
        "put_right": len(leaves.put_right),
    }  # fmt: skip
    errors = plan.issues[plan.issues["severity"] == "error"]
    shares_phone = pd.Index(errors.loc[errors["code"] == "shared_phone", "row"].unique())
    sharing, explained = len(shares_phone), len(leaves.explained.intersection(shares_phone))
    lines = {"totals": plan.totals.totals_lines, "remarks": plan.totals.remarks}
    no_status = {"sharing": sharing - explained, "reached_before": plan.totals.left_out, **lines}
    counts = {kind: plan.totals[kind] for kind in _LEFT_OUT if kind not in no_status} | no_status
    counts["blank"] = plan.totals.empty
    counts["duplicate"] -= sharing + plan.totals.left_out
    counts["invalid"] -= len(leaves.explained) - explained
    return going | {kind: count + leaves.left_out.get(kind, 0) for kind, count in counts.items()}


def read_dates(plan: Plan) -> str:
    """How dates and numbers are read that could be read in another way; "" if there are none."""
    issues = plan.issues
    details = issues.loc[issues["code"].isin(_COLUMN_READINGS), "detail"]
    return "".join(markup.paragraph(desk_words(detail, here=3)) for detail in details)
