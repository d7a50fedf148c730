"""The page of the check: who gets the message, who does not and why; consent and lists of people."""

from pathlib import Path

import pandas as pd
import pytest
from support.form_person import CORRECTED, VISITS, Person
from support.spreadsheets import saved, workbook

import campaign
from campaign.notebook.composer.items import words

HELLO = "Hi {name}, come."
LONG = "a very long remark " * 12
FAMILY = """name,phone,day
Aisha,+256 772 000 001,Mon
Ben,0772 000 002,Tue
Eve,0772 000 001,Fri
Aisha,0772 000 001,Mon
"""


def statuses(person):
    """The status of each row of the plan, by the number of the row."""
    return person.composer.facts.plan(person.composer.form).contacts["status"].to_dict()


# who gets it, and who does not


def test_every_row_is_in_one_group_with_its_reason(person):
    person.check(f"{VISITS},,\nEve,0772 000 001,Fri\nAisha,0772 000 001,Mon\n")
    assert person.says("form_check", people=3, rows=1)
    assert person.bar == {"get it": 3, "to correct": 1, "left out": 3}
    assert person.rows("to_correct") == [["4", "phone: 0772 00", "Complete it."]]
    assert person.rows("not_sent")[0] == ["2", "Hi Aisha, come on Mon."]
    assert [row for row, _ in person.rows("duplicate")] == ["7", "8"]
    assert person.rows("duplicate")[1][1] == words("same_text", other_row=2)
    assert [row for row, _ in person.rows("blank")] == ["6"]
    assert (person.item("to_correct")["figure"], person.item("blank")["figure"]) == ("1", "1")


def test_of_many_rows_the_first_are_shown_and_a_file_has_all(person):
    person.check(
        "name,phone\nA,+256 772 000 001\n" + "".join(f"P{n},0772 {n:02}\n" for n in range(27)), text=HELLO
    )
    assert len(person.rows("to_correct")) == 10
    assert person.says("form_first_rows", shown=10, rows=27)
    listed = pd.read_excel(person.download("invalid"), dtype=str, engine="openpyxl")
    assert len(listed) == 27
    assert listed["row in your own spreadsheet"].tolist()[:2] == ["3", "4"]
    assert not listed["why it gets no text"].isna().any()


def test_the_list_of_rows_to_look_at_is_none_to_send(person):
    person.check()
    path = person.download("invalid")
    assert path.name.startswith("visits 20")
    person.choose(path, path.name)
    assert person.says("own_report") or person.refused


def test_a_corrected_file_is_checked_again(person):
    person.check()
    person.do("press", "step:0")
    person.upload("source", "visits.csv", VISITS.replace("0772 00,", "0772 000 001,"))
    person.press("next")
    person.press("next")
    assert person.bar == {"get it": 3, "to correct": 0, "left out": 1}
    assert person.rows("duplicate")[0][0] == "4"


def test_a_phone_that_two_share_gets_one_message_or_every_different_one(person):
    person.check(FAMILY)
    assert person.bar == {"get it": 2, "to correct": 0, "left out": 2}
    person.fill("duplicates", "keep")
    assert person.bar == {"get it": 3, "to correct": 0, "left out": 1}
    person.press("next")
    person.rehearse()
    assert person.counts == {"duplicate": 1, "accepted": 3}


def test_two_who_share_a_phone_are_one_person_and_can_share_it_again(person):
    """Chosen once, "every different message" can be taken back, also where no row repeats another."""
    person.check("name,phone\nAnn,+256 772 000 001\nBen,+256 772 000 001\n", text="Hi {name}")
    person.fill("duplicates", "keep")
    assert person.bar == {"get it": 2, "to correct": 0, "left out": 0}
    assert person.page["title"] == words("form_check", people=1, rows=0)
    person.press("next")
    assert person.page["title"] == words("form_ready", people=1)
    person.press("back")
    person.fill("duplicates", "skip")
    assert person.bar == {"get it": 1, "to correct": 0, "left out": 1}


SCHOOL = """Adm,Pupil,Parent,phone,SMS ok?
A1,Aisha,Mrs Nakato,+256 772 000 001,yes
A2,Ben,Mr Okello,+256 772 000 002,No
A3,Carol,Mrs Auma,0772 00,yes
A4,Dan,Mr Odongo,+256 772 000 004,
"""


def test_people_are_called_as_the_text_calls_them_and_answered_as_they_did(person):
    """Not by the number of a form, which stands first; and an empty cell is no refusal."""
    person.check(SCHOOL, text="Dear {Parent}, please collect {Pupil}.")
    assert person.item("phone")["caption"] == "Mrs Nakato, row 2"
    for group, called in (("to_correct", ["Mrs Auma"]), ("opted_out", ["Mr Okello", "Mr Odongo"])):
        (table,) = (item for item in person.item(group)["items"] if item["kind"] == "table")
        assert [row[1] for row in table["rows"]] == called
    assert person.rows("opted_out") == [["3", "SMS ok?: No"], ["5", "SMS ok?: empty"]]


