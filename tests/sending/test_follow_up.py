"""A follow-up file is a part of its campaign: corrected and sent, it reaches those who had nothing, once."""

import csv
import re
import zipfile
from collections import Counter
from pathlib import Path

import openpyxl
import pandas as pd
import pytest

import campaign

TEXT = "Hi {name}, your visit is on Monday."


@pytest.fixture
def desk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_visits(wrong=(), people=20):
    rows = "".join(
        f"Person {n},{'call her' if n in wrong else f'0772 000 0{n:02d}'},Ward {n % 3}\n"
        for n in range(people)
    )
    Path("visits.csv").write_text(f"name,phone,ward\n{rows}")


def plan_of(source="visits.csv", **options):
    return campaign.prepare(
        campaign.read_contacts(source), message=TEXT, sender="CLINIC", region="UG", **options
    )


def send(plan, sandbox, **options):
    return campaign.send(plan, account=sandbox.account, batch_size=5, progress=False, **options)


@pytest.fixture
def sent(desk):
    """Twenty people, of whom three had no number, and the file to correct."""
    write_visits(wrong=(3, 8, 15))
    with campaign.Sandbox() as sandbox:
        result = send(plan_of(), sandbox)
        assert result.totals["accepted"] == 17
        yield sandbox, campaign.write_follow_up(result, "correct.csv")


def correct(path, numbers):
    text = path.read_text("utf-8-sig")
    for number in numbers:
        text = text.replace("call her", number, 1)
    path.write_text(text, "utf-8")


def test_the_corrected_rows_go_out_and_the_result_is_the_whole_table(sent):
    sandbox, path = sent
    correct(path, ["0772 000 003", "0772 000 008", "0772 000 015"])
    result = send(plan_of(path), sandbox)
    assert sorted(sandbox.inbox["number"]) == [f"2567720000{n:02d}" for n in range(20)]
    assert (result.totals.rows, result.totals["accepted"]) == (20, 20)
    assert result.folder.name == "visits.local"
    assert result.contacts["name"].tolist() == [f"Person {n}" for n in range(20)]
    assert result.contacts.loc[5, "phone"] == "0772 000 003"
    assert campaign.load_result(result.folder).contacts.equals(result.contacts)
    assert "Nothing was left to send: all 20 people were reached" in send(plan_of(path), sandbox).sentence
    write_visits()  # the whole table, corrected in the same cells
    assert "Nothing was left to send: all 20 people were reached" in send(plan_of(), sandbox).sentence
    assert len(sandbox.inbox) == 20


def test_the_own_spreadsheet_sent_again_says_whom_its_messages_are_for(sent):
    """Its figures go together: 17 rows get a message, and 3 more were reached as corrected."""
    sandbox, path = sent
    correct(path, ["0772 000 003", "0772 000 008", "0772 000 015"])
    send(plan_of(path), sandbox)
    again = send(plan_of(), sandbox).sentence
    assert "Nothing was left to send: all 17 people with a message in this table were reached" in again
    assert (
        "all 20 rows were accepted by the embedded sandbox (17 as this table has them, 3 with a correction "
        "that it lacks)." in again
    )


def test_the_uncorrected_spreadsheet_run_again_says_who_was_reached(desk):
    """Persons 3 and 8 had a bad date. Theirs are corrected in the follow-up file, and the sheet stays."""
    dates = ["soon" if n in (3, 8) else "24/12/2026" for n in range(10)]
    rows = [f"Person {n},0772 000 0{n:02d},{date}" for n, date in enumerate(dates)]
    Path("visits.csv").write_text("\n".join(["name,phone,visit", *rows, "Ben,none,24/12/2026"]) + "\n")

    def plan_with_dates(source):
        table = campaign.read_contacts(source)
        return campaign.prepare(table, message="Come on {visit:%d %B}.", sender="CLINIC", region="UG")

    with campaign.Sandbox() as sandbox:
        path = campaign.write_follow_up(send(plan_with_dates("visits.csv"), sandbox), "correct.csv")
        path.write_text(path.read_text("utf-8-sig").replace("soon", "26/12/2026", 1), "utf-8")
        corrected = send(plan_with_dates(path), sandbox)
        once = (
            "1 row was corrected in the follow-up file only: put this correction into your own spreadsheet "
            "too (row 5)."
        )
        for told in (corrected, campaign.load_result(corrected.folder), send(plan_with_dates(path), sandbox)):
            assert told.sentence.count(once) == told._repr_html_().count(once) == 1
            page = campaign.write_report(told, "report.html").read_text("utf-8")
            assert page.count(once) == 1
        again = send(plan_with_dates("visits.csv"), sandbox)
        assert len(sandbox.inbox) == 9
    assert again.contacts.loc[5, "status"] == "invalid"
    assert again.contacts.loc[5, "reason"].startswith("The row gets nothing, but it was reached as corrected")
    assert again.contacts.loc[10, "reason"].startswith("The message needs")
    assert again.follow_up().index.tolist() == again.needing_attention.tolist() == [10, 12]
    assert (again.totals["invalid"], again.totals.to_correct, again.totals.attention) == (3, 2, 2)
    assert again.by("name")["needing_attention"].sum() == 2  # and not 3, as by the statuses
    page = campaign.write_report(again, "report.html").read_text("utf-8")
    assert "2 people need attention." in page
    assert "Correct 2 rows, then send again." in page
    assert again.totals["accepted"] == 8
    (row,) = campaign.history(again.folder).to_dict("records")
    assert (row["accepted"], row["to_correct"], row["accepted_in_all_rounds"]) == (9, 2, 9)
    assert row["people"] == 8 + 2 + 1  # the last was reached earlier
    assert again.sentence.endswith(once)
    assert campaign.load_result(again.folder).contacts.equals(again.contacts)


