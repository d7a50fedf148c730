"""The composer's third section: who is left out and why, who shares a phone, what each choice changes."""

import csv
import re

import openpyxl
from support.composer_person import Person
from support.spreadsheets import workbook
from support.unsent_result import unsent_result
from support.widget_tree import find, widgets_in

import campaign

TEXT = "Hi {name}, come on {day}."
FAMILY = """name,phone,day
Aisha,+256 772 000 001,Mon
Ben,0772 000 002,Tue
Eve,0772 000 001,Fri
Aisha,0772 000 001,Mon
"""


def pickers(person):
    return [
        widget
        for widget in widgets_in(find(person.composer, "shared"))
        if "campaign-shared-phone" in widget._dom_classes
    ]


def at_the_check(person, table, rows, text=TEXT):
    table.write_text(rows)
    person.compose(text=text)
    person.reopen(3)


def test_a_row_that_repeats_another_names_it(person, table):
    at_the_check(person, table, FAMILY)
    shown = person.sees("section-3")
    assert "4 (as row 2)" in shown
    assert "5 (as row 2)" in shown


def test_a_corrected_number_that_repeats_another_row_is_named(person, table):
    at_the_check(person, table, "name,phone,day\nAisha,+256 772 000 001,Mon\nCarol,0772 00,Wed\n")
    table.write_text("name,phone,day\nAisha,+256 772 000 001,Mon\nCarol,0772 000 001,Wed\n")
    person.reopen(1)
    person.press("again")
    person.press("use")
    shown = person.sees("section-3")
    assert "Your change above affects this section. As many people get a text as before." in shown
    assert "3 (as row 2)" in shown


def test_a_row_to_correct_that_repeats_a_row_of_the_campaign_is_named(person, table):
    at_the_check(person, table, "name,phone,day\nAisha,+256 772 000 001,Mon\nCarol,0772 00,Wed\n")
    person.press("go-on")
    person.send()
    path = table.parent / "to_correct.xlsx"
    path.write_bytes(person.section(5).downloads["to_correct.xlsx"].content())
    book = openpyxl.load_workbook(path)
    book.active["B2"] = "+256772000001"
    book.save(path)
    clerk = Person(campaign.compose())
    clerk.compose(path="to_correct.xlsx")
    clerk.reopen(3)
    shown = clerk.sees("section-3")
    assert "Some of these rows get no text, because of others of the campaign." in shown
    assert "3 (as row 2)" in shown
    assert "Nobody gets a text; 1 row gets none. Of 1 row: 1 shares a phone." in shown
    assert "enter another number." in shown  # no list in this section sends both texts
    assert "Your change above affects this section." not in shown


def test_people_who_share_a_phone_are_listed_and_one_is_chosen(person, table):
    at_the_check(person, table, FAMILY)
    assert "1 row has the number of another row and another text, and gets none" in person.sees("shared")
    (picker,) = pickers(person)
    assert picker.description == "25677*****01, rows 2 and 4"
    assert picker.options == (
        ("Row 2: “Hi Aisha, come on Mon.”", 2),
        ("Row 4: “Hi Eve, come on Fri.”", 4),
    )
    assert picker.value == 2
    picker.value = 4
    assert person.composer.desk.plan.messages["message"].tolist() == [
        "Hi Ben, come on Tue.", "Hi Eve, come on Fri.",
    ]  # fmt: skip
    shown = person.sees("section-3")
    assert "2 (as row 4)" in shown
    campaign.write_follow_up(unsent_result(person.composer.desk.plan, name="visits"), "to_correct.csv")
    for path in ("to_correct.csv", "visits.csv"):
        person.reopen(1)
        person.fill("path", path)
        person.press("use")
        person.press("check")
    (picker,) = pickers(person)
    assert picker.value == 4  # nothing was sent yet

    person.press("go-on")
    person.send()
    person.reopen(3)  # the phone has its text: no other row can be chosen
    assert pickers(person) == []
    composed = person.composer.desk.run.result
    lines = person.lines_of_python()
    assert "plan = plan.keep_instead([4])" in lines
    world = {}
    exec(lines, world)
    assert world["plan"].fingerprint == composed.plan.fingerprint

    clerk = Person(campaign.compose())  # another day
    clerk.compose()
    clerk.reopen(3)
    assert "2 (as row 4)" in clerk.sees("section-3")
    assert pickers(clerk) == []
    clerk.press("go-on")
    clerk.fill("name", "again")  # nobody has a text of this one
    clerk.reopen(3)
    pickers(clerk)[0].value = 2
    clerk.press("go-on")
    clerk.fill("name", "")
    clerk.reopen(3)
    assert "2 (as row 4)" in clerk.sees("section-3")
    assert pickers(clerk) == []


