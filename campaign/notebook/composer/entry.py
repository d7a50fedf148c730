"""`compose`: where a person enters."""

from typing import Any

from campaign.libraries import require
from campaign.public_calls import public_call


@public_call
def compose() -> Any:
    """Open the form: a whole campaign by clicks and typing, from the spreadsheet to the report.

    Returns
    -------
    ipywidgets.Widget
        Sending live is offered where an account is in the environment variables or the keyring.
        Spreadsheets are kept in the folder `uploads`, campaigns in `campaigns`.

    Raises
    ------
    InstallationError
        Without anywidget.

    Examples
    --------
    >>> form = campaign.compose()
    """
    require("anywidget")
    from campaign.notebook.composer.page import FormWidget

    return FormWidget()
