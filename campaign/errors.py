"""Everything that can go wrong for a user, as one tree.

CampaignError
├── UsageError            a call that cannot be carried out as it was written
├── ContactsError         the spreadsheet
│   ├── FileError             the file cannot be read
│   └── ColumnError           a column is missing, doubled or cannot be told
├── TemplateError         a text names a column that does not exist, or is malformed
├── AccountError          an address or a credential that must not be used
├── ConfirmationError     a live campaign without the typed confirmation
├── FolderError           a campaign folder that cannot be used
│   ├── LockedError           another run has it open
│   └── LedgerError           its ledger is missing, damaged or belongs to another campaign
├── GateError             an answer that cannot be: a success for a body that never left
└── ReportError           a report that cannot be written

Each message is one or two plain sentences: what is wrong, where, and what to do.
Rows that cannot be sent are no errors but data: see `Plan.issues`.
"""


class CampaignError(Exception):
    """Anything that this package raises on purpose."""


class UsageError(CampaignError, ValueError):
    """An argument that cannot be used; the message lists the choices."""


class ContactsError(CampaignError):
    """Something about the contact table."""


class FileError(ContactsError):
    """The file cannot be read, or must not be read as it is."""


class ColumnError(ContactsError, KeyError):
    """A column is missing, doubled or cannot be told; the message lists those that exist."""

    __str__ = Exception.__str__  # KeyError would show the sentence in quotes


class TemplateError(CampaignError, ValueError):
    """A text with a placeholder that names no column, or with a brace too many."""


class AccountError(CampaignError):
    """An address or a credential that is missing or must not be used."""


class ConfirmationError(CampaignError):
    """Live sending wants a typed confirmation; the message shows the phrase."""


class FolderError(CampaignError):
    """A campaign folder that is missing, incomplete or not to be written."""


class LockedError(FolderError):
    """Another run has this campaign open."""


class LedgerError(FolderError):
    """The ledger is missing, damaged or belongs to another campaign."""


class GateError(CampaignError):
    """A success was answered for a body that never left: nothing that follows can be trusted."""


class ReportError(CampaignError):
    """A report that cannot be written where it was asked for."""
