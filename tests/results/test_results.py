"""What came of a campaign: every row, message and batch accounted for."""

import re
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pytest
from support.batch_rows import NO_ANSWER, frame_of
from support.findings import codes, rows_found, to_do
from support.refusals import refused

from campaign.contacts.continuation import FOLLOW_UP_COLUMNS
from campaign.contacts.reading import read_contacts
from campaign.contract import STATUSES
from campaign.errors import LedgerError, UsageError
from campaign.messages.preparation import prepare
from campaign.notebook.summary import summary
from campaign.results.tables import Result
from campaign.words.finding import Finding
from campaign.words.python import PYTHON

REFUSED = "Money Not Enough To Send This Batch of Msgs"


VISITS = """\
Name,Phone,status
Grace,0772 000 001,1st
Moses,0772 000 002,2nd
Zoé,+256 772 000 003,3rd
Sarah,0772 000 0O4,4th
,,
Grace,256772000001,1st
Ivan,772000005,5th
Ruth,0772-000-006,6th
"""


def sheet(text):
    return read_contacts(text.encode())


@pytest.fixture
def contacts():
    """Eight rows: five to send to, one unreadable number, one blank row, one duplicate."""
    return sheet(VISITS)


@pytest.fixture
def plan(contacts):
    return prepare(contacts, message="Hi {name}", sender="CLINIC", region="UG")


def batch(number, messages, status, cost=None, code="", error=""):
    submitted = None if status == "not_sent" else pd.Timestamp("2026-03-02 08:00", tz="UTC")
    price = None if cost is None else Decimal(cost)
    return (number, messages, status, price, code, error, int(status != "not_sent"), submitted, 0.25, 1)


def batches(*rows):
    return frame_of(rows)


@pytest.fixture
def mixed(plan):
    """One message accepted, then one batch of each other outcome."""
    came = batches(
        batch(1, 1, "accepted", "35", "ApiJsonSubmit65f0a1b2c3d4e.12345678"),
        batch(2, 2, "unknown", error=NO_ANSWER),
        batch(3, 1, "refused", error=REFUSED),
        batch(4, 1, "not_sent"),
    )
    return Result(
        plan,
        came,
        environment="local",
        folder=Path("campaigns/visits-3fa2c1"),
        ending=Finding("cost_unreadable"),
    )


def test_every_row_ends_in_exactly_one_status(mixed, contacts):
    assert mixed.contacts["status"].to_dict() == {
        2: "accepted",
        3: "unknown",
        4: "unknown",
        5: "invalid",
        6: "blank",
        7: "duplicate",
        8: "refused",
        9: "not_sent",
    }
    assert mixed.contacts.index.equals(contacts.index)
    assert dict(mixed.totals) == {
        "invalid": 1,
        "blank": 1,
        "duplicate": 1,
        "opted_out": 0,
        "not_sent": 1,
        "accepted": 1,
        "refused": 1,
        "unknown": 2,
    }
    assert sum(mixed.totals.values()) == mixed.totals.rows == len(contacts)


def test_contacts_keep_their_columns_and_say_why(mixed, contacts):
    came = mixed.contacts
    assert list(came.columns) == [
        "Name",
        "Phone",
        "status (your column)",
        "status",
        "why",
        "reason",
        "batch",
        "code",
    ]
    assert came["Phone"].tolist() == contacts["Phone"].tolist()
    assert came.loc[2, ["reason", "batch", "code"]].tolist() == ["", 1, "ApiJsonSubmit65f0a1b2c3d4e.12345678"]
    assert came.loc[3, "reason"] == PYTHON.headline(NO_ANSWER)
    assert came.loc[8, "reason"] == REFUSED
    assert came.loc[9, "reason"] == "Not sent yet."
    assert "letters" in came.loc[5, "reason"]
    assert came["batch"].dtype == "Int64"
    assert came["batch"].isna().tolist() == [False, False, False, True, True, True, False, False]


def test_messages_are_joined_with_their_batches(mixed, plan):
    sent = mixed.messages
    assert list(sent.columns) == [*plan.messages.columns, "status", "batch", "code", "cost_share"]
    assert sent["status"].tolist() == ["accepted", "unknown", "unknown", "refused", "not_sent"]
    assert sent["batch"].tolist() == [1, 2, 2, 3, 4]
    assert sent["cost_share"].tolist() == [Decimal(35), None, None, None, None]