VISITS = """\
name,phone,visit
Ada,0772 000 001,24/12/2026
Ben,0772 000 002,24/12/2026
Cleo,,24/12/2026
Dan,0772 000 004 / 0772 000 044,24/12/2026
Eve,0772 000 001,24/12/2026
Flo,0772 000 002,24/12/2026
Gus,0772 000 007,soon
Cleo,,24/12/2026
"""
CORRECTIONS = {4: ("Cleo,,", "Cleo,0772 000 003,"), 5: (" / 0772 000 044", ""),
               6: ("Eve,0772 000 001", "Eve,0772 000 005"), 8: ("soon", "26/12/2026")}  # fmt: skip
ADA_BEN_CLEO = (("Ada", "24/12/2026"), ("Ben", "soon"), ("Cleo", "soon"))
LEFT = [7, 9]  # Flo still shares Ben's phone, and the second Cleo has no number


def visits_plan(source="visits.csv"):
    table = campaign.read_contacts(source)
    message = "{name}, come on {visit:%d %B}."
    return campaign.prepare(table, message=message, sender="CLINIC", region="UG")


def correct_all(path):
    text = path.read_text("utf-8-sig")
    for typed, corrected in CORRECTIONS.values():
        typed, corrected = ('","'.join(cell.split(",")) for cell in (typed, corrected))
        assert typed in text
        text = text.replace(typed, corrected, 1)
    path.write_text(text, "utf-8")


def test_the_uncorrected_spreadsheet_run_again_knows_whom_the_follow_up_file_reached(desk):
    """No number, two numbers, a shared phone, a bad date: whoever got them is not to be corrected again."""
    Path("visits.csv").write_text(VISITS)
    told = "put these corrections into your own spreadsheet too (rows 4, 5, 6 and 8)."
    with campaign.Sandbox() as sandbox:
        path = campaign.write_follow_up(send(visits_plan(), sandbox), "correct.csv")
        correct_all(path)
        assert "6 of 8 rows were accepted" in send(visits_plan(path), sandbox).sentence
        again = send(visits_plan(), sandbox)
        assert again.needing_attention.tolist() == again.follow_up().index.tolist() == LEFT
        assert (
            "6 of 8 rows were accepted by the embedded sandbox (2 as this table has them, 4 with a "
            "correction that it lacks); the rest: 1 invalid, 1 sharing a phone. " in again.sentence
        )
        assert "not in this table" not in again.sentence
        by_name = again.by("name")
        assert by_name[[*again.totals]].sum().to_dict() == dict(again.totals)
        outcomes = again.outcomes_by("name")[[*again.totals.by_outcome]]
        assert outcomes.sum().to_dict() == again.totals.by_outcome
        assert by_name[["accepted", "reached_earlier", "invalid"]].sum().tolist() == [2, 4, 4]
        assert outcomes[["accepted", "reached_earlier", "invalid"]].sum().tolist() == [2, 4, 1]
        shown = campaign.write_report(again, "by_name.html", by="name").read_text("utf-8")
        headings = re.findall('<th scope="col" class="([a-z]+)">([^<]+)</th>', shown)
        assert ("figure", "Reached earlier") in headings
        assert ("figure", "Share of the cost") in headings  # above amounts, which are right-aligned
        # the costs too: nothing was sent to people who are in no row
        assert by_name.loc[["Cleo", "Eve", "Gus"], "cost_share"].tolist() == [35, 35, 35]
        assert not by_name.index.hasnans
        bars = {name.replace("_", " "): count for name, count in again.totals.by_outcome.items() if count}
        assert again.outcomes.value_counts().to_dict() == bars
        book = openpyxl.load_workbook(campaign.write_report(again, "report.xlsx"))
        head, *rows = book["Contacts"].iter_rows(values_only=True)
        filtered = Counter(row[head.index("outcome in the Summary")] for row in rows)
        assert filtered == bars != Counter(row[head.index("status")] for row in rows)
        shares = "1 person shares a phone with somebody else and was not sent the text of their row"
        assert shares in again.sentence
        assert f"4 rows were corrected in the follow-up file only: {told}" in again.sentence
        assert again.contacts.loc[6, "reason"].startswith("The row gets nothing, but it was reached as corr")
        assert again.contacts.loc[[*CORRECTIONS], "batch"].min() > 0
        assert again.contacts.loc[LEFT, "batch"].isna().all()
        loaded = campaign.load_result(again.folder)
        assert loaded.contacts.equals(again.contacts)
        assert loaded.left_to_do == again.left_to_do
        page = campaign.write_report(loaded, "report.html").read_text("utf-8")
        assert "messages for 6 of 8 people (75%)" in page
        assert "2 people need attention." in page
        (row,) = campaign.history(again.folder).to_dict("records")
        assert (row["people"], row["accepted"], row["to_correct"]) == (8, 6, 2)
        compared = campaign.compare(visits_plan(), account=sandbox.account)
        assert compared.gone == 0
        assert compared.sentence == (
            "Nothing would be rehearsed: 2 people were reached in rehearsal before and 4 rows were sent as "
            "corrected. 1 row shares a phone with another row and gets nothing (row 7). 4 rows to "
            "correct were sent as corrected in a follow-up file: put the corrections into your own "
            "spreadsheet too (rows 4, 5, 6 and 8)."
        )
        second = campaign.write_follow_up(loaded, "correct_2.csv")
        assert campaign.read_contacts(second)["name"].tolist() == ["Flo", "Cleo"]
        twice = send(visits_plan(path), sandbox)  # the same file, which has its own corrections
        assert twice.nothing_sent
        assert twice.needing_attention.tolist() == LEFT
        assert send(visits_plan(), sandbox).needing_attention.tolist() == LEFT
        header, *rows = VISITS.splitlines()
        Path("visits.csv").write_text("\n".join([header, *reversed(rows)]))
        assert send(visits_plan(), sandbox).follow_up()["name"].tolist() == ["Flo", "Cleo"]
        Path("visits.csv").write_text(VISITS.replace("Eve,0772 000 001", "Eve,0772 000 002"))
        changed = send(visits_plan(), sandbox)  # Eve's row says something else now
        assert changed.needing_attention.tolist() == [6, *LEFT]
        assert len(sandbox.inbox) == 6


