"""Sending converges: what a person does with a campaign from day to day, and what leaves each time.

The first tests are the rows of the first table of the life of a campaign, one by one. Its rows about other
directories, restored backups and copied folders are in `test_user_list.py`, the budget in `test_budget.py`.
"""

import re
from decimal import Decimal

import pandas as pd
import pytest
from support.links import link_for
from support.refusals import facts_of, findings_of, refused
from support.small_campaigns import contacts_of, people, plan_for
from support.witnessed_service import HOSTS, WitnessedService, account_of

import campaign

QUIET = {"batch_size": 5, "concurrency": 1, "progress": False}


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def live(resolves_here, tmp_path):
    """The live service, at the name of another machine."""
    resolves_here(HOSTS["live"])
    with WitnessedService("live", link_for(HOSTS["live"], tmp_path)) as service:
        yield service


def fifty(*wrong):
    """Fifty people; the cells of some rows hold no number."""
    rows = (f"Person {n},{'?' if n in wrong else f'0772 000 {n:03}'}" for n in range(50))
    return contacts_of(*rows)


def send(plan, service, **options):
    return campaign.send(plan, account=service.account, name="visits", **QUIET | options)


def received(service):
    return sorted(zip(service.inbox["number"], service.inbox["text"], strict=True))


def phrase_in(error):
    return re.search(r'confirm="([^"]+)"', str(error.value))[1]


def send_live(plan, service, **options):
    """Send live with the phrase that is asked for."""
    account = account_of(service.login())
    with pytest.raises(campaign.ConfirmationError) as asked:
        campaign.send(plan, account=account, name="visits", **QUIET | options)
    return phrase_in(asked), campaign.send(
        plan, account=account, name="visits", confirm=phrase_in(asked), **QUIET | options
    )


# the first table, row by row


def test_three_wrong_numbers_are_corrected_and_three_messages_leave(sandbox):
    send(plan_for(fifty(3, 17, 40)), sandbox)
    assert len(sandbox.inbox) == 47
    result = send(plan_for(fifty()), sandbox)
    assert sandbox.inbox["number"].tolist()[47:] == ["256772000003", "256772000017", "256772000040"]
    assert result.totals["accepted"] == len(result.contacts) == 50


def test_rows_are_sorted_and_appended_and_one_opts_out_and_only_what_is_missing_leaves(sandbox):
    names = [f"Person {n}" for n in range(20)]
    rows = [f"{name},0772 000 {n:03}" for n, name in enumerate(names)]
    first = send(plan_for(contacts_of(*rows)), sandbox, budget=35 * 11)
    reached = set(sandbox.inbox["number"])
    assert first.totals["accepted"] == len(reached) == 11
    waiting = [row for row in rows if f"256772000{row[-3:]}" not in reached]
    edited = contacts_of(*sorted([*rows, "Zoe,0772 000 900"], reverse=True))
    opt_outs = ["+256772000000", f"+256772000{waiting[0][-3:]}"]
    result = send(plan_for(edited, opt_outs=opt_outs), sandbox, budget=campaign.Budget())
    numbers = sandbox.inbox["number"]
    assert not numbers.duplicated().any()
    assert set(numbers) == reached | {f"256772000{row[-3:]}" for row in waiting[1:]} | {"256772000900"}
    assert (result.totals["accepted"], result.totals["opted_out"]) == (19, 2)


def test_the_account_is_topped_up_and_everybody_is_reached_once():
    with campaign.Sandbox(balance=35 * 22) as service:
        first = send(plan_for(people(40)), service)
        assert (first.totals["accepted"], first.totals["refused"], first.totals["not_sent"]) == (21, 5, 14)
        assert first.batches["status"].iloc[first.batches_by_urgency[0]] == "refused"
        service.top_up(10**6)
        result = campaign.resume(first.folder, account=service.account, progress=False)
        assert result.totals["accepted"] == 40
        in_order = result.batches["status"].iloc[result.batches_by_urgency].tolist()
        assert (in_order[0], in_order[-1]) == ("accepted", "refused")  # nobody needs to look at that any more
        assert received(service) == [(f"256772000{n:03}", f"Hi Person {n}") for n in range(40)]


