"""What functions take that want a `Result`."""

from __future__ import annotations

import os

from campaign.argument_checks import wrong
from campaign.messages.plan import Plan
from campaign.results.tables import Result


def check_result(result: object, function: str, call: str) -> None:
    """Raise `UsageError` unless this is a `Result`; `call` is the right call, with {} for the result."""
    if isinstance(result, Result):
        return
    write = call.format("result")
    if isinstance(result, str | os.PathLike):
        write = call.format("campaign.load_result(folder)")
    elif isinstance(result, Plan):  # the remedy may be copied, so it must not send
        write = f"{call.format('campaign.load_result(folder)')} once it was sent, or look at plan.issues"
    raise wrong(result, subject=function, needs="a Result", write=write)
