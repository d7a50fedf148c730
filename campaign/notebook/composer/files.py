"""Files from a browser, files to take away, and how a campaign was composed, kept in its folder."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from msgspec import DecodeError, json

from campaign.contacts.own_files import WHY_NO_TEXT
from campaign.contacts.reserved_columns import OUTCOME_COLUMNS, OWN_ROW, original_names
from campaign.errors import FileError
from campaign.messages.issues import reasons
from campaign.messages.plan import Plan
from campaign.notebook.composer.facts import Facts
from campaign.notebook.composer.form import Form
from campaign.notebook.composer.result_page import write_unknown_rows
from campaign.private_files import make_private_folder, read_ordinary, replace_private_file
from campaign.results.follow_up_file import cells_to_correct, for_sheet, write_follow_up
from campaign.results.report import write_report
from campaign.results.workbook import write_rows
from campaign.sending.store.identity import CAMPAIGNS
from campaign.sending.store.manifest import COMPOSED
from campaign.text import clean, shorten
from campaign.values import replace
from campaign.words.page import PAGE

UPLOADS = Path("uploads")
LISTS = UPLOADS / "lists"  # apart, so that no list replaces a spreadsheet of the same name
_NAME = 60  # characters of the campaign's name in the names of its files
_UNSAFE = re.compile(r'[<>:"/\\|?*]')  # what some system does not allow in the name of a file


@contextmanager
def kept_upload(name: str, content: bytes, folder: Path) -> Iterator[Path]:
    """A private copy of a file, so that the campaign can be run again from it. Raises `FileError`.

    One that turns out to be of no use takes the place of no other of its name.
    """
    path = folder / (clean(Path(name).name) or "spreadsheet")
    try:
        make_private_folder(folder.absolute())
        before = path.read_bytes() if path.exists() else None
        replace_private_file(path, content)
    except (OSError, ValueError):  # ValueError: no file can have that name
        raise FileError("upload_not_kept", folder=folder) from None
    try:
        yield path
    except Exception:
        if before is None:
            path.unlink()
        else:
            replace_private_file(path, before)
        raise


def made_file(kind: str, form: Form, facts: Facts) -> tuple[str, bytes]:
    """The name and the content of a file to take away."""
    name, write = _FILES[kind]
    title = facts.result(form).name if form.step == "result" else facts.campaign_name(form)
    safe = shorten(_UNSAFE.sub("-", title).strip(" .") or "campaign", _NAME)
    called = f"{safe} {datetime.now():%Y-%m-%d} {name}"
    with TemporaryDirectory() as folder:  # for its owner only
        path = Path(folder) / called
        write(form, facts, path)
        return called, path.read_bytes()


def write_rows_to_look_at(plan: Plan, path: Path) -> None:
    """Write the rows to correct with the reasons, to look at while the spreadsheet itself is corrected.

    Nobody takes the file for one to send: it continues no campaign. Raises `ReportError` for more rows than a
    sheet holds.
    """
    rows = plan.contacts[plan.contacts["status"] == "invalid"].drop(
        columns=[*OUTCOME_COLUMNS], errors="ignore"
    )
    table = rows.set_axis(original_names(rows.columns), axis=1)
    why = reasons(plan.issues, PAGE).reindex(rows.index).fillna("")
    added = pd.DataFrame({WHY_NO_TEXT: why, OWN_ROW: rows.index.astype("str")}, index=rows.index)
    marked = np.pad(cells_to_correct(table, [plan.issues], added=0), ((0, 0), (0, len(added.columns))))
    write_rows(path, "Rows to correct", for_sheet(pd.concat([table, added], axis=1)), marked)


_Write = Callable[[Form, Facts, Path], object]
_FILES: dict[str, tuple[str, _Write]] = {
    "report": ("report.html", lambda form, facts, path: write_report(facts.result(form), path)),
    "workbook": ("all rows.xlsx", lambda form, facts, path: write_report(facts.result(form), path)),
    "follow-up": (
        "rows to correct.xlsx",
        lambda form, facts, path: write_follow_up(facts.result(form), path),
    ),
    "unknown": (
        "messages to ask about.xlsx",
        lambda form, _, path: write_unknown_rows(Path(form.folder), path),
    ),
    "invalid": (
        "rows to look at.xlsx",
        lambda form, facts, path: write_rows_to_look_at(facts.plan(form), path),
    ),
}


def keep(folder: Path, form: Form) -> None:
    """Keep a form in the folder of its campaign, for its owner only."""
    kept = replace(form, step="start", folder="", answers={}, not_again=(), own_number="")
    path = folder / COMPOSED
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    with suppress(OSError):  # what is being sent matters more
        with open(new, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(json.encode(kept))
        new.replace(path)


def kept(folder: Path) -> Form | None:
    """How the campaign in a folder was composed; None if it was composed elsewhere, or by another version."""
    with suppress(OSError, DecodeError):
        return json.decode(read_ordinary(folder / COMPOSED), type=Form)
    return None


def kept_last() -> Form | None:
    """How the campaign that was composed last in this folder was composed; None if there is none."""
    with suppress(OSError):
        latest = max(CAMPAIGNS.glob(f"*/{COMPOSED}"), key=lambda path: path.stat().st_mtime_ns, default=None)
        return None if latest is None else kept(latest.parent)
    return None
