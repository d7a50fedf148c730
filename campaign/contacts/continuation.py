"""Rows to correct that come back: a follow-up file is known by the columns that it adds to the file's own."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.arrow_text import Bools
from campaign.contacts.cells.grid import name_rows
from campaign.contacts.columns import fold
from campaign.contacts.reserved_columns import INDEX, SUFFIX, file_names, original_names, without_suffixes
from campaign.contacts.table import CellIssue
from campaign.contacts.table_version import column_version, row_versions
from campaign.errors import FileError
from campaign.formulas import rearm
from campaign.masking import mask_text
from campaign.text import agreeing, clean, counted, shorten
from campaign.values import replace

REASON, STATUS, ROW, CAMPAIGN = "last reason", "last status", "row in the file", "campaign"
# The version of the file, that of the row where nobody changed it, and how dates are read.
MARK = "mark (leave as it is)"
FOLLOW_UP_COLUMNS = (REASON, STATUS, ROW, MARK, CAMPAIGN)
_FOLDED = tuple(map(fold, FOLLOW_UP_COLUMNS))
_RECOGNISED_BY = frozenset(map(fold, (STATUS, ROW, CAMPAIGN)))
_ROW_NUMBER = r"\s*0*([1-9][0-9]{0,8})(?:\.0+)?\s*"  # programs that take it for a number may write 5.0
_BEHIND = "-"  # between the version of the file, that of the row, and the order of dates in each column
_ORDER = "(dmy|mdy|ymd|[dtu]{2})([a-z]+)"  # of day, month and year, or of point and comma, and the column
_SHOWN = 60  # characters of a campaign's name in a sentence


@dataclass(frozen=True)
class Continuation:
    """The campaign that a follow-up file belongs to, and where its rows come from.

    `campaign` is the campaign's name as the file has it. `rows` gives for a row of this file the row in the
    original file; rows that were added by hand are not in it, and it may name rows that were removed later.
    `version` is that of the original file, to which these row numbers belong; "" if it is not known.
    `date_orders` are the versions of columns of dates, each with the order in which the campaign reads them.
    `untouched` are the rows of this file that nobody has changed since it was written from the original file.
    """

    campaign: str
    # Pairs and not a dict: as JSON they come back as they were, and a manifest has a digest of them.
    row_pairs: tuple[tuple[int, int], ...] = ()
    version: str = ""
    date_orders: tuple[tuple[str, str], ...] = ()
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
        orders = tuple((column, order) for column, order in record.get("date_orders", ()))
        return cls(record["campaign"], pairs, record.get("version", ""), orders)

    @cached_property
    def rows(self) -> dict[int, int]:
        return dict(self.row_pairs)

    @property
    def quoted(self) -> str:
        """The name of the campaign as sentences have it."""
        return _quoted(self.campaign)

    def date_order(self, column: str) -> str:
        """The order in which the campaign reads the dates of a column; "" if it is not known."""
        return dict(self.date_orders).get(column_version(column), "")

    def moved(self, offset: int) -> "Continuation":
        """The same with the rows of this file numbered on from `offset`."""
        moved = tuple((row + offset, origin) for row, origin in self.row_pairs)
        return replace(self, row_pairs=moved, untouched=())

    def without_rows(self) -> "Continuation":
        """The same for a table whose row numbers were lost."""
        return replace(self, row_pairs=(), version="", untouched=())


class ReturnedTable(Struct, frozen=True, eq=False):
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
    date_orders: Mapping[str, str],
) -> pd.DataFrame:
    """The rows with the columns of a follow-up file; columns of the table with such a name make way.

    `origins` are the rows in the original file, missing for rows that were added by hand, and `version` is
    the version of that file. Rows that are as in that file, `is_original`, have their own version behind it:
    by this the file shows later that nobody has changed them. `date_orders` gives for columns of dates the
    order of day, month and year.
    """
    marks: pd.Series[str] | str = ""
    if version:
        orders = "".join(_BEHIND + order + column_version(name) for name, order in date_orders.items())
        rows = row_versions(table).where(is_original, "")
        marks = (version + _BEHIND + rows + orders).str.rstrip(_BEHIND)
    names = file_names(table.columns, _collides)
    added = {
        REASON: reason,
        STATUS: status,
        ROW: origins.astype("Int64").astype("str").fillna(""),
        MARK: marks,
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
        rest = rest.drop(columns=INDEX)
    frame = rest.apply(rearm) if len(rest.columns) else rest
    frame.columns = pd.Index(original_names(rearm(pd.Series(rest.columns, dtype="str")), _collides))
    frame.attrs = table.attrs
    issues = tuple(_issues(table[own[fold(ROW)]], origins))
    if not campaign:
        return ReturnedTable(frame, None, (_NAMELESS,), issues)
    known = origins.dropna().drop_duplicates()
    rows = dict(zip(known.index.tolist(), known.astype("int64").tolist(), strict=True))
    continues = Continuation.of(campaign, rows, version)
    if versions is not None:
        untouched = frame.index[versions["row"] == row_versions(frame)]
        orders = _date_orders(versions["orders"].unique())
        continues = replace(continues, date_orders=orders, untouched=tuple(untouched.tolist()))
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
    joined = Continuation.of(first.campaign, rows, versions.pop() if len(versions) == 1 else "")
    orders = {pair for continues in found.values() for pair in continues.date_orders}
    return replace(joined, date_orders=_unanimous(orders))


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
    """What the mark of each row says: columns file and row (their versions) and orders, "" for none."""
    mark = f"(?s)^(?P<file>[^{_BEHIND}]*){_BEHIND}?(?P<row>[^{_BEHIND}]*)(?P<orders>.*)$"
    return cells.str.strip().str.extract(mark)


def _common(versions: "pd.Series[str]") -> str:
    """The one version that the rows name; "" for none or several. A row added by hand may name none."""
    named = versions.drop_duplicates()
    named = named[named != ""]
    return str(named.iloc[0]) if len(named) == 1 else ""


def _date_orders(marks: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """The columns of dates that marks name, each with its order."""
    return _unanimous({(column, order) for mark in marks for order, column in re.findall(_ORDER, mark)})


def _unanimous(orders: Collection[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Those of the columns that have one order: of two, nobody knows which is right."""
    counts = Counter(column for column, _ in orders)
    return tuple(sorted((column, order) for column, order in orders if counts[column] == 1))


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
    if first != INDEX:
        return False
    known = origins.notna()
    return bool((_original_rows(table[first]) == origins)[known].all())


def _collides(name: str) -> bool:
    """Whether this is the name of a column of follow-up files, with any number of suffixes.

    Their index is one, too: pandas saves it by default.
    """
    if without_suffixes(name) == INDEX:
        return True
    folded = fold(name)
    while folded not in _FOLDED:
        shorter = folded.removesuffix(fold(SUFFIX))
        if shorter == folded:
            return False
        folded = shorter
    return True
