"""The page of sending: rehearsals, questions, the phrase, one message to one's own phone, accounts."""

import json
import logging
import stat
import threading
from decimal import Decimal
from pathlib import Path

import pytest
from support.form_person import CORRECTED, TEXT, VISITS, Person, until
from support.live_service import NAME, LiveService, known_as, start_live
from support.refusals import refused

import campaign
from campaign.errors import UsageError
from campaign.notebook.composer.beginning import amount_of
from campaign.notebook.composer.items import words
from campaign.sending.store.locks import hold_lock

OTHER = "Hello {name}, do come on {day}."
PUPILS = "name,phone,day\n" + "".join(f"Pupil {n},+256772000{n:03},Mon\n" for n in range(49))
REACHED = ["256772000001", "256772000002", "256772000004"]


def to_send(person, where="local"):
    """How many messages the button would send; 0 without one."""
    code = "form_send" if where == "live" else "form_rehearse"
    label = (
        person.item(f"send:{where}")["label"] if person.shows(f"send:{where}") else words(code, messages=0)
    )
    return next(count for count in range(100) if label == words(code, messages=count))


def tile(person):
    """What stands above all else: (term, words)."""
    return next(item["pairs"] for item in person.items() if item["kind"] == "pairs")


# a rehearsal


def test_a_rehearsal_says_what_it_is_and_reaches_nobody(person):
    person.compose()
    assert person.says("form_ready", people=3)
    assert (to_send(person), person.shows("send:live")) == (3, False)
    person.rehearse()
    assert (person.page["badge"], person.counts) == ("REHEARSAL", {"invalid": 1, "accepted": 3})
    assert Path(person.composer.form.folder).name == "visits.local"
    assert person.bar == {"accepted": 3, "to correct": 1}


def test_nothing_is_sent_twice_by_a_second_press(person):
    with campaign.Sandbox(latency=0.3) as service:
        person.composer.facts.accounts["local"] = service.account
        person.compose()
        person.press("send:local")
        assert (person.page["step"], person.page["badge"]) == ("sending", "REHEARSAL")
        person.do("press", "send:local")  # it was on its way
        assert person.problem == ""
        another_tab = Person(person.composer)
        assert another_tab.page["step"] == "sending"
        assert not another_tab.shows("send:local")
        another_tab.await_result()
        another_tab.do("press", "send:local")
        until(lambda: another_tab.composer.facts.run.ended)
        assert sorted(service.inbox["number"]) == REACHED


def test_a_run_is_paused_resumed_and_stopped_and_what_is_left_is_sent_later(person):
    with campaign.Sandbox(latency=0.2) as service:
        person.composer.facts.accounts["local"] = service.account
        person.compose("name,phone,day\n" + "".join(f"P{n},+2567720{n:05},Mon\n" for n in range(900)))
        person.press("send:local")
        person.press("pause")
        until(lambda: person.shows("resume"))
        assert person.says("form_paused")
        person.press("resume")
        until(lambda: person.shows("pause"))
        person.press("stop")
        person.await_result()
        left = person.counts["not_sent"]
        assert 0 < left < 900
        assert person.says("form_send_rest", rows=left)
        person.press("start")
        assert person.item(f"open:{person.composer.facts.run.folder}")["label"] == "Continue"
        another_day = Person()
        another_day.composer.facts.accounts["local"] = service.account
        another_day.press(f"open:{person.composer.facts.run.folder}")
        another_day.press("send-rest")
        until(lambda: another_day.composer.facts.run.ended and another_day.page["step"] == "result")
        assert another_day.counts == {"accepted": 900}
        assert service.inbox["number"].nunique() == len(service.inbox) == 900


def test_a_campaign_that_another_program_sends_is_said_and_sent_afterwards(person):
    person.compose()
    person.rehearse()
    folder = Path(person.composer.form.folder)
    person.continue_with(CORRECTED)
    with hold_lock(folder / "lock"):
        person.press("send:local")
        assert (person.refused, person.page["step"]) == ("campaign_open", "send")
        assert str(folder) not in person.problem
    person.rehearse()
    assert person.counts == {"accepted": 4}


def test_what_another_page_sent_in_the_meantime_is_not_sent_again(person):
    person.compose()
    another = Person()
    another.compose()
    another.rehearse()
    person.rehearse()
    assert person.counts == {"invalid": 1, "accepted": 3}
    assert len(campaign.load_result(person.composer.form.folder).rounds) == 1


