"""A result as a card in a notebook."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from campaign import markup
from campaign.local_times import LocalTimes
from campaign.paths import seen_from_here
from campaign.results import charts, outcome_list
from campaign.results.batch_numbers import which_batches, without_unsent
from campaign.results.sent_rounds import as_counted
from campaign.text import capitalised, counted
from campaign.words.finding import Finding
from campaign.words.python import PYTHON

STYLE = f"{charts.STYLE}{outcome_list.STYLE}"


def result_pieces(
    environment: str,
    findings: Sequence[Finding],
    changes: str,
    batches: pd.DataFrame,
    *,
    times: LocalTimes,
    folder: Path | None,
) -> list[str]:
    """The outcome with what is left to do, and the batches in their order, folded; nothing is masked.

    `changes` is what has happened since.
    """
    return [
        f"<style>{STYLE}</style>",
        outcome_list.badge(environment),
        about_changes(changes, folder),
        outcome_list.outcome(findings, PYTHON),
        folded_batches(batches, times, folder),
        markup.paragraph(times.written_now(), note=True),
    ]


def folded_batches(batches: pd.DataFrame, times: LocalTimes, folder: Path | None) -> str:
    """The folder and the batches, for a person who looks them up."""
    left, about_unsent = without_unsent(batches)
    shown = times.with_local(_shown(left), "submitted_at", "submitted")
    table = markup.table(shown, limit=10, of=("batch", "batches"), which=which_batches(left))
    pieces = [
        markup.scroller(table, "Batches") if len(left) else "",
        markup.paragraph(about_unsent, note=True) if about_unsent else "",
        _folder_and_call(folder),
    ]
    count = capitalised(counted(len(batches), "batch", "batches"))
    return f"<details><summary>{count}, folder and code</summary>{''.join(pieces)}</details>"


def _folder_and_call(folder: Path | None) -> str:
    if folder is None:
        return ""
    call = markup.escape(f"result = {_call_to_load(folder)}")
    return f'{markup.paragraph(f"Kept in {folder}", note=True)}<p class="note"><code>{call}</code></p>'


def about_changes(changes: str, folder: Path | None) -> str:
    """What has happened since a result was read, and the line that reads it again; "" for nothing."""
    if not changes or folder is None:
        return ""
    line = markup.escape(f"result = {_call_to_load(folder)}")
    return f"<p><strong>{markup.escape(changes)}</strong> To see it: <code>{line}</code></p>"


def _call_to_load(folder: Path) -> str:
    return f"campaign.load_result({json.dumps(seen_from_here(folder), ensure_ascii=False)})"


def _shown(batches: pd.DataFrame) -> pd.DataFrame:
    """The batches as a card shows them: a single round is not named.

    A batch that a person has settled has an error that is none: a note.
    """
    rounds = as_counted(batches)["round"]
    last = [name for name in ("error", "submitted_at", "code") if name in batches]
    shown = batches.drop(columns=["why", "attempts", "seconds", "round", "facts", *last]).join(batches[last])
    if rounds.nunique() > 1:
        shown.insert(0, "round", rounds)
    has_notes, has_codes = ((batches[name] != "").any() for name in ("error", "code"))
    # Beside notes, the codes would make the table wider than the page: they are in `Result.batches`.
    is_shown = {"error": has_notes, "code": has_codes and not has_notes}
    unneeded = [name for name, shown_here in is_shown.items() if not shown_here]
    return shown.drop(columns=unneeded).rename(columns={"error": "note"})
