"""The embedded service: truthful to the contract, nasty on request, and closed to everybody else."""

import asyncio
import gc
import http.client
import json
import logging
import os
import socket
import ssl
import stat
import tempfile
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from decimal import Decimal
from types import SimpleNamespace
from urllib.parse import quote, urlsplit

import pandas as pd
import pyarrow as pa
import pytest
from support.refusals import refused

from campaign.errors import UsageError
from campaign.service.account import Account
from campaign.service.sandbox.behaviour import is_ambiguous
from campaign.service.sandbox.faults import FAULTS, TEXTS, Schedule
from campaign.service.sandbox.server import Sandbox
from campaign.service.transport import Transport
from campaign.service.wire import EncodedMessages

ONE = {"number": "256772000012", "message": "Hello%20Ann", "senderid": "CLINIC"}


def request_of(*messages, **changes):
    """A request as the contract has it, with changes."""
    userdata = {"username": "clinic", "password": "sesame"}
    return {"method": "SendSms", "userdata": userdata, "msgdata": list(messages or [ONE]), **changes}


def ask(service, request, headers=None, path="/api/v1/json/", method="POST"):
    """Post with nothing but the standard library: HTTP status, headers and the answer as it came."""
    address = service.account.url.removeprefix("http://").rstrip("/")
    connection = http.client.HTTPConnection(address, timeout=10)
    body = request if isinstance(request, bytes) else json.dumps(request).encode()
    connection.request(method, path, body, {"Content-Type": "application/json", **(headers or {})})
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return response.status, response.headers, content


def answer_of(service, request):
    status, _, content = ask(service, request)
    assert status == 200
    return json.loads(content)


@pytest.fixture
def sandbox():
    with Sandbox(username="clinic", password="sesame") as service:
        yield service


def failed(text):
    return {"Status": "Failed", "Message": text}


# answers


def test_a_success_says_status_cost_and_code(sandbox):
    status, headers, content = ask(sandbox, request_of(ONE, ONE))
    answer = json.loads(content)
    assert (status, headers.get_content_type()) == (200, "application/json")
    code = answer.pop("MsgFollowUpUniqueCode")
    assert answer == {"Status": "OK", "Cost": "70"}
    assert code.startswith("ApiJsonSubmit")
    assert len(code) == len("ApiJsonSubmit65a1b2c3d4e5f.12345678")


def test_every_code_is_another_with_the_same_beginning(sandbox):
    codes = {answer_of(sandbox, request_of())["MsgFollowUpUniqueCode"] for _ in range(20)}
    assert len(codes) == 20
    assert {code[:13] for code in codes} == {"ApiJsonSubmit"}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"{'method': 'SendSms'}",
        b'{"method": "SendSms",}',
        json.dumps(request_of()).encode()[:-1],
        json.dumps(request_of()).encode() + b"}",
        b'{"method": "SendSms", "msgdata": [NaN]}',  # Python writes it; it is not JSON
        b'{"method": -Infinity}',
        json.dumps(request_of()).encode("utf-16"),
        b'{"method": "\xff"}',
        b"[" * 100_000,
        b"1" * 10_000,
    ],
)
def test_a_syntax_error_is_wrong_json(sandbox, body):
    status, _, content = ask(sandbox, body)
    assert (status, json.loads(content)) == (200, failed("Wrong JSON Passed"))


@pytest.mark.parametrize(
    "userdata",
    [
        {},
        {"username": "clinic"},
        {"password": "sesame"},
        {"username": "", "password": "sesame"},
        {"username": "clinic", "password": ""},
        {"username": None, "password": "sesame"},
        {"username": ["clinic"], "password": "sesame"},
        None,
        "clinic",
        [],
    ],
)
def test_credentials_that_are_not_set(sandbox, userdata):
    answer = answer_of(sandbox, request_of(userdata=userdata))
    assert answer == failed("Either Username or Password Not Set")


@pytest.mark.parametrize("password", ["wrong", "Sesame", "sesame ", "\ud83d", "s" * 100_000])
def test_a_wrong_password(sandbox, password):
    userdata = {"username": "clinic", "password": password}
    assert answer_of(sandbox, request_of(userdata=userdata)) == failed("Wrong Username or Password")


