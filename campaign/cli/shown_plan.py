"""A plan on the screen: numbers first, then what is to be corrected; everything else with --all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from campaign.cli.facts import issues_of, notices_of_reading, plan_facts, table_warnings
from campaign.cli.output import Page
from campaign.masking import mask_texts
from campaign.messages.issues import sentences
from campaign.messages.plan import Plan
from campaign.text import clean, counted, figure
from campaign.words.finding import SEVERITIES, Finding
from campaign.words.shell import SHELL

_SHOWN = 5  # kinds of issues, and warnings
_NAMED = 3  # rows of such a kind, consecutive ones together
_COUNTRIES = 10
_ON_SCREEN = {"not_sent": "ready"}  # nothing has failed: they would be sent


def show_plan(plan: Plan, page: Page, *, all_issues: bool = False, in_short: bool = False) -> None:
    """The counts, what changes who gets a message, and the rows to correct.

    `in_short` is for a command that goes on to send: its result has the counts, and the reasons of the rows.
    """
    if page.as_json:
        page.facts["plan"] = plan_facts(plan)
        return
    totals = plan.totals
    in_short = in_short and totals.messages > 0
    if not in_short:
        page.counts(totals.rows, {_ON_SCREEN.get(name, name): count for name, count in totals.items()})
        size = f"{counted(totals.messages, 'message')} in {counted(totals.parts, 'part')}"
        page.line(f"{size}, at most {counted(totals.longest, 'character')}{_countries(plan)}")
    told_later = ("phones_shared",) if in_short else ()
    findings = [finding for finding in plan.findings[1:] if finding.code not in told_later]
    about_people = [clean(SHELL.text(finding)) for finding in findings]
    warnings = list(dict.fromkeys([*about_people, *table_warnings(plan)]))
    for warning in warnings if all_issues else warnings[:_SHOWN]:
        page.line(warning, "doubt")
    left = 0 if all_issues else len(warnings[_SHOWN:])
    if not in_short:
        left += _show_issues(plan, page, every=all_issues)
    if left:
        page.line(SHELL.text(Finding("issues_left_out", {"count": left})))
    if all_issues and plan.reading is not None:
        for notice in (plan.reading.sentence, *notices_of_reading(plan)):
            page.line(notice)


def _countries(plan: Plan) -> str:
    """The countries of the numbers, the most frequent first: " (UG 274, KE 2)"."""
    countries = [f"{country or '?'} {figure(count)}" for country, count in plan.totals.countries.items()]
    shown = [*countries[:_COUNTRIES], *["…"][: len(countries) - _COUNTRIES]]
    return f" ({', '.join(shown)})" if shown else ""


def _show_issues(plan: Plan, page: Page, *, every: bool) -> int:
    """Why rows cannot be sent, or every issue: one line for each sentence, with its rows. Returns how many
    lines were left out."""
    issues = issues_of(plan, *SEVERITIES)
    issues = issues[issues["row"].notna()]
    texts = mask_texts(sentences(issues, SHELL))
    groups = issues["row"].groupby([issues["severity"] != "error", issues["column"], texts], sort=False)
    kinds = sorted(groups, key=lambda group: (group[0][0], -len(group[1])))
    errors = sum(not is_other for (is_other, *_), _ in kinds)
    most, named = (len(kinds), len(issues)) if every else (min(errors, _SHOWN), _NAMED)
    for (_, column, text), rows in kinds[:most]:
        page.line(f"  {figure(len(rows)):>6}  {column}, {_name_rows(rows.tolist(), named)}: {text}")
    return len(kinds) - most


def _name_rows(rows: Sequence[int], most: int) -> str:
    """ "row 3", "rows 3, 7-12 …"."""
    numbers = np.unique(np.asarray(rows, dtype=np.int64))
    starts = np.flatnonzero(np.diff(numbers, prepend=-1) > 1)
    ends = numbers[np.r_[starts[1:] - 1, -1]].tolist()
    runs = list(zip(numbers[starts].tolist(), ends, strict=True))
    shown = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs[:most])
    return f"{'row' if len(rows) == 1 else 'rows'} {shown}{' …' if len(runs) > most else ''}"
