"""Numbers of another country than nearly all others: a slip in a code, or a person who is abroad."""

import numpy as np
import pandas as pd

from campaign.arrow_text import TextArray, unique_texts
from campaign.messages.issues import IssueCollector
from campaign.messages.recipients import Recipients

# A country with less than one in so many numbers is rare. Fewer numbers than that tell nothing.
_FEW = 50


def report_rare_countries(
    recipients: Recipients, countries: TextArray, contacts: pd.DataFrame, issues: IssueCollector
) -> None:
    """Add an issue for each number of a rare country, where one country has nearly all numbers of a block."""
    names, positions = unique_texts(countries)
    counts = np.bincount(positions[recipients.numbers > 0], minlength=len(names))
    total = counts.sum()
    if total < _FEW or counts.max() * 10 < total * 9:
        return
    most = names[int(counts.argmax())]
    for place in np.flatnonzero((counts > 0) & (counts * _FEW < total)).tolist():
        if not names[place]:
            continue
        rows = np.flatnonzero((positions == place) & (recipients.numbers > 0))
        detail = (
            f"This is a number of {names[place]}, and nearly all others are of {most}. Correct it if the "
            "country code is wrong."
        )
        recipients.report(issues, contacts, rows, "rare_country", "warning", detail)
