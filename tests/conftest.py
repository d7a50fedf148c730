"""What holds for every test."""

import pytest
from hypothesis import settings

from campaign.service import separation

# Every run tries the same examples, so that a failure is there again when it is looked at; and none is
# blamed on a busy machine. The long proofs look for new examples.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def _program_of_its_own(monkeypatch):
    """Each test is a program of its own: which hosts another one has called live does not matter here."""
    monkeypatch.setattr(separation, "_traces", separation.Traces())
