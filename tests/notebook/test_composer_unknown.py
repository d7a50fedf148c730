"""Texts whose fate is unknown are settled on the page: by clicks and a typed phrase, or by a chosen list."""

from datetime import timedelta
from pathlib import Path

import pandas as pd
import pytest
from support.composer_person import TEXT, Person, until
from support.killed_composer import die_while_sending
from support.live_service import LiveService, start_live
from support.widget_tree import find

import campaign
from campaign.notebook.composer.entry import compose_again
from campaign.notebook.composer.reopening import about_once_more
from campaign.sending.afterwards import settling

PEOPLE = "name,phone,day\n" + "".join(f"P{n},+256772000{n:03},Mon\n" for n in range(250))
FOLDER = "campaigns/visits.local"
NO_MORE = "of 5 people it is not known whether they were sent one, and they get nothing more"


@pytest.fixture
def killed(table, tmp_path):
    """250 people: 6 were reached, 5 texts had left when the program was killed, and 239 wait."""
    table.write_text(PEOPLE)
    die_while_sending(tmp_path, bodies=3)
    assert statuses()[:4] == ["accepted", "accepted", "unknown", "not_sent"]


@pytest.fixture
def provider(table, monkeypatch):
    """250 texts in four requests were sent from a program. The answers to two were lost: the provider took
    batch 2, and not batch 3. The last one waits."""
    table.write_text(PEOPLE)
    with campaign.Sandbox(faults={2: "accept_reset", 3: "reset"}, price=2) as service:
        monkeypatch.setattr(
            "campaign.notebook.composer.desk.offered_accounts", lambda: {"local": service.account}
        )
        send_from_program(service, batch_size=100, max_unknown=2)
        assert statuses() == ["accepted", "unknown", "unknown", "not_sent"]
        yield service


def send_from_program(service, **options):
    plan = campaign.prepare("visits.csv", message=TEXT, sender="CLINIC", region="UG")
    campaign.send(plan, account=service, name="visits", progress=False, concurrency=1, **options)


@pytest.fixture
def looking(provider):
    """Somebody who looks at the result of that."""
    person = Person(campaign.compose())
    person.press("look-back")
    return person


@pytest.fixture
def sent_on_page(table, monkeypatch):
    """Somebody whose 101 texts went out on this page, all but one without an answer."""
    table.write_text("\n".join(PEOPLE.splitlines()[:102]))
    with campaign.Sandbox(faults={2: "reset"}) as service:
        monkeypatch.setattr(
            "campaign.notebook.composer.desk.offered_accounts", lambda: {"local": service.account}
        )
        person = Person(campaign.compose())
        person.compose()
        person.press("send")
        until(lambda: person.composer.desk.run.counts.unknown)
        person.composer.desk.run.stop()
        until(lambda: person.section(5).is_open)
        yield person


@pytest.fixture
def hours_later(monkeypatch):
    """A list is read three hours later: it would have had by then what left."""
    monkeypatch.setattr(settling, "moment_now", lambda: pd.Timestamp.now("UTC") + pd.Timedelta(hours=3))


def go_on():
    """The next day: a new program, and the button that goes on with the campaign."""
    person = Person(campaign.compose())
    person.press("take-up")
    person.fill("pace", False)
    return person


def answer(person, outcome, phrase):
    person.press(f"settle-{outcome}")
    assert phrase in person.sees("unknown-texts")
    person.fill("settle-phrase", phrase)
    person.press("settle-confirm")


def statuses():
    return campaign.load_result(FOLDER).batches["status"].tolist()[:4]


def sends_the_rest(person):
    person.press("send")
    until(lambda: person.composer.desk.run.ended)
    until(lambda: "All 250 rows were accepted" in person.sees("section-5"))