@pytest.mark.parametrize("outcome", ["accepted", "refused"])
def test_whoever_a_follow_up_file_may_have_reached_is_corrected_once_it_is_known(desk, outcome):
    everybody = sorted([*CORRECTIONS, *LEFT])
    Path("visits.csv").write_text(VISITS)
    with campaign.Sandbox(faults={3: "accept_close"}) as sandbox:
        path = campaign.write_follow_up(send(visits_plan(), sandbox), "correct.csv")
        correct_all(path)
        send(visits_plan(path), sandbox, canary=False)
        again = send(visits_plan(), sandbox)
        assert again.totals.in_doubt == 4
        assert again.follow_up().index.tolist() == LEFT
        assert again.follow_up(["unknown"]).index.tolist() == [*CORRECTIONS]
        assert again.needing_attention.tolist() == everybody
        assert "; the rest: 1 invalid, 1 sharing a phone, 4 unknown. " in again.sentence
        assert again.contacts.loc[5, "reason"].endswith("was sent. Settle its batch first.")
        page = campaign.write_report(again, "report.html").read_text("utf-8")
        assert "Find out about 4 people in batch 3." in page
        assert "6 people need attention." in page
        (row,) = campaign.history(again.folder).to_dict("records")
        assert (row["unknown"], row["to_correct"]) == (4, 2)
        campaign.resolve(again.folder, 3, outcome, confirm=f"batch 3 was {outcome}")
    settled = campaign.load_result(again.folder)
    to_correct = LEFT if outcome == "accepted" else everybody
    assert settled.follow_up().index.tolist() == settled.needing_attention.tolist() == to_correct


def test_a_row_with_a_mistake_whose_number_another_row_has_still_needs_attention(desk):
    """Three children, one phone: the text for one of them says nothing about the others."""
    rows = "".join(f"{name},0772 000 001,{visit}\n" for name, visit in ADA_BEN_CLEO)
    Path("visits.csv").write_text(f"name,phone,visit\n{rows}")
    plan = campaign.prepare(
        campaign.read_contacts("visits.csv"),
        message="{name}, come on {visit:%d %B}.", sender="CLINIC", region="UG",
    )  # fmt: skip
    with campaign.Sandbox() as sandbox:
        send(plan, sandbox)
        again = send(plan, sandbox)
    assert again.contacts["status"].tolist() == ["accepted", "invalid", "invalid"]
    assert again.follow_up().index.tolist() == [3, 4]
    first, second = again.contacts["reason"][1:]
    assert first.endswith(" Its number, which rows 2 and 4 have too, was reached earlier in the campaign.")
    assert second.endswith("which rows 2 and 3 have too, was reached earlier in the campaign.")
    assert campaign.load_result(again.folder).contacts.equals(again.contacts)


