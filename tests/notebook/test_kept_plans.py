"""A plan that was made once is not made again, as long as everything that it was made of is the same."""

import pytest
from support.small_campaigns import contacts_of, plan_for

import campaign
from campaign.notebook.composer import kept_plans
from campaign.notebook.composer.composition import Composition
from campaign.notebook.composer.kept_plans import KeptPlans
from campaign.sending.opening import compare_instead
from campaign.values import replace

BOTH = ["Aisha,0772 000 001", "Ben,0772 000 001"]
SKIPPING = Composition(message="Hi {name}", sender="CLINIC", number="phone", region="UG")
KEEPING = replace(SKIPPING, duplicates="keep")


@pytest.fixture
def contacts():
    """Two people who share a phone."""
    return contacts_of(*BOTH)


def test_answers_that_were_looked_at_before_take_no_new_plan(contacts):
    kept = KeptPlans()
    plans = [kept.planned(composition, contacts)[1] for composition in (SKIPPING, KEEPING) * 2]
    assert plans[2] is plans[0]
    assert plans[3] is plans[1]
    assert [len(plan.messages) for plan in plans] == [1, 2, 1, 2]


def test_the_row_that_gets_the_text_of_a_shared_phone_comes_with_the_plan(contacts):
    kept, bens = KeptPlans(), replace(SKIPPING, instead=(3,))
    for _ in range(2):
        rows, plan = kept.planned(bens, contacts)
        assert (rows, plan.messages["row"].tolist()) == ((3,), [3])
    assert kept.planned(SKIPPING, contacts)[1].messages["row"].tolist() == [2]


def test_other_rows_take_a_new_plan(contacts):
    kept = KeptPlans()
    kept.planned(SKIPPING, contacts)
    others = contacts_of("Carol,0772 000 003")
    assert kept.planned(SKIPPING, others)[1].messages["message"].tolist() == ["Hi Carol"]
    assert kept.planned(SKIPPING, contacts)[1].messages["message"].tolist() == ["Hi Aisha"]


def test_a_list_of_people_who_want_no_texts_is_always_read(contacts, tmp_path):
    wanting_none = tmp_path / "no_texts.csv"
    wanting_none.write_text("phone\n0772 000 009\n")
    kept, leaving_out = KeptPlans(), replace(SKIPPING, opt_outs=str(wanting_none))
    assert kept.planned(leaving_out, contacts)[1].totals["not_sent"] == 1
    wanting_none.write_text("phone\n0772 000 001\n")
    assert kept.planned(leaving_out, contacts)[1].totals["not_sent"] == 0


@pytest.mark.parametrize(("most", "made_again"), [(4, False), (3, True), (1, True)])
def test_of_a_large_spreadsheet_only_the_last_plan_is_kept(contacts, monkeypatch, most, made_again):
    monkeypatch.setattr(kept_plans, "_ROWS", most)
    kept = KeptPlans()
    skipping, keeping = (kept.planned(composition, contacts)[1] for composition in (SKIPPING, KEEPING))
    assert kept.planned(KEEPING, contacts)[1] is keeping
    assert (kept.planned(SKIPPING, contacts)[1] is not skipping) is made_again


def test_another_answer_is_compared_as_if_nothing_was_compared_before(contacts, tmp_path):
    """Aisha and Ben share a phone, and she has her text: an answer would send him one too."""
    skipping, keeping = plan_for(contacts), plan_for(contacts, duplicates="keep")
    folder = campaign.send(skipping, folder=tmp_path / "visits", progress=False).folder
    anew = campaign.compare(keeping, folder=folder)
    instead = compare_instead(campaign.compare(skipping, folder=folder), keeping)
    assert instead.messages.equals(anew.messages)
    assert instead.sentence == anew.sentence
    assert instead.messages["row"].tolist() == [2, 3]
