"""The composer of a page that is loaded again: a new program, with what the old one kept in a file."""

import stat
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from support.composer_person import TEXT, VISITS, Person, until
from support.widget_tree import find, html_of, widgets_in

import campaign
from campaign.notebook.composer.composer import Composer
from campaign.notebook.composer.composition import Composition
from campaign.notebook.composer.entry import compose_again
from campaign.notebook.composer.memory import Kept, Memory
from campaign.sending.store.locks import hold_lock

FAMILY = "name,phone,day\nAisha,+256 772 000 001,Mon\nBen,0772 000 002,Tue\nEve,0772 000 001,Fri\n"


@pytest.fixture
def memory(table, tmp_path):
    """Where the app keeps what a page comes back to; beside the folder of the spreadsheet."""
    folder = tmp_path / "private"
    folder.mkdir()
    return folder / "desk.json"


@pytest.fixture
def open_page(memory):
    """Loads the page, once more at every call."""
    return lambda: Person(compose_again(str(memory)))


def test_the_first_page_is_empty_and_greets_nobody(open_page):
    person = open_page()
    assert person.sees("greeting") == ""
    assert person.section(1).is_open


def test_a_page_loaded_again_comes_back_to_the_text(open_page, table):
    before = open_page()
    before.fill("path", "visits.csv")
    before.fill("country", "KE")
    before.press("use")
    before.write("Hi {name}, co")
    before.fill("sender", "CLI")
    person = open_page()
    assert person.sees("greeting") == "This page was loaded again, and what you had chosen is back."
    assert person.folded() == ["1 · visits.csv, 4 rows, number in phone (Kenya, which may be wrong)"]
    assert find(person.composer, "text").value == "Hi {name}, co"
    assert find(person.composer, "sender").value == "CLI"
    assert "Hi Aisha, co" in person.sees("phone")


def test_every_choice_is_back_up_to_sending(open_page, table, tmp_path):
    table.write_text(FAMILY)
    (tmp_path / "stop.csv").write_text("number\n+256772000002\n")
    before = open_page()
    before.compose()
    before.reopen(3)
    before.fill("opt-outs", "stop.csv")
    before.section(3).shared.pickers[0].value = 4
    before.press("go-on")
    before.fill("name", "spring")
    decided = before.composer.desk.composition
    person = open_page()
    assert person.composer.desk.composition == decided
    assert (decided.instead, decided.name, decided.opt_outs) == ((4,), "spring", "stop.csv")
    assert len(person.folded()) == 3
    assert find(person.composer, "send").description == "Rehearse 1 text"
    person.reopen(3)
    assert find(person.composer, "opt-outs").value == "stop.csv"


def test_the_order_of_dates_and_the_texts_of_all_languages_are_back(open_page, table):
    table.write_text(
        "name,phone,day,lang\nAisha,+256772000001,05/01/2026,en\nBen,+256772000002,06/02/2026,sw\n"
    )
    before = open_page()
    before.fill("path", "visits.csv")
    before.fill("dates", "dmy")
    before.press("use")
    before.write("Come on {day:%-d %B}")
    before.fill("languages", "lang")
    before.fill("editing", "sw")
    before.write("Njoo {day:%-d %B}")
    person = open_page()
    assert person.composer.desk.composition == before.composer.desk.composition
    assert person.composer.desk.composition.dates == "dmy"
    assert "Come on 5 January" in person.sees("phone")
    assert person.sees("greeting") == "This page was loaded again, and what you had chosen is back."
    person.fill("editing", "sw")
    assert "Njoo 6 February" in person.sees("phone")
    assert find(person.composer, "text").formats == {"day, as 5 Januari": "day:%-d %B@sw"}
    for page in (before, person):  # each writes the text of another language
        page.fill("sender", "CLINIC")
        page.press("check")
        others = "1 other language (column “lang”), sender CLINIC"
        assert page.folded()[1] == f"2 · “Come on {{day, as 5 January}}” and {others}"
    assert person.sees("greeting") == ""


