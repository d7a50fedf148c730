"""The country that the numbers of a column probably belong to."""

import pandas as pd
import pytest

from campaign.contacts.phone_numbers.likely_region import (
    LikelyRegion,
    NumberColumn,
)
from campaign.contacts.phone_numbers.regions import names_of_regions


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
    assert NumberColumn(column(*numbers)).likely_region == likely


def test_every_country_has_a_name():
    regions = {name: region for region, name in names_of_regions().items()}
    assert (regions["Uganda"], regions["United Kingdom"], regions["Kenya"]) == ("UG", "GB", "KE")
    assert list(regions)[-1] == "Zimbabwe"  # and not "Åland Islands"
    assert (regions["Eswatini"], regions["North Macedonia"]) == ("SZ", "MK")
    assert (regions["Congo (Democratic Republic)"], regions["Congo (Republic)"]) == ("CD", "CG")
    assert len(set(regions.values())) == len(regions) > 200
    assert all(len(name) > 2 for name in regions)
    assert (regions["Kosovo"], regions["Ascension Island"], regions["Tristan da Cunha"]) == ("XK", "AC", "TA")


def test_how_many_numbers_a_country_makes_usable_and_an_example():
    numbers = column("0772 000 001", "0772 000 002", "+44 7700 900001", "none", "0772 000 001")
    fit = NumberColumn(numbers).fit("UG")
    assert (fit.looked_at, fit.usable, fit.best) == (3, 3, 3)  # as many as there are cells
    assert fit.example == ("0772 000 001", "256772000001")
    assert not fit.is_clearly_worse
    assert "KE" in fit.others  # Kenya writes numbers in the same way: the person has to know
    assert "UG" not in fit.others


@pytest.mark.parametrize(("region", "usable"), [("GB", 0), ("001", 0), ("UG", 40)])
def test_a_country_that_fits_clearly_worse_than_others_is_probably_a_mistake(region, usable):
    fit = NumberColumn(column(*(f"0772 000 0{n:02}" for n in range(40)))).fit(region)
    assert (fit.usable, fit.best, fit.is_clearly_worse) == (usable, 40, usable == 0)


@pytest.mark.parametrize("region", ["UG", "001"])
def test_a_country_code_without_a_plus_is_no_number_without_one(region):
    fit = NumberColumn(column("256772000003", "0772 000 001", "256 0772 000 004", "256772")).fit(region)
    assert (fit.looked_at, fit.usable, fit.with_code) == ((4, 3, 2) if region == "UG" else (4, 2, 2))
    assert fit.example[0] == ("0772 000 001" if region == "UG" else "256772000003")


def test_one_mistyped_number_makes_no_country_doubtful():
    numbers = [f"0772 000 0{n:02}" for n in range(9)]
    assert not NumberColumn(column(*numbers, "020 7946 0000")).fit("UG").is_clearly_worse


def test_numbers_with_country_codes_say_nothing_against_a_country():
    fit = NumberColumn(column("+256 772 000 001", "")).fit("FR")
    assert (fit.looked_at, fit.usable, fit.best, fit.others, fit.example) == (0, 0, 0, (), ("", ""))
    assert not fit.is_clearly_worse
