"""A campaign folder: made, changed, damaged, killed halfway, put on the wrong disk, and opened again."""

import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
import textwrap
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.crash_sender import CREATING, begin, send
from support.golden_folder import GOLDEN
from support.refusals import refused

import campaign
from campaign.sending.ledger.ledger_file import open_ledger
from campaign.sending.store import creation
from campaign.sending.store.folder import open_folder
from campaign.sending.store.identity import ChosenName
from campaign.sending.store.manifest import FORMAT

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes and no kill -9")
ROUND = "rounds/0001"
SHEET = b"name,phone,parts\nAisha,0772000001,a\nBen,0772000002,b\n,0772000003,c\n"


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@cache
def prepared():
    """A plan, which nothing can change: every test and every example may have the same."""
    return campaign.prepare(campaign.read_contacts(SHEET), message="Hi {phone}", sender="CLINIC", region="UG")


def sent(folder="visits", **options):
    """A small campaign that went out, in its folder."""
    return campaign.send(prepared(), folder=folder, progress=False, **options).folder


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A campaign folder to make copies of."""
    place = tmp_path_factory.mktemp("original") / "visits"
    campaign.send(prepared(), folder=place, progress=False)
    return place


@pytest.fixture
def visits(original):
    """A campaign of three people that went out."""
    return Path(shutil.copytree(original, "visits"))


# Folders of every format


def copies_of_golden_folders():
    return sorted(GOLDEN.glob("format-*"))


def test_there_is_a_golden_folder_of_the_format_of_today():
    assert GOLDEN / f"format-{FORMAT}" in copies_of_golden_folders()


@pytest.mark.parametrize("golden", copies_of_golden_folders(), ids=lambda path: path.name)
def test_a_campaign_of_every_format_is_loaded_and_reported(golden):
    folder = shutil.copytree(golden, "visits")
    loaded = campaign.load_result(folder)
    assert loaded.batches["status"].tolist() == ["accepted", "accepted", "refused", "unknown", "not_sent"]
    assert loaded.contacts["status"].tolist() == [
        "accepted", "accepted", "refused", "duplicate", "invalid", "blank", "unknown", "not_sent",
    ]  # fmt: skip
    assert loaded.messages["message"][1] == "Hi José, your visit is on Tuesday 🎉."
    assert loaded.plan.reading.source == "visits.csv"
    assert loaded.plan.issues["code"].tolist()
    for ending in ("html", "xlsx", "csv"):
        campaign.write_report(loaded, f"report.{ending}")


def test_a_campaign_of_the_format_of_today_goes_on():
    folder = shutil.copytree(GOLDEN / f"format-{FORMAT}", "visits")
    with campaign.Sandbox() as sandbox:
        resumed = campaign.resume(folder, account=sandbox.account, progress=False)
        assert sandbox.inbox["number"].tolist() == ["256772000003", "256772000005"]
    assert resumed.messages["status"].tolist() == ["accepted", "accepted", "accepted", "unknown", "accepted"]


def test_a_folder_of_an_earlier_format_is_refused_by_every_verb_and_stays_as_it_is(visits):
    edit(visits, format=FORMAT - 1, version="0.1.0")
    before = {path: path.read_bytes() for path in visits.rglob("*") if path.is_file()}
    for call in (
        lambda: campaign.load_result(visits),
        lambda: campaign.resume(visits, progress=False),
        lambda: campaign.send(prepared(), folder=visits, progress=False),
        lambda: campaign.compare(prepared(), folder=visits),
        lambda: campaign.resolve(visits, 4, "accepted", confirm="batch 4 was accepted"),
        lambda: campaign.close(visits),
        lambda: campaign.erase(visits),
        lambda: campaign.workers(visits),
    ):
        with refused("folder_format_unknown", campaign.FolderError, version="0.1.0"):
            call()
    assert "0.1.0" in campaign.history(visits)["problem"][0]
    assert {path: path.read_bytes() for path in visits.rglob("*") if path.is_file()} == before


# What was changed after it was frozen


def change_a_message(folder):
    path = folder / ROUND / "plan" / "part-00000.parquet"
    table = pq.read_table(path)
    texts = pc.replace_substring(table["message"], "Hi", "Ho")
    pq.write_table(table.set_column(2, table.schema.field(2), texts), path)


def change_the_row_of_a_message(folder):
    path = folder / ROUND / "plan" / "part-00000.parquet"
    table = pq.read_table(path)
    pq.write_table(table.set_column(0, table.schema.field(0), pa.chunked_array([[4, 3, 2]])), path)


def flip_a_bit_of(name):
    def change(folder):
        content = bytearray((folder / name).read_bytes())
        content[len(content) // 2] ^= 1
        (folder / name).write_bytes(content)

    return change


TABLES = [f"{table}/part-00000.parquet" for table in ("contacts", "issues", "alternatives")]
CHANGES = {
    "plan/part-00000.parquet": change_a_message,
    "part-00000.parquet": change_the_row_of_a_message,
    "00000.parquet": flip_a_bit_of(f"{ROUND}/plan/part-00000.parquet"),
    **{name: flip_a_bit_of(f"{ROUND}/{name}") for name in TABLES},
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_frozen_file_that_was_changed_is_never_shown_as_true(name, visits):
    CHANGES[name](visits)
    with refused("campaign_file_damaged", campaign.FolderError):
        campaign.load_result(visits)


@pytest.mark.parametrize("name", ["plan/part-00000.parquet", *TABLES])
def test_a_frozen_file_that_is_missing_is_named(name, visits):
    (visits / ROUND / name).unlink()
    with refused("campaign_file_damaged", campaign.FolderError, file=(visits / ROUND / name).absolute()):
        campaign.load_result(visits)


def test_a_frozen_file_of_an_earlier_round_that_was_changed_is_never_believed(visits):
    """Whom it reached is not to be reached again, so nothing is compared with it any more."""
    more = SHEET + b"Caro,0772000004,d\n"
    plan = campaign.prepare(campaign.read_contacts(more), message="Hi {phone}", sender="CLINIC", region="UG")
    campaign.send(plan, folder=visits, progress=False)
    change_a_message(visits)
    assert campaign.load_result(visits).totals["accepted"] == 4
    for call in (campaign.send, campaign.compare):
        options = {"progress": False} if call is campaign.send else {}
        with refused("campaign_file_damaged", campaign.FolderError):
            call(plan, folder=visits, **options)


def edit(folder, **values):
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | values), "utf-8")


@pytest.mark.parametrize(
    "values",
    [
        {"messages": 4},
        {"settled": {"1": 1}},
        {"batch_size": 1},
        {"canary": False},
        {"pilot": {"last_batch": 1, "template": "Hi"}},
        {"given": "x"},
        {"fingerprint": "x"},
        {"number_columns": []},
        {"created_at": "2020-01-01T00:00:00+00:00"},
        {"reading": None},
        {"digests": {}},
        {"totals": {"statuses": {}}},
    ],
    ids=str,
)
def test_a_manifest_of_a_round_that_was_changed_is_never_believed(values, visits):
    edit(visits / ROUND, **values)
    for call in (campaign.load_result, campaign.resume, lambda folder: sent(folder)):
        with refused("campaign_file_damaged", campaign.FolderError):
            call(visits)


@pytest.mark.parametrize(
    "values",
    [
        {"name": "other"},
        {"source": "other.csv"},
        {"environment": "sandbox"},
        {"account": "x"},
        {"salt": "x"},
        {"created_at": "2020-01-01T00:00:00+00:00"},
    ],
    ids=str,
)
def test_a_manifest_that_was_changed_is_never_believed(values, visits):
    edit(visits, **values)
    with refused("ledger_of_another", campaign.LedgerError):
        campaign.load_result(visits)
    with campaign.Sandbox() as sandbox, pytest.raises((campaign.FolderError, campaign.AccountError)):
        campaign.resume(visits, account=sandbox, progress=False)


def test_how_a_manifest_is_spaced_does_not_matter(visits):
    """Editors and version control change line ends, other programs the order."""
    path = visits / "manifest.json"
    text = json.dumps(json.loads(path.read_text("utf-8")), sort_keys=True)
    path.write_bytes(text.replace(", ", ",\r\n").encode())
    assert campaign.load_result(visits).totals["accepted"] == 3


def test_a_manifest_of_another_format_names_the_version_that_made_it(visits):
    edit(visits, format=FORMAT + 1, version="9.1\x1b[31m")
    with refused("folder_format_unknown", campaign.FolderError, version="9.1"):
        campaign.load_result(visits)


def test_a_result_of_a_plan_at_hand_is_checked_against_the_ledger_too(visits):
    """As a run asks for it while it sends."""
    folder = open_folder(visits)
    ledger = folder.snapshot()
    frozen = folder.rounds(ledger)[-1].load(ledger.batches)
    assert folder.load_result(frozen).totals["accepted"] == 3
    path = folder.path / "ledger.sqlite"
    path.write_bytes(path.read_bytes()[:4096])
    with pytest.raises(campaign.LedgerError):
        folder.load_result(frozen)


def test_what_was_read_is_still_known_after_loading(visits):
    loaded, plan = campaign.load_result(visits).plan, prepared()
    assert loaded.reading == plan.reading
    assert loaded.totals.as_record() == plan.totals.as_record()
    assert loaded.issues.equals(plan.issues)
    assert loaded.contacts.equals(plan.contacts)
    assert loaded.messages.equals(plan.messages)


def test_a_manifest_of_an_unknown_environment_is_damaged_and_asks_for_no_account(visits):
    edit(visits, environment="moon")
    with refused("campaign_file_damaged", campaign.FolderError):
        campaign.resume(visits)


def test_what_was_chosen_at_the_start_is_kept_for_the_next_one():
    folder = open_folder(sent(batch_size=2, canary=False))
    manifest = folder.rounds(folder.snapshot())[-1].manifest
    assert (manifest.batch_size, manifest.canary, manifest.messages) == (2, False, 3)


# Manifests that nobody wrote

GOLDEN_TODAY = GOLDEN / f"format-{FORMAT}"
PLACES = (".", ROUND)
RECORDS = {place: json.loads((GOLDEN_TODAY / place / "manifest.json").read_text("utf-8")) for place in PLACES}
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
NESTED = b"[" * 900 + b"]" * 900


def refused_by_every_verb(folder):
    plan = prepared()
    for call in (
        lambda: campaign.load_result(folder),
        lambda: campaign.resume(folder, progress=False),
        lambda: campaign.send(plan, folder=folder, progress=False),
        lambda: campaign.compare(plan, folder=folder),
    ):
        with pytest.raises((campaign.FolderError, campaign.AccountError)) as refusal:
            call()
        assert len(str(refusal.value).encode()) > 20  # a sentence that can be printed


@pytest.fixture(scope="module")
def golden_copies(tmp_path_factory):
    """For each place of a manifest a folder, and the manifest in it."""
    home = tmp_path_factory.mktemp("golden")
    copies = {}
    for number, place in enumerate(PLACES):
        folder = Path(shutil.copytree(GOLDEN_TODAY, home / str(number)))
        copies[place] = folder, folder / place / "manifest.json"
    return copies


@pytest.mark.parametrize("place", PLACES)
@given(position=st.integers(0, 20), value=json_values)
def test_a_manifest_with_any_other_value_is_refused_in_words(golden_copies, place, position, value):
    record, (folder, path) = RECORDS[place], golden_copies[place]
    name = sorted(record)[position % len(record)]
    if value != record[name] or type(value) is not type(record[name]):
        path.write_text(json.dumps(record | {name: value}))
        refused_by_every_verb(folder)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ledger", "led\0ger"),
        ("ledger", "\ud800"),
        ("ledger", "x" * 5000),
        ("ledger", ""),
        ("ledger", "rounds"),
        ("environment", "moon"),
        ("name", "led\0ger"),
        ("parts", True),
        ("parts", -1),
        ("messages", 10**400),
        ("totals", {"statuses": []}),
        ("digests", {"../../x": 1}),
        ("number_columns", [1]),
        ("pilot", {}),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_manifest_with_a_value_that_is_hard_to_read_is_refused_in_words(golden_copies, name, value):
    for place, record in RECORDS.items():
        if name in record:
            folder, path = golden_copies[place]
            path.write_text(json.dumps(record | {name: value}))
            refused_by_every_verb(folder)


@pytest.mark.parametrize("place", PLACES)
@given(content=json_values.map(json.dumps).map(str.encode) | st.binary(max_size=40))
@example(content=b"[" * 200_000)
@example(content=b'{"a":' * 2000)
@example(
    content=json.dumps(RECORDS[ROUND] | {"reading": {}}).encode().replace(b"{}", b'{"a": ' + NESTED + b"}")
)
@example(content=b"1" * 5000)
@example(content=b'{"format": 1}')
@example(content=b'{"format": "1"}')
@example(content="{}".encode("utf-16"))
def test_a_manifest_that_is_anything_else_is_refused_in_words(golden_copies, place, content):
    folder, path = golden_copies[place]
    path.write_bytes(content)
    refused_by_every_verb(folder)


@pytest.mark.parametrize(("place", "name"), [(place, name) for place in RECORDS for name in RECORDS[place]])
def test_a_manifest_that_lacks_a_field_or_has_one_too_many_is_refused(golden_copies, place, name):
    given, (folder, path) = RECORDS[place], golden_copies[place]
    for record in ({key: value for key, value in given.items() if key != name}, given | {f"{name} too": 1}):
        path.write_text(json.dumps(record))
        refused_by_every_verb(folder)


# Folders in odd states


def put_a_folder_at(name):
    def change(folder):
        (folder / name).unlink(missing_ok=True)
        (folder / name).mkdir()

    return change


def put_a_file_at(name):
    def change(folder):
        shutil.rmtree(folder / name)
        (folder / name).touch()

    return change


def put_a_link_to_itself_at(name):
    def change(folder):
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(folder.absolute() / name)

    return change


FILES = [
    "manifest.json", f"{ROUND}/manifest.json", *(f"{ROUND}/{table}" for table in TABLES[:2]), "ledger.sqlite",
    "ledger.sqlite.moves",
]  # fmt: skip
STATES = {
    **{f"{name} is a folder": put_a_folder_at(name) for name in FILES},
    **{f"{name} is a link to itself": put_a_link_to_itself_at(name) for name in FILES},
    "empty": lambda folder: [path.unlink() for path in folder.iterdir() if path.is_file()],
    "the plan is a file": put_a_file_at(f"{ROUND}/plan"),
    "the round is a file": put_a_file_at(ROUND),
    "the rounds are a file": put_a_file_at("rounds"),
}  # fmt: skip


@pytest.mark.parametrize("state", STATES)
def test_a_folder_in_an_odd_state_is_refused_in_words(state, visits):
    STATES[state](visits)
    with pytest.raises(campaign.FolderError) as refusal:
        campaign.load_result(visits)
    assert str(visits) in str(refusal.value)


@pytest.mark.parametrize("change", [put_a_folder_at("lock"), put_a_link_to_itself_at("lock")])
def test_a_lock_that_cannot_be_taken_is_refused_in_words(change, visits):
    change(visits)
    with refused("campaign_file_unusable", campaign.FolderError):
        campaign.resume(visits, progress=False)


@POSIX
def test_a_link_to_itself_is_no_place_for_a_campaign():
    Path("visits").symlink_to("visits")
    for call in (sent, lambda: campaign.load_result("visits"), lambda: sent(Path("visits", "inner"))):
        with pytest.raises(campaign.FolderError):
            call()


@POSIX
def test_what_one_may_not_read_is_refused_in_words(visits):
    """In a program of its own, which gives up root's power to read everything."""
    program = """
        import os, campaign, campaign.results.tables, pandas as pd
        people = pd.DataFrame({"phone": ["0772000001"]})
        plan = campaign.prepare(people, message="Hi", sender="CLINIC", region="UG")
        calls = [lambda: campaign.load_result("visits"), lambda: campaign.resume("visits"),
                 lambda: campaign.send(plan, folder="visits"),
                 lambda: campaign.send(plan, folder="visits/x/y"),
                 lambda: campaign.resolve("visits", 1, "accepted")]
        for call in calls:  # everything is imported now
            try: call()
            except campaign.CampaignError: pass
        root = os.geteuid() == 0
        for path in ("visits/manifest.json", "visits"):
            os.chmod(path, 0)
            if root:
                os.seteuid(65534)
            for call in calls:
                try: call()
                except campaign.FolderError as error: print(error)
            if root:
                os.seteuid(0)
    """
    visits.chmod(0o755)
    for folder in (Path.cwd(), *Path.cwd().parents[:3]):
        if folder != Path("/tmp") and os.access(folder, os.W_OK):
            folder.chmod(0o755)
    ended = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.count("Permission denied") == 10, ended.stdout
    visits.chmod(0o700)


