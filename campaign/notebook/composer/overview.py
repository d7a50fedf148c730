"""Who gets a text and who does not, as pieces of HTML: a headline, a bar, dates."""

from __future__ import annotations

from campaign import markup
from campaign.environments import EnvironmentWords
from campaign.messages.plan import Plan
from campaign.notebook.composer.desk_words import desk_words
from campaign.notebook.composer.section import people
from campaign.notebook.composer.who_leaves import (
    ASKED_ABOUT,
    GETS,
    HELD,
    IN_DOUBT,
    REACHED_BEFORE,
    REMOVED,
    SENT,
    SHARING,
    WhoLeaves,
)
from campaign.results.plain_words import SHARES_PHONE, STATUS_WORDS
from campaign.text import agreeing, capitalised, counted, figure, listed_words

STYLE = """
.campaign .shares{display:flex;height:1.2em;border-radius:3px;overflow:hidden;max-width:34em}
.campaign .shares .bar{height:100%;min-width:2px}
.campaign .shares .duplicate,.campaign .shares .reached_before,.campaign .shares .sharing,
.campaign .shares .blank,.campaign .shares .opted_out,.campaign .shares .removed,
.campaign .shares .nothing_more,.campaign .shares .totals,.campaign .shares .remarks{background:var(--quiet)}
"""

_COLUMN_READINGS = ("date_order", "decimal_sign", "utc_time")
_LEFT_OUT = {
    **{status.replace(" ", "_"): words for status, words in STATUS_WORDS.items()},
    "totals": ("is a line of totals", "are lines of totals"),
    "remarks": ("is a remark", "are remarks"),
    SHARING: SHARES_PHONE,
    REACHED_BEFORE: ("was reached before, as you said", "were reached before, as you said"),
    REMOVED: ("is no longer in your own spreadsheet", "are no longer in your own spreadsheet"),
}
_TONES = {GETS: "good", ASKED_ABOUT: "doubt", IN_DOUBT: "doubt", HELD: "doubt", "invalid": "bad"}


def headline(leaves: WhoLeaves, words: EnvironmentWords, *, asks_here: bool = False) -> str:
    """How many people get a text, how many more may, and how many rows get none, in one line.

    Who wanted no texts before is asked about in both sections: `asks_here` in the one below this line.
    """
    now, sent, in_doubt = (leaves.count(kind) for kind in (GETS, SENT, IN_DOUBT))
    held, left_out = leaves.count(HELD), len(leaves.left_out)
    who = f"{people(now)} {agreeing(now, 'gets', 'get')}" if now else "nobody gets"
    is_for_later = not now and (leaves.count(SENT, IN_DOUBT, ASKED_ABOUT, HELD) or len(leaves.beside))
    pieces = [
        "nothing can be sent yet" if held else "",
        "" if is_for_later else f"{who} a text",
        _beside_file(len(leaves.beside), now) if len(leaves.beside) else "",
        _asked_about(leaves, asks_here=asks_here),
        _already_sent(sent, words) if sent else "",
        _in_doubt(in_doubt, "one" if sent else f"a text {words.before}") if in_doubt else "",
        f"{counted(left_out, 'row')} {agreeing(left_out, 'gets', 'get')} none"
        if left_out
        else "no row is left out",
    ]
    return capitalised("; ".join(filter(None, pieces)))


def _asked_about(leaves: WhoLeaves, *, asks_here: bool) -> str:
    """About how many people is asked, and where; "" for nobody."""
    asked = leaves.count(ASKED_ABOUT)
    here = min(len(leaves.unwanted_rows), asked) if asks_here else 0
    later, are = asked - here, agreeing(here, "is", "are")
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
            leaves.count(ASKED_ABOUT) - wanted_none - elsewhere
        ),
        ("who wanted none before",) * 2: wanted_none - without,
        ("who has this text already", "who have this text already"): elsewhere,
    }
    whom = [f"{figure(count)} {agreeing(count, *words)}" for words, count in counts.items() if count]
    return f" ({listed_words(whom)})" if len(whom) > 1 else ""


def _beside_file(count: int, others: int) -> str:
    text = "one too" if others else "a text"
    are, get = agreeing(count, "is", "are"), agreeing(count, "gets", "get")
    return f"{people(count)} who {are} not in this file {get} {text}"


def _already_sent(count: int, words: EnvironmentWords) -> str:
    were, get = agreeing(count, "was", "were"), agreeing(count, "gets", "get")
    return f"{people(count)} {were} sent a text {words.before} and {get} nothing more"


def _in_doubt(count: int, text: str) -> str:
    return f"of {people(count)} it is not known whether they were sent {text}, and they get nothing more"


def shares(leaves: WhoLeaves, where: EnvironmentWords) -> str:
    """One bar of all rows: who gets a text, then who does not, by kind; the kinds are named below it."""
    words, rows, total = _words(where), _counts(leaves), len(leaves.kinds)
    counts = {kind: rows[kind] for kind in words if rows.get(kind)}
    legend = ", ".join(f"{figure(count)} {agreeing(count, *words[kind])}" for kind, count in counts.items())
    bars = "".join(
        f'<div class="bar {_TONES.get(kind, kind)}" style="width:{count / total:.2%}"></div>'
        for kind, count in counts.items()
    )
    bar = f'<div class="shares" role="img" aria-label="{markup.escape(legend)}">{bars}</div>'
    return bar + markup.paragraph(f"Of {counted(total, 'row')}: {legend}.", note=True)


def _words(where: EnvironmentWords) -> dict[str, tuple[str, str]]:
    """What is said of one row of each kind, and of several."""
    in_doubt = f"may have been sent a text {where.before}"
    return {
        GETS: ("gets a text", "get a text"),
        ASKED_ABOUT: ("is asked about", "are asked about"),
        HELD: ("waits", "wait"),
        SENT: (f"was sent a text {where.before}", f"were sent a text {where.before}"),
        IN_DOUBT: (in_doubt, in_doubt),
        **_LEFT_OUT,
    }


def _counts(leaves: WhoLeaves) -> dict[str, int]:
    """How many rows there are of each kind; lines of totals and remarks are no empty rows."""
    totals = leaves.plan.totals
    lines = {"totals": totals.totals_lines, "remarks": totals.remarks, "blank": totals.empty}
    return {str(kind): int(count) for kind, count in leaves.kinds.value_counts().items()} | lines


def read_dates(plan: Plan) -> str:
    """How dates and numbers are read that could be read in another way; "" if there are none."""
    issues = plan.issues
    details = issues.loc[issues["code"].isin(_COLUMN_READINGS), "detail"]
    return "".join(markup.paragraph(desk_words(detail, here=3)) for detail in details)
