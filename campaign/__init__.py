"""Bulk SMS campaigns from a spreadsheet and a notebook.

    contacts = campaign.read_contacts("clinic_visits.xlsx")
    plan = campaign.prepare(contacts, message="Hi {first_name}, …", sender="CLINIC", region="UG")
    result = campaign.send(plan)
    campaign.write_report(result, "report.html")

Never one message twice, no row lost, and "unknown" where nobody can know.
"""

import logging

from campaign.contacts.phone_numbers.cleaning import clean_numbers
from campaign.contacts.reading import read_contacts
from campaign.errors import (
    AccountError,
    CampaignError,
    ColumnError,
    ConfirmationError,
    ContactsError,
    FileError,
    FolderError,
    GateError,
    LedgerError,
    LockedError,
    ReportError,
    TemplateError,
    UsageError,
)
from campaign.messages.plan import Plan, prepare
from campaign.notebook.registration import register_dashboard
from campaign.notebook.summary import summary
from campaign.results.report import write_report
from campaign.results.tables import Result
from campaign.sending.campaigns import asend, load_result, resolve, resume, send, start
from campaign.sending.run import Run
from campaign.sending.try_out import TryOut, try_out
from campaign.sending.valves import Budget, Hours
from campaign.service.account import Account
from campaign.service.sandbox.server import Sandbox

logging.getLogger("campaign").addHandler(logging.NullHandler())
register_dashboard()

__all__ = [
    "Account",
    "AccountError",
    "Budget",
    "CampaignError",
    "ColumnError",
    "ConfirmationError",
    "ContactsError",
    "FileError",
    "FolderError",
    "GateError",
    "Hours",
    "LedgerError",
    "LockedError",
    "Plan",
    "ReportError",
    "Result",
    "Run",
    "Sandbox",
    "TemplateError",
    "TryOut",
    "UsageError",
    "asend",
    "clean_numbers",
    "load_result",
    "prepare",
    "read_contacts",
    "resolve",
    "resume",
    "send",
    "start",
    "summary",
    "try_out",
    "write_report",
]
