"""The pages of a summary as HTML: the outcome, the cost, the batches, what is left to do."""

from decimal import Decimal

import pandas as pd

from campaign import markup
from campaign.contacts.amount_columns import count_amounts
from campaign.contacts.reserved_columns import OUTCOME_COLUMNS
from campaign.local_times import LocalTimes
from campaign.masking import mask_texts
from campaign.messages.templates.date_orders import date_columns
from campaign.results import charts, outcome_list
from campaign.results.batch_numbers import which_batches, without_unsent
from campaign.results.breakdown import with_people
from campaign.results.card import about_changes
from campaign.results.finding_lines import headlines
from campaign.results.follow_up_rows import TO_FOLLOW_UP
from campaign.results.page.costs import EMPTY, OUTSIDE
from campaign.results.plain_words import with_attention_words
from campaign.results.redaction import Redaction, find_number_columns
from campaign.results.tables import Result
from campaign.results.time_chart import accepted_over_time
from campaign.results.totals import SHARING_A_PHONE
from campaign.text import figure
from campaign.words.python import PYTHON

_ROWS = 20  # of each table; the reports contain all of them
_MOST_VALUES = 20  # of a column by which costs are shown
_LONGEST_NAME = 60  # characters
_FEWEST_ROWS = 3  # with one value: a column of names is none to add up by
_NUMBER_OF_A_CLASS = "[0-9]{1,2}"  # longer ones are amounts or years
_MOST_ROWS = 0.8  # that share their value with others: a column of notes is empty in most
_FIRST_TO_FOLLOW_UP = ("unknown", "refused", "invalid", SHARING_A_PHONE)

STYLE = f"""{charts.STYLE}{outcome_list.STYLE}
.campaign .lm-TabBar-tab,.campaign .p-TabBar-tab{{color:inherit!important}}
.campaign.campaign .widget-tab>.lm-TabBar,.campaign.campaign .widget-tab>.p-TabBar{{font-family:inherit}}
.campaign.campaign .widget-tab .lm-TabBar-tab,.campaign.campaign .widget-tab .p-TabBar-tab{{flex:0 1 auto;
min-width:max-content}}
.campaign.campaign .widget-tab .widget-tab-contents{{overflow:visible!important}}
.campaign .chart{{max-width:46em}}
.campaign.campaign .key{{list-style:none;padding:0}}
.campaign.campaign .chart svg[height="10"]{{height:10px}}
.campaign.campaign .chart svg[height="24"]{{height:24px}}
.campaign.campaign .chart svg[height="150"]{{height:150px}}
"""


def head(result: Result) -> str:
    """Where it was sent, and what came of it."""
    changes = about_changes(result.changes_since, result.folder)
    badge = outcome_list.badge(result.environment)
    above = (f"<p><strong>{markup.escape(line)}</strong></p>" for line in headlines(result.findings, PYTHON))
    return f"{badge}{changes}{''.join(above)}"


def title(result: Result) -> str:
    return result.name or "Result"


def outcome(result: Result) -> str:
    """The rows by outcome as one bar with what to do, and when they were accepted."""
    over_time = accepted_over_time(result.timeline, LocalTimes.of_rounds(result.rounds))
    return f"{outcome_list.outcome_list(result.findings, PYTHON)}{over_time}"


def cost(result: Result) -> str:
    """What it cost, and how many batches have no cost that can be read."""
    totals = result.totals
    facts = {
        "cost": totals.cost_in_words,
        **{name: figure(count) for name, count in totals.messages_in_words.items()},
        "batches": figure(totals.batches),
    }
    if totals.unpriced:
        facts["batches whose cost is not known"] = figure(totals.unpriced)
    return markup.facts(facts)


def columns_to_add_up(result: Result) -> list[str]:
    """The columns of the file to add up costs by, such as a clinic, those with the fewest values first.

    Most rows of such a column share one of a few short values, and none of these holds a phone number.
    Amounts and dates are none; a class or a room may be a number of few digits.
    """
    contacts = result.plan.contacts
    contacts = contacts[contacts["status"] != "blank"]
    others = {*find_number_columns(result.plan), *date_columns(contacts), *OUTCOME_COLUMNS}
    names = [name for name in contacts.columns if name not in others]
    most = min(_MOST_VALUES, len(contacts) // _FEWEST_ROWS)
    fitting = [name for name in names if _can_be_added_up(contacts[name], most)]
    return sorted(fitting, key=lambda name: contacts[name].nunique())


def _can_be_added_up(cells: "pd.Series[str]", most: int) -> bool:
    counts = cells[cells != ""].value_counts()
    shared = counts[counts >= _FEWEST_ROWS]
    if not 1 < len(counts) <= most or len(shared) < 2 or shared.sum() < _MOST_ROWS * len(cells):
        return False
    values = pd.Series(counts.index, dtype="str")
    if count_amounts(values).are_amounts and not values.str.fullmatch(_NUMBER_OF_A_CLASS).all():
        return False
    return bool(values.str.len().max() <= _LONGEST_NAME and (mask_texts(values) == values).all())


def cost_by(result: Result, column: str) -> str:
    """The cost for each value of a column, the highest first, as bars."""
    frame = with_people(result.by(column))
    shares = frame["cost_share"]
    order = shares.map(lambda share: Decimal(0) if share is None else share).astype(float).argsort()[::-1]
    names = [OUTSIDE if pd.isna(name) else name or EMPTY for name in frame.index]
    unpriced = frame["unpriced"].tolist()
    costs = {names[place]: (shares.iloc[place], unpriced[place]) for place in order}
    return charts.cost_bars(costs, result.currency)


def batches(result: Result, redaction: Redaction) -> str:
    """The batches, first those that need attention, then the newest."""
    left, about_unsent = without_unsent(result.batches.iloc[result.batches_by_urgency])
    columns = ["batch", "messages", "status", "cost", "error", "submitted_at", "code"]
    times = LocalTimes.of_rounds(result.rounds)
    shown = redaction.batches(left[columns].head(_ROWS))
    shown = times.with_local(shown.rename(columns={"error": "note"}), "submitted_at", "submitted")
    kind = ("batch", "batches")
    table = markup.table(shown, limit=_ROWS, rows=len(left), of=kind, which=which_batches(left))
    tables = "" if left.empty and about_unsent else markup.scroller(table, "Batches")
    return tables + (markup.paragraph(about_unsent, note=True) if about_unsent else "")


def follow_up(result: Result, redaction: Redaction) -> str:
    """The rows that need attention, the unknown first, with the reasons in the first columns."""
    rows = result.follow_up(TO_FOLLOW_UP)
    if rows.empty:
        return ""
    reasons = ["last status", "last reason"]
    ordered = rows[[*reasons, *rows.columns.drop(reasons)]]
    urgency = pd.Categorical(ordered["last status"], _FIRST_TO_FOLLOW_UP).codes
    ordered = ordered.iloc[urgency.argsort(kind="stable")]
    shown = with_attention_words(redaction.follow_up(ordered.head(_ROWS)))
    table = markup.table(shown, limit=_ROWS, rows=len(rows))
    return markup.scroller(table, "Rows to follow up")
