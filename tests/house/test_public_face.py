"""The names and signatures that others build on."""

import ast
import inspect
from pathlib import Path

import pytest

import campaign

NAMES = {
    "Account", "AccountError", "Budget", "CallError", "CampaignError", "ColumnError", "ConfirmationError",
    "ContactsError",
    "Difference", "FileError", "FolderError", "GateError", "Hours", "InstallationError", "LedgerError",
    "LockedError", "OtherFileError", "Plan",
    "Reconciliation", "Release", "ReportError",
    "Result", "Run", "Sandbox", "TemplateError", "TryOut", "UsageError", "asend", "browse", "clean_numbers",
    "close", "compare", "compose", "erase", "history", "load_result", "order", "prepare", "read_contacts",
    "reconcile", "release", "resolve", "resume", "sample", "send", "send_part", "start", "summary", "try_out",
    "work", "WorkerReport", "workers", "write_follow_up", "write_report",
}  # fmt: skip

SENDING = (
    "plan, account=None, folder=None, name=None, changed='ask', waiting='ask', pilot=None, takeover=None, "
    "batch_size=100, concurrency=8, rate=None, budget=None, "
    "hours=None, canary=True, max_unknown=1, confirm=None, progress=True, ledger=None"
)
SIGNATURES = {
    "read_contacts": "source, sheet=None, header=None, delimiter=None, encoding=None, hidden='skip', "
    "missing=()",
    "clean_numbers": "numbers, region",
    "prepare": "contacts, message, sender, number=None, region=None, priority=None, overlong='flag', "
    "ellipsis='...', downgrade=True, duplicates='skip', opt_outs=None, max_parts=None",
    "send": SENDING,
    "start": SENDING,
    "asend": SENDING,
    "load_result": "folder",
    "write_follow_up": "result, path",
    "compare": "plan, name=None, account=None, folder=None",
    "close": "folder, confirm=None",
    "erase": "folder, confirm=None",
    "reconcile": "folder, provider_list, number=None, text=None, time=None, confirm=None",
    "history": "folder='campaigns', try_outs=False",
    "write_report": "result, path, reveal=False",
    "browse": "source, reveal=False",
    "summary": "result",
}


def test_exported_names():
    assert set(campaign.__all__) == NAMES
    assert all(hasattr(campaign, name) for name in NAMES)


def test_what_editors_see_is_what_is_there():
    """The imports for type checkers, the modules that are loaded when a name is used, and `__all__` agree."""
    seen = {
        alias.name: node.module
        for node in ast.walk(ast.parse(Path(campaign.__file__).read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    loaded = {name: module for name, module in seen.items() if name in campaign.__all__}
    assert loaded == campaign._MODULES
    assert set(campaign._MODULES) == set(campaign.__all__)


def test_what_is_offered_while_typing_is_what_is_for_people():
    """No `sys`, `Any` or `logging`, which the module needs for itself."""
    assert [name for name in dir(campaign) if not name.startswith("__")] == sorted(campaign.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'sent'"):
        _ = campaign.sent


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures_begin_as_promised_and_every_option_is_keyword_only(name):
    """A later version may add options with defaults at the end; it may not change these."""
    parameters = list(inspect.signature(getattr(campaign, name)).parameters.values())
    written = [one.name if one.default is one.empty else f"{one.name}={one.default!r}" for one in parameters]
    promised = SIGNATURES[name].split(", ")
    assert written[: len(promised)] == promised
    assert all(one.default is not one.empty for one in parameters[len(promised) :])
    positional = 2 if name.startswith("write_") or name == "reconcile" else 1
    assert all(one.kind is one.KEYWORD_ONLY for one in parameters[positional:])


def test_every_error_is_ours():
    errors = [getattr(campaign, name) for name in NAMES if name.endswith("Error")]
    assert all(issubclass(error, campaign.CampaignError) for error in errors)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_public_name_has_a_docstring(name):
    assert inspect.getdoc(getattr(campaign, name))
