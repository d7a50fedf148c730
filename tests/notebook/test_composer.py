"""The composer, with its widgets used as a person uses them: chosen, typed into and pressed."""

import gc
import re
import stat
import sys
import threading
import time
import weakref
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from ipywidgets import Widget
from support.composer_person import TEXT, VISITS, Person, until
from support.links import resolves_here
from support.live_service import NAME, LiveService, start_live
from support.widget_tree import find, widgets_in

import campaign
from campaign.notebook.composer import desk, message
from campaign.service.account import Account
from campaign.service.passwords import kept_credentials

__all__ = ["resolves_here"]

# the spreadsheet


def test_a_fault_of_the_program_is_no_button_that_does_nothing(person, monkeypatch):
    """Where the program has a fault, the log has it, and whoever only sees the page is told so."""

    def fail(*_):
        raise ValueError("not enough values to unpack")

    person.fill("path", "visits.csv")
    person.press("use")
    person.write("Hi {name}")
    person.fill("sender", "CLINIC")
    monkeypatch.setattr(type(person.composer.desk), "planned", fail)
    person.press("check")
    assert (
        "A fault of this program has stopped this (ValueError), and nothing was sent by it."
        in person.sees("section-2")
    )


def test_the_column_and_the_country_are_guessed_with_their_reasons(person):
    person.fill("path", "visits.csv")
    assert find(person.composer, "number").value == "phone"
    assert find(person.composer, "country").value == "UG"
    shown = person.sees("section-1")
    assert "phone: 3 of 4 cells are numbers to send to; 1 is a number that cannot be used." in shown
    assert "1 of 1 number with a country code is from Uganda." in shown
    assert "077*****01" in shown
    assert "0772 000 001" not in shown
    person.press("use")
    assert person.folded() == ["1 · visits.csv, 4 rows, number in phone (Uganda)"]


def test_a_number_that_is_too_short_is_masked_among_the_first_rows(person, table):
    table.write_text("name,phone\nAmina,0772 000 001\nJohn,77200\n")
    person.fill("path", "visits.csv")
    shown = person.sees("section-1")
    assert "*****" in shown
    assert "77200" not in shown


def test_balances_of_a_million_are_shown_once_the_country_of_the_numbers_is_known(person, table):
    """Before that, they could be phone numbers; nobody shall fear that the file was damaged."""
    table.write_text("name,phone,balance\nAisha,0772 000 001,1250000\nBen,0772 000 002,75000\n")
    person.fill("path", "visits.csv")
    assert "*****00" in person.sees("section-1")
    assert "digits that could be one. Your file stays as it is." in person.sees("section-1")
    person.fill("country", "UG")
    assert "1250000" in person.sees("section-1")
    assert "*****00" not in person.sees("section-1")


def test_without_any_country_code_the_person_chooses_the_country(person, table):
    table.write_text("name,tel,mobile\nAisha,,0772 000 001\nBen,,0772 000 002\n")
    person.fill("path", "visits.csv")
    assert find(person.composer, "number").value == "mobile"
    assert find(person.composer, "country").value == ""
    shown = person.sees("section-1")
    assert '"tel" may hold numbers' in shown.replace("&quot;", '"')
    assert "2 numbers have no country code: say which country they are from." in shown
    assert "The country below decides which are numbers to send to." in shown
    person.fill("country", "UG")
    assert "mobile: 2 of 2 cells are numbers to send to." in person.sees("section-1")


def test_another_sheet_is_read_when_it_is_chosen(person, tmp_path):
    import openpyxl

    book = openpyxl.Workbook()
    book.active.title = "Notes"
    book.active.append(["about", "contact"])
    book.create_sheet("Visits").append(["name", "phone"])
    book["Visits"].append(["Aisha", "+256 772 000 001"])
    book["Notes"].append(["nothing", "none"])
    book.save(tmp_path / "visits.xlsx")
    person.fill("path", "visits.xlsx")
    assert find(person.composer, "sheet").options == ("Notes", "Visits")
    person.fill("sheet", "Visits")
    person.press("use")
    assert person.folded() == ["1 · visits.xlsx, sheet Visits, 1 row, number in phone (Uganda)"]
    assert person.composer.desk.composition.sheet == "Visits"


