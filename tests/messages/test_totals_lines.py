"""A line of totals is no person: it gets no message, is said to be what it is, and stays counted."""

import re

import openpyxl
import pytest
from support.findings import rows_found
from support.small_campaigns import contacts_of, plan_for

import campaign

HEADER = "name,phone,amount,note"
TOTALS = [
    "Total,,66000,", "TOTAL,,66000,12%", "Grand total:,,UGX 66 000,", "Sub-total,,66000.50,",
    "Total due,,66000,", "Total mothers,,16,", "TOTAL number of pupils,,16,", "Total no. of mothers: ,,16,",
    "Total VHTs,,15,", "Total Group Members,,15,",
    "Jumla,,66000,", "Итого,,66000,", "Summe,,66000,",
    "TOTAL,,,", "Total,,,116 people", "Total,,3 pupils,", 'Total,,"1,250 UGX",',
    "Total,,,1 250 000 shillings",
]  # fmt: skip
PEOPLE = [
    "Bea,,66000,",
    "Total,,66000,Bea",  # somebody's name beside it
    "Totalina,,66000,",
    ",,66000,",
    "Sum,,66000,",  # a name, too
    "Sum,,,",
    "Total,,0772000002 wife,",
    "Total,,772000002 mother,",
    "Total,,,116 people and more",
    "Soma,,66000,",  # a name
    "jumla hassan,,66000,",
    "Total Gulu,,66000,",  # a customer that sells petrol
]


def issue_of(row, *below, status="invalid"):
    plan = plan_for(contacts_of("Ann,0772000001,5,", row, *below, header=HEADER))
    assert (plan.totals.messages, plan.contacts.at[3, "status"]) == (1 + len(below), status)
    issue, *_ = plan.issues[plan.issues["row"] == 3].to_dict("records")
    return issue


@pytest.mark.parametrize("row", TOTALS)
def test_a_word_for_a_total_alone_or_with_figures_is_a_line_of_totals(row):
    assert issue_of(row, status="blank")["code"] == "line_of_totals"


@pytest.mark.parametrize("row", TOTALS)
def test_between_people_it_is_not_certain(row):
    assert issue_of(row, "Bea,0772000002,5,")["code"] == "line_of_totals"


def test_a_line_that_is_not_certain_counts_as_a_row_to_correct_and_as_nothing_else():
    plan = plan_for(contacts_of("Ann,0772000001,5,", TOTALS[0], "Bea,0772000002,5,", header=HEADER))
    totals = plan.totals
    assert (totals["invalid"], totals["blank"], totals.totals_lines, totals.empty) == (1, 0, 0, 0)
    assert totals.excluded_in_words() == ["1 invalid"]


def statuses_of(*rows, header=HEADER, **options):
    plan = plan_for(contacts_of("Ann,0772000001,5,", *rows, header=header), **options)
    return plan.contacts["status"].tolist()[1:]


def test_a_few_lines_with_blank_rows_between_them_close_a_table():
    assert statuses_of("Sub-total,,6,", ",,,", "Total,,7,") == ["blank"] * 3


def test_a_remark_alone_in_its_row_closes_a_table_with_it():
    for remark in ("Note: balances of 20 November,,,", "* without arrears,,,", ",,,N.B.: in shillings"):
        assert statuses_of("Total,,6,", remark) == ["blank", "blank"]
    plan = plan_for(contacts_of("Ann,0772000001,5,", "Total,,6,", "Note: of November,,,", header=HEADER))
    assert plan.issues["code"].tolist() == ["line_of_totals", "remark"]
    assert (plan.totals["blank"], plan.totals.totals_lines, plan.totals.remarks) == (2, 1, 1)


@pytest.mark.parametrize(
    ("row", "status"),
    [
        ("Notburga Nabirye,,,", "invalid"),  # may be somebody, and so the total between people, too
        ("ask Grace what the balances are,,,", "invalid"),
        ("Legend Okello,,12,", "invalid"),
        ("Note: call,0772 000 009,,", "not_sent"),
        ("Note: call 0772 000 009,,,", "invalid"),
    ],
)
def test_anything_else_below_it_may_be_a_person(row, status):
    assert statuses_of("Total,,6,", row) == ["invalid", status]


def test_the_word_may_stand_where_the_numbers_are():
    assert statuses_of(",Total,66000,") == ["blank"]


