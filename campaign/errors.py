"""All errors that a user can meet, as one tree.

CampaignError
├── UsageError            a call that cannot be carried out as it was written
│   ├── CallError             an argument that the function does not have, or one that it needs
│   └── OtherFileError        a file has the name of a campaign that was sent from another file
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
├── ReportError           a report or follow-up file that cannot be written
└── InstallationError     a library that is missing, or too old for this package

Each has a finding, and its message says what is wrong, where, and what to do. IPython shows it as a card
of a few lines (`notebook/error_card.py`); with `%xmode Verbose` it shows every frame.

`Interrupted` is a KeyboardInterrupt and not in the tree: `except Exception` must not stop it.
Rows that cannot be sent are data, not errors: see `Plan.issues`.
"""

from collections.abc import Callable
from typing import Any

from campaign.words.finding import Finding
from campaign.words.python import PYTHON


class CampaignError(Exception):
    """Anything that this package raises on purpose; `finding` is what was found, as a code and its facts.

    `begun` says whether a campaign had begun to send: its folder then knows what has left. Otherwise nothing
    has.
    """

    begun = False

    def __init__(self, code: str, /, **facts: Any) -> None:
        """`code` is one of `words.codes`, with the facts that its headline and remedies name."""
        self.finding = Finding(code, facts)
        super().__init__(code)

    def __str__(self) -> str:
        return PYTHON.text(self.finding)

    def __reduce__(self) -> Any:
        return _raised_elsewhere, (type(self), self.finding, vars(self))


def _raised_elsewhere(kind: type[CampaignError], finding: Finding, state: dict[str, Any]) -> CampaignError:
    """An error that another process has raised."""
    error = kind.__new__(kind, finding.code)
    vars(error).update(state)
    return error


class UsageError(CampaignError, ValueError):
    """An argument that cannot be used; the message lists the choices."""


class CallError(UsageError, TypeError):
    """An argument that the function does not have, or one that it needs: what Python calls a `TypeError`."""


class OtherFileError(UsageError):
    """A file has the name of a campaign that was sent from another file: a person says which one is meant.

    The facts of its finding: `campaign`, the name; `sent_from`, the file that it was sent from last; `file`.
    """


class ContactsError(CampaignError):
    """Something about the contact table."""


class FileError(ContactsError):
    """The file cannot be read, or must not be read as it is."""


class ColumnError(ContactsError, KeyError):
    """A column is missing, duplicated or cannot be determined; the message lists those that exist."""

    __str__ = CampaignError.__str__  # KeyError would show the sentence in quotes


class TemplateError(CampaignError, ValueError):
    """A text with a placeholder that does not name a column, or with a single brace."""


class AccountError(CampaignError):
    """An address or a credential that is missing or must not be used."""


class ConfirmationError(CampaignError):
    """A person has to decide first; the finding says what would happen, or has the open questions.

    - `call`: the lines of Python that do it, the phrase included, ready to be copied; "" if none is known
    - `proceed`: does it once a person has typed the phrase; None where the call has to be repeated
    """

    def __init__(self, code: str, /, *, call: str = "", given: str | None = None, **facts: Any) -> None:
        """`given` is the phrase that a person gave and that does not fit, None if there was none.

        Among the facts, `findings` say what would happen or is asked, and `phrase` what to give.
        """
        complaint = Finding("wrong_phrase") if given is not None and facts.get("phrase") else None
        super().__init__(code, complaint=complaint, **facts)
        self.call = call
        self.proceed: Callable[[str], Any] | None = None

    @property
    def phrase(self) -> str:
        """What to give as `confirm=`; "" where each question has choices of its own."""
        return str(self.finding.facts.get("phrase", ""))

    @property
    def question(self) -> str:
        """What would happen, without the phrase."""
        return PYTHON.headline(self.finding)

    @property
    def complaint(self) -> str:
        """What is wrong with the phrase that was given, "" if none was."""
        complaint = self.finding.facts["complaint"]
        return PYTHON.text(complaint) if complaint else ""

    @property
    def questions(self) -> dict[str, int]:
        """How many people or messages each open question is about, by the option that answers it."""
        facts = [one.facts for one in self.finding.facts["findings"] if isinstance(one, Finding)]
        return {one["option"]: one["count"] for one in facts if "option" in one}


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


class InstallationError(CampaignError, ImportError):
    """A library is not installed, or this session has loaded a version of it that is too old."""


class Interrupted(KeyboardInterrupt):
    """A person has stopped a run with Ctrl-C; the message says what is known and how to go on."""