def test_a_wrong_password_then_the_right_one_reaches_everybody_once(sandbox):
    wrong = campaign.Account("local", sandbox.account.url, "sandbox", "a wrong one")
    first = campaign.send(plan_for(people(12)), account=wrong, name="visits", **QUIET)
    assert (first.totals["refused"], len(sandbox.inbox)) == (1, 0)
    result = send(plan_for(people(12)), sandbox)
    assert result.totals["accepted"] == len(sandbox.inbox) == 12


@pytest.mark.parametrize("concurrency", [1, 8, 32])
def test_a_budget_is_used_up_to_the_last_batch_that_fits(sandbox, concurrency):
    result = send(plan_for(people(300)), sandbox, budget=35 * 200, concurrency=concurrency)
    assert 195 < result.totals["accepted"] <= 200
    assert sandbox.charged <= Decimal(35 * 200)
    more = send(plan_for(people(301)), sandbox, budget=35 * 200, concurrency=concurrency)
    assert sandbox.charged <= Decimal(35 * 200)  # over the campaign's life, whatever the plan
    assert more.totals["accepted"] == len(sandbox.inbox)


def test_a_refused_first_message_lets_nothing_else_leave():
    with campaign.Sandbox(faults={1: "Invalid sender ID"}) as service:
        result = send(plan_for(people(30)), service, concurrency=8)
        assert (service.requests, len(service.inbox)) == (1, 0)
        assert (result.totals["refused"], result.totals["not_sent"]) == (1, 29)


def test_a_rehearsal_reaches_nobody(live):
    with campaign.Sandbox() as sandbox:
        rehearsal = send(plan_for(people(6)), sandbox)
    _, result = send_live(plan_for(people(6)), live)
    assert result.totals["accepted"] == len(live.inbox) == 6
    others = plan_for(people(7), not_again=rehearsal.folder)
    assert others.totals["duplicate"] == 6
    with refused("confirmation_needed") as asked:
        campaign.send(others, account=account_of(live.login()), name="others", elsewhere="send")
    assert facts_of(findings_of(asked.value))["sends_live"]["messages"] == 7
    assert len(live.inbox) == 6


def test_a_campaign_that_waits_cannot_be_left_out(sandbox):
    """Pause A, prepare B with not_again=A, send B, resume A: some would get both."""
    first = send(plan_for(people(40)), sandbox, budget=35 * 21)
    with refused("campaign_not_finished", messages=19):
        plan_for(people(40), "Hello {name}", not_again=first.folder)


def test_an_old_confirmation_is_worthless_once_the_text_is_corrected(live):
    phrase, _ = send_live(plan_for(people(6), "Hi {name}, see yuo"), live)
    for changed in ("ask", "send"):
        with pytest.raises(campaign.ConfirmationError):
            campaign.send(
                plan_for(people(6), "Hi {name}, see you"), account=account_of(live.login()), name="visits",
                confirm=phrase, changed=changed, **QUIET,
            )  # fmt: skip
    assert live.inbox["text"].tolist() == [f"Hi Person {n}, see yuo" for n in range(6)]


# what the lives have found


def test_who_has_left_the_table_was_reached_nevertheless(sandbox):
    """not_again= counts everybody whom a campaign has reached, not only those in its last table."""
    send(plan_for(people(4)), sandbox)
    first = send(plan_for(people(3), opt_outs=["+256772000000"]), sandbox)
    others = plan_for(people(5), "Hello {name}", not_again=first.folder)
    assert others.messages["number"].tolist() == ["256772000004"]
    campaign.send(others, account=sandbox.account, name="others", **QUIET)
    assert not sandbox.inbox["number"].duplicated().any()


