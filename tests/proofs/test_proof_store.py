"""Workers on machines that see nothing of the campaign folder: what they send is in an S3 store.

The store is moto's, which speaks S3 over HTTP; the workers are commands of a shell in folders of their own.
What it needs beside the test extra stands with its command in CONTRIBUTING.md.
"""

import os
import re
import subprocess
import sys

import pytest
from support.consistency_audit import audit_folder
from support.crash_sender import plan_of
from support.postgres_server import PASSWORD

import campaign

KEY, SECRET = "AKIAONLYFORTESTS", "only-for-tests/of+the+store"
URL = "s3://ngo/visits"


@pytest.fixture
def s3(monkeypatch):
    """An S3 store with a bucket, which the variables lead to."""
    import s3fs
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    variables = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}", "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_DEFAULT_REGION": "us-east-1",
    }  # fmt: skip
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    store = s3fs.S3FileSystem()
    store.mkdir("ngo")
    yield store
    server.stop()
    s3fs.S3FileSystem.clear_instance_cache()


def begin(folder, *arguments):
    """A command in another folder, as on another machine."""
    folder.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "campaign", *arguments]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.long
@pytest.mark.timeout(600)
def test_two_machines_send_what_is_in_a_store(tmp_path, s3, postgres_server, monkeypatch):
    monkeypatch.setattr("campaign.sending.store.frozen_messages.PART_MESSAGES", 4000)
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    ledger = postgres_server.database().replace(f":{PASSWORD}", "")
    with campaign.Sandbox(password="sesame", latency=0.02) as service:
        for name, value in {"URL": service.account.url, "USERNAME": "sandbox", "PASSWORD": "sesame"}.items():
            monkeypatch.setenv(f"CAMPAIGN_SANDBOX_{name}", value)
        account = campaign.Account.from_environment("sandbox")
        with pytest.raises(campaign.FolderError, match=r"cannot be written \(FileNotFoundError\)"):
            campaign.release(
                plan_of(9),
                account=account,
                folder=tmp_path / "a",
                ledger=ledger,
                copy_to="s3://nobody/visits",
            )
        assert not s3.exists("nobody")
        options = {"account": account, "folder": tmp_path / "visits", "ledger": ledger, "copy_to": URL}
        released = campaign.release(plan_of(20_001), batch_size=10, **options)
        assert released.parts == 6
        machines = [
            begin(tmp_path / name, "worker", URL, "--account", "sandbox") for name in ("one", "another")
        ]
        told = [machine.communicate(timeout=300) for machine in machines]
        assert [machine.returncode for machine in machines] == [0, 0], told
        sent = [int(re.search(r"This worker: ([\d,]+) accepted", out)[1].replace(",", "")) for out, _ in told]
        print(sent)
        assert all(sent)
        assert sum(sent) == 20_001
        assert len(service.inbox) == 20_001
        assert audit_folder(tmp_path / "visits", service.inbox) == []
        # A part that was changed, and a store that lets nobody in.
        campaign.release(plan_of(20_101), **options)
        part = f"{URL}/rounds/0002/plan/part-00000.parquet"
        s3.pipe_file(part, s3.cat_file(part)[:-1])
        _, said = begin(tmp_path / "one", "worker", URL, "--account", "sandbox").communicate(timeout=60)
        assert "part-00000.parquet was changed, or was cut off on the way. Nothing was sent from here" in said
        monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
        monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
        out, said = begin(tmp_path / "one", "worker", URL, "--account", "sandbox").communicate(timeout=120)
        assert "manifest.json cannot be read (" in said
        assert len(service.inbox) == 20_001
    kept = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    kept += [out.encode(), said.encode(), *(text.encode() for pair in told for text in pair)]
    assert not any(SECRET.encode() in content or KEY.encode() in content for content in kept)
    assert os.environ["AWS_SECRET_ACCESS_KEY"] == SECRET
