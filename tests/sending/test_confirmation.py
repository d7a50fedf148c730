"""What a person reads before something is sent live: a few lines that say what would leave."""

import pytest
from support.live_service import LiveService, start_live
from support.refusals import facts_of, findings_of

import campaign

TABLE = b"""name,phone
Aisha,+256772000001
Ben,+256772000002
Chipo,+447700900003
,
Dina,12
Ben,+256772000002
"""


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def account(resolves_here, monkeypatch):
    with start_live(resolves_here, monkeypatch, price=35) as sandbox:
        yield LiveService(sandbox).account


def plan_of(table=TABLE, text="Hi {name}"):
    contacts = campaign.read_contacts(table)
    return campaign.prepare(contacts, message=text, sender="CLINIC", region="UG")


def question(call, *args, **options):
    with pytest.raises(campaign.ConfirmationError) as asked:
        call(*args, **options)
    return asked.value


def sent(plan, **options):
    """The result of a person who reads the question and types the phrase."""
    options |= {"name": "visits", "progress": False}
    return campaign.send(plan, confirm=question(campaign.send, plan, **options).phrase, **options)


def found(asked):
    return facts_of(findings_of(asked))


def test_the_question_has_what_would_leave(account):
    facts = found(question(campaign.send, plan_of(), account=account, name="visits"))
    live = facts["sends_live"]
    assert (live["messages"], live["parts"], live["people"]) == (3, 3, 3)
    assert live["label"].startswith("LIVE, ")
    assert facts["several_countries"]["countries"] == ["UG 2", "GB 1"]
    assert facts["rows_left_out"] == {"rows": 3}
    assert {"nothing_sent_before", "budget_set", "not_tried"} < facts.keys()
    assert facts["first_message"]["text"] == "Hi Aisha"


def test_a_try_out_is_not_told_to_be_tried_out_first(account):
    asked = question(campaign.try_out, plan_of(), account, number="0772 000 999", region="UG")
    assert "not_tried" not in found(asked)


def test_after_a_pilot_the_price_is_known_and_the_text_was_seen(account):
    first = found(question(campaign.send, plan_of(), account=account, name="visits", pilot=1))
    assert first["sends_live"]["people"] == 1
    assert first["after_pilot"] == {"messages": 2}
    result = sent(plan_of(), account=account, pilot=1)
    rest = found(question(campaign.resume, result.folder, account=account, budget=500))
    assert (rest["cost_expected"], rest["budget_set"]) == ({"cost": "70"}, {"budget": "500"})
    assert "not_tried" not in rest