def test_a_fault_of_the_program_is_said_and_in_the_log(person, monkeypatch, caplog):
    def fail(*_, **options):
        raise ValueError(VISITS.splitlines()[1])  # as some library quotes a row

    person.choose()
    person.write()
    monkeypatch.setattr("campaign.notebook.composer.facts.prepare", fail)
    with caplog.at_level(logging.ERROR, "campaign"):
        person.press("next")
    assert (person.refused, person.page["step"]) == ("form_fault", "message")
    assert person.says("form_fault", kind="ValueError")
    assert "ValueError" in caplog.text
    assert "in check_message" in caplog.text  # where it was
    assert "0772 000 001" not in caplog.text + " ".join(person.texts)
    person.composer.form = person.composer.form.changed(step="check")
    person.do("look")  # a page that cannot be drawn
    assert (person.refused, person.shows("back")) == ("form_fault", True)
    monkeypatch.undo()
    person.do("look")
    assert (person.refused, person.bar["get it"]) == ("", 3)
    person.do("press", "no such button")
    assert person.refused == "form_fault"


# price and budget


@pytest.mark.parametrize(
    ("typed", "amount"),
    [("1,750", "1750"), ("1,750,000.50", "1750000.50"), ("1 750", "1750"), ("0,04", "0.04"), ("35.5", "35.5"),
     ("0.035", "0.035"), ("2,5", "2.5")],
)  # fmt: skip
def test_an_amount_is_read_as_people_write_amounts(typed, amount):
    assert amount_of(typed, "Price") == Decimal(amount)


@pytest.mark.parametrize(
    ("typed", "code"), [("35 UGX", "not_an_amount"), ("1.750", "amount_unclear"), ("-3", "not_an_amount")]
)
def test_what_is_no_amount_is_said_at_its_field_and_stops(person, typed, code):
    with refused(code, UsageError):
        amount_of(typed, "Price")
    person.compose()
    for field in ("price", "budget"):
        person.fill(field, typed)
        assert person.item(field)["is_wrong"]
        person.press("send:local")
        assert (person.refused, person.page["step"]) == (code, "send")
        person.fill(field, "")
    person.rehearse()
    assert person.counts["accepted"] == 3


def test_the_price_is_that_of_the_rehearsal_and_the_budget_ends_it(person):
    person.compose()
    person.fill("price", "35")
    assert person.says("form_cost", cost="105", each="35")
    person.fill("budget", "80")
    person.rehearse()
    left = person.counts["not_sent"]
    cost = campaign.load_result(person.composer.form.folder).totals.cost
    assert (cost == 35 * (3 - left), cost <= 80, left > 0) == (True, True, True)
    assert person.says("form_send_rest", rows=left)
    person.press("send-rest")  # within the same budget
    until(lambda: person.page["step"] == "result")
    assert person.counts["not_sent"] == left
    person.fill("budget", "105")
    person.press("send-rest")
    until(lambda: person.counts == {"invalid": 1, "accepted": 3})


# the name


def test_the_same_file_under_another_name_is_a_campaign_of_its_own(person):
    person.compose()
    person.rehearse()
    person.continue_with(VISITS)
    assert (person.item("name")["value"], to_send(person)) == ("visits", 0)
    person.press("look:local")
    assert person.counts == {"invalid": 1, "accepted": 3}
    person.press("to-send") if person.shows("to-send") else person.continue_with(VISITS)
    person.fill("name", "spring")
    assert to_send(person) == 3
    person.rehearse()
    assert Path(person.composer.form.folder).name == "spring.local"


def test_a_name_that_cannot_be_used_is_said_beside_the_field_for_another_one(person):
    """Python has sent another file of this name from here."""
    Path("visits.csv").write_text(VISITS)
    plan = campaign.prepare("visits.csv", message=TEXT, sender="CLINIC", region="UG")
    campaign.send(plan, progress=False)
    person.compose()
    assert not person.shows("send:local")
    assert any(item.get("tone") == "bad" for item in person.items())
    person.fill("name", "second visits")
    assert to_send(person) == 3


def test_nobody_has_what_was_only_rehearsed(person):
    rehearsed(person)
    person.continue_with(VISITS)
    assert person.page["title"] == words("form_ready", people=3)
    assert ["To", words("form_to", people=3, parts=3, countries=["Uganda"])] in tile(person)
    assert not person.says("form_nothing_new")
    assert person.item("look:local")


# open questions


