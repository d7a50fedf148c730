"""What was sent, from whom, by whom and how: an example as a phone shows it, and facts in pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import chain
from typing import Any

import pandas as pd

from campaign.contacts.phone_numbers.problems_and_repairs import CHANGES
from campaign.local_times import LocalTimes
from campaign.results.page.sent_texts import sent_by_round, sent_texts
from campaign.results.redaction import Redaction
from campaign.results.sent_rounds import SentRound
from campaign.results.tables import Result
from campaign.results.timeline import Timeline
from campaign.results.totals import cost_in_words
from campaign.text import counted, figure
from campaign.words.page import PAGE

_SENDERS = 10  # that are named
_NOBODY = ("root", "admin", "administrator", "jovyan", "nobody", "system", "ubuntu", "user")


def example(result: Result, redaction: Redaction) -> dict[str, Any] | None:
    """One message as a person got it, or would have: sender, row, texts, and whether it was sent; None where
    there is none."""
    if not result.totals.messages:
        return None
    examples = (_first_message(part.messages) for part in result.parts() if len(part.places))
    messages = next(examples)
    for candidate in examples:
        if (messages["status"] == "accepted").any():
            break
        messages = candidate if (candidate["status"] == "accepted").any() else messages
    shown = redaction.messages(messages)
    return {
        "sender": shown["sender"].iloc[0],
        "row": str(shown["row"].iloc[0]),
        "texts": shown["message"].tolist(),
        "was_sent": bool(shown["status"].isin(["accepted", "unknown"]).any()),
    }


def _first_message(messages: pd.DataFrame) -> pd.DataFrame:
    """All pieces of the first message that was accepted; of the first of all if none was."""
    accepted = messages[messages["status"] == "accepted"]
    row = (messages if accepted.empty else accepted)["row"].iloc[0]
    shown: pd.DataFrame = messages[messages["row"] == row]
    return shown


def sending_facts(result: Result, redaction: Redaction) -> dict[str, str]:
    """Text, sender, spreadsheet, repairs, who, limits and where, as far as they are known."""
    told = _told_rounds(result)
    facts = {
        "From": _senders(result),
        "Text": sent_texts(result),
        "Spreadsheet": "" if result.reading is None else PAGE.headline(result.reading.finding),
        "Repaired": _repairs(result),
        "Sent by": ", ".join(_people_who_sent(result)),
        _named("Limits", _all_limits(told), of="last run"): _limits_in_force(told[-1]) if told else "",
    }
    kept = {"From"}  # no phone number is in it
    source = "" if result.reading is None else result.reading.source
    return {
        name: value if name in kept else redaction.text(value, keep=source)
        for name, value in facts.items()
        if value
    }


def _told_rounds(result: Result) -> list[SentRound]:
    """The rounds that had messages to send, and the last one."""
    numbers = {*result.batches["round"]}
    last = [one.round for one in result.rounds[-1:]]
    return [one for one in result.rounds if one.round in {*numbers, *last}]


def _named(name: str, values: Sequence[str], *, of: str = "last round") -> str:
    """The name of a fact, which says that it is of the last round where others had another value."""
    return name if len({value for value in values if value}) < 2 else f"{name} ({of})"


def technical_facts(result: Result) -> dict[str, str]:
    """What only whoever looks after the machine asks for."""
    users = dict.fromkeys(one_round.who for one_round in result.rounds if one_round.who)
    requests = [_requests(one.options) for one in _told_rounds(result) if one.options]
    facts = {
        "Folder": "" if result.folder is None else str(result.folder),
        "Sent by": ", ".join(sender_in_words(who) for who in users if _is_nobody(who)),
        _named("Requests", requests): requests[-1] if requests else "",
        "Plan": result.plan.fingerprint,
    }
    return {name: value for name, value in facts.items() if value}


def round_table(result: Result, times: LocalTimes) -> pd.DataFrame:
    """One row for each round that had messages to send: when it began, who sent it, and what came of them.

    Who sent it is left out where nobody's name is known.
    """
    lines: list[dict[str, Any]] = []
    has_people = bool(_people_who_sent(result))
    for one_round in result.rounds:
        batches = result.batches[result.batches["round"] == one_round.round]
        if batches.empty:
            continue
        timeline = Timeline.of(batches)
        began = one_round.at if timeline is None else timeline.first
        by_status = batches.groupby("status")["messages"].sum()
        lines.append(
            {
                "round": str(len(lines) + 1),
                "began": f"{times.day(began)}, {times.time(began)}",
                **({"by": sender_in_words(one_round.who)} if has_people else {}),
                "messages": int(batches["messages"].sum()),
                **{
                    name: int(by_status.get(name, 0))
                    for name in ("accepted", "unknown", "refused", "not_sent")
                },
            }
        )
    return pd.DataFrame(lines).rename(columns=lambda name: name.capitalize().replace("_", " "))


def _senders(result: Result) -> str:
    """The senders of the rounds of which something was sent; of the last one where nothing was."""
    sent = sent_by_round(result)
    rounds = [one_round for one_round in result.rounds if one_round.round in sent] or result.rounds[-1:]
    names: list[Iterable[str]] = [one_round.senders for one_round in rounds]
    if not rounds:
        names = [part.messages["sender"].unique() for part in result.parts()]
    return ", ".join([*dict.fromkeys(chain(*names))][:_SENDERS])


def _repairs(result: Result) -> str:
    """How many numbers were repaired, those in several ways once."""
    count = sum(_repaired_cells(part.issues) for part in result.parts())
    return counted(count, "number") if count else ""


def _repaired_cells(issues: pd.DataFrame) -> int:
    return len(issues[issues["code"].isin(CHANGES)].drop_duplicates(["row", "column"]))


def _people_who_sent(result: Result) -> list[str]:
    """The names of users that are people's own."""
    users = dict.fromkeys(one_round.who for one_round in result.rounds if one_round.who)
    return [who for who in users if not _is_nobody(who)]


def sender_in_words(who: str) -> str:
    """Who sent a round; the names of users that are nobody's own are said to be the system's."""
    return f"the system user {who}" if _is_nobody(who) else who


def _is_nobody(who: str) -> bool:
    return who.casefold() in _NOBODY


def _requests(options: Mapping[str, Any]) -> str:
    size, at_once = options["batch_size"], options["concurrency"]
    return f"batches of {figure(size)}, {counted(at_once, 'request')} at a time"


def _all_limits(told: Sequence[SentRound]) -> list[str]:
    """The limits of all rounds, and those of runs that resumed one at another pace."""
    limits = [_limits(one.options, one.currency) or "none" for one in told if one.options]
    paces = told[-1].paces if told else ()
    return [*limits, *(f"{rate} a second" for _, rate in paces if rate != paces[-1][1])]


def _limits_in_force(last: SentRound) -> str:
    """The limits of the last run that sent something."""
    pace = {"rate": last.paces[-1][1]} if last.paces and last.options else {}
    return _limits({**last.options, **pace}, last.currency)


def _limits(options: Mapping[str, Any], currency: str) -> str:
    """What the sending was limited to, by the options in force now."""
    pieces = []
    if options.get("rate"):
        rate = float(options["rate"])
        pieces.append(f"{figure(rate)} {'message' if rate == 1 else 'messages'} a second at most")
    if options.get("hours"):
        pieces.append(f"only {options['hours']}")
    if options.get("budget"):
        pieces.append(f"a budget of {cost_in_words(Decimal(options['budget']), currency=currency)}")
    if options.get("budget_messages"):
        pieces.append(f"{counted(options['budget_messages'], 'message')} at most")
    return ", ".join(pieces)
