"""A person settles what nobody else can know."""

import html
from decimal import Decimal

import openpyxl
import pandas as pd
import pytest
from support.findings import codes, finding, rows_found, to_do
from support.pasted import pasted
from support.refusals import findings_of, refused
from support.small_campaigns import people, plan_for

import campaign
from campaign import markup
from campaign.cli.main import main
from campaign.masking import mask_text
from campaign.notebook.error_card import question_card
from campaign.sending.afterwards.settled_batches import SETTLED
from campaign.sending.ledger.ledger_file import LedgerFile
from campaign.sending.ledger.views import journal_frame
from campaign.sending.store.user_state import user_name
from campaign.text import capitalised
from campaign.words.finding import Finding
from campaign.words.python import PYTHON
from campaign.words.stored import from_json


@pytest.fixture
def sandbox():
    with campaign.Sandbox(password="sesame", faults={2: "accept_reset"}) as service:
        yield service


@pytest.fixture
def interrupted_campaign(sandbox, tmp_path):
    """30 people: one accepted, batch 2 of ten unknown (the service has it), the rest not sent."""
    rows = "".join(f"Person {n},25677200{n:04d}\n" for n in range(30))
    plan = campaign.prepare(
        campaign.read_contacts(("name,phone\n" + rows).encode()),
        message="Hi {name}",
        sender="CLINIC",
        region="UG",
    )
    result = campaign.send(
        plan,
        account=sandbox.account,
        folder=tmp_path / "visits",
        batch_size=10,
        concurrency=1,
        progress=False,
    )
    assert result.batches["status"].tolist() == ["accepted", "unknown", "not_sent", "not_sent"]
    return result.folder


def test_the_evidence_is_shown_before_anything_is_settled(interrupted_campaign):
    with pytest.raises(campaign.ConfirmationError) as shown:
        campaign.resolve(interrupted_campaign, 2, "accepted")
    assert "Error)" not in str(shown.value)  # without the class of the error
    assert shown.value.phrase == "batch 2 was accepted"
    left, final = shown.value.finding.facts["findings"]
    assert final.code == "answer_final"
    assert (left.facts["status"], left.facts["came"].code) == ("unknown", "connection_broke")
    assert left.facts["moment"].endswith("(UTC)")
    assert (left.facts["rows"], left.facts["messages"]) == ("3 to 12", 10)  # what to ask the provider about
    assert left.facts["numbers"] == "25677*****01, 25677*****02, 25677*****03, …"
    assert campaign.load_result(interrupted_campaign).totals["unknown"] == 10


def test_a_notebook_shows_the_lines_that_settle_it_and_show_what_came_of_it(interrupted_campaign):
    with pytest.raises(campaign.ConfirmationError) as shown:
        campaign.resolve(interrupted_campaign, 2, "accepted", note='they said "yes"')
    lines = shown.value.call
    assert markup.escape(lines) in question_card(shown.value)
    assert lines.endswith("\nresult")
    assert pasted(lines).batches["error"][1].endswith('they said "yes"')


@pytest.mark.parametrize("outcome", ["accepted", "refused"])
def test_a_person_who_asked_the_service_settles_it(interrupted_campaign, outcome):
    phrase = f"batch 2 was {outcome}"
    result = campaign.resolve(
        interrupted_campaign, 2, outcome, confirm=phrase, note="the service's log says so"
    )
    assert result.batches["status"].tolist() == ["accepted", outcome, "not_sent", "not_sent"]
    ledger = LedgerFile(interrupted_campaign / "ledger.sqlite")
    moves = journal_frame(ledger)
    last = moves.iloc[-1]
    assert (last["batch"], last["was"], last["now"]) == (2, "unknown", outcome)
    assert last["note"].endswith(f": {outcome}, the service's log says so")
    for confirm in (None, phrase):  # a notebook is run again, the line that asked and the one that settled
        again = campaign.resolve(interrupted_campaign, 2, outcome, confirm=confirm)
        decided = finding(again, "settled_already").facts
        assert (decided["batches"], decided["settled"]) == (["2"], SETTLED[outcome])
    for other in {"refused", "again"} - {outcome}:
        with refused("batch_not_unknown", batch=2, state=outcome):
            campaign.resolve(interrupted_campaign, 2, other, confirm=f"batch 2 was {other}")
    assert len(journal_frame(ledger)) == len(moves)


