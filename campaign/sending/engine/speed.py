"""How fast a run is: messages a second, over the last half minute in which it was running."""

from __future__ import annotations

from collections import deque

WINDOW = 30.0  # seconds; a slow pace sends a batch only every few seconds
_INTERVAL = 0.5  # seconds between two samples
_SHORTEST = 1.0  # seconds; less says nothing about a pace
_TOGETHER = 0.1  # seconds: answers to batches that left together come back once
_STEADY = 8  # times that something came back: one more or less changes the pace by an eighth at most


class Speed:
    """Messages that came back, sampled; `now` is always a reading of the monotonic clock.

    The clock starts at the first answer: how long that took, often for a single message, is no pace. It
    stops at the last one, or a batch that is awaited would make every pace look slower than it is, and one
    that has just come back faster. Silence counts once it is longer than the time between two answers so far.

    No speed is above `at_most`, the rate that the run keeps: a batch leaves at once, and the first ones, soon
    after the start, would look faster.
    """

    def __init__(self, *, at_most: float | None = None) -> None:
        self._at_most = float("inf") if at_most is None else at_most
        self._samples: deque[tuple[float, int, int]] = deque()
        self._at_rest: int | None = None  # messages that had come back before the first answer
        self._answered = self._changes = 0  # messages when something came back last, and how often it did
        self._changed_at = 0.0  # when that was

    def note(self, now: float, answered: int) -> None:
        """So many messages of the run have come back until now."""
        if self._at_rest is None:
            self._at_rest = self._answered = answered
        if answered == self._answered:
            return
        self._changes += not self._changes or now - self._changed_at >= _TOGETHER
        self._answered, self._changed_at = answered, now
        if not self._samples or now - self._samples[-1][0] >= _INTERVAL:
            self._samples.append((now, answered, self._changes))

    def rest(self) -> None:
        """The run holds: the time until it goes on does not count."""
        self._samples.clear()
        self._at_rest, self._changes = None, 0

    @property
    def is_steady(self) -> bool:
        """Whether enough has come back to tell from the pace how long the rest takes."""
        return self._changes > _STEADY

    def per_second(self, now: float) -> float | None:
        """Messages a second; None as long as there is nothing to measure."""
        while len(self._samples) > 1 and now - self._samples[0][0] > WINDOW:
            self._samples.popleft()
        if not self._samples:
            return None
        since, before, changes_before = self._samples[0]
        changes = self._changes - changes_before
        if now - since < _SHORTEST or not changes:
            return None
        between = (self._changed_at - since) / changes
        seconds = max(self._changed_at, now - between) - since
        return min((self._answered - before) / seconds, self._at_most)
