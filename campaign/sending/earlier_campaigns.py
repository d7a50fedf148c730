"""`prepare` with campaign folders in `not_again=`: only this layer can read them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

from campaign.messages import plan
from campaign.messages.plan import Plan
from campaign.messages.suppression import EarlierCampaign, reached_numbers

P = ParamSpec("P")


def _with_campaign_folders(prepare: Callable[P, Plan]) -> Callable[P, Plan]:
    """The function with the same arguments, whose `not_again` may name campaign folders."""

    @wraps(prepare)
    def prepare_with_folders(*args: P.args, **options: P.kwargs) -> Plan:
        not_again = options.get("not_again")
        sources = not_again if isinstance(not_again, list | tuple) else [not_again]
        options["not_again"] = [_read_if_folder(source) for source in sources]
        return prepare(*args, **options)

    return prepare_with_folders


def _read_if_folder(source: Any) -> Any:
    """The campaign in a folder; anything else as it is. A path that is not a file is taken for a folder."""
    if not isinstance(source, str | Path) or Path(source).is_file():
        return source
    from campaign.sending.campaigns import load_result  # loads the transport, which prepare does not need

    result = load_result(source)
    return EarlierCampaign(str(source), reached_numbers(result.messages))


prepare = _with_campaign_folders(plan.prepare)
