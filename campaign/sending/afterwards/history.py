"""`history`: all campaigns of a folder as a table; no message is read for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd

from campaign import markup
from campaign.argument_checks import check_path, check_switch
from campaign.errors import CampaignError, FolderError
from campaign.local_times import LocalTimes
from campaign.masking import mask_text
from campaign.public_calls import public_call
from campaign.results.campaign_lines import campaign_lines
from campaign.results.campaign_list import CampaignList, is_campaign_list
from campaign.results.sent_rounds import count_rounds
from campaign.sending.ledger.figures import LedgerFigures, read_figures
from campaign.sending.ledger.views import RegisteredRound
from campaign.sending.options import Place
from campaign.sending.store.creation import LEDGER
from campaign.sending.store.folder import Folder, open_folder
from campaign.sending.store.identity import is_try_out
from campaign.sending.store.manifest import MANIFEST, read_round_manifest
from campaign.sending.store.rounds import ROUNDS, Round, open_round, round_path
from campaign.text import clean, counted

_OF_MESSAGES = ("accepted", "refused", "unknown", "waiting", "withdrawn")
_COUNTS = (
    "rounds", "people", "accepted", "with_an_earlier_text", *_OF_MESSAGES[1:], "opted_out", "to_correct",
    "accepted_in_all_rounds",
)  # fmt: skip
_TYPES: dict[str, Any] = {
    "name": "str", "environment": "str", "first_sent": "datetime64[us, UTC]",
    "last_sent": "datetime64[us, UTC]", **dict.fromkeys(_COUNTS, "Int64"), "cost": object,
    "unpriced": "Int64", "currency": "str", "sender": "str", "template": "str", "folder": "str",
    "state": "str",
    "problem": "str",
}  # fmt: skip
_COUNTED_AS = {
    "accepted": "accepted", "refused": "refused", "unknown": "unknown", "sending": "unknown",
    "again": "unknown", "pending": "waiting", "withdrawn": "withdrawn",
}  # fmt: skip


@public_call
def history(folder: Place = "campaigns", *, try_outs: bool = False) -> pd.DataFrame:
    """All campaigns in a folder, one row for each, the one that sent last first.

    Columns: name, environment ("local", "sandbox" or "live"), first_sent and last_sent (UTC, NaT for never),
    rounds, people (of the last table, as in `Result.by`), accepted, refused, unknown, waiting and withdrawn
    (messages of that table; all counts are Int64), with_an_earlier_text (people of that table who keep what
    an earlier round sent), opted_out and to_correct (people of that table who got nothing because they opted
    out, or because their row has a mistake or shares a phone), accepted_in_all_rounds (messages, also those
    that are not in that table: what the cost was for), cost (over all rounds; Decimal, None if it is not
    known), unpriced (batches without a known cost that may have been charged: with
    any, the cost is a lower bound), currency (of the account, "" if it was not given), sender and template
    (of the last round of which something was sent), folder, state and problem. `rounds` counts those that had
    messages to send. `state` is "erased", "closed", "open" while messages wait, were refused (`resume` tries
    them again) or are unknown, and otherwise "finished", or "nothing sent" where no message has ever left. A
    notebook shows the table in words, and `write_report` makes a page or a workbook of it.

    A campaign that cannot be read is a row too: `problem` says why, and what is not known is missing.
    `folder` may also be that of one campaign. Try-outs of one message to your own phone are left out unless
    `try_outs=True`. Nothing is written, and a run under way is not disturbed.

    Raises `FolderError` if there is no such folder.
    """
    check_path(folder, subject="folder", write='folder="campaigns"')
    check_switch(try_outs, subject="try_outs", write="try_outs=True")
    rows = [_row(place) for place in _campaign_folders(Path(folder).absolute(), try_outs=try_outs)]
    frame = pd.DataFrame(rows, columns=list(_TYPES))
    for name in ("first_sent", "last_sent"):
        frame[name] = pd.to_datetime(frame[name], utc=True, format="ISO8601", errors="coerce")
    frame = frame.astype(_TYPES)
    return HistoryFrame(frame.sort_values("last_sent", ascending=False, kind="stable").reset_index(drop=True))


def _campaign_folders(folder: Path, *, try_outs: bool) -> Iterator[Path]:
    """The folders that hold a campaign, or what is left of one, by name."""
    try:
        if _may_be_campaign(folder):
            yield folder
            return
        places = sorted(place for place in folder.iterdir() if not place.name.startswith("."))
    except (OSError, ValueError) as error:  # ValueError: no folder can have that name
        reason = getattr(error, "strerror", None) or "no folder can have this name"
        raise FolderError(
            f"There are no campaigns to list in {clean(folder)}: {reason}. Give the folder in which your "
            "campaigns are."
        ) from None
    for place in places:
        if is_try_out(place.name) and not try_outs:
            continue
        try:
            if _may_be_campaign(place):
                yield place
        except OSError:  # it may be one: reading it will say why not
            yield place


def _may_be_campaign(place: Path) -> bool:
    return any((place / name).exists() for name in (MANIFEST, LEDGER, ROUNDS))


def _row(path: Path) -> dict[str, Any]:
    """What is known of one campaign; whatever cannot be read becomes its `problem`."""
    row: dict[str, Any] = {name: "" if kind == "str" else None for name, kind in _TYPES.items()}
    row["folder"] = str(path)
    try:
        place = open_folder(path)
        row["environment"] = place.manifest.environment
        row["name"] = place.manifest.name
        place.ledger_place.check(place.manifest.identity)
        figures = read_figures(place.ledger_place)
        row |= _of_ledger(figures)
        row |= _of_last_round(place, figures)
        row["state"] = _state(row, figures)
    except CampaignError as error:
        row["problem"] = clean(error)
    except (KeyError, TypeError, ValueError):  # no digest vouches for what is left of an erased campaign
        row["problem"] = f"A manifest in {clean(path)} was changed. Restore it from a copy."
    return row


def _state(row: dict[str, Any], figures: LedgerFigures) -> str:
    if figures.ending:
        return figures.ending
    return _at_end(figures.first_sent) if figures.rounds and not _left_to_do(row) else "open"


def _at_end(first_sent: Any) -> str:
    """The state of a campaign in which nothing is left: it may have had only rows that get no message."""
    return "nothing sent" if pd.isna(first_sent) else "finished"


def _left_to_do(counts: Mapping[str, Any]) -> int:
    """How many messages have not been accepted: a person still has something to do about each."""
    return sum(int(counts[name]) for name in ("refused", "unknown", "waiting"))


def _of_ledger(figures: LedgerFigures) -> dict[str, Any]:
    return {
        "first_sent": figures.first_sent,
        "last_sent": figures.last_sent,
        "accepted_in_all_rounds": sum(
            batch.messages for batch in figures.batches if batch.state == "accepted"
        ),
        "cost": figures.cost,
        "unpriced": figures.unpriced,
    }


def _of_last_round(place: Folder, figures: LedgerFigures) -> dict[str, Any]:
    if not figures.rounds:
        return dict.fromkeys(_COUNTS, 0) | {"cost": Decimal(0), "unpriced": 0}
    last = _round(place, figures, figures.rounds[-1])
    manifest = last.manifest
    planned = manifest.load_totals()
    keeping = manifest.people - planned["not_sent"] - planned["opted_out"] - manifest.to_correct
    held = last.messages_by_batch(figures.batches)
    return {
        "rounds": count_rounds(
            batch.round for batch in figures.batches if batch.state != "withdrawn" or batch.batch in held
        ),
        "people": manifest.people,
        **_messages(held, figures),
        "with_an_earlier_text": keeping,
        "opted_out": planned["opted_out"],
        "to_correct": manifest.to_correct,
        **_last_sent(place, figures),
        "currency": manifest.currency,
    }


def _last_sent(place: Folder, figures: LedgerFigures) -> dict[str, str]:
    """Sender and text of the last round of which something was sent; of the last one if nothing was."""
    sent = {
        batch.round for batch in figures.batches if _COUNTED_AS.get(batch.state) in ("accepted", "unknown")
    }
    of_these = [registered for registered in figures.rounds if registered.round in sent] or figures.rounds
    manifest = _round(place, figures, of_these[-1]).manifest
    return {"sender": ", ".join(manifest.senders), "template": manifest.template}


def _round(place: Folder, figures: LedgerFigures, registered: RegisteredRound) -> Round:
    """A round; once the campaign is erased, what is left of it, whether or not all of it is gone yet."""
    if figures.ending != "erased":
        return open_round(place.path, registered)
    path = round_path(place.path, registered.round)
    return Round(registered.round, path, read_round_manifest(path).without_people())


def _messages(held: Mapping[int, int], figures: LedgerFigures) -> dict[str, int]:
    """The messages of the last table, of which each batch holds some, by what came of them."""
    states = {batch.batch: batch.state for batch in figures.batches}
    counts: Counter[str] = Counter()
    for batch, messages in held.items():
        counts[_COUNTED_AS.get(states.get(batch, ""), "")] += messages
    return {name: counts[name] for name in _OF_MESSAGES}


_SHOWN = 20  # campaigns


class HistoryFrame(pd.DataFrame):
    """A DataFrame with a card of its own: times in the zone of this machine, costs and places in words.

    What is selected of it is one as well; without the columns that the card needs it is shown as any frame.
    """

    @property
    def _constructor(self) -> type[HistoryFrame]:
        return HistoryFrame

    def _repr_html_(self) -> str:
        if not is_campaign_list(self):
            return str(pd.DataFrame(self)._repr_html_())  # type: ignore[operator]
        times = LocalTimes()
        readable = self[self["problem"] == ""]
        broken: Any = self[self["problem"] != ""]
        campaigns = CampaignList(self, times)
        pieces = [markup.paragraph(campaigns.headline)]
        if len(readable):
            lines = markup.table(
                campaign_lines(readable, times),
                limit=_SHOWN,
                of=("campaign", "campaigns"),
                figures=["Cost"],
            )
            pieces.append(markup.scroller(lines, "Campaigns"))
        pieces += [markup.paragraph(words, note=True) for words in [campaigns.about_counts] if words]
        for name, problem, folder in zip(broken["name"], broken["problem"], broken["folder"], strict=True):
            why = mask_text(problem, keep=folder)
            pieces.append(markup.paragraph(f"{name or 'A campaign'} cannot be read: {why}"))
        pieces.append(markup.paragraph(times.written_now(), note=True))
        return markup.card(counted(len(self), "campaign"), pieces)
