"""The page of the result: what came of it, what is left to do, and the files to take away."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from campaign.contacts.reserved_columns import OWN_ROW
from campaign.errors import CampaignError
from campaign.local_times import LocalTimes
from campaign.markup import TONES
from campaign.masking import mask_sentences
from campaign.notebook.composer.beginning import question_before_the_rest
from campaign.notebook.composer.facts import Facts
from campaign.notebook.composer.form import Form
from campaign.notebook.composer.items import (
    Bar,
    Button,
    Group,
    Item,
    Note,
    Sheet,
    Text,
    Tone,
    Upload,
    line,
    say,
    told,
    words,
)
from campaign.notebook.composer.send_page import account_form, badge, phrase_field, what_leaves
from campaign.results.finding_lines import headlines, is_counted, remedy
from campaign.results.follow_up_file import for_sheet
from campaign.results.outcome_list import rows_by_kind
from campaign.results.tables import Result
from campaign.results.workbook import write_rows
from campaign.sending.afterwards.unknown_batches import unknown_messages
from campaign.text import listed_words
from campaign.values import replace
from campaign.words.finding import Finding
from campaign.words.page import PAGE

_TO_CORRECT = ("rows_to_correct", "rows_sharing_phone")
_TO_SEND = ("rows_not_sent", "rows_refused", "rows_settled_as_refused", "rows_ordered_again")
_OUTCOME = ("live_result", "rehearsal_result", "nobody_to_send_to")
_SAID_HERE = ("all_tried",)  # by the bar, and by what is left to do
_TONES: dict[str, Tone] = {"good": "good", "bad": "bad", "doubt": "ask"}
_SHEET = "Unknown messages"


def result_page(form: Form, facts: Facts) -> Sheet:
    """The headline of the report, one bar, what is left to do, and the files."""
    result = facts.result(form)
    findings = result.findings
    outcome = next(one for one in findings if one.code in _OUTCOME)
    others = headlines([one for one in findings if one.code not in (outcome.code, *_SAID_HERE)], PAGE)
    parts = rows_by_kind(findings)
    has_account = "live" in facts.accounts or facts.may_add_account
    can_go_live = result.environment != "live" and bool(form.source) and has_account
    return Sheet(
        step="result",
        title=mask_sentences(PAGE.headline(outcome)),
        badge=badge(str(result.environment)),
        items=(
            Bar(parts=tuple((kind, count, _tone(kind)) for kind, count in parts.items())),
            *(Note(text=mask_sentences(text)) for text in others),
            *_left_to_do(form, facts, result, findings),
        ),
        foot=(
            Button(id="download:report", label="Report", busy="Writing the report …"),
            Button(id="download:workbook", label="Workbook", busy="Writing the workbook …"),
            Button(id="done", label="Done", look="plain" if can_go_live else "main"),
            *([Button(id="to-send", label="Send for real", look="main")] if can_go_live else []),
        ),
    )  # fmt: skip


def _tone(kind: str) -> Tone:
    return _TONES.get(TONES.get(kind, ""), "soft")


def _left_to_do(form: Form, facts: Facts, result: Result, findings: tuple[Finding, ...]) -> Iterator[Item]:
    """What is left to do."""
    by_code = {one.code: one for one in findings if is_counted(one)}
    to_send = [by_code.pop(code) for code in _TO_SEND if code in by_code]
    to_correct = [by_code.pop(code) for code in _TO_CORRECT if code in by_code]
    unknown = by_code.pop("rows_unknown", None)
    if facts.unknown(form).numbers:  # what no program sends any more is not under way
        unknown = unknown or by_code.pop("rows_under_way", None)
    tasks: list[Group] = []
    if to_send and result.environment in facts.accounts:
        tasks.append(_task("rest", to_send, *_rest(form, facts, result, to_send)))
    elif to_send:
        yield say("form_other_account", "ask")
        if facts.may_add_account and result.environment == "live":
            yield account_form(facts, is_open=True)
    if unknown is not None or (facts.unknown(form).settled and result.environment != "local"):
        tasks.append(_task("unknown", [unknown] if unknown else [], *_unknown(form, facts, unknown)))
    if to_correct:
        tasks.append(_task("correct", to_correct, *_corrections(to_correct)))
    yield from (replace(task, is_open=task is tasks[0]) for task in tasks)
    for finding in by_code.values():
        if finding.severity != "info" and remedy(finding, PAGE):
            yield told(finding, "soft")


def _task(name: str, findings: list[Finding], *items: Item) -> Group:
    title = listed_words(map(PAGE.headline, findings)) if findings else "The provider's list"
    return Group(id=name, look="task", title=title, items=items)


def _rest(form: Form, facts: Facts, result: Result, findings: list[Finding]) -> Iterator[Item]:
    """The button that sends what waits or was refused, live with its question."""
    is_live = result.environment == "live"
    send = Button(
        id="send-rest", label=words("form_send_rest", rows=sum(one.facts["rows"] for one in findings)),
        look="live" if is_live else "main", busy="Sending …",
    )  # fmt: skip
    try:
        key = form.folder, form.budget, facts.run
        asked = facts.made("phrase", key, lambda: question_before_the_rest(form, facts)) if is_live else None
    except CampaignError as error:
        yield told(error)
        return
    question = () if asked is None else (what_leaves(asked), phrase_field(asked, facts))
    yield Group(look="danger" if is_live else "column", items=(*question, *_budget(form, facts), line(send)))


def _budget(form: Form, facts: Facts) -> Iterator[Item]:
    """Where the budget ended the run, the field for another one."""
    run = facts.run
    if form.budget or (run is not None and run.option_for_the_rest.startswith("budget=")):
        yield Text(id="budget", label="Stop when it has cost", value=form.budget)


def _corrections(findings: list[Finding]) -> Iterator[Item]:
    """The rows to correct as a file, and the place for the corrected one."""
    rows = sum(one.facts["rows"] for one in findings)
    yield say("form_correct", "soft")
    yield line(
        Button(id="download:follow-up", label=words("form_download", rows=rows)),
        Upload(id="source", label="Choose the corrected file", is_small=True),
    )


def _unknown(form: Form, facts: Facts, finding: Finding | None) -> Iterator[Item]:
    """Each unknown batch with two buttons, or the provider's list."""
    unknown = facts.unknown(form)
    is_local = unknown.environment == "local"
    if unknown.numbers:  # else all are settled, and a list may still say otherwise
        yield say("form_ask_nobody" if is_local else "form_ask_provider", "soft")
    for batch in unknown.first.to_dict("records"):
        number = int(batch["batch"])
        left = LocalTimes().moment(batch["submitted_at"])
        label = words("form_batch", batch=number, rows=batch["rows"], moment=left)
        yield Group(id=f"batch:{number}", look="line", title=label, items=_settling(facts, number))
    if finding is not None:
        yield line(Button(id="download:unknown", label="Download them, with full numbers"))
    if not is_local:
        yield Upload(id="provider_list", label="Choose the provider's list", is_small=True)
        yield from _by_list(facts)


