"""Two people share a phone, their rows trade places and the text changes: it is known who was reached."""

import io
import random
import tracemalloc

import pandas as pd
import pytest

import campaign
from campaign.results.page.reasons import reasons

FAMILY = """\
name,phone,village
Musa,0772 000 501,Soroti
Jane,0772 000 501,Amuria
Rose,0772 000 502,Lira
"""
SORTED = """\
name,phone,village
Jane,0772 000 501,Amuria
Rose,0772 000 502,Lira
Musa,0772 000 501,Soroti
"""
MONDAY, TUESDAY = "Dear {name}, see you on Monday.", "Dear {name}, see you on Tuesday."
TOLD = {"Musa": "accepted", "Jane": "sharing a phone", "Rose": "accepted"}


def plan_of(rows, message, **options):
    contacts = pd.read_csv(io.StringIO(rows), dtype="str") if isinstance(rows, str) else rows
    return campaign.prepare(contacts, message=message, sender="CLINIC", region="UG", **options)


def send(rows, folder, *, message, changed="ask", **options):
    return campaign.send(plan_of(rows, message, **options), folder=folder, changed=changed, progress=False)


def outcomes(result):
    return dict(zip(result.contacts["name"], result.outcomes, strict=True))


@pytest.fixture
def folder(tmp_path):
    """Of a campaign in which Musa's text went to the phone that he shares with Jane."""
    result = send(FAMILY, tmp_path / "visits", message=MONDAY)
    assert outcomes(result) == TOLD
    return result.folder


def texts_of(result):
    return dict(zip(result.messages["row"], result.messages["message"], strict=True))


def test_whoever_keeps_the_first_text_is_told_as_reached(folder):
    result = send(SORTED, folder, message=TUESDAY, changed="skip")
    assert outcomes(result) == TOLD
    assert "2 of 3 rows were accepted" in result.sentence
    assert texts_of(result) == {3: "Dear Rose, see you on Monday.", 4: "Dear Musa, see you on Monday."}
    assert result.follow_up()["name"].tolist() == ["Jane"]
    assert result.contacts.at[2, "reason"] == (
        "Shares a phone with row 4, whose earlier text was rehearsed. To reach this person too, enter "
        'another number, or send all texts for this phone from your own spreadsheet (duplicates="keep").'
    )
    assert "was not sent the text of their row" in result.sentence
    assert outcomes(send(FAMILY, folder, message=TUESDAY, changed="skip")) == TOLD


def test_the_new_text_goes_to_whoever_got_the_first_one(folder):
    compared = campaign.compare(plan_of(SORTED, TUESDAY), folder=folder)
    assert (compared.new, compared.changed, compared.sharing) == (0, 2, 0)
    result = send(SORTED, folder, message=TUESDAY, changed="send")
    assert outcomes(result) == TOLD
    assert texts_of(result) == {3: "Dear Rose, see you on Tuesday.", 4: "Dear Musa, see you on Tuesday."}


def test_in_a_plan_in_parts_it_is_the_same(folder, monkeypatch):
    monkeypatch.setattr("campaign.messages.draft.BLOCK", 1)
    for changed in ("skip", "send"):
        result = send(SORTED, folder, message=TUESDAY, changed=changed, stream=True)
        assert outcomes(result) == TOLD


def test_a_row_that_has_changed_beside_its_number_is_known_by_the_rest(folder):
    """Musa has moved, and everybody's row has a new column."""
    rows = pd.DataFrame(
        [["Jane", "0772 000 501", "Amuria", "1"], ["Musa", "+256 772 000 501", "Lira", "2"]],
        columns=["name", "phone", "village", "day"],
    )
    result = send(rows, folder, message=TUESDAY, changed="skip")
    assert outcomes(result) == {"Jane": "sharing a phone", "Musa": "accepted"}


def test_where_rows_are_alike_the_first_one_stays(tmp_path):
    rows = "name,phone,code\nMusa,0772 000 501,1\nMusa,0772 000 501,2\n"
    folder = send(rows, tmp_path / "visits", message="Your code is {code}.").folder
    swapped = "name,phone,code\nMusa,0772 000 501,3\nMusa,0772 000 501,4\n"
    result = send(swapped, folder, message="Your code is {code}.", changed="send")
    assert result.outcomes.tolist() == ["accepted", "sharing a phone"]


