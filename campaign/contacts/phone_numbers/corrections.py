"""The other readings of numbers: what each would be if one of the usual mistakes had been made in writing it.

A rule is tried only where the number as it stands is not valid or not one to send to, and it decides only if
no other rule comes to another number. A valid number is never changed by a rule: where its writing suggests
another one as well, it is refused.
"""

import numpy as np

from campaign.contacts.phone_numbers.digit_patterns import Bools, Ints, Long, Short
from campaign.contacts.phone_numbers.digits import Digits
from campaign.contacts.phone_numbers.libphonenumber import NATIONAL, WITHOUT_PLUS
from campaign.contacts.phone_numbers.metadata import NO_PLAN, NumberingPlans
from campaign.contacts.phone_numbers.parsing import Dialled, ask, begins_with_own_code, dial, dial_behind_code
from campaign.contacts.phone_numbers.wording import REPAIR_BITS

# A number of another country without its plus is taken if it has at least so many digits more than a mobile
# number of the region. With one digit more it may be a slip of the finger: 7700900123, which is British and
# has lost its zero, is a number in Kazakhstan as soon as one of its digits is doubled.
FAR = 2


class OtherReadings:
    """What the rules come to, row by row."""

    def __init__(self, it: Dialled, plans: NumberingPlans, unsettled: Bools, bracketed: Bools) -> None:
        size = len(it.outcome)
        self.outcome: Short = np.zeros(size, np.int16)
        self.number: Long = np.zeros(size, np.uint64)  # 0 where no rule comes to a number
        self.repairs: Short = np.zeros(size, np.int16)
        self.conflict: Bools = np.zeros(size, bool)  # two rules come to different numbers
        self.near: Bools = np.zeros(size, bool)  # of another country, but too much like one of the region
        self.every: list[tuple[Long, Short]] = []  # numbers and outcomes of each rule, for one row at a time
        self._plans = plans
        self._without_trunk_zero(it, np.flatnonzero(unsettled | bracketed), 0)
        self._with_international_prefix(it, unsettled)
        self._without_stray_plus(it, unsettled)
        self._with_own_code(it, unsettled)
        self._with_foreign_code(it, unsettled)
        self._with_lost_zero(it, unsettled)

    def _try(self, rows: Ints, digits: Digits, rule: str) -> Dialled:
        """Read these digits instead of those in the rows."""
        dialled = dial(digits, self._plans)
        dialled.asked &= dialled.plan != NO_PLAN
        ask(dialled, self._plans, {})
        self._add(rows, dialled, REPAIR_BITS[rule])
        self._without_trunk_zero(dialled, np.flatnonzero(dialled.outcome == 0), REPAIR_BITS[rule], rows)
        return dialled

    def _add(self, rows: Ints, dialled: Dialled, repairs: int) -> None:
        self.every.append((dialled.number, dialled.outcome))
        valid = np.flatnonzero(dialled.outcome)
        rows, number = rows[valid], dialled.number[valid]
        self.conflict[rows] |= (self.number[rows] != 0) & (self.number[rows] != number)
        new = self.number[rows] == 0
        rows, valid = rows[new], valid[new]
        self.number[rows], self.outcome[rows] = dialled.number[valid], dialled.outcome[valid]
        self.repairs[rows] = observed(dialled, self._plans)[valid] | repairs

    def _without_trunk_zero(self, it: Dialled, rows: Ints, repairs: int, origin: Ints | None = None) -> None:
        """+65 (0)8123 4567: countries for which the library does not leave the zero out by itself."""
        coded = (it.found[rows] != NATIONAL) & (it.plan[rows] != NO_PLAN) & ~it.asked[rows]
        rows = rows[coded & (it.digits.stream[it.behind_code[rows]] == 0)]
        start = it.behind_code[rows] + 1
        length = it.digits.start[rows] + it.digits.length[rows] - start
        digits = Digits(it.digits.stream, start, length, it.digits.plus[rows], it.plan[rows])
        dialled = dial_behind_code(digits, it.plan[rows], it.found[rows], self._plans)
        self._add(rows if origin is None else origin[rows], dialled, repairs | REPAIR_BITS["trunk_zero"])

    def _with_international_prefix(self, it: Dialled, unsettled: Bools) -> None:
        """00256 772 000012 where abroad is not dialled with 00, 0+256 …, +00256 …, 0256 …"""
        zeros = it.digits.leading_zeros
        rows = np.flatnonzero(unsettled & (zeros == 1) & ~it.digits.plus & (it.digits.plan != NO_PLAN))
        behind = it.digits.take(rows, skip=1)
        own = np.zeros(len(zeros), bool)
        own[rows] = begins_with_own_code(behind, self._plans, np.arange(len(rows)))
        rows = np.flatnonzero(unsettled & ((zeros > 1) | ((zeros == 1) & it.digits.plus) | own))
        self._try(rows, it.digits.take(rows, skip=zeros[rows], plus=True), "international_prefix")

    def _without_stray_plus(self, it: Dialled, unsettled: Bools) -> None:
        """+0772 000012"""
        rows = np.flatnonzero(
            unsettled & it.digits.plus & (it.digits.first == 0) & (it.digits.plan != NO_PLAN)
        )
        self._try(rows, it.digits.take(rows, plus=False), "stray_plus")

    def _with_own_code(self, it: Dialled, unsettled: Bools) -> None:
        """4915112345678 in Germany, where 0491 is the area code of a town: a mobile phone and a landline."""
        rows = _bare(it, unsettled | (it.found == NATIONAL))
        rows = rows[begins_with_own_code(it.digits, self._plans, rows)]
        self._try(rows, it.digits.take(rows, plus=True), "country_code")

    def _with_foreign_code(self, it: Dialled, unsettled: Bools) -> None:
        """254712000012 in Uganda"""
        rows = _bare(it, unsettled & (it.outcome == 0) & (it.found == NATIONAL))
        more = it.digits.length[rows] - self._plans.most[it.digits.plan[rows]]
        own = begins_with_own_code(it.digits, self._plans, rows)
        near, far = rows[(more > 0) & (more < FAR) & ~own], rows[(more >= FAR) & ~own]
        self._try(far, it.digits.take(far, plus=True), "country_code")
        self.near[near] = dial(it.digits.take(near, plus=True), self._plans).outcome > 0

    def _with_lost_zero(self, it: Dialled, unsettled: Bools) -> None:
        """707123456 in Ivory Coast, where the 0 in front belongs to the number."""
        rows = _bare(it, unsettled)
        rows = rows[self._plans.zero_first[it.digits.plan[rows]]]
        self._try(rows, it.digits.take(rows).copied(zero_in_front=True), "lost_zero")


def _bare(it: Dialled, rows: Bools) -> Ints:
    """Those of the rows whose number begins neither with a plus nor with a zero."""
    return np.flatnonzero(rows & ~it.digits.plus & (it.digits.first != 0) & (it.digits.plan != NO_PLAN))


def observed(it: Dialled, plans: NumberingPlans) -> Short:
    """The repairs that the library makes without a word, as bits."""
    plan = it.digits.plan
    bare = (it.found == NATIONAL) & (it.start == it.digits.start) & (it.digits.first != 0)
    bare &= (it.outcome > 0) & (plan != NO_PLAN)
    bits = np.zeros(len(it.outcome), np.int16)
    bits[it.trunk] |= REPAIR_BITS["trunk_zero"]
    bits[it.found == WITHOUT_PLUS] |= REPAIR_BITS["country_code"]
    bits[bare & plans.zero_expected[plan]] |= REPAIR_BITS["lost_zero"]
    fictitious = np.array([outcome is not None and outcome.fictitious for outcome in plans.outcomes])
    bits[fictitious[it.outcome]] |= REPAIR_BITS["fictitious"]
    return bits
