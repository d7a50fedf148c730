"""Lists of numbers that get nothing: opt-outs, and those an earlier campaign reached."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from campaign.arrow_text import Ints, array_to_series, integers_to_array, join_texts, series_to_array
from campaign.contacts.columns import number_columns
from campaign.contacts.phone_numbers.cleaning import KINDS, clean_numbers
from campaign.contacts.reading import read_contacts
from campaign.contract import STATUSES
from campaign.errors import UsageError
from campaign.messages.issues import Findings
from campaign.messages.recipients import as_integers

Region = str | pd.Series | None

# Campaign folders belong to a floor above this one, which leaves here what opens one.
_readers: list[Callable[[Path], Any]] = []


def read_folders_with(reader: Callable[[Path], Any]) -> None:
    """Let `not_again=` take campaign folders: `reader` gives the result that one holds."""
    _readers[:] = [reader]


def opted_out_numbers(source: Any, region: Region, findings: Findings) -> Ints:
    """The numbers of an opt-out list; entries that are no numbers become findings."""
    return _listed(findings, source, region, "opt_outs")


def sent_numbers(sources: Any, region: Region, findings: Findings) -> Ints:
    """The numbers that earlier campaigns reached, or may have reached; `sources` is one or a list of them."""
    numbers = [np.empty(0, dtype=np.int64)]
    for source in sources if isinstance(sources, list | tuple) else [sources]:
        sent = _sent_numbers(source)
        numbers.append(_listed(findings, source, region, "not_again") if sent is None else sent)
    return np.concatenate(numbers)


def _sent_numbers(source: Any) -> Ints | None:
    """The numbers to which an earlier campaign sent, or may have; None if these are not its results."""
    if isinstance(source, str | Path) and not Path(source).is_file():
        source = _read_folder(Path(source))
    frame = source if isinstance(source, pd.DataFrame) else getattr(source, "messages", source)
    if isinstance(frame, pd.DataFrame) and {"number", "status"} <= set(frame.columns):
        status = frame["status"].astype("str")
        if status.isin(STATUSES).all():
            sent = frame.loc[status.isin(["accepted", "unknown"]), "number"].astype("str")
            return as_integers(sent[sent.str.fullmatch("[0-9]{5,15}")])
    if frame is not source:
        raise UsageError("not_again= takes the results of campaigns: what send() or load_result() gave.")
    return None


def _read_folder(path: Path) -> Any:
    if not _readers:
        raise UsageError(f"not_again= takes results here: give campaign.load_result({str(path)!r}) instead.")
    return _readers[0](path)


def _listed(findings: Findings, source: Any, region: Region, argument: str) -> Ints:
    """The numbers of a list, by the same rules as those of contacts, and by broader ones where those fail.

    A list should rather exclude too many than too few. With a region for each contact nobody can tell where a
    local number of the list is from: it is read under every region there is. Digits alone are also read as if
    a plus stood before them.
    """
    cells = _number_cells(source, argument)
    texts = series_to_array(cells)
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
    international = _cleaned(array_to_series(join_texts("+", digits)), None)
    numbers.append(international[international > 0])
    lost = rest[international == 0]
    rows = integers_to_array(cells.index.to_numpy(dtype=np.int64)[lost])
    detail = join_texts("Row ", rows, " of the list is no number, so it excludes nobody. Put it right.")
    findings.add_for_table(argument, texts.take(pa.array(lost)), "unreadable_entry", "warning", detail)
    return np.unique(np.concatenate(numbers))


def _regions(region: Region) -> list[str | None]:
    """Every region under which numbers of a list are read."""
    if not isinstance(region, pd.Series):
        return [region]
    return [where for where in region.dropna().unique() if where.strip()] or [None]


def _cleaned(cells: "pd.Series[str]", region: str | None) -> Ints:
    """Numbers of any kind in the service's form; 0 where a cell holds none."""
    return as_integers(clean_numbers(cells, region=region, kinds=KINDS)["number"])


def _number_cells(source: Any, argument: str) -> "pd.Series[str]":
    """The cells of a list that should hold numbers: of all columns that look like it, or of the only one."""
    if isinstance(source, pd.Series):
        source = source.rename("number").to_frame()
    elif isinstance(source, list | tuple | set | frozenset):
        source = pd.DataFrame({"number": [str(number) for number in source]}, dtype="str")
    elif not isinstance(source, str | Path | pd.DataFrame):
        kind = type(source).__name__
        raise UsageError(
            f"{argument}= takes a file's path, or a DataFrame, Series or list of numbers, not a {kind}."
        )
    table = read_contacts(source, header="if any")
    likely = number_columns(table.columns)
    if len(table.columns) > 1 and not likely:
        names = ", ".join(f'"{name}"' for name in table.columns)
        raise UsageError(
            f"{argument}= has no column that looks like numbers; it has {names}. Give that column alone."
        )
    cells: pd.Series[str] = pd.concat([table[name] for name in likely or table.columns])
    return cells
