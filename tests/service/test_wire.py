"""The wire: requests byte for byte, and what every answer seen in the field is taken for."""

import json
import random
import tracemalloc
from decimal import Decimal

import pyarrow as pa
import pytest

from campaign.service import wire
from campaign.service.wire import (
    LOGIN_WANTED,
    Answer,
    EncodedMessages,
    read_answer,
    request_body,
    request_head,
)
from campaign.words.finding import Finding
from campaign.words.stored import stored

MESSAGES = pa.table(
    {
        "number": ["256772000012", "447700900123", "12025550143"],
        "message": ['Hi "Ann", 100% + 5\\6 & more', "Café\nat 5 €", "Plain"],
        "sender": ["CLINIC", "Mr & Mrs", "CLINIC"],
        "priority": ["", "0", "4"],
    }
)

URL_REQUEST = (
    b'{"method":"SendSms",'
    b'"userdata":{"username":"clinic \\"one\\" \\u00e9","password":"p%40ss%20w%2Frd%22%C3%A9%2B"},'
    b'"msgdata":['
    b'{"number":"256772000012",'
    b'"message":"Hi%20%22Ann%22%2C%20100%25%20%2B%205%5C6%20%26%20more",'
    b'"senderid":"CLINIC"},'
    b'{"number":"447700900123","message":"Caf%C3%A9%0Aat%205%20%E2%82%AC",'
    b'"senderid":"Mr%20%26%20Mrs","priority":"0"},'
    b'{"number":"12025550143","message":"Plain","senderid":"CLINIC","priority":"4"}'
    b"]}"
)

PLAIN_REQUEST = (
    b'{"method":"SendSms",'
    b'"userdata":{"username":"clinic \\"one\\" \\u00e9","password":"p@ss w/rd\\"\\u00e9+"},'
    b'"msgdata":['
    b'{"number":"256772000012","message":"Hi \\"Ann\\", 100% + 5\\\\6 & more","senderid":"CLINIC"},'
    b'{"number":"447700900123","message":"Caf\xc3\xa9\\nat 5 \xe2\x82\xac",'
    b'"senderid":"Mr & Mrs","priority":"0"},'
    b'{"number":"12025550143","message":"Plain","senderid":"CLINIC","priority":"4"}'
    b"]}"
)


@pytest.mark.parametrize(("encoding", "expected"), [("url", URL_REQUEST), ("plain", PLAIN_REQUEST)])
def test_a_whole_request_byte_for_byte(encoding, expected):
    entries = EncodedMessages(MESSAGES, encoding).slice(0, 3)
    assert request_body(request_head('clinic "one" é', 'p@ss w/rd"é+', encoding), entries) == expected


def test_a_plain_request_says_what_was_meant():
    request = json.loads(PLAIN_REQUEST)
    assert request["userdata"] == {"username": 'clinic "one" é', "password": 'p@ss w/rd"é+'}
    assert [entry["message"] for entry in request["msgdata"]] == MESSAGES["message"].to_pylist()


@pytest.mark.parametrize("encoding", ["url", "plain"])
def test_a_batch_is_a_slice_of_the_part(encoding):
    """Any slice of the encoded part is the list of just these messages."""
    encoded = EncodedMessages(MESSAGES, encoding)
    everything = json.loads(b"[" + encoded.slice(0, 3) + b"]")
    for start in range(4):
        for stop in range(start + 1, 4):
            assert json.loads(b"[" + encoded.slice(start, stop) + b"]") == everything[start:stop]


@pytest.mark.parametrize(("start", "stop"), [(0, 0), (2, 2), (2, 1), (-1, 2), (0, 4), (3, 4)])
def test_a_slice_that_is_no_batch_is_never_cut(start, stop):
    """Least of all an empty one, which a slice of bytes would turn into the whole part."""
    with pytest.raises(IndexError):
        EncodedMessages(MESSAGES, "url").slice(start, stop)


def test_a_slice_of_a_table_is_encoded_as_itself():
    assert EncodedMessages(MESSAGES.slice(1, 1), "url").slice(0, 1) == (
        b'{"number":"447700900123","message":"Caf%C3%A9%0Aat%205%20%E2%82%AC",'
        b'"senderid":"Mr%20%26%20Mrs","priority":"0"}'
    )


