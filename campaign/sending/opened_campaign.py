"""A campaign that is open for one run."""

from __future__ import annotations

from contextlib import ExitStack

from msgspec import Struct

from campaign.sending.ledger.ledger import Ledger
from campaign.sending.options import SendOptions
from campaign.sending.store.folder import Folder
from campaign.sending.store.rounds import FrozenPlan, Round
from campaign.service.account import Account


class OpenCampaign(Struct, frozen=True):
    """A campaign that is checked, confirmed and locked for one run, with a round that is registered.

    `held` is what has to be let go at the end, in reverse order: the embedded sandbox, the lock, the ledger.
    `frozen` is None where the frozen plan has not been loaded. `comparison` says in a sentence what the
    campaign has sent before; it is "" where nothing was compared.
    """

    folder: Folder
    last_round: Round
    ledger: Ledger
    account: Account
    options: SendOptions
    frozen: FrozenPlan | None
    held: ExitStack
    comparison: str = ""

    def close(self) -> None:
        """Let go of it without a run."""
        self.held.close()
