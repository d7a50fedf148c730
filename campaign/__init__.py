"""Bulk SMS campaigns from a spreadsheet and a notebook.

    contacts = campaign.read_contacts("clinic_visits.xlsx")
    plan = campaign.prepare(contacts, message="Hi {first_name}, …", sender="CLINIC", region="UG")
    result = campaign.send(plan)
    campaign.write_report(result, "report.html")

No message is sent twice, no row is lost, and an outcome that cannot be known is called "unknown".

What a campaign takes, in the order of use; help(campaign.send) and so on tell all of each:

    read_contacts     a spreadsheet becomes a table: every cell text, every row under its number in the sheet
    prepare           the table becomes a Plan: messages, and the issues of the rows that get none
    browse            all rows of a plan or a result, to search and filter
    compare           what send would do, without sending
    try_out           one message to your own phone
    send              sends what is missing, waits, and returns a Result
    start             the same, but returns a Run at once: watch, pause and stop it in a notebook
    resume            goes on with a campaign that stopped
    load_result       what is known of a campaign
    resolve           settles a batch that is unknown, as you say
    reconcile         settles unknown batches by the provider's own list
    summary           a result to look through, with charts
    write_report      a page, a workbook or a csv file of a result
    write_follow_up   the rows to correct, as a file to correct and send
    history           all campaigns of a folder

Account and Sandbox say where messages go, close and erase end a campaign, compose needs no Python, and sample
names files to try all of this with.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from campaign.version import VERSION, outdated

__version__ = VERSION

# What editors and mypy see. At run time a name is imported when it is first used (PEP 562): neither the
# process that opens a workbook nor `campaign --help` needs any of them.
if TYPE_CHECKING:
    from campaign.contacts.phone_numbers.cleaning import clean_numbers
    from campaign.contacts.reading import read_contacts
    from campaign.errors import (
        AccountError,
        CallError,
        CampaignError,
        ColumnError,
        ConfirmationError,
        ContactsError,
        FileError,
        FolderError,
        GateError,
        InstallationError,
        LedgerError,
        LockedError,
        OtherFileError,
        ReportError,
        TemplateError,
        UsageError,
    )
    from campaign.messages.plan import Plan
    from campaign.notebook.composer.entry import compose
    from campaign.notebook.row_browser import browse
    from campaign.notebook.summary import summary
    from campaign.results.follow_up_file import write_follow_up
    from campaign.results.report import write_report
    from campaign.results.tables import Result
    from campaign.samples import sample
    from campaign.sending.afterwards.closing import close
    from campaign.sending.afterwards.erasing import erase
    from campaign.sending.afterwards.history import history
    from campaign.sending.afterwards.reconciliation import Reconciliation
    from campaign.sending.afterwards.resolving import resolve
    from campaign.sending.afterwards.settling import reconcile
    from campaign.sending.campaigns import asend, compare, load_result, resume, send, start
    from campaign.sending.engine.budget import Budget
    from campaign.sending.engine.hours import Hours
    from campaign.sending.rounds.difference import Difference
    from campaign.sending.rounds.public_prepare import prepare
    from campaign.sending.run import Run
    from campaign.sending.try_out import TryOut, try_out
    from campaign.sending.workers.ordering import order, workers
    from campaign.sending.workers.release import Release, release
    from campaign.sending.workers.worker import WorkerReport, send_part, work
    from campaign.service.account import Account
    from campaign.service.sandbox.server import Sandbox

_MODULES = {
    "Account": "campaign.service.account",
    "AccountError": "campaign.errors",
    "Budget": "campaign.sending.engine.budget",
    "CallError": "campaign.errors",
    "CampaignError": "campaign.errors",
    "ColumnError": "campaign.errors",
    "ConfirmationError": "campaign.errors",
    "ContactsError": "campaign.errors",
    "Difference": "campaign.sending.rounds.difference",
    "FileError": "campaign.errors",
    "FolderError": "campaign.errors",
    "GateError": "campaign.errors",
    "Hours": "campaign.sending.engine.hours",
    "InstallationError": "campaign.errors",
    "LedgerError": "campaign.errors",
    "LockedError": "campaign.errors",
    "OtherFileError": "campaign.errors",
    "Plan": "campaign.messages.plan",
    "Reconciliation": "campaign.sending.afterwards.reconciliation",
    "Release": "campaign.sending.workers.release",
    "ReportError": "campaign.errors",
    "Result": "campaign.results.tables",
    "Run": "campaign.sending.run",
    "Sandbox": "campaign.service.sandbox.server",
    "TemplateError": "campaign.errors",
    "TryOut": "campaign.sending.try_out",
    "UsageError": "campaign.errors",
    "WorkerReport": "campaign.sending.workers.worker",
    "asend": "campaign.sending.campaigns",
    "browse": "campaign.notebook.row_browser",
    "clean_numbers": "campaign.contacts.phone_numbers.cleaning",
    "close": "campaign.sending.afterwards.closing",
    "compare": "campaign.sending.campaigns",
    "compose": "campaign.notebook.composer.entry",
    "erase": "campaign.sending.afterwards.erasing",
    "history": "campaign.sending.afterwards.history",
    "load_result": "campaign.sending.campaigns",
    "order": "campaign.sending.workers.ordering",
    "prepare": "campaign.sending.rounds.public_prepare",
    "read_contacts": "campaign.contacts.reading",
    "reconcile": "campaign.sending.afterwards.settling",
    "release": "campaign.sending.workers.release",
    "resolve": "campaign.sending.afterwards.resolving",
    "resume": "campaign.sending.campaigns",
    "sample": "campaign.samples",
    "send": "campaign.sending.campaigns",
    "send_part": "campaign.sending.workers.worker",
    "start": "campaign.sending.campaigns",
    "summary": "campaign.notebook.summary",
    "try_out": "campaign.sending.try_out",
    "work": "campaign.sending.workers.worker",
    "workers": "campaign.sending.workers.ordering",
    "write_follow_up": "campaign.results.follow_up_file",
    "write_report": "campaign.results.report",
}

# The only side effect of the import outside this package: IPython is told how to show runs and errors. Their
# classes could do that, but then the layers below would import the one that draws. IPython gets the name of
# the class `Run`, so nothing is loaded before a run is shown. Outside IPython, nothing happens.
if "IPython" in sys.modules:
    from campaign.notebook.registration import register_displays

    register_displays()


def _check_libraries() -> None:
    """Raise `InstallationError` if this session has loaded pandas 2, say, as Colab has before a restart."""
    if library := outdated():
        from campaign.errors import InstallationError

        raise InstallationError("library_too_old", **library)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'campaign' has no attribute {name!r}")
    try:
        public = getattr(import_module(_MODULES[name]), name)
    except Exception:
        _check_libraries()  # with one that is too old, anything may go wrong
        raise
    globals()[name] = public
    return public


_check_libraries()


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


__all__ = [
    "Account",
    "AccountError",
    "Budget",
    "CallError",
    "CampaignError",
    "ColumnError",
    "ConfirmationError",
    "ContactsError",
    "Difference",
    "FileError",
    "FolderError",
    "GateError",
    "Hours",
    "InstallationError",
    "LedgerError",
    "LockedError",
    "OtherFileError",
    "Plan",
    "Reconciliation",
    "Release",
    "ReportError",
    "Result",
    "Run",
    "Sandbox",
    "TemplateError",
    "TryOut",
    "UsageError",
    "WorkerReport",
    "asend",
    "browse",
    "clean_numbers",
    "close",
    "compare",
    "compose",
    "erase",
    "history",
    "load_result",
    "order",
    "prepare",
    "read_contacts",
    "reconcile",
    "release",
    "resolve",
    "resume",
    "sample",
    "send",
    "send_part",
    "start",
    "summary",
    "try_out",
    "work",
    "workers",
    "write_follow_up",
    "write_report",
]
