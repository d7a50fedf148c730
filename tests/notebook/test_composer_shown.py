"""What a page shows is what leaves: no list is overlooked, no answer and no sentence outlives its cause."""

import os
from pathlib import Path

import pandas as pd
import pytest
from support.composer_person import TEXT, VISITS, Person
from support.widget_tree import find

import campaign
from campaign.notebook.composer.composition import Composition


def reached_with_another_text(person):
    """Rehearsed, and then composed again with another text."""
    person.compose()
    person.send()
    person.reopen(2)
    person.write("Hello {name}")
    person.press("check")


def start(person):
    return find(person.composer, "send").description


# the list of people who want no texts


@pytest.mark.parametrize("told_before", [True, False])
def test_nobody_goes_on_with_a_list_that_cannot_be_found(person, told_before):
    person.compose()
    person.reopen(3)
    field = find(person.composer, "opt-outs")
    if told_before:
        person.fill("opt-outs", "stop-list.csv")
    else:
        field.fill("stop-list.csv")  # on the page, and nothing was done about it yet
    person.press("go-on")
    assert "There is no file" in person.sees("section-3")
    assert person.section(3).is_open
    assert not person.section(4).is_open
    Path("stop-list.csv").write_text("number\n+256772000001\n")
    person.press("go-on")
    assert start(person) == "Rehearse 2 texts"
    assert person.composer.desk.composition.opt_outs == "stop-list.csv"


def test_a_list_that_cannot_be_found_holds_up_what_was_changed_above(person):
    person.compose()
    person.reopen(3)
    person.fill("opt-outs", "stop-list.csv")
    person.reopen(1)
    person.press("use")
    assert "There is no file" in person.sees("section-3")
    assert person.section(3).is_open
    assert not person.section(4).is_open


def test_a_page_loaded_again_comes_back_to_the_list_that_could_not_be_read(table, tmp_path):
    from campaign.notebook.composer.entry import compose_again

    memory = str(tmp_path / "desk.json")
    before = Person(compose_again(memory))
    before.compose()
    before.reopen(3)
    before.fill("opt-outs", "stop-list.csv")
    person = Person(compose_again(memory))
    assert person.section(3).is_open
    assert not person.section(4).is_open


def test_a_line_of_the_list_that_is_no_number_is_told(person):
    Path("stop.csv").write_text("number\n+256772000001\nring her\n")
    person.compose()
    person.reopen(3)
    person.fill("opt-outs", "stop.csv")
    assert "is no number and excludes nobody: “ring her”" in person.sees("opt-outs-faults")
    assert "1 number was read from this list; 1 row has one of them." in person.sees("opt-outs-faults")
    person.fill("opt-outs", "")
    assert person.sees("opt-outs-faults") == ""


def test_a_list_that_leaves_out_most_people_counts_once_that_is_meant(person):
    person.compose()
    person.reopen(3)
    person.fill("opt-outs", "visits.csv")
    assert "This list would leave out 3 of 4 rows." in person.sees("section-3")
    assert person.composer.desk.composition.opt_outs is None
    person.press("go-on")
    assert person.section(3).is_open
    assert not person.section(4).is_open
    person.press("agree")
    assert "Nobody gets a text; 4 rows get none." in person.sees("section-3")
    person.fill("opt-outs", "")
    person.fill("opt-outs", "visits.csv")
    assert "would leave out" not in person.sees("section-3")


def test_a_list_without_numbers_is_refused(person):
    Path("names.csv").write_text("name\nAisha\nBen\n")
    person.compose()
    person.reopen(3)
    person.fill("opt-outs", "names.csv")
    assert "so it would leave out nobody" in person.sees("section-3")
    assert not person.is_shown("agree")
    person.press("go-on")
    assert not person.section(4).is_open


def test_a_list_of_another_country_is_said_to_have_no_numbers_of_this_one(person):
    Path("stop.csv").write_text("phone\n07700 900123\n")
    person.compose()
    person.reopen(3)
    person.fill("opt-outs", "stop.csv")
    assert (
        "has no phone numbers of UG, nor any with a country code, so it would leave out nobody. It begins "
        "with “07700****23”. Choose another list, or empty the field “People who want no texts”."
        in person.sees("section-3")
    )
    person.fill("opt-outs", "")
    assert "would leave out nobody" not in person.sees("section-3")


def test_a_chosen_list_is_kept_apart_from_the_spreadsheets(person):
    person.compose()
    person.reopen(3)
    person.upload("opt-outs-upload", "visits.csv", b"number\n+256772000001\n")
    assert "2 people get a text; 2 rows get none." in person.sees("section-3")
    assert Path(person.composer.desk.composition.opt_outs) == Path("uploads/no-texts/visits.csv")
    assert not Path("uploads/visits.csv").exists()


# what is on the page when a button is pressed


