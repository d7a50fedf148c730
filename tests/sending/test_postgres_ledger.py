"""Campaigns whose ledger is in a PostgreSQL database: sent, continued, settled, closed, listed and erased."""

import math
import shutil
import time
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pandas as pd
import psycopg
import pytest
from support.findings import finding
from support.ledgers import IDENTITY
from support.refusals import facts_of, findings_of, refused
from support.shares import one_of
from support.small_campaigns import people, plan_for
from support.swallowing_relay import swallowing

import campaign
from campaign.errors import ConfirmationError, FolderError, LedgerError, LockedError
from campaign.sending.engine import delivery
from campaign.sending.ledger.ledger import Entry, Move
from campaign.sending.ledger.postgres import connections
from campaign.sending.ledger.postgres import ledger as postgres_ledger
from campaign.sending.ledger.postgres.address import without_password
from campaign.sending.ledger.postgres.connections import PostgresError
from campaign.sending.ledger.postgres.place import PostgresPlace
from campaign.sending.ledger.views import identity_of, journal_frame
from campaign.sending.store.folder import open_folder

INSERT = "INSERT INTO journal (at, batch, was, now, error, note)"


@pytest.fixture
def database(postgres_server):
    """The address of an empty database, with its password."""
    return postgres_server.database()


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "visits"


@pytest.fixture
def interrupted(folder, database):
    """The folder of a campaign of ten in a database: two accepted, two unknown, six never attempted."""
    with campaign.Sandbox(faults={2: "accept_reset"}) as service:
        send(people(10), service, folder, database, batch_size=2, concurrency=1, canary=False)
    return folder


def send(table, service, folder, database, **options):
    return campaign.send(
        plan_for(table), account=service.account, folder=folder, ledger=database, progress=False, **options
    )


def confirmed(code, act):
    """Do what asks for a phrase, with the phrase; `code` is in the question."""
    with pytest.raises(ConfirmationError) as refusal:
        act(None)
    assert code in facts_of(findings_of(refusal.value))
    return act(refusal.value.phrase)


def settle(folder, outcome):
    confirmed("batch_left", lambda phrase: campaign.resolve(folder, 2, outcome, confirm=phrase))


@pytest.fixture
def erased(interrupted):
    settle(interrupted, "accepted")
    confirmed("closes", lambda phrase: campaign.close(interrupted, confirm=phrase))
    confirmed("erases", lambda phrase: campaign.erase(interrupted, confirm=phrase))
    return interrupted


def totals(result):
    return {status: count for status, count in result.totals.items() if count}


def test_a_campaign_is_sent_and_read_again(sandbox, folder, database):
    result = send(people(5), sandbox, folder, database, batch_size=2)
    assert totals(result) == {"accepted": 5}
    assert sandbox.inbox["number"].is_unique
    again = campaign.load_result(folder)
    assert again.batches.equals(result.batches)
    assert again.batches["status"].tolist() == ["accepted"] * 3
    assert not (folder / "ledger.sqlite").exists()


def test_running_it_again_sends_nothing(sandbox, folder, database):
    send(people(5), sandbox, folder, database)
    again = send(people(5), sandbox, folder, database)
    assert finding(again, "nothing_left").facts["kinds"][0].startswith("5 messages accepted")
    assert len(sandbox.inbox) == 5


def test_a_corrected_table_is_a_second_round(sandbox, folder, database):
    send(people(5), sandbox, folder, database)
    result = send(people(7), sandbox, folder, database)
    assert totals(result) == {"accepted": 7}
    assert result.batches["round"].tolist() == [1, 1, 2, 2]  # each with its canary
    assert sandbox.inbox["number"].is_unique


def test_an_interrupted_campaign_is_resumed(sandbox, interrupted):
    result = campaign.resume(interrupted, account=sandbox.account, progress=False)
    assert totals(result) == {"accepted": 8, "unknown": 2}
    assert len(sandbox.inbox) == 6


@pytest.mark.parametrize("outcome", ["accepted", "refused", "again"])
def test_a_person_settles_what_is_unknown(sandbox, interrupted, outcome):
    settle(interrupted, outcome)
    last = journal_frame(open_folder(interrupted).ledger_place).iloc[-1]
    assert (last["batch"], last["was"], last["now"]) == (2, "unknown", outcome)
    result = campaign.resume(interrupted, account=sandbox.account, progress=False)
    assert totals(result) == {"accepted": 10}
    assert len(sandbox.inbox) == (6 if outcome == "accepted" else 8)


