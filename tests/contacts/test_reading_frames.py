"""DataFrames of pandas and of others: what each type of column is written as, and floats that lost digits."""

import datetime as dt
import io
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.refusals import refused

from campaign import clean_numbers, prepare, read_contacts
from campaign.errors import ColumnError, FileError, UsageError

PHONES = np.array([772000001, 701234567])
PEOPLE = {"name": ["Amina", "Brian"], "phone": ["0772000001", "0772000002"]}
SENDING = {"message": "Hi", "sender": "CLINIC", "region": "UG"}


def parquet(column):
    target = io.BytesIO()
    pq.write_table(pa.table({"phone": column}), target)
    return target.getvalue()


def frame(column):
    return pd.DataFrame({"phone": column})


# Floats of 32 bits hold whole numbers up to 16,777,216, those of 16 bits up to 2,048.
SHORT_FLOATS = {
    "float32": frame(PHONES.astype("float32")),
    "Float32": frame(pd.array(PHONES, "Float32")),
    "float[pyarrow]": frame(pd.Series(PHONES.astype("float32"), dtype=pd.ArrowDtype(pa.float32()))),
    "category": frame(pd.Categorical(PHONES.astype("float32"))),
    "sparse": frame(pd.arrays.SparseArray(PHONES.astype("float32"))),
    "object": frame(pd.Series([*PHONES.astype("float32")], dtype=object)),
    "index": pd.DataFrame({"n": [1, 2]}, index=pd.Index(PHONES.astype("float32"), name="phone")),
    "polars": pl.DataFrame({"phone": pl.Series(PHONES.astype("float32"))}),
    "parquet": parquet(pa.array(PHONES.astype("float32"))),
    "parquet, dictionary": parquet(pa.array(PHONES.astype("float32")).dictionary_encode()),
}


@pytest.mark.parametrize("kind", SHORT_FLOATS)
def test_a_phone_in_a_float_that_cannot_hold_it_is_refused(kind):
    plan = prepare(SHORT_FLOATS[kind], **SENDING)
    assert len(plan.messages) == 0
    assert plan.issues[["row", "column", "code"]].values.tolist() == [
        [2, "phone", "scientific"],
        [3, "phone", "scientific"],
    ]


@pytest.mark.parametrize("dtype", ["float64", "Float64", "Int64", "uint64", "longdouble", "int32"])
def test_a_phone_in_a_type_that_holds_it_is_sent(dtype):
    plan = prepare(frame(pd.Series(PHONES).astype(dtype)), **SENDING)
    assert plan.messages["number"].tolist() == ["256772000001", "256701234567"]


def test_streamed_parquet_refuses_the_same(tmp_path):
    (tmp_path / "people.parquet").write_bytes(SHORT_FLOATS["parquet"])
    plan = prepare(tmp_path / "people.parquet", stream=True, **SENDING)
    assert plan.issues["code"].tolist() == ["scientific", "scientific"]


@pytest.mark.parametrize("dtype", ["float16", "float32", "Float32", "float64", "object of float32"])
def test_small_floats_are_written_as_a_person_would(dtype):
    values = [12.5, 0.1, 3, None, 99.99 if dtype != "float16" else 99.9]
    column = pd.Series(values, dtype="float32" if "object" in dtype else dtype)
    column = pd.Series([*column.to_numpy()], dtype=object) if "object" in dtype else column
    assert read_contacts(pd.DataFrame({"fee": column, "n": "x"}))["fee"].tolist() == [
        "12.5", "0.1", "3", "", str(values[-1]),
    ]  # fmt: skip


def test_the_first_number_that_a_type_rounds_counts_as_rounded():
    table = read_contacts(
        pd.DataFrame({"half": np.float16([2047, 2049]), "short": np.float32([16_777_215, 16_777_217])})
    )
    assert table.to_dict("list") == {
        "half": ["2047", "2.048e+03"],
        "short": ["16777215", "1.6777216e+07"],
    }


