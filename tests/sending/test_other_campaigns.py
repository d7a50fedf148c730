"""Whoever has this very text from another campaign gets it again only if a person says so."""

import shutil
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from support.live_service import LiveService, start_live
from support.refusals import facts_of, findings_of, refused
from support.small_campaigns import people, plan_for

import campaign
from campaign.sending.rounds import other_campaigns

QUIET = {"progress": False, "batch_size": 4}


@pytest.fixture
def service(resolves_here, monkeypatch):
    with start_live(resolves_here, monkeypatch) as sandbox:
        yield LiveService(sandbox)


@pytest.fixture(autouse=True)
def desk(tmp_path, monkeypatch):
    """A person's working directory."""
    path = tmp_path / "desk"
    path.mkdir()
    monkeypatch.chdir(path)
    return path


def send(plan, service, name, account=None, **options):
    """Send live, as a person does who types the phrase that is asked for."""
    options = {**QUIET, "account": account or service.account, "name": name, **options}
    with pytest.raises(campaign.ConfirmationError) as question:
        campaign.send(plan, **options)
    return campaign.send(plan, confirm=question.value.phrase, **options)


def asked(plan, service, name, **options):
    """What is asked before anything leaves: how many people each question is about, and what is found."""
    before = len(service.numbers)
    with pytest.raises(campaign.ConfirmationError) as question:
        campaign.send(plan, account=service.account, name=name, **QUIET, **options)
    assert len(service.numbers) == before
    return question.value.questions, findings_of(question.value)


def is_free(plan, service, name, account=None):
    """Whether only the phrase is asked for."""
    with pytest.raises(campaign.ConfirmationError) as question:
        campaign.send(plan, account=account or service.account, name=name, **QUIET)
    return question.value.questions == {}


def let_days_pass(days, monkeypatch):
    class Later(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) + timedelta(days=days)

    monkeypatch.setattr(other_campaigns, "datetime", Later)


def test_a_spreadsheet_saved_under_another_name_goes_on_with_its_campaign(service):
    send(plan_for(people(6)), service, "visits")
    questions, found = asked(plan_for(people(8)), service, "visits_v2")
    assert questions == {"elsewhere": 6}
    assert facts_of(found)["text_elsewhere"] == {
        "people": 6, "campaign": "visits", "states": ["6 accepted"],
        "folder": str(Path("campaigns", "visits")),
    }  # fmt: skip
    assert not Path("campaigns/visits_v2").exists()
    result = send(plan_for(people(8)), service, "visits")
    assert result.totals["accepted"] == len(service.numbers) == len({*service.numbers}) == 8


def test_a_person_may_send_it_to_them_again(service):
    send(plan_for(people(6)), service, "visits")
    send(plan_for(people(8)), service, "visits_v2", elsewhere="send")
    assert len(service.numbers) == 14
    again = campaign.send(plan_for(people(8)), account=service.account, name="visits_v2", **QUIET)
    assert again.nothing_sent  # and nothing is asked
    assert len(service.numbers) == 14


def test_another_text_and_other_people_are_not_asked_about(service):
    send(plan_for(people(6)), service, "visits")
    assert is_free(plan_for(people(6), "Thank you, {name}"), service, "thanks")
    assert is_free(plan_for(people(9).tail(3)), service, "more visits")


def test_a_week_later_it_is_a_reminder(service, monkeypatch):
    send(plan_for(people(6)), service, "visits")
    let_days_pass(5.9, monkeypatch)
    assert asked(plan_for(people(6)), service, "visits_v2")[0] == {"elsewhere": 6}
    let_days_pass(7, monkeypatch)
    assert send(plan_for(people(6)), service, "visits_v2").totals["accepted"] == 6


def is_unread(found):
    """Whether a campaign cannot be read."""
    return "campaign_unreadable" in facts_of(found)


def test_a_campaign_of_before_is_not_even_read(service, monkeypatch):
    folder = send(plan_for(people(6)), service, "visits").folder
    next(folder.glob("rounds/*/plan/part-*")).write_bytes(b"")
    assert is_unread(asked(plan_for(people(6)), service, "others")[1])
    let_days_pass(7, monkeypatch)
    assert not is_unread(asked(plan_for(people(6)), service, "others")[1])


