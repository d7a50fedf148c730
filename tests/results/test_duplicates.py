"""Rows that get no message because of another row, or of what their phone got before: each says why."""

from decimal import Decimal

import numpy as np
import openpyxl
import pandas as pd
import pytest
from support.batch_rows import frame_of
from support.findings import finding, rows_found, to_do
from support.small_campaigns import contacts_of, people, plan_for

import campaign
from campaign.messages.plan import with_fields
from campaign.messages.totals import Totals
from campaign.results.tables import Result
from campaign.words.finding import Finding

VISITS = ["Ann,0772 000 001,North", "Ben,0772 000 002,North", "Cy,0772 000 001,South",
          "Ann,0772 000 001,North", "Dan,0772 000 003,South", "Eve,77 letters,South"]  # fmt: skip
CY, COPY, EVE = 4, 5, 7


def batches_of(*rows):
    """One batch for each: its messages, status, cost and error, in rounds of their own."""
    lines = [
        (place, messages, status, cost and Decimal(cost), f"code {place}", error, 1, pd.NaT, 0.5, place)
        for place, (messages, status, cost, error) in enumerate(rows, start=1)
    ]
    return frame_of(lines)


def left_out(plan, **why):
    """The plan in which rows get nothing: `earlier_text=[2, 3]`."""
    contacts = plan.contacts
    for code, rows in why.items():
        contacts.loc[rows, ["status", "why", "reason"]] = ["duplicate", code, f"It is {code}."]
    messages = plan.messages[~plan.messages["row"].isin(np.concatenate([*why.values()]))]
    statuses = contacts["status"].value_counts().to_dict()
    count = len(messages)
    totals = Totals(statuses, messages=count, gsm7=count, ucs2=0, longest=8, countries={"UG": count})
    return with_fields(plan, contacts=contacts, messages=messages, totals=totals)


@pytest.fixture
def sent(tmp_path):
    plan = plan_for(contacts_of(*VISITS, header="name,phone,clinic"))
    return campaign.send(plan, folder=tmp_path / "visits", progress=False)


def test_the_code_says_why_a_row_is_a_duplicate(sent):
    contacts = sent.contacts
    assert contacts.loc[[CY, COPY], "status"].tolist() == ["duplicate", "duplicate"]
    assert contacts.loc[[CY, COPY], "why"].tolist() == ["shared_phone", "same_text"]
    assert contacts.loc[[2, 3, 6], "why"].eq("").all()
    assert sent.totals.why == {"shared_phone": 1, "same_text": 1}
    pd.testing.assert_frame_equal(campaign.load_result(sent.folder).contacts, contacts)


def test_whoever_shares_a_phone_needs_a_person_and_a_copy_does_not(sent, tmp_path):
    totals = sent.totals
    assert (totals.people, totals.reached, totals.attention, totals.to_correct) == (5, 3, 2, 2)
    assert rows_found(sent) == {
        "rows_accepted": 3, "rows_to_correct": 1, "rows_sharing_phone": 1, "rows_repeated": 1,
    }  # fmt: skip
    assert sent.needing_attention.tolist() == [CY, EVE]
    assert sent.follow_up()["last status"].to_dict() == {CY: "sharing a phone", EVE: "invalid"}
    assert sent.by("clinic")["people"].to_dict() == {"North": 2, "South": 3}
    assert sent.by("clinic")["needing_attention"].to_dict() == {"North": 0, "South": 2}
    book = openpyxl.load_workbook(campaign.write_report(sent, tmp_path / "report.xlsx"))
    counts = dict(line[:2] for line in book["Summary"].iter_rows(values_only=True))
    assert (counts["repeated or blank"], counts["sharing a phone"]) == (1, 1)
    _, head, *rows = book["Follow-up"].iter_rows(values_only=True)
    assert pd.DataFrame(rows, columns=head)["name"].tolist() == ["Cy", "Eve"]


