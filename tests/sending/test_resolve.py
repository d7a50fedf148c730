"""A person settles what nobody else can know."""

import html
import re
from decimal import Decimal

import openpyxl
import pandas as pd
import pytest
from support.pasted import pasted
from support.small_campaigns import people, plan_for

import campaign
from campaign import markup
from campaign.cli.main import main
from campaign.masking import mask_text
from campaign.notebook.error_card import question_card
from campaign.sending.ledger.ledger_file import LedgerFile
from campaign.sending.ledger.views import journal_frame
from campaign.sending.store.user_state import user_name
from campaign.text import capitalised


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
    assert "Batch 2 (10 messages) left on " in str(shown.value)
    assert "(UTC): the connection broke" in str(shown.value)  # at once, and without the class of the error
    assert "Error)" not in str(shown.value)
    assert 'confirm="batch 2 was accepted"' in str(shown.value)
    _, whom, line, *_, final = shown.value.question.split("\n")  # what to ask the provider about
    assert final.startswith("You cannot take an answer back, so ask first where you are not sure.")
    assert whom == (
        "In the sheet: 10 rows from row 3 to row 12; numbers 25677*****01, 25677*****02, 25677*****03, …"
    )
    listed = eval(line.removeprefix("To list them all: "), {"campaign": campaign})
    assert listed["row"].tolist() == [*range(3, 13)]
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
    decided = rf"Batch 2 was settled as {outcome} already, on .* 20.* \(UTC\), by {user_name()}\. "
    for confirm in (None, phrase):  # a notebook is run again, the line that asked and the one that settled
        again = campaign.resolve(interrupted_campaign, 2, outcome, confirm=confirm)
        assert re.search(decided + "Resume the campaign to send", again.sentence)
    for other in {"refused", "again"} - {outcome}:
        with pytest.raises(campaign.UsageError, match=decided + "That cannot be changed"):
            campaign.resolve(interrupted_campaign, 2, other, confirm=f"batch 2 was {other}")
    assert len(journal_frame(ledger)) == len(moves)


def test_whoever_reads_the_report_sees_that_a_person_settled_a_batch(interrupted_campaign, tmp_path):
    note = "asked 0772 000 111 at the provider"
    before = campaign.load_result(interrupted_campaign)
    purpose, line = before.ways_on[0]
    assert purpose == "To settle batch 2, once you have asked the service"
    with pytest.raises(campaign.ConfirmationError, match="Batch 2 "):
        pasted(line)
    settled = campaign.resolve(interrupted_campaign, 2, "accepted", confirm="batch 2 was accepted", note=note)
    assert before.ways_on == ()  # out of date
    words = f"settled by {user_name()}: accepted, {note}"
    assert settled.batches["error"].tolist()[:2] == ["", words]
    masked = mask_text(words)
    assert masked != words
    assert masked in settled._repr_html_()
    assert set(settled.contacts.loc[settled.contacts["batch"] == 2, "reason"]) == {""}
    page = campaign.write_report(settled, tmp_path / "report.html").read_text("utf-8")
    assert page.count(f"accepted: {capitalised(masked)}.") == 1
    sheet = openpyxl.load_workbook(campaign.write_report(settled, tmp_path / "report.xlsx"))["Batches"]
    assert masked in [line[5] for line in sheet.iter_rows(values_only=True)]


def test_the_line_that_sends_the_rest_has_the_pace_of_the_last_run(tmp_path):
    folder = tmp_path / "visits"
    with campaign.Sandbox(faults={2: "accept_reset", 3: "accept_reset"}) as service:
        options = {"account": service, "batch_size": 10, "concurrency": 1, "progress": False}
        campaign.send(plan_for(people(30)), folder=folder, rate=1000, **options)
        lines = dict(campaign.load_result(folder).ways_on)
        assert "rate=1000" in lines["To send what is left"]
        campaign.resume(folder, **options)
        settled = campaign.resolve(folder, 2, "accepted", confirm="batch 2 was accepted")
        lines = dict(settled.ways_on)
    assert "rate=" not in lines["To send what is left"]