# Who may read it


@POSIX
@pytest.mark.parametrize("umask", [0, 0o077, 0o777], ids=oct)
def test_only_its_owner_reads_a_campaign_whatever_the_umask(umask):
    """Also the folders that are made on the way to it; those that exist stay as they are."""
    Path("shared").mkdir()
    Path("shared").chmod(0o755)
    usual = os.umask(umask)
    try:
        sent("shared/campaigns/visits", ledger="elsewhere.sqlite")
    finally:
        os.umask(usual)
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in Path().rglob("*")}
    assert modes.pop(Path("shared")) == 0o755
    assert {path.name for path in modes} >= {"lock", "campaigns", "part-00000.parquet", "elsewhere.sqlite"}
    wrong = {path: oct(mode) for path, mode in modes.items() if mode != (0o700 if path.is_dir() else 0o600)}
    assert wrong == {}


def test_an_account_is_hashed_with_a_salt_of_its_own():
    """So that nobody can compare folders, or try user names against a table of hashes."""
    with campaign.Sandbox() as sandbox:
        manifests = [open_folder(sent(name, account=sandbox.account)).manifest for name in ("one", "two")]
        plain = hashlib.sha256(sandbox.account.identity.encode()).hexdigest()
    assert len({plain, *(manifest.account for manifest in manifests)}) == 3
    assert manifests[0].salt != manifests[1].salt