@pytest.mark.parametrize(
    ("unknown_user", "text"),
    [
        ("does not exist", "That user does not exist or user not active"),
        ("wrong", "Wrong Username or Password"),
    ],
)
def test_an_unknown_user_gets_either_text(unknown_user, text):
    """Its contract does not say which of the two the service uses."""
    userdata = {"username": "nobody", "password": "sesame"}
    with Sandbox(username="clinic", password="sesame", unknown_user=unknown_user) as service:
        assert answer_of(service, request_of(userdata=userdata)) == failed(text)


def test_an_inactive_user():
    with Sandbox(username="clinic", password="sesame", inactive=["clinic", "old"]) as service:
        for username in ("clinic", "old"):
            userdata = {"username": username, "password": "sesame"}
            answer = answer_of(service, request_of(userdata=userdata))
            assert answer == failed("That user does not exist or user not active")


@pytest.mark.parametrize("spelling", ["p%40s%20s%2B%25", "p@s s+%"])
def test_a_password_may_come_encoded_or_not(spelling):
    with Sandbox(username="clinic", password="p@s s+%") as service:
        userdata = {"username": "clinic", "password": spelling}
        assert answer_of(service, request_of(userdata=userdata))["Status"] == "OK"


def test_the_order_of_looks():
    """Each fault hides the ones after it: JSON, credentials set, account, input, funds."""
    with Sandbox(username="clinic", password="sesame", balance=0) as service:
        bad = {"number": "+256"}
        wrong = {"username": "clinic", "password": "x"}
        assert answer_of(service, b"{")["Message"] == "Wrong JSON Passed"
        assert answer_of(service, request_of(bad, userdata={}))["Message"].startswith("Either")
        assert answer_of(service, request_of(bad, userdata=wrong))["Message"].startswith("Wrong User")
        assert answer_of(service, request_of(bad))["Message"].startswith("sandbox:")
        assert answer_of(service, request_of())["Message"].startswith("Money Not Enough")


UNDESCRIBED = {
    "161 characters": {"message": "a" * 161},
    "a number with a plus": {"number": "+256772000012"},
    "a number with a space": {"number": "256 772"},
    "an empty number": {"number": ""},
    "Arabic-Indic digits": {"number": "٢٥٦"},
    "an empty sender": {"senderid": ""},
    "a sender of 12": {"senderid": "a" * 12},
    "priority 9": {"priority": "9"},
    "priority as a number": {"priority": 1},
    "priority null": {"priority": None},
    "a message as a number": {"message": 5},
    "half an emoji": {"message": "\ud83d"},
    "sender under the other name": {"senderid": None, "sender": "CLINIC"},
}


@pytest.mark.parametrize("change", UNDESCRIBED.values(), ids=UNDESCRIBED)
def test_what_the_contract_does_not_describe_is_refused_in_words_of_its_own(sandbox, change):
    answer = answer_of(sandbox, request_of(ONE, {**ONE, **change}))
    assert answer["Message"].startswith("sandbox: message 2 ")
    assert len(sandbox.inbox) == 0  # all or nothing


@pytest.mark.parametrize(
    "change", [{"msgdata": []}, {"msgdata": {}}, {"msgdata": [[]]}, {"method": "SendMms"}, {"method": None}]
)
def test_a_request_of_another_shape_is_too(sandbox, change):
    assert answer_of(sandbox, request_of(**change))["Message"].startswith("sandbox: ")


@pytest.mark.parametrize("body", [b"[]", b"5", b'"SendSms"', b"null"])
def test_json_that_is_no_object_is_too(sandbox, body):
    assert answer_of(sandbox, body)["Message"].startswith("sandbox: ")


def test_it_can_be_told_to_accept_them():
    with Sandbox(username="clinic", password="sesame", undescribed="accept") as service:
        for change in ({"message": "a" * 161}, {"number": "+256"}, {"priority": "9"}, {"senderid": "a" * 12}):
            assert answer_of(service, request_of({**ONE, **change}))["Status"] == "OK"
        assert answer_of(service, request_of(method="SendMms"))["Status"] == "OK"
        assert answer_of(service, request_of(msgdata=[]))["Cost"] == "0"
        assert answer_of(service, request_of({"number": "1"}))["Status"] == "Failed"  # cannot be kept
        assert len(service.inbox) == 5


def test_160_characters_are_counted_after_decoding(sandbox):
    assert answer_of(sandbox, request_of({**ONE, "message": quote("é" * 160)}))["Status"] == "OK"
    assert answer_of(sandbox, request_of({**ONE, "message": quote("é" * 161)}))["Status"] == "Failed"
    assert answer_of(sandbox, request_of({**ONE, "senderid": quote("Mr & Mrs")}))["Status"] == "OK"


