"""What a list of people who want no texts holds, and what in it is no number, as pieces of HTML."""

from __future__ import annotations

from campaign import markup
from campaign.messages.plan import Plan
from campaign.messages.suppression import ON_OPT_OUT_LIST, SuppressionRules
from campaign.notebook.composer.desk_words import desk_words
from campaign.text import agreeing, capitalised, counted, figure

_LINES = 8  # of the list that hold no number, each with its sentence


def about_list(plan: Plan, opt_outs: str | None, region: str | None) -> str:
    """How many numbers a list of people who want no texts has, and how many rows have one of them."""
    if opt_outs is None:
        return ""
    numbers = len(SuppressionRules.of(opt_outs, None).read([region]).opted_out)
    issues = plan.issues
    found_rows = issues.loc[issues["detail"] == ON_OPT_OUT_LIST, "row"].unique()
    rows, copies = len(found_rows), int((plan.contacts["status"].reindex(found_rows) == "duplicate").sum())
    read = f"{capitalised(counted(numbers, 'number'))} {agreeing(numbers, 'was', 'were')} read from this list"
    found = f"{figure(rows)} {agreeing(rows, 'row has', 'rows have')}" if rows else "no row has"
    repeating = f" {figure(copies)} of these rows {agreeing(copies, 'repeats', 'repeat')} another one."
    said = f"{read}; {found} one of them.{repeating if copies else ''}"
    sentence = markup.paragraph(said, note=True)
    return f'<div role="status">{sentence}</div>'


def unreadable_entries(plan: Plan) -> str:
    """Which lines of the list of people who want no texts hold no number; "" if there are none."""
    issues = plan.issues
    details = issues.loc[issues["code"] == "unreadable_entry", "detail"]
    if details.empty:
        return ""
    more = len(details) - _LINES
    rest = [
        f"{capitalised(counted(more, 'other line'))} of it {agreeing(more, 'is', 'are')} no number either."
    ]
    sentences = [*map(desk_words, details.head(_LINES)), *(rest if more > 0 else [])]
    shown = "".join(map(markup.paragraph, sentences))
    return f'<div class="changed" role="status">{shown}</div>'
