"""What a report says of the file, and which file is to be corrected."""

import re

import pytest
from support.small_campaigns import contacts_of, people, plan_for

import campaign


@pytest.fixture
def page_of(sandbox, tmp_path):
    """Sends a table to a campaign in which two people were greeted before, and returns its page."""
    place = {"account": sandbox, "folder": tmp_path / "visits", "progress": False}
    campaign.send(plan_for(people(2)), **place)

    def send(*rows, message="Hi {name}"):
        result = campaign.send(plan_for(contacts_of(*rows), message=message), changed="skip", **place)
        return campaign.write_report(result, tmp_path / "report.html").read_text("utf-8")

    return send


def test_remarks_on_the_file_are_counted_apart_from_those_on_earlier_texts(page_of):
    page = page_of(
        "Person 0,0772\u00a0000\u00a0000", "Person 1,0772 000 001", "Ann,12", message="Dear {name}"
    )
    (said,) = re.findall("<summary>([^<]* on the file[^<]*)</summary>", page)
    assert said == "2 remarks on the file: 1 error and 1 repair; 2 remarks on what the campaign did before"