def test_a_run_that_was_cut_off_is_told_and_continued_without_sending_twice(open_page, table, monkeypatch):
    table.write_text("name,phone,day\n" + "".join(f"P{n},+256772000{n:03},Mon\n" for n in range(250)))
    with campaign.Sandbox(latency=0.3) as service:
        monkeypatch.setattr(
            "campaign.notebook.composer.desk.offered_accounts", lambda: {"local": service.account}
        )
        before = open_page()
        before.compose()
        before.press("send")
        before.composer.desk.run.stop()  # as the program of a page that is gone does at its end
        before.composer.desk.run.wait()
        reached = len(service.inbox)
        assert reached < 250
        person = open_page()
        greeting = person.sees("greeting")
        left = (
            f"{250 - reached} texts of “visits” are not sent yet. Press “Rehearse {250 - reached} texts” in "
            "section 4. Whoever has this text from this campaign gets nothing more."
        )
        assert left in greeting
        assert "of 250 rows" in person.sees("section-5")
        assert find(person.composer, "send").description == f"Rehearse {250 - reached} texts"
        assert f"Press “Rehearse {250 - reached} texts” in section 4 to send" in person.sees("section-5")
        person.press("send")
        assert not person.section(5).is_open  # what it said was before this run
        until(lambda: "All 250 rows" in person.sees("section-5"))
        assert person.sees("greeting") == ""
        assert service.inbox["number"].nunique() == len(service.inbox) == 250


def test_a_row_chosen_by_hand_is_forgotten_when_the_spreadsheet_is_another(open_page, table):
    table.write_text(FAMILY)
    before = open_page()
    before.compose()
    before.reopen(3)
    before.section(3).shared.pickers[0].value = 4
    table.write_text(FAMILY.replace("Eve", "Grace"))
    assert open_page().composer.desk.composition.instead == ()


def test_a_result_is_back_and_nothing_is_left_to_send(open_page):
    before = open_page()
    before.compose()
    assert "being composed" in before.composer.card()
    before.send()
    said = "Campaign “visits”. This was a rehearsal: nobody got anything. 3 of 4 rows were accepted"
    until(lambda: said in before.composer.card())
    person = open_page()
    assert "What you sent is below." in person.sees("greeting")
    assert "3 of 4 rows were accepted in the rehearsal" in person.sees("section-5")
    assert person.section(5).downloads["report.html"].content().startswith(b"<!doctype html>")
    person.reopen(2)
    assert [number for number in (3, 4, 5) if person.is_shown(f"section-{number}")] == [3]
    assert "3 of 4 rows were accepted in the rehearsal" in open_page().sees("greeting")


def test_a_result_says_whose_it_is_once_section_4_is_about_another_campaign(open_page):
    before = open_page()
    before.compose()
    before.fill("name", "Bills")
    before.send()
    person = open_page()
    assert "3 of 4 rows were accepted" in person.sees("section-5")
    marked = '<div class="changed"><p>This is what came of “Bills”.'
    assert person.sees("section-5").startswith("This is what came of “Bills”. This was a rehearsal")
    assert marked not in html_of(person.section(5))
    person.fill("name", "Reminder")
    assert marked in html_of(person.section(5))
    person.fill("name", "Bills")
    assert marked not in html_of(person.section(5))


def test_another_window_that_still_sends_is_told_apart(open_page, monkeypatch):
    monkeypatch.setattr("campaign.notebook.composer.reopening._END", 0.1)
    with campaign.Sandbox(latency=3) as service:
        monkeypatch.setattr(
            "campaign.notebook.composer.desk.offered_accounts", lambda: {"local": service.account}
        )
        before = open_page()
        before.compose()
        before.press("send")
        person = open_page()
        assert "still being sent in another window or tab" in person.sees("greeting")
        until(lambda: before.composer.desk.run.ended)


