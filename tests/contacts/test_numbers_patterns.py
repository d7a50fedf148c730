"""Patterns over digits, compared with Python's own regular expressions."""

import random
import re
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.written_numbers import REGIONS, TYPES

from campaign.contacts.phone_numbers import libphonenumber
from campaign.contacts.phone_numbers.digit_columns import MARGIN, Digits, as_integers
from campaign.contacts.phone_numbers.digit_patterns import DigitPatterns
from campaign.contacts.phone_numbers.pattern_syntax import END, UnknownPatternError

NOWHERE = -1


def digits_of(texts):
    return Digits.of(texts, np.full(len(texts), NOWHERE))


def matched(patterns, texts, full_match=True):
    """For each text the patterns that it matches."""
    patterns_of_digits, digits = DigitPatterns(), digits_of(texts)
    start = patterns_of_digits.add((pattern, pattern, full_match) for pattern in patterns)
    steps = int(digits.length.max()) + 1
    states = patterns_of_digits.run(digits.stream, digits.start, np.full(len(texts), start, np.int32), steps)
    return [patterns_of_digits.labels(state) for state in states]


def matched_prefixes(pattern, texts):
    """For each text how much of it the pattern matches, and whether its last group took part."""
    patterns_of_digits, digits = DigitPatterns(), digits_of(texts)
    start = patterns_of_digits.add_prefix(pattern, re.compile(pattern).groups)
    starts = np.full(len(texts), start, np.int32)
    lengths, with_group = patterns_of_digits.match_prefixes(digits.stream, digits.start, starts)
    return list(zip(lengths.tolist(), with_group.tolist(), strict=True))


def expected_prefix(pattern, text):
    """The same by Python's own `re`."""
    match = re.match(pattern, text)
    groups = match.groups() if match else ()
    return (match.end() if match else -1), bool(groups and groups[-1] is not None)


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("7", ["7"], ["", "77", "8"]),
        (r"7\d{2}", ["700", "799"], ["70", "7000"]),
        ("[2-46]", ["2", "3", "4", "6"], ["1", "5", "7"]),
        (r"1\d{1,3}", ["10", "1000"], ["1", "10000"]),
        ("(?:12|3)4?", ["12", "124", "3", "34"], ["1", "4", "123"]),
        ("", [""], ["0"]),
        ("1(?:2|)3", ["123", "13"], ["12"]),
    ],
)
def test_a_pattern_must_match_the_whole_number(pattern, yes, no):
    assert matched([pattern], yes + no) == [{pattern}] * len(yes) + [set()] * len(no)


def test_a_prefix_pattern_matches_every_number_that_begins_with_it():
    assert matched(["26[48]"], ["264", "2645551234", "2655551234", "26"], full_match=False) == [
        {"26[48]"},
        {"26[48]"},
        set(),
        set(),
    ]


@pytest.mark.parametrize("pattern", ["a", "(?=1)", "1*", "1+", "(1", "1)", "?", "[^1]", "1{2,}", r"\D", "^1"])
def test_unsupported_syntax_is_refused(pattern):
    with pytest.raises(UnknownPatternError):
        DigitPatterns().add([(pattern, "", True)])


@pytest.mark.parametrize("region", REGIONS[::7])
def test_the_patterns_of_a_region(region):
    rng = random.Random(region)
    metadata = libphonenumber.metadata(libphonenumber.code_by_region()[region], region)
    descriptions = [getattr(metadata, kind) for kind in ("general_desc", *TYPES)]
    descriptions = [description for description in descriptions if description is not None]
    patterns = {description.national_number_pattern for description in descriptions} - {None}
    texts = ["".join(rng.choices("0123456789", k=rng.randint(4, 11))) for _ in range(300)]
    examples = [description.example_number for description in descriptions if description.example_number]
    texts += [example + rng.choice(("", "", "1")) for example in examples]
    assert matched(patterns, texts) == [
        {pattern for pattern in patterns if re.fullmatch(pattern, text)} for text in texts
    ]


@pytest.mark.parametrize("region", REGIONS)
def test_the_prefixes_of_a_region(region):
    rng = random.Random(region)
    metadata = libphonenumber.metadata(libphonenumber.code_by_region()[region], region)
    for pattern in filter(None, (metadata.national_prefix_for_parsing, metadata.international_prefix)):
        likely = ("", "0", "00", "1", "8", "90", "15", *re.findall(r"\d+", pattern))
        texts = [
            rng.choice(likely) + "".join(rng.choices("0123456789", k=rng.randint(0, 12))) for _ in range(100)
        ]
        assert matched_prefixes(pattern, texts) == [expected_prefix(pattern, text) for text in texts]


pieces = st.recursive(
    st.sampled_from(["0", "1", "2", r"\d", "[0-4]", "[15-9]"]),
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=4).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        inner.map(lambda part: f"(?:{part})?"),
        inner.map(lambda part: f"(?:{part}){{1,3}}"),
    ),
    max_leaves=8,
)


@given(pattern=pieces, texts=st.lists(st.text("0123456789", max_size=8), min_size=1, max_size=20))
def test_any_pattern(pattern, texts):
    assert matched([pattern], texts) == [{pattern} if re.fullmatch(pattern, t) else set() for t in texts]


@given(
    first=pieces, second=pieces, texts=st.lists(st.text("0123456789", max_size=8), min_size=1, max_size=20)
)
def test_any_prefix(first, second, texts):
    """The preferred alternative decides, as in `re.match`, and so does the group."""
    pattern = f"(?:0|90)?(?:({first})|{second})"
    assert matched_prefixes(pattern, texts) == [expected_prefix(pattern, text) for text in texts]


def test_threads_may_fill_one_table_together():
    pattern = r"(?:[0-4]\d{3}|[5-9]\d{5}|12(?:3|45)\d{2,4})\d"
    rng = random.Random(1)
    texts = ["".join(rng.choices("0123456789", k=rng.randint(3, 8))) for _ in range(5_000)]
    patterns_of_digits, digits = DigitPatterns(), digits_of(texts)
    start = np.full(len(texts), patterns_of_digits.add([(pattern, "label", True)]), np.int32)
    results = []

    def run():
        states = patterns_of_digits.run(digits.stream, digits.start, start, 9)
        results.append([bool(patterns_of_digits.labels(state)) for state in states])

    threads = [threading.Thread(target=run) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [[bool(re.fullmatch(pattern, text)) for text in texts]] * 6


@given(texts=st.lists(st.text("0123456789+ -", max_size=19), min_size=1, max_size=10))
def test_digits_of_texts(texts):
    digits = digits_of(texts)
    kept = [re.sub(r"\D", "", text) for text in texts]
    assert [digits.text(row).lstrip("+") for row in range(len(texts))] == kept
    assert digits.leading_zeros.tolist() == [len(text) - len(text.lstrip("0")) for text in kept]
    copied = digits.behind("0")
    assert [copied.text(row).lstrip("+") for row in range(len(texts))] == ["0" + text for text in kept]
    assert as_integers(digits.stream, digits.start, digits.length).tolist() == [
        int(text or 0) for text in kept
    ]
    digits.replace(np.array([0]), copied.take(np.array([0])))
    assert digits.text(0).lstrip("+") == "0" + kept[0]
    for column in (digits, copied):
        assert (column.stream[column.start + column.length] == END).all()
        assert (column.stream[-MARGIN:] == END).all()
