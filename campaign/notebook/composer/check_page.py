"""The page of the check: who gets the message, who does not, and why."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from pathlib import Path

import pandas as pd

from campaign.contract import TEXT_LIMIT
from campaign.errors import CampaignError
from campaign.masking import mask_text
from campaign.messages.issues import LEFT_OUT, findings_in, sentences
from campaign.messages.plan import Plan
from campaign.notebook.composer.facts import Facts
from campaign.notebook.composer.form import Form
from campaign.notebook.composer.items import (
    Bar,
    Button,
    Checks,
    Choice,
    Group,
    Item,
    Phone,
    Sheet,
    Table,
    Text,
    Upload,
    cell,
    line,
    say,
    told,
    two,
    words,
)
from campaign.notebook.composer.message_page import phone, shown_row
from campaign.text import figure, shorten
from campaign.values import replace
from campaign.words.page import PAGE

_EMPTY = "empty"
_ROWS, _CELL = 10, 40  # of a table, and characters of a cell
_OPTIONS = ("overlong", "several")
_UNCLEAR_DATES = ("date_order", "mixed_dates", "ambiguous_date")
# Warnings that change who gets something, and what stands on this page as a group or a question anyway.
_SAID_HERE = ("phones_shared", "unused_marks", "plan_ready")
_TITLES = {
    "opted_out": "want none: no consent, or on a STOP list",
    "duplicate": "share a phone, or repeat a row",
    "blank": "are blank",
    "not_sent": "get the message",
}


def check_page(form: Form, facts: Facts) -> Sheet:
    """A headline, one bar, what is asked, and each kind of rows folded."""
    try:
        plan = facts.plan(form)
    except CampaignError as error:
        if not form.opt_outs:
            raise
        # The list cannot be read any more. It can be left out.
        items = (told(error), *_lists(form, facts))
        return Sheet(step="check", title="Who gets it", items=items, foot=(Button(id="back", label="Back"),))
    totals = plan.totals
    ready = totals["not_sent"]
    # Once every message is sent, no group has the choice any more.
    shared = (_shared(form),) if form.duplicates == "keep" and not totals["duplicate"] else ()
    options = _options(form, facts, *shared)
    left_out, *others = _others(plan, form, facts)
    groups = (left_out, *_to_correct(plan, form, facts), *others, options)
    return Sheet(
        step="check",
        title=words("form_check", people=facts.people(form), rows=totals["invalid"]),
        items=(
            Bar(
                parts=(
                    ("get it", ready, "good"),
                    ("to correct", totals["invalid"], "bad"),
                    ("left out", totals.rows - ready - totals["invalid"], "soft"),
                )
            ),
            *_consent(form, facts),
            *(told(one, "ask") for one in plan.findings if one.code not in _SAID_HERE),
            two(groups, (_phone(plan, form, facts),)),
        ),
        foot=(
            Button(id="back", label="Back"),
            Button(id="next", label="Next: send", look="main", busy="Looking at what was sent before …",
                   is_off=not ready or facts.fault_in_numbers(form) is not None),
        ),
    )  # fmt: skip


def _consent(form: Form, facts: Facts) -> Iterator[Item]:
    """Where a column says who may be texted: which of its answers are a yes."""
    for column in facts.consent(form):
        yield Group(
            look="ask",
            items=(
                Checks(
                    id=f"consent:{column.column}",
                    label=words("form_consent", column=cell(column.column)),
                    value=column.accepted(form.consent),
                    options=column.options,
                ),
            ),
        )


def _to_correct(plan: Plan, form: Form, facts: Facts) -> Iterator[Item]:
    """The rows that need a correction: name, cell, what to do."""
    count = plan.totals["invalid"]
    if not count:
        return
    issues = plan.issues
    rows = plan.contacts.index[plan.contacts["status"] == "invalid"]
    errors = issues[
        (issues["severity"] == "error") & issues["row"].isin(rows) & ~issues["code"].isin(LEFT_OUT)
    ]
    first = errors.drop_duplicates("row").head(_ROWS)
    told_here = _to_do(first)
    names = _names(form, facts, first["row"])
    lines = zip(first["row"], names, first["column"], first["value"], told_here, strict=True)
    table = Table(
        label="Rows to correct",
        columns=("Row", "Name", "Cell", "What to do"),
        rows=tuple((str(row), name, _named(column, value), text) for row, name, column, value, text in lines),
        more=_more(count),
    )
    # What a person corrects is the spreadsheet itself; the file only lists the rows.
    yield Group(
        id="to_correct", look="fold", figure=figure(count), title="to correct", is_open=True,
        items=(table, Button(id="download:invalid", label=words("form_download", rows=count))),
    )  # fmt: skip


def _to_do(issues: pd.DataFrame) -> pd.Series[str]:
    """What to do about each of these, or where there is nothing, what is wrong."""
    remedies = sentences(issues, PAGE, "remedy")
    return remedies.where(remedies != "", sentences(issues, PAGE))


def _named(column: str, value: str) -> str:
    written = shorten(cell(value), _CELL)
    return f"{cell(column)}: {written or _EMPTY}"


def _others(plan: Plan, form: Form, facts: Facts) -> Iterator[Item]:
    """The other kinds of rows, folded, each with what changes who they are."""
    status = plan.contacts["status"]
    for kind, title in _TITLES.items():
        rows = status.index[status == kind]
        items = [_rows(plan, form, facts, kind, rows)] if len(rows) else []
        items += _lists(form, facts) if kind == "opted_out" else []
        items += [_shared(form)] if kind == "duplicate" and len(rows) else []
        if items:
            yield Group(id=kind, look="fold", figure=figure(len(rows)), title=title, items=tuple(items))


def _rows(plan: Plan, form: Form, facts: Facts, kind: str, rows: pd.Index[int]) -> Item:
    """The first rows of a kind, each with its message, or why there is none."""
    shown = rows[:_ROWS]
    what = _messages(plan, shown) if kind == "not_sent" else _reasons(plan, shown)
    if kind == "opted_out":
        answers = _answers(form, facts, shown)
        what = [answers.get(row, reason) for row, reason in zip(shown, what, strict=True)]
    return Table(
        label=_TITLES[kind],
        columns=("Row", "Name", "Message" if kind == "not_sent" else "Why"),
        rows=tuple(zip(map(str, shown), _names(form, facts, shown), what, strict=True)),
        more=_more(len(rows)),
    )


def _lists(form: Form, facts: Facts) -> list[Item]:
    """The people who want none: a list, and single numbers."""
    wrong = facts.fault_in_numbers(form)
    given = cell(Path(form.opt_outs).name)
    return [
        *([say("form_list", "soft", file=given)] if form.opt_outs else []),
        line(
            Upload(id="opt_outs", label="Choose a STOP list", is_small=True),
            *([Button(id="no-list", label="Do not use this list", look="link")] if form.opt_outs else []),
        ),
        Text(id="opt_out_numbers", label="Single numbers, one a line", value=form.opt_out_numbers, lines=2,
             count=PAGE.text(wrong.finding) if wrong else "", is_wrong=wrong is not None),
    ]  # fmt: skip


def _shared(form: Form) -> Choice:
    options = (("skip", "One message to each phone"), ("keep", "Every different message"))
    return Choice(id="duplicates", label="Shared phones", value=form.duplicates, options=options)


def _phone(plan: Plan, form: Form, facts: Facts) -> Phone:
    """What one person gets, as it leaves, or why there is nothing."""
    shown = phone(form, facts)
    row = shown_row(form, facts)
    if not row:
        return shown
    preview = plan.preview(row)
    texts = tuple((text, "") for text in preview.messages)
    return replace(shown, texts=texts, says="" if texts else words("form_no_message"))


def _names(form: Form, facts: Facts, rows: pd.Index[int] | pd.Series[int]) -> list[str]:
    column = facts.name_column(form)
    if not column:
        return [""] * len(rows)
    return [shorten(cell(value), _CELL) for value in facts.contacts(form).loc[rows.astype("int64"), column]]


def _messages(plan: Plan, rows: pd.Index[int]) -> list[str]:
    messages = plan.messages
    messages = messages[messages["row"].isin(rows)]
    texts = messages.groupby("row")["message"].agg("\n".join).reindex(rows)
    return [shorten(text, TEXT_LIMIT) for text in texts]


def _answers(form: Form, facts: Facts, rows: pd.Index[int]) -> dict[Hashable, str]:
    """What those of these rows say about messages whose answer is no clear yes."""
    said: dict[Hashable, str] = {}
    for column in facts.consent(form):
        answers = column.cells[~column.keys.isin(column.accepted(form.consent))]
        answers = answers[answers.index.isin(rows)]
        said |= {row: mask_text(_named(column.column, answer)) for row, answer in answers.items()}
    return said


def _reasons(plan: Plan, rows: pd.Index[int]) -> list[str]:
    """Why each of these rows gets nothing, without what to do about it."""
    issues = plan.issues
    issues = issues[issues["row"].isin(rows) & issues["code"].isin(LEFT_OUT)].drop_duplicates(
        "row", keep="last"
    )
    why = dict(zip(issues["row"], sentences(issues, PAGE, "headline"), strict=True))
    return [mask_text(why.get(row, "")) for row in rows]


def _more(count: int) -> str:
    return words("form_first_rows", shown=_ROWS, rows=count) if count > _ROWS else ""


def _options(form: Form, facts: Facts, *shared: Choice) -> Group:
    """What may stay as it is: long texts, several numbers in a cell, dates."""
    overlong = (
        ("flag", "Leave these people out"), ("truncate", "Cut them at 160 characters"),
        ("one_sms", "Cut them to one SMS"), ("split", "Send them in several SMS"),
    )  # fmt: skip
    several = (("refuse", "Leave these people out"), ("first", "Use the first number"))
    usual = Form()
    is_used = bool(shared) or any(getattr(form, name) != getattr(usual, name) for name in _OPTIONS)
    return Group(
        id="options", look="fold", title="Options", is_open=is_used or bool(_dates(form, facts)),
        items=(
            Choice(id="overlong", label="Texts that are too long", value=form.overlong, options=overlong),
            *shared,
            Choice(id="several", label="Cells with several numbers", value=form.several, options=several),
            *_dates(form, facts),
        ),
    )  # fmt: skip


def _dates(form: Form, facts: Facts) -> tuple[Item, ...]:
    """How dates are written, where that can be read in more than one way."""
    try:
        issues = facts.plan(form).issues
    except CampaignError:  # it is said above
        return ()
    unclear = issues[issues["code"].isin(_UNCLEAR_DATES)].drop_duplicates(["code", "column"])
    if form.dates is None and unclear.empty:
        return ()
    options = (("", "As they are read"), ("dmy", "Day first"), ("mdy", "Month first"), ("ymd", "Year first"))
    asked = Choice(id="dates", label="How dates are written", value=form.dates or "", options=options)
    return (asked, *(told(one, "soft") for one in findings_in(unclear)[:3]))


def check_line(form: Form, facts: Facts) -> str:
    """What was decided, in a few words."""
    return words("form_people", people=facts.people(form))