def test_a_campaign_that_another_program_sends_is_said_and_sent_afterwards(person, table):
    person.compose()
    person.send()
    folder = person.composer.desk.run.folder
    table.write_text(f"{VISITS}Eve,0772 000 009,Fri\n")
    person.reopen(1)
    person.press("again")
    person.press("use")
    person.press("go-on")
    with hold_lock(folder / "lock"):
        person.press("send")
        said = "This campaign is open in another window, tab or program, which may be sending it."
        assert said in person.sees("section-4")
        assert str(folder) not in person.sees("section-4")
    (folder / "composed.json.12-34.new").write_text(TEXT)  # of a program that was killed
    person.send()
    assert said not in person.sees("section-4")
    with pytest.raises(campaign.ConfirmationError) as asked:
        campaign.erase(folder)
    assert "In the folder: none." in str(asked.value)
    campaign.erase(folder, confirm=asked.value.phrase)
    assert [path.name for path in folder.iterdir() if "composed" in path.name] == []


def test_two_programs_keep_what_was_decided_at_once(memory):
    texts = ["short", "long " * 4000]

    def keep(text):
        for _ in range(200):
            Memory(memory).keep(Kept(Composition(source="visits.csv", message=text)))
            kept.append(Memory(memory).recall())

    kept = []
    with ThreadPoolExecutor() as programs:
        list(programs.map(keep, texts))
    assert {one and one.composition.message for one in kept} == {*texts}
    assert [path.name for path in memory.parent.iterdir()] == [memory.name]


def test_a_file_that_is_gone_is_said_and_the_rest_waits(open_page, table):
    before = open_page()
    before.compose()
    table.unlink()
    person = open_page()
    assert "There is no file" in person.sees("section-1")
    assert "its spreadsheet cannot be read any more" in person.sees("greeting")
    assert person.section(1).is_open
    assert person.folded() == []


def test_the_price_and_the_own_phone_are_back(open_page):
    before = open_page()
    before.compose()
    before.fill("price", "35")
    before.fill("own-number", "0772 000 999")
    person = open_page()
    assert "About 105 for 3 SMS." in person.sees("section-4")
    assert find(person.composer, "own-number").value == "0772 000 999"
    assert person.composer.sending.more.is_open


def test_what_is_kept_is_private_and_holds_no_phrase(open_page, memory, table):
    person = open_page()
    person.compose()
    if sys.platform != "win32":
        assert stat.S_IMODE(memory.stat().st_mode) == 0o600
    assert TEXT in memory.read_text()
    assert "0772" not in memory.read_text()
    person.fill("phrase", "send 3 messages live 1a2b")
    person.fill("name", "spring")
    assert "1a2b" not in memory.read_text()
    person.send()
    folder = person.composer.desk.run.folder
    assert TEXT in (folder / "composed.json").read_text()
    with pytest.raises(campaign.ConfirmationError) as asked:
        campaign.erase(folder)
    assert "composed.json" not in str(asked.value)  # no other file, left to a person
    campaign.erase(folder, confirm=asked.value.phrase)
    assert not (folder / "composed.json").exists()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"composition": {"source": "x"}, "reached": 1}'])
def test_what_another_version_kept_is_left_alone(open_page, memory, content):
    memory.write_text(content)
    person = open_page()
    assert person.sees("greeting") == ""
    assert person.section(1).is_open


def test_in_a_notebook_nothing_is_kept(table, tmp_path):
    person = Person(Composer())
    person.compose()
    assert {path.name for path in tmp_path.iterdir()} <= {"visits.csv", "private", "campaigns"}


def ben_is_marked(table):
    """A person at the page of the next day, when Ben's mark does not count any more."""
    header, *rows = VISITS.splitlines()
    marked = (f"{row},{'x' if row.startswith('Ben') else ''}" for row in rows)
    table.write_text("\n".join([f"{header},No SMS", *marked, ""]))
    before = Person(campaign.compose())
    before.compose()
    before.reopen(3)
    before.fill("opt-out-column", "No SMS")
    before.press("go-on")
    before.send()
    return Person(campaign.compose())


