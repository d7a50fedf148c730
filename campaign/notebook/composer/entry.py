"""`compose`: where a person enters."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from campaign.errors import UsageError
from campaign.public_calls import public_call

_NEEDED = 'campaign.compose needs anywidget: pip install "campaign[notebook]".'


@public_call
def compose() -> Any:
    """A form that leads through a whole campaign by clicks and typing, from the spreadsheet to the report.

    It has five sections: the spreadsheet, the text, a check of everybody, sending, and the result with its
    files. It does what the other functions of this package do, and ends with the lines of Python that do the
    same. Sending for real is offered where the account is in the environment variables or the keyring.

    A spreadsheet that is chosen is kept in the folder `uploads`, and the campaign in `campaigns`.
    Raises `UsageError` without the extra `notebook`.
    """
    if find_spec("anywidget") is None:
        raise UsageError(_NEEDED)
    from campaign.notebook.composer.composer import Composer

    return Composer()


def compose_again(memory: str) -> Any:
    """The same form for a page that may be loaded again: it keeps in a file what it comes back to then."""
    from campaign.notebook.composer.composer import Composer
    from campaign.notebook.composer.memory import Memory

    return Composer(Memory(Path(memory)))
