"""A phone that several people share, and `not_again=` with the campaign that reached one of them."""

import pandas as pd
import pytest

import campaign
from campaign.notebook.composer.desk_words import desk_words

# Rows 2 to 6. Moses and Miriam have their mother's phone.
CHILDREN = pd.DataFrame(
    {
        "Guardian": ["Ann Adongo", "Ann Adongo", "Ben Kato", "Eva Apio", "Eva Apio"],
        "Child": ["Moses", "Miriam", "Joy", "Tom", "Tom"],
        "Phone": ["0772 000 001", "0772 000 001", "0772 000 002", "0772 000 003", "0772 000 003"],
    }
)
NOT_HERS = (
    "Shares a phone with somebody else, whose text was rehearsed by another campaign, or may have been. To "
    "reach this person too, enter another number, or send all texts for this phone from your own "
    'spreadsheet (duplicates="keep").'
)


@pytest.fixture
def sandbox():
    with campaign.Sandbox() as service:
        yield service


def vaccinations(contacts=CHILDREN, text="{Child} missed a vaccination.", **options):
    return campaign.prepare(contacts, message=text, sender="CLINIC", region="UG", **options)


@pytest.fixture
def first(sandbox, tmp_path):
    """The folder of the campaign that reached Moses, Joy and Tom."""
    result = campaign.send(vaccinations(), account=sandbox, folder=tmp_path / "first", progress=False)
    assert result.totals["accepted"] == 3
    return result.folder


@pytest.fixture
def send(sandbox, tmp_path):
    def send(plan, name="second"):
        return campaign.send(plan, account=sandbox, folder=tmp_path / name, progress=False)

    return send


def statuses(plan):
    return plan.contacts["status"].tolist()


def outcomes(result):
    return {outcome: rows for outcome, rows in result.totals.by_outcome.items() if rows}


def test_whoever_only_shares_the_phone_is_one_of_the_rows_to_correct(first, send):
    second = send(vaccinations(text="Come on Monday with {Child}.", not_again=first))
    for result in (second, campaign.load_result(second.folder)):
        assert outcomes(result) == {"sharing_a_phone": 1, "reached_before": 4}
        assert result.contacts["reason"][3] == NOT_HERS
        assert result.follow_up()["Child"].tolist() == ["Miriam"]
        assert result.about_shared_before == ""
        assert "1 person shares a phone with somebody else and was not sent the text" in result.sentence


def test_with_another_number_she_is_reached_from_the_rows_to_correct(first, send, sandbox, tmp_path):
    second = send(vaccinations(text="Come on Monday with {Child}.", not_again=first))
    file = tmp_path / "rows.csv"
    campaign.write_follow_up(second, file)
    file.write_text(file.read_text().replace("0772 000 001", "0772 000 009"))
    rows = campaign.read_contacts(file)
    result = send(vaccinations(rows, text="Come on Monday with {Child}.", not_again=first))
    assert outcomes(result) == {"accepted": 1, "reached_before": 4}
    assert sandbox.inbox["text"].tolist()[-1] == "Come on Monday with Miriam."


@pytest.mark.parametrize("stream", [False, True])
def test_with_every_different_text_she_gets_hers_and_nobody_else_does(first, send, sandbox, stream):
    plan = vaccinations(
        text="Come on Monday with {Child}.", not_again=first, duplicates="keep", stream=stream
    )
    assert statuses(plan) == ["duplicate", "not_sent", "duplicate", "duplicate", "duplicate"]
    result = send(plan)
    assert sandbox.inbox["text"].tolist()[3:] == ["Come on Monday with Miriam."]
    assert outcomes(send(plan)) == outcomes(result) == {"accepted": 1, "reached_before": 4}
    assert len(sandbox.inbox) == 4


