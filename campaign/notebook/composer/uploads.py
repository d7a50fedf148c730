"""A button to choose a file. A copy is kept on disk, so that the campaign can be run again from it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ipywidgets import FileUpload, Layout

from campaign.contacts.files.sources import KINDS
from campaign.errors import FileError
from campaign.private_files import make_private_folder, replace_private_file
from campaign.text import clean

UPLOADS = Path("uploads")
OPT_OUT_UPLOADS = UPLOADS / "no-texts"  # apart, so that no list replaces a spreadsheet of the same name


class Upload(FileUpload):  # type: ignore[misc]  # ipywidgets has no types
    """A button to choose a file. `chosen` is called when a person has chosen one; then `keep` keeps it."""

    def __init__(self, label: str, name: str, chosen: Callable[[], None]) -> None:
        super().__init__(
            accept=",".join(KINDS), multiple=False, description=label, layout=Layout(width="max-content")
        )
        self.add_class(f"campaign-{name}")
        self._chosen = chosen
        self.observe(self._tell, "value")

    def _tell(self, _change: object) -> None:
        if self.value:
            self._chosen()

    def keep(self, folder: Path) -> Path:
        """Keep a private copy of the chosen file, and return where. Raises `FileError`."""
        file: Any = self.value[0]
        path = folder / clean(Path(file["name"]).name)
        try:
            make_private_folder(folder.absolute())
            replace_private_file(path, bytes(file["content"]))
        except OSError:
            raise FileError(f"The file cannot be kept in the folder {folder}. Type where it is.") from None
        return path
