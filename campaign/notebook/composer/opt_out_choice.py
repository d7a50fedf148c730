"""The list of people who want no texts, as a person chooses it: a file, or the one that the campaign used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

from ipywidgets import HTML, Layout, VBox

from campaign.errors import UsageError
from campaign.messages.plan import Plan
from campaign.messages.suppression import leaves_out_most
from campaign.notebook.composer.composition import Composition
from campaign.notebook.composer.desk import Desk
from campaign.notebook.composer.desk_words import FIELDS
from campaign.notebook.composer.earlier_list import EarlierList
from campaign.notebook.composer.fields import Field, button, set_shown
from campaign.notebook.composer.left_out import about_forgotten
from campaign.notebook.composer.opt_out_list import about_list, unreadable_entries
from campaign.notebook.composer.uploads import OPT_OUT_UPLOADS, Upload
from campaign.text import counted, figure


class OptOutChoice(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Asks for the list, and doubts one that leaves out most of the rows.

    `chosen` is called when a person has chosen another list, or means the one that is doubted; it may raise
    an error of ours. It is called within `problems_shown`, as a section has it.
    """

    def __init__(
        self,
        desk: Desk,
        chosen: Callable[[], None],
        problems_shown: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._desk, self._chosen, self._problems_shown = desk, chosen, problems_shown
        self._agreed: tuple[str | None, str] = (None, "")  # a list that leaves out most, and for which file
        self._forgotten = HTML()
        self._forgotten.add_class("changed")
        self._forgotten.add_class("campaign-forgotten")
        self._earlier = EarlierList(desk, self._fill_in)
        self._field = Field(
            FIELDS["opt_outs"],
            "opt-outs",
            "a file of numbers, such as stop.csv",
            written=lambda _: self._take(),
        )
        self._upload = Upload("Choose a list of numbers", "opt-outs-upload", self._take_upload)
        self._agree = button("Leave them out", "agree", self._agree_to_list)
        set_shown(self._agree, False)
        self._faults = HTML()
        self._faults.add_class("campaign-opt-outs-faults")
        super().__init__(
            [self._forgotten, self._earlier, self._field, self._upload, self._agree, self._faults],
            layout=Layout(width="100%"),
        )

    def refill(self, composition: Composition) -> None:
        """Show the file again."""
        self._field.fill(composition.opt_outs or "")
        self._agreed = (composition.opt_outs, composition.source)

    def decisions(self, composed: Callable[[Mapping[str, Any]], Plan]) -> dict[str, Any]:
        """The list that the field names; `composed` gives the plan that a decision makes.

        Raises `UsageError` if it leaves out most of the rows, and nobody has said that this is meant.
        """
        chosen = self._field.value.strip() or None
        set_shown(self._agree, False)
        if chosen is not None and self._agreed != (chosen, self._desk.composition.source):
            self._doubt(composed({"opt_outs": chosen}))
        return {"opt_outs": chosen}

    def say(self, plan: Plan) -> None:
        """Say what the list holds, and offer the one of then where none is chosen."""
        decided = self._desk.composition
        about = about_list(plan, decided.opt_outs, decided.region)
        self._faults.value = about + unreadable_entries(plan)
        self._earlier.offer()

    def say_forgotten(self, count: int) -> None:
        """Ask for the list of so many people who were left out before, and are not left out now."""
        self._forgotten.value = about_forgotten(count)

    def _take(self) -> None:
        with self._problems_shown():
            self._chosen()

    def _fill_in(self, path: str) -> None:
        """Choose this file as if somebody had typed it."""
        self._field.fill(path)
        self._take()

    def _take_upload(self) -> None:
        with self._problems_shown(), self._upload.kept(OPT_OUT_UPLOADS) as path:
            self._field.fill(str(path))
            self._chosen()

    def _doubt(self, plan: Plan) -> None:
        """Raise a question if the list leaves out most of the rows: it may be the file of these people."""
        totals = plan.totals
        if not leaves_out_most(totals):
            return
        set_shown(self._agree, True)
        raise UsageError(
            f"This list would leave out {figure(totals['opted_out'])} of {counted(totals.rows, 'row')}. Is "
            "it the list of people who want no texts? Choose another one, or press “Leave them out”."
        )

    def _agree_to_list(self) -> None:
        """A person means a list that leaves out most of the rows."""
        self._agreed = (self._field.value.strip() or None, self._desk.composition.source)
        self._take()