def test_whoever_reads_the_report_sees_that_a_person_settled_a_batch(interrupted_campaign, tmp_path):
    note = "asked 0772 000 111 at the provider"
    before = campaign.load_result(interrupted_campaign)
    line = finding(before, "rows_unknown").facts["call"]
    with refused("confirmation_needed"):
        pasted(line)
    settled = campaign.resolve(interrupted_campaign, 2, "accepted", confirm="batch 2 was accepted", note=note)
    words = f"Settled by {user_name()}: accepted, {note}"
    assert settled.batches["error"].tolist()[:2] == ["", words]
    masked = mask_text(words)
    assert masked != words
    assert masked in settled._repr_html_()
    assert set(settled.contacts.loc[settled.contacts["batch"] == 2, "reason"]) == {""}
    page = campaign.write_report(settled, tmp_path / "report.html").read_text("utf-8")
    assert page.count(f"accepted: {capitalised(masked)}.") == 1
    sheet = openpyxl.load_workbook(campaign.write_report(settled, tmp_path / "report.xlsx"))["Batches"]
    assert masked in [line[6] for line in sheet.iter_rows(values_only=True)]


def test_the_line_that_sends_the_rest_has_the_pace_of_the_last_run(tmp_path):
    folder = tmp_path / "visits"
    with campaign.Sandbox(faults={2: "accept_reset", 3: "accept_reset"}) as service:
        options = {"account": service, "batch_size": 10, "concurrency": 1, "progress": False}
        campaign.send(plan_for(people(30)), folder=folder, rate=1000, **options)
        waiting = finding(campaign.load_result(folder), "rows_not_sent")
        assert "rate=1000" in waiting.facts["resume"]
        campaign.resume(folder, **options)
        settled = campaign.resolve(folder, 2, "accepted", confirm="batch 2 was accepted")
    assert "rate=" not in finding(settled, "rows_not_sent").facts["resume"]


def test_the_cost_that_a_person_gives_is_the_cost_of_the_batch(interrupted_campaign, capsys):
    confirm = "batch 2 was accepted"
    before = campaign.load_result(interrupted_campaign).totals
    with refused("cost_not_allowed", campaign.UsageError):
        campaign.resolve(interrupted_campaign, 2, "refused", cost=350)
    folder = str(interrupted_campaign)
    assert main(["resolve", folder, "2", "accepted", "--confirm", confirm, "--cost", "350.5"]) == 4
    settled = campaign.load_result(interrupted_campaign)
    assert (before.unpriced, settled.totals.unpriced) == (1, 0)
    assert settled.totals.cost == before.cost + Decimal("350.5")
    assert settled.batches["error"][1] == f"Settled by {user_name()}: accepted, cost 350.5 given by hand"
    assert campaign.history(folder)["cost"].item() == settled.totals.cost
    assert "or more" not in capsys.readouterr().out
    with pytest.raises(campaign.ConfirmationError, match=r'confirm="batch 2 cost 1 [0-9a-f]{4}"'):
        campaign.resolve(interrupted_campaign, 2, "accepted", cost=1)


