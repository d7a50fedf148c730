"""One message to oneself, before ten thousand people get theirs."""

import pytest
from support.refusals import refused

import campaign
from campaign.words.python import PYTHON

OWN = "0772 000 999"


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def plan():
    table = b"name,phone\nAisha,0772000001\nBen & Co,0772000002\n,0772000003\n"
    return campaign.prepare(
        campaign.read_contacts(table), message="Hi {name}, 10% off!", sender="SHOP", region="UG", priority=1
    )


def test_one_message_goes_to_my_own_number_only(plan):
    with campaign.Sandbox() as sandbox:
        tried = campaign.try_out(plan, sandbox.account, number=OWN, region="UG", row=3)
        inbox = sandbox.inbox
        assert inbox[["number", "text", "sender", "priority"]].to_numpy().tolist() == [
            ["256772000999", "Hi Ben & Co, 10% off!", "SHOP", "1"]
        ]
        assert tried.text == inbox["text"].iloc[0]
        assert tried.raw == inbox["raw"].iloc[0] == "Hi%20Ben%20%26%20Co%2C%2010%25%20off%21"
        assert "256772000999" not in f"{tried}{tried._repr_html_()}"


def test_the_plan_goes_out_afterwards_as_if_nothing_had_been(plan):
    with campaign.Sandbox() as sandbox:
        campaign.try_out(plan, sandbox.account, number=OWN, region="UG")
        campaign.try_out(plan, sandbox.account, number=OWN, region="UG")
        result = campaign.send(plan, account=sandbox.account, progress=False)
        assert result.totals["accepted"] == 2
        assert sandbox.inbox["number"].value_counts()["256772000999"] == 2


def test_a_service_that_does_not_decode_is_found_before_the_campaign(plan):
    with campaign.Sandbox(decode="none") as sandbox:
        tried = campaign.try_out(plan, sandbox.account, number=OWN, region="UG")
        assert sandbox.inbox["text"].iloc[0] == tried.raw != tried.text
        plain = campaign.Account("local", sandbox.account.url, "sandbox", "x", encoding="plain")
        refused = campaign.try_out(plan, plain, number=OWN, region="UG")
        assert refused.raw == refused.text


def test_what_became_of_it_is_said_of_my_own_text(plan):
    """Nobody takes it for a row of the spreadsheet."""
    with campaign.Sandbox() as sandbox:
        tried = campaign.try_out(plan, sandbox.account, number=OWN, region="UG")
        strange = campaign.Account("local", sandbox.account.url, "sandbox", "x")
        refused = campaign.try_out(plan, strange, number=OWN, region="UG")
    for shown in (str(tried), tried._repr_html_()):
        assert "The text to your own phone was accepted." in shown
        assert "only row" not in shown
    assert refused.headline.facts["status"] == "refused"
    assert PYTHON.text(refused.result.ending) in str(refused)


def test_live_asks_for_the_phrase(plan):
    live = campaign.Account("live", "https://sms.example.com", "shop", "sesame")
    with pytest.raises(campaign.ConfirmationError, match="send 1 message live"):
        campaign.try_out(plan, live, number=OWN, region="UG")


@pytest.mark.parametrize(
    ("options", "code"), [({"number": "12"}, "own_number_unusable"), ({"row": 4}, "no_message")]
)
def test_what_cannot_be_tried_is_said(plan, options, code):
    with refused(code, campaign.UsageError):
        campaign.try_out(plan, **({"number": OWN, "region": "UG"} | options))
