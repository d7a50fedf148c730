"""A brother who was reached leaves the table, and his family's phone stays in it with other people."""

from itertools import permutations

import pytest

import campaign

BRIAN = "Brian Okello,0772 000 010,6000,P3,Lira"
CAROL = "Carol Okello,0772 000 010,7000,P2,Lira"
DAVID = "David Okello,0772 000 010,8000,P1,Lira"
FAITH = "Faith Okello,0772 000 010,6500,P3,Lira"  # in Brian's class
AISHA = "Aisha Nabirye,0772 000 001,5000,P1,Gulu"
CAROL_LATER = CAROL.replace("7000", "7500")
TEXT = "Hello {name}, your refund of {amount} is ready."


def plan_of(*rows, **options):
    table = "\n".join(["name,phone,amount,class,village", *rows])
    return campaign.prepare(
        campaign.read_contacts(table.encode()), message=TEXT, sender="CLINIC", region="UG", **options
    )


def send(*rows, folder, changed="ask", **options):
    return campaign.send(plan_of(*rows, **options), folder=folder, changed=changed, progress=False)


def told(result):
    """First names by outcome, in order."""
    found = {}
    for name, outcome in zip(result.contacts["name"], result.outcomes, strict=True):
        found.setdefault(outcome, []).append(name.split()[0])
    return {outcome: sorted(names) for outcome, names in found.items()}


@pytest.fixture
def folder(tmp_path):
    """Of a campaign in which Brian's text went to the phone of all three."""
    result = send(BRIAN, CAROL, DAVID, AISHA, folder=tmp_path / "refunds")
    assert told(result) == {"accepted": ["Aisha", "Brian"], "sharing a phone": ["Carol", "David"]}
    return result.folder


@pytest.mark.parametrize("family", [*permutations([CAROL_LATER, DAVID, FAITH])])
def test_whoever_stands_in_his_place_counts_as_sharing_the_phone_in_any_order(folder, family):
    result = send(*family, AISHA, folder=folder, changed="skip")
    sharing = ["Carol", "David", "Faith"]
    assert told(result) == {"accepted": ["Aisha"], "sharing a phone": sharing}
    loaded = campaign.load_result(folder)
    assert sorted(name.split()[0] for name in loaded.follow_up()["name"]) == sharing
    assert "keeps the text" not in loaded.sentence


def test_the_question_says_that_the_text_was_somebody_elses(folder):
    with pytest.raises(campaign.ConfirmationError) as asked:
        send(CAROL_LATER, AISHA, folder=folder)
    assert str(asked.value).splitlines() == [
        "1 person shares a phone that was reached by this rehearsal with somebody else's text. Nothing was "
        "sent.",
        "row 2: this phone got “Hello Brian Okello, your refund of 6000 is ready.”, and “Hello Carol Okello, "
        "your refund of 7500 is ready.” is for this row",
        'Give changed="skip" to send this person nothing, or changed="send" to send the new text to this '
        "phone as well.",
    ]
    result = send(CAROL_LATER, AISHA, folder=folder, changed="send")
    assert told(result) == {"accepted": ["Aisha", "Carol"]}
    assert "Nothing was left to send" in send(CAROL_LATER, AISHA, folder=folder).sentence


def test_her_text_goes_out_beside_those_of_the_others_only_on_a_persons_word(tmp_path):
    folder = send(BRIAN, CAROL, DAVID, folder=tmp_path / "refunds", duplicates="keep").folder
    today = [CAROL, DAVID, FAITH]
    kept = send(*today, folder=folder, duplicates="keep", changed="skip")
    assert told(kept) == {"accepted": ["Carol", "David"], "sharing a phone": ["Faith"]}
    assert kept.contacts.at[4, "reason"].endswith(
        'To reach this person too, enter another number, or give changed="send" to send this text as well.'
    )
    assert "duplicates=" not in kept.sentence  # which she was prepared with
    assert told(send(*today, folder=folder, duplicates="keep", changed="send")) == {
        "accepted": ["Carol", "David", "Faith"]
    }


