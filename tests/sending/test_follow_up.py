"""A follow-up file is a part of its campaign: corrected and sent, it reaches those who had nothing, once."""

import csv
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from support.live_service import LiveService, start_live
from support.refusals import facts_of, refused

import campaign
from campaign.contacts.table_version import row_marks

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
    assert send(plan_of(path), sandbox).ending.code == "nothing_left"
    write_visits()  # the whole table, corrected in the same cells
    assert send(plan_of(), sandbox).ending.code == "nothing_left"
    assert len(sandbox.inbox) == 20


def test_the_own_spreadsheet_sent_again_without_the_corrections_says_what_it_says(sent):
    """Its rows are invalid, nobody gets anything twice, and what the file sent is not in this table."""
    sandbox, path = sent
    correct(path, ["0772 000 003", "0772 000 008"])
    corrected = send(plan_of(path), sandbox)
    again = send(plan_of(), sandbox)
    for result in (again, campaign.load_result(again.folder)):
        assert (result.totals["accepted"], result.totals["invalid"]) == (17, 3)
        assert result.follow_up().index.tolist() == [5, 10, 17]
        assert result.not_in_table["number"].tolist() == ["256772000003", "256772000008"]
    assert len(sandbox.inbox) == 19
    compared = campaign.compare(plan_of(), account=sandbox.account)
    assert (compared.gone, compared.new) == (2, 0)
    assert corrected.totals["accepted"] == 19
    correct(path, ["0772 000 015"])  # the file is of the table without corrections, and so it fits again
    assert send(plan_of(path), sandbox).totals["accepted"] == 20
    assert sandbox.inbox["number"].is_unique


def test_a_row_without_a_message_has_the_batch_that_reached_its_number(desk):
    """Three children, one phone: the text for one of them says nothing about the others."""
    rows = "".join(
        f"{name},0772 000 001,{visit}\n" for name, visit in zip("ABC", ("24/12/2026", "", ""), strict=False)
    )
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
    assert again.contacts["batch"].tolist() == [1, 1, 1]


def test_who_was_refused_and_reached_under_a_corrected_number_goes_out_from_the_own_spreadsheet(desk):
    """One of the refused people has another number in the follow-up file: what was refused is sent again."""
    write_visits(people=6)
    with campaign.Sandbox(faults={2: "Invalid sender ID"}) as sandbox:
        path = campaign.write_follow_up(send(plan_of(), sandbox), "correct.csv")
        path.write_text(path.read_text("utf-8-sig").replace("0772 000 003", "0772 000 033"), "utf-8")
        assert send(plan_of(path), sandbox).totals["accepted"] == 6
        compared = campaign.compare(plan_of(), account=sandbox.account)
        assert (compared.counts["refused"], compared.counts["other_number"], compared.gone) == (1, 0, 1)
        assert send(plan_of(), sandbox).totals["accepted"] == 6
        assert sandbox.inbox["number"].tolist()[6:] == ["256772000003"]


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


def test_of_two_equal_rows_one_that_was_changed_and_sent_since_stops_the_file(desk):
    """It is no second correction of the other one."""
    Path("visits.csv").write_text("name,phone\nAda,0772 000 001\nDan,call him\nDan,call him\n")
    with campaign.Sandbox() as sandbox:
        path = campaign.write_follow_up(send(plan_of(), sandbox), "correct.csv")
        for line in ("Dan,0772 000 003", "Dan,call her"):
            Path("visits.csv").write_text(f"name,phone\nAda,0772 000 001\nDan,call him\n{line}\n")
            send(plan_of(), sandbox)
        text = Path(path).read_text("utf-8-sig").replace("call him", "0772 000 004", 1)
        Path(path).write_text(text.replace("call him", "0772 000 005"), "utf-8")
        with refused("rows_not_found", campaign.FolderError):
            send(plan_of(path), sandbox)
        assert sorted(sandbox.inbox["number"]) == ["256772000001", "256772000003"]


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
        assert facts_of(difference.findings)["beside_file"] == {"people": 14}
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


def test_without_its_campaign_it_is_refused(sent, tmp_path, monkeypatch):
    sandbox, path = sent
    path = path.resolve()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    for options in ({}, {"folder": "other"}):
        with refused("campaign_not_here", campaign.FolderError, campaign="visits"):
            send(plan_of(path), sandbox, **options)
    assert not list(Path().iterdir())
    assert send(plan_of(path), sandbox, folder=tmp_path / "campaigns" / "visits.local").totals.rows == 20


def test_under_another_name_it_is_said_whose_rows_these_are(sent):
    sandbox, path = sent
    correct(path, ["0772 000 003"])
    run = campaign.start(plan_of(path), account=sandbox, name="others", progress=False)
    run.wait(20)
    assert facts_of(run.comparison) == {"corrections_renamed": {"campaign": "visits"}}