def list_of(provider, header="Number,Text,Submitted at,Cost"):
    """What the provider took, with entries of another campaign a day before and two hours after it."""
    left = campaign.load_result(FOLDER).batches["submitted_at"]
    took = [
        f'{one.number},"{one.text}",{one.time:%Y-%m-%d %H:%M:%SZ},2' for one in provider.inbox.itertuples()
    ]
    others = [
        f"+256772000{n},Another campaign,{at:%Y-%m-%d %H:%M:%SZ},2"
        for n, at in ((900, left.min() - timedelta(days=1)), (901, left.max() + timedelta(hours=2)))
    ]
    return "\n".join([header, *took, *others]).encode()


# after the program was killed


def test_what_is_unknown_is_not_called_sent_and_the_page_asks_about_it(killed):
    start = Person(campaign.compose())
    assert (
        "has 239 texts not sent yet, and 5 texts of which it is not known whether they were sent (last on"
    ) in start.sees("open-campaigns")
    start.press("take-up")
    assert "Of 5 texts it is not known whether they were sent: section 5 asks about them." in start.sees(
        "greeting"
    )
    assert start.folded()[2] == (
        "3 · 239 people get a text; 6 people were sent a text in rehearsal and get nothing more; "
        f"{NO_MORE}; no row is left out"
    )
    result = start.sees("section-5")
    assert (
        "press “It was accepted” or “It did not get there” for each batch, or “Choose the provider's"
        in result
    )
    assert "They are never sent again automatically." in result
    assert "resolve" not in result
    assert "reconcile" not in result
    asked = start.sees("unknown-texts")
    assert asked.startswith(
        "Find out what became of 5 texts No answer came for 5 texts. This was a rehearsal"
    )
    assert "3 5 " in asked
    assert "8 to 12 25677*****06, 25677*****07, 25677*****08, …" in asked
    start.reopen(3)
    rows = "239 get a text, 6 were sent a text in rehearsal, 5 may have been sent a text in rehearsal."
    assert f"Of 250 rows: {rows}" in start.sees("section-3")


def test_a_batch_that_was_accepted_is_settled_with_a_phrase_and_everything_says_so(killed):
    person = go_on()
    person.press("settle-accepted")
    assert statuses() == ["accepted", "accepted", "unknown", "not_sent"]
    person.fill("settle-phrase", "batch 3 was fine")
    person.press("settle-confirm")
    assert "That is not the phrase, so nothing was settled." in person.sees("unknown-texts")
    person.fill("settle-cost", "350")
    person.fill("settle-phrase", "batch 3 was accepted")
    person.press("settle-confirm")
    batches = campaign.load_result(FOLDER).batches
    assert batches["status"].tolist()[:4] == ["accepted", "accepted", "accepted", "not_sent"]
    assert batches["cost"][2] == 350
    assert person.sees("unknown-texts").startswith("Batch 3 was settled as accepted.")
    assert "Find out" not in person.sees("unknown-texts")
    assert "11 of 250 rows were accepted" in person.sees("section-5")
    assert "unknown" not in person.sees("section-5")
    assert person.folded()[2] == (
        "3 · 239 people get a text; 11 people were sent a text in rehearsal and get nothing more; "
        "no row is left out"
    )
    sends_the_rest(person)
    assert "settled as accepted" not in person.sees("unknown-texts")  # it was about what was shown before


def test_what_nobody_can_tell_goes_out_again_and_section_4_says_who_may_get_it_twice(killed):
    person = go_on()
    answer(person, "again", "send batch 3 again, 5 messages may arrive twice")
    sentence = "244 texts would be rehearsed: 239 still waiting, 5 to be sent again."
    assert sentence in person.sees("section-4")
    assert find(person.composer, "send").description == "Rehearse 244 texts"
    press = (
        "in section 4: one press sends what you ordered to be sent again and the texts that were not sent."
    )
    assert f"Press “Rehearse 244 texts” {press}" in person.sees("section-5")
    assert "Find out" not in person.sees("unknown-texts")
    next_day = go_on()
    assert sentence in next_day.sees("section-4")
    assert "Find out" not in next_day.sees("unknown-texts")
    sends_the_rest(next_day)


