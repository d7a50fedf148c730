"""Rows that have the same number as another row."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from campaign.arrow_text import (
    Bools,
    Ints,
    TextArray,
    array_to_series,
    equal_texts,
    take_from_chunks,
)
from campaign.errors import ContactsError
from campaign.messages.issues import IssueCollector
from campaign.messages.recipients import Recipients
from campaign.messages.text.folding import folded

DUPLICATES = ("skip", "keep", "error")
NAMED = 5  # pairs named in an error


class Candidates(NamedTuple):
    """The rows of a block that share their number with another row, and that are excluded for an opt-out, or
    not at all."""

    rows: Ints  # positions in the block
    labels: Ints  # row numbers
    texts: TextArray
    opted_out: Bools

    def where(self, chosen: Bools) -> "Candidates":
        """Some of them."""
        if chosen.all():
            return self
        rows = np.flatnonzero(chosen)
        return Candidates(self.rows[rows], self.labels[rows], self.texts.take(rows), self.opted_out[rows])


class Repeats(NamedTuple):
    """The rows of a block that have the same number as a row that is kept, in most cases an earlier one.

    `copies` are those that have number and text of an earlier row, both of them opted out.
    """

    rows: Ints  # positions in the block
    kept_labels: Ints  # row numbers of the rows that are kept
    same_text: Bools
    copies: Ints  # positions in the block
    copied_labels: Ints  # row numbers of the rows that they are copies of


class DuplicateFinder:
    """Finds the rows that repeat a number, block by block.

    Of each number the first row that is not excluded is kept, unless `keep` names another. Its text
    is kept too, for comparison with those of the other rows. If all different texts are sent
    (`every_text`), each of them is compared with all that came before it.
    """

    def __init__(self, numbers: Ints, *, every_text: bool = False) -> None:
        ordered = np.sort(numbers)  # 6 ns per number; a hash table takes 40, and much memory
        repeated = ordered[1:][(ordered[1:] == ordered[:-1]) & (ordered[1:] > 0)]
        self._rows = np.flatnonzero(pd.Series(numbers).isin(repeated))
        self._codes, distinct = pd.factorize(numbers[self._rows])
        self._kept_rows = np.full(len(distinct), -1)  # positions in the table
        self._kept_labels = np.full(len(distinct), -1)
        self._text_positions = np.full(len(distinct), -1)  # of what the kept row says
        self._texts: list[TextArray] = []
        self._text_count = 0
        self._every_text = every_text
        self._other_texts = _FirstRows()  # that are sent as well
        self._opted_out = _FirstRows()
        self._named: list[tuple[int, int]] = []  # repeating rows, and the kept rows that they repeat
        self._count = 0

    def keep(self, rows: Ints, labels: Ints, messages: TextArray) -> None:
        """Keep the rows at these positions, whatever comes before them; the last one of a number counts."""
        latest_first = np.arange(len(rows))[::-1]
        codes = self._codes_of(rows[latest_first])
        codes, places = np.unique(codes, return_index=True)
        latest = latest_first[places]
        self._remember(codes, rows[latest], labels[latest], folded(messages.take(latest)))

    def sharing(self, start: int, count: int) -> Ints:
        """Which rows of a block share their number with another row; it begins at `start`."""
        first, after = np.searchsorted(self._rows, [start, start + count])
        return self._rows[first:after] - start

    def find(self, start: int, candidates: Candidates) -> Repeats:
        """The repeats in the next block of rows, which begins at `start`."""
        candidates = candidates._replace(texts=folded(candidates.texts))
        copies, copied_labels = self._find_copies(start, candidates.where(candidates.opted_out))
        candidates = candidates.where(~candidates.opted_out)
        rows, labels, texts, _ = candidates
        codes = self._codes_of(rows + start)
        self._keep_first(start, candidates, codes)
        repeats = np.flatnonzero(self._kept_rows[codes] != rows + start)
        codes = codes[repeats]
        kept_labels = self._kept_labels[codes]
        self._count += len(repeats)
        examples = slice(NAMED - len(self._named))
        self._named += zip(labels[repeats[examples]].tolist(), kept_labels[examples].tolist(), strict=True)
        texts, labels = texts.take(repeats), labels[repeats]
        same_text = equal_texts(texts, take_from_chunks(self._texts, self._text_positions[codes]))
        others = np.flatnonzero(~same_text)
        if self._every_text and len(others):
            first_labels = self._other_texts.find(codes[others], texts.take(others), labels[others])
            again = first_labels != labels[others]
            kept_labels[others[again]] = first_labels[again]
            same_text[others[again]] = True
        return Repeats(rows[repeats], kept_labels, same_text, copies, copied_labels)

    def _find_copies(self, start: int, opted_out: Candidates) -> tuple[Ints, Ints]:
        """The opted-out rows that are copies of earlier ones, and the row numbers of these."""
        rows, labels, texts, _ = opted_out
        if not len(rows):
            return rows, labels
        first_labels = self._opted_out.find(self._codes_of(rows + start), texts, labels)
        copies = first_labels != labels
        return rows[copies], first_labels[copies]

    def _codes_of(self, rows: Ints) -> Ints:
        """A code for the number of each row at these positions in the table."""
        return self._codes[np.searchsorted(self._rows, rows)]

    def _keep_first(self, start: int, candidates: Candidates, codes: Ints) -> None:
        """Remember the first row of each number that is new."""
        codes, first = np.unique(codes, return_index=True)
        is_new = self._kept_rows[codes] < 0
        kept = first[is_new]
        rows, labels, texts, _ = candidates
        self._remember(codes[is_new], rows[kept] + start, labels[kept], texts.take(kept))

    def _remember(self, codes: Ints, kept_rows: Ints, labels: Ints, texts: TextArray) -> None:
        self._kept_rows[codes], self._kept_labels[codes] = kept_rows, labels
        self._text_positions[codes] = self._text_count + np.arange(len(texts))
        self._text_count += len(texts)
        self._texts.append(texts)

    def refuse(self) -> None:
        """Raise a ContactsError that names the repeating rows, if there are any."""
        if self._count:
            rows = [row for row, _ in self._named]
            raise ContactsError("numbers_repeated", count=self._count, rows=rows)


class _FirstRows:
    """The first row with each number and text, of rows that come block by block."""

    def __init__(self) -> None:
        self._seen = pd.DataFrame({"code": [], "text": [], "label": []})

    def find(self, codes: Ints, texts: TextArray, labels: Ints) -> Ints:
        """The row number of the first row with the number and the text of each row of the next block."""
        block = pd.DataFrame({"code": codes, "text": array_to_series(texts), "label": labels})
        seen = pd.concat([self._seen, block]) if len(self._seen) else block
        self._seen = seen.drop_duplicates(["code", "text"])
        first_labels = seen.groupby(["code", "text"], sort=False)["label"].transform("first")
        return first_labels.to_numpy(dtype=np.int64)[-len(block) :]


def report_duplicates(
    repeats: Repeats,
    issues: IssueCollector,
    contacts: pd.DataFrame,
    recipients: Recipients,
    *,
    keep: bool,
) -> None:
    """Add an issue for each row that names the row that is kept, and exclude the row.

    With `keep`, another text is sent as well, but the same one never twice.
    """

    def report(rows: Ints, code: str, severity: str, status: str, others: Ints, **facts: Any) -> None:
        facts |= {"other_row": pa.array(others)}
        recipients.report(issues, contacts, rows, code, severity, status=status, **facts)

    same, rows, kept = repeats.same_text, repeats.rows, repeats.kept_labels
    report(rows[same], "same_text", "warning", "duplicate", kept[same])
    if keep:
        report(rows[~same], "shared_phone", "warning", "not_sent", kept[~same])
    else:  # people who share a phone with somebody else get nothing that was meant for them
        report(rows[~same], "shared_phone", "error", "duplicate", kept[~same], choice="keep")
    issues.forget_status(repeats.copies)
    report(repeats.copies, "same_text", "warning", "duplicate", repeats.copied_labels)
