"""Where the texts can go, and why not elsewhere."""

from __future__ import annotations

from campaign import markup
from campaign.environments import Environment
from campaign.notebook.composer.desk import Desk
from campaign.notebook.composer.desk_words import desk_words

PLACES: dict[Environment, str] = {
    "local": "Rehearse on this machine: nothing leaves it, nobody gets anything",
    "sandbox": "The provider's sandbox: it answers as the real service, nobody gets anything",
    "live": "Live: real texts to real phones",
}
NO_ACCOUNT = (
    "To send for real, this program needs your account with the SMS provider: ask whoever looks after this "
    "machine to set CAMPAIGN_LIVE_URL, CAMPAIGN_LIVE_USERNAME and CAMPAIGN_LIVE_PASSWORD, and to start it "
    "again."
)
_ONLY_REHEARSAL = f"A rehearsal needs nothing more. {NO_ACCOUNT}"


def about_only_place(desk: Desk) -> str:
    """Where the texts go, where there is nothing to choose; "" where there is."""
    places = [PLACES[where] for where in desk.accounts]
    return markup.paragraph(f"Where to: {places[0]}.") if len(places) == 1 else ""


def about_accounts(desk: Desk) -> str:
    """Why the texts cannot be sent elsewhere, where an account is missing or cannot be used."""
    faults = [
        f"{PLACES[where].partition(':')[0]}: this account cannot be used. {desk_words(fault)}"
        for where, fault in desk.account_faults.items()
    ]
    if faults:
        return f'<div class="problem" role="alert">{"".join(map(markup.paragraph, faults))}</div>'
    return markup.paragraph(_ONLY_REHEARSAL, note=True) if len(desk.accounts) == 1 else ""
