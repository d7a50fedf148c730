"""Pieces of a display: strings in, strings out.

Everything a person reads in a notebook, a terminal or a report goes through here once: HTML is escaped,
control characters are taken out, phone numbers are masked, and numbers are written the same way everywhere.
"""

import html
import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

BLUE = "#0b5cad"
RED = "#a3260f"
AMBER = "#8a5300"
GREY = "#5f6368"

# Colour is never the only sign: every bar carries its label and its figure.
TONES = {"accepted": "good", "refused": "bad", "unknown": "doubt", "invalid": "bad", "ready to send": "good"}
COLOURS = {"good": BLUE, "bad": RED, "doubt": AMBER, "quiet": GREY}

# The class is named twice to outrank JupyterLab's own rules for tables, which set every cell to the right.
STYLE = """
.campaign{--good:#0b5cad;--bad:#a3260f;--doubt:#8a5300;--quiet:#5f6368;--line:rgba(128,128,128,.35);
font:14px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;font-variant-numeric:tabular-nums;
border:1px solid var(--line);border-left:4px solid var(--good);border-radius:4px;
padding:.6em 1em;margin:.4em 0;max-width:72em;overflow-x:auto}
[data-jp-theme-light="false"] .campaign,.vscode-dark .campaign{
--good:#6db3f8;--bad:#ff9a85;--doubt:#f0b35a;--quiet:#b0b5ba}
.campaign.campaign p{margin:.3em 0}
.campaign.campaign .title{font-size:1.1em;font-weight:600;margin:0 0 .3em}
.campaign.campaign .note{opacity:.8}
.campaign.campaign table{border-collapse:collapse;table-layout:auto;margin:.4em 0;color:inherit;
font-size:13px}
.campaign.campaign tbody tr{background:none}
.campaign.campaign th,.campaign.campaign td{padding:.2em .7em;text-align:left;vertical-align:top;
border-bottom:1px solid var(--line);white-space:pre-wrap;overflow-wrap:break-word;max-width:34em;
line-height:1.4;unicode-bidi:isolate}
.campaign.campaign th{font-weight:600;white-space:nowrap}
.campaign.campaign .figure{text-align:right;white-space:nowrap}
.campaign.campaign .short{white-space:nowrap}
.campaign.campaign .long{min-width:16em}
.campaign.campaign .bars td,.campaign.campaign .bars th{border:0;padding-top:.1em;padding-bottom:.1em}
.campaign.campaign .track{width:16em;vertical-align:middle}
.campaign .bar{height:.8em;min-width:1px;background:var(--quiet)}
.campaign .bar.good{background:var(--good)}
.campaign .bar.bad{background:var(--bad)}
.campaign .bar.doubt{background:repeating-linear-gradient(90deg,var(--doubt) 0 5px,transparent 5px 8px)}
"""

# --- text ---------------------------------------------------------------------------------------------

_ANSI = re.compile(r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]")
_BREAKS = re.compile(r"[\t\n\v\f\r\x85\u2028\u2029]+")
# Controls, and what turns the direction of the text that follows; the zero-width joiner stays, emoji need it.
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")


def escape(text: object) -> str:
    """The text for an HTML page: markup escaped, control and direction characters out, line breaks kept."""
    return html.escape(_SURROGATES.sub("\ufffd", _CONTROLS.sub("", _ANSI.sub("", str(text)))))


def clean(text: object) -> str:
    """The text for a terminal or a log: one line, without ANSI escapes, control or direction characters."""
    return _SURROGATES.sub("\ufffd", _CONTROLS.sub("", _BREAKS.sub(" ", _ANSI.sub("", str(text)))))


