"""All errors that a user can meet, as one tree.

CampaignError
├── UsageError            a call that cannot be carried out as it was written
├── ContactsError         the spreadsheet
│   ├── FileError             the file cannot be read
│   └── ColumnError           a column is missing, duplicated or cannot be determined
├── TemplateError         a text names a column that does not exist, or is malformed
├── AccountError          an address or a credential that must not be used
├── ConfirmationError     a live campaign without the typed confirmation
├── FolderError           a campaign folder that cannot be used
│   ├── LockedError           another run has it open
│   └── LedgerError           its ledger is missing, damaged or belongs to another campaign
├── GateError             an impossible answer: a success for a request that was never sent
└── ReportError           a report or follow-up file that cannot be written

Each message is one or two plain sentences: what is wrong, where, and what to do.
Rows that cannot be sent are data, not errors: see `Plan.issues`.
"""


class CampaignError(Exception):
    """Anything that this package raises on purpose.

    `begun` says whether a campaign had begun to send: its folder then knows what has left. Otherwise nothing
    has.
    """

    begun = False


class UsageError(CampaignError, ValueError):
    """An argument that cannot be used; the message lists the choices."""


class ContactsError(CampaignError):
    """Something about the contact table."""


class FileError(ContactsError):
    """The file cannot be read, or must not be read as it is."""


class ColumnError(ContactsError, KeyError):
    """A column is missing, duplicated or cannot be determined; the message lists those that exist."""

    __str__ = Exception.__str__  # KeyError would show the sentence in quotes


class TemplateError(CampaignError, ValueError):
    """A text with a placeholder that does not name a column, or with a single brace."""


class AccountError(CampaignError):
    """An address or a credential that is missing or must not be used."""


class ConfirmationError(CampaignError):
    """Live sending needs a typed confirmation; the message shows the phrase."""


class FolderError(CampaignError):
    """A campaign folder that is missing, incomplete or cannot be written to."""


class LockedError(FolderError):
    """Another run has this campaign open."""


class LedgerError(FolderError):
    """The ledger is missing, damaged or belongs to another campaign."""


class GateError(CampaignError):
    """The service reported success for a request that was never sent: its answers cannot be trusted."""


class ReportError(CampaignError):
    """A report or follow-up file that cannot be written where it was asked for."""
