"""What cannot be meant is said in a sentence, before anything is written or sent."""

import asyncio
import inspect
from datetime import time
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from msgspec import structs
from support.refusals import refused

import campaign
from campaign.sending.engine.hours import Hours
from campaign.sending.engine.valves import (
    Breaker,
    Canary,
    Credentials,
    Funds,
    Pilot,
    Reach,
    Unknown,
)
from campaign.sending.options import SendOptions
from campaign.sending.store.ways_on import USUAL

TABLE = b"name,phone\nAisha,0772000001\nBen,0772000002\n"


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def contacts():
    return campaign.read_contacts(TABLE)


@pytest.fixture(scope="module")
def plan(contacts):
    return campaign.prepare(contacts, message="Hi {name}", sender="CLINIC", region="UG")


@pytest.fixture
def sent(plan):
    """A campaign with an unknown batch, number 2."""
    with campaign.Sandbox(faults={2: "accept_reset"}) as sandbox:
        return campaign.send(plan, account=sandbox.account, progress=False)


def asend(plan, **options):
    return asyncio.run(campaign.asend(plan, **options))


def started(plan, **options):
    return campaign.start(plan, **options).wait()


# What a person wrote, and the beginning of the sentence that answers it.
WRONG = [
    ({"account": "live"}, "account needs an Account, but got a str. Write account=campaign.Account.from_"),
    ({"account": "https://sms.example.com"}, "account needs an Account, but got a str."),  # or a password
    ({"account": pd.DataFrame()}, "account needs an Account, but got a DataFrame."),
    ({"account": campaign.Sandbox}, "account needs an Account, but got the class Sandbox."),
    ({"folder": 5}, 'folder needs a path, but got 5. Write folder="campaigns/visits".'),
    ({"folder": ""}, "folder needs a path, but got an empty text."),
    ({"ledger": True}, "ledger needs a path, but got True."),
    ({"name": 5}, "name needs text, but got 5."),
    ({"confirm": True}, "confirm needs text, but got True."),
    (
        {"batch_size": 50.0},
        "batch_size needs a whole number from 1 to 1000, but got 50.0.",
    ),
    ({"batch_size": "50"}, "batch_size needs a whole number from 1 to 1000, but got the text '50'."),
    ({"batch_size": 0}, "batch_size needs a whole number from 1 to 1000, but got 0."),
    ({"batch_size": 1001}, "batch_size needs a whole number from 1 to 1000, but got 1001."),
    (
        {"concurrency": True},
        "concurrency needs a whole number from 1 to 256, but got True.",
    ),
    ({"concurrency": 0}, "concurrency needs a whole number from 1 to 256, but got 0."),
    ({"concurrency": 257}, "concurrency needs a whole number from 1 to 256, but got 257."),
    ({"rate": "25"}, "rate needs a number of messages per second, but got the text '25'. Write rate=25."),
    ({"rate": 0}, "rate needs a number of messages per second, but got 0."),
    ({"rate": float("inf")}, "rate needs a number of messages per second, but got inf."),
    ({"rate": True}, "rate needs a number of messages per second, but got True."),
    ({"rate": [25]}, "rate needs a number of messages per second, but got a list."),
    ({"budget": "lots"}, "budget needs a number of 0 or more, but got the text 'lots'. Write budget=5000 in"),
    ({"budget": -1}, "budget needs a number of 0 or more, but got -1."),
    ({"budget": [5000]}, "budget needs a number of 0 or more, but got a list."),
    (
        {"hours": 8},
        "hours needs opening and closing times with a time zone, but got 8.",
    ),
    (
        {"hours": "9 to 5"},
        "hours needs opening and closing times with a time zone, but got the text '9 to 5'.",
    ),
    ({"canary": "no"}, "canary needs True or False, but got the text 'no'."),
    ({"canary": 0}, "canary needs True or False, but got 0."),
    ({"max_unknown": 0}, "max_unknown needs a whole number of 1 or more, but got 0. Write max_unknown=1."),
    ({"progress": "yes"}, "progress needs True or False, but got the text 'yes'. Write progress=True, "),
]


@pytest.mark.parametrize(("options", "words"), WRONG)
def test_a_wrong_option_is_said_before_anything_is_written(options, words, plan):
    for send in (campaign.send, campaign.start, asend):
        with pytest.raises(campaign.UsageError) as said:
            send(plan, **{"progress": False} | options)
        assert str(said.value).startswith(words)
    assert not Path("campaigns").exists()


