"""Senders on Dask workers: long tasks that share one ledger in PostgreSQL, and that no secret travels to."""

import os
import signal
import threading
import time
from contextlib import contextmanager

import cloudpickle
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from support.consistency_audit import audit_folder
from support.postgres_server import PASSWORD as DATABASE_PASSWORD
from support.refusals import refused

import campaign
from campaign.errors import AccountError, UsageError
from campaign.sending.workers import cluster_senders

PASSWORD = "velvet-sesame-41"


@pytest.fixture(scope="module")
def client():
    """A cluster of two processes on this machine, which nobody else can reach."""
    place = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(n_workers=2, threads_per_worker=1, **place) as cluster, Client(cluster) as client:
        yield client


@pytest.fixture
def plan():
    rows = pd.DataFrame({"name": ["Aisha", "Ben"] * 150, "phone": [f"0772 000 {n:03}" for n in range(300)]})
    return campaign.prepare(rows, message="Hi {name}", sender="CLINIC", region="UG")


@pytest.fixture
def service():
    with campaign.Sandbox(password=PASSWORD, price=35, latency=0.01) as service:
        yield service


def account_of(service):
    return campaign.Account("sandbox", service.account.url, "sandbox", PASSWORD)


def set_variables(values):
    os.environ.update(values)


def remove_variables(names):
    for name in names:
        os.environ.pop(name, None)


@contextmanager
def variables(client, **values):
    """Workers whose environment has these variables."""
    client.run(set_variables, values)
    try:
        yield
    finally:
        client.run(remove_variables, [*values])


def variables_for(service):
    return {
        "CAMPAIGN_SANDBOX_URL": service.account.url,
        "CAMPAIGN_SANDBOX_USERNAME": "sandbox",
        "CAMPAIGN_SANDBOX_PASSWORD": PASSWORD,
        "PGPASSWORD": DATABASE_PASSWORD,
    }


@pytest.fixture
def send(plan, tmp_path, postgres_server):
    def send(**options):
        options = {"ledger": postgres_server.database(), "senders": 2, "progress": False} | options
        return campaign.send(plan, folder=tmp_path / "visits", batch_size=10, concurrency=2, **options)

    return send


def test_two_senders_send_what_one_would(client, send, service, tmp_path, monkeypatch):
    travelled = []
    submit = Client.submit

    def recorded(self, *arguments, **options):
        travelled.append(cloudpickle.dumps((arguments, options)))
        return submit(self, *arguments, **options)

    monkeypatch.setattr(Client, "submit", recorded)
    with variables(client, **variables_for(service)):
        result = send(account=account_of(service))
    assert audit_folder(tmp_path / "visits", service.inbox) == []
    assert result.totals["accepted"] == len(service.inbox) == 300
    assert len(travelled) >= 2
    for secret in (PASSWORD, DATABASE_PASSWORD):
        assert not any(secret.encode() in arguments for arguments in travelled)


def test_a_rehearsal_needs_no_account_and_running_it_again_sends_nothing(
    client, send, postgres_server, monkeypatch, capsys
):
    ledger = postgres_server.database()
    monkeypatch.setattr(cluster_senders, "_EVERY", 0.0)
    with variables(client, PGPASSWORD=DATABASE_PASSWORD):
        assert send(ledger=ledger, progress="tqdm").totals["accepted"] == 300
        again = send(ledger=ledger)
    assert again.nothing_sent
    assert "300/300" in capsys.readouterr().err


def test_what_holds_one_sender_holds_all_and_is_said(client, send, service):
    with variables(client, **variables_for(service)):
        result = send(account=account_of(service), budget=35 * 100)
    assert 90 <= len(service.inbox) <= 100
    assert result.ending.code == "budget_reached"


def test_ctrl_c_stops_all_senders_cleanly(client, send, service, tmp_path):
    def press():
        while len(service.inbox) < 20:
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press).start()
    with variables(client, **variables_for(service)), pytest.raises(KeyboardInterrupt, match="All senders"):
        send(account=account_of(service), rate=100)
    assert audit_folder(tmp_path / "visits", service.inbox) == []
    totals = campaign.load_result(tmp_path / "visits").totals
    assert (totals["accepted"], totals["unknown"]) == (len(service.inbox), 0)
    assert totals["not_sent"] > 0
    with variables(client, **variables_for(service)):
        options = {"account": account_of(service), "senders": 2, "progress": False}
        rest = campaign.resume(tmp_path / "visits", opt_outs=["0772 000 299"], **options)
    assert dict(rest.totals, accepted=299, opted_out=1) == dict(rest.totals)
    assert audit_folder(tmp_path / "visits", service.inbox) == []


def test_a_worker_without_an_account_is_named_and_nothing_is_registered(client, send, service, tmp_path):
    with refused("account_not_on_workers", AccountError) as told:
        send(account=account_of(service))
    assert told.value.finding.facts["worker"].startswith("tcp://")
    assert "CAMPAIGN_SANDBOX_PASSWORD" in told.value.finding.facts["variables"]
    assert not (tmp_path / "visits").exists()


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"ledger": None}, "ledger_not_shared"),
        ({"account": campaign.Sandbox()}, "account_not_on_workers"),
    ],
    ids=str,
)
def test_what_cannot_be_sent_so_is_refused(client, send, tmp_path, options, code):
    with refused(code, UsageError):
        send(**options)
    assert not (tmp_path / "visits").exists()


def test_without_a_cluster_the_way_is_told(plan, tmp_path, monkeypatch):
    monkeypatch.setattr("campaign.cluster.Cluster.of", lambda client=None: None)
    with refused("cluster_missing", UsageError):
        campaign.send(plan, folder=tmp_path / "visits", senders=2, progress=False)
