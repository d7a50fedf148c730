"""Several workers send one campaign: what each gets, what holds all, who may do what, what is refused."""

import json
import os
import shutil
import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from support.consistency_audit import audit_folder
from support.crash_sender import plan_of
from support.findings import finding
from support.live_service import LiveService, start_live
from support.postgres_server import USER
from support.refusals import facts_of, findings_of, refused
from support.small_campaigns import people, plan_for

import campaign
from campaign.errors import AccountError, FolderError, LedgerError, LockedError, UsageError
from campaign.sending.engine import engine as engines
from campaign.sending.ledger.ledger import Move
from campaign.sending.ledger.postgres import connections, roster, worker_ledger
from campaign.sending.ledger.postgres import ledger as postgres_ledger
from campaign.sending.ledger.postgres.connections import PostgresError
from campaign.sending.ledger.postgres.worker_ledger import BatchSize
from campaign.sending.ledger.views import journal_frame, snapshot
from campaign.sending.store.folder import open_folder
from campaign.words.stored import read_stored


@pytest.fixture
def database(postgres_server):
    """The address of an empty database, with its password."""
    return postgres_server.database()


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "visits"


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    """Signs of life are seconds apart, and so would be what a worker hears while it waits."""
    monkeypatch.setattr(worker_ledger, "SIGN_OF_LIFE", 0.1)


@pytest.fixture
def release(sandbox, folder, database):
    """Releases a plan to workers."""

    def made(plan, **options):
        options = {"account": sandbox.account, "folder": folder, "ledger": database} | options
        return campaign.release(plan, **options)

    return made


