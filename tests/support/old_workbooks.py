"""Old Excel workbooks (.xls) made of bytes: no Python library writes the odd ones that tests need.

Sources: [MS-CFB] for the container, [MS-XLS] for the records.
"""

import struct

_END, _FREE, _FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
_SECTOR = 512


def record(kind: int, body: bytes = b"") -> bytes:
    """One record of a workbook's stream."""
    return struct.pack("<2H", kind, len(body)) + body


def label(row: int, column: int, text: str) -> bytes:
    """A cell with a text."""
    return record(0x204, struct.pack("<4H", row, column, 0, len(text)) + text.encode("cp1252"))


def number(row: int, column: int, value: float, style: int = 0) -> bytes:
    """A cell with a number, shown in one of the workbook's styles."""
    return record(0x203, struct.pack("<3Hd", row, column, style, value))


def formula(row: int, column: int, value: bytes, flags: int = 0) -> bytes:
    """A cell with a formula and the eight bytes of its value."""
    return record(0x06, struct.pack("<3H", row, column, 0) + value + struct.pack("<HIH", flags, 0, 0))


def old_workbook(*cells: bytes, sheets: bytes = b"", formats: tuple[str, ...] = ()) -> bytes:
    """An Excel 5 workbook, which has no shared texts. Style i + 1 shows numbers in `formats[i]`."""

    def start(kind: int) -> bytes:
        return record(0x809, struct.pack("<4H", 0x500, kind, 0, 0))

    def head(place: int) -> bytes:
        sheet = record(0x85, struct.pack("<I3B", place, 0, 0, 6) + b"Visits")
        named = [
            struct.pack("<HB", 164 + i, len(text)) + text.encode("cp1252") for i, text in enumerate(formats)
        ]
        styles = [struct.pack("<2H", 0, code) + bytes(12) for code in (0, *range(164, 164 + len(formats)))]
        parts = [(0x42, struct.pack("<H", 1252)), *((0x41E, body) for body in named)]
        parts += [(0xE0, body) for body in styles]
        return start(5) + b"".join(record(*part) for part in parts) + sheet + sheets + record(0x0A)

    return container("Book", head(len(head(0))) + start(16) + b"".join(cells) + record(0x0A))


def container(name: str, stream: bytes) -> bytes:
    """A compound file that holds this one stream."""
    stream = stream.ljust(4096, b"\0")  # smaller ones would live among the mini sectors
    count = -(-len(stream) // _SECTOR)
    tables = -(-(count + 2) // (_SECTOR // 4 - 1))
    lists = -(-max(tables - 109, 0) // (_SECTOR // 4 - 1))
    first = lists + tables + 1  # behind the lists of tables, the tables and the directory
    fat = [_FREE] * (tables * _SECTOR // 4)
    fat[: lists + tables] = [_FAT] * (lists + tables)
    fat[lists + tables] = _END
    fat[first : first + count] = [*range(first + 1, first + count), _END]
    places = list(range(lists, lists + tables))
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<5H6x", 0x3E, 3, 0xFFFE, 9, 6)
    header += struct.pack("<9I", 0, tables, lists + tables, 0, 4096, _END, 0, 0 if lists else _END, lists)
    header += struct.pack(f"<{min(tables, 109)}I", *places[:109]).ljust(436, b"\xff")
    more = b""
    for i in range(lists):
        part = places[109 + i * 127 : 109 + (i + 1) * 127]
        following = i + 1 if i + 1 < lists else _END
        more += struct.pack(f"<{len(part)}I", *part).ljust(508, b"\xff") + struct.pack("<I", following)
    directory = _entry("Root Entry", 5, 1, _END, 0) + _entry(name, 2, _FREE, first, len(stream))
    body = header + more + struct.pack(f"<{len(fat)}I", *fat) + directory.ljust(_SECTOR, b"\0")
    return body + stream.ljust(count * _SECTOR, b"\0")


def _entry(name: str, kind: int, child: int, first: int, size: int) -> bytes:
    text = name.encode("utf-16-le") + b"\0\0"
    tree = struct.pack("<2B3I", kind, 1, _FREE, _FREE, child)
    place = struct.pack("<IQ", first, size)
    return text.ljust(64, b"\0") + struct.pack("<H", len(text)) + tree + bytes(36) + place