def test_of_rows_with_a_mistake_that_have_one_number_the_corrected_one_was_reached(desk):
    """One of them was corrected in the follow-up file and sent; then their own spreadsheet was sent again."""
    header, *rows = ["name,phone,visit", *(f"{name},0772 000 001,soon" for name in ("Ada", "Ben", "Cleo"))]
    Path("visits.csv").write_text("\n".join([header, *rows, "Dan,0772 000 002,24/12/2026"]) + "\n")

    def plan_with_dates(source):
        table = campaign.read_contacts(source)
        return campaign.prepare(table, message="Come on {visit:%d %B}.", sender="CLINIC", region="UG")

    with campaign.Sandbox() as sandbox:
        path = campaign.write_follow_up(send(plan_with_dates("visits.csv"), sandbox), "correct.csv")
        path.write_text(path.read_text("utf-8-sig").replace("soon", "26/12/2026", 1), "utf-8")
        send(plan_with_dates(path), sandbox)
        again = send(plan_with_dates("visits.csv"), sandbox)
    assert again.contacts["status"].tolist() == ["invalid", "invalid", "invalid", "accepted"]
    first, *others = again.contacts["reason"][:3]
    assert first.startswith("The row gets nothing, but it was reached as corrected")
    assert all(reason.startswith("The message needs") for reason in others)
    assert again.totals.to_correct == len(again.follow_up()) == 2
    assert "2 of 4 rows were accepted by the embedded sandbox (1 as this table has it, 1" in again.sentence
    assert "not in this table" not in again.sentence


def test_a_row_that_got_nothing_as_corrected_is_not_among_the_corrections_that_were_sent(sent):
    """Person 3 got a number of her own in the follow-up file, and person 8 that of person 1."""
    sandbox, path = sent
    correct(path, ["0772 000 003", "0772 000 001"])
    result = send(plan_of(path), sandbox)
    assert result.needing_attention.tolist() == [10, 17]
    assert (
        "1 row was corrected in the follow-up file only: put this correction into your own spreadsheet too "
        "(row 5). Row 10 was changed in the follow-up file and gets nothing: its reason says why."
        in result.sentence
    )
    assert "Shares a phone with row 3," in result.contacts.at[10, "reason"]


def test_whose_number_the_follow_up_file_has_needs_no_other_one_for_another_text(desk):
    """Eve shares Ann's phone, and was reached under her own number, as corrected; then the text changed."""
    Path("couple.csv").write_text("name,phone\nAnn,0772000001\nEve,0772000001\n")
    with campaign.Sandbox() as sandbox:
        texts = {"sender": "CLINIC", "region": "UG"}
        first = send(campaign.prepare("couple.csv", message="Hi {name}", **texts), sandbox)
        path = campaign.write_follow_up(first, "correct.csv")
        path.write_text(path.read_text("utf-8-sig").replace('"0772000001"', '"0772000002"'), "utf-8")
        send(campaign.prepare(path, message="Hi {name}", **texts), sandbox)
        plan = campaign.prepare("couple.csv", message="Dear {name}", **texts)
        result = campaign.send(plan, account=sandbox, changed="send", progress=False)
    assert result.needing_attention.tolist() == [3]
    assert "shares a phone with somebody else" not in result.sentence
    once_more = "too (row 3). Then send it again: 1 person has only an earlier text."
    page = campaign.write_report(result, "report.html").read_text("utf-8")
    assert once_more in result.sentence
    assert once_more in page
    assert "another number for 1 person" not in page


def test_corrections_are_in_the_follow_up_file_until_the_own_spreadsheet_has_them(sent, caplog):
    """Person 3 gets a number and is sent; person 8 is still wrong, but spelt differently.

    The cell that wrote the file runs again: before these rows are sent, after it, after Run All, which sends
    the spreadsheet again, and once the spreadsheet has the correction of person 3.
    """
    sandbox, path = sent
    correct(path, ["0772 000 003", "at her mother's"])
    before = path.read_bytes()
    with pytest.raises(campaign.ReportError, match=r"rows 2 and 3 are not as in your own .* were not sent"):
        campaign.write_follow_up(campaign.load_result("campaigns/visits.local"), path)
    result = send(plan_of(path), sandbox)
    for known in (result, campaign.load_result(result.folder), send(plan_of(), sandbox)):
        caplog.clear()
        kept = campaign.write_follow_up(known, path)
        assert (kept, path.read_bytes()) == (path, before)
        assert f"correct.csv was kept, and not written anew. {kept.why_kept}" in caplog.text
        assert kept._repr_html_().count("It was sent as it is, and your own spreadsheet") == 1
        its = r"same as its rows? 2( and 3)? \(there: rows? 5( and 10)?\), so this file is kept"
        assert re.search(its, kept.why_kept)
        assert "to correct now, give another name, such as correct_2.csv." in kept.why_kept
    assert "&quot;to_correct.xlsx&quot;)" in result._repr_html_()
    Path("to_correct.xlsx").touch()  # the card offers a name that is free
    assert "&quot;to_correct_2.xlsx&quot;)" in result._repr_html_()
    write_visits(wrong=(8, 15))  # person 3 is now in the spreadsheet too
    corrected = send(plan_of(), sandbox)
    assert campaign.write_follow_up(corrected, path).why_kept
    path.write_text(path.read_text("utf-8-sig").replace("at her mother's", "at her sister's"), "utf-8")
    with pytest.raises(campaign.ReportError, match="row 3 is not as in your own"):
        campaign.write_follow_up(corrected, path)
    path.write_text(path.read_text("utf-8-sig").replace("at her sister's", "call her"), "utf-8")
    assert list(campaign.read_contacts(campaign.write_follow_up(corrected, path))["name"]) == [
        "Person 8", "Person 15",
    ]  # fmt: skip


