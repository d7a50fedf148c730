"""Pieces of HTML for reprs, widgets and reports; all text in them is escaped."""

import html
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal

import pandas as pd

from campaign.text import capitalised, counted, figure, money, shorten, without_controls

# Nothing depends on colour alone: every bar has its label and its figure.
TONES = {
    "accepted": "good", "refused": "bad", "unknown": "doubt", "invalid": "bad", "ready to send": "good",
    "with an earlier text": "good", "sharing a phone": "doubt", "under another number": "doubt",
    "new": "good", "still waiting": "good", "refused before": "bad",
    "with another text": "doubt", "to correct": "bad", "to be sent again": "doubt",
}  # fmt: skip

_SHORT = 24  # characters of a cell
_LONGEST = 300  # characters of a cell: more would make it higher than the screen
_LONGEST_WORD = 40  # characters that are not broken: a follow-up code has 31

# The class is named twice to outrank JupyterLab's own rules for tables, which set every cell to the right.
# A shade at its edge says that a table goes on. What covers it, once one has scrolled there, needs the colour
# of the page, so there is none where that is not known.
STYLE = """
.campaign{--good:#0b5cad;--bad:#a3260f;--doubt:#8a5300;--quiet:#5f6368;--line:rgba(128,128,128,.35);
font:14px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;font-variant-numeric:tabular-nums;
border:1px solid var(--line);border-left:4px solid var(--good);border-radius:4px;
box-sizing:border-box;padding:.6em 1em;margin:.4em 0;max-width:74.4em;overflow-x:auto}
[data-jp-theme-light="false"] .campaign,.vscode-dark .campaign{
--good:#6db3f8;--bad:#ff9a85;--doubt:#f0b35a;--quiet:#b0b5ba}
[data-jp-theme-light] .campaign{--paper:var(--jp-layout-color0);
--shade:color-mix(in srgb,var(--quiet) 55%,transparent);
--edges:linear-gradient(to right,var(--paper) 40%,transparent) left/3em 100% no-repeat local,
linear-gradient(to left,var(--paper) 40%,transparent) right/3em 100% no-repeat local,
linear-gradient(to right,var(--shade),transparent) left/1.1em 100% no-repeat,
linear-gradient(to left,var(--shade),transparent) right/1.1em 100% no-repeat}
.campaign.campaign p{margin:.3em 0}
.campaign.campaign .title{font-size:1.1em;font-weight:600;margin:0 0 .3em}
.campaign.campaign .note{opacity:.8;overflow-wrap:anywhere}
.campaign.campaign .box{border-left:4px solid var(--doubt);padding:.3em .7em;margin:.4em 0}
.campaign.campaign table{border-collapse:collapse;table-layout:auto;margin:.4em 0;color:inherit;
font-size:13px}
.campaign.campaign tbody tr{background:none}
.campaign.campaign caption{text-align:left;font-size:13px;opacity:.85;padding:.2em 0}
.campaign.campaign th,.campaign.campaign td{padding:.2em .7em;text-align:left;vertical-align:top;
border-bottom:1px solid var(--line);white-space:pre-wrap;overflow-wrap:break-word;max-width:34em;
line-height:1.4;unicode-bidi:isolate;display:table-cell}
.campaign.campaign th{font-weight:600;white-space:nowrap}
.campaign.campaign .figure{text-align:right;white-space:nowrap}
.campaign.campaign .facts .figure{white-space:normal}
.campaign.campaign .short{white-space:nowrap}
.campaign.campaign .long{min-width:16em}
.campaign.campaign .bars td,.campaign.campaign .bars th{border:0;padding-top:.1em;padding-bottom:.1em}
.campaign.campaign .track{width:16em;vertical-align:middle}
.campaign .scroller{overflow-x:auto;background:var(--edges,none)}
.campaign.campaign .scroller th,.campaign.campaign .scroller td{padding:.2em .5em}
.campaign.campaign .scroller th,.campaign.campaign .scroller .short{white-space:normal}
.campaign.campaign .scroller th{vertical-align:bottom;overflow-wrap:normal}
.campaign.campaign .scroller td:not(.short):not(.figure){overflow-wrap:anywhere;min-width:9em}
.campaign.campaign .scroller td.unbroken{white-space:nowrap}
@media (max-width:800px){.campaign.campaign .scroller td.short{white-space:nowrap}
.campaign.campaign .scroller th,.campaign.campaign .scroller td{padding:.2em .35em}
.campaign.campaign .long{min-width:11em}}
.campaign .scroller::-webkit-scrollbar{height:.6em}
.campaign .scroller::-webkit-scrollbar-thumb{background:var(--quiet);border-radius:.3em}
.campaign .bar{height:.8em;min-width:1px;background:var(--quiet)}
.campaign .bar.good{background:var(--good)}
.campaign .bar.bad{background:var(--bad)}
.campaign .bar.doubt{background:repeating-linear-gradient(90deg,var(--doubt) 0 5px,transparent 5px 8px)}
"""


