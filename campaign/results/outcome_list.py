"""The findings of a result as HTML: the headline, one bar of all rows, and a line for each kind of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from campaign.environments import words_for
from campaign.markup import TONES, escape
from campaign.results.charts import FILLS, bar, legend_entry
from campaign.results.finding_lines import headlines, is_counted, remedy, rows_of
from campaign.words.catalogue import Catalogue
from campaign.words.finding import Finding

# What each kind of rows is called in a word or two.
KINDS = {
    "rows_accepted": "accepted",
    "rows_with_earlier_text": "with an earlier text",
    "rows_unknown": "unknown",
    "rows_under_way": "under way",
    "rows_ordered_again": "to be sent again",
    "rows_refused": "refused",
    "rows_settled_as_refused": "refused",
    "rows_not_sent": "not sent",
    "rows_withdrawn": "withdrawn",
    "rows_in_other_run": "not sent",
    "rows_for_workers": "not sent",
    "workers_paused": "not sent",
    "rows_to_correct": "to correct",
    "rows_sharing_phone": "sharing a phone",
    "rows_opted_out": "opted out",
    "rows_under_another_number": "under another number",
    "rows_reached_elsewhere": "reached by another campaign",
    "rows_repeated": "repeated or blank",
}
STYLE = """
.campaign .where{display:inline-block;border:1px solid var(--good);color:var(--good);border-radius:3px;
padding:0 .5em;font-size:13px;font-weight:600}
.campaign .where.live{border-color:var(--bad);background:var(--bad);color:var(--paper,Canvas)}
.campaign.campaign .outcomes{list-style:none;margin:.5em 0;padding:0}
.campaign.campaign .outcomes li{margin:.2em 0}
.campaign.campaign .outcomes code,.campaign.campaign .note code{font:13px/1.5 ui-monospace,Consolas,Menlo,
monospace;color:inherit;background:rgba(128,128,128,.14);border-radius:3px;padding:.1em .4em;
overflow-wrap:break-word}
.campaign.campaign details{margin:.4em 0}
.campaign.campaign summary{cursor:pointer}
"""


def badge(environment: str) -> str:
    """Where the messages went, so that live is unlike a rehearsal at first sight."""
    words, live = words_for(environment), " live" if environment == "live" else ""
    label = "LIVE" if live else f"REHEARSAL, {words.name}"
    return f'<span class="where{live}">{escape(label)}</span>'


def outcome(findings: Sequence[Finding], catalogue: Catalogue) -> str:
    """The headlines, the bar and the lines."""
    above = [f"<p><strong>{escape(line)}</strong></p>" for line in headlines(findings, catalogue)]
    return "".join(above) + outcome_list(findings, catalogue)


def outcome_list(findings: Sequence[Finding], catalogue: Catalogue) -> str:
    """The bar, and a line for each finding with a count or a remedy."""
    lines = [_line(one, catalogue) for one in findings if is_counted(one)]
    label = ", ".join(f"{count:,} {kind}" for kind, count in rows_by_kind(findings).items())
    listed = f'<ul class="outcomes">{"".join(lines)}</ul>' if lines else ""
    return bar(rows_by_kind(findings), label) + listed


def rows_by_kind(findings: Iterable[Finding]) -> dict[str, int]:
    """The rows of each kind, which add up to those of the file."""
    return {KINDS[one.code]: rows_of(one) for one in findings if rows_of(one)}


def _line(finding: Finding, catalogue: Catalogue) -> str:
    kind = KINDS.get(finding.code, "")
    tone = f"{TONES.get(kind, 'quiet')} {FILLS.get(kind, '')}".rstrip() if kind else "none"
    number, _, words = catalogue.headline(finding).partition(" ")
    said = f"<b>{escape(number)}</b> {escape(words)}" if kind else escape(f"{number} {words}")
    to_do = with_code(remedy(finding, catalogue), finding)
    return legend_entry(tone, f"{said}. {to_do}" if to_do else said)


def with_code(text: str, finding: Finding) -> str:
    """What is said of a finding as HTML, its lines of Python marked as code."""
    html = escape(text)
    for name in ("call", "resume"):
        if code := escape(finding.facts.get(name, "")):
            html = html.replace(code, f"<code>{code}</code>")
    return html