def test_the_five_error_texts_in_full():
    assert wire.WRONG_JSON == "Wrong JSON Passed"
    assert wire.NO_FUNDS == "Money Not Enough To Send This Batch of Msgs"
    assert wire.WRONG_LOGIN == "Wrong Username or Password"
    assert wire.UNKNOWN_USER == "That user does not exist or user not active"
    assert wire.LOGIN_NOT_SET == "Either Username or Password Not Set"


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("Wrong JSON Passed", "json"),
        ("Money Not Enough To Send This Batch of Msgs", "funds"),
        ("Wrong Username or Password", "credentials"),
        ("That user does not exist or user not active", "credentials"),
        ("Either Username or Password Not Set", "credentials"),
        ("Wrong UserName Or Password", "credentials"),  # seen
        ("  authentication failed\n", "credentials"),  # seen as "Authentication Failed"
        ("Invalid sender ID", "other"),  # seen
        ("Money Not Enough", "other"),  # close, but not the contract's text
    ],
)
def test_a_failure_is_refused_with_its_own_text(text, refusal):
    content = json.dumps({"Status": "Failed", "Message": text}).encode()
    assert read_answer(content, 200) == Answer("refused", error=text.strip(), refusal=refusal)


def ok(**fields):
    answer = {"Status": "OK", "Cost": "35", "MsgFollowUpUniqueCode": "ApiJsonSubmit0123456789abc.12345678"}
    return json.dumps({**answer, **fields}).encode()


def without(field):
    answer = json.loads(ok())
    del answer[field]
    return json.dumps(answer).encode()


@pytest.mark.parametrize(
    ("cost", "amount", "kept"),
    [
        ("35", Decimal("35"), "35"),
        (35, Decimal("35"), "35"),
        (35.5, Decimal("35.5"), "35.5"),
        ("0.1", Decimal("0.1"), "0.1"),  # exact, as no float is
        (" 70 ", Decimal("70"), "70"),
        (0, Decimal("0"), "0"),
        (1e2, Decimal("100.0"), "100.0"),
        ("UGX 35", None, "UGX 35"),
        ("1,050", None, "1,050"),
        ("-35", None, "-35"),
        ("1e2", None, "1e2"),
        ("٣٥", None, "٣٥"),
        ("", None, ""),
        (None, None, ""),
        (True, None, "True"),
        ([35], None, "a list or object"),
        ({"amount": 35}, None, "a list or object"),
        ("9" * 4000, None, "9" * 2000),
    ],
)
def test_a_cost_is_an_amount_where_it_plainly_is_one(cost, amount, kept):
    """A cost that cannot be read never turns an accepted batch into anything else."""
    assert read_answer(ok(Cost=cost), 200) == Answer(
        "accepted", cost=amount, cost_text=kept, code="ApiJsonSubmit0123456789abc.12345678"
    )


def test_an_exponent_is_read_and_a_huge_one_is_not():
    assert read_answer(ok().replace(b'"35"', b"1E+2"), 200).cost == Decimal("100")
    assert read_answer(ok().replace(b'"35"', b"1E+400000"), 200).cost is None
    assert read_answer(ok().replace(b'"35"', b"1E+99999999999999999999"), 200).verdict == "unreadable"


@pytest.mark.parametrize("cost", [b"1e999999999", b"-1e999999999", b"1e-999999999", b"1e20", b"1e-20"])
def test_a_cost_of_any_exponent_is_not_written_out(cost):
    """In full, the first would be a gigabyte of zeros."""
    tracemalloc.start()
    try:
        answer = read_answer(ok().replace(b'"35"', cost), 200)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (answer.verdict, answer.cost) == ("accepted", None)
    assert answer.cost_text
    assert peak < 1_000_000


@pytest.mark.parametrize(
    ("cost", "amount"),
    [
        ("9" * 15, Decimal("9" * 15)),
        ("9" * 16, None),
        ("0." + "1" * 9, Decimal("0.111111111")),
        ("0." + "1" * 10, None),
    ],
)
def test_an_amount_has_up_to_15_digits_and_9_decimals(cost, amount):
    assert read_answer(ok(Cost=cost), 200).cost == amount


def test_a_missing_cost_is_no_failure():
    answer = read_answer(without("Cost"), 200)
    assert (answer.verdict, answer.cost, answer.cost_text) == ("accepted", None, "")


@pytest.mark.parametrize(
    ("code", "kept"),
    [
        ("ApiJsonSubmit65a1b2c3d4e5f.12345678", "ApiJsonSubmit65a1b2c3d4e5f.12345678"),
        ("ApiMSG.99", "ApiMSG.99"),
        ("65a1b2c3d4e5f", "65a1b2c3d4e5f"),
        ("  77 ", "77"),
        (77, "77"),
        ("\ud83d", "?"),  # legal in JSON, and in no file or database
        ("x" * 3000, "x" * 2000),
    ],
)
def test_a_code_is_opaque_text(code, kept):
    assert read_answer(ok(MsgFollowUpUniqueCode=code), 200).code == kept


