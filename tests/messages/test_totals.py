"""The totals of a plan: a mapping that cannot be changed, and a sentence for none, one and many."""

import copy
import dataclasses
import pickle

import pytest

from campaign.contract import STATUSES
from campaign.messages.totals import Totals, totals_table


def totals(messages=0, countries=None, **statuses):
    return Totals(
        statuses,
        messages=messages,
        gsm7=messages,
        ucs2=0,
        longest=5 * bool(messages),
        countries=countries or {},
    )


def test_the_finding_has_what_is_ready_and_what_is_not():
    counted = totals(2000, not_sent=2000, opted_out=1, blank=1234)
    assert counted.finding.facts == {
        "messages": 2000, "parts": 2000, "rows": 3235, "excluded": ["1,234 blank", "1 opted out"],
    }  # fmt: skip


def test_totals_are_a_mapping_over_all_statuses_in_order():
    counted = totals(2, invalid=1, not_sent=2)
    assert list(counted) == list(STATUSES)
    assert dict(counted) == {**dict.fromkeys(STATUSES, 0), "invalid": 1, "not_sent": 2}
    assert counted == dict(counted)
    assert (len(counted), counted.rows) == (8, 3)
    assert repr(counted) == "Totals(3 rows: invalid 1, not_sent 2; 2 messages, 2 parts)"
    assert repr(totals()) == "Totals(0 rows: none; 0 messages, 0 parts)"


def test_totals_never_change():
    counted = totals(1, {"UG": 1}, not_sent=1)
    counted.countries["UG"] = 5  # a copy
    counted.statuses["not_sent"] = 5
    assert counted.countries == {"UG": 1}
    assert counted["not_sent"] == 1
    for name in ("messages", "rows", "parts", "countries", "new"):
        with pytest.raises(AttributeError):
            setattr(counted, name, 5)


def test_totals_survive_a_manifest_a_pickle_and_a_copy():
    counted = totals(3, {"UG": 2, "KE": 1}, not_sent=3, blank=1)
    for other in (
        Totals.from_record(counted.as_record()),
        pickle.loads(pickle.dumps(counted)),
        copy.deepcopy(counted),
        dataclasses.replace(counted),
    ):
        assert other.as_record() == counted.as_record()
    assert counted.as_record() == {
        "statuses": dict(counted), "messages": 3, "gsm7": 3, "ucs2": 0, "longest": 5,
        "countries": {"UG": 2, "KE": 1},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("gsm7", "ucs2", "sentence"),
    [
        (3, 0, "71 of 160 characters"),
        (0, 6, "71 characters; one part holds 70 in UCS-2"),
        (2, 2, "71 characters; one part holds 160, or 70 in UCS-2"),
    ],
)
def test_the_longest_text_stands_beside_the_room_of_one_part_in_its_alphabet(gsm7, ucs2, sentence):
    counted = dataclasses.replace(totals(3, {"UG": 3}, not_sent=3), gsm7=gsm7, ucs2=ucs2, longest=71)
    assert f">{sentence}<" in totals_table(counted)


def test_five_countries_are_named_and_the_others_counted():
    countries = {"UG": 9, "KE": 8, "": 7, "TZ": 6, "RW": 5, "GB": 4, "US": 3}
    assert "UG 9, KE 8, ? 7, TZ 6, RW 5 and 2 more" in totals_table(totals(42, countries, not_sent=42))
