"""A live campaign lives in one place: moved, copied, restored or forgotten, nobody gets a message twice."""

import errno
import json
import os
import re
import shutil
from pathlib import Path

import pytest
from support.live_service import LiveService, start_live
from support.refusals import facts_of, findings_of, refused

import campaign
from campaign.sending.ledger.ledger_file import LedgerFile, SqliteLedger
from campaign.sending.ledger.views import journal_frame, moves_of
from campaign.sending.store import user_state
from campaign.sending.store.folder import open_folder
from campaign.sending.store.user_list import ListEntry, listed_campaigns
from campaign.sending.store.user_state import account_lock
from campaign.words.stored import read_stored

TEXT = "Hi {name}, your visit is on Monday."


@pytest.fixture
def service(resolves_here, monkeypatch):
    with start_live(resolves_here, monkeypatch) as sandbox:
        yield LiveService(sandbox)


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A person's working directory with a spreadsheet of ten people."""
    path = tmp_path / "desk"
    path.mkdir()
    monkeypatch.chdir(path)
    write_visits(range(10))
    return path


def write_visits(people):
    rows = "".join(f"Person {n},0772 000 0{n:02d}\n" for n in people)
    Path("visits.csv").write_text(f"name,phone\n{rows}")


def plan_of(file="visits.csv", message=TEXT, **options):
    return campaign.prepare(
        campaign.read_contacts(file), message=message, sender="CLINIC", region="UG", **options
    )


def phrase_in(error):
    return json.loads(re.search(r'confirm=("(?:[^"\\]|\\.)*")', str(error.value))[1])


def send(plan, account, **options):
    """Send as a person does who types the phrase that is asked for."""
    options = {"batch_size": 4, "progress": False, **options}
    with pytest.raises(campaign.ConfirmationError) as asked:
        campaign.send(plan, account=account, **options)
    return campaign.send(plan, account=account, confirm=phrase_in(asked), **options)


def test_a_ledger_in_a_database_is_watched_over_like_one_in_a_file(service, desk, postgres_server):
    """The list knows how far it was, and a folder that was moved needs the phrase."""
    database = postgres_server.database()
    send(plan_of(), service.account, ledger=database)
    place = open_folder(desk / "campaigns" / "visits").ledger_place
    (listed,), _ = listed_campaigns()
    assert (listed.moves, listed.reached) == (moves_of(place), 10)
    (desk / "campaigns" / "visits").rename(desk / "campaigns" / "done")
    write_visits(range(12))
    moved = {"name": "visits", "folder": "campaigns/done", "progress": False}
    with refused("campaign_gone", campaign.FolderError) as refusal:
        campaign.send(plan_of(), account=service.account, **moved)
    result = send(plan_of(), service.account, **moved, takeover=refusal.value.finding.facts["phrase"])
    assert result.totals["accepted"] == 12
    assert sorted(service.numbers) == sorted(set(service.numbers))
    assert len(service.numbers) == 12


def test_from_another_directory_it_is_refused_with_where_it_lives(service, desk, tmp_path, monkeypatch):
    send(plan_of(), service.account)
    plan = plan_of()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with refused("campaign_elsewhere", campaign.FolderError, messages=10) as refusal:
        campaign.send(plan, account=service.account, progress=False)
    assert refusal.value.finding.facts["there"] == str(desk / "campaigns" / "visits")
    assert len(service.numbers) == 10


def test_another_folder_is_refused_too(service, desk):
    send(plan_of(), service.account)
    with refused("campaign_elsewhere", campaign.FolderError, messages=10):
        campaign.send(plan_of(), name="visits", folder="new", account=service.account, progress=False)
    assert len(service.numbers) == 10


@pytest.mark.parametrize("fate", ["renamed", "deleted"])
def test_a_folder_that_is_gone_is_not_begun_anew(service, desk, fate):
    send(plan_of(), service.account)
    folder = desk / "campaigns" / "visits"
    if fate == "renamed":
        folder.rename(folder.with_name("done"))
    else:
        shutil.rmtree(folder)
    with refused("campaign_gone", campaign.FolderError):
        campaign.send(plan_of(), account=service.account, progress=False)
    assert len(service.numbers) == 10


