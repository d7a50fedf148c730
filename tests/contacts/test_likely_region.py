"""The country that the numbers of a column probably belong to."""

import pandas as pd
import pytest

from campaign.contacts.phone_numbers.likely_region import LikelyRegion, find_likely_region, regions_by_name


def column(*numbers):
    return pd.Series(numbers, dtype="str")


@pytest.mark.parametrize(
    ("numbers", "likely"),
    [
        (["+256 772 000 001", "0772 000 002", "00256 772 000 003"], LikelyRegion("UG", 2, 2)),
        (["+256 772 000 001", "+256 772 000 002", "+44 7700 900001"], LikelyRegion("UG", 2, 3)),
        (["0772 000 001", "772000002", "", "none"], None),  # nothing says which country
        (["+256 772 000 001", "+44 7700 900001"], None),  # one each
        (["+882 16 0000 0001"], None),  # of no country
        ([], None),
    ],
)
def test_the_country_of_most_numbers_with_a_country_code(numbers, likely):
    assert find_likely_region(column(*numbers)) == likely


def test_every_country_has_a_name():
    regions = regions_by_name()
    assert (regions["Uganda"], regions["United Kingdom"], regions["Kenya"]) == ("UG", "GB", "KE")
    assert list(regions) == sorted(regions)
    assert len(set(regions.values())) == len(regions) > 200