def test_what_a_person_said_of_a_cost_is_told_as_that(interrupted_campaign, tmp_path):
    """No report calls it a figure of the service."""
    folder = interrupted_campaign
    unpriced = campaign.resolve(folder, 2, "accepted", confirm="batch 2 was accepted")
    assert "costs_missing" in to_do(unpriced)
    with pytest.raises(campaign.ConfirmationError) as asked:
        campaign.resolve(folder, 2, "accepted", cost=3500)
    priced = pasted(asked.value.call)
    page = campaign.write_report(priced, tmp_path / "after.html").read_text("utf-8")
    assert "costs_missing" not in codes(priced)
    assert "cost, in part given by hand" in page
    book = openpyxl.load_workbook(campaign.write_report(priced, tmp_path / "after.xlsx"))
    texts = [str(cell) for row in book["Summary"].iter_rows(values_only=True) for cell in row if cell]
    assert any(text.endswith("cost, in part given by hand") for text in texts)


def test_a_cost_that_was_given_wrongly_is_corrected_and_the_record_keeps_both(interrupted_campaign, capsys):
    """The lines stay in the notebook: run again, none of them brings a wrong cost back."""
    folder, before = interrupted_campaign, campaign.load_result(interrupted_campaign).totals.cost
    settle = 'result = campaign.resolve(folder, 2, "accepted", cost=3500, confirm="batch 2 was accepted")'
    lines = [settle]
    pasted(settle, folder=folder)
    for cost in (350, 3500, 353):
        with pytest.raises(campaign.ConfirmationError) as asked:
            campaign.resolve(folder, 2, "accepted", cost=cost)
        lines.append(asked.value.call)
        corrected = pasted(asked.value.call)
        assert corrected.totals.cost == before + cost
    user, moves = user_name(), journal_frame(LedgerFile(folder / "ledger.sqlite"))
    assert corrected.batches["error"][1].startswith(
        f"Settled by {user}: accepted, cost 3,500 given by hand; "
    )
    assert corrected.batches["error"][1].endswith(f"; {user}: cost 353 given by hand")
    assert moves["now"].tolist()[-3:] == ["priced"] * 3
    for line in (lines[0], lines[-1]):  # the one that settled it, and the one that holds
        assert "settled_already" in codes(pasted(line, folder=folder))
    for line in lines[1:-1]:
        with refused("confirmation_needed") as asked:
            pasted(line, folder=folder)
    assert journal_frame(LedgerFile(folder / "ledger.sqlite")).equals(moves)
    assert campaign.load_result(folder).totals.cost == before + 353
    assert campaign.history(folder)["cost"].item() == before + 353
    with pytest.raises(campaign.ConfirmationError) as asked:
        campaign.resolve(folder, 2, "accepted", cost=354)
    options = ["--cost", "354", "--confirm", asked.value.phrase]
    assert main(["resolve", str(folder), "2", "accepted", *options]) == 4
    assert campaign.load_result(folder).totals.cost == before + 354


def test_what_the_service_said_that_a_batch_cost_is_not_changed(interrupted_campaign):
    with refused("batch_not_unknown", batch=1, state="accepted"):
        campaign.resolve(interrupted_campaign, 1, "accepted", cost=1, confirm="batch 1 cost 1")


def test_a_cost_that_is_known_only_later_is_given_once(interrupted_campaign):
    """The line that a card shows settles without a cost; the bill comes at the end of the month."""
    campaign.resolve(interrupted_campaign, 2, "accepted", confirm="batch 2 was accepted")
    before = campaign.load_result(interrupted_campaign)
    assert before.totals.unpriced == 1
    line = finding(before, "costs_missing").facts["call"]
    assert line in html.unescape(before._repr_html_())
    with pytest.raises(campaign.UsageError, match="cost=350"):
        pasted(line)  # what has to be filled in is said
    with refused("confirmation_needed") as asked:
        campaign.resolve(interrupted_campaign, 2, "accepted", cost=350, note="the bill of November")
    priced = pasted(asked.value.call)
    assert (priced.totals.unpriced, priced.totals.cost) == (0, before.totals.cost + 350)
    assert priced.totals["accepted"] == before.totals["accepted"]
    assert "costs_missing" not in codes(priced)
    user = user_name()
    assert priced.batches["error"][1] == (
        f"Settled by {user}: accepted; {user}: cost 350 given by hand, the bill of November"
    )
    last = journal_frame(LedgerFile(interrupted_campaign / "ledger.sqlite")).iloc[-1]
    assert (last["batch"], last["was"], last["now"]) == (2, "accepted", "priced")
    with pytest.raises(campaign.ConfirmationError, match='confirm="batch 2 cost 1 '):
        campaign.resolve(interrupted_campaign, 2, "accepted", confirm="batch 2 cost 1", cost=1)
    assert "settled_already" in codes(pasted(asked.value.call))
    assert campaign.history(interrupted_campaign)["cost"].item() == priced.totals.cost