@pytest.mark.parametrize("code", ["", "  ", None, True, 1.5, [], {}])
def test_an_ok_without_a_code_is_no_proof(code):
    remark = Finding("answer_unclear", {"says": "OK", "but": "has no follow-up code"})
    assert read_answer(ok(MsgFollowUpUniqueCode=code), 200) == Answer("unreadable", remark=remark)
    assert read_answer(without("MsgFollowUpUniqueCode"), 200).verdict == "unreadable"


def test_unknown_fields_and_a_message_beside_a_success_are_tolerated():
    content = ok(Message="Sent", Currency="UGX", Balance="1,000", New={"a": [1]})
    assert read_answer(content, 200).verdict == "accepted"


def test_a_byte_order_mark_and_white_space_around_are_tolerated():
    assert read_answer(b"\xef\xbb\xbf\r\n " + ok() + b"\n", 200).verdict == "accepted"


NO_PROOF = {
    "empty": b"",
    "null": b"null",
    "list": b"[" + ok() + b"]",
    "text": b'"OK"',
    "html": b"<html><body>Bad gateway</body></html>",
    "half": ok()[:-2],
    "twice": ok() + ok(),
    "doubled key": ok()[:-1] + b',"Status":"OK"}',
    "doubled key inside": ok(New=1).replace(b'"New": 1', b'"New": {"a":1,"a":2}'),
    "NaN": ok().replace(b'"35"', b"NaN"),
    "Infinity": ok().replace(b'"35"', b"-Infinity"),
    "latin-1": ok(Message="x").replace(b'"x"', b'"caf\xe9"'),
    "utf-16": ok().decode().encode("utf-16"),
    "single quotes": ok().replace(b'"', b"'"),
    "comment": ok() + b"// done",
    "deep": b"[" * 200_000,
    "deep object": b'{"a":' * 60_000,
    "endless digits": b'{"Status":"OK","Cost":' + b"9" * 50_000 + b"}",
    "no status": b'{"Cost":"35","MsgFollowUpUniqueCode":"1"}',
    "status lower": ok(Status="ok"),
    "status spaced": ok(Status="OK "),
    "status true": ok(Status=True),
    "status list": ok(Status=["OK"]),
    "key lower": ok().replace(b"Status", b"status"),
    "failed without a reason": b'{"Status":"Failed"}',
    "failed with an empty reason": b'{"Status":"Failed","Message":" "}',
    "failed with an odd reason": b'{"Status":"Failed","Message":{"a":1}}',
}


@pytest.mark.parametrize("content", NO_PROOF.values(), ids=NO_PROOF)
def test_an_answer_that_proves_nothing(content):
    answer = read_answer(content, 200)
    assert (answer.verdict, answer.cost, answer.code, answer.error) == ("unreadable", None, "", "")
    assert answer.remark.code in ("answer_unreadable", "answer_unclear")


@pytest.mark.parametrize("http_status", [301, 302, 304, 400, 404, 413, 429, 500, 502, 503, 504])
def test_an_ok_with_an_http_failure_is_no_proof(http_status):
    assert read_answer(ok(), http_status).verdict == "unreadable"


@pytest.mark.parametrize("http_status", [200, 201, 202])
def test_an_ok_with_any_http_success_is_accepted(http_status):
    assert read_answer(ok(), http_status).verdict == "accepted"


LISTED = b'{"Status":"Failed","Message":"Wrong Username or Password"}'
UNLISTED = b'{"Status":"Failed","Message":"Service is down"}'


@pytest.mark.parametrize(
    ("http_status", "listed", "unlisted"),
    [
        (200, "refused", "refused"),
        (400, "refused", "refused"),
        (401, "refused", "refused"),
        (413, "refused", "refused"),
        (302, "unreadable", "unreadable"),
        (429, "refused", "unreadable"),
        (500, "refused", "unreadable"),
        (503, "refused", "unreadable"),
    ],
)
def test_a_failed_is_a_refusal_unless_the_http_status_speaks_against_it(http_status, listed, unlisted):
    assert read_answer(LISTED, http_status).verdict == listed
    assert read_answer(UNLISTED, http_status).verdict == unlisted


