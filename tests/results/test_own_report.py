"""A report takes the place of a report, and never that of somebody's spreadsheet."""

import pandas as pd
import pytest
from support.refusals import refused
from support.small_campaigns import contacts_of, plan_for

import campaign
from campaign.cli.check_command import write_issues
from campaign.errors import ReportError

WRITERS = {
    "report": campaign.write_report,
    "issues": lambda result, path: write_issues(result.plan, path),
    "history": lambda result, path: campaign.write_report(campaign.history(result.folder.parent), path),
    "follow_up": campaign.write_follow_up,
}
ENDINGS = {
    "report": (".html", ".xlsx", ".csv"),
    "issues": (".html", ".xlsx", ".csv"),
    "history": (".html", ".xlsx", ".csv"),
    "follow_up": (".xlsx", ".ods", ".csv"),
}
KINDS = [(kind, ending) for kind, endings in ENDINGS.items() for ending in endings]


def test_a_page_that_is_chosen_as_the_spreadsheet_is_said_to_be_a_report(result, tmp_path):
    path = campaign.write_report(result, tmp_path / "report.html")
    with refused("own_report", campaign.FileError, kind="a report"):
        campaign.read_contacts(path)


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    folder = tmp_path_factory.mktemp("campaigns") / "visits.local"
    plan = plan_for(contacts_of("Aisha,0772 000 001", "Ben,12"))
    with campaign.Sandbox() as sandbox:
        return campaign.send(plan, account=sandbox.account, folder=folder, name="visits", progress=False)


def save_people(path):
    people = pd.DataFrame({"name": ["Aisha"], "phone": ["0772 000 001"], "status": ["active"], "code": ["7"]})
    if path.suffix == ".html":
        people.to_html(path)
    elif path.suffix == ".csv":
        people.to_csv(path, index=False, encoding="utf-8-sig", quoting=1)
    elif path.suffix == ".ods":
        path.write_bytes(b"PK somebody's sheet")
    else:
        people.to_excel(path, index=False)


@pytest.mark.parametrize(("kind", "ending"), KINDS)
def test_no_file_of_somebody_else_is_replaced(result, tmp_path, kind, ending):
    path = tmp_path / f"people{ending}"
    save_people(path)
    before = path.read_bytes()
    with refused("file_in_the_way", ReportError, file=f"people{ending}"):
        WRITERS[kind](result, path)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("ending", [".html", ".xlsx", ".ods", ".csv"])
def test_files_of_our_own_make_way_for_each_other(result, tmp_path, ending):
    path = tmp_path / f"written{ending}"
    path.touch()
    kinds = [kind for kind, endings in ENDINGS.items() if ending in endings]
    for kind in [*kinds, kinds[-1]]:
        WRITERS[kind](result, path)
    for kind in kinds[:-1] if "follow_up" in kinds else []:
        with refused("file_in_the_way", ReportError):  # somebody may have typed into it
            WRITERS[kind](result, path)


def test_a_follow_up_file_of_nobody_makes_way(sandbox, tmp_path):
    plan = plan_for(contacts_of("Aisha,0772 000 001"))
    folder = tmp_path / "visits.local"
    result = campaign.send(plan, account=sandbox.account, folder=folder, name="visits", progress=False)
    for _ in range(2):
        campaign.write_follow_up(result, tmp_path / "to_correct.csv")
    assert campaign.read_contacts(tmp_path / "to_correct.csv").empty


@pytest.mark.parametrize("kind", ["report", "issues", "history"])
@pytest.mark.parametrize("ending", [".xlsx", ".csv"])
def test_who_reads_a_report_as_a_spreadsheet_is_told_so_first(result, tmp_path, kind, ending):
    path = WRITERS[kind](result, tmp_path / f"written{ending}") or tmp_path / f"written{ending}"
    first = campaign.read_contacts(path).attrs["reading"].notices[0]
    assert first.code == "own_report"


def test_every_sheet_of_a_report_is_told_from_a_spreadsheet(result, tmp_path):
    path = campaign.write_report(result, tmp_path / "report.xlsx")
    for sheet in ("Summary", "Contacts", "Follow-up"):
        reading = campaign.read_contacts(path, sheet=sheet).attrs["reading"]
        assert reading.notices[0].code == "own_report"


@pytest.mark.parametrize("ending", [".xlsx", ".csv"])
def test_a_spreadsheet_with_such_columns_of_its_own_is_no_report(tmp_path, ending):
    save_people(tmp_path / f"people{ending}")
    assert not campaign.read_contacts(tmp_path / f"people{ending}").attrs["reading"].notices
