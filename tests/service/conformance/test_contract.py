"""The contract, "SMS Submission Service (JSON)", sentence by sentence.

A test's name begins with the section it checks, its first line quotes the sentence. The client is looked at
by the bytes that leave, the service is the embedded sandbox.

section  what it says                              tests
1        POST with JSON, one object in answer      test_1_a_post_with_json, test_1_an_object_in_answer
1        two environments, each its own account    test_1_the_sandbox_has_its_own_account
1        live is HTTPS, the sandbox plain HTTP     test_1_live_is_https
2.1      method, userdata, msgdata                 test_2_1_the_request, test_2_1_method_is_a_literal
2.2      username and password                     test_2_2_the_password_is_url_encoded,
                                                   test_2_2_both_are_required
2.3      the message object                        test_2_3_the_message_object,
                                                   test_2_3_the_name_is_senderid,
                                                   test_2_3_a_number_is_digits_only,
                                                   test_2_3_texts_are_url_encoded,
                                                   test_2_3_unencoded_text_may_be_sent,
                                                   test_2_3_priority_is_optional
2.4      the success object                        test_2_4_the_success_object,
                                                   test_2_4_the_code_is_prefix_and_suffix
2.5      the failure object                        test_2_5_the_failure_object
3        states: not shown                         nothing to check
4.1      method, path, header                      test_4_1_method_path_and_header
4.1      rule 1, a syntax error                    test_4_1_rule_1_a_syntax_error
4.1      rule 2, one message or several            test_4_1_rule_2_one_or_several
4.1      rule 3, one answer for the whole          test_4_1_rule_3_one_answer_for_the_whole
4.1      rule 4, funds for the whole batch         test_4_1_rule_4_funds_for_the_whole
5        rule 1, credentials in the body only      test_5_1_credentials_travel_in_the_body_only
5        rule 2, of the targeted environment       test_5_2_credentials_of_the_environment
5        rules 3 to 5, three texts                 test_5_3_empty_or_missing, test_5_4_wrong,
                                                   test_5_5_unknown_or_inactive
6        events: not shown                         nothing to check
7        the five texts, from both sides           test_7_the_service_says_each_text,
                                                   test_7_the_client_knows_each_text
8        160 characters, 11 characters, 0 to 4     test_8_limits_of_the_service, test_8_limits_of_the_client
8        limits that are not shown                 nothing to check
9        v1 stands in the path                     test_9_v1_in_the_path
all      a second implementation agrees            test_two_implementations_agree_on_500_requests
"""

import asyncio
import http.client
import json
import random
import re
import sys

import pandas as pd
import pyarrow as pa
import pytest
from second_service import SecondService
from support.raw_server import OK, hostile, reply
from support.refusals import refused

from campaign.errors import AccountError
from campaign.messages.preparation import prepare
from campaign.service.account import Account
from campaign.service.sandbox.server import Sandbox
from campaign.service.transport import Transport
from campaign.service.wire import EncodedMessages

TEXT, SENDER = 'Hi "Ann", 100% + 5 & é', "Mr & Mrs X"
USER, PASSWORD = "clinic", "p@ss w+rd%"


async def gate():
    pass


async def post(account, messages=1, priority=""):
    columns = {"number": "256772000012", "message": TEXT, "sender": SENDER, "priority": priority}
    table = pa.table({name: [text] * messages for name, text in columns.items()})
    async with Transport(account, timeout=5) as transport:
        return await transport.post(EncodedMessages(table, account.encoding).slice(0, messages), gate)


def sent_by_the_client(encoding="url", **more):
    """Head and body of what leaves."""

    async def script(visit):
        await visit.request()
        await visit.say(reply(OK))

    async def play():
        async with hostile(script) as server:
            account = Account("local", f"http://127.0.0.1:{server.port}", USER, PASSWORD, encoding=encoding)
            await post(account, **more)
        return server.heads[0].decode(), server.bodies[0]

    return asyncio.run(play())


def understood_by_the_client(answer, http_status="200 OK"):
    async def script(visit):
        await visit.request()
        await visit.say(reply(json.dumps(answer).encode(), http_status))

    async def play():
        async with hostile(script) as server:
            return await post(Account("local", f"http://127.0.0.1:{server.port}", USER, PASSWORD))

    return asyncio.run(play())