def test_after_a_restart_nobody_who_was_marked_gets_a_text_unasked(table):
    again = ben_is_marked(table)
    again.compose()
    again.reopen(3)
    again.fill("opt-out-column", "")
    again.press("go-on")
    send = find(again.composer, "send")
    assert "1 person who would get a text now was left out before" in again.sees("left-out")
    assert again.section(4).questions == {"opted_out"}
    asked = "section 4 asks about 1 person; 2 people were sent a text in rehearsal and get nothing more"
    assert asked in " ".join(again.folded()).lower()
    assert (send.description, send.disabled) == ("Rehearse", True)
    again.press("send")
    assert again.composer.desk.run is None
    assert "Nothing was sent. First decide about the people who are asked" in again.sees("section-4")
    again.reopen(3)
    assert "Choose their list, or the column that marks them, again:" in again.sees("forgotten")
    again.fill("opt-out-column", "No SMS")
    assert again.sees("forgotten") == ""
    again.press("go-on")
    assert not again.is_shown("left-out")
    again.reopen(3)
    again.fill("opt-out-column", "")
    again.press("go-on")
    again.press("send-to-them-too")
    assert "1 person gets a text; 2 people were sent a text in rehearsal" in " ".join(again.folded())
    again.send()
    assert again.composer.desk.run.counts.messages == 3


def test_with_two_questions_open_the_button_waits_for_both(table):
    again = ben_is_marked(table)
    again.compose(text="Hello {name}")
    again.reopen(3)
    again.fill("opt-out-column", "")
    again.press("go-on")
    waits = "This waits for your answers to the questions above."
    assert waits in again.sees("section-4")
    again.fill("changed", "skip")
    assert waits not in again.sees("section-4")
    assert "your answer above about the people who wanted no texts before" in again.sees("section-4")


def test_after_a_restart_the_text_of_then_is_taken_and_nobody_gets_it_twice(person, table):
    table.write_text(VISITS.replace("Dan,", f"{'D' * 150},"))
    person.compose()
    person.reopen(3)
    person.fill("overlong", "truncate")
    person.press("go-on")
    person.send()
    again = Person(campaign.compose())
    again.fill("path", "visits.csv")
    assert "write another text, section 3 asks anew about texts that are too long" in again.sees("section-1")
    again.press("use")
    offered = again.sees("earlier-text")
    assert offered.startswith("The campaign “visits” in this folder has a text of ")
    assert f": “{TEXT}” " in offered
    assert again.sees("earlier-text").endswith("It was only rehearsed: it reached no phone.")
    again.press("take-text")
    assert again.composer.desk.composition.overlong == "truncate"
    assert find(again.composer, "sender").value == "CLINIC"
    assert find(again.composer, "text").value == TEXT
    again.press("check")
    again.press("go-on")
    assert find(again.composer, "send").description == "Show the result"


def test_another_spreadsheet_is_offered_the_text_that_was_sent_last(person, table, tmp_path):
    """The clinic's list of tomorrow has another name, and nobody types yesterday's text from memory."""
    person.compose()
    person.send()
    (tmp_path / "tomorrow.csv").write_text("name,phone,day\nEve,+256 772 000 009,Thu\n")
    again = Person(campaign.compose())
    again.fill("path", "tomorrow.csv")
    again.press("use")
    offered = again.sees("earlier-text")
    assert offered.startswith("The campaign “visits” in this folder has a text of ")
    assert offered.endswith(f": “{TEXT}” If that is meant here, take it.")
    again.press("take-text")
    assert find(again.composer, "text").value == TEXT
    assert find(again.composer, "sender").value == "CLINIC"
    again.press("check")
    again.press("go-on")
    assert find(again.composer, "send").description == "Rehearse 1 text"


def test_a_text_whose_placeholders_another_spreadsheet_lacks_is_not_offered(person, table, tmp_path):
    person.compose()
    person.send()
    (tmp_path / "tomorrow.csv").write_text("name,phone\nEve,+256 772 000 009\n")
    again = Person(campaign.compose())
    again.fill("path", "tomorrow.csv")
    again.press("use")
    assert not again.is_shown("earlier-text")