# A campaign that could not be made


def test_a_ledger_in_a_folder_that_does_not_exist_leaves_nothing_behind(tmp_path):
    with refused("campaign_file_unusable", campaign.LedgerError):
        sent(ledger="nowhere/visits.sqlite")
    assert list(tmp_path.iterdir()) == []


def test_a_ledger_that_exists_already_is_left_alone(tmp_path):
    """It is that of another campaign, which has not begun."""
    with campaign.Sandbox() as sandbox:
        creation.create_folder(
            Path("first"), ChosenName("first"), sandbox.account, {}, ledger=Path("visits.sqlite")
        )
    before = {path: path.read_bytes() for path in Path().glob("visits.sqlite*")}
    with refused("ledger_exists", campaign.LedgerError):
        sent("second", ledger="visits.sqlite")
    assert {path: path.read_bytes() for path in Path().glob("visits.sqlite*")} == before
    assert {path.name for path in tmp_path.iterdir()} == {"first", *(path.name for path in before)}


def test_a_folder_that_cannot_get_its_name_takes_its_ledger_with_it(tmp_path, monkeypatch):
    def full(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "rename", full)
    with refused("campaign_file_unusable", campaign.FolderError, reason="No space left on device"):
        sent(ledger="visits.sqlite")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def sandbox():
    with campaign.Sandbox(password="sesame") as service:
        yield service


