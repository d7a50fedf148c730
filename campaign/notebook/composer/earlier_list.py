"""The list of people who want no texts that a campaign used when it was sent last, offered again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ipywidgets import HTML, VBox

from campaign import markup
from campaign.masking import mask_text
from campaign.notebook.composer.desk import Desk
from campaign.notebook.composer.fields import button, set_shown
from campaign.notebook.composer.memory import digest_of, kept_for
from campaign.paths import is_file
from campaign.text import clean, shorten

_NAME = 40  # characters of a file's name on a button
_USED = "When “{}” was sent last, it left out the people on the list {}{}. No list is chosen now."
_CHANGED = ", which has been changed since"
_GONE = ". That file is no longer there"


class EarlierList(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Names the list, and uses it again once somebody says so: `taken` is called with its path.

    Only where the file is and a digest of it were kept with the campaign, none of its numbers.
    """

    def __init__(self, desk: Desk, taken: Callable[[str], None]) -> None:
        self._desk, self._path = desk, ""
        self._said = HTML()
        self._use = button("", "use-earlier-list", lambda: taken(self._path))
        super().__init__([self._said, self._use])
        self.add_class("campaign-earlier-list")

    def offer(self) -> None:
        """Offer the list of the campaign that the desk has now, unless one is chosen."""
        desk = self._desk
        kept = None if desk.composition.opt_outs else kept_for(desk.name, desk.accounts)
        self._path = "" if kept is None else kept.composition.opt_outs or ""
        set_shown(self, self._path != "")
        if kept is None or not self._path:
            return
        is_there, file = is_file(self._path), mask_text(clean(Path(self._path).name))
        is_changed = kept.opt_outs_digest not in ("", digest_of(self._path))
        since = (_CHANGED if is_changed else "") if is_there else _GONE
        self._said.value = markup.paragraph(_USED.format(mask_text(clean(desk.name)), file, since))
        self._use.description = f"Leave out the people on {shorten(file, _NAME)} again"
        set_shown(self._use, is_there)
