"""From a contact table to the frames of a plan, step by step, whole columns at a time."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from campaign.contacts.columns import find_column
from campaign.contacts.reading import Reading
from campaign.contacts.texts import blank_rows
from campaign.errors import TemplateError, UsageError
from campaign.messages import alphabet, limits
from campaign.messages.exclusions import exclude_already_sent, exclude_opted_out, handle_duplicates
from campaign.messages.fitting import Fitted, Policy, fit
from campaign.messages.issues import Findings
from campaign.messages.recipients import Recipients, choose_columns, choose_region, find_numbers
from campaign.messages.rendering import Rendered, merge, render_message, render_short
from campaign.messages.template import Template, parse
from campaign.messages.texts import Ints, column, scalar, series, texts
from campaign.messages.totals import STATUSES, Totals

OWN_COLUMNS = ("status", "reason", "batch", "code")  # that plans and results add to the contact table


@dataclass(frozen=True)
class Wording:
    """What is said: one text, or one for each language, and who says it how urgently."""

    texts: Mapping[str, Template]  # under "" if there is only one
    language: str | None  # the column that chooses
    sender: Template
    priority: Template
    downgrade: bool


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


def choose_wording(
    columns: Collection[str],
    message: str | Mapping[str, str],
    language: str | None,
    sender: str,
    priority: str | int | None,
    *,
    downgrade: bool,
) -> Wording:
    """The texts taken apart and checked against the columns; errors here are those of the call."""
    if isinstance(message, Mapping) != (language is not None):
        raise UsageError(
            "Several texts need language=, the column that says which one a row takes, and one text needs "
            'none: message={"en": "...", "fr": "..."}, language="language".'
        )
    chosen = {"": message} if isinstance(message, str) else _by_language(message)
    parsed = {key: _message(text, columns, key, downgrade=downgrade) for key, text in chosen.items()}
    return Wording(
        parsed,
        None if language is None else find_column(columns, language),
        _sender(sender, columns),
        _priority(priority, columns),
        downgrade,
    )


def _by_language(message: Mapping[str, str]) -> dict[str, str]:
    keys = [str(key).strip().lower() for key in message]
    if not keys or "" in keys or len(set(keys)) < len(keys):
        raise UsageError("Each text in message= needs a language of its own, such as en or fr.")
    return dict(zip(keys, message.values(), strict=True))


def _message(text: str, columns: Collection[str], key: str, *, downgrade: bool) -> Template:
    what = f'message for "{key}"' if key else "message"
    if isinstance(text, str):
        text = alphabet.tidy(text) if downgrade else text
        text = text.strip()
        if not text:
            raise TemplateError(f"The {what} is empty. Write what is to be said.")
    return parse(text, columns, what=what)


def _sender(sender: str, columns: Collection[str]) -> Template:
    template = parse(sender, columns, what="sender")
    return template if template.placeholders else Template((limits.check_sender(template.literal),))


_PRIORITIES = 'The priority is "0" (highest) to "4" (lowest), or a {{column}} of them; not {}.'


def _priority(priority: str | int | None, columns: Collection[str]) -> Template:
    if priority is None:
        return Template(("",))
    if isinstance(priority, bool):
        raise UsageError(_PRIORITIES.format(priority))
    text = str(int(priority)) if isinstance(priority, int) else priority
    template = parse(text, columns, what="priority")
    if not template.placeholders and template.literal.strip() not in limits.PRIORITIES:
        raise UsageError(_PRIORITIES.format(repr(priority)))
    return template


def draft(
    contacts: pd.DataFrame,
    wording: Wording,
    policy: Policy,
    exclusions: Exclusions,
    *,
    number: "str | list[str] | None",
    region: "str | pd.Series | None",
    several: str,
    kinds: Collection[str],
) -> Draft:
    """All rows through all steps. The order decides which status a row gets when it could have several."""
    findings = Findings(len(contacts))
    labels = contacts.index.to_numpy(dtype=np.int64)
    columns = choose_columns(list(contacts.columns), number)
    regions = choose_region(contacts, region)
    _set_blank_aside(contacts, findings)
    recipients = find_numbers(contacts, columns, findings, region=regions, several=several, kinds=kinds)
    senders = _checked_senders(wording.sender, contacts, findings)
    priorities = _checked_priorities(wording.priority, contacts, findings)
    rendered = _render(wording, contacts, findings)
    fitted = fit(rendered, policy, findings)
    if exclusions.opt_outs is not None:
        exclude_opted_out(findings, recipients, exclusions.opt_outs, regions)
    if exclusions.not_again is not None:
        exclude_already_sent(findings, recipients, exclusions.not_again, regions)
    handle_duplicates(findings, recipients, rendered.texts, labels, exclusions.duplicates)
    return _finish(contacts, labels, findings, recipients, senders, priorities, fitted)


def _set_blank_aside(contacts: pd.DataFrame, findings: Findings) -> None:
    arrays = (column(contacts[name]) for name in contacts.columns)
    blank = blank_rows(arrays, len(contacts))
    nothing = pa.repeat(scalar(""), len(blank))
    findings.add(blank, "", nothing, "blank_row", "info", "The row is empty.", status="blank")
    reading: Reading | None = contacts.attrs.get("reading")
    if reading is not None:
        for notice in reading.notices:
            findings.add_for_table("", reading.source, "reading", "info", notice)


def _checked_senders(template: Template, contacts: pd.DataFrame, findings: Findings) -> pa.Array:
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


def _checked_priorities(template: Template, contacts: pd.DataFrame, findings: Findings) -> pa.Array:
    priorities, missing = render_short(template, contacts, findings, what="priority")
    known = pc.is_in(priorities, value_set=texts(["", *limits.PRIORITIES])).to_numpy(zero_copy_only=False)
    bad = np.flatnonzero(~known & ~missing)
    detail = 'The priority is "0" (highest) to "4" (lowest). Correct the cell.'
    cells = priorities.take(pa.array(bad))
    findings.add(bad, "priority", cells, "bad_priority", "error", detail, status="invalid")
    return priorities


def _render(wording: Wording, contacts: pd.DataFrame, findings: Findings) -> Rendered:
    """Each row's message, in the row's language if there are several texts."""
    everyone = np.arange(len(contacts))
    if wording.language is None:
        return render_message(wording.texts[""], contacts, everyone, findings, downgrade=wording.downgrade)
    cells = column(contacts[wording.language])
    languages = pc.utf8_lower(pc.utf8_trim_whitespace(cells)).dictionary_encode()
    known = {text: place for place, text in enumerate(languages.dictionary.to_pylist())}
    indices = languages.indices.to_numpy()
    groups: list[tuple[Ints, Rendered]] = []
    told = np.zeros(len(contacts), dtype=bool)
    for language, template in wording.texts.items():
        rows = np.flatnonzero(indices == known.get(language, -1))
        if not len(rows):
            detail = f'No row has the language "{language}", so its text is not used.'
            findings.add_for_table(wording.language, language, "unused_text", "warning", detail)
            continue
        told[rows] = True
        what = f'message for "{language}"'
        groups.append(
            (rows, render_message(template, contacts, rows, findings, what=what, downgrade=wording.downgrade))
        )
    lost = np.flatnonzero(~told)
    names = ", ".join(wording.texts)
    detail = f'There is no text for the language in "{wording.language}". There are texts for {names}.'
    lost_cells = cells.take(pa.array(lost))
    findings.add(lost, wording.language, lost_cells, "no_text", "error", detail, status="invalid")
    return merge(groups, len(contacts))


def _finish(
    contacts: pd.DataFrame,
    labels: Ints,
    findings: Findings,
    recipients: Recipients,
    senders: pa.Array,
    priorities: pa.Array,
    fitted: Fitted,
) -> Draft:
    """The frames, made of what is left and of what was found."""
    places = np.flatnonzero(findings.waiting[fitted.rows])
    rows = pa.array(fitted.rows[places])
    lengths = fitted.lengths
    messages = pd.DataFrame(
        {
            "row": labels[fitted.rows[places]],
            "number": series(recipients.numbers.take(rows)),
            "message": series(fitted.texts.take(pa.array(places))),
            "sender": series(senders.take(rows)),
            "priority": series(priorities.take(rows)),
            "parts": lengths.parts[places],
        }
    )
    counts = np.bincount(findings.status, minlength=len(STATUSES))
    ucs2 = int(lengths.parts[places][lengths.ucs2[places]].sum())
    countries = pc.value_counts(recipients.countries.take(rows)).to_pylist()
    totals = Totals(
        dict(zip(STATUSES, counts.tolist(), strict=True)),
        messages=len(places),
        gsm7=int(lengths.parts[places].sum()) - ucs2,
        ucs2=ucs2,
        longest=int(lengths.units[places].max(initial=0)),
        countries={
            each["values"]: each["counts"]
            for each in sorted(countries, key=lambda each: (-each["counts"], each["values"]))
        },
    )
    return Draft(messages, findings.frame(labels), _with_statuses(contacts, findings), totals)


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