def test_a_file_whose_corrections_are_in_the_own_spreadsheet_stays_where_nothing_is_to_correct(sent):
    """A file without rows would not say which campaign it continues, when all cells run again."""
    sandbox, path = sent
    correct(path, ["0772 000 003", "0772 000 008", "0772 000 015"])
    corrected = send(plan_of(path), sandbox)
    assert corrected.corrected_rows.tolist() == [5, 10, 17]
    write_visits(wrong=())
    for result in (send(plan_of(), sandbox), campaign.load_result(corrected.folder)):
        assert result.corrected_rows.tolist() == []  # the spreadsheet has them, though it is the same table
        assert "put these corrections" not in result.sentence
        before, kept = path.read_bytes(), campaign.write_follow_up(result, path)
        assert "It was sent as it is, and nothing is to correct now, so this" in kept.why_kept
        assert path.read_bytes() == before
    assert "Nothing was left to send: all 20 people were" in send(plan_of(path), sandbox).sentence
    assert len(campaign.history()) == 1


@pytest.mark.parametrize(
    ("own", "is_lost"),
    [
        ("Ada,0772 000 001,2026-12-12,150000,north", False),  # the cells of a date, an amount and a number
        ("Ada,772000001,12 Dec 2026,150000,north", False),
        ("Ada,0772 000 001,2026-12-13,150000,north", True),
        ("Ada,0772 000 001,2026-12-12,150001,north", True),
        ("Ada,0772 000 001,2026-12-12,150000,south", True),  # which no text names
    ],
)
def test_a_correction_is_in_the_own_spreadsheet_however_it_is_written_there(desk, own, is_lost):
    header, others = "name,phone,visit,due,ward", "Ben,0772 000 002,25/12/2026,1000,west\nCleo,,,,\n"

    def plan(source):
        text = "Bring {due:,.0f} on {visit:%d %B}."
        return campaign.prepare(campaign.read_contacts(source), message=text, sender="CLINIC", region="UG")

    Path("visits.csv").write_text(f"{header}\nAda,0772 000 001,soon,a lot,north\n{others}")
    with campaign.Sandbox() as sandbox:
        path = campaign.write_follow_up(send(plan("visits.csv"), sandbox), "correct.csv")
        typed = path.read_text("utf-8-sig").replace("soon", "12/12/2026").replace("a lot", "150,000.0")
        path.write_text(typed, "utf-8")
        send(plan(path), sandbox)
        Path("visits.csv").write_text(f"{header}\n{own}\n{others}")
        again = send(plan("visits.csv"), sandbox, changed="skip")
    assert bool(campaign.write_follow_up(again, path).why_kept) == is_lost
    assert campaign.read_contacts(path)["name"].tolist() == ["Ada"] * is_lost + ["Cleo"]


def test_a_number_that_the_own_spreadsheet_has_in_another_spelling_is_no_correction_that_it_lacks(desk):
    """Persons 3 and 8 got their numbers in both files; the name of the first has a space more in one."""
    write_visits(wrong=(3, 8))
    with campaign.Sandbox() as sandbox:
        path = campaign.write_follow_up(send(plan_of(), sandbox), "correct.csv")
        write_visits()  # 0772 000 003 and 0772 000 008
        send(plan_of(), sandbox)
        correct(path, ["0772000003", "+256 772 000 008"])
        path.write_text(path.read_text("utf-8").replace("Person 3", "Person  3 "))
        result = send(plan_of(path), sandbox)
        assert result.corrected_rows.empty
        assert "your own spreadsheet" not in result.sentence
        path.write_text(path.read_text("utf-8").replace("Ward 0", "Ward 1"))
        assert send(plan_of(path), sandbox).corrected_rows.tolist() == [5]
        assert len(sandbox.inbox) == 20


def test_a_part_that_is_corrected_leaves_the_rest_to_be_corrected(sent):
    sandbox, path = sent
    correct(path, ["0772 000 003"])
    result = send(plan_of(path), sandbox)
    assert (result.totals["accepted"], result.totals["invalid"]) == (18, 2)
    again = campaign.write_follow_up(result, "again.csv")
    assert list(campaign.read_contacts(again)["name"]) == ["Person 8", "Person 15"]
    correct(again, ["0772 000 008", "0772 000 015"])
    assert send(plan_of(again), sandbox).totals["accepted"] == 20
    assert len(sandbox.inbox) == len(set(sandbox.inbox["number"])) == 20


def test_rows_that_a_clerk_removed_stay_as_they_were(sent):
    sandbox, path = sent
    correct(path, ["0772 000 003", "0772 000 008", "0772 000 015"])
    header, first, *_ = path.read_text().splitlines()
    path.write_text(f"{header}\n{first}\n")
    result = send(plan_of(path), sandbox)
    assert (result.totals.rows, result.totals["accepted"], result.totals["invalid"]) == (20, 18, 2)


