"""Placeholders and formats: what they take, and what is refused."""

import time

import pyarrow as pa
import pytest
from support.refusals import refused

from campaign.arrow_text import text_array
from campaign.errors import TemplateError
from campaign.messages.templates.date_names import date_names
from campaign.messages.templates.formats import DateFormat, parse_format
from campaign.messages.templates.moments import read_moment
from campaign.messages.templates.number_format import NumberFormat
from campaign.messages.templates.template import Placeholder, Template, parse

COLUMNS = ["Phone", "First name", "visit_date", "Amount", "Time: start", "a|b"]


def pieces(text):
    return parse(text, COLUMNS, what="message").pieces


def test_literal_text_and_placeholders():
    assert pieces("Hi {First name}, {Amount}!") == (
        "Hi ",
        Placeholder("First name"),
        ", ",
        Placeholder("Amount"),
        "!",
    )


@pytest.mark.parametrize("name", ["First name", "first name", "FIRST_NAME", "firstname", " first  name "])
def test_columns_are_found_without_case_spaces_and_underscores(name):
    assert pieces(f"{{{name}}}") == (Placeholder("First name"),)


def test_doubled_braces_are_literal():
    assert parse("{{first_name}} {{{first_name}}} }}{{", COLUMNS, what="message") == Template(
        ("{first_name} {", Placeholder("First name"), "} }{")
    )


def test_fallbacks_and_formats():
    assert pieces("{first_name|friend}") == (Placeholder("First name", None, "friend"),)
    assert pieces("{first_name|}") == (Placeholder("First name", None, ""),)
    assert pieces("{visit_date:%H:%M}") == (Placeholder("visit_date", DateFormat("%H:%M")),)
    assert pieces("{amount:,.0f|nothing: 0}") == (Placeholder("Amount", NumberFormat(True, 0), "nothing: 0"),)


def test_a_header_may_hold_a_colon_or_a_bar():
    assert pieces("{time: start}{a|b}") == (Placeholder("Time: start"), Placeholder("a|b"))
    assert pieces("{Time: start:%H}") == (Placeholder("Time: start", DateFormat("%H")),)


def test_an_unknown_placeholder_names_the_columns_and_the_nearest():
    facts = {"placeholder": "{frist_name}", "suggestions": ["First name"], "columns": COLUMNS}
    with refused("placeholder_unknown", TemplateError, **facts):
        parse("Hi {frist_name}", COLUMNS, what="message")


@pytest.mark.parametrize(
    "text",
    [
        "{x.__class__}",
        "{first_name.__class__}",
        "{first_name[0]}",
        "{first_name!r}",
        "{0}",
        "{first_name:>200000000}",
        "{first_name:{amount}}",
        "{amount:.20f}",
        "{amount:x}",
        "{visit_date:%s}",
        "{visit_date:%}",
        "{visit_date:}",
        "{}",
        "{ }",
        "{|friend}",
    ],
)
def test_nothing_of_pythons_format_language_is_understood(text):
    columns = ["first_name", "amount", "visit_date"]
    with pytest.raises(TemplateError):
        parse(text, columns, what="message")


@pytest.mark.parametrize(("text", "brace"), [("Hi {first_name", "{"), ("Hi first_name}", "}"), ("{{}", "}")])
def test_a_single_brace_is_named_with_its_surroundings(text, brace):
    with refused("brace_alone", TemplateError):
        parse(text, COLUMNS, what="message")


@pytest.mark.parametrize("character", ["\u202e", "\u200b", "\x00", "\u2066", "\u200d"])
def test_invisible_characters_in_a_text_are_refused_by_name(character):
    with refused("hidden_character", TemplateError):
        parse(f"Hi{character} there", COLUMNS, what="message")


def test_half_a_character_is_refused():
    with refused("hidden_character", TemplateError):
        parse("Hi \ud83d", COLUMNS, what="message")