def _settling(facts: Facts, batch: int) -> tuple[Item, ...]:
    """The two answers about a batch; once one is pressed, whether it is meant."""
    asked = facts.settling
    if asked is not None and asked[0] == batch:
        return (
            say("form_final", "bad", outcome=_OUTCOMES[asked[1]]),
            Button(id="settle", label="Yes, I am sure", look="live"),
            Button(id="settle-not", label="Cancel"),
        )
    return tuple(Button(id=f"settle:{batch}:{outcome}", label=label) for outcome, label in _OUTCOMES.items())


_OUTCOMES = {"accepted": "It was accepted", "refused": "It did not get there"}


def _by_list(facts: Facts) -> Iterator[Item]:
    """What the provider's list says."""
    if facts.reconciliation is None:
        return
    yield from (told(finding) for finding in facts.reconciliation[1].findings)
    if facts.reconciliation[1].phrase:
        yield line(Button(id="settle-list", label="Settle what is certain", look="live"))


def write_unknown_rows(folder: Path, path: Path) -> None:
    """Write the unknown messages with full numbers, for whoever asks the provider.

    The columns are batch, when it left, row, number and text.

    Raises `ReportError` for more than a sheet holds.
    """
    messages = LocalTimes().with_local(unknown_messages(folder), "submitted_at", "left")
    table = messages.rename(columns={"row": OWN_ROW, "message": "text"}).astype("str")
    write_rows(path, _SHEET, for_sheet(table), np.zeros(table.shape, dtype=bool))
