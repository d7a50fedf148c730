"""The result of a campaign as one widget: the outcome, the cost, and what is left to do."""

from typing import Any

from campaign import markup
from campaign.results import charts
from campaign.results.redaction import Redaction
from campaign.results.tables import ENVIRONMENTS, Result, check_result
from campaign.text import capitalised, counted, figure, money

_ROWS = 20  # of each table; the reports contain all of them

STYLE = """
.campaign .lm-TabBar-tab,.campaign .p-TabBar-tab{color:inherit!important}
.campaign .chart{background:#fff;border-radius:3px;padding:.4em;max-width:46em}
.campaign .chart svg{display:block;max-width:100%;height:auto}
.campaign .chart svg text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,sans-serif!important}
"""


def summary(result: Result) -> Any:
    """A widget with the result of a campaign: totals and cost with charts, batches, rows to follow up.

    Phone numbers are masked; names and other texts in the rows to follow up are not. A notebook that is saved
    with its output contains everything that the widget shows.
    """
    from ipywidgets import HTML, Tab

    from campaign.notebook.panel import Panel

    check_result(result, "summary", "campaign.summary({})")
    redaction = Redaction(result, reveal=False)
    follow_up = result.follow_up()
    pages = {
        "Outcome": _outcome(result),
        "Cost": _cost(result),
        f"Batches ({figure(len(result.batches))})": _batches(result, redaction),
        f"To follow up ({figure(len(follow_up))})": _follow_up(result, redaction),
    }
    tabs = Tab([HTML(page) for page in pages.values()], titles=tuple(pages))
    return Panel(result.__repr__, [HTML(_head(result, redaction)), tabs], style=STYLE)


def _head(result: Result, redaction: Redaction) -> str:
    where = ENVIRONMENTS.get(result.environment, result.environment)
    sentences = redaction.texts([result.headline, *result.left_to_do])
    title = f'<p class="title">Result ({markup.escape(where)})</p>'
    return title + "".join(map(markup.paragraph, sentences))


def _outcome(result: Result) -> str:
    rows = capitalised(counted(result.totals.rows, "row"))
    return _chart(charts.outcomes(result.totals)) + markup.paragraph(f"{rows} in the file.", note=True)


def _cost(result: Result) -> str:
    totals = result.totals
    facts = {
        "cost": money(totals.cost),
        "messages": figure(totals.messages),
        "batches": figure(totals.batches),
    }
    if totals.unpriced:
        facts["batches whose cost is not known"] = figure(totals.unpriced)
    return markup.facts(facts) + _chart(charts.costs(result.batches))


def _batches(result: Result, redaction: Redaction) -> str:
    """The batches, first those that need attention."""
    batches = result.batches
    ordered = batches.iloc[(batches["status"] == "accepted").to_numpy().argsort(kind="stable")]
    columns = ["batch", "messages", "status", "cost", "code", "submitted_at", "error"]
    first_batches = redaction.batches(ordered[columns].head(_ROWS)).rename(
        columns={"submitted_at": "submitted (UTC)"}
    )
    return markup.table(
        first_batches.replace({"status": {"not_sent": "not sent"}}), limit=_ROWS, rows=len(batches)
    )


def _follow_up(result: Result, redaction: Redaction) -> str:
    """The rows that need attention, with the reasons in the first columns."""
    rows = result.follow_up()
    if rows.empty:
        return markup.paragraph("Nothing: no row is invalid or refused.")
    reasons = ["last status", "last reason"]
    ordered = rows[[*reasons, *rows.columns.drop(reasons)]]
    return markup.table(redaction.follow_up(ordered.head(_ROWS)), limit=_ROWS, rows=len(rows))


def _chart(svg: str) -> str:
    return f'<div class="chart">{svg}</div>' if svg else ""
