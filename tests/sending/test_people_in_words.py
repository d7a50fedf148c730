"""Whom the messages of a comparison are for: the figures of each sentence are of one unit, and add up."""

import pytest

from campaign.environments import words_for
from campaign.sending.rounds.comparison import ACCEPTED, AGAIN, CHANGED, MOVED, NEW, REFUSED, SHARED, UNKNOWN
from campaign.sending.rounds.people_in_words import PeopleInWords

WATER_BILLS = {NEW: 3, ACCEPTED: 61, CHANGED: 1}  # as a clerk met them: 4 texts, and a list that made 65


def people(known, corrected=0, environment="live", left_out=0):
    return PeopleInWords(known, corrected, words_for(environment), left_out=left_out)


@pytest.mark.parametrize(
    ("changed", "messages", "leaving", "staying"),
    [
        ("ask", 3, "for 3 new people.", "Nothing more goes to 61 people reached before."),
        (
            "skip",
            3,
            "for 3 new people.",
            "Nothing more goes to 61 people reached before and 1 person reached with another text.",
        ),
        (
            "send",
            4,
            "for 3 new people and 1 person reached with another text.",
            "Nothing more goes to 61 people reached before.",
        ),
    ],
)
def test_the_answer_about_another_text_decides_where_a_person_counts(changed, messages, leaving, staying):
    told = people(WATER_BILLS)
    assert told.leaving(messages, changed=changed) == f"{messages} messages would be sent, {leaving}"
    assert told.staying(messages, changed=changed) == staying


def test_one_of_each_kind_has_its_noun():
    told = people({AGAIN: 1, REFUSED: 1, ACCEPTED: 1, UNKNOWN: 1, MOVED: 1}, corrected=1, environment="local")
    assert told.leaving(2, changed="skip", noun="text") == (
        "2 texts would be rehearsed, for 1 person who may get it twice and 1 person refused before."
    )
    assert told.staying(2, changed="skip") == (
        "Nothing more goes to 1 person reached in rehearsal before, 1 person whose message is unknown, "
        "1 person reached in rehearsal under another number and 1 row sent as corrected."
    )
    assert told.asked == "1 person reached in rehearsal under another number"


def test_whoever_wanted_no_messages_before_is_not_called_new():
    told = people({NEW: 6, ACCEPTED: 30}, environment="local", left_out=2)
    assert told.leaving(6, changed="ask", noun="text") == (
        "6 texts would be rehearsed, for 4 new people and 2 people left out before."
    )
    assert people({NEW: 1}, left_out=1).all == ["1 person left out before"]


def test_where_nothing_would_leave_everybody_is_in_one_sentence():
    told = people({ACCEPTED: 20, UNKNOWN: 2}, corrected=1)
    said = (
        "Nothing would be sent: 20 people were reached before, 2 people have a message that is unknown and "
        "1 row was sent as corrected."
    )
    assert (told.leaving(0, changed="ask"), told.staying(0, changed="ask")) == (said, "")
    assert people({}).leaving(0, changed="ask") == "Nothing would be sent."


def test_where_everybody_is_asked_about_nothing_leaves_yet():
    told, said = people({CHANGED: 34}), "34 people were reached with another text."
    assert told.leaving(0, changed="ask") == f"Nothing would be sent yet: {said}"
    assert told.leaving(0, changed="skip") == f"Nothing would be sent: {said}"


def test_a_long_text_is_two_messages_for_one_person():
    told = people({NEW: 1})
    assert told.leaving(2, changed="ask") == "2 messages would be sent, for 1 new person."


def test_whoever_shares_a_phone_gets_nothing_where_that_was_chosen():
    told = people({NEW: 1, CHANGED: 1, SHARED: 2}, environment="local")
    sharing = "2 people sharing a phone reached in rehearsal with somebody else's text"
    assert told.staying(1, changed="skip") == (
        f"Nothing more goes to 1 person reached in rehearsal with another text. Nothing goes to {sharing}."
    )
    assert told.leaving(4, changed="send").endswith(f"another text and {sharing}.")
    assert people({SHARED: 1}).leaving(0, changed="ask") == (
        "Nothing would be sent yet: 1 person shares a phone reached with somebody else's text."
    )
