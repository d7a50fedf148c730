"""A spreadsheet that has changed since it was sent: whom the page asks about, and which answers stay."""

from pathlib import Path

import pytest
from support.composer_person import until
from support.widget_tree import find, html_of

import campaign

FEES = """name,phone,fee
Peter,+256772000001,100
Ben,+256772000002,200
Agnes,+256772000001,300
Ben,+256772000002,200
Ruth,+256772000005,500
"""
TEXT = "Dear {name}, {fee} is due."


@pytest.fixture
def fees(person, table):
    """A file in which Peter and Agnes share a phone, of which everybody got the own text."""
    return sent(person, table.parent / "fees.csv", FEES, duplicates="keep")


def sent(person, path, content, **answers):
    """The path of a file with this content, which has been composed and sent with these answers."""
    path.write_text(content)
    choose(person, path)
    person.write(TEXT)
    person.fill("sender", "SCHOOL")
    person.press("check")
    for question, answer in answers.items():
        person.fill(question, answer)
    person.press("go-on")
    person.send()
    return path


def choose(person, path):
    if not person.section(1).is_open:
        person.reopen(1)
    if find(person.composer, "path").value == str(path):
        person.press("again")
    person.fill("path", str(path))
    person.press("use")


def go_on(person):
    for number, step in ((2, "check"), (3, "go-on")):
        if person.section(number).is_open:
            person.press(step)


def test_the_question_about_another_text_shows_who_it_is_about(person, fees):
    fees.write_text(FEES.replace(",500", ",450"))
    choose(person, fees)
    go_on(person)
    shown = person.sees("other-texts")
    assert "row name number what they got what they would get" in shown
    assert "6 Ruth 25677*****05 “Dear Ruth, 500 is due.” “Dear Ruth, 450 is due.”" in shown
    assert "Ben" not in shown


def test_the_button_waits_until_the_question_is_answered(person, fees):
    fees.write_text(FEES.replace(",500", ",450"))
    choose(person, fees)
    go_on(person)
    button = find(person.composer, "send")
    assert (button.description, button.disabled) == ("Rehearse", True)
    assert "This waits for your answer above about “Phones that got another text”." in person.sees("why-not")
    person.fill("changed", "send")
    assert (button.description, button.disabled) == ("Rehearse 1 text", False)
    person.fill("changed", "skip")
    assert (button.description, button.disabled) == ("Show the result", False)


def test_a_number_that_has_left_the_table_is_named(person, fees):
    fees.write_text(FEES.replace("Ruth,+256772000005,500\n", "Rita,+256772000006,500\n"))
    choose(person, fees)
    go_on(person)
    assert "1 number in the record has a text and is in no row now." in person.sees("section-4")
    button = find(person.composer, "who-gets").children[0]
    assert button.description == "Show who gets a text"
    button.click()
    shown = person.sees("who-gets")
    assert "row name number what they get why 6 Rita 25677*****06 “Dear Rita, 500 is due.” new" in shown


def test_a_copy_that_goes_on_with_a_campaign_takes_its_answers(person, fees):
    Path("copy.csv").write_text(FEES)
    choose(person, "copy.csv")
    go_on(person)
    assert person.composer.desk.composition.duplicates == "skip"
    person.press("go-on-with")
    taken = (
        "The answers in section 3 are those of “fees” again: “Numbers that come twice” is “Send every "
        "different text”."
    )
    assert taken in person.sees("section-4")
    assert person.folded()[2].startswith("3 · 4 people")
    person.press("send")
    until(lambda: person.section(5).is_open)
    choose(person, fees)
    if not person.section(2).is_open:
        person.reopen(2)
    person.write("{name}, the meeting is on Monday.")
    person.press("check")
    assert person.composer.desk.composition.duplicates == "keep"
    assert "took back your answer" not in person.sees("section-3")
    go_on(person)
    person.fill("changed", "send")
    assert find(person.composer, "send").description == "Rehearse 4 texts"


def test_an_answer_that_was_given_for_the_copy_stays(person, table):
    table.write_text(f"{FEES}Tom,+256772000007 / +256772000008,1\n")
    choose(person, table)
    person.write(TEXT)
    person.fill("sender", "SCHOOL")
    person.press("check")
    person.press("go-on")
    person.send()
    Path("copy.csv").write_text(table.read_text())
    choose(person, "copy.csv")
    if person.section(2).is_open:
        person.press("check")
    person.fill("duplicates", "keep")
    person.press("go-on")
    person.press("go-on-with")
    assert person.composer.desk.composition.duplicates == "keep"


def test_rows_with_one_number_are_shown_beside_each_other(person, table):
    table.write_text(FEES)
    choose(person, table)
    person.write(TEXT)
    person.fill("sender", "SCHOOL")
    person.press("check")
    choice = next(one for one in person.section(3).choices if one.question.parameter == "duplicates")
    assert choice.rows.rows.tolist() == [2, 4, 3, 5]
    button = choice.rows.children[0]
    assert button.description == "Show all 4 rows"
    button.click()
    shown = html_of(choice.rows)
    assert shown.index("Dear Peter") < shown.index("same number as row 2") < shown.index("Dear Ben")