def test_a_chosen_file_is_kept_for_its_owner_only(person):
    person.upload("upload", "../visits of may.csv", VISITS.encode())
    kept = Path("uploads/visits of may.csv")
    assert kept.read_text() == VISITS
    if sys.platform != "win32":
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    person.press("use")
    assert person.folded() == ["1 · visits of may.csv, 4 rows, number in phone (Uganda)"]
    copied = (
        "# The copy that the page keeps. For your own file as it is now, write where that is.\ncontacts ="
    )
    assert copied in person.lines_of_python()
    person.reopen(1)
    person.fill("path", "visits.csv")
    assert "# The copy" not in person.lines_of_python()


def test_a_file_that_cannot_be_read_is_said_in_words(person, tmp_path):
    person.fill("path", "visit.csv")
    assert "There is no file" in person.sees("section-1")
    (tmp_path / "big.csv").write_text("name,phone\n")
    person.fill("path", "visits.csv")
    assert "There is no file" not in person.sees("section-1")


def test_a_spreadsheet_without_rows_goes_no_further(person, table):
    table.write_text("name,phone\n")
    person.fill("path", "visits.csv")
    person.press("use")
    assert "The spreadsheet has no rows below its headings." in person.sees("section-1")
    assert not person.section(2).is_open


# the message


def test_the_counter_follows_the_text_and_the_row_on_the_phone(person):
    person.fill("path", "visits.csv")
    person.press("use")
    assert find(person.composer, "text").placeholders == ["name", "phone", "day"]
    person.write(TEXT)
    assert person.sees("counter") == "22 of 160 · 1 SMS · the longest is row 2 with 22"
    assert "Hi Aisha, come on Mon." in person.sees("phone")
    person.press("next")
    assert person.sees("counter") == "20 of 160 · 1 SMS · the longest is row 2 with 22"
    assert "Row 3, to 25677*****02 · 1 SMS" in person.sees("phone")
    person.press("problem")
    assert "Row 4 (Carol) gets no text." in person.sees("phone")
    assert person.sees("counter") == "Row 4 gets no text · the longest is row 2 with 22"
    person.press("longest")
    assert "Hi Aisha" in person.sees("phone")
    assert find(person.composer, "text").answered == find(person.composer, "text").asked


def test_a_text_that_is_not_finished_says_what_is_missing(person):
    person.fill("path", "visits.csv")
    person.press("use")
    person.write("Hi {nme}")
    assert 'Did you mean "name"?' in person.sees("counter").replace("&quot;", '"')
    person.press("check")
    assert person.section(2).is_open
    assert not person.section(3).is_open
    person.write("Hi {name}")
    person.press("check")
    assert "The sender is empty." in person.sees("section-2")
    person.fill("sender", "CLINIC")
    person.press("check")
    assert person.folded()[1] == "2 · “Hi {name}”, sender CLINIC"


def test_of_two_texts_that_are_counted_at_once_the_counter_shows_the_newer(person, monkeypatch):
    """JupyterLab may hand two changes to two threads of the kernel."""
    person.fill("path", "visits.csv")
    person.press("use")
    newer_is_counted, older_begins, real = threading.Event(), threading.Event(), message.text_lengths

    def slow_for_the_older(contacts, text, **options):
        if text == "Hi":
            older_begins.set()
            newer_is_counted.wait(1)
        return real(contacts, text, **options)

    monkeypatch.setattr(message, "text_lengths", slow_for_the_older)
    older = threading.Thread(target=person.write, args=["Hi"])
    older.start()
    older_begins.wait()
    person.write("Hi there")
    newer_is_counted.set()
    older.join()
    assert person.sees("counter").startswith("8 of 160")


def test_the_counter_keeps_up_with_typing_on_a_hundred_thousand_rows(person, table):
    names = np.char.add("Person ", np.arange(100_000).astype(str))
    numbers = np.char.add("+25677", np.char.zfill(np.arange(100_000).astype(str), 7))
    table.write_text("name,phone\n" + "\n".join(map(",".join, zip(names, numbers, strict=True))))
    person.fill("path", "visits.csv")
    person.press("use")
    seconds = []
    for count in range(5):
        before = time.process_time()  # computing, because by the clock a busy machine takes ten times as long
        person.write("Hi {name}, your visit is on Monday" + "." * count)
        seconds.append(time.process_time() - before)
    assert "the longest is row 10002 with 44" in person.sees("counter")
    assert min(seconds) < 0.2


