"""Rows to correct that come back: a follow-up file is known by the columns that it adds to the file's own."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import pandas as pd
from msgspec import Struct

from campaign.contacts.columns import fold
from campaign.contacts.reserved_columns import INDEX, file_names, original_names, without_suffixes
from campaign.contacts.table_version import column_version, row_marks
from campaign.errors import FileError
from campaign.formulas import rearm
from campaign.masking import mask_text
from campaign.text import clean, shorten
from campaign.values import replace
from campaign.words.finding import Finding

REASON, STATUS, ROW, CAMPAIGN = "last reason", "last status", "row in the file", "campaign"
# What the row said when the file was written (`row_marks`), and how dates are read.
MARK = "mark (leave as it is)"
FOLLOW_UP_COLUMNS = (REASON, STATUS, ROW, MARK, CAMPAIGN)
_FOLDED = tuple(map(fold, FOLLOW_UP_COLUMNS))
_RECOGNISED_BY = frozenset(map(fold, (STATUS, ROW, CAMPAIGN)))
_BEHIND = "-"  # between the mark of the row and the order of dates in each column
_ORDER = "(dmy|mdy|ymd|[dtu]{2})([a-z]+)"  # of day, month and year, or of point and comma, and the column
_LONGEST = 60  # characters of a campaign's name in a sentence


@dataclass(frozen=True)
class Continuation:
    """The campaign that a follow-up file belongs to, and what its rows were.

    `campaign` is the campaign's name as the file has it. `row_marks` gives for rows of this file the row in
    the campaign's table, 0 if it is not known, and the mark that it had there: what it said. Rows that were
    added by hand are not among them. `date_orders` are the versions of columns of dates, each with the order
    in which the campaign reads them.
    """

    campaign: str
    # Tuples and not a dict: as JSON they come back as they were, and a manifest has a digest of them.
    row_marks: tuple[tuple[int, int, str], ...] = ()
    date_orders: tuple[tuple[str, str], ...] = ()

    @cached_property
    def rows(self) -> dict[int, int]:
        """The row in the campaign's table, by row of this file."""
        return {row: origin for row, origin, _ in self.row_marks if origin}

    @cached_property
    def marks(self) -> dict[int, str]:
        """The mark of each row of this file that has one."""
        return {row: mark for row, _, mark in self.row_marks if mark}

    @property
    def quoted(self) -> str:
        """The name of the campaign as sentences have it."""
        return f'"{_shown(self.campaign)}"'

    def date_order(self, column: str) -> str:
        """The order in which the campaign reads the dates of a column; "" if it is not known: of two orders,
        nobody knows which is right."""
        version = column_version(column)
        orders = [order for name, order in self.date_orders if name == version]
        return orders[0] if len(orders) == 1 else ""

    def untouched(self, table: pd.DataFrame) -> "pd.Index[int]":
        """The rows of a table that say what they said when the file was written."""
        marks = row_marks(table)
        return marks.index[marks == pd.Series(self.marks, dtype="str").reindex(marks.index)]

    def moved(self, offset: int) -> "Continuation":
        """The same with the rows of this file numbered on from `offset`."""
        return replace(self, row_marks=tuple((row + offset, *others) for row, *others in self.row_marks))

    def without_rows(self) -> "Continuation":
        """The same for a table whose row numbers were lost."""
        return replace(self, row_marks=())


class ReturnedTable(Struct, frozen=True, eq=False):
    """A contact table without the columns of a follow-up file, and what these said."""

    frame: pd.DataFrame
    continues: Continuation | None = None
    notices: tuple[Finding, ...] = ()


def is_follow_up(columns: Iterable[str]) -> bool:
    """Whether a table with these columns is a follow-up file, whatever a person has added or removed."""
    return {fold(name) for name in columns} >= _RECOGNISED_BY


def add_follow_up_columns(
    table: pd.DataFrame,
    *,
    reason: "pd.Series[str]",
    status: "pd.Series[str]",
    campaign: str,
    date_orders: Mapping[str, str],
) -> pd.DataFrame:
    """The rows with the columns of a follow-up file; columns of the table with such a name make way.

    The index has the rows in the campaign's table. `date_orders` gives for columns of dates the order of day,
    month and year.
    """
    orders = "".join(_BEHIND + order + column_version(name) for name, order in date_orders.items())
    names = file_names(table.columns, _collides)
    added = {
        REASON: reason,
        STATUS: status,
        ROW: table.index.astype("str"),
        MARK: row_marks(table) + orders,
        CAMPAIGN: campaign,
    }
    own = pd.DataFrame(added, index=table.index, columns=list(FOLLOW_UP_COLUMNS)).astype("str")
    return table.set_axis(names, axis=1).join(own)


