"""A plan changed by what its campaign has done before: people who keep what they got, people who left.

Each rule is a function that amends one part; a plan in memory is one part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from campaign.arrow_text import Bools, Ints, series_to_array
from campaign.contacts.phone_numbers.cleaning import clean_numbers
from campaign.contract import EARLIER_TEXT, KEPT_TEXT, MESSAGE_TEXTS, REACHED_CORRECTED
from campaign.messages.plan import Plan, amended, with_fields
from campaign.messages.plan_tables.plan_columns import has_status, labels_of_contacts, numbers_of_contacts
from campaign.messages.plan_tables.plan_fingerprint import fingerprint_of
from campaign.messages.plan_tables.plan_part import PlanPart, amended_part
from campaign.messages.suppression.list_columns import Audience
from campaign.messages.suppression.suppression_lists import SuppressionRules
from campaign.messages.text.segments import measure
from campaign.messages.totals import Totals
from campaign.sending.rounds.comparison import AS_CORRECTED, MOVED, Knowledge, RowTexts, repeated_texts
from campaign.sending.rounds.distinct_texts import contains
from campaign.sending.rounds.record import STOPPED, rows_with_texts

_SENT_AS_CORRECTED = (
    "The row was sent as corrected in a follow-up file, with another number than in this table."
)
_WHY_KEPT = {
    MOVED: "This cell was read as another number before, and that number was reached.",
    AS_CORRECTED: "The row was reached as corrected in a follow-up file, and not with the number in this "
    "table. Correct the row in your own spreadsheet too.",
}


class _ChosenRows:
    """Some rows of a plan, found among others by their labels."""

    def __init__(self, rows: Ints) -> None:
        self._rows = pd.Index(rows)  # which hashes them once

    def places(self, labels: Any) -> Ints:
        """Where the rows with some labels are among the chosen ones, -1 for those that are not."""
        places: Ints = self._rows.get_indexer(pd.Index(labels)).astype(np.int64)
        return places

    def among(self, labels: Any) -> Bools:
        """Which of some labels are those of chosen rows."""
        return np.greater_equal(self.places(labels), 0)


def keep_earlier_messages(plan: Plan, rows: Ints, earlier: pd.DataFrame, knowledge: Knowledge) -> Plan:
    """The plan in which some rows keep the messages that they got.

    `rows` are labels. `earlier` has the message columns, and in `entry` the position in `rows`, ascending:
    all pieces of what each row got. `knowledge` is what is known of the rows, as a comparison has it.
    """
    entries = earlier["entry"].to_numpy(dtype=np.int64)
    taken = earlier.drop(columns="entry").assign(row=rows[entries])
    chosen = _ChosenRows(rows)

    def keep(part: PlanPart, _: int) -> PlanPart:
        places = chosen.places(part.status.index)
        own = places[places >= 0]
        if not len(own):
            return part
        first, after = np.searchsorted(entries, [own.min(), own.max() + 1])
        theirs = taken.iloc[first:after]
        theirs = theirs[theirs["row"].isin(part.status.index)]
        kept = partial(_with_earlier_messages, part, theirs)
        return amended_part(part, messages=kept, rows_of_messages=lambda: kept()["row"].to_numpy())

    def details(places: Ints, part: PlanPart) -> pd.Series[str]:
        got, in_table = (_quoted(_texts_of(frame, rows[places])) for frame in (taken, part.messages))
        detail = "This number got an earlier text: " + got + ". It did not get the one in this table: "
        detail += in_table + "."
        for state, why in _WHY_KEPT.items():
            detail = detail.mask(knowledge[places] == state, why)
        return detail

    # The earlier messages take the place of those that the issues quote.
    noted = with_issue(plan, rows, KEPT_TEXT, "warning", details)
    as_corrected = rows[knowledge == AS_CORRECTED]
    noted = with_issue(noted, as_corrected, REACHED_CORRECTED, "warning", _SENT_AS_CORRECTED)
    return recounted(amended(noted, keep))


def _texts_of(messages: pd.DataFrame, rows: Ints) -> pd.Series[str]:
    """The whole text of each of some rows."""
    texts = messages.loc[messages["row"].isin(rows)].set_index("row")["message"]
    if not texts.index.is_unique:  # a text that was split
        texts = texts.groupby(level="row").agg(" ".join)
    return texts.reindex(rows).astype("str")


def _quoted(texts: pd.Series[str]) -> pd.Series[str]:
    return "“" + texts.str.replace("”", '"') + "”"  # as `remedies.in_curly_quotes` does with one


def _with_earlier_messages(part: PlanPart, earlier: pd.DataFrame) -> pd.DataFrame:
    """The messages of a part in which some rows have earlier ones."""
    messages, labels = part.messages, part.status.index
    kept = pd.concat([messages[~messages["row"].isin(earlier["row"])], earlier[messages.columns]])
    kept = kept.iloc[np.argsort(labels.get_indexer(pd.Index(kept["row"])), kind="stable")]
    types = {"row": "int64", "parts": "int64", **dict.fromkeys(MESSAGE_TEXTS, "str")}
    return kept.reset_index(drop=True).astype(types)


def rows_that_keep_earlier_messages(plan: Plan) -> list[int]:
    """The rows of a frozen plan for which `keep_earlier_messages` was called."""
    return [*map(int, _rows_with_issue(plan, KEPT_TEXT))]


def _rows_with_issue(plan: Plan, code: str) -> Ints:
    rows = [part.issues.loc[part.issues["code"] == code, "row"].dropna() for part in plan.parts()]
    return np.asarray(pd.concat(rows), dtype=np.int64)


def note_reached_before(plan: Plan, batches: Ints, is_corrected: Bools, has_earlier_text: Bools) -> Plan:
    """The plan with an issue for each excluded row that was reached, by the batch in `batches`.

    `is_corrected` are rows that were reached as corrected in a follow-up file, and not by their number.
    Rows that `has_earlier_text` marks get another issue: this text has not reached them.
    """
    for rows, code, what in (
        (~is_corrected, "reached_before", "This number was reached before"),
        (is_corrected, REACHED_CORRECTED, "The row was sent as corrected in a follow-up file"),
        (has_earlier_text, EARLIER_TEXT, "The row was reached with another text, and not with this one"),
    ):
        places = np.flatnonzero(rows & (batches > 0))
        if len(places):
            details = partial(_by_batch, what, batches[places])
            plan = with_issue(plan, labels_of_contacts(plan)[places], code, "warning", details)
    return plan


def _by_batch(what: str, batches: Ints, places: Ints, _: PlanPart) -> pd.Series[str]:
    return f"{what}, by batch " + pd.Series(batches[places]).astype("str") + "."


def without_opted_out(plan: Plan, opt_outs: Any) -> Plan:
    """The plan without the people on a list, who answered STOP after the campaign had begun.

    What could not be read in the list becomes an issue.
    """
    regions = [country for country in plan.totals.countries if country]
    audience = Audience(lambda: plan.addressing.numbers, plan.reading)
    suppressed = SuppressionRules.without_table(opt_outs).read(regions or [None], audience)
    without = without_stopped(plan, np.isin(plan.addressing.numbers, suppressed.opted_out))
    of_list = suppressed.issues.frame(np.empty(0, np.int64))
    if of_list.empty:
        return without

    def note(part: PlanPart, number: int) -> PlanPart:
        if number:  # what concerns no row is in the first part
            return part
        return amended_part(part, issues=lambda: _joined_issues(part.issues, of_list))

    return amended(without, note)


def without_stopped(plan: Plan, stopped: Bools) -> Plan:
    """The plan without those rows of the contacts whose people answered STOP after the campaign had begun.

    Rows that get nothing for another reason keep their status, and get the issue too.
    """
    if not stopped.any():
        return plan
    leaving = stopped & has_status(plan, "not_sent")
    detail = "The person answered STOP after the campaign had begun."
    others = labels_of_contacts(plan)[stopped & ~leaving]
    if len(others):  # they may have the issue already, from an earlier round
        others = others[~np.isin(others, _rows_with_issue(plan, STOPPED))]
    without = without_rows(plan, leaving, "opted_out", STOPPED, "info", detail)
    return with_issue(without, others, STOPPED, "info", detail)


def without_repeats(plan: Plan) -> Plan:
    """The plan in which rows with the same number and the same text as an earlier one get nothing.

    `prepare` takes care of that, except for rows that it was told to keep.
    """
    numbers = numbers_of_contacts(plan)[has_status(plan, "not_sent")]
    numbers.sort()
    shared = np.unique(numbers[1:][numbers[1:] == numbers[:-1]])
    if not len(shared):
        return plan
    labels, texts = [], []
    for part in plan.parts():
        starts, rows = rows_with_texts(part.contacts, plan.addressing.columns, part.messages)
        chosen = np.flatnonzero(contains(shared, rows.numbers))
        labels.append(part.rows_of_messages[starts[chosen]])
        texts.append(rows.take(chosen))
    repeated = np.concatenate(labels)[repeated_texts(RowTexts.below_each_other(texts))]
    leaving = _ChosenRows(repeated).among(labels_of_contacts(plan))
    detail = "The same number and the same text as an earlier row, which is kept."
    return without_rows(plan, leaving, "duplicate", "same_text", "warning", detail)


def without_rows(plan: Plan, leaving: Bools, status: str, code: str, severity: str, reason: str) -> Plan:
    """The plan in which some rows of the contacts get nothing, with a status, a reason and an issue."""
    if not leaving.any():
        return plan
    rows = labels_of_contacts(plan)[leaving]
    chosen = _ChosenRows(rows)

    def leave(part: PlanPart, _: int) -> PlanPart:
        theirs = chosen.among(part.status.index)
        if not theirs.any():
            return part

        def contacts() -> pd.DataFrame:
            frame = part.contacts
            frame["status"] = frame["status"].mask(theirs, status)
            frame["why"] = frame["why"].mask(theirs, code)
            frame["reason"] = frame["reason"].mask(theirs, reason)
            return frame

        stay = ~chosen.among(part.rows_of_messages)
        return amended_part(
            part,
            contacts=contacts,
            status=lambda: part.status.mask(theirs, status),
            messages=lambda: part.messages[stay].reset_index(drop=True),
            rows_of_messages=lambda: part.rows_of_messages[stay],
        )

    return with_issue(recounted(amended(plan, leave)), rows, code, severity, reason)


def with_issue(
    plan: Plan, rows: Ints, code: str, severity: str, detail: str | Callable[[Ints, PlanPart], pd.Series[str]]
) -> Plan:
    """The plan with one more issue for each of some rows, about the cell of their number.

    `detail` is one sentence, or makes those of some positions in `rows`, which are rows of a part.
    """
    if not len(rows):
        return plan
    column, chosen = plan.addressing.columns[0], _ChosenRows(rows)

    def note(part: PlanPart, _: int) -> PlanPart:
        places = np.sort(chosen.places(part.status.index))
        own = places[np.searchsorted(places, 0) :]
        if not len(own):
            return part

        def issues() -> pd.DataFrame:
            more = pd.DataFrame(
                {"row": pd.array(rows[own], "Int64"), "column": column,
                 "value": part.contacts[column].reindex(rows[own]).array, "code": code, "severity": severity,
                 "detail": detail if isinstance(detail, str) else detail(own, part).array}
            )  # fmt: skip
            return _joined_issues(part.issues, more)

        return amended_part(part, issues=issues)

    return amended(plan, note)


def _joined_issues(issues: pd.DataFrame, more: pd.DataFrame) -> pd.DataFrame:
    joined = pd.concat([issues, more.astype(issues.dtypes)], ignore_index=True)
    return joined.sort_values("row", kind="stable", na_position="first").reset_index(drop=True)


def with_messages(plan: Plan, messages: pd.DataFrame) -> Plan:
    """The plan with other messages, in memory."""
    return recounted(with_fields(plan, messages=messages))


def recounted(plan: Plan) -> Plan:
    """The plan with the totals and the fingerprint of its tables as they are now."""
    statuses, countries = Counter[str](), Counter[str]()
    count = parts = ucs2 = longest = 0
    for part in plan.parts():
        messages = part.messages
        lengths, sizes = measure(series_to_array(messages["message"])), messages["parts"].to_numpy()
        count += len(messages)
        parts += int(sizes.sum())
        ucs2 += int(sizes[lengths.ucs2].sum())
        longest = max(longest, int(lengths.units.max(initial=0)))
        statuses.update(_counts(part.status))
        countries.update(_counts(clean_numbers("+" + messages["number"], region=None)["region"]))
    totals = Totals(
        statuses,
        messages=count,
        gsm7=parts - ucs2,
        ucs2=ucs2,
        longest=longest,
        countries=dict(sorted(countries.items(), key=lambda item: (-item[1], item[0]))),
        totals_lines=plan.totals.totals_lines,  # they stay what they are
        remarks=plan.totals.remarks,
        left_out=plan.totals.left_out,
    )

    def frames() -> Iterator[pd.DataFrame]:
        return (part.messages for part in plan.parts())

    return with_fields(plan, totals=totals, fingerprint=partial(fingerprint_of, count, frames))


def _counts(texts: pd.Series[str]) -> dict[str, int]:
    return {str(text): int(count) for text, count in texts.value_counts().items()}
