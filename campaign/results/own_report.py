"""Reports that this package wrote, known by their contents: only they make way for a new report.

Rows to correct are none, because a person types into them.
"""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from campaign.contacts.files.signatures import OWN_PAGE, TOP_OF_PAGE
from campaign.contacts.own_files import REPORT_COLUMNS
from campaign.private_files import check_ordinary

AUTHOR = "campaign"  # in the properties of a workbook
_TOP = 4096  # bytes
_COLUMNS = (*REPORT_COLUMNS, frozenset({"status", "batch", "code"}))  # the last those of sheets of a result


def is_own_report(path: Path) -> bool:
    """Whether a page, workbook or .csv file is a report of this package; an empty file counts as one."""
    try:
        check_ordinary(path)
        if not path.stat().st_size:
            return True
        return _IS_OWN.get(path.suffix.lower(), _is_unknown)(path)
    except (OSError, ValueError, KeyError, csv.Error, zipfile.BadZipFile):
        return False


def _is_own_page(path: Path) -> bool:
    with path.open("rb") as file:
        return OWN_PAGE.encode() in file.read(TOP_OF_PAGE)


def _is_own_workbook(path: Path) -> bool:
    with zipfile.ZipFile(path) as archive, archive.open("docProps/core.xml") as properties:
        return f"<dc:creator>{AUTHOR}</dc:creator>".encode() in properties.read(_TOP)


def _is_own_csv(path: Path) -> bool:
    with path.open(encoding="utf-8-sig", newline="") as file:
        header = set(next(csv.reader([file.readline(_TOP)]), ()))
    return any(columns <= header for columns in _COLUMNS)


def _is_unknown(_: Path) -> bool:
    return False


_IS_OWN: Mapping[str, Callable[[Path], bool]] = {
    ".html": _is_own_page, ".xlsx": _is_own_workbook, ".csv": _is_own_csv,
}  # fmt: skip
