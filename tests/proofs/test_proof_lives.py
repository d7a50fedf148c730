"""Lives of campaigns at random, held to what the service and the persons know, and not to the package.

12 short lives in every run, 2,000 longer ones behind `-m long`. A failure shows the life step by step.
"""

import os

import pytest
from support.campaign_lives import Life
from support.links import link_for
from support.witnessed_service import HOSTS
from support.wrong_rounds import DESIGNS, adopt

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

# What makes the lives with a wrong design short: where it matters, and what happens often.
OTHER_TEXTS = {"kills": 0.0, "environments": ("local",), "edits": ("change the text", "sort the rows")}
CIRCUMSTANCES = {
    "withdraw and register in two transactions": {
        "kills": 1.0, "places": ("after a change of the ledger is committed",), "environments": ("local",),
    },
    "a rehearsal counts as reached": {"environments": ("sandbox",)},
    "same text elsewhere not asked": {"kills": 0.0, "environments": ("live",)},
    "list written before the ledger": {
        "kills": 1.0, "places": ("before moves are made, not yet committed",), "environments": ("live",),
    },
    "accepted for another text": OTHER_TEXTS,
    "withdrawn and then again unasked": OTHER_TEXTS,
    "waiting text replaced unasked": OTHER_TEXTS,
    "opt out forgotten": {
        "kills": 0.0, "environments": ("local",),
        "edits": ("add an opt-out", "take back the opt-outs", "add a row"),
    },
}  # fmt: skip
SEEDS = 40
# How these have to be noticed: by the registration itself, and without it by a phone.
NOTICED_BY = {
    "reached counts as new": "the registration was refused",
    "second line of defence removed": "arrived 2 times",
}
# The life that notices it, which comes first; the others follow should it do so no longer.
NOTICED = {
    "key without the text": 1, "withdraw and register in two transactions": 3,
    "refused counts as reached": 19, "a rehearsal counts as reached": 10,
    "list written before the ledger": 14,
    "accepted for another text": 3, "waiting text replaced unasked": 3, "reached counts as new": 1,
    "second line of defence removed": 1, "withdrawn and then again unasked": 17,
    "same text elsewhere not asked": 10,
    "opt out forgotten": 8,
}  # fmt: skip


@pytest.fixture(scope="module")
def link(tmp_path_factory):
    """A certificate for the live host."""
    return link_for(HOSTS["live"], tmp_path_factory.mktemp("live"))


def live(seed, place, link, **options):
    folder = place / f"life {seed}"
    folder.mkdir()
    return Life(seed, folder, link, **options).live()


@pytest.mark.parametrize("seed", range(12))
def test_a_life(seed, tmp_path, link):
    life = live(seed, tmp_path, link, days=(1, 3))
    assert life.broken == [], "\n".join(life.story)


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_two_thousand_lives(tmp_path, link):
    broken = []
    for seed in range(1_000, 3_000):
        life = live(seed, tmp_path, link, kills=0.3)
        if life.broken:
            broken.append("\n".join(life.story))
    print(f"2000 lives, {len(broken)} with a broken promise")
    assert not broken, "\n\n".join(broken[:5])


@pytest.mark.timeout(300)
@pytest.mark.parametrize("design", DESIGNS)
def test_a_wrong_design_is_caught(design, tmp_path, link, monkeypatch):
    adopt(design, monkeypatch.setattr)
    for seed in sorted(range(SEEDS), key=lambda seed: seed != NOTICED.get(design, 0)):
        life = live(seed, tmp_path, link, design=design, **CIRCUMSTANCES.get(design, {}))
        if life.broken:
            print("\n".join(life.story))
            assert any(NOTICED_BY.get(design, "") in promise for promise in life.broken)
            return
    pytest.fail(f"{SEEDS} lives did not notice it")
