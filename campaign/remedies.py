"""Remedies in sentences: written as Python, they are taken out or renamed for people who do not program.

Sentences name arguments, `region=` or `overlong="truncate"`, and calls, `campaign.send(...)`. What somebody
else wrote stands in curly quotes and is never taken for a remedy.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pandas as pd
import pyarrow as pa

from campaign.arrow_text import array_to_series, map_unique, matches, replace_where, series_to_array
from campaign.text import capitalised

# The choice of the composer that files name, too: whoever corrects rows may tell the sender to choose it.
EVERY_TEXT = "Send every different text"
ADD_COST = "Add this cost"  # a button of the composer
Named = Callable[[str, str], str]  # what a person calls a parameter with a value; "" if nothing

_CALL_OF_NOBODY = "_()"
_ARGUMENT = re.compile(r"(?<![\w.?&/-])([a-z]+(?:_[a-z]+)*)=(\"[^\"]*\"|\[[^\]]*\]|\{[^}]*\}|\w+)?")
_CODE = re.compile(
    r"\b(?:campaign|pandas|plan|result|getpass)\.[a-z]\w+|\b[A-Za-z_.]+\([^)]*\)|\b[a-z]+_[a-z_]+\b"
)
_MAY_BE_CODE = r"[=(_|]|\b(?:campaign|pandas|plan|result|getpass)\."
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+(?=[\"“A-Z{\x00])")
_CLAUSE = re.compile(r"(; |: |, or |, and |, for example )")
_PLACEHOLDER = re.compile(r"(?<=\bwrite )\{[^{}]*\}")  # for whoever writes the text
_QUOTED = re.compile(r"\"[^\"]*\"|\{[^}]*\}")
_OTHERS_WORDS = re.compile(r"“[^”]*”")
_KEPT = "\x00"  # around the number of somebody else's words while they are taken out
_KEPT_PLACE = re.compile(f"{_KEPT}(\\d+){_KEPT}")


def without_code(text: str, named: Named = lambda parameter, value: "") -> str:
    """The text without Python in it; clauses that say nothing else are left out.

    `named` says what a face of the package calls a parameter with a value: that takes the place of the code.
    """
    others = _OTHERS_WORDS.findall(text)
    places = iter(f"{_KEPT}{place}{_KEPT}" for place in range(len(others)))
    own = _OTHERS_WORDS.sub(lambda _: next(places), text)
    lines = [_line_without_code(line, named) for line in own.splitlines()]
    plain = "\n".join(line for line in lines if line)
    return _KEPT_PLACE.sub(lambda match: others[int(match[1])], plain)


def in_curly_quotes(text: str) -> str:
    """What somebody else wrote, as sentences quote it: nothing in it is taken for a remedy."""
    return "“" + text.replace("”", '"') + "”"


def texts_without_code(texts: pd.Series[Any]) -> pd.Series[str]:
    """A column of sentences without Python in them, for people who correct cells and write no text."""
    values = series_to_array(texts)
    may_be_code = matches(values, _MAY_BE_CODE)
    plain = map_unique(values.filter(pa.array(may_be_code)), text_without_code)
    return array_to_series(replace_where(values, may_be_code, plain), texts.index)


def text_without_code(text: str) -> str:
    """The same for one sentence."""
    return without_code(_PLACEHOLDER.sub(_CALL_OF_NOBODY, text), _named_in_files)


def _named_in_files(parameter: str, value: str) -> str:
    return f"“{EVERY_TEXT}”" if (parameter, value) == ("duplicates", '"keep"') else ""


def _line_without_code(line: str, named: Named) -> str:
    sentences = (_sentence_without_code(sentence, named) for sentence in _SENTENCE_END.split(line))
    return " ".join(sentence for sentence in sentences if sentence)


def _sentence_without_code(sentence: str, named: Named) -> str:
    """The clauses of a sentence that hold no code; "" if there is none."""
    pieces = _CLAUSE.split(_ARGUMENT.sub(lambda m: named(m[1], m[2] or "") or _CALL_OF_NOBODY, sentence))
    kept, ends = "", ".?!:…"
    for separator, clause in zip(["", *pieces[1::2]], pieces[::2], strict=True):
        is_code = _CODE.search(_QUOTED.sub("", clause))
        kept += "" if is_code else (separator if kept else "") + clause
        ends = ".?!:…" if is_code else f'.?!:…”"{_KEPT}'  # what is quoted at the end has an end of its own
    kept = capitalised(kept)
    return kept if not kept or kept[-1] in ends else f"{kept}."