@pytest.mark.parametrize(
    ("content", "http_status", "code", "facts"),
    [
        (b"<html>", 200, "answer_unreadable", {"flaw": "not JSON", "failure": "JSONDecodeError"}),
        (b"\xff", 200, "answer_unreadable", {"flaw": "not JSON", "failure": "UnicodeDecodeError"}),
        (b"[]", 200, "answer_unreadable", {"flaw": "not a JSON object"}),
        (b"{}", 200, "answer_unreadable", {"flaw": "without a known Status"}),
        (b"{}", 502, "answer_unreadable", {"flaw": "without a known Status", "http_status": 502}),
        (ok(), 500, "answer_unclear", {"says": "OK", "http_status": 500}),
        (
            UNLISTED,
            500,
            "answer_unclear",
            {"says": "Failed", "reason": "Service is down", "http_status": 500},
        ),
        (b"{}", 429, "slow_down", {"http_status": 429}),
        (b"", 307, "redirected", {"http_status": 307}),
        (b"", 407, "proxy_refused", {"http_status": 407, "wants": LOGIN_WANTED}),
    ],
)
def test_what_is_wrong_is_a_code_with_facts(content, http_status, code, facts):
    assert read_answer(content, http_status).remark == Finding(code, facts)


def fuzzed(chance):
    """An answer: a right one, changed in its values, its bytes or its HTTP status."""
    odd = [
        "OK", "Failed", "ok", "", " ", None, True, 0, 35, -1, 3.5, 1e300, [], {}, ["OK"], "35", "UGX 35",
        "\ud800", "ApiMSG.1", "Wrong JSON Passed", "\x00", "é" * 50, "9" * 30, {"a": [1, {"b": None}]},
    ]  # fmt: skip
    fields = {"Status": "OK", "Cost": "35", "MsgFollowUpUniqueCode": "ApiMSG.1", "Message": "Oops"}
    answer = {name: value for name, value in fields.items() if chance.random() < 0.85}
    for name in list(answer):
        if chance.random() < 0.15:
            answer[name] = chance.choice(odd)
    if chance.random() < 0.3:
        answer["Status"] = "Failed"
        if chance.random() < 0.9:  # as services do; the others contradict themselves
            answer.pop("Cost", None)
            answer.pop("MsgFollowUpUniqueCode", None)
    content = json.dumps(answer, ensure_ascii=chance.random() < 0.7).encode("utf-8", "surrogatepass")
    for _ in range(chance.choice([0, 0, 0, 0, 0, 0, 1, 2, 5])):  # damage
        at = chance.randrange(len(content) + 1)
        piece = chance.choice(
            [b"", b'"', b"{", b"}", b",", b"\x00", b"\xff", b"NaN", b" ", chance.randbytes(3), content[:40]]
        )
        content = content[:at] + piece + content[at + chance.randrange(3) :]
    status = chance.choice(
        [200, 200, 200, 200, 201, 204, 302, 400, 429, 500, 502, chance.randrange(100, 600)]
    )
    return content, status


def is_proof_of_acceptance(content, http_status):
    """Every condition for `accepted`, looked at a second time with other means."""
    pairs = json.JSONDecoder(object_pairs_hook=list).decode(content.decode("utf-8-sig"))
    fields = dict(pairs)
    code = fields["MsgFollowUpUniqueCode"]
    return (
        len(fields) == len(pairs)
        and fields["Status"] == "OK"
        and http_status in range(200, 300)
        and type(code) in (str, int)
        and str(code).strip() != ""
    )


def is_proof_of_refusal(content):
    fields = json.loads(content.decode("utf-8-sig"))
    nothing = ("", "0", " ", None, 0, [])
    return (
        fields["Status"] == "Failed"
        and fields.get("Cost") in nothing
        and fields.get("MsgFollowUpUniqueCode") in nothing
        and fields["Message"].strip() != ""
    )


def check_fuzzed(answers, seed):
    chance, verdicts = random.Random(seed), {"accepted": 0, "refused": 0, "unreadable": 0}
    for _ in range(answers):
        content, http_status = fuzzed(chance)
        answer = read_answer(content, http_status)
        verdicts[answer.verdict] += 1
        assert answer.verdict != "accepted" or is_proof_of_acceptance(content, http_status), content
        assert answer.verdict != "refused" or is_proof_of_refusal(content), content
        assert (answer.verdict == "accepted") == bool(answer.code), content
        assert answer.verdict == "accepted" or answer.cost is None, content
        assert (answer.verdict == "refused") == bool(answer.error), content
        assert (answer.verdict == "unreadable") == (answer.remark is not None), content
        kept = stored(answer.remark) if answer.remark else answer.error
        (answer.code + kept + answer.cost_text).encode()  # fit for every record
    assert min(verdicts.values()) > answers / 20, verdicts  # the fuzz meets all three, often


def test_no_fuzzed_answer_raises_or_is_accepted_without_every_condition():
    check_fuzzed(20_000, seed=1)


@pytest.mark.long
@pytest.mark.timeout(600)
def test_no_fuzzed_answer_of_a_million():
    check_fuzzed(1_000_000, seed=2)
