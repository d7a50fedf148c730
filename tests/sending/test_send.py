"""From a small spreadsheet through the embedded service to a result: the promises, as a user sees them."""

import asyncio
import itertools
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from pathlib import Path

import pandas as pd
import pytest
from support.ledgers import count_by_state
from support.refusals import facts_of, findings_of, refused
from support.small_campaigns import people, plan_for

import campaign
from campaign.sending.run import Run
from campaign.service import wire
from campaign.words.python import PYTHON

CLINIC = """\
First name,Phone,Clinic
Aisha,0772 000 001,North
Ben,+256 772 000 002,North
,0772000003,North
Aisha,0772000001,North
Grace,not a number,South
,,
José,0701000004,South
"""


def contacts_of(text):
    """A contact table from a small spreadsheet as text; the header is row 1."""
    return campaign.read_contacts(text.encode())


def plan_of(count, text="Hi {name}, come on Monday.", sender="CLINIC", **options):
    """A plan with one message for each of `count` people."""
    rows = "".join(f"Person {n},25677200{n:04d}\n" for n in range(count))
    contacts = contacts_of("name,phone\n" + rows)
    return campaign.prepare(contacts, message=text, sender=sender, region="UG", **options)


def assert_audit(result, sandbox):
    """Nothing twice, nothing lost: plan, ledger and the service's own record agree."""
    sent, received = result.messages, sandbox.inbox
    assert not received["number"].duplicated().any()
    assert len(sent) == len(result.plan.messages)
    by_status = {status: set(rows["number"]) for status, rows in sent.groupby("status")}
    took = set(received["number"])
    assert by_status.get("accepted", set()) <= took
    assert not by_status.get("not_sent", set()) & took
    assert not by_status.get("refused", set()) & took
    assert took <= by_status.get("accepted", set()) | by_status.get("unknown", set())
    assert sum(result.totals.values()) == len(result.contacts)


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    """Campaign folders go to a folder of the test's own."""
    monkeypatch.chdir(tmp_path)


def test_every_row_of_the_sheet_ends_in_exactly_one_status():
    plan = campaign.prepare(
        contacts_of(CLINIC), message="Hi {first_name}, {clinic} awaits you.", sender="CLINIC", region="UG"
    )
    with campaign.Sandbox() as sandbox:
        result = campaign.send(plan, account=sandbox.account, progress=False)
        assert_audit(result, sandbox)
        assert sandbox.inbox["text"].tolist() == plan.messages["message"].tolist()
    assert result.contacts["status"].tolist() == [
        "accepted", "accepted", "invalid", "duplicate", "invalid", "blank", "accepted",
    ]  # fmt: skip
    assert dict(result.totals) == {
        "invalid": 2, "blank": 1, "duplicate": 1, "opted_out": 0,
        "not_sent": 0, "accepted": 3, "refused": 0, "unknown": 0,
    }  # fmt: skip
    assert result.batches["messages"].tolist() == [1, 2]  # the canary, then the rest
    assert result.batches["cost"].tolist() == [Decimal(35), Decimal(70)]
    assert result.messages["cost_share"].tolist() == [Decimal(35)] * 3


def test_the_sum_of_costs_is_what_the_service_charged():
    with campaign.Sandbox(price="1.15", charge="part") as sandbox:
        plan = plan_of(250, text="Hi {name}, " + "ünïcode и " * 10)
        result = campaign.send(plan, account=sandbox.account, progress=False)
        assert result.batches["cost"].sum() == sandbox.charged == Decimal("1.15") * plan.totals.parts
        assert_audit(result, sandbox)


def test_running_it_again_sends_nothing():
    plan = plan_of(30)
    with campaign.Sandbox() as sandbox:
        first = campaign.send(plan, account=sandbox.account, progress=False)
        requests = sandbox.requests
        second = campaign.send(plan_of(30), account=sandbox.account, progress=False)
        assert sandbox.requests == requests
    accepted = f"30 messages accepted on {datetime.now(UTC):%-d %B %Y}"
    assert second.findings[0].facts == {"kinds": [accepted], "again": "rehearse"}
    for shown in (str(second), second._repr_html_()):
        assert PYTHON.remedy(second.findings[0]) in shown
    pd.testing.assert_frame_equal(first.messages, second.messages)