def test_no_body_brings_it_down(sandbox):
    """Whatever JSON comes, the answer is a contract answer with HTTP status 200."""
    odd = [None, True, 0, -1.5, "", "x", "\ud800", [], {}, [[]], {"a": None}, "9" * 5000]
    for value in odd:
        for field in ("method", "userdata", "msgdata"):
            assert answer_of(sandbox, request_of(**{field: value}))["Status"] in ("OK", "Failed")
        for field in ONE:
            assert answer_of(sandbox, request_of({**ONE, field: value}))["Status"] in ("OK", "Failed")
    assert set(sandbox.inbox.columns) >= {"number", "text"}


# money


def test_a_batch_is_charged_as_a_whole_or_refused_as_a_whole():
    with Sandbox(username="clinic", password="sesame", balance="104.99", price=35) as service:
        assert answer_of(service, request_of(ONE, ONE, ONE)) == failed(
            "Money Not Enough To Send This Batch of Msgs"
        )
        assert answer_of(service, request_of(ONE, ONE))["Cost"] == "70"
        assert (service.balance, service.charged, len(service.inbox)) == (Decimal("34.99"), Decimal("70"), 2)
        service.top_up("0.01")
        assert answer_of(service, request_of(ONE))["Cost"] == "35"
        assert service.balance == 0


@pytest.mark.parametrize(("charge", "cost"), [({"charge": "message"}, "3.45"), ({}, "5.75")])
def test_the_price_is_for_each_part_as_in_an_estimate_or_for_each_message(charge, cost):
    cyrillic = {**ONE, "message": quote("я" * 71)}  # two parts
    plain = {**ONE, "message": quote("^" * 81)}  # 162 septets, two parts
    with Sandbox(username="clinic", password="sesame", price="1.15", **charge) as service:
        assert answer_of(service, request_of(ONE, cyrillic, plain))["Cost"] == cost


def test_money_is_never_spent_twice_by_requests_at_once():
    with Sandbox(username="clinic", password="sesame", balance=35 * 10, price=35) as service:
        with ThreadPoolExecutor(16) as crowd:
            answers = list(crowd.map(lambda _: answer_of(service, request_of(ONE, ONE)), range(40)))
        accepted = [answer for answer in answers if answer["Status"] == "OK"]
        assert (len(accepted), service.balance, service.charged) == (5, 0, 350)
        assert (len(service.inbox), service.requests) == (10, 40)


# the inbox


def test_the_inbox_shows_what_was_accepted(sandbox):
    answer_of(sandbox, request_of(ONE, {**ONE, "number": "447700900123", "priority": "1"}))
    answer_of(sandbox, request_of({**ONE, "senderid": "Mr%20X"}))
    inbox = sandbox.inbox
    assert inbox.drop(columns="time").to_dict("list") == {
        "number": ["256772000012", "447700900123", "256772000012"],
        "text": ["Hello Ann"] * 3,
        "raw": ["Hello%20Ann"] * 3,
        "sender": ["CLINIC", "CLINIC", "Mr X"],
        "priority": ["", "1", ""],
        "ambiguous": [False] * 3,
        "request": [1, 1, 2],
    }
    asked = pd.DataFrame(
        {"number": inbox["number"], "message": ["Hello Ann", "Hello", "Hello Ann"], "batch": 7}
    )
    assert sandbox.received(asked).equals(asked.loc[[0, 2]])
    assert inbox["time"].dt.tz is not None
    assert inbox["time"].is_monotonic_increasing


@pytest.mark.parametrize("fault", ["close", "reset_midway"])
def test_a_sandbox_that_cannot_have_lost_a_message_does_not_say_that_it_never_came(fault):
    """A cell that made a sandbox was run again: the new one knows nothing of what the first accepted."""
    unknown = pd.DataFrame({"number": ["256772000012"], "message": ["Hello Ann"], "status": "unknown"})
    with Sandbox(faults={1: fault}) as lossy:
        with refused("sandbox_never_had", UsageError):
            lossy.received(unknown)
        with suppress(OSError, http.client.HTTPException):
            answer_of(lossy, request_of())
        assert lossy.received(unknown).empty
        others = unknown.assign(message="Hello Ben")
        if fault == "reset_midway":  # what was in its body is not known
            assert lossy.received(others).empty
            return
        with refused("sandbox_never_had", UsageError):
            lossy.received(others)
        settled = lossy.received(others.assign(status="refused"))
        assert settled.empty
        assert list(settled.columns) == list(others.columns)
        assert lossy.received(others.iloc[:0]).empty


