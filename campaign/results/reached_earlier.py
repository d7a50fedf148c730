"""People who were reached in an earlier round, though today's row is to be corrected or has another text."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from msgspec import Struct, field

from campaign.arrow_text import Ints
from campaign.contract import EARLIER_TEXT, KEPT_TEXT, REACHED_CORRECTED
from campaign.errors import FolderError
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import has_status, labels_of_contacts, numbers_of_contacts
from campaign.results.recorded import Recorded, read_recorded
from campaign.text import listed_words
from campaign.values import replace

_REASON = (
    "The row gets nothing, but its number was reached earlier in the campaign. Correct the row in your own "
    "spreadsheet too."
)
_REASON_CORRECTED = (
    "The row gets nothing, but it was reached as corrected in a follow-up file. Correct the row in your own "
    "spreadsheet too."
)
_OUTDATED = (
    "This text has not reached the row. As corrected in a follow-up file, it was reached with an earlier "
    "text. Correct the row in your own spreadsheet too."
)
_DOUBTFUL = (
    "The row was corrected in a follow-up file, and it is not known whether that message was sent. Settle "
    "its batch first."
)
_PERHAPS = "Its number, which {rows} too, was reached earlier in the campaign."
_SHOWN = 3  # other rows with the number
_NO_ROWS = pd.Index([], dtype="int64")
_NOBODY = np.empty(0, np.int64)
_IN_DOUBT = ("unknown", "again", "sending")  # the last two are states of the ledger


class ReachedEarlier(Struct, frozen=True, eq=False):
    """What earlier rounds mean for the rows of a result: all fields hold row numbers but `may_keep`.

    `rows` are those to correct whose people were reached, and of these `corrected` those that were reached as
    corrected in a follow-up file. Of `doubtful` ones this is not known. `outdated` are none of them: as
    corrected there, they were reached with an earlier text, or may have been, and this one they did not get.
    `may_keep` says whether people may keep a text that they got before. `perhaps` has a sentence for each
    row with a mistake whose number was reached, but which other rows have too.
    """

    rows: Ints
    corrected: Ints
    doubtful: Ints
    may_keep: bool
    perhaps: pd.Series[str]
    outdated: Ints = field(default_factory=lambda: _NOBODY)

    def only(self, rows: pd.Index[int]) -> ReachedEarlier:
        """The same for some rows."""
        perhaps = self.perhaps[self.perhaps.index.isin(rows)]
        return replace(
            self,
            rows=np.intersect1d(self.rows, rows),
            corrected=np.intersect1d(self.corrected, rows),
            doubtful=np.intersect1d(self.doubtful, rows),
            outdated=np.intersect1d(self.outdated, rows),
            perhaps=perhaps,
        )

    def explain(self, contacts: pd.DataFrame, issues: Callable[[], pd.DataFrame]) -> pd.DataFrame:
        """The rows of a part, with the reasons of those who were reached earlier; their status stays."""
        for rows, reason in (
            (self.rows, _REASON),
            (self.corrected, _REASON_CORRECTED),
            (self.doubtful, _DOUBTFUL),
            (self.outdated, _OUTDATED),
        ):
            if len(rows):
                contacts.loc[contacts.index.isin(rows), "reason"] = reason
        perhaps = self.perhaps[self.perhaps.index.isin(contacts.index)]
        contacts.loc[perhaps.index, "reason"] += " " + perhaps
        kept = self.kept(issues)
        kept = kept[(contacts["status"].reindex(kept.index) == "accepted").to_numpy()]
        contacts.loc[kept.index, "reason"] = kept
        return contacts

    def kept(self, issues: Callable[[], pd.DataFrame]) -> pd.Series[str]:
        """For each row whose person keeps what an earlier round sent why that is so."""
        nobody = pd.Series([], index=_NO_ROWS, dtype="str")
        if not self.may_keep:
            return nobody
        try:
            frame = issues()
        except FolderError:  # erased since this was loaded: what came of the rows is known without them
            return nobody
        kept = frame[(frame["code"] == KEPT_TEXT) & frame["row"].notna()].drop_duplicates("row")
        return kept.set_index(pd.Index(kept["row"].astype("int64"), name="row"))["detail"]


def reached_earlier(
    plan: Plan,
    batches: pd.DataFrame,
    batch_of_excluded: Ints,
    *,
    may_keep: bool,
    corrected: Ints | None = None,
    with_earlier_text: Ints | None = None,
) -> ReachedEarlier:
    """The rows to correct that were accepted in an earlier round, as after a follow-up file was sent.

    `corrected` are those that were sent as corrected in one; without it, the issues of the plan say so. The
    same holds for those `with_earlier_text`, which are none of them: this text has not reached them.
    Where several rows have the number it is not known which of them was reached, so none of them counts,
    but for those that the follow-up file had.
    """
    labels, is_reached, is_doubtful = (
        labels_of_contacts(plan),
        *(np.isin(batch_of_excluded, _numbers_of(batches, *states)) for states in (("accepted",), _IN_DOUBT)),
    )
    is_corrected, outdated = np.zeros(len(labels), dtype=bool), _NOBODY
    if ((is_reached | is_doubtful) & has_status(plan, "invalid", "duplicate")).any():
        corrected, earlier = (
            _rows_with_issue(plan, code) if rows is None else rows
            for rows, code in ((corrected, REACHED_CORRECTED), (with_earlier_text, EARLIER_TEXT))
        )
        is_corrected, has_this_text = np.isin(labels, corrected), ~np.isin(labels, earlier)
        outdated = labels[(is_reached | is_doubtful) & is_corrected & ~has_this_text]
        is_reached, is_doubtful = is_reached & has_this_text, is_doubtful & has_this_text
    corrected, doubtful = labels[is_reached & is_corrected], labels[is_doubtful & is_corrected]
    is_reached &= has_status(plan, "invalid") & ~is_corrected
    if not is_reached.any():
        perhaps = pd.Series([], index=_NO_ROWS, dtype="str")
        return ReachedEarlier(corrected, corrected, doubtful, may_keep, perhaps, outdated)
    numbers = numbers_of_contacts(plan)
    distinct, counts = np.unique(numbers[numbers > 0], return_counts=True)
    is_shared = is_reached & np.isin(numbers, distinct[counts > 1])
    perhaps = _about_shared(pd.Series(numbers, index=labels), labels[is_shared])
    rows = np.union1d(labels[is_reached & ~is_shared], corrected)
    return ReachedEarlier(rows, corrected, doubtful, may_keep, perhaps, outdated)


def kept_as_corrected(issues: pd.DataFrame) -> pd.Index[int]:
    """The rows whose people keep what they got under the number of a follow-up file, by their issues."""
    kept, corrected = (
        issues.loc[issues["code"] == code, "row"].to_numpy(dtype=np.int64)
        for code in (KEPT_TEXT, REACHED_CORRECTED)
    )
    both: pd.Index[int] = pd.Index(np.intersect1d(kept, corrected), name="row")
    return both


def texts_that_reached(
    reached: ReachedEarlier, plan: Plan, batch_of_excluded: Ints, recorded: Recorded, of_this_table: Ints
) -> pd.Series[str]:
    """The text that reached each of these rows, where it is known; the index is row.

    A row that was corrected in a follow-up file was reached under a number that it does not have. Its text is
    known by its row number, if its batch is one `of_this_table`: in another one that may mean somebody else.
    """
    labels, numbers = labels_of_contacts(plan), numbers_of_contacts(plan)
    rows = pd.DataFrame({"row": labels, "number": numbers, "batch": batch_of_excluded})
    is_corrected = rows["row"].isin(reached.corrected)
    by_number = rows[rows["row"].isin(reached.rows) & ~is_corrected]
    by_row = rows.loc[is_corrected & rows["batch"].isin(of_this_table), ["row", "batch"]]
    found = [
        chosen.merge(_recorded_texts(recorded, chosen["batch"].unique())[[*keys, "message"]], on=[*keys])
        for chosen, keys in ((by_number, ("number", "batch")), (by_row, ("row", "batch")))
        if len(chosen)
    ]
    nothing = pd.DataFrame({"row": _NOBODY, "message": pd.Series([], dtype="str")})
    return pd.concat([nothing, *found]).groupby("row")["message"].agg("\n".join)


def _recorded_texts(recorded: Recorded, batches: Ints) -> pd.DataFrame:
    """The messages of some batches: number, batch, row in the table of their round, and message."""
    types = {"number": "int64", "batch": "int64", "row": "int64", "message": "str"}
    known = read_recorded(recorded, batches, "message")
    return (pd.DataFrame(columns=[*types]) if known is None else known).astype(types)


def _numbers_of(batches: pd.DataFrame, *states: str) -> Ints:
    numbers = batches.loc[batches["status"].isin(states), "batch"].to_numpy(dtype=np.int64)
    return numbers[numbers > 0]


def _rows_with_issue(plan: Plan, code: str) -> Ints:
    """The rows with an issue of this kind; nobody if the issues were erased."""
    try:
        frames = [part.issues[["row", "code"]] for part in plan.parts()]
    except FolderError:  # erased since this was loaded
        return _NOBODY
    issues = pd.concat(frames)
    return issues.loc[issues["code"] == code, "row"].to_numpy(dtype=np.int64)


def _about_shared(numbers: pd.Series[int], rows: Ints) -> pd.Series[str]:
    """For each of these rows that its number was reached, and which other rows have it."""
    having = numbers[numbers.isin(numbers.reindex(rows))]
    rows_of = {number: list(same.index) for number, same in having.groupby(having)}
    sentences = [
        _PERHAPS.format(rows=_other_rows([other for other in rows_of[number] if other != row]))
        for row, number in having.reindex(rows).items()
    ]
    return pd.Series(sentences, index=pd.Index(rows), dtype="str")


def _other_rows(rows: list[int]) -> str:
    if len(rows) == 1:
        return f"row {rows[0]} has"
    more = ["others"] if len(rows) > _SHOWN else []
    return f"rows {listed_words([*map(str, rows[:_SHOWN]), *more])} have"