MESSAGE = {"number": "256772000012", "message": "Hello%20Ann", "senderid": "CLINIC"}


def request_of(*messages, username=USER, password=PASSWORD):
    userdata = {"username": username, "password": password}
    return {"method": "SendSms", "userdata": userdata, "msgdata": list(messages or [MESSAGE])}


def said_by_the_service(service, request):
    body = request if isinstance(request, bytes) else json.dumps(request).encode()
    connection = http.client.HTTPConnection(service.account.url.split("/")[2], timeout=10)
    connection.request("POST", "/api/v1/json/", body, {"Content-Type": "application/json"})
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return json.loads(content)


@pytest.fixture
def service():
    with Sandbox(username=USER, password=PASSWORD, inactive=["old"], balance=350, price=35) as service:
        yield service


# 1


def test_1_a_post_with_json():
    """1: "an HTTP POST with a JSON body that holds the account credentials and a list of SMS messages"."""
    head, body = sent_by_the_client()
    assert head.startswith("POST ")
    assert set(json.loads(body)) == {"method", "userdata", "msgdata"}


def test_1_an_object_in_answer(service):
    """1: "a JSON object. On success … a cost and a follow-up code. On failure … a failure message"."""
    assert set(said_by_the_service(service, request_of())) == {"Status", "Cost", "MsgFollowUpUniqueCode"}
    assert set(said_by_the_service(service, b"")) == {"Status", "Message"}


def test_1_the_sandbox_has_its_own_account(monkeypatch):
    """1: "that account's username and password are used there instead of the live credentials"."""
    for name, value in {"URL": "https://a.example", "USERNAME": "live", "PASSWORD": "of-live"}.items():
        monkeypatch.setenv(f"CAMPAIGN_LIVE_{name}", value)
    for name, value in {"URL": "http://b.example", "USERNAME": "own", "PASSWORD": "of-sandbox"}.items():
        monkeypatch.setenv(f"CAMPAIGN_SANDBOX_{name}", value)
    sandbox = Account.from_environment("sandbox")
    login = json.loads(bytes(sandbox.body(memoryview(b""))))["userdata"]
    assert (sandbox.url, login) == ("http://b.example/", {"username": "own", "password": "of-sandbox"})


def test_1_live_is_https():
    """1: "The live address uses HTTPS. The sandbox address uses plain HTTP."."""
    with pytest.raises(AccountError):
        Account("live", "http://a.example", USER, PASSWORD)
    assert Account("sandbox", "http://a.example", USER, PASSWORD).url == "http://a.example/"


# 2.1, 2.2


def test_2_1_the_request():
    """2.1: "method … The value is the literal `SendSms`", "userdata", "msgdata … One or several entries"."""
    _, body = sent_by_the_client(messages=3)
    request = json.loads(body)
    assert list(request) == ["method", "userdata", "msgdata"]
    assert request["method"] == "SendSms"
    assert (type(request["userdata"]), len(request["msgdata"])) == (dict, 3)


def test_2_1_method_is_a_literal(service):
    """2.1: "The value is the literal `SendSms`"; another is refused in words that are not the contract's."""
    for method in ("sendsms", "SendSMS", "", None):
        answer = said_by_the_service(service, {**request_of(), "method": method})
        assert answer["Message"].startswith("sandbox:")


def test_2_2_the_password_is_url_encoded(service):
    """2.2: "The account's password, sent URL encoded." """
    _, body = sent_by_the_client()
    assert json.loads(body)["userdata"] == {"username": "clinic", "password": "p%40ss%20w%2Brd%25"}
    assert said_by_the_service(service, request_of(password="p%40ss%20w%2Brd%25"))["Status"] == "OK"


def test_2_2_both_are_required(service):
    """2.2: username and password, "Required: yes"."""
    for missing in ("username", "password"):
        request = request_of()
        del request["userdata"][missing]
        assert said_by_the_service(service, request)["Status"] == "Failed"


# 2.3


def test_2_3_the_message_object():
    """2.3: "number", "message", "senderid", "priority", each a string."""
    _, body = sent_by_the_client(priority="2")
    (message,) = json.loads(body)["msgdata"]
    assert list(message) == ["number", "message", "senderid", "priority"]
    assert {type(value) for value in message.values()} == {str}


