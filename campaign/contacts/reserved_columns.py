"""The columns that plans and results add to a contact table, and how the file's columns make way for them."""

from collections.abc import Callable, Iterable

PLAN_COLUMNS = ("status", "why", "reason")
OUTCOME_COLUMNS = (*PLAN_COLUMNS, "batch", "code")
INDEX = "row"  # the name of the row numbers, beside which a column of this very name would be a second one
# The same numbers where two files have some: of the own spreadsheet, and of the file that is shown.
OWN_ROW, FILE_ROW = "row in your own spreadsheet", "row in this file"
SUFFIX = " (your column)"


def without_suffixes(name: str) -> str:
    """The name that was given, or came, with any number of suffixes."""
    while name.casefold().endswith(SUFFIX):
        name = name[: -len(SUFFIX)]
    return name


def is_reserved(name: str) -> bool:
    """Whether this is such a name in any case, with any number of suffixes."""
    return without_suffixes(name).casefold() in (INDEX, *OUTCOME_COLUMNS)


def file_names(columns: Iterable[str], collides: Callable[[str], bool] = is_reserved) -> list[str]:
    """The columns of a file under names that leave those of the outcome and of the row numbers free:
    "status" -> "status (your column)".

    A column that is called so already gets the suffix once more, so that `original_names` can take every
    one back and no two columns get one name.
    """
    return [f"{name}{SUFFIX}" if collides(name) else name for name in columns]


def original_names(columns: Iterable[str], collides: Callable[[str], bool] = is_reserved) -> list[str]:
    """What `file_names` was given: "status (your column)" -> "status"."""
    return [name[: -len(SUFFIX)] if collides(name) and name.endswith(SUFFIX) else name for name in columns]