def escape(text: object) -> str:
    """The text for an HTML page: escaped, without control and direction characters, with its line breaks."""
    return html.escape(without_controls(text))


def paragraph(text: str, *, note: bool = False) -> str:
    """One paragraph of plain text; a note is shown fainter."""
    return f'<p class="note">{escape(text)}</p>' if note else f"<p>{escape(text)}</p>"


def box(text: str) -> str:
    """A paragraph that has to be seen: a warning."""
    return f'<p class="box">{escape(text)}</p>'


def folded(summary: str, piece: str) -> str:
    """A piece of HTML that is shown when somebody opens it."""
    return f"<details><summary>{escape(summary)}</summary>{piece}</details>"


def facts(pairs: Mapping[str, str]) -> str:
    """A small table of names and values, the values right-aligned."""
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td class="figure">{escape(value)}</td></tr>'
        for name, value in pairs.items()
    )
    return f'<table class="facts">{rows}</table>'


def bars(counts: Mapping[str, int], *, of: str) -> str:
    """One labelled bar for each count above zero, coloured by status: {"accepted": 9041, "refused": 100}.

    `of` says what they count, "rows" or "people": texts and SMS beside them are other figures.
    """
    most = max(counts.values(), default=0)
    rows = "".join(_bar(name, count, most) for name, count in counts.items() if count)
    title = f"<caption>{escape(capitalised(of))}</caption>"
    return f'<table class="bars">{title}{rows}</table>' if rows else ""


def _bar(name: str, count: int, most: int) -> str:
    tone = TONES.get(name, "quiet")
    return (
        f'<tr><th scope="row">{escape(name)}</th><td class="figure">{figure(count)}</td>'
        f'<td class="track"><div class="bar {tone}" style="width:{100 * count / most:.1f}%"></div></td></tr>'
    )


def table(
    frame: pd.DataFrame,
    limit: int = 20,
    *,
    rows: int | None = None,
    of: tuple[str, ...] = ("row",),
    which: str = "first",
    figures: Collection[str] = (),
    total: Sequence[object] = (),
) -> str:
    """The first rows of a frame as an HTML table, with a note when there is more than one more.

    `rows` is the total number of rows, if the frame contains only the first of them; `of` says what a row is,
    ("batch", "batches"), where it is none of the file. `which` says which of all they are: "last" where the
    newest come first, "" where they are in no such order. A named index is shown as the first column. Columns
    of numbers are right-aligned, and so are `figures`, columns of amounts in words such as "UGX 311,990 or
    more". Row and batch are names, not amounts, and get no thousands separators. `total` has the cells of a
    last line, the sums of all rows.
    """
    rows = len(frame) if rows is None else rows
    limit += rows == len(frame) == limit + 1  # a note would take the place of the last row
    excerpt = frame.head(limit)
    if excerpt.index.name is not None:
        excerpt = excerpt.reset_index(allow_duplicates=True)  # a file may have a column of that name
    names = [str(name) for name in excerpt.columns]
    columns = [column.tolist() for _, column in excerpt.items()]
    kinds = [
        "figure" if name in figures or pd.api.types.is_numeric_dtype(dtype) else _kind(column)
        for name, dtype, column in zip(names, excerpt.dtypes, columns, strict=True)
    ]
    html_table = _table(names, kinds, zip(*columns, strict=True), total=total)
    if rows <= limit:
        return html_table
    these = f"The {which}" if which else "These are"
    return html_table + paragraph(f"{these} {figure(limit)} of {counted(rows, *of)}.", note=True)