def test_texts_that_are_too_long_are_spoken_of_only_where_there_were_some(person, fees):
    Path("visits.csv").write_text(FEES)
    choose(person, "visits.csv")
    choose(person, fees)
    person.reopen(1)
    shown = person.sees("section-1")
    assert "the answers in section 3 are those of the campaign “fees”." in shown
    assert "too long" not in shown


def test_texts_that_are_too_long_for_people_reached_with_another_one_are_asked_about_once_they_fit(person):
    person.compose()
    person.send()
    person.reopen(2)
    person.write("Hi {name}, come on {day}. " + "It takes a while, so bring something to read. " * 4)
    person.press("check")
    assert person.offered("overlong")[1:] == [
        "Cut these texts: section 4 asks about 3 people",
        "Send them in several SMS: section 4 asks about 3 people",
    ]
    person.fill("overlong", "split")
    assert "Section 4 asks about 3 people" in person.sees("section-3")


SIBLINGS = """name,phone,fee
Ivan,+256772000001,100
Irma,+256772000001,200
Ruth,+256772000005,500
"""


def test_of_a_phone_that_got_another_text_it_is_asked_whose_text_it_may_get_now(person, table):
    """Nobody counts whose text the phone got: no row has that any more."""
    path = sent(person, table.parent / "fees.csv", SIBLINGS)
    path.write_text(SIBLINGS.replace(",100", ",150"))
    choose(person, path)
    go_on(person)
    shown = person.sees("other-texts")
    assert "2 Ivan 25677*****01 “Dear Ivan, 100 is due.” “Dear Ivan, 150 is due.”" in shown
    person.reopen(3)
    (picker,) = person.section(3).shared.pickers
    picker.value = 3
    assert "Of 3 rows: 1 is asked about, 1 was sent a text in rehearsal, 1 shares" in person.sees("section-3")
    person.press("go-on")
    person.fill("changed", "send")
    person.send()
    result = person.composer.desk.run.result
    assert result.contacts["status"].tolist() == ["duplicate", "accepted", "accepted"]


def test_rows_to_correct_of_a_phone_that_got_another_text_are_asked_nothing_that_sends_no_more(person, table):
    """Whatever was answered, neither Irma nor Ida could get a text: it said "nobody else gets a text"."""
    path = table.parent / "fees.csv"
    sent(person, path, SIBLINGS.replace("Ruth,+256772000005", "Ida,+256772000001"))
    until(lambda: person.composer.desk.run.ended)
    to_correct = path.with_name("to_correct.csv")
    campaign.write_follow_up(campaign.load_result(person.composer.desk.run.folder), to_correct)
    choose(person, to_correct)
    go_on(person)
    person.reopen(3)
    asked = person.sees("section-3")
    assert "share a phone" in asked
    assert "nobody else gets a text" not in asked
    assert "Choose which row gets it" not in asked
    assert "Send every different text" not in asked  # which is no choice here


def test_a_row_that_gets_nothing_more_is_not_shown_with_a_text(person, table):
    path = sent(person, table.parent / "fees.csv", SIBLINGS)
    path.write_text(SIBLINGS.replace(",500", ",450"))  # Ruth's, and Ivan has his
    choose(person, path)
    go_on(person)
    person.reopen(3)
    choice = next(one for one in person.section(3).choices if one.question.parameter == "duplicates")
    choice.rows.children[0].click()
    shown = html_of(choice.rows)
    assert "Nothing more: was reached before." in shown
    assert "Dear Ivan" not in shown


def test_a_row_that_section_4_asks_about_is_not_shown_as_if_its_text_left(fees, person):
    fees.write_text(FEES.replace(",300", ",350"))  # Agnes's: her phone got another text
    choose(person, fees)
    go_on(person)
    person.reopen(3)
    choice = next(one for one in person.section(3).choices if one.question.parameter == "duplicates")
    choice.rows.children[0].click()
    shown = html_of(choice.rows)
    assert "Section 4 asks about them first: Dear Agnes, 350 is due." in shown
    assert "Nothing more: was reached before." in shown  # Peter's row


def test_texts_that_wait_are_not_given_up_for_another_text_unasked(person, table):
    """The first run was held after one text."""
    contacts = campaign.read_contacts("visits.csv")
    plan = campaign.prepare(contacts, message="Hi {name}, come on {day}.", sender="CLINIC", region="UG")
    campaign.send(plan, pilot=1, progress=False)
    person.compose(text="Hi {name}, do come on {day}.")
    said = person.sees("section-4")
    assert "2 texts wait to be sent" in said
    assert said.count("“Hi ") >= 2
    person.fill("changed", "send")
    button = find(person.composer, "send")
    assert (button.description, button.disabled) == ("Rehearse 3 texts", True)
    assert "This waits for your answer above about “Texts that still wait”." in person.sees("why-not")
    person.fill("waiting", "withdraw")
    assert not button.disabled
    assert "wait to be sent" not in person.sees("section-4")
    person.send()
    assert "waiting='withdraw'" in person.lines_of_python()
