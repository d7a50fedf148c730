"""The tables of a result as they may be shown: phone numbers masked unless they are to be revealed."""

from collections.abc import Iterable

import pandas as pd

from campaign.contacts.columns import number_columns
from campaign.contacts.phone_numbers.cleaning import PROBLEMS, REPAIRS
from campaign.masking import mask_numbers, mask_texts
from campaign.results.tables import Result

# Words and codes of the service and of our own: a follow-up code has to be quoted whole.
_AS_THEY_ARE = {"status", "code", "severity", "column", "sender"}
_COMPARED = 10_000  # messages whose number is looked for in the columns of the file
_TAIL = 6  # digits that a number and the cell it came from have in common at their ends


class Masks:
    """Shows the tables of a result with their phone numbers masked, or as they are when `reveal`."""

    def __init__(self, result: Result, *, reveal: bool) -> None:
        self._reveal = reveal
        self._numbers = frozenset() if reveal else find_number_columns(result) | {"number"}

    def table(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The columns that hold numbers masked, and in other text whatever looks like a phone number."""
        if self._reveal:
            return frame
        texts = [name for name in frame.columns if frame[name].dtype == "str" and name not in _AS_THEY_ARE]
        return frame.assign(
            **{name: (mask_numbers if name in self._numbers else mask_texts)(frame[name]) for name in texts}
        )

    def issues(self, issues: pd.DataFrame) -> pd.DataFrame:
        """The values of columns that hold numbers masked, and other text as in `table`."""
        if self._reveal:
            return issues
        values = issues["value"]
        typed = issues["column"].isin(list(self._numbers))
        masked = mask_texts(values).where(~typed, mask_numbers(values))
        return issues.assign(value=masked, detail=mask_texts(issues["detail"]))

    def texts(self, texts: Iterable[str]) -> list[str]:
        """Sentences in which whatever looks like a phone number is masked."""
        return list(texts) if self._reveal else mask_texts(pd.Series(list(texts), dtype="str")).tolist()

    @property
    def sentence(self) -> str:
        """What a reader has to know about the numbers."""
        if self._reveal:
            return "Phone numbers are shown in full: this file holds personal data."
        return "Phone numbers are masked. Names and texts are not: this file holds personal data."


def find_number_columns(result: Result) -> frozenset[str]:
    """The columns of the file that hold phone numbers, whether they were used or not.

    Told by their headers, by the findings of the number check, and by holding the numbers that were used.
    """
    contacts, issues = result.plan.contacts, result.issues
    by_header = {name for name in contacts.columns if number_columns([name])}
    checked = issues.loc[issues["code"].isin([*PROBLEMS, *REPAIRS]), "column"]
    used = result.plan.messages.head(_COMPARED).drop_duplicates("row").set_index("row")["number"]
    cells = contacts.reindex(used.index)
    tails = used.str[-_TAIL:]
    holding = {name for name in contacts.columns if (_digits(cells[name]).str[-_TAIL:] == tails).any()}
    return frozenset({*by_header, *checked, *holding})


def _digits(cells: "pd.Series[str]") -> "pd.Series[str]":
    return cells.str.replace(r"\D", "", regex=True)