def test_a_renamed_folder_goes_on_once_a_person_has_taken_it_over(service, desk):
    send(plan_of(), service.account)
    (desk / "campaigns" / "visits").rename(desk / "campaigns" / "done")
    write_visits(range(12))
    with pytest.raises(campaign.FolderError) as refusal:
        campaign.send(
            plan_of(), name="visits", folder="campaigns/done", account=service.account, progress=False
        )
    phrase = refusal.value.finding.facts["phrase"]
    result = send(plan_of(), service.account, name="visits", folder="campaigns/done", takeover=phrase)
    assert result.totals["accepted"] == 12
    assert sorted(service.numbers) == [f"2567720000{n:02d}" for n in range(12)]
    journal = journal_frame(LedgerFile(desk / "campaigns" / "done" / "ledger.sqlite"))
    [note] = journal.loc[journal["now"] == "takeover", "note"]
    assert read_stored(note).code == "campaign_gone"
    # At home now: no phrase is needed, and the old one opens nothing any more.
    assert (
        campaign.send(plan_of(), folder="campaigns/done", account=service.account, progress=False).totals[
            "accepted"
        ]
        == 12
    )
    shutil.copytree(desk / "campaigns" / "done", desk / "campaigns" / "visits")
    with pytest.raises(campaign.FolderError):
        campaign.send(plan_of(), account=service.account, takeover=phrase, progress=False)
    assert len(service.numbers) == 12


@pytest.mark.parametrize("username", ["CLINIC", "Clinic"])
def test_a_user_name_in_capitals_is_the_same_account(service, desk, username):
    send(plan_of(), service.account)
    account = service.account_as(username, host="WWW.sms.example.com")
    result = campaign.send(plan_of(), account=account, progress=False)
    assert (result.ending.code, result.totals["accepted"]) == ("nothing_left", 10)
    assert len(service.numbers) == 10


def test_another_user_for_the_same_folder_is_asked_about(service, desk):
    send(plan_of(), service.account)
    with refused("other_account", campaign.FolderError):
        campaign.compare(plan_of(), account=service.account_as("hospital"))
    with refused("other_account", campaign.FolderError):
        campaign.send(plan_of(), account=service.account_as("hospital"), progress=False)
    assert len(service.numbers) == 10


def test_what_a_person_has_closed_does_not_leave_from_a_backup(service, desk, tmp_path):
    """The list learns that the campaign was closed, as it learns what was sent."""
    send(plan_of(), service.account, pilot=4)
    folder = desk / "campaigns" / "visits"
    shutil.copytree(folder, tmp_path / "backup")
    with pytest.raises(campaign.ConfirmationError) as asked:
        campaign.close(folder)
    campaign.close(folder, confirm=phrase_in(asked))
    shutil.rmtree(folder)
    shutil.copytree(tmp_path / "backup", folder)
    with refused("ledger_older", campaign.FolderError):
        campaign.resume(folder, account=service.account, progress=False)
    assert len(service.numbers) == 4


def test_closing_a_copy_does_not_move_the_campaign(service, desk, tmp_path):
    send(plan_of(), service.account, pilot=4)
    folder, copy = desk / "campaigns" / "visits", tmp_path / "copy"
    shutil.copytree(folder, copy)
    with pytest.raises(campaign.ConfirmationError) as asked:
        campaign.close(copy)
    campaign.close(copy, confirm=phrase_in(asked))
    assert send(plan_of(), service.account).totals["accepted"] == 10
    assert len(service.numbers) == len(set(service.numbers)) == 10


def test_yesterdays_backup_does_not_send_again(service, desk, tmp_path):
    send(plan_of(), service.account, pilot=4)
    folder = desk / "campaigns" / "visits"
    shutil.copytree(folder, tmp_path / "backup")
    send(plan_of(), service.account)
    shutil.rmtree(folder)
    shutil.copytree(tmp_path / "backup", folder)
    for again in (
        lambda: campaign.send(plan_of(), account=service.account, progress=False),
        lambda: campaign.resume(folder, account=service.account, progress=False),
    ):
        with refused("ledger_older", campaign.FolderError):
            again()
    assert len(service.numbers) == len(set(service.numbers)) == 10


