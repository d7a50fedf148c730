"""The composer's second section: why a text takes several SMS, and the rows to correct in turn."""

import pandas as pd
import pytest
from support.spreadsheets import workbook
from support.widget_tree import find

import campaign
from campaign.messages.templates.languages import find_languages
from campaign.notebook.composer.alphabet import explain_alphabet
from campaign.notebook.composer.amount_placeholders import amount_placeholders

PLACE = "is not in the alphabet of SMS, so one SMS holds 70 characters instead of 160."


@pytest.mark.parametrize(
    ("message", "text", "said"),
    [
        ("Hi {name}, a plain text", "Hi Aisha, a plain text", ""),
        ("Fête", "Fête", f"“ê” in your text {PLACE} To save room, write “e” instead of “ê”."),
        ("Hi {name}", "Hi Ŋgũ", "“Ŋ” and “ũ” from the spreadsheet are not in the alphabet of SMS, so one SMS "
         "holds 70 characters instead of 160. To save room, write “u” instead of “ũ” and leave out “Ŋ” in "
         "the spreadsheet."),
        ("Party 🎉", "Party 🎉", f"“🎉” in your text {PLACE} To save room, leave out “🎉”."),
        ("{ê}", "e", ""),  # the name of a column is not sent
        ("“Come”", "“Come”", ""),  # replaced before sending
        ("Euro " + "€" * 5, "Euro " + "€" * 5, ""),
        ("€" * 6, "x" * 150 + "€" * 6, "“€” counts as two characters, so this text takes 2 SMS."),
        ("x" * 161, "x" * 161, ""),  # too long: the check says so
    ],
)  # fmt: skip
def test_the_characters_that_need_more_room_are_named(message, text, said):
    assert explain_alphabet(message, text) == said


def test_the_composer_explains_the_text_of_the_row_on_the_phone(person, table):
    table.write_text("name,phone\nAisha,+256 772 000 001\nZoë,+256 772 000 002\nŊina,+256 772 000 003\n")
    person.fill("path", "visits.csv")
    person.press("use")
    person.write("Hi {name}, " + "come again " * 7)
    cells = "“ë” and “Ŋ” from “name” are not in the alphabet of SMS, so in 2 rows one SMS holds 70 characters"
    assert person.sees("alphabet").startswith(cells)
    there = "To save room, write “e” instead of “ë” and leave out “Ŋ” in the spreadsheet."
    assert person.sees("alphabet").endswith(there)
    several = "· more than 1 SMS for 2 rows, the first is row 3, with letters that need more room"
    assert person.sees("counter").endswith(several)
    person.press("next")
    assert "“ë” from the spreadsheet is not" in person.sees("alphabet")
    person.press("previous")
    assert person.sees("alphabet").startswith(cells)
    person.write("Fête, {name}, " + "come again " * 15)
    assert " of 160 · too long · the longest" in person.sees("counter")  # one limit, not two
    assert person.sees("alphabet") == ""
    assert "177 of 160 characters: what is struck out does not fit." in person.sees("phone")
    person.composer.desk.decide(overlong="truncate")
    person.composer.message.phone.show()
    cut = "The text had 177 characters and was cut to 158. Left out: “come again come again”."
    assert cut in person.sees("phone")
    person.write("Fête, {name}, " + "come again " * 7)
    assert person.sees("alphabet").startswith("“ê” in your text is not")
    table.write_text(f"name,phone\n{'Ann ' * 40},+256 772 000 001\nBen,+256 772 000 002\n")
    person.reopen(1)
    person.press("again")
    person.press("use")  # the phone shows a text that is too long, and the other one takes two SMS
    assert person.sees("alphabet").startswith("“ê” in your text is not")


