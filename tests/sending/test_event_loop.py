"""The event loop of a run: uvloop's where the extra `fast` is installed, and the same campaign on either."""

import asyncio
import sys
import time

import pytest
from support.consistency_audit import audit_folder
from support.crash_sender import plan_of
from support.links import fast_loop

import campaign
from campaign.sending.engine.engine_thread import new_event_loop
from campaign.service.fast_loop import FastLoop

__all__ = ["fast_loop"]


@pytest.mark.parametrize(
    ("messages", "kind"),
    [(100_000, FastLoop), (99_999, asyncio.SelectorEventLoop), (0, asyncio.SelectorEventLoop)],
)
def test_many_messages_go_out_on_the_fast_loop_where_it_is_installed(messages, kind):
    loop = new_event_loop(messages)
    loop.close()
    assert isinstance(loop, kind)


def test_without_the_extra_it_is_the_loop_of_python(monkeypatch):
    monkeypatch.delitem(sys.modules, "campaign.service.fast_loop")
    monkeypatch.setitem(sys.modules, "uvloop", None)  # as if it were not installed
    loop = new_event_loop(1_000_000)
    loop.close()
    assert isinstance(loop, asyncio.SelectorEventLoop)


@pytest.mark.usefixtures("fast_loop")
def test_a_run_over_tls_pauses_goes_on_and_reaches_everybody_once(tmp_path):
    folder, plan = tmp_path / "visits", plan_of(120)
    with campaign.Sandbox(tls=True, faults={9: "accept_close"}) as sandbox:
        run = campaign.start(plan, account=sandbox.account, folder=folder, batch_size=5, rate=400)
        while run.counts.accepted < 10:
            run.pause()
            time.sleep(0.01)
            run.resume()
            time.sleep(0.01)
        run.stop()
        stopped = run.wait()
        assert audit_folder(folder, sandbox.inbox) == []
        result = campaign.resume(folder, account=sandbox.account, progress=False, max_unknown=99)
        assert audit_folder(folder, sandbox.inbox) == []
        assert len(sandbox.inbox) == len(set(sandbox.inbox["number"]))
    assert stopped.totals["not_sent"] > 0
    assert (result.totals["unknown"], result.totals["not_sent"]) == (5, 0)
