"""What a person is asked before anything leaves, all at once, and what each answer does."""

import re

import pandas as pd
import pytest
from support.refusals import refused
from support.small_campaigns import contacts_of

import campaign

MONDAY, TUESDAY = "Hi {name}, come on Monday.", "Hi {name}, come on Tuesday."


def plan_of(*rows, message=MONDAY, region="UG", **options):
    """Rows of name and number: "+256772000001" is a number in full, "0772000001" one of the region."""
    table = contacts_of(*(row.replace(" ", ",") for row in rows))
    return campaign.prepare(table, message=message, sender="CLINIC", region=region, **options)


def person(n):
    return f"Person{n} +256772000{n:03}"


PEOPLE = [person(n) for n in range(6)]


@pytest.fixture
def sandbox():
    with campaign.Sandbox(price=35) as sandbox:
        yield sandbox


@pytest.fixture
def send(sandbox, tmp_path):
    """Sends to one campaign, two messages in a batch, one batch after the other."""
    options = {"batch_size": 2, "canary": False, "concurrency": 1, "progress": False}

    def send(plan, **more):
        return campaign.send(plan, account=sandbox, folder=tmp_path / "visits", **options | more)

    return send


def questions(call):
    with pytest.raises(campaign.ConfirmationError) as asked:
        call()
    return asked.value.questions


def shown(result, row):
    return tuple(result.contacts.loc[row, ["status", "why", "batch"]])


# --- all at once ------------------------------------------------------------------------------------------


def test_one_error_has_all_open_questions(send, sandbox):
    """Two people have Monday's text, four wait for it, and one was opted out by a mark that is gone."""
    marks = pd.Series([*[False] * 6, True], range(2, 9))
    first = send(plan_of(*PEOPLE, person(9), opt_outs=marks), budget=70)
    assert len(sandbox.inbox) == 2
    today = plan_of(*PEOPLE[:5], person(9), message=TUESDAY)
    assert questions(lambda: send(today)) == {"waiting": 4, "changed": 2, "opted_out": 1}
    assert questions(lambda: send(today, changed="send")) == {"waiting": 4, "opted_out": 1}
    assert questions(lambda: send(today, changed="skip", waiting="withdraw")) == {"opted_out": 1}
    assert len(sandbox.inbox) == 2
    difference = campaign.compare(today, account=sandbox, folder=first.folder)
    assert difference.questions == {"waiting": 4, "changed": 2, "opted_out": 1}
    assert (difference.counts["other_text"], difference.counts["new"], difference.new) == (2, 4, 4)
    result = send(today, changed="skip", waiting="withdraw", opted_out="skip", budget=1000)
    assert result.contacts["status"].tolist() == [*["duplicate"] * 2, *["accepted"] * 3, "opted_out"]
    assert sandbox.inbox["text"].str.contains("Tuesday").sum() == 3


# --- what waits -------------------------------------------------------------------------------------------


def test_what_waits_for_people_who_are_gone_is_asked_about(send, sandbox):
    send(plan_of(*PEOPLE), budget=70)
    assert questions(lambda: send(plan_of(*PEOPLE[:4]), budget=1000)) == {"waiting": 2}
    result = send(plan_of(*PEOPLE[:4]), waiting="withdraw", budget=1000)
    assert (result.totals["accepted"], len(sandbox.inbox)) == (4, 4)
    assert questions(lambda: send(plan_of(*PEOPLE[:4], message=TUESDAY))) == {"changed": 4}


def test_what_waits_and_is_another_text_now_is_asked_about(send, sandbox):
    """`changed=` never answers for it."""
    today = plan_of(*PEOPLE, message=TUESDAY)
    send(plan_of(*PEOPLE), budget=70)
    assert questions(lambda: send(today, changed="skip", budget=1000)) == {"waiting": 4}
    result = send(today, changed="skip", waiting="withdraw", budget=1000)
    assert result.contacts["status"].tolist() == [*["duplicate"] * 2, *["accepted"] * 4]
    assert sandbox.inbox["text"].str.contains("Tuesday").tolist() == [*[False] * 2, *[True] * 4]


def test_what_waits_can_be_finished_first(send, sandbox):
    today = plan_of(*PEOPLE[1:5], message=TUESDAY)
    folder = send(plan_of(*PEOPLE), budget=70).folder
    assert questions(lambda: send(today)) == {"waiting": 4, "changed": 1}
    assert campaign.resume(folder, account=sandbox, budget=1000, progress=False).totals["accepted"] == 6
    assert questions(lambda: send(today)) == {"changed": 4}