# the check


def test_everybody_is_accounted_for_with_reasons_and_rows(person, table):
    table.write_text(VISITS + ",,\nEve,0772 000 001,Fri\n")
    person.compose()
    person.reopen(3)
    shown = person.sees("section-3")
    assert "3 people get a text; 3 rows get none." in shown
    assert "3 get a text, 1 has to be corrected, 1 is empty, 1 shares a phone." in shown
    assert "The number has too few digits." in shown
    Path("list.xlsx").write_bytes(person.section(3).download.content())
    listed = pd.read_excel("list.xlsx", "Rows without a text", dtype=str, engine="openpyxl")
    assert [*listed] == ["name", "phone", "day", "why it gets no text", "row in your own spreadsheet"]
    assert listed["name"].fillna("").tolist() == ["Carol", "", "Eve"]  # the three that the page counts
    assert listed["row in your own spreadsheet"].tolist() == ["4", "6", "7"]
    why = listed["why it gets no text"].tolist()
    assert why[0] in shown  # as the page says it
    assert "use “Send every different text” so that both texts go out." in why[2]


def test_choices_decide_how_many_texts_would_be_sent(person, table):
    long = "a very long remark " * 12
    table.write_text(f"{VISITS}{long},+256 772 000 005,Fri\nEve,0772 000 001,Fri\n")
    person.compose()
    person.reopen(3)
    person.fill("overlong", "split")
    person.fill("duplicates", "keep")
    assert "5 people get a text; 1 row gets none." in person.sees("section-3")
    person.press("go-on")
    assert "6 texts would be rehearsed: 5 new." in person.sees("section-4")
    assert "overlong='split', duplicates='keep'" in person.lines_of_python()


def test_people_who_want_no_texts_get_none(person):
    Path("stop.csv").write_text("number\n+256772000001\n")
    person.compose()
    person.reopen(3)
    person.fill("opt-outs", "nowhere.csv")
    assert "There is no file" in person.sees("section-3")
    person.fill("opt-outs", "stop.csv")
    assert "2 people get a text; 2 rows get none." in person.sees("section-3")
    person.press("go-on")
    person.send()
    assert person.composer.desk.run.result.totals["opted_out"] == 1


# sending and the result


def test_whoever_only_rehearses_is_shown_no_field_that_may_stay_empty(person):
    def label():
        return find(person.composer, "more").description

    person.compose()
    more = person.composer.sending.more
    assert (label(), more.is_open) == ("More: price, limit, your own phone, speed", False)
    assert "That is 3 SMS." in person.sees("section-4")
    person.press("more")
    assert (label(), more.is_open) == ("Hide: price, limit, your own phone, speed", True)
    person.fill("price", "35 UGX")
    person.press("more")
    assert more.is_open  # what has to be put right stays in sight
    person.fill("price", "35")
    person.press("more")
    assert not more.is_open
    person.reopen(3)
    person.press("go-on")
    assert not more.is_open
    assert "About 105 for 3 SMS." in person.sees("section-4")
    person.send()
    person.reopen(3)
    person.press("go-on")
    assert label() == "More: price, limit, your own phone"  # nothing is left to send, fast or slowly


