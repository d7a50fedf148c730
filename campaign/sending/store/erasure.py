"""What a campaign folder keeps once the campaign is erased: its ledger, and counts in the manifests."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from campaign.private_files import replace_private_file, sync_folder
from campaign.sending.ledger.file_faults import unusable
from campaign.sending.ledger.ledger import Ledger
from campaign.sending.store.manifest import COMPOSED, MANIFEST, read_round_manifest
from campaign.sending.store.rounds import ROUNDS, round_path


def finish_erasure(path: Path, ledger: Ledger) -> None:
    """Delete what the folder of an erased campaign still has of people, under the campaign's lock.

    Only a program that was killed leaves anything: the journal decides that a campaign is erased. The files
    go last, so that the rest is done while there are any.
    """
    if not ledger.erased_at():
        return
    rounds = [round_path(path, number) for number in range(1, ledger.last_round() + 1)]
    try:
        if left := _files_of_people(path, rounds):
            ledger.purge()
            for folder in rounds:
                _rewrite_manifest(folder)
            for place in left:
                _delete(place)
            for folder in (*rounds, path / ROUNDS, path):
                sync_folder(folder)
    except OSError as error:
        raise unusable(path, error) from None


def _files_of_people(path: Path, rounds: Sequence[Path]) -> list[Path]:
    """Everything in a folder that the package wrote, but for the ledger, the lock and the manifests."""
    frozen = [place for folder in rounds for place in folder.iterdir() if place.name != MANIFEST]
    unregistered = [place for place in (path / ROUNDS).iterdir() if place not in rounds]
    return [*frozen, *unregistered, *path.glob(f"{COMPOSED}*")]


def _rewrite_manifest(folder: Path) -> None:
    replace_private_file(folder / MANIFEST, read_round_manifest(folder).without_people().content)
    sync_folder(folder)


def _delete(place: Path) -> None:
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)  # a manifest that was being written has its name by now
