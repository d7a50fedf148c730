"""The address of a PostgreSQL database: kept without its password, which nothing shows and nothing saves."""

from __future__ import annotations

import os
import re
from typing import TypeGuard

from campaign.errors import UsageError
from campaign.libraries import missing, require
from campaign.service.passwords import Secret

_LIBRARIES = "sqlalchemy", "psycopg"
_DRIVER, _SHORT_DRIVER = "postgresql+psycopg", "postgresql"
_PARAMETERS = ("password", "sslpassword")  # of libpq, which would be shown with the address
_WRITE = 'ledger="postgresql+psycopg://amina@db.example.org/campaigns"'

_PASSWORD = re.compile(r"://[^/@]*:[^@]*@|[?&](?:ssl)?password=")

# The passwords that this process was given, by the address without them: whoever has given one to `send` can
# read the result afterwards without giving it again.
_passwords: dict[str, Secret] = {}


def is_address(ledger: object) -> TypeGuard[str]:
    """Whether a ledger is given as an address, and not as a file."""
    return isinstance(ledger, str) and "://" in ledger


def has_password(ledger: str) -> bool:
    """Whether an address holds a password, however odd the rest of it is."""
    return is_address(ledger) and _PASSWORD.search(ledger) is not None


def without_password(ledger: str | os.PathLike[str] | None) -> str | os.PathLike[str] | None:
    """What was given as ledger=, without the password of an address, which this process remembers.

    It never raises, so that no traceback shows the password; `check_address` says what is wrong.
    """
    if not is_address(ledger):
        return ledger
    if missing(*_LIBRARIES):
        return ledger.split("://")[0] + "://"
    from sqlalchemy.engine import URL, make_url
    from sqlalchemy.exc import ArgumentError

    try:
        url = make_url(ledger)
    except (ArgumentError, ValueError):
        return "://"
    driver = _DRIVER if url.drivername == _SHORT_DRIVER else url.drivername
    query = {name: value for name, value in url.query.items() if name not in _PARAMETERS}
    shown = URL.create(driver, url.username, None, url.host, url.port, url.database, query)
    address = shown.render_as_string()
    password = url.password or url.query.get(_PARAMETERS[0])
    if isinstance(password, str):
        _passwords[address] = Secret(password)
    return address


def check_address(address: str) -> None:
    """Raise `UsageError` unless this is the address of a PostgreSQL database.

    Raises `InstallationError` without the libraries for it.
    """
    driver = address.split("://")[0]
    if driver not in (_DRIVER, _SHORT_DRIVER):
        given = driver if driver.isidentifier() else "another address"
        raise UsageError(
            "wrong_value", argument="ledger", needs="a file or a database", given=given, write=_WRITE
        )
    require(*_LIBRARIES)


def password_for(address: str) -> Secret | None:
    """The password that was given for an address; None leaves it to PGPASSWORD or the password file."""
    return _passwords.get(address)
