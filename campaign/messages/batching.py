"""Messages in stretches of limited size that keep the pieces of one row's text together."""

from __future__ import annotations

from collections.abc import Iterator

from campaign.arrow_text import Ints


def stretches(rows: Ints, size: int, first_size: int | None = None) -> Iterator[tuple[int, int]]:
    """Start and stop of stretches of at most `size` messages, with the messages of one row kept together.

    A row with more messages than `size` gets a longer stretch of its own.
    """
    count, start = len(rows), 0
    while start < count:
        wanted = start + (first_size or size if start == 0 else size)
        stop = min(wanted, count)
        while start < stop < count and rows[stop] == rows[stop - 1]:
            stop -= 1
        if stop == start:  # one row fills more than a stretch
            stop = min(wanted, count)
            while stop < count and rows[stop] == rows[stop - 1]:
                stop += 1
        yield start, stop
        start = stop
