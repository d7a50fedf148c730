"""Under which names a file was sent, as the folders of its campaigns know."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress

from campaign.environments import Environment
from campaign.errors import CampaignError
from campaign.sending.store.folder import Folder, open_folder
from campaign.sending.store.identity import CAMPAIGNS, folded_name, is_try_out
from campaign.sending.store.manifest import MANIFEST


def names_of_file(file: str, environments: Collection[Environment]) -> list[str]:
    """The names of the campaigns and rehearsals that this file was sent as, the last one first.

    A campaign that cannot be read is none of them: whoever sends to it is told why.
    """
    sent: dict[str, tuple[str, str]] = {}  # the last time and the name, by the name as names are compared
    for folder in _campaigns(environments):
        with suppress(CampaignError):
            at, name = folder.files_sent().get(file, ""), folder.manifest.name
            if at:
                folded = folded_name(name)
                sent[folded] = max((at, name), sent.get(folded, ("", "")))
    return [name for _, name in sorted(sent.values(), reverse=True)]


def _campaigns(environments: Collection[Environment]) -> Iterator[Folder]:
    with suppress(OSError):  # nothing was sent from here yet
        for place in sorted(CAMPAIGNS.iterdir()):
            if is_try_out(place.name) or not (place / MANIFEST).is_file():
                continue
            with suppress(CampaignError):
                folder = open_folder(place)
                if folder.manifest.environment in environments:
                    yield folder
