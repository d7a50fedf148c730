"""The charts of a report, as inline SVG.

They are drawn with matplotlib's Figure, without pyplot, so that no global state is left behind. Every bar has
its label and its figure beside it: nothing depends on colour alone.
"""

import io
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from campaign.markup import BLUE, COLOURS, TONES, escape
from campaign.text import counted, figure

MOST_BARS = 60  # more would be too thin to see: neighbouring batches are then averaged
_MOST_LABELS = 12  # figures that fit above the bars without touching
_FEWEST_SLOTS = 10  # room for at least ten batches, so that a single bar is not as wide as the page
_INK = "#3c4043"


def outcomes(counts: Mapping[str, int]) -> str:
    """A horizontal bar for each status that has rows, as SVG; "" when there are none."""
    rows = {name.replace("_", " "): count for name, count in counts.items() if count}
    if not rows:
        return ""
    tones = [TONES.get(name, "quiet") for name, count in counts.items() if count]
    drawing, axes = _figure(height=0.38 * len(rows) + 0.1)
    bars = axes.barh(
        list(rows),
        list(rows.values()),
        height=0.6,
        color=[COLOURS[tone] for tone in tones],
        edgecolor="white",
        linewidth=0,
        hatch=["//" if tone == "doubt" else "" for tone in tones],
    )
    axes.bar_label(bars, labels=[figure(count) for count in rows.values()], padding=5)
    axes.invert_yaxis()
    axes.set_xlim(0, max(rows.values()) * 1.15)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    figures = ", ".join(f"{figure(count)} {label}" for label, count in rows.items())
    return _svg(drawing, "outcomes", f"Bar chart of the rows by outcome: {figures}.")


def costs(batches: pd.DataFrame) -> str:
    """A bar for the cost of each batch, or for the average of neighbours when they are many, as SVG.

    `batches` has the columns batch and cost (Decimal, None where unknown); "" when no batch has a cost.
    """
    priced = batches[batches["cost"].notna()]
    if priced.empty:
        return ""
    number, cost = priced["batch"].to_numpy(), priced["cost"].astype(float).to_numpy()
    size = -(-len(cost) // MOST_BARS)
    starts = np.arange(0, len(cost), size)
    heights = np.add.reduceat(cost, starts) / np.diff(np.append(starts, len(cost)))
    drawing, axes = _figure(height=2.4)
    width = {"width": 0.7} if size == 1 else {"width": 0.9 * size, "align": "edge"}
    bars = axes.bar(number[starts], heights, color=BLUE, **width)
    if len(starts) <= _MOST_LABELS:
        axes.bar_label(bars, labels=[figure(float(height)) for height in heights], padding=3)
    _scale(axes, int(number[-1]), float(heights.max()))
    axes.set_xlabel("batch" if size == 1 else f"batch (each bar is the average of {size} batches)")
    axes.set_ylabel("cost")
    span = f"from {figure(float(cost.min()))} to {figure(float(cost.max()))}"
    batch_count = counted(len(priced), "batch", "batches")
    return _svg(drawing, "costs", f"Bar chart of the cost of {batch_count}, {span}.")


def _scale(axes: Any, last: int, highest: float) -> None:
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    axes.set_xlim(0.4, max(last, _FEWEST_SLOTS) + 0.6)
    axes.set_ylim(0, max(highest, 1e-9) * 1.15)
    if last <= _MOST_LABELS:
        axes.set_xticks(range(1, last + 1))
    else:
        axes.xaxis.set_major_locator(MaxNLocator(nbins=12, integer=True))
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5))
    axes.yaxis.set_major_formatter(lambda value, _: figure(float(value)))


def _figure(height: float) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    drawing = Figure(figsize=(7.5, height), layout="constrained")
    axes = drawing.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(_INK)
    axes.tick_params(length=0, colors=_INK)
    return drawing, axes


def _svg(drawing: Any, name: str, description: str) -> str:
    """The figure as one `<svg>` element whose text stays text and whose ids no other chart has."""
    from matplotlib import rc_context

    stream = io.StringIO()
    no_metadata = {"Date": None, "Creator": None, "Format": None, "Type": None}
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "campaign", "hatch.linewidth": 1.5}):
        drawing.savefig(stream, format="svg", metadata=no_metadata)
    svg = stream.getvalue()
    svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", svg[svg.index("<svg") :])
    return svg.replace("<svg", f'<svg role="img" aria-label="{escape(description)}"', 1)
