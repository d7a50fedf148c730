"""How many rows have each status and how many SMS parts the messages take, with what a plan says at once."""

from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from campaign import markup
from campaign.arrow_text import Ints
from campaign.contract import STATUSES, TEXT_LIMIT
from campaign.copied_field import CopiedField
from campaign.messages.issues import findings_in
from campaign.messages.text.segments import SINGLE, SINGLE_UCS2
from campaign.text import counted, figure
from campaign.words.finding import Finding

SHOWN_COUNTRIES = 5
_FIGURES = ("messages", "gsm7", "ucs2", "longest")
# Blank rows that are no empty ones: the codes of their issues, and how many there are of each in `Totals`.
LINES = {"line_of_totals": "totals_lines", "remark": "remarks"}
# Rows that a status does not tell from others that have it; most plans have none.
_APART = ("totals_lines", "remarks", "left_out", "second_numbers")
READY = "ready to send"  # what people read for the status not_sent of a row of a plan


@dataclass(frozen=True, eq=False, repr=False)
class Totals(Mapping[str, int]):
    """Rows by status, as a mapping over the eight statuses in order; they add up to `rows`. Immutable.

    `rows`: rows of the contact table; `messages`: messages; `parts`: SMS parts of all messages, of which
    `gsm7` in GSM-7 and `ucs2` in UCS-2; `longest`: UTF-16 units of the longest text; `countries`: messages by
    the country of their numbers (ISO codes, the most frequent first). `totals_lines` and `remarks`: of the
    blank rows those that are lines of totals, and remarks below them. `left_out`: of the duplicates those
    whose number was reached before, as `not_again` says. `second_numbers`: rows with a message to another
    number than their first.
    """

    statuses: CopiedField[Mapping[str, int]] = CopiedField(dict)
    _: KW_ONLY
    messages: int
    gsm7: int
    ucs2: int
    longest: int
    countries: CopiedField[Mapping[str, int]] = CopiedField(dict)
    totals_lines: int = 0
    remarks: int = 0
    left_out: int = 0
    second_numbers: int = 0

    def __getitem__(self, status: str) -> int:
        return self._by_status[status]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_status)

    def __len__(self) -> int:
        return len(self._by_status)

    @cached_property
    def _by_status(self) -> dict[str, int]:
        return {status: self.statuses.get(status, 0) for status in STATUSES}

    @cached_property
    def rows(self) -> int:
        return sum(self.values())

    @property
    def parts(self) -> int:
        return self.gsm7 + self.ucs2

    @property
    def finding(self) -> Finding:
        """How many messages are ready, and how many rows get none."""
        facts = {"messages": self.messages, "parts": self.parts, "rows": self.rows}
        return Finding("plan_ready", facts | {"excluded": self.excluded_in_words()}, "info")

    def excluded_in_words(self, sharing: int = 0) -> list[str]:
        """How many rows get no message, by status; lines of totals and remarks apart from the empty rows, and
        those that were reached before or are `sharing` a phone from the other duplicates."""
        kinds = {name.replace("_", " "): count for name, count in self.items() if name != "not_sent"}
        kinds |= {
            "blank": self.empty,
            "duplicate": kinds["duplicate"] - sharing - self.left_out,
            "reached before": self.left_out,
            "sharing a phone": sharing,
        }
        return [f"{figure(count)} {name}" for name, count in kinds.items() if count] + self.lines_in_words

    @property
    def empty(self) -> int:
        """The blank rows that are neither lines of totals nor remarks."""
        return self["blank"] - self.totals_lines - self.remarks

    @property
    def lines_in_words(self) -> list[str]:
        """How many lines of totals and how many remarks there are, as pieces of a list; nothing for none."""
        counts = {
            ("line of totals", "lines of totals"): self.totals_lines,
            ("remark", "remarks"): self.remarks,
        }
        return [counted(count, *nouns) for nouns, count in counts.items() if count]

    def as_record(self) -> dict[str, Any]:
        """Everything as plain values, for a manifest."""
        figures = {name: getattr(self, name) for name in _FIGURES}
        figures |= {name: getattr(self, name) for name in _APART if getattr(self, name)}
        return {"statuses": dict(self), **figures, "countries": dict(self.countries)}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Totals":
        """The totals that `as_record` wrote."""
        figures = {name: record[name] for name in (*_FIGURES, "countries")}
        return cls(record["statuses"], **figures, **{name: record.get(name, 0) for name in _APART})

    def __repr__(self) -> str:
        counts = ", ".join(f"{status} {figure(count)}" for status, count in self.items() if count)
        return (
            f"Totals({figure(self.rows)} rows: {counts or 'none'}; "
            f"{figure(self.messages)} messages, {figure(self.parts)} parts)"
        )


