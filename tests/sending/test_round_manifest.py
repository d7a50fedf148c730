"""What a round keeps about its making, for reports and for the list of campaigns."""

import pytest
from support.small_campaigns import contacts_of, people, plan_for

import campaign
from campaign.sending.store.manifest import read_round_manifest
from campaign.sending.store.rounds import round_path


def manifest_of(folder, number=1):
    return read_round_manifest(round_path(folder, number))


def test_each_round_keeps_its_template_its_sender_and_who_sent_it(tmp_path, monkeypatch):
    for number, (user, text) in enumerate((("amina", "Hi {name}"), ("moses", "Dear {name}")), 1):
        monkeypatch.setenv("LOGNAME", user)
        campaign.send(plan_for(people(3), text), folder=tmp_path / "visits", changed="send", progress=False)
        manifest = manifest_of(tmp_path / "visits", number)
        assert (manifest.template, manifest.senders, manifest.who) == (text, ["CLINIC"], user)


def test_of_many_senders_the_most_frequent_are_kept(tmp_path):
    rows = [f"P{n},0772000{n:03},{'CLINIC' if n < 5 else f'S{n}'}" for n in range(30)]
    contacts = contacts_of(*rows, header="name,phone,sender")
    plan = campaign.prepare(contacts, message="Hi {name}", sender="{sender}", region="UG")
    campaign.send(plan, folder=tmp_path / "visits", progress=False)
    senders = manifest_of(tmp_path / "visits").senders
    assert (len(senders), senders[0]) == (10, "CLINIC")


def test_the_options_are_kept_and_no_phrase_and_no_account_among_them(tmp_path, plan):
    campaign.send(
        plan, folder=tmp_path / "visits", batch_size=2, concurrency=3, rate=500,
        budget=campaign.Budget("99.5", 7), hours="00:00-23:59 UTC", max_unknown=4, confirm="a phrase",
        takeover="another", pilot=2, progress=False,
    )  # fmt: skip
    assert manifest_of(tmp_path / "visits").options == {
        "batch_size": 2,
        "concurrency": 3,
        "rate": 500.0,
        "budget": "99.5",
        "budget_messages": 7,
        "hours": "00:00-23:59 UTC",
        "canary": True,
        "max_unknown": 4,
        "changed": "ask",
        "waiting": "ask",
        "opted_out": "ask",
        "elsewhere": "ask",
        "pilot": 2,
    }


def test_options_that_were_left_out_are_kept_as_they_were_meant(tmp_path, plan):
    campaign.send(plan, folder=tmp_path / "visits", progress=False)
    options = manifest_of(tmp_path / "visits").options
    assert [options[name] for name in ("rate", "budget", "budget_messages", "hours", "pilot")] == [None] * 5
    assert (options["batch_size"], options["canary"]) == (100, True)


@pytest.mark.parametrize("error", [OSError, KeyError])
def test_a_user_without_a_name_can_send_settle_and_close(interrupted_campaign, monkeypatch, error):
    """A container may run as a number that no list of users knows."""

    def nameless():
        raise error("getpwuid(): uid not found: 1234")

    monkeypatch.setattr("getpass.getuser", nameless)
    campaign.resolve(interrupted_campaign, 2, "accepted", confirm="batch 2 was accepted")
    closed = campaign.close(interrupted_campaign, confirm="close with 6 messages not sent")
    assert closed.totals["accepted"] == 4
