"""The public `prepare`: that of `messages`, which may also name campaign folders in `not_again=`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

from campaign.messages import preparation
from campaign.messages.plan import Plan
from campaign.messages.suppression.number_lists import is_number
from campaign.messages.suppression.suppression_lists import EarlierCampaign
from campaign.paths import is_file
from campaign.public_calls import public_call
from campaign.results.tables import Result

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
    """The sources, with the campaign in place of each folder. A path that is not a file is a folder, unless
    it is a number and there is no such folder: numbers among the sources are one list."""
    sources = not_again if isinstance(not_again, list | tuple) else [not_again]
    numbers = [source for source in sources if _is_number(source)]
    others = [
        _read_campaign(source) if isinstance(source, str | Path) and not is_file(source) else source
        for source in map(_folder_of, sources)
        if not _is_number(source)
    ]
    return [*others, numbers] if numbers else others


def _is_number(source: Any) -> bool:
    """Whether a source is a phone number, and not a folder that is called like one."""
    return is_number(source) and not Path(source).is_dir()


def _folder_of(source: Any) -> Any:
    """The folder of a result, which knows what was sent since; everything else as it is."""
    folder = getattr(source, "folder", None)
    return folder if isinstance(source, Result) and folder is not None else source


def _read_campaign(folder: str | Path) -> EarlierCampaign:
    from campaign.sending.rounds.other_campaigns import read_earlier_campaign  # loads the ledger

    return read_earlier_campaign(str(folder))


prepare = public_call(_with_campaign_folders(preparation.prepare))
