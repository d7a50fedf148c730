"""A budget once given holds over the campaign's life, until a person gives another one."""

import pytest
from support.live_service import LiveService, start_live
from support.refusals import facts_of, findings_of, refused
from support.small_campaigns import contacts_of, people, plan_for

import campaign
from campaign.notebook.run_card import run_card
from campaign.sending.campaigns import continued
from campaign.sending.engine.budget import budget_in_words

PRICE = 35
SMALL = {"batch_size": 5, "concurrency": 1, "progress": False}


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def sandbox():
    with campaign.Sandbox(price=PRICE) as service:
        yield service


@pytest.fixture
def held(sandbox):
    """Twenty people, of whom a budget of 385 pays for eleven."""
    result = campaign.send(plan_for(people(20)), account=sandbox, name="visits", budget=385, **SMALL)
    assert len(sandbox.inbox) == 11
    return result


def test_resume_without_a_budget_has_the_one_that_was_given(held, sandbox):
    result = campaign.resume(held.folder, account=sandbox, **SMALL)
    assert len(sandbox.inbox) == 11
    facts = {"currency": "", "spent": 385, "budget": 385, "enough": 700, "option": "budget=700", "waiting": 9}
    assert (result.ending.code, result.ending.facts) == ("budget_reached", facts)


def test_every_figure_of_the_budget_has_the_currency_of_the_account():
    with campaign.Sandbox(password="sesame", price=PRICE) as sandbox:
        account = campaign.Account("local", sandbox.account.url, "sandbox", "sesame", currency="UGX")
        result = campaign.send(plan_for(people(20)), account=account, name="visits", budget=385, **SMALL)
    assert result.ending.facts["currency"] == "UGX"


def test_a_corrected_table_has_it_too(held, sandbox):
    difference = campaign.compare(plan_for(people(25)), name="visits", account=sandbox)
    assert (difference.new, difference.reached, difference.cost) == (14, 11, 385)
    result = campaign.send(plan_for(people(25)), account=sandbox, name="visits", **SMALL)
    assert (len(sandbox.inbox), result.totals["not_sent"]) == (11, 14)


def test_a_larger_one_takes_its_place_and_stays(held, sandbox):
    campaign.resume(held.folder, account=sandbox, budget=560, **SMALL)
    assert len(sandbox.inbox) == 16
    result = campaign.resume(held.folder, account=sandbox, **SMALL)
    assert len(sandbox.inbox) == 16
    assert (result.ending.facts["spent"], result.ending.facts["budget"]) == (560, 560)
    page = campaign.write_report(result, "report.html").read_text("utf-8")
    assert "a budget of 560</dd>" in page


def test_a_budget_without_a_limit_lifts_it_for_good(held, sandbox):
    result = campaign.resume(held.folder, account=sandbox, budget=campaign.Budget(), **SMALL)
    assert result.totals["accepted"] == 20
    result = campaign.send(plan_for(people(30)), account=sandbox, name="visits", **SMALL)
    assert result.totals["accepted"] == 30


def test_a_budget_of_messages_stays_beside_one_of_cost(sandbox):
    budget = campaign.Budget(cost=10_000, messages=6)
    first = campaign.send(plan_for(people(20)), account=sandbox, name="visits", budget=budget, **SMALL)
    result = campaign.resume(first.folder, account=sandbox, **SMALL)
    assert len(sandbox.inbox) == 6
    assert (result.ending.code, result.ending.facts["budget"]) == ("message_budget_reached", 6)


def test_a_question_that_nobody_answered_changes_no_budget(held, sandbox):
    other_text = plan_for(people(20), "Hello {name}")
    with pytest.raises(campaign.ConfirmationError) as asked:
        campaign.send(other_text, account=sandbox, name="visits", budget=campaign.Budget(), **SMALL)
    assert asked.value.questions == {"waiting": 9, "changed": 11}
    campaign.resume(held.folder, account=sandbox, **SMALL)
    assert len(sandbox.inbox) == 11


def test_a_run_that_goes_on_has_the_budget_that_was_given_since(held, sandbox):
    """The Resume button of yesterday's dashboard does not bring yesterday's budget back."""
    run = campaign.start(plan_for(people(20)), account=sandbox, name="visits", budget=10_000, **SMALL)
    run.pause()
    run.stop()
    run.wait()
    reached = len(sandbox.inbox)
    campaign.resume(held.folder, account=sandbox, budget=reached * PRICE, **SMALL)
    more = continued(run)
    more.wait()
    assert (len(sandbox.inbox), more.budget) == (reached, f"{reached * PRICE:,}")