def test_those_who_got_nothing_yet_are_told_how_to_reach_all_of_them(folder):
    result = send(FAITH, CAROL, DAVID, folder=folder, changed="skip")
    assert result.contacts.at[2, "reason"].endswith('or give changed="send" to send this text as well.')
    for row in (3, 4):
        assert result.contacts.at[row, "reason"] == (
            "Shares a phone with somebody else, whose text was rehearsed. To reach this person too, enter "
            'another number, or send all texts for this phone from your own spreadsheet (duplicates="keep").'
        )
    assert told(send(FAITH, CAROL, DAVID, folder=folder, duplicates="keep", changed="skip")) == {
        "sharing a phone": ["Faith"],
        "accepted": ["Carol", "David"],
    }


@pytest.mark.parametrize(
    "corrected",
    [
        BRIAN.replace("6000", "6200"),
        BRIAN.replace("Brian", "Bryan"),
        BRIAN.replace("6000", "6200").replace("Lira", "Gulu"),
    ],
)
def test_he_himself_keeps_what_he_got_whatever_one_cell_is_corrected(folder, corrected):
    with pytest.raises(campaign.ConfirmationError, match="1 person was reached by this rehearsal with ano"):
        send(DAVID, corrected, CAROL, folder=folder)
    result = send(DAVID, corrected, CAROL, folder=folder, changed="skip")
    assert told(result) == {"accepted": [corrected.split()[0]], "sharing a phone": ["Carol", "David"]}


def test_the_only_person_at_a_number_is_that_person_whatever_is_corrected(tmp_path):
    folder = send(BRIAN, folder=tmp_path / "refunds").folder
    result = send("Bryan Okelo,0772 000 010,6100,P4,Gulu", folder=folder, changed="skip")
    assert told(result) == {"accepted": ["Bryan"]}


def test_two_people_who_come_to_the_phone_of_one_who_left(tmp_path):
    folder = send(BRIAN, AISHA, folder=tmp_path / "refunds").folder
    result = send(DAVID, CAROL, AISHA, folder=folder, changed="skip")
    assert told(result) == {"accepted": ["Aisha"], "sharing a phone": ["Carol", "David"]}


def test_in_parts_on_disk_it_is_the_same(folder):
    today = plan_of(CAROL_LATER, DAVID, FAITH, AISHA, stream=True)
    result = campaign.send(today, folder=folder, changed="skip", progress=False)
    assert told(result) == {"accepted": ["Aisha"], "sharing a phone": ["Carol", "David", "Faith"]}


def test_what_the_family_shared_then_makes_nobody_alike(tmp_path):
    """David got his text in a later round, which had the brother's row too: in the same class and village."""
    david = DAVID.replace("P1", "P3")
    folder = send(BRIAN, david, folder=tmp_path / "refunds").folder
    send(BRIAN, david, folder=folder, duplicates="keep")
    today = [BRIAN.replace("6000", "6200"), FAITH]
    result = send(*today, folder=folder, duplicates="keep", changed="skip")
    assert told(result) == {"accepted": ["Brian"], "sharing a phone": ["Faith"]}


def test_a_single_cell_that_was_corrected_does_not_tell(tmp_path):
    """A table of names: “David” may be a corrected Brian as well as another child."""
    options = {"message": "Hello {name}", "sender": "CLINIC", "region": "UG", "duplicates": "keep"}
    tables = [
        campaign.read_contacts(f"name,phone\n{name},0772000010\nCarol,0772000010\n".encode())
        for name in ("Brian", "David")
    ]
    then, today = (campaign.prepare(table, **options) for table in tables)
    folder = campaign.send(then, folder=tmp_path / "refunds", progress=False).folder
    result = campaign.send(today, folder=folder, changed="skip", progress=False)
    assert told(result) == {"accepted": ["Carol", "David"]}
