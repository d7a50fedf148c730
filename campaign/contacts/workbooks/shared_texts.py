"""The texts that the cells of an .xlsx workbook share: how much they become once each cell has its own."""

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from campaign.contacts.workbooks.archives import DAMAGED
from campaign.errors import FileError

_END = re.compile(rb"</(?:[\w.-]+:)?si>")
_USE = re.compile(rb"""\st=["']s["'][^<>]*>\s*(?:<f[^<>]*>[^<]*</f>)?\s*<v>\s*(\d{1,9})\s*</v>""")
_SAID = re.compile(rb"""\st\s*=\s*["']s["']""")


def text_lengths(pieces: Iterable[bytes]) -> NDArray[np.int64]:
    """The bytes that each shared text takes, markup included. Refuses a document type."""
    lengths: list[int] = []
    rest = b""
    for piece in pieces:
        rest += piece
        if b"<!DOCTYPE" in rest:
            raise FileError(DAMAGED.format("a part declares a document type"))
        *texts, rest = _END.split(rest) if b":si>" in rest else rest.split(b"</si>")
        lengths += map(len, texts)
    return np.array([*lengths, len(rest)], dtype=np.int64)


def hold_texts(lengths: NDArray[np.int64], cells: int, sheet: Iterable[bytes], max_bytes: int) -> None:
    """Refuse a sheet whose texts would take more than `max_bytes`; it is looked at only if they could."""
    if int(lengths.max()) * cells <= max_bytes:
        return
    total, rest = 0, b""
    for piece in sheet:
        rest += piece
        cut = rest.rfind(b"<")  # of a cell that is cut in two, the part before its value is kept
        cut = rest.rfind(b"<c", 0, cut) if cut > 0 else 0
        whole, rest = rest[: max(cut, 0)], rest[max(cut, 0) :]
        total += _size(whole, lengths)
        if total > max_bytes:
            break
    if total + _size(rest, lengths) > max_bytes:
        raise FileError(
            f"The texts of the sheet take more than {max_bytes:,} bytes: long ones stand in very many cells. "
            "If it is meant, give a larger max_bytes=."
        )


def _size(xml: bytes, lengths: NDArray[np.int64]) -> int:
    used = np.array([int(number) for number in _USE.findall(xml)], dtype=np.int64)
    unusual = len(_SAID.findall(xml)) - len(used)  # written in another way: the longest text is assumed
    return int(lengths[np.minimum(used, len(lengths) - 1)].sum()) + unusual * int(lengths.max())
