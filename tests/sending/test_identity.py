"""Which campaign is meant: the same name and account always find it, and no two names share a folder."""

import io
import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.refusals import refused
from support.small_campaigns import plan_for

import campaign
from campaign.errors import UsageError
from campaign.sending.store.identity import campaign_key, choose_name, folded_name, folder_name
from campaign.service.account import Account

CSV = "name,phone\nPerson 0,0772 000 000\n"
LOCAL = Account("local", "http://127.0.0.1:1", "clinic", "only-for-tests")
LIVE = Account("live", "https://sms.example.com", "clinic", "only-for-tests")
SANDBOX = Account("sandbox", "https://try.example.com", "clinic", "of-sandbox")
NAMES = st.text(max_size=60) | st.text("ab1-_. Aß/İ", max_size=12) | st.from_regex(r"[a-c]{0,3}-[0-9a-f]{8}")


# names


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("Visits", "visits"),
        ("  visits\n", "visits"),
        ("visit \t day", "Visit Day"),
        ("visit\N{NO-BREAK SPACE}day", "visit day"),
        ("Cafe\u0301", "CAFÉ"),
        ("STRASSE", "straße"),
        ("КЛИНИКА", "Клиника"),
    ],
)
def test_one_name_written_in_two_ways(name, same):
    assert folded_name(name) == folded_name(same)
    assert campaign_key(name, LIVE) == campaign_key(same, LIVE)
    assert folder_name(name, "live") == folder_name(same, "live")


@given(NAMES)
def test_a_folded_name_stays_as_it_is(name):
    assert folded_name(folded_name(name)) == folded_name(name)


def test_a_key_is_of_the_name_and_the_account():
    keys = [campaign_key(name, account) for name in ("a", "b", "") for account in (LOCAL, LIVE, SANDBOX)]
    assert len(set(keys)) == 9
    assert all(re.fullmatch("[0-9a-f]{64}", key) for key in keys)


def test_no_part_of_a_name_can_pass_for_a_part_of_the_account():
    """A line break in a name or a user name moves nothing from one side to the other."""
    other = Account("live", "https://sms.example.com", 'clinic", "b', "only-for-tests")
    assert campaign_key('a", "b', LIVE) != campaign_key("a", other)


# folders


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("visits", r"visits"),
        ("Visits", r"visits"),
        ("may_2026-b", r"may_2026-b"),
        ("visit day", r"visit-day-[0-9a-f]{8}"),
        ("visit/day", r"visit-day-[0-9a-f]{8}"),
        ("../../etc", r"etc-[0-9a-f]{8}"),
        ("Клиника", r"campaign-[0-9a-f]{8}"),
        ("con", r"con-[0-9a-f]{8}"),
        ("NUL", r"nul-[0-9a-f]{8}"),
        ("com1", r"com1-[0-9a-f]{8}"),
        ("console", r"console"),
        ("v" * 40, "v{40}"),
        ("v" * 41, r"v{40}-[0-9a-f]{8}"),
        ("visit-day-0a1b2c3d", r"visit-day-0a1b2c3d-[0-9a-f]{8}"),  # like the folder of "visit day"
    ],
)
def test_the_folder_of_a_name(name, folder):
    assert re.fullmatch(folder, folder_name(name, "live"))


def test_rehearsals_lie_beside_the_live_campaign():
    folders = [folder_name("visits", environment) for environment in ("live", "sandbox", "local")]
    assert folders == ["visits", "visits.sandbox", "visits.local"]


@given(NAMES, NAMES)
def test_two_names_never_share_a_folder(one, other):
    folders = [folder_name(name, "live") for name in (one, other)]
    assert (folders[0] == folders[1]) == (folded_name(one) == folded_name(other))
    assert all(re.fullmatch("[a-z0-9_][a-z0-9_-]{0,48}", folder) for folder in folders)


def test_names_with_one_slug_have_folders_of_their_own():
    """Among them the name that "visit day" would have as a folder."""
    names = ["visit-day", "visit day", "visit/day", "visit.day", folder_name("visit day", "live")]
    assert len({folder_name(name, "live") for name in names}) == len(names)


# which name


@pytest.fixture
def from_file(tmp_path, monkeypatch):
    """A plan of visits.csv, which lies in the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "visits.csv").write_text(CSV)
    return plan_for(campaign.read_contacts("visits.csv"))


def test_a_given_name_wins(from_file):
    assert choose_name(from_file, " May visits ", "campaigns/june", LIVE.environment)[:2] == (
        "May visits",
        "",
    )


@pytest.mark.parametrize(
    ("folder", "account", "name"),
    [
        ("campaigns/june", LIVE, "june"),
        ("campaigns/june/", LIVE, "june"),
        ("campaigns/june/../july", LIVE, "july"),
        ("campaigns/june.local", LOCAL, "june"),
        ("campaigns/june.sandbox", SANDBOX, "june"),
        ("campaigns/june.sandbox", LIVE, "june.sandbox"),
        ("campaigns/june.local", SANDBOX, "june.local"),
    ],
)
def test_a_folder_names_its_campaign(from_file, folder, account, name):
    assert choose_name(from_file, None, folder, account.environment) == (name, "", True)


def test_a_file_names_its_campaign(from_file, tmp_path):
    assert choose_name(from_file, None, None, LIVE.environment)[:2] == (
        "visits",
        str((tmp_path / "visits.csv").resolve()),
    )


def test_a_file_that_is_not_here_any_more_still_names_its_campaign(from_file, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert choose_name(from_file, None, None, "live")[:2] == ("visits", str(tmp_path / "visits.csv"))


def test_a_file_whose_name_has_an_and_is_one_file(tmp_path):
    (tmp_path / "Jan and Feb.csv").write_text(CSV)
    plan = plan_for(campaign.read_contacts(tmp_path / "Jan and Feb.csv"))
    assert choose_name(plan, None, None, LIVE.environment).name == "Jan and Feb"


def several_files(tmp_path):
    for folder in ("north", "south"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "visits.csv").write_text(CSV)
    return [tmp_path / "north" / "visits.csv", tmp_path / "south" / "visits.csv"]


@pytest.mark.parametrize(
    "source",
    [
        lambda _: pd.DataFrame({"name": ["Person 0"], "phone": ["0772 000 000"]}),
        lambda _: CSV.encode(),
        lambda _: io.BytesIO(CSV.encode()),
        lambda _: [CSV.encode(), CSV.encode()],
        several_files,
    ],
    ids=["DataFrame", "bytes", "open file", "two of bytes", "two files"],
)
def test_what_is_no_single_file_needs_a_name_unless_it_is_a_rehearsal_here(source, tmp_path):
    plan = plan_for(campaign.read_contacts(source(tmp_path)))
    assert choose_name(plan, None, None, LOCAL.environment)[:2] == ("campaign", "")
    for account in (SANDBOX, LIVE):
        with refused("campaign_name_missing", UsageError):
            choose_name(plan, None, None, account.environment)


@pytest.mark.parametrize(
    ("name", "folder"), [("", None), (" \t", None), ("\x1b[0m", None), (None, "/"), (None, "x/.local")]
)
def test_a_blank_name_is_refused(from_file, name, folder):
    with refused("campaign_name_missing", UsageError):
        choose_name(from_file, name, folder, LOCAL.environment)
