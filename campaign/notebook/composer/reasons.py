"""Who gets a text and who does not, as pieces of HTML: a bar, the reasons with their rows, changed texts."""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd

from campaign import markup
from campaign.messages.issues import CODES, LEFT_OUT
from campaign.messages.plan import Plan
from campaign.messages.suppression import SuppressionRules
from campaign.notebook.composer.choice import QUESTIONS
from campaign.notebook.composer.desk_words import FIELDS, desk_words
from campaign.notebook.composer.section import people
from campaign.notebook.composer.who_leaves import WhoLeaves
from campaign.results.plain_words import STATUS_WORDS
from campaign.text import agreeing, capitalised, counted, figure

_ROWS = 8  # row numbers named for each reason
_FITTED = 5  # texts shown before and after

STYLE = """
.campaign .shares{display:flex;height:1.2em;border-radius:3px;overflow:hidden;max-width:34em}
.campaign .shares .bar{height:100%;min-width:2px}
.campaign .shares .duplicate,.campaign .shares .blank,.campaign .shares .opted_out,
.campaign .shares .nothing_more{background:var(--quiet)}
"""


def headline(plan: Plan, leaves: WhoLeaves) -> str:
    """How many people get a text, how many more may, and how many rows get none, in one line."""
    who = f"{people(leaves.now)} {agreeing(leaves.now, 'gets', 'get')}" if leaves.now else "nobody gets"
    more = leaves.nothing_more
    is_over = more and not leaves.now and not leaves.asked
    left_out = plan.totals.rows - plan.totals["not_sent"] + sum(leaves.left_out.values())
    pieces = [
        "" if is_over else f"{capitalised(who)} a text",
        f"section 4 asks about {people(leaves.asked)}" if leaves.asked else "",
        f"{people(more)} {agreeing(more, 'gets', 'get')} nothing more" if more else "",
        f"{counted(left_out, 'row')} {agreeing(left_out, 'gets', 'get')} none"
        if left_out
        else "no row is left out",
    ]
    return "; ".join(filter(None, pieces))


def shares(plan: Plan, leaves: WhoLeaves) -> str:
    """One bar of all rows: who gets a text, then who does not, by kind; the kinds are named below it."""
    words = {
        "not_sent": ("gets a text", "get a text"),
        "asked": ("is asked about in section 4", "are asked about in section 4"),
        "nothing_more": ("gets nothing more", "get nothing more"),
    } | {status.replace(" ", "_"): words for status, words in STATUS_WORDS.items()}
    tones = {"not_sent": "good", "asked": "doubt", "invalid": "bad"}
    going = {"not_sent": leaves.now, "asked": leaves.asked, "nothing_more": leaves.nothing_more}
    left_out = {
        status: plan.totals[status] + leaves.left_out.get(status, 0)
        for status in words
        if status not in going
    }
    counts = {status: count for status, count in (going | left_out).items() if count}
    legend = ", ".join(
        f"{figure(count)} {agreeing(count, *words[status])}" for status, count in counts.items()
    )
    widths = {status: 100 * count / plan.totals.rows for status, count in counts.items()}
    bars = "".join(
        f'<div class="bar {tones.get(status, status)}" style="width:{width:.2f}%"></div>'
        for status, width in widths.items()
    )
    bar = f'<div class="shares" role="img" aria-label="{markup.escape(legend)}">{bars}</div>'
    return bar + markup.paragraph(f"Of {counted(plan.totals.rows, 'row')}: {legend}.", note=True)


def reasons(plan: Plan, rows: Collection[int] | None = None, *, unasked: Collection[str] = ()) -> str:
    """Why rows get no text, or some of them: each reason with how many rows it has and which.

    No advice is about the parameters that are `unasked`.
    """
    issues = plan.issues
    excluded = plan.contacts.index[plan.contacts["status"] != "not_sent"]
    if rows is not None:
        excluded = excluded.intersection(list(rows))
    is_reason = (issues["severity"] == "error") | issues["code"].isin(LEFT_OUT)
    issues = issues[is_reason & issues["row"].isin(excluded)]
    if issues.empty:
        return ""
    repeated = _repeated_rows(plan)
    groups = issues.drop_duplicates(["row", "code"]).groupby(["code", "column"], sort=False)
    table = pd.DataFrame(
        {
            "rows": groups.size(),
            "why": [_common_reason(str(code), details, unasked) for (code, _), details in groups["detail"]],
            "which": [_named_rows(rows, repeated) for _, rows in groups["row"]],
        }
    ).sort_values("rows", ascending=False, kind="stable")
    return markup.table(table.reset_index(drop=True), limit=len(table))