def test_a_run_says_its_budget(sandbox):
    run = campaign.start(plan_for(people(2)), account=sandbox, budget=campaign.Budget(1_500, 30), **SMALL)
    run.wait()
    assert run.budget == "1,500 and 30 messages"
    assert budget_in_words(campaign.Budget(1_500, 30), "UGX") == "UGX 1,500 and 30 messages"
    other = campaign.start(plan_for(people(2)), account=sandbox, name="others", **SMALL)
    other.wait()
    assert other.budget == ""


def test_the_question_before_live_sending_names_the_budget(resolves_here, monkeypatch):
    with start_live(resolves_here, monkeypatch) as service:
        account = LiveService(service).account_as(currency="UGX")
        with refused("confirmation_needed") as question:
            campaign.send(plan_for(people(3)), account=account, name="visits", budget=5_000)
        assert facts_of(findings_of(question.value))["budget_set"] == {"budget": "UGX 5,000"}
        with pytest.raises(campaign.ConfirmationError) as question:
            campaign.send(plan_for(people(3)), account=account, name="visits")
        assert facts_of(findings_of(question.value))["budget_set"] == {"budget": "none"}


def test_a_phrase_that_nobody_typed_changes_no_budget(resolves_here, monkeypatch):
    def send_live(**options):
        plan, account = plan_for(people(8)), LiveService(service).account
        return campaign.send(plan, account=account, name="visits", **SMALL, **options)

    def phrase_for(**options):
        with pytest.raises(campaign.ConfirmationError) as question:
            send_live(**options)
        return question.value.phrase

    with start_live(resolves_here, monkeypatch, price=PRICE) as service:
        send_live(budget=3 * PRICE, confirm=phrase_for(budget=3 * PRICE))
        reached = len(service.inbox)
        phrase_for(budget=campaign.Budget())
        result = send_live(confirm=phrase_for())
        assert (len(service.inbox), result.totals["accepted"]) == (reached, reached)


@pytest.mark.parametrize(("canary", "spent"), [(True, 35), (False, 175)])
def test_a_budget_below_the_first_price_is_said_to_be_exceeded(sandbox, canary, spent):
    result = campaign.send(
        plan_for(people(20)), account=sandbox, name="visits", budget=10, canary=canary, **SMALL
    )
    assert (result.ending.facts["spent"], result.ending.facts["budget"]) == (spent, 10)


@pytest.mark.parametrize(
    ("budget", "option"),
    [
        (385, "budget=700"),
        (campaign.Budget(messages=11), "budget=campaign.Budget(messages=20)"),
        (campaign.Budget(cost=385, messages=30), "budget=campaign.Budget(cost=700, messages=30)"),
    ],
)
def test_the_option_that_an_ended_run_names_is_enough_for_the_rest(sandbox, budget, option):
    run = campaign.start(plan_for(people(20)), account=sandbox, name="visits", budget=budget, **SMALL)
    run.wait(20)
    assert run.option_for_the_rest == option
    assert option in run_card(run)
    named = eval(f"dict({option})", {"campaign": campaign})  # as a person pastes it
    result = campaign.resume(run.folder, account=sandbox, **named, **SMALL)
    assert (result.totals["accepted"], len(sandbox.inbox)) == (20, 20)


def test_the_budget_that_is_named_counts_sms_parts_as_the_budget_does(sandbox):
    """One message of one part sets the price; nineteen of two parts are reserved as 38."""
    texts = ["и" * (50 if n == 0 else 100) + f",0772 000 {n:03}" for n in range(20)]
    plan = plan_for(contacts_of(*texts, header="text,phone"), "{text}")
    options = {"account": sandbox, "name": "visits", "progress": False}
    run = campaign.start(plan, budget=PRICE * 20, **options)
    assert run.wait(20).ending.facts["enough"] == PRICE * 39
    assert run.option_for_the_rest == f"budget={PRICE * 39}"
    again = campaign.start(plan, budget=PRICE * 39 - 1, **options)
    again.wait(20)
    assert (again.option_for_the_rest, len(sandbox.inbox)) == (f"budget={PRICE * 39}", 1)
    campaign.resume(run.folder, account=sandbox, budget=PRICE * 39, progress=False)
    assert len(sandbox.inbox) == 20


def test_the_budget_that_is_named_pays_for_what_was_refused_and_what_is_unknown(tmp_path):
    faults = {2: "accept_close", 3: "Invalid sender ID"}
    with campaign.Sandbox(price=PRICE, faults=faults) as sandbox:
        options = {"account": sandbox, "max_unknown": 99, **SMALL}
        run = campaign.start(plan_for(people(20)), folder=tmp_path / "visits", budget=385, **options)
        assert run.wait(20).ending.facts["enough"] == PRICE * 20
        assert run.option_for_the_rest == f"budget={PRICE * 20}"
        result = campaign.resume(run.folder, budget=PRICE * 20, **options)
        assert result.totals["not_sent"] == result.totals["refused"] == 0
