"""A budget is used up to the last batch that fits, and never exceeded, whatever leaves at the same time."""

from decimal import Decimal

import pytest
from support.small_campaigns import contacts_of, people, plan_for

import campaign

AT_ONCE = pytest.mark.parametrize("concurrency", [1, 8, 32])


@pytest.fixture(scope="module")
def plan_of_700():
    return plan_for(people(700))


def plan_of_texts(*texts):
    """A plan with one message for each text; a part holds 70 Cyrillic letters."""
    rows = [f"{text},0772 000 {n:03}" for n, text in enumerate(texts)]
    return plan_for(contacts_of(*rows, header="text,phone"), "{text}")


def assert_used_up(sandbox, result, budget, dearest):
    """The ledger and the service agree, and not even one more batch at `dearest` would have fitted."""
    spent = sum(result.batches["cost"].dropna())
    assert spent == sandbox.charged
    assert budget - dearest < spent <= budget
    assert result.ending.code == "budget_reached"


@AT_ONCE
@pytest.mark.parametrize(("size", "sent"), [(7, 568), (100, 501)])
def test_20_000_units_pay_for_571_messages_less_one_batch_at_most(
    tmp_path, plan_of_700, concurrency, size, sent
):
    with campaign.Sandbox(price=35) as sandbox:
        result = campaign.send(
            plan_of_700, account=sandbox, folder=tmp_path / "visits", budget=20_000, batch_size=size,
            concurrency=concurrency, progress=False,
        )  # fmt: skip
        assert result.totals["accepted"] == len(sandbox.inbox) == sent
        assert_used_up(sandbox, result, 20_000, 35 * size)


@AT_ONCE
def test_in_batches_of_one_it_is_used_up_to_the_last_message(tmp_path, plan_of_700, concurrency):
    with campaign.Sandbox(price=35) as sandbox:
        result = campaign.send(
            plan_of_700, account=sandbox, folder=tmp_path / "visits", budget=2_000, batch_size=1,
            concurrency=concurrency, progress=False,
        )  # fmt: skip
        assert result.totals["accepted"] == len(sandbox.inbox) == 57


@AT_ONCE
@pytest.mark.parametrize("charge", ["part", "message"])
def test_texts_of_different_length_are_reserved_by_their_parts(tmp_path, concurrency, charge):
    """Every third text has two parts, and the first has one: the price of a part is known from the start."""
    plan = plan_of_texts(*("и" * (100 if n % 3 == 2 else 50) for n in range(300)))
    with campaign.Sandbox(price=35, charge=charge) as sandbox:
        result = campaign.send(
            plan, account=sandbox, folder=tmp_path / "visits", budget=5_000, batch_size=6,
            concurrency=concurrency, progress=False,
        )  # fmt: skip
        assert_used_up(sandbox, result, 5_000, 35 * 8)  # four texts of one part and two of two


@AT_ONCE
def test_a_budget_holds_over_several_runs_with_lost_answers(tmp_path, plan_of_700, concurrency):
    """Three batches of ten are unknown: they count, and a larger budget pays for what it adds."""
    lost = dict.fromkeys((4, 9, 15), "accept_reset")
    with campaign.Sandbox(price=35, faults=lost) as sandbox:
        options = {"account": sandbox, "concurrency": concurrency, "max_unknown": 99, "progress": False}
        folder = tmp_path / "visits"
        campaign.send(plan_of_700, folder=folder, budget=7_000, batch_size=10, **options)
        assert 7_000 - 350 < sandbox.charged <= 7_000
        for budget in (7_000, 10_000, 10_000, 14_010):
            result = campaign.resume(folder, budget=budget, **options)
            assert budget - 350 < sandbox.charged <= budget
        assert result.totals["unknown"] == 30
        result = campaign.resume(folder, budget=10**6, **options)
        assert (result.totals["not_sent"], len(sandbox.inbox)) == (0, 700)


def test_the_price_over_several_runs_is_the_highest_and_not_the_average(tmp_path):
    """The first run pays 35 for texts of one part and 70 for longer ones; the average says nothing."""
    plan = plan_of_texts(*("и" * (100 if 1 <= n <= 10 else 50) for n in range(60)))
    with campaign.Sandbox(price=35) as sandbox:  # for a message: 17.5 for a part of the longer texts
        options = {"account": sandbox, "concurrency": 8, "progress": False}
        folder = tmp_path / "visits"
        campaign.send(plan, folder=folder, budget=735, batch_size=10, **options)
        before = sandbox.charged
        campaign.resume(folder, budget=before + 349, **options)
        assert sandbox.charged == before
        campaign.resume(folder, budget=before + 350, **options)
        assert sandbox.charged == before + 350


@AT_ONCE
def test_a_budget_of_messages_is_exact(tmp_path, plan_of_700, concurrency):
    with campaign.Sandbox(faults={3: "Invalid sender ID"}) as sandbox:
        result = campaign.send(
            plan_of_700, account=sandbox, folder=tmp_path / "visits", budget=campaign.Budget(messages=201),
            batch_size=10, concurrency=concurrency, progress=False,
        )  # fmt: skip
        assert len(sandbox.inbox) == 201  # the ten that were refused leave room for ten others
        assert (result.totals["accepted"], result.totals["refused"]) == (201, 10)


@AT_ONCE
def test_a_first_message_for_nothing_does_not_open_the_budget(tmp_path, plan_of_700, concurrency):
    with campaign.Sandbox(price=0) as sandbox:
        behaviour = sandbox._behaviour
        accept = behaviour._accept

        def accept_then_charge(messages, ordinal):
            answer = accept(messages, ordinal)
            behaviour._price = Decimal(35)
            return answer

        behaviour._accept = accept_then_charge
        result = campaign.send(
            plan_of_700, account=sandbox, folder=tmp_path / "visits", budget=1_000, batch_size=10,
            concurrency=concurrency, progress=False,
        )  # fmt: skip
        assert_used_up(sandbox, result, 1_000, 350)


@AT_ONCE
def test_a_price_that_rises_ends_the_run_before_more_is_spent(tmp_path, plan_of_700, concurrency):
    """At most what had left when the first answer told of the new price is paid at that price."""
    with campaign.Sandbox(price=35, latency=0.05) as sandbox:
        behaviour = sandbox._behaviour
        accept = behaviour._accept

        def accept_at_a_new_price(messages, ordinal):
            if sandbox.requests > 1:
                behaviour._price = Decimal(70)
            return accept(messages, ordinal)

        behaviour._accept = accept_at_a_new_price
        result = campaign.send(
            plan_of_700, account=sandbox, folder=tmp_path / "visits", budget=3_500, batch_size=10,
            concurrency=concurrency, progress=False,
        )  # fmt: skip
        assert result.ending.facts["budget"] == 3_500
        assert sandbox.charged <= (3_500 if concurrency == 1 else 35 + 700 * min(concurrency, 9))
        spent = sandbox.charged
        campaign.resume(tmp_path / "visits", account=sandbox, budget=spent + 699, progress=False)
        assert sandbox.charged == spent
        campaign.resume(tmp_path / "visits", account=sandbox, budget=spent + 700, progress=False)
        assert sandbox.charged == spent + 700
