"""People who want no texts, at the composer: a list, a column that marks them, a number written by hand."""

import json
from ast import literal_eval
from pathlib import Path

import pytest
from support.composer_person import VISITS, Person
from support.kept_desk import KeptDesk
from support.widget_tree import find

import campaign
from campaign.errors import UsageError
from campaign.notebook.composer.entry import compose_again

STOP = "number\n+256772000002\n"


@pytest.fixture(scope="module")
def desk_of_yesterday(tmp_path_factory):
    """The desk at which the spreadsheet was sent without the people of a list."""

    def send_with_list():
        Path("visits.csv").write_text(VISITS)
        Path("stop.csv").write_text(STOP)
        person = Person(campaign.compose())
        person.compose()
        person.reopen(3)
        person.fill("opt-outs", "stop.csv")
        person.press("go-on")
        person.send()

    return KeptDesk(tmp_path_factory.mktemp("yesterday"), send_with_list)


@pytest.fixture
def sent_with_list(desk_of_yesterday, table, monkeypatch):
    """The campaign of that spreadsheet: its folder, in the current one."""
    desk = desk_of_yesterday.as_it_was_left()
    monkeypatch.chdir(desk)
    return desk / "campaigns" / "visits.local"


@pytest.fixture
def next_day():
    """Somebody who begins in the same folder again, up to the check."""

    def begin(path="visits.csv"):
        again = Person(campaign.compose())
        again.compose(path)
        again.reopen(3)
        return again

    return begin


# the list that the campaign used


def test_the_list_of_yesterday_is_offered_by_name_and_not_used_unasked(sent_with_list, next_day):
    again = next_day()
    said = (
        "When “visits” was sent last, it left out the people on the list stop.csv. That is not chosen now. "
        "The button chooses it, for the rows of today."
    )
    assert again.sees("earlier-list") == said
    assert find(again.composer, "use-earlier-list").description == "Leave them out again"
    assert again.composer.desk.composition.opt_outs is None
    assert "is asked about below" not in again.sees("section-3")  # the campaign remembers the list


def test_one_click_leaves_them_out_as_yesterday(sent_with_list, next_day):
    again = next_day()
    again.press("use-earlier-list")
    assert find(again.composer, "opt-outs").value == "stop.csv"
    assert not again.is_shown("earlier-list")
    assert "1 number was read from this list; 1 row has one of them." in again.sees("opt-outs-faults")
    again.press("go-on")
    assert not again.is_shown("left-out")
    assert find(again.composer, "send").description == "Show the result"
    again.reopen(3)
    again.fill("opt-outs", "")
    assert again.is_shown("earlier-list")


def test_a_list_that_was_changed_or_is_gone_is_said_to_be(sent_with_list, next_day):
    Path("stop.csv").write_text(f"{STOP}+256772000004\n")
    assert "the list stop.csv (which has been changed since). That" in next_day().sees("earlier-list")
    Path("stop.csv").unlink()
    again = next_day()
    assert "the list stop.csv (that file is no longer there). That" in again.sees("earlier-list")
    assert not again.is_shown("use-earlier-list")


def test_an_earlier_list_that_leaves_out_most_is_doubted_as_any_other(sent_with_list, next_day):
    Path("stop.csv").write_text(STOP + "".join(f"+25677200000{n}\n" for n in "134"))
    again = next_day()
    again.press("use-earlier-list")
    assert "This list would leave out 3 of 4 rows." in again.sees("section-3")
    assert again.composer.desk.composition.opt_outs is None


def test_another_campaign_is_offered_no_list(sent_with_list, next_day):
    Path("others.csv").write_text("name,phone,day\nEve,+256 772 000 005,Mon\n")
    assert not next_day("others.csv").is_shown("earlier-list")


def test_the_folder_of_the_campaign_names_the_list_and_none_of_its_numbers(sent_with_list):
    record = (sent_with_list / "composed.json").read_text()
    assert json.loads(record)["composition"]["opt_outs"] == "stop.csv"
    assert len(json.loads(record)["opt_outs_digest"]) == 64
    assert "772000002" not in record


def test_the_list_of_a_campaign_that_an_older_program_sent_is_offered_too(sent_with_list, next_day):
    path = sent_with_list / "composed.json"
    record = json.loads(path.read_text())
    del record["opt_outs_digest"]
    path.write_text(json.dumps(record))
    Path("stop.csv").write_text(f"{STOP}+256772000004\n")
    assert "the list stop.csv. That is not chosen now." in next_day().sees("earlier-list")


# a column of the spreadsheet that marks them

