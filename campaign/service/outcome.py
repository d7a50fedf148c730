"""What is known about a batch after one POST."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal, NamedTuple

from campaign.words.finding import Finding
from campaign.words.stored import stored

Status = Literal["accepted", "refused", "unknown", "not_sent"]
Cause = Literal[
    "", "json", "funds", "credentials", "other", "connect", "setup", "gate", "throttled", "impossible"
]


class Outcome(NamedTuple):
    """What is known after one POST.

    `error` is what the service said where it refused; `remark` what there is to say of any other exchange.
    `cause` groups what the engine has to react to: the service's refusals ("json", "funds", "credentials",
    "other"), "connect" (nothing was sent, a retry may help), "setup" (nothing was sent, a retry cannot help),
    "gate" (the gate stayed shut), "throttled" (slow down) and "impossible" (a success for a body that
    never left). `retry_after` is in seconds, as the service asked.
    """

    status: Status
    cost: Decimal | None = None
    code: str = ""
    error: str = ""
    remark: Finding | None = None
    cause: Cause = ""
    retry_after: float | None = None

    @property
    def kept_error(self) -> str:
        """What a ledger keeps: the service's own words as they are, a remark as JSON; "" for nothing."""
        return self.error if self.remark is None else stored(self.remark)


def failure_of(error: Exception) -> dict[str, Any]:
    """The technical facts of a failure: the class of the exception, and the system's number for it.

    Never its text, which can contain a proxy's password or the content of an answer.
    """
    number = getattr(error, "errno", None)
    is_of_system = isinstance(number, int) and all(kind.__module__ != "ssl" for kind in type(error).__mro__)
    facts: dict[str, Any] = {"failure": type(error).__name__}
    return facts | {"errno": number} if is_of_system else facts