def test_a_backup_that_is_settled_or_closed_is_still_known_to_be_one(service, desk, tmp_path):
    """Otherwise its ledger would become as long as the list says, and would send again what left since."""
    send(plan_of(), service.account, pilot=4)
    folder = desk / "campaigns" / "visits"
    shutil.copytree(folder, tmp_path / "backup")
    with pytest.raises(campaign.ConfirmationError) as asked:
        campaign.close(folder)
    phrase = phrase_in(asked)
    campaign.close(folder, confirm=phrase)
    shutil.rmtree(folder)
    shutil.copytree(tmp_path / "backup", folder)
    before = moves_of(LedgerFile(folder / "ledger.sqlite"))
    for change in (
        lambda: campaign.close(folder, confirm=phrase),
        lambda: campaign.resolve(folder, 1, "accepted", confirm="batch 1 was accepted"),
        lambda: campaign.erase(folder),
    ):
        with refused("ledger_older", campaign.FolderError):
            change()
    assert moves_of(LedgerFile(folder / "ledger.sqlite")) == before
    with refused("ledger_older", campaign.FolderError) as refusal:
        campaign.resume(folder, account=service.account, progress=False)
    with pytest.raises(campaign.ConfirmationError) as asked:  # to go on there, a person takes it over
        campaign.resume(
            folder, account=service.account, progress=False, takeover=refusal.value.finding.facts["phrase"]
        )
    assert len(service.numbers) == 4


def test_of_a_copied_folder_only_the_first_can_go_on(service, desk):
    send(plan_of(), service.account, pilot=4)
    folder = desk / "campaigns" / "visits"
    shutil.copytree(folder, folder.with_name("copy"))
    with refused("campaign_elsewhere", campaign.FolderError):
        campaign.resume(folder.with_name("copy"), account=service.account, progress=False)
    with pytest.raises(campaign.ConfirmationError) as asked:
        campaign.resume(folder, account=service.account, progress=False)
    campaign.resume(folder, account=service.account, confirm=phrase_in(asked), progress=False)
    assert len(service.numbers) == len(set(service.numbers)) == 10


def test_an_old_phrase_does_not_fit_a_corrected_table(service, desk):
    plan = plan_of()
    with pytest.raises(campaign.ConfirmationError) as asked:
        campaign.send(plan, account=service.account, progress=False)
    phrase = phrase_in(asked)
    assert re.fullmatch("send 10 messages live [0-9a-f]{4}", phrase)
    with pytest.raises(campaign.ConfirmationError):
        campaign.send(
            plan_of(message="Hello {name}."), account=service.account, confirm=phrase, progress=False
        )
    write_visits(range(1, 11))
    with pytest.raises(campaign.ConfirmationError):
        campaign.send(plan_of(), account=service.account, confirm=phrase, progress=False)
    assert service.numbers == []


def test_a_corrected_text_asks_before_anybody_gets_both(service, desk):
    with pytest.raises(campaign.ConfirmationError) as asked:
        campaign.send(plan_of(), account=service.account, progress=False)
    campaign.send(plan_of(), account=service.account, confirm=phrase_in(asked), progress=False)
    with refused("decision_needed") as changed:
        campaign.send(
            plan_of(message="Hello {name}."),
            account=service.account,
            confirm=phrase_in(asked),
            progress=False,
        )
    assert changed.value.questions == {"changed": 10}
    assert len(service.numbers) == 10


def asked(plan, account, **options):
    """The phrase that is asked for."""
    with pytest.raises(campaign.ConfirmationError) as question:
        campaign.send(plan, account=account, progress=False, **options)
    return question.value.phrase


