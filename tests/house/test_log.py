"""What a program that listens to the logger of the package hears: what happens, and nothing about anybody."""

import logging
import re

from support.small_campaigns import people, plan_for

import campaign


def test_batches_holds_and_ends_are_logged_without_numbers_and_texts(tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)
    caplog.set_level(logging.INFO, "campaign")
    with campaign.Sandbox(faults={2: "accept_reset"}) as sandbox:
        campaign.send(
            plan_for(people(6)), account=sandbox, batch_size=2, concurrency=1, canary=False, progress=False
        )
    logged = [record.getMessage() for record in caplog.records if record.name == "campaign"]
    first, unknown, *rest = logged
    assert (first, rest) == ("batch 1 accepted", ["held: paused", "ended: paused"])
    assert re.fullmatch(r"batch 2 unknown: connection_broke failure=\w+Error( errno=\d+)?", unknown)
