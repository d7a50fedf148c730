"""The charts of reports and notebooks: true shares, true times, and words for those who cannot see them."""

import re
from decimal import Decimal
from zoneinfo import ZoneInfo

import pandas as pd
import pytest
from support.batch_rows import frame_of

from campaign.local_times import LocalTimes
from campaign.results import charts
from campaign.results.charts import cost_bars, outcome_bar
from campaign.results.time_chart import accepted_over_time
from campaign.results.timeline import Timeline

KAMPALA = LocalTimes(ZoneInfo("Africa/Kampala"))


def batches(*rows):
    """Batches of ten messages: (seconds after 11:02 UTC, status, round), half a second each."""
    start = pd.Timestamp("2026-11-21 11:02", tz="UTC")
    came = [
        (place, 10, status, Decimal(350), "", "", 1, start + pd.Timedelta(seconds=after), 0.5, round_)
        for place, (after, status, round_) in enumerate(rows, start=1)
    ]
    return frame_of(came)


def chart_of(batches, times=None):
    return accepted_over_time(Timeline.of(batches), times)


def steady(count, *, start=0, status="accepted", round_=1):
    return [(start + place, status, round_) for place in range(count)]


def widths(svg):
    return [float(width) for width in re.findall(r'<rect[^>]*width="([\d.]+)"', svg)]


def label(svg):
    return re.search(r'role="img" aria-label="([^"]*)"', svg)[1]


def test_the_bar_has_the_shares_of_the_counts():
    bar = outcome_bar({"accepted": 300, "refused": 100, "to correct": 100, "blank": 0}, of="rows")
    accepted, refused, invalid, *edges = widths(bar)
    assert edges == [invalid, invalid]  # a frame tells it from "refused"
    assert accepted / refused == pytest.approx(3, abs=0.01)
    assert refused == invalid
    assert accepted + refused + invalid == pytest.approx(996, abs=0.2)  # two gaps
    assert label(bar) == "300 accepted (60%), 100 refused (20%), 100 to correct (20%)"
    assert outcome_bar({"accepted": 0}, of="rows") == ""


def test_shares_beside_each_other_have_as_many_decimals():
    bar = outcome_bar({"accepted": 26, "unknown": 3, "not_sent": 1}, of="rows")
    assert label(bar).startswith("26 accepted (86.7%), 3 unknown (10.0%), 1 not sent (3.3%)")
    assert "· 10.0%</li>" in bar


def test_one_row_of_a_million_is_still_seen_and_never_rounded_away():
    bar = outcome_bar({"accepted": 999_999, "refused": 1}, of="rows")
    assert min(widths(bar)) > 2
    assert label(bar).startswith("999,999 accepted (over 99.9%), 1 refused (under 0.1%)")


def test_what_is_unknown_has_stripes_and_not_only_a_colour():
    assert "stroke-dasharray" in outcome_bar({"accepted": 1, "unknown": 1}, of="rows")
    assert "stroke-dasharray" not in outcome_bar({"accepted": 1, "refused": 1}, of="rows")


def test_the_time_line_says_how_many_by_when_and_when_nothing_was_sent():
    chart = chart_of(batches(*steady(10), (10, "unknown", 1), *steady(10, start=130)), KAMPALA)
    assert label(chart) == (
        "200 messages accepted from 14:02 to 14:04 (Kampala, UTC+3). "
        "Nothing was sent from 14:02 to 14:04 (2 min)."
    )
    assert chart.count('class="doubt band"') == 1
    assert "Nothing was sent from 14:02 to 14:04 (2 min)</li>" in chart
    short = chart_of(batches(*steady(10), *steady(10, start=45)), KAMPALA)
    assert "Nothing was sent for 36 s at 14:02</li>" in short