def test_the_cost_that_a_person_gives_is_the_cost_of_the_batch(interrupted_campaign, capsys):
    confirm = "batch 2 was accepted"
    before = campaign.load_result(interrupted_campaign).totals
    with pytest.raises(campaign.UsageError, match="cost= is for a batch that was accepted"):
        campaign.resolve(interrupted_campaign, 2, "refused", cost=350)
    folder = str(interrupted_campaign)
    assert main(["resolve", folder, "2", "accepted", "--confirm", confirm, "--cost", "350.5"]) == 4
    settled = campaign.load_result(interrupted_campaign)
    assert (before.unpriced, settled.totals.unpriced) == (1, 0)
    assert settled.totals.cost == before.cost + Decimal("350.5")
    assert settled.batches["error"][1] == f"settled by {user_name()}: accepted, cost 350.5 given by hand"
    assert campaign.history(folder)["cost"].item() == settled.totals.cost
    assert "or more" not in capsys.readouterr().out
    with pytest.raises(campaign.ConfirmationError, match=r'confirm="batch 2 cost 1, not 350\.5"'):
        campaign.resolve(interrupted_campaign, 2, "accepted", confirm=confirm, cost=1)


def test_what_a_person_said_of_a_cost_is_told_as_that(interrupted_campaign, tmp_path):
    """A slip of a zero is seen before it is confirmed, and no report calls it a figure of the service."""
    folder = interrupted_campaign
    with pytest.raises(campaign.ConfirmationError, match=r"To settle it at a cost of 3,500"):
        campaign.resolve(folder, 2, "accepted", cost=3500)
    unpriced = campaign.resolve(folder, 2, "accepted", confirm="batch 2 was accepted")
    page = campaign.write_report(unpriced, tmp_path / "before.html").read_text("utf-8")
    assert "The cost of batch 2 is not known." in page
    assert (
        "Once the provider has told you, add it: with “Add this cost” on the page that sent it, or with "
        "campaign resolve and --cost." in page
    )
    with pytest.raises(campaign.ConfirmationError) as asked:
        campaign.resolve(folder, 2, "accepted", cost=3500)
    priced = pasted(asked.value.call)
    page = campaign.write_report(priced, tmp_path / "after.html").read_text("utf-8")
    assert "The cost of batch 2 is not known." not in page
    assert "reported it, and as given by hand for 1 batch" in page
    book = openpyxl.load_workbook(campaign.write_report(priced, tmp_path / "after.xlsx"))
    texts = [str(cell) for row in book["Summary"].iter_rows(values_only=True) for cell in row if cell]
    assert any("reported, and as given by hand for 1 batch: one amount" in text for text in texts)


def test_a_cost_that_was_given_wrongly_is_corrected_and_the_record_keeps_both(interrupted_campaign, capsys):
    """The lines stay in the notebook: run again, none of them brings a wrong cost back."""
    folder, before = interrupted_campaign, campaign.load_result(interrupted_campaign).totals.cost
    settle = 'result = campaign.resolve(folder, 2, "accepted", cost=3500, confirm="batch 2 was accepted")'
    lines = [settle]
    pasted(settle, folder=folder)
    for cost, known in ((350, "3,500"), (3500, "350"), (353, "3,500")):
        with pytest.raises(
            campaign.ConfirmationError, match=f"its cost is {known}: a person gave it"
        ) as asked:
            campaign.resolve(folder, 2, "accepted", cost=cost)
        lines.append(asked.value.call)
        corrected = pasted(asked.value.call)
        assert corrected.totals.cost == before + cost
    assert [re.search('confirm="([^"]+)', line)[1] for line in lines] == [
        "batch 2 was accepted",
        "batch 2 cost 350, not 3,500",
        "batch 2 cost 3,500, not 350, correction 2",
        "batch 2 cost 353, not 3,500, correction 3",
    ]
    user, moves = user_name(), journal_frame(LedgerFile(folder / "ledger.sqlite"))
    assert corrected.batches["error"][1].startswith(
        f"settled by {user}: accepted, cost 3,500 given by hand; "
    )
    assert corrected.batches["error"][1].endswith(f"; {user}: cost 353 given by hand instead of 3,500")
    assert moves["now"].tolist()[-3:] == ["priced"] * 3
    for line in lines:
        again = pasted(line, folder=folder)
        assert "Batch 2 was settled as accepted already" in again.sentence
        assert ("Its cost was corrected since: it is 353." in again.sentence) == (line != lines[-1])
    assert journal_frame(LedgerFile(folder / "ledger.sqlite")).equals(moves)
    assert campaign.load_result(folder).totals.cost == before + 353
    assert campaign.history(folder)["cost"].item() == before + 353
    confirm = "batch 2 cost 354, not 353, correction 4"
    options = ["--cost", "354", "--confirm", confirm]
    assert main(["resolve", str(folder), "2", "accepted", *options]) == 4
    assert campaign.load_result(folder).totals.cost == before + 354


