"""Rows that have the same number as another row."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from campaign.arrow_text import (
    Bools,
    Ints,
    TextArray,
    equal_texts,
    integers_to_array,
    join_texts,
    take_from_chunks,
)
from campaign.errors import ContactsError
from campaign.messages.issues import IssueCollector
from campaign.messages.recipients import Recipients

DUPLICATES = ("skip", "keep", "error")
NAMED = 5  # pairs named in an error


class Repeats(NamedTuple):
    """The rows of a block that have the same number as a row that is kept, in most cases an earlier one."""

    rows: Ints  # positions in the block
    kept_rows: Ints  # positions in the table
    same_text: Bools


class DuplicateFinder:
    """Finds the rows that repeat a number, block by block.

    Of each number the first row that is not excluded is kept, unless `keep` names another. Its text is kept
    too, for comparison with those of the other rows.
    """

    def __init__(self, numbers: Ints) -> None:
        ordered = np.sort(numbers)  # 6 ns per number; a hash table takes 40, and much memory
        repeated = ordered[1:][(ordered[1:] == ordered[:-1]) & (ordered[1:] > 0)]
        self._rows = np.flatnonzero(pd.Series(numbers).isin(repeated))
        self._codes, distinct = pd.factorize(numbers[self._rows])
        self._kept_rows = np.full(len(distinct), -1)
        self._text_positions = np.full(len(distinct), -1)  # of the kept row's text in `_texts`
        self._texts: list[TextArray] = []
        self._text_count = 0
        self._pairs: list[tuple[Ints, Ints]] = []  # repeating rows, and the kept rows that they repeat

    def keep(self, rows: Ints, messages: TextArray) -> None:
        """Keep the rows at these positions, whatever comes before them; the last one of a number counts."""
        latest_first = np.arange(len(rows))[::-1]
        codes = self._codes[np.searchsorted(self._rows, rows[latest_first])]
        codes, places = np.unique(codes, return_index=True)
        latest = latest_first[places]
        self._remember(codes, rows[latest], messages.take(latest))

    def find(self, start: int, issues: IssueCollector, messages: TextArray) -> Repeats:
        """The repeats in the next block of rows, which begins at `start`."""
        bounds = slice(*np.searchsorted(self._rows, [start, start + len(issues.status)]))
        rows, codes = self._rows[bounds] - start, self._codes[bounds]
        sendable = issues.sendable[rows]
        rows, codes = rows[sendable], codes[sendable]
        self._keep_first(start, rows, codes, messages)
        repeats = self._kept_rows[codes] != rows + start
        rows, codes = rows[repeats], codes[repeats]
        kept_rows = self._kept_rows[codes]
        self._pairs.append((rows + start, kept_rows))
        kept_texts = take_from_chunks(self._texts, self._text_positions[codes])
        return Repeats(rows, kept_rows, equal_texts(messages.take(rows), kept_texts))

    def _keep_first(self, start: int, rows: Ints, codes: Ints, messages: TextArray) -> None:
        """Remember the first row of each number that is new."""
        codes, first_positions = np.unique(codes, return_index=True)
        is_new = self._kept_rows[codes] < 0
        kept_rows = rows[first_positions[is_new]]
        self._remember(codes[is_new], kept_rows + start, messages.take(kept_rows))

    def _remember(self, codes: Ints, kept_rows: Ints, texts: TextArray) -> None:
        self._kept_rows[codes] = kept_rows
        self._text_positions[codes] = self._text_count + np.arange(len(texts))
        self._text_count += len(texts)
        self._texts.append(texts)

    def refuse(self, labels: Ints) -> None:
        """Raise a ContactsError that names the repeating rows, if there are any."""
        later, earlier = (np.concatenate(rows) for rows in zip(*self._pairs, strict=True))
        if len(later):
            raise ContactsError(_name_pairs(labels[later], labels[earlier]))


def report_duplicates(
    repeats: Repeats,
    issues: IssueCollector,
    contacts: pd.DataFrame,
    recipients: Recipients,
    labels: Ints,
    *,
    keep: bool,
) -> None:
    """Add an issue for each row that names the row that is kept; exclude the row unless all are kept."""
    status = "not_sent" if keep else "duplicate"
    for code, mask, words in (
        ("duplicate", repeats.same_text, "The same number and the same text as row "),
        ("duplicate_other_text", ~repeats.same_text, "The same number as row "),
    ):
        detail = join_texts(
            words, integers_to_array(labels[repeats.kept_rows[mask]]), _CONSEQUENCES[keep, code]
        )
        # Whoever shares a phone with somebody else gets nothing that was meant for them.
        severity = "error" if code == "duplicate_other_text" and not keep else "warning"
        recipients.report(issues, contacts, repeats.rows[mask], code, severity, detail, status=status)


SHARED_PHONE = (
    ", which has another text. Only that one is sent. If two people share the phone, "
    'enter another number, or use duplicates="keep" to send both texts.'
)
_CONSEQUENCES = {
    (False, "duplicate"): ", which is kept.",
    (False, "duplicate_other_text"): SHARED_PHONE,
    (True, "duplicate"): ". Both are sent.",
    (True, "duplicate_other_text"): ", with another text. Both are sent.",
}


def _name_pairs(later: Ints, earlier: Ints) -> str:
    pairs = ", ".join(
        f"{row} (as {first})" for row, first in zip(later[:NAMED], earlier[:NAMED], strict=True)
    )
    more = f" and {len(later) - NAMED:,} more" if len(later) > NAMED else ""
    return (
        f"Some rows have the same number as an earlier row: {pairs}{more}. "
        'Remove them, or use duplicates="skip" or duplicates="keep".'
    )
