"""The rows of a table beside the record: numbers, texts and cells are small whole numbers here.

A row is (number, text) or (number, text, cell); without a cell it has one of its own. A batch is what is
known of it, and its rows; batches are numbered from 1. A row of the table is told by what is recorded and the
batch, a duplicate by the row that is kept.
"""

import numpy as np
import pytest

from campaign.sending.rounds.comparison import RECORDED, SentRows, compare_rows
from campaign.sending.store.hashed_rows import HashedRows

ANN, BEN, CAS = 1, 2, 3
MONDAY, TUESDAY, FRIDAY = 10, 20, 30
CELL = 7
WAITS = "unsent, and waits"


def hashed(rows):
    columns = zip(*((*row, 100 * row[0])[:3] for row in rows), strict=True) if rows else ((), (), ())
    return HashedRows(*(np.array(column, dtype=np.int64) for column in columns))


def compared(table, *batches, excluded=(), every_text=False):
    states = ["new", *(state for state, *_ in batches)]
    return compare_rows(
        hashed(table),
        np.array(excluded, dtype=np.int64),
        [
            SentRows(hashed(rows), np.full(len(rows), number), np.arange(len(rows)) + 2)
            for number, (_, *rows) in enumerate(batches, 1)
        ],
        np.array([RECORDED.index(state.split(",")[0]) for state in states], dtype=np.int8),
        waiting=np.array([state == WAITS for state in states]),
        every_text=every_text,
    )


def told(table, *batches, **options):
    result = compared(table, *batches, **options)
    return [
        (RECORDED[state], batch) if kept == place else ("duplicate", kept)
        for place, (state, batch, kept) in enumerate(
            zip(result.recorded.tolist(), result.batches.tolist(), result.kept.tolist(), strict=True)
        )
    ]


def listed(sent):
    """Some recorded rows: batch, number and text of each."""
    return list(zip(sent.batches.tolist(), sent.rows.numbers.tolist(), sent.rows.texts.tolist(), strict=True))


@pytest.mark.parametrize("state", ["accepted", "unknown", "again", "refused", "unsent"])
def test_of_this_text_it_is_told_what_became_of_it(state):
    batches = ("accepted", (BEN, MONDAY)), (state, (CAS, MONDAY), (ANN, MONDAY))
    table = (CAS, FRIDAY), (ANN, MONDAY), (BEN, MONDAY)
    assert told(table, *batches)[1:] == [(state, 2), ("accepted", 1)]


@pytest.mark.parametrize(
    ("batches", "recorded"),
    [
        ([], ("new", 0)),
        ([("accepted", (ANN, MONDAY)), ("refused", (ANN, MONDAY))], ("accepted", 1)),
        ([("unknown", (ANN, MONDAY)), ("accepted", (ANN, MONDAY))], ("accepted", 2)),
        ([("refused", (ANN, MONDAY)), ("refused", (ANN, MONDAY))], ("refused", 2)),
        ([("accepted", (BEN, MONDAY))], ("new", 0)),
        # The phone has another text, which came after this one was cut the last time: a person decides.
        ([("accepted", (ANN, TUESDAY))], ("other_text", 1)),
        ([("unknown", (ANN, TUESDAY))], ("other_text", 1)),
        ([("again", (ANN, TUESDAY))], ("other_text", 1)),
        ([("accepted", (ANN, TUESDAY)), ("accepted", (ANN, FRIDAY))], ("other_text", 2)),
        ([("refused", (ANN, MONDAY)), ("accepted", (ANN, TUESDAY))], ("other_text", 2)),
        ([("unsent", (ANN, MONDAY)), ("accepted", (ANN, TUESDAY))], ("other_text", 2)),
        ([("again", (ANN, MONDAY)), ("accepted", (ANN, TUESDAY))], ("other_text", 2)),
        # It came before: whoever sent this one has decided.
        ([("accepted", (ANN, TUESDAY)), ("refused", (ANN, MONDAY))], ("refused", 2)),
        ([("accepted", (ANN, TUESDAY)), ("unsent", (ANN, MONDAY))], ("unsent", 2)),
        # It never arrived.
        ([("refused", (ANN, TUESDAY))], ("new", 0)),
        ([("unsent", (ANN, TUESDAY))], ("new", 0)),
        # This one arrived: what else the phone has is of no account.
        ([("accepted", (ANN, MONDAY)), ("accepted", (ANN, TUESDAY))], ("accepted", 1)),
    ],
)
def test_a_table_with_monday_for_ann(batches, recorded):
    assert told([(ANN, MONDAY)], *batches) == [recorded]


@pytest.mark.parametrize(
    ("table", "batches", "recorded"),
    [
        ([(ANN, MONDAY, CELL)], [("accepted", (BEN, MONDAY, CELL))], ("other_number", 1)),
        ([(ANN, TUESDAY, CELL)], [("unknown", (BEN, MONDAY, CELL))], ("other_number", 1)),
        (
            [(ANN, MONDAY, CELL)],
            [("accepted", (BEN, MONDAY, CELL)), ("accepted", (CAS, MONDAY, CELL))],
            ("other_number", 2),
        ),
        # That number never got anything, or is still in a row.
        ([(ANN, MONDAY, CELL)], [("refused", (BEN, MONDAY, CELL))], ("new", 0)),
        ([(ANN, MONDAY, CELL), (BEN, FRIDAY)], [("accepted", (BEN, MONDAY, CELL))], ("new", 0)),
        # More is known of the number itself.
        (
            [(ANN, MONDAY, CELL)],
            [("refused", (ANN, MONDAY)), ("accepted", (BEN, MONDAY, CELL))],
            ("refused", 1),
        ),
        (
            [(ANN, MONDAY, CELL)],
            [("accepted", (ANN, TUESDAY)), ("accepted", (BEN, MONDAY, CELL))],
            ("other_text", 1),
        ),
    ],
)
def test_a_cell_that_was_reached_as_another_number(table, batches, recorded):
    assert told(table, *batches)[0] == recorded


