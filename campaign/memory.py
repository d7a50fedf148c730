"""Whether a table fits into the memory that is free."""

from __future__ import annotations

from campaign.errors import CampaignError
from campaign.text import figure

_COPIES = 2  # a table is made of its parts, and both are there for a moment


def check_fits(size: int, what: str, instead: str) -> None:
    """Raise `CampaignError` unless a table of `size` bytes fits into the free memory; `instead` is the way
    without it."""
    import psutil  # costs 10 ms, and only large tables are looked at

    available = psutil.virtual_memory().available
    if size * _COPIES > available:
        raise CampaignError(
            f"{what} would take {figure(size * _COPIES // 10**6)} MB of memory, and "
            f"{figure(available // 10**6)} MB are free. {instead}"
        )