def test_the_providers_list_settles_it_too(interrupted, tmp_path):
    result = campaign.load_result(interrupted)
    left = result.messages.loc[result.messages["batch"] == 2, ["number", "message"]]
    left.columns = ["number", "text"]
    left.to_csv(tmp_path / "provider.csv", index=False)
    found = campaign.reconcile(interrupted, tmp_path / "provider.csv")
    settled = campaign.reconcile(interrupted, tmp_path / "provider.csv", confirm=found.phrase)
    assert totals(settled) == {"accepted": 4, "not_sent": 6}
    priced = price(interrupted, 70)
    assert (settled.totals.unpriced, priced.totals.unpriced) == (1, 0)
    assert price(interrupted, 71).totals.cost == priced.totals.cost + 1


def price(folder, cost):
    with pytest.raises(campaign.ConfirmationError) as asked:
        campaign.resolve(folder, 2, "accepted", cost=cost)
    return campaign.resolve(folder, 2, "accepted", cost=cost, confirm=asked.value.phrase)


@pytest.mark.parametrize("outcome", ["refused", "again"])
def test_the_providers_list_settles_anew_what_was_settled_wrongly(sandbox, interrupted, tmp_path, outcome):
    settle(interrupted, outcome)
    result = campaign.load_result(interrupted)
    left = result.messages.loc[result.messages["batch"] == 2, ["number", "message"]]
    left.columns = ["number", "text"]
    left.to_csv(tmp_path / "provider.csv", index=False)
    found = campaign.reconcile(interrupted, tmp_path / "provider.csv")
    assert found.certain == {2: "accepted"}
    settled = campaign.reconcile(interrupted, tmp_path / "provider.csv", confirm=found.phrase)
    assert totals(settled) == {"accepted": 4, "not_sent": 6}
    assert totals(campaign.resume(interrupted, account=sandbox.account, progress=False)) == {"accepted": 10}
    assert len(sandbox.inbox) == 6
    assert price(interrupted, 70).totals.unpriced == 0
    (line,) = campaign.history(interrupted.parent).to_dict("records")
    assert (line["accepted"], line["unknown"], line["refused"]) == (10, 0, 0)


def test_it_is_closed_and_erased(interrupted):
    settle(interrupted, "accepted")
    confirmed("closes", lambda phrase: campaign.close(interrupted, confirm=phrase))
    before = campaign.history(interrupted)
    confirmed("erases", lambda phrase: campaign.erase(interrupted, confirm=phrase))
    assert {path.name for path in (interrupted / "rounds").rglob("*")} == {"0001", "manifest.json"}
    place = open_folder(interrupted).ledger_place
    assert (journal_frame(place)["error"] == "").all()
    with place.reading() as connection:
        assert connection.execute("SELECT count(*) FROM batches WHERE digest != ''").fetchone() == (0,)
    counts = ["accepted", "people", "cost"]
    pd.testing.assert_frame_equal(campaign.history(interrupted)[counts], before[counts])


@pytest.mark.parametrize(
    ("meddling", "refusal"),
    [
        (f"{INSERT} VALUES ('', 0, '', 'erased', '', '')", "the campaign was erased"),
        (f"{INSERT} VALUES ('', 0, '', 'closed', '', '')", "the campaign was erased"),
        ("INSERT INTO rounds VALUES (2, '', '')", "the campaign was erased"),
        ("UPDATE batches SET digest = 'x' WHERE batch = 1", "the plan is frozen"),
        ("UPDATE journal SET note = 'x' WHERE batch = 1", "the journal only grows"),
        ("UPDATE journal SET note = '', error = '' WHERE batch = 0", "the journal only grows"),
    ],
)
def test_nothing_follows_once_it_is_erased(erased, postgres_server, database, meddling, refusal):
    name = database.rpartition("/")[2]
    schema = open_folder(erased).ledger_place.schema
    with pytest.raises(psycopg.errors.IntegrityConstraintViolation, match=refusal):
        postgres_server.ask(f"SET search_path TO {schema}; {meddling}", name)


def test_once_it_is_erased_nobody_sends_it_or_works_on_it(sandbox, erased, plan):
    for call in (
        lambda: campaign.send(plan, account=sandbox.account, folder=erased, progress=False),
        lambda: campaign.release(erased, account=sandbox.account),
        lambda: campaign.work(erased, account=sandbox.account),
        lambda: campaign.load_result(erased),
    ):
        with refused("erased_before", campaign.FolderError):
            call()


def test_history_lists_it_beside_one_in_a_file(sandbox, interrupted, plan):
    campaign.send(plan, account=sandbox.account, folder=interrupted.parent / "in a file", progress=False)
    listed = campaign.history(interrupted.parent)
    counts = listed[["name", "accepted", "unknown", "waiting", "problem"]].to_numpy().tolist()
    assert counts == [["in a file", 3, 0, 0, ""], ["visits", 2, 2, 6, ""]]


def test_the_budget_given_last_is_kept(sandbox, folder, database):
    first = send(people(6), sandbox, folder, database, batch_size=1, budget=campaign.Budget(messages=2))
    assert totals(first) == {"accepted": 2, "not_sent": 4}
    assert totals(campaign.resume(folder, account=sandbox.account, progress=False)) == totals(first)