def test_an_empty_inbox_has_the_same_columns(sandbox):
    empty = sandbox.inbox.dtypes
    answer_of(sandbox, request_of())
    assert empty.equals(sandbox.inbox.dtypes)


@pytest.mark.parametrize(
    ("decode", "text"),
    [("percent", "1+1 50% off"), ("form", "1 1 50% off"), ("none", "1+1%2050%25%20off")],
)
def test_what_people_would_read_depends_on_the_decoder(decode, text):
    raw = "1+1%2050%25%20off"
    with Sandbox(username="clinic", password="sesame", decode=decode) as service:
        answer_of(service, request_of({**ONE, "message": raw}))
        assert service.inbox[["text", "raw", "ambiguous"]].values.tolist() == [[text, raw, True]]


@pytest.mark.parametrize(
    ("raw", "ambiguous"),
    [
        ("Hello%20Ann%2C%20100%25%20%2B%205", False),  # URL encoded throughout
        ("Hello Ann, how are you?", False),  # every decoder leaves it alone
        ("100% off", False),
        ("1+1", True),  # a plus, or a space
        ("a 5%20 discount", True),  # "a 5%20 discount", or "a 5  discount"
        ("Caf\u00e9 %41", True),
    ],
)
def test_a_text_is_ambiguous_when_decoders_would_disagree(raw, ambiguous):
    assert is_ambiguous(raw) == ambiguous


@pytest.mark.parametrize("encoding", ["url", "plain"])
def test_what_the_client_sends_arrives_as_it_was_meant(encoding):
    texts = ['Hi "Ann", 100% + 5\\6 & more', "Café\nat 5 €", "😀 नमस्ते", "a+b=c", "%41"]
    columns = {"number": ["256772000012"] * 5, "message": texts, "sender": ["Mr & Mrs"] * 5}
    columns["priority"] = ["", "0", "1", "2", "4"]

    async def gate():
        pass

    async def post(account):
        batch = EncodedMessages(pa.table(columns), encoding).slice(0, 5)
        async with Transport(account) as transport:
            return await transport.post(batch, gate)

    decode = "percent" if encoding == "url" else "none"
    with Sandbox(username="clinic é", password='p@ss "w+rd% é', decode=decode) as service:
        account = Account("local", service.account.url, "clinic é", 'p@ss "w+rd% é', encoding=encoding)
        assert asyncio.run(post(account)).status == "accepted"
        assert service.inbox["text"].tolist() == texts
        assert service.inbox["sender"].tolist() == columns["sender"]
        assert service.inbox["priority"].tolist() == columns["priority"]
        assert service.inbox["ambiguous"].any() == (encoding == "plain")


# protections


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "", "sms.example.com", "127.0.0.2"])
def test_it_listens_on_this_machine_only(host):
    with refused("wrong_value", UsageError, argument="host"):
        Sandbox(host=host)


def test_the_network_does_not_reach_it(sandbox):
    port = int(sandbox.account.url.rstrip("/").rsplit(":", 1)[1])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # sends nothing; tells this machine's own address
        own = probe.getsockname()[0]
    if own.startswith("127."):
        own = "127.0.0.2"  # no network here: any address but the one it listens on
    with pytest.raises(OSError, match=r"[Rr]efused"):
        socket.create_connection((own, port), timeout=1)


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "192.0.2.1", ""]
)
def test_a_request_under_another_name_is_turned_away(sandbox, host):
    """A page whose name suddenly means this machine cannot use it."""
    status, _, content = ask(sandbox, request_of(), {"Host": host})
    assert (status, content) == (403, b"SANDBOX: for programs on this machine only.")
    assert (sandbox.requests, len(sandbox.inbox)) == (0, 0)


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1"])
def test_a_browser_is_turned_away(sandbox, origin):
    assert ask(sandbox, request_of(), {"Origin": origin})[0] == 403
    assert len(sandbox.inbox) == 0


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/v1/json/", 405),
        ("POST", "/", 404),
        ("POST", "/api/v1/json", 404),
        ("GET", "/inbox", 404),
    ],
)
def test_there_is_nothing_else(sandbox, method, path, status):
    assert ask(sandbox, b"", path=path, method=method)[0] == status
    assert sandbox.requests == 0