def test_the_counter_counts_the_rows_that_get_a_text(person, table):
    table.write_text(
        "name,phone\nA,0772 000 001\nNoëlle Ă,0772 00\nBen,0772 000 001\nĂ,0772 000 003\n,0772 000 004\n"
    )
    person.fill("path", "visits.csv")
    person.fill("country", "UG")
    person.press("use")
    person.write("Hi {name}, " + "come again " * 7)
    assert person.sees("counter").endswith(
        "· the longest is row 2 with 82 · more than 1 SMS for 1 row, row 5, with letters that need more room"
    )
    person.press("next")
    person.press("longest")
    assert find(person.composer, "section-2").phone.row == 2
    person.press("larger")
    assert find(person.composer, "section-2").phone.row == 5
    assert "number 1 of 1 row with more than 1 SMS." in person.sees("phone")
    person.write("")
    assert not person.is_shown("larger")
    person.write("Hi {name}, " + "come again " * 15)
    assert person.sees("counter").endswith("· too long for 3 rows")
    assert not person.is_shown("larger")
    (table.parent / "stop.csv").write_text("number\n0772000003\n")
    person.fill("sender", "CLINIC")
    person.press("check")
    assert "3 rows. The text has more than 160 characters" in person.sees("section-3")
    person.fill("opt-outs", "stop.csv")
    assert "2 rows. The text has more than 160 characters" in person.sees("section-3")
    person.reopen(2)
    assert person.sees("counter").endswith("· too long for 2 rows")


def test_rows_to_correct_come_one_after_another(person, table):
    table.write_text("name,phone\nA,1\nB,+256 772 000 002\nC,2\nD,+256 772 000 004\nE,3\n")
    person.fill("path", "visits.csv")
    person.press("use")
    person.write("Hi {name}")
    seen = []
    for _ in range(4):
        person.press("problem")
        seen.append(find(person.composer, "section-2").phone.row)
    assert seen == [4, 6, 2, 4]
    assert "From the top, this is number 2 of 3 rows to correct." in person.sees("phone")
    person.press("next")
    person.press("problem")
    assert find(person.composer, "section-2").phone.row == 6
    assert find(person.composer, "next").disabled
    assert not find(person.composer, "previous").disabled


def test_sections_2_and_3_count_the_same_rows_to_correct(person, table):
    """A row that repeats another one, or shares its phone, gets no text, and nothing is wrong with it."""
    rows = ["A,0772 00,Mon", "B,+256 772 000 002,Tue", "B,+256 772 000 002,Tue", "C,+256 772 000 002,Wed"]
    table.write_text("name,phone,day\n" + "\n".join(rows) + "\n")
    person.fill("path", "visits.csv")
    person.press("use")
    person.write("Hi {name}, come on {day}.")
    person.fill("sender", "CLINIC")
    person.press("problem")
    assert "From the top, this is number 1 of 1 row to correct." in person.sees("phone")
    for said in (
        "Row 3, to 25677*****02 · 1 SMS",
        "Row 4 has the phone and the text of row 3: that phone gets it once.",
        "Row 5 has the phone of row 3, which gets the text of that row. This text is not sent unless you "
        "decide otherwise in section 3, where the rows that share a phone are asked about.",
    ):
        person.press("next")
        assert said in person.sees("phone")
    assert "to 25677" not in person.sees("phone")
    person.press("check")
    shown = person.sees("section-3")
    assert "1 person gets a text; 3 rows get none." in shown
    assert "1 has to be corrected, 1 repeats a number, 1 shares a phone." in shown


# dates


AMBIGUOUS = "name,phone,day\nAisha,+256 772 000 001,05/01/2026\nBen,+256 772 000 002,06/02/2026\n"


def test_how_dates_are_written_is_asked_only_where_they_can_be_read_in_two_ways(person, table):
    table.write_text(AMBIGUOUS.replace("05/01", "25/01").replace("06/02", "26/02"))
    person.fill("path", "visits.csv")
    assert not person.is_shown("dates")
    table.write_text(AMBIGUOUS)
    person.press("again")
    assert person.is_shown("dates")
    assert person.offered("dates")[1:] == [
        "The day first: 05/01/2026 is 5 January 2026", "The month first: 05/01/2026 is 1 May 2026",
    ]  # fmt: skip


def test_the_order_of_dates_reaches_the_text(person, table):
    table.write_text(AMBIGUOUS)
    person.fill("path", "visits.csv")
    person.press("use")
    assert find(person.composer, "text").formats == {"day, as 1 December": "day:%-d %B"}
    person.write("Come on {day:%-d %B}.")
    assert "How dates" not in person.sees("phone")
    assert "can be read in more than one way" in person.sees("phone")
    person.reopen(1)
    person.fill("dates", "mdy")
    person.press("use")
    assert find(person.composer, "text").formats == {"day, as 1 May": "day:%-d %B"}
    assert "Come on 1 May." in person.sees("phone")
    assert "dates='mdy'" in person.lines_of_python()