def test_resume_says_the_same(sent):
    takes = set(inspect.signature(campaign.resume).parameters) - {"folder"}
    checked = [(options, words) for options, words in WRONG if takes.issuperset(options)]
    assert len(checked) > 15
    for options, words in checked:
        with pytest.raises(campaign.UsageError) as said:
            campaign.resume(sent.folder, **{"progress": False} | options)
        assert words in str(said.value)


@pytest.mark.parametrize("send", [campaign.send, campaign.start, asend])
def test_what_is_not_a_plan(send, plan, contacts, sent):
    for given, words in (
        (sent, "a Result"),
        (contacts, "a table of contacts"),
        ("visits.xlsx", "the text 'visits.xlsx'"),
        (None, "None"),
        ([plan], "a list"),
    ):
        with refused("wrong_value", campaign.UsageError, argument="plan", given=words):
            send(given, progress=False)


def settle(folder):
    return campaign.resolve(folder, 2, "accepted")


def test_what_is_not_a_folder(plan, sent):
    for verb in (campaign.resume, campaign.load_result, settle):
        for given in (plan, sent, None, 5, [sent.folder]):
            with refused("wrong_value", campaign.UsageError, argument="folder", needs="a path"):
                verb(given)
    with refused("wrong_value", campaign.UsageError, argument="folder", given="a Result", needs="a path"):
        campaign.resume(sent)


@pytest.mark.parametrize(
    ("batch", "outcome", "note", "words"),
    [
        ([2, "3"], "accepted", "", "batches needs a whole number of 1 or more, but got the text '3'."),
        ([], "accepted", "", "batches needs a whole number of 1 or more, but got a list. Write the"),
        ([2, 1], "accepted", "", "Batch 1 is not unknown: accepted."),
        (2.0, "accepted", "", "batches needs a whole number of 1 or more, but got 2.0."),
        (1, "accepted", "", "Batch 1 is not unknown: accepted."),
        (2, "delivered", "", "outcome is 'delivered'; it can be 'accepted', 'refused' or 'again'."),
        (2, ["accepted"], "", "outcome is a list; it can be"),
        (2, "accepted", 5, "note needs text, but got 5."),
    ],
)
def test_what_cannot_be_settled(batch, outcome, note, words, sent):
    with pytest.raises(campaign.UsageError) as said:
        campaign.resolve(sent.folder, batch, outcome, note=note)
    assert words in str(said.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"number": 256772000999}, "number needs text, but got"),
        ({"row": "3"}, "row needs a whole number of 1 or more, but got the text '3'."),
        ({"row": 9}, "There is no message to try in row 9."),
        ({"account": "live"}, "account needs an Account, but got a str."),
    ],
)
def test_what_cannot_be_tried_out(options, words, plan):
    with pytest.raises(campaign.UsageError) as said:
        campaign.try_out(plan, **{"number": "0772 000 999", "region": "UG"} | options)
    assert words in str(said.value)


def test_what_cannot_be_tried_out_because_it_is_no_plan(sent):
    with refused("wrong_value", argument="plan", write="campaign.resume(result.folder)"):
        campaign.try_out(sent, number="0772 000 999", region="UG")


# What may be meant.


def test_numbers_of_other_libraries_are_numbers(plan):
    result = campaign.send(
        plan, batch_size=np.int64(50), concurrency=np.int32(2), rate=np.float32(1000), max_unknown=np.int8(1),
        budget=Decimal("5000.50"), progress=False,
    )  # fmt: skip
    assert result.totals["accepted"] == 2


def test_a_batch_can_be_named_by_a_cell_of_the_result(sent):
    number = sent.batches["batch"].iloc[1]
    assert type(number) is np.int64
    settled = campaign.resolve(sent.folder, number, "refused", confirm="batch 2 was refused")
    assert settled.totals["refused"] == 1


def test_a_sandbox_is_an_account(plan):
    with campaign.Sandbox() as sandbox:
        assert campaign.send(plan, account=sandbox, progress=False).totals["accepted"] == 2
        assert sandbox.running
        assert len(sandbox.inbox) == 2