def test_a_field_and_the_text_are_as_they_were_left(person):
    """A message of its own is not overtaken by the click, as a change of state is."""
    person.fill("path", "visits.csv")
    person.press("use")
    find(person.composer, "text")._handle_custom_msg({"written": "Hi {name}"}, [])
    find(person.composer, "sender")._handle_custom_msg({"written": "MULAGO"}, [])
    person.press("check")
    assert person.folded()[1] == "2 · “Hi {name}”, sender MULAGO"


# the button and the line


def test_the_button_and_the_line_follow_the_answer_at_once(person):
    reached_with_another_text(person)
    assert start(person) == "Rehearse"
    person.fill("changed", "send")
    assert start(person) == "Rehearse 3 texts"
    shown = person.sees("section-4")
    assert "3 texts would be rehearsed: 3 with another text." in shown
    assert not person.section(4).questions
    person.fill("price", "10")
    assert "About 30 for 3 SMS." in person.sees("section-4")
    person.fill("changed", "skip")
    assert start(person) == "Show the result"
    assert "Nothing would be rehearsed" in person.sees("section-4")


def test_a_complaint_about_the_column_goes_when_another_one_is_chosen(person):
    person.fill("path", "visits.csv")
    person.fill("number", "name")
    person.press("use")
    complaint = "Hardly any cell in “name” is a phone number"
    assert person.sees("section-1").count(complaint) == 2  # beside the column, and below the button
    person.fill("number", "phone")
    assert complaint not in person.sees("section-1")


def test_the_place_that_was_typed_goes_when_a_file_is_chosen(person):
    person.fill("path", "visits.csv")
    person.upload("upload", "other.csv", VISITS.encode())
    assert find(person.composer, "path").value == ""
    assert person.composer.desk.composition.source.endswith("other.csv")


def test_the_phone_begins_with_the_first_person_who_gets_a_text(person):
    Path("totals.csv").write_text(f"name,phone,day\nTotal,,\n{VISITS.partition(chr(10))[2]}")
    person.compose()
    person.reopen(1)
    person.fill("path", "totals.csv")
    person.press("use")
    assert "Row 3, to" in person.sees("phone")


def test_a_list_without_numbers_is_named_and_how_to_put_it_right(person):
    Path("teachers.csv").write_text("who,subject\nAnn,Maths\nBen,Music\n")
    person.compose()
    person.reopen(3)
    person.fill("opt-outs", "teachers.csv")
    said = person.sees("section-3")
    assert "The list in the field “People who want no texts” (“teachers.csv”) has no column that" in said
    assert "If this is the right file, delete all columns but that of the numbers, or call that" in said


def test_a_plan_is_compared_when_it_is_checked_and_once_more_when_a_person_goes_on(person, monkeypatch):
    compare, plans = Composition.compare, []
    monkeypatch.setattr(
        Composition, "compare", lambda self, plan, account: plans.append(plan) or compare(self, plan, account)
    )
    person.compose()
    person.fill("pace", True)
    person.fill("pace", False)
    assert len(plans) == 2


def test_a_plan_is_prepared_once_while_nothing_else_is_decided(person, monkeypatch):
    planned, tables = Composition.planned, []

    def noted(self, contacts):
        if isinstance(contacts, pd.DataFrame):  # else a row or some of a text that is being written
            tables.append(self.message)
        return planned(self, contacts)

    monkeypatch.setattr(Composition, "planned", noted)
    person.compose()
    person.send()
    assert tables == [TEXT]
    person.reopen(2)
    person.write("Hi {name}")
    person.press("check")
    assert tables == [TEXT, "Hi {name}"]


def test_a_list_of_people_who_want_no_texts_is_read_once_more_by_whoever_goes_on(person):
    """Another number came into it in the meantime, at the same moment and in as many characters."""
    stop = Path("stop.csv")
    stop.write_text("number\n+256772000002\n")
    person.compose()
    person.reopen(3)
    person.fill("opt-outs", "stop.csv")
    before = stop.stat()
    stop.write_text("number\n+256772000001\n")
    os.utime(stop, ns=(before.st_atime_ns, before.st_mtime_ns))
    person.press("go-on")
    person.send()
    assert person.composer.desk.run.result.messages["number"].tolist() == ["256772000002", "256772000004"]


def test_a_button_sends_nothing_but_what_it_says(person, monkeypatch):
    reached_with_another_text(person)
    composer = person.composer
    composer.desk.composition = composer.desk.composition.decided(changed="send")  # behind the page's back
    person.press("send")
    assert composer.desk.run is None
    assert "has changed since this was shown, so nothing was sent" in person.sees("section-4")
    assert start(person) == "Rehearse 3 texts"
    person.send()
    assert composer.desk.run.counts.messages == 3