def test_people_who_share_a_phone_and_have_their_texts_are_not_said_to_get_none(person, table):
    """Every different text was sent on the first day, and on the next one that answer is taken back."""
    at_the_check(person, table, FAMILY)
    person.fill("duplicates", "keep")
    person.press("go-on")
    person.send()

    table.write_text(f"{FAMILY}Fay,0772 000 009,Fri\n")
    clerk = Person(campaign.compose())
    clerk.compose()
    clerk.reopen(3)
    clerk.fill("duplicates", "skip")
    shown = clerk.sees("section-3")
    said = (
        "1 person gets a text; 3 people were sent a text in rehearsal and get nothing more; 1 row gets none."
    )
    assert said in shown
    assert "Of 5 rows: 1 gets a text, 3 were sent a text in rehearsal, 1 repeats a number." in shown
    assert "another text" not in shown
    assert clerk.composer.desk.composition.instead == ()
    assert pickers(clerk) == []

    clerk.press("go-on")
    clerk.send()
    result = clerk.composer.desk.run.result
    assert (result.totals["accepted"], result.totals.attention, len(result.follow_up())) == (4, 0, 0)


def test_people_who_share_a_phone_can_be_given_another_number(person, table):
    at_the_check(person, table, FAMILY)
    assert person.section(3).download.layout.display is None
    (table.parent / "list.xlsx").write_bytes(person.section(3).download.content())
    listed = campaign.read_contacts("list.xlsx")
    assert listed["row in your own spreadsheet"].tolist() == [
        "4",
        "5",
    ]  # and who repeats a number, with the reason
    person.press("go-on")
    person.send()
    assert person.section(5).downloads["to_correct.xlsx"].layout.display is None


def test_who_gets_the_text_of_a_phone_stays_chosen_as_long_as_the_row_is_the_same(person, table):
    at_the_check(person, table, FAMILY)
    (picker,) = pickers(person)
    picker.value = 4
    assert pickers(person) == [picker]  # it keeps the focus
    table.write_text(FAMILY.replace("Ben", "Benjamin"))
    person.reopen(1)
    person.press("again")
    assert person.composer.desk.composition.instead == (4,)
    table.write_text(FAMILY.replace("Eve", "Grace"))
    person.press("again")
    assert person.composer.desk.composition.instead == ()
    person.press("use")
    assert pickers(person)[0].value == 2


def test_who_gets_the_text_of_a_phone_stays_chosen_while_the_texts_are_too_long(person, table):
    at_the_check(person, table, FAMILY)
    pickers(person)[0].value = 4
    for text, left in ((f"{TEXT} {'again ' * 30}", []), (TEXT, [4])):
        person.reopen(2)
        person.write(text)
        person.press("check")
        assert [picker.value for picker in person.section(3).shared.pickers] == left
    assert person.composer.desk.composition.instead == (4,)
    assert "Hi Eve, come on Fri." in person.composer.desk.plan.messages["message"].tolist()


def test_what_a_change_above_has_changed_is_not_said_of_a_choice_made_here(person, table):
    at_the_check(person, table, FAMILY)
    table.write_text(f"{FAMILY}Fay,1,Fri\n")
    person.reopen(1)
    person.press("again")
    person.press("use")
    assert "Your change above affects this section." in person.sees("section-3")
    person.fill("duplicates", "keep")
    assert "3 people get a text; 2 rows get none." in person.sees("section-3")
    assert "Your change above affects this section." not in person.sees("section-3")


