"""What workers need of a campaign folder, copied to a store for machines that do not share the folder.

The files have the names that they have in the folder: the manifests, the messages of each round, and how many
moves the ledger had. Nothing that is fetched is believed: the ledger has the digests of the manifests, and a
manifest has those of its files.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from campaign.errors import CampaignError, FolderError
from campaign.private_files import make_private_folder
from campaign.sending.ledger.views import RegisteredRound
from campaign.sending.options import Place
from campaign.sending.store.folder import Folder, open_folder
from campaign.sending.store.manifest import MANIFEST, RoundManifest
from campaign.sending.store.remote_files import RemoteFiles, is_url
from campaign.sending.store.rounds import PLAN, Round, file_digest, open_round, round_path
from campaign.text import clean


def publish(folder: Folder, files: RemoteFiles) -> None:
    """Copy what workers need and what is not there yet; each file is read again when it was written.

    The manifest of the campaign is written last. Raises `FolderError` if another campaign is there.
    """
    manifest = file_digest(folder.path / MANIFEST)
    there = files.digest(MANIFEST)
    if there not in ("", manifest):
        raise FolderError(
            f"There is another campaign in {clean(files.url)}. Nothing was sent. Give another copy_to=."
        )
    for one_round in folder.rounds(folder.snapshot()):
        start = one_round.path.relative_to(folder.path).as_posix()
        digests = _plan_digests(one_round.manifest) | {MANIFEST: file_digest(one_round.path / MANIFEST)}
        for name, digest in digests.items():
            _put(files, f"{start}/{name}", one_round.path / name, digest)
    for name in folder.ledger_place.file_names:
        files.put(name, folder.path / name)
    _put(files, MANIFEST, folder.path / MANIFEST, manifest)


@contextmanager
def folder_for_workers(place: Place) -> Iterator[Folder]:
    """The campaign folder; for the address of a copy a folder that is fetched, and goes after the block."""
    if not is_url(place):
        yield open_folder(place)
        return
    files = RemoteFiles(place)
    with TemporaryDirectory(prefix="campaign-", ignore_cleanup_errors=True) as scratch:
        path = Path(scratch).absolute()
        try:
            yield _fetched(files, path)
        except CampaignError as error:  # a person knows the address, and nothing of the folder
            error.args = (str(error).replace(str(path), files.url),)
            raise


class FetchedFolder(Folder, frozen=True):
    """A campaign folder that is fetched from a copy: the messages of a round when it is first looked at."""

    files: RemoteFiles

    def open_round(self, registered: RegisteredRound) -> Round:
        path = round_path(self.path, registered.round)
        is_new = not path.exists()
        if is_new:
            make_private_folder(path / PLAN)
            self._fetch(path / MANIFEST)
        found = open_round(self.path, registered)
        if is_new:
            for name, digest in _plan_digests(found.manifest).items():
                self._fetch(path / name, digest)
        return found

    def _fetch(self, path: Path, digest: str = "") -> None:
        name = path.relative_to(self.path).as_posix()
        make_private_folder(path.parent)
        is_there = self.files.fetch(name, path)
        if is_there and (not digest or file_digest(path) == digest):
            return
        problem = "was changed, or was cut off on the way" if is_there else "is missing"
        raise FolderError(
            f"{self.files.place(name)} {problem}. Nothing was sent from here. Release the campaign again "
            f'with copy_to="{self.files.url}": that restores it.'
        )


def _fetched(files: RemoteFiles, path: Path) -> FetchedFolder:
    if not files.fetch(MANIFEST, path / MANIFEST):
        raise FolderError(
            f"There is no campaign in {clean(files.url)}: it has no {MANIFEST}. Give the address that was "
            "given as copy_to= when the campaign was released."
        )
    folder = FetchedFolder(path, open_folder(path).manifest, files)
    for name in folder.ledger_place.file_names:
        files.fetch(name, path / name)
    return folder


def _put(files: RemoteFiles, name: str, path: Path, digest: str) -> None:
    if files.digest(name) == digest:
        return
    files.put(name, path)
    if files.digest(name) != digest:
        raise FolderError(
            f"{files.place(name)} was written, and something else is read from there. Nothing was sent. Try "
            "again, or give another copy_to=."
        )


def _plan_digests(manifest: RoundManifest) -> dict[str, str]:
    """The digests of the files that have messages, by their paths from the round's folder."""
    return {name: digest for name, digest in manifest.digests.items() if name.startswith(f"{PLAN}/")}