def test_a_later_round_is_a_beginning_and_no_hold():
    chart = chart_of(batches(*steady(5), *steady(5, start=3 * 86_400, round_=2)), KAMPALA)
    assert "Round 2 began at 24 Nov 14:02</li>" in chart
    (band,) = re.findall(r'class="quiet band" x="[\d.]+" y="0" width="([\d.]+)"', chart)
    assert float(band) < 340  # three days beside ten seconds
    start, end = re.search(r'class="quiet band" x="([\d.]+)"', chart)[1], beginnings(chart)[0]
    assert f'class="cut" x1="{start}" y1="148.0" x2="{end}"' in chart  # above it, time is drawn shorter
    assert re.search(r'<span style="left:[\d.]+%">3 days</span>', chart)
    assert '<li><span class="swatch cut"></span>Drawn shorter than it was</li>' in chart


def test_a_pause_beside_a_long_night_is_seen_and_the_longer_gap_is_wider():
    rows = [*steady(10), *steady(10, start=60), *steady(10, start=40_000), *steady(10, start=40_010)]
    pause, night = [
        float(width)
        for width in re.findall(r'band" x="[\d.]+" y="0" width="([\d.]+)"', chart_of(batches(*rows)))
    ]
    assert 40 < pause < night < 300


def test_what_took_no_second_has_no_time_line():
    assert chart_of(batches(*[(place / 1000, "accepted", 1) for place in range(20)])) == ""
    to_scale = chart_of(batches(*steady(60), *steady(60, start=75)))
    assert 'class="doubt band"' in to_scale
    assert "shorter" not in to_scale
    assert 'class="cut"' not in to_scale


def test_the_time_between_two_rounds_is_no_pause():
    rounds = batches(*steady(5), *steady(5, start=60), *steady(5, start=3 * 86_400, round_=2))
    timeline = Timeline.of(rounds)
    assert [pause.length.total_seconds() for pause in timeline.pauses] == [55.5]


def test_a_slow_pace_is_no_row_of_pauses():
    slow = batches(*[(place * 60, "accepted", 1) for place in range(20)])
    assert Timeline.of(slow).pauses == ()


def test_many_pauses_are_listed_up_to_the_longest():
    starts = [place * 100 + place**2 for place in range(1, 12)]
    rows = [(start + second, "accepted", 1) for start in starts for second in range(5)]
    chart = chart_of(batches(*rows), KAMPALA)
    assert chart.lower().count("nothing was sent from") == 10  # five in words, and again for who cannot see
    assert "and 5 shorter gaps" in chart


@pytest.mark.parametrize("rows", [[], [(0, "unknown", 1)], [(0, "refused", 1)]])
def test_without_anything_accepted_there_is_no_time_line(rows):
    assert chart_of(batches(*rows)) == ""


def test_the_steps_end_at_the_top_and_never_fall():
    chart = chart_of(batches(*steady(1000)), KAMPALA)
    heights = [float(y) for y in re.findall(r"V([\d.]+)", chart.split('class="good line"')[1])]
    assert heights == sorted(heights, reverse=True)
    assert heights[-1] == 10
    assert len(heights) <= 300


def test_costs_have_bars_in_proportion_and_say_what_is_not_known():
    table = cost_bars(
        {"North": (Decimal(350), 2), "<b>South</b>": (Decimal(700), 0), "West": (None, 1)}, "UGX"
    )
    assert widths(table) == [500, 1000]
    assert re.findall(r'<td class="figure">([^<]*)</td>', table) == [
        "UGX 350 or more",
        "UGX 700",
        "not known",
    ]
    assert "&lt;b&gt;South" in table
    assert cost_bars({"North": (None, 1)}) == ""


def test_no_two_outcomes_look_alike_and_none_is_only_faint():
    everything = dict.fromkeys(charts._BAR, 10)
    chart = outcome_bar(everything, of="people")
    looks = re.findall(r'<li><span class="swatch ([^"]+)"></span><b>', chart)
    assert len(looks) == len(everything) == len({*looks})
    solid = re.sub(
        r'<rect class="\w+ band"[^>]*>', "", chart
    )  # beside what is faint each has its full colour
    starts = {re.search(r'x1?="([\d.]+)"', shape)[1] for shape in re.findall("<(?:rect|line) [^>]*>", solid)}
    assert len(starts) == len(everything)


def beginnings(svg):
    """Where across the chart rounds begin."""
    return re.findall(r'class="round" x1="([\d.]+)" y1="0.0" x2="\1" y2="150.0"', svg)