def test_the_phone_shows_what_leaves(person):
    """Cut at the end of a word, with dots, as the recipient gets it; nothing for a row that gets nothing."""
    person.check(f"name,phone\n{LONG},+256 772 000 001\nBen,+256 772 000 002\n", text="Hi {name}")
    assert person.item("phone")["texts"] == []
    assert person.item("phone")["says"] == words("form_no_message")
    person.fill("overlong", "truncate")
    ((text, cut),) = person.item("phone")["texts"]
    assert (len(text) <= 160, text.endswith("..."), cut) == (True, True, "")
    person.do("press", "turn:1")
    assert person.item("phone")["texts"] == [["Hi Ben", ""]]
    person.press("next")
    person.rehearse()
    sent = person.composer.facts.run.result.messages
    assert sent["message"].tolist() == [text, "Hi Ben"]


@pytest.mark.parametrize(("answer", "sms"), [("truncate", 1), ("one_sms", 1), ("split", 2)])
def test_texts_that_are_too_long_are_cut_or_split_if_a_person_wants_it(person, answer, sms):
    person.check(f"name,phone\nAisha,+256 772 000 001\n{LONG},+256 772 000 002\n", text="Hi {name}")
    assert person.bar == {"get it": 1, "to correct": 1, "left out": 0}
    person.fill("overlong", answer)
    assert person.bar == {"get it": 2, "to correct": 0, "left out": 0}
    messages = person.composer.facts.plan(person.composer.form).messages
    assert (messages["row"] == 3).sum() == sms
    assert messages["message"].str.len().max() <= 160


def test_cells_with_several_numbers_are_to_correct_or_their_first_is_used(person):
    person.check("name,phone\nAisha,+256 772 000 001\nBen,0772 000 002 / 0772 000 003\n", text=HELLO)
    assert person.bar["to correct"] == 1
    person.fill("several", "first")
    assert person.bar == {"get it": 2, "to correct": 0, "left out": 0}


def test_how_dates_are_written_is_asked_only_where_they_can_be_read_in_two_ways(person):
    dated = "name,phone,visit\nAisha,+256 772 000 001,05/01/2026\nBen,0772 000 002,06/02/2026\n"
    person.check(dated, text="Come {visit:%-d %B}")
    assert person.bar["to correct"] == 2
    person.fill("dates", "dmy")
    assert person.rows("not_sent") == [["2", "Come 5 January"], ["3", "Come 6 February"]]
    person.fill("dates", "mdy")
    assert person.rows("not_sent") == [["2", "Come 1 May"], ["3", "Come 2 June"]]
    person.choose(VISITS, "others.csv")
    person.write()
    person.press("next")
    assert not person.shows("dates")


# consent


@pytest.mark.parametrize(
    ("header", "cells", "ticked", "got"),
    [
        ("OK to text?", ["yes", "no", "", "?", "Yes ", "YES"], {"yes"}, [2, 6, 7]),
        ("OK to text?", ["no", "", "?"], set(), []),
        ("Consent", ["granted", "withdrawn", ""], {"granted"}, [2]),
        ("SMS opt-in", ["TRUE", "FALSE"], {"true"}, [2]),
        ("No SMS", ["", "x", "no", "Yes", "0"], {"", "no", "0"}, [2, 4, 6]),
        ("No SMS", ["", "x", "maybe"], {""}, [2]),
        ("opted out", ["", "2025-03-01"], {""}, [2]),
        ("Phone Blacklisted", ["FALSE", "TRUE"], {"false"}, [2]),
    ],
)
def test_only_a_clear_yes_gets_it(person, header, cells, ticked, got):
    rows = "".join(f"P{place},+25677200001{place},{cell}\n" for place, cell in enumerate(cells))
    person.check(f"name,phone,{header}\n{rows}", text=HELLO)
    assert {*person.item(f"consent:{header}")["value"]} == ticked
    assert [row for row, status in statuses(person).items() if status == "not_sent"] == got
    assert {status for row, status in statuses(person).items() if row not in got} <= {"opted_out"}


@pytest.fixture
def asked(person):
    """Somebody at the check of four people, of whom one clearly agrees."""
    person.check("name,phone,Agrees\nA,+256772000001,yes\nB,+256772000002,?\nC,+256772000003,\nD,+256772000004,no\n",
                 text=HELLO)  # fmt: skip
    return person


