"""What is known about a batch after one POST."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal, NamedTuple

Status = Literal["accepted", "refused", "unknown", "not_sent"]
Cause = Literal[
    "", "json", "funds", "credentials", "other", "connect", "setup", "gate", "throttled", "impossible"
]


class Outcome(NamedTuple):
    """What is known after one POST.

    `cause` groups what the engine has to react to: the service's refusals ("json", "funds", "credentials",
    "other"), "connect" (nothing was sent, a retry may help), "setup" (nothing was sent, a retry cannot help),
    "gate" (the gate stayed shut), "throttled" (slow down) and "impossible" (a success for a body that
    never left). `retry_after` is in seconds, as the service asked.
    """

    status: Status
    cost: Decimal | None = None
    code: str = ""
    error: str = ""
    cause: Cause = ""
    retry_after: float | None = None