def test_a_closed_campaign_can_be_left_out(sandbox):
    first = send(plan_for(people(10)), sandbox, budget=35 * 6)
    campaign.close(first.folder, confirm="close with 4 messages not sent")
    others = plan_for(people(10), "Hello {name}", not_again=first.folder)
    assert len(others.messages) == 4
    campaign.send(others, account=sandbox.account, name="others", **QUIET)
    assert not sandbox.inbox["number"].duplicated().any()


def test_resume_sends_nothing_that_was_closed():
    """Also where people were refused before, whom it would otherwise try again."""
    with campaign.Sandbox(faults={2: "Invalid sender ID", 3: "reset"}) as service:
        first = send(plan_for(people(20)), service)
        assert (first.totals["refused"], first.totals["not_sent"]) == (5, 9)
        campaign.close(first.folder, confirm="close with 14 messages not sent")
        result = campaign.resume(first.folder, account=service.account, progress=False)
        assert len(service.inbox) == 1
        assert result.ending.code == "nothing_left"
        with refused("opt_outs_lost"):
            campaign.resume(first.folder, opt_outs=["+256772000009"], account=service.account)
        assert len(service.inbox) == 1
        send(plan_for(people(20)), service)  # the plan itself begins anew
        assert len(service.inbox) == 15


def test_a_run_of_an_earlier_round_still_tells_its_result(sandbox):
    """In a notebook, the cell of yesterday's run is shown again."""
    yesterday = campaign.start(
        plan_for(people(9)), account=sandbox.account, name="visits", budget=35 * 6, **QUIET
    )
    yesterday.wait()
    send(plan_for(people(8)), sandbox, waiting="withdraw")
    assert len(yesterday.result.messages) == 9
    assert yesterday.result.totals["accepted"] == 6


def test_a_text_of_an_earlier_round_counts_with_its_batch_and_code(sandbox):
    send(plan_for(people(5)), sandbox)
    result = send(plan_for(people(6), opt_outs=["+256772000002"]), sandbox)
    contacts = result.contacts
    assert contacts["status"].tolist() == ["accepted"] * 2 + ["opted_out"] + ["accepted"] * 3
    assert contacts["batch"].tolist() == [1, 2, 2, 2, 2, 3]
    assert (contacts["code"] != "").all()
    assert "reached_before" in set(result.issues["code"])
    pd.testing.assert_frame_equal(contacts, campaign.load_result(result.folder).contacts)


@pytest.mark.parametrize(
    ("outcome", "phrase", "status", "arrived"),
    [
        ("refused", "batch 2 was refused", "accepted", ["Hi Person 1, see you", "Hi Person 2, see you"]),
        ("again", "send batch 2 again, 2 messages may arrive twice", "unknown", []),
    ],
)
def test_resume_sends_no_text_that_was_replaced(outcome, phrase, status, arrived):
    """Two may have got the typing mistake and keep it; where it turns out that they got nothing, they get the
    text of the table."""
    with campaign.Sandbox(faults={2: "reset"}) as service:
        send(plan_for(people(3), "Hi {name}, see yuo"), service)
        first = send(plan_for(people(3), "Hi {name}, see you"), service, changed="skip")
        assert first.contacts["status"].tolist() == ["duplicate", "unknown", "unknown"]
        campaign.resolve(first.folder, 2, outcome, confirm=phrase)
        resumed = campaign.resume(first.folder, account=service.account, progress=False)
        assert resumed.contacts["status"].tolist() == ["duplicate", status, status]
        assert service.inbox["text"].tolist() == ["Hi Person 0, see yuo", *arrived]