def test_a_row_added_by_hand_comes_last(sent):
    sandbox, path = sent
    with path.open(encoding="utf-8-sig", newline="") as file:
        columns = next(csv.reader(file))
    cells = {"name": "Ruth", "phone": "0772 000 099", "ward": "Ward 9", "campaign": "visits"}
    with path.open("a") as file:
        file.write(",".join(cells.get(column, "") for column in columns) + "\n")
    result = send(plan_of(path), sandbox)
    assert result.totals.rows == 21
    assert result.contacts.iloc[-1][["name", "status"]].tolist() == ["Ruth", "accepted"]


def test_a_number_that_another_row_has_is_a_duplicate(sent):
    sandbox, path = sent
    correct(path, ["0772 000 001", "0772 000 008", "0772 000 015"])
    result = send(plan_of(path), sandbox)
    assert (result.totals["accepted"], result.totals["duplicate"]) == (19, 1)
    assert sandbox.inbox["number"].is_unique


def test_nobody_who_waits_counts_as_gone(desk):
    """The rows of a follow-up file are a part of the campaign: those that still wait go out as well."""
    write_visits(wrong=(3,))
    with campaign.Sandbox() as sandbox:
        result = send(plan_of(), sandbox, pilot=5)
        assert result.totals["not_sent"] == 14
        path = campaign.write_follow_up(result, "correct.csv")
        correct(path, ["0772 000 003"])
        difference = campaign.compare(plan_of(path))
        assert difference.new == 15
        said = "14 people who are not in this file get their messages too, because it continues its campaign"
        assert said in difference.sentence
        assert send(plan_of(path), sandbox).totals["accepted"] == 20
        assert sandbox.inbox["number"].is_unique


def test_who_waits_and_is_on_an_opt_out_list_of_the_corrected_rows_gets_nothing(desk):
    write_visits(wrong=(3,))
    with campaign.Sandbox() as sandbox:
        result = send(plan_of(), sandbox, pilot=5)
        path = campaign.write_follow_up(result, "to_correct.csv")
        correct(path, ["0772 000 003"])
        waiting = result.messages.loc[result.messages["status"] == "not_sent", "number"].iloc[-1]
        result = send(plan_of(path, opt_outs=[f"+{waiting}"]), sandbox)
        assert (result.totals["accepted"], result.totals["opted_out"]) == (19, 1)
        assert waiting not in set(sandbox.inbox["number"])
        assert campaign.resume(result.folder, account=sandbox).totals["opted_out"] == 1
        assert len(sandbox.inbox) == 19


def test_refused_people_are_in_the_file_and_get_their_message_once(desk):
    write_visits(wrong=(3,))
    with campaign.Sandbox(balance=35 * 8) as sandbox:
        result = send(plan_of(), sandbox)
        assert result.totals["refused"]
        path = campaign.write_follow_up(result, "correct.csv")
        correct(path, ["0772 000 003"])
        sandbox.top_up(10_000)
        assert send(plan_of(path), sandbox).totals["accepted"] == 20
        assert sorted(sandbox.inbox["number"]) == [f"2567720000{n:02d}" for n in range(20)]


def test_who_was_refused_and_reached_under_a_corrected_number_is_asked_about(desk):
    """One of the refused people has another number in the follow-up file, and not in the spreadsheet."""
    write_visits(people=6)
    with campaign.Sandbox(faults={2: "Invalid sender ID"}) as sandbox:
        path = campaign.write_follow_up(send(plan_of(), sandbox), "correct.csv")
        path.write_text(path.read_text("utf-8-sig").replace("0772 000 003", "0772 000 033"), "utf-8")
        assert send(plan_of(path), sandbox).totals["accepted"] == 6
        assert campaign.compare(plan_of(), account=sandbox.account).moved == 1
        with pytest.raises(campaign.ConfirmationError, match="in this table it is “Hi Person 3, your visit"):
            send(plan_of(), sandbox)
        kept = send(plan_of(), sandbox, changed="skip")
        assert kept.totals["accepted"] == 6
        assert kept.messages["number"].tolist()[3] == "256772000033"
        assert len(sandbox.inbox) == 6
        send(plan_of(), sandbox, changed="send")
        assert sandbox.inbox["number"].tolist()[6:] == ["256772000003"]
        assert send(plan_of(), sandbox).nothing_sent


def test_without_its_campaign_it_is_refused(sent, tmp_path, monkeypatch):
    sandbox, path = sent
    path = path.resolve()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    for options in ({}, {"folder": "other"}):
        with pytest.raises(campaign.FolderError, match="rows to correct from the campaign 'visits'"):
            send(plan_of(path), sandbox, **options)
    assert not list(Path().iterdir())
    assert send(plan_of(path), sandbox, folder=tmp_path / "campaigns" / "visits.local").totals.rows == 20


def test_under_another_name_it_is_said_whose_rows_these_are(sent):
    sandbox, path = sent
    correct(path, ["0772 000 003"])
    run = campaign.start(plan_of(path), account=sandbox, name="others", progress=False)
    run.wait(20)
    assert run.comparison == (
        "These rows to correct are of the campaign 'visits'. Under another name they are a rehearsal of "
        "their own, which does not know whom that one reached."
    )