def test_a_body_without_end_is_refused(sandbox):
    status, _, content = ask(sandbox, b" " * (65 * 1024 * 1024))
    assert status == 413
    assert b"Traceback" not in content


def test_no_word_of_a_request_is_logged(sandbox, caplog):
    caplog.set_level(logging.DEBUG)
    answer_of(sandbox, request_of())
    answer_of(sandbox, b"{")
    assert "sesame" not in caplog.text
    assert "256772000012" not in caplog.text


# starting and stopping


def test_it_says_what_it_is(sandbox):
    assert repr(sandbox) == f"<Sandbox (at {sandbox.account.url}, balance 1,000,000,000): nothing is sent>"
    assert sandbox.account.label == "REHEARSAL on this machine: nobody gets anything"
    assert repr(Sandbox(balance=700)) == "<Sandbox (starts when it is used, balance 700): nothing is sent>"
    with refused("wrong_value", UsageError, write="sandbox.top_up(5000)"):
        sandbox.balance += 5000


def test_it_is_a_context_manager_for_coroutines_too():
    async def play():
        async with Sandbox(username="clinic", password="sesame") as service:
            return await asyncio.to_thread(answer_of, service, request_of())

    assert asyncio.run(play())["Status"] == "OK"


def test_two_sandboxes_stand_side_by_side():
    with Sandbox() as one, Sandbox() as other:
        assert one.account.url != other.account.url


def test_the_inbox_outlives_it_and_it_starts_again_at_the_same_place():
    service = Sandbox(username="clinic", password="sesame")
    with service:
        answer_of(service, request_of())
        url = service.account.url
    assert len(service.inbox) == 1
    with refused("sandbox_stopped", UsageError):
        _ = service.account
    with service:
        answer_of(service, request_of())
        assert service.account.url == url
    assert len(service.inbox) == 2


def test_a_taken_port_is_named():
    with Sandbox() as service:
        port = int(service.account.url.rstrip("/").rsplit(":", 1)[1])
        with refused("port_unusable", UsageError, port=port):
            Sandbox(port=port).start()


def test_ipv6_will_do():
    with Sandbox(username="clinic", password="sesame", host="::1") as service:
        assert service.account.url.startswith("http://[::1]:")
        assert answer_of(service, request_of())["Status"] == "OK"


def test_starting_twice_is_starting_once(sandbox):
    assert sandbox.start() is sandbox
    sandbox.stop()
    sandbox.stop()


def test_nothing_of_it_is_left():
    before = threading.active_count()
    with Sandbox(faults={1: "hang"}, username="clinic", password="sesame") as service:
        address = service.account.url.removeprefix("http://").rstrip("/")
        connection = http.client.HTTPConnection(address, timeout=0.2)
        connection.request("POST", "/api/v1/json/", json.dumps(request_of()))
        with pytest.raises(TimeoutError):
            connection.getresponse()
        connection.close()
        began = time.monotonic()
    assert time.monotonic() - began < 3  # stopping does not wait for what hangs
    del service, connection
    gc.collect()
    assert threading.active_count() == before


@pytest.mark.parametrize(
    ("option", "code", "facts"),
    [
        ({"decode": "base64"}, "wrong_choice", {"choices": ["'percent'", "'form'", "'none'"]}),
        ({"charge": "batch"}, "wrong_choice", {"argument": "charge"}),
        ({"unknown_user": "who"}, "wrong_choice", {"argument": "unknown_user"}),
        ({"undescribed": "maybe"}, "wrong_choice", {"argument": "undescribed"}),
        ({"balance": "much"}, "wrong_value", {"argument": "balance", "given": "the text 'much'"}),
        ({"price": -1}, "wrong_value", {"argument": "price", "given": "-1"}),
        ({"price": float("nan")}, "wrong_value", {"argument": "price", "given": "nan"}),
        ({"port": 70_000}, "wrong_value", {"argument": "port"}),
        ({"faults": {1: "earthquake"}}, "wrong_choice", {"argument": "faults", "suggestion": ""}),
        ({"faults": {1: "acept_close"}}, "wrong_choice", {"suggestion": "accept_close"}),
        ({"random_faults": {"earthquake": 0.1}}, "wrong_choice", {"argument": "random_faults"}),
        ({"random_faults": {"reset": 0.7, "hang": 0.4}}, "wrong_value", {"argument": "random_faults"}),
        ({"random_faults": {"reset": -0.1}}, "wrong_value", {"argument": "random_faults"}),
    ],
)
def test_an_option_that_cannot_be_is_refused_with_the_choices(option, code, facts):
    with refused(code, UsageError, **facts):
        Sandbox(**option)


