"""The result of a campaign as one widget."""

from typing import Any

from ipywidgets import HTML, Dropdown, Tab, VBox

from campaign import markup
from campaign.local_times import LocalTimes
from campaign.notebook import summary_pages
from campaign.notebook.panel import Panel
from campaign.public_calls import public_call
from campaign.results.checked_result import check_result
from campaign.results.redaction import Redaction
from campaign.results.tables import Result
from campaign.text import figure
from campaign.words.finding import Finding
from campaign.words.python import PYTHON


@public_call
def summary(result: Result) -> Any:
    """Show the result of a campaign as a widget: outcomes, costs, batches, rows to follow up.

    Parameters
    ----------
    result
        What `send` or `load_result` returned.

    Returns
    -------
    ipywidgets.Widget
        Phone numbers are masked; names are not. A saved notebook keeps charts and counts, and no row.

    Raises
    ------
    UsageError
        Without a result.

    Examples
    --------
    >>> card = campaign.summary(result)
    """
    check_result(result, "summary", "campaign.summary({})")
    return SummaryPanel(result)


_FOLLOW_UP = 3  # the place of its page
# Programs that run notebooks, and some that save them, keep what widgets show.
_NOT_SAVED = PYTHON.headline(Finding("rows_not_saved"))


class SummaryPanel(Panel):
    """The result in four tabs; the card that stands in for it holds the charts and the counts."""

    def __init__(self, result: Result) -> None:
        self._result, self._redaction = result, Redaction(result, reveal=False)
        self._costs, self._follow_up = HTML(), HTML(markup.paragraph(_NOT_SAVED, note=True))
        self._column = Dropdown(options=summary_pages.columns_to_add_up(result), description="Cost by")
        self._column.add_class("campaign-column")
        self._column.observe(self._choose, "value")
        left = result.totals.attention
        tabs = {
            "Outcome": HTML(summary_pages.outcome(result)),
            "Cost": self._cost_page(),
            f"Batches ({figure(len(result.batches))})": HTML(summary_pages.batches(result, self._redaction)),
            f"To follow up ({figure(left)})": self._follow_up,
        }
        pages = Tab([*tabs.values()], titles=tuple(tabs))
        pages.observe(self._open, "selected_index")
        title = f'<p class="title">{markup.escape(summary_pages.title(result))}</p>'
        children = [
            HTML(title + summary_pages.head(result)),
            pages,
        ]
        super().__init__(result.__repr__, children, style=summary_pages.STYLE)

    def card(self) -> str:
        """The same on one page, without the rows of the file."""
        result = self._result
        pieces = [
            f"<style>{summary_pages.STYLE}</style>",
            summary_pages.head(result),
            summary_pages.outcome(result),
            summary_pages.cost(result),
            self._cost_by(),
            summary_pages.batches(result, self._redaction),
            markup.paragraph(LocalTimes.of_rounds(result.rounds).written_now(), note=True),
        ]
        return markup.card(summary_pages.title(result), pieces)

    def _cost_page(self) -> Any:
        if not self._column.options or self._result.totals.cost is None:
            return HTML(summary_pages.cost(self._result))
        self._choose()
        return VBox([HTML(summary_pages.cost(self._result)), self._column, self._costs])

    def _cost_by(self) -> str:
        """The costs that a person has chosen, under their name."""
        chart = self._costs.value
        return markup.paragraph(f"Cost by {self._column.value}") + chart if chart else ""

    def _open(self, change: Any) -> None:
        """Fill the page of the rows once a person opens it: names are in no file that they do not ask for."""
        if change["new"] == _FOLLOW_UP:
            self._follow_up.value = summary_pages.follow_up(self._result, self._redaction)

    def _choose(self, _: object = None) -> None:
        chart = summary_pages.cost_by(self._result, self._column.value)
        self._costs.value = chart