MARKED = """name,phone,day,No SMS
Aisha,0772 000 001,Mon,
Ben,0772 000 002,Tue,x
Carol,0772 000 003,Wed,no
Dan,+256 772 000 004,Thu,Yes
Eve,0772 000 005,Fri,{}
Fay,0772 000 001,Fri,
Gus,0772 000 007,Sat,
"""


def meanings(person, column):
    """What the lines of Python take the cells of the column for."""
    mapped = f"wants_no_texts = contacts[{column!r}].str.strip().str.casefold().map("
    line = next(line for line in person.section(5).python.splitlines() if line.startswith(mapped))
    return literal_eval(line.removeprefix(mapped).removesuffix(")"))


@pytest.fixture
def at_check(person, table):
    """The same person at the check of a spreadsheet whose column marks two people."""
    table.write_text(MARKED.format(0))
    person.compose(text="Hi {name}, come.")
    person.reopen(3)
    return person


def test_marked_rows_get_nothing_and_what_counts_as_a_mark_is_shown(at_check):
    assert at_check.offered("opt-out-column") == ["Please choose", "No column", "name", "day", "No SMS"]
    assert at_check.sees("marks-question") == (
        "“No SMS” seems to mark people who want no texts. Choose it here, or “No column” if it means "
        "something else."
    )
    at_check.press("go-on")
    assert not at_check.section(4).is_open
    assert "First answer the question about “No SMS” above." in at_check.sees("section-3")
    at_check.fill("opt-out-column", "No SMS")
    assert at_check.sees("marks-question") == ""
    assert at_check.offered("opt-out-column") == ["No column", "name", "day", "No SMS"]
    said = "2 of 7 rows are marked in “No SMS”: “x” (1 row) and “Yes” (1 row)."
    assert at_check.sees("marks") == said
    assert "4 people get a text; 3 rows get none." in at_check.sees("section-3")
    at_check.press("go-on")
    at_check.send()
    status = at_check.composer.desk.run.result.contacts["status"]
    assert status[status == "opted_out"].index.tolist() == [3, 5]


def test_no_column_leaves_out_nobody(at_check):
    at_check.fill("opt-out-column", "No SMS")
    at_check.fill("opt-out-column", "")
    assert find(at_check.composer, "opt-out-column").label == "No column"
    assert at_check.sees("marks") == ""
    assert at_check.composer.desk.plan.totals["opted_out"] == 0
    Path("visits.csv").write_text("name,phone,No SMS\nAisha,+256 772 000 001,no\n")
    at_check.reopen(1)
    at_check.press("again")
    at_check.press("use")
    at_check.fill("opt-out-column", "No SMS")
    assert at_check.sees("marks") == "No row is marked in “No SMS”, so it leaves out nobody."


def test_a_cell_that_is_neither_yes_nor_no_stops_until_somebody_decides(at_check, table):
    table.write_text(MARKED.format("maybe"))
    at_check.reopen(1)
    at_check.press("again")
    at_check.press("use")
    at_check.reopen(3)
    at_check.fill("opt-out-column", "No SMS")
    asked = (
        "In “No SMS”, it is not clear what these cells mean: “maybe” (row 6). Write yes or no "
        "there and choose the spreadsheet again, or press “Leave these rows out too”."
    )
    assert asked in at_check.sees("section-3")
    at_check.press("go-on")
    assert not at_check.section(4).is_open
    at_check.press("agree-to-marks")
    assert "3 of 7 rows are marked in “No SMS”" in at_check.sees("marks")
    at_check.press("go-on")
    assert at_check.composer.desk.plan.contacts["status"][6] == "opted_out"
    table.write_text(MARKED.format("perhaps"))  # another word is asked about again
    at_check.reopen(1)
    at_check.press("again")
    at_check.press("use")
    assert "not clear what these cells mean: “perhaps” (row 6)" in at_check.sees("section-3")
    assert not at_check.section(4).is_open
    table.write_text(MARKED.format("no"))
    at_check.reopen(1)
    at_check.press("again")
    at_check.press("use")
    assert "2 of 7 rows are marked in “No SMS”" in at_check.sees("marks")
    at_check.press("go-on")
    assert at_check.section(4).is_open


REMARKS = """name,phone,day,Comments
Aisha,+256 772 000 001,Mon,do not text
Ben,+256 772 000 002,Tue,moved to Gulu
Carol,+256 772 000 003,Wed,
Dan,+256 772 000 004,Thu,do not text
Eve,+256 772 000 005,Fri,no texts please
Fay,+256 772 000 006,Fri,
Gus,+256 772 000 007,Fri,-
"""


def tick(person, cell):
    (box,) = [one for one in person.check_boxes() if f"“{cell}”" in one.description]
    box.value = True


