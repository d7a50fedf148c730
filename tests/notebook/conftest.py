"""States of the world around a notebook."""

import pytest
from support.composer_person import VISITS, Person
from support.links import resolves_here

import campaign

__all__ = ["resolves_here"]


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A small spreadsheet in the current folder, and no account of a real service."""
    monkeypatch.chdir(tmp_path)
    for name in ("URL", "USERNAME", "PASSWORD"):
        monkeypatch.delenv(f"CAMPAIGN_LIVE_{name}", raising=False)
        monkeypatch.delenv(f"CAMPAIGN_SANDBOX_{name}", raising=False)
    path = tmp_path / "visits.csv"
    path.write_text(VISITS)
    return path


@pytest.fixture
def person(table):
    """Somebody at a new composer in the folder of that spreadsheet."""
    return Person(campaign.compose())
