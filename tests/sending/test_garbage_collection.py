"""While a run sends, Python looks for reference cycles less often, and as before when it has ended."""

import gc

import pytest

import campaign
from campaign.sending.engine import garbage_collection
from campaign.sending.engine.garbage_collection import THRESHOLD, fewer_collections


@pytest.fixture(autouse=True)
def _usual_thresholds(monkeypatch):
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    monkeypatch.setattr(garbage_collection, "_runs", 0)  # other tests may have left runs that are paused
    yield
    gc.set_threshold(*before)


def test_a_run_lets_more_garbage_gather_until_it_ends(tmp_path):
    contacts = campaign.read_contacts(b"name,phone\nGrace,0772000001\nJoseph,0772000002\n")
    plan = campaign.prepare(contacts, message="Hi {name}", sender="CLINIC", region="UG")
    with campaign.Sandbox(latency=0.2) as sandbox:
        run = campaign.start(plan, folder=tmp_path / "c", account=sandbox.account, progress=False)
        while run.counts.in_flight == 0:
            run.wait(0.01)
        during = gc.get_threshold()
        run.wait()
    assert (during, gc.get_threshold()) == ((THRESHOLD, 10, 10), (700, 10, 10))


def test_the_last_of_several_runs_sets_it_back():
    first, second = fewer_collections(), fewer_collections()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert gc.get_threshold() == (THRESHOLD, 10, 10)
    second.__exit__(None, None, None)
    assert gc.get_threshold() == (700, 10, 10)


@pytest.mark.parametrize("threshold", [0, 50_000])  # 0 turns the search off
def test_a_program_that_looks_even_less_often_keeps_its_way(threshold):
    gc.set_threshold(threshold, 10, 10)
    with fewer_collections():
        assert gc.get_threshold() == (threshold, 10, 10)
    assert gc.get_threshold() == (threshold, 10, 10)