def rehearsed(person, content=VISITS, text=TEXT):
    """Rehearsed, and opened again with what is on the disk of a person now."""
    person.compose(content, text=text)
    person.rehearse()


def test_another_text_is_asked_about_and_each_answer_does_what_it_says(person):
    rehearsed(person)
    person.continue_with(VISITS)
    person.change_text(OTHER)
    assert (person.questions, to_send(person)) == ({"local:changed": ""}, 0)
    assert person.says("form_answer", questions=1)
    person.fill("answer:local:changed", "skip")
    assert to_send(person) == 0
    person.fill("answer:local:changed", "send")
    assert to_send(person) == 3
    person.rehearse()
    messages = campaign.load_result(person.composer.form.folder).messages["message"].tolist()
    assert messages[0] == "Hello Aisha, do come on Mon."


@pytest.mark.parametrize("change", ["text", "name", "rows", "list", "shared phones"])
def test_an_answer_holds_for_what_it_was_given_for(person, change):
    rehearsed(person)
    person.continue_with(VISITS)
    person.change_text(OTHER)
    person.fill("answer:local:changed", "send")
    if change == "text":
        person.change_text("Good day {name}")
    elif change == "name":
        person.fill("name", "autumn")
        person.fill("name", "visits")
    else:
        person.do("press", f"step:{0 if change == 'rows' else 2}")
        if change == "rows":
            person.upload("source", "visits.csv", VISITS.replace("Ben", "Benjamin"))
            person.press("continue:visits") if person.shows("continue:visits") else None
        elif change == "list":
            person.upload("opt_outs", "stop.csv", "number\n+256772000002\n")
        else:
            person.composer.form = person.composer.form.changed(duplicates="keep")
        person.go_on()
    answers = [*person.questions.values()]
    assert answers in ([], [""])
    assert person.composer.form.answers == {}


def test_an_answer_stays_while_only_the_view_changes(person):
    rehearsed(person)
    person.continue_with(VISITS)
    person.change_text(OTHER)
    person.fill("answer:local:changed", "send")
    person.fill("price", "10")
    person.fill("budget", "1000")
    person.press("back")
    person.turn(1)
    person.go_on()
    assert person.questions == {"local:changed": "send"}


@pytest.fixture
def stopped(person):
    """Somebody whose campaign for 49 pupils was stopped after 6 of them."""
    Path("uploads").mkdir()
    Path("uploads/visits.csv").write_text(PUPILS)
    plan = campaign.prepare("uploads/visits.csv", message=TEXT, sender="CLINIC", region="UG")
    assert campaign.send(plan, pilot=6, progress=False).totals["not_sent"] == 43
    person.choose(PUPILS)
    person.press("continue:visits")
    return person


def test_43_people_who_wait_are_never_dropped_without_a_question(stopped):
    stopped.write(OTHER)
    stopped.go_on()
    assert stopped.questions == {"local:waiting": "", "local:changed": ""}
    assert "43" in stopped.item("answer:local:waiting")["label"]
    assert "Hi Pupil" in stopped.item("answer:local:changed")["label"]  # what the first of them got
    assert (to_send(stopped), stopped.says("form_answer", questions=2)) == (0, True)
    stopped.do("press", "send:local")  # although there is no button
    assert (stopped.refused, stopped.page["step"]) == ("decision_needed", "send")
    stopped.fill("answer:local:changed", "skip")
    assert (to_send(stopped), stopped.says("form_answer", questions=1)) == (0, True)
    stopped.fill("answer:local:waiting", "withdraw")
    assert to_send(stopped) == 43
    stopped.rehearse()
    messages = campaign.load_result(stopped.composer.form.folder).messages
    assert messages["message"].str.startswith("Hello").sum() == 43


def test_those_who_wait_can_be_sent_first(stopped):
    stopped.write(OTHER)
    stopped.go_on()
    stopped.press("look:local")
    stopped.press("send-rest")
    until(lambda: stopped.page["step"] == "result" and stopped.counts == {"accepted": 49})
    messages = campaign.load_result(stopped.composer.form.folder).messages
    assert messages["message"].str.startswith("Hi").all()


MARKED = "name,phone,day,No SMS\nAisha,+256772000001,Mon,\nBen,+256772000002,Tue,x\nCat,+256772000003,Wed,\n"


