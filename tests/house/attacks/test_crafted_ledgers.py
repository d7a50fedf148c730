"""A ledger that somebody has changed or replaced."""

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from support.raw_server import hostile, reply
from support.refusals import refused
from support.small_campaigns import contacts_of, people, plan_for

import campaign
from campaign.sending.ledger.ledger_file import LedgerFile
from campaign.sending.ledger.views import journal_frame

CRAFTED = {
    "a view that calls a function": "CREATE VIEW v AS SELECT load_extension('evil.so')",
    "a trigger of its own": "CREATE TRIGGER t AFTER UPDATE ON batches BEGIN SELECT evil('it-ran'); END",
    "a table of its own": "CREATE TABLE extra (x)",
    "an index over a function": "CREATE INDEX i ON batches (abs(messages))",
    "a search table": "CREATE VIRTUAL TABLE f USING fts5(x)",
    "another program's mark": "PRAGMA application_id = 7",
    "no trigger": "DROP TRIGGER batches_stay",
    "no batches": "DROP TABLE batches",
    "another campaign": "DROP TRIGGER identity_is_frozen; "
    "UPDATE campaign SET value = 'x' WHERE key = 'manifest'",
    "batches of no round": "INSERT INTO batches (batch, round, part, first, messages, digest) "
    "SELECT max(batch) + 1, 2, part, first, messages, digest FROM batches",
    "a schema that does not parse": "PRAGMA writable_schema = ON; "
    "UPDATE sqlite_schema SET sql = 'CREATE TABLE batches (' WHERE name = 'batches'",
}


COPY = (
    "INTO batches (batch, round, part, first, messages, digest) SELECT {}, {}, part, first, messages, digest"
)
MEDDLING = {
    "a batch added to a round": f"INSERT {COPY.format('max(batch) + 1', 1)} FROM batches",
    "a batch put in the place of another": f"REPLACE {COPY.format(1, 1)} FROM batches WHERE batch = 2",
    "a batch of a round to come": f"INSERT {COPY.format('max(batch) + 1', 2)} FROM batches",
    "a batch of a round after that": f"INSERT {COPY.format('max(batch) + 1', 3)} FROM batches",
    "a round that nobody froze": "UPDATE batches SET state = 'withdrawn' WHERE state = 'pending'; "
    "INSERT INTO rounds VALUES (2, 'x', 'x')",
    "a round while others wait": "INSERT INTO rounds VALUES (2, 'x', 'x')",
    "a round put in the place of another": "REPLACE INTO rounds VALUES (1, 'x', 'x')",
    "a round with another digest": "UPDATE rounds SET digest = 'x'",
    "a round with another number": "UPDATE OR REPLACE rounds SET round = 2",
    "a round deleted": "DELETE FROM rounds",
    "a withdrawn batch waits again": "UPDATE batches SET state = 'withdrawn' WHERE state = 'pending'; "
    "UPDATE batches SET state = 'pending' WHERE state = 'withdrawn'",
    "a batch ordered again by nobody": "UPDATE batches SET state = 'again' WHERE state = 'unknown'",
    "a batch ordered again is unknown": "UPDATE batches SET state = 'again', note = 'x' "
    "WHERE state = 'unknown'; UPDATE batches SET state = 'unknown', note = 'x' WHERE state = 'again'",
    "an accepted batch ordered again": "UPDATE batches SET state = 'again', note = 'x' "
    "WHERE state = 'accepted'",
    "the identity replaced": "REPLACE INTO campaign VALUES ('manifest', 'x')",
    "the identity deleted": "DELETE FROM campaign",
    "the journal replaced": "REPLACE INTO journal SELECT id, at, batch, was, now, error, 'x' FROM journal",
}


ODD_VALUES = {
    "a cost that is none": "UPDATE batches SET cost = 'abc'",
    "a cost without a value": "UPDATE batches SET cost = 'NaN'",
    "a cost that fills the memory": "UPDATE batches SET cost = '1e999999'",
    "a cost that gives money back": "UPDATE batches SET cost = '-35'",
    "a time that is none": "UPDATE batches SET submitted_at = 'soon'",
}