def killed(folder, place, sandbox, **options):
    """A sender that is killed at this place."""
    process = begin(send, Path(folder).absolute(), 10, sandbox.account.url, die=(place, 1), **options)
    process.join()
    assert process.exitcode == -9


@POSIX
def test_what_a_killed_program_left_half_made_is_gone_after_the_next_start(tmp_path, sandbox):
    killed("visits", "before the ledger is made", sandbox)
    assert [*tmp_path.glob(".campaign-*/manifest.json")]
    sent("other")
    assert {path.name for path in tmp_path.iterdir()} == {"other"}


@POSIX
@pytest.mark.parametrize("place", CREATING)
def test_a_ledger_outside_of_a_killed_start_is_in_nobodys_way(place, tmp_path, sandbox):
    """Not begun: the ledger goes with the unfinished folder. Begun: it stays, and the campaign goes on.

    A program may be killed before the ledger is complete, or before it has its guard.
    """
    ledger = tmp_path / "visits.sqlite"
    killed("visits", place, sandbox, ledger=ledger)
    options = {} if Path("visits").exists() else {"ledger": ledger}
    begin(send, Path("visits").absolute(), 10, sandbox.account.url, **options).join()
    assert len(sandbox.inbox) == 10
    sent("other")  # a start in which there is something to clear away: the lock of the killed one
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"visits", "other", "visits.sqlite", "visits.sqlite.moves"}