def test_from_the_spreadsheet_to_the_report_and_the_same_in_python(person):
    person.compose()
    assert "Where to: Rehearse on this machine: nothing leaves it" in person.sees("section-4")
    assert not person.is_shown("place")  # nothing to choose
    assert find(person.composer, "send").description == "Rehearse 3 texts"
    assert len(find(person.composer, "place").options) == 1
    person.fill("price", "35 UGX")
    assert "Write the price as a number, such as 35 or 0.04, without a currency." in person.sees(
        "price-fault"
    )
    start = find(person.composer, "send")
    assert start.disabled
    assert start.tooltip == person.sees("why-not")  # beside the button too, which may be far below
    assert "waits for the price of one SMS above" in start.tooltip
    person.fill("price", "40")
    assert "About 120 for 3 SMS." in person.sees("section-4")
    assert person.sees("price-fault") == person.sees("why-not") == ""
    assert start.tooltip is None
    person.send()
    assert "120 (nothing is paid)" in person.sees("section-4")
    assert (
        "3 · 3 people were sent a text in rehearsal and get nothing more; 1 row gets none" in person.folded()
    )
    person.composer.sending.begin()  # a second click on its way starts nothing
    assert person.composer.sending.line.startswith("REHEARSAL on this machine: nobody gets anything: 3 of 3")
    assert "3 of 4 rows were accepted in the rehearsal" in person.sees("section-5")
    downloads = person.section(5).downloads
    assert downloads["report.html"].content().startswith(b"<!doctype html>")
    assert downloads["report.xlsx"].content().startswith(b"PK")
    names = {kind: download._name() for kind, download in downloads.items()}
    assert names == {
        "report.html": f"visits {date.today()} report.html",
        "report.xlsx": f"visits {date.today()} report.xlsx",
        "to_correct.xlsx": f"visits {date.today()} to correct.xlsx",
    }
    Path("to_correct.xlsx").write_bytes(downloads["to_correct.xlsx"].content())
    assert campaign.read_contacts("to_correct.xlsx").attrs["reading"].continues.campaign == "visits"

    composed = person.composer.desk.run.result
    lines = person.lines_of_python()
    assert (
        lines in person.sees("python").replace("&#x27;", "'").replace("&quot;", '"')
        or len(lines.split("\n")) == 6
    )
    world = {}
    exec(lines, world)
    assert world["plan"].fingerprint == composed.plan.fingerprint
    assert dict(world["result"].totals) == dict(composed.totals)
    assert len(world["result"].batches) == len(composed.batches)  # nobody got anything again
    assert Path("report.html").exists()


def test_corrected_and_sent_again_only_the_new_one_goes_out(person, table):
    person.compose()
    person.send()
    table.write_text(VISITS.replace("0772 00,", "0772 000 003,"))
    person.reopen(1)
    person.press("again")
    person.press("use")
    shown = person.sees("section-3")
    assert (
        "Before, it said: “3 people were sent a text in rehearsal and get nothing more; 1 row gets none.”"
        in shown
    )
    assert "Rehearsed on this machine before: 1 new, 3 accepted before." in shown
    assert not person.section(4).is_open  # whoever gets a text has changed: that is looked at first
    person.press("go-on")
    assert not person.section(5).is_open
    assert person.section(5).layout.display is None  # announced again
    assert "1 text would be rehearsed: 1 new." in person.sees("section-4")
    assert "Nothing more for: 3 accepted before." in person.sees("section-4")
    person.fill("price", "0,04")
    assert "About 0.04 for 1 SMS." in person.sees("section-4")
    person.send()
    assert "All 4 rows were accepted in the rehearsal." in person.sees("section-5")


def test_the_rows_to_correct_go_out_and_the_button_counts_them(person):
    person.compose()
    person.send()
    rows = campaign.write_follow_up(campaign.load_result(person.composer.desk.run.folder), "to_correct.csv")
    rows.write_text(rows.read_text("utf-8-sig").replace('"0772 00"', '"0772 000 003"'))
    person.reopen(1)
    person.fill("path", "to_correct.csv")
    person.press("use")
    assert "Hi Carol, come on Wed." in person.sees("phone")
    person.press("check")
    person.press("go-on")
    assert "3 · 1 person gets a text; no row is left out" in person.folded()
    assert "1 text would be rehearsed: 1 new." in person.sees("section-4")
    assert "Nothing more for: 3 accepted before." in person.sees("section-4")
    start = find(person.composer, "send")
    assert (start.description, start.disabled) == ("Rehearse 1 text", False)
    person.send()
    assert "All 4 rows were accepted in the rehearsal." in person.sees("section-5")


def test_the_result_names_the_row_with_a_mistake_and_says_that_a_corrected_file_was_not_sent(person, table):
    person.compose()
    person.send()
    assert "Correct the row with a mistake (row 4): in your own spreadsheet" in person.sees("section-5")
    assert "This is what came of “visits”." in person.sees("section-5")
    table.write_text(VISITS.replace("0772 00,", "0772 000 003,"))
    person.reopen(1)
    assert "This is what came of “visits”." in person.sees("section-5")
    person.press("again")
    said = "“visits”, with the spreadsheet as it was then: the one that was read since was not sent yet."
    assert f"This is what came of {said}" in person.sees("section-5")
    person.press("use")
    person.press("go-on")
    person.send()
    second = person.section(5).downloads["report.html"]._name()
    assert re.fullmatch(rf"visits {date.today()} \d\d\.\d\d report\.html", second)  # not that of before
    assert "This is what came of “visits”." in person.sees("section-5")
    assert "has to be corrected" not in person.sees("section-5")