def test_what_the_service_said_that_a_batch_cost_is_not_changed(interrupted_campaign):
    """Also not where a person settled the batch by the provider's list, and it named the cost."""
    with pytest.raises(campaign.UsageError, match="Batch 1 is not unknown"):
        campaign.resolve(interrupted_campaign, 1, "accepted", cost=1, confirm="batch 1 cost 1, not 350")
    rows = "".join(f"2567720{n:05d},Hi Person {n},3.5\n" for n in range(30))
    service = f"number,text,cost\n{rows}".encode()
    phrase = campaign.reconcile(interrupted_campaign, service).phrase
    listed = campaign.reconcile(interrupted_campaign, service, confirm=phrase)
    cost = listed.batches["cost"][1]
    assert cost == 35
    with pytest.raises(campaign.UsageError, match=r"Its cost is 35\.0\. That cannot be changed"):
        campaign.resolve(interrupted_campaign, 2, "accepted", cost=1)
    assert campaign.load_result(interrupted_campaign).totals.cost == listed.totals.cost


def test_a_cost_that_is_known_only_later_is_given_once(interrupted_campaign):
    """The line that a card shows settles without a cost; the bill comes at the end of the month."""
    campaign.resolve(interrupted_campaign, 2, "accepted", confirm="batch 2 was accepted")
    before = campaign.load_result(interrupted_campaign)
    assert before.totals.unpriced == 1
    assert "The cost of batch 2 is not known. Once the provider has told you, add it with" in before.sentence
    purpose, line = before.ways_on[-1]
    assert purpose == "To add the cost of batch 2, once the provider has told you"
    assert line in html.unescape(before._repr_html_())
    assert line in html.unescape(before.card_below_run)
    with pytest.raises(campaign.UsageError, match="Put the amount in the place of the dots: cost=350"):
        pasted(line)  # what has to be filled in is said
    with pytest.raises(campaign.ConfirmationError, match="was accepted, and its cost is not known") as asked:
        campaign.resolve(interrupted_campaign, 2, "accepted", cost=350, note="the bill of November")
    priced = pasted(asked.value.call)
    assert (priced.totals.unpriced, priced.totals.cost) == (0, before.totals.cost + 350)
    assert priced.totals["accepted"] == before.totals["accepted"]
    assert "not known" not in priced.sentence
    user = user_name()
    assert priced.batches["error"][1] == (
        f"settled by {user}: accepted; {user}: cost 350 given by hand, the bill of November"
    )
    last = journal_frame(LedgerFile(interrupted_campaign / "ledger.sqlite")).iloc[-1]
    assert (last["batch"], last["was"], last["now"]) == (2, "accepted", "priced")
    with pytest.raises(campaign.ConfirmationError, match='confirm="batch 2 cost 1, not 350"'):
        campaign.resolve(interrupted_campaign, 2, "accepted", confirm="batch 2 cost 1", cost=1)
    assert "was settled as accepted already" in pasted(asked.value.call).sentence
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
    assert set(reasons) == {f"settled by {user_name()}: refused"}
    assert (
        "What is refused was settled so by a person: the service does not have it. Resume" in settled.sentence
    )
    assert "says why the service refused" not in settled.sentence
    assert "The service said" not in campaign.write_report(settled, tmp_path / "report.html").read_text(
        "utf-8"
    )


