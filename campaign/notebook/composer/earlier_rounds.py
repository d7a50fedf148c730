"""What the campaign of the spreadsheet on the desk has sent or rehearsed in this folder, however long ago."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import cast, get_args

from campaign.contacts.reading_options import DateOrder
from campaign.environments import Environment
from campaign.errors import CampaignError
from campaign.notebook.composer.desk import Desk
from campaign.sending.store.folder import folder_exists, open_folder
from campaign.sending.store.identity import CAMPAIGNS, folder_name
from campaign.sending.store.manifest import RoundManifest


def earlier_rounds(desk: Desk) -> list[tuple[RoundManifest, Environment]]:
    """The rounds with this name wherever they were sent or rehearsed, the last one last; without those
    whose text is not known."""
    rounds: list[tuple[RoundManifest, Environment]] = []
    for where in desk.accounts if desk.name else ():
        with suppress(CampaignError):
            path = (CAMPAIGNS / folder_name(desk.name, where)).absolute()
            if folder_exists(path):
                folder = open_folder(path)
                found = [one.manifest for one in folder.rounds(folder.snapshot())]
                rounds += [(manifest, where) for manifest in found if manifest.template]
    return sorted(rounds, key=lambda one: datetime.fromisoformat(one[0].created_at))


def earlier_date_order(desk: Desk) -> DateOrder | None:
    """How the last of these rounds with dates read them; None if that is not known, or differs by column."""
    readings = [last.load_reading() for last, _ in reversed(earlier_rounds(desk))]
    known = {*get_args(DateOrder)}  # beside them stand the signs of columns of numbers
    orders = (known & {order for _, order in reading.date_orders} for reading in readings if reading)
    last_orders = next(filter(None, orders), set())
    return cast(DateOrder, last_orders.pop()) if len(last_orders) == 1 else None