@pytest.mark.parametrize(
    "send", [campaign.send, asend, lambda *given, **options: campaign.start(*given, **options).wait()]
)
def test_a_sandbox_that_is_not_running_runs_as_long_as_the_run(send, plan):
    sandbox = campaign.Sandbox(balance=35)
    first = send(plan, account=sandbox, progress=False)
    assert (first.totals["accepted"], first.totals["refused"]) == (1, 1)
    assert not sandbox.running
    assert len(sandbox.inbox) == 1
    tried = campaign.try_out(plan, sandbox, number="0772 000 999", region="UG")
    assert (tried.raw, sandbox.running) == ("Hi%20Aisha", False)
    assert campaign.resume(first.folder, account=sandbox, progress=False).totals["accepted"] == 1


def test_one_value_holds_the_options_of_every_verb():
    """The flat signatures differ in nothing but what a verb has no use for."""
    known = {field.name: field.default for field in structs.fields(SendOptions)}
    for verb, without in (
        (campaign.send, set()),
        (campaign.start, set()),
        (campaign.asend, set()),
        (campaign.resume, {"name", "pilot"}),
    ):
        signature = inspect.signature(verb).parameters
        options = {name: signature[name].default for name in known if name in signature}
        options["folder"] = None  # `resume` takes it as what it continues
        assert options == {name: default for name, default in known.items() if name not in without}
        waits = verb in (campaign.send, campaign.resume)  # for tasks of a cluster, too
        elsewhere = {"plan", "opt_outs"} | ({"senders", "client"} if waits else set())
        assert set(signature) - set(known) <= elsewhere
        assert all(option.kind is option.KEYWORD_ONLY for option in list(signature.values())[1:])


def test_the_options_choose_the_valves():
    options = SendOptions(max_unknown=3, budget="700", hours="08:00-20:00 Africa/Kampala")
    hours = Hours(time(8), time(20), ZoneInfo("Africa/Kampala"))
    always = [Funds(), Credentials(), Reach(), Unknown(3), Breaker(), campaign.Budget(cost=Decimal(700))]
    assert options.valves(canary=True, pilot_end=None) == [*always, Canary(), hours]
    assert options.valves(canary=False, pilot_end=7) == [*always, Pilot(7), hours]
    assert SendOptions().valves(canary=False, pilot_end=None)[-1] == campaign.Budget()


@pytest.mark.parametrize(
    ("zone", "meant"),
    [
        ("EAT", "Africa/Kampala"),
        ("EAT", "Africa/Nairobi"),
        ("BST", "Europe/London"),  # in summer
        ("IST", "Europe/Dublin"),  # which is why they are ambiguous
        ("IST", "Asia/Kolkata"),
        ("Kampala", "Africa/Kampala"),
        ("kampla", "Africa/Kampala"),
        ("New York", "America/New_York"),
        ("africa/nairobi", "Africa/Nairobi"),
        ("Nowhere", ""),
        ("../../etc/passwd", ""),
    ],
)
def test_a_time_zone_that_does_not_exist(zone, meant):
    with refused("time_zone_unknown", campaign.UsageError, zone=zone) as told:
        Hours.of(f"08:00-20:00 {zone}")
    suggestions = told.value.finding.facts["suggestions"]
    assert meant in suggestions if meant else suggestions == []


@pytest.mark.parametrize("hours", ["08:00-20:00", "25:00-26:00 UTC", "8-20 Africa/Kampala", ""])
def test_hours_that_cannot_be_read(hours):
    with refused("wrong_value", campaign.UsageError, argument="hours"):
        Hours.of(hours)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"cost": "much"}, "budget needs a number of 0 or more, but got the text 'much'."),
        ({"messages": "1000"}, "messages needs a whole number of 0 or more, but got the text '1000'."),
        ({"messages": 10.0}, "messages needs a whole number of 0 or more, but got 10.0."),
        ({"messages": True}, "messages needs a whole number of 0 or more, but got True."),
    ],
)
def test_a_budget_that_cannot_be_meant(wrong, words):
    with pytest.raises(campaign.UsageError) as said:
        campaign.Budget(**wrong)
    assert words in str(said.value)


def test_a_budget_is_exact_however_it_is_written():
    for cost in ("1.15", 1.15, Decimal("1.15")):
        assert campaign.Budget(cost).cost == Decimal("1.15")


def test_a_line_that_goes_on_leaves_out_what_is_usual():
    assert SendOptions().as_record().items() >= USUAL.items()
