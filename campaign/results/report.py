"""A result as a file to share: a page, a workbook, or its rows as comma-separated values."""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd

from campaign import markup
from campaign.argument_checks import check_path, check_switch
from campaign.contacts.reading_record import Reading
from campaign.results import charts
from campaign.results.card import in_words
from campaign.results.csv_file import write_csv
from campaign.results.redaction import Redaction
from campaign.results.replaced_file import check_ending, replace_file
from campaign.results.tables import ENVIRONMENTS, TO_FOLLOW_UP, Result, check_result
from campaign.results.workbook import write_workbook
from campaign.text import counted, figure, money

MEANINGS = {
    "invalid": "left out: something in the row has to be corrected first",
    "blank": "left out: the row is empty",
    "duplicate": "left out: an earlier row, or an earlier campaign, has the same number",
    "opted_out": "left out: the number is on the opt-out list",
    "not_sent": "ready, and not sent",
    "accepted": "accepted by the service, which does not say whether it reached the phone",
    "refused": "refused by the service, so not sent",
    "unknown": "may have been sent: the request left, and no readable answer came back",
}
ENDINGS = (".html", ".xlsx", ".csv")
# The page shows only the first rows; the workbook contains all of them.
_MOST_BATCHES = 500
_MOST_ROWS = 100


def write_report(result: Result, path: str | os.PathLike[str], *, reveal: bool = False) -> Path:
    """Write a report of a result to a file and return its path; the file extension decides the format.

    - `.html`: one self-contained page: outcome, cost, batches, rows to follow up, issues
    - `.xlsx`: the sheets Summary, Batches, Messages, Contacts and Issues
    - `.csv`: every row of the file with its outcome, UTF-8, every field quoted; what a spreadsheet program
      could run as a formula gets a ' in front

    Phone numbers are masked (25677*****56), also inside other text, unless `reveal=True`. An existing file is
    replaced in one step. Raises `UsageError` for any other extension, and `ReportError` for a symbolic link,
    a folder, or a place that cannot be written to.
    """
    check_result(result, "write_report", "campaign.write_report({}, path)")
    check_path(path, subject="path", write='campaign.write_report(result, "report.html")')
    check_switch(reveal, subject="reveal", write="reveal=True")
    path = Path(path)
    writers: dict[str, Callable[[Result, Path, Redaction], None]] = {
        ".html": _write_html,
        ".xlsx": _write_xlsx,
        ".csv": _write_csv,
    }
    check_ending(path, writers)
    redaction = Redaction(result, reveal=reveal)
    replace_file(path, lambda new_path: writers[path.suffix.lower()](result, new_path, redaction))
    return path


# --- rows and workbook --------------------------------------------------------------------------------


def _write_csv(result: Result, path: Path, redaction: Redaction) -> None:
    write_csv(path, redaction.contacts(result.contacts))


def _write_xlsx(result: Result, path: Path, redaction: Redaction) -> None:
    totals = result.totals
    summary = {
        "Outcome": redaction.texts([result.sentence])[0],
        "Where": ENVIRONMENTS.get(result.environment, result.environment),
        "Messages": totals.messages,
        "Batches": totals.batches,
        "Cost": "unknown" if totals.cost is None else totals.cost,
        "About the cost": _cost_note(result),
        **_reading_facts(result.reading),
        "Phone numbers": redaction.sentence,
        "Plan": result.plan.fingerprint,
        "Written": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
    }
    sheets = {
        "Batches": redaction.batches(result.batches),
        "Messages": redaction.messages(result.messages),
        "Contacts": redaction.contacts(result.contacts).reset_index(),
        "Issues": redaction.issues(result.issues),
    }
    write_workbook(path, summary, dict(totals), sheets)


# --- page ---------------------------------------------------------------------------------------------


def _write_html(result: Result, path: Path, redaction: Redaction) -> None:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    template = Path(__file__).with_name("report.html.jinja").read_text(encoding="utf-8")
    page = environment.from_string(template).render(_page(result, redaction))
    path.write_text(page, encoding="utf-8", newline="\n")


