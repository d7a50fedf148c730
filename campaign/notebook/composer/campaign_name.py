"""The name of the campaign: a field, and buttons for others that the spreadsheet may belong to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ipywidgets import HTML, HBox, Layout, VBox

from campaign import markup
from campaign.errors import OtherFileError
from campaign.masking import mask_text
from campaign.notebook.composer.desk import Desk
from campaign.notebook.composer.desk_words import BEGIN, CHANGE_TO, FIELDS, GO_ON_WITH
from campaign.notebook.composer.fields import Field, button
from campaign.sending.store.identity import folded_name
from campaign.text import clean, listed_words, shorten

_EMPTY = "if this stays empty: {}"
_LENGTH = 40  # characters of a name on a button
_NAMED = 3  # campaigns
_LEAVE = "To leave {} as it is, and go on with another campaign that this spreadsheet may belong to:"


class CampaignName(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """`decided` is called with the name that a person writes, or chooses with a button, and `begun` with that
    of a campaign which is begun although others have sent its texts.
    """

    def __init__(self, desk: Desk, decided: Callable[[str], None], begun: Callable[[str], None]) -> None:
        self._desk, self._decided, self._begun = desk, decided, begun
        self.field = Field(FIELDS["name"], "name", written=decided)
        self._about, self._others = HTML(), _row([])
        self.ways_away = VBox()  # for the end of the section: it leads away from what was begun
        self.ways_away.add_class("campaign-ways-away")
        super().__init__([self.field, self._about, self._others])
        self.add_class("campaign-names")

    def refill(self) -> None:
        """Show the name that was given, and what an empty field means."""
        self.field.fill(self._desk.composition.name)
        self.field.placeholder = _EMPTY.format(self._desk.name)

    def offer(
        self, unclear: OtherFileError | None = None, senders: Sequence[str] = (), *, is_begun: bool = False
    ) -> None:
        """Say what the spreadsheet was sent as before, and offer these names.

        `unclear` says which campaign of the same name was sent from another file: empty is no answer.
        Neither is it where `senders`, other campaigns, have sent these texts: a new one knows nothing of
        that, so it begins only with a button of its own. Where the campaign `is_begun`, other names are
        offered out of the way.
        """
        desk = self._desk
        self.field.placeholder = "" if unclear or senders else _EMPTY.format(desk.name)
        others = self._other_names(unclear, senders)
        said = _sentence(desk) if others or desk.composition.name else ""
        about = markup.paragraph(said, note=True) if said else ""
        if senders:
            about += f'<div class="changed">{markup.paragraph(_question(senders))}</div>'
        self._about.value = f'<div role="status">{about}</div>' if about else ""
        buttons = [] if is_begun else self._buttons(GO_ON_WITH, "go-on-with", others)
        if senders:
            begin = BEGIN.format(shorten(clean(desk.name), _LENGTH))
            buttons.append(button(begin, "begin-new", partial(self._begin, desk.name)))
        self._others.children = buttons
        away = self._buttons(CHANGE_TO, "change-to", others) if is_begun else []
        leave = markup.paragraph(_LEAVE.format(_quoted(desk.name)), note=True)
        self.ways_away.children = [HTML(leave), _row(away)] if away else []

    def _other_names(self, unclear: OtherFileError | None, senders: Sequence[str]) -> list[str]:
        """The names that the spreadsheet may belong to, without the one that stands now."""
        desk = self._desk
        now = "" if unclear else folded_name(desk.name)
        named = ("" if unclear is None else unclear.campaign, *senders, *desk.names_sent, desk.name_before)
        return [*{folded_name(name): name for name in named if name and folded_name(name) != now}.values()]

    def _buttons(self, label: str, kind: str, names: Sequence[str]) -> list[Any]:
        return [
            button(label.format(shorten(clean(name), _LENGTH)), kind, partial(self._take, name))
            for name in names
        ]

    def _take(self, name: str) -> None:
        self.field.fill(name)
        self._decided(name)

    def _begin(self, name: str) -> None:
        self.field.fill(name)
        self._begun(name)


def _row(buttons: Sequence[Any]) -> HBox:
    return HBox(buttons, layout=Layout(flex_flow="row wrap"))


def _question(senders: Sequence[str]) -> str:
    """What to choose between, where these campaigns have sent the texts of the spreadsheet."""
    names = listed_words(_quoted(name) for name in senders[:_NAMED])
    return (
        f"People of this spreadsheet have these texts from {names} already. Go on with that campaign, and "
        "they get nothing more; begin one of its own, and they get the texts again."
    )


def _quoted(name: str) -> str:
    return f"“{mask_text(clean(name))}”"


def _sentence(desk: Desk) -> str:
    """What the spreadsheet was sent as, and what the one before was called; "" if nothing is known."""
    last, *earlier = [_quoted(name) for name in desk.names_sent] or [""]
    before = f" Before that, it was sent as {listed_words(earlier)}." if earlier else ""
    sent = f"This file was last sent as {last}.{before}" if last else ""
    dropped = f"With the file before, the name was {_quoted(desk.name_before)}."
    return " ".join(filter(None, [sent, dropped if desk.name_before else ""]))