def test_2_3_the_name_is_senderid(service):
    """2.3: "The parameter list calls this `sender`; the request body uses the name `senderid`."."""
    _, body = sent_by_the_client()
    assert "sender" not in json.loads(body)["msgdata"][0]
    renamed = {**MESSAGE, "sender": "CLINIC"}
    del renamed["senderid"]
    assert said_by_the_service(service, request_of(renamed))["Status"] == "Failed"


def test_2_3_a_number_is_digits_only():
    """2.3: "digits only, with country prefix and no plus sign"."""
    contacts = pd.DataFrame({"phone": ["+44 7700 900123", "07700 900124"]}, dtype="str")
    plan = prepare(contacts, message="Hi", sender="CLINIC", region="GB", kinds=("mobile", "fixed_or_mobile"))
    assert plan.messages["number"].tolist() == ["447700900123", "447700900124"]


def test_2_3_texts_are_url_encoded(service):
    """2.3: "The SMS text, sent URL encoded." and "Who the message comes from, sent URL encoded."."""
    _, body = sent_by_the_client()
    (message,) = json.loads(body)["msgdata"]
    assert message["message"] == "Hi%20%22Ann%22%2C%20100%25%20%2B%205%20%26%20%C3%A9"
    assert message["senderid"] == "Mr%20%26%20Mrs%20X"
    said_by_the_service(service, request_of(message))
    assert service.inbox[["text", "sender"]].values.tolist() == [[TEXT, SENDER]]


def test_2_3_unencoded_text_may_be_sent(service):
    """2.3: "A client may also send unencoded text"."""
    _, body = sent_by_the_client(encoding="plain")
    request = json.loads(body)
    assert request["userdata"]["password"] == PASSWORD
    assert (request["msgdata"][0]["message"], request["msgdata"][0]["senderid"]) == (TEXT, SENDER)
    assert said_by_the_service(service, request)["Status"] == "OK"
    assert service.inbox["text"].tolist() == [TEXT]


def test_2_3_priority_is_optional(service):
    """2.3: priority, "Required: no"; "Default when omitted: not shown"."""
    _, body = sent_by_the_client(priority="")
    assert "priority" not in json.loads(body)["msgdata"][0]
    assert said_by_the_service(service, request_of(MESSAGE))["Status"] == "OK"


# 2.4, 2.5


def test_2_4_the_success_object(service):
    """2.4: "Status … The literal `OK`", "Cost … string", "MsgFollowUpUniqueCode … string"."""
    answer = said_by_the_service(service, request_of(MESSAGE, MESSAGE))
    assert (answer["Status"], answer["Cost"]) == ("OK", "70")
    assert type(answer["MsgFollowUpUniqueCode"]) is str
    outcome = understood_by_the_client({"Status": "OK", "Cost": "70", "MsgFollowUpUniqueCode": "P1"})
    assert (outcome.status, str(outcome.cost), outcome.code) == ("accepted", "70", "P1")


def test_2_4_the_code_is_prefix_and_suffix(service):
    """2.4: "a fixed prefix followed by a generated suffix"."""
    codes = [said_by_the_service(service, request_of())["MsgFollowUpUniqueCode"] for _ in range(5)]
    assert len(set(codes)) == 5
    assert all(re.fullmatch(r"ApiJsonSubmit[0-9a-f]{13}\.\d{8}", code) for code in codes)


def test_2_5_the_failure_object(service):
    """2.5: "Status … The literal `Failed`", "Message … Text describing the error"."""
    answer = said_by_the_service(service, b"{")
    assert (answer["Status"], type(answer["Message"])) == ("Failed", str)
    outcome = understood_by_the_client({"Status": "Failed", "Message": "Any text at all"})
    assert (outcome.status, outcome.error) == ("refused", "Any text at all")


# 4


def test_4_1_method_path_and_header():
    """4.1: "POST", "`/api/v1/json/` appended to the base address", "`Content-Type: application/json`"."""
    head, _ = sent_by_the_client()
    assert head.startswith("POST /api/v1/json/ HTTP/1.1\r\n")
    assert "\r\nContent-Type: application/json\r\n" in head
    for base in ("https://a.example", "https://a.example/", "https://a.example/api/v1/json/"):
        assert Account("live", base, USER, PASSWORD).endpoint == "https://a.example/api/v1/json/"