def test_of_unclear_cells_those_are_ticked_that_mean_no_texts_and_it_can_be_taken_back(at_check, table):
    table.write_text(REMARKS)
    at_check.reopen(1)
    at_check.press("again")
    at_check.press("use")
    at_check.reopen(3)
    at_check.fill("opt-out-column", "Comments")
    asked = "Tick the cells that mean “no texts”, and press “Leave out the rows that are ticked”"
    assert asked in at_check.sees("marks-question")
    assert not at_check.is_shown("marks-anew")
    assert [one.description for one in at_check.check_boxes()] == [
        "“do not text” (2 rows)", "“moved to Gulu” (1 row)", "“no texts please” (1 row)",
    ]  # fmt: skip
    tick(at_check, "do not text")
    tick(at_check, "no texts please")
    at_check.press("agree-to-ticked")
    assert at_check.composer.desk.plan.totals["opted_out"] == 3
    assert "3 of 7 rows are marked in “Comments”" in at_check.sees("marks")
    at_check.press("go-on")
    assert at_check.section(4).is_open
    assert find(at_check.composer, "send").description == "Rehearse 4 texts"
    assert meanings(at_check, "Comments") == {
        "do not text": True, "no texts please": True, "moved to gulu": False, "": False, "-": False,
    }  # fmt: skip
    at_check.reopen(3)
    at_check.press("marks-anew")
    assert len(at_check.check_boxes()) == 3
    assert [one.value for one in at_check.check_boxes()] == [True, False, True]  # as they were
    at_check.press("go-on")
    assert not at_check.section(4).is_open


def test_ticks_stay_when_somebody_goes_on_before_the_answer(at_check, table):
    """Going on is refused as long as the question is open; what was ticked for it is not taken away."""
    table.write_text(REMARKS)
    at_check.reopen(1)
    at_check.press("again")
    at_check.press("use")
    at_check.reopen(3)
    at_check.fill("opt-out-column", "Comments")
    tick(at_check, "do not text")
    at_check.press("go-on")
    assert "First press “Leave out the rows that are ticked” above" in at_check.sees("section-3")
    assert not at_check.section(4).is_open
    assert [one.value for one in at_check.check_boxes()] == [True, False, False]
    at_check.press("agree-to-ticked")
    assert at_check.composer.desk.plan.totals["opted_out"] == 2
    at_check.press("go-on")
    assert find(at_check.composer, "send").description == "Rehearse 5 texts"


def test_what_was_ticked_is_back_on_a_page_that_is_loaded_again(table, tmp_path):
    (tmp_path / "private").mkdir()
    memory = str(tmp_path / "private" / "desk.json")
    table.write_text(REMARKS)
    before = Person(compose_again(memory))
    before.compose()
    before.reopen(3)
    before.fill("opt-out-column", "Comments")
    tick(before, "do not text")
    before.press("agree-to-ticked")
    before.press("go-on")
    again = Person(compose_again(memory))
    assert again.section(4).is_open
    assert find(again.composer, "send").description == "Rehearse 5 texts"


def test_an_answer_that_was_taken_back_is_not_back_on_a_page_that_is_loaded_again(table, tmp_path):
    (tmp_path / "private").mkdir()
    memory = str(tmp_path / "private" / "desk.json")
    table.write_text(REMARKS)
    before = Person(compose_again(memory))
    before.compose()
    before.reopen(3)
    before.fill("opt-out-column", "Comments")
    before.press("agree-to-ticked")  # nobody
    before.press("marks-anew")
    again = Person(compose_again(memory))
    assert not again.section(4).is_open
    assert "Tick the cells that mean “no texts”" in again.sees("marks-question")
    again.press("go-on")
    assert not again.section(4).is_open


def test_figures_of_an_earlier_spreadsheet_are_gone_while_the_new_one_waits_for_an_answer(at_check, table):
    assert "get a text" in at_check.sees("section-3")
    table.write_text(WANTED.replace("SMS", "No SMS").replace(",NO", ",perhaps"))
    at_check.fill("opt-out-column", "No SMS")
    at_check.reopen(1)
    at_check.press("again")
    at_check.press("use")
    said = at_check.sees("section-3")
    assert "not clear what these cells mean: “perhaps” (row 4)." in said
    assert "get a text" not in said
    at_check.press("agree-to-marks")
    at_check.press("agree")  # three of five
    assert "2 people get a text; 3 rows get none." in at_check.sees("section-3")