@pytest.mark.parametrize(("answer", "reached"), [("skip", 2), ("send", 3)])
def test_whoever_wanted_none_before_is_asked_about(person, answer, reached):
    rehearsed(person, MARKED)
    assert person.counts == {"opted_out": 1, "accepted": 2}
    person.choose(MARKED.replace("Tue,x", "Tue,"))
    person.press("continue:visits")
    person.go_on()
    assert (person.questions, to_send(person)) == ({"local:opted_out": ""}, 0)
    person.fill("answer:local:opted_out", answer)
    assert to_send(person) == reached - 2
    if answer == "send":
        person.rehearse()
        assert person.counts == {"accepted": 3}


def test_two_questions_wait_for_both_answers(person):
    rehearsed(person, MARKED)
    person.choose(MARKED.replace("Tue,x", "Tue,"))
    person.press("continue:visits")
    person.press("back")
    person.fill("text", OTHER)
    person.go_on()
    assert person.questions == {"local:changed": "", "local:opted_out": ""}
    person.fill("answer:local:changed", "send")
    assert to_send(person) == 0
    person.fill("answer:local:opted_out", "skip")
    assert to_send(person) == 2
    person.rehearse()
    assert person.counts == {"opted_out": 1, "accepted": 2}


# live


@pytest.fixture
def officer(live):
    """Somebody at the page of sending, with a live account, and a rehearsal behind them."""
    person = Person()
    person.compose()
    return person


def test_live_needs_its_phrase_and_nothing_leaves_before(officer, live):
    assert (to_send(officer, "live"), officer.item("panel:live")["look"]) == (3, "danger")
    phrase = officer.phrase
    assert phrase.startswith("send 3 messages live ")
    for typed in ("", "send 3 messages live", "send 4 messages live 0000"):
        officer.fill("typed:phrase", typed)
        officer.press("send:live")
        assert (officer.page["step"], officer.problem) == ("send", "")
        assert officer.item("typed:phrase")["is_wrong"]
        assert officer.item("typed:phrase").get("value", "") == typed  # to be corrected
    assert live.numbers == []
    assert officer.phrase == phrase
    officer.send_live()
    assert (officer.page["badge"], sorted(live.numbers)) == ("LIVE", REACHED)
    officer.do("press", "send:live")
    assert sorted(live.numbers) == REACHED


def test_live_says_who_is_left_and_who_has_it_already(officer, live):
    officer.rehearse()
    officer.press("to-send")
    assert officer.page["title"] == words("form_ready", people=3)  # nobody has what was only rehearsed
    assert not officer.says("form_nothing_new")
    officer.send_live()
    officer.continue_with(CORRECTED)
    assert officer.page["title"] == words("form_ready", people=1)
    assert ["To", words("form_to", people=1, parts=1, countries=[])] in tile(officer)
    assert ["Have it already", words("form_people", people=3)] in tile(officer)
    assert ["Cost", words("form_cost", cost="UGX 35", each="UGX 35")] in tile(officer)
    officer.send_live()
    officer.continue_with(CORRECTED)
    assert officer.page["title"] == words("form_nothing_new")


def test_what_another_page_sent_live_in_the_meantime_is_not_sent_again(officer, live):
    another = Person()
    another.compose()
    another.send_live()
    officer.send_live()
    assert sorted(live.numbers) == REACHED
    assert officer.counts == {"invalid": 1, "accepted": 3}


def test_a_used_phrase_is_worth_nothing(officer, live):
    phrase = officer.phrase
    officer.send_live()
    officer.continue_with(CORRECTED)
    assert to_send(officer, "live") == 1
    officer.fill("typed:phrase", phrase)
    officer.press("send:live")
    assert officer.item("typed:phrase")["is_wrong"]
    assert len(live.numbers) == 3
    officer.send_live()
    assert sorted(live.numbers) == sorted([*REACHED, "256772000003"])


def test_what_was_typed_is_forgotten_on_leaving_the_page(officer):
    officer.fill("typed:phrase", "send 3")
    officer.press("back")
    officer.press("next")
    assert officer.item("typed:phrase").get("value", "") == ""


def test_a_rehearsal_is_a_rehearsal_although_there_is_a_live_account(officer, live):
    officer.rehearse()
    assert (officer.page["badge"], live.numbers) == ("REHEARSAL", [])
    officer.press("to-send")
    assert to_send(officer, "live") == 3
    officer.send_live()
    assert sorted(live.numbers) == REACHED


