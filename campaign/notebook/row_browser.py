"""All rows of a plan or a result, to search, sort and filter in a notebook."""

from collections.abc import Collection
from typing import Any

import pandas as pd
from ipywidgets import HTML

from campaign import markup
from campaign.argument_checks import check_switch, wrong
from campaign.contacts.reserved_columns import OUTCOME_COLUMNS
from campaign.libraries import require
from campaign.local_times import LocalTimes
from campaign.messages.overlong import TOO_LONG
from campaign.messages.plan import Plan
from campaign.messages.totals import READY, status_bars
from campaign.notebook.panel import Panel
from campaign.public_calls import public_call
from campaign.results import card
from campaign.results.outcome_list import outcome_list
from campaign.results.redaction import Redaction
from campaign.results.tables import Result
from campaign.text import agreeing, capitalised, counted
from campaign.words.finding import Finding
from campaign.words.python import PYTHON

_LOOK_AGAIN = PYTHON.text(Finding("rows_not_saved"))
_LISTED = ("status", "reason")

# DataTables brings a background of its own, which is not that of the theme.
STYLE = """
.campaign .itables_anywidget,.campaign .dt-container,.campaign .dt-container table.dataTable{background:none}
.campaign .dt-container .dt-scroll-body{background:var(--edges,none)}
.campaign .dt-container td{white-space:pre-wrap;overflow-wrap:break-word;max-width:26em;vertical-align:top;
text-align:left}
.campaign .dt-container table.dataTable td.dt-type-numeric,
.campaign .dt-container table.dataTable td.dt-empty{text-align:left}
.campaign .dt-container td:not(.dt-type-numeric){min-width:9em}
.campaign .dt-container td.wide{min-width:22em}
.campaign .dt-container td.unbroken{white-space:nowrap}
.campaign .dt-container .dt-search input{margin-left:.5em}
"""


@public_call
def browse(source: Plan | Result, *, reveal: bool = False) -> Any:
    """Show all rows of a plan or a result as a widget, to search, sort and filter.

    Parameters
    ----------
    source
        A `Plan` or a `Result`.
    reveal
        Show phone numbers; by default they are masked, also inside other text. Names are not.

    Returns
    -------
    ipywidgets.Widget
        Each row with its number in the sheet, its name, status, message and reason, then the other columns.
        No row becomes part of a saved notebook. 100,000 rows take some seconds.

    Raises
    ------
    UsageError
        For anything else.
    InstallationError
        Without itables and anywidget.

    Examples
    --------
    >>> table = campaign.browse(plan)
    """
    if not isinstance(source, Plan | Result):
        raise wrong(source, subject="browse", needs="a Plan or a Result", write="campaign.browse(plan)")
    check_switch(reveal, subject="reveal", write="reveal=True")
    require("itables", "anywidget")
    return RowBrowser(source, reveal=reveal)


class RowBrowser(Panel):
    """The rows in a frame; in a saved notebook, a card with how many there are of each status."""

    def __init__(self, source: Plan | Result, *, reveal: bool) -> None:
        from campaign.notebook.row_table import RowTable

        self._source = source
        rows = capitalised(counted(len(source.contacts), "row"))
        numbers = "phone numbers in full" if reveal else "phone numbers masked"
        table = RowTable(
            lambda: rows_to_browse(source, reveal=reveal),
            listed=_LISTED,
            wide=("message", "reason"),
            unbroken=_plan_of(source).addressing.columns,
            waiting="Loading …",
            nothing_found=PYTHON.text(
                Finding("no_such_row", {"write": "" if reveal else "campaign.browse(…, reveal=True)"})
            ),
        )
        about = [numbers, *_about_long_texts(source)]
        head = f'<p class="title">{rows}</p>{"".join(markup.paragraph(line, note=True) for line in about)}'
        super().__init__(source.__repr__, [HTML(head), table], style=STYLE)

    def card(self) -> str:
        """What a notebook shows when it is opened again."""
        source = self._source
        bars = status_bars(source.totals) if isinstance(source, Plan) else _outcome(source)
        notes = (_LOOK_AGAIN, LocalTimes().written_now())
        pieces = [bars, *(markup.paragraph(words, note=True) for words in notes)]
        return markup.card(capitalised(counted(source.totals.rows, "row")), pieces)


def _outcome(result: Result) -> str:
    return f"<style>{card.STYLE}</style>{outcome_list(result.findings, PYTHON)}"


def rows_to_browse(source: Plan | Result, *, reveal: bool) -> pd.DataFrame:
    """Every row of the file with what became of it; phone numbers are masked unless revealed.

    First the row's number in the sheet and its name, status, phone numbers, message and reason, then the
    other columns of the file, and last the batch and the provider's code, where any row has one.
    """
    contacts = source.contacts
    outcome = [name for name in OUTCOME_COLUMNS if name in contacts.columns]
    status, _, reason, *ids = outcome
    message = _free_name("message", contacts.columns)
    table = contacts.assign(**{message: _texts(source).reindex(contacts.index).fillna("")})
    provider = [name for name in ids if table[name].dropna().astype("str").ne("").any()]
    addressing = _plan_of(source).addressing
    numbers = [name for name in addressing.columns if name in contacts.columns]
    names = [name for name in [addressing.naming_column(contacts)] if name]
    rest = contacts.columns.drop([*outcome, *numbers, *names])
    table = table[[*names, status, *numbers, message, reason, *rest, *provider]]
    if isinstance(source, Plan):
        table = table.assign(**{status: table[status].replace("not_sent", READY)})
    table = Redaction(source, reveal=reveal).contacts(table, source.issues)
    table.insert(0, "row", table.index)
    return table.reset_index(drop=True)


def _plan_of(source: Plan | Result) -> Plan:
    return source.plan if isinstance(source, Result) else source


def _free_name(name: str, columns: Collection[str]) -> str:
    """The name for a column of ours that stands beside those of the file."""
    while name in columns:
        name = f"{name} (campaign)"
    return name


def _texts(source: Plan | Result) -> "pd.Series[str]":
    """The text of each row that has one; the pieces of a text that was split, below each other.

    A plan also has the texts that are too long, so that one sees what to shorten.
    """
    texts = source.messages.set_index("row")["message"]
    if not texts.index.is_unique:
        texts = texts.groupby(level="row", sort=False).agg("\n".join)
    return texts if isinstance(source, Result) else pd.concat([texts, _long_texts(source)])


def _long_texts(plan: Plan) -> "pd.Series[str]":
    """The texts of the rows of a plan that get nothing because theirs is too long."""
    texts = _about_too_long(plan).drop_duplicates("row").astype({"row": "int64"}).set_index("row")["value"]
    return texts.astype("str")


def _about_too_long(source: Plan | Result) -> pd.DataFrame:
    """The issues of these texts; none of a result, whose texts are those that went out, or should have."""
    if isinstance(source, Result):
        return source.issues.head(0)
    issues = source.issues
    return issues[issues["code"].isin(TOO_LONG) & (issues["severity"] == "error")]


def _about_long_texts(source: Plan | Result) -> list[str]:
    """What else can be done about them: their reasons are for people who correct cells, without Python."""
    count = int(_about_too_long(source)["detail"].str.contains("overlong=", regex=False).sum())
    if not count:
        return []
    one = agreeing(count, "it", "them")
    return [
        f"{count:,} {agreeing(count, 'text is', 'texts are')} too long: shorten what fills {one} in, or "
        'prepare the plan with overlong="truncate" or overlong="split".'
    ]
