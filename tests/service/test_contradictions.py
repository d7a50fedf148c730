"""A `Failed` that contradicts itself proves nothing; an ordinary one is a refusal."""

import json
import time

import pytest

from campaign.service.wire import LOGIN_NOT_SET, NO_FUNDS, UNKNOWN_USER, WRONG_JSON, WRONG_LOGIN, read_answer
from campaign.words.finding import Finding


def failed(text, http_status=200, **beside):
    return read_answer(json.dumps({"Status": "Failed", "Message": text, **beside}).encode(), http_status)


SOME_WERE_SENT = [
    "Only 3 of 10 messages were sent",
    "3 out of 10 messages sent",
    "3/10 delivered",
    "3 of 10 messages failed",  # so that seven did not
    "97 of the 100 messages were rejected",
    "7 sent, 3 failed",
    "7 messages sent, 3 rejected",
    "1 message was sent before the error",
    "1,000 messages have been queued",
    "Failed: 3, sent: 7",
    "sent=7 failed=3",
    "Successfully sent 7 messages, then the gateway closed",
    "7 messages submitted, 3 failed",
    "two messages were sent",
    "All messages were sent",
    "Partially sent",
    "Partial failure",
    "PARTIAL  SUCCESS",
    "Some messages were sent",
    "Some messages could not be sent",  # so that others could
    "Some of the recipients were not accepted",
    "Not all messages were sent",
    "Out of credit: the rest was not sent",
    "Remaining messages not sent",
    "Message sent",
    "Messages sent successfully",
    "SMS accepted for delivery",
    "Success",
]


@pytest.mark.parametrize("text", SOME_WERE_SENT)
def test_a_failure_that_speaks_of_sent_messages_is_no_refusal(text):
    answer = failed(text)
    assert answer.verdict == "unreadable"
    assert answer.remark.facts["but"] == "mentions messages that were sent"
    assert answer.remark.facts["reason"] == text


ORDINARY = [
    WRONG_JSON, NO_FUNDS, WRONG_LOGIN, UNKNOWN_USER, LOGIN_NOT_SET,
    "Authentication Failed",
    "Invalid sender ID",
    "Message not sent",
    "Messages were not sent",
    "0 messages sent",
    "0 of 10 messages sent",
    "0/10 delivered",
    "Sent: 0, failed: 10",
    "10 failed, 0 sent",
    "10 of 10 messages failed",
    "10 messages could not be sent",
    "10 messages were not accepted",
    "None of the 10 messages were sent",
    "No messages were sent",
    "Nothing was sent",
    "Not sent: 10",
    "Message could not be sent: 10 recipients are too many",
    "Message 3 of 10 was rejected",  # the whole batch is answered as one
    "Failed to send message",
    "Sender ID not accepted",
    "You have sent too many messages",
    "Only 160 characters are accepted",
    "Messages are only accepted 8:00 to 20:00",
    "Messages may be sent from 8 to 20 only",
    "Some numbers are invalid",
    "Some required fields were not sent",
    "sandbox: message 3 is longer than 160 characters",
    "Balance 20, needed 350",
]  # fmt: skip


@pytest.mark.parametrize("text", ORDINARY)
def test_an_ordinary_failure_is_a_refusal(text):
    assert failed(text).verdict == "refused"


@pytest.mark.parametrize("text", [NO_FUNDS, "Invalid sender ID"])
@pytest.mark.parametrize("cost", ["35", " 0.5 ", 35, 0.01, "UGX 35", "free", True, ["35"]])
def test_a_failure_that_costs_something_is_no_refusal(text, cost):
    answer = failed(text, Cost=cost)
    assert (answer.verdict, answer.cost) == ("unreadable", None)
    facts = {"says": "Failed", "but": "gives a cost", "reason": text}
    assert answer.remark == Finding("answer_unclear", facts)


@pytest.mark.parametrize("code", ["ApiMSG.99", "77", 77, True, ["ApiMSG.99"]])
def test_a_failure_with_a_follow_up_code_is_no_refusal(code):
    answer = failed(NO_FUNDS, MsgFollowUpUniqueCode=code)
    assert (answer.verdict, answer.code) == ("unreadable", "")
    assert answer.remark.facts["but"] == "gives a follow-up code"


@pytest.mark.parametrize("nothing", [None, "", "  ", "0", "0.00", 0, 0.0, False, [], {}])
def test_fields_without_a_value_say_nothing(nothing):
    """Services fill what they do not use; a cost of nothing agrees with a failure."""
    assert failed(NO_FUNDS, Cost=nothing, MsgFollowUpUniqueCode=nothing).verdict == "refused"


def test_an_http_failure_is_named_beside_a_contradiction():
    facts = {"says": "Failed", "but": "gives a cost", "reason": NO_FUNDS, "http_status": 402}
    assert failed(NO_FUNDS, 402, Cost="35").remark == Finding("answer_unclear", facts)


@pytest.mark.parametrize("text", ["9" * 50_000 + " of 10 sent", "some messages " * 4000, "10 of " * 9000])
def test_a_text_of_any_size_is_judged_at_once(text):
    began = time.monotonic()
    assert failed(text).verdict in ("refused", "unreadable")
    assert time.monotonic() - began < 5
