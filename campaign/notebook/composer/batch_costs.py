"""What settled batches cost: a person adds it once the provider has told, one batch after the other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ipywidgets import HTML, VBox

from campaign import markup
from campaign.contract import ORDERED_AGAIN
from campaign.errors import CampaignError, ConfirmationError
from campaign.notebook.composer.cost_choice import typed_cost
from campaign.notebook.composer.desk_words import desk_words
from campaign.notebook.composer.fields import Field, Picker, button, set_shown
from campaign.remedies import ADD_COST
from campaign.results.tables import Result
from campaign.sending.afterwards.resolving import resolve
from campaign.text import counted, money

_WHAT_FOR = "Write what the provider has charged for all texts of the batch. It changes no outcome."
_NOTHING = "Write the cost as a number, such as 350 or 0.4, without a currency."


class BatchCosts(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Offers the batches whose cost is not known, and a field for it; nothing where there are none.

    `added` is called when a cost was.
    """

    def __init__(self, added: Callable[[], None]) -> None:
        self._folder, self._added = Path(), added
        self._done, self._problem = HTML(), HTML()
        self._problem.add_class("problem")
        self._which = Picker("Batch", "cost-batch", lambda _: None)
        self._cost = Field("What it cost", "batch-cost", entered=self._add)
        about = HTML(f"<h3>Costs that are not known yet</h3>{markup.paragraph(_WHAT_FOR, note=True)}")
        asked = [about, self._which, self._cost, button(ADD_COST, "add-cost", self._add), self._problem]
        self._area = VBox(asked)
        super().__init__([self._done, self._area])
        self.add_class("campaign-batch-costs")

    def show(self, result: Result) -> None:
        """Ask for the costs that are not known of a result."""
        self._done.value = self._problem.value = ""
        batches = result.unpriced_batches if result.folder is not None else result.batches.head(0)
        self._folder = result.folder or Path()
        choices = [
            (
                f"batch {row['batch']} ({counted(row['messages'], 'text')})",
                (int(row["batch"]), "again" if row["error"] == ORDERED_AGAIN else "accepted"),
            )
            for row in batches.to_dict("records")
        ]
        self._which.offer(choices, choices[0][1] if choices else None)
        self._cost.fill("")
        set_shown(self._area, bool(choices))

    def _add(self) -> None:
        """Give the chosen batch its cost: whoever has typed an amount means it, and can correct it later."""
        if self._which.value is None:
            return  # a second click, on its way while the first one added the last cost
        batch, outcome = self._which.value
        self._problem.value = ""
        try:
            cost = typed_cost(self._cost.value)
            if cost is None:
                self._complain(_NOTHING)
                return
            try:
                resolve(self._folder, batch, outcome, cost=cost)
            except ConfirmationError as question:
                resolve(self._folder, batch, outcome, cost=cost, confirm=question.phrase)
        except CampaignError as error:
            self._complain(desk_words(error))
            return
        self._added()
        self._done.value = (
            f'<div role="status">{markup.paragraph(f"Batch {batch} cost {money(cost)}.")}</div>'
        )

    def _complain(self, said: str) -> None:
        self._problem.value = f'<div role="alert">{markup.paragraph(said)}</div>'
