"""Whom a campaign left out when it was sent last, because they want no texts, offered again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ipywidgets import HTML, VBox

from campaign import markup
from campaign.masking import mask_text
from campaign.notebook.composer.composition import Composition
from campaign.notebook.composer.desk import Desk
from campaign.notebook.composer.fields import button, set_shown
from campaign.notebook.composer.memory import Kept, digest_of, kept_for
from campaign.paths import is_file
from campaign.text import clean, listed_words
from campaign.values import replace

_USED = "When “{}” was sent last, it left out {}. That is not chosen now."
_BUTTON = " The button chooses it, for the rows of today."
_CHANGED = " (which has been changed since)"
_GONE = " (that file is no longer there)"
_NO_COLUMN = " (this spreadsheet has no such column)"


class EarlierList(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Names the list and the column, and uses them again once somebody says so.

    `taken` is called with a composition that has them. Where the file is and a digest of it were kept with
    the campaign, none of its numbers.
    """

    def __init__(self, desk: Desk, taken: Callable[[Composition], None]) -> None:
        self._desk = desk
        self._again = desk.composition
        self._said = HTML()
        self._use = button("Leave them out again", "use-earlier-list", lambda: taken(self._again))
        super().__init__([self._said, self._use])
        self.add_class("campaign-earlier-list")

    def offer(self) -> None:
        """Offer what the campaign that the desk has now used, as far as nothing is chosen instead."""
        desk = self._desk
        kept, self._again = kept_for(desk.name, desk.accounts), desk.composition
        used = [] if kept is None else [*filter(None, (self._about_list(kept), self._about_column(kept)))]
        set_shown(self, bool(used))
        can_be_used = self._again != desk.composition
        said = _USED.format(mask_text(clean(desk.name)), listed_words(used)) + _BUTTON * can_be_used
        self._said.value = markup.paragraph(said) if used else ""
        set_shown(self._use, can_be_used)

    def _about_list(self, kept: Kept) -> str:
        """The list that was used, where none is chosen; "" for none. It is taken if it is still there."""
        path = kept.composition.opt_outs
        if path is None or self._desk.composition.opt_outs is not None:
            return ""
        since = _GONE
        if is_file(path):
            self._again = replace(self._again, opt_outs=path)
            since = "" if kept.opt_outs_digest in ("", digest_of(path)) else _CHANGED
        return f"the people on the list {mask_text(clean(Path(path).name))}{since}"

    def _about_column(self, kept: Kept) -> str:
        """The column that was used, where none is chosen; "" for none. It is taken if it is there."""
        column, marks = kept.composition.opt_out_column, kept.composition.opt_out_marks
        if column is None or self._desk.composition.opt_out_column is not None:
            return ""
        is_there = column in self._desk.contacts.columns
        if is_there:
            plain = kept.composition.opt_out_plain
            self._again = replace(
                self._again, opt_out_column=column, opt_out_marks=marks, opt_out_plain=plain
            )
        return f"the people marked in “{mask_text(clean(column))}”{'' if is_there else _NO_COLUMN}"
