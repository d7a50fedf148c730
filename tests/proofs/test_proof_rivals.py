"""Two programs that begin the same campaign at the same moment: nobody gets anything twice.

A few pairs in every run, 200 live ones behind `-m long`, from one directory and from two.
"""

import os
import pickle
import time
from collections import Counter

import pytest
from support.crash_sender import begin
from support.links import link_for
from support.round_places import ASKED, QUESTION, act, names_mean_this_machine
from support.witnessed_service import HOSTS, WitnessedService, account_of

import campaign

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
PREPARATION = {"message": "Hi {name}, come on Monday.", "sender": "CLINIC", "region": "UG"}
OPTIONS = {"name": "visits", "batch_size": 2, "concurrency": 2, "progress": False}
DIED = -9


@pytest.fixture(scope="module")
def link(tmp_path_factory):
    """A certificate for the live host."""
    return link_for(HOSTS["live"], tmp_path_factory.mktemp("live"))


class Desks:
    """Two directories with the same spreadsheet of six people, and the service that they send it to."""

    def __init__(self, place, link, environment="live", design=""):
        self.service, self.design, self.state = WitnessedService(environment, link), design, place / "state"
        self.desks, self.sheet = (place / "one", place / "two"), place / "visits.csv"
        for desk in self.desks:
            desk.mkdir(parents=True)
        rows = "".join(f"Person {n},0772 000 0{n:02d}\n" for n in range(6))
        self.sheet.write_text(f"name,phone\n{rows}")

    def phrase(self):
        """The phrase for the campaign that nobody has begun yet."""
        if self.service.environment != "live":
            return {}
        plan = campaign.prepare(campaign.read_contacts(self.sheet), **PREPARATION)
        with names_mean_this_machine(), pytest.raises(campaign.ConfirmationError) as asked:
            campaign.send(plan, account=account_of(self.service.login()), **OPTIONS)
        return {"confirm": asked.value.phrase}

    def program(self, desk, options, *, at=0.0, die=None):
        """Another program that begins the campaign in one of the directories at this moment."""
        work = {"sheet": self.sheet, "preparation": PREPARATION, "options": OPTIONS | options}
        login, folder, state = self.service.login(), self.desks[desk], str(self.state)
        return begin(act_at, at, folder, state, login, work, die, self.design)

    def end(self, desk, options, **more):
        """Let a program send and end; what it was refused with, if it was."""
        program = self.program(desk, options, **more)
        program.join(60)
        assert program.exitcode in (0, ASKED, DIED)
        refusal = self.desks[desk] / QUESTION
        return pickle.loads(refusal.read_bytes()).finding if program.exitcode == ASKED else None

    @property
    def arrivals(self):
        """How often each number arrived."""
        return Counter(self.service.inbox["number"])


def act_at(moment, *arguments):
    time.sleep(max(0.0, moment - time.time()))
    act(*arguments)


def outcome_of_two(place, link, offset, second_desk, **options):
    """What two programs did, the second of which begins so many seconds later: how often each number
    arrived, and how many were refused."""
    desks = Desks(place, link, **options)
    with desks.service:
        desks.service.slow_down(0.02)
        confirmed, moment = desks.phrase(), time.time() + 0.4
        programs = [
            desks.program(desk, confirmed, at=moment + later)
            for desk, later in ((0, 0), (second_desk, offset))
        ]
        for program in programs:
            program.join(60)
        codes = [program.exitcode for program in programs]
        assert set(codes) <= {0, ASKED}
        desks.service.settle(0)
        return desks.arrivals, codes.count(ASKED)


ONCE = Counter({f"2567720000{n:02d}": 1 for n in range(6)})


@pytest.mark.parametrize("offset", [0, 0.05, 0.3])
def test_of_two_programs_in_two_directories_one_is_refused(offset, tmp_path, link):
    assert outcome_of_two(tmp_path, link, offset, 1) == (ONCE, 1)


@pytest.mark.parametrize("environment", ["live", "sandbox"])
def test_of_two_programs_in_one_directory_one_is_refused_or_finds_nothing_left(environment, tmp_path, link):
    arrivals, refused = outcome_of_two(tmp_path, link, 0, 0, environment=environment)
    assert arrivals == ONCE
    assert refused <= 1


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_two_hundred_pairs_at_offsets_of_up_to_two_seconds(tmp_path, link):
    twice, refused = [], Counter()
    for pair in range(200):
        arrivals, refusals = outcome_of_two(tmp_path / str(pair), link, pair // 2 * 2 / 99, pair % 2)
        refused[pair % 2, refusals] += 1
        twice += [pair] if arrivals != ONCE else []
    print(f"200 pairs, {len(twice)} in which somebody got it twice or never; refused: {dict(refused)}")
    assert twice == []
    assert refused[1, 1] == 100


def test_a_claim_that_is_not_atomic_is_caught(tmp_path, link):
    """The test above is one that can fail."""
    for attempt in range(10):
        place = tmp_path / str(attempt)
        arrivals, _ = outcome_of_two(place, link, 0, 1, design="claim not atomic")
        if max(arrivals.values(), default=0) > 1:  # of two claims, both can be refused
            return
    pytest.fail("nobody got anything twice")


def test_the_claim_of_a_program_that_died_before_its_round_needs_no_takeover(tmp_path, link):
    desks = Desks(tmp_path, link)
    with desks.service:
        confirmed = desks.phrase()
        assert desks.end(0, confirmed, die=("before the round is registered", 1)) is None
        assert desks.arrivals == {}
        assert desks.end(1, confirmed) is None
        assert desks.arrivals == ONCE
        # The first directory has a campaign without a round, and the name is not its own any more.
        refusal = desks.end(0, confirmed)
        there = desks.desks[1] / "campaigns" / "visits"
        assert (refusal.code, refusal.facts["there"]) == ("campaign_elsewhere", str(there))
        assert desks.arrivals == ONCE


def test_a_round_that_was_registered_is_no_mere_claim(tmp_path, link):
    """Nothing has left yet, but that program may be alive as far as another one knows."""
    desks = Desks(tmp_path, link)
    with desks.service:
        confirmed = desks.phrase()
        desks.end(0, confirmed, die=("after the round is registered", 1))
        assert desks.end(1, confirmed).facts["phrase"].startswith("take over ")
        assert desks.arrivals == {}
