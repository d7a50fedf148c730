"""The user's list of live campaigns, this machine's id, and what each refusal offers."""

import json
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import platformdirs
import pytest
from msgspec import structs

from campaign.errors import FolderError
from campaign.sending.store import user_list
from campaign.sending.store.locks import hold_lock
from campaign.sending.store.takeover import check_listed, check_place, check_unlisted
from campaign.sending.store.user_list import ListedCampaign, ListEntry, listed_campaign, listed_campaigns
from campaign.sending.store.user_state import machine_id, state_directory
from campaign.values import replace

KEY = "ab" * 32
LISTED_AT = "2026-11-21T09:30:00+00:00"


@pytest.fixture
def visits(tmp_path):
    """The folder of a live campaign."""
    folder = tmp_path / "campaigns" / "visits"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def entry_path(state_directory):
    return state_directory / "campaigns" / f"{KEY}.json"


@pytest.fixture
def listed(visits, entry_path):
    """The campaign of that folder sent 40 messages on 21 November; its ledger has 412 moves."""
    ListEntry(KEY, visits, "ledger-1", lambda: 40).write(lambda: 412, at_once=True)
    entry = replace(
        listed_campaign(KEY), created_at=LISTED_AT, first_sent_at=LISTED_AT, last_sent_at=LISTED_AT
    )
    entry_path.write_text(json.dumps(structs.asdict(entry)))
    return entry


def phrase_in(refusal):
    """The phrase that a refusal shows, as a person would copy it."""
    return json.loads(re.search(r'takeover=(".*")\.$', str(refusal.value))[1])


def refused(check, *arguments, words):
    with pytest.raises(FolderError, match=words) as refusal:
        check(*arguments, None)
    assert "another name" not in str(refusal.value)
    assert "name=" not in str(refusal.value)
    return phrase_in(refusal)


# the state directory and this machine


def test_no_test_touches_the_state_directory_of_a_person(tmp_path):
    asked = "from campaign.sending.store.user_state import state_directory; print(state_directory())"
    shown = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert shown.stdout.strip() == str(state_directory())
    assert state_directory() != platformdirs.user_state_path("campaign")


def test_without_the_variable_it_is_where_the_system_keeps_such_things(monkeypatch):
    monkeypatch.setenv("CAMPAIGN_STATE_DIR", "")
    assert state_directory() == platformdirs.user_state_path("campaign")


def test_a_relative_state_directory_is_refused(monkeypatch):
    monkeypatch.setenv("CAMPAIGN_STATE_DIR", "state")
    with pytest.raises(FolderError, match="Set it to an absolute one"):
        machine_id()


def test_a_machine_has_one_id(state_directory):
    made = machine_id()
    assert re.fullmatch("[0-9a-f]{32}", made)
    assert machine_id() == made
    file = state_directory / "machine"
    if sys.platform != "win32":
        assert (file.stat().st_mode & 0o777, state_directory.stat().st_mode & 0o777) == (0o600, 0o700)
    file.unlink()
    assert machine_id() != made


def test_a_process_that_was_slower_takes_the_id_that_the_other_made(state_directory):
    state_directory.mkdir()
    with ThreadPoolExecutor() as pool:
        with hold_lock(state_directory / "machine.lock"):
            slower = pool.submit(machine_id)
            time.sleep(0.5)  # it has seen that there is no id, and waits
            (state_directory / "machine").write_text("0" * 32)
        assert slower.result(timeout=60) == "0" * 32


@pytest.mark.parametrize("content", [b"", b"0" * 31, b"0" * 33, b"\xff" * 32])
def test_a_damaged_id_is_reported(state_directory, content):
    machine_id()
    (state_directory / "machine").write_bytes(content)
    with pytest.raises(FolderError, match=r"machine, the id of this machine, is damaged. Restore it"):
        machine_id()


