"""Libraries that only some functions need: whoever calls one without them reads how to get them."""

import sys
import tomllib
from pathlib import Path

import pytest
from support.refusals import refused
from support.small_campaigns import people, plan_for

import campaign
from campaign.libraries import REQUIREMENTS, require
from campaign.service.passwords import kept_credentials
from campaign.words.page import PAGE

ROOT = Path(__file__).parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
DATABASE = "postgresql+psycopg://amina@db.example.org/campaigns"


def in_a_database():
    campaign.send(plan_for(people(1)), ledger=DATABASE, progress=False)


def from_keyring():
    campaign.Account.from_keyring("live", "https://sms.example.com", "clinic")


NEEDED_FOR = {
    "anywidget": lambda: campaign.browse(plan_for(people(1))),
    "dask": lambda: campaign.send(plan_for(people(1)), progress=False).to_dask(),
    "itables": lambda: campaign.browse(plan_for(people(1))),
    "keyring": from_keyring,
    "psycopg": in_a_database,
    "sqlalchemy": in_a_database,
}


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("library", NEEDED_FOR)
def test_without_a_library_the_call_that_needs_it_says_how_to_get_it(library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)  # as if it were not installed
    install = f'"{REQUIREMENTS[library]}"'
    with refused(
        "library_missing", campaign.InstallationError, libraries=[library], install=install
    ) as error:
        NEEDED_FOR[library]()
    assert str(error.value) == f"{library} is not installed. Install it with: pip install {install}"
    assert not Path("campaigns").exists() or library == "dask"  # its result comes after the campaign


def test_several_libraries_are_one_command(monkeypatch):
    for library in ("sqlalchemy", "psycopg"):
        monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError) as error:
        require("sqlalchemy", "keyring", "psycopg")
    command = 'pip install "sqlalchemy>=2.1" "psycopg[binary]>=3.3"'
    assert str(error.value) == f"sqlalchemy and psycopg are not installed. Install them with: {command}"
    assert PAGE.remedy(error.value.finding) == "Ask whoever sets up your campaigns."


def test_without_a_keyring_no_account_is_found_there(monkeypatch):
    monkeypatch.setitem(sys.modules, "keyring", None)
    monkeypatch.setenv("CAMPAIGN_LIVE_URL", "https://sms.example.com")
    monkeypatch.setenv("CAMPAIGN_LIVE_USERNAME", "clinic")
    assert kept_credentials("live") is None


def test_what_is_asked_for_is_in_the_extras():
    """And what they name besides is no library that this package calls."""
    named = {requirement for name in EXTRAS.keys() - {"test", "docs"} for requirement in EXTRAS[name]}
    assert set(REQUIREMENTS.values()) <= named


def test_no_sentence_advises_to_install_this_package_by_its_name():
    """PyPI may have another one of this name."""
    texts = [*ROOT.glob("campaign/**/*.py"), *ROOT.glob("notebooks/*.ipynb")]
    advice = [path.name for path in texts if 'install "campaign' in path.read_text("utf-8")]
    assert advice == ["libraries.py"]  # which says why