def test_a_number_that_lost_digits_is_not_said_in_a_text():
    """Neither as it stands nor in a format; rows with the others go out."""
    fees = np.float32([12.5, 25_000_001, np.inf])
    contacts = pd.DataFrame({"phone": ["0772000001", "0772000002", "0772000003"], "fee": fees})
    for message, text in (("Pay {fee}", "Pay 12.5"), ("Pay {fee:,.0f}", "Pay 13")):
        plan = prepare(contacts, **(SENDING | {"message": message}))
        assert plan.messages["message"].tolist() == [text]
        assert plan.issues[["row", "code"]].values.tolist() == [
            [3, "unreadable_value"],
            [4, "unreadable_value"],
        ]
    assert len(prepare(contacts, **SENDING).messages) == 3  # nobody needs the column


@pytest.mark.parametrize(
    "numbers",
    [
        pd.Series([772000002], dtype="float32"),
        np.array([772000002], "float32"),
        [np.float32(772000002)],
        pl.Series([772000002], dtype=pl.Float32),
        pd.DataFrame({"phone": np.float32([772000002])}),
        parquet(pa.array(np.float32([772000002]))),
    ],
    ids=["Series", "array", "list", "polars", "DataFrame", "parquet"],
)
def test_an_opt_out_list_in_such_floats_is_an_error(numbers, tmp_path):
    if isinstance(numbers, bytes):
        (tmp_path / "stop.parquet").write_bytes(numbers)
        numbers = tmp_path / "stop.parquet"
    with pytest.raises(UsageError, match="has no phone numbers"):
        prepare(pd.DataFrame(PEOPLE), opt_outs=numbers, **SENDING)


def test_a_column_of_such_floats_has_no_numbers():
    cleaned = clean_numbers(pd.Series([772000001, None], dtype="float32"), region="UG")
    assert cleaned["problem"].tolist() == ["scientific", "blank"]


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ([Decimal("7.72E+8"), Decimal("NaN"), Decimal("12.50")], ["772000000", "", "12.50"]),
        (pd.Categorical(["a", 1, 2.5]), ["a", "1", "2.5"]),
        (pd.arrays.SparseArray([1, 0, 2]), ["1", "0", "2"]),
        (np.array([0.1, 1, 2], "longdouble"), ["0.1", "1", "2"]),
        (pd.array([2**63, 1, None], "UInt64"), ["9223372036854775808", "1", ""]),
        ([np.float64(772000001), np.int32(5), np.bool_(True)], ["772000001", "5", "TRUE"]),
    ],
    ids=["decimals", "mixed categories", "sparse", "long double", "unsigned", "scalars of numpy"],
)
def test_unusual_columns(column, cells):
    assert read_contacts(pd.DataFrame({"value": column, "n": "x"}))["value"].tolist() == cells


@pytest.mark.parametrize(
    "column",
    [
        np.array([1j, 2j]),
        pd.cut([1, 2], 2),
        pa.array([[1], [2]]),
        pa.array([{"a": 1}, {"a": 2}]),
        pa.array([b"1", b"2"]),
    ],
    ids=["complex", "intervals", "lists", "structs", "bytes"],
)
def test_what_fits_into_no_cell_is_refused_with_its_column(column):
    tables = [pa.table({"x": column})] if isinstance(column, pa.Array) else [pd.DataFrame({"x": column})]
    for table in [*tables, *([parquet(column)] if isinstance(column, pa.Array) else [])]:
        with refused("cell_unfit", ColumnError):
            read_contacts(table)


# --- tables of other libraries ------------------------------------------------------------------------