def test_a_phrase_does_not_fit_once_a_campaign_beside_cannot_be_read(service):
    ledger = send(plan_for(people(3)), service, "visits").folder / "ledger.sqlite"
    others, options = plan_for(people(6).tail(3)), {"account": service.account, "name": "others", **QUIET}
    with pytest.raises(campaign.ConfirmationError) as question:
        campaign.send(others, **options)
    send(plan_for(people(6)), service, "visits")  # a colleague adds these people there
    ledger.write_bytes(b"damaged")
    with refused("confirmation_needed", campaign.ConfirmationError) as now:
        campaign.send(others, confirm=question.value.phrase, **options)
    assert is_unread(findings_of(now.value))
    assert len(service.numbers) == 6
    campaign.send(others, confirm=now.value.phrase, **options)
    assert len(service.numbers) == 9  # a person has seen it, and sends nevertheless


def test_a_campaign_whose_folder_another_one_has_now_is_named(service, monkeypatch):
    """A person who deletes the folder and sends from it under another name, as many notebooks do."""
    options = {"account": service.account, "name": "visits_v2", "folder": "out", **QUIET}
    shutil.rmtree(send(plan_for(people(3)), service, "visits", folder="out").folder)
    asked = question_of(plan_for(people(3)), **options)
    assert facts_of(findings_of(asked))["campaign_unreadable"]["folder"].endswith("out")
    campaign.send(plan_for(people(3)), confirm=asked.phrase, **options)
    for more in (options, options | {"name": "others", "folder": "others"}):
        assert is_unread(findings_of(question_of(plan_for(people(5).tail(2)), **more)))
    let_days_pass(7, monkeypatch)
    assert is_free(plan_for(people(5).tail(2)), service, "others")
    assert not is_unread(findings_of(question_of(plan_for(people(5).tail(2)), **options)))


def question_of(plan, **options):
    with pytest.raises(campaign.ConfirmationError) as question:
        campaign.send(plan, **options)
    return question.value


def test_whoever_waits_elsewhere_is_asked_about_however_long(service, monkeypatch):
    plan = plan_for(people(6))
    send(plan, service, "visits", pilot=2)
    let_days_pass(30, monkeypatch)
    questions, found = asked(plan, service, "visits_v2")
    assert questions == {"elsewhere": 4}
    assert facts_of(found)["text_elsewhere"]["states"] == ["4 waiting"]


def test_going_on_with_what_waits_is_asked_about_once_another_campaign_has_sent_it(service):
    plan = plan_for(people(6))
    first = send(plan, service, "visits", pilot=2).folder
    send(plan, service, "visits_v2", elsewhere="send")
    with pytest.raises(campaign.ConfirmationError) as question:
        campaign.resume(first, account=service.account, progress=False)
    assert question.value.questions == {"elsewhere": 4}
    assert len(service.numbers) == 8


def test_a_closed_campaign_has_nothing_waiting(service):
    plan = plan_for(people(6))
    first = send(plan, service, "visits", pilot=2)
    campaign.close(first.folder, confirm="close with 4 messages not sent")
    assert asked(plan, service, "visits_v2")[0] == {"elsewhere": 2}


def test_what_is_unknown_elsewhere_is_asked_about_however_long(resolves_here, monkeypatch):
    with start_live(resolves_here, monkeypatch, faults={2: "accept_reset"}) as sandbox:
        service = LiveService(sandbox)
        send(plan_for(people(5)), service, "visits")
        questions, found = asked(plan_for(people(5)), service, "visits_v2")
        assert questions == {"elsewhere": 5}
        assert facts_of(found)["text_elsewhere"]["states"] == ["1 accepted", "4 unknown"]
        let_days_pass(30, monkeypatch)
        assert asked(plan_for(people(5)), service, "visits_v2")[0] == {"elsewhere": 4}


def test_whoever_may_have_been_reached_today_counts_in_the_phrase(resolves_here, monkeypatch):
    with start_live(resolves_here, monkeypatch, faults={2: "accept_reset"}) as sandbox:
        service = LiveService(sandbox)
        send(plan_for(people(5)), service, "visits")
        with pytest.raises(campaign.ConfirmationError) as question:
            campaign.send(plan_for(people(5), "Thanks"), account=service.account, name="thanks", **QUIET)
        assert question.value.phrase.endswith(", 5 people for the second time in 24 hours")