def test_what_was_sent_goes_with_another_spreadsheet(person, table):
    person.compose()
    person.send()
    (table.parent / "other.csv").write_text(VISITS)
    person.reopen(1)
    person.fill("path", "nowhere.csv")
    assert "There is no file" in person.sees("section-1")
    assert [number for number in range(1, 6) if person.is_shown(f"section-{number}")] == [1, 2, 3, 4, 5]
    person.fill("path", "other.csv")
    assert (person.is_shown("section-4"), person.is_shown("section-5")) == (False, False)


def test_a_rehearsal_can_go_slowly_enough_to_watch(person, table):
    table.write_text("name,phone,day\nAisha,+256 772 000 001,Mon\n")
    person.compose()
    person.fill("pace", True)
    assert "campaign.send(plan)" in person.lines_of_python()  # nobody watches that
    person.send()
    options = person.composer.desk.run.result.rounds[-1].options
    assert (options["rate"], options["batch_size"]) == (1, 1)
    person.reopen(3)
    person.press("go-on")
    assert not person.is_shown("pace")  # nothing is left to send


def test_a_chosen_file_is_a_copy_so_it_cannot_be_read_again(person):
    person.upload("upload", "visits.csv", Path("visits.csv").read_bytes())
    assert find(person.composer, "again").layout.display == "none"
    person.fill("path", "visits.csv")
    assert find(person.composer, "again").layout.display is None


def test_another_text_is_asked_about(person):
    person.compose()
    person.send()
    person.reopen(2)
    person.write("Hello {name}")
    person.press("check")
    assert "3 people have another text" in person.sees("section-4")
    person.press("send")
    assert "Nothing was sent." in person.sees("section-4")
    assert "Hi Aisha, come on Mon." in person.sees("section-4")
    assert person.composer.desk.run is None
    person.fill("changed", "send")
    person.send()
    assert "The cost" in person.sees("section-5") or person.composer.desk.run.counts.cost == 210


def test_a_change_that_does_not_fit_what_is_below_opens_that_section(person, table):
    person.compose()
    table.write_text("first,phone\nAisha,+256 772 000 001\n")
    person.reopen(1)
    person.press("again")
    person.press("use")
    assert "There is no column" in person.sees("section-2")
    assert not person.section(3).is_open
    person.write("Hi {first}, come.")
    person.press("check")
    assert "1 person gets a text; no row is left out." in person.sees("section-3")


def test_enter_after_the_same_path_reads_the_file_as_it_is_now(person, table):
    person.fill("path", "visits.csv")
    assert "visits.csv: 4 rows." in person.sees("section-1")
    table.write_text(f"{VISITS}Eve,0772 000 005,Fri\n")
    person.press_enter("path")
    assert "visits.csv: 4 rows." in person.sees("section-1")  # it was told a moment ago, and has been read
    person.press_enter("path", repeated=True)
    assert "visits.csv: 5 rows." in person.sees("section-1")
    person.fill("path", "later.csv")
    assert "There is no file" in person.sees("section-1")
    table.rename("later.csv")
    person.press_enter("path", repeated=True)
    assert "later.csv: 5 rows." in person.sees("section-1")


def test_one_text_is_tried_out(person):
    person.compose()
    person.press("try")
    assert "Write the number of your own phone first." in person.sees("trial")
    person.fill("own-number", "+256 772 00")
    person.press("try")
    assert "The number has too few digits." in person.sees("trial")
    person.fill("own-number", "0772 000 999")
    person.press("try")
    assert "Hi Aisha, come on Mon." in person.sees("trial")
    assert "The text to your own phone was accepted in the rehearsal." in person.sees("trial")
    assert "Nothing reached a phone" in person.sees("trial")
    person.fill("pace", True)
    assert "Nothing reached a phone" in person.sees("trial")
    person.reopen(2)
    person.write("Another text.")
    person.press("check")
    assert "Nothing reached a phone" not in person.sees("trial")
    assert person.composer.desk.run is None


