"""How digits are read when they are dialled in a region: `phonenumbers.parse`, a column at a time.

The order is the library's, and every step of it counts: the international prefix of the region; the calling
code; the region's own calling code without plus, if only that makes a number of it; the national prefix, if
what is left has a length and a pattern that numbers of the plan have; at last the first region behind the
calling code that knows the number.
"""

from dataclasses import dataclass

import numpy as np

from campaign.contacts.phone_numbers.digit_patterns import Bools, Ints, Long, Short, Small, Symbols
from campaign.contacts.phone_numbers.digits import Digits, values
from campaign.contacts.phone_numbers.libphonenumber import EXPLICIT, NATIONAL, WITHOUT_PLUS, read_one
from campaign.contacts.phone_numbers.metadata import NO_PLAN, NumberingPlans, Outcome

_MOST = 20  # digits; what has more is no number, but the library is asked

# The longest number of any plan has 19 digits with its calling code, and so fits; a test holds that.
_POWERS = np.array([10**n for n in range(20)], np.uint64)


@dataclass
class Dialled:
    """What became of numbers, row by row."""

    digits: Digits
    start: Ints  # of the national number in the stream
    length: Ints
    meant: Ints  # its length without a national prefix, also where that had to stay
    plan: Ints  # by which the national number is read, NO_PLAN where there is none
    found: Small  # how the calling code was found: NATIONAL, EXPLICIT or WITHOUT_PLUS
    behind_code: Ints  # where the calling code ends
    trunk: Bools  # a national prefix stood behind the calling code and is left out
    asked: Bools  # the library itself is to be asked
    outcome: Short  # place in `NumberingPlans.outcomes`, 0 where it is no valid number
    number: Long  # calling code and national number, 0 where it is not valid


def dial(digits: Digits, plans: NumberingPlans) -> Dialled:
    """Read each number as it is dialled in its region."""
    it = _begun(digits, digits.plan)
    it.asked = digits.length > _MOST
    _take_international_prefix(it, plans)
    _take_calling_code(it, plans)
    _take_own_code(it, plans)
    _judge(it, plans)
    return it


def dial_behind_code(digits: Digits, plan: Ints, found: Small, plans: NumberingPlans) -> Dialled:
    """Read digits as what follows the calling code of a plan."""
    it = _begun(digits, plan)
    it.found = found
    _judge(it, plans)
    return it


def _begun(digits: Digits, plan: Ints) -> Dialled:
    size = len(digits)
    return Dialled(
        digits=digits,
        start=digits.start.copy(),
        length=digits.length.copy(),
        meant=digits.length.copy(),
        plan=plan.copy(),
        found=np.where(digits.plus, EXPLICIT, NATIONAL).astype(np.int8),
        behind_code=digits.start.copy(),
        trunk=np.zeros(size, bool),
        asked=np.zeros(size, bool),
        outcome=np.zeros(size, np.int16),
        number=np.zeros(size, np.uint64),
    )


def _take_international_prefix(it: Dialled, plans: NumberingPlans) -> None:
    """The prefix with which the region dials abroad, unless a zero follows it: no calling code begins so."""
    rows = np.flatnonzero((it.found == NATIONAL) & (it.plan != NO_PLAN))
    width, _ = plans.international.run(
        it.digits.stream, it.start[rows], plans.begin_international[it.plan[rows]]
    )
    abroad = (width >= 0) & (it.digits.stream[it.start[rows] + width] != 0)
    rows, width = rows[abroad], width[abroad]
    it.found[rows] = EXPLICIT
    it.start[rows] += width
    it.length[rows] -= width


def _take_calling_code(it: Dialled, plans: NumberingPlans) -> None:
    """The calling code behind a plus or an international prefix."""
    rows = np.flatnonzero(it.found == EXPLICIT)
    it.plan[rows] = NO_PLAN
    rows = rows[it.length[rows] > 2]
    stream, start = it.digits.stream, it.start[rows]
    three = stream[start] * np.int16(100) + stream[start + 1] * np.int16(10) + stream[start + 2]
    code = plans.code_at[three]
    plans.meet(code)
    it.plan[rows] = plans.main_plan[code]
    it.start[rows] += plans.width_at[three]
    it.length[rows] -= plans.width_at[three]
    # A plus before what is no calling code: the library drops the plus and begins again.
    it.asked[rows] |= (code == 0) & it.digits.plus[rows]
    it.behind_code[rows] = it.start[rows]