def test_what_is_ordered_again_elsewhere_is_asked_about_however_long(resolves_here, monkeypatch):
    with start_live(resolves_here, monkeypatch, faults={1: "accept_reset"}) as sandbox:
        service = LiveService(sandbox)
        folder = send(plan_for(people(3)), service, "visits", canary=False).folder
        with pytest.raises(campaign.ConfirmationError) as question:
            campaign.resolve(folder, 1, "again")
        campaign.resolve(folder, 1, "again", confirm=question.value.phrase)
        let_days_pass(30, monkeypatch)
        questions, found = asked(plan_for(people(3)), service, "visits_v2")
        assert questions == {"elsewhere": 3}
        assert facts_of(found)["text_elsewhere"]["states"] == ["3 unknown"]


def test_whom_the_service_refused_there_nobody_asks_about(resolves_here, monkeypatch):
    with start_live(resolves_here, monkeypatch, faults={1: "Invalid sender ID"}) as sandbox:
        service = LiveService(sandbox)
        send(plan_for(people(1)), service, "visits")
        assert is_free(plan_for(people(1)), service, "visits_v2")


def test_a_campaign_in_another_directory_is_found_by_the_users_list(service, tmp_path, monkeypatch):
    send(plan_for(people(6)), service, "visits")
    (tmp_path / "downloads").mkdir()
    monkeypatch.chdir(tmp_path / "downloads")
    questions, found = asked(plan_for(people(6)), service, "visits_v2")
    assert questions == {"elsewhere": 6}
    folder = facts_of(found)["text_elsewhere"]["folder"]
    assert Path(folder) == tmp_path / "desk" / "campaigns" / "visits"
    place = {"account": service.account, "name": "visits", "folder": folder}  # as the question says
    going_on = campaign.send(plan_for(people(6)), **QUIET, **place)
    assert going_on.totals["accepted"] == len(service.numbers) == 6


def test_a_folder_that_is_not_on_the_list_counts_where_it_lies_beside(service, tmp_path, monkeypatch):
    send(plan_for(people(6)), service, "visits")
    monkeypatch.setenv("CAMPAIGN_STATE_DIR", str(tmp_path / "another state"))
    assert asked(plan_for(people(6)), service, "visits_v2")[0] == {"elsewhere": 6}


def test_a_copy_of_the_campaign_is_no_other_one(service):
    plan = plan_for(people(6))
    folder = send(plan, service, "visits", pilot=2).folder
    shutil.copytree(folder, folder.with_name("visits of Monday"))
    assert send(plan, service, "visits").totals["accepted"] == len(service.numbers) == 6


def test_another_account_is_asked_nothing(service):
    send(plan_for(people(6)), service, "visits")
    assert is_free(plan_for(people(6)), service, "visits_v2", service.account_as("reception"))


def test_rehearsals_and_live_campaigns_know_nothing_of_each_other(service):
    plan = plan_for(people(3))
    campaign.send(plan, name="visits", progress=False)
    send(plan, service, "visits_v2")
    live = campaign.compare(plan, name="visits_v3", account=service.account).findings
    rehearsal = campaign.compare(plan, name="visits_v3").findings
    assert names_of(live) == ["visits_v2"]
    assert names_of(rehearsal) == ["visits"]


def names_of(findings):
    """The campaigns from which people have this text."""
    return [one.facts["campaign"] for one in findings if one.code == "text_elsewhere"]


def test_a_message_that_was_tried_out_is_no_campaign(service):
    with pytest.raises(campaign.ConfirmationError) as question:
        campaign.try_out(plan_for(people(1)), service.account, number="0772 000 000", region="UG")
    campaign.try_out(
        plan_for(people(1)), service.account, number="0772 000 000", region="UG",
        confirm=question.value.phrase,
    )  # fmt: skip
    assert is_free(plan_for(people(1)), service, "visits")


