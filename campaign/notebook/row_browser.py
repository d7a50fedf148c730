"""All rows of a plan or a result, to search, sort and filter in a notebook."""

from collections.abc import Collection
from importlib.util import find_spec
from typing import Any

import pandas as pd
from ipywidgets import HTML

from campaign import markup
from campaign.argument_checks import check_switch, wrong
from campaign.contacts.reserved_columns import OUTCOME_COLUMNS
from campaign.errors import UsageError
from campaign.local_times import LocalTimes
from campaign.messages.overlong import TOO_LONG
from campaign.messages.plan import Plan
from campaign.messages.totals import READY, status_bars
from campaign.notebook.panel import Panel
from campaign.public_calls import public_call
from campaign.results.plain_words import without_error_classes
from campaign.results.redaction import Redaction
from campaign.results.tables import Result
from campaign.results.totals import outcome_bars
from campaign.text import agreeing, capitalised, counted

_NEEDED = 'campaign.browse needs itables: pip install "campaign[notebook]".'
_LOOK_AGAIN = "To look at the rows, run this cell in a notebook: they are never saved with it."
_NOT_FOUND = "No row is like this. Masked numbers cannot be searched: campaign.browse(…, reveal=True) can."
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
    """A widget with all rows of a plan or a result, to search, sort and filter by each column.

    Each row shows its number in the sheet, the first column of text of the file, such as the name, its
    status, its phone number, its message and the reason why it got none, then the other columns of the file.
    A plan shows texts that are too long, too. Phone numbers are masked, also inside other text, unless
    `reveal=True`; names are not. 100,000 rows take some seconds.

    The rows go to a browser that shows the widget, and are not saved: a notebook that is saved with its
    output contains only the number of rows of each status.

    Raises `UsageError` for anything but a plan or a result, and without the extra `notebook`.
    """
    if not isinstance(source, Plan | Result):
        raise wrong(source, subject="browse", needs="a Plan or a Result", write="campaign.browse(plan)")
    check_switch(reveal, subject="reveal", write="reveal=True")
    if find_spec("itables") is None or find_spec("anywidget") is None:
        raise UsageError(_NEEDED)
    return RowBrowser(source, reveal=reveal)


class RowBrowser(Panel):
    """The rows in a frame; in a saved notebook, a card with how many there are of each status."""

    def __init__(self, source: Plan | Result, *, reveal: bool) -> None:
        from campaign.notebook.row_table import RowTable

        self._source = source
        rows = capitalised(counted(len(source.contacts), "row"))
        numbers = (
            "Phone numbers are shown in full."
            if reveal
            else "Phone numbers are masked. With reveal=True they are shown in full."
        )
        table = RowTable(
            lambda: rows_to_browse(source, reveal=reveal),
            listed=_LISTED,
            wide=("message", "reason"),
            unbroken=_plan_of(source).addressing.columns,
            waiting="The rows are on their way.",
            nothing_found="No row is like this." if reveal else _NOT_FOUND,
        )
        about = [numbers, *_about_long_texts(source)]
        head = f'<p class="title">{rows}</p>{"".join(markup.paragraph(line, note=True) for line in about)}'
        super().__init__(source.__repr__, [HTML(head), table], style=STYLE)

    def card(self) -> str:
        """What a notebook shows when it is opened again."""
        source = self._source
        bars = status_bars(source.totals) if isinstance(source, Plan) else outcome_bars(source.totals)
        notes = (_LOOK_AGAIN, LocalTimes().written_now())
        pieces = [bars, *(markup.paragraph(words, note=True) for words in notes)]
        return markup.card(capitalised(counted(source.totals.rows, "row")), pieces)


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
    table = table.assign(**{reason: without_error_classes(table[reason], table[status])})
    if isinstance(source, Plan):
        table = table.assign(**{status: table[status].replace("not_sent", READY)})
    table = Redaction(source, reveal=reveal).contacts(table)
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