def test_the_cost_is_in_the_currency_of_the_account_and_known_from_what_was_charged(officer):
    officer.fill("price", "35")
    assert officer.says("form_cost", cost="UGX 105", each="UGX 35")
    officer.fill("price", "")
    officer.send_live()
    officer.continue_with(CORRECTED)
    assert officer.composer.form.price == ""
    assert officer.says("form_cost", cost="UGX 35", each="UGX 35")


def test_one_message_to_the_own_phone_has_a_phrase_of_its_own(officer, live):
    officer.fill("own_number", "+256 772 00")
    officer.press("trial")
    assert any(item.get("tone") == "bad" for item in officer.items())
    officer.fill("own_number", "0772 000 999")
    officer.press("trial")
    label = officer.item("typed:trial")["label"]
    phrase = label.removeprefix(words("form_phrase", phrase="")).strip()
    assert phrase.startswith("send 1 message live ")
    officer.fill("typed:trial", "yes")
    officer.press("trial")
    assert officer.says("wrong_phrase")
    assert live.numbers == []
    officer.fill("typed:trial", phrase)
    officer.press("trial")
    assert live.numbers == ["256772000999"]
    assert officer.says("tried_out", status="accepted")
    officer.do("press", "trial")  # a second click asks for a phrase again
    assert live.numbers == ["256772000999"]
    officer.change_text(OTHER)
    assert not officer.says("tried_out", status="accepted")
    officer.send_live()
    assert sorted(live.numbers) == sorted([*REACHED, "256772000999"])


@pytest.fixture
def asked(officer, live):
    """Somebody who has sent the visits, and sends them from another file to four people."""
    officer.send_live()
    officer.compose(CORRECTED, "customers.csv")
    return officer


def test_whoever_has_the_text_from_another_campaign_is_asked_about(asked, live):
    assert asked.questions == {"live:elsewhere": ""}
    assert (to_send(asked), to_send(asked, "live")) == (4, 0)
    asked.fill("answer:live:elsewhere", "send")
    assert to_send(asked, "live") == 4
    asked.send_live()
    assert len(live.numbers) == 7


def test_they_can_be_left_out_and_are_no_opt_outs(asked, live):
    asked.fill("answer:live:elsewhere", "leave_out")
    assert (asked.questions, to_send(asked, "live")) == ({}, 1)
    asked.send_live()
    assert live.numbers.count("256772000003") == 1
    assert len(live.numbers) == 4
    assert asked.counts == {"duplicate": 3, "accepted": 1}
    kept = Path(asked.composer.form.folder, "composed.json").read_text()
    assert "772000" not in kept


def test_whoever_was_left_out_gets_another_text(asked):
    asked.fill("answer:live:elsewhere", "leave_out")
    asked.change_text(OTHER)
    assert (asked.questions, to_send(asked, "live")) == ({}, 4)


def test_the_sandbox_of_the_provider_is_a_rehearsal_without_a_phrase(desk, resolves_here, monkeypatch):
    with start_live(resolves_here, monkeypatch, price=35) as sandbox:
        known_as("SANDBOX", sandbox, monkeypatch)
        person = Person()
        person.compose()
        assert person.item("panel:sandbox").get("look", "column") == "column"
        assert not person.shows("typed:phrase")
        person.press("send:sandbox")
        person.await_result()
        assert (person.page["badge"], len(sandbox.inbox)) == ("REHEARSAL, provider's sandbox", 3)
        assert person.counts == {"invalid": 1, "accepted": 3}


def test_live_asks_what_a_rehearsal_asks(officer, live):
    officer.send_live()
    officer.continue_with(VISITS)
    officer.change_text(OTHER)
    assert officer.questions == {"live:changed": ""}
    assert (to_send(officer), officer.shows("typed:phrase")) == (3, False)
    officer.fill("answer:live:changed", "send")
    assert to_send(officer, "live") == 3
    officer.send_live()
    assert sorted(live.numbers) == sorted([*REACHED, *REACHED])


# accounts


def test_without_an_account_live_is_not_offered_and_a_notebook_says_what_it_needs(person):
    person.compose()
    assert not person.shows("panel:live")
    assert not person.shows("typed:password")
    assert person.says("form_no_account")


@pytest.mark.parametrize(
    "settings", [{"URL": "http://sms.example.org"}, {"URL": "https://sms.example.org", "CA_FILE": "no.pem"}]
)
def test_an_account_that_cannot_be_used_is_said_and_rehearsals_work(desk, monkeypatch, settings):
    for name, value in {"USERNAME": "clinic", "PASSWORD": "only-for-tests", **settings}.items():
        monkeypatch.setenv(f"CAMPAIGN_LIVE_{name}", value)
    person = Person()
    person.compose()
    assert any(item.get("tone") == "bad" for item in person.items())
    assert not person.shows("panel:live")
    person.rehearse()


