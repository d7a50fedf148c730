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
└── InstallationError     a library that is too old for this package

Each message is one or two plain sentences: what is wrong, where, and what to do. IPython shows it as a card
of a few lines (`notebook/error_card.py`); with `%xmode Verbose` it shows every frame.

`Interrupted` is a KeyboardInterrupt and not in the tree: `except Exception` must not stop it.
Rows that cannot be sent are data, not errors: see `Plan.issues`.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

_NOT_THE_PHRASE = (
    "That is not the phrase, so nothing was done. Give it exactly as shown; an earlier one is worthless once "
    "the plan, or what would happen, has changed."
)


class CampaignError(Exception):
    """Anything that this package raises on purpose.

    `begun` says whether a campaign had begun to send: its folder then knows what has left. Otherwise nothing
    has.
    """

    begun = False


class UsageError(CampaignError, ValueError):
    """An argument that cannot be used; the message lists the choices."""


class CallError(UsageError, TypeError):
    """An argument that the function does not have, or one that it needs: what Python calls a `TypeError`."""


class OtherFileError(UsageError):
    """A file has the name of a campaign that was sent from another file: a person says which one is meant.

    - `campaign`: the name of that campaign
    - `sent_from`: the file that it was sent from last
    - `file`: the file of the plan
    """

    def __init__(self, campaign: str, sent_from: str, file: str) -> None:
        self.campaign, self.sent_from, self.file = campaign, sent_from, file
        given = json.dumps(campaign, ensure_ascii=False)
        super().__init__(
            f"The campaign {campaign!r} was last sent from {sent_from}, and this plan is from {file}, "
            f"another file of the same name. To continue that campaign, give name={given}; for a new one, "
            "give another name."
        )


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
    """A person has to decide first; where a typed confirmation is needed, the message shows the phrase.

    - `complaint`: what is wrong with the phrase that was given, "" if none was
    - `question`: what would happen, without the phrase
    - `phrase`: what to give as `confirm=`; "" where the message lists other choices
    - `purpose`: what giving it does, as in "to send it"
    - `call`: the lines of Python that do it, the phrase included, ready to be copied; "" if none is known
    - `proceed`: does it once a person has typed the phrase; None where the call has to be repeated
    - `questions`: what else has to be answered first, and how many people each question is about: `changed`,
      `waiting`, `opted_out` and `elsewhere`, by the name of the option that answers it
    """

    def __init__(
        self,
        question: str,
        *,
        phrase: str = "",
        purpose: str = "go on",
        call: str = "",
        given: str | None = None,
        questions: Mapping[str, int] | None = None,
    ) -> None:
        """`given` is the phrase that a person gave and that does not fit, None if there was none."""
        self.question, self.phrase, self.purpose, self.call = question, phrase, purpose, call
        self.questions = dict(questions or {})
        self.complaint = "" if given is None or not phrase else _NOT_THE_PHRASE
        self.proceed: Callable[[str], Any] | None = None
        gap = "\n" if "\n" in question else " "  # long questions end with an example: somebody's SMS
        text = f'{question}{gap}To {purpose}, give confirm="{phrase}".' if phrase else question
        super().__init__(f"{self.complaint} {text}".lstrip())


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
    """This session has loaded a library in a version that is too old."""


class Interrupted(KeyboardInterrupt):
    """A person has stopped a run with Ctrl-C; the message says what is known and how to go on."""
