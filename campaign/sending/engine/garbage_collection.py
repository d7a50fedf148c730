"""Python's search for reference cycles, less often while a run sends.

Each request leaves a cycle of 7 objects, a closed connection of asyncio. With Python's own threshold, those
that begin together set the search off long before there is much to find, and it took 7% of sending.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

THRESHOLD = 10_000  # objects; Python's own is 700 or 2,000

_lock = threading.Lock()
_runs = 0
_usual = (0, 0, 0)  # the thresholds when no run is under way


@contextmanager
def fewer_collections() -> Iterator[None]:
    """Let more garbage gather before each search; the last of several runs sets the threshold back."""
    global _runs, _usual
    with _lock:
        if not _runs:
            _usual = gc.get_threshold()
            if 0 < _usual[0] < THRESHOLD:
                gc.set_threshold(THRESHOLD, *_usual[1:])
        _runs += 1
    try:
        yield
    finally:
        with _lock:
            _runs -= 1
            if not _runs:
                gc.set_threshold(*_usual)
