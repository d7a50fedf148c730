"""Rows to correct that come back: a follow-up file is known by the columns that it adds to the file's own."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from campaign.arrow_text import Bools
from campaign.contacts.cells.grid import name_rows
from campaign.contacts.columns import fold
from campaign.contacts.reserved_columns import SUFFIX
from campaign.contacts.table import CellIssue
from campaign.contacts.table_version import row_versions
from campaign.errors import FileError
from campaign.formulas import rearm
from campaign.masking import mask_text
from campaign.text import agreeing, clean, counted, shorten

REASON, STATUS, ROW, CAMPAIGN = "last reason", "last status", "row in the file", "campaign"
MARK = "mark (leave as it is)"  # the version of the file, and of the row where nobody changed it
FOLLOW_UP_COLUMNS = (REASON, STATUS, ROW, MARK, CAMPAIGN)
_FOLDED = tuple(map(fold, FOLLOW_UP_COLUMNS))
_RECOGNISED_BY = frozenset(map(fold, (STATUS, ROW, CAMPAIGN)))
_ROW_NUMBER = r"\s*0*([1-9][0-9]{0,8})(?:\.0+)?\s*"  # programs that take it for a number may write 5.0
_BEHIND = "-"  # between the version of the file and that of the row
_INDEX = "row"  # as pandas calls the index of a contact table when it saves that too
_SHOWN = 60  # characters of a campaign's name in a sentence


@dataclass(frozen=True)
class Continuation:
    """The campaign that a follow-up file belongs to, and where its rows come from.

    `campaign` is the campaign's name as the file has it. `rows` gives for a row of this file the row in the
    original file; rows that were added by hand are not in it, and it may name rows that were removed later.
    `version` is that of the original file, to which these row numbers belong; "" if it is not known.
    `untouched` are the rows of this file that nobody has changed since it was written from the original file.
    """

    campaign: str
    # Pairs and not a dict: as JSON they come back as they were, and a manifest has a digest of them.
    row_pairs: tuple[tuple[int, int], ...] = ()
    version: str = ""
    untouched: tuple[int, ...] = field(default=(), compare=False, repr=False)

    @classmethod
    def of(cls, campaign: str, rows: Mapping[int, int], version: str) -> "Continuation":
        return cls(campaign, tuple(rows.items()), version)

    @classmethod
    def from_record(cls, record: Mapping[str, Any] | None) -> "Continuation | None":
        """A continuation that was kept as JSON."""
        if record is None:
            return None
        pairs = tuple((row, origin) for row, origin in record["row_pairs"])
        return cls(record["campaign"], pairs, record.get("version", ""))

    @cached_property
    def rows(self) -> dict[int, int]:
        return dict(self.row_pairs)

    def moved(self, offset: int) -> "Continuation":
        """The same with the rows of this file numbered on from `offset`."""
        moved = {row + offset: origin for row, origin in self.row_pairs}
        return self.of(self.campaign, moved, self.version)


@dataclass(frozen=True, eq=False)
class ReturnedTable:
    """A contact table without the columns of a follow-up file, and what these said."""

    frame: pd.DataFrame
    continues: Continuation | None = None
    notices: tuple[str, ...] = ()
    issues: tuple[CellIssue, ...] = ()


def is_follow_up(columns: Iterable[str]) -> bool:
    """Whether a table with these columns is a follow-up file, whatever a person has added or removed."""
    return {fold(name) for name in columns} >= _RECOGNISED_BY


def add_follow_up_columns(
    table: pd.DataFrame,
    *,
    reason: "pd.Series[str]",
    status: "pd.Series[str]",
    campaign: str,
    origins: "pd.Series[Any]",
    version: str,
    is_original: Bools,
) -> pd.DataFrame:
    """The rows with the columns of a follow-up file; columns of the table with such a name make way.

    `origins` are the rows in the original file, missing for rows that were added by hand, and `version` is
    the version of that file. Rows that are as in that file, `is_original`, have their own version behind it:
    by this the file shows later that nobody has changed them.
    """
    versions = version + _BEHIND + row_versions(table) if version else version
    names = [f"{name}{SUFFIX}" if _collides(name) else name for name in table.columns]
    added = {
        REASON: reason,
        STATUS: status,
        ROW: origins.astype("Int64").astype("str").fillna(""),
        MARK: np.where(is_original, versions, version),
        CAMPAIGN: campaign,
    }
    own = pd.DataFrame(added, index=table.index, columns=list(FOLLOW_UP_COLUMNS)).astype("str")
    return table.set_axis(names, axis=1).join(own)


def take_continuation(table: pd.DataFrame) -> ReturnedTable:
    """Take the columns of a follow-up file out of a table; any other table comes back as it is.

    Raises FileError if its rows belong to different campaigns.
    """
    if not is_follow_up(table.columns):
        return ReturnedTable(table)
    own = {fold(name): name for name in table.columns if fold(name) in _FOLDED}
    campaign = _campaign(rearm(table[own[fold(CAMPAIGN)]]))
    origins = _original_rows(table[own[fold(ROW)]])
    versions = _versions(table[own[fold(MARK)]]) if fold(MARK) in own else None
    version = "" if versions is None else _common(versions["file"])
    rest = table.drop(columns=list(own.values()))
    if len(rest.columns) and _is_saved_index(rest, origins):
        rest = rest.drop(columns=_INDEX)
    frame = rest.apply(rearm) if len(rest.columns) else rest
    frame.columns = pd.Index(_names_before(rearm(pd.Series(rest.columns, dtype="str"))))
    frame.attrs = table.attrs
    issues = tuple(_issues(table[own[fold(ROW)]], origins))
    if not campaign:
        return ReturnedTable(frame, None, (_NAMELESS,), issues)
    known = origins.dropna().drop_duplicates()
    rows = dict(zip(known.index.tolist(), known.astype("int64").tolist(), strict=True))
    continues = Continuation.of(campaign, rows, version)
    if versions is not None:
        untouched = frame.index[versions["row"] == row_versions(frame)]
        continues = replace(continues, untouched=tuple(untouched.tolist()))
    return ReturnedTable(frame, continues, tuple(_notices(campaign, table, rows)), issues)


def join_continuations(files: Mapping[str, Continuation | None]) -> Continuation | None:
    """One continuation for several files, whose rows are numbered on. Raises FileError for two campaigns."""
    found = {source: continues for source, continues in files.items() if continues is not None}
    first = next(iter(found.values()), None)
    if first is None:
        return None
    if len({_key(continues.campaign) for continues in found.values()}) > 1:
        named = "; ".join(f"{source}: {_quoted(continues.campaign)}" for source, continues in found.items())
        raise FileError(f"The files belong to different campaigns. {named}. Read each of them on its own.")
    rows = {row: origin for continues in found.values() for row, origin in continues.rows.items()}
    versions = {continues.version for continues in found.values()}
    return Continuation.of(first.campaign, rows, versions.pop() if len(versions) == 1 else "")


_NAMELESS = "These are rows to correct, but they do not name their campaign: they are read as a new list."


def _notices(campaign: str, table: pd.DataFrame, rows: Mapping[int, int]) -> Iterable[str]:
    yield (
        f"These are rows to correct from the campaign {_quoted(campaign)}. "
        "Sending them continues that campaign."
    )
    if added := len(table) - len(rows):
        yield f"{counted(added, 'row')} {agreeing(added, 'was', 'were')} added by hand."


def _campaign(cells: "pd.Series[str]") -> str:
    """The one campaign that the rows name; "" if none does. A row that was added by hand may name none."""
    spellings = cells.drop_duplicates()
    keys = {text: _key(text) for text in spellings}
    places = cells.map(keys)
    names: dict[str, str] = {}
    for text, key in keys.items():
        if key:
            names.setdefault(key, text.strip())
    if len(names) > 1:
        lists = "; ".join(
            f"{name_rows(cells.index[places == key].tolist())}: {_quoted(name)}"
            for key, name in [*names.items()][:10]
        )
        raise FileError(
            f"The rows to correct belong to different campaigns. {lists}. "
            "Give the rows of each campaign in a file of their own."
        )
    return next(iter(names.values()), "")


def _versions(cells: "pd.Series[str]") -> pd.DataFrame:
    """The version of the file and of the row that each row names: columns file and row, "" for none."""
    return cells.str.strip().str.extract(f"(?s)^(?P<file>[^{_BEHIND}]*){_BEHIND}?(?P<row>.*)$")


def _common(versions: "pd.Series[str]") -> str:
    """The one version that the rows name; "" for none or several. A row added by hand may name none."""
    named = versions.drop_duplicates()
    named = named[named != ""]
    return str(named.iloc[0]) if len(named) == 1 else ""


def _key(campaign: str) -> str:
    """A campaign's name as it is compared."""
    return unicodedata.normalize("NFC", campaign).casefold().strip()


