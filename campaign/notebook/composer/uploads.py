"""A button to choose a file. A copy is kept on disk, so that the campaign can be run again from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import traitlets
from anywidget import AnyWidget
from ipywidgets import Layout

from campaign.contacts.files.sources import KINDS
from campaign.errors import ContactsError, FileError
from campaign.private_files import make_private_folder, replace_private_file
from campaign.text import clean

UPLOADS = Path("uploads")
OPT_OUT_UPLOADS = UPLOADS / "no-texts"  # apart, so that no list replaces a spreadsheet of the same name


class Upload(AnyWidget):
    """A button to choose a file. `chosen` is called when a person has chosen one; then `keep` keeps it."""

    _esm = Path(__file__).with_name("upload.js").read_text("utf-8")
    label = traitlets.Unicode().tag(sync=True)
    accept = traitlets.Unicode().tag(sync=True)

    def __init__(self, label: str, name: str, chosen: Callable[[], None]) -> None:
        super().__init__(label=label, accept=",".join(KINDS), layout=Layout(width="max-content"))
        self.add_class(f"campaign-{name}")
        self._chosen = chosen
        self._name, self._content = "", b""
        self.on_msg(self._take)

    def _take(self, _widget: object, content: Mapping[str, Any], buffers: Sequence[Any]) -> None:
        if buffers:
            self._name, self._content = str(content["name"]), bytes(buffers[0])
            self._chosen()

    @contextmanager
    def kept(self, folder: Path) -> Iterator[Path]:
        """Keep a private copy of the chosen file; if it turns out that it cannot be read, it is taken back.

        Raises `FileError`.
        """
        path = folder / clean(Path(self._name).name)
        try:
            before = path.read_bytes() if path.exists() else None
            make_private_folder(folder.absolute())
            replace_private_file(path, self._content)
        except OSError:
            raise FileError(f"The file cannot be kept in the folder {folder}. Type where it is.") from None
        try:
            yield path
        except ContactsError:
            if before is None:
                path.unlink(missing_ok=True)
            else:
                replace_private_file(path, before)
            raise