@pytest.fixture
def typist(desk, resolves_here, monkeypatch):
    """Somebody at the form in a browser of its own, without an account, and a live service."""
    with start_live(resolves_here, monkeypatch, price=35) as sandbox:
        monkeypatch.setenv("SSL_CERT_FILE", str(sandbox.ca_file))
        person = Person(may_add_account=True)
        person.compose()
        person.live = LiveService(sandbox)
        yield person


def add_account(person, password="only-for-tests", **account):
    port = person.live.sandbox.account.url.rsplit(":", 1)[1].strip("/")
    for name, value in {
        "url": f"https://{NAME}:{port}",
        "user": "clinic",
        "password": password,
        **account,
    }.items():
        person.fill(f"typed:{name}", value)
    person.press("account")


def test_an_account_that_is_typed_sends_and_its_password_is_nowhere(typist, caplog):
    pages, see = [], typist.composer.show
    typist.composer.show = lambda message, content: (pages.append(json.dumps(message)), see(message, content))
    with caplog.at_level(logging.DEBUG):
        add_account(typist)
        assert not typist.shows("account-form")
        assert to_send(typist, "live") == 3
        typist.rehearse()
        typist.download("report")
    told = [*pages, caplog.text, repr(typist.composer.facts.accounts), repr(vars(typist.composer.facts))]
    assert len(pages) > 5
    assert not [one for one in told if "only-for-tests" in one]
    for path in [one for one in Path().rglob("*") if one.is_file()]:
        assert b"only-for-tests" not in path.read_bytes(), path


@pytest.mark.parametrize(
    "account",
    [{"url": "http://sms.example.org"}, {"url": ""}, {"user": ""}, {"password": ""}, {"url": "nonsense"}],
)
def test_a_wrong_account_is_said_where_it_is_typed_and_the_rest_stays(typist, account):
    add_account(typist, **account)
    assert (typist.shows("account-form"), typist.shows("panel:live")) == (True, False)
    assert typist.item("account-form")["is_open"]
    assert any(item.get("tone") == "bad" for item in typist.item("account-form")["items"])
    if "user" not in account:
        assert typist.item("typed:user")["value"] == "clinic"
    assert "value" not in typist.item("typed:password")
    assert "password" not in typist.composer.facts.typed
    add_account(typist)
    assert to_send(typist, "live") == 3


def test_what_is_typed_of_an_account_is_forgotten_on_leaving(typist):
    typist.fill("typed:user", "clinic")
    typist.fill("typed:password", "only-for-tests")
    typist.press("back")
    assert typist.composer.facts.typed == {}
    typist.press("next")
    assert typist.item("typed:user").get("value", "") == ""


# what is kept of a form


def test_the_form_is_kept_with_its_campaign_for_its_owner_only(person):
    person.check()
    person.fill("opt_out_numbers", "0772 000 001")
    person.fill("overlong", "split")
    person.press("next")
    person.fill("name", "spring")
    person.rehearse()
    kept = Path(person.composer.form.folder, "composed.json")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    another_day = Person()
    another_day.choose()
    another_day.press("continue:spring")
    form = another_day.composer.form
    assert (form.message, form.sender, form.overlong, form.name) == (TEXT, "CLINIC", "split", "spring")
    another_day.go_on()
    assert (another_day.questions, to_send(another_day)) == ({}, 0)  # the campaign knows the number


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"composition": {"source": "x"}, "reached": 1}', '{"step": 1}']
)
def test_what_another_version_kept_is_left_alone(person, content):
    rehearsed(person)
    Path(person.composer.form.folder, "composed.json").write_text(content)
    another_day = Person()
    another_day.choose()
    another_day.press("continue:visits")
    assert (another_day.refused, another_day.composer.form.name) == ("", "visits")


def test_many_threads_may_tell_the_form_something_at_once(person):
    """A notebook hands messages to any of its threads; what was said last stands."""
    person.choose()
    person.press("next")
    threads = [
        threading.Thread(target=person.do, args=["change", "sender"], kwargs={"value": f"S{n}"})
        for n in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert person.item("sender")["value"] == person.composer.form.sender