def test_people_who_keep_an_earlier_text_count_as_reached(tmp_path):
    """50 were sent a text; then three numbers were corrected and the text was changed: 47 keep the first."""
    plan = left_out(plan_for(people(50)), earlier_text=[*range(2, 49)])
    before = np.where(np.arange(50) < 47, 1, 0)
    batches = batches_of((50, "accepted", 1750, ""), (3, "accepted", 105, ""))
    result = Result(
        plan, batches, environment="live", batch_of_message=np.full(3, 2), batch_of_excluded=before
    )
    totals = result.totals
    assert (totals["accepted"], totals["duplicate"], totals.people, totals.attention) == (3, 47, 50, 0)
    assert (totals.reached, totals.with_earlier_text) == (50, 47)
    assert rows_found(result) == {"rows_accepted": 3, "rows_with_earlier_text": 47}
    assert finding(result, "live_result").facts["accepted"] == 50
    contacts = result.contacts
    assert contacts["batch"].tolist() == [1] * 47 + [2] * 3
    assert contacts["code"].tolist() == ["code 1"] * 47 + ["code 2"] * 3
    assert contacts["reason"].tolist() == ["It is earlier_text."] * 47 + [""] * 3
    assert result.needing_attention.empty
    assert len(result.follow_up()) == 0
    assert to_do(result) == []


@pytest.mark.parametrize(("state", "status"), [("accepted", "duplicate"), ("unknown", "unknown")])
def test_a_row_that_keeps_its_text_is_unknown_while_that_is_unknown(state, status):
    plan = left_out(plan_for(people(4)), earlier_text=[2], other_number=[3], shared_phone=[4])
    batches = batches_of((3, state, None, ""), (1, "accepted", 35, ""))
    result = Result(
        plan, batches, environment="live", batch_of_message=np.array([2]),
        batch_of_excluded=np.array([1, 1, 1, 0]),
    )  # fmt: skip
    assert result.contacts["status"].tolist() == [status, status, "duplicate", "accepted"]
    kept = ["earlier_text", "other_number"] if state == "accepted" else ["", ""]
    assert result.contacts["why"].tolist() == [*kept, "shared_phone", ""]
    expected = {"shared_phone": 1} if state == "unknown" else dict.fromkeys(result.contacts["why"][:3], 1)
    assert result.totals.why == expected
    assert result.totals.people == 4
    assert result.unknown_rows["row"].tolist() == ([2, 3] if state == "unknown" else [])


def test_rows_that_the_plan_excludes_keep_their_status_with_the_batch_that_reached_them():
    contacts = contacts_of("Ann,0772 000 001", "Ben,77 letters", "Cat,0772 000 003")
    plan = plan_for(contacts, opt_outs=pd.Series(["+256772000001"], dtype="str"))
    batches = batches_of((3, "accepted", 105, ""), (1, "refused", None, "Wrong JSON Passed"))
    result = Result(
        plan, batches, environment="live", batch_of_message=np.array([2]),
        batch_of_excluded=np.array([1, 1, 0]),
    )  # fmt: skip
    assert result.contacts["status"].tolist() == ["opted_out", "invalid", "refused"]
    assert result.contacts["why"].tolist()[::2] == ["opted_out", "refused_json"]
    assert result.contacts["code"].tolist() == ["code 1", "code 1", "code 2"]


@pytest.mark.parametrize(
    ("error", "why"),
    [
        ("Money Not Enough To Send This Batch of Msgs", "refused_funds"),
        ("Wrong Username or Password", "refused_credentials"),
        ("Invalid sender ID", "refused_other"),
        (Finding("batch_settled", {"note": "ruth: refused"}), "refused_by_hand"),
    ],
)
def test_the_code_of_a_refused_row_says_which_refusal_it_was(error, why):
    result = Result(plan_for(people(2)), batches_of((2, "refused", None, error)), environment="live")
    assert result.contacts["why"].tolist() == [why, why]


def test_of_several_messages_the_worst_counts():
    rows = [f"0772 000 001,{'long ' * 60}", "0772 000 002,short"]
    texts = contacts_of(*rows, header="phone,text")
    plan = plan_for(texts, message="{text}", overlong="split")
    pieces = len(plan.messages) - 1
    rows = [(1, "accepted", 35, "")] * (pieces - 1) + [(1, "unknown", None, ""), (1, "accepted", 35, "")]
    contacts = Result(plan, batches_of(*rows), environment="live").contacts
    assert contacts["status"].tolist() == ["unknown", "accepted"]
    assert contacts["batch"].tolist() == [pieces, pieces + 1]
