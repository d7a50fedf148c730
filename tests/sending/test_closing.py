"""A person gives up what waits in a campaign."""

import pytest
from support.small_campaigns import people, plan_for

import campaign
from campaign.sending.ledger.ledger_file import LedgerFile
from campaign.sending.ledger.views import journal_frame

CLOSE = "close with 30 messages not sent"  # twenty wait, ten were refused


@pytest.fixture
def sandbox():
    """Out of funds after the first of three batches."""
    with campaign.Sandbox(price=35, balance=35 * 11) as service:
        yield service


@pytest.fixture
def options(sandbox):
    return {"account": sandbox, "batch_size": 10, "concurrency": 1, "progress": False}


@pytest.fixture
def waiting(tmp_path, options):
    """41 people: the first message and ten more accepted, ten refused, twenty waiting."""
    result = campaign.send(plan_for(people(41)), folder=tmp_path / "visits", **options)
    assert result.batches["status"].tolist() == ["accepted", "accepted", "refused", "not_sent", "not_sent"]
    return result.folder


def test_closing_shows_how_many_would_never_be_sent_and_asks_for_a_phrase(waiting):
    for phrase in (None, "close with 21 messages not sent"):
        with pytest.raises(campaign.ConfirmationError) as shown:
            campaign.close(waiting, confirm=phrase)
        assert "would never go out: 20 to be sent, and 10 refused." in str(shown.value)
        assert f'confirm="{CLOSE}"' in str(shown.value)
    assert campaign.load_result(waiting).totals["not_sent"] == 20


def test_nothing_leaves_a_closed_campaign_however_it_is_resumed(waiting, sandbox, options):
    closed = campaign.close(waiting, confirm=CLOSE)
    assert (closed.totals["accepted"], closed.totals["refused"], closed.totals["not_sent"]) == (11, 10, 20)
    sandbox.top_up(10**6)
    resumed = campaign.resume(waiting, account=sandbox, progress=False)
    assert "Nothing was left to send" in resumed.sentence
    assert "20 withdrawn" in resumed.sentence
    assert len(sandbox.inbox) == 11


def test_who_answered_stop_is_not_silently_forgotten_by_a_closed_campaign(waiting, sandbox):
    """Its plan can be sent again, and then they would get it."""
    campaign.close(waiting, confirm=CLOSE)
    with pytest.raises(campaign.UsageError, match="Give them as opt_outs= to prepare"):
        campaign.resume(waiting, opt_outs=["+256772000040"], account=sandbox, progress=False)
    assert len(sandbox.inbox) == 11


def test_a_closed_campaign_says_that_only_its_plan_can_be_sent_again(waiting):
    closed = campaign.close(waiting, confirm=CLOSE)
    assert "resume" not in closed.sentence.lower()
    assert "once the cause is removed, send the plan again to try them once more" in closed.sentence
    assert campaign.load_result(waiting).sentence == closed.sentence
    with pytest.raises(campaign.UsageError, match=r"use campaign\.send\(result\.plan, name=result\.name\)"):
        campaign.send(closed)
    assert (
        "The campaign was closed: to send to these people after all, send the plan again." in closed.sentence
    )
    waited = closed.contacts[closed.contacts["status"] == "not_sent"]
    assert set(waited["reason"]) == {"Not sent: the campaign was closed before."}


def test_what_was_ordered_again_leaves_a_closed_campaign_with_its_plan_only(tmp_path):
    with campaign.Sandbox(faults={2: "reset"}) as sandbox:
        options = {"account": sandbox, "folder": tmp_path / "visits", "batch_size": 10, "progress": False}
        result = campaign.send(plan_for(people(11)), **options)
        campaign.close(result.folder)
        phrase = "send batch 2 again, 10 messages may arrive twice"
        settled = campaign.resolve(result.folder, 2, "again", confirm=phrase)
        assert "The campaign was closed: send the plan to send again what you ordered" in settled.sentence
        assert "resume" not in settled.sentence.lower()
        campaign.resume(result.folder, account=sandbox, progress=False)
        assert len(sandbox.inbox) == 1
        assert campaign.send(plan_for(people(11)), **options).totals["accepted"] == len(sandbox.inbox) == 11