def scroller(table: str, name: str) -> str:
    """A table that scrolls by itself in a narrow window, also for who has no mouse: it takes the focus."""
    return f'<div class="scroller" role="group" tabindex="0" aria-label="{escape(name)}">{table}</div>'


def small_table(rows: Sequence[Mapping[str, object]], caption: str) -> str:
    """Some rows as an HTML table, without a frame, which takes longer to make than the table."""
    names = list(rows[0])
    columns = [[row[name] for row in rows] for name in names]
    kinds = [
        "figure" if any(isinstance(value, int | Decimal) for value in column) else _kind_of_words(column)
        for column in columns
    ]
    return _table(names, kinds, (row.values() for row in rows), caption)


def _table(
    names: Sequence[str],
    kinds: Sequence[str],
    rows: Iterable[Iterable[object]],
    caption: str = "",
    *,
    total: Sequence[object] = (),
) -> str:
    def cells(values: Iterable[object]) -> str:
        return "".join(
            _cell("td", written(value, plain=name in ("row", "first row", "batch")), kind)
            for value, name, kind in zip(values, names, kinds, strict=True)
        )

    head = "".join(_cell("th", name, kind) for name, kind in zip(names, kinds, strict=True))
    body = "".join(f"<tr>{cells(values)}</tr>" for values in rows)
    body += f'<tr class="sum">{cells(total)}</tr>' if total else ""
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _kind(column: Sequence[object]) -> str:
    """The style of a column: figure (right-aligned), short (wrapped only in a scroller), long (never narrow)
    or ""."""
    return "figure" if any(isinstance(value, Decimal) for value in column) else _kind_of_words(column)


def _kind_of_words(column: Sequence[object]) -> str:
    lengths = [len(written(value)) for value in column]
    if max(lengths, default=0) <= _SHORT:
        return "short"
    filled = sum(length > 0 for length in lengths)
    return "long" if sum(length > 40 for length in lengths) * 3 >= filled else ""


def _cell(tag: str, text: str, kind: str) -> str:
    scope = ' scope="col"' if tag == "th" else ""
    styles = [kind] * bool(kind) + ["unbroken"] * (tag == "td" and _is_unbroken(text))
    style = f' class="{" ".join(styles)}"' if styles else ""
    return f"<{tag}{scope}{style}>{escape(text)}</{tag}>"


def _is_unbroken(text: str) -> bool:
    """Is this a date or a code, which a line break would make hard to read?"""
    is_word = len(text) <= _LONGEST_WORD and len(text.split()) == 1
    return is_word and ("-" in text or len(text) > _SHORT)


def written(value: object, *, plain: bool = False) -> str:
    """The value of a cell as a person writes it: "" if it is missing, long text shortened."""
    if isinstance(value, Decimal):
        return money(value)
    if isinstance(value, str):
        return shorten(value, _LONGEST)
    if value is None or pd.isna(value):  # type: ignore[call-overload] # pandas' stubs do not accept object
        return ""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}"
    if isinstance(value, bool | date):
        return str(value)
    number = value.item() if hasattr(value, "item") else value
    if isinstance(number, float):
        return f"{number:,.2f}"
    return figure(number) if isinstance(number, int) and not plain else str(number)


def card(title: str, pieces: Iterable[str]) -> str:
    """A framed block for a notebook: a title above pieces of HTML that are escaped already."""
    name = escape(title)
    head = f'<style>{STYLE}</style><p class="title">{name}</p>'
    # A wide table makes the block scroll, and who has no mouse can scroll only what takes the focus.
    opening = f'<div class="campaign" role="group" tabindex="0" aria-label="{name}">'
    return f"{opening}{head}{''.join(pieces)}</div>"