def test_a_number_of_very_many_rows_takes_no_more_memory_than_they_do(tmp_path):
    """Compared in pairs, 3,000 rows then and now would be nine million."""
    people = [f"Person {n},0772 000 501,{n % 7}" for n in range(3_000)]
    rows = "\n".join(["name,phone,village", *people])
    backwards = "\n".join(["name,phone,village", *reversed(people)])
    folder = send(rows, tmp_path / "visits", message=MONDAY).folder
    tracemalloc.start()
    compared = campaign.compare(plan_of(backwards, TUESDAY), folder=folder)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert compared.changed + compared.sharing == 1
    assert most < 100_000_000


def test_somebody_new_above_whoever_was_reached_takes_nobodys_place(folder):
    rows = FAMILY.replace("Musa", "Zoe,0772 000 501,Gulu\nMusa")
    result = send(rows, folder, message=TUESDAY, changed="skip")
    assert outcomes(result) == {"Zoe": "sharing a phone", **TOLD}


def test_a_number_of_his_own_in_the_follow_up_file_is_asked_about(folder, tmp_path):
    result = send(SORTED, folder, message=TUESDAY, changed="skip")
    file = campaign.write_follow_up(result, tmp_path / "to_correct.xlsx")
    assert campaign.read_contacts(file)["name"].tolist() == ["Jane"]


@pytest.mark.parametrize("rows", [FAMILY, SORTED])
@pytest.mark.parametrize("reached", ["Musa", "Jane"])
def test_with_every_different_text_only_whoever_got_nothing_is_new(tmp_path, rows, reached):
    """And not the first of the rows, whoever that is: the other one would get a second text unasked."""
    plan = plan_of(FAMILY, MONDAY).keep_instead([] if reached == "Musa" else [3])
    sent = campaign.send(plan, folder=tmp_path / "visits", progress=False)
    other = "Jane" if reached == "Musa" else "Musa"
    everybody = plan_of(rows, TUESDAY, duplicates="keep")
    reasons_of = campaign.compare(everybody, folder=sent.folder).messages
    names = reasons_of["row"].map(everybody.contacts["name"])
    assert dict(zip(names, reasons_of["reason"], strict=True)) == {
        reached: "reached with another text", other: "new", "Rose": "reached with another text",
    }  # fmt: skip
    result = send(rows, sent.folder, message=TUESDAY, changed="skip", duplicates="keep")
    got = dict(zip(result.contacts["name"], result.contacts.index, strict=True))
    assert texts_of(result) == {
        got[reached]: f"Dear {reached}, see you on Monday.",
        got[other]: f"Dear {other}, see you on Tuesday.",
        got["Rose"]: "Dear Rose, see you on Monday.",
    }
    assert result.totals.accepted_in_all_rounds == 3


@pytest.mark.parametrize("seed", [1, 2, 5, 20, 22])
def test_whatever_is_sorted_rewritten_or_chosen_nobody_who_keeps_a_text_gets_another(seed, tmp_path, sandbox):
    """Six people on three phones, five rounds. Before, each of these gave somebody two."""
    chance = random.Random(seed)
    phones = {
        name: f"0772 000 {chance.randint(1, 3):03}" for name in ("Ann", "Ben", "Cat", "Dan", "Eve", "Fay")
    }
    rows, texts = [*phones], [MONDAY]
    for _ in range(5):
        table = "name,phone,village\n" + "".join(f"{name},{phones[name]},of {name}\n" for name in rows)
        if chance.random() < 0.5:
            plan = plan_of(table, texts[-1], duplicates="keep")
        else:
            plan = plan_of(table, texts[-1])
            others = plan.addressing.alternatives["row"].tolist()
            plan = plan.keep_instead(chance.sample(others, min(len(others), chance.randint(0, 1))))
        options = {"changed": "skip", "gone": "withdraw", "progress": False}
        campaign.send(plan, account=sandbox, folder=tmp_path / "visits", **options)
        assert sandbox.inbox["text"].str.split(",").str[0].is_unique
        chance.shuffle(rows)
        texts.append(chance.choice([MONDAY, TUESDAY, texts[-1]]))


SIBLINGS = """\
name,phone,fee
Esther,0772 000 501,{fee}
Paul,0772 000 501,90000
Hope,0772 000 501,80000
"""
FEES = "The fees of {name} are {fee}."


