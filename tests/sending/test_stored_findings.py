"""Findings in a ledger: as JSON, with exact amounts, and findings inside findings."""

from decimal import Decimal

import pytest

from campaign.words.finding import Finding
from campaign.words.stored import read_stored, stored


def test_a_finding_is_read_as_it_was_stored():
    cause = Finding("budget_reached", {"spent": Decimal("350.10"), "budget": Decimal(1000), "currency": ""})
    finding = Finding("stopped_by_hand", {"cause": cause, "waiting": 9, "who": "Åsa"})
    assert read_stored(stored(finding)) == finding


@pytest.mark.parametrize("text", ["", "Paused by hand.", "[]", '{"code": "no_such_code", "facts": {}}'])
def test_what_is_no_finding_is_not_read(text):
    with pytest.raises(ValueError, match=r"code|finding|char"):
        read_stored(text)
