"""The page of the result: what came of it, what is left to do with its button, and the files to take away."""

import io
import re
import sqlite3
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
from support.form_person import CORRECTED, TEXT, VISITS, Person, until
from support.live_service import LiveService, known_as, start_live

import campaign
from campaign.notebook.composer.items import words
from campaign.sending.afterwards import settling

PEOPLE = "name,phone,day\n" + "".join(f"P{n},+256772000{n:03},Mon\n" for n in range(250))


def send_again(person):
    """Press the button for what is left, live with its phrase, and wait for the result."""
    if person.shows("typed:phrase"):
        person.fill("typed:phrase", person.phrase)
    person.press("send-rest")
    assert not person.problem, person.problem
    person.composer.facts.run.wait()
    person.await_result()


def with_cell(path, cell, value):
    """A workbook with another value in a cell."""
    book = openpyxl.load_workbook(path)
    book.active[cell] = value
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


@pytest.fixture
def clerk(person):
    """Somebody at the result of a rehearsal; Carol's number has to be corrected."""
    person.compose()
    person.rehearse()
    return person


# the files


def test_every_file_can_be_opened_again_and_has_a_good_name(clerk):
    files = {kind: clerk.download(kind) for kind in ("report", "workbook", "follow-up")}
    assert {path.name for path in files.values()} == {
        f"visits {date.today()} {name}" for name in ("report.html", "all rows.xlsx", "rows to correct.xlsx")
    }
    page = files["report"].read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert "256772000001" not in page
    rows = pd.read_excel(files["workbook"], "Contacts", dtype=str, engine="openpyxl")
    assert rows["name"].tolist() == ["Aisha", "Ben", "Carol", "Dan"]
    corrections = campaign.read_contacts(files["follow-up"])
    assert corrections["name"].tolist() == ["Carol"]
    assert corrections.attrs["reading"].continues.campaign == "visits"


@pytest.mark.parametrize("name", ["March/April: 2 < 3?", "..", "x" * 80, "Ŵ 1"])
def test_files_have_names_that_every_system_takes(person, name):
    person.compose()
    person.fill("name", name)
    person.rehearse()
    path = person.download("report")
    assert re.fullmatch(r'[^<>:"/\\|?*]{1,100} \d{4}-\d\d-\d\d report\.html', path.name)
    assert path.stat().st_size > 0


def test_a_report_that_is_chosen_as_a_spreadsheet_goes_no_further(clerk):
    path = clerk.download("workbook")
    clerk.choose(path, path.name)
    clerk.press("next")
    assert (clerk.refused, clerk.page["step"]) == ("few_numbers", "people")


# what is to be corrected


def test_the_corrected_file_completes_the_campaign_and_files_of_it_are_refused_twice(clerk):
    path = clerk.download("follow-up")
    corrected = with_cell(path, "B2", "0772 000 003")
    clerk.upload("source", path.name, corrected)
    clerk.go_on()
    clerk.rehearse()
    assert (clerk.counts, clerk.shows("download:follow-up")) == ({"accepted": 4}, False)
    clerk.choose(corrected, path.name)
    clerk.go_on()
    assert not clerk.shows("send:local")


@pytest.mark.parametrize("name", ["visits.csv", "visits_v2.csv"])
def test_the_own_spreadsheet_corrected_completes_it_whatever_its_name(clerk, name):
    clerk.upload("source", name, CORRECTED)
    assert (clerk.page["top"], clerk.composer.form.message) == ("visits", TEXT)
    clerk.go_on()
    assert clerk.item("send:local")["label"] == words("form_rehearse", messages=1)
    clerk.rehearse()
    assert clerk.counts == {"accepted": 4}


def test_a_wrong_file_leaves_the_result_as_it_is(clerk):
    clerk.upload("source", "list.pdf", b"%PDF-1.4 \xe2\xe3\xcf")
    assert (clerk.refused, clerk.page["step"]) == ("no_spreadsheet", "result")
    assert clerk.shows("download:follow-up")


def test_a_corrected_file_goes_live_with_its_campaign(live):
    officer = Person()
    officer.compose()
    officer.send_live()
    path = officer.download("follow-up")
    another_day = Person()
    another_day.choose(with_cell(path, "B2", "0772 000 003"), path.name)
    another_day.go_on()
    assert another_day.phrase.startswith("send 1 message live ")
    another_day.send_live()
    assert another_day.counts == {"accepted": 4}
    assert sorted(live.numbers) == [f"25677200000{n}" for n in range(1, 5)]