def _quoted(campaign: str) -> str:
    return f'"{mask_text(shorten(clean(campaign), _SHOWN))}"'


def _original_rows(cells: "pd.Series[str]") -> "pd.Series[Any]":
    """The row in the original file as Int64, <NA> where there is none or it cannot be read."""
    numbers = cells.str.extract(f"^{_ROW_NUMBER}$", expand=False)
    return pd.Series(pd.to_numeric(numbers), cells.index).astype("Int64")


def _issues(cells: "pd.Series[str]", origins: "pd.Series[Any]") -> Iterable[CellIssue]:
    unreadable = (origins.isna() & (cells.str.strip() != "")).to_numpy()
    repeated = (origins.notna() & origins.duplicated()).to_numpy()
    details = {
        "unreadable_row": "This is no row number, so the row counts as one that was added by hand.",
        "repeated_row": "An earlier row names the same row of the original file, so this one counts as one "
        "that was added by hand.",
    }
    for code, mask in zip(details, (unreadable, repeated), strict=True):
        for place in np.flatnonzero(mask).tolist():
            yield CellIssue(
                int(cells.index[place]), ROW, str(cells.iat[place]), code, "warning", details[code]
            )


def _is_saved_index(table: pd.DataFrame, origins: "pd.Series[Any]") -> bool:
    """Whether the first column is the index of `Result.follow_up()`, which pandas saves by default."""
    first = table.columns[0]
    if first != _INDEX:
        return False
    known = origins.notna()
    return bool((_original_rows(table[first]) == origins)[known].all())


def _names_before(columns: Iterable[str]) -> list[str]:
    """The names of the columns in the original file: "campaign (file)" -> "campaign"."""
    return [name[: -len(SUFFIX)] if name.endswith(SUFFIX) and _collides(name) else name for name in columns]


def _collides(name: str) -> bool:
    """Whether this is the name of a column of follow-up files, with any number of suffixes."""
    folded = fold(name)
    while folded not in _FOLDED:
        shorter = re.sub("file$", "", folded)
        if shorter == folded:
            return False
        folded = shorter
    return True