def test_what_is_decided_stays_closed_while_texts_are_on_their_way(person, monkeypatch):
    with campaign.Sandbox(latency=0.3) as slow:
        person.composer.desk.accounts["local"] = slow.account
        person.compose()
        person.press("send")
        until(lambda: person.section(1)._line.disabled)
        shown = person.sees("section-4")
        assert "Rehearsing 3 texts" in shown
        assert "Pause holds the texts back until you press Resume." in shown  # so Resume is grey
        assert "Sections 1 to 3 open again when the sending has ended." in person.sees("locked")
        assert "message" not in shown
        assert "cell" not in shown
        until(lambda: person.section(5).is_open)
    assert not person.section(1)._line.disabled
    assert person.sees("locked") == ""


@pytest.fixture
def live(table, resolves_here, monkeypatch, tmp_path):
    """A live service that the environment knows, and what it received."""
    monkeypatch.setenv("CAMPAIGN_STATE_DIR", str(tmp_path / "state"))
    with start_live(resolves_here, monkeypatch) as sandbox:
        service = LiveService(sandbox)
        port = sandbox.account.url.rsplit(":", 1)[1].strip("/")
        for name, value in {
            "URL": f"https://{NAME}:{port}", "USERNAME": "clinic", "PASSWORD": "only-for-tests",
        }.items():  # fmt: skip
            monkeypatch.setenv(f"CAMPAIGN_LIVE_{name}", value)

        def kept(environment):  # the variables have no word for a certificate of our own
            credentials = kept_credentials(environment)
            return credentials and Account(environment, *credentials, ca_file=sandbox.ca_file, currency="UGX")

        monkeypatch.setattr(desk, "kept_account", kept)
        yield service


def test_live_asks_for_the_phrase_and_nothing_leaves_before(live):
    person = Person(campaign.compose())
    person.compose()
    assert person.is_shown("place")
    assert not person.composer.sending.more.is_open
    person.fill("place", "live")
    assert person.composer.sending.more.is_open  # one text to your own phone, before anybody gets theirs
    person.press("send")
    (phrase,) = re.findall("send 3 messages live [0-9a-f]{4}", person.sees("question"))
    person.fill("phrase", "send 3 messages live")
    person.press("send")
    assert "That is not the phrase, so nothing was sent. Type it exactly" in person.sees("refusal")
    assert "1 has to be corrected" in person.sees("question")
    assert "No budget is set: the field “Stop when it has cost” sets a limit." in person.sees("question")
    person.fill("phrase", "send 4 messages live 0000")
    person.press_enter("phrase")
    assert "An earlier phrase no longer counts" in person.sees("refusal")
    assert ":." not in person.sees("question")
    assert live.numbers == []
    person.fill("phrase", phrase)
    person.send()
    assert sorted(live.numbers) == ["256772000001", "256772000002", "256772000004"]
    assert person.folded()[:3] == [section._line.description for section in person.composer.sections[:3]]
    state = "".join(str(widget.get_state()) for widget in widgets_in(person.composer))
    assert "only-for-tests" not in state
    assert 'Account.from_environment("live")' in person.lines_of_python(phrase)
    assert phrase in person.lines_of_python(phrase)


def test_without_an_account_a_rehearsal_ends_with_what_is_needed_for_real(person):
    person.compose()
    person.send()
    needed = (
        "To send for real, this program needs your account with the SMS provider: ask whoever looks after"
    )
    assert person.sees("section-5").count(needed) == 1


def test_after_a_rehearsal_it_says_how_the_same_is_sent_for_real(live):
    person = Person(campaign.compose())
    person.compose()
    person.send()
    choose = "choose “Live: real texts to real phones” in section 4."
    way = f"To send it for real, open section 3, press “Go on to sending”, and {choose}"
    assert way in person.sees("section-5")
    person.reopen(3)
    person.press("go-on")
    person.fill("place", "live")
    person.press("send")
    (phrase,) = re.findall("send 3 messages live [0-9a-f]{4}", person.sees("question"))
    person.fill("phrase", phrase)
    person.send()
    assert "for real" not in person.sees("section-5")