def test_a_cell_whose_old_number_is_in_a_row_without_a_text_is_new():
    batch = "accepted", (BEN, MONDAY, CELL)
    assert told([(ANN, MONDAY, CELL)], batch, excluded=[0, BEN]) == [("new", 0)]


def test_of_another_text_or_number_it_is_known_in_which_row_it_was():
    batch = "accepted", (CAS, MONDAY), (ANN, MONDAY), (BEN, MONDAY, CELL)
    result = compared([(ANN, TUESDAY), (4, MONDAY, CELL), (CAS, MONDAY)], batch)
    assert result.labels.tolist() == [3, 4, 0]


@pytest.mark.parametrize(
    ("batches", "rows"),
    [
        ([], [("new", 0), ("duplicate", 0), ("duplicate", 0)]),
        ([("accepted", (ANN, TUESDAY))], [("duplicate", 1), ("accepted", 1), ("duplicate", 1)]),
        ([("unknown", (ANN, MONDAY), (ANN, TUESDAY))], [("unknown", 1), ("unknown", 1), ("duplicate", 0)]),
        ([("again", (ANN, TUESDAY))], [("duplicate", 1), ("again", 1), ("duplicate", 1)]),
        (
            [("again", (ANN, TUESDAY)), ("accepted", (ANN, MONDAY))],
            [("accepted", 2), *[("duplicate", 0)] * 2],
        ),
        ([("refused", (ANN, TUESDAY))], [("new", 0), ("duplicate", 0), ("duplicate", 0)]),
        ([("accepted", (ANN, FRIDAY))], [("other_text", 1), ("duplicate", 0), ("duplicate", 0)]),
        # A brother has Friday, the sister's Tuesday was chosen beside it: hers stays, and nothing is asked.
        (
            [("accepted", (ANN, FRIDAY)), ("accepted", (ANN, TUESDAY))],
            [("duplicate", 1), ("accepted", 2), ("duplicate", 1)],
        ),
    ],
)
def test_of_rows_with_one_number_those_that_were_reached_are_kept_or_else_one(batches, rows):
    assert told([(ANN, MONDAY), (ANN, TUESDAY), (ANN, MONDAY)], *batches) == rows


@pytest.mark.parametrize(
    ("batches", "rows"),
    [
        ([], [("new", 0), ("new", 0), ("duplicate", 0)]),
        ([("accepted", (ANN, TUESDAY))], [("new", 0), ("accepted", 1), ("duplicate", 0)]),
        ([("accepted", (ANN, FRIDAY))], [("other_text", 1), ("other_text", 1), ("duplicate", 0)]),
        (
            [("accepted", (ANN, FRIDAY)), ("refused", (ANN, TUESDAY))],
            [("other_text", 1), ("refused", 2), ("duplicate", 0)],
        ),
    ],
)
def test_where_every_text_goes_out_only_copies_are_duplicates(batches, rows):
    table = [(ANN, MONDAY), (ANN, TUESDAY), (ANN, MONDAY)]
    assert told(table, *batches, every_text=True) == rows


def test_rows_without_a_text_have_the_last_batch_that_reached_their_number():
    batches = (
        ("accepted", (ANN, MONDAY), (BEN, MONDAY)), ("unknown", (ANN, TUESDAY)), ("refused", (ANN, FRIDAY)),
    )  # fmt: skip
    result = compared([], *batches, excluded=[ANN, 0, CAS, BEN, ANN])
    assert result.reached_before.tolist() == [2, 0, 0, 1, 2]
    assert len(result.gone) == 0


def test_whoever_was_reached_and_is_in_no_row_is_gone_with_the_last_text():
    batches = (
        ("accepted", (ANN, MONDAY), (BEN, MONDAY), (CAS, MONDAY)),
        ("again", (BEN, TUESDAY)),
        ("refused", (BEN, FRIDAY), (4, MONDAY)),
    )
    assert listed(compared([(ANN, TUESDAY)], *batches, excluded=[CAS]).gone) == [(2, BEN, TUESDAY)]


@pytest.mark.parametrize(
    ("table", "excluded", "waiting", "replaced_by"),
    [
        ([(ANN, MONDAY)], [], [], []),  # it goes out
        ([], [], [(1, ANN, MONDAY)], [-1]),
        ([], [ANN], [], []),  # somebody there opted out, say: that answers it
        ([(BEN, MONDAY), (ANN, TUESDAY)], [], [(1, ANN, MONDAY)], [1]),
        (
            [(ANN, TUESDAY), (ANN, MONDAY)],
            [],
            [(1, ANN, MONDAY)],
            [0],
        ),  # the first row is the one that is kept
        ([(ANN, MONDAY), (ANN, MONDAY)], [], [], []),
    ],
)
def test_texts_that_wait_and_would_not_go_out(table, excluded, waiting, replaced_by):
    result = compared(table, (WAITS, (ANN, MONDAY)), excluded=excluded)
    assert (listed(result.waiting), result.replaced_by.tolist()) == (waiting, replaced_by)


def test_what_was_withdrawn_does_not_wait():
    assert len(compared([], ("unsent", (ANN, MONDAY))).waiting) == 0


def test_a_number_in_ten_thousand_rows_costs_no_more_than_others():
    table = [(ANN, ticket) for ticket in range(10_000)]
    assert set(told(table, ("accepted", *table))) == {("accepted", 1)}  # in pairs: 100 million