def fitted_texts(plan: Plan, leaves: WhoLeaves) -> str:
    """A few of the texts that are cut or sent in several SMS, before and after; "" if none leaves now."""
    issues = plan.issues
    texts = plan.messages
    changed = issues[issues["code"].isin(["truncated", "split"]) & issues["row"].isin(leaves.rows)]
    if changed.empty:
        return ""
    few = changed.head(_FITTED)
    after = texts[texts["row"].isin(few["row"])].groupby("row").agg({"message": "\n".join, "parts": "sum"})
    sent = after.reindex(few["row"]).set_axis(few.index)
    table = pd.DataFrame(
        {"row": few["row"], "too long": few["value"], "what is sent": sent["message"], "SMS": sent["parts"]}
    )
    return markup.table(table, limit=_FITTED, rows=len(changed))


def read_dates(plan: Plan) -> str:
    """How dates are read that could be read in another way; "" if there are none."""
    issues = plan.issues
    details = issues.loc[issues["code"] == "date_order", "detail"]
    return "".join(markup.paragraph(desk_words(detail, here=3)) for detail in details)


def about_list(plan: Plan, opt_outs: str | None, region: str | None) -> str:
    """How many numbers a list of people who want no texts has, and how many rows have one of them."""
    if opt_outs is None:
        return ""
    numbers = len(SuppressionRules.of(opt_outs, None).read([region]).opted_out)
    issues = plan.issues
    rows = issues.loc[issues["code"] == "opted_out", "row"].nunique()
    read = f"{capitalised(counted(numbers, 'number'))} {agreeing(numbers, 'was', 'were')} read from this list"
    found = f"{figure(rows)} {agreeing(rows, 'row has', 'rows have')}" if rows else "no row has"
    sentence = markup.paragraph(f"{read}; {found} one of them.", note=True)
    return f'<div role="status">{sentence}</div>'


def unreadable_entries(plan: Plan) -> str:
    """Which lines of the list of people who want no texts hold no number; "" if there are none."""
    issues = plan.issues
    details = issues.loc[issues["code"] == "unreadable_entry", "detail"]
    if details.empty:
        return ""
    more = len(details) - _ROWS
    rest = [
        f"{capitalised(counted(more, 'other line'))} of it {agreeing(more, 'is', 'are')} no number either."
    ]
    sentences = [*map(desk_words, details.head(_ROWS)), *(rest if more > 0 else [])]
    shown = "".join(map(markup.paragraph, sentences))
    return f'<div class="changed" role="status">{shown}</div>'


def _repeated_rows(plan: Plan) -> pd.Series[int]:
    """The row that each duplicate has its number from, by the row of the duplicate."""
    numbers = pd.Series(plan.addressing.numbers, index=plan.contacts.index)
    kept = numbers.loc[plan.messages["row"].unique()]
    rows = pd.Series(kept.index, index=kept.to_numpy())
    repeats = numbers[plan.contacts["status"] == "duplicate"]
    return repeats.map(rows[~rows.index.duplicated()]).dropna().astype("int64")


def _common_reason(code: str, details: pd.Series[str], unasked: Collection[str]) -> str:
    """The sentence of all these rows; where they differ, what they have in common."""
    asked = next((question.parameter for question in QUESTIONS if code in question.codes), "")
    answer = f" “{FIELDS[asked]}” below says what happens to them." if asked == "overlong" else ""
    sentence = details.iloc[0]
    if details.nunique() > 1:
        advice = sentence.partition(". ")[2]
        is_common = advice and not answer and details.str.endswith(advice).all()
        sentence = f"{capitalised(CODES[code])}.{f' {advice}' if is_common else ''}"
    return desk_words(sentence, here=3, unasked=unasked) + answer


def _named_rows(rows: pd.Series[int], repeated: pd.Series[int]) -> str:
    """The first rows, each with the row that it repeats: "12 (as row 5)"."""
    named = ", ".join(
        f"{row} (as row {repeated[row]})" if row in repeated else str(row) for row in rows.head(_ROWS)
    )
    more = len(rows) - _ROWS
    return f"{named} and {counted(more, 'other')}" if more > 0 else named
