"""A person gives up what waits in a campaign."""

import pytest
from support.findings import codes, rows_found, to_do
from support.refusals import facts_of, findings_of, refused
from support.small_campaigns import people, plan_for

import campaign
from campaign.sending.ledger.ledger_file import LedgerFile
from campaign.sending.ledger.views import journal_frame
from campaign.words.finding import Finding
from campaign.words.python import PYTHON

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
        with refused("confirmation_needed", campaign.ConfirmationError, phrase=CLOSE) as shown:
            campaign.close(waiting, confirm=phrase)
        (left,) = findings_of(shown.value)
        assert (left.facts["messages"], left.facts["waiting"], left.facts["refused"]) == (30, 20, 10)
        assert bool(shown.value.complaint) == bool(phrase)
    assert campaign.load_result(waiting).totals["not_sent"] == 20


def test_nothing_leaves_a_closed_campaign_however_it_is_resumed(waiting, sandbox, options):
    closed = campaign.close(waiting, confirm=CLOSE)
    assert (closed.totals["accepted"], closed.totals["refused"], closed.totals["not_sent"]) == (11, 10, 20)
    sandbox.top_up(10**6)
    resumed = campaign.resume(waiting, account=sandbox, progress=False)
    assert (resumed.ending.code, rows_found(resumed)["rows_withdrawn"]) == ("nothing_left", 20)
    assert len(sandbox.inbox) == 11


def test_who_answered_stop_is_not_silently_forgotten_by_a_closed_campaign(waiting, sandbox):
    """Its plan can be sent again, and then they would get it."""
    campaign.close(waiting, confirm=CLOSE)
    with refused("opt_outs_lost", campaign.UsageError):
        campaign.resume(waiting, opt_outs=["+256772000040"], account=sandbox, progress=False)
    assert len(sandbox.inbox) == 11


def test_a_closed_campaign_says_that_only_its_plan_can_be_sent_again(waiting):
    closed = campaign.close(waiting, confirm=CLOSE)
    assert "resume" not in closed.sentence.lower()
    assert to_do(closed) == ["campaign_closed"]
    assert campaign.load_result(waiting).findings == closed.findings
    with refused("wrong_value", write="campaign.send(result.plan, name=result.name)"):
        campaign.send(closed)
    assert "rows_withdrawn" in codes(closed)
    waited = closed.contacts[closed.contacts["status"] == "not_sent"]
    assert set(waited["reason"]) == {PYTHON.headline(Finding("campaign_closed"))}


def test_what_was_ordered_again_leaves_a_closed_campaign_with_its_plan_only(tmp_path):
    with campaign.Sandbox(faults={2: "reset"}) as sandbox:
        options = {"account": sandbox, "folder": tmp_path / "visits", "batch_size": 10, "progress": False}
        result = campaign.send(plan_for(people(11)), **options)
        campaign.close(result.folder)
        phrase = "send batch 2 again, 10 messages may arrive twice"
        settled = campaign.resolve(result.folder, 2, "again", confirm=phrase)
        assert to_do(settled) == ["campaign_closed"]
        assert rows_found(settled)["rows_ordered_again"] == 10
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
    assert "campaign_reopens" in facts_of(campaign.compare(plan_for(people(41)), folder=waiting).findings)
    result = campaign.send(plan_for(people(41)), folder=waiting, **options)
    assert result.totals["accepted"] == 41
    assert "campaign_reopens" not in facts_of(campaign.compare(plan_for(people(42)), folder=waiting).findings)
    assert len(sandbox.inbox) == sandbox.inbox["number"].nunique() == 41


def test_where_nothing_waits_there_is_nothing_to_confirm(tmp_path, options):
    folder = campaign.send(plan_for(people(5)), folder=tmp_path / "visits", **options).folder
    assert campaign.close(folder).totals["accepted"] == 5


def test_a_campaign_that_is_being_sent_is_not_closed(tmp_path):
    with campaign.Sandbox(latency=0.2) as sandbox:
        run = campaign.start(
            plan_for(people(30)), account=sandbox, folder=tmp_path / "visits", batch_size=5, progress=False
        )
        with refused("campaign_open", campaign.LockedError):
            campaign.close(run.folder, confirm="close with 30 messages not sent")
        assert run.wait().totals["accepted"] == 30


def test_whom_a_closed_campaign_reached_is_left_out_elsewhere(waiting):
    with refused("campaign_not_finished", campaign.FolderError, messages=30):
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
    with refused("campaign_not_finished", messages=10):
        plan_for(people(21), "Dear {name}", not_again=folder)
    campaign.close(folder, confirm="close with 10 messages not sent")
    sandbox.top_up(10**6)
    assert campaign.resume(folder, account=sandbox, progress=False).ending.code == "nothing_left"
    others = plan_for(people(21), "Dear {name}", not_again=folder)
    assert (others.totals["duplicate"], len(others.messages)) == (11, 10)
    assert campaign.close(folder).totals["refused"] == 10
    assert campaign.send(plan_for(people(21)), folder=folder, **options).totals["accepted"] == 21


def test_closing_a_campaign_in_which_nothing_waits_says_that_it_is_closed(tmp_path, sandbox):
    folder = tmp_path / "everybody"
    sandbox.top_up(10**6)
    campaign.send(plan_for(people(3)), account=sandbox, folder=folder, progress=False)
    closed = campaign.close(folder)
    assert "campaign_closed" in codes(closed)
    assert to_do(closed) == []
    assert campaign.load_result(folder).findings == closed.findings