def test_whoever_was_to_keep_a_text_that_did_not_get_there_has_none(tmp_path):
    with campaign.Sandbox(faults={1: "reset"}) as sandbox:
        options = {"account": sandbox, "folder": tmp_path / "visits", "progress": False}
        campaign.send(plan_for(people(1), "Come at 9."), **options)
        campaign.send(plan_for(people(1), "Come at 10."), **options, changed="skip")
    settled = campaign.resolve(tmp_path / "visits", 1, "refused", confirm="batch 1 was refused")
    assert settled.contacts[["status", "why"]].values.tolist() == [["refused", "refused_by_hand"]]
    assert settled.totals.reached == 0


def test_what_a_person_settled_as_refused_is_not_what_the_service_said(interrupted_campaign, tmp_path):
    settled = campaign.resolve(interrupted_campaign, 2, "refused", confirm="batch 2 was refused")
    reasons = settled.contacts.loc[settled.contacts["status"] == "refused", "reason"]
    assert set(reasons) == {PYTHON.headline(Finding("row_settled_as_refused"))}
    batch = settled.batches.iloc[1]
    assert (batch["why"], from_json(batch["facts"])) == ("batch_settled", {"note": f"{user_name()}: refused"})
    assert "rows_settled_as_refused" in codes(settled)
    assert "rows_refused" not in codes(settled)


def test_a_line_that_is_run_again_after_all_was_sent_advises_nothing(interrupted_campaign, sandbox):
    confirm = "batch 2 was refused"
    campaign.resolve(interrupted_campaign, 2, "refused", confirm=confirm)
    assert (
        campaign.resume(interrupted_campaign, account=sandbox.account, progress=False).totals["accepted"]
        == 30
    )
    again = campaign.resolve(interrupted_campaign, 2, "refused", confirm=confirm)
    assert "settled_already" in codes(again)
    assert to_do(again) == []


def test_to_send_again_names_how_many_may_get_it_twice(interrupted_campaign, sandbox):
    with pytest.raises(campaign.ConfirmationError, match="10 messages may arrive twice"):
        campaign.resolve(interrupted_campaign, 2, "again", confirm="yes")
    phrase = "send batch 2 again, 10 messages may arrive twice"
    settled = campaign.resolve(interrupted_campaign, 2, "again", confirm=phrase)
    assert (settled.totals["unknown"], settled.totals["not_sent"]) == (10, 19)
    assert len(sandbox.inbox) == 11
    result = campaign.resume(interrupted_campaign, account=sandbox.account, progress=False)
    assert result.totals["accepted"] == 30
    assert sandbox.inbox["number"].value_counts().tolist() == [2] * 10 + [1] * 20


def test_what_is_ordered_again_says_so_and_is_not_settled_twice(interrupted_campaign):
    phrase = "send batch 2 again, 10 messages may arrive twice"
    settled = campaign.resolve(interrupted_campaign, 2, "again", confirm=phrase)
    assert rows_found(settled)["rows_ordered_again"] == 10
    assert "rows_unknown" not in codes(settled)
    reasons = settled.contacts.loc[settled.contacts["status"] == "unknown", "reason"]
    assert set(reasons) == {PYTHON.headline(Finding("ordered_again"))}
    with refused("batch_not_unknown", batch=2, state="ordered again"):
        campaign.resolve(interrupted_campaign, 2, "refused", confirm="batch 2 was refused")