def test_4_1_rule_1_a_syntax_error(service):
    """4.1, rule 1: "The body must be valid JSON. A syntax error yields a failure response"."""
    assert said_by_the_service(service, b"{")["Message"] == "Wrong JSON Passed"
    for encoding in ("url", "plain"):
        json.loads(sent_by_the_client(encoding=encoding)[1])


def test_4_1_rule_2_one_or_several(service):
    """4.1, rule 2: "`msgdata` may hold one message or several. The same request shape applies to both."."""
    one, three = (json.loads(sent_by_the_client(messages=count)[1]) for count in (1, 3))
    assert three["msgdata"] == one["msgdata"] * 3
    assert said_by_the_service(service, request_of(MESSAGE, MESSAGE, MESSAGE))["Status"] == "OK"


def test_4_1_rule_3_one_answer_for_the_whole(service):
    """4.1, rule 3: "It is a success object only if the submission is accepted."."""
    bad = {**MESSAGE, "priority": "9"}
    assert said_by_the_service(service, request_of(MESSAGE, bad))["Status"] == "Failed"
    assert len(service.inbox) == 0


def test_4_1_rule_4_funds_for_the_whole(service):
    """4.1, rule 4: "refused when the account lacks funds for the whole batch of messages"."""
    answer = said_by_the_service(service, request_of(*[MESSAGE] * 11))  # there is money for ten
    assert answer["Message"] == "Money Not Enough To Send This Batch of Msgs"
    assert (service.charged, len(service.inbox)) == (0, 0)
    assert said_by_the_service(service, request_of(*[MESSAGE] * 10))["Status"] == "OK"


# 5


def test_5_1_credentials_travel_in_the_body_only():
    """5, rule 1: "Credentials travel in the request body … No header, token or key is used."."""
    head, body = sent_by_the_client()
    assert b'"username":"clinic"' in body
    names = {line.split(":")[0].lower() for line in head.split("\r\n")[1:] if line}
    assert names.isdisjoint({"authorization", "cookie", "x-api-key", "proxy-authorization"})
    assert USER not in head
    assert "p%40ss" not in head


def test_5_2_credentials_of_the_environment(monkeypatch):
    """5, rule 2: "The sandbox uses the credentials of a separate sandbox account."."""
    monkeypatch.setenv("CAMPAIGN_LIVE_PASSWORD", "of-live")
    with refused("passwords_alike", AccountError):
        Account("sandbox", "http://b.example", USER, "of-live")


def test_5_3_empty_or_missing(service):
    """5, rule 3: "Empty or missing username or password yields" the error."""
    for userdata in ({}, {"username": USER}, {"username": USER, "password": ""}, {"password": PASSWORD}):
        answer = said_by_the_service(service, {**request_of(), "userdata": userdata})
        assert answer == {"Status": "Failed", "Message": "Either Username or Password Not Set"}


def test_5_4_wrong(service):
    """5, rule 4: "A wrong username or password yields" the error."""
    answer = said_by_the_service(service, request_of(password="wrong"))
    assert answer == {"Status": "Failed", "Message": "Wrong Username or Password"}


def test_5_5_unknown_or_inactive(service):
    """5, rule 5: "An unknown or inactive account yields" the error."""
    for username in ("nobody", "old"):
        answer = said_by_the_service(service, request_of(username=username))
        assert answer == {"Status": "Failed", "Message": "That user does not exist or user not active"}


# 7


def test_7_the_service_says_each_text(service):
    """7: each "Message text" under its "Condition"."""
    conditions = {
        "Wrong JSON Passed": b'{"method": "SendSms",}',
        "Money Not Enough To Send This Batch of Msgs": request_of(*[MESSAGE] * 11),
        "Wrong Username or Password": request_of(password="wrong"),
        "That user does not exist or user not active": request_of(username="nobody"),
        "Either Username or Password Not Set": request_of(username=""),
    }
    for text, request in conditions.items():
        assert said_by_the_service(service, request) == {"Status": "Failed", "Message": text}


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("Wrong JSON Passed", "json"),
        ("Money Not Enough To Send This Batch of Msgs", "funds"),
        ("Wrong Username or Password", "credentials"),
        ("That user does not exist or user not active", "credentials"),
        ("Either Username or Password Not Set", "credentials"),
    ],
)
@pytest.mark.parametrize("http_status", ["200 OK", "400 Bad Request", "401 Unauthorized"])
def test_7_the_client_knows_each_text(text, cause, http_status):
    """7: "Errors are returned as a failure response"; "HTTP status codes for failures: not shown"."""
    outcome = understood_by_the_client({"Status": "Failed", "Message": text}, http_status)
    assert (outcome.status, outcome.error, outcome.cause) == ("refused", text, cause)


