"""Each hold as a person meets it: the run holds, the cause is removed, `resume` reaches everybody once."""

from datetime import UTC, datetime, timedelta

import pytest
from support.findings import finding
from support.small_campaigns import people, plan_for

import campaign
from campaign.sending.engine import engine as engines

MORE_THAN_LEAVE_AT_ONCE = 1000  # 101 batches: 32 are under way when the fault is met, and as many may follow
AT_ONCE = pytest.mark.parametrize("concurrency", [1, pytest.param(8, marks=pytest.mark.long), 32])


@pytest.fixture
def quick_tries(monkeypatch):
    """Waiting between tries to connect is not what these tests are about."""
    monkeypatch.setattr(engines, "BACKOFF", 0.001)


@pytest.fixture
def options(tmp_path, concurrency):
    """Where and how these campaigns of 201 are sent: a first message, then batches of ten."""
    return {"folder": tmp_path / "visits", "concurrency": concurrency, "progress": False}


def send(sandbox, options, count=201, **more):
    return campaign.send(plan_for(people(count)), batch_size=10, **({"account": sandbox} | options | more))


def resume(sandbox, options, **more):
    return campaign.resume(**({"account": sandbox} | options | more))


def assert_all_but(sandbox, result, refused=0, unknown=0):
    """Everybody was reached once, except for those of refused batches; nobody is left waiting."""
    assert not sandbox.inbox["number"].duplicated().any()
    assert (result.totals["not_sent"], result.totals["refused"]) == (0, refused)
    everybody = len(result.contacts)
    assert (result.totals["unknown"], result.totals["accepted"]) == (unknown, everybody - refused - unknown)


# the canary

FIRST_MESSAGE = {
    "Invalid sender ID": ("batches_refused", {}),
    "reset": ("answer_lost", {"unknown": 1}),
    "accept_reset": ("answer_lost", {"unknown": 1}),
    "accept_no_cost": ("cost_unreadable", {}),
}


@AT_ONCE
@pytest.mark.parametrize("fault", FIRST_MESSAGE)
def test_nothing_else_leaves_until_a_person_has_looked_at_the_first_message(fault, options):
    code, lost = FIRST_MESSAGE[fault]
    with campaign.Sandbox(faults={1: fault}) as sandbox:
        result = send(sandbox, options, max_unknown=99)
        assert sandbox.requests == 1
        assert result.totals["not_sent"] == 200
        assert result.ending.code == code
        assert_all_but(sandbox, resume(sandbox, options), **lost)


@AT_ONCE
@pytest.mark.parametrize("fault", ["Invalid sender ID", "reset"])
def test_as_long_as_the_service_has_accepted_nothing_each_resume_sends_one_batch(fault, options):
    with campaign.Sandbox(faults=dict.fromkeys((1, 2, 3), fault), latency=0.01) as sandbox:
        send(sandbox, options, max_unknown=99)
        for requests in (2, 3):
            result = resume(sandbox, options, max_unknown=99)
            assert sandbox.requests == requests
            if fault == "reset":
                assert (result.totals["unknown"], result.totals["not_sent"]) == (
                    10 * requests - 9,
                    210 - 10 * requests,
                )
            else:  # what was refused goes out again, in a round that begins with one message
                assert (result.totals["refused"], result.totals["not_sent"]) == (1, 200)
        assert_all_but(sandbox, resume(sandbox, options), unknown=21 if fault == "reset" else 0)


@AT_ONCE
def test_the_same_holds_for_a_run_that_is_resumed_without_ending(options):
    with campaign.Sandbox(faults=dict.fromkeys((1, 2), "Invalid sender ID")) as sandbox:
        run = campaign.start(plan_for(people(201)), account=sandbox, batch_size=10, **options)
        for requests in (1, 2):
            run.wait()
            assert (run.status, sandbox.requests) == ("paused", requests)
            run.resume()
        assert_all_but(sandbox, run.wait(), refused=11)


# the others


@AT_ONCE
def test_funds_are_topped_up(options):
    with campaign.Sandbox(price=35, balance=35 * 101, latency=0.02) as sandbox:
        result = send(sandbox, options, MORE_THAN_LEAVE_AT_ONCE)
        assert result.ending.code == "money_missing"
        refused = result.totals["refused"]
        assert 10 <= refused <= 10 * options["concurrency"]
        sandbox.top_up(10**6)
        assert_all_but(sandbox, resume(sandbox, options))


@AT_ONCE
def test_funds_are_topped_up_by_too_little(options):
    """What is refused once more costs one batch at a time, and nobody is reached twice."""
    with campaign.Sandbox(price=35, balance=35 * 50) as sandbox:
        send(sandbox, options)
        accepted = 41
        while accepted < 201:
            sandbox.top_up(35 * 50)
            result = resume(sandbox, options)
            assert result.totals["accepted"] > accepted
            accepted = result.totals["accepted"]
        assert_all_but(sandbox, result)


@AT_ONCE
def test_the_password_is_corrected(options):
    with campaign.Sandbox(password="right") as sandbox:
        wrong = campaign.Account("local", sandbox.account.url, "sandbox", "wrong")
        result = send(wrong, options)
        assert sandbox.requests == 1
        assert result.ending.code == "account_refused"
        assert_all_but(sandbox, resume(sandbox, options))


