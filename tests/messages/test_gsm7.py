"""What fits GSM-7, what is replaced, what is refused, and how many parts a text takes."""

import random
import unicodedata

import pytest

from campaign.arrow_text import text_array
from campaign.messages.text import gsm7 as alphabet
from campaign.messages.text.segments import count_parts, count_units, measure, scan

# The tables of 3GPP TS 23.038, 6.2.1, typed in their own order: 0x00 to 0x7F, without 0x1B (escape).
DEFAULT_TABLE = [
    *"@£$¥èéùìòÇ\nØø\rÅå",
    *"Δ_ΦΓΛΩΠΨΣΘΞÆæßÉ",
    *" !\"#¤%&'()*+,-./",
    *"0123456789:;<=>?",
    *"¡ABCDEFGHIJKLMNO",
    *"PQRSTUVWXYZÄÖÑÜ§",
    *"¿abcdefghijklmno",
    *"pqrstuvwxyzäöñüà",
]
EXTENSION_TABLE = [*"^{}\\[~]|€"]

PIECES = [
    *"abcdefghij KLMNOP 0123456789 .,-!?\n@£_éèñüÄß§",
    *"^{}\\[~]|€" * 2,
    *"çêâîôûÁíóúŋŊẹọšžćłđ",
    *"абвгд", *"ابتث", *"中文字", *"नमस्ते", *"ไทยค่ะ",
    "e\u0301", "😀", "👩🏽‍🚀", "🇺🇬", "👨‍👩‍👧", "’", "–", "…", "\u00a0",
]  # fmt: skip


def slow_parts(text):
    """Whether UCS-2 is needed, and the parts, counted character by character."""
    gsm = all(character in DEFAULT_TABLE or character in EXTENSION_TABLE for character in text)
    if gsm:
        widths = [2 if character in EXTENSION_TABLE else 1 for character in text]
        alone, joined = 160, 153
    else:
        widths = [len(character.encode("utf-16-le")) // 2 for character in text]
        alone, joined = 70, 67
    if sum(widths) <= alone:
        return not gsm, 1
    parts, used = 1, 0
    for width in widths:
        if used + width > joined:
            parts, used = parts + 1, 0
        used += width
    return not gsm, parts


def random_texts(count, seed):
    chance = random.Random(seed)
    plain, wild = PIECES[:60], PIECES
    made = []
    for _ in range(count):
        pieces = plain if chance.random() < 0.6 else wild
        made.append("".join(chance.choices(pieces, k=int(chance.triangular(0, 480, 100)))))
    return made


def assert_equal_to_slow_count(some):
    lengths = measure(text_array(some))
    expected = [slow_parts(text) for text in some]
    assert lengths.units.tolist() == [len(text.encode("utf-16-le")) // 2 for text in some]
    assert lengths.ucs2.tolist() == [ucs2 for ucs2, _ in expected]
    assert lengths.parts.tolist() == [parts for _, parts in expected]


def test_parts_equal_a_row_by_row_count():
    assert_equal_to_slow_count(random_texts(10_000, seed=1))


@pytest.mark.long
@pytest.mark.timeout(600)
def test_parts_equal_a_row_by_row_count_on_300_000_texts():
    for seed in range(30):
        assert_equal_to_slow_count(random_texts(10_000, seed=100 + seed))


def test_the_alphabet_is_that_of_the_standard():
    assert sorted(alphabet.BASIC) == sorted(DEFAULT_TABLE)
    assert sorted(alphabet.EXTENSION) == sorted(EXTENSION_TABLE)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", 1),
        ("a" * 160, 1),
        ("a" * 161, 2),
        ("a" * 306, 2),
        ("a" * 307, 3),
        ("a" * 159 + "€", 2),  # 161 septets
        ("a" * 152 + "€" + "a" * 152, 3),  # 306 septets, but no part ends inside the €
        ("ŋ" * 70, 1),
        ("ŋ" * 71, 2),
        ("ŋ" * 134, 2),
        ("ŋ" * 66 + "😀" + "ŋ" * 66, 3),  # 134 units, but no part ends inside the emoji
    ],
)
def test_parts(text, parts):
    assert measure(text_array([text])).parts.tolist() == [parts]
    assert count_parts(text) == parts


