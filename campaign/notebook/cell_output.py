"""What is below a cell: showing something there, replacing it later, and hearing that a cell has ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from IPython import get_ipython
from IPython.display import display


class Output(Protocol):
    """Something that is shown, and can be replaced."""

    def update(self, bundle: Mapping[str, Any], *, raw: bool) -> None: ...


def show(bundle: Mapping[str, Any]) -> Output:
    """Show the forms of one thing, by their MIME types, below the cell that is running."""
    output: Output = display(dict(bundle), raw=True, display_id=True)  # type: ignore[no-untyped-call]  # IPython's
    return output


def cell_number() -> int:
    """The number of the cell that is running."""
    return int(get_ipython().execution_count)


def after_each_cell(call: Callable[[object], None]) -> None:
    """Call this at the end of every cell, while what it shows still belongs to the cell."""
    get_ipython().events.register("post_run_cell", call)
