"""What can be wrong with the database of a ledger: a sentence each, with what to do, and nothing is sent."""

import json
import logging
import os
import socketserver
import threading
import traceback

import psycopg
import pytest
from support.ledgers import IDENTITY
from support.postgres_server import PASSWORD, USER
from support.refusals import refused
from support.small_campaigns import people, plan_for

import campaign
from campaign.errors import CampaignError, LedgerError, UsageError
from campaign.sending.ledger.ledger import Entry
from campaign.sending.ledger.postgres import address
from campaign.sending.ledger.postgres.address import without_password
from campaign.sending.ledger.postgres.place import PostgresPlace
from campaign.sending.options import SendOptions
from campaign.sending.store.folder import open_folder


@pytest.fixture
def database(postgres_server):
    return postgres_server.database()


@pytest.fixture
def waiting(tmp_path, database):
    """The folder of a campaign in a database of which nothing was sent: its canary was refused."""
    with campaign.Sandbox(balance=0) as service:
        campaign.send(
            plan_for(people(3)), account=service.account, folder=tmp_path / "visits", ledger=database,
            progress=False,
        )  # fmt: skip
    return tmp_path / "visits"


def schema_of(folder):
    return open_folder(folder).ledger_place.schema


def send(sandbox, folder, ledger):
    return campaign.send(
        plan_for(people(3)), account=sandbox.account, folder=folder, ledger=ledger, progress=False
    )


@pytest.mark.parametrize(
    "given",
    ["mysql://ana@db/x", "postgresql+psycopg2://ana@db/x", "postgresql://ana@db:port/x", "://"],
)
def test_an_address_that_cannot_be_meant(sandbox, tmp_path, given):
    with refused("wrong_value", UsageError, argument="ledger"):
        send(sandbox, tmp_path / "visits", given)
    assert len(sandbox.inbox) == 0
    assert not (tmp_path / "visits").exists()


@pytest.mark.parametrize(
    ("part", "other", "reason"),
    [
        (f":{PASSWORD}@", ":guess@", "password authentication failed"),
        (f":{PASSWORD}@", "@", "no password supplied"),
        (f"{USER}:", "nobody:", "authentication failed"),
        ("127.0.0.1", "nowhere.invalid", "nowhere.invalid"),
        ("/ngo", "/gone", "does not exist"),
        ("127.0.0.1:", "127.0.0.1:1", ""),
    ],
)
def test_a_database_that_cannot_be_reached(sandbox, tmp_path, database, part, other, reason):
    with refused("ledger_unreachable", LedgerError) as told:
        send(sandbox, tmp_path / "visits", database.replace(part, other))
    assert reason in told.value.finding.facts["reason"]
    assert len(sandbox.inbox) == 0
    assert not (tmp_path / "visits").exists()


@pytest.fixture
def clerk(postgres_server, database):
    """The name of another user, who may connect, and no more."""
    name = f"clerk_of_{database.rpartition('/')[2]}"
    postgres_server.ask(f"CREATE ROLE {name} LOGIN PASSWORD 'letter-box-5'")
    return name


def test_somebody_without_the_right_to_make_tables(sandbox, tmp_path, postgres_server, database, clerk):
    ledger = postgres_server.address(database.rpartition("/")[2], clerk, "letter-box-5")
    with refused("ledger_unwritable", LedgerError):
        send(sandbox, tmp_path / "visits", ledger)
    assert len(sandbox.inbox) == 0


def test_somebody_without_the_right_to_look(waiting, postgres_server, database, clerk):
    """The rights were taken away later, say."""
    postgres_server.ask(f"ALTER SCHEMA {schema_of(waiting)} OWNER TO {clerk}", database.rpartition("/")[2])
    place = open_folder(waiting).ledger_place
    ledger = postgres_server.address(database.rpartition("/")[2], clerk, "letter-box-5")
    theirs = PostgresPlace(place.folder, without_password(ledger), place.schema)
    with refused("ledger_unwritable", LedgerError):
        theirs.check(open_folder(waiting).manifest.identity)


