"""What holds for every test, and the states of the world that many begin in."""

import asyncio
import gc
import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest
from hypothesis import settings
from support.postgres_server import running_server
from support.small_campaigns import people, plan_for

import campaign
from campaign.sending.engine import engine_thread
from campaign.service import separation

# Jupyter's libraries would make 38 grammars of addresses as they load, in 1.3 s, and no test needs them.
sys.modules.setdefault("rfc3987_syntax", None)

# Every run tries the same few examples, so that a failure is there again when it is looked at; and none is
# blamed on a busy machine. `--hypothesis-profile thorough` looks for new examples, and for many.
settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=25)
settings.register_profile("thorough", deadline=None, max_examples=5_000)
settings.load_profile("repeatable")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collecting tests leaves hardly any garbage, but looking for it takes a tenth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish():
    """What seven thousand collected tests keep is no garbage: no collection looks at it again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def _settings_of_our_own():
    """Jupyter and IPython keep settings and caches here, and not in a home that may be read-only
    or hold a person's own. A folder's name must be short: kernels may put sockets into it."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as environment:
        for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR"):
            path = Path(folder) / name.lower()
            path.mkdir()
            environment.setenv(name, str(path))
        environment.setenv("JUPYTER_RUNTIME_DIR", os.fspath(Path(folder) / "runtime"))
        yield


@pytest.fixture(autouse=True, scope="session")
def _state_of_the_session():
    """Where programs that outlive one test keep what they know of campaigns: never where a person's is."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as environment:
        environment.setenv("CAMPAIGN_STATE_DIR", folder)
        environment.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
        yield


@pytest.fixture(autouse=True)
def state_directory(tmp_path_factory, monkeypatch):
    """The user's state directory: each test, with the programs that it starts, is a user of its own."""
    path = tmp_path_factory.mktemp("state") / "campaign"
    monkeypatch.setenv("CAMPAIGN_STATE_DIR", str(path))
    return path


@pytest.fixture(autouse=True, scope="session")
def _runs_on_the_usual_loop():
    """As without the extra `fast`, however many messages there are; `fast_loop` brings it in."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine_thread, "new_event_loop", lambda messages: asyncio.new_event_loop())
        yield


@pytest.fixture(autouse=True, scope="session")
def _ctrl_c_is_heard():
    """Tests that are started by nohup or from a script's background inherit that Ctrl-C is ignored, and so
    would every process that they interrupt."""
    inherited = signal.getsignal(signal.SIGINT)
    if inherited is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, inherited)


@pytest.fixture
def in_kampala(monkeypatch):
    """This machine's clock is in Kampala, three hours ahead of UTC."""
    with monkeypatch.context() as environment:
        environment.setenv("TZ", "Africa/Kampala")
        time.tzset()
        yield
    time.tzset()


@pytest.fixture(autouse=True)
def _program_of_its_own(monkeypatch):
    """Each test is a program of its own: which hosts another one has called live does not matter here."""
    monkeypatch.setattr(separation, "_traces", separation.Traces())


@pytest.fixture(autouse=True)
def _widgets_end_with_their_test():
    """ipywidgets keeps each widget until it is closed, and with it all that a form holds: the collector would
    look through millions of objects again and again by the end of the suite."""
    yield
    for thread in [one for one in threading.enumerate() if one.name == "campaign form"]:
        thread.join()
    if "ipywidgets" in sys.modules:
        sys.modules["ipywidgets.widgets.widget"].Widget.close_all()


@pytest.fixture
def sandbox():
    """An embedded sandbox that accepts everything."""
    with campaign.Sandbox() as service:
        yield service


@pytest.fixture(scope="session")
def postgres_server():
    """A PostgreSQL server of our own, started when the first test needs it."""
    with running_server() as server:
        yield server


@pytest.fixture(scope="session")
def plan():
    """Three messages to three people; nothing is wrong with any. No test can change a plan, so one does."""
    return plan_for(people(3))


@pytest.fixture
def interrupted_campaign(tmp_path):
    """The folder of a campaign of ten: two accepted, two unknown, six never attempted."""
    with campaign.Sandbox(faults={2: "accept_reset"}) as service:
        return campaign.send(
            plan_for(people(10)),
            account=service.account,
            folder=tmp_path / "interrupted",
            batch_size=2,
            concurrency=1,
            canary=False,
            progress=False,
        ).folder
