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
from support.refusals import refused

from campaign.errors import FolderError
from campaign.sending.store import user_list
from campaign.sending.store.claim import check_home
from campaign.sending.store.locks import hold_lock
from campaign.sending.store.user_list import ListedCampaign, ListEntry, listed_campaign, listed_campaigns
from campaign.sending.store.user_state import machine_id, state_directory
from campaign.values import replace
from campaign.words.stored import read_stored

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
    entry_of(visits).write(lambda: 412, at_once=True)
    entry = replace(listed_campaign(KEY), last_sent_at=LISTED_AT)
    entry_path.write_text(json.dumps(structs.asdict(entry)))
    return entry


def entry_of(folder, ledger="ledger-1", *, reached=40, rounds=1):
    """The entry of a campaign whose ledger has so many rounds and has reached so many people."""
    return ListEntry(KEY, folder, ledger, lambda: (rounds, reached))


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
    with refused("wrong_value", FolderError, argument="CAMPAIGN_STATE_DIR"):
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
    with refused("campaign_file_damaged", FolderError, file=state_directory / "machine"):
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
        lambda folder: entry_of(folder).write(lambda: 0, at_once=True),
        lambda folder: listed_campaign(KEY),
        lambda folder: listed_campaigns(),
    ],
    ids=["id", "write", "one", "all"],
)
def test_a_state_directory_that_cannot_be_used_is_reported(use, visits):
    with refused("campaign_file_unusable", FolderError):
        use(visits)


# entries


def test_an_entry_has_its_campaign_from_the_first_moment(visits, entry_path):
    entry_of(visits, reached=0, rounds=0).write(lambda: 0, at_once=True)
    campaign = ListedCampaign(KEY, str(visits), "ledger-1", moves=0, reached=0)
    assert listed_campaigns() == ([campaign], [])
    if sys.platform != "win32":
        assert entry_path.stat().st_mode & 0o777 == 0o600


def test_the_date_says_when_messages_left(visits, listed):
    entry_of(visits).write(lambda: 413, at_once=True)
    assert listed_campaign(KEY) == replace(listed, moves=413)  # opened again, and nothing left
    entry_of(visits, reached=41).write(lambda: 415, at_once=True)
    after = listed_campaign(KEY)
    assert (after.moves, after.reached) == (415, 41)
    assert after.last_sent_at > LISTED_AT


def test_another_ledger_begins_an_entry_of_its_own(visits, listed):
    entry_of(visits, "ledger-2", reached=0).write(lambda: 1, at_once=True)
    assert listed_campaign(KEY) == ListedCampaign(KEY, str(visits), "ledger-2", moves=1, reached=0)


def test_it_is_written_at_most_every_half_second(visits, monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(user_list.time, "monotonic", lambda: clock[0])
    entry, shown = entry_of(visits), []
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
        lambda: entry_of(visits).write(lambda: 412, at_once=True),
    ):
        with refused("campaign_file_damaged", FolderError, file=entry_path):
            use()
    ListEntry("cd" * 32, visits, "ledger-2", lambda: (0, 0)).write(lambda: 0, at_once=True)
    campaigns, problems = listed_campaigns()
    assert [campaign.key for campaign in campaigns] == ["cd" * 32]
    assert [(problem.code, problem.facts["file"]) for problem in problems] == [
        ("campaign_file_damaged", entry_path)
    ]


def test_what_a_crash_left_half_written_is_not_an_entry(listed, entry_path):
    entry_path.with_name(f"{KEY}.json.new").write_text("{")
    assert listed_campaigns() == ([listed], [])


# opening a campaign

MACHINE = {"machine": "machine-1", "account": "clinic"}


def opened(folder, moves=412, takeover=None, *, key=KEY, ledger="ledger-1", home=None, **here):
    """Open a campaign in a folder; its ledger lives there, or in another one that is its `home`."""
    recorded = {**MACHINE, "ledger": ledger, "folder": str(home or folder)}
    return check_home(
        listed_campaign(key), recorded, {**MACHINE, "folder": str(folder), **here}, moves, takeover
    )


def begun(folder, takeover=None, *, key=KEY):
    """Begin the campaign in a folder where it is not."""
    return check_home(listed_campaign(key), None, {**MACHINE, "folder": str(folder)}, 0, takeover)


def phrase_of(code, facts, open_it, *arguments, **options):
    """The phrase that opens it after all."""
    with refused(code, FolderError, **facts) as refusal:
        open_it(*arguments, **options)
    return refusal.value.finding.facts["phrase"]


def test_a_campaign_at_home_is_opened_without_a_question(visits, listed):
    assert opened(visits) == ""
    assert opened(visits, 415) == ""  # the list is written after the ledger
    assert opened(visits, takeover="take over nothing") == ""
    assert opened(visits, key="cd" * 32) == ""  # not in the list


def test_a_link_to_the_folder_is_the_folder(visits, listed, tmp_path):
    (tmp_path / "link").symlink_to(visits)
    assert opened(tmp_path / "link") == ""