def test_a_question_about_an_earlier_spreadsheet_is_gone_with_it(at_check, table):
    rows = "".join(f"P{n},+256 772 000 0{n},Mon,yes\n" for n in range(10, 16))
    table.write_text(f"name,phone,day,No SMS\n{rows}")
    at_check.reopen(1)
    at_check.press("again")
    at_check.press("use")
    at_check.fill("opt-out-column", "No SMS")
    assert "This would leave out 6 of 6 rows." in at_check.sees("section-3")
    table.write_text(f"name,phone,day,No SMS\n{rows.replace('yes', '')}Q,+256 772 000 099,Mon,yes\n")
    at_check.reopen(1)
    at_check.press("again")
    at_check.press("use")
    assert "1 of 7 rows is marked" in at_check.sees("marks")
    assert "would leave out" not in at_check.sees("section-3")


WANTED = """name,phone,day,SMS
Aisha,0772 000 001,Mon,yes
Ben,0772 000 002,Mon,no
Carol,0772 000 003,Tue,NO
Dan,0772 000 004,Tue,yes
Eve,0772 000 005,Fri,
"""


def test_whether_yes_means_texts_or_none_is_asked_where_the_header_does_not_say_it(at_check, table):
    table.write_text(WANTED)
    at_check.reopen(1)
    at_check.press("again")
    at_check.press("use")
    at_check.fill("opt-out-column", "SMS")
    assert (
        "In “SMS”, it is not clear what these cells mean: "
        "“yes” (row 2), “no” (row 3), “NO” (row 4) and nothing (row 6). Tick the cells that mean "
        "“no texts”"
    ) in at_check.sees("marks-question")
    assert at_check.check_boxes()[-1].description == "an empty cell (1 row)"
    first = (
        "First press “Leave out the rows that are ticked” above: what is ticked in “SMS” counts from then on."
    )
    assert first not in at_check.sees("section-3")  # nobody has gone on yet
    at_check.press("go-on")
    assert at_check.sees("section-3").endswith(first)
    assert not at_check.is_shown("agree-to-marks")
    assert at_check.composer.desk.composition.opt_out_column is None
    assert [one.value for one in at_check.check_boxes()] == [False, True, True, True]  # but for a clear yes
    at_check.press("agree-to-ticked")
    at_check.press("agree")  # most of the rows: that is doubted first
    said = "3 of 5 rows are marked in “SMS”: “no” (1 row), “NO” (1 row) and an empty cell (1 row)."
    assert said in at_check.sees("marks")
    assert at_check.composer.desk.plan.contacts["status"].tolist() == [
        "not_sent", "opted_out", "opted_out", "not_sent", "opted_out",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("header", "cells", "asked", "opted_out"),
    [
        ("Consent", ["yes", "no", "", "?", "Yes"], ["yes", "no", "", "?", "Yes"], [3, 4, 5]),
        ("Status", ["SUBSCRIBED", "UNSUBSCRIBED", "PENDING", "", "SUBSCRIBED"], ["PENDING", ""], [3, 4, 5]),
        ("Phone Blacklisted", ["", "true", "false", "", ""], [], [3]),
        ("UNSUB_TIME", ["", "2025-03-01 10:11", "", "null", ""], [], [3]),
        ("SMS opt-in date", ["2025-03-01", "2025-03-02", "", "", "2025-03-05"], [""], [4, 5]),
    ],
)
def test_a_column_of_consent_lets_through_whoever_clearly_agrees(
    at_check, table, header, cells, asked, opted_out
):
    rows = "".join(f"P{n},+256 772 000 0{n},{cell}\n" for n, cell in enumerate(cells, start=10))
    table.write_text(f"name,phone,{header}\n{rows}")
    at_check.reopen(1)
    at_check.press("again")
    at_check.press("use")
    assert f"“{header}” seems to" in at_check.sees("marks-question")
    at_check.fill("opt-out-column", header)
    assert [one.value for one in at_check.check_boxes()] == [cell.casefold() != "yes" for cell in asked]
    if asked:
        at_check.press("agree-to-ticked")
    if at_check.is_shown("agree"):
        at_check.press("agree")
    status = at_check.composer.desk.plan.contacts["status"]
    assert status[status == "opted_out"].index.tolist() == opted_out
    at_check.press("go-on")
    world = {}
    exec(at_check.section(5).python, world)
    again = world["plan"].contacts["status"]
    assert again[again == "opted_out"].index.tolist() == opted_out


TURNED = """name,phone,day,No texts?
Aisha,+256 772 000 001,Mon,yes
Ben,+256 772 000 002,Mon,yes
Carol,+256 772 000 003,Tue,yes
Dan,+256 772 000 004,Tue,no
Eve,+256 772 000 005,Fri,
"""