def test_the_cost_of_a_batch_is_shared_by_its_messages(plan):
    came = Result(plan, batches(batch(1, 5, "accepted", "176")), environment="local")
    shares = came.messages["cost_share"]
    assert shares.tolist() == [Decimal("35.2")] * 5
    assert len({id(share) for share in shares}) == 1
    assert came.totals.cost == Decimal(176)
    assert came.totals.batches == 1


def test_a_cost_that_was_never_named_is_not_zero(plan):
    unnamed = batches(batch(1, 4, "accepted"), batch(2, 1, "refused"))
    partly = batches(batch(1, 4, "accepted", "140"), batch(2, 1, "unknown"))
    nothing = batches(batch(1, 5, "not_sent"))
    totals = [Result(plan, came, environment="local").totals for came in (unnamed, partly, nothing)]
    assert [(of.cost, of.unpriced) for of in totals] == [(None, 1), (Decimal(140), 1), (Decimal(0), 0)]


def test_a_row_in_several_messages_shows_the_one_that_needs_a_person():
    long = "word " * 60
    contacts = sheet("phone,name\n0772 000 001,Grace\n0772 000 002,Moses\n")
    plan = prepare(contacts, message=long, sender="CLINIC", region="UG", overlong="split")
    rows = plan.messages["row"].tolist()
    first = rows.count(2)
    assert first > 1
    came = batches(
        batch(1, 1, "accepted", "35", "one"),
        batch(2, first, "unknown"),
        batch(3, len(rows) - first - 1, "accepted"),
    )
    result = Result(plan, came, environment="local")
    assert result.contacts["status"].tolist() == ["unknown", "unknown"]
    assert result.contacts["batch"].tolist() == [2, 2]
    assert sum(result.totals.values()) == 2


def test_follow_up_goes_straight_back_to_prepare(mixed, contacts):
    rows = mixed.follow_up(statuses=["invalid", "refused", "unknown", "not_sent"])
    assert rows.index.tolist() == [3, 4, 5, 8, 9]
    assert list(rows.columns) == [
        "Name",
        "Phone",
        "status",
        "last reason",
        "last status",
        "row in the file",
        "mark (leave as it is)",
        "campaign",
    ]
    assert rows["last status"].tolist() == ["unknown", "unknown", "invalid", "refused", "not_sent"]
    rows.loc[5, "Phone"] = "0772 000 004"
    again = prepare(rows, message="Hi {name}", sender="CLINIC", region="UG")
    assert again.messages["row"].tolist() == [3, 4, 5, 8, 9]
    twice = Result(again, batches(batch(1, 5, "refused", error=REFUSED)), environment="local").follow_up()
    assert list(twice.columns) == list(rows.columns)


@pytest.mark.parametrize(
    "names",
    [
        ["status", "status (your column)"],
        ["Reason", "status (your column) (your column)"],
        ["code", "last word"],
    ],
)
def test_follow_up_gives_every_column_its_own_name_and_cells(names):
    file = sheet(f"Phone,{','.join(names)}\n0772 000 001,first,second\n0772 000 002,third,fourth\n")
    plan = prepare(file, message="Hi", sender="CLINIC", region="UG")
    rows = Result(plan, batches(batch(1, 2, "refused", error=REFUSED)), environment="local").follow_up()
    assert list(rows.columns) == [*file.columns, *FOLLOW_UP_COLUMNS]
    pd.testing.assert_frame_equal(pd.DataFrame(rows[file.columns]), file)
    assert rows["last status"].tolist() == ["refused", "refused"]
    assert rows["last reason"].tolist() == [REFUSED, REFUSED]


@pytest.mark.parametrize(
    ("statuses", "answer"),
    [
        (
            "invalid",
            "follow_up needs a list of statuses, but got the text 'invalid'. "
            "Write result.follow_up(['invalid']).",
        ),
        (None, "follow_up needs a list of statuses, but got None. Write result.follow_up(['invalid'])."),
        (3, "follow_up needs a list of statuses, but got 3. Write result.follow_up(['invalid'])."),
        (["refused", "not sent"], "A status of follow_up is 'not sent'; it can be 'invalid', 'blank', "),
        ([["invalid"]], "A status of follow_up is a list; it can be 'invalid', 'blank', 'duplicate', "),
    ],
)
def test_follow_up_names_the_statuses_that_exist(mixed, statuses, answer):
    with pytest.raises(UsageError, match=re.escape(answer)):
        mixed.follow_up(statuses)


def test_follow_up_of_every_status_and_of_none(mixed, contacts):
    assert mixed.follow_up(STATUSES).index.tolist() == contacts.index.tolist()
    assert mixed.follow_up(set()).empty


