"""The table of the names of months and days: as CLDR has it, and loaded where it is needed only."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from support import date_names_from_cldr

from campaign.messages.templates import date_names

LOADS_NO_TABLE = """
import campaign
from campaign.messages.templates import date_names
contacts = campaign.read_contacts(b"phone,visit\\n0772000001,2026-01-05\\n")
campaign.prepare(contacts, message="{visit:%A %-d %B}", sender="CLINIC", region="UG")
assert not date_names._table._value.cache_info().currsize
"""


def test_the_table_is_what_the_script_makes_of_cldr():
    assert date_names_from_cldr.PLACE.read_text("utf-8") == date_names_from_cldr.as_file()


def test_english_is_what_cldr_has():
    assert date_names.date_names()["en"] == date_names.ENGLISH


def test_dates_in_numbers_and_english_texts_need_no_table():
    subprocess.run([sys.executable, "-c", LOADS_NO_TABLE], check=True)


def test_several_threads_load_one_table():
    date_names._table.cache_clear()
    with ThreadPoolExecutor(8) as threads:
        tables = [*threads.map(lambda _: date_names.date_names(), range(8))]
    assert len({*map(id, tables)}) == 1


@pytest.mark.parametrize(
    ("language", "month", "day"),
    [
        ("lg", "Novemba", "Lwamukaaga"), ("sw", "Novemba", "Jumamosi"), ("am", "ኖቬምበር", "ቅዳሜ"),
        ("ar", "نوفمبر", "السبت"), ("ha", "Nuwamba", "Asabar"), ("so", "Noofeembar", "Sabti"),
        ("pt", "novembro", "sábado"), ("hi", "नवंबर", "शनिवार"), ("fr", "novembre", "samedi"),
        ("rw", "Ugushyingo", "Kuwa gatandatu"), ("pl", "listopada", "sobota"), ("de", "November", "Samstag"),
    ],
)  # fmt: skip
def test_languages_that_texts_are_written_in(language, month, day):
    names = date_names.date_names()[language]
    assert (names.months[10], names.days[5]) == (month, day)


def test_each_name_is_read_in_its_language():
    for code, names in date_names.date_names().items():
        for place, month in enumerate(names.months, 1):
            for spelling in (month, month.upper(), f"{month}."):
                read = date_names.months_called(spelling).get(code, 0)
                assert read == (0 if code in date_names_from_cldr.OF_TWO_CALENDARS else place), spelling
