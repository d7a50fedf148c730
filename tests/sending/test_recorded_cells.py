"""Of an earlier table only the cells of the numbers are read, and only the parts that are asked for."""

import numpy as np
import pandas as pd
import pytest

from campaign.sending.rounds import recorded_cells
from campaign.sending.rounds.recorded_cells import RecordedCells
from campaign.sending.store.frame_files import read_frame, write_frames

ROWS = np.arange(2, 22)
TABLE = pd.DataFrame(
    {
        "name": [f"Person {row}" for row in ROWS],
        "phone": [f"0772 000 {row:03}" for row in ROWS],
        "other": ["" if row % 2 else f"0772 001 {row:03}" for row in ROWS],
    },
    index=pd.Index(ROWS, name="row"),
    dtype="str",
)


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Asks for cells of the table, which is in four parts; the second thing is the parts that were read."""
    parts = []

    def noted(path, columns=None, *, part=None):
        if columns:
            parts.append(part)
        return read_frame(path, columns, part=part)

    monkeypatch.setattr(recorded_cells, "read_frame", noted)
    write_frames([TABLE.iloc[start : start + 5] for start in range(0, 20, 5)], tmp_path / "contacts.parquet")
    cells = RecordedCells(tmp_path / "contacts.parquet", ["phone", "other"])
    return lambda rows: cells.of(np.array(rows)).to_pylist(), parts


def cells_of(rows):
    return [f"{TABLE.at[row, 'phone']}\x1f{TABLE.at[row, 'other']}" for row in rows]


@pytest.mark.parametrize(
    ("asked", "parts"),
    [([[7, 8], [9, 11], [12, 14]], [1, 2]), ([[21, 2]], [0, 1, 2, 3]), ([[16, 18, 17]], [2, 3])],
    ids=["in order", "from both ends", "across two parts"],
)
def test_each_part_is_read_when_it_is_asked_for(read, asked, parts):
    look, were_read = read
    for rows in asked:
        assert look(rows) == cells_of(rows)
    assert were_read == parts