@pytest.fixture
def blocked(tmp_path, monkeypatch):
    """The state directory lies below a file, where there can be none, not even for root."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("CAMPAIGN_STATE_DIR", str(tmp_path / "file" / "campaign"))


@pytest.mark.usefixtures("blocked")
@pytest.mark.parametrize(
    "use",
    [
        lambda folder: machine_id(),
        lambda folder: ListEntry(KEY, folder, "ledger-1", lambda: 0).write(lambda: 0, at_once=True),
        lambda folder: listed_campaign(KEY),
        lambda folder: listed_campaigns(),
    ],
    ids=["id", "write", "one", "all"],
)
def test_a_state_directory_that_cannot_be_used_is_reported(use, visits):
    with pytest.raises(FolderError, match="allow yourself to write to it, or set CAMPAIGN_STATE_DIR"):
        use(visits)


# entries


def test_an_entry_has_its_campaign_from_the_first_moment(visits, entry_path):
    entry = ListEntry(KEY, visits, "ledger-1", lambda: 0)
    entry.write(lambda: 0, at_once=True)
    campaign = listed_campaign(KEY)
    assert campaign == ListedCampaign(KEY, str(visits), "ledger-1", 0, 0, campaign.created_at, "", "")
    assert listed_campaigns() == ([campaign], [])
    if sys.platform != "win32":
        assert entry_path.stat().st_mode & 0o777 == 0o600


def test_dates_say_when_messages_left(visits, listed):
    entry, reached = ListEntry(KEY, visits, "ledger-1", lambda: reached), 40
    entry.write(lambda: 413, at_once=True)
    assert listed_campaign(KEY) == replace(listed, moves=413)  # opened again, and nothing left
    reached = 41
    entry.write(lambda: 415, at_once=True)
    after = listed_campaign(KEY)
    assert (after.created_at, after.first_sent_at, after.reached) == (LISTED_AT, LISTED_AT, 41)
    assert after.last_sent_at != LISTED_AT


def test_another_ledger_begins_an_entry_of_its_own(visits, listed):
    ListEntry(KEY, visits, "ledger-2", lambda: 0).write(lambda: 1, at_once=True)
    after = listed_campaign(KEY)
    assert (after.ledger, after.reached, after.first_sent_at, after.last_sent_at) == ("ledger-2", 0, "", "")
    assert after.created_at != LISTED_AT


def test_it_is_written_at_most_every_half_second(visits, monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(user_list.time, "monotonic", lambda: clock[0])
    entry = ListEntry(KEY, visits, "ledger-1", lambda: 0)
    shown = []
    for moves, seconds in ((1, 0), (2, 0.4), (3, 0.2), (4, 0.1)):
        clock[0] += seconds
        entry.write(lambda moves=moves: moves)
        shown.append(listed_campaign(KEY).moves)
    entry.write(lambda: 5, at_once=True)
    assert (shown, listed_campaign(KEY).moves) == ([1, 1, 3, 3], 5)


DAMAGES = {
    "no JSON": "{",
    "not text": b"\xff",
    "a list": "[]",
    "nested too deeply": "[" * 100_000,
    "a field less": {"moves": ...},
    "a negative count": {"moves": -1},
    "a yes": {"reached": True},
    "a count beyond SQLite": {"moves": 1 << 63},
    "a key of another": {"key": "cd" * 32},
    "no ledger": {"ledger": ""},
    "no time": {"last_sent_at": "yesterday"},
    "a time without its zone": {"last_sent_at": "2026-11-21T09:30:00"},
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_entry_is_named_and_never_taken_for_none(visits, listed, entry_path, damage):
    if isinstance(damage, dict):
        record = structs.asdict(listed) | damage
        record = {name: value for name, value in record.items() if value is not ...}
        damage = json.dumps(record)
    entry_path.write_bytes(damage if isinstance(damage, bytes) else damage.encode())
    for use in (
        lambda: listed_campaign(KEY),
        lambda: check_listed(KEY, visits, "ledger-1", 412, None),
        lambda: check_unlisted(KEY, visits, None),
        lambda: ListEntry(KEY, visits, "ledger-1", lambda: 40).write(lambda: 412, at_once=True),
    ):
        with pytest.raises(FolderError, match=f"{KEY}.json, an entry .* is damaged. Restore it"):
            use()
    ListEntry("cd" * 32, visits, "ledger-2", lambda: 0).write(lambda: 0, at_once=True)
    campaigns, problems = listed_campaigns()
    assert [campaign.key for campaign in campaigns] == ["cd" * 32]
    assert [KEY in problem for problem in problems] == [True]


def test_what_a_crash_left_half_written_is_not_an_entry(listed, entry_path):
    entry_path.with_name(f"{KEY}.json.new").write_text("{")
    assert listed_campaigns() == ([listed], [])


# opening a campaign


def test_a_campaign_at_home_is_opened_without_a_question(visits, listed):
    assert check_listed(KEY, visits, "ledger-1", 412, None) == ""
    assert check_listed(KEY, visits, "ledger-1", 415, None) == ""  # the list is written after the ledger
    assert check_listed(KEY, visits, "ledger-1", 412, "take over nothing") == ""
    assert check_listed("cd" * 32, visits, "ledger-1", 412, None) == ""  # not in the list


def test_a_link_to_the_folder_is_the_folder(visits, listed, tmp_path):
    (tmp_path / "link").symlink_to(visits)
    assert check_listed(KEY, tmp_path / "link", "ledger-1", 412, None) == ""


SENT = r".*40 messages were sent from .*visits on 21 November 2026"


def test_a_copy_is_refused(visits, listed, tmp_path):
    copy = Path(shutil.copytree(visits, tmp_path / "copy"))
    phrase = refused(check_listed, KEY, copy, "ledger-1", 412, words=f"visits, which still exists{SENT}")
    assert phrase.startswith(f"take over {copy} at 412 moves ")
    assert check_listed(KEY, copy, "ledger-1", 412, phrase).startswith(f'"{phrase}": This campaign is listed')


def test_a_renamed_folder_is_refused(visits, listed, tmp_path):
    moved = visits.rename(tmp_path / "moved")
    refused(check_listed, KEY, moved, "ledger-1", 412, words=f"visits, which no longer exists{SENT}")


def test_a_folder_elsewhere_with_another_ledger_is_refused(listed, tmp_path):
    other = tmp_path / "other"
    refused(check_listed, KEY, other, "ledger-2", 5, words=f"The two have different ledgers.{SENT}")


def test_another_ledger_in_the_folder_is_refused(visits, listed):
    refused(check_listed, KEY, visits, "ledger-2", 500, words=f"is not the one that this campaign was{SENT}")


def test_an_older_copy_is_refused(visits, listed):
    refused(check_listed, KEY, visits, "ledger-1", 400, words=f"an older copy: 12 moves are missing{SENT}")


def test_an_older_copy_elsewhere_says_both(listed, tmp_path):
    words = "which still exists, .*an older copy: 1 move is missing"
    refused(check_listed, KEY, tmp_path / "copy", "ledger-1", 411, words=words)


def test_a_campaign_that_is_listed_elsewhere_is_not_begun_anew(visits, listed, tmp_path):
    words = f"This campaign is in .*visits.{SENT}.*Continue in that folder; or, to begin anew"
    phrase = refused(check_unlisted, KEY, tmp_path / "new", words=words)
    assert phrase.startswith(f"take over {visits} at 412 moves ")
    assert check_unlisted(KEY, tmp_path / "new", phrase).startswith(f'"{phrase}": ')
    assert check_unlisted("cd" * 32, tmp_path / "new", None) == ""


def test_a_deleted_folder_is_not_begun_anew(visits, listed, tmp_path):
    visits.rmdir()
    refused(check_unlisted, KEY, visits, words=f"and is no longer there.{SENT}.*Put that folder back")
    refused(check_unlisted, KEY, tmp_path / "new", words=f"which no longer exists.{SENT}.*Put that folder")


def test_a_phrase_is_worthless_the_next_time(visits, listed):
    """Deleted, begun anew and sent with as many moves as before: only the mark differs."""
    visits.rmdir()
    phrase = refused(check_unlisted, KEY, visits, words="no longer there")
    ListEntry(KEY, visits, "ledger-2", lambda: 40).write(lambda: 412, at_once=True)
    with pytest.raises(FolderError, match="given does not fit, or no longer") as refusal:
        check_unlisted(KEY, visits, phrase)
    assert phrase_in(refusal) != phrase


def test_a_backup_restored_twice_needs_two_phrases(visits, listed):
    phrase = refused(check_listed, KEY, visits, "ledger-1", 400, words="12 moves are missing")
    assert check_listed(KEY, visits, "ledger-1", 400, phrase)
    ListEntry(KEY, visits, "ledger-1", lambda: 40).write(lambda: 405, at_once=True)
    with pytest.raises(FolderError, match="5 moves are missing"):
        check_listed(KEY, visits, "ledger-1", 400, phrase)


def test_a_path_in_a_sentence_is_cleaned(listed, tmp_path):
    phrase = refused(
        check_listed, KEY, tmp_path / "a\n\x1b[31mb", "ledger-1", 412, words="which still exists"
    )
    assert f"{tmp_path}/a b at" in phrase


# the place of a ledger


def test_a_ledger_at_home(visits):
    assert check_place("machine-1", str(visits), "machine-1", visits, 412, None) == ""


@pytest.mark.parametrize(
    ("machine", "gone", "words"),
    [
        ("machine-1", False, "and .*copy is a copy of it"),
        ("machine-1", True, "was moved from .*visits to .*copy"),
        ("machine-2", False, "lives on another machine, in .*visits there"),
    ],
)
def test_a_ledger_away_from_home_is_refused(visits, tmp_path, machine, gone, words):
    copy = Path(shutil.copytree(visits, tmp_path / "copy"))
    if gone:
        visits.rmdir()
    phrase = refused(check_place, "machine-1", str(visits), machine, copy, 412, words=words)
    assert phrase == f"take over {copy} at 412 moves"
    assert check_place("machine-1", str(visits), machine, copy, 412, phrase).startswith(f'"{phrase}": ')
    with pytest.raises(FolderError, match="does not fit, or no longer"):
        check_place("machine-1", str(visits), machine, copy, 413, phrase)


def test_one_phrase_answers_the_list_and_the_place(visits, listed, tmp_path):
    """A live campaign whose folder was moved is refused by both."""
    moved = visits.rename(tmp_path / "moved")
    phrase = refused(check_listed, KEY, moved, "ledger-1", 414, words="no longer exists")
    assert check_listed(KEY, moved, "ledger-1", 414, phrase)
    assert check_place("machine-1", str(visits), "machine-1", moved, 414, phrase)
