"""The account that a person has kept on this machine, without asking anybody for anything."""

from typing import Literal

from campaign.service.account import Account, kept_proxy, kept_setting
from campaign.service.passwords import Secret, kept_credentials
from campaign.service.wire import Encoding

_Environment = Literal["live", "sandbox"]


def kept_account(environment: _Environment, *, encoding: Encoding = "url") -> Account | None:
    """The account in the variables of `Account.from_environment`; the password may be in a file or keyring.

    None if it is not complete there. Raises `AccountError` for an address or a password that must not be
    used.
    """
    credentials = kept_credentials(environment)
    return None if credentials is None else account_here(environment, *credentials, encoding=encoding)


def account_here(
    environment: _Environment, url: str, username: str, password: str | Secret, *, encoding: Encoding = "url"
) -> Account:
    """An account with the certificates, the proxy and the currency that are set on this machine.

    Raises `AccountError` for an address or a password that must not be used.
    """
    return Account(
        environment,
        url,
        username,
        password,
        encoding=encoding,
        currency=kept_setting(environment, "CURRENCY"),
        ca_file=kept_setting(environment, "CA_FILE"),
        proxy=kept_proxy(environment),
    )