def start_workers(count, folder, account, **options):
    """So many workers, each in a thread; returns their reports once they have ended."""
    reports = []

    def work():
        reports.append(campaign.work(folder, account=account, **options))

    threads = [threading.Thread(target=work, daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()

    def await_end():
        for thread in threads:
            thread.join(30)
            assert not thread.is_alive()
        assert len(reports) == count
        return reports

    return await_end


def start_together(count, folder, account):
    """The same, with all of them there before the first one sends."""
    campaign.order(folder, "pause")
    await_end = start_workers(count, folder, account)
    until(lambda: len(campaign.workers(folder)) == count)
    campaign.order(folder, "resume")
    return await_end


def states(folder):
    return [batch.state for batch in snapshot(open_folder(folder).ledger_place).batches]


def totals(folder):
    return {name: count for name, count in campaign.load_result(folder).totals.items() if count}


def events(folder):
    """What the journal says besides moves."""
    journal = journal_frame(open_folder(folder).ledger_place)
    return journal.loc[journal["batch"] == 0, "now"].tolist()


def until(condition, seconds=20.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_two_workers_share_the_messages(sandbox, folder, release):
    released = release(plan_of(301), batch_size=5)
    assert (released.messages, released.parts, released.folder) == (301, 1, folder)
    assert released.sentence == "Released: 301 messages wait for workers. Nothing was sent yet."
    assert len(sandbox.inbox) == 0
    reports = start_workers(2, folder, sandbox.account)()
    assert sum(report.accepted for report in reports) == 301
    assert {(report.status, report.waiting) for report in reports} == {("finished", 0)}
    assert audit_folder(folder, sandbox.inbox) == []
    assert events(folder) == ["round", "released", *["joined"] * 2, *["left"] * 2]


def test_a_worker_that_finds_nothing_to_do_returns_zeros(sandbox, folder, release):
    release(plan_of(3))
    assert campaign.work(folder, account=sandbox.account).accepted == 3
    assert campaign.work(folder, account=sandbox.account) == campaign.WorkerReport()
    campaign.resume(folder, account=sandbox.account, progress=False)  # which recalls the release
    assert campaign.send_part(folder, 0, account=sandbox.account) == campaign.WorkerReport()
    assert len(sandbox.inbox) == 3


def test_a_part_may_be_sent_twice_at_once(sandbox, folder, release, monkeypatch):
    """What engines such as Spark do with a task that they believe to be lost."""
    monkeypatch.setattr("campaign.sending.store.frozen_messages.PART_MESSAGES", 50)
    assert release(plan_of(150), batch_size=5, canary=False).parts == 3
    with refused("wrong_value", UsageError, argument="parts", given=3):
        campaign.work(folder, account=sandbox.account, parts=[2, 3])
    tasks = [0, 2, 0]
    ends = [start_workers(1, folder, sandbox.account, parts=[part], when_paused="end") for part in tasks]
    sent = [end()[0] for end in ends]
    assert sent[0].accepted + sent[2].accepted == 50
    assert (sent[1].accepted, sent[1].waiting) == (50, 0)
    assert campaign.load_result(folder).totals["not_sent"] == 50
    assert campaign.send_part(folder, 1, account=sandbox.account).accepted == 50
    assert campaign.send_part(folder, 1, account=sandbox.account) == campaign.WorkerReport()
    assert audit_folder(folder, sandbox.inbox) == []


def test_the_canary_goes_first_whoever_has_its_part(folder, release, monkeypatch):
    monkeypatch.setattr("campaign.sending.store.frozen_messages.PART_MESSAGES", 50)
    with campaign.Sandbox(faults={2: "Invalid sender ID"}) as service:
        release(plan_of(150), account=service.account, batch_size=5, pilot=10)
        sent = [campaign.send_part(folder, part, account=service.account) for part in (2, 1)]
        assert [(report.accepted, report.refused) for report in sent] == [(5, 5), (0, 0)]
        assert {report.status for report in sent} == {"stopped"}
        assert states(folder)[:4] == ["accepted", "refused", "accepted", "pending"]


# A worker that sleeps, as its ledger sees it.


@pytest.fixture
def sleeper(folder, release, monkeypatch):
    """A worker that has claimed batches 1 and 2, was sending the first, and was not heard of since."""
    release(plan_of(6), batch_size=2, canary=False, max_unknown=9)
    place = open_folder(folder)
    ledger = place.ledger_place.join(place.manifest.identity, "far-away:7")
    ledger.listen(lambda news: None, 0, None)
    taken = ledger.claim(2, None, lambda free: [BatchSize(entry.batch, 2, 2) for entry in free])
    assert [entry.batch for entry in taken] == [1, 2]
    ledger.move(1, "sending", attempts=1)
    monkeypatch.setattr(roster, "TIME_TO_LIVE", 0.2)
    time.sleep(0.3)
    yield ledger
    ledger.close()


def test_others_take_over_what_a_sleeper_has_claimed(sandbox, folder, sleeper):
    report = campaign.work(folder, account=sandbox.account)
    assert (report.accepted, report.status) == (4, "finished")
    assert states(folder) == ["unknown", "accepted", "accepted"]
    journal = journal_frame(open_folder(folder).ledger_place)
    assert "far-away:7 showed no sign of life for 0.2 seconds" in journal["note"].tolist()


def test_a_sleeper_that_wakes_is_stopped_at_its_gate(sandbox, folder, sleeper):
    campaign.work(folder, account=sandbox.account)
    with refused(
        "ledger_refuses", LedgerError, batch=2, reason="what this worker had claimed was taken away"
    ):
        sleeper.move(2, "sending", attempts=1)
    assert states(folder) == ["unknown", "accepted", "accepted"]


def test_the_update_of_a_batch_is_the_fence(folder, sleeper):
    """It asks for the worker's own claim, whether or not the worker knows what became of it."""
    sleeper._connection.execute("UPDATE batches SET worker = 'another' WHERE batch = 2")
    with refused("ledger_refuses", LedgerError, batch=2, state="sending"):
        sleeper.move(2, "sending", attempts=1)
    assert states(folder) == ["sending", "pending", "pending"]


def test_only_what_waits_can_be_claimed(sandbox, folder, sleeper):
    """The tables refuse it themselves, whichever program asks."""
    campaign.work(folder, account=sandbox.account)
    with pytest.raises(PostgresError, match="only what waits can be claimed"):
        sleeper._connection.execute("UPDATE batches SET worker = 'me' WHERE batch = 1")


def test_an_answer_that_comes_late_is_recorded(sandbox, folder, sleeper):
    campaign.work(folder, account=sandbox.account)
    sleeper.move(1, "accepted", cost=Decimal(70), code="late", error="")
    assert (campaign.load_result(folder).batches["error"] == "").all()  # no person has settled it
    assert states(folder) == ["accepted", "accepted", "accepted"]
    last = journal_frame(open_folder(folder).ledger_place).iloc[-1]
    assert last["note"] == "the answer came after its worker had been given up"


def test_a_late_answer_never_overrules_a_person(sandbox, folder, sleeper, monkeypatch):
    campaign.work(folder, account=sandbox.account)
    monkeypatch.setattr(connections, "PATIENCE", 50)
    with pytest.raises(campaign.ConfirmationError) as question:
        campaign.resolve(folder, 1, "refused")
    campaign.resolve(folder, 1, "refused", confirm=question.value.phrase)
    (refusal,) = sleeper.commit([Move(1, "accepted", {"cost": Decimal(70)})])
    assert refusal is not None
    assert states(folder)[0] == "refused"


def test_a_worker_that_was_given_up_joins_again(sandbox, folder, release, monkeypatch):
    """A laptop that was closed for a while goes on by itself."""
    release(plan_of(101), batch_size=1, concurrency=1)
    slept = []
    keep_up = worker_ledger.WorkerLedger.keep_up

    def sleep_once(self):
        if not slept and len(sandbox.inbox) > 10:
            slept.append(self)
            place = open_folder(folder)
            with monkeypatch.context() as patch:
                patch.setattr(roster, "TIME_TO_LIVE", 0.0)
                other = place.ledger_place.join(place.manifest.identity, "other:1")
                other.listen(lambda news: None, 0, None)
                other.claim(0, None, lambda free: [])
                other.close()
        keep_up(self)

    monkeypatch.setattr(worker_ledger.WorkerLedger, "keep_up", sleep_once)
    assert campaign.work(folder, account=sandbox.account).accepted == 101
    assert slept[0].is_given_up
    assert audit_folder(folder, sandbox.inbox) == []
    assert events(folder).count("joined") == 3


# What holds all


@contextmanager
def held(folder, account, count=2):
    """Workers that are under way, and wait while they are paused."""
    end = start_workers(count, folder, account)
    try:
        yield end
    finally:
        if campaign.workers(folder).shape[0]:
            campaign.order(folder, "stop")
        end()


def stands_still(inbox, seconds=0.3):
    """Whether nothing arrives for many times as long as a request takes."""
    before = len(inbox)
    time.sleep(seconds)
    return len(inbox) == before


def test_a_person_pauses_and_resumes_all(folder, release):
    with campaign.Sandbox(latency=0.01) as service:
        release(plan_of(301), account=service.account, batch_size=1, concurrency=2)
        with held(folder, service.account) as end:
            until(lambda: len(service.inbox) > 20)
            campaign.order(folder, "pause", note="lunch")
            until(lambda: stands_still(service.inbox))
            assert len(service.inbox) < 301
            assert len(campaign.workers(folder)) == 2
            campaign.order(folder, "resume")
            assert {report.status for report in end()} == {"finished"}
        assert audit_folder(folder, service.inbox) == []
    notes = journal_frame(open_folder(folder).ledger_place)["note"]
    (order,) = (read_stored(note) for note in notes if "lunch" in note)
    assert (order.code, order.facts["note"]) == ("paused_by_hand", "lunch")


def test_a_person_stops_all_and_releases_again(folder, release, monkeypatch):
    with campaign.Sandbox(latency=0.01) as service:
        release(plan_of(301), account=service.account, batch_size=1, concurrency=2)
        end = start_workers(2, folder, service.account)
        until(lambda: len(service.inbox) > 20)
        monkeypatch.setattr(connections, "PATIENCE", 50)
        with refused("workers_at_work", LockedError, workers=2):
            campaign.resume(folder, account=service.account, progress=False)
        campaign.order(folder, "stop")
        reports = end()
        assert {report.status for report in reports} == {"stopped"}
        assert reports[0].finding.code == "workers_stopped"
        assert campaign.work(folder, account=service.account).status == "stopped"
        with refused("not_released", UsageError):
            campaign.order(folder, "resume")
        left = campaign.release(folder, account=service.account, batch_size=1).messages
        assert left == 301 - len(service.inbox)
        assert campaign.work(folder, account=service.account).accepted == left
        assert audit_folder(folder, service.inbox) == []


def test_one_unknown_batch_holds_all(folder, release):
    with campaign.Sandbox(faults={9: "accept_reset"}, latency=0.01) as service:
        release(plan_of(101), account=service.account, batch_size=1, concurrency=2)
        with held(folder, service.account) as end:
            until(lambda: "paused" in events(folder))
            time.sleep(0.5)
            assert totals(folder)["unknown"] == 1
            assert totals(folder)["not_sent"] > 50
            campaign.order(folder, "resume")
            assert sum(report.accepted for report in end()) == 100


def test_the_budget_is_used_up_to_the_last_batch_by_all_together(folder, release):
    """Each of them counts what the other has claimed and what it was charged."""
    with campaign.Sandbox(price=35, latency=0.03) as service:
        release(plan_of(400), account=service.account, batch_size=3, concurrency=3, budget=35 * 301 + 34)
        reports = start_together(2, folder, service.account)()
        # One for the canary, then batches of three: no further one fits.
        assert len(service.inbox) == 301
        assert min(report.accepted for report in reports) > 30
        assert {report.status for report in reports} == {"stopped"}
        assert reports[0].finding.code == "budget_reached"
        campaign.release(folder, account=service.account, budget=35 * 320)
        campaign.work(folder, account=service.account)
        assert 318 <= len(service.inbox) <= 320


def test_a_refused_canary_is_all_that_leaves(folder, release):
    with campaign.Sandbox(faults={1: "Invalid sender ID"}, latency=0.05) as service:
        release(plan_of(50), account=service.account, batch_size=1)
        end = start_together(3, folder, service.account)
        until(lambda: "refused" in states(folder))
        time.sleep(0.5)
        campaign.order(folder, "stop")
        assert sum(report.refused for report in end()) == 1
    assert states(folder) == ["refused", *["pending"] * 49]


def test_a_pilot_ends_for_all(sandbox, folder, release):
    release(plan_of(60), batch_size=2, pilot=20)
    reports = start_workers(2, folder, sandbox.account)()
    assert len(sandbox.inbox) == 20
    assert {report.status for report in reports} == {"stopped"}
    campaign.release(folder, account=sandbox.account)
    campaign.work(folder, account=sandbox.account)
    assert audit_folder(folder, sandbox.inbox) == []
    assert len(sandbox.inbox) == 60


def test_one_pace_for_all(sandbox, folder, release):
    release(plan_of(61), batch_size=1, rate=40, canary=False)
    began = time.monotonic()
    start_workers(2, folder, sandbox.account)()
    assert len(sandbox.inbox) == 61
    assert time.monotonic() - began >= 1.5  # 60 turns of 25 ms


def test_the_hours_are_those_of_the_databases_clock(sandbox, folder, release, monkeypatch):
    """A worker whose clock is 12 hours wrong neither sends at night nor sleeps by day."""
    now = datetime.now(UTC)
    hours = f"{now - timedelta(hours=1):%H:%M}-{now + timedelta(hours=1):%H:%M} UTC"
    monkeypatch.setattr(engines, "utc_now", lambda: now + timedelta(hours=12))
    monkeypatch.setattr(time, "time", lambda: now.timestamp() + 43200)
    release(plan_of(5), hours=hours)
    assert campaign.work(folder, account=sandbox.account, when_paused="end").accepted == 5


# What is refused


def test_a_ledger_in_a_file_is_for_one_program(sandbox, folder):
    with refused("ledger_not_shared", UsageError):
        campaign.release(plan_of(3), folder=folder, account=sandbox.account)
    assert not folder.exists()
    campaign.send(plan_of(3), folder=folder, account=sandbox.account, progress=False)
    for attempt in (
        lambda: campaign.work(folder, account=sandbox.account),
        lambda: campaign.release(plan_of(4), folder=folder, account=sandbox.account),
        lambda: campaign.release(folder, account=sandbox.account),
        lambda: campaign.order(folder, "pause"),
    ):
        with refused("ledger_not_shared", UsageError):
            attempt()
    assert len(sandbox.inbox) == 3
    assert campaign.workers(folder).empty


def test_what_was_not_released_is_not_sent(folder, database):
    with campaign.Sandbox(balance=0) as service:
        campaign.send(plan_of(5), account=service.account, folder=folder, ledger=database, progress=False)
        with refused("not_released", FolderError):
            campaign.work(folder, account=service.account)
        campaign.release(folder, account=service.account)
        assert campaign.work(folder, account=service.account).refused == 1
        service.top_up(10**6)
        campaign.resume(folder, account=service.account, progress=False, max_unknown=2, budget=40)
        with refused("not_released", FolderError):
            campaign.work(folder, account=service.account)


def test_a_part_file_that_is_missing_on_a_machine(sandbox, folder, release, tmp_path):
    release(plan_of(5))
    shutil.copytree(folder, tmp_path / "elsewhere")
    file = tmp_path / "elsewhere" / "rounds" / "0001" / "plan" / "part-00000.parquet"
    file.unlink()
    with refused("campaign_file_damaged", LedgerError):
        campaign.work(tmp_path / "elsewhere", account=sandbox.account)
    file.write_bytes(b"something else")
    with refused("campaign_file_damaged", LedgerError):
        campaign.work(tmp_path / "elsewhere", account=sandbox.account)
    assert len(sandbox.inbox) == 0
    assert campaign.workers(folder).empty
    assert campaign.work(folder, account=sandbox.account).accepted == 5


def test_another_campaigns_tables(sandbox, folder, release, tmp_path, database):
    release(plan_of(5))
    campaign.release(plan_of(4), account=sandbox.account, folder=tmp_path / "b", ledger=database)
    manifest = json.loads((folder / "manifest.json").read_text())
    other = json.loads((tmp_path / "b" / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | {"salt": other["salt"]}))
    with refused("ledger_of_another", LedgerError):
        campaign.work(folder, account=sandbox.account)
    assert len(sandbox.inbox) == 0


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("DROP TABLE {}.workers", "ledger_damaged"),
        ("DROP SCHEMA {} CASCADE", "ledger_missing"),
        ("ALTER TABLE {}.batches DISABLE TRIGGER only_what_waits_is_claimed", "ledger_damaged"),
    ],
)
def test_tables_that_are_not_those_of_a_ledger(
    sandbox, folder, release, postgres_server, database, sql, code
):
    release(plan_of(5))
    schema = open_folder(folder).ledger_place.schema
    postgres_server.ask(sql.format(schema), database.rpartition("/")[2])
    with refused(code, LedgerError):
        campaign.work(folder, account=sandbox.account)
    assert len(sandbox.inbox) == 0


def test_a_database_that_can_only_be_read(sandbox, folder, release, postgres_server, database):
    release(plan_of(5))
    name = database.rpartition("/")[2]
    postgres_server.ask(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    with refused("ledger_unwritable", LedgerError):
        campaign.work(folder, account=sandbox.account)
    assert len(sandbox.inbox) == 0


def test_somebody_without_rights(sandbox, folder, release, postgres_server, database):
    name = database.rpartition("/")[2]
    postgres_server.ask(f"CREATE ROLE clerk_{name} LOGIN PASSWORD 'letter-box-5'")
    postgres_server.ask(f"GRANT CREATE ON DATABASE {name} TO clerk_{name}")
    release(plan_of(5), ledger=postgres_server.address(name, f"clerk_{name}", "letter-box-5"))
    schema = open_folder(folder).ledger_place.schema
    postgres_server.ask(f"ALTER TABLE {schema}.workers OWNER TO {USER}", name)
    postgres_server.ask(f"GRANT SELECT ON {schema}.workers TO clerk_{name}", name)
    with refused("ledger_unwritable", LedgerError):
        campaign.work(folder, account=sandbox.account)
    assert len(sandbox.inbox) == 0


def test_a_database_that_goes_away_ends_the_worker(folder, release, postgres_server, database, monkeypatch):
    """What was under way is unknown, and once the database is back others send the rest."""
    monkeypatch.setattr(postgres_ledger, "COMES_BACK_WITHIN", 0.3)
    name = database.rpartition("/")[2]
    with campaign.Sandbox(latency=0.01) as service:
        release(plan_of(201), account=service.account, batch_size=1, max_unknown=99)
        errors = []

        def work():
            try:
                campaign.work(folder, account=service.account)
            except LedgerError as error:
                errors.append(error.finding.code)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        until(lambda: len(service.inbox) > 20)
        postgres_server.ask(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        postgres_server.ask(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
        )
        thread.join(60)
        time.sleep(0.3)  # for what was on its way to the service
        before = len(service.inbox)
        assert errors == ["ledger_unwritable"]
        with refused("ledger_unreachable", LedgerError):
            campaign.work(folder, account=service.account)
        assert len(service.inbox) == before < 201
        postgres_server.ask(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        monkeypatch.setattr(roster, "TIME_TO_LIVE", 0.0)
        campaign.work(folder, account=service.account)
        assert audit_folder(folder, service.inbox) == []
        known = totals(folder)
        assert known["accepted"] + known.get("unknown", 0) == 201
        assert known.get("unknown", 0) <= 8


def test_another_account(folder, release, database):
    provider = campaign.Account("sandbox", "http://sandbox.example.org/send", "clinic", "made up")
    with campaign.Sandbox() as service:
        release(plan_of(3), account=service.account)
        with refused("other_account", FolderError):
            campaign.work(folder, account=provider)
    campaign.release(
        plan_of(3), account=provider, folder=folder.with_name("other"), ledger=database, name="other"
    )
    with refused("account_missing", AccountError, environment="sandbox"):
        campaign.work(folder.with_name("other"))
    other = campaign.Account("sandbox", "http://sandbox.example.org/send", "school", "made up")
    with refused("other_account", FolderError):
        campaign.work(folder.with_name("other"), account=other)


def test_a_sleeping_worker_does_not_lock_everybody_out(sandbox, folder, sleeper, monkeypatch):
    monkeypatch.setattr(connections, "PATIENCE", 100)
    result = campaign.resume(folder, account=sandbox.account, progress=False)
    assert {name: count for name, count in result.totals.items() if count} == {"unknown": 2, "accepted": 4}


def test_a_worker_that_died_leaves_nothing_locked(sandbox, folder, release, monkeypatch):
    """Its connection has ended with it: nobody has to wait for its time to live."""
    monkeypatch.setattr(connections, "PATIENCE", 100)
    release(plan_of(6), batch_size=2, canary=False)
    place = open_folder(folder)
    leftovers = [folder / "ledger.moves.0a1b2c3d.new", folder / "rounds" / "0001" / "unfinished-4f"]
    for file in leftovers:
        file.touch()
    dead = place.ledger_place.join(place.manifest.identity, "dead:9")
    dead.claim(1, None, lambda free: [BatchSize(free[0].batch, 2, 2)])
    assert all(file.exists() for file in leftovers), "another worker may be writing them"
    dead._session.close()
    result = campaign.resume(folder, account=sandbox.account, progress=False)
    assert {name: count for name, count in result.totals.items() if count} == {"accepted": 6}
    assert "recalled" in events(folder)
    assert not any(file.exists() for file in leftovers)


def test_the_release_keeps_who_and_how(folder, release):
    release(plan_of(5), rate=12.5, budget=99, hours="08:00-20:00 UTC", batch_size=2, max_unknown=3)
    journal = journal_frame(open_folder(folder).ledger_place)
    record = json.loads(journal.loc[journal["now"] == "released", "note"].iloc[-1])
    kept = campaign.sending.options.SendOptions.from_record(record["options"])
    assert (kept.rate, kept.max_unknown, kept.batch_size) == (12.5, 3, 2)
    assert kept.budget == campaign.Budget(99)
    assert kept.as_record() == record["options"]
    assert record["who"]


# Live


@pytest.fixture
def service(resolves_here, monkeypatch):
    with start_live(resolves_here, monkeypatch) as running:
        yield LiveService(running)


def test_live_workers_on_other_machines_send_what_was_confirmed_at_home(
    service, tmp_path, database, monkeypatch
):
    """They need no phrase and claim no home; at home the list agrees, and the next 24 hours know of it."""
    plan, options = plan_for(people(5)), {"account": service.account, "ledger": database}
    with pytest.raises(campaign.ConfirmationError) as question:
        campaign.release(plan, name="visits", folder=tmp_path / "visits", **options)
    folder = campaign.release(
        plan, name="visits", folder=tmp_path / "visits", confirm=question.value.phrase, **options
    ).folder
    assert service.numbers == []
    home = Path(os.environ["CAMPAIGN_STATE_DIR"])
    monkeypatch.setenv("CAMPAIGN_STATE_DIR", str(tmp_path / "another machine"))
    shutil.copytree(folder, tmp_path / "mounted")
    assert campaign.work(tmp_path / "mounted", account=service.account).accepted == 5
    monkeypatch.setenv("CAMPAIGN_STATE_DIR", str(home))
    with refused("confirmation_needed") as again:
        campaign.send(
            plan, account=service.account, folder=tmp_path / "again", name="again", elsewhere="send",
            progress=False,
        )  # fmt: skip
    assert facts_of(findings_of(again.value))["reached_today"] == {"people": 5}
    result = campaign.resume(folder, account=service.account, progress=False)
    assert finding(result, "nothing_left").facts["kinds"][0].startswith("5 messages accepted")
    assert len(service.numbers) == 5


def test_a_live_campaign_that_a_machine_has_sent_with_another_ledger(
    service, tmp_path, database, monkeypatch
):
    plan = plan_for(people(3))

    def confirmed(act, **options):
        options = {"account": service.account, "name": "visits", "batch_size": 4, **options}
        with pytest.raises(campaign.ConfirmationError) as question:
            act(plan, **options)
        return act(plan, confirm=question.value.phrase, **options)

    confirmed(campaign.send, folder=tmp_path / "mine", progress=False)
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("CAMPAIGN_STATE_DIR", str(tmp_path / "another machine"))
        folder = confirmed(campaign.release, folder=tmp_path / "theirs", ledger=database).folder
    with refused("campaign_elsewhere", FolderError):
        campaign.work(folder, account=service.account)
    assert len(service.numbers) == 3
