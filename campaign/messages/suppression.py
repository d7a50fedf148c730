"""Who gets none though the number is good: listed numbers, and those that an earlier row has already."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from campaign.arrow_text import Ints, integers_to_array, join_texts, take_from_chunks
from campaign.errors import ContactsError
from campaign.messages.issues import Findings
from campaign.messages.recipients import Recipients

DUPLICATES = ("skip", "keep", "error")
NAMED = 5  # pairs named in an error


def exclude_opted_out(
    findings: Findings, contacts: pd.DataFrame, recipients: Recipients, listed: Ints
) -> None:
    """Exclude the rows whose number is on the opt-out list."""
    rows = _among(findings, recipients, listed)
    detail = "The number is on the opt-out list."
    recipients.report(findings, contacts, rows, "opted_out", "info", detail, status="opted_out")


def exclude_already_sent(
    findings: Findings, contacts: pd.DataFrame, recipients: Recipients, listed: Ints
) -> None:
    """Exclude the rows whose number got a message in an earlier campaign, or may have got one.

    Their status is `duplicate`: nothing is wrong with them and nobody asked to be left out, but a message
    would be the second. The code `already_sent` tells them from duplicates within the table.
    """
    rows = _among(findings, recipients, listed)
    detail = "An earlier campaign sent to this number, or may have: see not_again=."
    recipients.report(findings, contacts, rows, "already_sent", "info", detail, status="duplicate")


def _among(findings: Findings, recipients: Recipients, listed: Ints) -> Ints:
    """The rows so far without a reason against them whose number is listed."""
    if not len(listed):
        return np.empty(0, dtype=np.int64)
    rows = np.flatnonzero(findings.waiting)
    return rows[pd.Series(recipients.numbers[rows]).isin(listed).to_numpy()]


class Repeats:
    """The numbers that stand in several rows, and for each of them the row that was kept, with its text.

    Rows come in blocks, in order: of each number the first row that nothing speaks against is kept.
    """

    def __init__(self, numbers: Ints) -> None:
        ordered = np.sort(numbers)  # 6 ns a number; a hash table of all takes 40, and much memory
        twice = ordered[1:][(ordered[1:] == ordered[:-1]) & (ordered[1:] > 0)]
        self._rows = np.flatnonzero(pd.Series(numbers).isin(twice))
        self._codes, known = pd.factorize(numbers[self._rows])
        self._first = np.full(len(known), -1)  # the row kept
        self._place = np.full(len(known), -1)  # of its text among all that follow
        self._texts: list[pa.Array] = []
        self._held = 0
        self.found: list[tuple[Ints, Ints]] = []  # rows, and the row with the same number that was kept

    def meet(self, start: int, findings: Findings, messages: pa.Array) -> tuple[Ints, Ints, pa.BooleanArray]:
        """The rows of a block whose number an earlier row has, that row, and whether the text is the same.

        The rows count within the block, which begins at `start`; the earlier ones within the table.
        """
        some = slice(*np.searchsorted(self._rows, [start, start + len(findings.status)]))
        rows, codes = self._rows[some] - start, self._codes[some]
        waiting = findings.waiting[rows]
        rows, codes = rows[waiting], codes[waiting]
        self._keep(start, rows, codes, messages)
        again = self._first[codes] != rows + start
        rows, codes = rows[again], codes[again]
        earlier = self._first[codes]
        self.found.append((rows + start, earlier))
        same = pc.equal(messages.take(pa.array(rows)), take_from_chunks(self._texts, self._place[codes]))
        return rows, earlier, same

    def _keep(self, start: int, rows: Ints, codes: Ints, messages: pa.Array) -> None:
        """Remember the first row of each number that is new."""
        numbers, first = np.unique(codes, return_index=True)
        new = self._first[numbers] < 0
        numbers, kept = numbers[new], rows[first[new]]
        self._first[numbers] = kept + start
        self._place[numbers] = self._held + np.arange(len(kept))
        self._held += len(kept)
        self._texts.append(messages.take(pa.array(kept)))

    def refuse(self, labels: Ints) -> None:
        """Raise a ContactsError that names the rows, if there are any."""
        later, earlier = (np.concatenate(rows) for rows in zip(*self.found, strict=True))
        if len(later):
            raise ContactsError(_named_pairs(labels[later], labels[earlier]))


def report_repeats(
    findings: Findings,
    contacts: pd.DataFrame,
    recipients: Recipients,
    met: tuple[Ints, Ints, pa.BooleanArray],
    labels: Ints,
    *,
    keep: bool,
) -> None:
    """Name for each row the earlier one with the same number; exclude it unless all are kept."""
    rows, earlier, same = met
    same_text = same.to_numpy(zero_copy_only=False)
    for code, which, words in (
        ("duplicate", same_text, "The same number and the same text as row "),
        ("duplicate_other_text", ~same_text, "The same number as row "),
    ):
        detail = join_texts(words, integers_to_array(labels[earlier[which]]), _CONSEQUENCES[keep, code])
        status = "not_sent" if keep else "duplicate"
        recipients.report(findings, contacts, rows[which], code, "warning", detail, status=status)


_CONSEQUENCES = {
    (False, "duplicate"): ", which is kept.",
    (False, "duplicate_other_text"): (
        ", which is kept, but another text: perhaps two people share a phone. "
        'To send both, say duplicates="keep".'
    ),
    (True, "duplicate"): ". Both are sent.",
    (True, "duplicate_other_text"): ", with another text. Both are sent.",
}


def _named_pairs(later: Ints, earlier: Ints) -> str:
    pairs = ", ".join(
        f"{row} (as {first})" for row, first in zip(later[:NAMED], earlier[:NAMED], strict=True)
    )
    more = f" and {len(later) - NAMED:,} more" if len(later) > NAMED else ""
    return (
        f"Rows have the number of an earlier row: {pairs}{more}. "
        'Take them out, or say duplicates="skip" or "keep".'
    )