def _take_own_code(it: Dialled, plans: NumberingPlans) -> None:
    """The calling code of the region without a plus, if that makes a number of what was none or too long."""
    rows = np.flatnonzero((it.found == NATIONAL) & (it.plan != NO_PLAN))
    rows = rows[begins_with_own_code(it.digits, plans, rows)]
    plan = it.plan[rows]
    width = plans.width[plan]
    start, length, asked = _without_national_prefix(
        it.digits.stream, it.start[rows] + width, it.length[rows] - width, plan, plans
    )
    whole = _viable(it.digits.stream, it.start[rows], it.length[rows], plan, plans)
    rest = _viable(it.digits.stream, start, length, plan, plans)
    taken = (rest & ~whole) | plans.overlong[plan, np.minimum(it.length[rows], _MOST)]
    it.asked[rows] |= asked
    rows, width, start, length = rows[taken], width[taken], start[taken], length[taken]
    it.behind_code[rows] = it.start[rows] + width
    it.trunk[rows] = start > it.behind_code[rows]
    it.start[rows], it.length[rows] = start, length
    it.found[rows] = WITHOUT_PLUS
    it.plan[rows] = plans.main_plan[plans.calling_code[it.plan[rows]]]


def begins_with_own_code(digits: Digits, plans: NumberingPlans, rows: Ints) -> Bools:
    """Do these numbers begin with the calling code of their own region?"""
    plan, start = digits.plan[rows], digits.start[rows]
    leading = digits.stream[start].astype(np.int16)
    for place in (1, 2):
        longer = plans.width[plan] > place
        leading = np.where(longer, leading * 10 + digits.stream[start + place], leading)
    same: Bools = leading == plans.calling_code[plan]
    return same & (digits.length[rows] > 2)


def _judge(it: Dialled, plans: NumberingPlans) -> None:
    """Read what follows the calling code as a national number: is it valid, and what is it?"""
    rows = np.flatnonzero((it.plan != NO_PLAN) & ~it.asked)
    plan, stream = it.plan[rows], it.digits.stream
    start, length, asked = _without_national_prefix(stream, it.start[rows], it.length[rows], plan, plans)
    it.meant[rows] = length
    fits = plans.strippable[plan, np.clip(length, 0, _MOST)]
    it.trunk[rows] |= fits & (start > it.start[rows]) & (it.found[rows] != NATIONAL)
    it.start[rows] = start = np.where(fits, start, it.start[rows])
    it.length[rows] = length = np.where(fits, length, it.length[rows])
    states = plans.languages.run(stream, start, plans.begin_number[plan], _steps(length))
    asked |= ~plans.readable[plan]
    it.asked[rows] = asked
    it.outcome[rows] = outcome = np.where(asked | (length < 2), 0, plans.verdict(states, length))
    valid = np.flatnonzero(outcome)
    rows, start, length, plan = rows[valid], start[valid], length[valid], plan[valid]
    codes = plans.calling_code[plan].astype(np.uint64)
    it.number[rows] = codes * _POWERS[length] + values(stream, start, length)


def _without_national_prefix(
    stream: Symbols, start: Ints, length: Ints, plan: Ints, plans: NumberingPlans
) -> tuple[Ints, Ints, Bools]:
    """Numbers without their national prefix, and which of them the library would rewrite instead.

    The prefix stays where it belongs to a number that would not be one without it.
    """
    width, through = plans.national.run(stream, start, plans.begin_national[plan])
    width = np.maximum(width, 0)
    rows = np.flatnonzero(width)
    rows = rows[_viable(stream, start[rows], length[rows], plan[rows], plans)]
    if rows.size:
        kept = ~_viable(stream, start[rows] + width[rows], length[rows] - width[rows], plan[rows], plans)
        width[rows[kept]] = 0
    return start + width, length - width, through & plans.transforms[plan]


def _viable(stream: Symbols, start: Ints, length: Ints, plan: Ints, plans: NumberingPlans) -> Bools:
    """Does a number match the general description of its plan?"""
    states = plans.languages.run(stream, start, plans.begin_number[plan], _steps(length))
    return plans.viable(states, plan)


def _steps(length: Ints) -> int:
    return min(int(length.max(initial=0)), _MOST) + 1


def ask(it: Dialled, plans: NumberingPlans, texts: dict[int, str]) -> dict[int, str]:
    """Let the library itself read the rows that are to be asked about, and those that have an own text here.

    Returns the problems of the texts that it cannot read at all, by row.
    """
    problems: dict[int, str] = {}
    for row in {*np.flatnonzero(it.asked).tolist(), *texts}:
        plan = int(it.digits.plan[row])
        text = texts.get(row) or it.digits.text(row)
        one = read_one(text, "" if plan == NO_PLAN else plans.plans[plan].region)
        if one.problem:
            problems[row] = one.problem
        fictitious = not one.kind and (known := plans.outcomes[it.outcome[row]]) and known.fictitious
        if not fictitious:
            it.outcome[row] = plans.outcome_place(Outcome(one.kind, one.region) if one.kind else None)
            it.number[row] = int(f"{one.calling_code}{one.national}") if one.kind else 0
        if one.kind:
            it.found[row], it.trunk[row] = one.found, one.trunk
    return problems