def test_the_journal_says_who_closed_it(waiting, monkeypatch):
    monkeypatch.setenv("LOGNAME", "amina")
    campaign.close(waiting, confirm=CLOSE)
    last = journal_frame(LedgerFile(waiting / "ledger.sqlite")).tail(3)
    assert last["now"].tolist() == ["closed", "withdrawn", "withdrawn"]
    assert set(last["note"]) == {"amina: closed"}


def test_the_plan_of_a_closed_campaign_reaches_everybody_once(waiting, sandbox, options):
    campaign.close(waiting, confirm=CLOSE)
    sandbox.top_up(10**6)
    opens_again = "The rehearsal was closed before: sending this opens it again."
    assert opens_again in campaign.compare(plan_for(people(41)), folder=waiting).sentence
    result = campaign.send(plan_for(people(41)), folder=waiting, **options)
    assert result.totals["accepted"] == 41
    assert opens_again not in campaign.compare(plan_for(people(42)), folder=waiting).sentence
    assert len(sandbox.inbox) == sandbox.inbox["number"].nunique() == 41


def test_where_nothing_waits_there_is_nothing_to_confirm(tmp_path, options):
    folder = campaign.send(plan_for(people(5)), folder=tmp_path / "visits", **options).folder
    assert campaign.close(folder).totals["accepted"] == 5


def test_a_campaign_that_is_being_sent_is_not_closed(tmp_path):
    with campaign.Sandbox(latency=0.2) as sandbox:
        run = campaign.start(
            plan_for(people(30)), account=sandbox, folder=tmp_path / "visits", batch_size=5, progress=False
        )
        with pytest.raises(campaign.LockedError, match="open in another run"):
            campaign.close(run.folder, confirm="close with 30 messages not sent")
        assert run.wait().totals["accepted"] == 30


def test_whom_a_closed_campaign_reached_is_left_out_elsewhere(waiting):
    with pytest.raises(campaign.FolderError, match="not finished: 30 messages wait or were refused"):
        plan_for(people(41), not_again=waiting)
    campaign.close(waiting, confirm=CLOSE)
    assert plan_for(people(41), not_again=waiting).totals["duplicate"] == 11


def test_whom_an_earlier_round_reached_is_left_out_elsewhere_although_no_row_names_them(tmp_path):
    with campaign.Sandbox() as sandbox:
        options = {"account": sandbox, "folder": tmp_path / "visits", "progress": False}
        campaign.send(plan_for(people(5)), **options)
        campaign.send(plan_for(people(2)), **options)
    plan = plan_for(people(6), "Dear {name}", not_again=tmp_path / "visits")
    assert (plan.totals["duplicate"], len(plan.messages)) == (5, 1)


def test_who_was_refused_gets_nothing_from_a_closed_campaign_either(tmp_path, options, sandbox):
    """Somebody else may reach them meanwhile: only a person who sends the plan again tries them once more."""
    folder = campaign.send(plan_for(people(21)), folder=tmp_path / "visits", **options).folder
    with pytest.raises(campaign.FolderError, match="10 messages wait or were refused"):
        plan_for(people(21), "Dear {name}", not_again=folder)
    campaign.close(folder, confirm="close with 10 messages not sent")
    sandbox.top_up(10**6)
    assert "Nothing was left to send" in campaign.resume(folder, account=sandbox, progress=False).sentence
    others = plan_for(people(21), "Dear {name}", not_again=folder)
    assert (others.totals["duplicate"], len(others.messages)) == (11, 10)
    assert campaign.close(folder).totals["refused"] == 10
    assert campaign.send(plan_for(people(21)), folder=folder, **options).totals["accepted"] == 21


def test_closing_a_campaign_in_which_nothing_waits_says_that_it_is_closed(tmp_path, sandbox):
    folder = tmp_path / "everybody"
    sandbox.top_up(10**6)
    campaign.send(plan_for(people(3)), account=sandbox, folder=folder, progress=False)
    closed = campaign.close(folder)
    assert closed.sentence.endswith("The campaign is closed: nothing waits in it.")
    assert campaign.load_result(folder).sentence == closed.sentence
