"""What a catalogue says of many findings with one code: its template is filled in for all rows at once.

A fact is one value for all rows, or an Arrow array with one for each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from string import Formatter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from campaign.arrow_text import Bools, TextArray, as_text, choose_texts, join_texts, strip_texts, text_array
from campaign.words.catalogue import FACT, OPTIONAL, Catalogue
from campaign.words.finding import Finding
from campaign.words.stored import as_json


def per_row(facts: Mapping[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """The facts, those that have a value for each row changed: some of the rows taken."""
    return {name: change(fact) if isinstance(fact, pa.Array) else fact for name, fact in facts.items()}


def texts_of(catalogue: Catalogue, code: str, facts: Mapping[str, Any]) -> TextArray:
    """The headline and the remedy: one text if no fact that they name is an array, else one for each row."""
    template = catalogue.template(code)
    facts = {name: facts[name] for name in FACT.findall(template) if name in facts}
    if not any(isinstance(fact, pa.Array) for fact in facts.values()):
        return text_array([catalogue.text(Finding(code, facts))])
    pieces: list[TextArray | str] = []
    for place, part in enumerate(OPTIONAL.split(template)):
        pieces += _optional(catalogue, part, facts) if place % 2 else _filled(catalogue, part, facts)
    if all(isinstance(piece, str) for piece in pieces):
        return text_array(["".join(map(str, pieces)).strip()])
    return strip_texts(join_texts(*pieces))


def _filled(catalogue: Catalogue, template: str, facts: Mapping[str, Any]) -> list[TextArray | str]:
    pieces: list[TextArray | str] = []
    for literal, name, format_spec, conversion in Formatter().parse(template):
        pieces.append(literal)
        if name is not None:
            pieces.append(_written(catalogue, facts[name], format_spec or "", conversion))
    return pieces


def _written(catalogue: Catalogue, fact: Any, format_spec: str, conversion: str | None) -> TextArray | str:
    if not isinstance(fact, pa.Array):
        return catalogue.fact(fact, format_spec, conversion)
    if format_spec == "#":
        return as_text(fact)
    return _map_distinct(fact, lambda value: catalogue.fact(value, format_spec, conversion))


def _map_distinct(values: Any, function: Any) -> TextArray:
    encoded = values.dictionary_encode()
    return text_array(map(function, encoded.dictionary.to_pylist())).take(encoded.indices)


def _optional(catalogue: Catalogue, template: str, facts: Mapping[str, Any]) -> list[TextArray | str]:
    """The pieces of a part that is left out where a fact is missing, empty or zero."""
    needed = [facts.get(name) for name in FACT.findall(template)]
    if not all(isinstance(fact, pa.Array) or fact for fact in needed):
        return []
    pieces = _filled(catalogue, template, facts)
    arrays = [fact for fact in needed if isinstance(fact, pa.Array)]
    if not arrays:
        return pieces
    is_missing = np.logical_or.reduce([_is_empty(array) for array in arrays])
    return [choose_texts(is_missing, "", join_texts(*pieces))]


def _is_empty(facts: pa.Array[Any]) -> Bools:
    nothing = 0 if pa.types.is_integer(facts.type) else ""
    empty: Any = pc.equal(facts, pa.scalar(nothing, facts.type))
    return np.asarray(empty, dtype=bool)


def facts_as_json(facts: Mapping[str, Any]) -> TextArray:
    """The facts as JSON, to be kept with issues: one text, or one for each row if a fact is an array."""
    arrays = {name: fact for name, fact in facts.items() if isinstance(fact, pa.Array)}
    shared = as_json({name: fact for name, fact in facts.items() if name not in arrays})
    if not arrays:
        return text_array([shared])
    pieces: list[TextArray | str] = [shared[:-1]]
    for name, array in arrays.items():
        separator = ", " if len(pieces) > 1 or len(shared) > 2 else ""
        texts = as_text(array) if pa.types.is_integer(array.type) else _map_distinct(array, as_json)
        pieces += [f"{separator}{as_json(name)}: ", texts]
    return join_texts(*pieces, "}")