@pytest.mark.parametrize("craft", CRAFTED.values(), ids=CRAFTED)
def test_a_crafted_ledger_is_refused_and_left_alone(craft, plan):
    with campaign.Sandbox(faults={2: "accept_reset"}) as sandbox:
        account = sandbox.account
        campaign.send(plan, account=account, folder="visits", batch_size=1, concurrency=1, progress=False)
        received = len(sandbox.inbox)
        with sqlite3.connect("visits/ledger.sqlite") as connection:
            connection.executescript(craft)
        connection.close()
        calls = [
            lambda: campaign.load_result("visits"),
            lambda: campaign.resume("visits", account=account, progress=False),
            lambda: campaign.resolve("visits", 2, "accepted", confirm="batch 2 was accepted"),
            lambda: campaign.send(plan, account=account, folder="visits", progress=False),
        ]
        for call in calls:
            with pytest.raises(campaign.LedgerError):
                call()
        assert len(sandbox.inbox) == received
    assert not Path("it-ran").exists()


@pytest.mark.parametrize("craft", MEDDLING.values(), ids=MEDDLING)
def test_meddling_with_rounds_sends_nobody_a_second_message(craft):
    """The ledger refuses the change, and all that came with it, or this program refuses the ledger."""
    with campaign.Sandbox(faults={2: "accept_reset"}) as sandbox:
        options = {"account": sandbox.account, "batch_size": 1, "concurrency": 1, "progress": False}
        campaign.send(people_plan(), folder="visits", **options)
        with closing(sqlite3.connect("visits/ledger.sqlite")) as connection:
            try:
                connection.executescript(f"BEGIN; {craft}; COMMIT")
                refused = False
            except sqlite3.IntegrityError:
                refused = True
        calls = (
            lambda: campaign.resume("visits", **options),
            lambda: campaign.send(people_plan(), folder="visits", **options),
            lambda: campaign.load_result("visits"),
        )
        for call in calls:
            if refused:
                call()
            else:
                with pytest.raises(campaign.FolderError, match=r"[Rr]estore"):
                    call()
        assert not sandbox.inbox["number"].duplicated().any()
        assert len(sandbox.inbox) == (4 if refused else 2)


def people_plan():
    return plan_for(people(4))


@pytest.mark.parametrize("change", ODD_VALUES.values(), ids=ODD_VALUES)
def test_a_ledger_with_values_that_no_run_writes_is_refused(change, plan):
    campaign.send(plan, folder="visits", progress=False)
    with sqlite3.connect("visits/ledger.sqlite") as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(change)
    connection.close()
    with refused("ledger_damaged", campaign.LedgerError):
        campaign.load_result("visits")


def test_a_state_that_no_run_writes_is_refused(plan):
    campaign.send(plan, folder="visits", progress=False)
    with sqlite3.connect("visits/ledger.sqlite") as connection:
        (guard,) = connection.execute(
            "SELECT sql FROM sqlite_schema WHERE name = 'only_known_moves'"
        ).fetchone()
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("DROP TRIGGER only_known_moves")
        connection.execute("UPDATE batches SET state = '<img>'")
        connection.execute(guard)
    connection.close()
    for call in (campaign.load_result, campaign.resume):
        with refused("ledger_damaged", campaign.LedgerError):
            call("visits")


def test_a_database_of_another_program_is_left_as_it_was(plan):
    campaign.send(plan, folder="visits", progress=False)
    place = Path("visits/ledger.sqlite")
    place.unlink()
    with sqlite3.connect(place) as connection:
        connection.execute("CREATE TABLE bookmarks (x)")
    connection.close()
    before = place.read_bytes()
    with refused("ledger_damaged", campaign.LedgerError):
        campaign.load_result("visits")
    assert place.read_bytes() == before


def test_sql_is_a_text_like_any_other():
    """In a name, a campaign, a user name, an answer and a person's note."""
    sql = "x', state = 'accepted'); DROP TABLE batches; --"
    plan = plan_for(contacts_of(f'"{sql}",0772000001', f'"{sql}",0772000002'), message="{name}")

    async def script(visit):
        await visit.request()
        await visit.say(reply(json.dumps({"Status": "Failed", "Message": sql}).encode(), "500 Oops"))

    async def play():
        async with hostile(script) as server:
            account = campaign.Account("local", f"http://127.0.0.1:{server.port}", sql, "made up")
            return await campaign.asend(plan, account=account, name=sql, progress=False)

    result = asyncio.run(play())
    assert result.messages["message"].tolist() == [sql, sql]
    assert result.batches["status"].tolist() == ["unknown", "not_sent"]
    assert sql in result.batches["error"].iloc[0]
    settled = campaign.resolve(result.folder, 1, "refused", confirm="batch 1 was refused", note=sql)
    assert settled.batches["status"].tolist() == ["refused", "not_sent"]
    assert (
        journal_frame(LedgerFile(result.folder / "ledger.sqlite"))["note"]
        .iloc[-1]
        .endswith(f"refused, {sql}")
    )
