"""Sentences about what a campaign has sent, and today's table does not show."""

from __future__ import annotations

from campaign.results.calls_to_settle import batches_in_words
from campaign.results.messages_elsewhere import (
    ANOTHER,
    DEPARTED,
    EARLIER,
    LATER,
    LEFT_OUT,
    OUTDATED,
    TAKEN,
    WITH_MISTAKE,
    MessagesElsewhere,
)
from campaign.results.reached_earlier import ReachedEarlier
from campaign.results.repeated_messages import REPEATED, TO_REPEAT
from campaign.text import agreeing, capitalised, counted, figure, listed_words

# What one message of a kind was, and what many were: no text has or gets a text. One for a row with a mistake
# is counted with the rows that were accepted.
_WORDS = {
    EARLIER: ("was an earlier text to a number in it", "were earlier texts to numbers in it"),
    LATER: ("was a later text to a number in it", "were later texts to numbers in it"),
    ANOTHER: ("was another text to a number in it", "were other texts to numbers in it"),
    LEFT_OUT: (
        "went to the number of a row that gets nothing now",
        "went to numbers of rows that get nothing now",
    ),
    OUTDATED: (
        "was an earlier text to a person whose row has a mistake",
        "were earlier texts to people whose rows have a mistake",
    ),
    TAKEN: ("went to a number that another row has now", "went to numbers that other rows have now"),
    DEPARTED: ("went to a number that no row has any more", "went to numbers that no row has any more"),
}
_TWICE = {REPEATED: "may have arrived twice", TO_REPEAT: "may arrive twice"}
# What became of others that did not leave.
REFUSED, UNSENT = "refused", "not_sent"
# The same of a single message, as its reason in a list of them.
REASONS = {
    EARLIER: "An earlier text to a number in the table.",
    LATER: "A later text to a number in the table.",
    ANOTHER: "Another text to a number in the table.",
    LEFT_OUT: "The row with this number gets nothing now.",
    WITH_MISTAKE: "This person's row has a mistake in this table. The message went out before that, or after "
    "a correction that this table lacks.",
    OUTDATED: "An earlier text, to a person whose row has a mistake in this table: it went out after a "
    "correction that this table lacks.",
    TAKEN: "Another row has this number now.",
    DEPARTED: "No row has this number any more.",
    REPEATED: "Its batch was ordered to be sent again: the table has the second message with this text.",
    TO_REPEAT: "Its batch was ordered to be sent again: the table has this text, which waits to be sent.",
    REFUSED: "It was refused in an earlier round, or settled as not sent.",
    UNSENT: "It was not sent, and is not in the table any more.",
}
# Why a message is not in the table whose masked number looks like that of a row.
DEPARTED_LOOK_ALIKE = (
    "No row has this number any more; row {} has another one that looks the same when masked."
)


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
    repeated = (_about_repeated(elsewhere, kind) for kind in _TWICE)
    return " ".join(filter(None, (*repeated, _about_others(elsewhere, _to_reached_rows(reached)))))


def _about_repeated(elsewhere: MessagesElsewhere, kind: str) -> str:
    """How many texts of the table may arrive twice, and why; "" for none."""
    count, batches = elsewhere.repeated(kind)
    if not count:
        return ""
    ordered = f"{agreeing(len(batches), 'was', 'were')} ordered to be sent again"
    messages = capitalised(counted(count, "message"))
    return f"{messages} {_TWICE[kind]}, because {batches_in_words(batches)} {ordered}."


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
    count = elsewhere.others
    if not count:
        return ""
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