ANSWERS = {"refused": "batch 2 was refused", "again": "send batch 2 again, 10 messages may arrive twice"}


@pytest.mark.parametrize("outcome", ANSWERS)
def test_a_wrong_answer_becomes_accepted_while_nothing_was_sent_again(interrupted_campaign, sandbox, outcome):
    folder = interrupted_campaign
    campaign.resolve(folder, 2, outcome, confirm=ANSWERS[outcome])
    with pytest.raises(campaign.ConfirmationError) as asked:
        campaign.resolve(folder, 2, "accepted", cost=350)
    assert asked.value.phrase == "batch 2 was accepted"
    settled = pasted(asked.value.call)
    assert settled.batches["status"].tolist()[:2] == ["accepted", "accepted"]
    assert (settled.totals["accepted"], settled.totals.unpriced) == (11, 0)
    moves = journal_frame(LedgerFile(folder / "ledger.sqlite"))
    lines = (lambda: pasted(asked.value.call), lambda: campaign.resolve(folder, 2, outcome))
    for run_again in lines:
        assert "settled_already" in codes(run_again())
    assert journal_frame(LedgerFile(folder / "ledger.sqlite")).equals(moves)
    assert campaign.resume(folder, account=sandbox.account, progress=False).totals["accepted"] == 30
    assert sandbox.inbox["number"].value_counts().tolist() == [1] * 30


@pytest.mark.parametrize("is_sent", [True, False])
@pytest.mark.parametrize("outcome", ANSWERS)
def test_a_wrong_answer_stays_once_its_messages_were_cut_again(tmp_path, outcome, is_sent):
    """They were sent again, or wait to be: the money was gone before their turn."""
    funds = "Money Not Enough To Send This Batch of Msgs"
    faults = {2: "accept_reset"} | ({} if is_sent else {4: funds})
    with campaign.Sandbox(faults=faults) as service:
        options = {"account": service, "folder": tmp_path / "visits", "concurrency": 1, "progress": False}
        campaign.send(plan_for(people(11)), **options, batch_size=10)
        campaign.resolve(tmp_path / "visits", 2, outcome, confirm=ANSWERS[outcome])
        campaign.send(plan_for(people(11)), **options, batch_size=2)
        states = campaign.load_result(tmp_path / "visits").batches["status"].tolist()
        with refused("batch_not_unknown", campaign.UsageError):
            campaign.resolve(tmp_path / "visits", 2, "accepted", confirm="batch 2 was accepted")
        assert campaign.load_result(tmp_path / "visits").batches["status"].tolist() == states


def test_a_copy_that_was_withdrawn_for_another_text_leaves_the_answer_open(tmp_path):
    """Ordered again, its copy waits for money; then the text is another one, and they keep the first."""
    with campaign.Sandbox(faults={1: "accept_reset"}) as service:
        options = {"account": service, "folder": tmp_path / "visits", "progress": False}
        campaign.send(plan_for(people(1), "Come at 9."), **options)
        phrase = "send batch 1 again, 1 message may arrive twice"
        campaign.resolve(tmp_path / "visits", 1, "again", confirm=phrase)
        campaign.send(plan_for(people(1), "Come at 9."), budget=0, **options)
        with refused("batch_not_unknown", campaign.UsageError):
            campaign.resolve(tmp_path / "visits", 1, "accepted", confirm="batch 1 was accepted")
        kept = campaign.send(
            plan_for(people(1), "Come at 10."), changed="skip", waiting="withdraw", **options
        )
        assert kept.contacts["status"].tolist() == ["unknown"]
        settled = campaign.resolve(kept.folder, 1, "accepted", confirm="batch 1 was accepted")
        assert settled.contacts[["status", "why"]].values.tolist() == [["duplicate", "earlier_text"]]
        assert len(service.inbox) == 1