def test_the_cost_is_no_unknown_below_the_estimate_and_section_3_says_when_it_speaks_of_a_rehearsal(live):
    person = Person(campaign.compose())
    person.compose()
    person.fill("place", "live")
    person.press("send")
    assert "What it costs is not known" in person.sees("question")
    person.fill("price", "35")
    person.press("send")
    assert "About UGX 105 for 3 SMS." in person.sees("section-4")
    assert "What it costs is not known" not in person.sees("question")
    (phrase,) = re.findall("send 3 messages live [0-9a-f]{4}", person.sees("question"))
    person.fill("phrase", phrase)
    person.send()
    again = Person(campaign.compose())
    again.compose()
    assert (
        again.folded()[2] == "3 · In a rehearsal, as section 4 has it: 3 people get a text; 1 row gets none"
    )
    again.fill("place", "live")
    assert again.folded()[2].startswith("3 · 3 people were sent a text before")


def test_no_report_of_a_live_campaign_says_that_nothing_was_paid(live):
    """The price was typed for an estimate; what the service named is what is paid."""
    person = Person(campaign.compose())
    person.compose()
    person.fill("price", "35")
    person.fill("place", "live")
    person.press("send")
    (phrase,) = re.findall("send 3 messages live [0-9a-f]{4}", person.sees("question"))
    person.fill("phrase", phrase)
    person.send()
    page = person.section(5).downloads["report.html"].content().decode()
    assert "cost, as the service reported it" in page
    assert "paid" not in page


def test_the_pace_of_a_rehearsal_to_watch_is_never_that_of_a_live_campaign(live, table):
    watching = Person(campaign.compose())
    watching.compose()
    watching.fill("pace", True)
    watching.send()
    campaign.write_follow_up(watching.composer.desk.run.result, "to_correct.csv")
    (table.parent / "other.csv").write_text(VISITS)
    person = Person(campaign.compose())
    person.compose("other.csv")
    person.fill("place", "live")
    person.reopen(1)
    person.fill("path", "to_correct.csv")
    person.press("use")
    person.press("check")
    person.press("go-on")
    composition = person.composer.desk.composition
    assert (composition.environment, composition.rate, composition.batch_size) == ("live", None, 100)


def test_trying_one_text_live_asks_for_its_own_phrase(live):
    person = Person(campaign.compose())
    person.compose()
    person.fill("place", "live")
    person.fill("own-number", "+256 772 000 999")
    person.press("send")
    assert (person.is_shown("phrase"), person.is_shown("trial-phrase")) == (True, False)
    person.press("try")
    assert (person.is_shown("phrase"), person.is_shown("trial-phrase")) == (False, True)
    assert person.sees("question") == ""
    (phrase,) = re.findall("send 1 message live [0-9a-f]{4}", person.sees("trial"))
    person.fill("trial-phrase", "yes")
    person.press("try")
    assert "That is not the phrase, so nothing was sent." in person.sees("trial")
    assert live.numbers == []
    person.press("send")
    assert (person.is_shown("phrase"), person.is_shown("trial-phrase")) == (True, False)
    person.press("try")
    person.fill("trial-phrase", phrase)
    person.press("try")
    assert live.numbers == ["256772000999"]
    person.press("send")
    assert "Hi Aisha" in person.sees("trial")


def test_the_price_is_in_the_currency_of_the_account(live):
    person = Person(campaign.compose())
    person.compose()
    assert "That is 3 SMS." in person.sees("section-4")
    assert find(person.composer, "try").description == "Rehearse one text: it reaches no phone"
    assert "Here you can practise that" in person.sees("section-4")
    person.fill("price", "35")
    assert "About 105 for 3 SMS." in person.sees("section-4")
    person.fill("place", "live")
    assert find(person.composer, "try").description == "Try one text on it"
    assert "shows that it arrives as it is written, before anybody gets theirs" in person.sees("section-4")
    assert find(person.composer, "price").placeholder == "in UGX, if you know it"
    assert "About UGX 105 for 3 SMS." in person.sees("section-4")


def test_live_is_not_offered_without_an_account(person):
    person.compose()
    assert [value for _, value in find(person.composer, "place").options] == ["local"]


def test_without_anywidget_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(campaign.UsageError, match=r'pip install "campaign\[notebook\]"'):
        campaign.compose()


# afterwards


def test_a_composer_that_is_closed_is_let_go(table):
    """Or each one that a kernel ever showed would stay in its memory, with its tables."""
    composer = campaign.compose()
    gone = weakref.ref(composer)
    Widget.close_all()
    del composer
    gc.collect()
    assert gone() is None
