"""The result of a campaign as a page: what a manager quotes first, what a clerk looks up below."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from campaign import markup
from campaign.contacts.phone_numbers.problems_and_repairs import CHANGES
from campaign.contacts.reading_record import Reading
from campaign.contract import KEEPING
from campaign.environments import words_for
from campaign.local_times import LocalTimes
from campaign.messages.issues import issue_kinds, sentences
from campaign.results import charts, outcome_list
from campaign.results.finding_lines import headlines, remedy
from campaign.results.page.batch_ranges import batch_ranges
from campaign.results.page.costs import (
    cost_by_country,
    cost_by_sender,
    figures,
    for_page,
    has_other_texts,
    shown_breakdown,
)
from campaign.results.page.reasons import reasons
from campaign.results.page.rendering import table, write_page
from campaign.results.page.sending_facts import example, round_table, sending_facts, technical_facts
from campaign.results.page.sent_texts import sent_by_round
from campaign.results.plain_words import as_sentences, words_of_page
from campaign.results.redaction import Redaction
from campaign.results.sent_rounds import as_counted
from campaign.results.tables import Result
from campaign.results.time_chart import accepted_over_time
from campaign.text import capitalised, counted, figure, listed_words
from campaign.words.page import PAGE
from campaign.words.shell import SHELL

# The page shows only the first ones; the workbook contains all.
_MOST_REASONS = 20
_MOST_BATCHES = 200
_MOST_PEOPLE = 100
_MOST_ISSUES = 100
_MOST_MESSAGES = 100
_FEW = 12  # people who are shown without a click


def write_result_page(result: Result, path: Path, redaction: Redaction, by: Sequence[str]) -> None:
    """Write the page of a result, with a section for each of the columns in `by`."""
    times = LocalTimes.of_rounds(result.rounds)
    values = _head(result, redaction, times) | _people(result, redaction) | _files(result, redaction)
    values |= _batches(result, redaction, times) | _costs(result, redaction, by)
    write_page(path, "result.html.jinja", values, times)


def _head(result: Result, redaction: Redaction, times: LocalTimes) -> dict[str, Any]:
    findings, timeline = result.findings, result.timeline
    first, *others = filter(None, redaction.texts(headlines(findings, PAGE)))
    commands = dict.fromkeys(remedy(one, SHELL) for one in findings)
    return {
        "name": result.name or (result.folder.name if result.folder else "Campaign report"),
        "environment": result.environment,
        "where": words_for(result.environment).where,
        "when": "" if timeline is None else capitalised(times.span(timeline.first, timeline.last)),
        "headline": first,
        "remarks": [text for text in (result.changes_since, *others) if text],
        "outcomes": outcome_list.outcome_list(findings, PAGE),
        "figures": figures(result),
        "commands": [command for command in commands if command],
        "was_sent": bool(sent_by_round(result)),
        "example": example(result, redaction),
        "facts": sending_facts(result, redaction),
        "rounds": table(round_table(result, times), "Rounds") if result.sent_rounds > 1 else "",
        "over_time": accepted_over_time(timeline, times),
        "technical": technical_facts(result),
        "redaction": PAGE.headline(redaction.finding),
    }


def _people(result: Result, redaction: Redaction) -> dict[str, Any]:
    """Those who need attention: the reasons, then the people."""
    lines = reasons(result)
    shown = lines.head(_MOST_REASONS)
    shown = shown.assign(
        status=words_of_page(shown["status"]), reason=redaction.texts(shown["reason"])
    ).rename(columns=str.capitalize)
    count = result.totals.attention
    first = result.follow_up_rows.first(_MOST_PEOPLE)
    return {
        "reasons": table(shown, "Reasons", rows=len(lines)) if len(lines) else "",
        "people": table(_as_read(redaction.follow_up(first)), "People", rows=count) if count else "",
        "people_count": counted(count, "person", "people"),
        "few_people": count <= _FEW,
    }


def _as_read(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows to follow up with what happened first, in words."""
    status, reason = rows["last status"], rows["last reason"]
    rows = rows.drop(columns=["last status", "last reason"])
    if "status" not in rows.columns and "reason" not in rows.columns:
        rows.insert(0, "status", words_of_page(status))
        rows.insert(1, "reason", as_sentences(reason))
        return rows
    rows.insert(0, "last status", words_of_page(status))
    rows.insert(1, "last reason", as_sentences(reason))
    return rows


def _batches(result: Result, redaction: Redaction, times: LocalTimes) -> dict[str, Any]:
    batches = redaction.batches(result.batches)
    ranges, lines = batch_ranges(batches, times)
    shown = batches.head(_MOST_BATCHES)
    moments = [
        "" if pd.isna(moment) else f"{times.day(moment)}, {times.time(moment)}"
        for moment in shown["submitted_at"]
    ]
    listed = shown[["batch", "messages", "status", "cost"]].assign(
        status=shown["status"].str.replace("_", " "),
        sent=moments,
        code=shown["code"],
        note=as_sentences(shown["error"]),
    )
    listed = listed.rename(columns=str.capitalize)
    return {
        "ranges": table(ranges, "Batches, equal ones together", figures=["Cost"]) if len(batches) else "",
        "ranges_left_out": f"{lines - len(ranges):,}" if lines > len(ranges) else "",
        "all_batches": table(listed, "All batches", rows=len(batches)) if len(batches) > 1 else "",
        "batch_count": counted(len(batches), "batch", "batches"),
    }