def test_whoever_has_a_column_the_other_way_round_says_which_cells_mean_no_texts(at_check, table):
    table.write_text(TURNED)
    at_check.reopen(1)
    at_check.press("again")
    at_check.press("use")
    at_check.fill("opt-out-column", "No texts?")
    assert at_check.sees("marks-question") == (
        "This would leave out 3 of 5 rows. Do the marks in “No texts?” stand for people who want no texts? "
        "If so, press “Leave them out”. If not, tick the cells that mean “no texts”, and press “Leave out "
        "the rows that are ticked”: the rows with the others get a text. If none of them means that, press "
        "it without a tick. Or choose another column."
    )
    assert [one.description for one in at_check.check_boxes()] == [
        "“yes” (3 rows)", "“no” (1 row)", "an empty cell (1 row)",
    ]  # fmt: skip
    tick(at_check, "no")
    at_check.press("agree-to-ticked")
    assert at_check.sees("marks") == "1 of 5 rows is marked in “No texts?”: “no” (1 row)."
    assert not at_check.is_shown("agree")
    assert at_check.composer.desk.plan.contacts["status"].tolist() == [
        *["not_sent"] * 3,
        "opted_out",
        "not_sent",
    ]
    at_check.press("go-on")
    at_check.reopen(3)
    at_check.press("marks-anew")
    assert "3 of 5 rows" in at_check.sees("marks-question")
    tick(at_check, "no")
    at_check.press("agree-to-ticked")
    table.write_text(TURNED.replace("005,Fri,", "005,Fri,NO"))  # nothing was said about that
    at_check.reopen(1)
    at_check.press("again")
    at_check.press("use")
    said = "In “No texts?”, it is not clear what these cells mean: “NO” (row 6)."
    assert said in at_check.sees("marks-question")
    tick(at_check, "NO")
    at_check.press("agree-to-ticked")
    assert at_check.composer.desk.plan.totals["opted_out"] == 2
    assert meanings(at_check, "No texts?") == {"no": True, "yes": False}


def test_an_empty_cell_can_mean_no_texts(at_check, table):
    table.write_text(TURNED.replace(",no", ","))
    at_check.reopen(1)
    at_check.press("again")
    at_check.press("use")
    at_check.fill("opt-out-column", "No texts?")
    box = at_check.check_boxes()[-1]
    assert box.description == "an empty cell (2 rows)"
    box.value = True
    at_check.press("agree-to-ticked")
    assert "2 of 5 rows are marked in “No texts?”: an empty cell (2 rows)." in at_check.sees("marks")
    assert at_check.composer.desk.plan.totals["opted_out"] == 2


def test_the_button_that_means_it_stands_right_below_what_it_is_about(at_check, table):
    def above_button():
        parts = at_check.section(3).opt_outs.children
        return parts[parts.index(find(at_check.composer, "agree")) - 1]

    table.write_text(TURNED)
    at_check.reopen(1)
    at_check.press("again")
    at_check.press("use")
    at_check.fill("opt-out-column", "No texts?")
    assert find(above_button(), "opt-out-column").value == "No texts?"
    at_check.fill("opt-out-column", "")
    Path("stop.csv").write_text(table.read_text())
    at_check.fill("opt-outs", "stop.csv")
    assert "This list would leave out 5 of 5 rows." in above_button().value
    assert at_check.sees("section-3").endswith("First answer the question about the list above.")


def test_a_column_of_something_else_is_refused_or_doubted(at_check, table):
    table.write_text(
        "name,phone,note,consent\n" + "".join(f"P{n},+256 772 000 0{n},word {n},yes\n" for n in range(10, 40))
    )
    at_check.reopen(1)
    at_check.press("again")
    at_check.press("use")
    at_check.fill("opt-out-column", "note")
    assert "That is no column of marks: choose another one." in at_check.sees("section-3")
    assert not at_check.is_shown("agree-to-marks")
    at_check.fill("opt-out-column", "consent")
    assert "In “consent”, it is not clear what these cells mean: “yes” (row 2)." in at_check.sees("section-3")
    tick(at_check, "yes")
    at_check.press("agree-to-ticked")
    assert (
        "This would leave out 30 of 30 rows. Do the marks in “consent” stand for people who want no texts?"
        in at_check.sees("section-3")
    )
    assert at_check.composer.desk.composition.opt_out_column is None
    at_check.press("agree")
    assert "Nobody gets a text; 30 rows get none." in at_check.sees("section-3")