def test_a_batch_is_settled_otherwise_only_by_a_person_who_knows_of_all(unknown_batches):
    """Of a list, either all are settled or none."""
    folder = unknown_batches.folder
    campaign.resolve(folder, 2, "refused", confirm="batch 2 was refused")
    campaign.resolve(folder, 3, "accepted", confirm="batch 3 was accepted")
    with refused("batch_not_unknown", batch=3, state="accepted"):
        campaign.resolve(folder, [2, 3, 4], "accepted", confirm="batches 2, 3 and 4 were accepted")
    campaign.resolve(folder, [2, 4], "accepted", confirm="batches 2 and 4 were accepted")
    assert campaign.load_result(folder).totals["accepted"] == 51


def test_who_has_left_the_table_does_not_get_what_was_ordered_again(interrupted_campaign, sandbox):
    """`resume` compares anew, so that people who answered STOP meanwhile are not written to."""
    phrase = "send batch 2 again, 10 messages may arrive twice"
    campaign.resolve(interrupted_campaign, 2, "again", confirm=phrase)
    result = campaign.resume(
        interrupted_campaign, opt_outs=["+256772000001"], account=sandbox.account, progress=False
    )
    assert (result.totals["accepted"], result.totals["opted_out"]) == (29, 1)
    assert sandbox.inbox["number"].value_counts()["256772000001"] == 1
    assert sandbox.inbox["number"].value_counts()["256772000002"] == 2


def test_what_a_person_knows_to_be_refused_goes_out_on_the_next_run(interrupted_campaign, sandbox):
    campaign.resolve(interrupted_campaign, 2, "refused", confirm="batch 2 was refused")
    result = campaign.resume(interrupted_campaign, account=sandbox.account, progress=False)
    assert result.totals["accepted"] == 30


@pytest.mark.parametrize("batch", [1, 3, 99])
def test_only_what_is_unknown_can_be_settled(interrupted_campaign, batch):
    with refused("batch_not_unknown", batch=batch, unknown=["2"]):
        campaign.resolve(interrupted_campaign, batch, "again", confirm="x")


def test_an_outcome_that_does_not_exist(interrupted_campaign):
    with refused("wrong_choice", campaign.UsageError):
        campaign.resolve(interrupted_campaign, 2, "delivered", confirm="x")


def test_settling_from_a_shell(interrupted_campaign, capsys):
    folder = str(interrupted_campaign)
    assert main(["status", folder]) == 4
    assert "batch 2: 10 messages unknown" in capsys.readouterr().out
    assert main(["resolve", folder, "2", "accepted"]) == 2
    assert 'confirm "batch 2 was accepted"' in capsys.readouterr().err
    assert main(["resolve", folder, "2", "accepted", "--confirm", "batch 2 was accepted"]) == 4
    assert "Settled: batch 2." in capsys.readouterr().out


def test_what_was_ordered_again_and_changed_since_stays_until_it_is_chosen(tmp_path):
    """Whoever may have got the old text keeps it, whatever was ordered: resume would not send it."""
    with campaign.Sandbox(faults={2: "accept_reset"}) as sandbox:
        options = {"account": sandbox, "folder": tmp_path / "visits", "batch_size": 10, "progress": False}
        campaign.send(plan_for(people(11)), **options)
        campaign.resolve(
            tmp_path / "visits", 2, "again", confirm="send batch 2 again, 10 messages may arrive twice"
        )
        kept = campaign.send(plan_for(people(11), "Dear {name}"), changed="skip", **options)
        assert kept.totals["unknown"] == 10
        assert campaign.resume(kept.folder, account=sandbox, progress=False).totals["unknown"] == 10
        assert len(sandbox.inbox) == 11
        sent = campaign.send(plan_for(people(11), "Dear {name}"), changed="send", **options)
        assert (sent.totals["accepted"], len(sandbox.inbox)) == (11, 22)


