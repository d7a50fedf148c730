"""What is decided about each number of a column: taken as it stands, repaired, or refused and why."""

import re
from collections.abc import Set
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa

from campaign.contacts.phone_numbers.corrections import OtherReadings, observed
from campaign.contacts.phone_numbers.digit_patterns import Bools, Ints, Long, Short
from campaign.contacts.phone_numbers.libphonenumber import EXPLICIT, longest_short_code, read_one, short_kind
from campaign.contacts.phone_numbers.metadata import NO_PLAN, NumberingPlans, Outcome
from campaign.contacts.phone_numbers.normalising import Column
from campaign.contacts.phone_numbers.parsing import Dialled, ask, dial
from campaign.contacts.phone_numbers.unusual_texts import WHOLE
from campaign.contacts.phone_numbers.wording import PROBLEM_PLACES, REPAIR_BITS

_TWO_NUMBERS = 2 * WHOLE  # digits
_NO_NUMBER = ("too_short", "too_long", "plus_missing", "no_such_number")


@dataclass
class Settled:
    """The decision, row by row."""

    number: Long  # 0 where there is none
    outcome: Short  # place in `NumberingPlans.outcomes`, 0 where it is not known what the number is
    repairs: Short  # bits
    problem: Short  # place, 0 where there is none
    firsts: dict[int, str]  # the first number, where there are several
    codes: dict[int, str]  # short codes that are allowed

    def replace(self, rows: Ints, others: "Settled") -> None:
        """Decide otherwise about some rows, which were refused for holding several numbers."""
        self.number[rows], self.outcome[rows] = others.number, others.outcome
        self.problem[rows] = others.problem
        first = np.where(others.problem == 0, REPAIR_BITS["first_of_several"], 0)
        self.repairs[rows] = others.repairs | first
        self.codes |= {int(rows[place]): code for place, code in others.codes.items()}


def settle(column: Column, texts: pa.LargeStringArray, plans: NumberingPlans, kinds: Set[str]) -> Settled:
    """Decide about every row of a column."""
    it = dial(column.digits, plans)
    unreadable = ask(it, plans, column.unusual)
    unsettled = ~_allowed(it.outcome, plans, kinds)
    others = OtherReadings(it, plans, unsettled, column.bracketed)
    taken = (it.outcome == 0) & (others.number != 0)
    settled = Settled(
        number=np.where(taken, others.number, it.number),
        outcome=np.where(taken, others.outcome, it.outcome),
        repairs=np.where(taken, others.repairs, observed(it, plans)) | column.repairs,
        problem=np.zeros(len(texts), np.int16),
        firsts=column.firsts,
        codes={},
    )
    _refuse_what_is_no_number(settled, it, others, plans)
    _refuse_kinds(settled, plans, kinds)
    _refuse_the_ambiguous(settled, it, others, column, plans, kinds)
    _refuse_texts(settled, column, unreadable)
    _find_short_codes(settled, it, plans, kinds)
    _find_two_numbers(settled, it, plans, texts)
    refused = settled.problem > 0
    settled.number[refused] = settled.repairs[refused] = 0
    return settled


def _allowed(outcome: Short, plans: NumberingPlans, kinds: Set[str]) -> Bools:
    known = np.array([what is not None and what.kind in kinds for what in plans.outcomes])
    allowed: Bools = known[outcome]
    return allowed


def _refuse_what_is_no_number(
    settled: Settled, it: Dialled, others: OtherReadings, plans: NumberingPlans
) -> None:
    rows = np.flatnonzero(settled.outcome == 0)
    plan, length = it.plan[rows], it.meant[rows]
    reasons = {
        "no_region": (plan == NO_PLAN) & (it.found[rows] != EXPLICIT),
        "unknown_country": (plan == NO_PLAN) & (it.digits.length[rows] > 2),
        "too_short": (plan == NO_PLAN) | (length < plans.fewest[plan]),
        "plus_missing": others.near[rows],
        "too_long": length > plans.most[plan],
    }
    places = [PROBLEM_PLACES[name] for name in reasons]
    settled.problem[rows] = np.select(list(reasons.values()), places, PROBLEM_PLACES["no_such_number"])


