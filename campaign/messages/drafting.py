"""From a contact table to the frames of a plan, step by step, whole columns at a time."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from campaign.contacts.reading import Reading
from campaign.errors import UsageError
from campaign.messages import limits
from campaign.messages.exclusions import exclude_already_sent, exclude_opted_out, handle_duplicates
from campaign.messages.fitting import Fitted, Policy, fit
from campaign.messages.issues import Findings
from campaign.messages.languages import describe_texts, render_texts
from campaign.messages.recipients import Recipients, find_numbers
from campaign.messages.rendering import render_short
from campaign.messages.template import Template
from campaign.messages.texts import Ints, scalar, series, texts
from campaign.messages.totals import STATUSES, Totals
from campaign.messages.wording import Wording

BLOCK = 131_072  # rows judged together: large enough for column-wise speed, small enough to reuse memory
MESSAGE_COLUMNS = ("row", "number", "message", "sender", "priority", "parts")
OWN_COLUMNS = ("status", "reason", "batch", "code")  # that plans and results add to the contact table


@dataclass(frozen=True)
class Exclusions:
    """Who is left out though the number is good."""

    duplicates: str
    opt_outs: Any
    not_again: Any


@dataclass(frozen=True)
class Draft:
    """The frames of a plan."""

    messages: pd.DataFrame
    issues: pd.DataFrame
    contacts: pd.DataFrame
    totals: Totals


@dataclass(frozen=True)
class Rules:
    """How rows are judged one by one."""

    wording: Wording
    policy: Policy
    columns: list[str]
    several: str
    kinds: Collection[str]


@dataclass(frozen=True)
class _Block:
    """What some consecutive rows came to."""

    start: int
    findings: Findings
    recipients: Recipients
    senders: pa.Array | str
    priorities: pa.Array | str
    rendered: pa.Array
    fitted: Fitted


def draft(
    contacts: pd.DataFrame, rules: Rules, exclusions: Exclusions, region: "str | pd.Series | None"
) -> Draft:
    """All rows through all steps. The order decides which status a row gets when it could have several."""
    findings = Findings(len(contacts))
    labels = contacts.index.to_numpy(dtype=np.int64)
    _repeat_notices(contacts, findings)
    describe_texts(rules.wording, contacts, findings)
    blocks = []
    for start in range(0, max(len(contacts), 1), BLOCK):
        rows = slice(start, start + BLOCK)
        where = region.iloc[rows] if isinstance(region, pd.Series) else region
        blocks.append(_judge(contacts.iloc[rows], start, rules, where))
        findings.absorb(blocks[-1].findings, start)
    recipients = Recipients.concat([block.recipients for block in blocks])
    if exclusions.opt_outs is not None:
        exclude_opted_out(findings, contacts, recipients, exclusions.opt_outs, region)
    if exclusions.not_again is not None:
        exclude_already_sent(findings, contacts, recipients, exclusions.not_again, region)
    rendered = pa.chunked_array([block.rendered for block in blocks])
    handle_duplicates(findings, contacts, recipients, rendered, exclusions.duplicates)
    del rendered
    messages, totals = _collect(blocks, labels, findings)
    return Draft(messages, findings.frame(labels), _with_statuses(contacts, findings), totals)


def _judge(contacts: pd.DataFrame, start: int, rules: Rules, region: "str | pd.Series | None") -> _Block:
    """Everything about some rows that does not depend on others."""
    findings = Findings(len(contacts))
    recipients = find_numbers(
        contacts, rules.columns, findings, region=region, several=rules.several, kinds=rules.kinds
    )
    senders = _checked_senders(rules.wording.sender, contacts, findings)
    priorities = _checked_priorities(rules.wording.priority, contacts, findings)
    rendered = render_texts(rules.wording, contacts, findings)
    fitted = fit(rendered, rules.policy, findings)
    return _Block(start, findings, recipients, senders, priorities, rendered.texts, fitted)


def _repeat_notices(contacts: pd.DataFrame, findings: Findings) -> None:
    reading: Reading | None = contacts.attrs.get("reading")
    for notice in reading.notices if reading is not None else ():
        findings.add_for_table("", reading.source if reading else "", "reading", "info", notice)


def _checked_senders(template: Template, contacts: pd.DataFrame, findings: Findings) -> pa.Array | str:
    """The sender of each row, or of all: that was checked already."""
    if not template.placeholders:
        return template.literal
    senders, missing = render_short(template, contacts, findings, what="sender")
    unique = senders.dictionary_encode()
    wrong = [_sender_problem(sender) for sender in unique.dictionary.to_pylist()]
    indices = unique.indices.to_numpy()
    bad = np.flatnonzero(np.array([bool(problem) for problem in wrong], dtype=bool)[indices] & ~missing)
    details = texts(wrong).take(pa.array(indices[bad]))
    cells = senders.take(pa.array(bad))
    findings.add(bad, "sender", cells, "bad_sender", "error", details, status="invalid")
    return senders


def _sender_problem(sender: str) -> str:
    try:
        limits.check_sender(sender)
    except UsageError as problem:
        return str(problem)
    return ""


def _checked_priorities(template: Template, contacts: pd.DataFrame, findings: Findings) -> pa.Array | str:
    """The priority of each row, or of all: that was checked already."""
    if not template.placeholders:
        return template.literal
    priorities, missing = render_short(template, contacts, findings, what="priority")
    known = pc.is_in(priorities, value_set=texts(["", *limits.PRIORITIES])).to_numpy(zero_copy_only=False)
    bad = np.flatnonzero(~known & ~missing)
    detail = 'The priority is "0" (highest) to "4" (lowest). Correct the cell.'
    cells = priorities.take(pa.array(bad))
    findings.add(bad, "priority", cells, "bad_priority", "error", detail, status="invalid")
    return priorities


def _collect(blocks: list[_Block], labels: Ints, findings: Findings) -> tuple[pd.DataFrame, Totals]:
    """The messages of the rows that nothing speaks against. The blocks are given up one by one."""
    arrays: dict[str, list[Any]] = {name: [] for name in (*MESSAGE_COLUMNS, "country", "units", "ucs2")}
    while blocks:
        block = blocks.pop(0)
        fitted = block.fitted
        places = np.flatnonzero(findings.waiting[fitted.rows + block.start])
        rows = fitted.rows[places]
        arrays["row"].append(labels[rows + block.start])
        arrays["message"].append(fitted.texts.take(pa.array(places)))
        for name, values in (
            ("number", block.recipients.numbers),
            ("sender", block.senders),
            ("priority", block.priorities),
            ("country", block.recipients.countries),
        ):
            if isinstance(values, str):
                some = pa.repeat(scalar(values), len(rows))
            else:
                some = values.take(pa.array(rows))
            arrays[name].append(some)
        for name in ("parts", "units", "ucs2"):
            arrays[name].append(getattr(fitted.lengths, name)[places])
    figures = {name: np.concatenate(arrays.pop(name)) for name in ("row", "parts", "units", "ucs2")}
    totals = _totals(findings, figures, pa.chunked_array(arrays.pop("country")))
    texts_of = {name: series(pa.chunked_array(chunks)) for name, chunks in arrays.items()}
    messages = pd.DataFrame({name: {**figures, **texts_of}[name] for name in MESSAGE_COLUMNS})
    return messages.astype({"row": np.int64, "parts": np.int64}), totals


def _totals(findings: Findings, figures: dict[str, Any], countries: pa.ChunkedArray) -> Totals:
    counts = np.bincount(findings.status, minlength=len(STATUSES)).tolist()
    ucs2 = int(figures["parts"][figures["ucs2"]].sum())
    by_country = [(each["values"], each["counts"]) for each in pc.value_counts(countries).to_pylist()]
    return Totals(
        dict(zip(STATUSES, counts, strict=True)),
        messages=len(figures["row"]),
        gsm7=int(figures["parts"].sum()) - ucs2,
        ucs2=ucs2,
        longest=int(figures["units"].max(initial=0)),
        countries=dict(sorted(by_country, key=lambda each: (-each[1], each[0]))),
    )


def _with_statuses(contacts: pd.DataFrame, findings: Findings) -> pd.DataFrame:
    """The contact table with what became of each row; columns of the same name are moved out of the way."""
    names: list[str] = list(contacts.columns)
    taken = {name.lower() for name in names}
    for place, name in enumerate(names):
        if name.lower() in OWN_COLUMNS:
            free = f"{name} (file)"
            nth = 2
            while free.lower() in taken:
                free, nth = f"{name} (file {nth})", nth + 1
            taken.add(free.lower())
            names[place] = free
    table = contacts.set_axis(names, axis=1)
    status = texts(list(STATUSES)).take(pa.array(findings.status))
    return table.assign(
        status=series(status, contacts.index), reason=series(findings.reasons(), contacts.index)
    )