def test_rows_in_another_order_with_another_amount_are_recognised(first):
    """The second table is sorted and has a column of amounts."""
    later = CHILDREN.iloc[:3].sort_values("Child", ignore_index=True).assign(Amount=[*"123"])
    plan = vaccinations(later, not_again=first)
    assert plan.contacts["Child"].tolist() == ["Joy", "Miriam", "Moses"]
    assert plan.issues["code"].tolist() == ["already_sent", "duplicate_other_text", "already_sent"]


def test_a_name_that_neither_of_them_had_leaves_her_in_doubt(first, send):
    """Nothing but the name tells the children apart, and a single cell may have been corrected."""
    for rows in (CHILDREN.iloc[:3], CHILDREN.iloc[[1]]):
        result = send(vaccinations(rows.replace("Miriam", "Zoe"), not_again=first))
        assert outcomes(result)["sharing_a_phone"] == 1
        told = result.follow_up().set_index("Child")["last reason"]
        assert told["Zoe"] == (
            "This phone was reached before, or may have been, perhaps with somebody else's text: see "
            "not_again=. To reach this person too, enter another number, or send the file of write_follow_up "
            "without not_again=."
        )
        assert "enter another number." in result.sentence
        assert "duplicates=" not in result.sentence


def test_a_sister_who_is_new_in_the_second_table_is_not_passed_over(send, sandbox):
    """She is like nobody whom the first campaign reached at the phone that her brother and sister share."""
    clinic = CHILDREN.assign(Visit=["1 Dec", "2 Dec", "3 Dec", "4 Dec", "4 Dec"])
    first = send(vaccinations(clinic), "first")
    susan = pd.DataFrame(
        {"Guardian": ["Ann Adongo"], "Child": ["Susan"], "Phone": ["0772 000 001"], "Visit": ["8 Dec"]}
    )
    second = send(vaccinations(susan, text="Come with {Child}.", not_again=first.folder))
    assert outcomes(second) == {"sharing_a_phone": 1}
    assert second.follow_up()["Child"].tolist() == ["Susan"]
    # It is not certain enough to send to that phone: she may be a brother in a table of another month.
    third = send(vaccinations(susan, not_again=first.folder, duplicates="keep"), "third")
    assert outcomes(third) == {"sharing_a_phone": 1}
    corrected = susan.assign(Phone="0772 000 007")
    assert outcomes(send(vaccinations(corrected, not_again=first.folder), "third")) == {"accepted": 1}


def test_a_brother_in_the_table_of_another_month_was_reached(send):
    """Nothing but his name says so: everything else is new."""
    clinic = CHILDREN.iloc[:3].assign(Visit=["1 Dec", "2 Dec", "3 Dec"], Weight=[*"123"], Nurse=[*"XYZ"])
    first = send(vaccinations(clinic), "first")
    january = clinic.assign(Visit=["4 Jan", "5 Jan", "6 Jan"], Weight=[*"456"], Nurse=[*"UVW"])
    for duplicates in ("skip", "keep"):
        plan = vaccinations(january, not_again=first.folder, duplicates=duplicates)
        reached = plan.issues.loc[plan.issues["code"] == "already_sent", "row"]
        assert set(reached) == {2, 4}


def test_whoever_was_there_twice_or_got_every_text_was_reached(send):
    """Tom is in two rows, and the brother and the sister both had a text: nobody is in doubt later."""
    first = send(vaccinations(CHILDREN.assign(Visit="1 Dec"), duplicates="keep"), "first")
    january = CHILDREN.assign(Visit=["2 Jan", "3 Jan", "4 Jan", "5 Jan", "6 Jan"])
    second = send(vaccinations(january, text="Come with {Child}, {Visit}.", not_again=first.folder))
    assert outcomes(second) == {"reached_before": 5}
    # Two rows with a number and different texts, of which the list of then knows one only.
    assert second.about_shared_before.startswith("1 row shares a phone that was reached before")