def test_a_database_that_can_only_be_read(sandbox, waiting, postgres_server, database):
    """A standby, say: the result is shown, and nothing is sent."""
    name = database.rpartition("/")[2]
    postgres_server.ask(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    assert campaign.load_result(waiting).totals["refused"] == 1
    with refused("ledger_unwritable", LedgerError):
        campaign.resume(waiting, account=sandbox.account, progress=False)
    assert len(sandbox.inbox) == 0


@pytest.mark.parametrize(
    "meddling",
    [
        "DROP TRIGGER only_known_moves ON batches",
        "ALTER TABLE batches DISABLE TRIGGER only_known_moves",
        "ALTER TABLE batches ADD COLUMN more text",
        "ALTER TABLE batches ALTER COLUMN state DROP NOT NULL",
        "ALTER TABLE rounds DROP CONSTRAINT rounds_pkey",
        "CREATE OR REPLACE FUNCTION batches_stay() RETURNS trigger LANGUAGE plpgsql AS "
        "'BEGIN RETURN old; END'",
        "CREATE OR REPLACE RULE sent AS ON UPDATE TO batches DO INSTEAD NOTHING",
        "DROP TABLE pace",
    ],
)
def test_tables_that_another_program_has_changed(sandbox, waiting, postgres_server, database, meddling):
    postgres_server.ask(f"SET search_path TO {schema_of(waiting)}; {meddling}", database.rpartition("/")[2])
    with refused("ledger_damaged", LedgerError):
        campaign.resume(waiting, account=sandbox.account, progress=False)
    assert len(sandbox.inbox) == 0


def test_a_database_without_the_ledger(sandbox, waiting, postgres_server, database):
    postgres_server.ask(f"DROP SCHEMA {schema_of(waiting)} CASCADE", database.rpartition("/")[2])
    with refused("ledger_missing", LedgerError):
        campaign.resume(waiting, account=sandbox.account, progress=False)
    with refused("ledger_missing", LedgerError):
        campaign.load_result(waiting)
    (problem,) = campaign.history(waiting)["problem"]
    assert "nobody knows what was sent" in problem


def test_the_ledger_of_another_campaign(sandbox, waiting):
    folder = open_folder(waiting)
    with refused("ledger_of_another", LedgerError, differs="manifest"):
        folder.ledger_place.open(folder.manifest.identity | {"manifest": "other"})


@pytest.mark.parametrize(
    ("field", "crafted", "code"),
    [
        ("salt", "x; DROP TABLE y", "campaign_file_damaged"),
        ("ledger", "postgresql+psycopg://ana@db:port/x", "ledger_unreachable"),
        ("ledger", "mysql://ana@db/x", "wrong_value"),
    ],
)
def test_a_folder_that_somebody_has_crafted(waiting, field, crafted, code):
    manifest = waiting / "manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {field: crafted}))
    with refused(code, CampaignError):
        campaign.load_result(waiting)


def test_a_server_that_wants_to_read_the_password_does_not_get_it(waiting, monkeypatch):
    """Of a folder that somebody sent: it asks for it in clear, and for a digest that is easily guessed."""
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    heard = []
    clear, md5 = b"R\0\0\0\x08\0\0\0\x03", b"R\0\0\0\x0c\0\0\0\x05salt"  # AuthenticationRequest
    with socketserver.TCPServer(("127.0.0.1", 0), greedy_server(heard, clear)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for request in (clear, md5):
            server.RequestHandlerClass = greedy_server(heard, request)
            there = f"postgresql+psycopg://ana@127.0.0.1:{server.server_address[1]}/x"
            place = PostgresPlace(waiting, there, "s")
            with refused("ledger_unreachable", LedgerError):
                place.check(IDENTITY)
        server.shutdown()
    assert len(heard) >= 2
    assert not any(PASSWORD.encode() in said or b"md5" in said for said in heard)


def greedy_server(heard, request):
    """A handler that declines encryption, asks for the password, and keeps what it hears."""

    class Greedy(socketserver.BaseRequestHandler):
        def handle(self):
            self.request.settimeout(5)
            while said := self.request.recv(4096):
                heard.append(said)
                is_about_encryption = len(said) == 8
                self.request.sendall(b"N" if is_about_encryption else request)

    return Greedy


def test_an_older_copy_of_the_ledger(sandbox, waiting):
    """As a restored backup is."""
    guard = waiting / "ledger.moves"
    guard.write_text(str(int(guard.read_text()) + 3))
    with refused("ledger_older", LedgerError, missing=3):
        campaign.resume(waiting, account=sandbox.account, progress=False)
    assert len(sandbox.inbox) == 0


def test_a_server_that_does_not_sync(sandbox, waiting, postgres_server):
    postgres_server.ask("ALTER SYSTEM SET fsync = off")
    try:
        postgres_server.ask("SELECT pg_reload_conf(), pg_sleep(0.2)")
        with refused("ledger_unsafe", LedgerError, reason="fsync is off"):
            campaign.resume(waiting, account=sandbox.account, progress=False)
    finally:
        postgres_server.ask("ALTER SYSTEM RESET fsync")
        postgres_server.ask("SELECT pg_reload_conf(), pg_sleep(0.2)")
    assert len(sandbox.inbox) == 0


@pytest.mark.parametrize("elsewhere", ["another database", "a file"])
def test_a_campaign_keeps_its_ledger(sandbox, waiting, postgres_server, tmp_path, elsewhere):
    other = postgres_server.database() if elsewhere == "another database" else tmp_path / "visits.sqlite"
    with refused("ledger_elsewhere", UsageError):
        send(sandbox, waiting, other)
    assert len(sandbox.inbox) == 0


COLUMNS = "(batch, round, part, first, messages, digest)"


@pytest.mark.parametrize(
    ("meddling", "refusal"),
    [
        ("UPDATE batches SET state = NULL WHERE batch = 3", "this fact cannot be"),
        ("UPDATE batches SET state = 'lost' WHERE batch = 3", "this fact cannot be"),
        ("UPDATE batches SET state = 'pending' WHERE batch = 2", "not allowed"),
        ("UPDATE batches SET state = 'again' WHERE batch = 2", "not allowed"),
        ("UPDATE batches SET state = 'sending' WHERE batch = 1", "not allowed"),
        ("UPDATE batches SET cost = '-35' WHERE batch = 1", "this fact cannot be"),
        ("UPDATE batches SET submitted_at = 'soon' WHERE batch = 1", "this fact cannot be"),
        (f"INSERT INTO batches {COLUMNS} VALUES (4, 1, 0, 0, 9, '')", "the plan is frozen"),
        (f"INSERT INTO batches {COLUMNS} VALUES (9, 2, 0, 0, 9, '')", "the plan is frozen"),
        (
            f"INSERT INTO batches {COLUMNS} VALUES (3, 2, 0, 0, 9, '') ON CONFLICT DO NOTHING",
            "plan is frozen",
        ),
        ("UPDATE batches SET round = 2 WHERE batch = 1", "the plan is frozen"),
        ("UPDATE batches SET batch = 9 WHERE batch = 1", "the plan is frozen"),
        ("UPDATE batches SET messages = 9 WHERE batch = 1", "the plan is frozen"),
        ("UPDATE batches SET digest = '' WHERE batch = 1", "the plan is frozen"),
        ("DELETE FROM batches WHERE batch = 1", "never deleted"),
        ("TRUNCATE batches", "never deleted"),
        ("UPDATE journal SET note = 'ana: again'", "journal only grows"),
        ("UPDATE journal SET id = 99 WHERE id = 1", "journal only grows"),
        ("DELETE FROM journal", "journal only grows"),
        ("TRUNCATE journal", "journal only grows"),
        ("INSERT INTO journal VALUES (99, '', 1, '', '', '', '')", "journal only grows"),
        ("UPDATE rounds SET digest = 'x'", "rounds only grow"),
        ("DELETE FROM rounds", "rounds only grow"),
        ("TRUNCATE rounds", "rounds only grow"),
        ("INSERT INTO rounds VALUES (1, 'x', 'x')", "rounds follow each other"),
        ("INSERT INTO rounds VALUES (3, 'x', 'x')", "rounds follow each other"),
        ("INSERT INTO rounds VALUES (2, 'x', 'x')", "batches of an earlier round still wait"),
        (
            "INSERT INTO journal (at, batch, was, now, error, note) VALUES ('', 0, '', 'erased', '', '')",
            "something waits or is unknown",
        ),
        ("UPDATE campaign SET value = 'x' WHERE key = 'manifest'", "never changes"),
        ("INSERT INTO campaign VALUES ('manifest', 'x')", "never changes"),
        ("DELETE FROM campaign", "never changes"),
        ("TRUNCATE campaign", "never changes"),
    ],
)
def test_another_program_cannot_make_a_batch_leave_again(used, postgres_server, meddling, refusal):
    """Batch 1 is accepted, 2 unknown, 3 waits."""
    place, database = used
    name = database.rpartition("/")[2]
    with pytest.raises(psycopg.errors.IntegrityConstraintViolation, match=refusal):
        postgres_server.ask(f"SET search_path TO {place.schema}; {meddling}", name)


@pytest.fixture(scope="module")
def used(postgres_server, tmp_path_factory):
    """A ledger of three batches, and its database."""
    database = postgres_server.database()
    place = PostgresPlace(tmp_path_factory.mktemp("used"), without_password(database), "campaign_used")
    place.create(IDENTITY)
    ledger = place.open(IDENTITY)
    ledger.register_round("digest", [Entry(batch, 0, batch, 1, b"d") for batch in (1, 2, 3)])
    for batch, state in ((1, "accepted"), (2, "unknown")):
        ledger.move(batch, "sending")
        ledger.move(batch, state)
    ledger.close()
    return place, database


# the password


def test_the_password_is_nowhere(sandbox, tmp_path, database, postgres_server, caplog):
    """In no file, no table, no repr, no log, no error, and no traceback that shows local variables."""
    caplog.set_level(logging.DEBUG)
    folder = tmp_path / "visits"
    run = campaign.start(
        plan_for(people(3)), account=sandbox.account, folder=folder, ledger=database, progress=False
    )
    shown = [repr(run), repr(run.options), repr(run.wait()), repr(open_folder(folder).ledger_place)]
    shown += [path.read_bytes().decode("latin-1") for path in folder.rglob("*") if path.is_file()]
    dump = f"SELECT schema_to_xml('{schema_of(folder)}', true, false, '')::text"
    shown += [str(postgres_server.ask(dump, database.rpartition("/")[2]))]
    wrong = database.replace("/ngo", "/gone")
    for ledger in (
        wrong,
        database.replace("postgresql+psycopg", "mysql"),
        f"postgresql://x:{PASSWORD}@h:p/d",
    ):
        with pytest.raises(CampaignError) as refusal:
            send(sandbox, tmp_path / "other", ledger)
        told = traceback.TracebackException.from_exception(refusal.value, capture_locals=True)
        told.stack[:] = told.stack[2:]  # this test has the address, as a cell of a notebook has
        shown += ["".join(told.format()), *caplog.messages]
    assert len(shown) > 10
    assert [text for text in shown if PASSWORD in text] == []


def test_the_password_comes_from_the_environment(sandbox, tmp_path, database, monkeypatch):
    monkeypatch.setattr(address, "_passwords", {})
    without = database.replace(f":{PASSWORD}", "")
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    send(sandbox, tmp_path / "visits", without)
    assert campaign.load_result(tmp_path / "visits").totals["accepted"] == 3


def test_the_password_comes_from_a_password_file(sandbox, tmp_path, database, monkeypatch):
    monkeypatch.setattr(address, "_passwords", {})
    secrets = tmp_path / "pgpass"
    secrets.write_text(f"*:*:*:{USER}:{PASSWORD}\n")
    secrets.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", os.fspath(secrets))
    send(sandbox, tmp_path / "visits", database.replace(f":{PASSWORD}", ""))
    assert campaign.load_result(tmp_path / "visits").totals["accepted"] == 3


def test_a_database_that_moves_is_found_by_its_service(sandbox, tmp_path, database, monkeypatch):
    """The folder keeps the name of a service; where it is, and as whom, is in libpq's own file."""
    port, name = database.rpartition(":")[2].split("/")
    services = tmp_path / "services.conf"
    services.write_text(f"[campaigns]\nhost=localhost\nport={port}\ndbname={name}\nuser={USER}\n")
    monkeypatch.setenv("PGSERVICEFILE", os.fspath(services))
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    send(sandbox, tmp_path / "visits", "postgresql:///?service=campaigns")
    services.write_text(services.read_text().replace("localhost", "127.0.0.1"))
    assert campaign.load_result(tmp_path / "visits").totals["accepted"] == 3
    assert open_folder(tmp_path / "visits").manifest.ledger == "postgresql+psycopg:///?service=campaigns"


def test_a_new_program_needs_the_password_again(sandbox, waiting, database, monkeypatch):
    monkeypatch.setattr(address, "_passwords", {})
    with refused("ledger_unreachable", LedgerError):
        campaign.load_result(waiting)
    result = campaign.resume(waiting, account=sandbox.account, ledger=database, progress=False)
    assert result.totals["accepted"] == 3


@pytest.mark.parametrize("parameter", ["password", "sslpassword"])
def test_a_password_among_the_parameters_is_kept_apart_too(parameter):
    shown = without_password(f"postgresql://ana@db/x?sslmode=require&{parameter}=opal-sesame-77")
    assert shown == "postgresql+psycopg://ana@db/x?sslmode=require"


def test_an_address_is_shown_without_its_password():
    options = SendOptions(ledger=without_password(f"postgresql://ana:{PASSWORD}@db/x"))
    assert "ledger='postgresql+psycopg://ana@db/x'" in repr(options)