def take_continuation(table: pd.DataFrame) -> ReturnedTable:
    """Take the columns of a follow-up file out of a table; any other table comes back as it is.

    A row that names no row of the campaign's table, or the same one as a row above it, was added by hand.
    Raises FileError if its rows belong to different campaigns.
    """
    if not is_follow_up(table.columns):
        return ReturnedTable(table)
    own = {fold(name): name for name in table.columns if fold(name) in _FOLDED}
    campaign = _one_campaign(rearm(table[own[fold(CAMPAIGN)]]).unique())
    origins = _original_rows(table[own[fold(ROW)]])
    rest = table.drop(columns=[*own.values()]).drop(columns=INDEX, errors="ignore")  # which pandas saved
    frame = rest.apply(rearm) if len(rest.columns) else rest
    frame.columns = pd.Index(original_names(rearm(pd.Series(rest.columns, dtype="str")), _collides))
    frame.attrs = table.attrs
    if not campaign:
        return ReturnedTable(frame, None, (Finding("campaign_unnamed", {}, "info"),))
    is_copy = (origins > 0) & origins.duplicated()
    cells = table[own[fold(MARK)]] if fold(MARK) in own else pd.Series("", frame.index, dtype="str")
    marks = cells.str.strip().str.extract(f"(?s)^([^{_BEHIND}]*)(.*)$")
    orders = {(column, order) for mark in marks[1].unique() for order, column in re.findall(_ORDER, mark)}
    known = pd.DataFrame({"row": origins, "mark": marks[0]})[~is_copy]
    known = known[(known["row"] > 0) | (known["mark"] != "")]
    triples = zip(known.index.tolist(), known["row"].tolist(), known["mark"].tolist(), strict=True)
    continues = Continuation(campaign, tuple(triples), tuple(sorted(orders)))
    facts = {"campaign": _shown(campaign), "added": len(table) - len(continues.rows)}
    return ReturnedTable(frame, continues, (Finding("rows_continue", facts, "info"),))


def join_continuations(files: Iterable[Continuation | None]) -> Continuation | None:
    """One continuation for several files, whose rows are numbered on. Raises FileError for two campaigns."""
    found = [continues for continues in files if continues is not None]
    if not found:
        return None
    campaign = _one_campaign(continues.campaign for continues in found)
    marks = tuple(triple for continues in found for triple in continues.row_marks)
    orders = {pair for continues in found for pair in continues.date_orders}
    return Continuation(campaign, marks, tuple(sorted(orders)))


def _one_campaign(names: Iterable[str]) -> str:
    """The one campaign that rows or files name; "" if none does. A row added by hand may name none."""
    spellings: dict[str, str] = {}
    for name in names:
        spellings.setdefault(_key(name), name.strip())
    spellings.pop("", None)
    if len(spellings) > 1:
        raise FileError("several_campaigns", campaigns=[*map(_shown, spellings.values())])
    return next(iter(spellings.values()), "")


def _key(campaign: str) -> str:
    """A campaign's name as it is compared."""
    return unicodedata.normalize("NFC", campaign).casefold().strip()


def _shown(campaign: str) -> str:
    return mask_text(shorten(clean(campaign), _LONGEST))


def _original_rows(cells: "pd.Series[str]") -> "pd.Series[int]":
    """The row in the original file, 0 where there is none or it cannot be read."""
    # Programs that take it for a number may write 5.0.
    numbers = pd.to_numeric(cells.str.extract(r"^\s*0*([1-9][0-9]{0,8})(?:\.0+)?\s*$", expand=False))
    return pd.Series(numbers, cells.index).fillna(0).astype("int64")


def _collides(name: str) -> bool:
    """Whether this is the name of a column of follow-up files, with any number of suffixes.

    Their index is one, too: pandas saves it by default.
    """
    given = without_suffixes(name)
    return given == INDEX or fold(given) in _FOLDED
