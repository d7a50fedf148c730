"""The time line of reports and notebooks: how many messages were accepted by when, as inline SVG.

A round begins at a dashed line. A time in which nothing was sent is a band, grey between two rounds, and of
another colour in a pause. What is drawn shorter than it was stands above a dotted line.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import numpy as np
import numpy.typing as npt

from campaign.local_times import LocalTimes, duration
from campaign.markup import escape
from campaign.results.charts import WIDE, drawing, legend_entry
from campaign.results.timeline import Gap, Timeline
from campaign.text import counted, figure

_TALL = 150  # units, which are pixels
_TOP = 10  # where the line ends
_SHELF = 16  # units behind the last answer: a step at the very edge is not seen
_MOST_LEVELS = 5  # that the scale names, besides 0
_FEWEST_POINTS, _MOST_POINTS = 3, 300
_SHORT = 120  # seconds: beginning and end may be in the same minute
_EXACT = timedelta(minutes=10)  # below it, a length that is not that of the minutes named is noticed
_LISTED_GAPS = 5
_MOST_GAPS = 0.5  # of the time that something was under way: a night is not worth half a page
_NARROWEST_GAP = 0.01  # of the chart
_LABELLED_GAP = 0.06  # of the chart: a narrower one has no room for its length
_GAP_UNIT = 10  # seconds, the shortest gap there is


def accepted_over_time(timeline: Timeline | None, times: LocalTimes | None = None) -> str:
    """How many messages of `Result.timeline` were accepted by when, with pauses and rounds marked, as SVG.

    Long gaps are drawn shorter than they were, and the legend says so. "" where fewer than three batches have
    left, or all within a second.
    """
    times = times or LocalTimes()
    if timeline is None or not timeline.total or len(timeline.accepted) < _FEWEST_POINTS:
        return ""
    if timeline.length.total_seconds() < 1:
        return ""
    axis, levels = _TimeAxis(timeline), _levels(timeline.total)
    days = times.days(timeline.first, timeline.last)
    first, last = _ends(timeline, times, days)
    total = counted(timeline.total, "message")
    gaps = [_gap_words(gap, times, days) for gap in timeline.gaps]
    label = f"{total} accepted from {first} to {last} ({times.name(timeline.last)})."
    label = " ".join([label, *(f"{words}." for words in gaps[:_LISTED_GAPS])])
    under = (
        f'{_scale(levels, timeline.total)}{_gap_lengths(timeline.gaps, axis.bands)}<div class="axis">'
        f"<span>{escape(first)}</span><span>{total} accepted</span><span>{escape(last)}</span></div>"
        f"{_gap_key(timeline.gaps, gaps, any(axis.is_cut))}"
    )
    return drawing("over-time", _TALL, _shapes(timeline, axis, levels), label, under)


def _ends(timeline: Timeline, times: LocalTimes, days: int) -> tuple[str, str]:
    """When the first batch left, and when the last answer came."""
    is_short = timeline.length.total_seconds() < _SHORT
    first, last = (
        times.time_in(moment, days, seconds=is_short) for moment in (timeline.first, timeline.last)
    )
    return first, last


class _TimeAxis:
    """Where moments are across a chart on which long gaps are drawn shorter.

    A longer gap is still drawn wider than a shorter one. `is_cut` says which gaps are drawn shorter.
    """

    def __init__(self, timeline: Timeline) -> None:
        lengths = np.array([gap.length.total_seconds() for gap in timeline.gaps])
        whole = max(timeline.length.total_seconds(), 1e-3)
        busy = max(whole - lengths.sum(), 1e-3)
        drawn = self._drawn(lengths, busy)
        self.is_cut = (drawn < lengths).tolist()
        self._start = timeline.first
        edges = [0.0]
        for gap in timeline.gaps:
            edges += [(moment - self._start).total_seconds() for moment in (gap.start, gap.end)]
        self._seconds = np.array([*edges, whole])
        steps = np.diff(self._seconds)
        steps[1::2] = drawn
        self._across = np.concatenate([[0.0], np.cumsum(steps)]) * ((WIDE - _SHELF) / max(steps.sum(), 1e-3))

    @staticmethod
    def _drawn(lengths: npt.NDArray[np.float64], busy: float) -> npt.NDArray[np.float64]:
        """The seconds that each gap is as wide as."""
        room = busy * _MOST_GAPS
        drawn = lengths
        if lengths.sum() > room:
            weights = np.log2(1 + lengths / _GAP_UNIT)
            drawn = np.minimum(lengths, room * weights / weights.sum())
        seen: npt.NDArray[np.float64] = np.maximum(drawn, (busy + drawn.sum()) * _NARROWEST_GAP)
        return seen

    @property
    def bands(self) -> list[tuple[float, float]]:
        """From where to where each gap reaches."""
        return list(zip(self._across[1:-1:2].tolist(), self._across[2::2].tolist(), strict=True))

    def places(self, moments: Any) -> Any:
        seconds = (moments - self._start).total_seconds()
        return np.interp(seconds, self._seconds, self._across)


def _shapes(timeline: Timeline, axis: _TimeAxis, levels: Sequence[int]) -> list[str]:
    """What is drawn, from the back to the front."""
    across = axis.places(timeline.accepted.index)
    up = _height(timeline.accepted.to_numpy(), timeline.total)
    kept = np.unique(np.linspace(0, len(up) - 1, _MOST_POINTS).astype(int))
    steps = " ".join(f"H{x:.1f} V{y:.1f}" for x, y in zip(across[kept], up[kept], strict=True))
    steps = f"M0 {_TALL} {steps} H{WIDE}"
    gaps = list(zip(timeline.gaps, axis.bands, axis.is_cut, strict=True))
    return [
        *(_line("level", (0, WIDE), (_height(level, timeline.total),) * 2) for level in levels[1:]),
        *(_band(gap, band) for gap, band, _ in gaps),
        f'<path class="good area" d="{steps} V{_TALL} Z"/>',
        f'<path class="good line" d="{steps}"/>',
        _line("floor", (0, WIDE), (_TALL, _TALL)),
        *(_line("cut", band, (_TALL - 2, _TALL - 2)) for _, band, is_cut in gaps if is_cut),
        *(_line("round", (end, end), (0, _TALL)) for gap, (_, end), _ in gaps if gap.round),
    ]


def _levels(total: int) -> list[int]:
    """The round numbers that the scale names, from 0 on."""
    power = 10 ** max(0, len(str(total)) - 2)
    step = next(
        size for size in (power * unit for unit in (1, 2, 5, 10, 20, 50)) if total / size <= _MOST_LEVELS
    )
    return list(range(0, total + 1, step))


def _height(accepted: Any, total: int) -> Any:
    return _TALL - accepted / total * (_TALL - _TOP)


def _scale(levels: Sequence[int], total: int) -> str:
    """The numbers beside the line, each at its height."""
    labels = "".join(
        f'<span style="top:{_height(level, total) * 100 / _TALL:.1f}%">{figure(level)}</span>'
        for level in levels
    )
    return f'<div class="scale" aria-hidden="true">{labels}</div>'


def _band(gap: Gap, place: tuple[float, float]) -> str:
    """A gap, behind the line."""
    start, end = place
    return (
        f'<rect class="{_gap_tone(gap)} band" x="{start:.1f}" y="0" width="{end - start:.1f}" '
        f'height="{_TALL}"/>'
    )


def _line(name: str, across: tuple[float, float], up: tuple[float, float]) -> str:
    return (
        f'<line class="{name}" x1="{across[0]:.1f}" y1="{up[0]:.1f}" x2="{across[1]:.1f}" y2="{up[1]:.1f}"/>'
    )


def _gap_lengths(gaps: Sequence[Gap], bands: Sequence[tuple[float, float]]) -> str:
    """How long each gap was, below it, for those that have the room."""
    labels = "".join(
        f'<span style="left:{(start + end) * 50 / WIDE:.1f}%">{duration(gap.length)}</span>'
        for gap, (start, end) in zip(gaps, bands, strict=True)
        if end - start >= _LABELLED_GAP * WIDE
    )
    return f'<div class="spans" aria-hidden="true">{labels}</div>' if labels else ""


def _gap_words(gap: Gap, times: LocalTimes, days: int) -> str:
    start, end = (times.time_in(moment, days) for moment in (gap.start, gap.end))
    if gap.round:
        return f"Round {gap.round} began at {end}"
    length = duration(gap.length)
    if start == end:  # a pause of seconds
        return f"Nothing was sent for {length} at {start}"
    minutes = [moment.replace(second=0, microsecond=0) for moment in (gap.start, gap.end)]
    if gap.length < _EXACT and duration(minutes[1] - minutes[0]) != length:
        start, end = (times.time_in(moment, days, seconds=True) for moment in (gap.start, gap.end))
    return f"Nothing was sent from {start} to {end} ({length})"


def _gap_key(gaps: Sequence[Gap], words: Sequence[str], has_cuts: bool) -> str:
    """The longest gaps in words, in the order of time: the rounds that began after them, then the pauses."""
    longest = sorted(range(len(gaps)), key=lambda place: -gaps[place].length)[:_LISTED_GAPS]
    listed = sorted(longest)
    rounds = [words[place] for place in listed if gaps[place].round]
    pauses = [words[place] for place in listed if not gaps[place].round]
    keys = []
    if rounds:
        keys += [
            legend_entry("round", escape(_in_one_line(rounds))),
            legend_entry(f"{_BETWEEN_ROUNDS} pale", "Between two rounds: nothing was sent"),
        ]
    if pauses:
        keys.append(legend_entry(f"{_PAUSE} pale", escape(_in_one_line(pauses))))
    if len(gaps) > len(longest):
        keys.append(f"<li>and {counted(len(gaps) - len(longest), 'shorter gap')}</li>")
    if has_cuts:
        keys.append(legend_entry("cut", "Drawn shorter than it was"))
    return f'<ul class="key">{"".join(keys)}</ul>' if keys else ""


def _in_one_line(words: Sequence[str]) -> str:
    """Some sentences as one: "Round 2 began at 14:02; round 3 began at 16:55"."""
    first, *others = words
    return "; ".join([first, *(f"{other[0].lower()}{other[1:]}" for other in others)])


_PAUSE, _BETWEEN_ROUNDS = "doubt", "quiet"  # a pause catches the eye; the time between two rounds does not


def _gap_tone(gap: Gap) -> str:
    return _BETWEEN_ROUNDS if gap.round else _PAUSE
