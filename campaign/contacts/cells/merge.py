"""A merged area of a sheet."""

from typing import NamedTuple


class Merge(NamedTuple):
    """A merged area: row numbers as in the sheet, columns counted from 0, all inclusive."""

    top: int
    left: int
    bottom: int
    right: int
