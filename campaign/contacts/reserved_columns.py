"""The columns that plans and results add to a contact table, and how the file's columns make way for them."""

from collections.abc import Iterable

OUTCOME_COLUMNS = ("status", "reason", "batch", "code")
SUFFIX = " (file)"


def file_names(columns: Iterable[str]) -> list[str]:
    """The columns of a file under names that leave the outcome columns free: "status" -> "status (file)".

    A column that is called so already gets the suffix once more, so that `original_names` can take every
    one back and no two columns get one name.
    """
    return [f"{name}{SUFFIX}" if _collides(name) else name for name in columns]


def original_names(columns: Iterable[str]) -> list[str]:
    """What `file_names` was given: "status (file)" -> "status"."""
    return [name[: -len(SUFFIX)] if _collides(name) and name.endswith(SUFFIX) else name for name in columns]


def _collides(name: str) -> bool:
    """Whether this is the name of an outcome column, in any case and with any number of suffixes."""
    name = name.casefold()
    while name.endswith(SUFFIX):
        name = name.removesuffix(SUFFIX)
    return name in OUTCOME_COLUMNS