# what is left to send


def test_what_was_refused_is_sent_once_its_cause_is_gone(person):
    with campaign.Sandbox(balance=35, price=35) as service:
        person.composer.facts.accounts["local"] = service.account
        person.compose()
        person.rehearse()
        assert person.counts["accepted"] == 1
        left = sum(person.counts.get(status, 0) for status in ("refused", "not_sent"))
        assert left == 2
        assert person.says("form_send_rest", rows=2)
        service.top_up(1000)
        another_day = Person()
        another_day.composer.facts.accounts["local"] = service.account
        another_day.press(f"open:{person.composer.form.folder}")
        send_again(another_day)
        assert another_day.counts == {"invalid": 1, "accepted": 3}
        assert len(service.inbox) == 3


def test_what_a_program_began_is_finished_here_and_takes_no_form_with_it(desk):
    """The form that opens it is empty, and would be offered as its text."""
    plan = campaign.prepare(VISITS.encode(), message=TEXT, sender="CLINIC", region="UG")
    folder = campaign.send(plan, name="visits", pilot=1, progress=False).folder
    person = Person()
    person.press(next(item["id"] for item in person.items() if item.get("id", "").startswith("open:")))
    assert person.says("form_send_rest", rows=2)
    person.press("send-rest")
    person.composer.facts.run.wait()
    person.do("look")  # before or after the result is there
    assert (person.problem, person.page["step"] in ("sending", "result")) == ("", True)
    person.await_result()
    assert person.counts == {"invalid": 1, "accepted": 3}
    assert not (folder / "composed.json").exists()


@pytest.fixture
def stopped(desk, resolves_here, monkeypatch):
    """A live campaign that ran out of money after one of three messages, and its service."""
    with start_live(resolves_here, monkeypatch, price=35, balance=35) as sandbox:
        known_as("LIVE", sandbox, monkeypatch)
        person = Person()
        person.compose()
        person.send_live()
        assert person.counts["accepted"] == 1
        sandbox.top_up(1000)
        yield person, LiveService(sandbox)


def test_the_rest_of_a_live_campaign_needs_a_phrase_too(stopped):
    person, service = stopped
    assert person.phrase.startswith("send 2 messages live ")
    for typed in ("", "send 2 messages live 0000"):
        person.fill("typed:phrase", typed)
        person.press("send-rest")
        assert (person.page["step"], person.problem) == ("result", "")
        assert person.item("typed:phrase")["is_wrong"]
    assert len(service.numbers) == 1
    send_again(person)
    assert sorted(service.numbers) == ["256772000001", "256772000002", "256772000004"]
    person.do("press", "send-rest")  # a second click
    assert len(service.numbers) == 3
    assert person.counts == {"invalid": 1, "accepted": 3}


def test_without_its_account_the_rest_is_not_offered(stopped, monkeypatch):
    person, _ = stopped
    monkeypatch.delenv("CAMPAIGN_LIVE_PASSWORD")
    another_day = Person()
    another_day.press(f"open:{person.composer.form.folder}")
    assert not another_day.shows("send-rest")
    assert another_day.says("form_other_account")


def test_with_another_account_the_rest_is_refused_in_words(stopped, monkeypatch):
    person, service = stopped
    monkeypatch.setenv("CAMPAIGN_LIVE_USERNAME", "school")
    another_day = Person()
    another_day.press(f"open:{person.composer.form.folder}")
    assert not another_day.shows("send-rest")
    assert any(item.get("tone") == "bad" for item in another_day.items())
    assert len(service.numbers) == 1


def contents(*folders):
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


def test_looking_at_a_live_campaign_opens_and_writes_nothing(stopped, state_directory):
    """A page is drawn at every key: the phrase on it is asked for without opening the campaign."""
    folder = Path(stopped[0].composer.form.folder)
    before = contents(folder, state_directory)
    another_day = Person()
    another_day.press(f"open:{folder}")
    assert another_day.phrase.startswith("send 2 messages live ")
    assert contents(folder, state_directory) == before


