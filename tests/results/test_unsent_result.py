"""The result of a plan before anything of it was sent."""

import campaign
from campaign.results.unsent_result import unsent_result

TABLE = b"name,phone\nAisha,0772 000 001\nBen,0772 00\nCarol,0772 000 003\n"


def plan_of(table):
    return campaign.prepare(campaign.read_contacts(table), message="Hi {name}", sender="CLINIC", region="UG")


def test_every_message_waits_and_the_rows_to_correct_can_be_written(tmp_path):
    result = unsent_result(plan_of(TABLE), name="visits")
    assert {status: count for status, count in result.totals.items() if count} == {
        "invalid": 1,
        "not_sent": 2,
    }
    assert result.messages["status"].tolist() == ["not_sent", "not_sent"]
    path = campaign.write_follow_up(result, tmp_path / "to_correct.xlsx")
    table = campaign.read_contacts(path)
    assert table["name"].tolist() == ["Ben"]
    assert table.attrs["reading"].continues.campaign == "visits"


def test_a_plan_without_messages_has_no_batch():
    result = unsent_result(plan_of(b"name,phone\nBen,0772 00\n"), name="visits")
    assert len(result.batches) == 0
    assert result.totals["invalid"] == 1