def test_a_renamed_spreadsheet_does_not_go_out_a_second_time(tmp_path):
    (tmp_path / "visits.csv").write_text("name,phone\nAisha,0772000001\n")
    (tmp_path / "visits (1).csv").write_text("name,phone\nAisha,0772000001\n")
    with campaign.Sandbox() as sandbox:
        for name in ("visits.csv", "visits (1).csv"):
            contacts = campaign.read_contacts(tmp_path / name)
            plan = campaign.prepare(contacts, message="Hi {name}", sender="CLINIC", region="UG")
            campaign.send(plan, account=sandbox.account, name="visits", progress=False)
        assert len(sandbox.inbox) == 1
        campaign.send(plan, account=sandbox.account, name="again, on purpose", progress=False)
        assert len(sandbox.inbox) == 2


def test_whom_an_earlier_campaign_reached_gets_nothing_again():
    with campaign.Sandbox(faults={3: "accept_reset"}) as sandbox:
        options = {"account": sandbox.account, "batch_size": 10, "concurrency": 1, "progress": False}
        first = campaign.send(plan_of(40), **options)
        assert (first.totals["accepted"], first.totals["unknown"], first.totals["not_sent"]) == (11, 10, 19)
        with refused("campaign_not_finished", campaign.FolderError, messages=19):
            campaign.prepare(
                contacts_of(CLINIC), message="Hi", sender="CLINIC", region="UG", not_again=first.folder
            )
        campaign.close(first.folder, confirm="close with 19 messages not sent")
        table = "name,phone\n" + "".join(f"Person {n},25677200{n:04d}\n" for n in range(40))
        for earlier in (first.folder, [str(first.folder)], first):
            plan = campaign.prepare(
                contacts_of(table), message="Dear {name}", sender="CLINIC", region="UG", not_again=earlier
            )
            assert (plan.totals["not_sent"], plan.totals["duplicate"]) == (19, 21)
    with refused("no_campaign", campaign.FolderError):
        campaign.prepare(contacts_of(table), message="Hi", sender="CLINIC", region="UG", not_again="nowhere")


def test_without_an_account_everything_stays_on_this_machine():
    result = campaign.send(plan_of(5), progress=False)
    assert result.environment == "local"
    assert result.totals["accepted"] == 5


ENDS = {
    wire.WRONG_JSON: ("paused", "refused", "batches_refused"),
    wire.NO_FUNDS: ("stopped", "refused", "money_missing"),
    wire.WRONG_LOGIN: ("stopped", "refused", "account_refused"),
    wire.UNKNOWN_USER: ("stopped", "refused", "account_refused"),
    wire.LOGIN_NOT_SET: ("stopped", "refused", "account_refused"),
}


@pytest.mark.parametrize("text", ENDS)
def test_each_text_of_the_contract_ends_in_its_status_and_its_stop(text):
    status, fate, code = ENDS[text]
    with campaign.Sandbox(faults=dict.fromkeys(range(1, 100), text)) as sandbox:
        run = campaign.start(plan_of(500), account=sandbox.account, progress=False)
        result = run.wait()
        assert_audit(result, sandbox)
        run.stop()
        run.wait()
    assert (run.status if status == "stopped" else "paused") == status
    assert result.ending.code == code
    assert result.batches["status"].tolist() == [fate] + ["not_sent"] * 5
    assert result.batches["error"].iloc[0] == text