def test_a_run_that_waits_for_a_person_in_the_notebook_goes_on_waiting(desk, resolves_here, monkeypatch):
    """Somebody who looks at its campaign in the form, or at what would be sent, does not end it."""
    with start_live(resolves_here, monkeypatch, faults={2: "reset"}) as sandbox:
        known_as("LIVE", sandbox, monkeypatch)
        (desk / "people.csv").write_text(PEOPLE)
        plan = campaign.prepare("people.csv", message="Hello", sender="CLINIC", region="UG")
        options = {"account": LiveService(sandbox).account, "name": "visits", "batch_size": 10}
        with pytest.raises(campaign.ConfirmationError) as asked:
            campaign.start(plan, **options)
        run = campaign.start(plan, **options, concurrency=1, confirm=asked.value.phrase)
        run.wait()
        assert (run.ended, run.status) == (False, "paused")
        person = Person()
        person.press(f"open:{run.folder}")
        person.press("start")
        person.compose(PEOPLE, text="Hello")
        assert (run.ended, run.made_way) == (False, False)
        run.stop()
        run.wait()


def test_the_phrase_that_is_shown_after_a_kill_is_the_one_that_is_taken(live, desk):
    """Opening the campaign notes what was under way as unknown: nothing that a person has to see anew."""
    (desk / "people.csv").write_text(PEOPLE)
    plan = campaign.prepare("people.csv", message="Hello", sender="CLINIC", region="UG")
    options = {"account": live.account, "name": "visits", "batch_size": 10, "pilot": 10, "progress": False}
    with pytest.raises(campaign.ConfirmationError) as asked:
        campaign.send(plan, **options)
    result = campaign.send(plan, confirm=asked.value.phrase, **options)
    with closing(sqlite3.connect(result.folder / "ledger.sqlite")) as ledger, ledger:
        ledger.execute(
            "UPDATE batches SET state = 'sending', attempts = 1, submitted_at = '2026-03-02T08:00:00Z' "
            "WHERE batch = (SELECT min(batch) FROM batches WHERE state = 'pending')"
        )
    person = Person()
    person.press(f"open:{result.folder}")
    before = len(live.numbers)
    send_again(person)
    assert person.counts["unknown"] == 10
    assert len(live.numbers) > before


# what is unknown


@pytest.fixture
def killed(person):
    """Somebody at the result of a rehearsal of which the second answer was lost: 99 of 100 are unknown."""
    with campaign.Sandbox(faults={2: "reset"}) as service:
        person.composer.facts.accounts["local"] = service.account
        person.compose("\n".join(PEOPLE.splitlines()[:101]))
        person.rehearse()
        assert person.counts == {"accepted": 1, "unknown": 99}
        person.service = service
        yield person


def test_a_run_that_loses_an_answer_waits_for_somebody_to_look(person):
    many = "name,phone,day\n" + "".join(f"P{n},+2567720{n:05},Mon\n" for n in range(1501))
    with campaign.Sandbox(faults={2: "reset"}, latency=0.1) as service:
        person.composer.facts.accounts["local"] = service.account
        person.compose(many)
        person.press("send:local")
        until(lambda: person.shows("resume"))
        assert any(item.get("tone") == "ask" for item in person.items())
        person.press("resume")
        person.await_result()
        assert person.counts == {"accepted": 1401, "unknown": 100}


def test_in_a_rehearsal_nobody_is_asked_and_nothing_is_sent_again_by_itself(killed):
    assert killed.says("form_ask_nobody")
    assert not killed.shows("provider_list")
    assert not killed.shows("send-rest")
    killed.press("start")
    assert killed.item(f"open:{killed.composer.facts.run.folder}")["label"] == "Continue"


@pytest.mark.parametrize(("outcome", "status"), [("accepted", "accepted"), ("refused", "refused")])
def test_a_batch_is_settled_in_two_steps(killed, outcome, status):
    killed.press(f"settle:2:{outcome}")
    assert killed.counts["unknown"] == 99  # it is asked once more
    killed.press("settle-not")
    killed.do("press", "settle")  # which was on its way
    assert killed.counts["unknown"] == 99
    killed.press(f"settle:2:{outcome}")
    killed.press("settle")
    assert (killed.problem, killed.counts.get("unknown", 0)) == ("", 0)
    assert killed.counts[status] == (100 if status == "accepted" else 99)
    assert killed.shows("send-rest") == (outcome == "refused")
    assert not killed.shows("unknown")
    if outcome == "refused":
        send_again(killed)
        assert killed.counts == {"accepted": 100}
        assert killed.service.inbox["number"].value_counts().tolist() == [1] * 100


