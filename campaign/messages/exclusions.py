"""Who gets none though the number is good: duplicates, opt-outs, and those an earlier campaign sent to."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from campaign.contacts.columns import number_columns
from campaign.contacts.numbers import KINDS, clean_numbers
from campaign.contacts.reading import read_contacts
from campaign.errors import ContactsError, UsageError
from campaign.messages.issues import Findings
from campaign.messages.recipients import Recipients
from campaign.messages.texts import Ints, column, join, series, written
from campaign.messages.totals import STATUSES

DUPLICATES = ("skip", "keep", "error")
NAMED = 5  # pairs named in an error


def as_integers(numbers: pa.Array) -> Ints:
    """Numbers in the service's form, at most 15 digits, as integers, which compare faster; "" as 0."""
    filled = pc.if_else(pc.equal(numbers, ""), "0", numbers)
    return np.asarray(pc.cast(filled, pa.int64()), dtype=np.int64)


# --- duplicates ---------------------------------------------------------------------------------------


def handle_duplicates(
    findings: Findings,
    contacts: pd.DataFrame,
    recipients: Recipients,
    messages: pa.ChunkedArray,
    policy: str,
) -> None:
    """Find rows with the number of an earlier row; the first is kept, and the others name it."""
    later, earlier = _repeats(findings, recipients)
    labels = contacts.index.to_numpy(dtype=np.int64)
    if policy == "error" and len(later):
        raise ContactsError(_named_pairs(labels[later], labels[earlier]))
    same = pc.equal(messages.take(pa.array(later)), messages.take(pa.array(earlier)))
    same_text = same.to_numpy(zero_copy_only=False)
    for code, which, words in (
        ("duplicate", same_text, "The same number and the same text as row "),
        ("duplicate_other_text", ~same_text, "The same number as row "),
    ):
        detail = join(words, written(labels[earlier[which]]), _CONSEQUENCES[policy == "skip", code])
        status = "duplicate" if policy == "skip" else "not_sent"
        recipients.report(findings, contacts, later[which], code, "warning", detail, status=status)


def _repeats(findings: Findings, recipients: Recipients) -> tuple[Ints, Ints]:
    """The rows whose number an earlier row has, and that row for each."""
    rows = np.flatnonzero(findings.waiting)
    codes, _ = pd.factorize(as_integers(recipients.numbers.take(pa.array(rows))))
    # Codes are given in order of appearance: the n-th new one is the first row of number n.
    new = np.ones(len(codes), dtype=bool)
    new[1:] = codes[1:] > np.maximum.accumulate(codes)[:-1]
    again = np.flatnonzero(~new)
    return rows[again], rows[np.flatnonzero(new)[codes[again]]]


