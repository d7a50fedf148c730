"""The version of this package."""

from functools import cache


@cache
def installed_version() -> str:
    """As it was installed; looked up where it is needed, because that takes 3 ms the first time."""
    from importlib.metadata import version

    return version("campaign")
