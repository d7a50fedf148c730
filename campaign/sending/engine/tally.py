"""The running totals of a run: what the valves look at and what snapshots show."""

from __future__ import annotations

from collections import deque
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Literal, NamedTuple, Protocol

from msgspec import Struct, field

from campaign.masking import mask_finding, mask_text
from campaign.results.totals import cost_in_words
from campaign.service.outcome import Cause, Outcome
from campaign.text import rounded_up
from campaign.words.finding import Finding
from campaign.words.python import PYTHON

RunStatus = Literal["running", "paused", "stopping", "finished", "stopped", "failed"]
WINDOW = 50  # batches that the breaker remembers
RECENT = 5  # batches that a snapshot shows


class SettledBatch(NamedTuple):
    """A batch that came back: how many messages, what became of them, what the service or a remark says."""

    number: int
    messages: int
    status: str
    cost: Decimal | None
    code: str
    said: str | Finding


def masked_remark(outcome: Outcome) -> Finding | None:
    """What there is to say of an exchange, as people are told: phone numbers masked."""
    return outcome.remark and mask_finding(outcome.remark)


class Snapshot(Struct, frozen=True):
    """Where a run stands: counts of messages, costs in the account's units, times in seconds.

    `waiting` messages have not been attempted, `in_flight` are under way. `cost` is the sum that the service
    named, `expected_cost` what the whole campaign will cost at the price seen so far (None without one).
    `seconds` were spent sending, in all rounds together. `rate` is messages a second and `seconds_left` how
    long the rest takes at that rate; None while nothing moves. `last_refusal` is what the service said, ""
    if this run was refused nothing; `recent` are the last batches that came back, the newest first, and
    `unknown_batches` are the numbers of those that are unknown. `lacks_money` says that the account had
    not enough for a batch. The cost is also that of `elsewhere`: messages that are not in the table.
    `is_steady` says that enough has come back for `seconds_left` to be worth showing. `finding` says why the
    run is not running, or what a person has to know at its end; None for nothing.
    """

    status: RunStatus
    messages: int
    accepted: int
    refused: int
    unknown: int
    waiting: int
    in_flight: int
    cost: Decimal
    expected_cost: Decimal | None
    seconds: float
    finding: Finding | None
    rate: float | None = None
    last_refusal: str = ""
    recent: tuple[SettledBatch, ...] = ()
    has_unknown_costs: bool = False
    unknown_batches: tuple[int, ...] = ()
    lacks_money: bool = False
    elsewhere: int = 0
    is_steady: bool = False

    def cost_in_words(self, environment: str, currency: str = "") -> str:
        """The cost so far, a lower bound where something that may have been charged has no known cost."""
        cost = None if self.has_unknown_costs and not self.cost else self.cost
        unpriced = int(self.has_unknown_costs)
        return cost_in_words(cost, unpriced=unpriced, currency=currency, environment=environment)

    @property
    def sentence(self) -> str:
        """The finding in words, "" for none."""
        return "" if self.finding is None else PYTHON.text(self.finding)

    @property
    def seconds_left(self) -> float | None:
        return (self.waiting + self.in_flight) / self.rate if self.rate else None


class Size(Protocol):
    """How large a batch is: its number, how many messages and SMS parts it has."""

    @property
    def number(self) -> int: ...

    @property
    def messages(self) -> int: ...

    @property
    def parts(self) -> int: ...


class Load(Size, Protocol):
    """A batch that is ready to leave, with its entries."""

    @property
    def entries(self) -> memoryview: ...


class Spending(Struct):
    """What the batches cost that were accepted, or may have been.

    `price_per_part` is the highest cost of one SMS part seen so far, None before there is one. `open_parts`
    are the parts whose cost is not known.
    """

    cost: Decimal = Decimal(0)
    price_per_part: Fraction | None = None  # exact: a third of a cost is no decimal number
    open_parts: int = 0

    def add(self, parts: int, cost: Decimal | None) -> None:
        """Count one batch; without a `cost` it is one that cannot be read, or may have been spent."""
        if cost is None:
            self.open_parts += parts
            return
        self.cost += cost
        share = _share(cost, parts)
        if share is not self.price_per_part:  # as a rule it is: comparing fractions takes a microsecond
            self.price_per_part = max(self.price_per_part or Fraction(0), share)

    def with_open_parts(self, parts: int) -> Fraction:
        """The cost so far with `parts` more and with all open ones, each at the highest price seen."""
        return Fraction(self.cost) + (self.price_per_part or 0) * (self.open_parts + parts)


