"""`order`: a person pauses, resumes or stops all workers of a campaign, and `workers` tells who they are."""

from __future__ import annotations

from typing import Literal, get_args

import pandas as pd

from campaign.argument_checks import check_choice, check_path, check_text
from campaign.errors import UsageError
from campaign.public_calls import public_call
from campaign.sending.ledger.postgres.address import is_address
from campaign.sending.ledger.postgres.roster import WorkerAtWork
from campaign.sending.ledger.postgres.standing_orders import OrderKind
from campaign.sending.options import Place
from campaign.sending.store.folder import open_folder
from campaign.sending.store.user_state import user_name
from campaign.sending.workers.shared_place import shared_place
from campaign.words.finding import Finding

What = Literal["pause", "resume", "stop"]
_FOLDER_EXAMPLE = 'folder="campaigns/visits"'
_ORDERS: dict[str, tuple[OrderKind, str]] = {
    "pause": ("paused", "paused_by_hand"),
    "resume": ("resumed", "resumed_by_hand"),
    "stop": ("stopped", "workers_stopped"),
}


@public_call
def order(folder: Place, what: What, *, note: str = "") -> None:
    """Pause, resume or stop all workers of a campaign, on whichever machines they are.

    Parameters
    ----------
    folder
        The campaign's folder.
    what
        "pause", "resume" or "stop". After a stop the campaign has to be released again.
    note
        Why; the journal keeps it.

    Returns
    -------
    None
        They hear it within two seconds, and what is under way finishes.

    Raises
    ------
    UsageError
        The campaign is not released.
    LockedError
        One program has it open alone.

    Examples
    --------
    >>> campaign.order("/shared/campaigns/visits", "pause")  # doctest: +SKIP
    """
    check_path(folder, subject="folder", write=_FOLDER_EXAMPLE)
    check_choice(what, get_args(What), subject="what")
    check_text(note, subject="note", write='note="why"')
    kind, code = _ORDERS[what]
    place = open_folder(folder)
    standing = shared_place(place).give_order(kind, Finding(code, {"who": user_name(), "note": note}))
    if standing is None or standing.kind in ("stopped", "recalled"):
        raise UsageError("not_released", folder=str(place.path))


@public_call
def workers(folder: Place) -> pd.DataFrame:
    """List the workers that send a campaign now, in the order in which they joined.

    Parameters
    ----------
    folder
        The campaign's folder.

    Returns
    -------
    pandas.DataFrame
        Columns: name (host and process), joined (UTC), seconds (since it was last heard of; after 30 the
        others give it up) and messages (claimed, or not answered yet).

    Raises
    ------
    FolderError
        There is no campaign.

    Examples
    --------
    >>> campaign.workers(result.folder).empty
    True
    """
    check_path(folder, subject="folder", write=_FOLDER_EXAMPLE)
    frame = pd.DataFrame(_rows(folder), columns=["name", "joined", "seconds", "messages"])
    frame["joined"] = pd.to_datetime(frame["joined"], unit="s", utc=True).astype("datetime64[us, UTC]")
    return frame.astype({"name": "str", "seconds": "float64", "messages": "int64"})


def _rows(folder: Place) -> list[WorkerAtWork]:
    place = open_folder(folder)
    return shared_place(place).workers() if is_address(place.manifest.ledger) else []