def test_a_child_who_is_alone_in_the_second_table_is_not_taken_for_the_brother(first):
    alone = CHILDREN.iloc[[1, 2]]
    plan = vaccinations(alone, not_again=first)
    assert plan.issues["code"].tolist() == ["duplicate_other_text", "already_sent"]
    assert plan.issues["detail"][0] == (
        "This phone was reached before with somebody else's text, or may have been: see not_again=. To reach "
        'this person too, enter another number, or use duplicates="keep".'
    )


def test_whoever_another_campaign_has_reached_as_well_is_not_written_to(first, send):
    """Miriam got nothing from the first campaign and her text from the second: a third leaves her out."""
    second = send(vaccinations(not_again=first, duplicates="keep"))
    third = vaccinations(text="{Child}, once more.", not_again=[first, second.folder], duplicates="keep")
    assert set(statuses(third)) == {"duplicate"}


def test_whoever_has_got_another_number_in_the_first_campaign_is_not_left_out_any_more(first, send):
    """In its last round nobody shares that phone, so its rows say nothing of Miriam."""
    corrected = CHILDREN.copy()
    corrected.loc[1, "Phone"] = "0772 000 009"
    send(vaccinations(corrected), "first")
    plan = vaccinations(not_again=first, duplicates="keep")
    assert len(plan.messages) == 0


def test_in_a_table_with_other_columns_nobody_knows_whose_text_it_was(first, send):
    later = CHILDREN.rename(columns={"Guardian": "Parent", "Child": "Name"})
    result = send(vaccinations(later, text="Hello {Name}", not_again=first))
    assert outcomes(result) == {"sharing_a_phone": 2, "reached_before": 3}
    assert set(result.follow_up()["Name"]) == {"Moses", "Miriam"}


def test_the_first_campaign_may_reach_nobody_else_meanwhile(first, send):
    """Who was reached when the plan was prepared is known to it; who was reached since is not."""
    plan = vaccinations(text="Come with {Child}.", not_again=first, duplicates="keep")
    more = pd.concat([CHILDREN, CHILDREN.iloc[[1]].assign(Child="Zoe", Phone="0772 000 008")])
    later = vaccinations(more, text="Come with {Child}.", not_again=first, duplicates="keep")
    send(vaccinations(more), "first")
    assert send(plan).totals["accepted"] == 1
    with pytest.raises(campaign.UsageError, match="has reached 1 person of this plan since"):
        send(later, "third")


def test_whoever_shares_a_phone_that_another_campaign_reached_is_not_passed_over(tmp_path):
    """A list of numbers does not say whose text it was, and the result says so."""
    family = pd.DataFrame({"name": ["Ann", "Ben", "Cat"], "phone": ["0772 000 001"] * 2 + ["0772 000 002"]})
    renamed = family.rename(columns={"name": "child"})

    def visits(text, contacts=renamed, **options):
        return campaign.prepare(contacts, message=text, sender="CLINIC", region="UG", **options)

    with campaign.Sandbox() as sandbox:
        options = {"account": sandbox, "progress": False}
        campaign.send(visits("Hi {name}", family), folder=tmp_path / "first", **options)
        second = campaign.send(
            visits("Dear {child}", not_again=["0772 000 001"]), folder=tmp_path / "second", **options
        )
        told = "1 row shares a phone that was reached before and gets nothing, though the text there may have"
        assert f"{told} been somebody else's (row 3): the result of the campaign" in second.sentence
        again = campaign.load_result(second.folder)
        assert told in again.sentence
        assert told in desk_words(again.about_shared_before)
        campaign.write_report(again, tmp_path / "report.html")
        page = (tmp_path / "report.html").read_text()
        assert told in page
        assert "Nobody needs attention" not in page
        alone = visits("Dear {child}", not_again=pd.Series(["0772 000 002"]))
        third = campaign.send(alone, folder=tmp_path / "third", **options)
        assert "that was reached before" not in third.sentence


