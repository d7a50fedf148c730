"""The account that a person has kept on this machine, without asking anybody for anything."""

from typing import Literal

from campaign.service.account import Account, kept_proxy, kept_setting
from campaign.service.passwords import kept_credentials
from campaign.service.wire import Encoding


def kept_account(environment: Literal["live", "sandbox"], *, encoding: Encoding = "url") -> Account | None:
    """The account in the variables of `Account.from_environment`; the password may be in a file or keyring.

    None if it is not complete there. Raises `AccountError` for an address or a password that must not be
    used.
    """
    credentials = kept_credentials(environment)
    if credentials is None:
        return None
    return Account(
        environment,
        *credentials,
        encoding=encoding,
        currency=kept_setting(environment, "CURRENCY"),
        ca_file=kept_setting(environment, "CA_FILE"),
        proxy=kept_proxy(environment),
    )
