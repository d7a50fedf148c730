"""The first page: the campaigns in this folder, and the way to a new one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from campaign.local_times import LocalTimes
from campaign.notebook.composer.facts import Facts
from campaign.notebook.composer.form import Form
from campaign.notebook.composer.items import Button, Group, Item, Note, Sheet, cell, line, say, words

_MOST = 20  # campaigns


def start_page(form: Form, facts: Facts) -> Sheet:
    """What was sent from this folder, the last one first."""
    campaigns = facts.campaigns()
    listed = [*map(_campaign, campaigns.head(_MOST).to_dict("records"))]
    more = len(campaigns) - _MOST
    return Sheet(
        step="start",
        title="Your messages",
        items=(
            line(Button(id="new", label="New message", look="main")),
            *(listed or [say("form_empty", "soft")]),
            *([say("form_more_campaigns", "soft", count=more)] if more > 0 else []),
        ),
    )


def _campaign(found: dict[Any, Any]) -> Item:
    """A campaign: its name, when and how far, and one button."""
    left = _left(found)
    told = " · ".join(filter(None, _about(found)))
    label = "Continue" if left and not found["problem"] else "Open"
    button = Button(id=f"open:{found['folder']}", label=label)
    return Group(
        id=f"campaign:{found['folder']}",
        look="line",
        title=cell(found["name"]),
        items=(Note(text=told, tone="soft"), button),
    )


def _left(found: dict[Any, Any]) -> int:
    if found["state"] != "open":
        return 0
    return sum(int(found[name]) for name in ("waiting", "unknown", "refused") if not pd.isna(found[name]))


def _about(found: dict[Any, Any]) -> Iterator[str]:
    if found["problem"]:
        yield cell(found["problem"])
        return
    yield "" if found["environment"] == "live" else "Rehearsal"
    yield "" if pd.isna(found["last_sent"]) else LocalTimes().day(found["last_sent"])
    counts = {name: int(found[name]) for name in ("people", "accepted", "waiting", "refused", "unknown")}
    yield words("form_campaign", **counts)
    yield "closed" if found["state"] == "closed" else ""
