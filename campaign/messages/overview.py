"""A plan as a manager sees it: what is ready, what is left out, what it takes, what to look at."""

import pandas as pd

from campaign import markup
from campaign.masking import mask_texts
from campaign.messages.issues import SEVERITIES
from campaign.messages.totals import Totals
from campaign.text import figure

SHOWN_COUNTRIES = 5


def sentence(totals: Totals) -> str:
    """In plain words how many messages there are, and how many rows get none."""
    none = {name: count for name, count in totals.items() if count and name != "not_sent"}
    without = ", ".join(f"{figure(count)} {name.replace('_', ' ')}" for name, count in none.items())
    ready = (
        f"{counted(totals.messages, 'message')} ready to send ({counted(totals.parts, 'SMS part')}) "
        f"from {counted(totals.rows, 'row')}."
    )
    return f"{ready} Rows that get none: {without}." if none else f"{ready} Every row gets one."


def counted(number: int, noun: str) -> str:
    """A number and its noun, in the plural where it should be."""
    return f"{figure(number)} {noun}{'' if number == 1 else 's'}"


def fates(totals: Totals) -> str:
    """A bar for the rows that are ready, and one for each reason why others get nothing."""
    none = {name: count for name, count in totals.items() if name != "not_sent"}
    return markup.bars({"ready to send": totals["not_sent"], **none})


def beside(*pieces: str) -> str:
    """Pieces of HTML next to each other where there is room."""
    cells = "".join(f"<div>{piece}</div>" for piece in pieces)
    return f'<div style="display:flex;flex-wrap:wrap;gap:0 3em;align-items:center">{cells}</div>'


def what_it_takes(totals: Totals) -> str:
    """A small table of messages, parts, the longest text and the countries."""
    shown = list(totals.countries.items())[:SHOWN_COUNTRIES]
    more = len(totals.countries) - len(shown)
    countries = ", ".join(f"{name or '?'} {figure(count)}" for name, count in shown)
    return markup.facts(
        {
            "messages": figure(totals.messages),
            "SMS parts": figure(totals.parts),
            "of which in UCS-2, 70 characters a part": figure(totals.ucs2),
            "longest text": f"{figure(totals.longest)} of 160 characters",
            "countries": f"{countries} and {more} more" if more else countries,
        }
    )


def issue_kinds(issues: pd.DataFrame) -> str:
    """The kinds of findings, the gravest first, each with how often, its first row and an example."""
    if issues.empty:
        return markup.paragraph("Nothing was found amiss.")
    groups = issues.groupby(["severity", "code"], sort=False)
    table = groups.agg(found=("code", "size"), first_row=("row", "first"), example=("detail", "first"))
    table = table.reset_index()
    gravity = {name: place for place, name in enumerate(SEVERITIES)}
    order = table.assign(gravity=table["severity"].map(gravity), often=-table["found"])
    table = table.loc[order.sort_values(["gravity", "often"]).index]
    example = mask_texts(table["example"])
    table = table.assign(code=table["code"].str.replace("_", " "), example=example)
    return markup.table(table.rename(columns={"code": "finding", "first_row": "first row"}))