@pytest.mark.parametrize(
    ("options", "account", "text"),
    [
        ({}, ("sandbox", "wrong"), wire.WRONG_LOGIN),
        ({}, ("nobody", "secret"), wire.UNKNOWN_USER),
        ({"unknown_user": "wrong"}, ("nobody", "secret"), wire.WRONG_LOGIN),
        ({"inactive": ["closed"]}, ("closed", "secret"), wire.UNKNOWN_USER),
        ({"balance": 100}, ("sandbox", "secret"), wire.NO_FUNDS),
    ],
)
def test_the_embedded_service_refuses_for_its_own_reasons(options, account, text):
    with campaign.Sandbox(password="secret", **options) as sandbox:
        user = campaign.Account("local", sandbox.account.url, *account)
        result = campaign.send(plan_of(300), account=user, concurrency=1, progress=False)
        assert_audit(result, sandbox)
    refused = result.batches[result.batches["status"] == "refused"]
    assert set(refused["error"]) == {text}
    assert (result.batches["status"] == "not_sent").any()


def test_an_account_that_was_topped_up_reaches_everybody_once():
    plan = plan_of(500)
    with campaign.Sandbox(balance=35 * 250, password="secret") as sandbox:
        first = campaign.send(plan, account=sandbox.account, concurrency=1, progress=False)
        assert_audit(first, sandbox)
        assert first.totals["accepted"] == 201
        assert first.totals["refused"] == 100
        assert first.totals["not_sent"] == 199
        sandbox.top_up(10**6)
        second = campaign.resume(first.folder, account=sandbox.account, progress=False)
        assert_audit(second, sandbox)
    assert dict(second.totals) == dict.fromkeys(second.totals, 0) | {"accepted": 500}


@pytest.mark.parametrize(
    "fault", ["accept_reset", "accept_half", "accept_garbage", "accept_no_code", "html", "empty"]
)
def test_what_nobody_can_know_is_unknown_and_never_sent_again(fault):
    plan = plan_of(500)
    with campaign.Sandbox(faults={3: fault}) as sandbox:
        first = campaign.send(plan, account=sandbox.account, concurrency=1, progress=False)
        assert first.batches["status"].tolist() == ["accepted", "accepted", "unknown", *["not_sent"] * 3]
        assert (first.ending.code, first.ending.facts["messages"]) == ("answer_lost", 100)
        second = campaign.resume(first.folder, account=sandbox.account, progress=False)
        assert second.batches["status"].tolist() == ["accepted", "accepted", "unknown", *["accepted"] * 3]
        third = campaign.send(plan, account=sandbox.account, progress=False)
        assert third.totals["unknown"] == 100
        assert_audit(third, sandbox)


def test_an_accepted_batch_without_a_cost_stays_accepted():
    with campaign.Sandbox(faults={2: "accept_no_cost"}) as sandbox:
        result = campaign.send(plan_of(150), account=sandbox.account, concurrency=1, progress=False)
    assert result.totals["accepted"] == 150
    assert result.batches["cost"].tolist() == [Decimal(35), None, Decimal(49 * 35)]
    assert result.batches["why"].tolist() == ["", "answer_without_cost", ""]


def test_nobody_there_loses_nothing(monkeypatch):
    monkeypatch.setattr("campaign.sending.engine.engine.BACKOFF", 0.001)
    with campaign.Sandbox() as sandbox:
        account = sandbox.account
    result = campaign.send(plan_of(10), account=account, progress=False)
    assert result.totals["not_sent"] == 10
    assert result.ending.code == "service_not_reached"
    assert (result.batches["attempts"] == 0).all()


def test_two_runs_of_one_campaign_at_once_are_refused():
    plan = plan_of(200)
    with campaign.Sandbox(latency=0.2) as sandbox:
        run = campaign.start(plan, account=sandbox.account, progress=False)
        with refused("campaign_open", campaign.LockedError):
            campaign.send(plan, account=sandbox.account, progress=False)
        run.stop()
        assert_audit(run.wait(), sandbox)