def test_a_count_of_people_may_stand_where_the_numbers_are():
    people = ["Ann,0772000001,5,", "Bea,0772000002,5,", "Total members,2,,"]
    made = plan_for(contacts_of(*people, header=HEADER))
    assert made.contacts["status"].tolist() == ["not_sent", "not_sent", "blank"]
    assert made.issues["code"].tolist() == ["line_of_totals"]
    assert made.totals.totals_lines == 1


def test_a_figure_where_numbers_are_may_be_a_number():
    header = "name,phone,other phone,note"
    assert (
        statuses_of("Total,66000,,")
        == statuses_of("Total,,12345,", header=header, number="phone")
        == ["invalid"]
    )
    assert statuses_of("Total,,0772 000 002,") == ["invalid"]  # whatever its header


def test_parts_of_any_size_give_the_same(monkeypatch):
    rows = [*(f"Ann,07720000{n:02},5," for n in range(10, 18)), "Total,,5,", ",,,", "Grand total,,5,"]
    contacts = contacts_of(*rows, "Note: of November,,,", header=HEADER)
    whole = plan_for(contacts)
    assert (whole.totals["blank"], whole.totals.totals_lines, whole.totals.remarks) == (4, 2, 1)
    for size in (1, 2, 3, 100):
        monkeypatch.setattr("campaign.messages.draft.BLOCK", size)
        for stream in (False, True):
            plan = plan_for(contacts, stream=stream)
            assert plan.issues.equals(whole.issues)
            assert plan.totals == whole.totals
            assert (plan.totals.totals_lines, plan.totals.remarks) == (2, 1)


def test_sentences_count_lines_of_totals_apart_from_blank_rows():
    plan = plan_for(contacts_of("Ann,0772000001,5,", ",,,", "Bea,0772000002,5,", TOTALS[0], header=HEADER))
    assert plan.totals.excluded_in_words() == ["1 blank", "1 line of totals"]


@pytest.mark.parametrize("row", PEOPLE)
def test_anything_else_without_a_number_may_be_a_person(row):
    assert issue_of(row)["code"] == "missing_number"


def test_nothing_else_is_asked_of_a_line_of_totals():
    """That its date is empty would say that it is to be filled in after all."""
    plan = plan_for(contacts_of("Ann,0772000001,5,3", *TOTALS[:1], header=HEADER), "Hi {note}")
    assert plan.issues["code"].tolist() == ["line_of_totals"]
    assert plan.contacts.at[3, "why"] == "line_of_totals"


def test_somebody_called_total_with_a_number_gets_the_text():
    plan = plan_for(contacts_of("Total,0772000001,5,", header=HEADER))
    assert plan.totals.messages == 1


def test_the_bars_of_a_plan_call_it_what_the_sentence_calls_it(sandbox, tmp_path):
    plan = plan_for(contacts_of("Ann,0772000001,5,", TOTALS[0], header=HEADER))
    result = campaign.send(plan, account=sandbox, folder=tmp_path / "bills", progress=False)
    assert '<th scope="row">line of totals</th><td class="figure">1</td>' in plan._repr_html_()
    assert '<th scope="row">blank</th>' not in plan._repr_html_()
    assert rows_found(result) == {"rows_accepted": 1, "rows_repeated": 1}


def test_the_workbook_counts_it_and_its_rows_have_the_reason(sandbox, tmp_path):
    plan = plan_for(contacts_of("Ann,0772000001,5,", ",,,", "Bea,0772000002,5,", TOTALS[0], header=HEADER))
    result = campaign.send(plan, account=sandbox, folder=tmp_path / "bills", progress=False)
    book = openpyxl.load_workbook(campaign.write_report(result, tmp_path / "report.xlsx"))
    counts = {line[0]: line[1] for line in book["Summary"].iter_rows(values_only=True)}
    assert counts["repeated or blank"] == 2
    reasons = [cell.value for cell in book["Contacts"]["G"]]
    assert reasons == ["why", None, "blank_row", None, "line_of_totals"]


WITH_REMARK = ["Ann,0772000001,5,", ",,,", "Total,,5,", "Prepared by the head office,,,"]


