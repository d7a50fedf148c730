"""No cell that is written begins a formula."""

import csv
import re
import zipfile

import openpyxl
import pytest
from support.fixed_answers import failing_with
from support.small_campaigns import contacts_of, plan_for

import campaign

FORMULAS = ["=1+1", "=HYPERLINK(1)", "=cmd|' /C calc'!A0", "+1 a", "-1 a", "@SUM(1)", "\t=1", "\r=1", "＝1"]


def result_with_formulas():
    rows = [f'"{cell}","{cell}",0772 000 {n:03}' for n, cell in enumerate(FORMULAS)]
    contacts = contacts_of(*rows, header='=1+1,"@note",phone')
    plan = plan_for(contacts, message="Hi {note}")

    def act(account):
        return campaign.send(plan, account=account, folder="visits", progress=False)

    return failing_with("=cmd|' /C calc'!A0", act)


@pytest.mark.parametrize("reveal", [False, True])
def test_no_cell_of_a_workbook_is_a_formula_or_a_link(reveal):
    path = campaign.write_report(result_with_formulas(), "report.xlsx", reveal=reveal)
    book = openpyxl.load_workbook(path)
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    texts = [cell.value for cell in cells if cell.data_type == "s"]
    assert sum(str(text).startswith("=cmd") for text in texts) >= 2  # text, as it was
    assert not [cell.value for cell in cells if cell.data_type == "f" or cell.hyperlink]
    with zipfile.ZipFile(path) as parts:
        sheets = [parts.read(name) for name in parts.namelist() if name.startswith("xl/worksheets/sheet")]
        assert not [name for name in parts.namelist() if "externalLink" in name or "macro" in name.lower()]
    assert not [xml for xml in sheets if re.search(rb"<f[ >/]|<hyperlink", xml)]


def test_no_cell_of_a_csv_begins_a_formula():
    path = campaign.write_report(result_with_formulas(), "report.csv", reveal=True)
    with path.open(encoding="utf-8-sig", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not [cell for cell in cells if re.match(r"[\s\u3000]*[=+\-@＝＋－＠]", cell)]
    assert "'=cmd|' /C calc'!A0" in cells
    assert "0772 000 001" in cells  # digits are left alone