def test_a_placeholder_is_shown_with_a_date_of_the_spreadsheet_that_can_be_read_in_one_way(person, table):
    table.write_text(AMBIGUOUS + "Dan,+256 772 000 009,26/02/2026\n")
    person.fill("path", "visits.csv")
    person.press("use")
    assert find(person.composer, "text").formats == {"day, as 26 February": "day:%-d %B"}


SHOWN = """name,phone,day,language
Aisha,+256 772 000 001,05/01/2026,fr
Ben,+256 772 000 002,26/02/2026,en
Carol,+256 772 000 003,06.01.26,fr
"""


def test_a_row_is_shown_with_its_dates_as_the_whole_column_shows_them(person, table):
    table.write_text(SHOWN)
    person.fill("path", "visits.csv")
    person.press("use")
    person.write("Come on {day:%-d %B}.")
    assert "Come on 5 January." in person.sees("phone")
    person.fill("languages", "language")
    assert find(person.composer, "editing").value == "fr"  # of whose readers no row shows the order
    person.write("Le {day:%-d %B@fr}.")
    assert "Le 5 janvier." in person.sees("phone")
    person.press("next")
    assert "Le 6 janvier." in person.sees("phone")
    person.press("problem")
    assert "No row has to be corrected in “fr”." in person.sees("phone")


def test_how_dates_are_read_is_said_before_anything_is_sent_and_can_be_changed(person, table):
    table.write_text(SHOWN.replace("26/02/2026", "01/26/2026").replace(",language", ",group"))
    person.fill("path", "visits.csv")
    assert person.offered("dates") == [
        "The month first, as 01/26/2026 shows",
        "The day first: 05/01/2026 is 5 January 2026", "The month first: 05/01/2026 is 1 May 2026",
    ]  # fmt: skip
    person.compose(text="Come on {day:%-d %B}.")
    person.reopen(3)
    said = 'Dates in "day" are read with the month first, as 01/26/2026 shows. If that is wrong, read'
    assert f"{said} the file with “The day first”. That is in section 1." in person.sees("section-3")
    person.reopen(1)
    person.fill("dates", "dmy")
    person.press("use")
    assert "2 people get a text; 1 row gets none." in person.sees("section-3")


def test_rows_to_correct_are_read_with_the_dates_of_their_spreadsheet(person, table):
    table.write_text("name,phone,day\nAisha,0772 00,05/01/2026\nBen,+256 772 000 002,13/01/2026\n")
    person.compose(text="Come on {day:%-d %B}.")
    person.send()
    rows = campaign.write_follow_up(campaign.load_result(person.composer.desk.run.folder), "to_correct.csv")
    rows.write_text(rows.read_text("utf-8-sig").replace('"0772 00"', '"+256772000001"'))
    person.reopen(1)
    person.fill("path", "to_correct.csv")
    assert person.offered("dates")[0] == 'The day first, as in the campaign "visits"'
    person.press("use")
    assert "Come on 5 January." in person.sees("phone")
    person.press("check")
    assert person.composer.desk.plan.messages["message"].tolist() == ["Come on 5 January."]


def test_how_a_text_writes_its_dates_is_chosen_by_what_it_looks_like(person, table):
    table.write_text("name,phone,day\nAisha,+256 772 000 001,2026-12-01\nBen,+256 772 000 002,2026-12-02\n")
    person.fill("path", "visits.csv")
    person.press("use")
    person.write("Bonjour {name}.")
    assert not person.is_shown("date-format")
    person.write("Bonjour {name}, le {day|bientôt}.")
    assert person.is_shown("date-format")
    offered = person.offered("date-format")
    assert offered[0] == "As they are in the file: 2026-12-01"
    assert {"mardi 1er décembre (français)", "1 de diciembre (español)", "01/12/2026"} <= {*offered}
    assert person.sees("about-formats") == ""
    person.fill("date-format", "%A %-d %B@fr")
    stands = "{day:%A %-d %B@fr|bientôt} stands for a date, such as “mardi 1er décembre”."
    assert person.sees("about-formats") == stands
    assert find(person.composer, "text").value == "Bonjour {name}, le {day:%A %-d %B@fr|bientôt}."
    assert "Bonjour Aisha, le mardi 1er décembre." in person.sees("phone")
    person.write("Bonjour {name}, le {day:%d %b|bientôt}.")
    assert find(person.composer, "date-format").value == "%d %b"
    person.fill("sender", "CLINIC")
    person.write("Bonjour {name}, nous vous attendons à la clinique le {day:%A %-d %B@fr|bientôt}, apportez")
    person.press("check")
    line = "Bonjour {name}, nous vous attendons à la clinique le {day, as mardi 1er décembre}, …"
    assert person.folded()[1] == f"2 · “{line}”, sender CLINIC"
    person.reopen(2)
    person.write("Bonjour {name}, nous vous attendons à la clinique de Mukono-Est le {day:%A %-d %B@fr}")
    person.press("check")
    assert "de Mukono-Est le …”" in person.folded()[1]
    person.reopen(2)
    person.write("Bonjour {name}, le {day:%d %b|bientôt}.")
    person.fill("date-format", "")
    assert "Bonjour Aisha, le 2026-12-01." in person.sees("phone")