def test_ticking_more_sends_to_more_and_fewer_to_fewer(asked):
    assert asked.bar == {"get it": 1, "to correct": 0, "left out": 3}
    asked.fill("consent:Agrees", ["yes", "?"])
    assert asked.bar == {"get it": 2, "to correct": 0, "left out": 2}
    asked.fill("consent:Agrees", [])
    assert (asked.bar["get it"], asked.item("next")["is_off"]) == (0, True)
    asked.fill("consent:Agrees", ["yes", "?", "", "no"])
    asked.press("next")
    asked.rehearse()
    assert asked.counts == {"accepted": 4}


def test_what_was_ticked_holds_when_the_file_is_chosen_again_and_for_no_new_answer(asked):
    asked.fill("consent:Agrees", ["yes", "?"])
    asked.do("press", "step:0")
    asked.upload("source", "visits.csv", "name,phone,Agrees\nA,+256772000001,YES\nB,+256772000002,later\n")
    asked.press("next")
    asked.press("next")
    assert statuses(asked) == {2: "not_sent", 3: "opted_out"}


def test_consent_of_another_file_is_asked_anew(asked):
    asked.fill("consent:Agrees", ["yes", "?"])
    asked.do("press", "step:0")
    asked.upload(
        "source",
        "others.csv",
        "name,phone,Agrees\nA,+256772000001,yes\nB,+256772000002,?\nC,+256772000003,no\n",
    )
    asked.press("next")
    asked.press("next")
    assert asked.item("consent:Agrees")["value"] == ["yes"]


def test_the_phone_shows_nobody_who_gets_nothing(asked):
    asked.turn(1)
    assert asked.phone == ["Hi A, come.", "A, row 2"]


def test_blank_rows_and_a_line_of_totals_have_said_nothing(person):
    people = "Aisha,0772 000 001,Yes\nBen,+256 772 000 002,No\n"
    person.check(f"name,phone,Agrees to SMS\n{people},,\nTotal mothers,,2\n", text=HELLO)
    assert sorted(value for value, _ in person.item("consent:Agrees to SMS")["options"]) == ["no", "yes"]


def test_very_many_answers_are_asked_about_by_what_they_mean(person):
    dates = "".join(f"P{n},+2567720000{n},2025-03-{n}\n" for n in range(10, 20))
    person.check(f"name,phone,Unsubscribed at\nA,+256772000001,\n{dates}", text=HELLO)
    assert len(person.offers("consent:Unsubscribed at")) <= 3
    assert [row for row, status in statuses(person).items() if status == "not_sent"] == [2]


def test_rows_to_correct_are_not_asked_who_wants_messages(person):
    rows = "A,+256772000001,yes\nB,0772 00,yes\nC,0772 01,?\nD,+256772000004,no\n"
    person.check(f"name,phone,Agrees to SMS\n{rows}", text=HELLO)
    person.fill("consent:Agrees to SMS", ["yes", "?"])
    person.press("next")
    person.rehearse()
    assert person.counts == {"invalid": 2, "opted_out": 1, "accepted": 1}
    path = person.download("follow-up")
    Path(person.composer.form.folder, "composed.json").unlink()  # so that no answer is left of it
    another_day = Person()
    another_day.choose(path, path.name)
    another_day.fill("region", "UG")
    another_day.write(HELLO)
    another_day.press("next")
    assert not another_day.shows("consent:Agrees to SMS")
    assert statuses(another_day) == {2: "invalid", 3: "invalid"}


# lists of people who want none

STOP = "number\n+256772000002\n"


def test_people_on_a_list_get_nothing_and_the_list_is_kept_apart(person):
    person.check()
    person.upload("opt_outs", "visits.csv", STOP)
    assert statuses(person)[3] == "opted_out"
    assert Path("uploads/lists/visits.csv").read_text() == STOP
    assert Path("uploads/visits.csv").read_text() == VISITS
    person.press("no-list")
    assert statuses(person)[3] == "not_sent"


def test_the_same_list_with_more_numbers_leaves_out_more(person):
    person.check()
    person.upload("opt_outs", "stop.csv", STOP)
    person.upload("opt_outs", "stop.csv", f"{STOP}+256772000004\n")
    assert (statuses(person)[3], statuses(person)[5]) == ("opted_out", "opted_out")
    assert person.bar == {"get it": 1, "to correct": 1, "left out": 2}


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("stop.csv", "name\nAisha\nBen\n", "list_without_numbers"),
        ("stop.csv", "phone\n07700 900123\n", "list_without_numbers"),  # of another country
        ("stop.csv", "number\n+256772000001\n0772 00\n", "entry_unreadable"),
        ("photo.png", b"\x89PNG\r\n\x1a\n", "no_spreadsheet"),
    ],
)
def test_a_list_that_cannot_be_read_is_refused_and_not_used(person, name, content, code):
    person.check()
    person.upload("opt_outs", "stop.csv", STOP)
    person.upload("opt_outs", name, content)
    assert person.refused == code
    assert Path("uploads/lists/stop.csv").read_text() == STOP  # the one before is still used
    assert statuses(person)[3] == "opted_out"
    person.press("next")
    person.rehearse()
    assert person.counts == {"invalid": 1, "opted_out": 1, "accepted": 2}


