"""The version of this package."""


def installed_version() -> str:
    """As it was installed; looked up where it is needed, because that takes 3 ms."""
    from importlib.metadata import version

    return version("campaign")
