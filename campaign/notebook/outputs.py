"""What a notebook shows below a cell: runs as dashboards, questions as cards."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from IPython import get_ipython
from IPython.display import display

from campaign.errors import ConfirmationError
from campaign.notebook.error_card import question_card

if TYPE_CHECKING:
    from campaign.sending.run import Run


def show_run(run: Run) -> None:
    """Show a run as its dashboard; without ipywidgets, as a card that is replaced at the end."""
    if find_spec("ipywidgets") is None:
        _show_card(run)
        return
    from campaign.notebook.dashboard import Dashboard

    display(Dashboard(run))


def show_question(question: ConfirmationError) -> None:
    """Show a question as a card; where a typed phrase is enough to go on, with a field for it."""
    if question.proceed is None or find_spec("ipywidgets") is None:
        display({"text/plain": str(question), "text/html": question_card(question)}, raw=True)
        return
    from campaign.notebook.dashboard import Dashboard

    display(Dashboard(question))


def _show_card(run: Run) -> None:
    from campaign.notebook.run_card import run_card

    def bundle() -> dict[str, Any]:
        return {"text/plain": repr(run), "text/html": run_card(run)}

    card, events = display(bundle(), raw=True, display_id=True), get_ipython().events

    def after_cell(_: object) -> None:
        if run.ended:
            events.unregister("post_run_cell", after_cell)
            card.update(bundle(), raw=True)

    if not run.ended:
        events.register("post_run_cell", after_cell)
