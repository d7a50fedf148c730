"""The line that sends the rest is copied and run as it is."""

from pathlib import Path

import pytest

import campaign
from campaign.sending.resume_call import resume_call

HERE = Path("visits")


def test_the_account_of_the_variables_is_named_by_them_and_another_one_is_to_be_filled_in(monkeypatch):
    monkeypatch.setenv("CAMPAIGN_LIVE_URL", "https://sms.example.org")
    monkeypatch.setenv("CAMPAIGN_LIVE_USERNAME", "clinic")
    account = campaign.Account("live", "https://sms.example.org", "clinic", "secret")
    assert resume_call(HERE, account, "budget=100") == (
        'campaign.resume("visits", account=campaign.Account.from_environment("live"), budget=100)'
    )
    other = resume_call(HERE, campaign.Account("live", "https://sms.example.org", "school", "secret"))
    assert other == 'campaign.resume("visits", account=...)  # the account that you sent with'
    with pytest.raises(campaign.UsageError, match="account needs an Account, but got"):
        eval(other)