@pytest.mark.parametrize("later", [["150000"], ["150000", "160000"]])
@pytest.mark.parametrize("now", ["the last", "170000"])
def test_two_texts_for_one_of_them_say_nothing_about_the_others(later, now, tmp_path):
    """Her earlier fees were taken for a text of her brother or sister, who were asked about or left out."""
    folder = send(SIBLINGS.format(fee="140000"), tmp_path / "fees", message=FEES).folder
    for fee in later:
        send(SIBLINGS.format(fee=fee), folder, message=FEES, changed="send")
    rows = SIBLINGS.format(fee=later[-1] if now == "the last" else now)
    compared = campaign.compare(plan_of(rows, FEES, duplicates="keep"), folder=folder)
    is_same = now == "the last"
    assert (compared.new, compared.reached, compared.changed) == (2, int(is_same), int(not is_same))
    result = send(rows, folder, message=FEES, changed="skip", duplicates="keep")
    assert texts_of(result) == {
        2: f"The fees of Esther are {later[-1]}.",  # the last that she got, also where it was not the first
        3: "The fees of Paul are 90000.",
        4: "The fees of Hope are 80000.",
    }


@pytest.mark.parametrize("seed", [9, 12, 21])
def test_whatever_fees_change_nobody_who_shares_a_phone_is_forgotten(seed, tmp_path, sandbox):
    """Six people on three phones, six rounds. Before, each of these left somebody out."""
    chance = random.Random(seed)
    people = ("Ann", "Ben", "Cat", "Dan", "Eve", "Fay")
    phones = {name: f"0772 000 {chance.randint(1, 3):03}" for name in people}
    fees = {name: chance.randint(100, 999) for name in people}
    rows, got = [*people], pd.Series(dtype="int64")
    for _ in range(6):
        lines = [f"{name},{phones[name]},of {name},{fees[name]}" for name in rows]
        every_text = chance.random() < 0.5
        table, duplicates = "\n".join(["name,phone,village,fee", *lines]), "keep" if every_text else "skip"
        plan = plan_of(table, "{name} pays {fee}", duplicates=duplicates)
        if not every_text:
            others = plan.addressing.alternatives["row"].tolist()
            plan = plan.keep_instead(chance.sample(others, min(len(others), chance.randint(0, 1))))
        changed = chance.choice(["skip", "send"])
        options = {"changed": changed, "gone": "withdraw", "progress": False}
        campaign.send(plan, account=sandbox, folder=tmp_path / "fees", **options)
        before, got = got, sandbox.inbox["text"].str.split(" ").str[0].value_counts()
        if changed == "skip":
            assert got[before.index].tolist() == before.tolist()
        if every_text:
            assert set(got.index) == set(people)
        chance.shuffle(rows)
        for name in people:
            if chance.random() < 0.3:
                fees[name] = chance.randint(100, 999)


@pytest.fixture
def corrected(folder, tmp_path):
    """The same folder, once Jane was reached under a number of her own in a follow-up file."""
    file = campaign.write_follow_up(campaign.load_result(folder), tmp_path / "to_correct.csv")
    pd.read_csv(file, dtype="str").assign(phone="0772 000 503").to_csv(file, index=False)
    result = send(campaign.read_contacts(file), folder, message=MONDAY)
    assert set(outcomes(result).values()) == {"accepted"}
    return folder


REACHED_AS_CORRECTED = TOLD | {"Jane": "reached earlier"}


@pytest.mark.parametrize("rows", [FAMILY, SORTED])
def test_her_number_in_the_follow_up_file_is_still_known_when_the_text_changes(corrected, rows):
    """Her own spreadsheet lacks it. With the text of before she counts as reached, with the new one not."""
    compared = campaign.compare(plan_of(rows, TUESDAY), folder=corrected)
    assert (compared.changed, compared.moved, compared.sharing) == (2, 0, 0)
    kept = send(rows, corrected, message=TUESDAY, changed="skip")
    assert outcomes(kept) == REACHED_AS_CORRECTED
    sent = send(rows, corrected, message=TUESDAY, changed="send")
    for result in (sent, campaign.load_result(sent.folder)):
        assert outcomes(result) == TOLD
        row = result.contacts.index[result.contacts["name"] == "Jane"][0]
        assert result.contacts.at[row, "reason"] == (
            "This text has not reached the row. As corrected in a follow-up file, it was reached with an "
            "earlier text. Correct the row in your own spreadsheet too."
        )
        copied = f"put this correction into your own spreadsheet too (row {row})"
        assert copied in result.sentence
        assert "Then send it again: 1 person has only an earlier text." in result.sentence
        assert "another number" not in result.sentence  # the campaign knows hers
        assert "got nothing" not in result.sentence
        assert reasons(result)["reason"].tolist() == [result.contacts.at[row, "reason"]]


