"""What a campaign promises of each row of today's table, row by row and in plain Python.

It knows what was cut for each number and text, in which batch, and what became of it, and nothing of how the
package finds that out. `judge` says what has to happen to a table; `tell` what its rows have to show.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from support.worlds import Round, Row

REACHED = ("accepted", "unknown", "again")  # what the phone has, or may have
SETTLED = ("accepted", "unknown")  # what nobody sends a second time
OUTGOING = ("NEW", "UNSENT", "REFUSED", "AGAIN")
ASKED = ("OTHER_TEXT", "OTHER_NUMBER")
EXCLUDED = ("invalid", "blank", "opted_out", "same_text", "shared_phone")

Key = tuple[int, str]  # a number and the meaning of a text


@dataclass
class Cut:
    """A text that was cut into a batch, for the row with a cell."""

    batch: int
    round: int
    number: int
    text: str
    cell: str
    state: str = "pending"
    was_unknown: bool = False

    @property
    def key(self) -> Key:
        return self.number, self.text


class Record:
    """Everything that was cut in a campaign, in order, and the numbers of all lists that it was given."""

    def __init__(self) -> None:
        self.cuts: list[Cut] = []
        self.listed: set[int] = set()

    def remember(self, sent: Round) -> None:
        """Nobody on the list of this round gets anything any more."""
        self.listed |= _listed(sent)

    def of(self, key: Key) -> list[Cut]:
        """What was cut of this text for this number, in order."""
        return [cut for cut in self.cuts if cut.key == key]

    def settling(self, key: Key) -> Cut | None:
        """The batch by which a text was accepted for a number, or may have been. Accepted weighs more."""
        cuts = [cut for cut in self.of(key) if cut.state in SETTLED]
        return max(cuts, key=lambda cut: (cut.state == "accepted", cut.batch), default=None)

    def reaching(self, number: int) -> list[Cut]:
        """What has reached a number, or may have, in order."""
        return [cut for cut in self.cuts if cut.number == number and cut.state in REACHED]

    def waiting(self) -> list[Cut]:
        return [cut for cut in self.cuts if cut.state == "pending"]


@dataclass
class Standing:
    """What is true of a row before a round: `recorded` as in the table of rules, or why it gets nothing.

    `before` is the batch that says so: of OTHER_TEXT and OTHER_NUMBER the one that reached the phone.
    `copied` is the row whose number and text it repeats.
    """

    row: Row
    number: int
    recorded: str
    before: Cut | None = None
    copied: Standing | None = None

    @property
    def key(self) -> Key:
        return self.number, self.row.meaning


@dataclass
class Verdict:
    """What has to happen to a table: where each row stands, and what a person is asked."""

    standings: list[Standing]
    waiting: list[Cut] = field(default_factory=list)  # what waits and would never leave

    @property
    def kept(self) -> set[Key]:
        """The numbers and texts of the rows that stand for themselves."""
        return {standing.key for standing in self.standings if standing.recorded not in EXCLUDED}

    @property
    def changed(self) -> list[Standing]:
        """The rows that `changed=` decides on."""
        return [standing for standing in self.standings if standing.recorded in ASKED]

    def asks(self, changed: str, waiting: str) -> bool:
        """Whether `send` raises a question with these answers."""
        return (changed == "ask" and bool(self.changed)) or (waiting == "ask" and bool(self.waiting))

    def outgoing(self, changed: str) -> list[Standing]:
        """The rows whose text has to wait once the round is registered, with this answer."""
        leaving = OUTGOING + ASKED if changed == "send" else OUTGOING
        return [standing for standing in self.standings if standing.recorded in leaving]


def judge(record: Record, sent: Round, kept: Collection[Key] = ()) -> Verdict:
    """Where the rows of a table stand, and what a person has to be asked.

    `kept` are the texts of the rows that a round kept of those with one number: resumed, it keeps to them.
    """
    standings = _without_text(sent, record.listed)
    rows_of_number: dict[int, list[Standing]] = {}
    for standing in standings:
        if not standing.recorded:
            rows_of_number.setdefault(standing.number, []).append(standing)
    numbers = {standing.number for standing in standings}
    for rows in rows_of_number.values():
        preferred = sorted(rows, key=lambda row: row.key not in kept)
        for elected in _elected(record, rows, preferred, sent.duplicates):
            _stand(record, elected, {row.row.meaning for row in rows}, numbers)
    verdict = Verdict(standings)
    going_out = {standing.key for standing in verdict.outgoing("send")}
    # What waits for a number is asked about when it is not in the new plan. Decided: where the number is only
    # in rows that the plan excludes, that is what the person said, and nothing is asked.
    excluded = numbers - rows_of_number.keys()
    verdict.waiting = [
        cut for cut in record.waiting() if cut.key not in going_out and cut.number not in excluded
    ]
    return verdict


def _listed(sent: Round) -> set[int]:
    return {Row(cell, "").number(sent.region) for cell in sent.stopped}


def _without_text(sent: Round, listed: set[int]) -> list[Standing]:
    """The rows with what excludes them, "" for those that have a number and a text."""
    stopped = listed | _listed(sent)
    stopped |= {row.number(sent.region) for row in sent.rows if row.marked}
    standings = []
    for row in sent.rows:
        standing = Standing(row, row.number(sent.region), "")
        if row.marked or (standing.number and standing.number in stopped):
            standing.recorded = "opted_out"
        elif not row.cell and not row.text:
            standing.recorded = "blank"
        elif not standing.number or not row.text:
            standing.recorded = "invalid"
        standings.append(standing)
    return standings


def _elected(
    record: Record, rows: list[Standing], preferred: list[Standing], duplicates: str
) -> list[Standing]:
    """The rows with one number that rules 2 to 5 are about; the others are settled, or get nothing.

    Of several, it is the first of `preferred`, which has the same rows.
    """
    different: dict[str, Standing] = {}
    for standing in rows:
        first = different.setdefault(standing.row.meaning, standing)
        if first is not standing:  # an identical pair goes out once, and the first row stands for it
            standing.recorded, standing.copied = "same_text", first
    # Rule 1. Rows whose own text was reached keep their status.
    for standing in different.values():
        standing.before = record.settling(standing.key)
        if standing.before is not None:
            standing.recorded = standing.before.state.upper()
    unsettled = [standing for standing in different.values() if not standing.recorded]
    if duplicates == "keep":  # all different texts go out
        return unsettled
    elected = []
    if len(unsettled) == len(different):
        open_rows = [standing for standing in preferred if standing in unsettled]
        elected = [_first_ordered_again(record, open_rows) or open_rows[0]]
    for standing in unsettled:
        if standing not in elected:
            standing.recorded = "shared_phone"
    return elected


def _first_ordered_again(record: Record, rows: Iterable[Standing]) -> Standing | None:
    """The first row whose text a person has ordered to go out again."""
    return next((row for row in rows if any(cut.state == "again" for cut in record.of(row.key))), None)


def _stand(record: Record, standing: Standing, texts: set[str], numbers: set[int]) -> None:
    """Rules 2 to 5 for a row. `texts` are those that the table has for its number, `numbers` all of its."""
    own = record.of(standing.key)
    last_cut = max((cut.batch for cut in own), default=0)
    # Rule 2. Of several other texts the last that reached the phone is shown.
    others = [cut for cut in record.reaching(standing.number) if cut.text not in texts]
    later = [cut for cut in others if cut.batch > last_cut]
    states = {cut.state for cut in own}
    if later:
        standing.recorded, standing.before = "OTHER_TEXT", later[-1]
    elif own:  # rule 3
        known = {"again": "AGAIN", "refused": "REFUSED"}
        standing.recorded = next((name for state, name in known.items() if state in states), "UNSENT")
    else:  # rules 4 and 5; decided: what was ordered again counts as reached here, too
        moved = [
            cut
            for cut in record.cuts
            if cut.cell == standing.row.cell and cut.state in REACHED and cut.number not in numbers
        ]
        standing.recorded, standing.before = ("OTHER_NUMBER", moved[-1]) if moved else ("NEW", None)


class Told(NamedTuple):
    """What a row may show: any of these statuses, codes of why (any at all if there are none), and batches (0
    for none)."""

    statuses: tuple[str, ...]
    whys: tuple[str, ...]
    batches: tuple[int, ...]


_STATUSES = {"pending": "not_sent", "withdrawn": "not_sent", "again": "unknown"}  # else the state itself


def tell(record: Record, verdict: Verdict, changed: str, last_round: int) -> list[Told]:
    """What the rows of a table show after the last round."""
    goes_out = {id(standing) for standing in verdict.outgoing(changed)}
    return [_tell(record, row, id(row) in goes_out, last_round) for row in verdict.standings]


def _tell(record: Record, standing: Standing, goes_out: bool, last_round: int) -> Told:
    if standing.recorded in EXCLUDED:
        return _tell_excluded(record, standing, last_round)
    if standing.recorded in ASKED and not goes_out:
        return _tell_skipped(standing)
    cut = record.settling(standing.key) or record.of(standing.key)[-1]
    whys = ("refused",) if cut.state == "refused" else ("",)  # refused_ and the kind of the refusal
    return Told((_STATUSES.get(cut.state, cut.state),), whys, (cut.batch,))


def _tell_skipped(standing: Standing) -> Told:
    """A row that stays out by an answer shows the batch that reached the phone."""
    assert standing.before is not None
    why, batches = standing.recorded.lower().replace("other_text", "earlier_text"), (standing.before.batch,)
    # Decided: ordered again, and not sent again since, the batch is as unknown as before.
    if standing.before.state == "accepted":
        return Told(("duplicate",), (why,), batches)
    return Told(("unknown",), ("", why), batches)


def _tell_excluded(record: Record, standing: Standing, last_round: int) -> Told:
    """A row that gets nothing keeps its status, and shows the batch that reached its number before."""
    own = [cut for cut in record.cuts if cut.number == standing.number] if standing.number else []
    before = [cut.batch for cut in own if cut.state in REACHED and cut.round < last_round]
    # Decided: what was reached in the last round itself, or unknown once, may be shown, but need not be.
    perhaps = [cut.batch for cut in own if cut.state in REACHED or cut.was_unknown]
    batches = tuple(perhaps) if before else (0, *perhaps)
    if standing.recorded in ("same_text", "shared_phone"):
        # Decided: the row that is kept has the batch of the number. Of a copy of a row that shares its phone
        # may be said what is said of that row.
        is_either = standing.recorded == "same_text" and _is_unelected(standing.copied)
        whys = (standing.recorded, "shared_phone") if is_either else (standing.recorded,)
        return Told(("duplicate",), whys, (0, *batches))
    # Decided: a copy of a row that is opted out may be a duplicate, too.
    copies = ("duplicate",) if standing.recorded == "opted_out" else ()
    return Told((standing.recorded, *copies), (), batches)


def _is_unelected(standing: Standing | None) -> bool:
    return standing is not None and standing.recorded == "shared_phone"


def counts(standings: Sequence[Standing]) -> dict[str, int]:
    """How many rows are recorded as what."""
    names = [standing.recorded for standing in standings]
    return {name: names.count(name) for name in dict.fromkeys(names)}
