"""From a contact table to the frames of a plan, step by step, whole columns at a time."""

from collections import Counter, deque
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from campaign.arrow_text import Ints, array_to_series, integers_to_array, text_array, text_scalar
from campaign.contacts.outcome_columns import file_names
from campaign.contacts.reading import Reading
from campaign.contract import PRIORITIES, STATUSES
from campaign.errors import UsageError
from campaign.messages.issues import Findings
from campaign.messages.number_lists import Region, opted_out_numbers, sent_numbers
from campaign.messages.overlong import Fitted, Policy, fit
from campaign.messages.recipients import Recipients, find_numbers
from campaign.messages.suppression import Repeats, exclude_already_sent, exclude_opted_out, report_repeats
from campaign.messages.templates.filling import render_short
from campaign.messages.templates.languages import describe_texts, render_texts
from campaign.messages.templates.template import Template
from campaign.messages.text import limits
from campaign.messages.totals import Totals
from campaign.messages.wording import Wording

BLOCK = 131_072  # rows judged together: large enough for column-wise speed, small enough to reuse memory


@dataclass(frozen=True)
class Exclusions:
    """Who is left out though the number is good."""

    duplicates: str
    opt_outs: Any
    not_again: Any

    def read(self, region: Region, findings: Findings) -> dict[str, Ints]:
        """The numbers of the lists."""
        nobody = np.empty(0, dtype=np.int64)
        opted_out = nobody if self.opt_outs is None else opted_out_numbers(self.opt_outs, region, findings)
        sent = nobody if self.not_again is None else sent_numbers(self.not_again, region, findings)
        return {"opt_outs": opted_out, "not_again": sent}


@dataclass(frozen=True)
class Draft:
    """The frames of a plan."""

    messages: pd.DataFrame
    issues: Callable[[], pd.DataFrame]
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
    """Some consecutive rows, their numbers, and what was found so far."""

    start: int
    contacts: pd.DataFrame
    findings: Findings
    recipients: Recipients
    countries: pa.Array


@dataclass(frozen=True)
class _Chunk:
    """The messages of a block, as columns."""

    columns: dict[str, Any]
    countries: dict[str, int]
    ucs2: int  # parts
    longest: int  # UTF-16 units


def draft(contacts: pd.DataFrame, rules: Rules, exclusions: Exclusions, region: Region) -> Draft:
    """All rows through all steps. The order decides which status a row gets when it could have several."""
    findings = Findings(len(contacts))
    labels = contacts.index.to_numpy(dtype=np.int64)
    _repeat_notices(contacts, findings)
    _repeat_findings(contacts, findings)
    describe_texts(rules.wording, contacts, findings)
    listed = exclusions.read(region, findings)
    blocks = deque(
        _address(contacts.iloc[start : start + BLOCK], start, rules, region)
        for start in range(0, max(len(contacts), 1), BLOCK)
    )
    repeats = Repeats(np.concatenate([block.recipients.numbers for block in blocks]))
    chunks = []
    while blocks:  # given up one by one: what they held serves the next
        block = blocks.popleft()
        chunks.append(_write(block, rules, listed, repeats, labels, keep=exclusions.duplicates == "keep"))
        findings.absorb(block.findings, block.start)
    pa.default_memory_pool().release_unused()  # 60 MB after a million rows, which the frames now need
    if exclusions.duplicates == "error":
        repeats.refuse(labels)
    totals = _totals(findings, chunks)
    issues = partial(findings.frame, labels)
    return Draft(_messages(chunks), issues, _with_statuses(contacts, findings), totals)


def _address(contacts: pd.DataFrame, start: int, rules: Rules, region: Region) -> _Block:
    """The numbers of some rows."""
    findings = Findings(len(contacts))
    where = region.iloc[start : start + len(contacts)] if isinstance(region, pd.Series) else region
    recipients, countries = find_numbers(
        contacts, rules.columns, findings, region=where, several=rules.several, kinds=rules.kinds
    )
    return _Block(start, contacts, findings, recipients, countries)


def _write(
    block: _Block, rules: Rules, listed: dict[str, Ints], repeats: Repeats, labels: Ints, *, keep: bool
) -> _Chunk:
    """The messages of a block's rows; who gets none is told in its findings."""
    contacts, findings, recipients = block.contacts, block.findings, block.recipients
    senders = _checked_senders(rules.wording.sender, contacts, findings)
    priorities = _checked_priorities(rules.wording.priority, contacts, findings)
    rendered = render_texts(rules.wording, contacts, findings)
    fitted = fit(rendered, rules.policy, findings)
    exclude_opted_out(findings, contacts, recipients, listed["opt_outs"])
    exclude_already_sent(findings, contacts, recipients, listed["not_again"])
    met = repeats.meet(block.start, findings, rendered.texts)
    report_repeats(findings, contacts, recipients, met, labels, keep=keep)
    return _chunk(block, senders, priorities, fitted, labels)


