"""Who wants no messages: a list holds for good, also for numbers in no row; a mark as it stands today."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.links import link_for
from support.refusals import facts_of, findings_of, refused
from support.small_campaigns import contacts_of, people, plan_for
from support.witnessed_service import HOSTS, WitnessedService, account_of

import campaign
from campaign.errors import LedgerError
from campaign.sending.rounds import amended_plan

LIST = ["+256772000000", "+256772000001"]


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def send(plan, sandbox, **options):
    return campaign.send(plan, account=sandbox.account, name="visits", progress=False, **options)


def resume(sandbox, **options):
    return campaign.resume("campaigns/visits.local", account=sandbox.account, progress=False, **options)


def compared(plan, sandbox):
    return campaign.compare(plan, account=sandbox.account, name="visits")


def received(sandbox):
    return sorted(number[-3:] for number in sandbox.inbox["number"])


# --- lists ------------------------------------------------------------------------------------------------


def test_a_number_of_a_list_that_is_in_no_row_gets_nothing_next_week(sandbox):
    send(plan_for(people(3), opt_outs=["0772 000 003"]), sandbox)
    next_week = plan_for(people(5))
    difference = compared(next_week, sandbox)
    assert (difference.new, difference.reached) == (1, 3)
    result = send(next_week, sandbox)
    assert tuple(result.contacts.loc[5, ["status", "why", "reason"]]) == (
        "opted_out", "opted_out", "This person opted out.",
    )  # fmt: skip
    assert received(sandbox) == ["000", "001", "002", "004"]
    assert resume(sandbox).totals["opted_out"] == 1


@pytest.mark.parametrize("stream", [False, True])
def test_a_list_given_to_resume_holds_for_a_later_table(sandbox, stream):
    send(plan_for(people(3), stream=stream), sandbox)
    assert resume(sandbox, opt_outs=["0772 000 004"]).nothing_sent
    result = send(plan_for(people(5), stream=stream), sandbox)
    assert (result.totals["accepted"], result.totals["opted_out"]) == (4, 1)
    assert received(sandbox) == ["000", "001", "002", "003"]


def test_a_list_is_remembered_where_nothing_was_to_be_sent(sandbox):
    """It is a round of its own; the same list once more is none."""
    for opt_outs, rounds in ((None, 1), (LIST, 2), (LIST[:1], 2), (None, 2)):
        result = send(plan_for(people(3), opt_outs=opt_outs), sandbox)
        assert (len(result.rounds), len(sandbox.inbox)) == (rounds, 3)
    result = send(plan_for(people(3), "Good day {name}"), sandbox, changed="send")
    assert (result.totals["opted_out"], received(sandbox)) == (2, ["000", "001", "002", "002"])


def test_several_lists_are_joined(sandbox):
    send(plan_for(people(2), opt_outs=["0772 000 005"]), sandbox)
    resume(sandbox, opt_outs=["0772 000 006"])
    send(plan_for(people(2), opt_outs=["0772 000 007"]), sandbox)
    send(plan_for(people(9)), sandbox)
    assert received(sandbox) == ["000", "001", "002", "003", "004", "008"]


def test_rows_that_share_a_number_of_a_list_or_have_a_mistake_are_opted_out(sandbox):
    send(plan_for(people(1), opt_outs=["0772 000 001"]), sandbox)
    table = contacts_of(
        "Ann,0772 000 001", "Ben,0772 000 001", "Ann,0772 000 001", f"{'Eve ' * 50},0772 000 001"
    )
    result = send(plan_for(table), sandbox)
    assert result.contacts["status"].tolist() == ["opted_out", "opted_out", "duplicate", "opted_out"]
    assert received(sandbox) == ["000"]


def test_what_waits_for_somebody_on_a_list_is_withdrawn(sandbox):
    first = send(plan_for(people(6)), sandbox, budget=35 * 2)
    waiting = first.messages.loc[first.messages["status"] == "not_sent", "number"].iloc[0]
    result = resume(sandbox, opt_outs=[f"+{waiting}"], budget=campaign.Budget())
    assert (result.totals["accepted"], result.totals["opted_out"]) == (5, 1)
    assert waiting not in set(sandbox.inbox["number"])


def test_corrected_rows_agree_with_the_lists(sandbox):
    """The file of rows to correct names a number that is remembered, and brings a list that is."""
    first = send(plan_for(contacts_of("Ann,call her", "Ben,call him"), opt_outs=["0772 000 001"]), sandbox)
    path = Path(campaign.write_follow_up(first, "correct.csv"))
    text = path.read_text("utf-8-sig").replace("call her", "0772 000 001").replace("call him", "0772 000 002")
    path.write_text(text, "utf-8-sig")
    result = send(plan_for(campaign.read_contacts(path), opt_outs=["0772 000 003"]), sandbox)
    assert result.contacts["status"].tolist() == ["opted_out", "accepted"]
    send(plan_for(people(5)), sandbox, changed="skip")
    assert received(sandbox) == ["000", "002", "004"]


def test_a_rehearsal_s_list_is_not_that_of_another_campaign(sandbox):
    send(plan_for(people(1), opt_outs=["0772 000 001"]), sandbox)
    options = {"account": sandbox.account, "name": "others", "progress": False}
    assert campaign.send(plan_for(people(2)), **options).totals["accepted"] == 2


def test_an_erased_campaign_has_none_of_the_numbers(sandbox):
    folder = send(plan_for(people(3), opt_outs=["0772 000 123"]), sandbox).folder
    assert (folder / "rounds/0001/opt_outs.parquet").exists()
    with pytest.raises(campaign.ConfirmationError) as asked:
        campaign.erase(folder)
    campaign.erase(folder, confirm=asked.value.phrase)
    assert [*folder.rglob("*.parquet")] == []


def test_a_list_that_was_changed_on_disk_is_noticed(sandbox):
    folder = send(plan_for(people(3), opt_outs=["0772 000 004"]), sandbox).folder
    (folder / "rounds/0001/opt_outs.parquet").write_bytes(b"")
    with refused("campaign_file_damaged", campaign.FolderError):
        send(plan_for(people(5)), sandbox)
    assert len(sandbox.inbox) == 3


def test_without_a_list_or_a_mark_there_is_no_file(sandbox):
    folder = send(plan_for(people(3)), sandbox).folder
    assert [*folder.rglob("opt_outs*")] == []


def test_the_registration_looks_at_the_list_by_itself(sandbox, monkeypatch):
    send(plan_for(people(1), opt_outs=LIST), sandbox)
    monkeypatch.setattr(amended_plan, "are_among", lambda numbers, opt_outs: np.zeros(len(numbers), bool))
    with refused("would_send_twice", LedgerError, messages=2):
        send(plan_for(people(2)), sandbox, opted_out="send")
    assert len(sandbox.inbox) == 0


# --- marks ------------------------------------------------------------------------------------------------


def marked(count, rows):
    """A plan for that many people, of whom those in some rows are marked."""
    contacts = people(count)
    return plan_for(contacts, opt_outs=pd.Series(contacts.index.isin(rows), contacts.index))


def test_a_mark_that_is_gone_is_said_until_a_person_decides(sandbox):
    send(marked(5, (2, 3)), sandbox)
    told = compared(plan_for(people(5)), sandbox)
    assert told.questions == {"opted_out": 2}
    assert told.messages["recorded"].tolist() == [*["new"] * 2, *["accepted"] * 3]
    assert compared(marked(6, (2, 3)), sandbox).questions == {}
    assert compared(marked(5, (2,)), sandbox).questions == {"opted_out": 1}


def test_nothing_is_sent_before_a_person_has_decided(sandbox):
    send(marked(5, (2, 3)), sandbox)
    with refused("decision_needed") as asked:
        send(plan_for(people(6)), sandbox)
    assert asked.value.questions == {"opted_out": 2}
    assert facts_of(findings_of(asked.value))["opted_out_before"]["examples"] == ["row 2", "row 3"]
    assert len(sandbox.inbox) == 3
    assert send(marked(6, (2, 3)), sandbox).totals["accepted"] == 4
    result = send(plan_for(people(6)), sandbox, opted_out="send")
    assert (result.totals["accepted"], result.totals["opted_out"], len(sandbox.inbox)) == (6, 0, 6)


def test_whoever_was_marked_and_is_on_a_list_now_is_not_asked_about(sandbox):
    send(marked(3, (2, 3)), sandbox)
    assert send(plan_for(people(3), opt_outs=LIST), sandbox).totals["opted_out"] == 2
    assert send(plan_for(people(4)), sandbox).totals["opted_out"] == 2
    assert received(sandbox) == ["002", "003"]


def test_rounds_without_them_do_not_hide_them_and_one_that_wrote_to_them_does(sandbox):
    everybody = [f"Person {n},0772 000 {n:03}" for n in range(5)]
    send(marked(5, (2, 3)), sandbox)
    send(plan_for(contacts_of(*everybody[2:])), sandbox)
    assert compared(plan_for(people(5)), sandbox).questions == {"opted_out": 2}
    send(plan_for(people(5)), sandbox, opted_out="send")
    assert compared(plan_for(people(5), "Good day {name}"), sandbox).questions == {"changed": 5}


def test_other_marks_in_between_do_not_hide_them(sandbox):
    send(marked(5, (2, 3)), sandbox)
    others = contacts_of(*(f"Person {n},0772 000 {n:03}" for n in range(2, 5)))
    send(plan_for(others, opt_outs=pd.Series([False, False, True], others.index)), sandbox)
    assert compared(plan_for(people(5)), sandbox).questions == {"opted_out": 2}
    assert compared(marked(5, (2, 3)), sandbox).questions == {}


def test_left_out_again_they_stay_in_the_table_with_the_reason(sandbox):
    send(marked(5, (2, 3)), sandbox)
    for rounds in (2, 2):  # the same again is no new round
        result = send(plan_for(people(6)), sandbox, opted_out="skip")
        assert (result.totals["accepted"], result.totals["opted_out"], len(result.rounds)) == (4, 2, rounds)
    loaded = campaign.load_result(result.folder).contacts
    assert loaded["status"].tolist() == ["opted_out", "opted_out", *["accepted"] * 4]
    assert loaded["why"].iloc[0] == "opted_out"
    assert resume(sandbox).totals["opted_out"] == 2
    assert compared(plan_for(people(6)), sandbox).questions == {"opted_out": 2}


def test_whoever_was_reached_before_they_were_marked_is_asked_about_with_another_text(sandbox):
    send(plan_for(people(3)), sandbox)
    send(marked(3, (2, 3)), sandbox)
    assert send(plan_for(people(3)), sandbox).totals["accepted"] == 3  # nothing goes out: nothing to ask
    new_text = plan_for(people(3), "Good day {name}")
    assert compared(new_text, sandbox).questions == {"changed": 3, "opted_out": 2}
    result = send(new_text, sandbox, changed="send", opted_out="skip")
    assert (result.totals["accepted"], result.totals["opted_out"], len(sandbox.inbox)) == (1, 2, 4)


def test_of_a_table_in_parts_each_part_is_looked_at(sandbox, tmp_path, monkeypatch):
    monkeypatch.setattr("campaign.messages.draft.BLOCK", 2)
    parts = tmp_path / "visits.csv"
    parts.write_text("name,phone\n" + "".join(f"Person {n},0772 000 {n:03}\n" for n in range(6)))
    rows = plan_for(parts).contacts.index
    marks = pd.Series([True, False, False, True, False, False], rows)
    send(plan_for(parts, opt_outs=marks, stream=True), sandbox)
    assert compared(plan_for(parts, stream=True), sandbox).questions == {"opted_out": 2}
    result = send(plan_for(parts, stream=True), sandbox, opted_out="skip")
    assert (result.totals["accepted"], result.totals["opted_out"]) == (4, 2)


def test_the_question_before_live_sending_says_it(resolves_here, tmp_path):
    resolves_here(HOSTS["live"])
    with WitnessedService("live", link_for(HOSTS["live"], tmp_path)) as service:
        account = account_of(service.login())
        options = {"account": account, "name": "visits", "progress": False}
        first = marked(5, (2, 3))
        with pytest.raises(campaign.ConfirmationError) as asked:
            campaign.send(first, **options)
        assert asked.value.questions == {}
        campaign.send(first, confirm=re.search(r'confirm="([^"]+)"', str(asked.value))[1], **options)
        for opted_out, questions in (("ask", {"opted_out": 2}), ("send", {})):
            with pytest.raises(campaign.ConfirmationError) as asked:
                campaign.send(plan_for(people(5)), opted_out=opted_out, **options)
            assert asked.value.questions == questions
        assert 'confirm="send 2 messages live' in str(asked.value)
