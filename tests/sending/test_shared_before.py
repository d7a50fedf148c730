"""Who shares a phone got nothing, also once the row whose text reached that phone has changed or is gone."""

import io

import pandas as pd
import pytest

import campaign

FAMILY = """\
name,phone,day
Peter,0772 000 301,20 December
Sarah,0772 000 301,21 December
Ann,0772 000 302,22 December
"""
WITHOUT_PETER = FAMILY.replace("Peter,0772 000 301,20 December\n", "")
PETER_AT_HIS_OWN = FAMILY.replace("Peter,0772 000 301", "Peter,0772 000 303")
TEXT = "Dear {name}, please come on {day}."
LATER_TEXT = "Dear {name}, the visit on {day} is cancelled."


@pytest.fixture
def folder(tmp_path):
    """Of a campaign in which Peter's text went to the phone that he shares with Sarah."""
    result = send(FAMILY, tmp_path / "visits")
    assert outcomes(result) == {"Peter": "accepted", "Sarah": "sharing a phone", "Ann": "accepted"}
    return result.folder


def plan_of(rows, *, message=TEXT, **options):
    contacts = pd.read_csv(io.StringIO(rows), dtype="str") if isinstance(rows, str) else rows
    return campaign.prepare(contacts, message=message, sender="CLINIC", region="UG", **options)


def send(rows, folder, *, changed="ask", **options):
    return campaign.send(plan_of(rows, **options), folder=folder, changed=changed, progress=False)


def outcomes(result):
    return dict(zip(result.contacts["name"], result.outcomes, strict=True))


def assert_forgotten_by_nobody(result, *names):
    """These people share a phone and need attention, in whatever way it is told; nobody else does."""
    shares = [name for name, outcome in outcomes(result).items() if outcome == "sharing a phone"]
    assert shares == [*names]
    assert result.follow_up()["name"].tolist() == [*names]
    attention = result.contacts.loc[result.needing_attention, "name"].tolist()
    assert attention == [*names]
    totals = result.totals
    assert (totals.sharing, totals.by_outcome["sharing_a_phone"], totals.attention) == (len(names),) * 3
    assert "keeps" not in result.sentence


def test_compare_names_the_rows_that_get_nothing_because_they_share_a_phone(folder):
    def sentence(rows):
        return campaign.compare(plan_of(rows), folder=folder).sentence

    nothing = "Nothing would be rehearsed: 2 people were reached in rehearsal before."
    assert sentence(FAMILY) == f"{nothing} 1 row shares a phone with another row and gets nothing (row 3)."
    copied = f"{FAMILY}Dina,0772 000 302,22 December\n"  # a copy of Ann's row with another name
    assert (
        sentence(copied) == f"{nothing} 2 rows share a phone with another row and get nothing (rows 3 and 5)."
    )


@pytest.mark.parametrize("rows", [WITHOUT_PETER, PETER_AT_HIS_OWN])
def test_whoever_shares_a_phone_is_asked_about_as_such(folder, rows):
    compared = campaign.compare(plan_of(rows), folder=folder)
    assert (compared.changed, compared.sharing) == (0, 1)
    assert "phone reached with somebody else's text" in compared.messages["reason"].tolist()
    assert "the 1 person sharing a phone reached with somebody else's text; answer" in compared.sentence
    with pytest.raises(campaign.ConfirmationError) as question:
        send(rows, folder)
    first, example, choices = str(question.value).splitlines()
    assert first == (
        "1 person shares a phone that was reached by this rehearsal with somebody else's text. "
        "Nothing was sent."
    )
    assert example.endswith(
        "this phone got “Dear Peter, please come on 20 December.”, and “Dear Sarah, please come on 21 "
        "December.” is for this row"
    )
    assert choices.startswith('Give changed="skip" to send this person nothing, or changed="send"')


@pytest.mark.parametrize("rows", [WITHOUT_PETER, PETER_AT_HIS_OWN])
def test_left_at_that_nobody_is_forgotten(folder, rows, tmp_path):
    result = send(rows, folder, changed="skip")
    assert_forgotten_by_nobody(result, "Sarah")
    sarah = result.contacts.set_index("name").loc["Sarah"]
    assert (sarah["status"], sarah["batch"]) == ("duplicate", 1)
    assert sarah["reason"] == (
        "Shares a phone with somebody else, whose text was rehearsed. To reach this person too, enter "
        'another number, or give changed="send" to send this text as well.'
    )
    assert "duplicates=" not in result.sentence  # no other row of the table has this number
    loaded = campaign.load_result(folder)
    resumed = campaign.resume(folder, opt_outs=["0772 000 309"], progress=False)
    for other in (loaded, resumed, send(rows, folder, changed="skip")):
        assert_forgotten_by_nobody(other, "Sarah")
        pd.testing.assert_frame_equal(other.contacts, result.contacts)
    assert resumed.nothing_sent
    page = campaign.write_report(loaded, tmp_path / "report.html").read_text("utf-8")
    assert "1 person who shares a phone" in page
    assert campaign.history(folder)[["people", "to_correct"]].to_numpy().tolist() == [
        [len(result.contacts), 1]
    ]