def test_what_did_not_get_there_waits_for_the_button(killed):
    person = go_on()
    person.press("settle-refused")
    asked = person.sees("unknown-texts")
    assert "whoever got one after all gets it twice" in asked
    assert "campaign." not in asked
    assert "To list them all" not in asked
    person.fill("settle-phrase", "batch 3 was refused")
    person.press_enter("settle-phrase")
    assert statuses() == ["accepted", "accepted", "refused", "not_sent"]
    assert "239 still waiting, 5 refused before" in person.sees("section-4")
    sends_the_rest(person)


def test_a_second_page_that_settled_it_first_is_believed(killed):
    first, second = go_on(), go_on()
    answer(first, "accepted", "batch 3 was accepted")
    second.press("settle-refused")
    assert "Batch 3 is not unknown: it was accepted" in second.sees("unknown-texts")
    second.press("settle-accepted")
    assert "11 of 250 rows were accepted" in second.sees("section-5")


def test_a_cost_that_is_no_number_settles_nothing(killed):
    person = go_on()
    person.press("settle-accepted")
    person.fill("settle-cost", "much")
    person.fill("settle-phrase", "batch 3 was accepted")
    person.press("settle-confirm")
    assert "Write the cost as a number, such as 350" in person.sees("unknown-texts")
    assert statuses()[2] == "unknown"


# after a run on the same page


def test_a_run_of_this_page_makes_room_for_what_is_true_now(sent_on_page):
    assert "Finished, with 100 unknown" in sent_on_page.sees("section-4")
    answer(sent_on_page, "again", "send batch 2 again, 100 messages may arrive twice")
    assert "Finished" not in sent_on_page.sees("section-4")
    sentence = "100 texts would be rehearsed: 100 to be sent again."
    assert sentence in sent_on_page.sees("section-4")
    assert sent_on_page.folded()[2].startswith("3 · 100 people get a text; 1 person was sent a text")
    sent_on_page.press("send")
    until(lambda: "All 101 rows were accepted" in sent_on_page.sees("section-5"))


def test_while_something_above_is_being_changed_only_the_result_is_renewed(sent_on_page):
    sent_on_page.reopen(2)
    answer(sent_on_page, "accepted", "batch 2 was accepted")
    assert sent_on_page.section(2).is_open
    assert not sent_on_page.section(4).is_open
    assert "All 101 rows were accepted" in sent_on_page.sees("section-5")
    assert "All 101 rows were accepted" in sent_on_page.composer.card()


def test_a_page_that_is_loaded_again_comes_back_to_what_was_settled(killed, tmp_path):
    memory = str(tmp_path / "desk.json")
    before = Person(compose_again(memory))
    before.press("take-up")
    answer(before, "accepted", "batch 3 was accepted")
    again = Person(compose_again(memory))
    assert "239 texts of “visits” are not sent yet." in again.sees("greeting")
    assert "not known" not in again.sees("greeting")
    assert "11 of 250 rows were accepted" in again.sees("section-5")


# the result of what a program sent


def test_two_batches_are_settled_by_one_phrase(looking):
    assert "Find out what became of 200 texts" in looking.sees("unknown-texts")
    find(looking.composer, "unknown-batch").value = (2, 3)
    assert find(looking.composer, "settle-accepted").description == "They were accepted"
    looking.press("settle-accepted")
    assert not looking.is_shown("settle-cost")  # each batch has its own
    answer(looking, "accepted", "batches 2 and 3 were accepted")
    assert statuses() == ["accepted", "accepted", "accepted", "not_sent"]
    assert "Batches 2 and 3 were settled as accepted." in looking.sees("unknown-texts")
    assert "201 of 250 rows were accepted" in looking.sees("section-5")
    assert looking.section(1).is_open


def test_another_batch_is_another_question(looking):
    looking.press("settle-again")
    find(looking.composer, "unknown-batch").value = (3,)
    assert not looking.is_shown("settle-phrase")
    answer(looking, "refused", "batch 3 was refused")
    assert statuses() == ["accepted", "unknown", "refused", "not_sent"]
    assert "Find out what became of 100 texts" in looking.sees("unknown-texts")
    assert not looking.is_shown("unknown-batch")