# 8, 9


def test_8_limits_of_the_service(service):
    """8: "at most 160 characters", "at most 11 characters", "0 to 4"; beyond them it teaches no rule."""
    within = {**MESSAGE, "message": "a" * 160, "senderid": "ABCDEFGHIJK"}
    for priority in "01234":
        assert said_by_the_service(service, request_of({**within, "priority": priority}))["Status"] == "OK"
    for change in ({"message": "a" * 161}, {"senderid": "ABCDEFGHIJKL"}, {"priority": "5"}):
        answer = said_by_the_service(service, request_of({**within, **change}))
        assert answer["Message"].startswith("sandbox:")


def test_8_limits_of_the_client():
    """8: a row beyond a limit is left out of the plan, and never sent to see what happens."""
    contacts = pd.DataFrame(
        {
            "phone": [f"+44 7700 90012{n}" for n in range(6)],
            "text": ["a" * 160, "a" * 161, "a", "a", "a", "a"],
            "from": ["ABCDEFGHIJK", "X", "ABCDEFGHIJKL", "X", "X", "X"],
            "urgency": ["0", "1", "2", "4", "5", "-1"],
        },
        dtype="str",
    )
    plan = prepare(contacts, message="{text}", sender="{from}", priority="{urgency}", region="GB")
    assert plan.messages["row"].tolist() == [2, 5]


def test_9_v1_in_the_path():
    """9: "The version is carried in the path as the segment `v1`."."""
    assert sent_by_the_client()[0].split(" ")[1].split("/")[2] == "v1"


# all of it


def generated_request(chance):
    """Well-formed, malformed, wrong accounts, no funds."""
    texts = ["Hello", "Hello%20Ann", "100%25", "Café", "%F0%9F%98%80", "a" * 160, ""]
    messages = [
        {
            "number": f"2567720000{chance.randrange(100):02d}",
            "message": chance.choice(texts),
            "senderid": chance.choice(["CLINIC", "A", "Mr%20X", "ABCDEFGHIJK"]),
        }
        | ({"priority": chance.choice("01234")} if chance.random() < 0.5 else {})
        for _ in range(chance.choice([1, 1, 2, 5, 20]))
    ]
    username = chance.choice([USER] * 6 + ["nobody", "", "Clinic"])
    password = chance.choice([PASSWORD, "p%40ss%20w%2Brd%25"] * 3 + ["wrong", "", "p%40ss"])
    request = request_of(*messages, username=username, password=password)
    if chance.random() < 0.1:
        del request["userdata"][chance.choice(["username", "password"])]
    if chance.random() < 0.03:
        del request["userdata"]
    body = json.dumps(request, ensure_ascii=chance.random() < 0.5).encode()
    if chance.random() < 0.15:  # malformed
        at = chance.randrange(len(body))
        body = chance.choice([body[:at], body[:at] + b'"' + body[at:], body + b"}", b"", body[1:]])
    return body


def test_two_implementations_agree_on_500_requests():
    """Field by field, but for the code; and the same messages have been accepted in the end."""
    chance, met = random.Random(7), {}
    second = SecondService(USER, PASSWORD, balance=35 * 300, price=35)
    with Sandbox(username=USER, password=PASSWORD, balance=35 * 300, price=35) as service:
        while sum(met.values()) < 500:
            body = generated_request(chance)
            expected = second.answer(body)
            if expected is None:
                continue  # the contract does not say
            answer = said_by_the_service(service, body)
            if answer["Status"] == "OK":
                answer["MsgFollowUpUniqueCode"] = "any"
            assert answer == expected, body
            said = expected.get("Message", "OK")
            met[said] = met.get(said, 0) + 1
        assert service.inbox["text"].tolist() == second.accepted
        assert service.balance == second.balance
    assert len(met) == 6  # the success and all five texts
    assert min(met.values()) >= 10


def test_the_table_above_names_every_test():
    named = set(re.findall(r"\btest_\w+", __doc__))
    tests = {name for name in vars(sys.modules[__name__]) if name.startswith("test_")}
    assert tests - named == {"test_the_table_above_names_every_test"}
    assert named <= tests