def test_a_line_that_is_run_again_after_all_was_sent_advises_nothing(interrupted_campaign, sandbox):
    confirm = "batch 2 was refused"
    campaign.resolve(interrupted_campaign, 2, "refused", confirm=confirm)
    assert (
        campaign.resume(interrupted_campaign, account=sandbox.account, progress=False).totals["accepted"]
        == 30
    )
    again = campaign.resolve(interrupted_campaign, 2, "refused", confirm=confirm)
    assert "was settled as refused already" in again.sentence
    assert "Resume the campaign" not in again.sentence


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
    assert "Resume the campaign to send again what you ordered to be sent again" in settled.sentence
    assert "settle each batch with resolve" not in settled.sentence
    reasons = settled.contacts.loc[settled.contacts["status"] == "unknown", "reason"]
    assert set(reasons) == {"It is not known whether it was sent, and you ordered it to be sent again."}
    with pytest.raises(campaign.UsageError, match=r"Batch 2 was ordered to be sent again already, on "):
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
        assert "already, on " in run_again().sentence
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
        with pytest.raises(campaign.UsageError, match="were cut into other batches since"):
            campaign.resolve(tmp_path / "visits", 2, "accepted", confirm="batch 2 was accepted")
        assert campaign.load_result(tmp_path / "visits").batches["status"].tolist() == states


def test_a_batch_is_settled_otherwise_only_by_a_person_who_knows_of_all(unknown_batches):
    """Of a list, either all are settled or none."""
    folder = unknown_batches.folder
    campaign.resolve(folder, 2, "refused", confirm="batch 2 was refused")
    campaign.resolve(folder, 3, "accepted", confirm="batch 3 was accepted")
    with pytest.raises(campaign.UsageError, match="Batch 3 was settled as accepted already"):
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
    with pytest.raises(campaign.UsageError, match="The unknown batches are: 2"):
        campaign.resolve(interrupted_campaign, batch, "again", confirm="x")


def test_an_outcome_that_does_not_exist(interrupted_campaign):
    with pytest.raises(campaign.UsageError, match="'accepted', 'refused' or 'again'"):
        campaign.resolve(interrupted_campaign, 2, "delivered", confirm="x")


def test_settling_from_a_shell(interrupted_campaign, capsys):
    folder = str(interrupted_campaign)
    assert main(["status", folder]) == 4
    assert "batch 2: 10 messages unknown" in capsys.readouterr().out
    assert main(["resolve", folder, "2", "accepted"]) == 2
    assert 'confirm "batch 2 was accepted"' in capsys.readouterr().err
    assert main(["resolve", folder, "2", "accepted", "--confirm", "batch 2 was accepted"]) == 4
    assert "Batch 2 is settled" in capsys.readouterr().out


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


def page_of(result, path):
    text = campaign.write_report(result, path / "report.html").read_text("utf-8")
    return html.unescape(re.sub(r"<[^>]+>", "", text))


def test_a_report_names_only_batches_that_are_still_to_be_asked_about(unknown_batches, tmp_path):
    confirm = "send batch 2 again, 10 messages may arrive twice"
    ordered = campaign.resolve(unknown_batches.folder, 2, "again", confirm=confirm)
    resume = "Resume the campaign to send again what you ordered to be sent again."
    assert "Find out about 30 people in batches 2, 3, 4." in page_of(unknown_batches, tmp_path)
    for result in (ordered, campaign.resume(ordered.folder, progress=False)):
        page = page_of(result, tmp_path)
        assert "Find out about 20 people in batches 3, 4." in page
        assert (resume in page, resume in result.sentence) == ((result is ordered),) * 2


def test_what_was_sent_before_it_was_ordered_again_is_not_in_the_table(unknown_batches, tmp_path):
    result = sent_again(unknown_batches)
    for batch in (3, 4):
        settle = {"confirm": f"batch {batch} was accepted", "cost": 350}
        result = campaign.resolve(result.folder, batch, "accepted", **settle)
    assert result.not_in_table["batch"].tolist() == [2] * 10
    assert "Nobody needs attention." in page_of(result, tmp_path)
    book = openpyxl.load_workbook(campaign.write_report(result, tmp_path / "report.xlsx"))
    assert (
        len([*book["Messages not in the table"].iter_rows(values_only=True)]) == 2 + 10
    )  # a sentence, a header