def test_what_another_window_sent_in_the_meantime_is_not_on_the_button(person):
    person.compose()
    other = Person(campaign.compose())
    other.compose()
    other.send()
    person.press("send")
    assert person.composer.desk.run is None
    assert start(person) == "Show the result"


@pytest.mark.parametrize("change", ["text", "name", "rows", "file"])
def test_an_answer_holds_for_what_it_was_given_for(person, table, change):
    reached_with_another_text(person)
    person.fill("changed", "send")
    if change == "text":
        person.reopen(2)
        person.write("Good day {name}")
        person.press("check")
    elif change == "name":
        person.fill("name", "autumn")
        person.fill("name", "visits")
    else:
        path = "visits.csv" if change == "rows" else "other.csv"
        Path(path).write_text(VISITS.replace("Ben", "Benjamin"))
        person.reopen(1)
        person.press("again") if change == "rows" else person.fill("path", path)
        person.press("use")
        if change == "file":
            person.press("check")
            person.press("go-on")
    decided = person.composer.desk.composition
    assert (decided.changed, decided.waiting) == ("ask", "ask")
    assert find(person.composer, "changed").value == "ask"


def test_long_texts_are_asked_about_again_for_another_text(person, table):
    table.write_text(f"{VISITS}{'a very long remark ' * 12},+256 772 000 005,Fri\n")
    person.compose()
    person.reopen(3)
    person.fill("overlong", "split")
    person.press("go-on")
    person.reopen(2)
    person.write("Hello {name}")
    assert person.composer.desk.composition.overlong == "flag"


def test_another_spreadsheet_has_its_own_answers(person, table):
    table.write_text(f"{VISITS}Eve,0772 000 001,Fri\nFay,0772 000 006 / 0772 000 007,Fri\n")
    person.compose()
    person.reopen(3)
    person.fill("duplicates", "keep")
    person.fill("several", "first")
    Path("other.csv").write_text(VISITS)
    person.reopen(1)
    person.fill("path", "other.csv")
    decided = person.composer.desk.composition
    assert (decided.duplicates, decided.several) == ("skip", "refuse")


def test_another_spreadsheet_has_its_own_name(person):
    person.compose()
    person.fill("name", "spring")
    Path("summer.csv").write_text(VISITS)
    person.reopen(1)
    person.fill("path", "summer.csv")
    person.press("use")
    person.press("check")
    person.press("go-on")
    field = find(person.composer, "name")
    assert (field.value, field.placeholder) == ("", "if this stays empty: summer")
    assert person.composer.desk.name == "summer"


def test_nothing_can_be_sent_while_the_check_is_being_changed(person, table):
    table.write_text(f"{VISITS}Eve,0772 000 001,Fri\n")
    person.compose()
    assert person.section(4).is_open
    person.reopen(3)
    assert not person.section(4).is_open
    person.fill("duplicates", "keep")
    person.press("go-on")
    assert start(person) == "Rehearse 4 texts"


# accounts


@pytest.mark.parametrize(
    "settings", [{"URL": "http://sms.example.org"}, {"URL": "https://sms.example.org", "CA_FILE": "no.pem"}]
)
def test_an_account_that_cannot_be_used_is_told_and_rehearsals_work(table, monkeypatch, settings):
    monkeypatch.setenv("CAMPAIGN_LIVE_USERNAME", "clinic")
    monkeypatch.setenv("CAMPAIGN_LIVE_PASSWORD", "only-for-tests")
    for name, value in settings.items():
        monkeypatch.setenv(f"CAMPAIGN_LIVE_{name}", value)
    person = Person(campaign.compose())
    person.compose()
    assert "Live: this account cannot be used." in person.sees("section-4")
    assert [value for _, value in find(person.composer, "place").options] == ["local"]
    person.send()


# the text to one's own phone


def test_what_was_tried_out_is_not_shown_for_another_text(person):
    person.compose()
    person.fill("own-number", "0772 000 999")
    person.press("try")
    assert "Hi Aisha" in person.sees("trial")
    person.reopen(2)
    person.write("Hello {name}")
    person.press("check")
    assert "Hi Aisha" not in person.sees("trial")


@pytest.mark.parametrize(
    ("name", "meanwhile"),
    [("check", "Checking everybody …"), ("go-on", "Looking at who was reached before …")],
)
def test_a_button_that_takes_its_time_says_at_once_what_it_does(person, name, meanwhile):
    person.compose()
    person.reopen({"check": 2, "go-on": 3}[name])
    pressed, said = find(person.composer, name), []
    before = pressed.description
    pressed.observe(lambda change: said.append(change["new"]), "description")
    pressed.click()
    assert said == [meanwhile, before]


def test_a_button_has_its_label_again_when_a_problem_is_shown(person):
    person.fill("path", "visits.csv")
    person.press("use")
    person.press("check")
    assert person.section(2).is_open
    assert find(person.composer, "check").description == "Check everybody"