_CONSEQUENCES = {
    (True, "duplicate"): ", which is kept.",
    (True, "duplicate_other_text"): (
        ", which is kept, but another text: perhaps two people share a phone. "
        'To send both, say duplicates="keep".'
    ),
    (False, "duplicate"): ". Both are sent.",
    (False, "duplicate_other_text"): ", with another text. Both are sent.",
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


# --- lists of numbers ---------------------------------------------------------------------------------


def exclude_opted_out(
    findings: Findings,
    contacts: pd.DataFrame,
    recipients: Recipients,
    source: Any,
    region: "str | pd.Series | None",
) -> None:
    """Exclude the rows whose number is on the opt-out list."""
    listed = _listed(findings, source, region, "opt_outs")
    detail = "The number is on the opt-out list."
    recipients.report(
        findings,
        contacts,
        _among(findings, recipients, listed),
        "opted_out",
        "info",
        detail,
        status="opted_out",
    )


def exclude_already_sent(
    findings: Findings,
    contacts: pd.DataFrame,
    recipients: Recipients,
    sources: Any,
    region: "str | pd.Series | None",
) -> None:
    """Exclude the rows whose number got a message in an earlier campaign, or may have got one.

    Their status is `duplicate`: nothing is wrong with them and nobody asked to be left out, but a message
    would be the second. The code `already_sent` tells them from duplicates within the table.
    """
    several = isinstance(sources, list | tuple)
    for source in sources if several else [sources]:
        sent = _sent_numbers(source)
        listed = _listed(findings, source, region, "not_again") if sent is None else sent
        detail = "An earlier campaign sent to this number, or may have: see not_again=."
        recipients.report(
            findings,
            contacts,
            _among(findings, recipients, listed),
            "already_sent",
            "info",
            detail,
            status="duplicate",
        )


def _among(findings: Findings, recipients: Recipients, listed: Ints) -> Ints:
    """The rows so far without a reason against them whose number is listed."""
    rows = np.flatnonzero(findings.waiting)
    numbers = pd.Series(as_integers(recipients.numbers.take(pa.array(rows))))
    return rows[numbers.isin(listed).to_numpy()]


def _sent_numbers(source: Any) -> Ints | None:
    """The numbers to which an earlier campaign sent, or may have; None if these are not its results."""
    if isinstance(source, str | Path):
        raise UsageError(
            f"not_again= takes results, not folders: give campaign.load_result({str(source)!r}) instead."
        )
    frame = getattr(source, "messages", source)
    if isinstance(frame, pd.DataFrame) and {"number", "status"} <= set(frame.columns):
        status = frame["status"].astype("str")
        if status.isin(STATUSES).all():
            sent = column(frame.loc[status.isin(["accepted", "unknown"]), "number"])
            return as_integers(sent.filter(pc.match_substring_regex(sent, "^[0-9]{5,15}$")))
    if frame is not source:
        raise UsageError("not_again= takes the results of campaigns: what send() or load_result() gave.")
    return None


def _listed(findings: Findings, source: Any, region: "str | pd.Series | None", argument: str) -> Ints:
    """The numbers of a list, by the same rules as those of contacts, and by broader ones where those fail.

    A list should rather exclude too many than too few. With a region for each contact nobody can tell where a
    local number of the list is from: it is read under every region there is. Digits alone are also read as if
    a plus stood before them.
    """
    cells = _number_cells(source, argument)
    texts = column(cells)
    left = np.flatnonzero(pc.not_equal(pc.utf8_trim_whitespace(texts), "").to_numpy(zero_copy_only=False))
    unread = np.zeros(len(cells), dtype=bool)
    unread[left] = True
    numbers = [np.empty(0, dtype=np.int64)]
    for where in _regions(region):
        cleaned = _cleaned(cells, where)
        numbers.append(cleaned[cleaned > 0])
        unread &= cleaned == 0
    rest = np.flatnonzero(unread)
    digits = pc.replace_substring_regex(texts.take(pa.array(rest)), "[^0-9]", "")
    international = _cleaned(series(join("+", digits)), None)
    numbers.append(international[international > 0])
    for row in rest[international == 0]:
        findings.add_for_table(
            argument, str(cells.iloc[row]), "unreadable_entry", "warning",
            f"Row {cells.index[row]} of the list is no number, so it excludes nobody. Put it right.",
        )  # fmt: skip
    return np.unique(np.concatenate(numbers))


def _regions(region: "str | pd.Series | None") -> list[str | None]:
    """Every region under which numbers of a list are read."""
    if not isinstance(region, pd.Series):
        return [region]
    return [where for where in region.dropna().unique() if where.strip()] or [None]


def _cleaned(cells: "pd.Series[str]", region: str | None) -> Ints:
    """Numbers of any kind in the service's form; 0 where a cell holds none."""
    return as_integers(column(clean_numbers(cells, region=region, kinds=KINDS)["number"]))


def _number_cells(source: Any, argument: str) -> "pd.Series[str]":
    """The cells of a list that should hold numbers: of all columns that look like it, or of the only one."""
    if isinstance(source, pd.Series):
        source = source.rename("number").to_frame()
    elif isinstance(source, list | tuple | set | frozenset):
        source = pd.DataFrame({"number": [str(number) for number in source]}, dtype="str")
    table = read_contacts(source)
    likely = number_columns(table.columns)
    if len(table.columns) > 1 and not likely:
        names = ", ".join(f'"{name}"' for name in table.columns)
        raise UsageError(
            f"{argument}= has no column that looks like numbers; it has {names}. Give that column alone."
        )
    cells: pd.Series[str] = pd.concat([table[name] for name in likely or table.columns])
    return cells
