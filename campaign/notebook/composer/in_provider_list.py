"""People whose texts the provider's list has, though a person has settled them as not sent.

Which ones is kept beside what was composed, so that they are asked about before anything more is sent: also
when the page was loaded again, or another file was chosen. Only batches and rows are kept.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd

from campaign.arrow_text import Ints
from campaign.errors import CampaignError
from campaign.notebook.composer.desk import Desk
from campaign.private_files import read_ordinary, replace_private_file
from campaign.sending.afterwards.provider_list import fold_texts
from campaign.sending.rounds.difference import Difference, decided_messages, plan_behind
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.folder import open_folder
from campaign.sending.store.identity import CAMPAIGNS
from campaign.sending.store.manifest import COMPOSED

_KEPT = f"{COMPOSED}.in_provider_list"  # `erase` takes away what begins so
_COLUMNS = ["batch", "row"]


def keep_reached(folder: Path, people: pd.DataFrame) -> None:
    """Keep the batches and rows of these people, besides those that are kept already."""
    together = pd.concat([_kept(folder), people[_COLUMNS]]).drop_duplicates()
    replace_private_file(folder / _KEPT, json.dumps(together.astype("int64").to_dict("list")).encode())


def reached_by_list(desk: Desk, difference: Difference) -> Ints:
    """The numbers of people who would get the very text that they have by the provider's list: from this
    campaign, or from another one."""
    environment = plan_behind(difference).environment
    records = {file.parent: _record_in(file.parent, environment) for file in CAMPAIGNS.glob(f"*/{_KEPT}")}
    sent = [_listed_messages(folder, record) for folder, record in records.items() if record is not None]
    if not sent:
        return np.empty(0, np.int64)
    leaving: pd.DataFrame = decided_messages(difference, changed=desk.composition.changed)
    texts = [
        pd.MultiIndex.from_arrays([one["number"], fold_texts(one["message"])])
        for one in (leaving, pd.concat(sent))
    ]
    numbers: Ints = leaving["number"].to_numpy(dtype=np.int64)
    return np.unique(numbers[texts[0].isin(texts[1])])


def _record_in(folder: Path, environment: str) -> CampaignRecord | None:
    """The record of a campaign that was sent there; None for one that cannot be read."""
    with suppress(CampaignError):
        place = open_folder(folder)
        return CampaignRecord.of(place) if place.manifest.environment == environment else None
    return None


def _listed_messages(folder: Path, record: CampaignRecord) -> pd.DataFrame:
    """What the people who are kept of a campaign have by the list."""
    kept = _kept(folder)
    batches, rows = (kept[name].to_numpy(dtype=np.int64) for name in _COLUMNS)
    return record.messages(batches, rows)


def _kept(folder: Path) -> pd.DataFrame:
    nobody = pd.DataFrame({name: [] for name in _COLUMNS}, dtype="int64")
    with suppress(OSError, ValueError, KeyError, TypeError):
        record = json.loads(read_ordinary(folder / _KEPT, 1 << 27))
        return pd.DataFrame(record, columns=_COLUMNS).astype("int64") if record else nobody
    return nobody
