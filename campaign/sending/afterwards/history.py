"""`history`: all campaigns of a folder as a table; no message is read for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from campaign.argument_checks import check_path, check_switch
from campaign.errors import CampaignError, FolderError
from campaign.public_calls import public_call
from campaign.results.campaign_lines import HistoryFrame
from campaign.results.totals import cost_of
from campaign.sending.ledger.views import LedgerSnapshot, RegisteredRound
from campaign.sending.options import Place
from campaign.sending.store.creation import LEDGER
from campaign.sending.store.folder import Folder, open_folder
from campaign.sending.store.identity import is_try_out
from campaign.sending.store.manifest import MANIFEST, read_round_manifest
from campaign.sending.store.rounds import ROUNDS, Round, open_round, round_path
from campaign.text import clean

_COUNTS = ("people", "accepted", "refused", "unknown", "waiting")
_TYPES: dict[str, Any] = {
    "name": "str", "environment": "str", "state": "str", "first_sent": "datetime64[us, UTC]",
    "last_sent": "datetime64[us, UTC]", **dict.fromkeys(_COUNTS, "Int64"), "cost": object,
    "unpriced": "Int64", **dict.fromkeys(("currency", "sender", "template", "folder", "problem"), "str"),
}  # fmt: skip
_SENT = ("accepted", "unknown", "sending", "again")
_COUNTED_AS = {"refused": "refused", "unknown": "unknown", "sending": "unknown", "again": "unknown",
               "pending": "waiting"}  # fmt: skip


@public_call
def history(folder: Place = "campaigns", *, try_outs: bool = False) -> pd.DataFrame:
    """List all campaigns in a folder, the one that sent last first.

    Parameters
    ----------
    folder
        Where the campaigns are, or one of them.
    try_outs
        Also list single messages to your own phone.

    Returns
    -------
    pandas.DataFrame
        A row for each campaign: name, environment, state ("nothing sent", "open", "finished", "closed" or
        "erased"), first_sent and last_sent (UTC), people, accepted, refused, unknown and waiting (Int64;
        messages accepted are those of all rounds), cost (Decimal, None if not known), unpriced (batches
        without a known cost: with any, the cost is a lower bound), currency, sender, template, folder, and
        problem: why one cannot be read. `write_report` makes a page or a workbook of it.

    Raises
    ------
    FolderError
        There is no such folder.

    Examples
    --------
    >>> campaign.history(result.folder)[["name", "environment", "accepted"]]
         name environment  accepted
    0  visits       local         1
    """
    check_path(folder, subject="folder", write='folder="campaigns"')
    check_switch(try_outs, subject="try_outs", write="try_outs=True")
    rows = [_row(place) for place in _campaign_folders(Path(folder).absolute(), try_outs=try_outs)]
    frame = pd.DataFrame(rows, columns=list(_TYPES))
    for name in ("first_sent", "last_sent"):
        frame[name] = pd.to_datetime(frame[name], utc=True, format="ISO8601", errors="coerce")
    frame = frame.astype(_TYPES)
    return HistoryFrame(frame.sort_values("last_sent", ascending=False, kind="stable").reset_index(drop=True))


def _campaign_folders(folder: Path, *, try_outs: bool) -> Iterator[Path]:
    """The folders that hold a campaign, or what is left of one, by name."""
    try:
        places = [folder] if _may_be_campaign(folder) else sorted(folder.iterdir())
    except (OSError, ValueError) as error:  # ValueError: no folder can have that name
        raise FolderError("no_campaigns", folder=str(folder), reason=str(error)) from None
    for place in places:
        is_listed = place == folder or try_outs or not is_try_out(place.name)
        if is_listed and not place.name.startswith(".") and _may_be_campaign(place):
            yield place


def _may_be_campaign(place: Path) -> bool:
    try:
        return any((place / name).exists() for name in (MANIFEST, LEDGER, ROUNDS))
    except OSError:  # it may be one: reading it will say why not
        return True


def _row(path: Path) -> dict[str, Any]:
    """What is known of one campaign; whatever cannot be read becomes its `problem`."""
    row: dict[str, Any] = {name: "" if kind == "str" else None for name, kind in _TYPES.items()}
    row["folder"] = str(path)
    try:
        place = open_folder(path)
        row |= {"environment": place.manifest.environment, "name": place.manifest.name}
        ledger = place.snapshot()
        left = ledger.outcomes[ledger.outcomes["status"].isin(["accepted", "unknown"])]
        row |= {"first_sent": left["submitted_at"].min(), "last_sent": left["submitted_at"].max()}
        row["cost"], row["unpriced"] = cost_of(ledger.outcomes)
        row |= _of_last_round(place, ledger) if ledger.rounds else dict.fromkeys(_COUNTS, 0)
        row["accepted"] = int(left.loc[left["status"] == "accepted", "messages"].sum())
        row["state"] = _state(row, ledger)
    except CampaignError as error:
        row["problem"] = clean(error)
    except (KeyError, TypeError, ValueError):  # no digest vouches for what is left of an erased campaign
        row["problem"] = str(FolderError("campaign_file_damaged", file=f"a manifest in {path}"))
    return row


def _state(row: dict[str, Any], ledger: LedgerSnapshot) -> str:
    """The state of a campaign, which may have had only rows that get no message."""
    if ledger.erased_at or ledger.is_closed:
        return "erased" if ledger.erased_at else "closed"
    if not ledger.rounds or any(row[name] for name in ("refused", "unknown", "waiting")):
        return "open"
    return "nothing sent" if pd.isna(row["first_sent"]) else "finished"


def _of_last_round(place: Folder, ledger: LedgerSnapshot) -> dict[str, Any]:
    """What is known of the last table, and what the last round that sent something has sent."""
    states = {batch.batch: batch.state for batch in ledger.batches}
    sent = {batch.round for batch in ledger.batches if batch.state in _SENT}
    last = _round(place, ledger, ledger.rounds[-1])
    counts = dict.fromkeys(_COUNTS, 0)
    for batch, messages in last.messages_by_batch(ledger.batches).items():
        if name := _COUNTED_AS.get(states[batch]):
            counts[name] += messages
    sending = [one for one in ledger.rounds if not sent or one.round in sent]
    said = _round(place, ledger, sending[-1]).manifest
    return counts | {
        "people": last.manifest.people,
        "currency": last.manifest.currency,
        "sender": ", ".join(said.senders),
        "template": said.template,
    }


def _round(place: Folder, ledger: LedgerSnapshot, registered: RegisteredRound) -> Round:
    """A round; once the campaign is erased, what is left of it, whether or not all of it is gone yet."""
    if not ledger.erased_at:
        return open_round(place.path, registered)
    path = round_path(place.path, registered.round)
    return Round(registered.round, path, read_round_manifest(path).without_people())