def test_a_question_that_was_left_is_not_answered_by_a_later_click(killed):
    killed.press("settle:2:accepted")
    killed.press("done")
    killed.press(f"open:{killed.composer.facts.run.folder}")
    killed.do("press", "settle")
    assert killed.counts["unknown"] == 99


def test_another_page_that_settled_it_first_is_believed(killed):
    killed.press("settle:2:refused")
    campaign.resolve(killed.composer.form.folder, 2, "accepted", confirm="batch 2 was accepted")
    killed.press("settle")
    assert killed.refused
    assert killed.counts == {"accepted": 100}
    assert not killed.shows("settle:2:refused")


@pytest.fixture
def provider(desk, resolves_here, monkeypatch):
    """250 texts in four live requests were sent from a program. The answers to two were lost: the provider
    took batch 2, and not batch 3. The last one waits."""
    Path("visits.csv").write_text(PEOPLE)
    with start_live(resolves_here, monkeypatch, faults={2: "accept_reset", 3: "reset"}, price=2) as sandbox:
        known_as("LIVE", sandbox, monkeypatch)
        service = LiveService(sandbox)
        plan = campaign.prepare("visits.csv", message=TEXT, sender="CLINIC", region="UG")
        options = {"account": service.account, "name": "visits", "batch_size": 100, "max_unknown": 2,
                   "concurrency": 1, "progress": False}  # fmt: skip
        with pytest.raises(campaign.ConfirmationError) as asked:
            campaign.send(plan, **options)
        campaign.send(plan, confirm=asked.value.phrase, **options)
        assert statuses() == ["accepted", "unknown", "unknown", "not_sent"]
        yield service


def statuses():
    return campaign.load_result("campaigns/visits").batches["status"].tolist()[:4]


@pytest.fixture
def looking(provider, monkeypatch):
    """Somebody who looks at the result of that, three hours later, when a list would have what left."""
    monkeypatch.setattr(settling, "moment_now", lambda: pd.Timestamp.now("UTC") + pd.Timedelta(hours=3))
    person = Person()
    person.press(next(item["id"] for item in person.items() if item.get("id", "").startswith("open:")))
    return person


def list_of(provider, header="Number,Text,Submitted at,Cost"):
    """What the provider took, with entries of another campaign a day before and two hours after it."""
    left = campaign.load_result("campaigns/visits").batches["submitted_at"]
    took = [
        f'{one.number},"{one.text}",{one.time:%Y-%m-%d %H:%M:%SZ},2'
        for one in provider.sandbox.inbox.itertuples()
    ]
    others = [
        f"+256772000{n},Another campaign,{at:%Y-%m-%d %H:%M:%SZ},2"
        for n, at in ((900, left.min() - timedelta(days=1)), (901, left.max() + timedelta(hours=2)))
    ]
    return "\n".join([header, *took, *others])


def test_the_unknown_messages_are_listed_with_full_numbers_for_the_provider(looking):
    assert looking.says("form_ask_provider")
    assert "256772" not in " ".join(looking.texts).replace("25677*", "")
    listed = pd.read_excel(looking.download("unknown"), dtype=str, engine="openpyxl")
    assert [*listed.columns][2:] == ["row in your own spreadsheet", "number", "text"]
    messages = campaign.load_result("campaigns/visits").messages
    assert listed["number"].tolist() == messages.loc[messages["status"] == "unknown", "number"].tolist()
    assert set(listed["batch"]) == {"2", "3"}


def test_the_provider_list_is_shown_first_and_settles_at_a_button(looking, provider):
    looking.upload("provider_list", "provider.csv", list_of(provider))
    for batch, code in ((2, "list_has_all"), (3, "list_has_none")):
        assert looking.says(code, count=1, batches=[batch], messages=100)
    assert statuses() == ["accepted", "unknown", "unknown", "not_sent"]
    looking.press("settle-list")
    assert (looking.problem, statuses()) == ("", ["accepted", "accepted", "refused", "not_sent"])
    looking.do("press", "settle-list")  # a second click
    assert looking.problem == ""
    send_again(looking)
    assert looking.counts == {"accepted": 250}
    assert pd.Series(provider.numbers).value_counts().tolist() == [1] * 250