def test_blank_rows_and_a_line_of_totals_are_nobody_who_has_said_nothing(at_check, table):
    people = "Aisha,0772 000 001,Mon,Yes\nBen,0772 000 002,Tue,No\nCarol,0772 000 003,Wed,yes\n"
    lines = ",,,\nTotal mothers,,3,\nRemark: collected by the front desk,,,\n"
    table.write_text(f"name,phone,day,Agrees to SMS\n{people}{lines}")
    at_check.reopen(1)
    at_check.press("again")
    at_check.press("use")
    at_check.fill("opt-out-column", "Agrees to SMS")
    assert "In “Agrees to SMS”, it is not clear what these cells mean: “Yes” (row 2), “No” (row 3)" in (
        at_check.sees("marks-question")
    )
    boxes = [(one.description, one.value) for one in at_check.check_boxes()]
    assert boxes == [("“Yes” (1 row)", False), ("“No” (1 row)", True), ("“yes” (1 row)", False)]
    at_check.press("agree-to-ticked")
    assert at_check.sees("marks") == "1 of 3 rows is marked in “Agrees to SMS”: “No” (1 row)."
    at_check.press("go-on")
    assert meanings(at_check, "Agrees to SMS") == {"no": True, "yes": False}
    at_check.send()
    totals = at_check.composer.desk.run.result.totals
    assert (totals.people, totals["accepted"], totals["opted_out"], totals.totals_lines) == (3, 2, 1, 1)
    again = {}
    exec(at_check.section(5).python, again)  # the rows of nobody need no mark there either
    assert again["result"].totals["opted_out"] == 1


def test_whoever_takes_another_column_for_that_of_the_marks_is_told_which_one_seems_to_be(at_check, table):
    at_check.fill("opt-out-column", "day")
    assert "Or choose “No SMS” above instead, which seems to be the column of marks." in (
        at_check.sees("marks-question")
    )
    at_check.fill("opt-out-column", "No SMS")
    assert at_check.sees("marks-question") == ""
    table.write_text("name,phone,day\nAisha,0772 000 001,Mon\nBen,0772 000 002,maybe\n")
    at_check.reopen(1)
    at_check.press("again")
    at_check.press("use")
    at_check.fill("opt-out-column", "day")
    assert "Or have a column “No SMS”, with a yes for whoever wants no texts" in at_check.sees(
        "marks-question"
    )


def test_a_spreadsheet_without_the_column_stops_and_is_not_sent_to_everybody(at_check, table):
    at_check.fill("opt-out-column", "No SMS")
    at_check.press("go-on")
    table.write_text("name,phone\nAisha,+256 772 000 001\nBen,+256 772 000 002\n")
    at_check.reopen(1)
    at_check.press("again")
    at_check.press("use")
    assert "no column “No SMS” that could mark people who want no texts" in at_check.sees("section-3")
    assert at_check.offered("opt-out-column") == ["Please choose", "No column", "name"]
    assert not at_check.section(4).is_open
    at_check.press("go-on")
    assert not at_check.section(4).is_open
    at_check.fill("opt-out-column", "")
    at_check.press("go-on")
    assert at_check.section(4).is_open
    at_check.reopen(3)
    assert at_check.offered("opt-out-column") == ["No column", "name"]


def test_a_marked_row_with_several_numbers_gets_no_text_by_the_back_door(at_check, table):
    """A list reads one number from a cell; a row takes the first of several if that is chosen."""
    table.write_text(MARKED.format(0).replace("0772 000 002", "0772 000 002 / 0772 000 009"))
    at_check.reopen(1)
    at_check.press("again")
    at_check.press("use")
    at_check.reopen(3)
    at_check.fill("several", "first")
    at_check.fill("opt-out-column", "No SMS")
    assert "Of 7 rows: 4 get a text, 2 want no texts, 1 shares a phone." in at_check.sees("section-3")
    at_check.reopen(2)
    at_check.press("next")
    assert "Row 3 (Ben) gets no text." in at_check.sees("phone")


def test_the_phone_shows_that_a_marked_row_gets_no_text(at_check):
    at_check.fill("opt-out-column", "No SMS")
    at_check.reopen(2)
    at_check.press("next")
    assert "Row 3 (Ben) gets no text." in at_check.sees("phone")


def test_a_column_that_cannot_be_read_any_more_keeps_no_text_from_the_phone(at_check, table):
    at_check.fill("opt-out-column", "No SMS")
    table.write_text(MARKED.format("maybe"))
    at_check.reopen(1)
    at_check.press("again")
    at_check.press("use")
    at_check.reopen(2)
    assert "Hi Aisha, come." in at_check.sees("phone")