def formatted(pattern, *cells):
    written, bad = parse_format(pattern, "column").apply(text_array(list(cells)))
    return [None if wrong else text for text, wrong in zip(written.to_pylist(), bad.tolist(), strict=True)]


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("2026-01-05", "Mon 5 Jan 26"),
        ("2026-01-05 14:30", "Mon 5 Jan 26"),
        ("2026-01-05T14:30:00", "Mon 5 Jan 26"),
        ("2026/1/5", "Mon 5 Jan 26"),
        ("5 Jan 2026", "Mon 5 Jan 26"),
        ("05-January-2026", "Mon 5 Jan 26"),
        ("Jan 5, 2026", "Mon 5 Jan 26"),
        ("25/12/2026", "Fri 25 Dec 26"),  # there is no month 25
        ("12/25/2026", "Fri 25 Dec 26"),
        ("05/05/2026", "Tue 5 May 26"),  # the same either way
        ("05/01/2026", None),  # January or May
        ("2026-02-30", None),
        ("Monday 5 January 2026", "Mon 5 Jan 26"),
        ("Tuesday 5 January 2026", None),  # it is a Monday
        ("Mon, 5 Jan 2026 14:30:00 GMT", "Mon 5 Jan 26"),
        ("Mon Jan 05 2026 14:30:00 GMT+0300 (East Africa Time)", "Mon 5 Jan 26"),
        ("mar. 3 mars 2026", "Tue 3 Mar 26"),
        ("sábado, 21 de novembro de 2026 às 14:30", "Sat 21 Nov 26"),
        ("05-Jan-26", "Mon 5 Jan 26"),
        ("5. Januar 2026", "Mon 5 Jan 26"),
        ("5th of January, 2026", "Mon 5 Jan 26"),
        ("1er février 2026", "Sun 1 Feb 26"),
        ("FEVRIER 1, 2026", "Sun 1 Feb 26"),
        ("lunes, 5 de enero de 2026", "Mon 5 Jan 26"),
        ("5 Januari 2026", "Mon 5 Jan 26"),
        ("Janwaliyo 5, 2026", "Mon 5 Jan 26"),  # Luganda
        ("ጃንዋሪ 5 2026", "Mon 5 Jan 26"),
        ("٥ يناير ٢٠٢٦", "Mon 5 Jan 26"),
        ("٢٠٢٦/٠١/٠٥", "Mon 5 Jan 26"),
        ("५ जनवरी २०२६", "Mon 5 Jan 26"),
        ("Ijumaa 2 Januari 2026", "Fri 2 Jan 26"),
        ("5 tháng 1 năm 2026", "Mon 5 Jan 26"),
        ("5 stycznia 2026", "Mon 5 Jan 26"),
        ("5 січня 2026 року", "Mon 5 Jan 26"),
        ("5. 1. 2026 15 h", None),  # January or May
        ("Mon 05/01/2026", "Mon 5 Jan 26"),  # 1 May is a Friday
        ("2569-01-05", None),  # of the Buddhist calendar
        ("20/11/1447", None),
        ("12 Muharram 1448", None),
        ("ሕዳር 12 2018", None),  # of the Ethiopian calendar
        ("5 Jan", None),
        ("46027", None),
        ("14:30", None),
        ("soon", None),
        ("", ""),
    ],
)
def test_dates(cell, written):
    assert formatted("%a %-d %b %y", cell) == [written]


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("9:05", "09:05"),
        ("2026-01-05 14:30:59", "14:30"),
        ("2026-01-05T14:30:00+03:00", "14:30"),
        ("2026-01-05T14:30:00.000+0300", "14:30"),
        ("2026-01-05T14:30Z", "14:30"),
        ("05/01/2026 14:30", "14:30"),  # whatever day it is
        ("5 Jan 2026 at 2:30 PM", "14:30"),
        ("2:30 p. m.", "14:30"),
        ("2.30pm", "14:30"),
        ("12 am", "00:00"),
        ("14h30", "14:30"),
        ("14 h", "14:00"),
        ("1430hrs", "14:30"),
        ("14:30 Uhr", "14:30"),
        ("2026-01-05", None),
        ("25:00", None),
        ("13:75", None),
        ("14.30", None),  # or an amount
        ("14:30-16:00", None),
        ("yesterday 14:30", None),
    ],
)
def test_times(cell, written):
    assert formatted("%H:%M", cell) == [written]


