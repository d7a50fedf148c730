"""A merged area of a sheet."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Merge:
    """A merged area: row numbers as in the sheet, columns counted from 0, all inclusive."""

    top: int
    left: int
    bottom: int
    right: int
