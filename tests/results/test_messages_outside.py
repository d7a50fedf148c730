"""The sheets of the workbook account for every message of the sheet Batches."""

from decimal import Decimal

import openpyxl
import pandas as pd
import pytest
from support.small_campaigns import contacts_of

import campaign
from campaign.notebook.run_card import run_card

OUTSIDE = "Messages not in the table"
TABLE = ["José,0772000001,12500", "Ben,0772000002,1", "Cat,0772000003,1", "Eve,0772000005,1"]
CHANGED = "José,0772000001,99999"


def send(*rows, name="fees", duplicates="skip", overlong="flag", **options):
    plan = campaign.prepare(
        contacts_of(*rows, header="name,phone,amount"), message="{name}: {amount}", sender="CLINIC",
        region="UG", duplicates=duplicates, overlong=overlong,
    )  # fmt: skip
    return campaign.send(plan, name=name, progress=False, **options)


@pytest.fixture(autouse=True)
def desk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CAMPAIGN_STATE_DIR", str(tmp_path / "state"))


def sheets_of(result, **options):
    book = openpyxl.load_workbook(campaign.write_report(result, "report.xlsx", **options))
    return {sheet.title: frame_of(sheet) for sheet in book}


def frame_of(sheet):
    lines = [list(line) for line in sheet.iter_rows(values_only=True)]
    has_note = sheet.title != "Summary" and len([cell for cell in lines[0] if cell]) == 1
    head = lines[int(has_note)]
    return pd.DataFrame(lines[int(has_note) + 1 :], columns=head)


def check_that_all_is_there(sheets):
    """By batch, the messages and what they cost."""
    listed = pd.concat([sheets["Messages"], sheets.get(OUTSIDE, pd.DataFrame())])
    batches = sheets["Batches"].set_index("batch")
    by_batch = listed.groupby("batch")
    assert by_batch.size().to_dict() == batches["messages"].to_dict()
    costs = by_batch["cost_share"].agg(lambda shares: sum(shares.dropna()))
    assert costs.to_dict() == batches["cost"].fillna(0).to_dict()
    assert by_batch["status"].agg(set).map(list).str[0].to_dict() == batches["status"].to_dict()


def test_an_earlier_text_and_one_to_a_person_who_left_the_table_have_a_sheet():
    send(*TABLE)
    sent = send(CHANGED, *TABLE[1:3], changed="send")
    for result in (sent, campaign.load_result(sent.folder)):
        sheets = sheets_of(result)
        outside = sheets[OUTSIDE]
        assert outside[["number", "message", "round", "reason"]].to_numpy().tolist() == [
            ["25677*****01", "José: 12500", 1, "Another message to a number in the table."],
            ["25677*****05", "Eve: 1", 1, "No row has this number any more."],
        ]
        check_that_all_is_there(sheets)
        assert len(sheets["Messages"]) + len(outside) == sheets["Batches"]["messages"].sum() == 5
    assert sheets_of(result, reveal=True)[OUTSIDE]["number"].tolist() == ["256772000001", "256772000005"]


def test_the_sheet_says_that_masked_numbers_can_look_the_same():
    """Irene's number was corrected in the file; masked, both numbers are 25677*****17."""
    send("Ann,0772000001,1", "Irene,0772000017,1")
    result = send("Ann,0772000001,1", "Irene,0772000517,1")
    book = openpyxl.load_workbook(campaign.write_report(result, "report.xlsx"))
    assert book[OUTSIDE]["A1"].value == (
        "These and the sheet Messages are together all messages of the sheet Batches. Numbers are masked, so "
        "two different numbers can look the same; written with reveal=True, this file shows them in full."
    )
    (line,) = sheets_of(result, reveal=True)[OUTSIDE].to_dict("records")
    assert (line["number"], line["reason"]) == ("256772000017", "No row has this number any more.")


def test_of_two_texts_to_one_phone_the_one_that_left_the_table_is_listed():
    """Both are in one batch, and have the same number."""
    both = ["Ben,0772000002,1", "Eva,0772000002,1"]
    send("Ann,0772000001,1", *both, name="shared", duplicates="keep")
    sheets = sheets_of(send("Ann,0772000001,1", both[1], name="shared"))
    assert sheets[OUTSIDE]["message"].tolist() == ["Ben: 1"]
    check_that_all_is_there(sheets)


def test_a_row_that_was_corrected_in_a_follow_up_file_has_its_text_there():
    rows = ["Ann,0772000001,1", "Ben,07720,1"]
    path = campaign.write_follow_up(send(*rows), "correct.csv")
    path.write_text(path.read_text("utf-8-sig").replace("07720", "0772000077"), "utf-8")
    send_file = campaign.prepare(path, message="{name}: {amount}", sender="CLINIC", region="UG")
    campaign.send(send_file, name="fees", progress=False)
    result = send(*rows)
    assert "Both rows were accepted" in result.sentence or "both rows were accepted" in result.sentence
    sheets = sheets_of(result)
    assert sheets[OUTSIDE]["message"].tolist() == ["Ben: 1"]
    assert sheets[OUTSIDE]["reason"].tolist() == [
        "This person's row has a mistake in this table. The message went out before that, or after a "
        "correction that this table lacks."
    ]
    check_that_all_is_there(sheets)