@lru_cache(maxsize=64)  # a campaign has a few prices, and a fraction takes 3 us to make
def _share(cost: Decimal, parts: int) -> Fraction:
    return Fraction(cost) / parts


class Tally(Struct):
    """Counts of the messages of a plan, kept by the engine.

    What came before this run is taken from the ledger (see `rounds.standing`). The fields from
    `unpriced_batches` on count since the start or the last `resume()`: a person who resumes has seen what
    happened before it. Where several workers send, it counts for all of them.
    """

    messages: int
    parts_left: int = 0  # SMS parts of what was neither accepted nor is unknown, with what is in flight
    accepted: int = 0
    refused: int = 0
    unknown: int = 0
    in_flight: int = 0  # with what other workers have claimed or sent without an answer so far
    parts_in_flight: int = 0
    spending: Spending = field(default_factory=Spending)
    currency: str = ""  # what the costs are counted in, "" if the account does not say
    seconds: float = 0.0  # spent sending before this run
    elsewhere: int = 0  # messages of earlier rounds that are no longer in the plan, accepted or unknown
    accepted_batches: int = 0  # of the last round
    doubtful: set[int] = field(default_factory=set)  # the numbers of the unknown batches
    accepted_here: int = 0  # batches accepted by this run
    unpriced_batches: int = 0
    unknown_batches: int = 0
    unreached_in_a_row: int = 0
    refusals: deque[bool] = field(default_factory=lambda: deque(maxlen=WINDOW))
    causes: set[Cause] = field(default_factory=set)  # a set: a success right after must not hide a refusal
    last_unknown: Finding | None = None
    last_refusal: str = ""
    last_miss: Finding | None = None
    with_others: tuple[int, int] = (0, 0)  # messages and SMS parts in flight at other workers
    recent: deque[SettledBatch] = field(default_factory=lambda: deque(maxlen=RECENT))  # the newest first

    @property
    def cost(self) -> Decimal:
        return self.spending.cost

    @property
    def waiting(self) -> int:
        return self.messages - self.accepted - self.refused - self.unknown - self.in_flight

    @property
    def committed(self) -> int:
        """Messages that were, may have been, or are about to be sent."""
        return self.accepted + self.unknown + self.in_flight + self.elsewhere

    @property
    def committed_cost(self) -> Fraction:
        """The cost so far with all that may have cost or is about to cost something."""
        return self.cost_with(0)

    @property
    def expected_cost(self) -> Decimal | None:
        """What the campaign will cost once all that is left was sent; hundredths are rounded up."""
        if self.spending.price_per_part is None:
            return None
        return rounded_up(self.cost_of_all)

    @property
    def came_back(self) -> bool:
        """Whether a batch came back with an outcome since the start or the last `resume()`."""
        return bool(self.refusals)

    @property
    def remark(self) -> Finding | None:
        """What a person has to know although every batch was tried; None for nothing."""
        if "funds" in self.causes:
            return Finding("money_missing")
        if not self.last_refusal and not self.unknown:
            return None
        refused = self.refused if self.last_refusal else 0
        facts = {"refused": refused, "reason": self.last_refusal, "unknown": self.unknown}
        return Finding("all_tried", {**facts, "doubt": self.last_unknown})

    def cost_with(self, parts: int) -> Fraction:
        """The committed cost with `parts` SMS parts more."""
        return self.spending.with_open_parts(self.parts_in_flight + parts)

    @property
    def cost_of_all(self) -> Fraction:
        """The most that the campaign may have cost once all that is left was sent, at the prices so far."""
        return self.spending.with_open_parts(self.parts_left)

    def start(self, batch: Size) -> None:
        """A batch goes out: from here on its cost is reserved."""
        self.in_flight += batch.messages
        self.parts_in_flight += batch.parts

    def settle(self, batch: Load, outcome: Outcome) -> None:
        """A batch came back."""
        self.in_flight -= batch.messages
        self.parts_in_flight -= batch.parts
        if outcome.status == "not_sent":
            self.causes.add(outcome.cause)
            self.last_miss = masked_remark(outcome)
            return
        self.count(batch, outcome)
        self.unreached_in_a_row = 0
        self.notice(batch, outcome)

    def count(self, batch: Size, outcome: Outcome) -> None:
        """Add what became of a batch to the totals of the campaign."""
        setattr(self, outcome.status, getattr(self, outcome.status) + batch.messages)
        if outcome.status != "refused":
            self.parts_left -= batch.parts
        if outcome.status == "unknown":
            self.doubtful.add(batch.number)
            self.spending.add(batch.parts, None)
        if outcome.status == "accepted":
            self.accepted_batches += 1
            self.spending.add(batch.parts, outcome.cost)

    def notice(self, batch: Size, outcome: Outcome) -> None:
        """Let what became of a batch hold this run, if the valves think so."""
        words, remark = mask_text(outcome.error), masked_remark(outcome)
        self.causes.add(outcome.cause)
        what = outcome.status, outcome.cost, outcome.code, remark or words
        self.recent.appendleft(SettledBatch(batch.number, batch.messages, *what))
        self.refusals.append(outcome.status == "refused")
        if outcome.status == "unknown":
            self.unknown_batches += 1
            self.last_unknown = remark
        if outcome.status == "refused":
            self.last_refusal = words
        if outcome.status == "accepted":
            self.accepted_here += 1
            self.unpriced_batches += outcome.cost is None

    def count_others(self, messages: int, parts: int) -> None:
        """So much is claimed or under way at other workers now."""
        before, parts_before = self.with_others
        self.in_flight += messages - before
        self.parts_in_flight += parts - parts_before
        self.with_others = messages, parts

    def learn(self, batch: Size, outcome: Outcome) -> None:
        """An answer came late to a batch that was counted as unknown."""
        self.unknown -= batch.messages
        self.doubtful.discard(batch.number)
        self.parts_left += batch.parts
        self.spending.open_parts -= batch.parts
        self.count(batch, outcome)

    def doubt(self, batch: Load, outcome: Outcome) -> None:
        """An outcome could not be recorded: all the ledger knows is that the batch was under way."""
        setattr(self, outcome.status, getattr(self, outcome.status) - batch.messages)
        self.unknown += batch.messages
        self.doubtful.add(batch.number)
        for place, settled in enumerate(self.recent):
            if settled.number == batch.number:
                self.recent[place] = settled._replace(status="unknown", cost=None, code="")
        self.spending.cost -= outcome.cost or 0
        if outcome.status == "refused":
            self.parts_left -= batch.parts
        if outcome.status == "refused" or outcome.cost is not None:
            self.spending.open_parts += batch.parts

    def miss(self, outcome: Outcome) -> None:
        """A try did not reach the service, and nothing left."""
        self.unreached_in_a_row += 1
        self.last_miss = masked_remark(outcome)

    def forgive(self) -> None:
        """Forget what made the run pause: a person resumed it."""
        self.unpriced_batches = self.unknown_batches = self.unreached_in_a_row = 0
        self.refusals.clear()
        self.causes.clear()

    @property
    def answered(self) -> int:
        """Messages that came back, whatever became of them."""
        return self.accepted + self.refused + self.unknown

    def snapshot(
        self,
        status: RunStatus,
        seconds: float,
        finding: Finding | None,
        rate: float | None,
        *,
        is_steady: bool = False,
    ) -> Snapshot:
        """The tally as it stands, after this run has been sending for so many `seconds`."""
        return Snapshot(
            status, self.messages, self.accepted, self.refused, self.unknown, self.waiting, self.in_flight,
            self.cost, self.expected_cost, self.seconds + seconds, finding, rate, self.last_refusal,
            tuple(self.recent), self.spending.open_parts > 0, tuple(sorted(self.doubtful)),
            "funds" in self.causes, self.elsewhere, is_steady,
        )  # fmt: skip
