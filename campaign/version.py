"""The version of this package; pyproject.toml takes it from here, because asking the installer takes 6 ms."""

import re
import sys

VERSION = "0.1.0"
# The floors of pyproject.toml for what may be loaded already when a session has installed this package.
FLOORS = {"pandas": "3", "pyarrow": "23.0.1", "aiohttp": "3.14.3"}


def outdated() -> str:
    """Which library this session has loaded in a version that is too old, and what to do; "" for none."""
    for name, floor in FLOORS.items():
        loaded = str(getattr(sys.modules.get(name), "__version__", ""))
        if (numbers := _numbers(loaded)) and numbers < _numbers(floor):
            return (
                f"campaign needs {name} {floor} or later, and this session has loaded {name} {loaded[:40]}. "
                "Restart the session, then import campaign again. If that does not help, run: "
                f'pip install --upgrade "{name}>={floor}"'
            )
    return ""


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)[:3]]