def test_every_different_text_goes_out_and_none_twice(person, table):
    at_the_check(person, table, FAMILY)
    assert "Of 4 rows: 2 get a text, 1 repeats a number, 1 shares a phone." in person.sees("section-3")
    pickers(person)[0].value = 4
    person.fill("duplicates", "keep")
    assert pickers(person) == []
    shown = person.sees("section-3")
    assert "3 people get a text; 1 row gets none. Of 4 rows: 3 get a text, 1 repeats a number." in shown
    assert "1 row. The same number and the same text as row 2, which is kept. Row 5 (as row 2)" in shown
    person.press("go-on")
    person.send()
    assert len(person.composer.desk.run.result.messages) == 3


def test_whoever_has_a_text_of_a_shared_phone_is_not_among_those_who_still_get_none(person, table):
    """And an answer says the same before it is given and after."""
    at_the_check(person, table, FAMILY)
    person.press("go-on")
    person.send()
    rows = FAMILY.splitlines()
    table.write_text("\n".join([rows[0], rows[3], *rows[1:3], rows[3]]))  # Eve now stands above Aisha
    person.reopen(1)
    person.press("again")
    person.press("use")
    for answer in ("skip", "keep"):
        person.reopen(3)
        person.fill("duplicates", answer)
        assert person.offered("duplicates")[1] == (
            "Send every different text: 1 more person gets a text, 1 SMS more; 1 row still gets none "
            "(row 5: repeats another row)"
        )


def test_each_choice_says_what_it_changes(person, table):
    long = "a very long remark " * 12
    at_the_check(person, table, f"{FAMILY}{long},+256 772 000 005,Fri\n")
    assert person.offered("overlong") == [
        "Leave these people out: 1 row gets no text",
        "Cut these texts: 1 more person gets a text, 1 SMS more",
        "Send them in several SMS: 1 more person gets a text, 2 SMS more",
    ]
    assert person.offered("duplicates") == [
        "Send one text to each phone: 2 rows get no text",
        "Send every different text: 1 more person gets a text, 1 SMS more; 1 row still gets none "
        "(row 5: repeats another row)",
    ]


def test_a_choice_says_who_loses_a_text_by_it_and_counts_nobody_who_wants_none(person, table, tmp_path):
    rows = f"{LONG},+256 772 000 001,Mon\n{LONG},0772 000 002,Tue\nEve,0772 000 001,Fri\n"
    at_the_check(person, table, f"name,phone,day\n{rows}")
    assert person.offered("overlong")[1] == (
        "Cut these texts: 2 more people get a text, 1 SMS more; 1 other person loses theirs "
        "(row 4: shared phone)"
    )
    (tmp_path / "stop.csv").write_text("number\n+256772000002\n")
    person.fill("opt-outs", "stop.csv")
    assert person.offered("overlong")[0] == "Leave these people out: 1 row gets no text"
    assert "1 number was read from this list; 1 row has one of them." in person.sees("opt-outs-faults")
    assert "1 has to be corrected, 1 wants no texts." in person.sees("section-3")
    assert person.offered("overlong")[1].startswith("Cut these texts: 1 more person gets a text; 1 other")


def test_texts_that_are_cut_are_shown_before_and_after(person, table):
    long = "a very long remark " * 12
    at_the_check(person, table, f"{FAMILY}{long},+256 772 000 005,Fri\n")
    assert person.sees("fitted") == ""
    person.fill("overlong", "truncate")
    assert "cut too" not in person.offered("duplicates")[1]  # that is another question's effect
    before, after = re.search(r" 6 (Hi .*, come on Fri\.) (Hi .*\.\.\.)", person.sees("fitted")).groups()
    assert len(before) > 200
    assert 150 < len(after) <= 160
    assert after.removesuffix("...").rsplit(" ", 1)[1] in ("a", "very", "long", "remark")  # a whole word
    assert "keep_words=True" in person.lines_of_python()
    assert "1 text loses its “name” to the cut (row 6). 1 text loses its “day” to the cut" in person.sees(
        "fitted"
    )
    person.fill("overlong", "split")
    assert re.search(r"Fri\. \(?1/2\)? Hi a very", person.sees("fitted"))