def sent_from(folder):
    """What is known of the place that is listed."""
    return {"there": str(folder), "messages": 40, "day": "21 November 2026"}


def test_a_copy_is_refused_until_the_phrase_is_typed(visits, listed, tmp_path):
    copy = Path(shutil.copytree(visits, tmp_path / "copy"))
    facts = {"here": str(copy), **sent_from(visits)}
    phrase = phrase_of("campaign_elsewhere", facts, opened, copy, home=visits)
    assert phrase.startswith(f"take over {copy} at 412 moves ")
    note = read_stored(opened(copy, takeover=phrase, home=visits))
    assert (note.code, note.facts) == ("campaign_elsewhere", facts)


@pytest.mark.parametrize(
    ("options", "code", "facts"),
    [
        ({"ledger": "ledger-2", "moves": 500}, "ledger_of_another", {"messages": 40}),
        ({"moves": 400}, "ledger_older", {"missing": 12}),
        ({"moves": 411}, "ledger_older", {"missing": 1}),
        ({"machine": "machine-2", "key": "cd" * 32}, "campaign_elsewhere", {"machine": "another machine"}),
        ({"account": "hospital", "key": "cd" * 32}, "other_account", {}),
    ],
    ids=["another ledger", "an older copy", "one move", "another machine", "another account"],
)
def test_what_differs_in_its_own_folder_is_said(visits, listed, options, code, facts):
    phrase = phrase_of(code, facts, opened, visits, **options)
    assert read_stored(opened(visits, takeover=phrase, **options)).code == code
    with pytest.raises(FolderError):
        opened(visits, takeover=phrase, **options | {"moves": options.get("moves", 412) - 1})


def test_a_renamed_folder_is_refused(visits, listed, tmp_path):
    moved = visits.rename(tmp_path / "moved")
    phrase_of("campaign_gone", sent_from(visits), opened, moved, home=visits)


def test_an_older_copy_elsewhere_says_both(visits, listed, tmp_path):
    facts = {"missing": 1, "home": str(visits), **sent_from(visits)}
    phrase_of("ledger_older", facts, opened, tmp_path / "copy", 411, home=visits)


def test_a_ledger_that_is_not_listed_knows_its_own_home(visits, tmp_path):
    copy = Path(shutil.copytree(visits, tmp_path / "copy"))
    facts = {"there": str(visits), "here": str(copy)}
    phrase_of("campaign_elsewhere", facts, opened, copy, home=visits)


def test_a_campaign_that_is_listed_elsewhere_is_not_begun_anew(visits, listed, tmp_path):
    phrase = phrase_of("campaign_elsewhere", sent_from(visits), begun, tmp_path / "new")
    assert begun(tmp_path / "new", phrase)
    assert begun(tmp_path / "new", key="cd" * 32) == ""


def test_a_deleted_folder_is_not_begun_anew(visits, listed, tmp_path):
    visits.rmdir()
    phrase_of("campaign_gone", sent_from(visits), begun, visits)
    phrase_of("campaign_gone", sent_from(visits), begun, tmp_path / "new")


def test_a_name_that_was_claimed_and_nothing_more_is_free(visits, tmp_path):
    """The program that claimed it died before it registered a round."""
    entry_of(visits, rounds=0).write(lambda: 3, at_once=True)
    assert listed_campaign(KEY).moves == 0
    assert begun(tmp_path / "new") == begun(visits) == opened(tmp_path / "new", ledger="ledger-2") == ""


def test_a_claim_never_takes_the_place_of_a_campaign_that_has_begun(visits, listed, tmp_path):
    """A person took it over, and the program died before it registered a round: it is not begun there."""
    entry_of(tmp_path / "new", "ledger-2", rounds=0).write(lambda: 3, at_once=True)
    assert listed_campaign(KEY) == listed


def test_a_phrase_is_worthless_the_next_time(visits, listed):
    """Deleted, begun anew and sent with as many moves as before: only the mark differs."""
    visits.rmdir()
    phrase = phrase_of("campaign_gone", {}, begun, visits)
    entry_of(visits, "ledger-2").write(lambda: 412, at_once=True)
    assert phrase_of("campaign_gone", {}, begun, visits, phrase) != phrase


def test_a_backup_restored_twice_needs_two_phrases(visits, listed):
    phrase = phrase_of("ledger_older", {"missing": 12}, opened, visits, 400)
    assert opened(visits, 400, phrase)
    entry_of(visits).write(lambda: 405, at_once=True)
    phrase_of("ledger_older", {"missing": 5}, opened, visits, 400, phrase)


def test_a_path_in_a_phrase_is_cleaned(visits, listed, tmp_path):
    phrase = phrase_of("campaign_elsewhere", {}, opened, tmp_path / "a\n\x1b[31mb", home=visits)
    assert f"{tmp_path}/a b at" in phrase
