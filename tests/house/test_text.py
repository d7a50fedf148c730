"""Plain text as people read it: one line in a terminal, separated thousands, counts with their nouns."""

from decimal import Decimal

import pytest

from campaign.text import (
    agreeing,
    capitalised,
    clean,
    counted,
    difference_shown,
    figure,
    money,
    rounded_up,
    shorten,
)


def test_a_terminal_gets_one_line_without_escapes():
    assert clean("wrong\r\npassword\x1b[2J\x1b]0;title\x07 \x9b1m!\u2066") == "wrong password !"


def test_plain_texts_stay_as_they_are_beside_one_control_character_too():
    printable = "".join(map(chr, range(32, 127)))
    assert clean(printable) == clean(f"{printable}\x07") == printable
    assert clean("") == clean("\x1b[0m") == ""


def test_figures_have_separated_thousands():
    figures = {9041: "9,041", 0: "0", 12.5: "12.5", 3.0: "3", None: "unknown"}
    assert [figure(value) for value in figures] == list(figures.values())


def test_counts_agree_with_their_nouns():
    assert [counted(count, "message") for count in (0, 1, 2, 1_500_000)] == [
        "no messages",
        "1 message",
        "2 messages",
        "1,500,000 messages",
    ]
    assert [counted(count, "person", "people") for count in (0, 1, 2)] == [
        "no people",
        "1 person",
        "2 people",
    ]
    assert [agreeing(count, "was", "were") for count in (0, 1, 2)] == ["were", "was", "were"]


def test_a_count_can_begin_a_sentence():
    assert capitalised(f"{counted(0, 'row')} of visits.xlsx") == "No rows of visits.xlsx"
    assert capitalised("") == ""


@pytest.mark.parametrize(
    ("cost", "words"),
    [
        (Decimal("9485"), "9,485"),
        (Decimal("35.50"), "35.50"),
        (Decimal("1E+3"), "1,000"),
        (Decimal(1) / Decimal(3), "0.3333"),
        (Decimal("NaN"), "unknown"),
        (None, "unknown"),
    ],
)
def test_costs_are_written_as_the_service_counts_them(cost, words):
    assert money(cost) == words


def test_long_texts_are_cut_with_an_ellipsis():
    assert shorten("as it is", 8) == "as it is"
    assert shorten("Wrong Username or Password", 6) == "Wrong…"


def test_two_texts_are_shown_around_their_first_difference():
    assert difference_shown("Hi Ben", "Hi Bea", 20) == ("Hi Ben", "Hi Bea")
    same = "Hi Ben, come on Monday at ten."
    assert difference_shown(same, same, 16) == (shorten(same, 16), shorten(same, 16))
    old, new = "word " * 20 + "nine then", "word " * 20 + "ten"
    assert difference_shown(old, new, 30) == ("… word word nine then", "… word word ten")
    assert difference_shown(new, f"{new} more", 30) == ("… word word ten", "… word word ten more")
    assert difference_shown("a" * 50, "b" * 50, 10) == ("a" * 9 + "…", "b" * 9 + "…")


@pytest.mark.parametrize(
    ("amount", "rounded"), [("1750", "1750"), ("2.2", "2.20"), ("0.001", "0.01"), ("34.999", "35")]
)
def test_an_amount_that_is_enough_is_whole_or_in_hundredths(amount, rounded):
    assert str(rounded_up(Decimal(amount))) == rounded
