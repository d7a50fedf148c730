"""Only a follow-up file has her number, and whoever has the old phone has left the sheet."""

import io

import pandas as pd
import pytest

import campaign

COUPLE = """\
name,phone,day
Moses,0772 000 300,20 December
Jane,0772 000 300,21 December
Tom,0772 000 302,22 December
Zed,0772 000 303,23 December
"""
WITHOUT_MOSES = COUPLE.replace("Moses,0772 000 300,20 December\n", "")
CORRECTED = WITHOUT_MOSES.replace("Jane,0772 000 300", "Jane,0772 000 500")
COME, CANCELLED, LATER = (
    f"Dear {{name}}, the visit on {{day}} {what}." for what in ("takes place", "is cancelled", "has moved")
)
HERS = "Dear Jane, the visit on 21 December takes place."
AS_CORRECTED = "as corrected in a follow-up file"
IN_THIS_TABLE = (
    "in this table it is “Dear Jane, the visit on 21 December has moved.” on 25677****300, a phone that got "
    "somebody else's text"
)


def plan_of(source, message):
    contacts = pd.read_csv(io.StringIO(source), dtype="str") if isinstance(source, str) else source
    return campaign.prepare(contacts, message=message, sender="CLINIC", region="UG")


def send(source, folder, message, changed="ask", **options):
    plan = plan_of(source, message)
    return campaign.send(plan, folder=folder, changed=changed, progress=False, **options)


def texts_of(result):
    return dict(zip(result.messages["number"], result.messages["message"], strict=True))


def corrected_file(result):
    path = campaign.write_follow_up(result, result.folder.parent / "correct.csv")
    rows = pd.read_csv(path, dtype="str")
    rows.loc[rows["name"] == "Jane", "phone"] = "0772 000 500"
    rows.to_csv(path, index=False)
    return campaign.read_contacts(path)


@pytest.fixture
def folder(tmp_path):
    """Both share Moses's phone until the follow-up file has Jane's own number. Then the text changes, and
    goes to the phones of the own spreadsheet, so not to Jane."""
    result = send(COUPLE, tmp_path / "visits", COME)
    result = send(corrected_file(result), result.folder, COME)
    assert texts_of(result)["256772000500"] == HERS
    send(COUPLE, result.folder, CANCELLED, changed="send")
    return result.folder


def question(rows, folder, message):
    with pytest.raises(campaign.ConfirmationError) as error:
        send(rows, folder, message)
    return str(error.value).splitlines()


def test_the_question_tells_both_numbers_apart_and_whose_phone_the_one_in_the_table_is(folder):
    first, hers, *_, choices = question(WITHOUT_MOSES, folder, LATER)
    assert first.startswith("2 people were reached by this rehearsal with another text. 1 person was reached")
    assert first.endswith(f"{AS_CORRECTED}, with another number. Nothing was sent.")
    assert hers == f"row 2: “{HERS}” on 25677****500, {AS_CORRECTED}; {IN_THIS_TABLE}"
    assert choices.endswith(
        'With "send", the text goes to the number of this table: to use that of the follow-up file, put the '
        "correction into your own spreadsheet first."
    )


def test_compare_tells_her_as_reached_with_the_number_of_the_follow_up_file(folder):
    compared = campaign.compare(plan_of(WITHOUT_MOSES, LATER), folder=folder)
    assert (compared.changed, compared.sharing, compared.moved) == (2, 0, 1)
    assert compared.messages["reason"].tolist()[0] == f"reached {AS_CORRECTED}"
    assert f"1 person was reached in rehearsal {AS_CORRECTED}" in compared.sentence
    assert "put the correction into your own spreadsheet too (row 2)" in compared.sentence
    assert f"the 1 person reached {AS_CORRECTED}, with another number; answer" in compared.sentence


def test_whoever_was_corrected_in_another_cell_than_the_number_was_reached_at_that_phone(tmp_path):
    """And nobody else was: another text for the phone is another text for her."""
    rows = "name,phone,due\nAnn,0772 000 301,nil\nBen,0772 000 302,5000\n"
    due, meeting = "Dear {name}, {due:,.0f} is due.", "Dear {name}, come to the meeting."
    result = send(rows, tmp_path / "fees", due)
    path = campaign.write_follow_up(result, tmp_path / "correct.csv")
    pd.read_csv(path, dtype="str").assign(due="40000").to_csv(path, index=False)
    result = send(campaign.read_contacts(path), result.folder, due)
    assert texts_of(result)["256772000301"] == "Dear Ann, 40,000 is due."
    told = campaign.compare(plan_of(rows, meeting), folder=result.folder)
    assert told.messages["reason"].tolist() == ["reached with another text"] * 2


def test_what_reached_the_old_phone_together_with_her_own_was_for_somebody_else(tmp_path):
    with campaign.Sandbox(faults={1: "Invalid sender ID"}) as sandbox:
        refused = send(COUPLE, tmp_path / "visits", COME, account=sandbox)
        assert refused.totals["accepted"] == 0
        send(corrected_file(refused), refused.folder, COME, account=sandbox)
        compared = campaign.compare(
            plan_of(WITHOUT_MOSES, LATER), folder=refused.folder, account=sandbox.account
        )
        assert (compared.changed, compared.sharing, compared.moved) == (2, 0, 1)


def test_left_at_that_she_keeps_her_text_and_the_correction_is_still_to_be_copied(folder):
    result = send(WITHOUT_MOSES, folder, LATER, changed="skip")
    for told in (result, campaign.load_result(folder)):
        assert texts_of(told)["256772000500"] == HERS
        assert "256772000300" not in texts_of(told)
        assert "(2 as this table has them, 1 with a correction that it lacks)" in told.sentence
        assert "2 rows keep the text that their numbers got before." in told.sentence
        assert "put this correction into your own spreadsheet too (row 2)" in told.sentence
        assert told.contacts.at[2, "reason"] == (
            f"The row was reached {AS_CORRECTED}, and not with the number in this table. Correct the row in "
            "your own spreadsheet too."
        )
    assert campaign.compare(plan_of(WITHOUT_MOSES, LATER), folder=folder).moved == 1


def test_with_the_correction_in_the_own_spreadsheet_she_is_reached_there(folder):
    send(WITHOUT_MOSES, folder, LATER, changed="skip")
    assert campaign.compare(plan_of(CORRECTED, LATER), folder=folder).changed == 3
    result = send(CORRECTED, folder, LATER, changed="send")
    assert texts_of(result)["256772000500"] == "Dear Jane, the visit on 21 December has moved."
    assert "spreadsheet" not in result.sentence


def test_where_a_person_chose_so_the_text_goes_to_the_old_phone_once(folder):
    result = send(WITHOUT_MOSES, folder, LATER, changed="send")
    assert texts_of(result)["256772000300"] == "Dear Jane, the visit on 21 December has moved."
    assert send(WITHOUT_MOSES, folder, LATER).nothing_sent
    compared = campaign.compare(plan_of(WITHOUT_MOSES, CANCELLED), folder=folder)
    assert (compared.moved, compared.changed) == (0, 1)