def test_rows_to_correct_before_anything_was_sent_are_not_everybody(person, table):
    person.compose()
    person.reopen(3)
    assert person.section(3).download._name().endswith(" rows without a text.xlsx")
    plan = person.composer.desk.plan
    campaign.write_follow_up(unsent_result(plan, name="visits"), table.parent / "to_correct.xlsx")
    person.press("go-on")
    to_correct = "These are the rows of to_correct.xlsx"
    for path, is_said in (("to_correct.xlsx", True), ("visits.csv", False), ("to_correct.xlsx", True)):
        person.reopen(1)
        person.fill("path", path)
        person.press("use")
        assert (to_correct in person.sees("section-2")) == is_said
    person.press("check")
    assert "This file has only the rows to correct" in person.sees("section-3")
    person.reopen(1)
    person.fill("path", "visits.csv")
    person.press("use")
    assert "This file has only the rows to correct" not in person.sees("section-3")


def test_a_text_that_is_cut_is_no_reason_to_get_none(person, table):
    long = "a very long remark " * 12
    at_the_check(person, table, f"name,phone,day\nAisha,+256 772 000 001,Mon\n{long},0772 000 005,Fri\n")
    person.fill("overlong", "truncate")
    (table.parent / "stop.csv").write_text("number\n+256772000005\n")
    person.fill("opt-outs", "stop.csv")
    shown = person.sees("section-3")
    assert "1 row. The number is on the list of people who want no texts. Row 3" in shown
    assert "cut to fit" not in shown
    assert "Texts that are too long" not in shown


LONG = "a very long remark " * 12


def test_rows_to_correct_keep_the_answers_and_get_what_their_choices_promise(person, table):
    at_the_check(
        person, table,
        f"name,phone,day\nAisha,+256 772 000 001,Mon\n{LONG},0772 000 001,Tue\n{LONG},0772 00,Wed\n"
        "Ben,0772 01,Thu\n",
    )  # fmt: skip
    person.fill("overlong", "truncate")
    person.press("go-on")
    person.send()
    path = table.parent / "to_correct.csv"
    campaign.write_follow_up(campaign.load_result(person.composer.desk.run.folder), path)
    corrected = path.read_text("utf-8-sig").replace('0772 00"', '+256772000003"')
    path.write_text(corrected.replace('0772 01"', '+256772000004"'))
    person.reopen(1)
    person.fill("path", "to_correct.csv")
    person.press("use")
    assert "These are the rows of to_correct.csv." in person.sees("section-2")
    person.press("check")
    assert person.composer.desk.composition.overlong == "truncate"
    assert person.sees("reset") == ""
    assert "2 people get a text" in person.sees("section-3")
    person.fill("overlong", "flag")
    assert "1 person gets a text" in person.sees("section-3")
    assert person.offered("overlong")[1] == (
        "Cut these texts: 1 more person gets a text, 1 SMS more; 1 row still gets none "
        "(row 2: because of other rows of the campaign)"
    )
    person.fill("overlong", "truncate")
    assert re.findall(r" (\d) Hi a very", person.sees("fitted")) == ["3"]
    person.press("go-on")
    person.send()
    person.reopen(1)
    person.fill("path", "visits.csv")  # without the corrections
    person.press("use")
    person.press("check")
    shown = person.sees("section-3")
    assert "Of 4 rows: 1 was sent a text in rehearsal, 2 have to be corrected, 1 shares a phone." in shown


def test_a_question_is_not_asked_about_people_who_have_their_text(person, table):
    at_the_check(person, table, f"{FAMILY}{LONG},+256 772 000 005,Fri\n")
    person.fill("overlong", "truncate")
    person.press("go-on")
    person.send()
    for is_chosen_again in (False, True):
        if is_chosen_again:
            person.reopen(1)
            person.press("again")
            person.press("use")
        person.reopen(3)
        questions = [css for widget in widgets_in(person.section(3)) for css in widget._dom_classes]
        assert "campaign-overlong" not in questions
        assert "campaign-duplicates" in questions
    assert person.composer.desk.composition.overlong == "truncate"