def test_a_date_with_a_time_of_day_is_written_with_it_unless_somebody_chooses_otherwise(person, table):
    table.write_text("name,phone,day\nAisha,+256772000001,2026-12-01\nBen,+256772000002,2026-12-02 14:30\n")
    person.fill("path", "visits.csv")
    person.press("use")
    assert find(person.composer, "text").formats == {"day, as 2 December, 14:30": "day:%-d %B, %H:%M"}
    person.write("Come {day:%A %-d %B, %H:%M@fr|soon}.")
    offered = person.offered("date-format")
    assert offered[1] == "2 December, 14:30 (English)"
    assert {"mercredi 2 décembre, 14:30 (français)", "02/12/2026, 14:30"} <= {*offered}
    assert "2 December (English, without the time)" in offered
    assert find(person.composer, "date-format").value == "%A %-d %B, %H:%M@fr"
    person.press("next")
    assert "Come mercredi 2 décembre, 14:30." in person.sees("phone")


def test_the_order_of_dates_is_forgotten_with_another_file(person, table, tmp_path):
    table.write_text(AMBIGUOUS)
    (tmp_path / "other.csv").write_text(AMBIGUOUS)
    person.fill("path", "visits.csv")
    person.fill("dates", "mdy")
    person.press("again")
    assert person.composer.desk.composition.dates == "mdy"
    person.fill("path", "other.csv")
    assert person.composer.desk.composition.dates is None
    assert find(person.composer, "dates").value == ""


# languages


TWO_LANGUAGES = (
    "name,phone,Language\nAisha,+256 772 000 001,en\nBen,+256 772 000 002,Sw\nEve,+256 772 000 003,en\n"
    "Dan,+256 772 000 004,\n"
)


def test_languages_are_offered_only_where_there_is_a_column_of_them(person, table):
    person.fill("path", "visits.csv")
    person.press("use")
    assert find(person.composer, "section-2").languages.layout.display == "none"
    table.write_text(TWO_LANGUAGES)
    person.reopen(1)
    person.press("again")
    person.press("use")
    assert person.offered("languages") == [
        "The same text for everybody", "A text for each language in “Language”: en, sw",
    ]  # fmt: skip
    assert not person.is_shown("editing")


