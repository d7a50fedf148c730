"""Tables that fit neither into memory nor onto the disk are refused, with figures."""

import tempfile
from types import SimpleNamespace

import psutil
import pyarrow as pa
from support.refusals import refused

from campaign.errors import CampaignError
from campaign.memory import check_fits
from campaign.spool import Spool


def test_a_table_that_does_not_fit_into_memory_is_refused(monkeypatch):
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=3_000_000_000))
    check_fits(1_500_000_000, "messages")
    with refused("memory_too_small", CampaignError, table="messages", needed=4000, free=3000):
        check_fits(2_000_000_000, "messages")


def test_a_full_folder_for_temporary_files_is_named(monkeypatch):
    def fill_up(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pa.ipc, "new_stream", fill_up)
    facts = {"folder": tempfile.gettempdir(), "reason": "No space left on device"}
    with refused("temporary_folder_full", CampaignError, **facts):
        Spool().write("messages", 0, pa.table({"a": [1]}))