def test_everything_is_asked_at_once(service):
    send(plan_for(people(3)), service, "visits")
    send(plan_for(people(3), "Thank you, {name}"), service, "thanks")
    plan = plan_for(people(5))
    assert asked(plan, service, "thanks")[0] == {"changed": 3, "elsewhere": 3}
    assert asked(plan, service, "thanks", changed="send")[0] == {"elsewhere": 3}
    send(plan, service, "thanks", changed="skip")  # two new people, of whom no campaign knows
    assert len(service.numbers) == 8


def test_several_campaigns_are_named(service):
    send(plan_for(people(2)), service, "Monday")
    send(plan_for(people(6).tail(4)), service, "Tuesday")
    questions, found = asked(plan_for(people(6)), service, "visits")
    assert questions == {"elsewhere": 6}
    assert sorted(names_of(found)) == ["Monday", "Tuesday"]


def test_a_plan_in_parts_is_asked_about_likewise(service, tmp_path):
    rows = "".join(f"Person {n},0772 000 {n:03}\n" for n in range(6))
    (tmp_path / "visits_v2.csv").write_text(f"name,phone\n{rows}")
    send(plan_for(people(6)), service, "visits")
    plan = campaign.prepare(
        tmp_path / "visits_v2.csv", message="Hi {name}", sender="CLINIC", region="UG", stream=True
    )
    assert asked(plan, service, "visits_v2")[0] == {"elsewhere": 6}


@pytest.mark.parametrize("what", ["manifest.json", "ledger.sqlite"])
def test_one_that_cannot_be_read_is_named(service, what):
    folder = send(plan_for(people(3)), service, "visits").folder
    (folder / what).write_text("{")
    for name in ("visits_v2", "visits_v3"):  # the person looks at it and may go on
        assert is_unread(asked(plan_for(people(3)), service, name)[1])
    difference = campaign.compare(plan_for(people(3)), name="visits_v2", account=service.account)
    assert facts_of(difference.findings)["campaign_unreadable"]["folder"] == str(folder)


def test_an_erased_campaign_is_named_as_long_as_it_may_matter(service, monkeypatch):
    folder = send(plan_for(people(3)), service, "visits").folder
    with pytest.raises(campaign.ConfirmationError) as question:
        campaign.erase(folder)
    campaign.erase(folder, confirm=question.value.phrase)
    assert is_unread(asked(plan_for(people(3)), service, "visits_v2")[1])
    let_days_pass(7, monkeypatch)
    assert not is_unread(asked(plan_for(people(3)), service, "visits_v2")[1])


def test_a_folder_that_was_deleted_is_named_for_six_days(service, monkeypatch):
    shutil.rmtree(send(plan_for(people(3)), service, "visits").folder)
    assert is_unread(asked(plan_for(people(3)), service, "visits_v2")[1])
    let_days_pass(7, monkeypatch)
    assert not is_unread(asked(plan_for(people(3)), service, "visits_v2")[1])


def test_a_rehearsal_says_it_and_asks_nothing():
    plan = plan_for(people(4))
    campaign.send(plan, name="visits", progress=False)
    found = campaign.compare(plan, name="visits_v2").findings
    assert (found[0].facts["messages"], names_of(found)) == (4, ["visits"])
    run = campaign.start(plan, name="visits_v2", progress=False)
    assert run.wait().totals["accepted"] == 4
    assert names_of(run.comparison) == ["visits"]
    assert "visits_v2" not in names_of(campaign.compare(plan, name="visits_v2").findings)


def test_whoever_decides_on_another_text_is_told_too():
    campaign.send(plan_for(people(4)), name="visits", progress=False)
    campaign.send(plan_for(people(4), "School closes at noon"), name="closing", progress=False)
    told = campaign.compare(plan_for(people(4), "School closes at noon"), name="visits")
    assert told.questions == {"changed": 4}
    assert names_of(told.findings) == ["closing"]


def test_the_day_of_the_phrase_counts_whatever_the_text(service, monkeypatch):
    """A time in the future counts: the clock was wrong then, or is wrong now."""
    send(plan_for(people(3)), service, "visits")
    for days, counts in ((0.9, True), (1.1, False), (-3, True)):
        let_days_pass(days, monkeypatch)
        with pytest.raises(campaign.ConfirmationError) as question:
            campaign.send(plan_for(people(5), "Bye {name}"), account=service.account, name="bye", **QUIET)
        assert question.value.phrase.endswith(", 3 people for the second time in 24 hours") == counts