def _chunk(
    block: _Block, senders: pa.Array | str, priorities: pa.Array | str, fitted: Fitted, labels: Ints
) -> _Chunk:
    places = np.flatnonzero(block.findings.waiting[fitted.rows])
    rows = fitted.rows[places]
    parts, ucs2 = fitted.lengths.parts[places].astype(np.int64), fitted.lengths.ucs2[places]
    countries = pc.value_counts(block.countries.take(pa.array(rows))).to_pylist()
    columns = {
        "row": labels[rows + block.start],
        "number": integers_to_array(block.recipients.numbers[rows]),
        "message": fitted.texts.take(pa.array(places)),
        "sender": _of(senders, rows),
        "priority": _of(priorities, rows),
        "parts": parts,
    }
    return _Chunk(
        columns,
        {each["values"]: each["counts"] for each in countries},
        int(parts[ucs2].sum()),
        int(fitted.lengths.units[places].max(initial=0)),
    )


def _of(values: pa.Array | str, rows: Ints) -> pa.Array:
    """The values of some rows, or the one for all."""
    return (
        pa.repeat(text_scalar(values), len(rows)) if isinstance(values, str) else values.take(pa.array(rows))
    )


def _messages(chunks: list[_Chunk]) -> pd.DataFrame:
    """The chunks one below the other; texts stay where they are."""
    columns: dict[str, Any] = {}
    for name in chunks[0].columns:
        parts = [chunk.columns[name] for chunk in chunks]
        figures = isinstance(parts[0], np.ndarray)
        columns[name] = np.concatenate(parts) if figures else array_to_series(pa.chunked_array(parts))
    return pd.DataFrame(columns)


def _totals(findings: Findings, chunks: list[_Chunk]) -> Totals:
    countries: Counter[str] = Counter()
    for chunk in chunks:
        countries.update(chunk.countries)
    counts = np.bincount(findings.status, minlength=len(STATUSES)).tolist()
    parts = sum(int(chunk.columns["parts"].sum()) for chunk in chunks)
    ucs2 = sum(chunk.ucs2 for chunk in chunks)
    return Totals(
        dict(zip(STATUSES, counts, strict=True)),
        messages=sum(len(chunk.columns["row"]) for chunk in chunks),
        gsm7=parts - ucs2,
        ucs2=ucs2,
        longest=max(chunk.longest for chunk in chunks),
        countries=dict(sorted(countries.items(), key=lambda each: (-each[1], each[0]))),
    )


def _repeat_notices(contacts: pd.DataFrame, findings: Findings) -> None:
    reading: Reading | None = contacts.attrs.get("reading")
    for notice in reading.notices if reading is not None else ():
        findings.add_for_table("", reading.source if reading else "", "reading", "info", notice)


def _repeat_findings(contacts: pd.DataFrame, findings: Findings) -> None:
    """What the reader found about single cells, of the rows that are still there."""
    reading: Reading | None = contacts.attrs.get("reading")
    if reading is None or not reading.findings:
        return
    found = pd.DataFrame([vars(finding) for finding in reading.findings])
    found["place"] = contacts.index.get_indexer(pd.Index(found["row"]))
    found = found[found["place"] >= 0].sort_values("place", kind="stable")
    for (column, code, severity), group in found.groupby(["column", "code", "severity"], sort=False):
        places = group["place"].to_numpy(dtype=np.int64)
        values, details = text_array(group["value"].tolist()), text_array(group["detail"].tolist())
        findings.add(places, str(column), values, str(code), str(severity), details)


def _checked_senders(template: Template, contacts: pd.DataFrame, findings: Findings) -> pa.Array | str:
    """The sender of each row, or of all: that was checked already."""
    if not template.placeholders:
        return template.literal
    senders, missing = render_short(template, contacts, findings, what="sender")
    unique = senders.dictionary_encode()
    wrong = [_sender_problem(sender) for sender in unique.dictionary.to_pylist()]
    indices = unique.indices.to_numpy()
    bad = np.flatnonzero(np.array([bool(problem) for problem in wrong], dtype=bool)[indices] & ~missing)
    details = text_array(wrong).take(pa.array(indices[bad]))
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
    known = pc.is_in(priorities, value_set=text_array(["", *PRIORITIES])).to_numpy(zero_copy_only=False)
    bad = np.flatnonzero(~known & ~missing)
    detail = 'The priority is "0" (highest) to "4" (lowest). Correct the cell.'
    cells = priorities.take(pa.array(bad))
    findings.add(bad, "priority", cells, "bad_priority", "error", detail, status="invalid")
    return priorities


def _with_statuses(contacts: pd.DataFrame, findings: Findings) -> pd.DataFrame:
    """The contact table with what became of each row; columns of the same name are moved out of the way."""
    table = contacts.set_axis(file_names(contacts.columns), axis=1)
    status = text_array(list(STATUSES)).take(pa.array(findings.status))
    return table.assign(
        status=array_to_series(status, contacts.index),
        reason=array_to_series(findings.reasons(), contacts.index),
    )
