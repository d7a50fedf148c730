"""A result in sentences: the outcome, why a run ended, and what is left to do."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from msgspec import Struct

from campaign.environments import words_for
from campaign.results.joined_rows import JoinedRows
from campaign.results.left_to_do import LeftToDo
from campaign.results.totals import outcome_sentence


class ResultInWords(Struct, frozen=True, eq=False, dict=True):
    """What `Result` says of its rows; the other fields are those of its arguments."""

    rows: JoinedRows
    note: str
    nothing_sent: bool
    is_closed: bool
    open_in: str
    order: str
    folder: Path | None

    @property
    def sentence(self) -> str:
        """The outcome and what is left to do, in plain words."""
        return " ".join((self.headline, *self.left_to_do))

    @property
    def headline(self) -> str:
        """The outcome, and why the run ended as it did."""
        return self.headline_with(self.note)

    def headline_with(self, note: str) -> str:
        """The outcome, with this note on why the run ended, "" for none."""
        outcome, earlier = outcome_sentence(self.rows.totals), self.rows.not_in_table.sentence
        if self.nothing_sent and self.rows.totals["accepted"]:
            pieces = [note, f"So far, {outcome[0].lower()}{outcome[1:]}", earlier]
        else:
            pieces = [note, outcome, earlier] if self.nothing_sent else [outcome, note, earlier]
        pieces = [words_for(self.rows.environment).caution, *pieces, self.about_closing]
        return " ".join(piece for piece in pieces if piece)

    @property
    def remarks(self) -> tuple[str, str]:
        """Why the run ended, and what was sent that is not in today's table; "" for neither."""
        return self.note, self.rows.not_in_table.sentence

    @property
    def about_closing(self) -> str:
        """That a person has closed the campaign, where nothing that is left to do says so; else ""."""
        says_so = self.rows.totals["refused"] or self.rows.totals["not_sent"]
        return "The campaign is closed: nothing waits in it." if self.is_closed and not says_so else ""

    @cached_property
    def left_to_do(self) -> tuple[str, ...]:
        """What is left to do, one sentence each; the note of a run that stopped early says how to resume."""
        says_how = self.note and self.order != "paused"
        return self.to_do.sentences(without={"not_sent"} if says_how else set())

    @cached_property
    def to_do(self) -> LeftToDo:
        """What is left to do, in sentences and in lines to copy."""
        return LeftToDo(
            totals=self.rows.totals,
            batches=self.rows.batches,
            planned=self.rows.messages_by_batch,
            folder=self.folder,
            order=self.order,
            is_closed=self.is_closed,
            open_in=self.open_in,
        )