def test_with_the_number_in_the_own_spreadsheet_she_is_asked_about_like_everybody(corrected):
    send(FAMILY, corrected, message=TUESDAY, changed="send")
    rows = FAMILY.replace("Jane,0772 000 501", "Jane,0772 000 503")
    assert campaign.compare(plan_of(rows, TUESDAY), folder=corrected).changed == 1
    result = send(rows, corrected, message=TUESDAY, changed="send")
    assert outcomes(result) == dict.fromkeys(["Musa", "Jane", "Rose"], "accepted")
    assert [text for text in texts_of(result).values() if "Monday" in text] == []


def test_of_whom_it_is_unknown_whether_they_were_reached_nobody_says_that_they_were(tmp_path):
    rows = "name,phone\n" + "".join(f"Person {n},0772 000 00{n}\n" for n in range(8))
    options = {"folder": tmp_path / "visits", "batch_size": 3, "concurrency": 1, "progress": False}
    with campaign.Sandbox(faults={2: "accept_close"}) as sandbox:
        result = campaign.send(plan_of(rows, MONDAY), account=sandbox, **options)
        assert (result.totals["accepted"], result.totals["unknown"]) == (1, 3)
        compared = campaign.compare(plan_of(rows, TUESDAY), folder=result.folder, account=sandbox)
        doubt = "It is not known whether 3 of these people got anything: find out before you decide."
        assert doubt in compared.sentence
        with pytest.raises(campaign.ConfirmationError, match=doubt):
            campaign.send(plan_of(rows, TUESDAY), account=sandbox, **options)
        kept = campaign.send(plan_of(rows, TUESDAY), account=sandbox, changed="skip", **options)
        assert (kept.totals["unknown"], kept.totals["accepted"]) == (3, 5)
        assert "1 row keeps the text that its number got before." in kept.sentence
        without = rows.replace("Person 2,0772 000 002\n", "")
        gone = campaign.compare(plan_of(without, MONDAY), folder=result.folder, account=sandbox)
        assert "1 number that was or may have been reached in rehearsal is no longer" in gone.sentence
        assert "who may have got “Dear Person 2" in gone.sentence


def test_with_every_text_she_is_known_to_have_hers_at_the_number_of_the_follow_up_file(corrected):
    """Her own spreadsheet still lacks it, and a later text has gone to the phone that she shared."""
    send(FAMILY, corrected, message=TUESDAY, changed="send")
    every_text = {"message": MONDAY, "duplicates": "keep"}
    compared = campaign.compare(plan_of(FAMILY, **every_text), folder=corrected)
    assert (compared.sharing, compared.moved) == (0, 1)
    result = send(FAMILY, corrected, changed="skip", **every_text)
    assert set(outcomes(result).values()) == {"accepted"}


def test_a_round_that_left_a_row_out_takes_no_text_from_it(tmp_path):
    """With such a round in between, she was told to share a phone that got somebody else's text."""
    rows, later = SIBLINGS.format(fee="140000"), SIBLINGS.format(fee="150000")
    folder = send(rows, tmp_path / "fees", message=FEES, duplicates="keep").folder
    others_first = "\n".join([later.splitlines()[0], *reversed(later.splitlines()[1:])])
    send(others_first, folder, message=FEES, changed="skip")
    compared = campaign.compare(plan_of(later, FEES, duplicates="keep"), folder=folder)
    assert (compared.reached, compared.changed, compared.sharing, compared.new) == (2, 1, 0, 0)


def test_of_several_texts_at_a_phone_a_row_keeps_its_own(folder):
    """Every text was sent first; later one for each phone is enough, and the row that gets it had its own."""
    send(FAMILY, folder, message=MONDAY, duplicates="keep")
    compared = campaign.compare(plan_of(FAMILY, TUESDAY), folder=folder)
    before = dict(zip(compared.messages["row"], compared.messages["before"], strict=True))
    assert before == {2: "Dear Musa, see you on Monday.", 4: "Dear Rose, see you on Monday."}
    result = send(FAMILY, folder, message=TUESDAY, changed="skip")
    assert texts_of(result) == before
