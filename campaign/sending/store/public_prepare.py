"""The public `prepare`: that of `messages.plan`, which may also name campaign folders in `not_again=`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

from campaign.messages import plan
from campaign.messages.plan import Plan
from campaign.messages.suppression import EarlierCampaign, reached_numbers
from campaign.paths import is_file

P = ParamSpec("P")


def _with_campaign_folders(prepare: Callable[P, Plan]) -> Callable[P, Plan]:
    """The same function, except that its `not_again` may name campaign folders."""

    @wraps(prepare)
    def prepare_with_folders(*args: P.args, **options: P.kwargs) -> Plan:
        if "not_again" in options:
            options["not_again"] = _read_folders(options["not_again"])
        return prepare(*args, **options)

    return prepare_with_folders


def _read_folders(not_again: Any) -> list[Any]:
    """The sources, with the campaign in place of each folder. A path that is not a file is a folder."""
    sources = not_again if isinstance(not_again, list | tuple) else [not_again]
    return [
        _read_campaign(source) if isinstance(source, str | Path) and not is_file(source) else source
        for source in sources
    ]


def _read_campaign(folder: str | Path) -> EarlierCampaign:
    from campaign.sending.store.folder import open_folder  # loads the ledger, which few calls need

    result = open_folder(folder).load_result()
    return EarlierCampaign(str(folder), reached_numbers(result.messages))


prepare = _with_campaign_folders(plan.prepare)
