"""The whole live path, over TLS, to a name that means this machine."""

import re

import pandas as pd
import pytest
from support.foreign_servers import aiohttp_web
from support.links import link_for
from support.refusals import facts_of, findings_of

import campaign

NAME = "sms.example.com"


@pytest.fixture
def service(resolves_here, tmp_path):
    """A service at the live address, with a certificate for its name."""
    resolves_here(NAME)
    link = link_for(NAME, tmp_path)
    with aiohttp_web(link) as service:
        service.account = campaign.Account(
            "live", f"https://{NAME}:{service.port}", "clinic", "only-for-tests", ca_file=link.ca_file
        )
        yield service


@pytest.fixture
def plan():
    """Ten messages whose texts tell the service to accept each batch of one."""
    table = pd.DataFrame({"phone": [f"+44770090010{n}" for n in range(10)], "n": [str(n) for n in range(10)]})
    return campaign.prepare(table, message="accept-{n}", sender="CLINIC", region="GB")


def send(plan, service, folder, confirm):
    return campaign.send(
        plan, account=service.account, folder=folder, batch_size=1, confirm=confirm, progress=False
    )


def phrase_in(error):
    return re.search(r'confirm="([^"]+)"', str(error))[1]


def test_the_right_phrase_sends_everything_once_and_any_other_nothing(service, plan, tmp_path):
    folder = tmp_path / "visits"
    with pytest.raises(campaign.ConfirmationError) as asked:
        send(plan, service, folder, confirm=None)
    phrase = phrase_in(asked.value)
    for wrong in ("", "yes", phrase.upper(), phrase + ".", phrase.replace("10", "9"), f" {phrase}"):
        with pytest.raises(campaign.ConfirmationError):
            send(plan, service, folder, confirm=wrong)
    assert (service.accepted, service.requests) == ([], 0)

    result = send(plan, service, folder, confirm=phrase)
    assert sorted(service.accepted) == list("0123456789")
    assert result.messages["status"].tolist() == ["accepted"] * 10
    assert sorted(result.messages["code"]) == list("0123456789")
    assert result.environment == "live"

    again = send(plan, service, folder, confirm=phrase)  # the same once more is nothing more
    assert again.messages["status"].tolist() == ["accepted"] * 10
    assert service.requests == 10


def test_a_column_of_consent_that_leaves_out_nobody_is_named_before_the_phrase(service, tmp_path):
    table = pd.DataFrame(
        {"phone": ["+447700900100", "+447700900101"], "n": ["0", "1"], "Consent": ["yes", "no"]}
    )
    of = {"message": "accept-{n}", "sender": "CLINIC", "region": "GB"}
    with pytest.raises(campaign.ConfirmationError) as asked:
        send(campaign.prepare(table, **of), service, tmp_path / "visits", confirm=None)
    assert facts_of(findings_of(asked.value))["unused_marks"]["column"] == "Consent"
    without = campaign.prepare(table, **of, opt_outs=table["Consent"].map({"yes": False, "no": True}))
    with pytest.raises(campaign.ConfirmationError) as asked:
        send(without, service, tmp_path / "visits", confirm=None)
    assert "unused_marks" not in facts_of(findings_of(asked.value))
    send(without, service, tmp_path / "visits", confirm=phrase_in(asked.value))
    assert service.accepted == ["0"]


def test_the_report_says_live(service, plan, tmp_path):
    with pytest.raises(campaign.ConfirmationError) as asked:
        send(plan, service, tmp_path / "visits", confirm=None)
    result = send(plan, service, tmp_path / "visits", confirm=phrase_in(asked.value))
    page = campaign.write_report(result, tmp_path / "report.html").read_text("utf-8")
    assert '<p class="where live">LIVE</p>' in page
    assert "sandbox" not in page


def test_without_the_certificate_nothing_leaves(service, plan, tmp_path):
    """The system's authorities do not vouch for it, and no switch turns that off."""
    account = campaign.Account("live", service.account.url, "clinic", "only-for-tests")
    with pytest.raises(campaign.ConfirmationError) as asked:
        campaign.send(plan, account=account, folder=tmp_path / "visits", progress=False)
    result = campaign.send(
        plan, account=account, folder=tmp_path / "visits", progress=False, confirm=phrase_in(asked.value)
    )
    assert result.messages["status"].tolist() == ["not_sent"] * 10
    assert service.requests == 0


@pytest.mark.parametrize("old", ["yes", "send 10 messages live 4e1d"])
def test_a_phrase_that_does_not_fit_is_said_beside_the_one_that_does(old, plan, service, tmp_path):
    with pytest.raises(campaign.ConfirmationError) as first:
        send(plan, service, tmp_path / "visits", None)
    with pytest.raises(campaign.ConfirmationError) as again:
        send(plan, service, tmp_path / "visits", old)
    assert facts_of(findings_of(first.value))["sends_live"]["messages"] == 10
    assert (again.value.question, again.value.phrase) == (first.value.question, first.value.phrase)
    assert (first.value.complaint, again.value.complaint in str(again.value)) == ("", True)
