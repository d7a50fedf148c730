"""Telling IPython to show a run as its dashboard. Widgets are loaded when the first run is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from campaign.sending.run import Run


def register_dashboard() -> None:
    """In a notebook, show a `Run` as its dashboard; IPython in a terminal keeps showing its plain text.

    Calling this again changes nothing: there is one entry for the class.
    """
    from IPython import get_ipython

    shell = get_ipython()
    if getattr(shell, "kernel", None) is None:
        return
    formatter = shell.display_formatter.mimebundle_formatter
    formatter.for_type_by_name("campaign.sending.run", "Run", lambda run: _show(run, shell))


def _show(run: Run, shell: Any) -> dict[str, Any]:
    """The dashboard of a run as a notebook's output, with the run's plain text beside it."""
    from campaign.notebook.dashboard import Dashboard

    dashboard = Dashboard(run)

    def catch_up(_: object) -> None:
        if dashboard.draw():
            shell.events.unregister("post_run_cell", catch_up)

    # A cell that saw the run end or pause, such as one with `wait`, does not end before the dashboard shows
    # it: programs that run notebooks keep what the widgets showed when the last cell ended.
    shell.events.register("post_run_cell", catch_up)
    bundle: dict[str, Any] = dashboard._repr_mimebundle_()
    return bundle