@pytest.mark.parametrize("concurrency", [1, 4])
def test_two_runs_at_once_send_nothing_twice_even_when_the_lock_was_deleted(concurrency):
    """The ledger lets each batch leave once, whoever asks; the run that asks second ends with an error."""
    with campaign.Sandbox(latency=0.01) as sandbox:
        options = {"account": sandbox.account, "concurrency": concurrency, "progress": False}
        run = campaign.start(plan_of(1000), batch_size=5, **options)
        while run.counts.accepted < 20:
            time.sleep(0.005)
        (run.folder / "lock").unlink()
        ends = []
        for go_on in (partial(campaign.resume, run.folder, **options), run.wait):
            with suppress(campaign.LedgerError):
                ends.append(go_on())
        assert len(ends) < 2
        assert_audit(campaign.resume(run.folder, **options), sandbox)


@pytest.mark.parametrize("batch_size", [50, 100])
def test_what_waits_keeps_the_batches_that_it_was_cut_to(sandbox, tmp_path, batch_size):
    options = {"account": sandbox, "progress": False, "budget": campaign.Budget(messages=11)}
    sent = campaign.send(plan_for(people(31)), folder=tmp_path / "visits", batch_size=10, **options)
    options |= {"batch_size": batch_size, "budget": campaign.Budget(messages=100)}
    assert campaign.resume(sent.folder, **options).batches["messages"].tolist() == [1, 10, 10, 10]


def test_a_run_pauses_resumes_and_stops_on_order():
    with campaign.Sandbox(latency=0.02) as sandbox:
        run = campaign.start(plan_of(3000), account=sandbox.account, concurrency=2, progress=False)
        assert isinstance(run, Run)
        run.pause()
        wait_until(lambda: run.status == "paused" and run.counts.in_flight == 0)
        received = len(sandbox.inbox)
        assert run.wait().totals["accepted"] == received == run.counts.accepted
        run.resume()
        assert run.wait(timeout=0.2).totals["not_sent"] > 0
        wait_until(lambda: run.counts.accepted > received)
        run.stop()
        result = run.wait()
        run.resume()  # ends are final
        assert run.status == "stopped"
        assert run.counts.waiting == result.totals["not_sent"] > 0
        assert_audit(result, sandbox)


def wait_until(true):
    for _ in itertools.count():
        if true():
            return
        asyncio.run(asyncio.sleep(0.01))


def test_asend_is_send_for_people_with_a_loop():
    with campaign.Sandbox() as sandbox:
        result = asyncio.run(campaign.asend(plan_of(250), account=sandbox.account, progress=False))
        assert result.totals["accepted"] == 250
        assert_audit(result, sandbox)


def test_a_cancelled_asend_stops_cleanly():
    plan = plan_of(3000)

    async def impatient(account):
        sending = asyncio.create_task(campaign.asend(plan, account=account, concurrency=2, progress=False))
        await asyncio.sleep(0.4)
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending

    with campaign.Sandbox(latency=0.03) as sandbox:
        asyncio.run(impatient(sandbox.account))
        result = campaign.send(plan, account=sandbox.account, progress=False)
        assert result.totals["accepted"] == 3000
        assert_audit(result, sandbox)


@pytest.mark.parametrize("change", [{"sender": "HOSPITAL"}, {"count": 29}])
def test_who_was_reached_with_this_text_gets_nothing_whatever_else_has_changed(change):
    changed = plan_of(**({"count": 30} | change))
    with campaign.Sandbox() as sandbox:
        campaign.send(plan_of(30), account=sandbox.account, folder="visits", progress=False)
        result = campaign.send(changed, account=sandbox.account, folder="visits", progress=False)
        assert len(sandbox.inbox) == 30
        assert result.totals["accepted"] == len(changed.messages)


@pytest.mark.parametrize("text", ["Come on Tuesday", "on " * 120 + "!"])
def test_whoever_keeps_an_earlier_text_gets_no_piece_of_the_new_one(text):
    changed = plan_of(1, text=text, overlong="split")
    with campaign.Sandbox() as sandbox:
        place = {"account": sandbox.account, "folder": "visits", "progress": False}
        campaign.send(plan_of(1, text="Hi {name}, come on Monday."), **place)
        result = campaign.send(changed, changed="skip", **place)
        once_more = campaign.send(changed, changed="skip", **place)
        assert len(sandbox.inbox) == 1
    for shown in (result, once_more, campaign.load_result("visits")):
        assert shown.contacts[["status", "why", "batch"]].values.tolist() == [
            ["duplicate", "earlier_text", 1]
        ]
        assert shown.messages.empty


