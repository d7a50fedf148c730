"""What commands print: a column of counts, masked lines, and paths relative to the current folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from campaign.masking import mask_text
from campaign.text import clean, figure


def print_counts(rows: int, statuses: Mapping[str, int]) -> None:
    """The number of rows, and how many have each status that occurs."""
    for name, count in {
        "rows": rows,
        **{status: count for status, count in statuses.items() if count},
    }.items():
        print(f"  {name.replace('_', ' '):<10} {figure(count):>12}")


def masked_line(text: object) -> str:
    """A text that may contain words of the service, as one line for a terminal, its phone numbers masked."""
    return clean(mask_text(str(text)))


def seen_from_here(path: Path | None) -> str:
    """A path, relative to the current folder if it is inside it."""
    here = Path.cwd()
    return clean(path.relative_to(here) if path is not None and path.is_relative_to(here) else path)