def test_a_remark_is_told_as_one_wherever_rows_are_counted(sandbox, tmp_path):
    plan = plan_for(contacts_of(*WITH_REMARK, header=HEADER))
    assert plan.totals.excluded_in_words() == ["1 blank", "1 line of totals", "1 remark"]
    campaign.send(plan, account=sandbox, folder=tmp_path / "bills", progress=False)
    result = campaign.load_result(tmp_path / "bills")
    assert rows_found(result)["rows_repeated"] == 3
    assert (result.totals.totals_lines, result.totals.remarks) == (1, 1)
    assert '<th scope="row">remark</th><td class="figure">1</td>' in plan._repr_html_()
    book = openpyxl.load_workbook(campaign.write_report(result, tmp_path / "report.xlsx"))
    reasons = [cell.value for cell in book["Contacts"]["G"]][1:]
    assert reasons == [None, "blank_row", "line_of_totals", "remark"]


def test_a_second_round_counts_it_as_the_first(sandbox, tmp_path):
    folder, today = tmp_path / "bills", [*WITH_REMARK[:1], "Bea,0772000002,5,", *WITH_REMARK[1:]]
    campaign.send(plan_for(contacts_of(*WITH_REMARK, header=HEADER)), account=sandbox, folder=folder)
    campaign.send(plan_for(contacts_of(*today, header=HEADER)), account=sandbox, folder=folder)
    totals = campaign.load_result(folder).totals
    assert (totals["accepted"], totals.empty, totals.totals_lines, totals.remarks) == (2, 1, 1, 1)


def test_the_preview_and_the_result_say_so(sandbox, tmp_path):
    plan = plan_for(contacts_of("Ann,0772000001,5,", TOTALS[0], header=HEADER))
    assert "line of totals" in str(plan.preview(3))
    result = campaign.send(plan, account=sandbox, folder=tmp_path / "bills", progress=False)
    assert result.contacts.at[3, "status"] == "blank"
    assert result.contacts.at[3, "why"] == "line_of_totals"


def test_nobody_is_asked_to_correct_it(sandbox, tmp_path):
    plan = plan_for(contacts_of("Ann,0772000001,5,", TOTALS[0], header=HEADER))
    result = campaign.send(plan, account=sandbox, folder=tmp_path / "bills", progress=False)
    totals = campaign.load_result(tmp_path / "bills").totals
    assert (totals.people, totals.attention, totals.totals_lines) == (1, 0, 1)
    assert result.follow_up().empty
    assert rows_found(result) == {"rows_accepted": 1, "rows_repeated": 1}


@pytest.fixture
def of_an_older_version(monkeypatch):
    """A version for which a line of totals was a row to correct."""
    with monkeypatch.context() as older:
        older.setattr("campaign.messages.preparation.closing_totals", lambda *_: ())
        yield older


BILLS = ["Ann,0772000001,5,", "Bea,077,5,", "Total,,10,"]


def test_a_row_to_correct_of_an_older_version_is_one_until_the_table_is_sent(
    of_an_older_version, sandbox, tmp_path
):
    folder, file = tmp_path / "bills", tmp_path / "follow_up.csv"
    before = campaign.send(
        plan_for(contacts_of(*BILLS, header=HEADER)), account=sandbox, folder=folder, name="bills"
    )
    campaign.write_follow_up(before, file)
    of_an_older_version.undo()
    file.write_text(re.sub(r"(?m)^(\W*Bea\W+)077\b", r"\g<1>0772000002", file.read_text()))
    today = contacts_of(BILLS[0], "Bea,0772000002,5,", BILLS[2], header=HEADER)
    for contacts, last in ((campaign.read_contacts(file), "invalid"), (today, "blank")):
        after = campaign.send(plan_for(contacts), account=sandbox, folder=folder)
        assert after.contacts["status"].tolist() == ["accepted", "accepted", last]
        assert after.contacts["why"].tolist()[2] == "line_of_totals"


def test_a_total_that_has_changed_since_is_no_correction(of_an_older_version, sandbox, tmp_path):
    """Its figure changes with the rows above it, so nobody is told that it was changed."""
    folder, file = tmp_path / "bills", tmp_path / "follow_up.csv"
    before = campaign.send(
        plan_for(contacts_of(*BILLS, header=HEADER)), account=sandbox, folder=folder, name="bills"
    )
    campaign.write_follow_up(before, file)
    of_an_older_version.undo()
    today = contacts_of("Ann,0772000001,7,", "Bea,077,5,", "Total,,12,", header=HEADER)
    campaign.send(plan_for(today), account=sandbox, folder=folder)
    file.write_text(re.sub(r"(?m)^(\W*Bea\W+)077\b", r"\g<1>0772000002", file.read_text()))
    difference = campaign.compare(
        plan_for(campaign.read_contacts(file)), account=sandbox.account, folder=folder
    )
    assert difference.new == 1