@pytest.mark.parametrize("rows", [WITHOUT_PETER, PETER_AT_HIS_OWN])
def test_the_text_goes_out_where_a_person_chose_so(folder, rows):
    result = send(rows, folder, changed="send")
    assert set(outcomes(result).values()) == {"accepted"}
    assert send(rows, folder).nothing_sent


def test_with_a_number_of_her_own_in_the_follow_up_file_she_is_reached(folder):
    rows = send(WITHOUT_PETER, folder, changed="skip").follow_up()
    with pytest.raises(campaign.ConfirmationError, match="1 person shares a phone"):
        send(rows, folder)
    rows["phone"] = "0772 000 304"
    result = send(rows, folder)
    assert outcomes(result) == {"Sarah": "accepted", "Ann": "accepted"}
    assert "gets nothing" not in campaign.compare(plan_of(FAMILY), folder=folder).sentence
    compared = campaign.compare(plan_of(WITHOUT_PETER), folder=folder)  # her own row lacks the number
    assert (compared.moved, compared.sharing) == (1, 0)


def test_she_is_known_by_her_cells_once_everybody_gets_another_text(folder):
    compared = campaign.compare(plan_of(WITHOUT_PETER, message=LATER_TEXT), folder=folder)
    assert (compared.changed, compared.sharing) == (1, 1)
    result = send(WITHOUT_PETER, folder, message=LATER_TEXT, changed="skip")
    assert outcomes(result) == {"Sarah": "sharing a phone", "Ann": "accepted"}
    reasons = result.contacts["reason"].tolist()
    assert reasons[1].startswith("This number got an earlier text: “")


def test_beside_him_she_stays_left_out_whatever_the_text_is(folder):
    result = send(FAMILY, folder, message=LATER_TEXT, changed="skip")
    assert outcomes(result) == {"Peter": "accepted", "Sarah": "sharing a phone", "Ann": "accepted"}


def test_a_column_that_was_added_hides_nobody(folder):
    rows = pd.read_csv(io.StringIO(WITHOUT_PETER), dtype="str").assign(room=["4", "5"])
    compared = campaign.compare(plan_of(rows, message=TEXT + " Room {room}."), folder=folder)
    assert (compared.changed, compared.sharing) == (1, 1)


def test_she_is_not_taken_for_him_although_her_row_and_text_are_new_too(folder):
    rows = WITHOUT_PETER.replace("21 December", "28 December")
    with pytest.raises(campaign.ConfirmationError, match="1 person shares a phone that was reached"):
        send(rows, folder)
    assert_forgotten_by_nobody(send(rows, folder, changed="skip"), "Sarah")


def test_whoever_came_to_the_phone_after_it_was_reached(tmp_path):
    """In no earlier table, but the text that reached the phone is that of a row with another number now."""
    before = FAMILY.replace("Sarah,0772 000 301,21 December\n", "")
    folder = send(before, tmp_path / "visits").folder
    result = send(PETER_AT_HIS_OWN, folder, changed="skip")
    assert outcomes(result) == {"Peter": "accepted", "Sarah": "sharing a phone", "Ann": "accepted"}


def test_numbers_that_were_beside_the_wrong_people(tmp_path):
    """As after one column was sorted alone: every phone got the text of somebody else."""
    right = WITHOUT_PETER.replace("301", "30x").replace("302", "301").replace("30x", "302")
    folder = send(WITHOUT_PETER, tmp_path / "visits").folder
    assert campaign.compare(plan_of(right), folder=folder).sharing == 2
    assert_forgotten_by_nobody(send(right, folder, changed="skip"), "Sarah", "Ann")