def test_a_round_is_a_line_at_its_beginning_and_the_grey_before_it_is_none():
    """Whoever takes the grey for the round sees it where nothing was sent."""
    rows = [*steady(5), *steady(5, start=60), *steady(20, start=300, round_=2)]
    chart = chart_of(batches(*rows), KAMPALA)
    left, width = map(
        float, re.search(r'class="quiet band" x="([\d.]+)" y="0" width="([\d.]+)"', chart).groups()
    )
    assert [*map(float, beginnings(chart))] == [pytest.approx(left + width, abs=0.2)]
    assert re.findall('<li><span class="swatch ([^"]+)"></span>([^<]+)</li>', chart) == [
        ("round", "Round 2 began at 14:07"),
        ("quiet pale", "Between two rounds: nothing was sent"),
        ("doubt pale", "Nothing was sent from 14:02:04 to 14:03:00 (56 s)"),
        ("cut", "Drawn shorter than it was"),
    ]


@pytest.mark.parametrize(
    ("total", "levels"),
    [
        (1, "0 1"),
        (3, "0 1 2 3"),
        (38, "0 10 20 30"),
        (100, "0 20 40 60 80 100"),
        (8_350, "0 2,000 4,000 6,000 8,000"),
        (40_000, "0 10,000 20,000 30,000 40,000"),
    ],
)
def test_the_scale_names_round_numbers_at_their_heights(total, levels):
    frame = batches(*steady(4)).assign(messages=[total, 0, 0, 0])
    chart = chart_of(frame)
    scale = re.findall(r'<span style="top:([\d.]+)%">([\d,]+)</span>', chart)
    assert " ".join(number for _, number in scale) == levels
    lines = re.findall(r'class="level" x1="0.0" y1="([\d.]+)"', chart)
    assert [float(y) / 1.5 for y in lines] == [pytest.approx(float(top), abs=0.1) for top, _ in scale[1:]]
    highest = int(scale[-1][1].replace(",", ""))
    assert float(lines[-1]) == pytest.approx(150 - 140 * highest / total, abs=0.1)


def test_the_last_step_is_not_at_the_very_edge():
    """There half of a line lies outside of the chart, and what follows it has no width."""
    chart = chart_of(batches(*steady(5), (200, "accepted", 2)), KAMPALA)
    across = [float(x) for x in re.findall(r"H([\d.]+)", chart.split('class="good line"')[1])]
    assert across[-2:] == [984, 1000]


def test_two_rounds_have_one_entry_of_their_grey():
    rows = [*steady(5), *steady(5, start=300, round_=2), *steady(5, start=900, round_=3)]
    chart = chart_of(batches(*rows), KAMPALA)
    assert chart.count('<span class="swatch quiet pale"></span>') == 1
    assert len(beginnings(chart)) == 2
    assert "Round 2 began at 14:07; round 3 began at 14:17</li>" in chart


def test_every_round_is_in_the_legend_also_where_days_lie_between_others():
    """The time between rounds is no measure of the pace: the second gap is as much a gap as the first."""
    rounds = batches(*steady(2), *steady(2, start=370, round_=2), *steady(1, start=480, round_=3))
    assert "Round 2 began at 14:08; round 3 began at 14:10" in chart_of(rounds, KAMPALA)


def test_a_round_that_began_seconds_after_the_one_before_it_is_named_too():
    """A pause inside a round would be too short to be named."""
    rounds = batches(*steady(5), *steady(5, start=8, round_=2), *steady(5, start=16, round_=2))
    assert '<li><span class="swatch round"></span>Round 2 began at 14:02</li>' in chart_of(rounds, KAMPALA)


def test_a_gap_whose_length_is_not_that_of_the_minutes_named_has_its_seconds():
    """That is a minute and 43 seconds: no two minutes from 14:02 to 14:03."""
    chart = chart_of(batches(*steady(10), *steady(10, start=113)), KAMPALA)
    assert "Nothing was sent from 14:02:09 to 14:03:53 (2 min)." in label(chart)