def test_a_row_of_the_same_file_can_be_corrected_twice_and_its_name_too(sent):
    sandbox, path = sent
    correct(path, ["0772 000 003", "ask him", "0772 000 015"])
    send(plan_of(path), sandbox)
    path.write_text(path.read_text().replace("ask him", "0772 000 008").replace("Person 8", "Amina"))
    result = send(plan_of(path), sandbox)
    assert result.totals["accepted"] == 20
    assert result.contacts.loc[10, ["name", "status"]].tolist() == ["Amina", "accepted"]
    assert sandbox.inbox["number"].is_unique


@pytest.mark.parametrize("ending", ["csv", "xlsx", "ods"])
def test_the_version_of_the_file_comes_back_in_every_format(sent, ending):
    path = campaign.write_follow_up(campaign.load_result("campaigns/visits.local"), f"again.{ending}")
    version = campaign.read_contacts("visits.csv").attrs["reading"].version
    assert len(version) == 10
    assert version.isalpha()
    assert campaign.read_contacts(path).attrs["reading"].continues.version == version


def test_rows_sent_as_corrected_get_a_new_text_only_once_they_are_corrected(sent):
    """Person 3 got her first text by the follow-up file; the own spreadsheet still has no number for her."""
    sandbox, path = sent
    correct(path, ["0772 000 003"])
    send(plan_of(path), sandbox)
    assert send(plan_of(), sandbox).needing_attention.tolist() == [10, 17]
    second = campaign.prepare("visits.csv", message="Come on Tuesday, {name}.", sender="CLINIC", region="UG")
    told = campaign.compare(second, account=sandbox.account).sentence
    assert (
        " 1 row to correct was reached in rehearsal with another text, and can get this one only once "
        "corrected in your own spreadsheet too (row 5)." in told
    )
    with pytest.raises(campaign.ConfirmationError) as question:
        send(second, sandbox)
    assert str(question.value).endswith(
        " 1 row to correct was reached in rehearsal with another text, and can get this one only once "
        'corrected in your own spreadsheet too (row 5). With "skip", this row counts as reached.'
    )
    kept = send(second, sandbox, changed="skip")
    assert kept.needing_attention.tolist() == [10, 17]  # she keeps what she got, as all others do
    fresh = send(second, sandbox, changed="send")
    for result in (fresh, campaign.load_result(fresh.folder)):
        assert result.totals["accepted"] == 17
        assert "17 of 20 rows were accepted" in result.sentence
        assert result.needing_attention.tolist() == result.follow_up().index.tolist() == [5, 10, 17]
        assert set(result.issues.loc[result.issues["row"] == 5, "code"]) >= {"reached_with_earlier_text"}
    path = campaign.write_follow_up(fresh, "second.csv")
    correct(path, ["0772 000 003"])
    follow_up = campaign.prepare(path, message="Come on Tuesday, {name}.", sender="CLINIC", region="UG")
    assert send(follow_up, sandbox, changed="send").needing_attention.tolist() == [10, 17]
    assert send(second, sandbox).nothing_sent
    assert Counter(sandbox.inbox["number"]) == Counter(dict.fromkeys(sandbox.inbox["number"], 2))


def test_a_row_that_lacks_what_a_new_text_says_is_not_done_because_an_older_text_reached_it(desk):
    Path("visits.csv").write_text("name,phone,day\nAda,0772 000 001,Monday\nBen,0772 000 002,\n")
    with campaign.Sandbox() as sandbox:
        send(plan_of(), sandbox)
        second = campaign.prepare("visits.csv", message="Come on {day}.", sender="CLINIC", region="UG")
        result = send(second, sandbox, changed="send")
        assert campaign.load_result(result.folder).needing_attention.tolist() == [3]
        assert "1 of 2 rows was accepted" in result.sentence


DATED = "Hi {name}, your visit is on {visit:%-d %b}."
DECEMBER = [f"{day:02d}/12/2026" for day in range(1, 21)]  # 13 and above show that the day is first


def write_dated(days):
    """A person for each date, of whom the first has no number."""
    rows = "".join(
        f"Person {n},{f'0772 000 0{n:02d}' if n else 'call her'},{day}\n" for n, day in enumerate(days)
    )
    Path("visits.csv").write_text(f"name,phone,visit\n{rows}")


def dated_plan(source="visits.csv", *, stream=None, **reading):
    contacts = campaign.read_contacts(source, **reading)
    return campaign.prepare(contacts, message=DATED, sender="CLINIC", region="UG", stream=stream)


def with_cell(path, before, after):
    """The file after a person corrected a cell in it and saved it."""
    if path.suffix == ".csv":
        path.write_text(path.read_text("utf-8-sig").replace(before, after), "utf-8")
        return path
    with zipfile.ZipFile(path) as book:
        members = {name: book.read(name).replace(before.encode(), after.encode()) for name in book.namelist()}
    with zipfile.ZipFile(path, "w") as book:
        for name, content in members.items():
            book.writestr(name, content)
    return path