def test_whoever_was_reached_before_is_no_duplicate_anywhere(first, send, sandbox, tmp_path):
    """The same rows in the plan, the sentence, the tables and the report; and again from the folder."""
    more = pd.concat([CHILDREN, CHILDREN.iloc[[2]].assign(Child="Ida", Phone="0772 000 004")])
    plan = vaccinations(more, text="Come with {Child}.", not_again=first)
    assert plan.sentence.endswith("Rows that get none: 1 sharing a phone, 4 reached before.") or (
        "1 duplicate, 4 reached before" in plan.sentence
    )
    compared = campaign.compare(plan, account=sandbox, folder=tmp_path / "second")
    assert "4 rows are left out, because their numbers were reached before." in compared.sentence
    second = send(plan)
    for result in (second, campaign.load_result(second.folder)):
        assert outcomes(result) == {"accepted": 1, "sharing_a_phone": 1, "reached_before": 4}
        assert "the rest: 1 sharing a phone, 4 reached before" in result.sentence
        assert result.outcomes.value_counts().to_dict() == {
            "reached before": 4,
            "sharing a phone": 1,
            "accepted": 1,
        }
        by_guardian = result.outcomes_by("Guardian")
        assert by_guardian["reached_before"].to_dict() == {"Ann Adongo": 1, "Ben Kato": 1, "Eva Apio": 2}
        assert by_guardian["duplicate"].sum() == 0
        campaign.write_report(result, tmp_path / "report.html")
        page = (tmp_path / "report.html").read_text()
        assert (
            "6 rows in the file: 2 people (1 shares a phone), 4 rows whose numbers were reached before."
            in page
        )
        assert "count as one person" not in page


def test_it_is_known_after_several_rounds_as_well(first, send, sandbox):
    """The first campaign was run again with one number more, as the spreadsheet was corrected elsewhere."""
    more = pd.concat([CHILDREN, CHILDREN.iloc[[2]].assign(Child="Ida", Phone="0772 000 004")])
    send(vaccinations(more), "first")
    second = send(vaccinations(more, text="Come with {Child}.", not_again=first))
    assert outcomes(second) == {"sharing_a_phone": 1, "reached_before": 5}
    assert second.follow_up()["Child"].tolist() == ["Miriam"]
    third = send(vaccinations(more, text="Come, {Child}.", not_again=first, duplicates="keep"), "third")
    assert outcomes(third) == {"accepted": 1, "reached_before": 5}
    assert sandbox.inbox["text"].tolist()[-1] == "Come, Miriam."


def test_a_campaign_cannot_leave_out_itself(first, sandbox):
    plan = vaccinations(text="Another text for {Child}.", not_again=first)
    for call in (campaign.compare, campaign.send):
        with pytest.raises(campaign.UsageError, match="not_again= names the campaign that this plan would"):
            call(plan, account=sandbox, folder=first)


def test_whoever_got_theirs_is_told_so_also_when_every_text_is_no_longer_asked_for(first, send, sandbox):
    more = pd.concat([CHILDREN, CHILDREN.iloc[[1]].assign(Child="Mark")])
    send(vaccinations(more), "first")
    text = "Come with {Child}."
    second = send(vaccinations(more, text=text, not_again=first, duplicates="keep"))
    assert outcomes(second) == {"accepted": 2, "reached_before": 4}
    again = send(vaccinations(more, text=text, not_again=first))
    assert outcomes(again) == {"accepted": 2, "reached_before": 4}
    assert again.follow_up().empty
    assert sandbox.inbox["text"].tolist()[3:] == ["Come with Miriam.", "Come with Mark."]


def test_whoever_the_first_campaign_has_reached_since_on_a_shared_phone_is_noticed(first, send):
    """The plan was to send Miriam hers; meanwhile the first campaign sent every text, also Miriam's."""
    plan = vaccinations(text="Come with {Child}.", not_again=first, duplicates="keep")
    send(vaccinations(duplicates="keep"), "first")
    with pytest.raises(campaign.UsageError, match="has reached 1 person of this plan since"):
        send(plan)
