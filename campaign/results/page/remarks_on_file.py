"""How many remarks there are in the table of issues, those on the file apart from those on earlier rounds."""

from __future__ import annotations

import pandas as pd

from campaign.contacts.phone_numbers.problems_and_repairs import CHANGES
from campaign.contract import CORRECTED, EARLIER_TEXT, KEPT_TEXT, REACHED_CORRECTED
from campaign.text import counted, listed_words

# What is known from the campaign's own record, and was not found in the file.
_OF_CAMPAIGN = (CORRECTED, EARLIER_TEXT, KEPT_TEXT, REACHED_CORRECTED, "reached_before", "stopped")


def remarks_in_words(kinds: pd.DataFrame) -> str:
    """Their number and what they are, of the kinds of `issue_kinds`: "3 remarks on the file: 1 error and 2
    repairs"."""
    counts, of_campaign = kinds["count"], kinds["code"].isin(_OF_CAMPAIGN)
    is_error, is_repair = (kinds["severity"] == "error") & ~of_campaign, kinds["code"].isin(CHANGES)
    sizes = {
        "error": is_error,
        "repair": is_repair & ~is_error,
        "note": ~(is_error | is_repair | of_campaign),
    }
    of_file = [counted(count, name) for name, chosen in sizes.items() if (count := int(counts[chosen].sum()))]
    on_file, on_campaign = (int(counts[chosen].sum()) for chosen in (~of_campaign, of_campaign))
    pieces = [f"{counted(on_file, 'remark')} on the file: {listed_words(of_file)}"] if on_file else []
    if on_campaign:
        pieces.append(f"{counted(on_campaign, 'remark')} on what the campaign did before")
    return "; ".join(pieces)
