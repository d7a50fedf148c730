"""The page of the message: the text, its length, the phone beside it, the sender, languages, placeholders."""

import time

import numpy as np
import pytest
from support.form_person import TEXT, VISITS
from support.spreadsheets import saved, workbook

import campaign
from campaign.notebook.composer.items import words
from campaign.notebook.composer.message_page import chips

LONG = "come again " * 14


@pytest.fixture
def writer(person):
    """Somebody at the page of the message for the visits, with a sender and no text."""
    person.choose()
    person.press("next")
    person.fill("sender", "CLINIC")
    return person


def count(characters, **facts):
    return words("form_count", **{"characters": characters, "limit": 160, "parts": 0, "too_long": 0, **facts})


# the text, the counter, the phone


def test_counter_and_phone_follow_the_text_and_the_person(writer):
    assert writer.item("text")["count"] == count(0)
    assert [chip["insert"] for chip in writer.item("text")["chips"]] == ["{name}", "{day}"]
    writer.fill("text", TEXT)
    assert (writer.item("text")["count"], writer.phone) == (
        count(22),
        ["Hi Aisha, come on Mon.", "Aisha, row 2"],
    )
    writer.turn(1)
    assert (writer.item("text")["count"], writer.phone) == (count(20), ["Hi Ben, come on Tue.", "Ben, row 3"])
    writer.turn(1)
    assert writer.phone == ["Hi Dan, come on Thu.", "Dan, row 5"]  # Carol has no number that can be used
    writer.turn(1)
    assert writer.phone[1] == "Aisha, row 2"
    writer.turn(-1)
    assert writer.phone[1] == "Dan, row 5"


def test_what_does_not_fit_is_struck_out_and_counted(writer):
    writer.fill("text", f"{LONG}{{name}} {{name}}")  # 154 characters and twice the name
    (shown,) = writer._only("phone")["texts"]
    assert "".join(shown) == f"{LONG}Aisha Aisha"
    assert len(shown[0]) == 160
    text = writer.item("text")
    assert (text["count"], text["is_wrong"]) == (count(165, too_long=3), True)
    writer.press("next")
    assert writer.bar == {"get it": 0, "to correct": 4, "left out": 0}
    writer.fill("overlong", "split")
    writer.press("back")
    assert writer._only("phone")["texts"] == [[f"{LONG}Aisha Aisha", ""]]
    assert (writer.item("text")["count"], "is_wrong" in writer.item("text")) == (count(165), False)


def test_letters_that_make_it_more_sms_are_named(writer):
    writer.fill("text", "Ŵ" * 71)
    assert writer.item("text")["count"] == count(71, parts=2)
    assert writer.says("form_letters", letters="“Ŵ”")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "text_empty"),
        (" \n", "text_empty"),
        ("Hi {nme}", "placeholder_unknown"),
        ("Hi {name", "brace_alone"),
    ],
)
def test_a_wrong_text_goes_no_further_and_stays(writer, text, code):
    writer.fill("text", text)
    assert writer.refused == ""  # nobody has gone on yet
    writer.press("next")
    assert (writer.refused, writer.page["step"]) == (code, "message")
    assert writer.item("text").get("value", "") == text
    writer.fill("text", TEXT)
    assert (writer.refused, "is_wrong" in writer.item("text")) == ("", False)
    writer.press("next")
    assert writer.page["step"] == "check"


@pytest.mark.parametrize("sender", ["", "MULAGO HOSPITAL", "KLINIK Ŵ"])
def test_a_wrong_sender_goes_no_further(writer, sender):
    writer.fill("text", TEXT)
    writer.fill("sender", sender)
    assert writer.item("sender").get("is_wrong", False) == bool(sender)
    writer.press("next")
    assert (writer.refused, writer.page["step"]) == ("bad_sender", "message")
    writer.fill("sender", "MULAGO")
    assert (writer.refused, "is_wrong" in writer.item("sender")) == ("", False)
    assert writer._only("phone")["sender"] == "MULAGO"
    writer.press("next")
    assert writer.page["step"] == "check"


def test_nobody_is_on_the_phone_where_nobody_gets_the_text(person):
    person.choose("name,phone,OK to text?\nAisha,+256 772 000 001,no\nBen,+256 772 000 002,no\n")
    person.press("next")
    assert person.phone == [""]
    assert person.says("form_nobody")


def test_a_text_that_a_new_file_does_not_fit_is_said_and_kept(person):
    person.compose()
    person.do("press", "step:0")
    person.upload("source", "visits.csv", "name,phone\nAisha,+256 772 000 001\n")
    person.press("next")
    assert (person.item("text")["value"], person.item("text")["is_wrong"]) == (TEXT, True)
    person.press("next")
    assert (person.refused, person.page["step"]) == ("placeholder_unknown", "message")


def test_the_counter_keeps_up_with_typing_on_a_hundred_thousand_rows(person):
    names = np.char.add("Person ", np.arange(100_000).astype(str))
    numbers = np.char.add("+25677", np.char.zfill(np.arange(100_000).astype(str), 7))
    person.choose("name,phone\n" + "\n".join(map(",".join, zip(names, numbers, strict=True))))
    person.press("next")
    seconds = []
    for place in range(5):
        before = time.process_time()  # computing, because by the clock a busy machine takes ten times as long
        person.fill("text", "Hi {name}, your visit is on Monday" + "." * place)
        seconds.append(time.process_time() - before)
    assert person.item("text")["count"] == count(40)
    assert min(seconds) < 0.2


# languages

LANGUAGES = (
    "name,phone,Language\nAisha,+256 772 000 001,en\nBen,+256 772 000 002,Sw\nEve,+256 772 000 003,en\n"
    "Dan,+256 772 000 004,\n"
)