def test_a_follow_up_file_sends_no_old_text_that_was_ordered_again(tmp_path):
    """The table says something else by then, and the person has let them keep what they may have got."""
    table = people(11).reset_index(drop=True)
    table.loc[5, "phone"] = "12"
    with campaign.Sandbox(faults={2: "accept_reset"}) as sandbox:
        options = {"account": sandbox, "folder": tmp_path / "visits", "batch_size": 20, "progress": False}
        campaign.send(plan_for(table), **options)
        campaign.resolve(
            tmp_path / "visits", 2, "again", confirm="send batch 2 again, 9 messages may arrive twice"
        )
        kept = campaign.send(plan_for(table, "Dear {name}"), changed="skip", **options)
        file = tmp_path / "to_correct.csv"
        campaign.write_follow_up(kept, file)
        pd.read_csv(file, dtype="str").assign(phone="0772 000 005").to_csv(file, index=False)
        corrected = plan_for(campaign.read_contacts(file), "Dear {name}")
        assert campaign.compare(corrected, folder=kept.folder, account=sandbox).new == 1
        sent = campaign.send(corrected, **options)
        assert sandbox.inbox["text"].tolist()[10:] == ["Dear Person 5"]
        assert (sent.totals["accepted"], sent.totals["duplicate"], sent.totals["unknown"]) == (1, 1, 9)


@pytest.fixture
def unknown_batches(tmp_path):
    """51 people: batches 2, 3 and 4 of ten are unknown, and the service has them; the rest is accepted."""
    with campaign.Sandbox(faults={2: "accept_reset", 3: "accept_reset", 4: "accept_reset"}) as service:
        options = {"account": service, "batch_size": 10, "concurrency": 1, "max_unknown": 9}
        yield campaign.send(plan_for(people(51)), folder=tmp_path / "visits", progress=False, **options)


def sent_again(result, **options):
    """What came of the campaign once batch 2 was ordered to be sent again, and the run after that."""
    confirm = "send batch 2 again, 10 messages may arrive twice"
    campaign.resolve(result.folder, 2, "again", confirm=confirm)
    return campaign.resume(result.folder, progress=False, **options)


def test_a_result_names_only_batches_that_are_still_to_be_asked_about(unknown_batches):
    confirm = "send batch 2 again, 10 messages may arrive twice"
    ordered = campaign.resolve(unknown_batches.folder, 2, "again", confirm=confirm)
    assert finding(unknown_batches, "rows_unknown").facts["batches"] == [2, 3, 4]
    for result in (ordered, campaign.resume(ordered.folder, progress=False)):
        unknown = finding(result, "rows_unknown").facts
        assert (unknown["rows"], unknown["batches"]) == (20, [3, 4])
        assert ("rows_ordered_again" in to_do(result)) == (result is ordered)


def test_what_was_sent_before_it_was_ordered_again_is_not_in_the_table(unknown_batches, tmp_path):
    result = sent_again(unknown_batches)
    for batch in (3, 4):
        settle = {"confirm": f"batch {batch} was accepted", "cost": 350}
        result = campaign.resolve(result.folder, batch, "accepted", **settle)
    assert result.not_in_table["batch"].tolist() == [2] * 10
    assert to_do(result) == ["costs_missing"]
    book = openpyxl.load_workbook(campaign.write_report(result, tmp_path / "report.xlsx"))
    assert (
        len([*book["Messages not in the table"].iter_rows(values_only=True)]) == 2 + 10
    )  # a sentence, a header


