"""What was sent before under the name of the campaign, and which rows get no text because of it."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress

from ipywidgets import HTML, VBox

from campaign import markup
from campaign.environments import Environment
from campaign.errors import CampaignError, OtherFileError
from campaign.masking import mask_text
from campaign.messages.plan import Plan
from campaign.notebook.composer.desk import Desk
from campaign.notebook.composer.desk_words import desk_words
from campaign.notebook.composer.people_beside import PeopleBeside
from campaign.notebook.composer.reasons import Reason, ReasonList, reasons_of
from campaign.notebook.composer.section import marked
from campaign.sending.rounds.compared_in_words import listed_kinds
from campaign.sending.rounds.continuation_plan import continuation_of, continues
from campaign.sending.rounds.difference import Difference, about_others, plan_behind
from campaign.text import capitalised, clean

_KEPT_FROM = (
    "Some of these rows get no text, because of others of the campaign. The numbers are those of the rows in "
    "your own spreadsheet:"
)
_ONLY_TO_CORRECT = (
    "This file has only the rows to correct of “{}”, and nothing was sent {}from this folder under that name"
    " yet: whoever is not in it gets nothing. To reach everybody, correct these rows in the whole "
    "spreadsheet, and choose that one."
)
_OF_ANOTHER_NAME = (
    "This file has only the rows to correct of “{}”. Under another name, whoever is not in it gets nothing, "
    "and whoever that campaign has reached counts as new."
)
_UNCLEAR = (
    "“{}” was sent from another file of the same name. Section 4 asks whether this file goes on with it: "
    "whoever it has reached with this text gets nothing more."
)
_GOES_ON = (
    "Section 4 asks whether this spreadsheet goes on with that campaign: then whoever has this text gets "
    "nothing more."
)
_WHERE = {"local": "rehearsed on this machine", "sandbox": "sent to the provider's sandbox", "live": "sent"}


class SentBefore(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Says it for each place where something was sent; rehearsals do not matter for live."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._said, self._beside = HTML(), PeopleBeside()
        self._about_rows, self._kept_from = HTML(), ReasonList()
        super().__init__([self._said, self._beside, self._about_rows, self._kept_from])

    def clear(self) -> None:
        """Say nothing: it would be about an earlier spreadsheet."""
        self._said.value = self._about_rows.value = ""
        self._beside.show(None)
        self._kept_from.offer([])

    def say(self, plan: Plan, unasked: Collection[str]) -> None:
        """Compare the desk's plan again; no advice is about the parameters that are `unasked`."""
        chosen = self._desk.composition.environment
        places = [chosen] if chosen == "live" else [*self._desk.accounts]
        before = {where: difference for where in places if (difference := self._difference(where))}
        self._said.value = "".join(self._sentences(*one) for one in before.items())
        whole = "" if before or self._desk.refusal else self._about_others_of(plan)
        self._said.value += "".join(map(marked, filter(None, [whole, self._about_name()])))
        self._beside.show(plan_behind(before[chosen]) if chosen in before else None)
        kept = [reason for one in before.values() for reason in _kept_from(one, unasked)]
        self._about_rows.value = markup.paragraph(_KEPT_FROM) if kept else ""
        self._kept_from.offer(kept)

    def _about_others_of(self, plan: Plan) -> str:
        """What becomes of all who are not in a file of rows to correct whose campaign has sent nothing here;
        "" for any other spreadsheet."""
        continuation = continuation_of(plan)
        if continuation is None:
            return ""
        is_own_name = continues(plan, self._desk.name)
        live = "live " if self._desk.composition.environment == "live" else ""
        said = _ONLY_TO_CORRECT if is_own_name else _OF_ANOTHER_NAME
        return said.format(mask_text(clean(continuation.campaign)), live)

    def _about_name(self) -> str:
        """That it is to be decided which campaign the spreadsheet belongs to, or that others have reached
        people of a new one; "" where nothing is known of either."""
        said = ""
        try:
            difference = self._desk.difference(self._desk.composition.environment)
            said = desk_words(about_others(difference), here=3) if difference.is_first else ""
            if self._desk.senders(difference):
                said = f"{said} {_GOES_ON}"
        except OtherFileError as unclear:
            said = _UNCLEAR.format(mask_text(clean(unclear.campaign)))
        except CampaignError:  # the section says at its top why nothing can be sent
            pass
        return said

    def _difference(self, where: Environment) -> Difference | None:
        """What the plan would send there; None where nothing was sent before."""
        with suppress(CampaignError):  # the section that sends says why
            difference = self._desk.difference(where)
            return None if difference.is_first else difference
        return None

    def _sentences(self, where: Environment, difference: Difference) -> str:
        """What was sent there, and what is known of the people on the desk."""
        kinds = listed_kinds(difference.counts)
        said = f"{capitalised(_WHERE[where])} before{f': {kinds}' if kinds else ''}."
        return markup.paragraph(said)


def _kept_from(difference: Difference, unasked: Collection[str]) -> list[Reason]:
    """Why rows to correct get no text after all, because of rows that are not in this spreadsheet."""
    compared = plan_behind(difference)
    return [] if compared.file is None else reasons_of(compared.plan, compared.file.offered, unasked=unasked)