def test_a_phrase_fits_one_campaign_once(desk, resolves_here, monkeypatch):
    """Not the same messages under another name, by another user, or after anything has happened."""
    with start_live(resolves_here, monkeypatch, faults={1: "Invalid sender ID"}) as sandbox:
        service = LiveService(sandbox)
        plan, account = plan_of(), service.account
        phrase = asked(plan, account)
        assert asked(plan, account) == phrase  # nothing has happened in between
        for other in ({"name": "reminder"}, {"name": "reminder", "confirm": phrase}):
            assert asked(plan, account, **other) != phrase
        assert asked(plan, service.account_as("hospital"), confirm=phrase) != phrase
        campaign.send(plan, account=account, confirm=phrase, batch_size=10, canary=False, progress=False)
        assert service.numbers == []
        again = asked(
            plan, account, confirm=phrase
        )  # all were refused, so the very same messages would leave
        assert again[:-4] == phrase[:-4]
        assert again != phrase
        assert campaign.send(plan, account=account, confirm=again, progress=False).totals["accepted"] == 10


def test_a_used_phrase_does_not_begin_the_campaign_anew(service, desk):
    """Its folder is gone, so its journal is, too; the list still knows that it was sent."""
    phrase = asked(plan_of(), service.account)
    campaign.send(plan_of(), account=service.account, confirm=phrase, progress=False)
    shutil.rmtree(desk / "campaigns" / "visits")
    with pytest.raises(campaign.FolderError) as refusal:
        campaign.send(plan_of(), account=service.account, confirm=phrase, progress=False)
    takeover = refusal.value.finding.facts["phrase"]
    assert asked(plan_of(), service.account, confirm=phrase, takeover=takeover) != phrase
    assert len(service.numbers) == 10


def test_campaigns_of_one_account_begin_one_after_the_other_and_wait_no_longer_than_so(
    service, desk, monkeypatch
):
    """A rehearsal reaches nobody, and another account nobody of these: they wait for nobody."""
    monkeypatch.setattr("campaign.sending.store.user_state._PATIENCE", 0.1)
    with account_lock(service.account):
        with refused("begun_elsewhere", campaign.LockedError):
            campaign.send(plan_of(), account=service.account, progress=False)
        assert asked(plan_of(), service.account_as("hospital"))
        assert campaign.send(plan_of(), progress=False).totals["accepted"] == 10
    assert asked(plan_of(), service.account)


def test_a_campaign_that_is_sending_keeps_no_other_one_waiting(service, desk, monkeypatch):
    monkeypatch.setattr("campaign.sending.store.user_state._PATIENCE", 0.1)
    phrase = asked(plan_of(), service.account)
    service.sandbox._latency = 1
    run = campaign.start(
        plan_of(), account=service.account, confirm=phrase, concurrency=1, batch_size=1, progress=False
    )
    assert asked(plan_of(), service.account, name="reminder", elsewhere="send")
    assert not run.ended
    run.cancel()
    run.wait()


def test_the_phrase_says_how_many_were_reached_today_by_another_campaign(service, desk):
    send(plan_of(), service.account)
    write_visits(range(7, 20))
    with refused("confirmation_needed") as asked:
        campaign.send(plan_of(), name="reminder", account=service.account, elsewhere="send", progress=False)
    phrase = phrase_in(asked)
    assert phrase.endswith(", 3 people for the second time in 24 hours")
    campaign.send(
        plan_of(), name="reminder", account=service.account, elsewhere="send", confirm=phrase, progress=False
    )
    assert len(service.numbers) == 23


def test_a_campaign_that_cannot_be_read_is_named(service, desk):
    send(plan_of(), service.account)
    (desk / "campaigns" / "visits" / "manifest.json").write_text("{")
    with refused("confirmation_needed") as asked:
        campaign.send(plan_of(), name="reminder", account=service.account, progress=False)
    assert "campaign_unreadable" in facts_of(findings_of(asked.value))


