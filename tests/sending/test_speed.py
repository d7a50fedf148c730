"""How fast a run is, and how long a campaign has been sending."""

import time

import pandas as pd
import pytest
from support.small_campaigns import people, plan_for

import campaign
from campaign.results.sending_time import seconds_spent
from campaign.sending.engine.speed import Speed


def after(*samples, at_most=None):
    speed = Speed(at_most=at_most)
    for now, answered in samples:
        speed.note(now, answered)
    return speed.per_second(samples[-1][0])


def test_messages_a_second_are_those_of_the_last_half_minute():
    assert after((0, 0), (2, 1), (12, 201)) == 20
    assert after((0, 5_000), (2, 5_001), (12, 5_201)) == 20  # what earlier runs sent does not count
    # Nothing came back for 11 seconds, of which one was to be expected.
    assert after(*((second, 100 * second) for second in range(60)), (70, 5_900)) == pytest.approx(
        (5_900 - 4_000) / 29
    )


def test_a_steady_pace_is_one_figure_whenever_it_is_looked_at():
    """A batch of 100 every five thirds of a second, as rate=60 lets them go."""
    speed, told = Speed(), []
    for tenth in range(600):
        now = tenth / 10
        speed.note(now // (5 / 3) * 5 / 3, 1 + 100 * int(now // (5 / 3)))
        told.append(speed.per_second(now))
    assert {round(pace, 6) for pace in told if pace is not None} == {60}


def test_a_run_looks_no_faster_than_its_rate():
    """Batches of 100 at rate=40: the first one leaves right behind the first message of all."""
    answers = ((0, 0), (1, 1), (1.2, 101), (3.7, 201))
    assert after(*answers) == pytest.approx(200 / 2.7)
    assert after(*answers, at_most=40) == 40
    assert after((0, 0), (2, 1), (12, 201), at_most=40) == 20


def test_nothing_is_claimed_before_there_is_something_to_measure():
    assert after((0, 0), (0.5, 100)) is None
    assert after((0, 100), (20, 100)) is None
    speed = Speed()
    assert speed.per_second(5) is None
    speed.note(0, 0)
    speed.note(5, 100)
    speed.note(10, 200)
    assert speed.per_second(10) == 20
    speed.rest()
    assert speed.per_second(10) is None


def test_the_time_left_waits_until_one_answer_more_or_less_says_little():
    """The first answers of a rehearsal of a minute said that it takes half as long again."""
    speed = Speed()
    for second in range(9):
        speed.note(second, 2 * second)
        speed.note(second + 0.5, 2 * second)
        assert not speed.is_steady
    speed.note(9, 18)
    assert speed.is_steady
    speed.rest()  # a person has pressed Pause
    speed.note(60, 18)
    speed.note(61, 20)
    assert not speed.is_steady


def test_how_long_the_first_message_took_is_no_pace():
    assert after((0, 0), (3, 1), (9, 1)) is None
    assert after((0, 0), (3, 1), (4, 101)) == 100


def sent_at(*times, rounds=1):
    """Batches of 100 that left at these times and were answered a second later."""
    moments = pd.to_datetime([f"2026-11-22 {time}" for time in times], utc=True).as_unit("us")
    return pd.DataFrame({"submitted_at": moments, "seconds": 1.0, "round": rounds, "messages": 100})


def test_the_time_spent_is_that_of_all_runs_without_the_hours_between_them():
    assert seconds_spent(sent_at("08:00:00", "08:00:01"), {1: None}) == 2
    resumed = sent_at("08:00:00", "08:00:45", "08:00:46", "17:00:00")
    assert seconds_spent(resumed, {1: None}) == 4
    corrected = sent_at("08:00:00", "08:00:01", "08:00:02", "08:00:03", rounds=[1, 1, 2, 2])
    assert seconds_spent(corrected, {1: None, 2: None}) == 4
    assert seconds_spent(sent_at("08:00:00").iloc[:0], {}) == 0
    waiting = sent_at("08:00:00").assign(submitted_at=pd.Series([pd.NaT]).dt.tz_localize("UTC"))
    assert seconds_spent(waiting, {1: None}) == 0


def test_to_wait_for_the_pace_is_a_part_of_sending():
    slow = sent_at("08:00:00", "08:00:50", "08:01:40", "17:00:00")
    assert seconds_spent(slow, {1: 2.0}) == 101 + 1
    assert seconds_spent(slow, {1: None}) == 4
    later = [("2026-11-22T08:00:20.000Z", 2.0), ("2026-11-22T12:00:00.000Z", None)]
    assert seconds_spent(slow, {1: None}, later) == 51 + 1 + 1  # the first batch left as fast as it could


def test_a_round_that_goes_on_more_slowly_than_it_began_counts_the_time_between_its_batches(tmp_path):
    """The first as fast as it goes, until the budget stops it; the others one a second, in twos."""
    with campaign.Sandbox(price=35) as sandbox:
        options = {"account": sandbox.account, "folder": tmp_path / "visits", "progress": False}
        fast = campaign.send(plan_for(people(5)), batch_size=2, budget=35, **options)
        assert fast.totals["accepted"] == 1
        run = campaign.start(plan_for(people(5)), batch_size=2, budget=campaign.Budget(), rate=1, **options)
        slow = run.wait(30)
    assert slow.seconds >= fast.seconds + 2
    assert campaign.load_result(slow.folder).seconds == slow.seconds
    assert campaign.resume(slow.folder, progress=False).seconds == slow.seconds


def test_a_pause_is_not_followed_by_two_batches_at_once(tmp_path):
    """One batch a second. The next one had its turn while the run was paused."""
    with campaign.Sandbox() as sandbox:
        options = {"rate": 10, "batch_size": 10, "canary": False, "progress": False}
        run = campaign.start(plan_for(people(40)), account=sandbox, folder=tmp_path / "visits", **options)
        while not run.counts.accepted:
            time.sleep(0.01)
        run.pause()
        time.sleep(1.7)
        run.resume()
        gaps = run.wait(30).batches["submitted_at"].diff().dt.total_seconds()
    assert gaps.min() > 0.7
