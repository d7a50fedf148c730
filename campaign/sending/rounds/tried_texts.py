"""The texts that were tried out on a phone: those of this account's live try-outs."""

from __future__ import annotations

from pathlib import Path

from campaign.errors import CampaignError
from campaign.sending.ledger.views import identity_of
from campaign.sending.store.folder import open_folder
from campaign.sending.store.identity import is_try_out
from campaign.sending.store.manifest import account_hash
from campaign.sending.store.user_list import ListedCampaign, listed_campaigns
from campaign.service.account import Account


def tried_texts(account: Account) -> set[str]:
    """What live try-outs of this account may have brought to a phone.

    Those that were erased or cannot be read count as none: then a person is reminded once too often.
    """
    texts: set[str] = set()
    for listed in listed_campaigns()[0]:
        if listed.reached:
            try:
                texts |= _texts_of(listed, account)
            except CampaignError:
                continue
    return texts - {""}


def _texts_of(listed: ListedCampaign, account: Account) -> set[str]:
    folder = open_folder(Path(listed.folder))
    if not is_try_out(folder.manifest.name):
        return set()
    if identity_of(folder.ledger_place)["account"] != account_hash(account, folder.manifest.salt):
        return set()
    contents = folder.snapshot()
    plans = (one_round.load(contents.batches).plan for one_round in folder.rounds(contents))
    return {text for plan in plans for text in plan.messages["message"]}
