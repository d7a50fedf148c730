"""What a person reads before something is sent live: a few lines that say what would leave."""

import pytest
from support.live_service import LiveService, start_live

import campaign

TABLE = b"""name,phone
Aisha,+256772000001
Ben,+256772000002
Chipo,+447700900003
,
Dina,12
Ben,+256772000002
"""


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def account(resolves_here, monkeypatch):
    with start_live(resolves_here, monkeypatch, price=35) as sandbox:
        yield LiveService(sandbox).account


def plan_of(table=TABLE, text="Hi {name}"):
    contacts = campaign.read_contacts(table)
    return campaign.prepare(contacts, message=text, sender="CLINIC", region="UG")


def question(call, *args, **options):
    with pytest.raises(campaign.ConfirmationError) as asked:
        call(*args, **options)
    return asked.value


def sent(plan, **options):
    """The result of a person who reads the question and types the phrase."""
    options |= {"name": "visits", "progress": False}
    return campaign.send(plan, confirm=question(campaign.send, plan, **options).phrase, **options)


def test_the_question_says_what_would_leave_line_by_line(account):
    lines = question(campaign.send, plan_of(), account=account, name="visits").question.split("\n")
    assert lines[0].startswith("This sends 3 messages (3 SMS parts) to 3 people on real phones (LIVE, ")
    assert lines[0].endswith(" The plan has 2 countries (UG 2, GB 1).")
    assert lines[1:6] == [
        "3 rows of the table get nothing (1 invalid, 1 blank, 1 duplicate). The issues of the plan say why.",
        "Nothing was sent under this name before.",
        "No budget is set: budget= sets a limit. What it costs is not known before the first answer.",
        "To see this text on your own phone first, send one message with campaign.try_out(…).",
        "For example:",
    ]


def test_whoever_shares_a_phone_is_no_mere_duplicate(account):
    table = TABLE + b"Ben's mother,+256772000002\n"
    lines = question(campaign.send, plan_of(table), account=account, name="visits").question.split("\n")
    assert lines[1].startswith(
        "4 rows of the table get nothing (1 invalid, 1 blank, 1 duplicate, 1 sharing a"
    )


def test_a_try_out_is_not_told_to_be_tried_out_first(account):
    asked = question(campaign.try_out, plan_of(), account, number="0772 000 999", region="UG")
    assert "try_out(" not in str(asked)


def test_after_a_pilot_the_price_is_known_and_the_text_was_seen(account):
    asked = question(campaign.send, plan_of(), account=account, name="visits", pilot=1)
    assert "(1 SMS part) to 1 person on real phones" in str(asked).split("\n")[0]
    assert " 2 more messages wait for resume." in str(asked).split("\n")[0]
    result = sent(plan_of(), account=account, pilot=1)
    rest = str(question(campaign.resume, result.folder, account=account, budget=500))
    assert "At the price so far this costs about 70. The campaign's budget is 500.\n" in rest
    assert "try_out(" not in rest
