"""Folding, for every character there is: what makes another text and what does not; hashes of texts."""

import sys
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.arrow_text import COMPOSABLE, matches, normalize_texts, text_array
from campaign.messages.text import folding
from campaign.messages.text.folding import text_hashes


def fold(text):
    return " ".join(unicodedata.normalize("NFC", text).split())


@pytest.fixture(scope="module")
def characters():
    """Every character there is."""
    return [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF]


def test_every_white_space_is_folded(characters):
    spaces = text_array([f"a{character}b" for character in characters])
    plain = np.flatnonzero([text == "a b" for text in folding.folded(spaces).to_pylist()])
    assert [characters[place] for place in plain] == [
        character for character in characters if character.isspace()
    ]


def test_a_column_of_nothing_but_ascii_is_folded_alike():
    spaces = [chr(code) for code in range(128) if chr(code).isspace()]
    texts = [form.format(space) for space in spaces for form in ("{0}a b", "a{0}b", "a b{0}", "a {0}b")]
    assert folding.folded(text_array(texts)).to_pylist() == ["a b"] * len(texts)
    assert folding.folded(text_array([])).to_pylist() == []


def test_every_character_that_nfc_may_change_is_looked_for(characters):
    """A text is normalized only if it has one of these: changed alone, behind a mark or a letter."""
    alone = text_array(characters)
    others = ~matches(alone, COMPOSABLE)
    for before in ("", "a\u0345"):  # U+0345 is of the last class: any other mark behind it is moved before it
        texts = text_array([before + character for character in characters])
        changed = [
            one != other
            for one, other in zip(texts.to_pylist(), normalize_texts(texts).to_pylist(), strict=True)
        ]
        assert [characters[place] for place in np.flatnonzero(np.array(changed) & others)] == []
    decompositions = [unicodedata.decomposition(character).split() for character in characters]
    pairs = [
        "".join(chr(int(code, 16)) for code in pair)
        for pair in decompositions
        if len(pair) == 2 and "<" not in pair[0]
    ]
    unnoticed = ~matches(text_array(pairs), COMPOSABLE)
    assert [pairs[place] for place in np.flatnonzero(unnoticed)] == []


@given(st.lists(st.text(max_size=12), max_size=12))
def test_folding_a_column_is_folding_each_text(texts):
    assert folding.folded(text_array(texts)).to_pylist() == [fold(text) for text in texts]


@pytest.mark.parametrize("text", ["  Grüße aus Köln", "Grüße  aus\nKöln\u00a0", "Gru\u0308ße aus Ko\u0308ln"])
def test_spaces_and_the_way_an_accent_is_typed_make_no_other_hash(text):
    assert text_hashes(text_array([text])).tolist() == text_hashes(text_array(["Grüße aus Köln"])).tolist()


def test_whatever_else_differs_makes_another_hash():
    texts = ["Hi Ann", "Hi Anne", "hi Ann", "HiAnn", "Hi Ann.", ""]
    assert len({*text_hashes(text_array(texts)).tolist()}) == len(texts)


def test_a_hash_stays_what_it_was_in_every_version():
    """Folders on disk hold these: a version that computes them otherwise would send everything again."""
    hashes = text_hashes(text_array(["Hi Aisha", "", "Grüße aus Köln 🎉"]))
    assert hashes.tolist() == [4513415484166440349, 1760245841805064774, -3222395628618122579]


def test_pieces_of_a_split_text_are_folded_singly():
    pieces, whole = text_array(["Hi ", " Ann", "Hi Ben"]), text_array(["Hi\nAnn", "Hi Ben"])
    hashes = text_hashes(pieces, np.array([2, 1])).tolist()
    assert hashes[1] == text_hashes(whole)[1]
    assert hashes[0] not in text_hashes(whole).tolist()  # two messages are not one that has both texts
    assert hashes == text_hashes(text_array(["Hi", "Ann ", "Hi  Ben"]), np.array([2, 1])).tolist()
