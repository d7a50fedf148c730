"""The result of a plan before anything of it was sent: every message waits."""

import pandas as pd

from campaign.contract import BATCH_COLUMNS
from campaign.messages.plan import Plan
from campaign.results.tables import Result


def unsent_result(plan: Plan, *, name: str) -> Result:
    """What `write_follow_up` and the reports need to know of a plan that was not sent.

    `name` is the campaign that the rows to correct will continue.
    """
    count = len(plan.messages)
    waiting = pd.DataFrame(
        {
            "batch": 1, "messages": count, "status": "not_sent", "cost": None, "code": "", "error": "",
            "attempts": 0, "submitted_at": pd.NaT, "seconds": 0.0, "round": 1,
        },
        index=range(min(count, 1)),
    )  # fmt: skip
    waiting = waiting.astype({"status": "str", "code": "str", "error": "str", "cost": "object"})
    waiting["submitted_at"] = pd.to_datetime(waiting["submitted_at"], utc=True)
    return Result(plan, waiting[list(BATCH_COLUMNS)], environment="local", name=name)