@AT_ONCE
def test_the_username_is_corrected(options, tmp_path):
    """A campaign belongs to one account; nobody was reached, so the plan can be sent with the right one."""
    with campaign.Sandbox(password="right") as sandbox:
        wrong = campaign.Account("local", sandbox.account.url, "sandbocks", "right")
        result = send(wrong, options)
        assert result.ending.facts["untouched"] == 201
        assert_all_but(sandbox, send(sandbox, options, folder=tmp_path / "other"))


@AT_ONCE
def test_an_account_that_is_refused_midway_is_not_exchanged(options):
    with campaign.Sandbox(faults={5: "Wrong Username or Password"}) as sandbox:
        result = send(sandbox, options)
        assert not result.ending.facts.get("untouched")
        assert_all_but(sandbox, resume(sandbox, options))


@AT_ONCE
@pytest.mark.usefixtures("quick_tries")
def test_the_service_is_reached_again(options):
    sandbox = campaign.Sandbox()
    with sandbox:
        account = sandbox.account
    result = send(account, options)
    assert result.ending.code == "service_not_reached"
    assert result.totals["not_sent"] == 201
    with sandbox:
        assert sandbox.account.url == account.url
        assert_all_but(sandbox, resume(account, options))


@AT_ONCE
def test_a_lost_answer_is_looked_at(options):
    with campaign.Sandbox(faults={5: "accept_reset"}) as sandbox:
        result = send(sandbox, options, MORE_THAN_LEAVE_AT_ONCE)
        assert result.ending.code == "answer_lost"
        assert_all_but(sandbox, resume(sandbox, options), unknown=10)


@AT_ONCE
def test_the_cause_of_several_refusals_is_corrected(options):
    with campaign.Sandbox(faults=dict.fromkeys((4, 6, 8), "Invalid sender ID")) as sandbox:
        result = send(sandbox, options, MORE_THAN_LEAVE_AT_ONCE)
        assert (result.ending.code, result.ending.facts["refused"]) == ("batches_refused", 3)
        assert_all_but(sandbox, resume(sandbox, options))


@AT_ONCE
def test_the_hours_open(options):
    def hours(first, last):
        now = datetime.now(UTC)
        return "-".join(f"{now + timedelta(hours=hour):%H:%M}" for hour in (first, last)) + " UTC"

    with campaign.Sandbox() as sandbox:
        result = send(sandbox, options, hours=hours(2, 4))
        assert result.ending.code == "outside_hours"
        assert sandbox.requests == 0
        assert_all_but(sandbox, resume(sandbox, options, hours=hours(-2, 2)))


@AT_ONCE
@pytest.mark.parametrize(
    ("little", "enough", "code"),
    [
        (1_000, 7_035, "budget_reached"),
        (campaign.Budget(messages=50), campaign.Budget(messages=201), "message_budget_reached"),
    ],
)
def test_the_budget_is_raised(options, little, enough, code):
    with campaign.Sandbox(price=35) as sandbox:
        result = send(sandbox, options, budget=little)
        assert result.ending.code == code
        assert 0 < result.totals["accepted"] < 201
        assert_all_but(sandbox, resume(sandbox, options, budget=enough))


@AT_ONCE
def test_a_cost_that_cannot_be_read_is_looked_up(options):
    with campaign.Sandbox(price=35, faults={5: "accept_no_cost"}) as sandbox:
        result = send(sandbox, options, MORE_THAN_LEAVE_AT_ONCE, budget=60_000)
        assert result.ending.code == "cost_unreadable"
        assert_all_but(sandbox, resume(sandbox, options, budget=60_000))


@AT_ONCE
def test_a_service_without_costs_gets_a_budget_of_messages(options):
    with campaign.Sandbox(faults=dict.fromkeys(range(1, 99), "accept_no_cost")) as sandbox:
        result = send(sandbox, options, budget=10_000)
        assert result.ending.code == "no_costs"
        assert sandbox.requests == 1
        result = resume(sandbox, options, budget=campaign.Budget(messages=1000))
        assert_all_but(sandbox, result)


@pytest.mark.parametrize("go_on", ["resume", "send"])
def test_who_was_refused_is_reached_as_the_advice_says(go_on, tmp_path):
    with campaign.Sandbox(price=35, balance=35 * 21) as sandbox:
        options = {"account": sandbox.account, "folder": tmp_path / "visits", "progress": False}
        first = campaign.send(plan_for(people(49)), batch_size=10, **options)
        assert "campaign.resume" in finding(first, "rows_refused").facts["resume"]
        sandbox.top_up(10_000)
        if go_on == "resume":
            again = campaign.resume(first.folder, account=sandbox.account, progress=False)
        else:
            again = campaign.send(plan_for(people(49)), **options)
        assert_all_but(sandbox, again)


@pytest.mark.parametrize("concurrency", [1])
def test_money_that_ran_out_in_the_last_batch_is_said_to_be_missing(options):
    with campaign.Sandbox(price=35, balance=35) as sandbox:
        result = send(sandbox, options, 11)
        assert result.totals["refused"] == 10
        assert result.ending.code == "money_missing"
        sandbox.top_up(10**6)
        assert resume(sandbox, options).ending is None


@pytest.mark.parametrize("concurrency", [1])
def test_messages_that_were_refused_keep_their_text_in_the_record_when_they_go_out_again(options):
    with campaign.Sandbox(price=35, balance=35) as sandbox:
        send(sandbox, options, 11)
        sandbox.top_up(10**6)
        result = resume(sandbox, options)
    assert [sent.template for sent in result.rounds] == ["Hi {name}", "Hi {name}"]
