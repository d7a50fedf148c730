"""The bars of reports and notebooks, as inline SVG, and what they have in common with the time line.

Shapes are drawn as wide as the page, and their words are beside them as ordinary text, so that they can be
read on a phone. Colours are the variables of the page (`--good`, `--bad`, `--doubt`, `--quiet`), which differ
in light and dark. Nothing depends on colour alone: every bar has its label and its figure.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal

import numpy as np

from campaign.markup import TONES, escape
from campaign.results.totals import cost_in_words
from campaign.text import figure, percentages

# What a page or a widget needs to show the charts, besides the variables of the colours.
STYLE = """
.chart{margin:.6em 0}
.chart svg{display:block;width:100%;overflow:hidden;border-radius:.3rem}
.bars.chart svg{border-radius:0}
.chart .good{fill:var(--good);stroke:var(--good)}.chart .bad{fill:var(--bad);stroke:var(--bad)}
.chart .doubt{fill:var(--doubt);stroke:var(--doubt)}.chart .quiet{fill:var(--quiet);stroke:var(--quiet)}
.chart rect{stroke-width:0}.chart .band{fill-opacity:.22}
.chart .area{fill-opacity:.16;stroke-width:0}.chart .line{fill:none;stroke-width:2.5}
.chart .round{stroke:currentColor;stroke-width:2;stroke-dasharray:7 5}
.chart .cut{stroke:currentColor;stroke-width:4;stroke-dasharray:3 4}
.chart .level{stroke:var(--quiet);stroke-opacity:.3}
.over-time{display:grid;grid-template-columns:max-content minmax(0,1fr);column-gap:.5em}
.over-time>*{grid-column:2}.over-time>svg{grid-row:1}.over-time>.key{grid-column:1/-1}
.over-time>.scale{display:grid;grid-column:1;grid-row:1;text-align:right;font-size:.8em;line-height:1}
.scale span{grid-area:1/1;align-self:start;position:relative;transform:translateY(-50%);opacity:.8}
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
.swatch.none{border-color:transparent}.swatch.banded{border-width:0 .12em 0 .5em}
.swatch.low{height:.375em;border-top:0;vertical-align:0}
.swatch.pale{opacity:.45}
.swatch.round{width:0;height:1.4em;border:0;border-left:2px dashed;border-radius:0;vertical-align:-.35em}
.swatch.cut{width:1.7em;height:0;border:0;border-bottom:4px dotted;border-radius:0;vertical-align:.15em}
"""
# The order of the bar: what came of it, best first, then who was left out.
_BAR = (
    "accepted", "with an earlier text", "unknown", "under way", "to be sent again", "not sent", "refused",
    "withdrawn", "to correct", "sharing a phone", "under another number", "opted out",
    "reached by another campaign", "repeated or blank",
)  # fmt: skip
# How a segment is filled: there are more outcomes than colours that mean something. No two in one bar look
# alike, and each has some of its colour undiluted, so that it stands out from the page in light and dark.
FILLS = {
    "with an earlier text": "framed", "unknown": "striped", "under way": "striped", "not sent": "framed",
    "to be sent again": "hatched", "withdrawn": "hatched", "to correct": "framed",
    "sharing a phone": "framed", "under another number": "banded", "reached by another campaign": "banded",
    "repeated or blank": "low",
}  # fmt: skip
_HEIGHTS = {"low": 12}
_DASHES = {
    "striped": "7 3",
    "banded": "22 5",
    "hatched": "2 2",
}  # units across, of a line that is as thick as the bar is high
_EDGE = 5  # units of the 24 that the bar is high
WIDE = 1000  # units across a chart
_THINNEST = 3  # units, so that one row of a million is still seen
_GAP = 2


def outcome_bar(counts: Mapping[str, int], *, of: str) -> str:
    """One bar of all counts with their shares below it, {"accepted": 9041, "unknown": 100}; "" without any.

    `of` says what they are shares of: "messages".
    """
    shown = {name.replace("_", " "): count for name, count in counts.items() if count}
    whole = sum(shown.values())
    shares = dict(zip(shown, percentages([*shown.values()], whole), strict=True))
    words = [f"{figure(count)} {name} ({shares[name]})" for name, count in shown.items()]
    keys = [
        legend_entry(
            f"{_tone(name)} {FILLS.get(name, '')}".rstrip(),
            f"<b>{figure(count)}</b> {escape(name)} · {shares[name]}",
        )
        for name, count in shown.items()
    ]
    if len(shown) > 1:
        keys.append(f'<li class="of">shares of all {figure(whole)} {of}</li>')
    return bar(shown, ", ".join(words), f'<ul class="key">{"".join(keys)}</ul>')


def bar(counts: Mapping[str, int], label: str, under: str = "") -> str:
    """One bar of all counts, which `label` says to those who cannot see it; "" without any."""
    shown = {name: counts[name] for name in _BAR if counts.get(name)}
    whole = sum(shown.values())
    if not whole:
        return ""
    widths = np.maximum(np.array(list(shown.values())) / whole * WIDE, _THINNEST)
    widths *= (WIDE - _GAP * (len(widths) - 1)) / widths.sum()
    starts = np.cumsum(widths + _GAP) - widths - _GAP
    shapes = [_segment(name, start, width) for name, start, width in zip(shown, starts, widths, strict=True)]
    return drawing("outcomes", 24, shapes, label, under)


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
        f'<svg viewBox="0 0 {WIDE} 10" height="10" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="good" x="0" y="0" width="{max(share * WIDE, _THINNEST):.1f}" height="10"/></svg>'
    )


def _segment(name: str, start: float, width: float) -> str:
    tone, fill = _tone(name), FILLS.get(name, "")
    if fill in _DASHES:
        return (
            f'<line class="{tone} stripes" x1="{start:.1f}" y1="12" x2="{start + width:.1f}" y2="12" '
            f'stroke-width="24" stroke-dasharray="{_DASHES[fill]}"/>'
        )
    if fill in _HEIGHTS:
        return _rectangle(tone, start, width, 24 - _HEIGHTS[fill], _HEIGHTS[fill])
    if not fill:
        return _rectangle(tone, start, width, 0, 24)
    edges = (_rectangle(tone, start, width, top, _EDGE) for top in (0, 24 - _EDGE))
    return f"{_rectangle(f'{tone} band', start, width, 0, 24)}{''.join(edges)}"


def _rectangle(tone: str, start: float, width: float, top: int, height: int) -> str:
    return f'<rect class="{tone}" x="{start:.1f}" y="{top}" width="{width:.1f}" height="{height}"/>'


def legend_entry(tone: str, words: str) -> str:
    """What a colour, a pattern or a line means; the words are HTML."""
    return f'<li><span class="swatch {tone}"></span>{words}</li>'


def _tone(name: str) -> str:
    return TONES.get(name, "quiet")


def drawing(name: str, height: int, shapes: Sequence[str], label: str, under: str) -> str:
    """Shapes that stretch to the width of the page, what they say to those who cannot see them, and a key."""
    return (
        f'<div class="chart {name}"><svg role="img" aria-label="{escape(label)}" '
        f'viewBox="0 0 {WIDE} {height}" height="{height}" preserveAspectRatio="none">{"".join(shapes)}</svg>'
        f"{under}</div>"
    )
