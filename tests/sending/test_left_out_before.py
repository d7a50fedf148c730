"""Who wanted no messages in an earlier round, and would get one now because the list was forgotten."""

import re

import pytest
from support.links import link_for
from support.small_campaigns import contacts_of, people, plan_for
from support.witnessed_service import HOSTS, WitnessedService, account_of

import campaign

LIST = ["+256772000000", "+256772000001"]


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def send(plan, sandbox, **options):
    return campaign.send(plan, account=sandbox.account, name="visits", progress=False, **options)


def asked_about(plan, sandbox):
    """How many people `send` would ask about, because they wanted no messages."""
    return campaign.compare(plan, account=sandbox.account, name="visits").questions.get("opted_out", 0)


def test_a_forgotten_list_is_said_until_it_is_given_again(sandbox):
    send(plan_for(people(5), opt_outs=LIST), sandbox)
    assert asked_about(plan_for(people(5)), sandbox) == 2
    told = campaign.compare(plan_for(people(5)), account=sandbox.account, name="visits")
    assert told.messages["recorded"].tolist() == [*["new"] * 2, *["accepted"] * 3]
    assert asked_about(plan_for(people(5), "Good day {name}"), sandbox) == 2
    assert asked_about(plan_for(people(6), opt_outs=LIST), sandbox) == 0
    assert asked_about(plan_for(people(5), opt_outs=LIST[:1]), sandbox) == 1


def test_rounds_without_them_do_not_hide_them_and_one_that_wrote_to_them_does(sandbox):
    everybody = [f"Person {n},0772 000 {n:03}" for n in range(5)]
    send(plan_for(people(5), opt_outs=LIST), sandbox)
    send(plan_for(contacts_of(*everybody[2:])), sandbox)
    assert asked_about(plan_for(people(5)), sandbox) == 2
    send(plan_for(people(5)), sandbox, opted_out="send")
    assert asked_about(plan_for(people(5), "Good day {name}"), sandbox) == 0


def test_whoever_was_reached_before_and_then_wanted_no_more_is_named_with_another_text(sandbox):
    send(plan_for(people(5)), sandbox)
    send(plan_for(people(5), opt_outs=LIST), sandbox)
    assert asked_about(plan_for(people(5)), sandbox) == 0  # nothing would go out
    assert asked_about(plan_for(people(5), "Good day {name}"), sandbox) == 2


def test_nothing_is_sent_before_a_person_has_decided(sandbox):
    send(plan_for(people(5), opt_outs=LIST), sandbox)
    with pytest.raises(campaign.ConfirmationError, match="Rows 2 and 3") as asked:
        send(plan_for(people(6)), sandbox)
    assert asked.value.questions == {"opted_out": 2}
    assert len(sandbox.inbox) == 3
    assert send(plan_for(people(6), opt_outs=LIST), sandbox).totals["accepted"] == 4
    result = send(plan_for(people(6)), sandbox, opted_out="send")
    assert (result.totals["accepted"], result.totals["opted_out"], len(sandbox.inbox)) == (6, 0, 6)


def test_left_out_again_they_stay_in_the_table_with_the_reason(sandbox):
    send(plan_for(people(5), opt_outs=LIST), sandbox)
    for rounds in (2, 2):  # the same again is no new round
        result = send(plan_for(people(6)), sandbox, opted_out="skip")
        assert (result.totals["accepted"], result.totals["opted_out"], len(result.rounds)) == (4, 2, rounds)
    loaded = campaign.load_result(result.folder).contacts
    assert loaded["status"].tolist() == ["opted_out", "opted_out", *["accepted"] * 4]
    assert loaded["reason"].iloc[0] == (
        "This number was left out before, because somebody there wanted no messages."
    )
    assert campaign.resume(result.folder, account=sandbox.account, progress=False).totals["opted_out"] == 2
    with pytest.raises(campaign.ConfirmationError) as asked:
        send(plan_for(people(6)), sandbox)
    assert asked.value.questions == {"opted_out": 2}


def test_whoever_was_reached_before_they_wanted_no_more_keeps_that(sandbox):
    send(plan_for(people(3)), sandbox)
    send(plan_for(people(3), opt_outs=LIST), sandbox)
    assert send(plan_for(people(3)), sandbox).totals["accepted"] == 3  # nothing goes out: nothing to ask
    new_text = plan_for(people(3), "Good day {name}")
    result = send(new_text, sandbox, changed="send", opted_out="skip")
    assert (result.totals["accepted"], result.totals["opted_out"], len(sandbox.inbox)) == (1, 2, 4)


def test_of_a_table_in_parts_each_part_is_looked_at(sandbox, tmp_path):
    parts = tmp_path / "parts"
    parts.mkdir()
    for part in range(2):
        rows = (f"Person {n},0772 000 {n:03}\n" for n in range(part, 6, 2))
        (parts / f"{part}.csv").write_text("name,phone\n" + "".join(rows))
    send(plan_for(parts, opt_outs=LIST, stream=True), sandbox)
    assert asked_about(plan_for(parts, stream=True), sandbox) == 2
    result = send(plan_for(parts, stream=True), sandbox, opted_out="skip")
    assert (result.totals["accepted"], result.totals["opted_out"]) == (4, 2)


def test_the_question_before_live_sending_says_it(resolves_here, tmp_path):
    resolves_here(HOSTS["live"])
    with WitnessedService("live", link_for(HOSTS["live"], tmp_path)) as service:
        account = account_of(service.login())
        options = {"account": account, "name": "visits", "progress": False}
        first = plan_for(people(5), opt_outs=LIST)
        with pytest.raises(campaign.ConfirmationError) as asked:
            campaign.send(first, **options)
        assert "left out before" not in str(asked.value)
        campaign.send(first, confirm=re.search(r'confirm="([^"]+)"', str(asked.value))[1], **options)
        for opted_out, asks in (("ask", "opted_out="), ("send", 'confirm="send 2 messages live')):
            with pytest.raises(campaign.ConfirmationError, match="2 people") as asked:
                campaign.send(plan_for(people(5)), opted_out=opted_out, **options)
            assert asks in str(asked.value)