def test_a_text_that_two_rows_could_have_got_says_nothing(tmp_path):
    """A list of days: whose day was put off is no other person because somebody new has the old one."""
    days = "phone,day\n0772 000 301,20 December\n0772 000 302,21 December\n"
    put_off = "phone,day\n0772 000 301,28 December\n0772 000 302,21 December\n"
    options = {"message": "Please come on {day}."}
    folder = send(days, tmp_path / "visits", **options).folder
    two_new = put_off + "0772 000 303,20 December\n0772 000 304,20 December\n"
    compared = campaign.compare(plan_of(two_new, **options), folder=folder)
    assert (compared.changed, compared.sharing, compared.new) == (1, 0, 2)


def test_three_people_on_one_phone(folder):
    joined = FAMILY + "Tom,0772 000 301,23 December\n"
    assert_forgotten_by_nobody(send(joined, folder), "Sarah", "Tom")
    left = joined.replace("Peter,0772 000 301,20 December\n", "")
    result = send(left, folder, changed="skip")
    assert_forgotten_by_nobody(result, "Sarah", "Tom")
    assert result.contacts["reason"].str.startswith("Shares a phone with somebody else, who").sum() == 2
    pd.testing.assert_frame_equal(send(left, folder, changed="skip").contacts, result.contacts)
    reached = send(left, folder, changed="send")
    assert outcomes(reached) == {"Sarah": "accepted", "Ann": "accepted", "Tom": "sharing a phone"}
    assert reached.contacts.at[4, "reason"].startswith("Shares a phone with row 2, whose text was rehearsed")


def test_once_she_got_a_text_of_her_own_it_is_hers_that_changes(folder):
    send(FAMILY, folder, duplicates="keep")
    compared = campaign.compare(plan_of(WITHOUT_PETER, message=LATER_TEXT), folder=folder)
    assert (compared.changed, compared.sharing) == (2, 0)
    send(WITHOUT_PETER, folder, message=LATER_TEXT, changed="send")
    compared = campaign.compare(plan_of(WITHOUT_PETER, message="Dear {name}."), folder=folder)
    assert (compared.changed, compared.sharing) == (2, 0)


def test_whoever_came_later_shares_the_phone_until_a_text_goes_to_it(tmp_path):
    """Peter's text went out before Sarah was in the table, and Paul has got his place since."""
    before = FAMILY.replace("Sarah,0772 000 301,21 December\n", "")
    folder = send(before, tmp_path / "visits").folder
    send(before.replace("Peter", "Paul"), folder, changed="send")
    assert_forgotten_by_nobody(send(FAMILY.replace("Peter", "Paul"), folder), "Sarah")
    assert_forgotten_by_nobody(send(WITHOUT_PETER, folder, changed="skip"), "Sarah")


def test_every_text_is_still_asked_about_on_a_phone_that_was_reached(folder):
    compared = campaign.compare(plan_of(WITHOUT_PETER, duplicates="keep"), folder=folder)
    assert (compared.new, compared.sharing) == (0, 1)
    assert_forgotten_by_nobody(send(WITHOUT_PETER, folder, duplicates="keep", changed="skip"), "Sarah")


@pytest.mark.parametrize(("state", "fate"), [("accept_reset", "may have been"), ("", "was")])
def test_what_became_of_the_other_text_is_said(tmp_path, state, fate):
    faults = {1: state} if state else {}
    with campaign.Sandbox(faults=faults) as sandbox:
        options = {"folder": tmp_path / "visits", "account": sandbox, "progress": False, "max_unknown": 9}
        campaign.send(plan_of(FAMILY), canary=False, batch_size=1, concurrency=1, **options)
        result = campaign.send(plan_of(WITHOUT_PETER), changed="skip", **options)
    assert f", whose text {fate} rehearsed." in result.contacts.at[2, "reason"]


def test_with_a_mistake_in_her_row_she_is_not_called_reached(tmp_path):
    """Without the answer how dates are read, the rows are as they were, and cannot be sent."""
    days = (
        FAMILY.replace(" December", "/12/2026").replace("20/", "3/").replace("21/", "4/").replace("22/", "5/")
    )
    message = "Dear {name}, please come on {day:%-d %B}."

    def read(rows, **options):
        return campaign.read_contacts(io.BytesIO(rows.encode()), **options)

    send(read(days, dates="dmy"), tmp_path / "visits", message=message)
    result = send(
        read(days.replace("Peter,0772 000 301,3/12/2026\n", "")), tmp_path / "visits", message=message
    )
    assert outcomes(result) == {"Sarah": "invalid", "Ann": "reached earlier"}
    assert result.follow_up()["name"].tolist() == ["Sarah"]