@pytest.mark.parametrize("ending", ["csv", "xlsx", "ods"])
def test_the_marks_of_the_rows_come_back_in_every_format(sent, ending):
    path = campaign.write_follow_up(campaign.load_result("campaigns/visits.local"), f"again.{ending}")
    continues = campaign.read_contacts(path).attrs["reading"].continues
    assert [*continues.rows.values()] == [5, 10, 17]
    assert [*continues.marks.values()] == row_marks(campaign.read_contacts("visits.csv"))[
        [5, 10, 17]
    ].tolist()


@pytest.mark.parametrize(
    ("ending", "stream"), [(".csv", None), (".csv", True), (".xlsx", None), (".ods", None)]
)
def test_a_file_of_the_rehearsal_goes_live_after_the_own_spreadsheet_was_sorted(
    desk, sandbox, resolves_here, monkeypatch, ending, stream
):
    write_visits(wrong=(3,), people=5)
    path = campaign.write_follow_up(send(plan_of(), sandbox), f"correct{ending}")
    with_cell(path, "call her", "0772 000 003")
    header, *rows = Path("visits.csv").read_text().splitlines()
    Path("visits.csv").write_text("\n".join([header, *rows[::-1]]) + "\n")
    with start_live(resolves_here, monkeypatch) as service:
        for source in ("visits.csv", path):
            plan = plan_of(source, stream=stream)
            with pytest.raises(campaign.ConfirmationError) as asked:
                send(plan, LiveService(service))
            result = send(plan, LiveService(service), confirm=asked.value.phrase)
        assert service.inbox["number"].is_unique
    assert result.contacts["name"].tolist() == [f"Person {n}" for n in (4, 3, 2, 1, 0)]
    assert (result.environment, result.totals["accepted"]) == ("live", 5)


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
    "Dates in 'visit' are read {} first, as in the campaign \"visits\". If that is wrong, read the file with "
    "dates='{}'."
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
        "Dates in 'visit' are read month first, unlike the campaign \"visits\". If that is wrong, "
        "read the file with dates='dmy'."
    ]


def test_a_corrected_date_in_another_order_is_an_issue(desk, sandbox):
    path = with_cell(file_to_correct(sandbox, DECEMBER), "01/12/2026", "12/25/2026")
    assert dated_plan(path).issues["code"].tolist() == ["rows_continue", "unreadable_value"]


def test_the_file_of_the_file_keeps_the_order_and_says_nothing_against_the_spreadsheet(desk, sandbox):
    path = with_cell(file_to_correct(sandbox, DECEMBER), "0772 000 000", "0414 000 027")
    campaign.send(dated_plan(path), account=sandbox, progress=False)
    result = campaign.load_result("campaigns/visits.local")
    assert result.contacts["why"].tolist().count("fixed") == 1
    written = campaign.write_follow_up(result, "again.csv")
    assert "kinds=" not in pd.read_csv(written)["last reason"][0]  # for whoever corrects cells
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


@pytest.mark.parametrize("left_out", [{"opt_outs": ["0772 000 001"]}, {"not_again": ["0772 000 001"]}])
def test_who_is_left_out_with_the_file_is_left_out_on_a_shared_phone_too(desk, left_out):
    """Nobody has any text, as nothing could be paid for: no row of the phone may take another's place."""
    rows = "Ada,0772 000 001,A\nEve,0772 000 001,B\nBen,0772 000 002,A\nDan,call him,A\n"
    Path("visits.csv").write_text(f"name,phone,ward\n{rows}")
    with campaign.Sandbox(balance=0) as sandbox:
        path = campaign.write_follow_up(send(plan_of(), sandbox, canary=False), "correct.csv")
        Path(path).write_text(Path(path).read_text("utf-8-sig").replace("call him", "0772 000 003"), "utf-8")
        sandbox.top_up(1000)
        result = send(plan_of(path, **left_out), sandbox, canary=False)
        assert sorted(sandbox.inbox["number"]) == ["256772000002", "256772000003"]
    codes = result.contacts["why"].tolist()
    assert codes == [codes[0], codes[0], "", ""]
    assert codes[0] in ("opted_out", "other_campaign")


def test_a_mark_in_the_file_holds_for_every_row_of_the_campaign_with_that_number(desk):
    Path("visits.csv").write_text("name,phone\nAda,0772 000 001\nBen,0772 000 002\nDan,call him\n")
    with campaign.Sandbox(balance=0) as sandbox:
        path = campaign.write_follow_up(send(plan_of(), sandbox, canary=False), "correct.csv")
        Path(path).write_text(Path(path).read_text("utf-8-sig").replace("call him", "0772 000 001"), "utf-8")
        contacts = campaign.read_contacts(path)
        plan = campaign.prepare(
            contacts, message=TEXT, sender="CLINIC", region="UG", opt_outs=contacts["name"] == "Dan"
        )
        sandbox.top_up(1000)
        result = send(plan, sandbox, canary=False)
        assert sandbox.inbox["number"].tolist() == ["256772000002"]
    assert result.contacts["why"].tolist() == ["opted_out", "", "opted_out"]