def test_a_result_never_changes(mixed):
    for name in ("plan", "environment", "folder", "totals", "batches", "anything"):
        with pytest.raises(AttributeError):
            setattr(mixed, name, None)
    assert mixed.environment == "local"


def test_a_summary_of_something_else_says_what_to_give(plan):
    with pytest.raises(UsageError, match=r"campaign\.summary\(campaign\.load_result\(folder\)\) once"):
        summary(plan)


def test_follow_up_leaves_out_who_may_have_been_written_to_or_will_be(mixed):
    """What is unknown may have gone out, and what was not sent goes out with `resume`."""
    assert mixed.follow_up().index.tolist() == [5, 8]


def test_the_findings_say_what_came_of_it_and_what_to_do(mixed):
    assert rows_found(mixed) == {
        "rows_accepted": 1, "rows_unknown": 2, "rows_refused": 1, "rows_not_sent": 1, "rows_to_correct": 1,
        "rows_repeated": 2,
    }  # fmt: skip
    assert to_do(mixed) == ["rows_unknown", "rows_refused", "rows_not_sent"]


def test_when_all_went_well_nothing_is_left_to_do():
    plan = prepare(sheet("phone,name\n0772 000 001,Grace\n"), message="Hi", sender="CLINIC", region="UG")
    result = Result(plan, batches(batch(1, 1, "accepted", "35", "code")), environment="live")
    assert (codes(result), to_do(result)) == (["live_result", "rows_accepted"], [])
    assert result.follow_up().empty


def test_a_plan_with_nothing_to_send_has_a_result():
    plan = prepare(sheet("phone,name\nnone,Grace\n"), message="Hi", sender="CLINIC", region="UG")
    result = Result(plan, batches(), environment="local")
    assert dict(result.totals)["invalid"] == 1
    assert result.messages.empty
    assert result.contacts["status"].tolist() == ["invalid"]


def test_changing_a_table_changes_nothing_in_the_result(mixed):
    for frame in (mixed.batches, mixed.messages, mixed.contacts):
        frame["status"] = "accepted"
    assert mixed.totals["refused"] == 1
    assert mixed.batches["status"].tolist() == ["accepted", "unknown", "refused", "not_sent"]
    assert mixed.messages["status"].nunique() == 4
    assert mixed.contacts["status"].nunique() == 7


def test_batches_of_another_plan_are_refused(plan):
    with refused("ledger_of_another_plan", LedgerError, sent=6, planned=5):
        Result(plan, batches(batch(1, 6, "accepted")), environment="local")
    with refused("wrong_value", UsageError, argument="batches"):
        Result(plan, batches(batch(1, 5, "accepted")).drop(columns="code"), environment="local")


def test_the_displays_are_escaped_and_hold_no_number(plan):
    mean = "<script>alert(1)</script> for 256772000001\x1b[31m"
    one = batch(1, 5, "refused", code="Api1.2", error=mean)
    result = Result(
        plan,
        batches(one),
        environment="sandbox",
        ending=Finding("batches_refused", {"refused": 1, "reason": mean}),
    )
    shown = result._repr_html_()
    assert (">note</th>" in shown, "Api1.2" in shown) == (True, False)  # the code would be too wide
    assert "<script>" not in shown
    assert "provider&#x27;s sandbox" in shown
    assert "256772000001" not in shown + repr(result)
    assert "25677*****01" in shown
    assert "\x1b" not in repr(result)


@pytest.mark.parametrize(
    ("unknown", "said"),
    [((), "The last {} of 25 batches."), ((3,), "These are {} of 25 batches.")],
    ids=["newest first", "what a person has to look at first"],
)
def test_a_table_of_some_batches_says_which_they_are(unknown, said):
    people = sheet("Name,Phone\n" + "".join(f"Ann,07720000{place}\n" for place in range(10, 35)))
    plan = prepare(people, message="Hi {name}", sender="CLINIC", region="UG")
    rows = [batch(n, 1, *(["unknown"] if n in unknown else ["accepted", "35"])) for n in range(1, 26)]
    result = Result(plan, batches(*rows), environment="local")
    shown = result._repr_html_()
    listed = [int(n) for n in re.findall(r'<tr><td class="figure">(\d+)</td>', shown)]
    assert listed == [*unknown, *range(25, 0, -1)][:10]
    assert f">{said.format(10)}<" in shown
    assert f">{said.format(20)}<" in summary(result).card()
