"""Parquet files of a few kilobytes that unpack to gigabytes, or that no reader should follow.

Most are written by hand, in Thrift's compact form: no library writes a page of 2,000,000,000 rows.
"""

import io
import struct

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

BYTES, INT64, UTF8, SIGNED_64 = 6, 2, 0, 18  # types of columns, and what they stand for
PLAIN, DICTIONARY, ZSTD, BROTLI = 0, 8, 6, 4


def varint(number):
    out = b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def record(*fields):
    """A Thrift struct of (field number, value): int, (int64,), text, [structs], or bytes of a struct."""
    out, last = b"", 0
    for number, value in fields:
        if isinstance(value, int | tuple):
            kind, value = (6, value[0]) if isinstance(value, tuple) else (5, value)
            data = varint(value << 1)
        elif isinstance(value, str):
            kind, data = 8, varint(len(value)) + value.encode()
        elif isinstance(value, list):
            kind, data = 9, bytes([0xFC]) + varint(len(value)) + b"".join(value)
        else:
            kind, data = 12, value
        out, last = out + bytes([(number - last) << 4 | kind]) + data, number
    return out + b"\0"


def page(rows, body, encoding=PLAIN, *, packed=None, claimed=None):
    """A data page, or with `rows=None` a dictionary page of one value."""
    packed = body if packed is None else packed
    sizes = ((2, len(body) if claimed is None else claimed), (3, len(packed)))
    if rows is None:
        return record((1, 2), *sizes, (7, record((1, 1), (2, 2)))) + packed
    levels = ((3, 3), (4, 3))
    return record((1, 0), *sizes, (5, record((1, rows), (2, encoding), *levels))) + packed


def ended(body, footer):
    return b"PAR1" + body + footer + struct.pack("<I", len(footer)) + b"PAR1"


def column_file(dictionary, data, rows, *, kind=BYTES, meaning=UTF8, codec=0):
    """A file of one column called phone."""
    pages = dictionary + data
    sizes = ((5, (rows,)), (6, (len(pages),)), (7, (len(pages),)), (9, (4 + len(dictionary),)))
    start = ((11, (4,)),) if dictionary else ()
    encodings = bytes([0x35, 0, 6, 16])  # a list of three numbers: plain, run-length, dictionary
    path = bytes([0x18, 5]) + b"phone"
    about = bytes([0x15, kind << 1, 0x19]) + encodings + bytes([0x19]) + path + bytes([0x15, codec << 1])
    fields = record(*((number - 4, value) for number, value in (*sizes, *start)))
    chunk = record((2, (4,)), (3, about + fields))
    group = record((1, [chunk]), (2, (len(pages),)), (3, (rows,)))
    schema = [record((4, "schema"), (5, 1)), record((1, kind), (3, 1), (4, "phone"), (6, meaning))]
    return ended(pages, record((1, 2), (2, schema), (3, (rows,)), (4, [group])))


def runs(rows, value):
    """The levels of a page: the same for all of its rows."""
    data = varint(rows << 1) + bytes([value])
    return struct.pack("<I", len(data)) + data


def nulls(rows):
    """A page that says in ten bytes that all of its rows are empty."""
    return column_file(b"", page(rows, runs(rows, 0)), rows)


def same_text(rows, text):
    """A text in the dictionary, which each row of a page of a dozen bytes names."""
    dictionary = page(None, struct.pack("<I", len(text)) + text)
    body = runs(rows, 1) + b"\1" + varint(rows << 1) + b"\0"
    return column_file(dictionary, page(rows, body, DICTIONARY), rows)


def same_number(rows):
    """A number in the dictionary, and indices of no bits at all."""
    dictionary = page(None, struct.pack("<q", 772000001))
    body = runs(rows, 1) + b"\0" + varint(rows << 1)
    data = page(rows, body, DICTIONARY)
    return column_file(dictionary, data, rows, kind=INT64, meaning=SIGNED_64)


def long_text(size, codec, number):
    """One cell that packs a thousand to one."""
    body = runs(1, 1) + struct.pack("<I", size) + b"x" * size
    packed = pa.compress(body, codec=codec, asbytes=True)
    return column_file(b"", page(1, body, packed=packed), 1, codec=number)


def claimed_page():
    """A page that claims to unpack to 2 GB, and does not."""
    packed = pa.compress(bytes(1000), codec="zstd", asbytes=True)
    return column_file(b"", page(1000, b"", packed=packed, claimed=2**31 - 1), 1000, codec=ZSTD)


def wide(rows, columns):
    """Many columns of one text each."""
    text = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, "int8")), pa.array(["x"]))
    table, target = pa.table({f"c{place}": text for place in range(columns)}), io.BytesIO()
    pq.write_table(
        table, target, compression="zstd", row_group_size=rows, write_statistics=False, store_schema=False
    )
    return target.getvalue()


def deep(levels):
    """Groups in groups."""
    groups = [record((3, 1), (4, "a"), (5, 1))] * levels
    leaf = record((1, BYTES), (3, 1), (4, "a"), (6, UTF8))
    schema = [record((4, "schema"), (5, 1)), *groups, leaf]
    return ended(b"", record((1, 2), (2, schema), (3, (0,)), (4, [])))


def crowded(count):
    """A footer of a hundred thousand row groups that say nothing."""
    schema = [record((4, "schema"), (5, 1)), record((1, BYTES), (3, 1), (4, "phone"), (6, UTF8))]
    return ended(b"", record((1, 2), (2, schema), (3, (0,)), (4, [b"\0"] * count)))
