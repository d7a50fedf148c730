"""A file that was written, or kept: a path that a notebook shows as a small card."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from campaign import markup
from campaign.local_times import LocalTimes
from campaign.paths import seen_from_here
from campaign.text import clean

if TYPE_CHECKING:
    _SystemPath = Path
else:
    _SystemPath = type(Path())  # before Python 3.12, `Path` itself cannot be subclassed


class WrittenFile(_SystemPath):
    """The path of a file that was just written: a `Path` in all respects, and in a notebook a card.

    Paths that are made from it, such as its `parent`, and copies, are paths without a card.
    """

    why_kept: str = ""  # why the file that was there is kept as it is; "" if it was written
    _pieces: Sequence[str] | None = None  # HTML that says what is in the file
    _written: str = ""  # when the card was made, for whoever opens the notebook later

    @classmethod
    def showing(cls, path: Path, pieces: Sequence[str]) -> WrittenFile:
        """The path, shown with these pieces of HTML below the name of the file."""
        file = cls(path)
        file._pieces, file._written = tuple(pieces), LocalTimes().written_now()
        return file

    @classmethod
    def kept(cls, path: Path, why: str) -> WrittenFile:
        """The path of a file that stays as it is, with the reason."""
        file = cls.showing(path, [markup.paragraph(why)])
        file.why_kept = why
        return file

    def with_segments(self, *segments: str | os.PathLike[str]) -> Path:
        """What Python 3.12 and later make other paths with."""
        return Path(*segments)

    def __reduce__(self) -> tuple[Any, ...]:
        return Path, (str(self),)

    def __repr__(self) -> str:
        return repr(Path(self))

    def _repr_html_(self) -> str | None:
        if self._pieces is None:
            return None
        size = f" ({size_in_words(self.stat().st_size)})" if self.is_file() else " (not there any more)"
        link = f"<p>{_link(self)}{size}</p>"
        title = f"{'Kept' if self.why_kept else 'Written'}: {clean(self.name)}"
        return markup.card(title, [*self._pieces, link, markup.paragraph(self._written, note=True)])


def _link(path: Path) -> str:
    """A link that JupyterLab resolves; only the name where the file is not below the current folder.

    A page opens in JupyterLab. It cannot open a workbook, so that is downloaded, as are rows to correct.
    """
    place = seen_from_here(path.absolute())
    if Path(place).is_absolute() or not path.is_file():
        return f"In {markup.escape(place)}"
    is_page = path.suffix.lower() == ".html"
    verb, target = ("Open", "") if is_page else ("Download", " download")
    return f'<a href="{quote(Path(place).as_posix())}"{target}>{verb} {markup.escape(place)}</a>'


def size_in_words(size: int) -> str:
    """So many bytes as a short number: "41 kB", "5.2 MB"."""
    return f"{size / 10**6:,.1f} MB" if size >= 10**6 else f"{max(size // 10**3, 1)} kB"
