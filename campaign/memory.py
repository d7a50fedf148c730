"""Whether a table fits into the memory that is free."""

from __future__ import annotations

from campaign.errors import CampaignError

_COPIES = 2  # a table is made of its parts, and both are there for a moment


def check_fits(size: int, table: str) -> None:
    """Raise `CampaignError` unless a table of a plan with `size` bytes fits into the free memory."""
    import psutil  # costs 10 ms, and only large tables are looked at

    available = psutil.virtual_memory().available
    if size * _COPIES > available:
        needed, free = size * _COPIES // 10**6, available // 10**6
        raise CampaignError("memory_too_small", table=table, needed=needed, free=free)