@pytest.mark.parametrize(("choice", "received"), [("skip", 30), ("send", 60)])
def test_another_text_waits_for_a_persons_choice(choice, received):
    changed = plan_of(30, text="Hi {name}, come on Tuesday.")
    with campaign.Sandbox() as sandbox:
        options = {"account": sandbox.account, "folder": "visits", "progress": False}
        campaign.send(plan_of(30), **options)
        with pytest.raises(campaign.ConfirmationError) as asked:
            campaign.send(changed, **options)
        assert asked.value.questions == {"changed": 30}
        assert len(sandbox.inbox) == 30
        result = campaign.send(changed, changed=choice, **options)
        assert len(sandbox.inbox) == received
    kept = 60 - received
    assert (result.totals["accepted"], result.totals.with_earlier_text) == (30 - kept, kept)
    assert (result.totals.reached, len(result.messages)) == (30, 30 - kept)
    assert (result.contacts["why"] == "earlier_text").sum() == kept
    assert campaign.load_result(result.folder).contacts.equals(result.contacts)


def test_the_first_rows_that_differ_are_shown():
    before = "name,phone\nAisha,0772000001\nBen,0772000002\nCaro,0772000003\n"
    plans = [
        campaign.prepare(contacts_of(text), message="Hi {name}", sender="CLINIC", region="UG")
        for text in (before, before.replace("Ben", "Bea"))
    ]
    with campaign.Sandbox() as sandbox:
        campaign.send(plans[0], account=sandbox.account, folder="visits", progress=False)
        with refused("decision_needed") as asked:
            campaign.send(plans[1], account=sandbox.account, folder="visits", progress=False)
    replaced = facts_of(findings_of(asked.value))["text_replaced"]
    assert replaced == {"place": "row 3", "before": "“Hi Ben”", "now": "“Hi Bea”"}


def test_a_folder_of_another_account_is_refused():
    plan = plan_of(5)
    with campaign.Sandbox() as sandbox:
        campaign.send(plan, account=sandbox.account, folder="visits", progress=False)
        other = campaign.Account("sandbox", sandbox.account.url, "shop", "secret")
        with refused("other_account", campaign.FolderError, found="local", given="sandbox"):
            campaign.send(plan, account=other, folder="visits", progress=False)


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path):
    (tmp_path / "holiday").mkdir()
    (tmp_path / "holiday" / "photo.jpg").write_bytes(b"x")
    with refused("folder_unusable", campaign.FolderError):
        campaign.send(plan_of(2), folder="holiday", progress=False)
    assert [path.name for path in Path("holiday").iterdir()] == ["photo.jpg"]


def test_a_changed_part_file_stops_the_run():
    plan = plan_of(300)
    with campaign.Sandbox(balance=35) as sandbox:
        result = campaign.send(plan, account=sandbox.account, concurrency=1, progress=False)
        part = result.folder / "rounds" / "0001" / "plan" / "part-00000.parquet"
        frame = pd.read_parquet(part)
        frame.loc[250, "number"] = "256772999999"
        frame.to_parquet(part, index=False)
        with refused("campaign_file_damaged", campaign.FolderError):
            campaign.resume(result.folder, account=sandbox.account, progress=False)
        assert "256772999999" not in set(sandbox.inbox["number"])


def test_live_needs_a_phrase_that_names_the_count():
    account = campaign.Account("live", "https://sms.example.com", "shop", "secret")
    shown = r'confirm="send 12 messages live [0-9a-f]{4}"'
    with pytest.raises(campaign.ConfirmationError, match=shown):
        campaign.send(plan_of(12), name="visits", account=account, progress=False)
    with pytest.raises(campaign.ConfirmationError, match=shown):
        campaign.send(
            plan_of(12), name="visits", account=account, confirm="send 12 messages live", progress=False
        )
    assert not Path("campaigns").exists()