@pytest.fixture
def translator(person):
    """Somebody who has written a text for everybody, and then wants one for each language."""
    person.choose(LANGUAGES)
    person.write("Hello {name}")
    person.fill("language", "Language")
    return person


def test_languages_are_asked_about_only_where_a_column_has_them(writer):
    assert not writer.shows("language")
    writer.choose(LANGUAGES, "languages.csv")
    writer.press("next")
    assert (writer.offers("language"), writer.shows("editing")) == (["", "Language"], False)


def test_rows_of_a_language_without_a_text_wait_and_stop_nobody(translator):
    assert (translator.offers("editing"), translator.item("text")["value"]) == (["en", "sw"], "Hello {name}")
    assert translator.says("form_without_text", rows=2)  # Ben's, and Dan's, who has no language
    translator.fill("editing", "sw")
    translator.fill("text", "Habari")
    translator.fill("text", " ")  # begun and given up
    translator.go_on()
    translator.rehearse()
    assert translator.counts == {"invalid": 2, "accepted": 2}
    translator.press("done")
    translator.choose(LANGUAGES)
    translator.press("continue:visits")
    translator.press("back")
    translator.fill("editing", "sw")
    assert translator.item("text").get("value", "").strip() == ""
    translator.fill("text", "Habari {name}")
    assert translator.phone == ["Habari Ben", "Ben, row 3"]
    assert translator.says("form_without_text", rows=1)
    translator.go_on()
    assert translator.item("send:local")["label"] == words("form_rehearse", messages=1)
    translator.rehearse()
    assert translator.counts == {"invalid": 1, "accepted": 3}
    messages = campaign.load_result(translator.composer.form.folder).messages["message"].tolist()
    assert messages == ["Hello Aisha", "Habari Ben", "Hello Eve"]


def test_a_wrong_text_of_another_language_goes_no_further(translator):
    translator.fill("editing", "sw")
    translator.fill("text", "Habari {nme}")
    translator.fill("editing", "en")
    translator.press("next")
    assert (translator.refused, translator.page["step"]) == ("placeholder_unknown", "message")


def test_a_text_in_no_language_goes_no_further(translator):
    translator.fill("text", "")
    translator.press("next")
    assert (translator.refused, translator.page["step"]) == ("text_empty", "message")


def test_back_to_one_text_for_everybody(translator):
    translator.fill("editing", "sw")
    translator.fill("text", "Habari {name}")
    translator.fill("language", "")
    assert (translator.item("text")["value"], translator.phone[0]) == ("Habari {name}", "Habari Aisha")
    translator.press("next")
    assert translator.bar["get it"] == 4


def test_rows_to_correct_get_the_text_of_their_language(translator):
    translator.fill("editing", "sw")
    translator.fill("text", "Habari {name}")
    translator.go_on()
    translator.rehearse()
    path = translator.download("follow-up")
    corrected = campaign.read_contacts(path)
    corrected["Language"] = "sw"
    rows = workbook([*corrected.columns], *corrected.to_numpy().tolist())
    assert len(corrected) == 1
    import openpyxl

    book = openpyxl.load_workbook(path)
    column = [cell.value for cell in book.active[1]].index("Language") + 1
    book.active.cell(2, column).value = "sw"
    assert rows.active.max_row == 2
    translator.upload("source", path.name, saved(book))
    translator.go_on()
    translator.rehearse()
    assert translator.counts == {"accepted": 4}
    assert "Habari Dan" in campaign.load_result(translator.composer.form.folder).messages["message"].tolist()


# placeholders


@pytest.mark.parametrize(
    ("header", "cells", "offered"),
    [
        ("visit", ["2026-12-02", "2026-12-03"], ["{visit:%-d %B}"]),
        ("visit", ["2026-12-02 14:30", "2026-12-03 09:00"], ["{visit:%-d %B, %H:%M}"]),
        ("fee", ["170000", "900"], ["{fee:,.0f}"]),
        ("fee", ["1250.5", "20"], ["{fee:,.2f}"]),
        ("year", ["2026", "2025"], ["{year}"]),
        ("class", ["4", "5"], ["{class}"]),
        ("a:b", ["x", "y"], []),  # nothing can be called so in a text
    ],
)
def test_a_column_is_offered_as_a_person_would_write_it(header, cells, offered):
    rows = "".join(f"+25677200000{place},{cell}\n" for place, cell in enumerate(cells))
    contacts = campaign.read_contacts(f"phone,{header}\n{rows}".encode())
    found = [chip.insert for chip in chips(contacts, number="phone", language="", order="dmy")]
    assert found == offered
    for insert in found:
        plan = campaign.prepare(contacts, message=insert, sender="CLINIC", number="phone")
        assert plan.totals.messages == len(cells)


def test_a_date_is_offered_in_the_language_that_is_written(person):
    person.choose(
        "phone,langue,jour\n+256772000001,fr,2026-12-02\n+256772000002,fr,2026-12-03\n+256772000003,en,\n"
    )
    person.press("next")
    person.fill("language", "langue")
    person.fill("editing", "fr")
    (insert,) = [chip["insert"] for chip in person.item("text")["chips"] if "jour" in chip["insert"]]
    assert insert.endswith("@fr}")
    person.fill("text", f"Venez {insert}")
    assert person.phone[0].endswith("2 décembre")


def test_what_is_typed_on_the_phone_is_without_characters_that_change_direction(writer):
    writer.fill("text", "pay\u202e 001")
    assert "\u202e" not in "".join(writer.texts)


def test_names_that_no_column_has_do_not_hide_the_others(writer):
    writer.choose(VISITS.replace("day", "day|of"), "odd.csv")
    writer.press("next")
    assert [chip["insert"] for chip in writer.item("text")["chips"]] == ["{name}"]
