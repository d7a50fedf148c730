"""How fast a run is, and how long a campaign has been sending."""

import pandas as pd
import pytest

from campaign.sending.engine.speed import Speed
from campaign.sending.rounds.standing import seconds_spent


def after(*samples):
    speed = Speed()
    for now, answered in samples:
        speed.note(now, answered)
    now, answered = samples[-1]
    return speed.per_second(now, answered)


def test_messages_a_second_are_those_of_the_last_half_minute():
    assert after((0, 0), (2, 1), (12, 201)) == 20
    assert after((0, 5_000), (2, 5_001), (12, 5_201)) == 20  # what earlier runs sent does not count
    assert after(*((second, 100 * second) for second in range(60)), (70, 5_900)) == pytest.approx(
        (5_900 - 4_000) / 30
    )


def test_nothing_is_claimed_before_there_is_something_to_measure():
    assert after((0, 0), (0.5, 100)) is None
    assert after((0, 100), (20, 100)) is None
    speed = Speed()
    assert speed.per_second(5, 10) is None
    speed.note(0, 0)
    speed.note(5, 100)
    speed.note(10, 200)
    assert speed.per_second(10, 200) == 20
    speed.rest()
    assert speed.per_second(10, 100) is None


def test_how_long_the_first_message_took_is_no_pace():
    assert after((0, 0), (3, 1), (9, 1)) is None
    assert after((0, 0), (3, 1), (4, 101)) == 100


def sent_at(*times, rounds=1):
    """Batches that left at these times and were answered a second later."""
    moments = pd.to_datetime([f"2026-11-22 {time}" for time in times], utc=True).as_unit("us")
    return pd.DataFrame({"submitted_at": moments, "seconds": 1.0, "round": rounds})


def test_the_time_spent_is_that_of_all_rounds_without_the_nights_between_them():
    assert seconds_spent(sent_at("08:00:00", "08:00:09")) == 10
    assert seconds_spent(sent_at("08:04:00", "08:00:00")) == 241  # a slow pace is time spent
    two_rounds = sent_at("08:00:00", "08:00:09", "17:00:00", "17:00:19")
    assert seconds_spent(two_rounds) == 30
    corrected = sent_at("08:00:00", "08:00:09", "08:02:00", "08:02:19", rounds=[1, 1, 2, 2])
    assert seconds_spent(corrected) == 30  # two minutes at the spreadsheet are not spent sending
    assert seconds_spent(sent_at("08:00:00").iloc[:0]) == 0
    waiting = sent_at("08:00:00").assign(submitted_at=pd.Series([pd.NaT]).dt.tz_localize("UTC"))
    assert seconds_spent(waiting) == 0
