"""Several campaigns of one spreadsheet: whoever has a text from one gets it from another only if asked."""

from pathlib import Path

import pytest
from support.composer_person import Person
from support.kept_desk import KeptDesk
from support.widget_tree import find

import campaign
from campaign.notebook.composer.entry import compose_again
from campaign.sending.store.identity import CAMPAIGNS, folder_name

PUPILS = "name,phone,owed\n" + "".join(f"Pupil {n},+256 772 000 00{n},{n}00\n" for n in range(6))
FEES = "Dear parent of {name}, {owed} is owed."
CLOSING = "School closes at noon on Friday."


def choose_again(person):
    person.reopen(1)
    person.press("again")
    person.press("use")
    go_on(person)


def go_on(person):
    for number, step in ((2, "check"), (3, "go-on")):
        if person.section(number).is_open:
            person.press(step)


def write(person, text):
    person.reopen(2)
    person.write(text)
    go_on(person)


def button(person, name="send"):
    found = find(person.composer, name)
    return found.description, found.disabled


def prepare_desk():
    """The pupils in the current folder, and the place for what a page keeps."""
    Path("pupils.csv").write_text(PUPILS)
    Path("private").mkdir()


def load_page():
    return Person(compose_again(str(Path("private", "desk.json").absolute())))


@pytest.fixture
def open_page(table):
    """Loads the page, once more at every call."""
    prepare_desk()
    return load_page


@pytest.fixture
def secretary(open_page):
    """Somebody who has sent the fees to six people, as "balances"."""
    person = open_page()
    send_fees(person)
    return person


def send_fees(person):
    person.compose("pupils.csv", FEES)
    person.fill("name", "balances")
    person.send()


@pytest.fixture(scope="module")
def desk_with_another_text(tmp_path_factory):
    """The desk of the same person after two of six got another text as "Early closing"."""

    def send_another_text():
        prepare_desk()
        person = load_page()
        send_fees(person)
        write(person, CLOSING)
        person.fill("name", "Early closing")
        person.fill("price", "1")
        person.fill("budget", "2")
        person.send()
        assert person.composer.desk.run.counts.accepted == 2

    return KeptDesk(tmp_path_factory.mktemp("begun"), send_another_text)


@pytest.fixture
def closed(begun):
    """The same person, who has closed "Early closing": the other four do not wait for its text any more."""
    folder = CAMPAIGNS / folder_name("Early closing", "local")
    campaign.close(folder, confirm="close with 4 messages not sent")
    return begun


@pytest.fixture
def begun(desk_with_another_text, table, monkeypatch):
    """The same person, who loads the page again."""
    monkeypatch.chdir(desk_with_another_text.as_it_was_left())
    again = load_page()
    again.fill("budget", "")
    return again


def test_no_button_beside_a_campaign_that_was_begun_goes_on_with_another(begun):
    assert "4 texts of “Early closing” are not sent yet. Press “Rehearse 4 texts” in" in load_page().sees(
        "greeting"
    )
    assert find(begun.composer, "name").value == "Early closing"
    assert button(begun) == ("Rehearse 4 texts", False)
    assert "Go on with" not in begun.sees("section-4")
    assert begun.composer.sending._area.children[-1] is find(begun.composer, "ways-away")
    assert button(begun, "change-to") == ("Change to “balances”", False)
    find(begun.composer, "who-gets").children[0].click()
    waits = "4 Pupil 2 25677*****02 “School closes at noon on Friday.” still waiting"
    assert waits in begun.sees("who-gets")


def test_whoever_has_the_text_from_another_campaign_is_asked_about_before_they_get_it_again(closed):
    closed.press("change-to")
    closed.fill("changed", "send")
    assert (
        "2 people who would get a text now have this very text from “Early closing”, or may get it from "
        "there. Leave them out, or send it to them again." in closed.sees("sent-elsewhere")
    )
    assert button(closed) == ("Rehearse 4 texts", True)
    shown = closed.sees("section-4")
    assert "4 texts would be rehearsed: 4 with another text." in shown
    assert closed.section(4).questions == {"elsewhere"}
    assert "This waits for your answer above about the people who have this text already." in shown
    assert "3 · 4 people get a text; section 4 asks about 2 people; no row is left out" in closed.folded()
    closed.press("send-again")
    assert button(closed) == ("Rehearse 6 texts", False)
    assert "3 · 6 people get a text; no row is left out" in closed.folded()


def test_whoever_waits_for_the_text_elsewhere_is_asked_about_too(begun):
    begun.press("change-to")
    begun.fill("changed", "send")
    assert "6 people who would get a text now have this very text from “Early closing”, or may get it" in (
        begun.sees("sent-elsewhere")
    )
    assert button(begun)[1]
    begun.press("send-again")
    begun.send()
    assert begun.composer.desk.run.counts.accepted == 6


def test_they_can_be_left_out_and_the_others_get_theirs(closed):
    closed.press("change-to")
    closed.fill("changed", "send")
    closed.press("leave-them-out")
    assert button(closed) == ("Rehearse 4 texts", False)
    assert "Left out: 2 people who have this text already." in closed.sees("sent-elsewhere")
    assert "3 · 4 people get a text; 2 rows get none" in closed.folded()
    closed.press("ask-anew")
    assert button(closed) == ("Rehearse 4 texts", True)
    closed.press("leave-them-out")
    closed.send()
    assert closed.composer.desk.run.counts.accepted == 4
    assert ", not_again=contacts.loc[[2, 3], 'phone'])" in closed.sees("section-5")