def test_somebody_who_opted_out_and_waits_is_not_asked_about(send, sandbox):
    send(plan_of(*PEOPLE), budget=70)
    result = send(plan_of(*PEOPLE, opt_outs=["+256772000005"]), budget=1000)
    assert (result.totals["accepted"], result.totals["opted_out"], len(sandbox.inbox)) == (5, 1, 5)


# --- another text, another number -------------------------------------------------------------------------


def test_whoever_keeps_an_earlier_text_shows_the_batch_that_reached_the_phone(send, sandbox):
    send(plan_of(*PEOPLE))
    today = plan_of(*reversed(PEOPLE), person(7), message=TUESDAY)
    for _ in range(2):  # the same again sends nothing
        result = send(today, changed="skip")
        assert [shown(result, row) for row in (2, 7, 8)] == [
            ("duplicate", "earlier_text", 3), ("duplicate", "earlier_text", 1), ("accepted", "", 4),
        ]  # fmt: skip
    codes = campaign.load_result(result.folder).contacts["code"]
    assert codes[2] == result.batches.set_index("batch")["code"][3] != ""
    assert len(sandbox.inbox) == 7
    assert result.messages["message"].tolist() == ["Hi Person7, come on Tuesday."]


@pytest.mark.parametrize("outcome", ["accepted", "refused"])
def test_whoever_keeps_a_text_that_may_have_arrived_is_unknown(tmp_path, outcome):
    """Refused after all, they get the text of the table."""
    with campaign.Sandbox(faults={1: "accept_reset"}) as sandbox:
        place = {"account": sandbox, "folder": tmp_path / "visits", "progress": False}
        campaign.send(plan_of(person(0)), **place)
        today = plan_of(person(0), message=TUESDAY)
        result = campaign.send(today, changed="skip", **place)
        assert shown(result, 2)[::2] == ("unknown", 1)
        campaign.resolve(result.folder, 1, outcome, confirm=f"batch 1 was {outcome}")
        result = campaign.send(today, changed="skip", **place)
    assert shown(result, 2) == (
        ("duplicate", "earlier_text", 1) if outcome == "accepted" else ("accepted", "", 2)
    )


def test_a_cell_that_was_reached_as_another_number_is_asked_about(send, sandbox):
    rows = [*PEOPLE, "Jane 0772000009"]
    send(plan_of(*rows))
    kenya = plan_of(*rows, region="KE")
    assert questions(lambda: send(kenya)) == {"changed": 1}
    result = send(kenya, changed="skip")
    assert shown(result, 8) == ("duplicate", "other_number", 4)
    assert (result.totals["accepted"], len(sandbox.inbox)) == (6, 7)
    result = send(kenya, changed="send")
    assert (shown(result, 8), len(sandbox.inbox)) == (("accepted", "", 5), 8)


def test_each_open_question_has_its_examples_and_few_words(send):
    """Split texts are shown without the numbers of their pieces."""
    long = " ".join(["Please come on Monday and bring your card with you."] * 4)
    send(plan_of(*PEOPLE, message=long, overlong="split"), budget=140)
    for answers in ({"waiting": "withdraw"}, {"changed": "send"}):
        with refused("decision_needed", campaign.ConfirmationError) as asked:
            send(plan_of(*PEOPLE, message=f"{long} Thanks.", overlong="split"), **answers)
        assert len(asked.value.questions) == 1
        assert len(str(asked.value).split()) <= 60
        assert "(1/2)" not in str(asked.value)


def test_a_row_of_each_kind_is_shown_and_masked(send, sandbox):
    rows = [*PEOPLE, "Jane 0772000009"]
    folder = send(plan_of(*rows)).folder
    today = plan_of(*rows, message=TUESDAY, region="KE")
    with pytest.raises(campaign.ConfirmationError) as asked:
        send(today)
    lines = [line for line in str(asked.value).splitlines() if line.startswith("row ")]
    assert [line.split(":")[0] for line in lines] == ["row 8", "row 2", "row 3"]
    assert "2567720000" not in str(asked.value)
    difference = campaign.compare(today, account=sandbox, folder=folder)
    jane = difference.messages.set_index("row").loc[8]
    assert (jane["recorded"], jane["before"], jane["number_before"]) == (
        "other_number", "Hi Jane, come on Monday.", "256772000009",
    )  # fmt: skip
    card = difference._repr_html_()
    assert re.findall(r"<tr><td[^>]*>(\d+)</td>", card) == [*"2345678"]
    assert "25677*****09" in card
    assert "256772000009" not in card
