"""Which batches a card shows, and in which order."""

import numpy as np
import pandas as pd

from campaign.results.batch_numbers import without_unsent
from campaign.results.outcome_tables import by_urgency

BATCHES = pd.DataFrame(
    [
        (1, 1, "accepted", "", ""),
        (2, 10, "accepted", "batch_settled", "Settled by amina: accepted"),
        (3, 10, "accepted", "", ""),
        (4, 10, "refused", "", "Money Not Enough"),
        (5, 10, "unknown", "no_answer", "No answer came in time."),
        (6, 10, "not_sent", "", ""),
        (7, 10, "not_sent", "", ""),
        (8, 10, "refused", "", "the account does not exist"),
        (9, 5, "not_sent", "", ""),
    ],
    columns=["batch", "messages", "status", "why", "error"],
)


def test_batches_to_look_at_come_first_and_those_that_were_not_sent_last():
    """The messages of batch 8 are in later ones."""
    order = by_urgency(BATCHES, np.where(BATCHES["batch"] == 8, 0, 1))
    assert BATCHES["batch"].iloc[order].tolist() == [5, 4, 2, 3, 1, 9, 7, 6, 8]


def test_batches_that_were_not_sent_are_one_sentence():
    left, said = without_unsent(BATCHES)
    assert left["batch"].tolist() == [1, 2, 3, 4, 5, 8]
    assert said == "3 batches, with 25 messages, were not sent: 6–7 and 9."


def test_a_single_batch_that_was_not_sent_stays_in_the_table():
    left, said = without_unsent(BATCHES.head(6))
    assert (len(left), said) == (6, "")
