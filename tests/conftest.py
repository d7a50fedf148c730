"""What holds for every test, and the states of the world that many begin in."""

import pytest
from hypothesis import settings
from support.small_campaigns import people, plan_for

import campaign
from campaign.service import separation

# Every run tries the same examples, so that a failure is there again when it is looked at; and none is
# blamed on a busy machine. The long proofs look for new examples.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def _program_of_its_own(monkeypatch):
    """Each test is a program of its own: which hosts another one has called live does not matter here."""
    monkeypatch.setattr(separation, "_traces", separation.Traces())


@pytest.fixture
def sandbox():
    """An embedded sandbox that accepts everything."""
    with campaign.Sandbox() as service:
        yield service


@pytest.fixture
def plan():
    """Three messages to three people; nothing is wrong with any."""
    return plan_for(people(3))


@pytest.fixture
def interrupted_campaign(tmp_path):
    """The folder of a campaign of ten: two accepted, two unknown, six never attempted."""
    with campaign.Sandbox(faults={2: "accept_reset"}) as service:
        return campaign.send(
            plan_for(people(10)),
            account=service.account,
            folder=tmp_path / "interrupted",
            batch_size=2,
            concurrency=1,
            canary=False,
            progress=False,
        ).folder
