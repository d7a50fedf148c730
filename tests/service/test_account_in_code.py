"""A line that names the account which was given is copied and run as it is."""

import pytest

import campaign
from campaign.service.account_in_code import account_argument


def test_the_account_of_the_variables_is_named_by_them_and_another_one_is_to_be_filled_in(monkeypatch):
    monkeypatch.setenv("CAMPAIGN_LIVE_URL", "https://sms.example.org")
    monkeypatch.setenv("CAMPAIGN_LIVE_USERNAME", "clinic")
    clinic, school = (
        campaign.Account("live", "https://sms.example.org", name, "secret") for name in ("clinic", "school")
    )
    assert account_argument(clinic) == ('account=campaign.Account.from_environment("live")', "")
    argument, comment = account_argument(school)
    with pytest.raises(campaign.UsageError, match="account needs an Account, but got"):
        eval(f'campaign.resume("visits", {argument}){comment}')
