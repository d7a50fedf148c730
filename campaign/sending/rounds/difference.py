"""`Difference`: what sending a plan would do, given what its campaign has sent already."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

import numpy as np
import pandas as pd

from campaign import markup
from campaign.argument_checks import check_switch
from campaign.arrow_text import Bools, Ints
from campaign.contract import Changed, OptedOut
from campaign.local_times import LocalTimes
from campaign.masking import mask_texts
from campaign.public_calls import public_call
from campaign.results.totals import cost_of
from campaign.sending.rounds.compared_findings import LABELS, counts_of, kinds_of, overview, what_would_leave
from campaign.sending.rounds.compared_plan import ComparedPlan
from campaign.sending.rounds.comparison import GOES_OUT, MAY_GO_OUT, RECORDED
from campaign.sending.rounds.decision import open_questions, question
from campaign.sending.rounds.other_campaigns import OtherCampaigns
from campaign.words.finding import Finding
from campaign.words.python import PYTHON

_ROWS = 10  # of the card's table


@dataclass(frozen=True, eq=False, repr=False)
class Difference:
    """What `send` would do with a plan: who is new, who was reached before, and who would be asked about.

    `compare` makes one. Counts are people: rows that get a message. Nothing is sent, and nothing is
    written.

    Examples
    --------
    >>> difference = campaign.compare(plan, name="reminder")
    >>> difference.new, difference.questions
    (1, {})
    """

    _compared: ComparedPlan
    _find_others: Callable[[ComparedPlan], OtherCampaigns]

    @property
    def counts(self) -> dict[str, int]:
        """How many people each value of `recorded` has; see `messages`."""
        return counts_of(self._compared)

    @property
    def questions(self) -> dict[str, int]:
        """What `send` asks first, by the option that answers it, and how many people each question is about.

        `waiting`: texts that wait and would not go out, because their number is in no row any more or gets
        another text now. `changed`: the number was reached with another text, or the very cell as another
        number. `opted_out`: people who were left out before, because they wanted no messages. `elsewhere`,
        live only: people who have this very text from another campaign, or may get it from there.
        """
        return open_questions(self._compared, self._others, self._leaving("send"))

    @property
    def new(self) -> int:
        """Never reached by this campaign: their messages go out."""
        return sum(self.counts[recorded] for recorded in ("new", "unsent", "again"))

    @property
    def reached(self) -> int:
        """Reached with this very text: nothing is sent."""
        return self.counts["accepted"]

    @property
    def unknown(self) -> int:
        """This very text may have been sent: nothing is sent until `resolve` or `reconcile` settles it."""
        return self.counts["unknown"]

    @property
    def gone(self) -> int:
        """Numbers that were reached and are in no row any more."""
        return len(self._compared.gone)

    @property
    def cost(self) -> Decimal | None:
        """What the campaign has cost so far, in the service's units; None if that is not known."""
        record = self._compared.record
        return None if record is None else cost_of(record.ledger.outcomes)[0]

    @property
    def messages(self) -> pd.DataFrame:
        """The messages of the plan with what is `recorded` of each, and the `batch` that says so, or 0.

        `recorded` is "new", "unsent", "refused" or "again", which go out, "accepted" or "unknown", for which
        nothing is sent, or "other_text" or "other_number", on which `changed=` decides. For these, `before`
        has the text that the number got, and `number_before` the number as which the cell was reached.
        """
        compared, earlier = self._compared, self._compared.earlier_texts
        words = pd.array(list(RECORDED), dtype="str")
        return compared.plan.messages.assign(
            recorded=words.take(compared.recorded_messages.astype(np.int64)),
            batch=compared.spread(compared.batches),
            before=earlier["message"],
            number_before=earlier["number"],
        )

    @property
    def not_in_table(self) -> pd.DataFrame:
        """The last text to each number that was reached and is in no row any more: batch, number and text."""
        gone, record = self._compared.gone, self._compared.record
        if record is None:
            return pd.DataFrame({"batch": [], "number": [], "text": []})
        sent = record.messages(gone.batches, gone.labels)
        sent = sent.assign(batch=gone.batches[sent["entry"].to_numpy(dtype=np.int64)])
        return sent[["batch", "number", "message"]].rename(columns={"message": "text"})

    @public_call
    def outgoing(self, *, changed: bool = False) -> Ints:
        """The positions of the messages that go out, with or without those that `changed=` decides on."""
        check_switch(changed, subject="changed", write="outgoing(changed=True)")
        recorded = MAY_GO_OUT if changed else GOES_OUT
        return np.flatnonzero(np.isin(self._compared.recorded_messages, recorded))

    @property
    def findings(self) -> list[Finding]:
        """What would be sent, what `send` asks first, and what else a person has to know."""
        known = [one for one in overview(self._compared) if one.code != "compared"]
        asked = [question(option, count) for option, count in self.questions.items()]
        others = self._others.findings(self._leaving("send"))
        return [what_would_leave(len(self.outgoing())), *asked, *others, *known]

    @property
    def is_first(self) -> bool:
        """Whether nothing was sent under the campaign's name yet."""
        return self._compared.is_first

    def __repr__(self) -> str:
        people = ", ".join(kinds_of(self.counts))
        return f"<Difference: {' '.join(map(PYTHON.headline, self.findings))} People: {people or 'none'}.>"

    def _repr_html_(self) -> str:
        counts = self.counts
        headline, *remarks = map(PYTHON.text, self.findings)
        pieces = [
            markup.paragraph(headline),
            markup.bars({label: counts[code] for code, label in LABELS.items()}, of="people"),
            *(markup.paragraph(line) for remark in remarks for line in remark.splitlines()),
        ]
        rows = np.concatenate([np.setdiff1d(self.outgoing(changed=True), self.outgoing()), self.outgoing()])
        if len(rows):
            table = markup.table(self._shown(rows[:_ROWS]), limit=_ROWS, rows=len(rows), of=("message",))
            pieces.append(markup.scroller(table, "Messages"))
        pieces.append(markup.paragraph(LocalTimes().written_now(), note=True))
        return markup.card("Before sending", pieces)

    def _shown(self, positions: Ints) -> pd.DataFrame:
        """Some messages as people read them."""
        shown = self.messages.take(positions).drop(columns=["parts", "batch"])
        shown = shown.assign(**{name: mask_texts(shown[name]) for name in ("number", "number_before")})
        shown["recorded"] = shown["recorded"].map(LABELS)
        optional = ("sender", "priority", "before", "number_before")
        shown = shown.drop(columns=[name for name in optional if (shown[name] == "").all()])
        file = self._compared.file
        return shown if file is None else file.numbered(shown)

    @cached_property
    def _others(self) -> OtherCampaigns:
        return self._find_others(self._compared)

    def _leaving(self, changed: Changed) -> Bools:
        """Which rows go out with this answer."""
        return np.isin(self._compared.recorded, MAY_GO_OUT if changed == "send" else GOES_OUT)

    @property
    def _numbers_of_rows(self) -> Ints:
        """The number of each row that gets something."""
        numbers = self._compared.plan.messages["number"].iloc[self._compared.starts]
        return numbers.to_numpy(dtype=np.int64)


def plan_behind(difference: Difference) -> ComparedPlan:
    """What a difference was made of."""
    return difference._compared


def others_behind(difference: Difference) -> OtherCampaigns:
    """What other campaigns have to do with its people."""
    return difference._others


def decided_messages(difference: Difference, *, changed: Changed, opted_out: OptedOut) -> pd.DataFrame:
    """The messages that go out with these answers."""
    compared = difference._compared
    leaving = difference._leaving(changed)
    if opted_out != "send":
        leaving = leaving & ~compared.opted_out
    return difference.messages[compared.spread(leaving)]


def sent_this_text(difference: Difference, *, changed: Changed) -> dict[str, Ints]:
    """The numbers of people who have the very text that they would get with this answer from another
    campaign, or may get it from there, by its name."""
    leaving = difference._leaving(changed)
    return {
        other.name: np.unique(difference._numbers_of_rows[leaving & other.has_text])
        for other in difference._others.with_text_of(leaving)
    }
