"""Libraries that only some functions need, and how to get them.

They are named themselves, because `pip install "campaign[dask]"` asks PyPI for a package called campaign,
which need not be this one.
"""

from importlib.util import find_spec

from campaign.errors import InstallationError

# What pip is asked for; the same as in the extras of pyproject.toml.
REQUIREMENTS = {
    "anywidget": "anywidget>=0.9",
    "dask": "dask[dataframe,distributed]>=2026.8",
    "itables": "itables[widget]>=2.9,<2.10",
    "keyring": "keyring>=25",
    "psycopg": "psycopg[binary]>=3.3",
    "sqlalchemy": "sqlalchemy>=2.1",
}


def missing(*libraries: str) -> list[str]:
    """Those of these libraries that are not installed."""
    return [library for library in libraries if find_spec(library) is None]


def require(*libraries: str) -> None:
    """Raise `InstallationError`, with the command that installs them, if some libraries are missing."""
    if absent := missing(*libraries):
        install = " ".join(f'"{REQUIREMENTS[library]}"' for library in absent)
        raise InstallationError("library_missing", libraries=absent, install=install)