def lines_in(contacts: pd.DataFrame, issues: pd.DataFrame) -> "pd.Series[str]":
    """Which rows of a plan are lines of totals and remarks, certain to be no people: the code of each."""
    return _codes_of(issues, [*LINES], contacts["status"] == "blank")


def left_out_in(statuses: "pd.Series[str]", issues: pd.DataFrame) -> Ints:
    """The rows of a plan that get nothing because their number was reached before, as `not_again` says."""
    codes = _codes_of(issues, ["other_campaign"], statuses == "duplicate")
    return np.unique(codes.index.to_numpy(dtype=np.int64))


def counted_apart(contacts: pd.DataFrame, issues: pd.DataFrame) -> dict[str, int]:
    """How many rows of a plan there are of each kind that a status does not tell, as fields of `Totals`."""
    lines = lines_in(contacts, issues)
    return {
        **{name: int((lines == code).sum()) for code, name in LINES.items()},
        "left_out": len(left_out_in(contacts["status"], issues)),
    }


def _codes_of(issues: pd.DataFrame, codes: list[str], have_status: "pd.Series[bool]") -> "pd.Series[str]":
    """Which of the rows that have a status have an issue with one of these codes: the code of each."""
    chosen = issues[issues["code"].isin(codes) & issues["row"].notna()]
    found = chosen.set_index(chosen["row"].astype("int64"))["code"]
    return found[found.index.isin(have_status.index[have_status])]


# Issues of the whole table that are about who gets a message.
_ABOUT_PEOPLE = (
    "other_country", "unused_marks", "unused_text", "empty_list", "list_of_others", "unreadable_entry",
)  # fmt: skip
# Issues of rows that have one cause.
_TOGETHER = {"no_region": "numbers_without_country", "shared_phone": "phones_shared"}


def findings_of(totals: Totals, kinds: pd.DataFrame, *, continues: bool) -> Iterator[Finding]:
    """The findings about a plan, the headline first; `kinds` is the table that `issue_kinds` makes."""
    yield totals.finding
    if continues:
        yield Finding("plan_continues", severity="warning")
    yield from findings_in(kinds[kinds["code"].isin(_ABOUT_PEOPLE) & kinds["first_row"].isna()])
    for code, together in _TOGETHER.items():
        is_error = (kinds["code"] == code) & (kinds["severity"] == "error")
        if count := int(kinds.loc[is_error, "count"].sum()):
            yield Finding(together, {"count": count}, "warning")
    if totals.second_numbers:
        yield Finding("second_numbers", {"count": totals.second_numbers}, "info")


def status_bars(totals: Totals) -> str:
    """HTML bars: one for the rows that are ready, and one for each kind of the others."""
    kinds = kinds_of_rows(totals, totals)
    return markup.bars({READY: kinds.pop("not sent"), **kinds}, of="rows")


def kinds_of_rows(counts: Mapping[str, int], totals: Totals) -> dict[str, int]:
    """How many rows there are of each kind: the names without underscores, and apart what a status does not
    tell: lines of totals, remarks, and who was reached before.

    `counts` are the rows by status or outcome, and `totals` has how many of them are such ones.
    """
    kinds = {name.replace("_", " "): count for name, count in counts.items()}
    if totals.left_out and "reached before" not in kinds:
        kinds |= {"duplicate": kinds["duplicate"] - totals.left_out, "reached before": totals.left_out}
    return kinds | {"blank": totals.empty, "line of totals": totals.totals_lines, "remark": totals.remarks}


def totals_table(totals: Totals) -> str:
    """A small HTML table of messages, parts, the longest text and the countries."""
    top_countries = list(totals.countries.items())[:SHOWN_COUNTRIES]
    more = len(totals.countries) - len(top_countries)
    countries = ", ".join(f"{country or '?'} {figure(count)}" for country, count in top_countries)
    return markup.facts(
        {
            "messages": figure(totals.messages),
            "SMS parts": figure(totals.parts),
            "SMS parts in UCS-2, 70 characters each": figure(totals.ucs2),
            "longest text": _longest_text(totals),
            "countries": f"{countries} and {more} more" if more else countries,
        }
    )


def _longest_text(totals: Totals) -> str:
    """The length of the longest text beside the room of one part, which depends on the alphabet."""
    if not totals.ucs2:
        return f"{figure(totals.longest)} of {TEXT_LIMIT} characters"
    room = f"{SINGLE}, or {SINGLE_UCS2}" if totals.gsm7 else f"{SINGLE_UCS2}"
    return f"{counted(totals.longest, 'character')}; one part holds {room} in UCS-2"
