"""The second line of defence: what is cut is checked once more, whatever the comparison says."""

import numpy as np
import pytest
from support.refusals import refused
from support.small_campaigns import contacts_of, people, plan_for

import campaign
from campaign.errors import LedgerError
from campaign.sending.rounds import compared_plan
from campaign.values import replace

CARD = "Please bring your vaccination card. "


@pytest.fixture
def sabotaged(monkeypatch):
    """A comparison that calls everything new."""

    def all_new(*rows, **options):
        compared = compare_rows(*rows, **options)
        return replace(
            compared,
            recorded=np.zeros_like(compared.recorded),
            batches=np.zeros_like(compared.batches),
            kept=np.arange(len(compared.kept)),
        )

    compare_rows = compared_plan.compare_rows
    return lambda: monkeypatch.setattr(compared_plan, "compare_rows", all_new)


@pytest.fixture
def place(sandbox, tmp_path):
    return {"account": sandbox, "folder": tmp_path / "visits", "batch_size": 2, "progress": False}


def refuse(call, sandbox, place):
    """The call is refused before anything leaves, and leaves no round."""
    arrived, rounds = len(sandbox.inbox), len(campaign.load_result(place["folder"]).rounds)
    with refused("would_send_twice", LedgerError):
        call()
    assert len(sandbox.inbox) == arrived
    assert len(campaign.load_result(place["folder"]).rounds) == rounds


@pytest.mark.parametrize("options", [{}, {"message": f"Hi {{name}}. {CARD * 5}", "overlong": "split"}])
def test_an_accepted_text_is_not_cut_again(sandbox, place, sabotaged, monkeypatch, options):
    campaign.send(plan_for(people(3), **options), **place)
    campaign.send(plan_for(people(4), **options), **place)  # the texts are in an earlier round, too
    sabotaged()
    again = plan_for(contacts_of("Person 9,0772 000 009", "Person 0,0772 000 000"), **options)
    refuse(lambda: campaign.send(again, **place), sandbox, place)
    monkeypatch.undo()
    assert campaign.send(again, **place).totals["accepted"] == 2


def test_a_text_that_may_have_arrived_is_not_cut_again(tmp_path, sabotaged):
    with campaign.Sandbox(faults={1: "accept_reset"}) as sandbox:
        place = {"account": sandbox, "folder": tmp_path / "visits", "progress": False}
        campaign.send(plan_for(people(1)), **place)
        sabotaged()
        refuse(lambda: campaign.send(plan_for(people(2)), **place), sandbox, place)


def test_a_batch_that_was_ordered_again_passes(tmp_path):
    with campaign.Sandbox(faults={1: "accept_reset"}) as sandbox:
        place = {"account": sandbox, "folder": tmp_path / "visits", "progress": False}
        campaign.send(plan_for(people(1)), **place)
        campaign.resolve(
            place["folder"], 1, "again", confirm="send batch 1 again, 1 message may arrive twice"
        )
        assert campaign.send(plan_for(people(2)), **place).totals["accepted"] == 2
        assert len(sandbox.inbox) == 3


def test_another_text_for_a_number_passes(sandbox, place, sabotaged):
    campaign.send(plan_for(people(3)), **place)
    sabotaged()
    campaign.send(plan_for(people(3), "Good day {name}"), **place)
    assert len(sandbox.inbox) == 6