def test_units_are_those_of_utf_16():
    assert [count_units(text) for text in ("abc", "é", "😀", "👩🏽‍🚀", "🇺🇬")] == [3, 1, 2, 7, 4]


def test_plain_twins():
    assert alphabet.plain("“Don’t”\u00a0–\u2009wait…") == '"Don\'t" - wait...'
    assert alphabet.plain("one\ttwo\r\nthree\rfour co\u00adop ﬁve") == "one two\nthree\nfour coop five"


def test_letters_of_other_languages_are_never_replaced():
    ligatures = set("ﬀﬁﬂﬃﬄ")
    letters = [
        chr(code)
        for code in range(0x110000)
        if unicodedata.category(chr(code))[0] in "LMN" and chr(code) not in ligatures
    ]
    assert len(letters) > 100_000
    assert alphabet.plain("".join(letters)) == "".join(letters)


def test_every_twin_is_in_gsm_7():
    assert alphabet.is_gsm("".join((alphabet.TWINS | alphabet.LAYOUT).values()))


@pytest.mark.parametrize(
    "text",
    [
        "a\x00b", "a\x07b", "a\tb", "\x1b[31m", "a\x7fb", "a\x85b", "a\x9bb",  # controls
        "a\u202eb", "a\u2066b", "a\u200fb", "a\u061cb",  # directions
        "a\u200bb", "a\u2060b", "a\ufeffb", "a\u00adb", "a\u3164b",  # invisible
        "a\u200db", "\u200dа", "b \u200d c", "а\u200cб",  # joiners that join nothing
        "a\ufffeb", "a\U000e0041b", "a\U0001ffffb",  # noncharacters, a tag without its flag
    ],
)  # fmt: skip
def test_characters_that_are_never_sent(text):
    assert scan(text_array(["fine", text, "fine"])).refused.tolist() == [False, True, False]


@pytest.mark.parametrize(
    "text",
    ["line\nbreak", "👩🏽‍🚀", "❤️‍🔥", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "क्‍ष", "می‌خواهم", "e\u0301", "ไทย", "שלום", "€{}", "☀️", "葛󠄀"],
)
def test_characters_that_are_sent(text):
    assert not scan(text_array([text])).refused.any()


def test_characters_are_named_as_a_person_can_look_them_up():
    assert alphabet.named("ŋ’\u202e") == "ŋ (U+014B), ’ (U+2019), U+202E (right-to-left override)"
    assert alphabet.named("абвгдеж").endswith(" and 2 more")


def test_scanning_a_slice_and_an_empty_column():
    column = text_array(["Ŋ", "plain", "[x]", "😀"])
    assert scan(column.slice(1, 2)).doubles.tolist() == [0, 2]
    assert scan(column.slice(3)).pairs.tolist() == [1]
    assert measure(text_array([])).parts.tolist() == []


def test_a_joiner_at_the_start_of_a_text_does_not_belong_to_the_text_before():
    """The texts of a column lie in memory one after the other."""
    contents = scan(text_array(["😀", "\u200dAnn", "😀\u200d😀"]))
    assert contents.refused.tolist() == [False, True, False]


def test_texts_are_scanned_alike_in_one_block_and_in_several(monkeypatch):
    column = text_array(["plain", "€", "Ŋ", "", "’", "\t", "😀", "\u202e", "x"])
    at_once = scan(column)
    monkeypatch.setattr("campaign.messages.text.segments.BLOCK", 2)
    in_blocks = scan(column)
    for name in ("excess", "doubles", "pairs", "foreign", "twins", "untidy", "refused"):
        assert getattr(in_blocks, name).tolist() == getattr(at_once, name).tolist()
        assert getattr(at_once, name).any()
