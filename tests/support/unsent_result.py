"""The result of a plan before anything of it was sent: every message waits."""

from campaign.messages.plan import Plan
from campaign.results.tables import Result
from support.batch_rows import frame_of


def unsent_result(plan: Plan, *, name: str) -> Result:
    """What `write_follow_up` and the reports need to know of a plan that was not sent.

    `name` is the campaign that the rows to correct will continue.
    """
    count = len(plan.messages)
    waiting = [(1, count, "not_sent", None, "", "", 0, None, 0.0, 1)] if count else []
    return Result(plan, frame_of(waiting), environment="local", name=name)
