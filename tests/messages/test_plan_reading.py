"""What the reader found about single cells stands among the plan's issues."""

import openpyxl

import campaign


def test_a_merged_cell_and_a_formula_that_was_never_calculated_are_issues(tmp_path):
    workbook = openpyxl.Workbook()
    for line in (["name", "phone", "amount"], ["Aisha", "0772000001", "=1+1"], ["Ben", "0772000002", "5"]):
        workbook.active.append(line)
    workbook.active.append(["", "0772000003", "7"])
    workbook.active.merge_cells("A3:A4")
    workbook.save(tmp_path / "visits.xlsx")
    plan = campaign.prepare(
        tmp_path / "visits.xlsx", message="{name}: {amount}", sender="CLINIC", region="UG"
    )
    found = plan.issues.dropna(subset=["row"])[["row", "column", "code", "severity"]]
    assert found.to_numpy().tolist() == [
        [2, "amount", "formula_without_value", "warning"],
        [2, "amount", "missing_value", "error"],
        [4, "name", "merged_cell", "info"],
    ]
    assert plan.messages["message"].tolist() == ["Ben: 5", "Ben: 7"]