def test_a_list_with_hidden_rows_is_refused(person):
    book = workbook(["number"], ["+256772000001"], ["+256772000002"])
    book.active.row_dimensions[3].hidden = True
    person.check()
    person.upload("opt_outs", "stop.xlsx", saved(book))
    assert (person.refused, statuses(person)[2]) == ("list_incomplete", "not_sent")


def test_a_list_that_leaves_out_most_is_doubted(person):
    person.check()
    before = len([item for item in person.items() if item.get("tone") == "ask"])
    person.upload("opt_outs", "visits.csv", VISITS.replace("0772 00,", "none,"))
    assert len([item for item in person.items() if item.get("tone") == "ask"]) > before
    assert person.item("next")["is_off"]


def test_whoever_wants_none_wants_none_of_the_next_message(person):
    """A list and single numbers stay in use until a person says otherwise."""
    person.check()
    person.upload("opt_outs", "stop.csv", STOP)
    person.fill("opt_out_numbers", "0772 000 001")
    person.press("next")
    person.rehearse()
    another_day = Person()
    another_day.check(VISITS, "pupils.csv")
    assert (statuses(another_day)[2], statuses(another_day)[3]) == ("opted_out", "opted_out")
    assert another_day.says("form_list", file="stop.csv")
    assert another_day.item("opt_out_numbers")["value"] == "0772 000 001"
    another_day.press("no-list")
    another_day.fill("opt_out_numbers", "")
    another_day.do("press", "step:0")
    another_day.upload("source", "pupils.csv", CORRECTED)
    another_day.go_on()
    assert (statuses(another_day)[2], statuses(another_day)[3]) == ("not_sent", "not_sent")


def test_a_list_that_is_gone_is_said_and_can_be_left_out(person):
    person.check()
    person.upload("opt_outs", "stop.csv", STOP)
    person.press("next")
    person.rehearse()
    Path("uploads/lists/stop.csv").unlink()
    another_day = Person()
    another_day.choose()
    another_day.press("continue:visits")
    assert (another_day.page["step"], another_day.shows("next")) == ("check", False)
    assert any(item.get("tone") == "bad" for item in another_day.items())
    another_day.press("no-list")
    assert statuses(another_day)[3] == "not_sent"
    another_day.press("next")
    assert another_day.composer.facts.difference(another_day.composer.form, "local").reached == 2
    assert not another_day.shows("send:local")  # the campaign remembers who was on the list


def test_single_numbers_get_nothing_and_what_is_none_goes_no_further(person):
    person.check()
    person.fill("opt_out_numbers", "0772 000 001\n+256 772 000 999")
    assert statuses(person)[2] == "opted_out"
    person.fill("opt_out_numbers", "0772 000 001\n0772 00")
    assert person.item("opt_out_numbers")["is_wrong"]
    assert (person.refused, person.item("next")["is_off"]) == ("", True)
    person.do("press", "next")  # as if it had been on its way
    assert (person.refused, person.page["step"]) == ("entry_unreadable", "check")
    person.fill("opt_out_numbers", "0772 000 001, 0772 000 002")
    assert (statuses(person)[2], statuses(person)[3]) == ("opted_out", "opted_out")
    person.press("next")
    person.rehearse()
    assert person.counts == {"invalid": 1, "opted_out": 2, "accepted": 1}


def test_a_list_a_column_and_a_number_hold_together_as_in_python(person):
    marked = "".join(
        f"{line},{mark}\n"
        for line, mark in zip(VISITS.splitlines(), ["No SMS", "", "", "", "x"], strict=True)
    )
    person.check(marked)
    person.upload("opt_outs", "stop.csv", STOP)
    person.fill("opt_out_numbers", "0772 000 001")
    assert statuses(person) == {2: "opted_out", 3: "opted_out", 4: "invalid", 5: "opted_out"}
    contacts = campaign.read_contacts(marked.encode())
    lists = ["uploads/lists/stop.csv", contacts["No SMS"] == "x", ["0772 000 001"]]
    plan = campaign.prepare(
        contacts, message=person.composer.form.message, sender="CLINIC", region="UG", opt_outs=lists
    )
    assert plan.contacts["status"].to_dict() == statuses(person)
