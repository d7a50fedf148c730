"""What is said of whole columns is what the catalogue says of each row."""

import json

import pyarrow as pa
import pytest

from campaign.words.catalogue import Catalogue
from campaign.words.columns import facts_as_json, texts_of
from campaign.words.finding import Finding
from campaign.words.stored import from_json

ROWS = {"batch": [0, 1, 1_200], "given": ["", "vi'sits", "visits"]}
TEMPLATES = [
    "Batch {batch:#}.",
    "{batch:row} {batch:|is|are} left.",
    "{given!r} is wrong[[: batch {batch:#}]].",
    "It is {needs}[[, not {given!r}]][[ ({batch:row})]].",
    "[[Write {given}.]]",
    "It is {needs}.",
]


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_column_says_what_each_row_says(template):
    catalogue = Catalogue({"wrong_value": template}, {"wrong_value": "[[Write {given}.]]"})
    arrays = {name: pa.array(values) for name, values in ROWS.items()}
    texts = texts_of(catalogue, "wrong_value", {"needs": "a path", **arrays})
    each = [
        catalogue.text(Finding("wrong_value", {"needs": "a path", "batch": batch, "given": given}))
        for batch, given in zip(*ROWS.values(), strict=True)
    ]
    assert texts.to_pylist() == each


def test_facts_are_kept_row_by_row():
    facts = {"needs": "a “path”", "rows": [1, 2], "batch": pa.array([3, 4]), "given": pa.array(["a\n", '"'])}
    kept = facts_as_json(facts).to_pylist()
    shared = {"needs": "a “path”", "rows": [1, 2]}
    assert list(map(from_json, kept)) == [
        shared | {"batch": 3, "given": "a\n"}, shared | {"batch": 4, "given": '"'},
    ]  # fmt: skip
    assert json.loads(kept[0])["batch"] == 3
