"""A result as the shell shows it, and the exit code that goes with it."""

from __future__ import annotations

from campaign.cli.exit_codes import ACCEPTED, NOT_ALL
from campaign.cli.facts import result_facts
from campaign.cli.output import Page
from campaign.cli.shell_words import quoted
from campaign.environments import words_for
from campaign.masking import mask_sentences
from campaign.paths import seen_from_here
from campaign.results.tables import Result
from campaign.text import capitalised, counted

_NOT_ACCEPTED = ("not_sent", "refused", "unknown")  # what becomes of a row that has messages, otherwise


def show_result(result: Result, page: Page) -> None:
    """What is known of a campaign: where it went, the outcome in a sentence, the counts, the cost."""
    folder = seen_from_here(result.folder)
    page.words.folder = quoted(folder)
    page.facts["result"] = result_facts(result, page.words)
    page.gap()
    page.line(f"{capitalised(words_for(result.environment).where)}.")
    page.line(mask_sentences(result.sentence), "strong")
    totals = result.totals
    page.counts(totals.rows, dict(totals.items()))
    sent = int((result.batches["status"] != "not_sent").sum())
    page.line(f"Cost: {totals.cost_in_words} for {counted(sent, 'batch', 'batches')} sent.")
    page.line(f"Campaign folder: {folder}")


def exit_code(result: Result) -> int:
    return NOT_ALL if any(result.totals[status] for status in _NOT_ACCEPTED) else ACCEPTED