def shorten(text: str, length: int) -> str:
    """The text, cut with an ellipsis if it has more than `length` characters."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


# --- numbers ------------------------------------------------------------------------------------------


def figure(value: float | None) -> str:
    """A count or a measurement with separated thousands: 9,041 or 12.5; "unknown" for None."""
    if value is None:
        return "unknown"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}".rstrip("0").rstrip(".")


def money(value: Decimal | None) -> str:
    """A cost as the service counts it, with separated thousands; "unknown" for None.

    The service names no currency, so none is shown. More than four decimals (a share) are rounded.
    """
    if value is None or not value.is_finite():
        return "unknown"
    exponent = value.as_tuple().exponent
    digits = -exponent if isinstance(exponent, int) else 0
    return f"{value:,.4f}".rstrip("0").rstrip(".") if digits > 4 else f"{value:,f}"


# --- phone numbers ------------------------------------------------------------------------------------

# RE2: no look-around, so each length has its own pattern. Between two digits a person may type up to four
# spaces, dashes, dots, brackets or invisible characters.
_DIGIT = r"\p{Nd}"
_GAP = r"[\p{Z}\p{Pd}\p{Cf}\t.()]{0,4}"
_TAIL = f"{_GAP}({_DIGIT}{_GAP}{_DIGIT})"
_LONG = f"((?:{_DIGIT}{_GAP}){{4}}{_DIGIT})(?:{_GAP}{_DIGIT}){{4,}}{_TAIL}"  # 11 digits or more
_MIDDLE = f"((?:{_DIGIT}{_GAP}){{2}}{_DIGIT})(?:{_GAP}{_DIGIT}){{4,5}}{_TAIL}"  # 9 or 10
_SHORT = f"()(?:{_DIGIT}{_GAP}){{4,5}}{_DIGIT}{_TAIL}"  # 7 or 8
# A date's dashes or dots would join it to the time behind it: private-use characters stand in meanwhile.
_DATES = {
    r"\b((?:19|20)\d\d)-(\d\d?)-(\d\d?)\b": "\\1\ue000\\2\ue000\\3\ue002",
    r"\b(\d\d?)-(\d\d?)-((?:19|20)\d\d)\b": "\\1\ue000\\2\ue000\\3\ue002",
    r"\b(\d\d?)\.(\d\d?)\.((?:19|20)\d\d)\b": "\\1\ue001\\2\ue001\\3\ue002",
}
_MARKS = {"\ue000": "-", "\ue001": ".", "\ue002": ""}


def _replace(values: pa.Array, *patterns: str, by: str) -> pa.Array:
    for pattern in patterns:
        values = pc.replace_substring_regex(values, pattern, by)
    return values


def _texts(series: "pd.Series[str]") -> pa.Array:
    return pa.array(series.astype("str"), type=pa.large_string(), from_pandas=True)


def _series(values: pa.Array, like: "pd.Series[str]") -> "pd.Series[str]":
    return pd.Series(pd.array(values.to_pandas(), dtype="str"), index=like.index, name=like.name)


def mask_numbers(numbers: "pd.Series[str]") -> "pd.Series[str]":
    """A column of phone numbers, cleaned or as typed, with the middle hidden: 25677*****56.

    The number of stars is always five, so that the length is hidden too. Cells that hold anything else than
    one number of seven digits or more (short codes, two numbers, letters between the digits) lose every
    digit. Missing values stay missing.
    """
    texts = _texts(numbers)
    alone = [f"^(\\P{{Nd}}*){pattern}(\\P{{Nd}}*)$" for pattern in (_LONG, _MIDDLE, _SHORT)]
    masked = _replace(texts, *alone, by=r"\1\2*****\3\4")
    bare = pc.replace_substring_regex(texts, _DIGIT, "*")
    return _series(pc.if_else(pc.equal(masked, texts), bare, masked), numbers)


def mask_texts(texts: "pd.Series[str]") -> "pd.Series[str]":
    """A column of any text, in which whatever looks like a phone number (nine digits or more) is masked.

    Dates with a four-digit year stay as they are.
    """
    values = _texts(texts)
    # Finding costs a tenth of replacing, and most cells hold no number.
    found = pc.fill_null(pc.match_substring_regex(values, f"(?:{_DIGIT}{_GAP}){{8}}{_DIGIT}"), False)
    return _series(pc.replace_with_mask(values, found, _mask_inside(values.filter(found))), texts)


def _mask_inside(values: pa.Array) -> pa.Array:
    for date_pattern, marked in _DATES.items():
        values = pc.replace_substring_regex(values, date_pattern, marked)
    values = _replace(values, _LONG, _MIDDLE, by=r"\1*****\2")
    for mark, original in _MARKS.items():
        values = pc.replace_substring(values, mark, original)
    return values


def mask_number(number: str) -> str:
    """One phone number with the middle hidden: "256772000056" becomes "25677*****56"."""
    return str(mask_numbers(pd.Series([number], dtype="str")).iat[0])


def mask_text(text: str) -> str:
    """One text in which whatever looks like a phone number is masked."""
    return str(mask_texts(pd.Series([text], dtype="str")).iat[0])


# --- HTML ---------------------------------------------------------------------------------------------


def paragraph(text: str, *, note: bool = False) -> str:
    """One paragraph of plain text; a note is fainter."""
    return f'<p class="note">{escape(text)}</p>' if note else f"<p>{escape(text)}</p>"


def facts(pairs: Mapping[str, str]) -> str:
    """A small table of names and values, the values right-aligned."""
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td class="figure">{escape(value)}</td></tr>'
        for name, value in pairs.items()
    )
    return f"<table>{rows}</table>"


def bars(counts: Mapping[str, int]) -> str:
    """One labelled bar for each count above zero, coloured by status: {"accepted": 9041, "refused": 100}."""
    most = max(counts.values(), default=0)
    rows = "".join(_bar(name, count, most) for name, count in counts.items() if count)
    return f'<table class="bars">{rows}</table>' if rows else ""


def _bar(name: str, count: int, most: int) -> str:
    tone = TONES.get(name, "quiet")
    return (
        f'<tr><th scope="row">{escape(name.replace("_", " "))}</th><td class="figure">{figure(count)}</td>'
        f'<td class="track"><div class="bar {tone}" style="width:{100 * count / most:.1f}%"></div></td></tr>'
    )


def table(frame: pd.DataFrame, limit: int = 20, *, rows: int | None = None) -> str:
    """The first rows of a frame as an HTML table, with a note when there are more.

    `rows` is the length of the whole where the frame is only its beginning. A named index is shown as the
    first column. Columns of numbers are right-aligned; those called row and batch are names, not amounts, and
    carry no thousands separators.
    """
    shown = frame.head(limit)
    if shown.index.name is not None:
        shown = shown.reset_index()
    kinds = [_kind(shown.iloc[:, place]) for place in range(shown.shape[1])]
    names = [str(name) for name in shown.columns]
    head = "".join(_cell("th", name, kind) for name, kind in zip(names, kinds, strict=True))
    body = "".join(
        "<tr>"
        + "".join(
            _cell("td", written(value, plain=name in ("row", "first row", "batch")), kind)
            for value, name, kind in zip(values, names, kinds, strict=True)
        )
        + "</tr>"
        for values in shown.itertuples(index=False, name=None)
    )
    drawn = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    rows = len(frame) if rows is None else rows
    if rows <= limit:
        return drawn
    return drawn + paragraph(f"The first {figure(limit)} of {figure(rows)} rows.", note=True)


def _kind(column: "pd.Series[Any]") -> str:
    """How a column is set: figure (right-aligned), short (never wrapped), long (never very narrow) or ""."""
    if pd.api.types.is_numeric_dtype(column) or any(isinstance(value, Decimal) for value in column):
        return "figure"
    lengths = [len(written(value)) for value in column]
    if max(lengths, default=0) <= 20:
        return "short"
    return "long" if sum(length > 40 for length in lengths) * 3 > len(lengths) else ""


def _cell(tag: str, text: str, kind: str) -> str:
    scope = ' scope="col"' if tag == "th" else ""
    style = f' class="{kind}"' if kind else ""
    return f"<{tag}{scope}{style}>{escape(text)}</{tag}>"


def written(value: object, *, plain: bool = False) -> str:
    """One cell's value as a person writes it; "" for a missing one, long text shortened."""
    if isinstance(value, Decimal):
        return money(value)
    if isinstance(value, str):
        return shorten(value, 300)
    if value is None or pd.isna(value):  # type: ignore[call-overload] # pandas' types know no object
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
    return f'<div class="campaign" role="group" aria-label="{name}">{head}{"".join(pieces)}</div>'