def test_a_takeover_is_recorded(tmp_path, database):
    place = PostgresPlace(tmp_path, without_password(database), "campaign_moved")
    place.create(IDENTITY | {"machine": "old", "folder": "here"})
    with closing(place.open(IDENTITY)) as ledger:
        ledger.take_over({"machine": "new", "folder": "there"}, "amina: moved")
    assert IDENTITY.items() | {("machine", "new"), ("folder", "there")} <= identity_of(place).items()
    assert journal_frame(place)[["now", "note"]].to_numpy().tolist() == [["takeover", "amina: moved"]]


@pytest.fixture
def place(tmp_path, database):
    """A ledger of three batches that wait."""
    place = PostgresPlace(tmp_path, without_password(database), "campaign_cut")
    place.create(IDENTITY)
    with closing(place.open(IDENTITY)) as ledger:
        ledger.register_round("digest", [Entry(batch, 0, batch, 1, b"d") for batch in (1, 2, 3)])
    return place


@pytest.fixture
def cut(database, postgres_server):
    """Ends all connections to the database, as a restart of the server does."""
    name = database.rpartition("/")[2]
    end = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
    return lambda: postgres_server.ask(end)


def moves_in_journal(place):
    return journal_frame(place)[["batch", "now"]].to_numpy().tolist()[1:]


def test_a_database_that_goes_while_it_is_open_is_told_in_words(place, cut):
    ledger = place.open(IDENTITY)
    cut()
    for use in (ledger.last_round, ledger.purge, ledger.waiting_messages, ledger.close_campaign):
        with refused("ledger_unwritable", LedgerError):
            use()
    ledger.close()
    place.open(IDENTITY).close()


def test_moves_are_recorded_once_the_database_is_back(place, cut):
    with closing(place.open(IDENTITY)) as ledger:
        ledger.move(1, "sending")
        cut()
        assert ledger.commit([Move(1, "accepted", {"code": "c"}), Move(2, "sending", {})]) == [None, None]
        cut()
        ledger.move(2, "refused")
    assert sorted(moves_in_journal(place)) == [
        [1, "accepted"],
        [1, "sending"],
        [2, "refused"],
        [2, "sending"],
    ]


def test_moves_are_recorded_also_if_the_database_goes_again_meanwhile(place, cut, monkeypatch):
    with closing(place.open(IDENTITY)) as ledger:
        anew, cuts = ledger._commit_what_was_not_recorded, [cut, cut]

        def commit_while_it_goes_again(moves):
            if cuts:
                cuts.pop()()
            return anew(moves)

        monkeypatch.setattr(ledger, "_commit_what_was_not_recorded", commit_while_it_goes_again)
        ledger.move(1, "sending")
        cut()
        assert ledger.commit([Move(1, "accepted", {"code": "c"}), Move(2, "sending", {})]) == [None, None]
    assert sorted(moves_in_journal(place)) == [[1, "accepted"], [1, "sending"], [2, "sending"]]


def test_a_commit_whose_answer_was_lost_is_not_made_twice(place, cut):
    """The connection breaks between the commit and the answer."""
    with closing(place.open(IDENTITY)) as ledger:
        execute = ledger._connection.execute

        def commit_and_break(sql, *values):
            rows = execute(sql, *values)
            if sql == "COMMIT":
                cut()
                execute("SELECT 1")
            return rows

        ledger._connection.execute = commit_and_break
        ledger.move(1, "sending")
        ledger.move(1, "accepted")
    assert moves_in_journal(place) == [[1, "sending"], [1, "accepted"]]


def test_nothing_is_recorded_after_another_program_has_had_the_ledger(place, cut):
    """It takes what was under way for unknown, and may send the rest: the first program must not go on."""
    ledger = place.open(IDENTITY)
    ledger.move(1, "sending")
    cut()
    place.open(IDENTITY).close()
    with refused("ledger_unwritable", LedgerError):
        ledger.move(2, "sending")
    with refused("ledger_unwritable", LedgerError):
        ledger.move(2, "sending")
    assert moves_in_journal(place) == [[1, "sending"], [1, "unknown"]]


def test_a_database_that_stays_away_ends_the_run(place, cut, monkeypatch, postgres_server):
    monkeypatch.setattr(postgres_ledger, "COMES_BACK_WITHIN", 0.1)
    ledger = place.open(IDENTITY)
    monkeypatch.setattr(ledger, "_reopen", unreachable)
    cut()
    with refused("ledger_unwritable", LedgerError):
        ledger.move(1, "sending")
    assert moves_in_journal(place) == []


def unreachable():
    raise PostgresError("connection refused")


# A server that accepts, and answers no more


