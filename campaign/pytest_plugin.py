"""A pytest fixture for tests of programs that send: an embedded sandbox for each test.

@pytest.mark.sms_sandbox(balance=70, faults={2: "accept_reset"})
def test_reminders(sms_sandbox):
    remind_everybody(account=sms_sandbox.account)
    assert sms_sandbox.inbox["number"].tolist() == ["447700900123"]
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # every test run of an environment loads this file, and few use the fixture
    from campaign.service.sandbox.server import Sandbox


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "sms_sandbox(**options): options of the test's sandbox, those of campaign.Sandbox"
    )


@pytest.fixture
def sms_sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """An embedded sandbox for one test: nothing is sent. The marker of the same name sets its options."""
    from campaign.service.sandbox.server import Sandbox

    marker = request.node.get_closest_marker("sms_sandbox")
    with Sandbox(**(marker.kwargs if marker else {})) as service:
        yield service