def test_a_campaign_that_was_begun_asks_about_those_who_got_its_text_elsewhere(closed):
    closed.press("change-to")
    closed.fill("changed", "send")
    closed.press("leave-them-out")
    closed.send()
    write(closed, f"{CLOSING} ")
    closed.fill("name", "Early closing")
    assert "4 people who would get a text now have this very text from “balances”," in closed.sees(
        "sent-elsewhere"
    )
    assert button(closed) == ("Rehearse", True)
    assert "Nothing would be rehearsed. Choose below first." in closed.sees("section-4")
    closed.press("leave-them-out")
    assert button(closed) == ("Show the result", False)
    assert find(closed.composer, "sent-elsewhere").layout.display is None


def test_where_everybody_is_left_out_the_result_of_before_is_shown_and_not_replaced(secretary):
    write(secretary, CLOSING)
    secretary.fill("name", "Early closing")
    secretary.send()
    before = campaign.history().set_index("name").loc["Early closing"]
    write(secretary, FEES)
    secretary.fill("changed", "send")
    assert "6 people who would get a text now have this very text from “balances”," in (
        secretary.sees("sent-elsewhere")
    )
    secretary.press("leave-them-out")
    assert button(secretary) == ("Show the result", False)
    secretary.press("send")
    assert "All 6 rows were accepted in the rehearsal" in secretary.sees("section-5")
    assert secretary.composer.desk.run is None
    assert campaign.history().set_index("name").loc["Early closing"].equals(before)
    assert campaign.load_result(CAMPAIGNS / folder_name("Early closing", "local")).totals["accepted"] == 6


def test_whoever_changes_the_campaign_is_offered_its_text(begun):
    begun.press("change-to")
    section = begun.section(4)
    assert (
        "is another one. If that is meant here, take it: “Dear parent of {name}, {owed} is owed.”"
        in begun.sees("section-4")
    )
    find(section, "take-text").click()
    assert begun.composer.desk.composition.message == FEES
    go_on(begun)
    assert button(begun) == ("Show the result", False)
    assert find(begun.section(4), "earlier-text").layout.display == "none"
    assert "2 · “Dear parent of {name}, {owed} is owed.”, sender CLINIC" in begun.folded()


def test_an_answer_holds_for_one_name_only(begun):
    begun.press("change-to")
    begun.fill("changed", "send")
    begun.press("send-again")
    begun.fill("name", "A third one")
    assert button(begun)[1]
    begun.press("send-again")
    assert button(begun) == ("Rehearse 6 texts", False)


@pytest.mark.parametrize(
    ("name", "beside"),
    [
        ("fees", "fees 2"),
        ("fees term 3", "fees term 3 (2)"),
        ("balances 2", "balances 3"),
        ("2026", "2026 (2)"),
    ],
)
def test_a_name_that_ends_in_a_number_of_its_own_keeps_it(secretary, name, beside):
    """“balances” was sent, so that “balances 2” is the second one of this name."""
    (CAMPAIGNS / folder_name(name, "local")).mkdir()
    secretary.composer.desk.decide(name=name)
    assert secretary.composer.desk.name_beside == beside


def test_another_message_can_be_begun_beside_the_first_one(secretary):
    write(secretary, CLOSING)
    secretary.fill("name", "balances")
    shown = secretary.sees("section-4")
    assert (
        "If this text is about something else, begin a campaign of its own: it is the last answer of "
        "“Phones that got another text” below. The same texts leave then, and the result of “balances” stays "
        "as it is."
    ) in shown
    assert "Begin “balances 2”, a campaign of its own" in secretary.offered("changed")
    secretary.fill("changed", "begin")
    assert find(secretary.composer, "name").value == "balances 2"
    assert "What “balances” has sent, and its result, stay as they are." in secretary.sees("section-4")
    assert button(secretary) == ("Rehearse 6 texts", False)
    secretary.fill("name", "Early closing")
    assert button(secretary) == ("Rehearse 6 texts", False)


def test_a_correction_is_no_campaign_of_its_own(secretary):
    Path("pupils.csv").write_text(PUPILS.replace(",500", ",550"))
    choose_again(secretary)
    assert secretary.offered("changed") == [
        "Please choose", "They get nothing more", "They get the new text too",
    ]  # fmt: skip


def test_people_who_wanted_no_texts_are_counted_alike_in_both_sections(secretary):
    pupils = [*PUPILS.splitlines(), "Pupil 6,+256 772 000 006,600", "Pupil 7,+256 772 000 007,700"]
    later = [line.replace(",500", ",550") for line in pupils] + ["Pupil 8,+256 772 000 008,800"]
    for lines, column in ((pupils, "No SMS"), (later, "")):
        marked = [f"{line},{'x' if line.startswith('Pupil 6') else ''}" for line in lines[1:]]
        Path("pupils.csv").write_text("\n".join([f"{lines[0]},No SMS", *marked, ""]))
        choose_again(secretary)
        secretary.reopen(3)
        secretary.fill("opt-out-column", column)
        secretary.press("go-on")
        if column:
            secretary.send()
    shown = secretary.sees("section-4")
    assert "1 text would be rehearsed: 1 new. Choose below first." in shown
    assert secretary.section(4).questions == {"changed", "opted_out"}
    assert button(secretary) == ("Rehearse 1 text", True)
    assert any(
        line.startswith("3 · 1 person gets a text; section 4 asks about 2 people")
        for line in secretary.folded()
    )
