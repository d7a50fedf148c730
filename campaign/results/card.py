"""A result as a card in a notebook."""

import json
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from campaign import markup
from campaign.contacts.reading_record import Reading
from campaign.local_times import LocalTimes
from campaign.paths import seen_from_here
from campaign.results.batch_numbers import skipped_numbers, which_batches, without_unsent
from campaign.results.page.row_account import not_read_in_words, rows_in_words
from campaign.results.replaced_file import free_name
from campaign.results.sent_rounds import as_counted
from campaign.results.totals import ResultTotals, outcome_bars
from campaign.text import figure

_ORDER = "Batches to look at come first, and those that were not sent last."


def result_card(
    changes: str,
    headline: str,
    left_to_do: Iterable[str],
    ways_on: Iterable[tuple[str, str]],
    totals: ResultTotals,
    batches: pd.DataFrame,
    reading: Reading | None,
    *,
    where: str,
    times: LocalTimes,
    folder: Path | None,
) -> str:
    """The outcome, what is left to do, and the batches in their order; nothing is masked.

    `changes` is what has happened since, and `ways_on` has calls that send what is left. `reading` is that
    of the file.
    """
    has_others = totals.rows != totals.people  # the headline counts rows, and the report counts people
    rows = rows_in_words(totals, reading) if has_others else not_read_in_words(reading)
    pieces = [
        about_changes(changes, folder),
        markup.paragraph(headline),
        *map(markup.paragraph, left_to_do),
        *(_line(purpose, call) for purpose, call in ways_on),
        outcome_bars(totals),
        markup.paragraph(rows, note=True) if rows else "",
        markup.facts(
            {
                "rows in the file": figure(totals.rows),
                "people": figure(totals.people),
                **{name: figure(count) for name, count in totals.messages_in_words.items()},
                "cost": totals.cost_in_words,
            }
        ),
        *_table_of(batches, times),
    ]
    if folder is not None:
        pieces.append(markup.paragraph(f"Kept in {folder}", note=True))
        if totals.to_correct:
            name = free_name(Path("to_correct.xlsx"))
            call = f'campaign.write_follow_up({_call_to_load(folder)}, "{name}")'
            pieces.append(_line("To write the rows to correct", call))
    pieces.append(markup.paragraph(times.written_now(), note=True))
    return markup.card(f"Result ({where})", pieces)


def _table_of(batches: pd.DataFrame, times: LocalTimes) -> list[str]:
    """The batches as a table, and what is to know of their order and their numbers."""
    left, about_unsent = without_unsent(batches)
    shown = times.with_local(_shown(left), "submitted_at", "submitted")
    table = markup.table(shown, limit=10, of=("batch", "batches"), which=which_batches(left))
    pieces = [] if left.empty and about_unsent else [markup.scroller(table, "Batches")]
    order = "" if left["batch"].is_monotonic_decreasing else _ORDER
    notes = filter(None, [about_unsent, order, skipped_numbers(batches)])
    pieces += [markup.paragraph(note, note=True) for note in notes]
    return pieces


def _line(purpose: str, call: str) -> str:
    return f'<p class="note">{purpose}: <code>{markup.escape(call)}</code></p>'


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
    shown = batches.drop(columns=["attempts", "seconds", "round", *last]).join(batches[last])
    if rounds.nunique() > 1:
        shown.insert(0, "round", rounds)
    has_notes, has_codes = ((batches[name] != "").any() for name in ("error", "code"))
    # Beside notes, the codes would make the table wider than the page: they are in `Result.batches`.
    is_shown = {"error": has_notes, "code": has_codes and not has_notes}
    unneeded = [name for name, shown_here in is_shown.items() if not shown_here]
    return shown.drop(columns=unneeded).rename(columns={"error": "note"})
