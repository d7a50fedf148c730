"""States of the world around a notebook and a form."""

import comm
import pytest
from ipywidgets import Widget
from support.form_person import Person
from support.links import resolves_here
from support.live_service import LiveService, known_as, start_live

__all__ = ["resolves_here"]


def _open_unseen(widget):
    """Open a widget that no page is told of, neither now nor when it changes."""
    if widget.comm is None:
        known = {} if widget._model_id is None else {"comm_id": widget._model_id}
        unheard = comm.create_comm(target_name="jupyter.widget", data={}, metadata={}, **known)
        unheard.kernel = None  # where there is none, ipywidgets puts no message together
        widget.comm = unheard


@pytest.fixture(autouse=True, scope="package")
def _no_page_is_told():
    """What widgets would tell their page is not put together here, where there is no page: it took a quarter
    of the time. Notebooks and pages run in kernels of their own, and are told everything."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Widget, "open", _open_unseen)
        yield


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """An empty folder that is the current one, and no account of a real service."""
    monkeypatch.chdir(tmp_path)
    for name in ("URL", "USERNAME", "PASSWORD"):
        monkeypatch.delenv(f"CAMPAIGN_LIVE_{name}", raising=False)
        monkeypatch.delenv(f"CAMPAIGN_SANDBOX_{name}", raising=False)
    return tmp_path


@pytest.fixture
def person(desk):
    """Somebody at a new form in that folder."""
    return Person()


@pytest.fixture
def live(desk, resolves_here, monkeypatch):
    """A live service that the variables name, and what it received."""
    with start_live(resolves_here, monkeypatch, price=35) as sandbox:
        known_as("LIVE", sandbox, monkeypatch)
        yield LiveService(sandbox)
