"""What was read and how: the record that goes with a contact table."""

from collections.abc import ItemsView, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, get_type_hints

import pandas as pd
from msgspec import convert, to_builtins

from campaign.contacts.continuation import Continuation
from campaign.words.finding import Finding
from campaign.words.python import PYTHON


@dataclass(frozen=True)
class Reading(dict[str, Any]):
    """What was read and how: shown by plans and reports.

    `rows` counts the contact rows (blank ones included), `hidden_rows` those left out, `blank_rows` those
    in which no cell holds anything; `notices` are findings about all that was detected, repaired or left out,
    `issues` those about single cells. `detected` names what was not given but found: "encoding",
    "delimiter". `path` is where the file was, "" for anything but one file. `continues` is the campaign
    that a follow-up file belongs to. `dates` is the order of day, month and year that was given, or "", and
    `date_orders` has the columns of dates whose order a plan knows. `sheets` are the names of all sheets of a
    workbook; `detected` has "sheet" if none was asked for and there are several. `left_out` says which hidden
    rows and columns with numbers were left out. `version` is that of the table: in files of one version, a
    row number means one row.

    It is a dict only because pandas writes `.attrs` into a parquet file as JSON, which knows no other class.
    """

    source: str
    format: str
    sheet: str | None = None
    header_row: int | None = None
    encoding: str | None = None
    delimiter: str | None = None
    rows: int = 0
    hidden_rows: int = 0
    blank_rows: int = 0
    notices: tuple[Finding, ...] = ()
    issues: tuple[Finding, ...] = ()
    detected: tuple[str, ...] = ()
    path: str = ""
    continues: Continuation | None = None
    dates: str = ""
    sheets: tuple[str, ...] = ()
    version: str = ""
    date_orders: tuple[tuple[str, str], ...] = ()
    left_out: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        self.update(source=self.source)  # json calls `items` only if there are any

    def items(self) -> ItemsView[str, Any]:  # type: ignore[override] # json takes the items of any mapping
        """Everything as plain values, made when it is written: there may be a million issues."""
        return self.as_record().items()

    def as_record(self) -> dict[str, Any]:
        """The reading as plain values, which JSON can keep."""
        record: dict[str, Any] = {one.name: getattr(self, one.name) for one in fields(self)}
        findings = {name: to_builtins(record[name]) for name in ("notices", "issues", "left_out")}
        return record | findings | {"continues": self.continues and asdict(self.continues)}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Reading":
        """A reading that was kept as JSON."""
        kinds = get_type_hints(cls)
        return cls(**{name: convert(value, kinds[name]) for name, value in record.items()})

    @property
    def all_left_out(self) -> tuple[Finding, ...]:
        """What was left out of a file that nobody can look at again, with its other sheets unless one was
        chosen."""
        others = [name for name in self.sheets if name != self.sheet]
        unread = Finding("sheets_not_read", {"sheet": self.sheet, "others": others}, "warning")
        return (*self.left_out, *([unread] if "sheet" in self.detected else []))

    @property
    def finding(self) -> Finding:
        """What was read, as a finding."""
        delimiter = "tab" if self.delimiter == "\t" else self.delimiter
        facts = {
            "file": self.source,
            "sheet": self.sheet,
            "rows": self.rows,
            "format": self.format,
            "header": self.header_row,
            "delimiter": delimiter if "delimiter" in self.detected else None,
            "encoding": self.encoding if "encoding" in self.detected else None,
            "hidden": self.hidden_rows,
            "blank": self.blank_rows,
        }
        return Finding("table_read", facts, "info")

    @property
    def sentence(self) -> str:
        """What was read, in plain words."""
        return PYTHON.headline(self.finding)

    @property
    def remarks(self) -> list[str]:
        """The notices, in plain words."""
        return [PYTHON.text(notice) for notice in self.notices]

    def __deepcopy__(self, memo: dict[int, Any]) -> "Reading":
        return self  # pandas copies .attrs with every step; what cannot change need not be copied


def reading_of(contacts: pd.DataFrame) -> Reading | None:
    """The reading of a table; None if it has none. pandas gives back as a dict what it wrote into a file."""
    reading = contacts.attrs.get("reading")
    if isinstance(reading, Reading) or not isinstance(reading, Mapping):
        return reading if isinstance(reading, Reading) else None
    try:
        return Reading.from_record(reading)
    except (TypeError, ValueError, KeyError):  # of another program, or another version
        return None