def test_after_a_restart_dates_are_read_as_they_were(person, table):
    table.write_text("name,phone,day\nAisha,+256 772 000 001,05/01/2026\nBen,+256 772 000 002,06/01/2026\n")
    person.fill("path", "visits.csv")
    person.fill("dates", "dmy")
    person.press("use")
    person.write("Come on {day:%-d %B}.")
    person.fill("sender", "CLINIC")
    person.press("check")
    person.press("go-on")
    person.send()
    again = Person(campaign.compose())
    again.fill("path", "visits.csv")
    assert find(again.composer, "dates").value == "dmy"
    again.press("use")
    again.press("take-text")
    again.press("check")
    again.press("go-on")
    assert find(again.composer, "send").description == "Show the result"
    again.reopen(1)
    again.fill("dates", "")  # a person may still choose otherwise
    assert again.composer.desk.composition.dates is None


def test_after_a_restart_the_texts_of_all_languages_are_taken(open_page, table):
    table.write_text("name,phone,lang\nAisha,+256772000001,en\nBen,+256772000002,sw\n")
    first = Person(campaign.compose())
    first.fill("path", "visits.csv")
    first.press("use")
    first.fill("languages", "lang")
    first.write("Come {name}")
    first.fill("editing", "sw")
    first.write("Njoo {name}")
    first.fill("sender", "CLINIC")
    first.press("check")
    first.press("go-on")
    first.send()
    again = Person(campaign.compose())
    again.fill("path", "visits.csv")
    again.press("use")
    again.press("take-text")
    assert again.composer.desk.composition.texts == {"en": "Come {name}", "sw": "Njoo {name}"}
    again.press("check")
    again.press("go-on")
    assert find(again.composer, "send").description == "Show the result"


def test_a_campaign_that_waits_is_named_and_one_click_takes_it_up_again(person, table, tmp_path, monkeypatch):
    table.write_text(
        "name,phone\n" + "".join(f"{'x' * 150} {n},0772 000 {n:03}\n" for n in range(99)) + "Eve,0772 00\n"
    )
    (tmp_path / "stop.csv").write_text("number\n+256772000002\n")
    with campaign.Sandbox() as service:
        monkeypatch.setattr(
            "campaign.notebook.composer.desk.offered_accounts", lambda: {"local": service.account}
        )
        person.fill("path", "visits.csv")
        person.fill("country", "UG")
        person.compose(text="Hi {name}, come")
        person.reopen(3)
        person.fill("overlong", "truncate")
        person.fill("opt-outs", "stop.csv")
        person.press("go-on")
        person.fill("own-number", "0772 000 999")
        person.section(4).costs.price.value = "35"
        person.fill("budget", "9999")
        person.fill("pace", True)
        person.press("send")
        until(lambda: person.composer.desk.run.counts.accepted)
        person.composer.desk.run.stop()
        left = person.composer.desk.run.wait().totals["not_sent"]
        decided = person.composer.desk.composition
        again = Person(campaign.compose())
        said = f"the rehearsal of “visits” has {left} texts not sent yet"
        assert said in again.sees("open-campaigns")
        again.press("take-up")
        rest = f"{left} texts of “visits” are not sent yet. Press “Rehearse {left} texts” in section 4"
        assert again.sees("greeting").startswith(f"“visits” is as it was. {rest}")
        assert again.composer.desk.composition == decided
        assert not again.is_shown("open-campaigns")
        assert find(again.composer, "send").description == f"Rehearse {left} texts"
        folder = person.composer.desk.run.folder
        assert "0772 000 999" not in (folder / "composed.json").read_text()
        campaign.write_follow_up(campaign.load_result(folder), "to_correct.csv")
        table.unlink()
        third = Person(campaign.compose())
        assert "Choose its spreadsheet, visits.csv, below." in third.sees("open-campaigns")
        third.press("look-back")
        shown = third.sees("section-5")
        assert "Press the button in section 4 after you have chosen its spreadsheet in section 1 to" in shown
        third.fill("path", "to_correct.csv")
        said = "Column, country, text, sender, the answers in section 3 with the list of people who want no"
        assert said in third.sees("section-1")
        assert find(third.composer, "country").value == "UG"
        third.press("use")
        third.press("check")
        assert third.composer.desk.composition.message == "Hi {name}, come"
        assert third.composer.desk.composition.overlong == "truncate"
        assert third.composer.desk.plan.totals["not_sent"] == 0
        assert find(third.composer, "opt-outs").value == "stop.csv"
        assert (third.section(4).costs.price.value, third.section(4).pace.value) == ("35", True)