def test_everybody_gets_the_text_of_their_language(person, table):
    table.write_text(f"{TWO_LANGUAGES},,\nTotal people,,\n")  # which need no language
    person.fill("path", "visits.csv")
    person.press("use")
    person.write("Hello {name}")
    person.fill("sender", "CLINIC")
    person.fill("languages", "Language")
    assert person.offered("editing") == ["en (2 rows)", "sw (1 row)"]
    without = "1 row has no language (row 5). It gets no text until it has one."
    assert person.sees("without-language") == without
    assert find(person.composer, "text").value == "Hello {name}"
    person.press("check")
    assert (
        "The text for “sw” is empty. Write one: row 3 has that language. If another one is meant, "
        "correct the spreadsheet" in person.sees("section-2")
    )
    person.fill("editing", "sw")
    assert find(person.composer, "text").value == ""
    person.write("Habari {name}")
    assert "Habari Ben" in person.sees("phone")
    assert person.sees("counter") == "10 of 160 · 1 SMS · the longest is row 3 with 10"
    person.fill("editing", "en")
    assert "Hello Aisha" in person.sees("phone")
    person.press("problem")
    assert "No row has to be corrected in “en”." in person.sees("phone")
    person.press("check")
    assert person.folded()[1] == "2 · “Hello {name}” and 1 other language (column “Language”), sender CLINIC"
    assert '"Language" is empty: fill in the language. There are texts for: en, sw.' in person.sees(
        "section-3"
    )
    person.press("go-on")
    person.send()
    composed = person.composer.desk.run.result
    assert composed.messages["message"].tolist() == ["Hello Aisha", "Habari Ben", "Hello Eve"]
    world = {}
    exec(person.lines_of_python(), world)
    assert world["plan"].fingerprint == composed.plan.fingerprint

    rows = campaign.write_follow_up(campaign.load_result(person.composer.desk.run.folder), "to_correct.csv")
    rows.write_text(rows.read_text("utf-8-sig").replace('004",""', '004","sw"'))
    person.reopen(1)
    person.fill("path", "to_correct.csv")
    person.press("use")
    assert "Habari Dan" in person.sees("phone")
    person.press("check")
    assert person.folded()[1].startswith("2 · “Hello {name}” and 1 other language")  # nobody has it here
    assert person.composer.desk.plan.messages["message"].tolist() == ["Habari Dan"]
    person.press("go-on")
    person.send()
    person.reopen(1)
    person.fill("path", "visits.csv")
    person.press("use")
    waiting = "1 row has no language (row 5). It gets no text until it has one."
    assert person.sees("without-language") == waiting
    person.press("check")
    person.press("go-on")
    person.send()
    again = (
        "To rehearse it again, open section 3, press “Go on to sending” and give another name in the field "
        "“Name of this campaign”."
    )
    assert again in person.sees("section-4")
    assert again in person.sees("section-5")


def test_a_language_of_one_row_may_be_a_mistake_in_its_cell(person, table):
    rows = "".join(f"+2567720000{n},en\n" for n in range(10, 20))
    table.write_text(f"phone,lang\n{rows}+256772000020,French\n")
    person.fill("path", "visits.csv")
    person.press("use")
    person.fill("languages", "lang")
    assert person.sees("without-language") == (
        "Only row 12 has “french”. If another language is meant, correct the cell in your spreadsheet and "
        "choose it again."
    )


def test_a_spreadsheet_without_languages_takes_one_text_again(person, table):
    table.write_text(TWO_LANGUAGES)
    person.fill("path", "visits.csv")
    person.press("use")
    person.write("Hello {name}")
    person.fill("languages", "Language")
    table.write_text(TWO_LANGUAGES.replace("Language", "Town"))
    person.reopen(1)
    person.press("again")
    person.press("use")
    assert person.composer.desk.composition.language is None
    assert "Hello Aisha" in person.sees("phone")


@pytest.mark.parametrize(
    ("rows", "languages"),
    [
        ("Langue\nfr\nen\nFR ", {"fr": 2, "en": 1}),
        ("preferred_language\nen\nen", None),  # one is no choice
        ("Language notes\n" + "\n".join(f"speaks {n}" for n in range(13)), None),
        ("Town\nen\nfr", None),
    ],
)
def test_a_column_of_languages_is_known_by_its_header_and_its_cells(rows, languages):
    found = find_languages(campaign.read_contacts(rows.encode(), header=1))
    assert (found and found.rows) == languages


def test_what_is_wrong_with_the_sender_stands_beside_it_and_the_text_stays_in_sight(person):
    person.fill("path", "visits.csv")
    person.press("use")
    person.write("Hi {name}")
    person.fill("sender", "MULAGO HOSPITAL")
    assert "has 15 characters, and the service takes at most 11" in person.sees("sender-fault")
    hint = find(person.composer, "sender").placeholder
    assert hint == "a name or a number of 1 to 11 characters, such as CLINIC"
    assert "Hi Aisha" in person.sees("phone")
    person.press("check")
    assert not person.section(3).is_open
    person.fill("sender", "MULAGO")
    assert person.sees("sender-fault") == ""
    assert "MULAGO Hi Aisha" in person.sees("phone")
    person.fill("sender", "")
    person.press("check")
    assert "The sender is empty." in person.sees("section-2")
    person.fill("sender", "KASUBI HEALTH")
    assert "has 13 characters" in person.sees("section-2")
    assert "The sender is empty." not in person.sees("section-2")