@pytest.fixture
def impatient(monkeypatch):
    """Seconds become tenths of seconds."""
    monkeypatch.setattr(connections, "ANSWER_WITHIN", 0.6)
    monkeypatch.setitem(connections._REACH, "connect_timeout", 2)
    monkeypatch.setattr(postgres_ledger, "COMES_BACK_WITHIN", 0.1)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("answers", one_of([500, 0, 60, 1500]))
def test_a_database_that_answers_no_more_is_given_up(interrupted, database, postgres_server, answers):
    """At any moment: while it is connected to, while it is asked for its version, while it is read."""
    manifest = interrupted / "manifest.json"
    with swallowing(postgres_server.port, answers) as relay:
        without_password(database.replace(str(postgres_server.port), str(relay.port)))
        manifest.write_text(manifest.read_text().replace(str(postgres_server.port), str(relay.port)))
        began = time.monotonic()
        for use in (campaign.load_result, campaign.close):
            with refused("ledger_unreachable", LedgerError):
                use(interrupted)
        assert time.monotonic() - began < 15
        assert "cannot be" in campaign.history(interrupted)["problem"][0]


@pytest.mark.usefixtures("impatient")
def test_a_database_that_hangs_in_mid_run_ends_it(sandbox, folder, database, postgres_server):
    """Nothing leaves without the record; what was recorded is true, and the rest goes out afterwards."""
    with swallowing(postgres_server.port, math.inf) as relay:
        there = database.replace(str(postgres_server.port), str(relay.port))
        run = campaign.start(
            plan_for(people(300)), account=sandbox.account, folder=folder, ledger=there, batch_size=1,
            concurrency=2, canary=False, progress=False,
        )  # fmt: skip
        while run.counts.accepted < 5:
            time.sleep(0.01)
        relay.limit = 0
        with pytest.raises(LedgerError):
            run.wait()
        relay.limit = math.inf
        resumed = campaign.resume(folder, account=sandbox.account, progress=False)
    sent = sandbox.inbox["number"]
    assert sent.is_unique
    counts = totals(resumed)
    assert counts["accepted"] + counts.get("unknown", 0) == 300
    assert counts["accepted"] <= len(sent)


def test_two_campaigns_share_a_database(sandbox, tmp_path, database, postgres_server):
    for name in ("visits", "meeting"):
        assert totals(send(people(3), sandbox, tmp_path / name, database)) == {"accepted": 3}
    schemas = "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'campaign%'"
    assert len(postgres_server.ask(schemas, database.rpartition("/")[2])) == 2


def test_the_databases_clock_says_when_a_batch_left(sandbox, folder, database, monkeypatch):
    """Machines that send may be an hour apart."""

    class Late(datetime):
        @classmethod
        def now(cls, zone=None):
            return datetime.now(zone) + timedelta(hours=1)

    monkeypatch.setattr(delivery, "datetime", Late)
    result = send(people(1), sandbox, folder, database)
    assert abs(result.batches["submitted_at"][0] - pd.Timestamp.now("UTC")) < timedelta(minutes=1)


def test_only_one_program_has_it_open_wherever_it_runs(interrupted, tmp_path, monkeypatch):
    """Another machine has another folder and another lock file; the ledger is the same."""
    monkeypatch.setattr(connections, "PATIENCE", 50)
    shutil.copytree(interrupted, tmp_path / "elsewhere")
    place = open_folder(interrupted)
    with closing(place.ledger_place.open(place.manifest.identity)):
        with refused("campaign_open", LockedError):
            campaign.resume(tmp_path / "elsewhere", progress=False)
        assert campaign.load_result(tmp_path / "elsewhere").totals["not_sent"] == 6
    assert totals(campaign.resume(tmp_path / "elsewhere", progress=False)) == {"accepted": 8, "unknown": 2}


def test_a_copy_of_the_folder_sends_nothing_twice(sandbox, interrupted, tmp_path):
    """It leads to the same ledger, unlike a copy of a file."""
    shutil.copytree(interrupted, tmp_path / "copy")
    campaign.resume(interrupted, account=sandbox.account, progress=False)
    again = campaign.resume(tmp_path / "copy", account=sandbox.account, progress=False)
    assert totals(again) == {"accepted": 8, "unknown": 2}
    assert sandbox.inbox["number"].is_unique


def test_a_campaign_that_cannot_be_made_leaves_no_ledger(
    sandbox, folder, database, postgres_server, monkeypatch
):
    """The folder is made after the ledger; what a program left that failed between them is cleared away."""

    def fail(self, target):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", fail)
        with refused("campaign_file_unusable", FolderError):
            send(people(3), sandbox, folder, database)
    schemas = "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'campaign%'"
    assert postgres_server.ask(schemas, database.rpartition("/")[2]) == []
    assert totals(send(people(3), sandbox, folder, database)) == {"accepted": 3}
