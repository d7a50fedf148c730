"""Sentences about what a campaign has sent, and today's table does not show."""

from __future__ import annotations

from campaign.results.messages_elsewhere import DEPARTED, LATER, ORDERED, OTHER, MessagesElsewhere
from campaign.results.reached_earlier import ReachedEarlier
from campaign.text import agreeing, capitalised, counted, figure, listed_words

# What one message of a kind was, and what many were: no text has or gets a text.
_WORDS = {
    OTHER: ("was another message to a number in it", "were other messages to numbers in it"),
    LATER: ("was a later text to a number in it", "were later texts to numbers in it"),
    ORDERED: (
        "was in a batch that was ordered to be sent again",
        "were in batches that were ordered to be sent again",
    ),
    DEPARTED: ("went to a number that no row has any more", "went to numbers that no row has any more"),
}
# What became of others: two kinds that did not leave, and those to people whose rows have a mistake now, who
# count as accepted.
REFUSED, UNSENT, WITH_MISTAKE = "refused", "not_sent", "with_mistake"
# The same of a single message, as its reason in a list of them.
REASONS = {
    OTHER: "Another message to a number in the table.",
    LATER: "A later text to a number in the table.",
    ORDERED: "Its batch was ordered to be sent again.",
    WITH_MISTAKE: "This person's row has a mistake in this table. The message went out before that, or after "
    "a correction that this table lacks.",
    DEPARTED: "No row has this number any more.",
    REFUSED: "It was refused in an earlier round, or settled as not sent.",
    UNSENT: "It was not sent, and is not in the table any more.",
}


def about_kept_texts(rows: int) -> str:
    """That the numbers of so many rows keep another text that they got before; "" for none."""
    if not rows:
        return ""
    keep, it = agreeing(rows, "keeps", "keep"), agreeing(rows, "its number", "their numbers")
    return f"{capitalised(counted(rows, 'row'))} {keep} the text that {it} got before."


def about_elsewhere(elsewhere: MessagesElsewhere, reached: ReachedEarlier) -> str:
    """What was sent and is not in today's table, and whom it was for; "" if there is nothing."""
    if not elsewhere.count:  # that a row was reached as corrected is said with the rows
        return ""
    return _about_others(elsewhere, _to_reached_rows(reached))


def _to_reached_rows(reached: ReachedEarlier) -> str:
    """The messages that count with the rows of the table, which has none for them, as a continued sentence: a
    run counts them with the others, as its cost includes them."""
    in_doubt = len(reached.doubtful)
    count = len(reached.rows) + in_doubt
    if not count:
        return ""
    were = agreeing(count, "was", "were")
    rows = f"{agreeing(count, 'a row', 'rows')} that {were}{', or may have been,' if in_doubt else ''}"
    return f" and {counted(count, 'message')} to {rows} reached earlier"


def _about_others(elsewhere: MessagesElsewhere, to_reached_rows: str) -> str:
    count = elsewhere.count
    it = f"{agreeing(count, 'it', 'them')}{to_reached_rows}"
    cost = f"cost includes {it}{'' if elsewhere.is_priced else ', as far as it is known'}."
    sent = (
        f"The campaign has also sent{', or may have sent,' if elsewhere.in_doubt else ''} "
        f"{counted(count, 'message')} that {agreeing(count, 'is', 'are')} not in this table"
    )
    kinds = {kind: number for kind in _WORDS if (number := elsewhere.count_of(kind))}
    if not kinds:
        return f"{sent}; the {cost}"
    if len(kinds) == 1:
        what = f"{agreeing(count, 'it', 'they')} {agreeing(count, *_WORDS[next(iter(kinds))])}"
    else:
        what = listed_words(
            f"{figure(number)} {agreeing(number, *_WORDS[kind])}" for kind, number in kinds.items()
        )
    return f"{sent}: {what}. The {cost}"
