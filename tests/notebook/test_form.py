"""The pages of the form, one by one: each is a view of a form and of what the package says of it."""

import gc
import sys
import weakref
from datetime import date
from pathlib import Path
from typing import get_args

import pytest
from ipywidgets import Widget
from support.form_person import TEXT, VISITS, Page, Person
from support.refusals import refused

import campaign
from campaign.notebook.composer.check_page import check_page
from campaign.notebook.composer.composer import Composer
from campaign.notebook.composer.facts import Facts
from campaign.notebook.composer.form import PLANNED, STEPS, Form, Step
from campaign.notebook.composer.items import Checks, Group, Note, Sheet, Text, words
from campaign.notebook.composer.message_page import message_page
from campaign.notebook.composer.people_page import people_page
from campaign.notebook.composer.result_page import result_page
from campaign.notebook.composer.send_page import ANSWERS, send_page
from campaign.notebook.composer.start_page import start_page
from campaign.sending.rounds.decision import QUESTIONS

VIEWS = {"start": start_page, "people": people_page, "message": message_page, "check": check_page,
         "send": send_page, "result": result_page}  # fmt: skip


@pytest.fixture
def form(desk):
    """A form that is filled in up to sending."""
    Path("visits.csv").write_text(VISITS)
    return Form(step="send", source="visits.csv", number="phone", region="UG", message=TEXT, sender="CLINIC")


def page(step, form, facts=None):
    return Page.of(VIEWS[step](form, facts or Facts()))


# a form is a value


def test_every_change_makes_another_form(form):
    other = form.changed(sender="SCHOOL")
    assert (form.sender, other.sender, other.message) == ("CLINIC", "SCHOOL", TEXT)
    assert form == form.changed(sender="CLINIC")


@pytest.mark.parametrize("name", [*PLANNED, "name"])
def test_answers_are_forgotten_with_whatever_decides_who_gets_what(form, name):
    answered = form.answered("local", "changed", "send").answered("live", "waiting", "withdraw")
    assert answered.answers == {"local": {"changed": "send"}, "live": {"waiting": "withdraw"}}
    same = getattr(answered, name)
    assert answered.changed(**{name: same}).answers == answered.answers
    other = {"consent": {"OK": ("yes",)}, "texts": {"en": "Hi"}, "not_again": ("1",)}.get(name, "other")
    if name != "not_again":  # which is an answer itself
        assert answered.changed(**{name: other}).answers == {}


@pytest.mark.parametrize("name", ["step", "row", "editing", "own_number", "price", "budget"])
def test_answers_stay_with_all_else(form, name):
    answered = form.answered("local", "changed", "send")
    assert answered.changed(**{name: 3 if name == "row" else "other"}).answers == answered.answers


def test_another_file_takes_what_was_said_of_the_one_before_with_it(form):
    other = form.changed(name="spring", sheet="May", dates="dmy", second="home", consent={"OK": ("yes",)})
    other = other.changed(source="others.csv")
    assert (other.name, other.sheet, other.dates, other.second, other.consent) == ("", None, None, "", {})
    assert (other.message, other.sender, other.region) == (TEXT, "CLINIC", "UG")


# facts are made once


def test_what_the_package_says_is_asked_once_while_its_fields_are_the_same(form):
    facts = Facts()
    plan, contacts = facts.plan(form), facts.contacts(form)
    assert facts.plan(form.changed(price="35", step="check", row=3)) is plan
    assert facts.contacts(form.changed(message="Hello")) is contacts
    assert facts.plan(form.changed(message="Hello")) is not plan
    assert facts.plan(form) is not plan  # the last one only is kept
    assert facts.difference(form, "local") is facts.difference(form, "local")


def test_what_cannot_be_made_is_tried_again(form):
    facts = Facts()
    with pytest.raises(campaign.errors.TemplateError):
        facts.plan(form.changed(message="{nme}"))
    later = form.changed(source="later.csv")
    with pytest.raises(campaign.errors.FileError):
        facts.contacts(later)
    Path("later.csv").write_text(VISITS)
    assert len(facts.contacts(later)) == 4


