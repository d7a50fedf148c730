"""What every reader sees passes through `display`: escaped, masked, and written one way."""

from decimal import Decimal

import pandas as pd
import pytest

from campaign.markup import bars, card, escape, facts, table, written
from campaign.masking import mask_number, mask_numbers, mask_texts
from campaign.text import clean, figure, money, shorten


def texts(*values: str | None) -> "pd.Series[str]":
    return pd.Series(values, dtype="str")


def test_markup_and_control_characters_never_reach_a_page():
    assert escape('<img src=x onerror="f()">') == "&lt;img src=x onerror=&quot;f()&quot;&gt;"
    assert escape("a\x00b\x1b[31mc\u202ed") == "abcd"
    assert escape("line\nbreak") == "line\nbreak"
    assert escape("half \ud83d an emoji").encode() == "half \ufffd an emoji".encode()


def test_a_terminal_gets_one_line_without_escapes():
    assert clean("wrong\r\npassword\x1b[2J\x1b]0;title\x07 \x9b1m!\u2066") == "wrong password !"


def test_joined_emoji_stay_joined():
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert escape(family) == clean(family) == family


def test_figures_have_separated_thousands():
    assert [figure(9041), figure(0), figure(12.5), figure(3.0), figure(None)] == [
        "9,041",
        "0",
        "12.5",
        "3",
        "unknown",
    ]


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


def test_numbers_are_masked_as_people_type_them():
    typed = {
        "256772000056": "25677*****56",
        "0772 000 012": "077*****12",
        "+256 (0)772-000-012": "+256 (0)7*****12",
        "772000012": "772*****12",
        "0772.000.012": "077*****12",
        "0772\u00a0000\u00a0012": "077*****12",
        "555-0123": "*****23",
        "0772 000 012 ext 5": "**** *** *** ext *",  # no telling which digits are the number
        "0772 000 001 / 0701 000 002": "**** *** *** / **** *** ***",
        "O772I00012": "O***I*****",
        "2.56772E+11": "*.*****E+**",
        "٠٧٧٢٠٠٠٠١٢": "٠٧٧*****١٢",
        "999": "***",
        "none": "none",
        "": "",
    }
    assert mask_numbers(texts(*typed)).tolist() == list(typed.values())


def test_masking_keeps_index_name_and_missing_values():
    numbers = pd.Series(["256772000056", None], index=[7, 9], name="Phone", dtype="str")
    expected = pd.Series(["25677*****56", None], index=[7, 9], name="Phone", dtype="str")
    pd.testing.assert_series_equal(mask_numbers(numbers), expected)
    assert mask_number("256772000056") == "25677*****56"


def test_numbers_inside_a_text_are_masked_and_dates_are_not():
    said = {
        "Call 0772 000 123 or 0701-000-002.": "Call 077*****23 or 070*****02.",
        "Visit on 2026-03-02 10:30": "Visit on 2026-03-02 10:30",
        "2026-03-02 09:00:00": "2026-03-02 09:00:00",
        "02.03.2026 10:30:00 and 02-03-2026 10:30": "02.03.2026 10:30:00 and 02-03-2026 10:30",
        "UGX 1,500,000": "UGX 1,500,000",
        "your mother's phone 256772000056": "your mother's phone 25677*****56",
        "": "",
    }
    assert mask_texts(texts(*said)).tolist() == list(said.values())


def test_a_table_shows_figures_on_the_right_and_says_what_it_leaves_out():
    frame = pd.DataFrame({"batch": [1001, 1002], "cost": [Decimal("3500"), None], "<error>": ["", "a&b"]})
    shown = table(frame, limit=1)
    assert '<th scope="col" class="figure">cost</th>' in shown
    assert '<td class="figure">3,500</td>' in shown
    assert '<td class="figure">1001</td>' in shown  # a batch's name, not an amount
    assert "&lt;error&gt;" in shown
    assert "a&amp;b" not in shown
    assert "The first 1 of 2 rows." in shown


def test_a_named_index_is_the_first_column():
    frame = pd.DataFrame({"Phone": ["x"]}, index=pd.Index([12345], name="row"))
    assert '<td class="figure">12345</td><td class="short">x</td>' in table(frame)


def test_sentences_get_room_and_times_are_never_wrapped():
    frame = pd.DataFrame(
        {"at": pd.to_datetime(["2026-03-02 10:30"]), "error": ["so many words " * 9], "s": [0.3]}
    )
    shown = table(frame)
    assert '<td class="short">2026-03-02 10:30:00</td>' in shown
    assert '<td class="long">so many words' in shown
    assert '<td class="figure">0.30</td>' in shown


def test_cells_are_written_as_a_person_writes_them():
    assert written(pd.Timestamp("2026-03-02 10:30", tz="UTC")) == "2026-03-02 10:30:00"
    assert [written(pd.NA), written(None), written(float("nan")), written(pd.NaT)] == ["", "", "", ""]
    assert written("x" * 400) == "x" * 299 + "…"
    assert shorten("as it is", 8) == "as it is"


def test_bars_are_labelled_and_leave_out_what_is_zero():
    drawn = bars({"accepted": 300, "not_sent": 100, "refused": 0})
    assert '<th scope="row">not sent</th><td class="figure">100</td>' in drawn
    assert "width:33.3%" in drawn
    assert "refused" not in drawn
    assert bars({"accepted": 0}) == ""


def test_a_card_escapes_its_title_and_frames_its_pieces():
    drawn = card("<b>", [facts({"Cost & more": "35"})])
    assert 'aria-label="&lt;b&gt;"' in drawn
    assert '<th scope="row">Cost &amp; more</th><td class="figure">35</td>' in drawn
