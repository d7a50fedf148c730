"""Cutting without cutting characters, numbered pieces, senders."""

import random

import pytest
import regex
from support.refusals import refused

from campaign.errors import UsageError
from campaign.messages.text import limits
from campaign.messages.text.segments import count_parts, count_units

CLUSTERS = [
    *"abc XYZ.,!?", " ", " ", "\n", "\r\n", "é", "e\u0301", "n\u0303\u0323", "ŋ",
    "😀", "👍🏾", "👩🏽‍🚀", "👨‍👩‍👧‍👦", "🏳️‍🌈", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🇺🇬", "🇰🇪", "❤️", "1️⃣",
    "ก็", "ค่ะ", "กำ", "น้ำ", "क्षि", "नि", "स्त्री", "ক্ষ", "한국", "각", "שָׁ", "مُ", "ꦏ꦳", "\u0600١",
]  # fmt: skip


def slow_cut(text, units):
    """The longest beginning made of whole grapheme clusters, found over the whole text."""
    kept = ""
    for cluster in regex.findall(r"\X", text):
        if len((kept + cluster).encode("utf-16-le")) // 2 > units:
            break
        kept += cluster
    trimmed = kept.rstrip()
    clusters = regex.findall(r"\X", text)
    while trimmed and not any("".join(clusters[:n]) == trimmed for n in range(len(clusters) + 1)):
        trimmed = trimmed[:-1]  # the white space stood inside a cluster
    return trimmed


def random_texts(count, seed):
    chance = random.Random(seed)
    return [
        "".join(chance.choices(CLUSTERS[: chance.choice((11, 20, 40, 40))], k=chance.randint(1, 220)))
        for _ in range(count)
    ]


def assert_cut_like_the_slow_reference(some, seed):
    chance = random.Random(seed)
    for text in some:
        units = chance.choice((160, 157, 66, 10, 3, 1, 0))
        assert limits.cut(text, units) == slow_cut(text, units), (text, units)


def test_cutting_equals_a_slow_reference():
    assert_cut_like_the_slow_reference(random_texts(2_000, seed=3), seed=4)


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_cutting_equals_a_slow_reference_on_40_000_texts():
    for seed in range(20):
        assert_cut_like_the_slow_reference(random_texts(2_000, seed=50 + seed), seed=seed)


def test_truncated_texts_are_the_slow_cut_and_the_ellipsis():
    for text in random_texts(1_000, seed=5):
        kept = slow_cut(text, 157)
        assert limits.truncate(text, "...", keep_words=False, max_parts=None) == (
            kept + "..." if kept else None
        )


def test_a_boundary_is_never_inside_a_line_break_or_a_character():
    assert [limits.boundary("a\r\nb", place) for place in range(5)] == [0, 1, 1, 3, 4]
    assert [limits.boundary("ae\u0301b", place) for place in range(5)] == [0, 1, 1, 3, 4]
    assert [limits.boundary("🇺🇬🇰🇪", place) for place in range(5)] == [0, 0, 2, 2, 4]


def test_words_are_kept_whole_when_asked():
    text = "word " * 40
    assert limits.cut(text, 158) == ("word " * 31 + "wor")
    assert limits.cut(text, 158, keep_words=True) == ("word " * 31).rstrip()
    assert limits.cut("x" * 300, 158, keep_words=True) == "x" * 158  # one word: nothing to keep whole


def test_truncating_keeps_words_where_that_leaves_most_of_the_text():
    def shortened(text, max_parts=None):
        return limits.truncate(text, "...", keep_words=True, max_parts=max_parts)

    assert shortened("word " * 40) == "word " * 30 + "word..."
    assert shortened("x" * 80 + " " + "y" * 99) == "x" * 80 + "..."
    assert shortened("Hi Aisha, " + "y" * 199) == "Hi Aisha, " + "y" * 147 + "..."
    assert shortened("您好 " + "请" * 199, max_parts=1) == "您好 " + "请" * 64 + "..."


def test_truncating_to_a_number_of_parts_takes_as_much_as_fits():
    text = "Ŋ" + "a" * 200
    short = limits.truncate(text, "...", keep_words=False, max_parts=1)
    assert short == "Ŋ" + "a" * 66 + "..."
    assert count_parts(short) == 1
    assert limits.truncate("[" * 200, "", keep_words=False, max_parts=1) == "[" * 80


def test_a_single_cluster_that_does_not_fit_cannot_be_cut():
    assert limits.truncate("e" + "\u0301" * 200, "...", keep_words=False, max_parts=None) is None


def test_pieces_are_numbered_fit_and_hold_every_word():
    text = " ".join(f"word{number}" for number in range(60))
    pieces = limits.split(text)
    assert [piece[:6] for piece in pieces] == ["(1/3) ", "(2/3) ", "(3/3) "]
    assert all(count_units(piece) <= 160 for piece in pieces)
    assert " ".join(piece[6:] for piece in pieces) == text


def test_ten_pieces_and_more_have_two_digits():
    pieces = limits.split("word " * 400)
    assert len(pieces) == 14
    assert pieces[9].startswith("(10/14) word")
    assert all(count_units(piece) <= 160 for piece in pieces)


def test_a_text_of_more_than_99_pieces_is_not_split():
    assert limits.split("word " * 4_000) is None


@pytest.mark.parametrize(
    ("sender", "words"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("TWELVE CHARS", "12 characters"),
        ("PАYPAL", "U+0410"),  # a Cyrillic letter that looks like A
        ("CAFÉ", "U+00C9"),
        ("A\nB", "U+000A"),
    ],
)
def test_senders_that_are_refused(sender, words):
    with refused("bad_sender", UsageError):
        limits.check_sender(sender)


def test_senders_are_stripped():
    assert limits.check_sender("  CLINIC ") == "CLINIC"
    assert limits.check_sender("ELEVEN CHAR") == "ELEVEN CHAR"


@pytest.mark.parametrize("ellipsis", ["\u0301", "\u200b", "x" * 81])
def test_endings_that_cannot_end_a_text(ellipsis):
    with refused("wrong_value", UsageError):
        limits.check_ellipsis(ellipsis, downgrade=True)


def test_an_ellipsis_character_is_made_plain():
    assert limits.check_ellipsis("…", downgrade=True) == "..."
    assert limits.check_ellipsis("…", downgrade=False) == "…"


def test_a_cut_just_after_a_space_keeps_the_word_before_it():
    assert limits.cut("one two three", 8, keep_words=True) == "one two"
    assert limits.cut("one two three", 7, keep_words=True) == "one two"
    assert limits.cut("one two three", 6, keep_words=True) == "one"