def test_live_is_refused_where_the_list_cannot_be_written(service, desk, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CAMPAIGN_STATE_DIR", str(tmp_path / "file" / "state"))
    with refused("campaign_file_unusable", campaign.FolderError):
        campaign.send(plan_of(), account=service.account, confirm="yes", progress=False)
    assert service.sandbox.requests == 0


@pytest.mark.parametrize("room", [0, 1], ids=["for nothing", "for the claim only"])
def test_nothing_leaves_where_there_is_no_room_for_the_entry_of_the_list(service, desk, monkeypatch, room):
    options = {"account": service.account, "batch_size": 4, "progress": False}
    with pytest.raises(campaign.ConfirmationError) as asked:
        campaign.send(plan_of(), **options)
    write = no_room_after(room, user_state.replace_private_file)
    with monkeypatch.context() as patch:
        patch.setattr(user_state, "replace_private_file", write)
        with refused("campaign_file_unusable", campaign.FolderError):
            campaign.send(plan_of(), confirm=phrase_in(asked), **options)
    assert service.numbers == []
    assert campaign.history()["waiting"].tolist() == [10 * room]  # what was registered waits
    send(plan_of(), service.account)
    assert len(service.numbers) == len({*service.numbers}) == 10


def no_room_after(entries, write):
    """What writes a file where only so many different entries of the list have room."""
    written = set()

    def write_if_there_is_room(path, content, *more):
        if path.parent.name == "campaigns" and content not in written:
            if len(written) >= entries:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            written.add(content)
        write(path, content, *more)

    return write_if_there_is_room


def test_a_rehearsal_reaches_nobody(service, desk):
    assert campaign.send(plan_of(), progress=False).totals["accepted"] == 10
    result = send(plan_of(), service.account)
    assert result.totals["accepted"] == 10
    assert len(service.numbers) == 10
    assert sorted(path.name for path in (desk / "campaigns").iterdir()) == ["visits", "visits.local"]


def test_a_rehearsal_named_in_not_again_leaves_nobody_out_live(service, desk):
    """Another rehearsal leaves them out: there they were reached."""
    campaign.send(plan_of(), progress=False)
    plan = plan_of(not_again="campaigns/visits.local")
    assert plan.totals["duplicate"] == 10
    assert campaign.compare(plan, name="second").new == 0
    assert campaign.compare(plan, name="second", account=service.account).new == 10
    assert send(plan, service.account, name="second").totals["accepted"] == 10
    assert len(service.numbers) == 10


def test_a_campaign_that_waits_cannot_be_left_out(service, desk):
    send(plan_of(), service.account, pilot=4)
    for source in ("campaigns/visits", campaign.load_result("campaigns/visits")):
        with refused("campaign_not_finished", messages=6):
            plan_of(not_again=source)


def test_people_whom_the_other_campaign_reached_since_are_not_written_to(service, desk):
    send(plan_of(), service.account)
    later = plan_of(message="Thank you, {name}.", not_again="campaigns/visits")
    write_visits(range(15))
    reminder = plan_of(message="Thank you, {name}.", not_again="campaigns/visits")
    assert (later.totals["duplicate"], reminder.totals["not_sent"]) == (10, 5)
    send(plan_of(), service.account)
    with refused("reached_since", people=5):
        campaign.send(reminder, name="thanks", account=service.account, progress=False)
    assert len(service.numbers) == 15


def test_the_list_never_claims_more_than_the_ledger(service, desk, monkeypatch):
    """Written first, it would call the only copy an older one when the program dies in between."""
    write, claims = ListEntry.write, []

    def compared(entry, count_moves, *, at_once=False):
        write(entry, count_moves, at_once=True)
        (listed,), _ = listed_campaigns()
        claims.append((listed.moves, moves_of(LedgerFile(desk / "campaigns" / "visits" / "ledger.sqlite"))))

    monkeypatch.setattr(ListEntry, "write", compared)
    send(plan_of(), service.account)
    assert len(claims) > 5
    assert all(listed <= kept for listed, kept in claims)
    assert claims[-1][0] == claims[-1][1]


def test_a_list_that_is_written_before_the_ledger_is_caught(service, desk, monkeypatch):
    """The check above is one that can fail."""
    commit = SqliteLedger.start_commit

    def told_first(ledger, moves):
        for witness in ledger._witnesses:
            witness.write(lambda: moves_of(ledger.place) + len(moves), at_once=True)
        return commit(ledger, moves)

    monkeypatch.setattr(SqliteLedger, "start_commit", told_first)
    with pytest.raises(AssertionError):
        test_the_list_never_claims_more_than_the_ledger(service, desk, monkeypatch)