def test_the_counter_says_what_fits_into_one_sms_and_what_becomes_of_a_text_that_is_too_long(person, table):
    table.write_text("name,phone\nNaïma,+256 772 000 001\nÓscar,+256 772 000 002\n")
    person.fill("path", "visits.csv")
    person.press("use")
    person.write("Hi {name}, " + "come again " * 7)
    room = "one SMS holds 70 with “ï”"
    longest = "the longest is row 2 with 86"
    several = "more than 1 SMS for 2 rows, the first is row 2, with letters that need more room"
    assert person.sees("counter") == f"86 characters · 2 SMS · {room} · {longest} · {several}"
    person.write("x" * 170)
    assert person.sees("counter") == (
        "170 of 160 · too long · the longest is row 2 with 170 · too long for 2 rows"
    )
    section = person.section(2)
    assert "CLINIC" not in person.sees("phone")
    person.fill("sender", "CLINIC")
    assert person.sees("phone").startswith("CLINIC xxx")
    assert f"{'x' * 160}<del>{'x' * 10}</del>" in section.phone.screen.value
    section._desk.decide(overlong="truncate")
    section.phone.show()
    assert person.sees("counter").startswith("170 of 160 · too long, so it is cut · ")


def test_a_number_to_call_is_shown_as_it_leaves_also_in_a_text_that_is_too_long(person):
    person.fill("path", "visits.csv")
    person.press("use")
    person.write("Call 0414 000 000. " + "come again " * 13)
    assert "Call 0414 000 000." in person.sees("phone")
    assert "161 of 160 characters" in person.sees("phone")


def test_a_phone_number_in_a_text_is_no_example_of_an_amount(person, table):
    table.write_text("name,phone,fee\nAisha,+256772000001,nil\nBen,+256772000002,500\n")
    person.fill("path", "visits.csv")
    person.press("use")
    person.write("Call {phone:,.0f} about {name:,.0f}, {fee}, {fee:x}.")
    assert person.sees("about-formats") == ""
    person.write("{fee:,.0f} {fee:,.0f}")
    assert person.sees("about-formats") == "{fee:,.0f} stands for an amount: 500 is written as “500”."


def test_what_is_wrong_with_the_text_is_said_once(person, table):
    """At the text, where it stands out once the button has met it, and in no second place."""
    person.fill("path", "visits.csv")
    person.press("use")
    person.fill("sender", "CLINIC")
    person.write("Hi {nme}")
    fault, counter = "The text has the placeholder {nme}.", find(person.composer, "counter")
    assert person.sees("section-2").count(fault) == 1
    assert "alert" not in counter.value
    person.press("check")
    assert person.sees("section-2").count(fault) == 1
    assert 'class="problem" role="alert"' in counter.value
    person.press("check")
    assert person.sees("section-2").count(fault) == 1
    person.write("Hi {name")
    assert fault not in person.sees("section-2")
    assert "alert" not in counter.value
    person.write("")
    person.press("check")
    assert "empty" in person.sees("section-2")
    assert person.sees("counter") == "0 of 160"


def test_a_text_that_no_longer_fits_its_spreadsheet_is_said_to_once(person, table):
    person.compose(text="Hi {name}, come on {day}.")
    table.write_text("name,phone\nAisha,0772 000 001\n")
    person.reopen(1)
    person.press("again")
    person.press("use")
    assert person.sees("section-2").count("The text has the placeholder {day}.") == 1
    assert 'class="problem" role="alert"' in find(person.composer, "counter").value


