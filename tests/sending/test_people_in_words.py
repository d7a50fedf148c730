"""Whom the messages of a comparison are for: the figures of each sentence are of one unit, and add up."""

import pytest

from campaign.environments import words_for
from campaign.sending.rounds.comparison import (
    ACCEPTED,
    AGAIN,
    NEW,
    OTHER_NUMBER,
    OTHER_TEXT,
    REFUSED,
    UNKNOWN,
    UNSENT,
)
from campaign.sending.rounds.people_in_words import PeopleInWords

WATER_BILLS = {NEW: 3, ACCEPTED: 61, OTHER_TEXT: 1}  # as a clerk met them: 4 texts, and a list that made 65


def people(recorded, environment="live", **counts):
    return PeopleInWords(recorded, words_for(environment), **counts)


@pytest.mark.parametrize(
    ("changed", "messages", "leaving", "staying"),
    [
        ("ask", 3, "3 new people", "61 people reached before"),
        ("skip", 3, "3 new people", "61 people reached before and 1 person reached with another text"),
        ("send", 4, "3 new people and 1 person reached with another text", "61 people reached before"),
    ],
)
def test_the_answer_about_another_text_decides_where_a_person_counts(changed, messages, leaving, staying):
    told = people(WATER_BILLS)
    assert told.leaving(messages, changed=changed) == f"{messages} messages would be sent, for {leaving}."
    assert told.staying(messages, changed=changed) == f"Nothing more goes to {staying}."


def test_each_kind_is_counted_once():
    everything = {
        NEW: 9, UNSENT: 1, AGAIN: 2, REFUSED: 3, ACCEPTED: 4, UNKNOWN: 6, OTHER_TEXT: 7, OTHER_NUMBER: 8,
    }  # fmt: skip
    told = people(everything, "local", left_out=2, under_way=5)
    assert [*told.kinds.values()] == [7, 2, 1, 2, 3, 4, 5, 1, 7, 8]
    assert sum(told.kinds.values()) == sum(everything.values())
    assert len(told.all) == len(told.kinds)


def test_one_of_each_kind_has_its_noun():
    told = people({AGAIN: 1, REFUSED: 1, ACCEPTED: 1, UNKNOWN: 1, OTHER_NUMBER: 1}, environment="local")
    assert told.leaving(2, changed="skip", noun="text") == (
        "2 texts would be rehearsed, for 1 person who may get it twice and 1 person refused before."
    )
    assert told.staying(2, changed="skip") == (
        "Nothing more goes to 1 person reached in rehearsal before, 1 person whose message is unknown and "
        "1 person reached in rehearsal under another number."
    )
    assert told.asked == "1 person reached in rehearsal under another number"


def test_where_nothing_would_leave_everybody_is_in_one_sentence():
    told = people({ACCEPTED: 20, UNKNOWN: 2})
    said = "Nothing would be sent: 20 people were reached before and 2 people have a message that is unknown."
    assert (told.leaving(0, changed="ask"), told.staying(0, changed="ask")) == (said, "")
    assert people({}).leaving(0, changed="ask") == "Nothing would be sent."


def test_where_everybody_is_asked_about_nothing_leaves_yet():
    told, said = people({OTHER_TEXT: 34}), "34 people were reached with another text."
    assert told.leaving(0, changed="ask") == f"Nothing would be sent yet: {said}"
    assert told.leaving(0, changed="skip") == f"Nothing would be sent: {said}"


def test_a_long_text_is_two_messages_for_one_person():
    assert people({NEW: 1}).leaving(2, changed="ask") == "2 messages would be sent, for 1 new person."