def _page(result: Result, redaction: Redaction) -> dict[str, Any]:
    """The values for the template. Tables and charts are HTML in which all text is already escaped."""
    totals, batches, issues = result.totals, result.batches, result.issues
    follow_up = result.follow_up(TO_FOLLOW_UP)
    frames = {
        "batches": in_words(_errors_last(redaction.batches(batches.head(_MOST_BATCHES)))),
        "follow_up": in_words(_reasons_first(redaction.follow_up(follow_up.head(_MOST_ROWS)))),
        "issue_kinds": _issues_in_words(_kinds(issues, redaction)),
        "issues": _issues_in_words(redaction.issues(issues.head(_MOST_ROWS))),
    }
    lengths = {"batches": len(batches), "follow_up": len(follow_up), "issues": len(issues)}
    tables = {
        name: markup.table(frame, limit=len(frame), rows=lengths.get(name)) for name, frame in frames.items()
    }
    return tables | {
        "title": "Campaign report" if result.folder is None else f"Campaign report: {result.folder.name}",
        "where": ENVIRONMENTS.get(result.environment, result.environment),
        "live": result.environment == "live",
        "headline": redaction.texts([result.headline])[0],
        "left_to_do": result.left_to_do,
        "outcomes": charts.outcomes(totals),
        "totals": [(name.replace("_", " "), figure(count), MEANINGS[name]) for name, count in totals.items()],
        "rows": figure(totals.rows),
        "cost_facts": markup.facts(_cost_facts(result)),
        "cost_note": _cost_note(result),
        "costs": charts.costs(batches),
        "lengths": lengths,
        "reading": markup.facts(_reading_facts(result.reading)),
        "notices": [] if result.reading is None else redaction.texts(result.reading.notices),
        "redaction": redaction.sentence,
        "fingerprint": result.plan.fingerprint[:12],
        "written": f"{datetime.now(UTC):%Y-%m-%d %H:%M}",
    }


def _errors_last(batches: pd.DataFrame) -> pd.DataFrame:
    names = [name for name in batches.columns if name not in ("error", "attempts")]
    return batches[[*names, "error"]]


def _issues_in_words(issues: pd.DataFrame) -> pd.DataFrame:
    return issues.assign(code=issues["code"].str.replace("_", " ")).rename(columns={"code": "issue"})


def _cost_facts(result: Result) -> dict[str, str]:
    totals, batches = result.totals, result.batches
    accepted = batches[batches["status"] == "accepted"]
    priced = accepted[accepted["cost"].notna()]
    facts = {
        "Cost": money(totals.cost),
        "Messages accepted": figure(int(accepted["messages"].sum())),
        "Messages in all": figure(totals.messages),
        "SMS parts in all": figure(totals.parts),
    }
    if not priced.empty:
        average = sum(priced["cost"], Decimal(0)) / int(priced["messages"].sum())
        facts["Cost per accepted message"] = money(average)
    return facts


def _cost_note(result: Result) -> str:
    note = "The cost is what the service reported: one amount for each batch, without a currency."
    unpriced = result.totals.unpriced
    if not unpriced:
        return note
    batches = counted(unpriced, "batch", "batches")
    return f"{note} It reported none for {batches} that it may have charged, so the total may be higher."


def _reading_facts(reading: Reading | None) -> dict[str, str]:
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


def _kinds(issues: pd.DataFrame, redaction: Redaction) -> pd.DataFrame:
    """How often each kind of issue was found, errors first, with the first row and its detail."""
    severity_order = issues["severity"].map({"error": 0, "warning": 1, "info": 2})
    groups = issues.assign(order=severity_order).groupby(["order", "severity", "code"], sort=False)
    kinds = groups.agg(found=("code", "size"), row=("row", "first"), detail=("detail", "first"))
    kinds = kinds.reset_index().sort_values(["order", "found"], ascending=[True, False], kind="stable")
    kinds["detail"] = redaction.texts(kinds["detail"])
    return kinds.drop(columns="order").rename(columns={"row": "first row", "detail": "first detail"})


def _reasons_first(follow_up: pd.DataFrame) -> pd.DataFrame:
    reasons = ["last status", "last reason"]
    return follow_up[[*reasons, *(name for name in follow_up.columns if name not in reasons)]]
