"""`order`: a person pauses, resumes or stops all workers of a campaign, and `workers` tells who they are."""

from __future__ import annotations

from typing import Literal, get_args

import pandas as pd

from campaign.argument_checks import check_choice, check_path, check_text
from campaign.errors import UsageError
from campaign.public_calls import public_call
from campaign.sending.ledger.postgres.address import is_address
from campaign.sending.ledger.postgres.roster import WorkerAtWork
from campaign.sending.options import Place
from campaign.sending.store.folder import open_folder
from campaign.sending.store.user_state import user_name
from campaign.sending.workers.shared_place import shared_place
from campaign.text import clean

What = Literal["pause", "resume", "stop"]
_FOLDER_EXAMPLE = 'folder="campaigns/visits"'
_SAID = {"pause": "Paused", "resume": "Resumed", "stop": "Stopped"}
_THEN = {
    "pause": " Resume to send the rest.",
    "resume": "",
    "stop": " Release the campaign to send the rest.",
}


@public_call
def order(folder: Place, what: What, *, note: str = "") -> None:
    """Pause, resume or stop all workers of a campaign, on whichever machines they are.

    They hear it within two seconds, and what is under way finishes. A pause, also one by a valve, ends with
    "resume"; after "stop" all workers end, and the campaign has to be released again. The journal keeps who
    ordered what and when; `note` says why. Raises `UsageError` where the campaign is not released, and
    `LockedError` while one program has it open alone.
    """
    check_path(folder, subject="folder", write=_FOLDER_EXAMPLE)
    check_choice(what, get_args(What), subject="what")
    check_text(note, subject="note", write='note="why"')
    reason = f"{_SAID[what]} by {user_name()}{f': {note}' if note else ''}.{_THEN[what]}"
    kind: Literal["paused", "resumed", "stopped"] = (
        "paused" if what == "pause" else "resumed" if what == "resume" else "stopped"
    )
    place = open_folder(folder)
    standing = shared_place(place).give_order(kind, reason)
    if standing is None or standing.kind in ("stopped", "recalled"):
        raise UsageError(
            f"The campaign in {clean(place.path)} is not released to workers, so there is nothing to {what}. "
            f"Release it with campaign.release({str(place.path)!r}, …)."
        )


@public_call
def workers(folder: Place) -> pd.DataFrame:
    """The workers that send a campaign now, in the order in which they joined.

    Columns: name (host and process), joined (UTC), seconds (since it was last heard of; after 30 the others
    give it up) and messages (claimed, or sent without an answer so far). Reading disturbs nobody. A campaign
    whose ledger is a file has no workers.
    """
    check_path(folder, subject="folder", write=_FOLDER_EXAMPLE)
    frame = pd.DataFrame(_rows(folder), columns=["name", "joined", "seconds", "messages"])
    frame["joined"] = pd.to_datetime(frame["joined"], unit="s", utc=True).astype("datetime64[us, UTC]")
    return frame.astype({"name": "str", "seconds": "float64", "messages": "int64"})


def _rows(folder: Place) -> list[WorkerAtWork]:
    place = open_folder(folder)
    return shared_place(place).workers() if is_address(place.manifest.ledger) else []