def test_times_of_day():
    assert formatted("%H:%M", "9:05", "2026-01-05 14:30:59", "2026-01-05", "25:00") == [
        "09:05",
        "14:30",
        None,
        None,
    ]
    assert formatted("%-I.%M %p", "00:15", "12:00", "23:59") == ["12.15 AM", "12.00 PM", "11.59 PM"]
    assert formatted("%d/%m/%Y, %A, %B, 100%%", "2026-01-05") == ["05/01/2026, Monday, January, 100%"]
    assert read_moment("yesterday 14:30") == (None, None)


@pytest.mark.parametrize(
    ("pattern", "written"),
    [
        ("%A %-d %B@fr", "mardi 1er décembre"),
        ("%-d/%-m@fr", "1/12"),
        ("%-d %B@es", "1 diciembre"),
        ("%A, %-d de %B@pt", "terça-feira, 1 de dezembro"),
        ("%-d %B@sw", "1 Desemba"),
        ("%A %-d %B@en", "Tuesday 1 December"),
        ("%d/%m @ %Y", "01/12 @ 2026"),
    ],
)
def test_dates_have_the_names_of_their_language(pattern, written):
    assert formatted(pattern, "2026-12-01") == [written]


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("%-d %B@xx", r"unknown language @xx\. There are: @en \(English\), @fr \(français\)"),
        ("%-d %b@fr", "has %b, which is there in English only. Write %B for the whole name."),
    ],
)
def test_a_language_without_such_names_is_refused(pattern, said):
    with refused("format_unknown", TemplateError):
        formatted(pattern, "2026-12-01")


def test_every_language_has_twelve_months_and_seven_days():
    for names in date_names().values():
        assert (len({*names.months}), len({*names.days})) == (12, 7)


@pytest.mark.parametrize(
    ("pattern", "cell", "written"),
    [
        (",.0f", "1500", "1,500"),
        (",.0f", "1234567.5", "1,234,568"),
        (",.0f", "2.5", "3"),  # halves away from zero, as people and spreadsheets do
        (",.0f", "-2.5", "-3"),
        (",.2f", "1,234,567.891", "1,234,567.89"),
        (".2f", "1500", "1500.00"),
        (".1f", "0.05", "0.1"),
        (",", "1500000.75", "1,500,000.75"),
        (",", "999", "999"),
        (",", "-1000", "-1,000"),
        (",", "+1000", "1,000"),
        (",.0f", "-0.4", "0"),
        (",.0f", "1500,5", None),  # the column may say otherwise: see test_decimal_signs
        (",.0f", "12.500", None),
        (",.0f", "1.500.000", "1,500,000"),
        (",.0f", "12,34", None),
        (",", "1,25,000", "125,000"),
        (",", "1 250 000", "1,250,000"),
        (",", "1'250.5", "1,250.5"),
        (",.0f", "UGX 1500", None),
        (",.0f", "1.5E+06", None),
        (",.0f", "٣٤", "34"),
        (",.0f", "1" * 30, None),
    ],
)
def test_numbers(pattern, cell, written):
    assert formatted(pattern, cell, "7")[0] == written


def test_formats_work_on_whole_columns():
    column = pa.array(["1000", "x", "", "2000"] * 50, type=pa.large_string())
    written, bad = NumberFormat(True, 0).apply(column)
    assert written.filter(pa.array(~bad)).to_pylist()[::3] == ["1,000"] * 50
    assert bad.tolist() == [False, True, False, False] * 50


@pytest.mark.parametrize("filling", [" ", "1", "/", ",", "a", "1/", "5 ", "\u0301", "1 Jan ", "1,234"])
def test_the_longest_cell_takes_no_longer_than_its_length(filling):
    """A cell of a spreadsheet has 32,767 characters. With 16,000 spaces, one took 22 seconds."""
    cell = ("1" + filling * 32_767)[:32_765] + "2"
    start = time.perf_counter()
    assert formatted("%d", cell, cell) == formatted(",.0f", cell) * 2 == [None, None]
    assert time.perf_counter() - start < 1
