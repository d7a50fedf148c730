"""A live account that is typed in once: kept where there is a keyring, forgotten where there is none."""

import keyring
import pytest
from keyring.backend import KeyringBackend

from campaign.errors import AccountError
from campaign.sending.store.kept_accounts import keep_account, offered_accounts
from campaign.sending.store.user_state import state_directory

TYPED = ("https://sms.example.com", "clinic", "only-for-tests")


class SmallKeyring(KeyringBackend):
    """A keyring that keeps what it is given."""

    priority = 1

    def __init__(self):
        self.kept = {}

    def get_password(self, service, username):
        return self.kept.get((service, username))

    def set_password(self, service, username, password):
        self.kept[service, username] = password

    def delete_password(self, service, username):
        del self.kept[service, username]


@pytest.fixture
def small_keyring():
    usual, small = keyring.get_keyring(), SmallKeyring()
    keyring.set_keyring(small)
    yield small
    keyring.set_keyring(usual)


def kept_files():
    return {
        path.name: path.read_text("utf-8", "replace")
        for path in state_directory().glob("*")
        if path.is_file()
    }


def test_the_next_program_has_the_account_again(small_keyring):
    keep_account(*TYPED)
    accounts, faults = offered_accounts()
    assert [*accounts] == ["local", "live"]
    assert accounts["live"].url == "https://sms.example.com/"
    assert b"only-for-tests" in bytes(accounts["live"].body(memoryview(b"")))
    assert faults == {}
    assert not any("only-for-tests" in text for text in kept_files().values())


def test_an_account_whose_password_was_taken_out_of_the_keyring_is_typed_again(small_keyring):
    keep_account(*TYPED)
    small_keyring.kept.clear()
    assert [*offered_accounts()[0]] == ["local"]


def test_without_a_keyring_nothing_of_it_is_kept():
    account = keep_account(*TYPED)
    assert account.environment == "live"
    assert [*offered_accounts()[0]] == ["local"]
    assert "live-account.json" not in kept_files()


def test_an_address_that_must_not_be_used_is_kept_nowhere(small_keyring):
    with pytest.raises(AccountError):
        keep_account("http://sms.example.com", "clinic", "only-for-tests")
    assert small_keyring.kept == {}
    assert kept_files() == {}


@pytest.mark.parametrize("content", [b"", b"[]", b"no json", b'["https://sms.example.com"]', b"[1, 2]"])
def test_a_damaged_file_is_as_none(small_keyring, content):
    keep_account(*TYPED)
    (state_directory() / "live-account.json").write_bytes(content)
    assert [*offered_accounts()[0]] == ["local"]
