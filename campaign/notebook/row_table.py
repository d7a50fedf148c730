"""A table widget for very many rows, which never become part of what a notebook saves.

itables' own widget keeps its rows in its state, and whatever runs notebooks (nbclient, JupyterLab with
"Save widget state") writes that state into the file. This widget has no rows in its state: a browser that
shows it asks for them, and the answer is a message.
"""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import itables.widget
import pandas as pd
import traitlets
from anywidget import AnyWidget
from itables.javascript import get_itables_extension_arguments

_STATIC = Path(itables.widget.__file__).parent / "static"
_PAGES = [10, 25, 50, 100]
_WORDS = {
    "search": "Search all columns",
    "lengthMenu": "_MENU_ rows a page",
    "info": "Rows _START_ to _END_ of _TOTAL_",
    "infoEmpty": "No rows",
    "infoFiltered": "found among _MAX_",
    "emptyTable": "There are no rows.",
}


class RowTable(AnyWidget):
    """Shows the rows that `make_rows` returns, with a search, and a sort and a filter for each column.

    `make_rows` is called when a browser shows the widget. The columns in `listed` are filtered by ticking
    values in a list, all others by typing; those in `wide` hold sentences, and those in
    `unbroken` stay on one line. `waiting` is the text in their place until the rows arrive, and
    `nothing_found` the answer to a search without a result.
    """

    _esm = Path(__file__).with_name("row_table.js").read_text("utf-8")
    waiting = traitlets.Unicode().tag(sync=True)

    def __init__(
        self,
        make_rows: Callable[[], pd.DataFrame],
        *,
        listed: Collection[str],
        wide: Collection[str],
        unbroken: Collection[str],
        waiting: str,
        nothing_found: str,
    ) -> None:
        super().__init__(waiting=waiting)
        self._make_rows, self._listed = make_rows, frozenset(listed)
        self._styles = {"wide": frozenset(wide), "unbroken": frozenset(unbroken)}
        self._words = {**_WORDS, "zeroRecords": nothing_found}
        self._content: dict[str, Any] | None = None
        self.on_msg(self._answer)

    def _answer(self, _widget: object, content: object, _buffers: object) -> None:
        if content == {"show": True}:
            if self._content is None:
                self._content = self._made_content()
            self.send(self._content)

    def _made_content(self) -> dict[str, Any]:
        """The program of itables, its style, and the rows as its arguments."""
        rows = self._make_rows()
        listed = _places(rows, self._listed)
        styles = [
            {"targets": _places(rows, names), "className": style} for style, names in self._styles.items()
        ]
        arguments, appearance = get_itables_extension_arguments(
            rows,
            maxBytes=0,
            lengthMenu=_PAGES,
            columnControl=["order", ["search"]],
            columnDefs=[
                {"targets": listed, "columnControl": ["order", ["searchList"]]},
                *styles,
            ],
            ordering={"indicators": False, "handler": False},
            language=self._words,
            showIndex=False,
            layout={"topStart": "search", "topEnd": "pageLength"},
            classes="display compact",
            style="width:100%;caption-side:bottom",
            scrollX=True,
        )
        return {
            "esm": (_STATIC / "widget.js").read_text("utf-8"),
            "css": (_STATIC / "widget.css").read_text("utf-8"),
            "options": {
                "_dt_args": arguments,
                "caption": appearance["caption"],
                "classes": appearance["classes"],
                "_style": appearance["style"],
                "selected_rows": [],
            },
        }


def _places(rows: pd.DataFrame, names: Collection[str]) -> list[int]:
    return [place for place, name in enumerate(rows.columns) if name in names]
