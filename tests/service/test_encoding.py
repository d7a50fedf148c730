"""Columns encoded at once say the same as the standard library does text by text."""

import json
from urllib.parse import quote

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.service.encoding import json_escape, percent_encode

TEXTS = st.lists(
    st.one_of(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
        st.text('Hi Ann, 100%+~é€😀"\\\n\t&=', max_size=40),
        st.text("abcXYZ019-._~", max_size=20),
    ),
    max_size=12,
)


def column(texts):
    return pa.array(texts, pa.large_string())


@given(TEXTS)
def test_percent_encoding_is_the_standard_librarys(texts):
    assert percent_encode(column(texts)).to_pylist() == [quote(text, safe="") for text in texts]


@given(TEXTS)
def test_json_escaping_is_the_standard_librarys(texts):
    expected = [json.dumps(text, ensure_ascii=False)[1:-1] for text in texts]
    assert json_escape(column(texts)).to_pylist() == expected


@given(TEXTS, st.integers(0, 5), st.integers(0, 5))
def test_a_slice_of_a_column_is_encoded_as_itself(texts, start, length):
    part = column(texts).slice(min(start, len(texts)), length)
    assert percent_encode(part).to_pylist() == [quote(text, safe="") for text in part.to_pylist()]
    assert json_escape(part).to_pylist() == [
        json.dumps(text, ensure_ascii=False)[1:-1] for text in part.to_pylist()
    ]


@pytest.mark.parametrize("encode", [percent_encode, json_escape])
def test_the_smaller_kind_of_text_column_will_do_too(encode):
    assert encode(pa.array(["a b", ""], pa.string())) == encode(column(["a b", ""]))


def test_every_byte_on_its_own():
    texts = [chr(code) for code in range(0x800)]
    assert percent_encode(column(texts)).to_pylist() == [quote(text, safe="") for text in texts]


def test_a_space_is_never_a_plus():
    """A plus survives only one of the two kinds of decoder met in the field; %20 survives both."""
    assert percent_encode(column(["a b+c"])).to_pylist() == ["a%20b%2Bc"]


def test_many_scripts_in_one_column():
    texts = ["नमस्ते दुनिया", "你好，世界！", "مرحبا", "Ünïcödé" * 30, "😀👍🏽" * 20, ""] * 50
    assert percent_encode(column(texts)).to_pylist() == [quote(text, safe="") for text in texts]


@pytest.mark.parametrize("shift", range(5))
def test_not_a_byte_is_lost_between_two_blocks(shift):
    """Blocks of 64 KiB end wherever they end: inside a character, beside an escape, between two texts."""
    text = "a" * shift + "Grüße, 5 € 😀 100%! " * 20_000  # eight blocks
    texts = [text, "", text[1:], "é" * 70_000, "b" * 65_536, "c"]
    assert percent_encode(column(texts)).to_pylist() == [quote(text, safe="") for text in texts]
    assert json_escape(column(texts)).to_pylist() == texts