def test_every_fault_is_explained_in_the_help():
    for fault in FAULTS:
        names = {fault, fault.removeprefix("accept_")}
        assert any(f'- "{name}": ' in Sandbox.__doc__ for name in names), fault


# over TLS


def posts_to(service):
    """An outcome for each of three batches, posted with the sandbox's own account."""
    return [outcome.status for outcome in post_three(service)]


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_it_serves_tls_to_its_own_account(host):
    with Sandbox(tls=True, host=host) as service:
        assert service.account.url.startswith("https://")
        assert repr(service).startswith(f"<Sandbox (at {service.account.url}, ")
        assert posts_to(service) == ["accepted"] * 3
        assert len(service.inbox) == 3


def test_its_account_trusts_that_certificate_and_no_other():
    with Sandbox(tls=True) as service, Sandbox(tls=True) as other:
        account = Account("local", service.account.url, "sandbox", "sesame", ca_file=other.ca_file)
        outcomes = post_three(SimpleNamespace(account=account))
        assert {outcome.cause for outcome in outcomes} == {"setup"}
        assert service.requests == 0
        assert len(service.account.certificates.get_ca_certs()) == 1


def test_any_program_with_the_ca_file_can_reach_it():
    """By each of its names; and nobody by a name that it does not have."""
    with Sandbox(tls=True, username="clinic", password="sesame") as service:
        port = urlsplit(service.account.url).port
        trusting = ssl.create_default_context(cafile=service.ca_file)
        for name in ("127.0.0.1", "localhost"):
            url = f"https://{name}:{port}/api/v1/json/"
            request = urllib.request.Request(url, json.dumps(request_of()).encode())
            with urllib.request.urlopen(request, timeout=10, context=trusting) as answer:
                assert json.load(answer)["Status"] == "OK"
        with (
            socket.create_connection(("127.0.0.1", port)) as raw,
            pytest.raises(ssl.SSLCertVerificationError),
        ):
            trusting.wrap_socket(raw, server_hostname="sms.example.com")


def test_it_does_not_answer_plain_http_under_tls():
    with Sandbox(tls=True) as service:
        account = Account("local", service.account.url.replace("https", "http"), "sandbox", "sesame")
        assert {outcome.status for outcome in post_three(SimpleNamespace(account=account))} == {"unknown"}
        assert (service.requests, len(service.inbox)) == (0, 0)