def _refuse_kinds(settled: Settled, plans: NumberingPlans, kinds: Set[str]) -> None:
    refused = [known is not None and known.kind not in kinds for known in plans.outcomes]
    kind = [PROBLEM_PLACES[known.kind] if known else 0 for known in plans.outcomes]
    settled.problem += np.where(refused, kind, 0).astype(np.int16)[settled.outcome]


def _refuse_the_ambiguous(
    settled: Settled,
    it: Dialled,
    others: OtherReadings,
    column: Column,
    plans: NumberingPlans,
    kinds: Set[str],
) -> None:
    """A valid number is ambiguous if another reading could be sent to; no number, if two rules disagree."""
    differs = (others.number != 0) & (others.number != it.number) & _allowed(others.outcome, plans, kinds)
    ambiguous = others.conflict | ((it.outcome > 0) & differs)
    with_zeros = dial(column.with_zeros, plans)
    ask(with_zeros, plans, {})
    ambiguous[column.decimal[with_zeros.outcome > 0]] = True
    _refuse(settled, np.flatnonzero(ambiguous), "ambiguous")


def _refuse_texts(settled: Settled, column: Column, unreadable: dict[int, str]) -> None:
    places = np.array([PROBLEM_PLACES[written.problem] for written in column.written])[column.which]
    for row, problem in unreadable.items():
        places[row] = PROBLEM_PLACES[problem]
    rows = np.flatnonzero(places)
    settled.problem[rows] = places[rows]
    settled.outcome[rows] = 0


def _refuse(settled: Settled, rows: Ints, problem: str) -> None:
    settled.problem[rows] = PROBLEM_PLACES[problem]
    settled.outcome[rows] = 0


def _find_short_codes(settled: Settled, it: Dialled, plans: NumberingPlans, kinds: Set[str]) -> None:
    """What is no number but a short code of the region, or a number for emergencies."""
    none = np.isin(settled.problem, [PROBLEM_PLACES[problem] for problem in _NO_NUMBER]) & ~it.digits.plus
    rows = np.flatnonzero(none & (it.digits.plan != NO_PLAN) & (it.digits.length > 1))
    used, which = np.unique(it.digits.plan[rows], return_inverse=True)
    longest = np.array([longest_short_code(plans.plans[plan].region) for plan in used], np.int64)
    for row in rows[it.digits.length[rows] <= longest[which]].tolist():
        digits, region = it.digits.text(row), plans.plans[it.digits.plan[row]].region
        if kind := short_kind(digits, region):
            settled.outcome[row] = plans.outcome_place(Outcome(kind, region))
            settled.problem[row] = 0 if kind in kinds else PROBLEM_PLACES[kind]
            if kind in kinds:
                settled.codes[row] = digits


def _find_two_numbers(
    settled: Settled, it: Dialled, plans: NumberingPlans, texts: pa.LargeStringArray
) -> None:
    """What is too long because two numbers stand side by side in it."""
    long = (settled.problem == PROBLEM_PLACES["too_long"]) & (it.digits.length >= _TWO_NUMBERS)
    for row in np.flatnonzero(long).tolist():
        plan = it.digits.plan[row]
        if first := _first_of_two(texts[row].as_py(), "" if plan == NO_PLAN else plans.plans[plan].region):
            settled.firsts[row] = first
            settled.problem[row] = PROBLEM_PLACES["several"]


@lru_cache(10_000)
def _first_of_two(text: str, region: str) -> str:
    """The first number of a text that falls into two valid numbers between any two of its digits' groups."""
    for gap in re.finditer(r"[^\d+]+", text):
        first, second = text[: gap.start()], text[gap.end() :]
        if read_one(first, region).kind and read_one(second, region).kind:
            return first
    return ""
