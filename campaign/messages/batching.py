"""Messages cut into batches of limited size that keep the pieces of one row's text together."""

from __future__ import annotations

from collections.abc import Iterator

from campaign.arrow_text import Ints


def batch_bounds(rows: Ints, size: int, first_size: int | None = None) -> Iterator[tuple[int, int]]:
    """Start and stop of each batch of at most `size` messages; `rows` holds the row of each message.

    The messages of one row stay together: a row with more messages than `size` gets its own longer batch.
    """
    count, start = len(rows), 0
    while start < count:
        limit = start + (first_size or size if start == 0 else size)
        stop = min(limit, count)
        while start < stop < count and rows[stop] == rows[stop - 1]:
            stop -= 1
        if stop == start:  # one row fills more than a batch
            stop = min(limit, count)
            while stop < count and rows[stop] == rows[stop - 1]:
                stop += 1
        yield start, stop
        start = stop