def test_what_a_batch_cost_that_was_sent_again_can_be_given_too(unknown_batches):
    with refused("cost_not_allowed"):
        campaign.resolve(unknown_batches.folder, 2, "again", cost=350)
    result = sent_again(unknown_batches)
    before = result.totals
    assert finding(result, "costs_missing").facts["call"].endswith('2, "again", cost=...)')
    with refused("batch_not_unknown", batch=2, state="ordered again, and sent again since"):
        campaign.resolve(result.folder, 2, "accepted", cost=350)
    with refused("confirmation_needed") as asked:
        campaign.resolve(result.folder, 2, "again", cost=350)
    priced = pasted(asked.value.call)
    assert (priced.totals.unpriced, priced.totals.cost) == (before.unpriced - 1, before.cost + 350)
    assert priced.batches["status"].tolist() == result.batches["status"].tolist()
    assert priced.batches["error"].tolist() == result.batches["error"].tolist()
    assert "costs_missing" not in codes(priced)
    assert campaign.history(result.folder)["cost"].item() == priced.totals.cost
    last = journal_frame(LedgerFile(result.folder / "ledger.sqlite")).iloc[-1]
    assert (last["batch"], last["was"], last["now"]) == (2, "again", "priced")
    assert finding(pasted(asked.value.call), "settled_already").facts["settled"] == SETTLED["again"]
    with refused("batch_not_unknown", batch=2):
        campaign.resolve(result.folder, 2, "accepted", cost=1)
    with pytest.raises(campaign.ConfirmationError) as asked:
        campaign.resolve(result.folder, 2, "again", cost=360)
    corrected = pasted(asked.value.call)
    assert corrected.totals.cost == before.cost + 360


def test_batches_of_one_fate_are_settled_by_one_phrase(unknown_batches):
    folder = unknown_batches.folder
    with refused("confirmation_needed") as asked:
        campaign.resolve(folder, [4, 3, 3], "accepted", note="the provider's log")
    left = [(one.facts["batch"], one.facts["rows"]) for one in findings_of(asked.value)[:2]]
    assert left == [(3, "13 to 22"), (4, "23 to 32")]
    assert asked.value.phrase == "batches 3 and 4 were accepted"
    assert campaign.load_result(folder).totals["unknown"] == 30
    settled = pasted(asked.value.call)
    words = f"Settled by {user_name()}: accepted, the provider's log"
    assert settled.batches["error"].tolist()[2:4] == [words, words]
    assert (settled.totals["accepted"], settled.totals["unknown"]) == (41, 10)
    moves = len(journal_frame(LedgerFile(folder / "ledger.sqlite")))
    assert finding(pasted(asked.value.call), "settled_already").facts["batches"] == ["3", "4"]
    for others in ([2, 3], [2, 5]):
        with refused("batch_not_unknown", batch=others[-1]):
            campaign.resolve(folder, others, "accepted", confirm="batches 2 and 3 were accepted")
    assert len(journal_frame(LedgerFile(folder / "ledger.sqlite"))) == moves


def test_batches_are_ordered_again_together_and_get_their_costs_one_by_one(unknown_batches, capsys):
    folder = unknown_batches.folder
    phrase = "send batches 2, 3 and 4 again, 30 messages may arrive twice"
    with refused("cost_not_allowed"):
        campaign.resolve(folder, [2, 3], "accepted", cost=350)
    with pytest.raises(campaign.ConfirmationError):  # a list of one is as good as its number
        campaign.resolve(folder, [2], "accepted", cost=350)
    assert main(["resolve", str(folder), "2,3,4", "again"]) == 2
    assert f'confirm "{phrase}"' in capsys.readouterr().err
    assert main(["resolve", str(folder), "2,3,4", "again", "--confirm", phrase]) == 4
    assert "Settled: batches 2, 3 and 4." in capsys.readouterr().out
    result = campaign.resume(folder, progress=False)
    assert result.not_in_table["batch"].tolist() == [2] * 10 + [3] * 10 + [4] * 10
    assert finding(result, "costs_missing").facts["batches"] == [2, 3, 4]
