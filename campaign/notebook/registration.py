"""Telling IPython how to show a run and an error. Widgets are loaded when the first run is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from campaign.errors import CampaignError, ConfirmationError, Interrupted

if TYPE_CHECKING:
    from campaign.results.tables import Result
    from campaign.sending.run import Run


def register_displays() -> None:
    """Show errors as cards and, in a notebook, a `Run` as its dashboard and a `Result` to go with it.

    IPython in a terminal keeps showing a run as its plain text. Calling this again changes nothing.
    """
    from IPython import get_ipython

    shell = get_ipython()
    if shell is None:
        return
    for kind in (CampaignError, Interrupted):
        # IPython asks an exception for this method before it formats a traceback. It is set from here because
        # the errors are below everything else, and only the notebook layer knows IPython.
        kind._render_traceback_ = _traceback_lines  # type: ignore[union-attr] # set here
    if getattr(shell, "kernel", None) is not None:
        formatter = shell.display_formatter.ipython_display_formatter
        formatter.for_type_by_name("campaign.sending.run", "Run", _show_run)
        html = shell.display_formatter.formatters["text/html"]
        html.for_type_by_name("campaign.results.tables", "Result", _result_html)
        shell.events.register("post_run_cell", _show_question)


def _traceback_lines(error: CampaignError | Interrupted) -> list[str]:
    """What IPython shows of an error; with `%xmode Verbose` all of it, as of any other."""
    from IPython import get_ipython

    from campaign.notebook.error_card import error_lines

    shell = get_ipython()
    if _is_verbose(shell):
        frames: list[str] = shell.InteractiveTB.structured_traceback(type(error), error, error.__traceback__)
        return frames
    return error_lines(error, shell)


def _show_run(run: Run) -> None:
    from campaign.notebook.outputs import show_run

    show_run(run)


def _result_html(result: Result) -> str:
    from campaign.notebook.outputs import result_html

    return result_html(result)


def _show_question(result: Any) -> None:
    """Where a cell ended with a question of ours, show it as a card; in Verbose, all is above already."""
    from IPython import get_ipython

    if isinstance(result.error_in_exec, ConfirmationError) and not _is_verbose(get_ipython()):
        from campaign.notebook.outputs import show_question

        show_question(result.error_in_exec)


def _is_verbose(shell: Any) -> bool:
    """Whether a person wants to see all of an error, by `%xmode Verbose`."""
    return bool(shell.InteractiveTB.mode == "Verbose")