@pytest.mark.parametrize(
    ("mistaken", "rows"), [(1, "1 message to a row that was"), (2, "2 messages to rows that were")]
)
def test_the_messages_of_the_sentence_add_up_to_those_of_the_card_of_the_run(mistaken, rows):
    """Eve has left the table and José has another amount; a follow-up file alone has the other numbers."""
    wrong = ["Ben,07720,1", "Cat,07721,1"][:mistaken]
    path = campaign.write_follow_up(send(TABLE[0], *wrong, TABLE[3]), "correct.csv")
    text = path.read_text("utf-8-sig").replace('"07720"', '"0772000077"').replace('"07721"', '"0772000078"')
    path.write_text(text, "utf-8")
    send_file = campaign.prepare(path, message="{name}: {amount}", sender="CLINIC", region="UG")
    campaign.send(send_file, name="fees", progress=False)
    plan = campaign.prepare(
        contacts_of(CHANGED, *wrong, header="name,phone,amount"), message="{name}: {amount}", sender="CLINIC",
        region="UG",
    )  # fmt: skip
    run = campaign.start(plan, name="fees", changed="send")
    result = run.wait()
    said = (
        "The campaign has also sent 2 messages that are not in this table: 1 was another message to a "
        "number in it and 1 went to a number that no row has any more. The cost includes them and "
        f"{rows} reached earlier."
    )
    assert said in result.sentence
    assert said in campaign.load_result(result.folder).sentence
    assert f"The cost is also that of {2 + mistaken} other messages of this campaign." in run_card(run)


def test_both_parts_of_a_long_text_are_listed():
    send("Ann,0772000001," + "long " * 90, TABLE[1], name="split", overlong="split")
    sheets = sheets_of(send(TABLE[1], name="split"))
    assert len(sheets[OUTSIDE]) > 1
    check_that_all_is_there(sheets)


def test_what_was_refused_and_sent_again_and_what_is_unknown_add_up():
    with campaign.Sandbox(balance=0) as service:
        refused = send(*TABLE[:3], name="refused", account=service.account)
        service.top_up(1_000)
        result = campaign.resume(refused.folder, account=service.account, progress=False)
    sheets = sheets_of(result)
    assert sheets[OUTSIDE]["reason"].tolist() == [
        "It was refused in an earlier round, or settled as not sent."
    ]
    check_that_all_is_there(sheets)
    with campaign.Sandbox(faults={2: "accept_reset"}) as service:
        for row in (TABLE[0], CHANGED, TABLE[0]):
            result = send(row, name="unknown", account=service, changed="send")
    sheets = sheets_of(campaign.load_result(result.folder))
    assert sheets[OUTSIDE]["status"].tolist() == ["unknown"]
    check_that_all_is_there(sheets)


def test_a_large_campaign_is_listed_some_batches_at_a_time(monkeypatch):
    monkeypatch.setattr("campaign.results.messages_outside._CHUNK", 2)
    send(*TABLE, batch_size=1)
    send(CHANGED, "Ben,0772000002,2", changed="send", batch_size=1)
    result = send(CHANGED, changed="send", batch_size=1)
    sheets = sheets_of(result)
    assert sheets[OUTSIDE]["batch"].tolist() == [1, 2, 3, 4, 6]
    check_that_all_is_there(sheets)


def test_a_campaign_whose_table_has_all_messages_has_no_such_sheet():
    sheets = sheets_of(send(*TABLE))
    assert OUTSIDE not in sheets
    check_that_all_is_there(sheets)


def test_what_was_erased_is_counted_and_not_listed():
    send(*TABLE)
    result = send(*TABLE[:3])
    with pytest.raises(campaign.ConfirmationError) as question:
        campaign.erase(result.folder)
    campaign.erase(result.folder, confirm=question.value.phrase)
    book = openpyxl.load_workbook(campaign.write_report(campaign.load_result(result.folder), "erased.xlsx"))
    facts = {row[0]: row[1] for row in book["Summary"].iter_rows(values_only=True)}
    assert OUTSIDE not in book.sheetnames
    assert facts["Messages not listed"] == (
        "1 message of the sheet Batches that is not in the table is in no sheet: names, numbers and texts "
        "were erased."
    )
    assert facts["Cost"] == Decimal(140)


def test_the_workbook_counts_rounds_as_the_page_does():
    """The second run had nothing to send, which is no round to people."""
    for rows in (TABLE[:2], TABLE[:1], TABLE[:3]):
        result = send(*rows)
    assert result.batches["round"].unique().tolist() == [1, 3]  # as the folder numbers them
    assert sheets_of(result)["Batches"]["round"].unique().tolist() == [1, 2]
