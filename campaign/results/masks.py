"""The tables of a result as they may be shown: phone numbers masked unless they are to be revealed."""

from collections.abc import Collection

import pandas as pd

from campaign.display import mask_numbers, mask_texts

# Words and codes of the service and of our own: a follow-up code has to be quoted whole.
_AS_THEY_ARE = {"status", "code", "severity", "column", "sender"}


def mask_table(frame: pd.DataFrame, numbers: Collection[str]) -> pd.DataFrame:
    """The table with the columns in `numbers` masked, and in other text what looks like a phone number."""
    texts = [name for name in frame.columns if frame[name].dtype == "str" and name not in _AS_THEY_ARE]
    masked = {
        name: mask_numbers(frame[name]) if name in numbers else mask_texts(frame[name]) for name in texts
    }
    return frame.assign(**masked)


def mask_issues(issues: pd.DataFrame, numbers: Collection[str]) -> pd.DataFrame:
    """The issues with the values of the columns in `numbers` masked, and other text as above."""
    values = issues["value"]
    typed = mask_numbers(values).where(issues["column"].isin(list(numbers)), mask_texts(values))
    return issues.assign(value=typed, detail=mask_texts(issues["detail"]))
