"""What `--json` says of plans, comparisons and results: plain objects whose keys stay the same.

Counts are whole numbers, costs numbers in the service's units (null if unknown), times ISO 8601 in UTC.
Phone numbers in sentences are masked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from campaign.contacts.phone_numbers.problems_and_repairs import CHANGES
from campaign.masking import mask_text, mask_texts
from campaign.messages.issues import sentences
from campaign.messages.plan import Plan
from campaign.results.finding_lines import headlines
from campaign.results.tables import Result
from campaign.text import clean, counted
from campaign.words.shell import SHELL

if TYPE_CHECKING:  # the comparison of a new campaign loads no ledger
    from campaign.sending.rounds.difference import Difference

# What was repaired or guessed; the notices of the reading are told as they are.
_REPAIRED = CHANGES | {"merged_cell", "repaired_text", "replaced"}
_GUESSED = ("date_order", "decimal_sign")


def plan_facts(plan: Plan) -> dict[str, Any]:
    """What would be sent, every issue because of which a row gets no message, and what concerns all rows."""
    totals, reading = plan.totals, plan.reading
    errors = issues_of(plan, "error")
    errors = errors.assign(detail=mask_texts(sentences(errors, SHELL)))
    return {
        "source": None if reading is None else clean(reading.source),
        "notices": [*notices_of_reading(plan), *_notices_of_repairs(plan)],
        "rows": totals.rows,
        "statuses": dict(totals.items()),
        "messages": totals.messages,
        "parts": totals.parts,
        "longest": totals.longest,
        "countries": dict(totals.countries),
        "fingerprint": plan.fingerprint,
        "issues": records(errors[["row", "column", "code", "detail"]]),
        "warnings": table_warnings(plan),
    }


def table_warnings(plan: Plan) -> list[str]:
    """What is odd about the table or the text as a whole, or was guessed of a column; numbers masked."""
    issues = issues_of(plan, "warning", "info")
    is_telling = (issues["severity"] == "warning") | issues["code"].isin(_GUESSED)
    about_all = issues[issues["row"].isna() & is_telling]
    return list(dict.fromkeys(clean(text) for text in mask_texts(sentences(about_all, SHELL))))


def notices_of_reading(plan: Plan) -> list[str]:
    """What was found in the file, without phone numbers."""
    return [] if plan.reading is None else [mask_text(SHELL.text(notice)) for notice in plan.reading.notices]


def _notices_of_repairs(plan: Plan) -> list[str]:
    """One sentence for each kind of repair in each column, and for each guess about a column."""
    repairs = repairs_of(plan)
    details = mask_texts(sentences(repairs, SHELL))
    groups = repairs["row"].groupby([repairs["column"], details], sort=False)
    return [
        f'{counted(len(rows), "cell")} in "{column}": {detail}' if rows.notna().all() else str(detail)
        for (column, detail), rows in groups
    ]


def repairs_of(plan: Plan) -> pd.DataFrame:
    """The issues about cells that were repaired."""
    issues = issues_of(plan, "info")
    return issues[issues["code"].isin(_REPAIRED)]


def issues_of(plan: Plan, *severities: str) -> pd.DataFrame:
    """The issues of some severities, of a large plan part by part."""
    frames = (part.issues for part in plan.parts())
    return pd.concat([issues[issues["severity"].isin(severities)] for issues in frames])


def difference_facts(difference: Difference) -> dict[str, Any]:
    """What sending would do, given what was sent under the same name."""
    return {
        "findings": list(difference.findings),
        "first": difference.is_first,
        "outgoing": len(difference.outgoing()),
        "recorded": difference.counts,
        "questions": difference.questions,
        "gone": difference.gone,
        "cost": difference.cost,
    }


def result_facts(result: Result) -> dict[str, Any]:
    """What is known of a campaign."""
    totals = result.totals
    return {
        "name": result.name,
        "environment": result.environment,
        "folder": None if result.folder is None else str(result.folder),
        "sentence": clean(" ".join(headlines(result.findings, SHELL))),
        "findings": list(result.findings),
        "rows": totals.rows,
        "people": totals.people,
        "needing_attention": totals.attention,
        "statuses": dict(totals.items()),
        "messages": totals.messages,
        "parts": totals.parts,
        "batches": totals.batches,
        "cost": totals.cost,
        "currency": totals.currency or None,
        "unpriced_batches": totals.unpriced,
        "seconds": round(result.seconds, 3),
    }


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame as objects."""
    return [
        {str(name): as_json(value) for name, value in row.items()} for row in frame.to_dict(orient="records")
    ]


def as_json(value: Any) -> Any:
    """A value of a frame: None where it is missing, and keys as texts."""
    if isinstance(value, Mapping):
        return {str(key): as_json(item) for key, item in value.items()}
    return None if pd.isna(value) else value
