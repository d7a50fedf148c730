"""The limits in the service's contract, and the columns and statuses that all layers share.

Sections are those of "SMS Submission Service (JSON)".
"""

from typing import Literal

TEXT_LIMIT = 160  # characters of a message; sections 2.3 and 8
SENDER_LIMIT = 11  # characters of a sender; sections 2.3 and 8
PRIORITIES = ("0", "1", "2", "3", "4")  # 0 is the highest; section 2.3
# Section 8 names no maximum. Services of this family document 1000 messages in one request.
BATCH_LIMIT = 1000

# In the order in which they are decided. The last four are also the statuses of a message and of a batch.
STATUSES = ("invalid", "blank", "duplicate", "opted_out", "not_sent", "accepted", "refused", "unknown")

# What a figure counts, in reports, tables, cards and questions:
# - rows: those of the file
# - people: rows that are neither blank, as a closing line of totals is too, nor a copy of another row (or of
#   a row of an earlier campaign); two people who share a phone are two if their texts differ: with the same
#   text their rows look like one that comes twice. A row to correct is somebody too.
#   Who is in no row any more is known by the number alone, so there each number is one of the people
# - messages: texts that go to the service
NO_PEOPLE = ("blank", "duplicate")  # but for duplicates for these reasons
KEEPING = ("earlier_text", "other_number")  # the number, or the cell, keeps what it got
PEOPLE_OF_THEIR_OWN = ("shared_phone", *KEEPING)

# What happens to people who were reached with another text, to texts that wait and are not in the table any
# more, to people who were left out before because they wanted no messages, and to people who have their text
# from another campaign.
Changed = Literal["ask", "skip", "send"]
Waiting = Literal["ask", "withdraw"]
OptedOut = Literal["ask", "skip", "send"]
Elsewhere = Literal["ask", "send"]

GIVEN_BY_HAND = "given by hand"  # a cost, in the note of a batch that a person has settled

MESSAGE_TEXTS = ("number", "message", "sender", "priority")  # what goes to the service
BATCH_COLUMNS = (
    "batch", "messages", "status", "cost", "code", "why", "error", "attempts", "submitted_at", "seconds",
    "round", "facts",
)  # fmt: skip
