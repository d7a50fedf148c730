"""Texts as spreadsheets in the wild make them: what people would read, and what it takes."""

import json
import random
import unicodedata
from textwrap import dedent

import pandas as pd
import pytest
from support.issue_facts import fact_of, facts_of
from support.refusals import refused
from support.small_campaigns import contacts_of

from campaign.arrow_text import series_to_array
from campaign.contacts.reading import read_contacts
from campaign.errors import TemplateError
from campaign.messages.preparation import prepare
from campaign.messages.text.segments import count_parts, count_units, measure


def plan(cells, message="{text}", **options):
    lines = ['"' + cell.replace('"', '""') + '"' for cell in cells]
    table = "Phone,Text\n" + "".join(f"0772{number:06},{line}\n" for number, line in enumerate(lines, 1))
    return prepare(read_contacts(table.encode()), message=message, sender="CLINIC", region="UG", **options)


def codes(made):
    return list(made.issues[["row", "code", "severity"]].itertuples(index=False, name=None))


def text_of(made):
    return made.messages["message"].iloc[0]


# --- emoji and other scripts --------------------------------------------------------------------------

CLUSTERS = ["👨‍👩‍👧‍👦", "👩🏽‍🚀", "🇺🇬", "e\u0301", "น้ำ", "क्षि", "a", " ", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"]


def test_length_is_counted_in_sms_units():
    made = plan(["👩🏽‍🚀" * 10])
    assert made.totals.longest == 70
    assert made.messages["parts"].tolist() == [1]


def test_160_units_are_taken_and_161_are_not():
    made = plan(["😀" * 80, "😀" * 80 + "a", "a" * 160, "a" * 161])
    assert made.contacts["status"].tolist() == ["not_sent", "invalid", "not_sent", "invalid"]
    assert [(facts["characters"], facts["excess"]) for facts in facts_of(made, "overlong")] == [(161, 1)] * 2


def test_cut_texts_never_end_inside_a_character_that_people_see():
    chance = random.Random(9)
    cells = ["".join(chance.choices(CLUSTERS, k=chance.randint(100, 200))).strip() for _ in range(200)]
    made = plan(cells, overlong="truncate")
    assert len(made.messages) == 200
    cells = [unicodedata.normalize("NFC", cell) for cell in cells]  # as every table is read
    for cell, message in zip(cells, made.messages["message"], strict=True):
        kept = message.removesuffix("...")
        assert cell.startswith(kept)
        rest = cell[len(kept) :]
        assert not rest.startswith(("\u200d", "\ufe0f", "\u0301", "🏽", "้", "ำ", "ि", "\U000e0067"))
        assert count_units(message) <= 160


# --- what word processors put in ----------------------------------------------------------------------


def test_typographic_characters_are_replaced_and_shown():
    made = plan(["“Don’t wait” – come…"])
    assert text_of(made) == '"Don\'t wait" - come...'
    assert codes(made) == [(2, "replaced", "info")]
    assert made.issues["value"].tolist() == ["“Don’t wait” – come…"]
    assert fact_of(made, "replaced", "characters") == [
        '“ (U+201C) → ", ’ (U+2019) → \', ” (U+201D) → ", – (U+2013) → -, … (U+2026) → ...'
    ]
    assert (made.totals.gsm7, made.totals.ucs2) == (1, 0)


def test_typography_is_kept_when_asked_and_its_price_is_named():
    made = plan(["It’s"], downgrade=False)
    assert text_of(made) == "It’s"
    assert codes(made) == [(2, "ucs2", "info")]
    assert made.totals.ucs2 == 1


def test_nothing_is_replaced_in_a_text_that_other_letters_keep_in_ucs_2():
    made = plan(["Ŋabo’s", "Ann’s"], message="It’s {text}")
    assert made.messages["message"].tolist() == ["It’s Ŋabo’s", "It's Ann's"]
    assert made.messages["parts"].tolist() == [1, 1]
    assert made.totals.ucs2 == 1
    assert [(row, code) for row, code, _ in codes(made)[1:]] == [(2, "ucs2"), (3, "replaced")]


def test_the_texts_own_typography_is_one_finding_for_the_whole_table():
    made = plan(["Ann", "Ben"], message="{text}, don’t wait…")
    assert made.messages["message"].tolist() == ["Ann, don't wait...", "Ben, don't wait..."]
    assert len(made.issues) == 1
    assert made.issues["row"].isna().all()


def test_the_texts_own_foreign_letters_are_one_finding_for_the_whole_table():
    made = plan(["Ann", "Zoë"], message="Ŋŋ {text}’s")
    assert made.messages["message"].tolist() == ["Ŋŋ Ann’s", "Ŋŋ Zoë’s"]
    assert made.issues[["value", "code", "severity"]].values.tolist() == [["Ŋŋ", "ucs2", "warning"]]


def test_letters_that_cost_parts_are_a_warning():
    made = plan(["Ŋ" + "a" * 100])
    assert codes(made) == [(2, "ucs2", "warning")]
    assert fact_of(made, "ucs2", "characters") == ["Ŋ (U+014A)"]
    assert made.messages["parts"].tolist() == [2]


def test_tabs_and_line_breaks_are_made_plain():
    made = plan(["one\ttwo\r\nthree", "Ŋ\tx"])
    assert made.messages["message"].tolist() == ["one two\nthree", "Ŋ x"]
    assert [code for _, code, _ in codes(made)] == ["replaced", "replaced", "ucs2"]
    assert "U+0009 (tab) → space" in fact_of(made, "replaced", "characters")[0]


# --- characters that count twice ----------------------------------------------------------------------


@pytest.mark.parametrize("character", [*"^{}[]~|\\€"])
def test_exactly_160_characters_with_one_that_counts_twice(character):
    made = plan([character + "a" * 159])
    assert codes(made) == [(2, "double_septets", "warning")]
    assert made.messages["parts"].tolist() == [2]
    assert facts_of(made, "double_septets") == [{"septets": 161, "parts": 2}]


def test_more_parts_than_allowed():
    made = plan(["€" + "a" * 159, "Ŋ" * 71, "a"], max_parts=1)
    assert made.contacts["status"].tolist() == ["invalid", "invalid", "not_sent"]
    assert made.issues.loc[made.issues["severity"] == "error", "code"].tolist() == ["too_many_parts"] * 2
    made = plan(["€" + "a" * 159, "Ŋ" * 71], max_parts=1, overlong="truncate")
    assert made.messages["message"].tolist() == ["€" + "a" * 155 + "...", "Ŋ" * 67 + "..."]


# --- too long -----------------------------------------------------------------------------------------


def test_lengths_are_checked_after_filling_in():
    made = plan(["a" * 10, "a" * 11], message="b" * 150 + "{text}")
    assert made.contacts["status"].tolist() == ["not_sent", "invalid"]


def test_truncating_says_what_was_left_out():
    made = plan(["word " * 40 + "end"], overlong="truncate", keep_words=True)
    assert text_of(made) == "word " * 30 + "word..."
    assert codes(made) == [(2, "truncated", "warning")]
    assert facts_of(made, "truncated") == [
        {"characters": 157, "lost": "word word word word word word word word word end"}
    ]


def test_the_same_long_text_is_cut_the_same_way_everywhere():
    made = plan(["x" * 200, "short", "x" * 200], overlong="truncate", duplicates="keep")
    assert made.messages["message"].tolist() == ["x" * 157 + "...", "short", "x" * 157 + "..."]
    assert made.messages["parts"].tolist() == [1, 1, 1]  # of the text as it is sent
    assert made.totals.longest == 160


def test_splitting_keeps_every_word_in_order():
    long = " ".join(f"word{number}" for number in range(50))
    made = plan(["first", long, "last", "Ŋ" * 300], overlong="split")
    assert made.messages["row"].tolist() == [2, 3, 3, 3, 4, 5, 5]
    pieces = made.messages.loc[made.messages["row"] == 3, "message"]
    assert " ".join(piece[6:] for piece in pieces) == long
    assert [piece[:6] for piece in pieces] == ["(1/3) ", "(2/3) ", "(3/3) "]
    assert codes(made) == [(3, "split", "warning"), (5, "ucs2", "warning"), (5, "split", "warning")]
    assert made.totals["not_sent"] == 4
    assert made.totals.messages == 7
    assert made.preview(3).messages == tuple(pieces)


def test_splitting_obeys_max_parts():
    made = plan(["a" * 300, "a" * 450], overlong="split", max_parts=2)  # two pieces, three pieces
    assert made.contacts["status"].tolist() == ["not_sent", "invalid"]
    assert made.contacts["why"].tolist() == ["", "overlong"]


# --- what must never leave ----------------------------------------------------------------------------


def test_a_blank_name_is_never_sent_as_dear_nobody():
    made = plan(["", "  ", "Ann"], message="Dear {text},")
    assert made.contacts["status"].tolist() == ["invalid", "invalid", "not_sent"]
    assert fact_of(made, "missing_value", "write") == ["{Text|other words}"] * 2
    for text in ("{Text:%-d %B@fr}", "{Text:,.0f}", "{Text:.2f}"):  # a format stays what it was
        made = plan([""], message=f"Dear {text},")
        assert fact_of(made, "missing_value", "write") == [f"{text[:-1]}|other words}}"]


def test_what_stands_beside_a_number_is_named_with_both_ways_out():
    amounts = ["UGX 150000", "150,000/=", "Ugx1,000", "1 5000", "a lot", "500"]
    made = plan(amounts, message="You owe {text:,.0f|0}.")
    facts = facts_of(made, "unreadable_value")
    assert [one.get("beside") for one in facts] == ["UGX", "/=", "Ugx", None, None]
    assert {one["plain"] for one in facts} == {"{Text|0}"}


@pytest.mark.parametrize(
    ("message", "texts"),
    [
        ("£{Text}", ["£24.50", "£38", "£1,200", "£££5", "££", "£ask", "£€7", "£UGX 9", "£6"]),
        ("To pay: £ {Text}.", ["To pay: £ 24.50.", "To pay: £ 38.", "To pay: £ 1,200.", "To pay: £ ££5."]),
        ("{Text}£", ["24.50£", "38£", "1,200£"]),
        ("EUR {Text}", ["EUR £24.50", "EUR 38", "EUR £1,200"]),
        ("Pay UGX {Text}", ["Pay UGX £24.50", "Pay UGX 38", "Pay UGX £1,200"]),
        ("{Text}", ["£24.50", "38", "£1,200"]),
    ],
)
def test_a_currency_beside_a_placeholder_is_not_repeated_by_cells_that_have_it(message, texts):
    made = plan(["£24.50", "38", "£ 1,200", "££5", "£", "ask", "€7", "UGX 9", "6 £"], message=message)
    sent = made.messages["message"].tolist()
    assert [text.replace("£ 1", "£1") if "To pay" not in text else text for text in sent[: len(texts)]] == [
        *texts
    ]


def test_amounts_with_the_currency_of_the_text_are_amounts_and_those_with_another_are_none():
    made = plan(["£24.5", "38", "$7", "1,200 £"], message="To pay: £{text:,.2f}")
    assert made.messages["message"].tolist() == ["To pay: £24.50", "To pay: £38.00", "To pay: £1,200.00"]
    assert made.contacts["status"].tolist() == ["not_sent", "not_sent", "invalid", "not_sent"]
    assert fact_of(made, "unreadable_value", "beside") == ["$"]


def test_a_placeholder_of_no_column_stops_the_run():
    with refused("placeholder_unknown", TemplateError):
        plan(["Ann"], message="Dear {txet}")


def test_a_word_of_a_header_is_answered_with_the_header_and_its_format():
    contacts = contacts_of("0772 000 001,5", header="phone,Amount (UGX)")
    with refused("placeholder_unknown", TemplateError):
        prepare(contacts, message="You owe {amount:,.0f}", sender="CLINIC", region="UG")


def test_missing_values_never_reach_json():
    frame = read_contacts(b"Phone,Text\n0772000001,Ann\n0772000002,Ben\n")
    frame.loc[2, "Text"] = None
    made = prepare(frame, message="Hi {text}", sender="CLINIC", region="UG", priority="{text|1}")
    assert made.contacts["status"].tolist() == ["invalid", "invalid"]
    json.dumps(
        prepare(frame, message="Hi {text|}", sender="C", region="UG").messages.to_dict("records"),
        allow_nan=False,
    )


HIDDEN = ["\u202e", "\u2066", "\u200b", "\u200f", "\x00", "\x07", "\x9b", "\ufeff", "\u200d", "\u2060"]


@pytest.mark.parametrize("character", HIDDEN)
def test_hidden_characters_are_refused_and_shown_escaped(character):
    frame = read_contacts(b"Phone,Text\n0772000001,Ann\n0772000002,Ben\n")
    frame["Text"] = [f"a{character}b", "Ben"]
    made = prepare(frame, message="Hi {text}", sender="CLINIC", region="UG")
    assert made.messages["message"].tolist() == ["Hi Ben"]
    assert codes(made) == [(2, "hidden_character", "error")]
    detail = made.issues["detail"].iloc[0]
    assert f"U+{ord(character):04X}" in detail
    assert character not in detail
    assert character not in made.issues["value"].iloc[0]


def test_lengths_of_a_plan_are_those_of_its_texts():
    """Lengths are added up from pieces: the finished texts, measured anew, say the same."""
    chance = random.Random(4)
    letters = [*"abc [€’“… ŋé😀\t\r\n", "👩🏽‍🚀", "\r\n", "e\u0301"]
    cells = ["".join(chance.choices(letters, k=chance.randint(0, 30))) for _ in range(500)]
    for message in ("{text}", "It’s {text|}, {text|nobody’s}", "[{text|-}] Ŋ", "{text|} {phone}"):
        for downgrade in (True, False):
            made = plan(cells, message=message, downgrade=downgrade, overlong="truncate")
            lengths = measure(series_to_array(made.messages["message"]))
            assert made.messages["parts"].tolist() == lengths.parts.tolist()
            assert made.messages["parts"].tolist() == [count_parts(text) for text in made.messages["message"]]
            assert made.totals.longest == lengths.units.max()
            assert made.totals.ucs2 == lengths.parts[lengths.ucs2].sum()


def test_tables_read_from_text_keep_their_meaning():
    text = dedent("""\
        Phone,Name
        0772000001,NA
        0772000002,None
    """)
    made = prepare(read_contacts(text.encode()), message="Hi {name}", sender="CLINIC", region="UG")
    assert made.messages["message"].tolist() == ["Hi NA", "Hi None"]


def test_a_text_that_just_fits_is_not_truncated():
    made = plan(["a" * 160, "Ŋ" * 70], overlong="truncate", max_parts=1)
    assert made.messages["message"].tolist() == ["a" * 160, "Ŋ" * 70]
    assert "truncated" not in set(made.issues["code"])


def test_a_text_of_which_nothing_fits_is_flagged():
    """One letter with 200 accents is one character for its reader, and is never cut."""
    made = plan(["e" + "\u0301" * 200, "a" * 170], overlong="truncate")
    assert made.contacts["status"].tolist() == ["invalid", "not_sent"]
    assert (2, "overlong", "error") in codes(made)


def test_a_short_text_of_too_many_parts_is_not_split():
    made = plan(["Ŋ" * 71, "Ŋ" * 70], overlong="split", max_parts=1)
    assert made.contacts["status"].tolist() == ["invalid", "not_sent"]
    assert (2, "too_many_parts", "error") in codes(made)


def test_a_row_that_is_excluded_is_not_warned_of_its_parts():
    table = pd.DataFrame({"Phone": ["12", "0772000002"], "Text": ["€" + "a" * 159] * 2})
    made = prepare(table, message="{text}", sender="CLINIC", region="UG")
    assert [row for row, code, _ in codes(made) if code == "double_septets"] == [3]
