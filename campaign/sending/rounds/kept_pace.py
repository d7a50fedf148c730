"""How fast each run was to send: a round that is continued may go on at another pace than it began with."""

from __future__ import annotations

from campaign.sending.ledger.ledger import Ledger
from campaign.sending.options import SendOptions


def keep_pace(options: SendOptions, ledger: Ledger) -> None:
    """Keep the messages a second of these options in the ledger, unless they are those of the last run.

    Without it, the time between two batches of a slow run would look like a pause.
    """
    record = "" if options.rate is None else str(float(options.rate))
    if record != ledger.recorded_pace():
        ledger.record_pace(record)
