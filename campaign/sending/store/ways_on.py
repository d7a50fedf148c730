"""The lines of Python that go on with a campaign, ready to be copied."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from campaign.paths import seen_from_here
from campaign.results.sending_time import Paces

USUAL = {"batch_size": 100, "concurrency": 8}  # the defaults of `send`, which is above; a test compares them


def call_to_resume(
    folder: Path, account: tuple[str, str], chosen: Mapping[str, Any], option: str = ""
) -> str:
    """The line that sends what is left, so that `result` is the new one from then on.

    `account` is the argument and the comment of `account_in_code`, `chosen` are the options of the last run
    as a record, and `option` is one without which it would end the same way again.
    """
    argument, remark = account
    name = json.dumps(seen_from_here(folder), ensure_ascii=False)
    given = ", ".join(filter(None, [name, argument, *_pace(chosen), option]))
    return f"result = campaign.resume({given}){remark}"


def options_of_last_run(of_round: Mapping[str, Any], paces: Paces) -> Mapping[str, Any]:
    """The options that a round began with, at the pace of the run that sent it last."""
    return {**of_round, "rate": paces[-1][1]} if paces else of_round


def _pace(chosen: Mapping[str, Any]) -> Iterator[str]:
    """What only a call that names it has: the sizes where they are not the usual ones, rate and hours."""
    for name, usual in USUAL.items():
        if chosen.get(name, usual) != usual:
            yield f"{name}={chosen[name]}"
    if chosen.get("rate") is not None:
        yield f"rate={chosen['rate']:g}"
    if chosen.get("hours") is not None:
        yield f"hours={json.dumps(chosen['hours'])}"
