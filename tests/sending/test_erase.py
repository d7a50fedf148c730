"""A person takes the names, numbers and texts of a finished campaign away."""

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from support.crash_sender import begin
from support.erasure_places import PLACES, die_while_erasing
from support.fixed_answers import failing_with
from support.live_service import LiveService, start_live
from support.refusals import refused
from support.small_campaigns import contacts_of, people, plan_for

import campaign
from campaign.sending.ledger.connections import Refusal, opened
from campaign.sending.ledger.ledger_file import LedgerFile
from campaign.sending.ledger.views import journal_frame, snapshot
from campaign.sending.store import erasure

LEFT = {
    "manifest.json", "ledger.sqlite", "ledger.sqlite.moves", "rounds/0001/manifest.json",
    "rounds/0002/manifest.json",
}  # fmt: skip
WORDS = ("Person", "Amina", "Hi ", "Dear", "7720000", "772 000")


@pytest.fixture(scope="module")
def service():
    with campaign.Sandbox(price=35) as service:
        yield service


def put_in_inbox(service, accepted):
    """Have the service know of these batches, as it keeps them, and of no others."""
    with service._behaviour._changing:
        service._behaviour._accepted.seek(0)
        service._behaviour._accepted.truncate()
        service._behaviour._accepted.write(accepted)


@pytest.fixture
def sandbox(service):
    """A service to which nothing was sent; it listens for all tests of this file."""
    put_in_inbox(service, b"")
    return service


@pytest.fixture
def options(sandbox, tmp_path):
    return {"account": sandbox, "folder": tmp_path / "visits", "batch_size": 4, "progress": False}


@pytest.fixture(scope="module")
def sent_visits(service, tmp_path_factory):
    """A campaign that was sent once for all tests, and what the service has of it."""
    put_in_inbox(service, b"")
    place = tmp_path_factory.mktemp("sent") / "visits"
    options = {"account": service, "folder": place, "batch_size": 4, "progress": False}
    campaign.send(plan_for(people(10)), **options)
    campaign.send(plan_for(twelve()), **options)
    service._behaviour._accepted.seek(0)
    return place, service._behaviour._accepted.read()


@pytest.fixture
def visits(sent_visits, sandbox, tmp_path):
    """Two rounds: ten people, then twelve, of whom one has a number that cannot be one."""
    folder, accepted = sent_visits
    put_in_inbox(sandbox, accepted)
    return shutil.copytree(folder, tmp_path / "visits")


def twelve(*more):
    rows = [f"Person {n},0772 000 {n:03}" for n in range(11)]
    return contacts_of(*rows, "Amina,not a number", *more)


def erase(folder, phrase="erase 12 people of visits"):
    return campaign.erase(folder, confirm=phrase)


def traces(folder):
    """Every place in a folder where a word of the campaign is left: in its bytes, or inside a table."""
    left = []
    for path in sorted(path for path in Path(folder).rglob("*") if path.is_file()):
        content = path.read_bytes().decode("latin-1")
        if path.suffix == ".parquet":
            table = pq.read_table(path)
            content += repr(table.schema) + repr(table.to_pydict())
        left += [f"{path.name}: {word}" for word in WORDS if word in content]
    return left


