"""Where the money went: the figures of a campaign, and its cost by sender, country and column."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from campaign.contacts.phone_numbers.cleaning import clean_numbers
from campaign.contract import GIVEN_BY_HAND
from campaign.environments import words_for
from campaign.local_times import duration
from campaign.results.breakdown import with_people
from campaign.results.cost_shares import count_pairs, share_costs
from campaign.results.not_in_table import read_recorded
from campaign.results.redaction import Redaction
from campaign.results.tables import Result
from campaign.results.totals import average_price, cost_in_words, has_other_messages
from campaign.text import agreeing, counted, figure, money

_MOST_VALUES = 20
OUTSIDE = "(not in the table)"
_UNKNOWN = "(not known)"
EMPTY = "(empty)"
_SOME = {"Waiting": "not_sent", "Opted out": "opted_out"}  # shown where there are such people


def what_cost(result: Result) -> str:
    """What kind of cost it is: as the service reported it, made up, or at a price that was given."""
    if result.given_price is not None:
        return f"cost at {money(result.given_price)} for an SMS"
    kind = "made-up cost" if words_for(result.environment).has_made_up_costs else "cost"
    is_by_hand = result.batches["error"].str.contains(GIVEN_BY_HAND, regex=False).any()
    return f"{kind}, in part given by hand" if is_by_hand else kind


def figures(result: Result) -> list[tuple[str, str]]:
    """The few figures that a reader looks for, each with what it is."""
    totals, timeline = result.totals, result.timeline
    # What is made up is said below the figure, which has to stay on one line.
    cost = cost_in_words(totals.cost, unpriced=totals.unpriced, currency=totals.currency)
    shown = [(cost, what_cost(result)), _messages(result)]
    if totals.accepted_in_all_rounds > 1 and (average := average_price(result.batches)) is not None:
        hundredths = round(average, 2)  # of a batch with longer texts, 48.0392 becomes 48.04
        shown_price = average if average < 1 or average == hundredths else hundredths
        unit = cost_in_words(shown_price, currency=totals.currency)
        shown.append((unit, "for each accepted message"))
    if timeline is not None and result.seconds >= 1:
        shown.append((duration(timedelta(seconds=result.seconds)), "of sending"))
    if result.sent_rounds > 1:
        shown.append((figure(result.sent_rounds), "rounds"))
    return shown


def _messages(result: Result) -> tuple[str, str]:
    """The messages that the cost is for."""
    totals = result.totals
    if not has_other_messages(totals):
        messages = agreeing(totals.messages, "message (text)", "messages (texts)")
        return figure(totals.messages), f"{messages} in {counted(totals.parts, 'SMS part')}"
    accepted = totals.accepted_in_all_rounds
    where = " in all rounds" if result.sent_rounds > 1 else ""
    return figure(accepted), f"{agreeing(accepted, 'message (text)', 'messages (texts)')} accepted{where}"


def cost_by_sender(result: Result) -> dict[str, tuple[Decimal | None, int]]:
    """The cost for each sender, and how many messages may add to it; {} for a single one.

    It is the cost of all messages, also of those that are not in the table any more.
    """
    return _cost_by(result, lambda messages: messages["sender"])


def cost_by_country(result: Result) -> dict[str, tuple[Decimal | None, int]]:
    """The same for each country of the numbers; {} where all are in one."""
    if len(result.plan.totals.countries) < 2 and not has_other_messages(result.totals):
        return {}
    return _cost_by(result, _countries)


def _countries(messages: pd.DataFrame) -> pd.Series[str]:
    regions = clean_numbers("+" + messages["number"], region=None)["region"]
    return regions.where(regions != "", "unknown")


def _cost_by(
    result: Result, keys_of: Callable[[pd.DataFrame], pd.Series[str]]
) -> dict[str, tuple[Decimal | None, int]]:
    """The same for each of several keys of the messages, the dearest first."""
    names: dict[str, int] = {}  # by key its group
    pairs = []
    for messages in sent_messages(result):
        codes, distinct = pd.factorize(keys_of(messages))
        groups = np.array([names.setdefault(name, len(names)) for name in distinct], np.int64)[codes]
        pairs.append(count_pairs(groups, messages["place"].to_numpy()))
    if len(names) < 2:
        return {}
    summed = pd.concat(pairs).groupby(["group", "place"], as_index=False).sum()
    shares = share_costs(summed, len(names), result.batches)
    amounts = zip(shares.costs, shares.unpriced.tolist(), strict=True)
    costs = dict(zip([*names, _UNKNOWN], amounts, strict=True))
    if costs[_UNKNOWN][0] == 0:
        del costs[_UNKNOWN]
    ranked = sorted(costs.items(), key=lambda item: -(item[1][0] or Decimal(0)))
    return dict(ranked[:_MOST_VALUES])


def shown_breakdown(result: Result, column: str, redaction: Redaction) -> pd.DataFrame:
    """`Result.by` with masked numbers, and words for an empty value and for what is not in the table."""
    frame = result.by(column)
    values = redaction.values(frame.index.to_series().reset_index(drop=True), str(frame.index.name))
    labels = values.where(values != "", EMPTY).fillna(OUTSIDE)
    return frame.set_axis(pd.Index(labels, name=frame.index.name))


def has_other_texts(result: Result) -> bool:
    """Whether the costs of a breakdown are also for texts that the table, and so its SMS parts, lacks."""
    return bool(result.outside.count or result.totals.with_earlier_text)


def for_page(
    breakdown: pd.DataFrame, currency: str, *, has_other_texts: bool = False
) -> tuple[pd.DataFrame, list[object], int]:
    """The first values as a reader of the page needs them, the sums of all, and how many values there are.

    The sums are [] for a single value. `has_other_texts` says that the costs are also for texts that the
    table does not have.
    """
    breakdown = with_people(breakdown)
    shown = pd.concat([breakdown.head(_MOST_VALUES), _sums(breakdown)])
    costs = [
        cost_in_words(cost, unpriced=unpriced, currency=currency)
        for cost, unpriced in zip(shown["cost_share"], shown["unpriced"], strict=True)
    ]
    some: dict[Any, Any] = {
        name: shown[column] for name, column in _SOME.items() if column in shown and shown[column].any()
    }
    frame = pd.DataFrame(
        {
            "People": shown["people"],
            "Accepted": shown["accepted"],
            **some,
            "Need attention": shown["needing_attention"],
            "SMS parts in the table" if has_other_texts else "SMS parts": shown["parts"],
            "Share of the cost": costs,
        }
    ).reset_index(drop=True)
    # The file may call its column like one of these.
    frame.insert(0, str(breakdown.index.name), shown.index, allow_duplicates=True)
    values = len(breakdown)
    return frame.iloc[:-1], frame.iloc[-1].tolist() if values > 1 else [], values


def _sums(breakdown: pd.DataFrame) -> pd.DataFrame:
    """One row with the sums of all values, which are those of the whole campaign."""
    counts = breakdown.drop(columns="cost_share").sum()
    costs = [cost for cost in breakdown["cost_share"] if cost is not None]
    cost = sum(costs, Decimal(0)) if costs else None
    return pd.DataFrame([{**counts, "cost_share": cost}], index=["all"])


def sent_messages(result: Result) -> Iterator[pd.DataFrame]:
    """The messages of a result part by part: number, sender, and place of the batch in the table of batches.

    A batch that left with more messages than the table has of it is told as its round has recorded it: a row
    that was corrected in a follow-up file has another number in the table, or none. Where that is not known,
    only the messages of the table are told.
    """
    batches = result.batches
    has_left = batches["status"].isin(["accepted", "unknown"]).to_numpy()
    is_fuller = has_left & (batches["messages"].to_numpy() > result.messages_by_batch)
    numbers = batches["batch"].to_numpy()
    recorded = read_recorded(result.recorded, numbers[is_fuller], "sender") if is_fuller.any() else None
    for part in result.parts():
        messages = part.messages[["number", "sender"]].assign(place=part.places)
        yield messages if recorded is None else messages[~is_fuller[part.places]]
    if recorded is not None:
        places = np.searchsorted(numbers, recorded["batch"].to_numpy())
        yield recorded.assign(number=recorded["number"].astype("str"), place=places)