def test_a_folder_that_is_being_made_right_now_is_left_alone(tmp_path):
    with creation._unfinished_folder(tmp_path) as unfinished:
        (unfinished / "contacts.parquet").write_bytes(b"being written")
        sent()
        assert (unfinished / "contacts.parquet").exists()
    assert {path.name for path in tmp_path.iterdir()} == {"visits"}


def test_a_used_ledger_is_never_cleared_away(tmp_path, visits):
    """Somebody copied an unfinished folder and went on with the copy."""
    ledger = tmp_path / "used.sqlite"
    folder = open_folder(sent("copy", ledger=ledger))
    unfinished = tmp_path / ".campaign-0123456789abcdef.unfinished"
    shutil.copytree(folder.path, unfinished)
    unfinished.with_name(unfinished.name + ".lock").touch()
    sent("other")
    assert not unfinished.exists()
    open_ledger(ledger, folder.manifest.identity).close()


STRANGERS = [".campaign-notes", ".campaign-0123456789abcdef", ".campaign-0123456789abcdef.unfinished"]


@pytest.mark.parametrize("name", STRANGERS)
def test_other_hidden_files_are_left_alone(name, tmp_path):
    (tmp_path / name).mkdir()
    (tmp_path / name / "photo.jpg").write_bytes(b"x")
    (tmp_path / ".campaign-x.unfinished.lock").touch()
    sent()
    assert (tmp_path / name / "photo.jpg").exists()
    assert (tmp_path / ".campaign-x.unfinished.lock").exists()


# One at a time


def test_a_campaign_is_open_in_one_run_only(visits):
    folder = open_folder(visits)
    with folder.lock(), refused("campaign_open", campaign.LockedError):
        campaign.resume(visits, progress=False)
    campaign.resume(visits, progress=False)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_child_that_ends_does_not_open_the_campaign_of_its_parent(visits):
    program = """
        import os, sys, warnings
        from pathlib import Path
        import campaign
        from campaign.sending.store.folder import open_folder
        warnings.simplefilter("ignore")  # Python 3.12 and later warn of forks beside threads
        folder = open_folder("visits")
        with folder.lock():
            ledger = folder.ledger_place.open(folder.manifest.identity)
            child = os.fork()
            if not child:
                try:
                    ledger.move(1, "sending")
                except campaign.LedgerError as error:
                    print(error, flush=True)
                sys.exit()
            os.waitpid(child, 0)
            try:
                open_folder("visits").lock().__enter__()
            except campaign.LockedError as error:
                print(error)
    """
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "it was opened before a fork" in ended.stdout
    assert "is open in another run" in ended.stdout