def test_the_provider_list_is_shown_first_and_settles_at_a_button(looking, provider, hours_later):
    looking.upload("provider-list-upload", "provider.csv", list_of(provider))
    says = looking.sees("provider-list-says")
    assert "Batch 2 (100 texts), unknown: the list has all texts." in says
    assert "Batch 3 (100 texts), unknown: the list covers that time and has no text." in says
    assert "makes them refused, and they go out when you press the button" in says
    assert "confirm" not in says
    assert statuses() == ["accepted", "unknown", "unknown", "not_sent"]
    looking.press("provider-list-settle")
    assert statuses() == ["accepted", "accepted", "refused", "not_sent"]
    assert looking.sees("unknown-texts").startswith("Settled by the provider's list: batches 1 accepted, 1")
    looking.compose()
    assert "49 still waiting, 100 refused before" in looking.sees("section-4")
    sends_the_rest(looking)
    assert provider.inbox["number"].value_counts().tolist() == [1] * 250


def test_columns_that_no_header_names_are_chosen(looking, provider, hours_later):
    looking.upload("provider-list-upload", "provider.csv", list_of(provider, "A,B,C,D"))
    assert "needs a column of phone numbers" in looking.sees("provider-list")
    assert "Choose it in the field “Column with the numbers”." in looking.sees("provider-list")
    assert not looking.is_shown("provider-list-columns")  # they are asked for already
    assert not looking.is_shown("provider-list-settle")
    for name, column in (("number", "A"), ("text", "B"), ("time", "C")):
        find(looking.composer, f"provider-list-{name}").value = column
    looking.press("provider-list-settle")
    assert statuses() == ["accepted", "accepted", "refused", "not_sent"]


def test_a_list_that_settles_something_else_by_now_is_shown_again(looking, provider, hours_later):
    looking.upload("provider-list-upload", "provider.csv", list_of(provider))
    campaign.resolve(FOLDER, 2, "accepted", confirm="batch 2 was accepted")
    looking.press("provider-list-settle")
    assert "has changed since it was shown, so nothing was settled" in looking.sees("provider-list")
    assert statuses() == ["accepted", "accepted", "unknown", "not_sent"]
    looking.press("provider-list-settle")
    assert statuses() == ["accepted", "accepted", "refused", "not_sent"]


def test_a_file_that_is_no_list_is_said_to_be_none_and_not_kept(looking, tmp_path):
    looking.upload("provider-list-upload", "photo.png", b"\x89PNG\r\n\x1a\n")
    assert "photo.png" in looking.sees("provider-list")
    assert not (tmp_path / "uploads" / "provider-lists" / "photo.png").exists()
    assert statuses() == ["accepted", "unknown", "unknown", "not_sent"]


def test_only_the_first_of_many_batches_are_listed(table, monkeypatch):
    table.write_text(PEOPLE)
    with campaign.Sandbox(faults=dict.fromkeys(range(2, 27), "reset")) as service:
        send_from_program(service, batch_size=10, max_unknown=99)
    person = Person(campaign.compose())
    assert "has 249 texts of which it is not known whether they were sent" in person.sees("open-campaigns")
    person.press("look-back")
    assert "and 5 other batches, which the list below has." in person.sees("unknown-texts")
    assert len(person.offered("unknown-batch")) == 25  # and no phrase that names them all


def test_one_text_is_spoken_of_as_one(table, monkeypatch):
    table.write_text("\n".join(PEOPLE.splitlines()[:3]))
    with campaign.Sandbox(faults={2: "reset"}) as service:
        send_from_program(service, max_unknown=99)
    person = Person(campaign.compose())
    assert "has 1 text of which it is not known whether it was sent (" in person.sees("open-campaigns")
    person.press("look-back")
    assert "Find out what became of 1 text No answer came for 1 text." in person.sees("unknown-texts")
    person.compose()
    assert (
        "3 · 1 person was sent a text in rehearsal and gets nothing more; of 1 person it is not known "
        "whether they were sent one, and they get nothing more; no row is left out"
    ) in person.folded()


