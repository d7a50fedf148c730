"""States of the world around a notebook."""

import comm
import pytest
from ipywidgets import Widget
from support.composer_person import VISITS, Person
from support.links import resolves_here

import campaign

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
    of the time of a person at the composer. Notebooks and pages run in kernels of their own, and are told
    everything."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Widget, "open", _open_unseen)
        yield


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A small spreadsheet in the current folder, and no account of a real service."""
    monkeypatch.chdir(tmp_path)
    for name in ("URL", "USERNAME", "PASSWORD"):
        monkeypatch.delenv(f"CAMPAIGN_LIVE_{name}", raising=False)
        monkeypatch.delenv(f"CAMPAIGN_SANDBOX_{name}", raising=False)
    path = tmp_path / "visits.csv"
    path.write_text(VISITS)
    return path


@pytest.fixture
def person(table):
    """Somebody at a new composer in the folder of that spreadsheet."""
    return Person(campaign.compose())