def test_a_list_a_column_and_a_number_together_and_the_lines_do_the_same(at_check):
    Path("stop.csv").write_text("number\n+256772000003\n")
    at_check.fill("opt-out-column", "No SMS")
    at_check.fill("opt-outs", "stop.csv")
    at_check.fill("opt-out-number", "0772 000 001")
    at_check.press("agree")
    at_check.press("go-on")
    at_check.send()
    composed = at_check.composer.desk.run.result
    assert composed.contacts["status"].tolist() == ["opted_out"] * 4 + ["accepted", "opted_out", "accepted"]
    lines = at_check.section(5).python
    assert meanings(at_check, "No SMS") == {"x": True, "yes": True, "": False, "no": False, "0": False}
    assert "opt_outs=['stop.csv', wants_no_texts, contacts.loc[[2, 7], 'phone']]" in lines
    assert "772000001" not in lines
    world = {}
    exec(lines, world)
    assert world["plan"].fingerprint == composed.plan.fingerprint
    assert world["result"].contacts["status"].tolist() == composed.contacts["status"].tolist()


def test_the_lines_stop_at_a_cell_that_nobody_has_decided_about(at_check, table):
    """Whoever runs them next month has other people, and texts nobody who says something new."""
    at_check.fill("opt-out-column", "No SMS")
    at_check.press("go-on")
    lines = at_check.section(5).python
    table.write_text(MARKED.format("not sure") + "Hal,0772 000 008,Sat,YES\nIda,0772 000 009,Sat,not sure\n")
    with pytest.raises(UsageError) as refused:
        exec(lines, {})
    assert str(refused.value) == (
        "opt_outs= is neither True nor False for row 6, where “No SMS” says “not sure”, and for 1 other row. "
        "Decide what that means: map such cells to True or False, too, or leave these rows out with "
        ".fillna(True)."
    )
    world = {}
    exec(lines.replace("'no': False", "'no': False, 'not sure': True"), world)
    reached = world["result"].contacts["status"] == "accepted"
    assert world["result"].contacts.index[reached].tolist() == [2, 4, 8]


def test_the_column_of_yesterday_is_offered_with_its_list(at_check, next_day):
    Path("stop.csv").write_text("number\n+256772000003\n")
    at_check.fill("opt-out-column", "No SMS")
    at_check.fill("opt-outs", "stop.csv")
    at_check.press("agree")
    at_check.press("go-on")
    at_check.send()
    again = next_day()
    said = "it left out the people on the list stop.csv and the people marked in “No SMS”. That is not chosen"
    assert said in again.sees("earlier-list")
    again.press("use-earlier-list")
    again.press("agree")
    assert again.composer.desk.plan.totals["opted_out"] == 3
    assert not again.is_shown("earlier-list")


# a number that is written by hand


def test_a_number_written_by_hand_gets_nothing_and_is_masked(at_check):
    at_check.fill("opt-out-number", "0772 000 001")
    assert "25677*****01 gets no text (rows 2 and 7)." in at_check.sees("numbers-by-hand")
    assert find(at_check.composer, "opt-out-number").value == ""
    assert at_check.composer.desk.plan.totals["opted_out"] == 2
    at_check.fill("opt-out-number", "+256 772 000 999")
    assert "25677*****99 gets no text; no row of this spreadsheet has it." in at_check.sees("numbers-by-hand")
    assert find(at_check.composer, "take-numbers-back").description == "Take these numbers back"
    at_check.press("take-numbers-back")
    assert at_check.sees("numbers-by-hand") == ""
    assert at_check.composer.desk.plan.totals["opted_out"] == 0


def test_no_column_is_an_answer_for_the_columns_of_one_spreadsheet(at_check, table):
    at_check.fill("opt-out-column", "")
    at_check.press("go-on")
    assert at_check.section(4).is_open
    at_check.reopen(1)
    at_check.press("again")
    at_check.press("use")
    at_check.reopen(3)
    assert at_check.sees("marks-question") == ""
    table.write_text(MARKED.format(0).replace("No SMS", "Stop SMS"))
    at_check.reopen(1)
    at_check.press("again")
    at_check.press("use")
    at_check.reopen(3)
    assert "“Stop SMS” seems to mark people who want no texts." in at_check.sees("marks-question")
    at_check.press("go-on")
    assert not at_check.section(4).is_open


def test_a_page_that_is_loaded_again_does_not_ask_again_and_one_that_begins_anew_does(table, tmp_path):
    table.write_text(MARKED.format(0))
    memory = str(tmp_path / "desk.json")
    before = Person(compose_again(memory))
    before.compose(text="Hi {name}, come.")
    before.reopen(3)
    before.fill("opt-out-column", "")
    before.press("go-on")
    before.send()
    loaded = Person(compose_again(memory))
    loaded.reopen(3)
    assert loaded.sees("marks-question") == ""
    anew = Person(campaign.compose())
    anew.compose(text="Hi {name}, come.")
    anew.reopen(3)
    assert "“No SMS” seems to mark people who want no texts." in anew.sees("marks-question")