def test_whom_to_ask_about_a_live_campaign(table, resolves_here, monkeypatch, tmp_path):
    monkeypatch.setenv("CAMPAIGN_STATE_DIR", str(tmp_path / "state"))
    table.write_text(PEOPLE)
    with start_live(resolves_here, monkeypatch, faults={2: "accept_reset"}) as sandbox:
        account = LiveService(sandbox).account
        with pytest.raises(campaign.ConfirmationError) as asked:
            send_from_program(account, max_unknown=9)
        send_from_program(account, max_unknown=9, confirm=asked.value.phrase)
    person = Person(campaign.compose())
    person.press("look-back")
    asks = person.sees("unknown-texts")
    assert (
        "so they may have been sent. Ask the provider about them, batch by batch: the rows below are those "
        "of your spreadsheet, and “The texts to ask about, with full numbers” has every number in full."
        in asks
    )
    assert "256772" not in asks.replace("25677*", "")
    content = person.composer.outcome.unknown_texts.download.content()
    Path("ask.xlsx").write_bytes(content)
    listed = pd.read_excel("ask.xlsx", dtype=str, engine="openpyxl")
    assert [*listed.columns][2:] == ["row in your own spreadsheet", "number", "text"]
    assert listed.columns[1].startswith("left (")
    messages = campaign.load_result("campaigns/visits").messages
    assert listed["number"].tolist() == messages.loc[messages["status"] == "unknown", "number"].tolist()
    assert set(listed["batch"]) == {"2"}
    assert find(person.composer, "look-back").description == "Show the result of “visits”"
    person.press("settle-accepted")
    assert "“message”" not in person.sees("question")  # the phrase has no such word
    person.press("settle-refused")
    assert "“refused” means what “It did not get there” says" in person.sees("question")
    answer(person, "accepted", "batch 2 was accepted")
    assert campaign.load_result("campaigns/visits").totals["unknown"] == 0


# answers that the provider's list speaks against


@pytest.fixture
def settled(looking):
    """Batch 2, which the provider took, was settled as not there; nobody can tell of batch 3."""
    find(looking.composer, "unknown-batch").value = (2,)
    answer(looking, "refused", "batch 2 was refused")
    answer(looking, "again", "send batch 3 again, 100 messages may arrive twice")
    return looking


def test_that_an_answer_is_final_is_said_before_the_phrase_is_typed(looking):
    assert "You cannot take back any of these answers" in looking.sees("unknown-texts")
    for outcome in ("accepted", "refused", "again"):
        looking.press(f"settle-{outcome}")
        assert "This answer cannot be taken back." in looking.sees("question")


def test_the_list_can_be_chosen_after_everything_was_answered(settled):
    asks = settled.sees("unknown-texts")
    assert (
        "What you have answered Batch 2 was settled as not there and batch 3 was ordered to be sent again. "
        "These texts wait for the button in section 4. Only the provider's own list can change such an answer"
        in asks
    )
    assert "Ask the provider for its list" in asks
    assert settled.is_shown("provider-list-upload")
    assert "settle-accepted" not in asks


def test_an_answer_that_was_wrong_is_settled_anew_by_the_list_and_nobody_gets_it_twice(
    settled, provider, hours_later
):
    settled.upload("provider-list-upload", "provider.csv", list_of(provider))
    says = settled.sees("provider-list-says")
    assert "“provider.csv”: Batch 2 (100 texts), settled as not there: the list has all texts." in says
    assert "Your answer about these people is changed once you press “Settle what is certain”: then" in says
    assert "Who has it already batch row number 2 3 25677*****01" in says
    settled.press("provider-list-settle")
    assert "Settled by the provider's list: batches 1 accepted." in settled.sees("unknown-texts")
    assert "Batch 2 was settled as not there" not in settled.sees("unknown-texts")
    settled.compose()
    assert find(settled.composer, "send").description == "Rehearse 149 texts"
    settled.press("send")
    until(lambda: settled.composer.desk.run.ended)
    assert provider.inbox["number"].value_counts().tolist() == [1] * 250
    result = campaign.load_result(FOLDER)
    assert result.totals["accepted"] == 250
    assert "refused" not in settled.sees("section-5")


