"""What was read and how: the record that goes with a contact table."""

from collections.abc import ItemsView, Mapping
from dataclasses import asdict, dataclass
from typing import Any, get_type_hints

import pandas as pd
from msgspec import convert

from campaign.contacts.columns import listed
from campaign.contacts.continuation import Continuation
from campaign.contacts.table import CellIssue
from campaign.text import capitalised, counted, figure

DELIMITER_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}


@dataclass(frozen=True)
class Reading(dict[str, Any]):
    """What was read and how: shown by plans and reports.

    `rows` counts the contact rows (blank ones included), `hidden_rows` those left out, `blank_rows` those
    in which no cell holds anything; `notices` are sentences about all that was detected, repaired or left
    out, `issues` the same for each single cell. `detected` names what was not given but found: "encoding",
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
    notices: tuple[str, ...] = ()
    issues: tuple[CellIssue, ...] = ()
    detected: tuple[str, ...] = ()
    path: str = ""
    continues: Continuation | None = None
    dates: str = ""
    sheets: tuple[str, ...] = ()
    version: str = ""
    date_orders: tuple[tuple[str, str], ...] = ()
    left_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.update(source=self.source)  # json calls `items` only if there are any

    def items(self) -> ItemsView[str, Any]:  # type: ignore[override] # json takes the items of any mapping
        """Everything as plain values, made when it is written: there may be a million issues."""
        return asdict(self).items()

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Reading":
        """A reading that was kept as JSON."""
        kinds = get_type_hints(cls)
        return cls(**{name: convert(value, kinds[name]) for name, value in record.items()})

    @property
    def all_left_out(self) -> tuple[str, ...]:
        """What was left out of a file that nobody can look at again: its other sheets, too, unless one was
        chosen."""
        others = listed([name for name in self.sheets if name != self.sheet])
        unread = f"{others} was not read, as sheet= does not name the one to read"
        return (*self.left_out, *([unread] if "sheet" in self.detected else []))

    @property
    def sentence(self) -> str:
        """What was read, in plain words."""
        sheet = f', sheet "{self.sheet}"' if self.sheet else ""
        details = [self.format, f"header in row {self.header_row}" if self.header_row else "no header"]
        if "delimiter" in self.detected and self.delimiter:
            details.append(f"separated by {DELIMITER_NAMES.get(self.delimiter, self.delimiter)}")
        if "encoding" in self.detected and self.encoding:
            details.append(f"encoding {self.encoding}")
        left_out = {"hidden": self.hidden_rows, "blank": self.blank_rows}
        counts = [f"; {figure(count)} {kind}" for kind, count in left_out.items() if count]
        rows = capitalised(counted(self.rows, "row"))
        return f"{rows} from {self.source}{sheet} ({', '.join(details)}{''.join(counts)})."

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