def test_its_certificate_is_short_lived_and_goes_with_it(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    service = Sandbox(tls=True)
    assert list(tmp_path.iterdir()) == [service.ca_file]  # the key is on no disk
    assert b"PRIVATE" not in service.ca_file.read_bytes()
    assert os.name == "nt" or stat.S_IMODE(service.ca_file.stat().st_mode) == 0o600
    with service:
        trusting = ssl.create_default_context(cafile=service.ca_file)
        address = ("127.0.0.1", urlsplit(service.account.url).port)
        with (
            socket.create_connection(address) as raw,
            trusting.wrap_socket(raw, server_hostname="localhost") as secured,
        ):
            ends = ssl.cert_time_to_seconds(secured.getpeercert()["notAfter"])
    assert 0 < ends - time.time() <= 31 * 86_400
    del service
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_it_starts_again_with_the_same_certificate():
    service = Sandbox(tls=True)
    with service:
        account = service.account
        assert posts_to(service) == ["accepted"] * 3
    with service:
        assert [outcome.status for outcome in post_three(SimpleNamespace(account=account))] == [
            "accepted"
        ] * 3


def test_without_tls_there_is_no_certificate(sandbox):
    assert sandbox.ca_file is None
    assert sandbox.account.certificates is None


# faults

EXPECTED = dict.fromkeys(FAULTS, "unknown") | {"accept_no_cost": "accepted"}


def post_three(service, timeout=5.0):
    """Three batches of one message each, one after the other."""
    columns = {"number": ["256772000012"], "message": ["Hello"], "sender": ["CLINIC"], "priority": [""]}
    batch = EncodedMessages(pa.table(columns), "url").slice(0, 1)

    async def gate():
        pass

    async def play():
        async with Transport(service.account, timeout=timeout) as transport:
            return [await transport.post(batch, gate) for _ in range(3)]

    return asyncio.run(play())


@pytest.mark.parametrize("tls", [False, True], ids=["tcp", "tls"])
@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_ends_in_its_class_and_leaves_its_neighbours_alone(fault, tls):
    slow = fault.removeprefix("accept_") in ("hang", "stall", "drip")
    with Sandbox(faults={2: fault}, tls=tls) as service:
        outcomes = post_three(service, timeout=0.6 if slow else 5.0)
        received = len(service.inbox)
    assert [outcome.status for outcome in outcomes] == ["accepted", EXPECTED[fault], "accepted"]
    assert received == (3 if fault.startswith("accept_") else 2)
    assert (service.requests, service.charged) == (3, 35 * received)
    assert (outcomes[1].cause == "throttled") == fault.endswith(("throttle", "redirect", "moved"))


@pytest.mark.parametrize("text", TEXTS)
def test_each_text_can_be_asked_for(text):
    with Sandbox(faults={2: text}) as service:
        outcomes = post_three(service)
        assert [outcome.status for outcome in outcomes] == ["accepted", "refused", "accepted"]
        assert (outcomes[1].error, len(service.inbox)) == (text, 2)


def test_a_fault_after_acceptance_is_not_played_for_what_is_refused():
    with Sandbox(username="clinic", password="sesame", balance=0, faults={1: "accept_reset"}) as service:
        assert answer_of(service, request_of())["Message"].startswith("Money Not Enough")


def test_a_service_goes_on_when_its_client_has_given_up():
    with Sandbox(latency=0.4) as service:
        outcomes = post_three(service, timeout=0.1)
        assert [outcome.status for outcome in outcomes] == ["unknown"] * 3
        deadline = time.monotonic() + 5
        while len(service.inbox) < 3 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert len(service.inbox) == 3


def test_random_faults_come_in_their_share_and_the_same_for_the_same_seed():
    chances = {"reset": 0.2, "accept_hang": 0.05, "Money Not Enough To Send This Batch of Msgs": 0.1}
    first, again, other = (
        [Schedule({7: "html"}, chances, seed).fault_of(ordinal) for ordinal in range(1, 4001)]
        for seed in (1, 1, 2)
    )
    assert first == again != other
    assert first[6] == other[6] == "html"
    for name, share in chances.items():
        assert first.count(name) / 4000 == pytest.approx(share, abs=0.03)
    assert first.count("") / 4000 == pytest.approx(0.65, abs=0.03)


def test_random_faults_are_met_by_requests():
    with Sandbox(random_faults={"server_error": 0.5, "accept_half": 0.5}, seed=3) as service:
        outcomes = post_three(service) + post_three(service) + post_three(service)
        lost = sum(outcome.remark.code == "connection_broke" for outcome in outcomes)
        assert {outcome.status for outcome in outcomes} == {"unknown"}
        assert 0 < lost == len(service.inbox) < 9


def test_a_client_that_does_not_answer_the_end_of_tls_leaves_nothing_open():
    with Sandbox(tls=True) as sandbox:
        trust = ssl.create_default_context(cafile=sandbox.ca_file)
        place = urlsplit(sandbox.account.url)
        raw = socket.create_connection((place.hostname, place.port))
        client = trust.wrap_socket(raw, server_hostname=place.hostname)
        client.sendall(b"POST /api/v1/json/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\nhalf")
        deadline = time.monotonic() + 5
        while not sandbox.requests and time.monotonic() < deadline:
            time.sleep(0.01)
        assert sandbox.requests == 1
    with client:
        gc.collect()  # a socket that was left open is a warning now, and a warning is an error


def test_who_connects_while_it_stops_is_let_go():
    """A socket that is left open would be a warning in whatever test comes next."""
    gc.freeze()  # or each search looks through all that the tests before have left: a second every time
    for turn in range(30):
        with Sandbox() as service:
            address = ("127.0.0.1", urlsplit(service.account.url).port)
            clients = []
            connecting = threading.Thread(target=connect_to, args=(address, clients))
            connecting.start()
            time.sleep(0.0005 * (turn % 4))
        connecting.join()
        for client in clients:
            client.close()
        gc.collect()
    gc.unfreeze()


def connect_to(address, clients):
    with suppress(OSError):
        for _ in range(6):
            clients.append(socket.create_connection(address))
