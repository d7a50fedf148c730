"""The workbook in LibreOffice, as a person opens and prints it; the command is in docs/proofs.md."""

import re
import shutil
import subprocess

import openpyxl
import pytest
from support.small_campaigns import contacts_of, plan_for

import campaign

pytestmark = pytest.mark.long

SHEETS = 7


@pytest.fixture(scope="module")
def workbook(tmp_path_factory):
    """A report of 90 rows, one in ten without a number, by clinic."""
    folder = tmp_path_factory.mktemp("office")
    rows = [f"Person {n},{'' if n % 10 == 9 else f'0772000{n:03}'},Clinic {n % 4}" for n in range(90)]
    plan = plan_for(contacts_of(*rows, header="name,phone,Clinic"))
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("CAMPAIGN_STATE_DIR", str(folder / "state"))
        result = campaign.send(plan, folder=folder / "visits", batch_size=10, progress=False)
    return campaign.write_report(result, folder / "report.xlsx", by="Clinic")


def converted(path, ending):
    office = shutil.which("soffice") or pytest.fail("Install LibreOffice: apt-get install libreoffice-calc")
    home = path.parent / "office"
    command = [office, f"-env:UserInstallation={home.as_uri()}", "--headless", "--convert-to", ending]
    subprocess.run(
        [*command, "--outdir", path.parent / ending, path], check=True, capture_output=True, timeout=110
    )
    return path.parent / ending / f"report.{ending}"


def test_it_prints_one_page_wide(workbook):
    """The summary with its chart on one page, every other sheet on as many as its rows need."""
    printed = converted(workbook, "pdf").read_bytes()
    assert SHEETS <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= SHEETS + 4


def test_nothing_changes_when_it_is_opened_and_saved(workbook):
    before = openpyxl.load_workbook(workbook)
    after = openpyxl.load_workbook(converted(workbook, "xlsx"))
    assert after.sheetnames == before.sheetnames
    for name in before.sheetnames:
        written = [[cell or None for cell in row] for row in before[name].iter_rows(values_only=True)]
        saved = [[cell or None for cell in row] for row in after[name].iter_rows(values_only=True)]
        assert [row[: len(written[0])] for row in saved[: len(written)]] == written
    assert {cell.data_type for sheet in after for row in sheet.iter_rows() for cell in row} <= {"s", "n", "d"}