def files_of(folder):
    """The files of a folder with their content, but for the lock and what says who had it."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("lock"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def phrase_of(call):
    with pytest.raises(campaign.ConfirmationError) as shown:
        call()
    return str(shown.value)


# What is taken away, and what is kept


def test_the_error_says_what_is_taken_away_and_asks_for_a_phrase(visits):
    for given in (None, "erase 13 people of visits"):
        shown = phrase_of(lambda given=given: campaign.erase(visits, confirm=given))
        assert "12 people" in shown
        assert shown.endswith('Give confirm="erase 12 people of visits" to go on.')
    assert traces(visits)
    assert campaign.load_result(visits).messages["message"][0] == "Hi Person 0"


def test_no_name_number_or_text_is_in_any_byte_of_the_folder(visits):
    (visits / "composed.json").write_text('"Hi {name}"')
    (visits / "composed.json.in_provider_list").write_text("2567720000")
    assert traces(visits)
    assert erase(visits) is None
    assert traces(visits) == []
    assert {*files_of(visits)} == LEFT


def test_not_even_an_answer_that_repeated_them_is_left(tmp_path):
    """What the service answered is in the ledger and in its journal."""
    place = tmp_path / "v"
    failing_with(
        "Bad number 256772000000 of Person 0",
        lambda account: campaign.send(plan_for(people(1)), account=account, folder=place, progress=False),
    )
    assert any("ledger" in left for left in traces(place))
    erase(place, "erase 1 person of v")
    assert traces(place) == []


def test_nor_what_the_ledger_has_overwritten_before(visits):
    """Many a SQLite keeps the bytes of a text that was replaced, until the file is written anew."""
    with opened(visits / "ledger.sqlite") as connection:
        connection.execute("PRAGMA secure_delete = OFF")
        for error in ("Bad number of Person 0 " * 400, ""):
            connection.execute("UPDATE batches SET error = ?", (error,))
    assert "ledger.sqlite: Person" in traces(visits)
    erase(visits)
    assert traces(visits) == []


def test_what_a_killed_program_has_frozen_and_not_registered_is_erased_too(visits):
    """`send` would sweep it the next time, and here there may be no next time."""
    left = visits / "rounds" / "0003"
    shutil.copytree(visits / "rounds" / "0002", left)
    erase(visits)
    assert traces(visits) == []
    assert not left.exists()
    left.mkdir()
    erase(visits)
    assert not left.exists()


def test_history_has_the_totals_and_the_cost(visits):
    (before,) = campaign.history(visits).to_dict("records")
    erase(visits)
    (after,) = campaign.history(visits).to_dict("records")
    assert after == before | {"state": "erased", "template": "", "sender": ""}
    assert (after["accepted"], after["cost"]) == (11, 11 * 35)


def test_batches_keep_their_costs_and_codes(visits):
    kept = ["batch", "round", "messages", "status", "cost", "code", "submitted_at"]
    before = snapshot(LedgerFile(visits / "ledger.sqlite")).outcomes[kept]
    erase(visits)
    pd.testing.assert_frame_equal(snapshot(LedgerFile(visits / "ledger.sqlite")).outcomes[kept], before)


def test_a_sender_from_a_column_is_erased_and_listed_without_a_name(options, tmp_path):
    table = campaign.read_contacts(b"nurse,phone\nAmina,0772 000 001\nAmina,0772 000 002\n")
    plan = campaign.prepare(table, message="Hi", sender="{nurse}", region="UG")
    place = campaign.send(plan, **options).folder
    erase(place, "erase 2 people of visits")
    assert traces(place) == []
    listed = campaign.history(place)
    assert listed["sender"].tolist() == [""]
    page = campaign.write_report(listed, tmp_path / "list.html").read_text("utf-8")
    assert page.count("(not known)") == 1


def test_the_journal_says_who_erased_it(visits, monkeypatch):
    monkeypatch.setenv("LOGNAME", "amina")
    erase(visits)
    journal = journal_frame(LedgerFile(visits / "ledger.sqlite"))
    assert journal.iloc[-1][["now", "note"]].tolist() == ["erased", "amina: erased"]
    assert (journal["now"] == "accepted").sum() == 5


def test_other_files_in_the_folder_are_left_and_named(visits):
    (visits / "report.html").write_text("Hi Person 0")
    assert "report.html" in phrase_of(lambda: campaign.erase(visits))
    erase(visits)
    assert (visits / "report.html").exists()


def test_erasing_twice_changes_nothing_and_says_so(visits, caplog):
    erase(visits)
    before = files_of(visits)
    assert campaign.erase(visits) is None
    assert files_of(visits) == before
    assert [record.message for record in caplog.records] == [
        f"The campaign in {visits} was erased on {datetime.now(UTC):%Y-%m-%d}."
    ]


# It ends the campaign


REFUSED = {
    "load_result": lambda folder, account: campaign.load_result(folder),
    "compare": lambda folder, account: campaign.compare(plan_for(twelve()), account=account, folder=folder),
    "send": lambda folder, account: campaign.send(plan_for(twelve()), **sending(folder, account)),
    "send to others": lambda folder, account: campaign.send(
        plan_for(contacts_of("Ann,0772 000 099"), "Dear {name}"), changed="send", **sending(folder, account)
    ),
    "start": lambda folder, account: campaign.start(plan_for(twelve()), **sending(folder, account)),
    "resume": lambda folder, account: campaign.resume(folder, account=account, progress=False),
    "resume with opt-outs": lambda folder, account: campaign.resume(
        folder, opt_outs=["+256772000000"], account=account, progress=False
    ),
    "resolve": lambda folder, account: campaign.resolve(folder, 1, "accepted"),
    "reconcile": lambda folder, account: campaign.reconcile(
        folder, pd.DataFrame({"number": ["256772000000"], "text": ["Hi Person 0"]})
    ),
    "close": lambda folder, account: campaign.close(folder),
    "not_again": lambda folder, account: plan_for(people(3), not_again=folder),
}


def sending(folder, account):
    return {"account": account, "folder": folder, "progress": False}


@pytest.mark.parametrize("verb", REFUSED)
def test_everything_else_is_refused_and_says_when_it_was_erased(visits, sandbox, verb):
    erase(visits)
    before = files_of(visits)
    with refused("erased_before", campaign.FolderError):
        REFUSED[verb](visits, sandbox)
    assert files_of(visits) == before
    assert len(sandbox.inbox) == 11


def test_what_it_sent_can_be_sent_under_another_name(visits, options, sandbox, tmp_path):
    erase(visits)
    result = campaign.send(plan_for(twelve()), **options | {"folder": tmp_path / "again"})
    assert result.totals["accepted"] == 11
    assert len(sandbox.inbox) == 22


def test_the_phrase_names_the_people_of_the_last_table(tmp_path, options):
    campaign.send(plan_for(contacts_of("Ann,0772 000 001", "Ben,0772 000 002")), **options)
    campaign.send(plan_for(contacts_of("Ann,0772 000 001", "Cat,0772 000 003", "Dan,none")), **options)
    with refused("confirmation_needed", phrase="erase 3 people of visits"):
        campaign.erase(tmp_path / "visits")


# What is refused


def test_a_campaign_in_which_messages_wait_is_not_erased(tmp_path):
    with campaign.Sandbox(price=35, balance=35 * 5) as sandbox:
        options = {"account": sandbox, "folder": tmp_path / "v", "batch_size": 2, "concurrency": 1}
        campaign.send(plan_for(people(9)), progress=False, **options)
    with refused("campaign_not_settled", campaign.FolderError, unknown=0, waiting=2):
        campaign.erase(tmp_path / "v", confirm="erase 9 people of v")
    assert campaign.load_result(tmp_path / "v").contacts["name"][2] == "Person 0"
    campaign.close(tmp_path / "v", confirm="close with 4 messages not sent")
    erase(tmp_path / "v", "erase 9 people of v")


def test_a_campaign_with_unknown_messages_is_not_erased(tmp_path):
    with campaign.Sandbox(faults={2: "accept_close"}) as sandbox:
        options = {"account": sandbox, "folder": tmp_path / "v", "batch_size": 4, "concurrency": 1}
        campaign.send(plan_for(people(5)), progress=False, **options)
        with refused("campaign_not_settled", campaign.FolderError, unknown=4, waiting=0):
            campaign.erase(tmp_path / "v", confirm="erase 5 people of v")
        campaign.resolve(
            tmp_path / "v", 2, "again", confirm="send batch 2 again, 4 messages may arrive twice"
        )
        with refused("campaign_not_settled", campaign.FolderError, unknown=0, waiting=4):
            campaign.erase(tmp_path / "v", confirm="erase 5 people of v")
        campaign.resume(tmp_path / "v", account=sandbox, progress=False)
    erase(tmp_path / "v", "erase 5 people of v")


def test_a_campaign_that_is_being_sent_is_not_erased(tmp_path):
    with campaign.Sandbox(latency=0.2) as sandbox:
        run = campaign.start(
            plan_for(people(30)), account=sandbox, folder=tmp_path / "v", batch_size=5, progress=False
        )
        with refused("campaign_open", campaign.LockedError):
            campaign.erase(run.folder, confirm="erase 30 people of v")
        assert run.wait().totals["accepted"] == 30


def test_a_follow_up_file_of_an_erased_campaign_is_refused(visits, options, sandbox, tmp_path):
    campaign.write_follow_up(campaign.load_result(visits), tmp_path / "to_correct.csv")
    corrected = (tmp_path / "to_correct.csv").read_text("utf-8-sig").replace("not a number", "0772 000 011")
    (tmp_path / "to_correct.csv").write_text(corrected)
    erase(visits)
    plan = plan_for(campaign.read_contacts(tmp_path / "to_correct.csv"))
    with refused("erased_before", campaign.FolderError):
        campaign.send(plan, **options)
    assert len(sandbox.inbox) == 11


@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO journal (at, batch, was, now, error, note) VALUES ('', 0, '', 'erased', '', '')",
        "INSERT INTO journal (at, batch, was, now, error, note) VALUES ('', 0, '', 'closed', '', '')",
        "INSERT INTO rounds VALUES (3, '', '')",
        "UPDATE batches SET state = 'pending' WHERE batch = 1",
        "UPDATE batches SET digest = x'00' WHERE batch = 1",
        "UPDATE journal SET note = 'x' WHERE batch = 1",
        "UPDATE journal SET note = '', error = '' WHERE batch = 0",
        "DELETE FROM journal WHERE now = 'erased'",
    ],
)
def test_the_ledger_lets_nothing_follow(visits, change):
    erase(visits)
    with opened(visits / "ledger.sqlite") as connection, pytest.raises(Refusal):
        connection.execute(change)


def test_before_it_is_erased_the_ledger_keeps_its_digests_and_notes(visits):
    for change in ("UPDATE batches SET digest = x''", "UPDATE journal SET note = '', error = ''"):
        with opened(visits / "ledger.sqlite") as connection, pytest.raises(Refusal, match=r"only|frozen"):
            connection.execute(change)


def test_a_rest_that_cannot_be_deleted_is_deleted_the_next_time(visits, options, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(erasure.shutil, "rmtree", refuse)
        for call in (lambda: erase(visits), lambda: campaign.send(plan_for(twelve()), **options)):
            with refused("campaign_file_unusable", campaign.FolderError, reason="Permission denied"):
                call()
    assert campaign.history(visits)[["state", "template"]].iloc[0].tolist() == ["erased", ""]
    campaign.erase(visits)
    assert traces(visits) == []


# Live


def test_an_erased_campaign_of_today_is_named_before_a_live_send(resolves_here, monkeypatch, tmp_path):
    with start_live(resolves_here, monkeypatch) as sandbox:
        account = LiveService(sandbox).account
        options = {"account": account, "progress": False}
        first = plan_for(people(3))
        phrase = campaign.compare(first, name="first", account=account)
        monkeypatch.chdir(tmp_path)
        for name, plan in (("first", first), ("second", plan_for(people(5), "Dear {name}"))):
            shown = phrase_of(lambda name=name, plan=plan: campaign.send(plan, name=name, **options))
            if name == "second":
                assert "cannot be read" in shown
                assert "was erased on" in shown
                break
            phrase = shown.split('confirm="')[1].split('"')[0]
            campaign.send(plan, name=name, confirm=phrase, **options)
            erase("campaigns/first", "erase 3 people of first")


# Killed on the way


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("place", PLACES)
def test_killed_anywhere_it_is_whole_or_can_be_finished(visits, options, sandbox, place, moment, tmp_path):
    untouched = shutil.copytree(visits, tmp_path / "untouched" / "visits")
    plan = plan_for(twelve())
    for nth in sorted({1, PLACES[place]}):
        shutil.rmtree(visits)
        shutil.copytree(untouched, visits)
        process = begin(
            die_while_erasing, visits, os.environ["CAMPAIGN_STATE_DIR"], "erase 12 people of visits",
            (f"{moment} {place}", nth),
        )  # fmt: skip
        process.join(60)
        assert process.exitcode == -9, f"{moment} {place}, {nth}"
        (listed,) = campaign.history(visits).to_dict("records")
        assert (listed["accepted"], listed["problem"]) == (11, "")
        if listed["state"] == "erased":
            with refused("erased_before", campaign.FolderError):
                campaign.send(plan, **options)
            assert traces(visits) == []  # the next opening has finished it
        else:
            assert campaign.load_result(visits).contacts["name"][2] == "Person 0"
            assert campaign.send(plan, **options).nothing_sent
        erase(visits)
        assert traces(visits) == []
        assert {*files_of(visits)} == LEFT
    assert len(sandbox.inbox) == 11