# the pages


@pytest.mark.parametrize("step", ["start", *STEPS])
def test_each_page_is_drawn_of_a_form_alone_and_changes_nothing(form, step):
    facts = Facts()
    first, second = (VIEWS[step](form, facts) for _ in range(2))
    assert first == second
    assert first.step == step
    assert not Path("campaigns").exists()


@pytest.mark.parametrize("step", ["start", *STEPS])
def test_a_page_has_few_words_and_one_main_button(form, step):
    shown = page(step, form)
    assert sum(item.get("look") == "main" for item in shown.items() if item["kind"] == "button") == 1
    own = [item for item in shown.items() if item["kind"] in ("note", "text", "button", "upload", "choice")]
    said = " ".join(item.get("text", item.get("label", "")) for item in own)
    assert len(said.split()) <= 60, said


def test_the_first_page_asks_for_a_file(desk):
    shown = page("people", Form(step="people"))
    assert [item["id"] for item in shown.items()] == ["source", "back", "start"]


def test_the_page_of_people_shows_columns_and_country(form):
    shown = page("people", form)
    assert shown.offers("number") == ["name", "phone", "day"]
    assert "001" in shown.offers("region")
    assert not shown.shows("second")  # no other column has numbers
    assert shown.says("form_example", written="0772 000 001", number="+256772000001")


def test_the_page_of_the_message_shows_text_and_phone(form):
    shown = page("message", form)
    assert (shown.item("text")["value"], shown.phone) == (TEXT, ["Hi Aisha, come on Mon.", "Aisha, row 2"])
    assert page("message", form.changed(row=5)).phone == ["Hi Dan, come on Thu.", "Dan, row 5"]
    assert page("message", form.changed(row=4)).phone[1] == "Aisha, row 2"  # Carol gets none


def test_the_page_of_the_check_counts_everybody(form):
    assert page("check", form).bar == {"get it": 3, "to correct": 1, "left out": 0}


def test_the_page_of_sending_names_the_campaign(form):
    shown = page("send", form)
    assert (shown.item("name")["value"], shown.shows("send:local")) == ("visits", True)
    assert page("send", form.changed(name="spring")).item("name")["value"] == "spring"


def test_the_page_of_the_result_is_that_of_the_report(form):
    facts = Facts()
    folder = campaign.send(facts.plan(form), name="visits", progress=False).folder
    shown = page("result", Form(step="result", folder=str(folder)), facts)
    assert shown.bar == {"accepted": 3, "to correct": 1}
    assert (shown.page["badge"], shown.shows("to-send")) == ("REHEARSAL", False)


def test_a_step_that_is_not_filled_in_yet_is_a_sentence_and_a_way_back(desk):
    for step in get_args(Step):
        composer = Composer()
        composer.form = Form(step=step)
        person = Person(composer)
        if step not in ("start", "people"):
            assert person.problem, step
            assert person.shows("back")


def test_the_first_page_lists_the_campaigns_the_last_one_first(form):
    facts = Facts()
    for name in ("first", "second", "third"):
        campaign.send(facts.plan(form), name=name, pilot=1 if name == "second" else None, progress=False)
    shown = page("start", Form(), facts)
    lines = [item for item in shown.items() if item.get("id", "").startswith("campaign:")]
    assert [item["title"] for item in lines] == ["third", "second", "first"]
    assert [item["items"][1]["label"] for item in lines] == ["Open", "Continue", "Open"]
    assert all(item["items"][0]["text"].startswith("Rehearsal") for item in lines)
    assert str(date.today().year) in lines[0]["items"][0]["text"]
    assert "2" in lines[1]["items"][0]["text"]


def test_of_very_many_campaigns_the_last_are_listed(form, monkeypatch):
    monkeypatch.setattr("campaign.notebook.composer.start_page._MOST", 2)
    facts = Facts()
    for number in range(3):
        campaign.send(facts.plan(form), name=f"n{number}", progress=False)
    shown = page("start", Form(), facts)
    lines = [item["title"] for item in shown.items() if item.get("id", "").startswith("campaign:")]
    assert lines == ["n2", "n1"]
    assert shown.says("form_more_campaigns", count=1)