def test_a_phrase_from_before_somebody_settled_a_batch_is_no_phrase_any_more(looking):
    """The same messages wait, but a person has to have seen what became of the others."""
    before = looking.phrase
    looking.press("settle:2:accepted")
    looking.press("settle")
    assert looking.phrase.split()[:4] == before.split()[:4]
    assert looking.phrase != before


def test_a_list_may_still_say_otherwise_of_what_was_settled_by_hand(looking, provider):
    """Batch 2 was taken after all: whoever settled it as refused is corrected before it goes out again."""
    for batch in (2, 3):
        looking.press(f"settle:{batch}:refused")
        looking.press("settle")
    assert statuses() == ["accepted", "refused", "refused", "not_sent"]
    assert looking.item("unknown")["title"]
    assert not looking.says("form_ask_provider")
    looking.upload("provider_list", "provider.csv", list_of(provider))
    looking.press("settle-list")
    assert statuses() == ["accepted", "accepted", "refused", "not_sent"]


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("provider.csv", "A,B,C,D\n1,2,3,4\n", "list_column_missing"),
        ("photo.png", b"\x89PNG\r\n\x1a\n", "list_unreadable"),
        ("provider.csv", "", "list_unreadable"),
    ],
)
def test_a_file_that_is_no_list_settles_nothing_and_is_not_kept(looking, name, content, code):
    looking.upload("provider_list", name, content)
    assert (looking.refused, looking.shows("settle-list")) == (code, False)
    assert not Path("uploads/lists", name).exists()
    assert statuses() == ["accepted", "unknown", "unknown", "not_sent"]


def test_a_list_that_settles_something_else_by_now_is_shown_again(looking, provider):
    looking.upload("provider_list", "provider.csv", list_of(provider))
    campaign.resolve("campaigns/visits", 2, "accepted", confirm="batch 2 was accepted")
    looking.press("settle-list")
    assert looking.refused
    assert statuses() == ["accepted", "accepted", "unknown", "not_sent"]
    looking.press("settle-list")
    assert (looking.problem, statuses()) == ("", ["accepted", "accepted", "refused", "not_sent"])


def test_a_list_is_forgotten_on_leaving(looking, provider):
    looking.upload("provider_list", "provider.csv", list_of(provider))
    looking.press("done")
    looking.do("press", "settle-list")
    assert statuses() == ["accepted", "unknown", "unknown", "not_sent"]


# a result on another day


def test_a_result_is_opened_whose_spreadsheet_is_gone(clerk):
    Path("uploads/visits.csv").unlink()
    another_day = Person()
    another_day.press(f"open:{clerk.composer.form.folder}")
    assert another_day.bar == {"accepted": 3, "to correct": 1}
    assert another_day.download("report").exists()
    another_day.upload("source", "visits.csv", CORRECTED)
    another_day.go_on()
    another_day.rehearse()
    assert another_day.counts == {"accepted": 4}


def test_a_campaign_that_was_erased_is_said_to_be(clerk):
    folder = clerk.composer.form.folder
    with pytest.raises(campaign.ConfirmationError) as asked:
        campaign.erase(folder)
    campaign.erase(folder, confirm=asked.value.phrase)
    assert not Path(folder, "composed.json").exists()
    another_day = Person()
    another_day.press(f"open:{folder}")
    assert another_day.refused == "erased_before"
    another_day.press("back")
    assert another_day.page["step"] == "start"
    another_day.choose()
    another_day.write()
    another_day.go_on()
    assert not another_day.shows("send:local")
    another_day.fill("name", "visits again")
    another_day.rehearse()
    assert another_day.counts["accepted"] == 3


def test_done_begins_with_the_next_one(clerk):
    clerk.press("done")
    clerk.choose(VISITS.replace("772", "752"), "staff.csv")
    clerk.write("Dear {name}")
    clerk.go_on()
    clerk.rehearse()
    assert {*campaign.history()["name"]} == {"visits", "staff"}