def test_live_shows_what_it_would_do_before_it_asks():
    account = campaign.Account("live", "https://sms.example.com", "shop", "secret")
    with pytest.raises(campaign.ConfirmationError) as shown:
        campaign.send(plan_of(1200), name="visits", account=account, progress=False)
    assert [*facts_of(findings_of(shown.value))] == [
        "sends_live", "nothing_sent_before", "budget_set", "not_tried", "first_message",
    ]  # fmt: skip
    said = str(shown.value)
    assert "1,200 people on real phones (LIVE, sms.example.com)" in said
    assert "Hi Person 0" in said
    assert len(said.split()) <= 60
    assert plan_of(1200).messages["number"].iloc[0] not in said
    assert not Path("campaigns").exists()


def test_an_empty_plan_has_nothing_to_send():
    plan = campaign.prepare(
        contacts_of("name,phone\nAisha,none\n"), message="Hi {name}", sender="CLINIC", region="UG"
    )
    result = campaign.send(plan, progress=False)
    assert (len(result.messages), len(result.batches), result.totals["invalid"]) == (0, 0, 1)


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"batch_size": 0}, "1 to 1000"),
        ({"batch_size": 1001}, "1 to 1000"),
        ({"concurrency": 0}, "concurrency"),
        ({"max_unknown": 0}, "max_unknown"),
        ({"rate": 0}, "messages per second"),
        ({"budget": "lots"}, "cost units"),
        ({"hours": "9 to 5"}, "Africa/Kampala"),
    ],
)
def test_an_option_that_cannot_be_meant_is_said_before_anything_is_written(option, words):
    with refused("wrong_value", campaign.UsageError):
        campaign.send(plan_of(2), progress=False, **option)
    assert not Path("campaigns").exists()


def test_the_folder_can_be_read_without_the_plan():
    with campaign.Sandbox() as sandbox:
        plan = campaign.prepare(
            contacts_of(CLINIC), message="Hi {first_name}", sender="CLINIC", region="UG", priority="1"
        )
        sent = campaign.send(plan, account=sandbox.account, progress=False)
    kept = campaign.load_result(sent.folder)
    for frame in ("contacts", "messages", "batches", "issues"):
        pd.testing.assert_frame_equal(getattr(sent, frame), getattr(kept, frame))
    assert kept.plan.fingerprint == plan.fingerprint
    assert dict(kept.totals) == dict(sent.totals)


def test_load_result_says_when_there_is_no_campaign(tmp_path):
    with refused("no_campaign", campaign.FolderError):
        campaign.load_result(tmp_path)


def test_a_ledger_may_live_outside_the_folder(tmp_path):
    with campaign.Sandbox() as sandbox:
        result = campaign.send(
            plan_of(3), account=sandbox.account, ledger=tmp_path / "l.sqlite", progress=False
        )
        assert not (result.folder / "ledger.sqlite").exists()
        assert campaign.load_result(result.folder).totals["accepted"] == 3
    assert count_by_state(tmp_path / "l.sqlite")["accepted"].messages == 3


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes")
def test_only_the_owner_reads_a_campaign_folder():
    folder = campaign.send(plan_of(3), progress=False).folder
    assert folder.stat().st_mode & 0o077 == 0
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "lock"]
    assert {path.name: oct(path.stat().st_mode & 0o077) for path in files} == {
        path.name: "0o0" for path in files
    }


def test_the_account_is_kept_as_a_salted_hash_only():
    with campaign.Sandbox(username="wanjiku", password="sesame-1234") as sandbox:
        folder = campaign.send(plan_of(3), account=sandbox.account, progress=False).folder
    content = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert b"wanjiku" not in content
    assert b"sesame-1234" not in content