def test_amounts_are_offered_with_a_comma_as_the_spreadsheet_shows_them(person, tmp_path):
    """A workbook holds 170000 and shows 170,000; codes, years and amounts that have a comma stay."""
    book = workbook(
        ["name", "phone", "balance", "fee", "year", "class", "paid"],
        ["Aisha", "+256 772 000 001", 170000, 1250.5, 2026, 4, "50,000"],
        ["Ben", "+256 772 000 002", 900, 20, 2025, 5, 1200],
        ["Carol", "+256 772 000 003", None, 800, 2026, 4, "nothing"],
        ["Dan", "+256 772 000 004", "nil", 800, 2026, 4, "nothing"],
    )
    book["Sheet"]["C2"].number_format = "#,##0"
    book.save(tmp_path / "balances.xlsx")
    person.fill("path", "balances.xlsx")
    person.press("use")
    editor = find(person.composer, "text")
    assert editor.formats == {
        "balance, as 170,000": "balance:,.0f",
        "fee, as 1,250.50": "fee:,.2f", "fee, as 1,250, rounded": "fee:,.0f",
    }  # fmt: skip
    person.write("You owe {balance:,.0f} and {fee:,.2f}.")
    assert person.sees("about-formats") == (
        "{balance:,.0f} stands for an amount: 170000 is written as “170,000”. "
        "{fee:,.2f} stands for an amount: 1250.5 is written as “1,250.50”."
    )
    assert "You owe 170,000 and 1,250.50." in person.sees("phone")
    person.fill("sender", "CLINIC")
    person.press("check")
    assert "2 people get a text; 2 rows get none." in person.sees("section-3")


def test_one_amount_with_a_currency_does_not_take_the_format_from_the_others(person, tmp_path):
    """Beside the same currency in the text it is an amount as the others are, and beside none it is not."""
    rows = [f"Child {place},+256 772 000 0{place},{place}0000" for place in range(10, 16)]
    table = "name,phone,fee\n" + "\n".join([*rows, 'Gil,+256 772 000 016,"UGX 150,000"'])
    (tmp_path / "fees.csv").write_text(table)
    person.fill("path", "fees.csv")
    person.press("use")
    assert find(person.composer, "text").formats == {"fee, as UGX 100,000": "UGX {fee:,.0f}"}
    person.fill("sender", "CLINIC")
    person.write("The fees of {name} are UGX {fee:,.0f}.")
    person.press("check")
    assert person.sees("section-3").startswith("7 people get a text; no row is left out.")
    assert "The fees of Gil are UGX 150,000." in person.composer.desk.plan.messages["message"].tolist()
    person.reopen(2)
    person.write("The fees of {name} are {fee:,.0f} shillings.")
    person.press("check")
    section = person.sees("section-3")
    assert "6 people get a text; 1 row gets none." in section
    assert 'The text needs "fee" to be' in section


@pytest.mark.parametrize(
    ("cells", "offered"),
    [
        (["£65.00", "65", "23.8"], {"fee, as £65.00": "£{fee:,.2f}", "fee, as £65, rounded": "£{fee:,.0f}"}),
        (["UGX 30,000", "30000", ""], {"fee, as UGX 30,000": "UGX {fee:,.0f}"}),
        (["300 €", "200"], {"fee, as €300": "€{fee:,.0f}"}),
        (["£5", "$6"], {}),
        (["VHT12", "VHT13"], {}),
        (["65", "23"], {}),
    ],
)
def test_amounts_of_which_some_have_a_currency_are_offered_with_it(cells, offered):
    rows = pd.DataFrame({"phone": "+256 772 000 001", "fee": cells}, dtype="str")
    assert amount_placeholders(rows) == offered
    for way in offered.values():
        plan = campaign.prepare(rows, message=way, sender="CLINIC", number="phone", duplicates="keep")
        wanted = next(iter(offered)).removeprefix("fee, as ") if ".2f" in way or len(offered) == 1 else ""
        assert wanted in plan.messages["message"].iloc[0]
        assert plan.totals["invalid"] == cells.count("")


# whose row gets no text


@pytest.mark.parametrize(
    ("header", "row", "whose"),
    [
        ("name,phone", "Carol,0772 00", " (Carol)"),
        ("phone,day", "0772 00,Mon", " (Mon)"),  # the only column that tells people apart
        ("name,phone", ",0772 00", ""),
        ("name,phone", "Carol +256 772 000 009,0772 00", " (Carol +256 77*****09)"),
        ("phone", "0772 00", ""),
    ],
)
def test_a_row_without_a_text_is_named_on_the_phone_as_in_the_lists(person, table, header, row, whose):
    others = {"name,phone": "Aisha,+256 772 000 001", "phone,day": "+256 772 000 001,Tue"}
    table.write_text(f"{header}\n{others.get(header, '+256 772 000 001')}\n{row}\n")
    person.fill("path", "visits.csv")
    person.press("use")
    person.write("Come")
    person.press("problem")
    assert f"Row 3{whose} gets no text. The number has too few digits." in person.sees("phone")
