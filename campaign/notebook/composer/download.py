"""A button that makes a file and hands it to the browser."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import traitlets
from anywidget import AnyWidget

from campaign.errors import CampaignError


class Download(AnyWidget):
    """Downloads what `write` writes to the path that it is given; `name` says what the file is called.

    `failed` is called with the error when the file cannot be made.
    """

    _esm = Path(__file__).with_name("download.js").read_text("utf-8")
    label = traitlets.Unicode().tag(sync=True)

    def __init__(
        self,
        label: str,
        name: Callable[[], str],
        write: Callable[[Path], object],
        failed: Callable[[CampaignError], None],
    ) -> None:
        super().__init__(label=label)
        self._name, self._write, self._failed = name, write, failed
        self.on_msg(self._make)

    def _make(self, _widget: object, content: object, _buffers: object) -> None:
        if content != {"make": True}:
            return
        try:
            self.send({"name": self._name()}, [self.content()])
        except CampaignError as error:
            self._failed(error)

    def content(self) -> bytes:
        """The file as it is downloaded."""
        with TemporaryDirectory() as folder:  # for its owner only
            path = Path(folder) / self._name()
            self._write(path)
            return path.read_bytes()