def test_what_a_batch_cost_that_was_sent_again_can_be_given_too(unknown_batches):
    with pytest.raises(campaign.UsageError, match="cost= is for a batch that was accepted, or that was ord"):
        campaign.resolve(unknown_batches.folder, 2, "again", cost=350)
    result = sent_again(unknown_batches)
    before = result.totals
    assert "The cost of batch 2 is not known." in result.sentence
    purpose, line = result.ways_on[-1]
    assert (purpose, line.endswith('2, "again", cost=...)')) == (
        "To add the cost of batch 2, once the provider has told you", True,
    )  # fmt: skip
    with pytest.raises(campaign.UsageError, match='To add its cost, write "again" in this line'):
        campaign.resolve(result.folder, 2, "accepted", cost=350)
    with pytest.raises(
        campaign.ConfirmationError, match="was ordered to be sent again, and its cost"
    ) as asked:
        campaign.resolve(result.folder, 2, "again", cost=350)
    priced = pasted(asked.value.call)
    assert (priced.totals.unpriced, priced.totals.cost) == (before.unpriced - 1, before.cost + 350)
    assert priced.batches["status"].tolist() == result.batches["status"].tolist()
    assert priced.batches["error"].tolist() == result.batches["error"].tolist()
    assert "The cost of batch 2" not in priced.sentence
    assert campaign.history(result.folder)["cost"].item() == priced.totals.cost
    last = journal_frame(LedgerFile(result.folder / "ledger.sqlite")).iloc[-1]
    assert (last["batch"], last["was"], last["now"]) == (2, "again", "priced")
    assert "was ordered to be sent again already" in pasted(asked.value.call).sentence
    with pytest.raises(campaign.UsageError, match='To change its cost, write "again" in this line'):
        campaign.resolve(result.folder, 2, "accepted", cost=1)
    with pytest.raises(campaign.ConfirmationError) as asked:
        campaign.resolve(result.folder, 2, "again", cost=360)
    corrected = pasted(asked.value.call)
    assert corrected.totals.cost == before.cost + 360


def test_batches_of_one_fate_are_settled_by_one_phrase(unknown_batches):
    folder = unknown_batches.folder
    with pytest.raises(campaign.ConfirmationError, match="To settle them, give confirm=") as asked:
        campaign.resolve(folder, [4, 3, 3], "accepted", note="the provider's log")
    lines = asked.value.question.split("\n")
    assert [line.partition(" left on ")[0] for line in lines[::2][:2]] == [
        "Batch 3 (10 messages)", "Batch 4 (10 messages)",
    ]  # fmt: skip
    assert lines[1].startswith("In the sheet: 10 rows from row 13 to row 22; numbers ")
    listed = eval(lines[4].removeprefix("To list them all: "), {"campaign": campaign})
    assert listed["row"].tolist() == [*range(13, 33)]
    assert asked.value.phrase == "batches 3 and 4 were accepted"
    assert campaign.load_result(folder).totals["unknown"] == 30
    settled = pasted(asked.value.call)
    words = f"settled by {user_name()}: accepted, the provider's log"
    assert settled.batches["error"].tolist()[2:4] == [words, words]
    assert (settled.totals["accepted"], settled.totals["unknown"]) == (41, 10)
    moves = len(journal_frame(LedgerFile(folder / "ledger.sqlite")))
    assert "Batches 3 and 4 were settled as accepted already, on " in pasted(asked.value.call).sentence
    for others, words in (
        ([2, 3], "Batch 3 was settled as accepted already"),
        ([2, 5], "Batch 5 is not unk"),
    ):
        with pytest.raises(campaign.UsageError, match=words):
            campaign.resolve(folder, others, "accepted", confirm="batches 2 and 3 were accepted")
    assert len(journal_frame(LedgerFile(folder / "ledger.sqlite"))) == moves


def test_batches_are_ordered_again_together_and_get_their_costs_one_by_one(unknown_batches, capsys):
    folder = unknown_batches.folder
    phrase = "send batches 2, 3 and 4 again, 30 messages may arrive twice"
    with pytest.raises(campaign.UsageError, match="cost= is for a single batch"):
        campaign.resolve(folder, [2, 3], "accepted", cost=350)
    with pytest.raises(campaign.ConfirmationError):  # a list of one is as good as its number
        campaign.resolve(folder, [2], "accepted", cost=350)
    assert main(["resolve", str(folder), "2,3,4", "again"]) == 2
    assert f'confirm "{phrase}"' in capsys.readouterr().err
    assert main(["resolve", str(folder), "2,3,4", "again", "--confirm", phrase]) == 4
    assert "Batches 2, 3 and 4 are settled." in capsys.readouterr().out
    result = campaign.resume(folder, progress=False)
    assert result.not_in_table["batch"].tolist() == [2] * 10 + [3] * 10 + [4] * 10
    assert "The cost of batch 2 and 2 other batches is not known." in result.sentence