def test_the_result_of_a_campaign_with_nothing_waiting_is_shown_until_something_is_decided(person):
    person.compose()
    person.send()
    again = Person(campaign.compose())
    said = "In this folder: the rehearsal of “visits” is finished (last on "
    assert again.sees("open-campaigns").startswith(said)
    said = "3 texts were accepted."
    go_on = "To go on with it, choose its spreadsheet below: its text and answers are offered again."
    assert again.sees("open-campaigns").endswith(f"{said} {go_on}")
    again.press("look-back")
    shown = again.sees("section-5")
    assert shown.startswith("This is what came of “visits”.")
    assert "3 of 4 rows were accepted in the rehearsal" in shown
    assert again.composer.outcome.downloads["to_correct.xlsx"]._name().startswith("visits 2")
    assert "import campaign" not in again.sees("section-5")
    again.fill("path", "visits.csv")
    assert not again.is_shown("section-5")
    assert not again.is_shown("open-campaigns")
    again.press("use")
    assert again.composer.desk.sent is None


def test_a_campaign_that_is_not_named_at_once_is_one_click_away(person, table):
    plan = campaign.prepare(campaign.read_contacts("visits.csv"), message=TEXT, sender="CLINIC", region="UG")
    for name in ("first", "second", "third", "fourth", "fifth"):
        campaign.send(plan, name=name, progress=False)
    again = Person(campaign.compose())
    others = find(again.composer, "other-campaigns")
    assert others.description == "Show 2 other campaigns"
    again.press("other-campaigns")
    assert others.description == "Hide 2 other campaigns"
    buttons = [one for one in widgets_in(again.composer) if "campaign-look-back" in one._dom_classes]
    assert [one.description for one in buttons][3:] == [
        f"Show the result of the rehearsal of “{n}”" for n in ("second", "first")
    ]
    buttons[-1].click()
    assert again.sees("section-5").startswith("This is what came of “first”.")


def test_the_texts_of_a_campaign_are_those_that_were_paid_and_those_of_its_spreadsheet(person, table):
    """Dan was taken off the list after he had got his text."""
    person.compose()
    person.send()
    table.write_text(VISITS.rpartition("Dan")[0])
    person.reopen(1)
    person.press("again")
    person.press("use")
    person.press("go-on")
    person.send()
    again = Person(campaign.compose())
    assert "3 texts were accepted." in again.sees("open-campaigns")


def test_an_answer_that_was_kept_holds_for_the_earlier_text_in_all_its_languages():
    kept = Composition(overlong="truncate")
    taken = kept.decided(language="language", texts={"en": "Hello", "fr": "Bonjour"})
    assert taken.overlong == "truncate"
    assert taken.decided(language=None, message="Hello").overlong == "flag"  # another text is asked about
    assert taken.decided(texts={"en": "Hello", "fr": "Bonjour", "sw": ""}).overlong == "truncate"
    assert taken.decided(texts={"en": "Hello"}).overlong == "truncate"
    assert taken.decided(texts={"en": "Hello", "fr": "Salut"}).overlong == "flag"


def test_after_a_result_a_person_begins_with_another_spreadsheet(open_page, table):
    person = open_page()
    person.compose()
    person.send()
    person.press("begin-anew")
    assert person.sees("greeting") == (
        "“visits” stays as it is, and can be looked at from here. Choose the next spreadsheet: if it has the "
        "same columns, section 2 offers the text."
    )
    for again in (person, open_page()):  # and a page that is loaded now comes back to nothing else
        assert again.section(1).is_open
        assert not again.folded()
        assert find(again.composer, "path").value == ""
        assert find(again.composer, "look-back").description == "Show the result of the rehearsal of “visits”"
    assert again.sees("greeting") == ""
    (table.parent / "staff.csv").write_text("name,phone,day\nEve,+256 752 000 005,Fri\n")
    person.compose("staff.csv", text="Dear {name}")
    person.send()
    assert "This is what came of “staff”." in person.sees("section-5")
    assert {*campaign.history()["name"]} == {"visits", "staff"}
