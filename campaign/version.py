"""The version of this package; pyproject.toml takes it from here, because asking the installer takes 6 ms."""

import re
import sys

VERSION = "0.1.0"
# The floors of pyproject.toml for what may be loaded already when a session has installed this package.
FLOORS = {"pandas": "3", "numpy": "2", "pyarrow": "26", "aiohttp": "3.14.3"}


def outdated() -> dict[str, str]:
    """The library that this session has loaded in a version below its floor; empty if there is none."""
    for name, floor in FLOORS.items():
        loaded = str(getattr(sys.modules.get(name), "__version__", ""))
        if (numbers := _numbers(loaded)) and numbers < _numbers(floor):
            return {"library": name, "floor": floor, "loaded": f"{name} {loaded[:40]}"}
    return {}


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)[:3]]
