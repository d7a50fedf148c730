"""What a campaign has sent, and today's table does not name: one count, one cost, one frame."""

from decimal import Decimal

import numpy as np
import openpyxl
import pandas as pd
import pytest
from support.findings import codes, finding
from support.small_campaigns import contacts_of

import campaign
from campaign.results.tables import Result

OUTSIDE = "Messages not in the table"
TABLE = ["José,0772000001,12500,Gulu", "Ben,0772000002,1,Soroti", "Cat,0772000003,1,Gulu",
         "Eve,0772000005,1,Gulu"]  # fmt: skip
CHANGED = "José,0772000001,99999,Gulu"


@pytest.fixture(autouse=True)
def desk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CAMPAIGN_STATE_DIR", str(tmp_path / "state"))


def plan_of(*rows, overlong="flag", **options):
    contacts = contacts_of(*rows, header="name,phone,amount,district")
    return campaign.prepare(
        contacts, message="{name}: {amount}", sender="CLINIC", region="UG", overlong=overlong, **options
    )


def send(*rows, changed="ask", account=None, duplicates="skip", **options):
    plan = plan_of(*rows, duplicates=duplicates, **options)
    return campaign.send(plan, name="fees", account=account, changed=changed, canary=False, progress=False)


def outside_of(result):
    return result.not_in_table[["round", "batch", "number", "text"]].to_numpy().tolist()


def costs_add_up(result):
    shares = result.by("district")["cost_share"]
    return sum(cost for cost in shares if cost is not None) == result.totals.cost


def test_an_earlier_text_and_one_to_a_person_who_left_the_table():
    send(*TABLE)
    sent = send(CHANGED, *TABLE[1:3], changed="send")
    for result in (sent, campaign.load_result(sent.folder)):
        assert outside_of(result) == [
            [1, 1, "256772000001", "José: 12500"], [1, 1, "256772000005", "Eve: 1"],
        ]  # fmt: skip
        assert (result.outside.count, result.outside.cost) == (2, Decimal(70))
        assert finding(result, "messages_not_in_table").facts["messages"] == 2
        assert result.by("district").iloc[-1][["rows", "cost_share"]].tolist() == [0, 70]
        assert costs_add_up(result)


def test_the_table_names_everything_where_nobody_left_it():
    result = send(*TABLE)
    assert result.not_in_table.empty
    assert list(result.not_in_table) == ["round", "batch", "number", "text"]
    assert "messages_not_in_table" not in codes(result)
    assert not result.by("district").index.isna().any()


def test_nothing_is_read_where_the_table_names_all_messages():
    def recorded(*_):
        pytest.fail("read")

    sent = send(*TABLE)
    assert Result(sent.plan, sent.batches, environment="local", recorded=recorded).outside.count == 0


def test_who_keeps_an_earlier_text_is_in_the_table():
    send(*TABLE)
    result = send(CHANGED, *TABLE[1:], changed="skip")
    assert result.contacts.at[2, "why"] == "earlier_text"
    assert result.not_in_table.empty
    assert result.by("district")["cost_share"].to_dict() == {"Gulu": 105, "Soroti": 35}


def test_who_opted_out_since_is_in_the_table():
    send(*TABLE)
    result = send(*TABLE, opt_outs=pd.Series(["+256772000003"], dtype="str"))
    assert result.contacts.at[4, "status"] == "opted_out"
    assert result.contacts.at[4, "batch"] == 1
    assert result.not_in_table.empty
    assert result.by("district")["cost_share"].to_dict() == {"Gulu": 105, "Soroti": 35}


def test_a_cell_that_was_reached_as_another_number_does_not_name_that_message():
    """Ben's cell is read as Kenyan now: the Ugandan number is in no row."""
    send(*TABLE[:2], "Ben,0712000002,1,Soroti")
    plan = campaign.prepare(
        contacts_of("Ben,0712000002,1,Soroti", header="name,phone,amount,district"),
        message="{name}: {amount}", sender="CLINIC", region="KE",
    )  # fmt: skip
    result = campaign.send(plan, name="fees", changed="skip", progress=False)
    assert result.contacts["why"].tolist() == ["other_number"]
    assert sorted(result.not_in_table["number"]) == ["256712000002", "256772000001", "256772000002"]
    assert result.by("district")["cost_share"].tolist() == [0, 105]


def test_the_pieces_of_a_long_text_are_listed_each():
    send("Ann,0772000001," + "long " * 90 + ",Gulu", TABLE[1], overlong="split")
    result = send(TABLE[1])
    assert len(result.not_in_table) == result.batches["messages"].sum() - 1 > 1
    assert costs_add_up(result)


def test_what_is_unknown_may_have_been_sent():
    with campaign.Sandbox(faults={1: "accept_reset"}) as sandbox:
        for row in (TABLE[0], TABLE[1]):
            result = send(row, account=sandbox)
    assert (result.outside.count, result.outside.cost, result.outside.unpriced) == (1, None, 1)


def test_what_was_refused_is_not_sent():
    with campaign.Sandbox(balance=0) as service:
        refused = send(*TABLE[:3], account=service.account)
        service.top_up(1_000)
        result = campaign.resume(refused.folder, account=service.account, progress=False)
    assert {*result.batches["status"]} == {"refused", "accepted"}
    assert result.not_in_table.empty


def test_the_page_and_the_workbook_list_them_with_masked_numbers():
    for rows in (TABLE, TABLE[:3], TABLE[:2]):
        result = send(*rows)
    page = campaign.write_report(result, "report.html").read_text("utf-8")
    assert "<summary>Sent, and not in this table: 2 messages</summary>" in page
    assert "256772000005" not in page
    for reveal, number in ((False, "25677*****05"), (True, "256772000005")):
        book = openpyxl.load_workbook(campaign.write_report(result, "report.xlsx", reveal=reveal))
        _, head, *lines = book[OUTSIDE].iter_rows(values_only=True)
        assert head == ("round", "batch", "number", "text")
        assert lines[-1] == (1, 1, number, "Eve: 1")


def test_rounds_are_counted_as_people_count_them():
    """The second run had nothing to send, which is no round to people."""
    for rows in (TABLE[:2], TABLE[:1], TABLE[:3], TABLE[:1]):
        result = send(*rows)
    book = openpyxl.load_workbook(campaign.write_report(result, "report.xlsx"))
    _, _, *lines = book[OUTSIDE].iter_rows(values_only=True)
    assert sorted(line[0] for line in lines) == [1, 2]


def test_once_erased_only_the_count_is_known():
    send(*TABLE)
    result = send(*TABLE[:3])
    with pytest.raises(campaign.ConfirmationError) as question:
        campaign.erase(result.folder)
    campaign.erase(result.folder, confirm=question.value.phrase)
    assert (result.outside.count, result.outside.cost, result.not_in_table.empty) == (1, 35, True)
    book = openpyxl.load_workbook(campaign.write_report(result, "erased.xlsx"))
    assert OUTSIDE not in book.sheetnames


def test_a_plan_without_a_folder_knows_the_count_alone():
    sent = send(*TABLE)
    larger = sent.batches.assign(messages=5)
    result = Result(sent.plan, larger, environment="local", batch_of_message=np.ones(4, np.int64))
    assert (result.outside.count, len(result.not_in_table)) == (1, 0)
