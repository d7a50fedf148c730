"""What a notebook shows below a cell: runs as dashboards, questions as cards."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from campaign.errors import ConfirmationError
from campaign.notebook.cell_output import after_each_cell, cell_number, show
from campaign.notebook.error_card import INSTEAD_OF_ERROR, question_card

if TYPE_CHECKING:
    from campaign.results.tables import Result
    from campaign.sending.run import Run


# The cell in which a run was shown last.
_cells: WeakKeyDictionary[Run, int] = WeakKeyDictionary()


def show_run(run: Run) -> None:
    """Show a run as its dashboard; without ipywidgets, as a card that is replaced at the end.

    Once in a cell: after `run.wait()`, a line `run` adds nothing.
    """
    cell = cell_number()
    if _cells.get(run) == cell:
        return
    _cells[run] = cell
    if find_spec("ipywidgets") is None:
        _show_card(run)
        return
    from campaign.notebook.dashboard import Dashboard

    Dashboard(run)._ipython_display_()


def result_html(result: Result) -> str:
    """A result as HTML; "" below its run, whose card is this result."""
    cell = cell_number()
    for run, shown_in in _cells.items():
        if shown_in == cell and run.ended and run.folder == result.folder:
            return ""
    return result._repr_html_()


def show_question(question: ConfirmationError) -> None:
    """Show a question as a card; where a typed phrase is enough to go on, with a field for it."""
    if question.proceed is None or find_spec("ipywidgets") is None:
        card = f"{INSTEAD_OF_ERROR}{question_card(question)}"
        show({"text/plain": str(question), "text/html": card})
        return
    from campaign.notebook.dashboard import Dashboard

    Dashboard(question)._ipython_display_()


def _show_card(run: Run) -> None:
    from campaign.notebook.run_card import run_card

    def bundle() -> dict[str, Any]:
        return {"text/plain": repr(run), "text/html": run_card(run)}

    card, shown = show(bundle()), run.status

    def after_cell(_: object) -> None:
        nonlocal shown
        if run.status != shown:
            shown = run.status
            card.update(bundle(), raw=True)

    after_each_cell(after_cell)