def all_but_the_first(listed):
    """A list that lacks one text of a batch settles nothing about it."""
    return b"\n".join(line for line in listed.splitlines() if b"256772000001" not in line)


def test_whoever_has_the_text_by_the_list_is_left_out_and_nobody_gets_it_twice(
    settled, provider, hours_later
):
    settled.upload("provider-list-upload", "provider.csv", all_but_the_first(list_of(provider)))
    says = settled.sees("provider-list-says")
    assert "Batch 2 (100 texts), settled as not there: the list has 99 of the texts." in says
    assert "Press “Leave these 99 people out” there." in says
    assert "Who has it already batch row number 2 4 25677*****02" in says
    settled.compose()
    sees = settled.sees("section-4")
    assert (
        "99 people who would get a text now have this very text already, as the provider's list says. Leave "
        "them out, or send it to them again." in sees
    )
    assert settled.section(4).questions == {"elsewhere"}
    assert find(settled.composer, "send").disabled
    settled.press("leave-them-out")
    assert find(settled.composer, "send").description == "Rehearse 150 texts"
    settled.press("send")
    until(lambda: settled.composer.desk.run.ended)
    until(lambda: settled.composer.outcome.is_open)
    assert "Batch 2" not in settled.sees("unknown-texts")  # a part of it was sent again
    counts = provider.inbox["number"].value_counts()
    assert counts[counts > 1].index.tolist() == ["256772000001"]  # the list does not have it


def test_under_another_name_they_are_asked_about_as_well(settled, provider, hours_later):
    settled.upload("provider-list-upload", "provider.csv", list_of(provider))
    settled.compose()
    settled.press("leave-them-out")
    settled.fill("name", "another reminder")
    sees = settled.sees("section-4")
    assert "100 people who would get a text now have this very text already, as the provider's list" in sees
    assert find(settled.composer, "send").disabled


def test_the_next_day_and_with_a_file_that_is_chosen_again_they_are_asked_about_again(
    settled, provider, hours_later
):
    settled.upload("provider-list-upload", "provider.csv", list_of(provider))
    settled.compose()
    settled.press("leave-them-out")
    next_day = Person(campaign.compose())
    next_day.compose()
    assert find(next_day.composer, "send").disabled
    assert "100 people who would get a text now have this very text" in next_day.sees("section-4")
    next_day.press("leave-them-out")
    next_day.reopen(1)
    next_day.press("use")
    for number, step in ((2, "check"), (3, "go-on")):
        if next_day.section(number).is_open:
            next_day.press(step)
    assert "100 people" in next_day.sees("sent-elsewhere")
    assert find(next_day.composer, "send").description in ("Rehearse 149 texts",)


def test_what_goes_out_once_more_is_counted_and_no_promise_is_made_about_it(killed, tmp_path):
    memory = str(tmp_path / "desk.json")
    before = Person(compose_again(memory))
    before.press("take-up")
    answer(before, "again", "send batch 3 again, 5 messages may arrive twice")
    before.fill("price", "1")
    before.fill("budget", "100")
    assert "Sending stops before" in before.sees("section-4")
    assert "nobody gets a text twice" not in before.sees("section-4")
    before.fill("price", "")
    before.fill("budget", "")
    again = Person(compose_again(memory))
    assert again.sees("greeting") == (
        "This page was loaded again, and what you had chosen is back. 239 texts of “visits” are not sent "
        "yet. Besides, 5 texts that were ordered to be sent again go out once more. Press “Rehearse 244 "
        "texts” in section 4. Whoever has got one of these 5 texts after all "
        "gets it twice; nobody else gets a text twice. Section 5 says what was sent."
    )


# what is left to do afterwards


