"""HTML pieces: everything in them is escaped, and every value is written one way."""

from decimal import Decimal

import pandas as pd

from campaign.markup import bars, card, escape, facts, table, written
from campaign.text import clean


def test_markup_and_control_characters_never_reach_a_page():
    assert escape('<img src=x onerror="f()">') == "&lt;img src=x onerror=&quot;f()&quot;&gt;"
    assert escape("a\x00b\x1b[31mc\u202ed") == "abcd"
    assert escape("line\nbreak") == "line\nbreak"
    assert escape("half \ud83d an emoji").encode() == "half \ufffd an emoji".encode()


def test_joined_emoji_stay_joined():
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert escape(family) == clean(family) == family


def test_a_table_shows_figures_on_the_right_and_says_what_it_leaves_out():
    costs, errors = [Decimal("3500"), None, None], ["", "a&b", ""]
    frame = pd.DataFrame({"batch": [1001, 1002, 1003], "cost": costs, "<error>": errors})
    shown = table(frame, limit=1)
    assert '<th scope="col" class="figure">cost</th>' in shown
    assert '<td class="figure">3,500</td>' in shown
    assert '<td class="figure">1001</td>' in shown  # a batch's name, not an amount
    assert "&lt;error&gt;" in shown
    assert "a&amp;b" not in shown
    assert "The first 1 of 3 rows." in shown


def test_a_table_has_the_last_row_in_place_of_a_note_that_it_is_left_out():
    frame = pd.DataFrame({"kind": ["first", "second", "third"]})
    assert "third" in table(frame, limit=2)
    assert "The first" not in table(frame, limit=2)
    assert "The first 2 of 4 rows." in table(frame, limit=2, rows=4)
    assert "The first 2 of 3 rows." in table(frame.head(2), limit=2, rows=3)  # the third is not here


def test_amounts_in_words_are_on_the_right_where_they_are_figures():
    frame = pd.DataFrame({"Cost": ["35 or more"]})
    assert '<td class="figure">35 or more</td>' in table(frame, figures=["Cost"])
    assert '<td class="short">35 or more</td>' in table(frame)  # a person's own column of that name


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


def test_dates_and_codes_stay_in_one_piece_in_a_narrow_table():
    code = "ApiJsonSubmit3c4f2cfa5cb71.25725945"
    days = ["2026-03-05", "Tue 3rd March"]
    shown = table(pd.DataFrame({"day": days, "code": [code, ""], "note": ["x" * 41, ""]}))
    assert '<td class="short unbroken">2026-03-05</td>' in shown
    assert f'<td class="unbroken">{code}</td>' in shown
    assert '<td class="short">Tue 3rd March</td>' in shown
    assert '<td class="long">xxx' in shown  # as wide as the page, if it were not broken


def test_cells_are_written_as_a_person_writes_them():
    assert written(pd.Timestamp("2026-03-02 10:30", tz="UTC")) == "2026-03-02 10:30:00"
    assert [written(pd.NA), written(None), written(float("nan")), written(pd.NaT)] == ["", "", "", ""]
    assert written("x" * 400) == "x" * 299 + "…"


def test_bars_are_labelled_and_leave_out_what_is_zero():
    drawn = bars({"accepted": 300, "not_sent": 100, "refused": 0}, of="rows")
    assert "<caption>Rows</caption>" in drawn
    assert '<th scope="row">not_sent</th><td class="figure">100</td>' in drawn
    assert "width:33.3%" in drawn
    assert "refused" not in drawn
    assert bars({"accepted": 0}, of="rows") == ""


def test_a_card_escapes_its_title_and_frames_its_pieces():
    drawn = card("<b>", [facts({"Cost & more": "35"})])
    assert 'aria-label="&lt;b&gt;"' in drawn
    assert '<th scope="row">Cost &amp; more</th><td class="figure">35</td>' in drawn