def _costs(result: Result, redaction: Redaction, by: Sequence[str]) -> dict[str, Any]:
    currency = result.currency
    return {
        "cost_bars": [
            (name, bars)
            for name, costs in (
                ("sender", cost_by_sender(result)),
                ("country of the number", cost_by_country(result)),
            )
            if (bars := charts.cost_bars(costs, currency))
        ],
        **_outside(result, redaction),
        "breakdowns": [_breakdown(result, column, redaction) for column in by],
    }


def _outside(result: Result, redaction: Redaction) -> dict[str, Any]:
    """What was sent and is not in the table, message by message."""
    messages = as_counted(result.not_in_table, result.batches)
    shown = redaction.messages(messages.head(_MOST_MESSAGES)).rename(columns=str.capitalize)
    return {
        "outside_count": counted(len(messages), "message"),
        "outside": table(shown, "Not in this table", rows=len(messages)) if len(messages) else "",
    }


def _breakdown(result: Result, column: str, redaction: Redaction) -> tuple[str, str]:
    """The name of a column, and its table."""
    frame = shown_breakdown(result, column, redaction)
    shown, sums, values = for_page(frame, result.currency, has_other_texts=has_other_texts(result))
    name = str(frame.index.name)
    html = table(shown, f"Values of {name}", rows=values, figures=["Share of the cost"], total=sums)
    return name, html


def _files(result: Result, redaction: Redaction) -> dict[str, Any]:
    """What was read, and what was found in it."""
    reading = result.reading
    kinds = _shown_kinds(issue_kinds(part.issues for part in result.parts()), redaction)
    count = int(kinds["count"].sum())
    first = redaction.issues(_first_issues(result, _MOST_ISSUES))
    return {
        "issue_kinds": table(_issues_in_words(kinds), "Kinds of issues") if count else "",
        "issues": table(_issues_in_words(first), "Issues row by row", rows=count) if count else "",
        "remarks_on_file": remarks_in_words(kinds),
        "reading": markup.facts(reading_facts(reading)),
        "notices": [] if reading is None else redaction.texts(map(PAGE.text, reading.notices)),
    }


def _first_issues(result: Result, count: int) -> pd.DataFrame:
    found: list[pd.DataFrame] = []
    for part in result.parts():
        found.append(part.issues.head(count))
        count -= len(found[-1])
        if not count:
            break
    return pd.concat(found, ignore_index=True)


def _shown_kinds(kinds: pd.DataFrame, redaction: Redaction) -> pd.DataFrame:
    """The kinds of issues as the page shows them."""
    example = redaction.texts(sentences(kinds, PAGE))
    kinds = kinds.drop(columns=["value", "facts"])
    return kinds.assign(example=example).rename(columns={"first_row": "first row", "example": "first detail"})


def _issues_in_words(issues: pd.DataFrame) -> pd.DataFrame:
    return issues.assign(code=issues["code"].str.replace("_", " ")).rename(columns={"code": "issue"})


def reading_facts(reading: Reading | None) -> dict[str, str]:
    """How the file was read, as names and values."""
    if reading is None:
        return {"File": "not recorded"}
    facts = {
        "File": reading.source,
        "Format": reading.format,
        "Sheet": reading.sheet,
        "Header row": None if reading.header_row is None else str(reading.header_row),
        "Encoding": reading.encoding,
        "Delimiter": reading.delimiter,
        "Rows": figure(reading.rows),
        "Hidden rows": figure(reading.hidden_rows),
        "Blank rows": figure(reading.blank_rows),
    }
    return {name: value for name, value in facts.items() if value}


# What is known from the campaign's own record, and was not found in the file.
_OF_CAMPAIGN = (*KEEPING, "reached_before")


def remarks_in_words(kinds: pd.DataFrame) -> str:
    """Their number and what they are, of the kinds of `issue_kinds`: "3 remarks on the file: 1 error and 2
    repairs"."""
    counts, of_campaign = kinds["count"], kinds["code"].isin(_OF_CAMPAIGN)
    is_error, is_repair = (kinds["severity"] == "error") & ~of_campaign, kinds["code"].isin(CHANGES)
    sizes = {
        "error": is_error,
        "repair": is_repair & ~is_error,
        "note": ~(is_error | is_repair | of_campaign),
    }
    of_file = [counted(count, name) for name, chosen in sizes.items() if (count := int(counts[chosen].sum()))]
    on_file, on_campaign = (int(counts[chosen].sum()) for chosen in (~of_campaign, of_campaign))
    pieces = [f"{counted(on_file, 'remark')} on the file: {listed_words(of_file)}"] if on_file else []
    if on_campaign:
        pieces.append(f"{counted(on_campaign, 'remark')} on what the campaign did before")
    return "; ".join(pieces)