def test_one_press_is_said_once_for_all_that_it_sends(killed):
    person = go_on()
    answer(person, "refused", "batch 3 was refused")
    shown = person.sees("section-5")
    assert shown.count("Press “Rehearse 244 texts” in section 4") == 1
    assert (
        "Press “Rehearse 244 texts” in section 4: one press sends what was settled as not there and the "
        "texts that were not sent. What is refused was settled so by a person: the service does not have it."
        in shown
    )


def test_in_rows_that_were_settled_as_not_there_nothing_is_to_be_corrected(settled, monkeypatch):
    assert settled.section(5).downloads["to_correct.xlsx"].layout.display == "none"
    assert "To reach the rows to correct" not in settled.sees("section-5")
    campaign.write_follow_up(campaign.load_result(FOLDER), "rows.csv")
    reasons = set(pd.read_csv("rows.csv")["last reason"])
    assert reasons == {"Nothing is to be corrected: this text did not get there, as a person said."}


def test_costs_are_added_later_one_batch_after_the_other(looking):
    find(looking.composer, "unknown-batch").value = (2, 3)
    answer(looking, "accepted", "batches 2 and 3 were accepted")
    shown = looking.sees("section-5")
    cost = (
        "The cost of batch 2 and 1 other batch is not known. Once the provider has told you, add them below"
    )
    assert f"{cost} with “Add this cost”." in shown
    assert looking.offered("cost-batch") == ["batch 2 (100 texts)", "batch 3 (100 texts)"]
    looking.press("add-cost")
    assert "Write the cost as a number" in looking.sees("batch-costs")
    looking.fill("batch-cost", "200")
    looking.press("add-cost")
    assert looking.sees("batch-costs").startswith("Batch 2 cost 200.")
    assert "The cost of batch 3 is not known." in looking.sees("section-5")
    looking.fill("batch-cost", "0.5")
    looking.press("add-cost")
    assert "is not known" not in looking.sees("section-5")
    assert "What it cost" not in looking.sees("batch-costs")
    assert [*map(str, campaign.load_result(FOLDER).batches["cost"][1:3])] == ["200", "0.5"]


@pytest.mark.parametrize(
    ("waiting", "said"),
    [
        ({}, []),
        (
            {"refused": 1},
            ["Besides, 1 text that was settled as not there goes out once more.",
             "Whoever has got this text after all gets it twice; nobody else gets a text twice."],
        ),
        (
            {"refused": 100, "again": 1},
            ["Besides, 100 texts that were settled as not there and 1 text that was ordered to be sent again "
             "go out once more.",
             "Whoever has got one of these 101 texts after all gets it twice; "
             "nobody else gets a text twice."],
        ),
    ],
)  # fmt: skip
def test_how_many_texts_go_out_once_more_in_words(waiting, said):
    assert about_once_more(waiting) == said


def test_what_is_kept_of_the_list_holds_no_number(settled, provider, hours_later):
    settled.upload("provider-list-upload", "provider.csv", list_of(provider))
    (kept,) = Path(FOLDER).glob("composed.json.*")
    assert "256772" not in kept.read_text()


def test_section_4_asks_at_once_where_it_is_open(sent_on_page, hours_later):
    service = sent_on_page.composer.desk.accounts["local"]
    answer(sent_on_page, "refused", "batch 2 was refused")
    assert find(sent_on_page.composer, "send").description == "Rehearse 100 texts"
    left = campaign.load_result(FOLDER).batches["submitted_at"]
    took = "\n".join(
        f'+256772000{n:03},"Hi P{n}, come on Mon.",{left.max():%Y-%m-%d %H:%M:%SZ}' for n in range(1, 101)
    )
    assert service
    sent_on_page.upload("provider-list-upload", "p.csv", f"Number,Text,Submitted at\n{took}".encode())
    assert find(sent_on_page.composer, "leave-them-out").description == "Leave these 100 people out"
    assert find(sent_on_page.composer, "send").disabled
    assert "the list has all texts." in sent_on_page.sees("provider-list-says")
    sent_on_page.press("leave-them-out")
    assert find(sent_on_page.composer, "send").description == "Show the result"
