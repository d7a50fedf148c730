"""Before a campaign is sent under a new name: whom others in its folder have reached, and with which text."""

import re

import pytest

import campaign

FOUR = "name,phone\nAnn,0772000001\nBen,0772000002\nCaro,0772000003\nDan,0772000004\n"


def plan(text="Hi {name}", table=FOUR):
    contacts = campaign.read_contacts(table.encode())
    return campaign.prepare(contacts, message=text, sender="CLINIC", region="UG")


@pytest.fixture
def parents(tmp_path, monkeypatch):
    """A folder with the campaign "parents", which was rehearsed."""
    monkeypatch.chdir(tmp_path)
    return campaign.send(plan(), name="parents", progress=False)


def sentence(plan, name="parents again"):
    return campaign.compare(plan, name=name).sentence


def test_a_new_name_is_told_whom_another_campaign_reached(parents):
    day = f"{parents.batches['submitted_at'].max().tz_convert(None):%Y}"
    same = sentence(plan())
    assert same.startswith(
        "4 messages would be rehearsed: 4 new. "
        "The numbers of all 4 of these people were reached in rehearsal with this text under “parents” on "
    )
    assert same.endswith(f" {day}.")
    other = sentence(plan("Dear {name}"))
    assert " 4 of these people were reached in rehearsal with another text under “parents” on " in other
    one = sentence(plan("Hi {name}", "".join(FOUR.splitlines(keepends=True)[:2])))
    assert one.startswith(
        "1 message would be rehearsed: 1 new. "
        "The number of this person was reached in rehearsal with this text "
    )
    some = sentence(plan("Hi {name}", FOUR.replace("Ben", "Benno").replace("0772000004", "0772000005")))
    assert some.startswith(
        "4 messages would be rehearsed: 4 new. The numbers of 3 of these people were reached in rehearsal "
        "under “parents” on "
    )
    assert some.endswith(", 2 of them with this text.")
    assert sentence(plan(table="name,phone\nEve,0772000009\n")) == "1 message would be rehearsed: 1 new."


def test_the_campaign_itself_and_those_who_get_nothing_are_no_news(parents):
    assert sentence(plan(), "parents") == "Nothing would be rehearsed. Nothing more for: 4 accepted before."
    added = sentence(plan(table=f"{FOUR}Eve,0772000009\n"), "parents")
    assert added == "1 message would be rehearsed: 1 new. Nothing more for: 4 accepted before."


def test_two_people_are_both(parents):
    two = sentence(plan(table="".join(FOUR.splitlines(keepends=True)[:3])))
    assert (
        " The numbers of both of these people were reached in rehearsal with this text under “parents” on "
        in two
    )


def test_people_who_are_asked_about_are_told_too(parents):
    """Whoever decides that they get the new text as well has to know that some have it already."""
    campaign.send(plan("School closes at noon"), name="closing", progress=False)
    difference = campaign.compare(plan("School closes at noon"), name="parents")
    assert difference.questions == {"changed": 4}
    assert (
        "all 4 of these people were reached in rehearsal with this text under “closing”"
        in difference.sentence
    )


def test_several_campaigns_are_one_sentence(parents):
    for name, text, rows in (("fees", "Hi {name}", 2), ("closing", "School closes", 3), ("games", "Come", 1)):
        table = "".join(FOUR.splitlines(keepends=True)[: rows + 1])
        campaign.send(plan(text, table), name=name, progress=False)
    told = sentence(plan("Hi {name}", FOUR.replace("Ben", "Benno")))
    assert re.sub(r" on \d+ \w+ \d{4}", "", told).endswith(
        " Numbers of these people were reached in rehearsal by 4 other campaigns in this folder: 1 with "
        "another text under “games”, 3 with another text under “closing”, 2 (1 of them with this text) under "
        "“fees” and some under 1 other name."
    )


def test_rehearsals_do_not_count_for_live_and_what_cannot_be_read_is_left_out(parents, tmp_path):
    live = campaign.Account("live", "https://sms.example.org/send", "me", "secret")
    assert "under" not in campaign.compare(plan(), name="again", account=live).sentence
    (parents.folder / "manifest.json").write_text("{")
    assert "under" not in sentence(plan())


def test_whoever_wanted_no_messages_in_another_campaign_is_told_too(parents):
    contacts = campaign.read_contacts(f"{FOUR}Eve,0772000009\n".encode())
    options = {"message": "Hi {name}", "sender": "CLINIC", "region": "UG"}
    campaign.send(
        campaign.prepare(contacts, opt_outs=["0772000009"], **options), name="parents", progress=False
    )
    assert sentence(campaign.prepare(contacts, **options)).endswith(
        " 1 of these people was left out under “parents”, because they wanted no messages."
    )
    campaign.send(
        campaign.prepare(contacts, opt_outs=["0772000009"], **options), name="closing", progress=False
    )
    assert sentence(campaign.prepare(contacts.tail(1), **options)).endswith(
        " This person was left out under “closing” and under “parents”, because they wanted no messages."
    )