def test_who_is_left_out_for_another_campaign_is_still_in_the_table(sandbox):
    send(plan_for(people(4)), sandbox)
    other = campaign.send(
        plan_for(people(2), "Hello {name}"), account=sandbox.account, name="others", **QUIET
    )
    plan = plan_for(people(4), not_again=other.folder)
    assert campaign.compare(plan, account=sandbox.account, name="visits").gone == 0
    result = send(plan, sandbox)
    assert result.contacts["status"].tolist() == ["duplicate", "duplicate", "accepted", "accepted"]
    assert result.contacts["batch"].tolist() == [1, 2, 2, 2]
    assert result.issues["code"].tolist().count("reached_before") == 2


def test_a_campaign_that_has_reached_more_people_since_is_noticed(sandbox):
    first = send(plan_for(people(3)), sandbox)
    others = plan_for(people(6), "Hello {name}", not_again=first.folder)
    send(plan_for(people(5)), sandbox)
    with refused("reached_since", campaign.UsageError, people=2):
        campaign.send(others, account=sandbox.account, name="others", **QUIET)
    assert len(sandbox.inbox) == 5


def test_who_answered_stop_stays_out_when_all_cells_are_run_again(sandbox):
    """The spreadsheet does not know of the answers, and the campaign does."""
    first = send(plan_for(people(10)), sandbox, budget=35 * 6)
    waiting = first.messages.loc[first.messages["status"] == "not_sent", "number"].tolist()
    stopped = waiting[0]
    campaign.resume(
        first.folder, opt_outs=[f"+{stopped}"], account=sandbox.account, budget=35 * 7, progress=False
    )
    for plan in (plan_for(people(10)), plan_for(people(12))):
        result = send(plan, sandbox, budget=campaign.Budget())
        assert (result.totals["opted_out"], result.totals["not_sent"]) == (1, 0)
    assert stopped not in set(sandbox.inbox["number"])
    assert len(sandbox.inbox) == sandbox.inbox["number"].nunique() == 11


def test_after_an_upgrade_of_this_package_nobody_gets_it_again(sandbox, monkeypatch):
    send(plan_for(people(6)), sandbox)
    for module in ("creation", "freezing"):
        monkeypatch.setattr(f"campaign.sending.store.{module}.VERSION", "99.0.0")
    assert send(plan_for(people(7)), sandbox).totals["accepted"] == 7
    assert sorted(sandbox.inbox["number"]) == [f"25677200000{n}" for n in range(7)]


def test_a_message_ordered_again_goes_out_although_somebody_else_has_the_number_now_too():
    """A message to Grace is ordered again. Then Ben, above her, turns out to share it."""
    with campaign.Sandbox(faults={2: "reset"}) as service:
        first = send(plan_for(contacts_of("Ben,?", "Ann,0772 000 001", "Grace,0772 000 005")), service)
        assert first.contacts["status"].tolist() == ["invalid", "accepted", "unknown"]
        with pytest.raises(campaign.ConfirmationError) as asked:
            campaign.resolve(first.folder, 2, "again")
        campaign.resolve(first.folder, 2, "again", confirm=phrase_in(asked))
        shared = contacts_of("Ben,0772 000 005", "Ann,0772 000 001", "Grace,0772 000 005")
        result = send(plan_for(shared), service)
        assert received(service) == [("256772000001", "Hi Ann"), ("256772000005", "Hi Grace")]
        assert result.contacts["status"].tolist() == ["duplicate", "accepted", "accepted"]


def test_a_long_text_that_is_split_is_said_where_messages_and_people_differ(sandbox):
    table = contacts_of("Aisha,0772 000 001", f"{'Ben ' * 50},0772 000 002", "Cora,0772 000 003")
    plan = plan_for(table, overlong="split")
    options = {"account": sandbox.account, "name": "visits"}
    difference = campaign.compare(plan, **options)
    assert (difference.new, len(difference.outgoing())) == (3, 4)
    assert difference.findings[0].facts["messages"] == 4
    send(plan, sandbox)
    assert campaign.compare(plan, **options).reached == 3