def test_a_folder_that_cannot_be_read_is_listed_with_what_is_wrong(form):
    folder = campaign.send(Facts().plan(form), name="visits", progress=False).folder
    (folder / "ledger.sqlite").write_bytes(b"no ledger")
    person = Person()
    (opened,) = [item for item in person.items() if item.get("id", "").startswith("open:")]
    assert opened["label"] == "Open"
    person.press(opened["id"])
    assert (bool(person.problem), person.refused) == (True, person.refused)
    assert person.refused not in ("", "form_fault")
    person.press("back")
    assert person.page["step"] == "start"


# from page to page


def test_steps_that_are_done_say_what_was_decided_and_can_be_gone_back_to(person):
    person.compose()
    steps = person.page["steps"]
    assert [state for _, _, state in steps] == ["done", "done", "done", "now"]
    assert [line for _, line, _ in steps] == [
        "4 rows, phone, Uganda",
        TEXT,
        words("form_people", people=3),
        "",
    ]
    person.do("press", "step:1")
    assert (person.page["step"], person.item("text")["value"]) == ("message", TEXT)
    person.do("press", "step:3")  # which is not done
    assert person.page["step"] == "message"
    person.press("back")
    assert person.page["step"] == "people"
    person.press("start")
    assert person.page["step"] == "start"


def test_a_page_that_is_opened_again_is_where_it_was(person):
    person.check()
    again = Person(person.composer)
    assert (again.page["step"], again.bar) == ("check", person.bar)


def test_what_is_drawn_is_told_with_the_number_of_what_it_answers(desk):
    told = []
    composer = Composer(lambda message, content: told.append(message))
    composer.receive({"do": "press", "id": "new", "number": 7})
    assert [(message["number"], message["page"]["step"]) for message in told] == [(7, "people")]


def test_a_new_message_knows_nothing_of_the_one_before(person):
    person.check()
    person.press("start")
    person.press("new")
    assert person.composer.form == Form(step="people")


def test_a_page_is_plain_values_without_what_is_not_said():
    group = Group(
        items=(
            Note(text="a\u202eb\x07\nc"),
            Text(id="name", label="Name"),
            Checks(id="c", label="C", value=(), options=()),
        )
    )
    message = Sheet(step="check", title="T", items=(group,)).as_message()
    assert message["items"][0]["items"] == [
        {"kind": "note", "text": "ab\nc"},
        {"kind": "text", "id": "name", "label": "Name"},
        {"kind": "checks", "id": "c", "label": "C", "value": [], "options": []},
    ]


# in a notebook


def test_the_widget_takes_messages_and_keeps_nothing_of_them(desk):
    """What a notebook saves of a widget is its state, and this one has none."""
    widget = campaign.compose()
    told = []
    widget.view.send = lambda message, buffers=None: told.append(message)
    before = widget.view.get_state()
    for message, content in (
        ({"do": "press", "id": "new", "number": 1}, []),
        ({"do": "upload", "id": "source", "name": "visits.csv", "number": 2}, [memoryview(VISITS.encode())]),
        ({"do": "change", "id": "typed:password", "value": "only-for-tests", "number": 3}, []),
    ):
        widget.view._handle_custom_msg(message, content)
    assert Page(told[-1]["page"]).offers("number") == ["name", "phone", "day"]
    assert widget.view.get_state() == before
    assert "Aisha" not in widget.card()


def test_without_anywidget_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with refused("library_missing"):
        campaign.compose()


def test_a_form_that_is_closed_is_let_go(desk):
    """Or each one that a kernel ever showed would stay in its memory, with its tables."""
    widget = campaign.compose()
    gone = weakref.ref(widget.composer)
    Widget.close_all()
    del widget
    gc.collect()
    assert gone() is None


def test_the_form_has_an_answer_to_every_question():
    assert set(ANSWERS) == set(QUESTIONS)