def test_nothing_is_said_of_who_was_reached_while_a_new_spreadsheet_waits_for_an_answer(at_check, table):
    at_check.fill("opt-out-column", "No SMS")
    at_check.press("go-on")
    at_check.send()
    at_check.reopen(3)
    assert "accepted before" in at_check.sees("section-3")
    table.write_text(MARKED.format(0).replace("No SMS", "Texts"))
    at_check.reopen(1)
    at_check.press("again")
    at_check.press("use")
    at_check.reopen(3)
    assert "The table has no column “No SMS”" in at_check.sees("section-3")
    assert "accepted before" not in at_check.sees("section-3")


def test_what_is_no_number_stops(at_check):
    at_check.fill("opt-out-number", "0772 00")
    assert "What is written there is no phone number, so nobody was left out." in at_check.sees("section-3")
    at_check.press("go-on")
    assert not at_check.section(4).is_open
    at_check.fill("opt-out-number", "")
    at_check.fill("opt-out-column", "")
    at_check.press("go-on")
    assert at_check.section(4).is_open


def test_a_number_written_by_hand_is_kept_for_a_page_loaded_again_and_not_with_the_campaign(table, tmp_path):
    (tmp_path / "private").mkdir()
    memory = str(tmp_path / "private" / "desk.json")
    before = Person(compose_again(memory))
    before.compose()
    before.reopen(3)
    before.fill("opt-out-number", "0772 000 002")
    before.press("go-on")
    before.send()
    folder = before.composer.desk.run.folder
    assert "772000002" not in (folder / "composed.json").read_text()
    person = Person(compose_again(memory))
    assert person.composer.desk.composition.opt_out_numbers == ("+256772000002",)
    person.reopen(3)
    assert "25677*****02 gets no text (row 3)." in person.sees("numbers-by-hand")
    another_day = Person(campaign.compose())
    another_day.compose()
    assert not another_day.is_shown("left-out")  # the campaign remembers it
    assert "Rehearse" not in find(another_day.composer, "send").description  # everybody else has the text


def test_three_rows_of_one_phone_are_three_people_wherever_they_are_counted(table):
    """Pupils of one family: each has a text, and the phone of all three wanted none before."""
    rows = (f"P{n},+256 772 000 00{n // 3},Mon,{'x' if n == 3 else ''}\n" for n in range(6))
    table.write_text("name,phone,day,No SMS\n" + "".join(rows))
    before = Person(campaign.compose())
    before.compose()
    before.reopen(3)
    before.fill("duplicates", "keep")
    before.fill("opt-out-column", "No SMS")
    before.press("go-on")
    before.send()
    again = Person(campaign.compose())
    again.compose()
    again.reopen(3)
    again.fill("opt-out-column", "")
    again.press("go-on")
    assert "Section 4 asks about 3 people; " in again.folded()[2]
    assert "3 people who would get a text now were left out before" in again.sees("left-out")


# who was left out before, and how the page counts whom it asks about


def test_the_heading_says_for_how_many_section_4_asks_what(table):
    """Two were reached with another text, and one was marked: three, and not the two of the question."""
    table.write_text(
        "name,phone,day,No SMS\nAisha,+256 772 000 001,Mon,\nBen,+256 772 000 002,Tue,x\n"
        "Carol,+256 772 000 003,Wed,\n"
    )
    for text, column in (("Hi {name}", "No SMS"), ("Hello {name}", "")):
        person = Person(campaign.compose())
        person.compose(text=text)
        person.reopen(3)
        person.fill("opt-out-column", column)
        person.press("go-on")
        if column:
            person.send()
    asks = "Section 4 asks about 3 people (2 whose phones got another text and 1 who wanted none before)"
    assert asks in person.folded()[2]
    person.fill("changed", "send")
    assert person.folded()[2].startswith("3 · 2 people get a text; section 4 asks about 1 person;")


def test_a_column_about_advertising_is_asked_about_as_such(person, table):
    table.write_text("name,phone,Marketing\nAisha,+256 772 000 001,Yes\nBen,+256 772 000 002,No\n")
    person.fill("path", "visits.csv")
    person.press("use")
    person.write("Hi {name}, your order is ready.")
    person.fill("sender", "SHOP")
    person.press("check")
    assert person.sees("marks-question") == (
        "“Marketing” seems to say who wants advertising. Choose it here if this text is advertising, or “No "
        "column” if it is not."
    )
    person.fill("opt-out-column", "")
    person.press("go-on")
    assert find(person.composer, "send").description == "Rehearse 2 texts"