class Relation:
    """What any library hands out that speaks Arrow."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize(
    "contacts",
    [
        pl.DataFrame(PEOPLE),
        pa.table(PEOPLE),
        pa.RecordBatch.from_pydict(PEOPLE),
        Relation(pa.table(PEOPLE)),
        pa.table(PEOPLE | {"town": pa.array(["Gulu", "Gulu"]).dictionary_encode()}),
    ],
    ids=["polars", "Table", "RecordBatch", "anything", "dictionary"],
)
@pytest.mark.parametrize("stream", [None, True])
def test_a_table_of_another_library_is_sent_like_a_data_frame(contacts, stream):
    plan = prepare(contacts, stream=stream, **(SENDING | {"message": "Hi {name}"}))
    assert plan.messages[["number", "message"]].values.tolist() == [
        ["256772000001", "Hi Amina"],
        ["256772000002", "Hi Brian"],
    ]
    assert plan.contacts.index.tolist() == [2, 3]


def test_every_type_of_polars_is_written_as_a_person_would():
    moment = pl.Series([dt.datetime(2026, 1, 5, 11, 30), None])
    table = pl.DataFrame(
        {
            "phone": [772000001, None],
            "day": [dt.date(2026, 1, 5), None],
            "moment": moment,
            "zoned": moment.dt.replace_time_zone("UTC").dt.convert_time_zone("Africa/Kampala"),
            "clock": [dt.time(14, 30), None],
            "fee": [Decimal("12.50"), None],
            "score": pl.Series([0.1, None], dtype=pl.Float32),
            "town": pl.Series(["Gulu", None], dtype=pl.Categorical),
            "size": pl.Series(["S", None], dtype=pl.Enum(["S", "M"])),
            "is_paid": [True, None],
            "nothing": pl.Series([None, None]),
            "x": ["a", "b"],
        }
    )
    first, second = read_contacts(table.drop("nothing")).values.tolist()
    assert first == [
        "772000001", "2026-01-05", "2026-01-05 11:30", "2026-01-05 14:30", "14:30", "12.50", "0.1", "Gulu",
        "S", "TRUE", "a",
    ]  # fmt: skip
    assert second == [""] * 10 + ["b"]
    assert read_contacts(table)["nothing"].tolist() == ["", ""]


@pytest.mark.parametrize(
    "listed",
    [
        pl.DataFrame({"phone": ["0772000002"]}),
        pl.Series(["0772000002"]),
        pl.Series("stop", [772000002]),
        pa.array(["0772000002"]),
        pa.chunked_array([["0772000002"]]),
        pa.table({"phone": ["0772000002"]}),
        np.array([772000002]),
        pd.Index(["0772000002"]),
        pd.array([772000002], "Int64"),
    ],
    ids=["polars", "column", "numbers", "Array", "ChunkedArray", "Table", "numpy", "Index", "Int64"],
)
def test_lists_of_other_libraries_leave_people_out(listed):
    people = pl.DataFrame(PEOPLE)
    for argument, status in (("opt_outs", "opted_out"), ("not_again", "duplicate")):
        plan = prepare(people, **SENDING, **{argument: listed})
        assert plan.contacts["status"].tolist() == ["not_sent", status]
    assert prepare(people, opt_outs=["0772000001", listed], **SENDING).messages.empty


def test_rows_of_a_polars_frame_are_marked_by_its_own_columns():
    people = pl.DataFrame(PEOPLE)
    plan = prepare(people, opt_outs=people["name"] == "Brian", **SENDING)
    assert plan.contacts["status"].tolist() == ["not_sent", "opted_out"]


def test_a_stream_that_was_read_says_so():
    """As when a cell of a notebook is run again."""
    stream = pa.table(PEOPLE).to_reader()
    assert len(prepare(stream, **SENDING).messages) == 2
    with refused("stream_used", FileError):
        prepare(stream, **SENDING)
    assert len(read_contacts(pl.DataFrame(PEOPLE).head(0))) == 0


def test_a_stream_that_fails_is_a_sentence():
    class Lost:
        def __arrow_c_stream__(self, requested_schema=None):
            raise RuntimeError("connection lost")

    with refused("table_unreadable", FileError):
        read_contacts(Lost())


def test_a_frame_that_has_no_rows_yet_is_named_with_its_library():
    with refused("wrong_value", UsageError):
        prepare(pl.DataFrame(PEOPLE).lazy(), **SENDING)


def test_two_columns_of_one_name_in_a_table_of_arrow():
    table = pa.Table.from_arrays([pa.array(["1"]), pa.array(["2"])], names=["phone", "phone"])
    with refused("columns_alike", ColumnError, columns=["phone", "phone"], letters=["A", "B"]):
        read_contacts(table)


def test_moments_with_offsets_show_the_time_of_their_own_clock():
    """12:00 in London and 15:00 in Kampala are one moment, and two cells."""
    offsets = [dt.timezone(dt.timedelta(hours=hours)) for hours in (0, 3)]
    moments = [dt.datetime(2026, 1, 5, 12 + 3 * place, tzinfo=one) for place, one in enumerate(offsets)]
    table = read_contacts(frame(pd.Series(moments, dtype=object)))
    assert table["phone"].tolist() == ["2026-01-05 12:00", "2026-01-05 15:00"]
