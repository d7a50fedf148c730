"""The words by which headers, cells and lines of spreadsheets are known: `vocabulary.toml`.

The process that opens workbooks loads this module, so it imports as little as it can.
"""

import tomllib
from pathlib import Path

VOCABULARY = tomllib.loads(Path(__file__).with_name("vocabulary.toml").read_text("utf-8"))


def phrases(section: str, name: str) -> tuple[str, ...]:
    """The words or phrases of one list, which are separated by commas there."""
    return tuple(phrase.strip() for phrase in VOCABULARY[section][name].split(","))