def test_an_answer_that_a_change_above_takes_back_is_named(person, table):
    at_the_check(person, table, f"{FAMILY}{LONG},+256 772 000 005,Fri\n")
    person.fill("overlong", "truncate")
    person.reopen(2)
    person.write(f"{TEXT} Please")
    person.press("check")
    assert person.composer.desk.composition.overlong == "flag"
    assert person.sees("reset") == (
        "The change above took back your answer about “Texts that are too long”: it was “Cut these texts”, "
        "and is “Leave these people out” now. Choose again below."
    )
    person.fill("overlong", "truncate")
    assert person.sees("reset") == ""


def test_texts_with_letters_that_need_room_can_be_cut_to_one_sms(person, table):
    at_the_check(
        person, table,
        f"name,phone\n{'ê' * 170},+256 772 000 001\n{'ê' * 90},+256 772 000 002\nA,+256 772 000 003\n",
        text="{name}",
    )  # fmt: skip
    assert person.offered("overlong")[1:] == [
        "Cut these texts: 1 more person gets a text, 3 SMS more",
        "Cut them to one SMS each: 1 more person gets a text; 1 other text is cut too",
        "Send them in several SMS: 1 more person gets a text, 4 SMS more",
    ]
    person.fill("overlong", "one_sms")
    assert person.composer.desk.plan.totals.parts == 3
    assert "... 70: one SMS holds 70 with “ê” 1" in person.sees("fitted")
    assert "overlong='truncate', max_parts=1" in person.lines_of_python()
    table.write_text(f"name,phone\n{'A' * 170},+256 772 000 001\n")  # one SMS, whichever way it is cut
    person.reopen(1)
    person.press("again")
    person.press("use")
    assert [label.partition(":")[0] for label in person.offered("overlong")][1] == "Cut them to one SMS each"
    assert find(person.composer, "overlong").value == "one_sms"


def test_a_row_that_both_the_file_and_the_own_spreadsheet_corrected_gets_nothing_more(person, table):
    """Ann was removed from the own spreadsheet, so the others have moved up there, and not in the file."""
    rows = ["Ann,0772 000 001,Mon", "Ben,0772 00,Tue", "Cy,0772 01,Wed", "Dan,+256 772 000 004,Thu"]
    at_the_check(person, table, "\n".join(["name,phone,day", *rows, ""]))
    person.press("go-on")
    person.send()
    path = table.parent / "to_correct.csv"
    campaign.write_follow_up(campaign.load_result(person.composer.desk.run.folder), path)
    table.write_text("\n".join(["name,phone,day", rows[1].replace("00,", "000 002,"), *rows[2:], ""]))
    for source in ("visits.csv", "to_correct.csv"):
        person.reopen(1)
        person.fill("path", source)
        person.press("again")
        person.press("use")
        if source == "visits.csv":
            person.press("go-on")
            person.send()
    person.press("check")
    assert "Nobody gets a text; 2 rows get none." in person.sees("section-3")
    typed = path.read_text("utf-8-sig").replace('0772 01"', '0772 000 003"')
    path.write_text(typed.replace('0772 00"', '0772 000 002"'))
    person.reopen(1)
    person.press("again")
    person.press("use")
    said = "1 person gets a text; 1 person was sent a text in rehearsal and gets nothing more; no row"
    assert f"{said} is left out." in person.sees("section-3")


def test_a_workbook_of_several_sheets_keeps_its_answers_after_rows_to_correct(person, tmp_path):
    """Its sheet is chosen by the program when it is read again, which is no other decision."""
    rows = [*csv.reader(FAMILY.splitlines()), ["Gus", "0772 00", "Sat"]]
    book = workbook(*rows)
    book.create_sheet("Notes").append(["of last month"])
    book.save(tmp_path / "visits.xlsx")
    person.compose("visits.xlsx")
    person.reopen(3)
    person.fill("duplicates", "keep")
    person.press("go-on")
    person.send()
    path = tmp_path / "to_correct.csv"
    campaign.write_follow_up(campaign.load_result(person.composer.desk.run.folder), path)
    path.write_text(path.read_text("utf-8-sig").replace('0772 00"', '0772 000 009"'))
    for source in ("to_correct.csv", "visits.xlsx"):
        person.reopen(1)
        person.fill("path", source)
        person.press("use")
        person.press("check")
    assert person.sees("reset") == ""
    assert person.composer.desk.composition.duplicates == "keep"
