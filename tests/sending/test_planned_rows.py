"""The rows of a plan that have a text, as they are compared: in the order of the table, with their hashes."""

import numpy as np
from support.small_campaigns import contacts_of, plan_for

from campaign.arrow_text import text_array
from campaign.messages.text.folding import text_hashes
from campaign.sending.rounds.planned_rows import PlannedRows
from campaign.sending.store.hashed_rows import with_hashes

CARD = "Please bring your vaccination card. "


def planned(*rows, header="name,phone", **options):
    plan = plan_for(contacts_of(*rows, header=header), **options)
    return plan, PlannedRows.of(plan)


def hashes_of(*texts):
    return text_hashes(text_array([*texts])).tolist()


def test_rows_with_a_text_are_in_the_order_of_the_table():
    """Also those that get nothing because another row has their number; copies and invalid rows have none."""
    _, rows = planned(
        "Ann,0772 000 001", "Ben,0772 000 001", "Cas,07720", "Ann,0772000001", "Dee,0772 000 004",
    )  # fmt: skip
    assert rows.labels.tolist() == [2, 3, 6]
    assert rows.places.tolist() == [0, 1, 4]
    assert rows.is_planned.tolist() == [True, False, True]
    assert rows.hashes.numbers.tolist() == [256772000001, 256772000001, 256772000004]
    assert rows.hashes.texts.tolist() == hashes_of("Hi Ann", "Hi Ben", "Hi Dee")
    assert rows.hashes.cells.tolist() == hashes_of("0772 000 001", "0772 000 001", "0772 000 004")


def test_a_split_text_is_one_row():
    text = f"Hi {{name}}. {CARD * 5}"
    plan, rows = planned("Ann,0772 000 001", "Ben,0772 000 002", message=text, overlong="split")
    assert rows.pieces.tolist() == [2, 2]
    assert rows.starts.tolist() == [0, 2]
    frozen = with_hashes(plan.addressing.columns, next(plan.parts()), plan.messages)
    assert frozen["text_hash"].tolist() == np.repeat(rows.hashes.texts, 2).tolist()
    assert frozen["cell_hash"].tolist() == np.repeat(rows.hashes.cells, 2).tolist()
    assert len({*rows.hashes.texts.tolist()}) == 2


def test_the_cells_of_several_columns_of_numbers_count_together():
    columns = {"header": "name,phone,mobile", "number": ["phone", "mobile"]}
    _, rows = planned("Ann,0772 000 001,", "Ben,0772 000 001,0772 000 002", **columns, duplicates="keep")
    assert len({*rows.hashes.cells.tolist()}) == 2


def test_a_duplicate_is_no_row_without_a_text_while_a_row_has_its_number():
    plan, rows = planned("Ann,0772 000 001", "Ben,0772 000 001", "Ann,0772 000 001")
    assert rows.excluded_numbers(plan).tolist() == [0, 0, 0]


def test_the_numbers_of_rows_without_a_text():
    plan, rows = planned("Ann,0772 000 001", "Ben,0772 000 002", opt_outs=["0772 000 002"])
    assert rows.excluded_numbers(plan).tolist() == [0, 256772000002]


def test_a_plan_without_messages_has_no_rows():
    plan, rows = planned("Ann,07720")
    assert len(rows.hashes) == 0
    assert rows.starts.tolist() == []
    assert np.array_equal(rows.excluded_numbers(plan), [0])
