"""Columns of text as Arrow arrays: what goes in comes out, also from slices and several chunks."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from campaign.arrow_text import (
    array_from_buffers,
    array_to_series,
    as_text,
    combine_chunks,
    concat_arrays,
    fill_missing,
    integers_to_array,
    join_column,
    join_texts,
    map_unique,
    mask_to_numpy,
    normalize_texts,
    replace_rows,
    series_to_array,
    series_to_chunks,
    take_from_chunks,
    text_array,
    text_buffers,
    unique_texts,
)

NAMES = ["Grace", "", "Zoë", "😀", "Grace"]


def test_a_column_keeps_its_texts_and_its_index():
    series = pd.Series(NAMES, index=[2, 3, 5, 7, 9], dtype="str")
    back = array_to_series(series_to_array(series), series.index)
    pd.testing.assert_series_equal(back, series)


def test_missing_values_are_filled_on_request():
    series = pd.concat([pd.Series(["a", None], dtype="str"), pd.Series([None, "b"], dtype="str")])
    assert series_to_array(series).to_pylist() == ["a", "", "", "b"]
    assert [chunk.to_pylist() for chunk in series_to_chunks(series, missing=None)] == [
        ["a", None],
        [None, "b"],
    ]
    assert fill_missing(text_array(["a", None]), "?").to_pylist() == ["a", "?"]


def test_nothing_is_copied_that_need_not_be():
    texts = text_array(NAMES)
    assert concat_arrays([texts]) is texts
    assert fill_missing(texts) is texts
    assert combine_chunks(pa.chunked_array([texts])).buffers()[2].address == texts.buffers()[2].address


@pytest.mark.parametrize(("start", "length"), [(0, 5), (1, 3), (3, 2), (2, 0), (1, 1)])
def test_texts_are_their_offsets_and_bytes(start, length):
    texts = text_array(NAMES).slice(start, length)
    offsets, data = text_buffers(texts)
    assert offsets[0] == 0
    strings = [bytes(data[a:b]).decode() for a, b in pairwise(offsets)]
    assert strings == NAMES[start : start + length]
    assert array_from_buffers(offsets, data.tobytes()).equals(texts)


def test_texts_are_joined_row_by_row():
    rows = integers_to_array(np.array([2, 10], np.int16))
    assert join_texts("Row ", rows, ": ", text_array(["a", ""])).to_pylist() == ["Row 2: a", "Row 10: "]
    assert join_column(text_array(NAMES), "\n") == "\n".join(NAMES).encode()
    assert join_column(text_array(NAMES).slice(2, 2), "|") == "Zoë|😀".encode()


def test_each_different_text_is_looked_at_once():
    seen = []

    def shout(text):
        seen.append(text)
        return text.upper()

    assert map_unique(text_array(NAMES), shout).to_pylist() == ["GRACE", "", "ZOË", "😀", "GRACE"]
    assert seen == ["Grace", "", "Zoë", "😀"]
    strings, positions = unique_texts(text_array(NAMES))
    assert [strings[position] for position in positions] == NAMES


def test_rows_are_replaced_and_taken():
    texts = text_array(NAMES)
    assert replace_rows(texts, np.array([1, 3]), text_array(["x", "y"])).to_pylist() == [
        "Grace", "x", "Zoë", "y", "Grace",
    ]  # fmt: skip
    assert replace_rows(texts, np.array([], np.int64), text_array([])) is texts
    chunks = [texts.slice(0, 2), texts.slice(2, 0), texts.slice(2, 3)]
    rows = np.array([3, 0, 3, 2, 1])
    assert take_from_chunks(chunks, rows).to_pylist() == [NAMES[row] for row in rows]


def test_other_types_become_text_and_masks_become_numpy():
    assert as_text(pa.array(["a", None])).type == pa.large_string()
    assert as_text(pa.array([1, 2])).to_pylist() == ["1", "2"]
    assert mask_to_numpy(pa.array([True, False])).tolist() == [True, False]


def test_accents_are_composed():
    assert normalize_texts(text_array(["Zoe\u0308", "Zo\u00eb", "\u212b"])).to_pylist() == [
        "Zo\u00eb"
    ] * 2 + ["\u00c5"]
