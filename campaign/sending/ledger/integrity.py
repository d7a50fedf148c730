"""Whether a file is a sound ledger of a campaign, before anything in it is believed."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from functools import cache
from pathlib import Path

from campaign.errors import LedgerError
from campaign.private_files import open_ordinary
from campaign.sending.ledger.connections import connect_to_memory, opened
from campaign.sending.ledger.database import Connection
from campaign.sending.ledger.rollback_guard import RollbackGuard
from campaign.sending.ledger.schema import APPLICATION_ID, SCHEMA
from campaign.sending.ledger.views import moves_in

_IMPOSSIBLE = """
SELECT 1 FROM batches
WHERE round NOT BETWEEN 1 AND (SELECT coalesce(max(round), 0) FROM rounds)
   OR part NOT BETWEEN 0 AND 1000000 OR first NOT BETWEEN 0 AND 1000000000
   OR messages NOT BETWEEN 1 AND 1000000000 OR attempts NOT BETWEEN 0 AND 1000000000
   OR seconds NOT BETWEEN 0 AND 1000000000
"""


def check_ledger(path: Path, identity: Mapping[str, str]) -> None:
    """Raise `LedgerError` unless the file is a sound ledger of this campaign, and no older copy of it."""
    RollbackGuard(path).check(lambda: check_content(path, identity))


def check_content(path: Path, identity: Mapping[str, str]) -> int:
    """Check the file alone, without its guard, and return how many moves it has."""
    # Before SQLite opens the file, because it leaves traces in any database.
    if _application_id(path) != APPLICATION_ID:
        raise LedgerError("ledger_damaged", ledger=path, reason="no ledger of this program")
    with opened(path) as connection:
        if _schema_of(connection) != _expected_schema():
            raise LedgerError("ledger_damaged", ledger=path, reason="other tables")
        if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise LedgerError("ledger_damaged", ledger=path)
        check_rounds(connection, path)
        check_identity(connection, identity, path)
        return moves_in(connection)


def check_rounds(connection: Connection, ledger: Path | str) -> None:
    """Raise `LedgerError` if there are batches without a round, or with other facts that cannot be."""
    if connection.execute(_IMPOSSIBLE).fetchone() is not None:
        raise LedgerError("ledger_damaged", ledger=ledger, reason="impossible batches")


def check_identity(connection: Connection, identity: Mapping[str, str], ledger: Path | str) -> None:
    """Raise `LedgerError` if the ledger is that of another campaign."""
    recorded = dict(connection.execute("SELECT key, value FROM campaign"))
    for key, value in identity.items():
        if recorded.get(key) != value:
            raise LedgerError("ledger_of_another", ledger=ledger, differs=key)


def _application_id(path: Path) -> int:
    """What SQLite keeps in bytes 68 to 71 of a database (its file format, section 1.3)."""
    try:
        with open_ordinary(path) as file:
            return int.from_bytes(file.read(72)[68:], "big")
    except (FileNotFoundError, ValueError):  # ValueError: no file can have that name
        raise LedgerError("ledger_missing", ledger=path) from None
    except OSError as error:
        raise LedgerError("campaign_file_unusable", file=path, reason=error.strerror) from None


def _schema_of(connection: Connection) -> list[str]:
    return sorted(sql for (sql,) in connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL"))


@cache  # 3 ms, a third of what a list of many campaigns needs for each
def _expected_schema() -> list[str]:
    with closing(connect_to_memory()) as connection:
        connection.executescript(SCHEMA)
        return _schema_of(connection)