def file_to_correct(sandbox, days, ending=".csv", **reading):
    """The follow-up file of people with these dates: it has the first of them, whose number is there now."""
    write_dated(days)
    result = campaign.send(dated_plan(**reading), account=sandbox, progress=False)
    return with_cell(campaign.write_follow_up(result, f"correct{ending}"), "call her", "0772 000 000")


def said_about_dates(plan):
    return plan.issues.loc[plan.issues["code"] == "date_order", "detail"].tolist()


AS_IN_CAMPAIGN = (
    'Dates in "visit" are read with the {} first, as in the campaign "visits". If that is wrong, read the '
    'file with dates="{}".'
)


@pytest.mark.parametrize(
    ("ending", "stream"), [(".csv", None), (".csv", True), (".xlsx", None), (".ods", None)]
)
def test_the_only_date_in_the_file_is_read_as_in_the_spreadsheet(desk, sandbox, ending, stream):
    plan = dated_plan(file_to_correct(sandbox, DECEMBER, ending, stream=stream), stream=stream)
    assert plan.messages["message"].tolist() == ["Hi Person 0, your visit is on 1 Dec."]
    assert said_about_dates(plan) == [AS_IN_CAMPAIGN.format("day", "mdy")]
    campaign.send(plan, account=sandbox, progress=False)
    result = campaign.load_result("campaigns/visits.local")
    assert result.totals["accepted"] == 20
    assert said_about_dates(result) == said_about_dates(dated_plan())


@pytest.mark.parametrize(("given", "text"), [("dmy", "5 Dec"), ("mdy", "12 May")])
def test_an_order_that_was_given_for_the_spreadsheet_is_kept_too(desk, sandbox, given, text):
    plan = dated_plan(file_to_correct(sandbox, ["05/12/2026", "06/12/2026"], dates=given))
    assert plan.messages["message"].tolist() == [f"Hi Person 0, your visit is on {text}."]
    assert len(said_about_dates(plan)) == 1


def test_a_date_that_is_corrected_is_read_as_in_the_spreadsheet(desk, sandbox):
    """There, no date needed an order: all days are above 12."""
    path = with_cell(file_to_correct(sandbox, ["14/12/2026", "15/12/2026"]), "14/12/2026", "04/01/2027")
    assert dated_plan(path).messages["message"].tolist() == ["Hi Person 0, your visit is on 4 Jan."]


def test_an_order_that_is_given_for_the_file_wins_and_the_difference_is_said(desk, sandbox):
    plan = dated_plan(file_to_correct(sandbox, DECEMBER), dates="mdy")
    assert plan.messages["message"].tolist() == ["Hi Person 0, your visit is on 12 Jan."]
    assert said_about_dates(plan) == [
        'Dates in "visit" are read with the month first, as dates="mdy" says, but the campaign "visits" has '
        'the day first. If the day comes first in all of them, read the file with dates="dmy".'
    ]


def test_a_corrected_date_in_another_order_is_an_issue(desk, sandbox):
    path = with_cell(file_to_correct(sandbox, DECEMBER), "01/12/2026", "12/25/2026")
    assert dated_plan(path).issues["code"].tolist() == ["reading", "unreadable_value"]


def test_the_file_of_the_file_keeps_the_order_and_says_nothing_against_the_spreadsheet(desk, sandbox):
    path = with_cell(file_to_correct(sandbox, DECEMBER), "0772 000 000", "0414 000 027")
    campaign.send(dated_plan(path), account=sandbox, progress=False)
    result = campaign.load_result("campaigns/visits.local")
    landline = "This is a landline, which may not receive SMS. Enter a mobile number."
    assert result.follow_up()["last reason"].tolist() == [
        f'{landline} To send to it anyway, add "fixed" to kinds=.'
    ]
    written = campaign.write_follow_up(result, "again.csv")
    assert pd.read_csv(written)["last reason"].tolist() == [landline]  # for whoever corrects cells
    path = with_cell(written, "0414 000 027", "0772 000 000")
    assert dated_plan(path).messages["message"].tolist() == ["Hi Person 0, your visit is on 1 Dec."]


def test_each_column_keeps_its_own_order_and_of_two_that_differ_neither(desk, sandbox):
    def plan_with(source, **options):
        message = "{born:%-d %b} {visit:%-d %b}"
        contacts = campaign.read_contacts(source)
        return campaign.prepare(contacts, message=message, sender="CLINIC", region="UG", **options)

    rows = ["call her,01/02/2026,01/02/2026", "0772000001,01/25/2026,25/01/2026"]
    Path("visits.csv").write_text("\n".join(["phone,born,visit", *rows]))
    result = campaign.send(plan_with("visits.csv"), account=sandbox, progress=False)
    path = with_cell(campaign.write_follow_up(result, "correct.csv"), "call her", "0772 000 002")
    assert plan_with(path).messages["message"].tolist() == ["2 Jan 1 Feb"]
    other = Path("other.csv")
    other.write_text(path.read_text().replace("-mdy", "-ymd").replace("000 002", "000 003"))
    plan = plan_with([path, other])
    assert plan.issues.loc[plan.issues["code"] == "ambiguous_date", "column"].unique().tolist() == ["born"]
