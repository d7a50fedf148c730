"""The charts of reports and notebooks, as inline SVG.

Shapes are drawn as wide as the page, and their words are beside them as ordinary text, so that they can be
read on a phone. Colours are the variables of the page (`--good`, `--bad`, `--doubt`, `--quiet`), which differ
in light and dark. Nothing depends on colour alone: every bar has its label and its figure.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from campaign.local_times import LocalTimes, duration
from campaign.markup import TONES, escape
from campaign.results.plain_words import status_in_words
from campaign.results.timeline import Gap, Timeline
from campaign.results.totals import cost_in_words
from campaign.text import counted, figure, percentage

# What a page or a widget needs to show the charts, besides the variables of the colours.
STYLE = """
.chart{margin:.6em 0}
.chart svg{display:block;width:100%;overflow:hidden;border-radius:.3rem}
.bars.chart svg{border-radius:0}
.chart .good{fill:var(--good);stroke:var(--good)}.chart .bad{fill:var(--bad);stroke:var(--bad)}
.chart .doubt{fill:var(--doubt);stroke:var(--doubt)}.chart .quiet{fill:var(--quiet);stroke:var(--quiet)}
.chart rect{stroke-width:0}.chart .band{fill-opacity:.22}
.chart .area{fill-opacity:.16;stroke-width:0}.chart .line{fill:none;stroke-width:2.5}
.chart .cut{stroke:var(--quiet);stroke-dasharray:3 4}
.chart .spans{position:relative;height:1.35em;font-size:.8em;white-space:nowrap}
.chart .spans span{position:absolute;transform:translateX(-50%)}
.chart .floor{stroke:var(--quiet);stroke-opacity:.6}
.chart path,.chart line{vector-effect:non-scaling-stroke}.chart .stripes{vector-effect:none}
.chart .axis{display:flex;justify-content:space-between;opacity:.8;font-size:.85em;margin:.2em 0}
.key{display:flex;flex-wrap:wrap;gap:.3em 1.4em;margin:.6em 0 0;padding:0;list-style:none}
.key li{margin:0}.key b{font-weight:650}.key .of{opacity:.8}
.swatch{display:inline-block;box-sizing:border-box;width:.75em;height:.75em;margin-right:.45em;
border:.375em solid var(--quiet);border-radius:.15em;vertical-align:-.05em}
.swatch.good{border-color:var(--good)}.swatch.bad{border-color:var(--bad)}
.swatch.doubt{border-color:var(--doubt)}
.swatch.framed{border-width:.17em}.swatch.striped{border-width:0 .25em}
.swatch.hatched{border-width:0 .36em;border-style:double}
.swatch.low{height:.375em;border-top:0;vertical-align:0}
"""
# The order of the bar: what came of it, best first, then who was left out.
_BAR = (
    "accepted", "reached_earlier", "unknown", "not_sent", "refused", "withdrawn", "invalid",
    "to_correct", "sharing_a_phone", "opted_out", "duplicate", "blank",
)  # fmt: skip
# How a segment is filled: there are more outcomes than colours that mean something. No two in one bar look
# alike, and each has some of its colour undiluted, so that it stands out from the page in light and dark.
_FILLS = {
    "reached_earlier": "framed", "unknown": "striped", "not_sent": "framed", "withdrawn": "hatched",
    "invalid": "framed", "to_correct": "framed", "sharing_a_phone": "framed", "duplicate": "striped",
    "blank": "low",
}  # fmt: skip
_TONES = {**TONES, "to correct": "bad", "sharing a phone": "doubt"}
_DASHES = {"striped": "7 3", "hatched": "2 2"}  # units across, of a line that is as thick as the bar is high
_EDGE = 5  # units of the 24 that the bar is high
_WIDE = 1000  # units across a chart
_THINNEST = 3  # units, so that one row of a million is still seen
_GAP = 2
_TALL = 150
_FEWEST_POINTS, _MOST_POINTS = 3, 300
_SHORT = 120  # seconds: beginning and end may be in the same minute
_EXACT = timedelta(minutes=10)  # below it, a length that is not that of the minutes named is noticed
_LISTED_GAPS = 5
_MOST_GAPS = 0.5  # of the time that something was under way: a night is not worth half a page
_NARROWEST_GAP = 0.01  # of the chart
_LABELLED_GAP = 0.06  # of the chart: a narrower one has no room for its length
_GAP_UNIT = 10  # seconds, the shortest gap there is


def outcome_bar(counts: Mapping[str, int], *, of: str) -> str:
    """One bar of all counts with their shares, {"accepted": 9041, "unknown": 100}; "" without any.

    `of` says what they are shares of: "rows", "people".
    """
    shown = {name: counts[name] for name in _BAR if counts.get(name)}
    whole = sum(shown.values())
    if not whole:
        return ""
    widths = np.maximum(np.array(list(shown.values())) / whole * _WIDE, _THINNEST)
    widths *= (_WIDE - _GAP * (len(widths) - 1)) / widths.sum()
    starts = np.cumsum(widths + _GAP) - widths - _GAP
    shapes = [_segment(name, start, width) for name, start, width in zip(shown, starts, widths, strict=True)]
    words = [f"{figure(count)} {_words(name)} ({percentage(count, whole)})" for name, count in shown.items()]
    keys = [
        _key(
            f"{_tone(name)} {_FILLS.get(name, '')}".rstrip(),
            f"<b>{figure(count)}</b> {escape(status_in_words(name, count))} · {percentage(count, whole)}",
        )
        for name, count in shown.items()
    ]
    label = f"{', '.join(words)}."
    if len(shown) > 1:
        keys.append(f'<li class="of">shares of all {figure(whole)} {of}</li>')
        label += f" Shares of all {figure(whole)} {of}."
    return _figure("outcomes", 24, shapes, label, f'<ul class="key">{"".join(keys)}</ul>')


def accepted_over_time(batches: pd.DataFrame, times: LocalTimes | None = None) -> str:
    """How many messages of `Result.batches` were accepted by when, with pauses and rounds marked, as SVG.

    Long gaps are drawn shorter than they were, between dashed lines, and the legend says so. "" where fewer
    than three batches have left, or all within a second.
    """
    timeline, times = Timeline.of(batches), times or LocalTimes()
    if timeline is None or not timeline.total or len(timeline.accepted) < _FEWEST_POINTS:
        return ""
    if timeline.length.total_seconds() < 1:
        return ""
    axis = _TimeAxis(timeline)
    across = axis.places(timeline.accepted.index)
    up = _TALL - timeline.accepted.to_numpy() / timeline.total * (_TALL - 10)
    kept = np.unique(np.linspace(0, len(up) - 1, _MOST_POINTS).astype(int))
    steps = " ".join(f"H{x:.1f} V{y:.1f}" for x, y in zip(across[kept], up[kept], strict=True))
    steps = f"M0 {_TALL} {steps} H{_WIDE}"
    shapes = [
        *(_band(*drawn) for drawn in zip(timeline.gaps, axis.bands, axis.is_cut, strict=True)),
        f'<path class="good area" d="{steps} V{_TALL} Z"/>',
        f'<path class="good line" d="{steps}"/>',
        f'<line class="floor" x1="0" y1="{_TALL}" x2="{_WIDE}" y2="{_TALL}"/>',
    ]
    days = times.days(timeline.first, timeline.last)
    is_short = timeline.length.total_seconds() < _SHORT
    first, last = (
        times.time_in(moment, days, seconds=is_short) for moment in (timeline.first, timeline.last)
    )
    total = counted(timeline.total, "message")
    gaps = [_gap_words(gap, times, days) for gap in timeline.gaps]
    label = f"{total} accepted from {first} to {last} ({times.name(timeline.last)})."
    label = " ".join([label, *(f"{words}." for words in gaps[:_LISTED_GAPS])])
    under = (
        f'{_gap_lengths(timeline.gaps, axis.bands)}<div class="axis"><span>{escape(first)}</span>'
        f"<span>{total} accepted</span><span>{escape(last)}</span></div>"
        f"{_gap_key(timeline.gaps, gaps, any(axis.is_cut))}"
    )
    return _figure("over-time", _TALL, shapes, label, under)


def cost_bars(costs: Mapping[str, tuple[Decimal | None, int]], currency: str = "") -> str:
    """A table with one bar for each cost: {"North": (Decimal(350), 0), "South": (None, 2)}.

    None is not known. Beside each cost is how many messages may add to it.
    """
    most = max((cost for cost, _ in costs.values() if cost is not None), default=Decimal(0))
    if not most:
        return ""
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td class="figure">'
        f"{escape(cost_in_words(cost, unpriced=unpriced, currency=currency))}</td>"
        f'<td class="track">{_cost_bar(float(cost / most)) if cost else ""}</td></tr>'
        for name, (cost, unpriced) in costs.items()
    )
    return f'<table class="bars chart"><tbody>{rows}</tbody></table>'


def _cost_bar(share: float) -> str:
    return (
        f'<svg viewBox="0 0 {_WIDE} 10" height="10" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="good" x="0" y="0" width="{max(share * _WIDE, _THINNEST):.1f}" height="10"/></svg>'
    )


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
        self._across = np.concatenate([[0.0], np.cumsum(steps)]) * (_WIDE / max(steps.sum(), 1e-3))

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


def _band(gap: Gap, place: tuple[float, float], is_cut: bool) -> str:
    """A gap behind the line, between dashed lines where it is drawn shorter than it was."""
    start, end = place
    band = (
        f'<rect class="{_gap_tone(gap)} band" x="{start:.1f}" y="0" width="{end - start:.1f}" '
        f'height="{_TALL}"/>'
    )
    edges = "".join(
        f'<line class="cut" x1="{edge:.1f}" y1="0" x2="{edge:.1f}" y2="{_TALL}"/>' for edge in place
    )
    return band + edges if is_cut else band


def _gap_lengths(gaps: Sequence[Gap], bands: Sequence[tuple[float, float]]) -> str:
    """How long each gap was, below it, for those that have the room."""
    labels = "".join(
        f'<span style="left:{(start + end) * 50 / _WIDE:.1f}%">{duration(gap.length)}</span>'
        for gap, (start, end) in zip(gaps, bands, strict=True)
        if end - start >= _LABELLED_GAP * _WIDE
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
    """The longest gaps in words, in the order of time; those that look alike have one entry together."""
    longest = sorted(range(len(gaps)), key=lambda place: -gaps[place].length)[:_LISTED_GAPS]
    by_tone: dict[str, list[str]] = {}
    for place in sorted(longest):
        by_tone.setdefault(_gap_tone(gaps[place]), []).append(words[place])
    keys = [_key(tone, escape(_in_one_line(alike))) for tone, alike in by_tone.items()]
    if len(gaps) > len(longest):
        keys.append(f"<li>and {counted(len(gaps) - len(longest), 'shorter gap')}</li>")
    if has_cuts:
        keys.append("<li>Between dashed lines: drawn shorter than it was</li>")
    return f'<ul class="key">{"".join(keys)}</ul>' if keys else ""


def _in_one_line(words: Sequence[str]) -> str:
    """Some sentences as one: "Round 2 began at 14:02; round 3 began at 16:55"."""
    first, *others = words
    return "; ".join([first, *(f"{other[0].lower()}{other[1:]}" for other in others)])


def _gap_tone(gap: Gap) -> str:
    """A pause catches the eye; the time between two rounds does not."""
    return "quiet" if gap.round else "doubt"


def _segment(name: str, start: float, width: float) -> str:
    tone, fill = _tone(name), _FILLS.get(name, "")
    if fill in _DASHES:
        return (
            f'<line class="{tone} stripes" x1="{start:.1f}" y1="12" x2="{start + width:.1f}" y2="12" '
            f'stroke-width="24" stroke-dasharray="{_DASHES[fill]}"/>'
        )
    if fill == "low":
        return _rectangle(tone, start, width, 12, 12)
    if not fill:
        return _rectangle(tone, start, width, 0, 24)
    edges = (_rectangle(tone, start, width, top, _EDGE) for top in (0, 24 - _EDGE))
    return f"{_rectangle(f'{tone} band', start, width, 0, 24)}{''.join(edges)}"


def _rectangle(tone: str, start: float, width: float, top: int, height: int) -> str:
    return f'<rect class="{tone}" x="{start:.1f}" y="{top}" width="{width:.1f}" height="{height}"/>'


def _key(tone: str, words: str) -> str:
    return f'<li><span class="swatch {tone}"></span>{words}</li>'


def _tone(name: str) -> str:
    return _TONES.get(name.replace("_", " "), "quiet")


def _words(name: str) -> str:
    return escape(name.replace("_", " "))


def _figure(name: str, height: int, shapes: Sequence[str], label: str, under: str) -> str:
    """Shapes that stretch to the width of the page, what they say to those who cannot see them, and a key."""
    return (
        f'<div class="chart {name}"><svg role="img" aria-label="{escape(label)}" '
        f'viewBox="0 0 {_WIDE} {height}" height="{height}" preserveAspectRatio="none">{"".join(shapes)}</svg>'
        f"{under}</div>"
    )
