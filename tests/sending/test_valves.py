"""When a run holds: each valve is a value that looks at a tally."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple

import pytest
from support.refusals import refused

from campaign.errors import UsageError
from campaign.sending.engine.budget import Budget, expected_cost, share_of_rest
from campaign.sending.engine.hours import Hours
from campaign.sending.engine.pace import Pace
from campaign.sending.engine.tally import Spending, Tally
from campaign.sending.engine.valves import (
    Breaker,
    Canary,
    Credentials,
    Funds,
    Reach,
    Unknown,
)
from campaign.service.transport import Outcome
from campaign.words.finding import Finding

NO_ANSWER = Finding("no_answer", {"failure": "TimeoutError"})
NOT_REACHED = Finding("not_reached", {"target": "The service"})
NOON = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)


class Load(NamedTuple):
    """A batch as the valves see it."""

    messages: int
    parts: int
    number: int = 1


ONE, TEN = Load(1, 1), Load(10, 10)


def tally_after(*outcomes, messages=1000, batch=TEN):
    """A campaign of messages of one SMS part in which batches like `batch` came back with these outcomes."""
    tally = Tally(messages, parts_left=messages)
    for outcome in outcomes:
        tally.start(batch)
        tally.settle(batch, outcome)
    return tally


def accepted(cost="350"):
    return Outcome("accepted", cost=None if cost is None else Decimal(cost), code="c")


def denied(text, cause="other"):
    return Outcome("refused", error=text, cause=cause)


def test_counts_add_up_to_the_messages():
    tally = tally_after(accepted(), denied("x"), Outcome("unknown"), Outcome("not_sent"))
    tally.start(TEN)
    assert (tally.accepted, tally.refused, tally.unknown, tally.in_flight, tally.waiting) == (
        10,
        10,
        10,
        10,
        960,
    )
    assert tally.cost == Decimal(350)
    assert tally.expected_cost == Decimal(350) + 35 * 990  # also for what was refused: it goes out again


def test_no_valve_holds_a_run_without_faults():
    tally = tally_after(*[accepted()] * 20)
    valves = [Funds(), Credentials(), Reach(), Unknown(), Breaker(), Canary(), Budget()]
    assert [valve.look(tally, TEN, NOON) for valve in valves] == [None] * 7


def test_an_empty_account_ends_the_run():
    hold = Funds().look(tally_after(accepted(), denied("Money Not Enough", "funds")), TEN, NOON)
    assert hold is not None
    assert hold.final
    assert hold.reason.code == "money_missing"


def test_a_refused_account_ends_the_run():
    hold = Credentials().look(tally_after(denied("Wrong Username or Password", "credentials")), TEN, NOON)
    assert hold is not None
    assert hold.final
    assert hold.reason.code == "account_refused"
    assert hold.reason.facts["reason"] == "Wrong Username or Password"


def test_five_tries_in_a_row_that_reach_nobody_pause():
    tally = tally_after()
    for _ in range(4):
        tally.miss(Outcome("not_sent", remark=NOT_REACHED, cause="connect"))
    assert Reach().look(tally, TEN, NOON) is None
    tally.miss(Outcome("not_sent", remark=NOT_REACHED, cause="connect"))
    hold = Reach().look(tally, TEN, NOON)
    assert hold is not None
    assert not hold.final


def test_a_wrong_certificate_ends_the_run():
    hold = Reach().look(
        tally_after(Outcome("not_sent", remark=Finding("certificate_invalid"), cause="setup")), TEN, NOON
    )
    assert hold is not None
    assert hold.final


def test_unknown_batches_pause_until_a_person_has_looked():
    tally = tally_after(accepted(), Outcome("unknown", remark=NO_ANSWER))
    hold = Unknown(1).look(tally, TEN, NOON)
    assert hold is not None
    assert hold.reason == Finding("answer_lost", {"messages": 10, "reason": NO_ANSWER})
    assert Unknown(2).look(tally, TEN, NOON) is None
    tally.forgive()
    assert Unknown(1).look(tally, TEN, NOON) is None
    assert tally.unknown == 10


@pytest.mark.parametrize(("code", "http_status"), [("slow_down", 429), ("redirected", 302)])
def test_a_service_that_turns_us_away_pauses_however_many_may_be_unknown(code, http_status):
    remark = Finding(code, {"http_status": http_status})
    tally = tally_after(accepted(), Outcome("unknown", remark=remark, cause="throttled"))
    hold = Unknown(99).look(tally, TEN, NOON)
    assert hold is not None
    assert hold.reason.facts["reason"] == remark
    tally.forgive()
    assert Unknown(99).look(tally, TEN, NOON) is None


def test_three_refusals_among_fifty_pause():
    two = [denied("bad sender")] * 2 + [accepted()] * 40
    assert Breaker().look(tally_after(*two), TEN, NOON) is None
    hold = Breaker().look(tally_after(*two, denied("bad sender")), TEN, NOON)
    assert hold is not None
    assert hold.reason == Finding("batches_refused", {"refused": 3, "batches": 43, "reason": "bad sender"})
    assert Breaker().look(tally_after(*two, denied("bad sender"), *[accepted()] * 50), TEN, NOON) is None


def test_a_canary_without_a_cost_pauses():
    assert Canary().look(tally_after(accepted(None)), TEN, NOON) is not None
    assert Canary().look(tally_after(accepted("0")), TEN, NOON) is None


def test_a_canary_that_is_refused_pauses_until_one_is_accepted():
    tally = tally_after(denied("bad sender"))
    hold = Canary().look(tally, TEN, NOON)
    assert hold is not None
    assert not hold.final
    assert hold.reason == Finding("batches_refused", {"refused": 1, "reason": "bad sender"})
    tally.forgive()
    assert Canary().look(tally, TEN, NOON) is None
    tally.settle(TEN, denied("bad sender"))
    assert Canary().look(tally, TEN, NOON) is not None
    tally.settle(TEN, accepted())
    assert Canary().look(tally, TEN, NOON) is None


def test_a_canary_that_does_not_come_back_pauses_however_many_may_be_unknown():
    tally = tally_after(Outcome("unknown", remark=NO_ANSWER))
    hold = Canary().look(tally, TEN, NOON)
    assert hold is not None
    assert hold.reason.code == "answer_lost"
    tally.forgive()
    assert Canary().look(tally, TEN, NOON) is None


def test_a_budget_counts_what_is_under_way_and_what_is_unknown():
    tally = tally_after(accepted("350"), Outcome("unknown"))  # 350 spent, 350 perhaps
    budget = Budget(cost=Decimal(1050))
    assert budget.look(tally, TEN, NOON) is None
    tally.start(TEN)
    hold = budget.look(tally, TEN, NOON)
    assert hold is not None
    assert hold.final
    assert (hold.reason.facts["spent"], hold.reason.facts["budget"]) == (350, 1050)


def test_what_does_not_fit_waits_for_what_is_under_way():
    tally = tally_after(accepted("350"))
    tally.start(TEN)
    budget = Budget(cost=Decimal(1049), messages=29)
    hold = budget.look(tally, TEN, NOON)
    assert hold is not None
    assert (hold.final, hold.patient) == (True, True)
    assert budget.look(tally, None, NOON) is None  # what is under way was reserved
    tally.settle(TEN, denied("bad sender"))
    assert budget.look(tally, TEN, NOON) is None


def test_a_longer_text_is_reserved_by_its_parts():
    tally = tally_after(accepted("350"))
    budget = Budget(cost=Decimal(1049))
    assert budget.look(tally, Load(10, 19), NOON) is None
    assert budget.look(tally, Load(10, 20), NOON) is not None


def test_a_price_that_rises_holds_what_is_under_way():
    tally = tally_after(accepted("350"))
    tally.start(TEN)
    tally.start(TEN)
    budget = Budget(cost=Decimal(1399))
    assert budget.look(tally, None, NOON) is None
    tally.settle(TEN, accepted("525"))
    hold = budget.look(tally, None, NOON)
    assert hold is not None
    assert (hold.final, hold.patient) == (True, False)
    assert (hold.reason.code, hold.reason.facts["spent"]) == ("price_raised", 875)
    assert Budget(cost=Decimal(1400)).look(tally, None, NOON) is None


def test_a_price_that_is_no_decimal_number_is_exact():
    third = Load(3, 3)
    tally = tally_after(accepted("100"), batch=third, messages=30)
    assert Budget(cost=Decimal(200)).look(tally, third, NOON) is None
    assert Budget(cost=Decimal("199.99")).look(tally, third, NOON) is not None


def test_a_budget_that_ends_the_run_early_is_what_it_costs_and_how_long_it_takes():
    tally = tally_after(accepted("200"), batch=Load(4, 4), messages=30)
    counts = tally.snapshot("running", 4.0, None, 1.0)
    assert (counts.expected_cost, counts.seconds_left) == (1500, 26)
    limit = Budget(cost=Decimal(600))
    assert (expected_cost(counts, limit), 26 * share_of_rest(counts, limit)) == (600, pytest.approx(8))
    assert share_of_rest(counts, Budget(messages=17)) == 0.5
    enough = Budget(cost=Decimal(1500))
    assert (expected_cost(counts, enough), share_of_rest(counts, enough)) == (1500, 1)
    assert share_of_rest(counts, Budget(cost=Decimal(100))) == 0


def test_a_budget_of_nothing_sends_nothing():
    hold = Budget(cost=Decimal(0)).look(Tally(messages=100), ONE, NOON)
    assert (hold.final, hold.reason.code) == (True, "budget_reached")


def test_a_budget_cannot_be_kept_without_costs():
    assert Budget(cost=Decimal(100)).look(tally_after(accepted(None)), TEN, NOON) is not None


def test_a_budget_counts_what_was_accepted_at_no_known_cost_at_the_price_seen():
    tally = tally_after(accepted("350"), accepted(None))
    tally.forgive()  # a person has looked
    assert Budget(cost=Decimal(1050)).look(tally, TEN, NOON) is None
    assert Budget(cost=Decimal(1049)).look(tally, TEN, NOON) is not None
    spending = Spending()
    spending.add(10, Decimal(350))
    spending.add(10, None)
    assert Tally(1000, accepted=20, spending=spending).cost_with(10) == tally.cost_with(10) == 1050


def test_a_budget_pauses_at_a_cost_that_cannot_be_read_although_a_price_is_known():
    hold = Budget(cost=Decimal(100_000)).look(tally_after(accepted("350"), accepted(None)), 10, NOON)
    assert hold is not None
    assert not hold.final
    assert hold.reason.code == "cost_unreadable"


def test_a_budget_is_not_kept_blindly_when_a_person_resumes_without_a_price():
    tally = tally_after(accepted(None))
    tally.forgive()
    hold = Budget(cost=Decimal(100_000)).look(tally, TEN, NOON)
    assert hold is not None
    assert hold.reason.code == "no_costs"
    assert Budget(messages=1000).look(tally, TEN, NOON) is None


def test_a_budget_of_messages():
    tally = tally_after(accepted(), denied("x"))
    assert Budget(messages=20).look(tally, TEN, NOON) is None  # what was refused did not go out
    assert Budget(messages=19).look(tally, TEN, NOON) is not None


@pytest.mark.parametrize("wrong", ["much", -1, "nan"])
def test_a_budget_that_is_no_amount(wrong):
    with refused("wrong_value", UsageError):
        Budget.of(wrong)


@pytest.mark.parametrize(
    ("hours", "utc", "open_"),
    [
        ("08:00-20:00 Africa/Kampala", "2026-01-05T05:00", True),  # 08:00 there
        ("08:00-20:00 Africa/Kampala", "2026-01-05T04:59", False),
        ("08:00-20:00 Africa/Kampala", "2026-01-05T17:00", False),  # 20:00 there, the end is not included
        ("22:00-6:00 Africa/Kampala", "2026-01-05T23:00", True),  # a window over midnight
        ("22:00-6:00 Africa/Kampala", "2026-01-05T12:00", False),
        ("09:00-17:00 Europe/London", "2026-07-05T08:00", True),  # summer time
        ("09:00-17:00 Europe/London", "2026-01-05T08:00", False),
    ],
)
def test_hours(hours, utc, open_):
    now = datetime.fromisoformat(utc).replace(tzinfo=UTC)
    assert (Hours.of(hours).look(tally_after(), TEN, now) is None) is open_


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ("08:00-20:00", "wrong_value"),
        ("8-20 Africa/Kampala", "wrong_value"),
        ("25:00-26:00 UTC", "wrong_value"),
        ("08:00-20:00 Atlantis", "time_zone_unknown"),
    ],
)
def test_hours_that_cannot_be_read(wrong, code):
    with refused(code, UsageError):
        Hours.of(wrong)


def test_pace_spreads_evenly_and_never_bursts_after_a_pause():
    pace = Pace(50)  # messages a second
    assert [pace.reserve(100, now=0.0) for _ in range(3)] == [0.0, 2.0, 4.0]
    assert pace.reserve(100, now=100.0) == 0.0
    assert pace.reserve(100, now=100.0) == 2.0


def test_no_pace_means_no_wait():
    assert Pace(None).reserve(10**6, now=0.0) == 0.0


@pytest.mark.parametrize(
    "late", [Outcome("accepted", cost=Decimal(420)), Outcome("refused", error="Invalid sender ID")]
)
def test_an_answer_that_comes_late_counts_as_if_it_had_come_in_time(late):
    """Another worker was given up, so its batch was unknown for a while."""
    in_time, late_tally = Tally(20), Tally(20)
    batch = Load(10, 12)
    in_time.count(batch, late)
    late_tally.count(batch, Outcome("unknown"))
    late_tally.learn(batch, late)
    assert late_tally == in_time


def test_what_other_workers_have_claimed_is_under_way():
    tally = Tally(100)
    tally.start(Load(10, 12))
    tally.count_others(30, 40)
    tally.count_others(20, 25)
    assert (tally.in_flight, tally.parts_in_flight, tally.waiting) == (30, 37, 70)
