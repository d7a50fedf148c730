"""The notebooks as papermill drives them: from a fresh kernel, with other parameters than their own."""

import re
from pathlib import Path

import nbformat
import papermill
import pytest

PROJECT = Path(__file__).parents[2]
NOTEBOOKS = sorted((PROJECT / "notebooks").glob("[0-9]*.ipynb"))


def driven(name, tmp_path, **parameters):
    """What the cells of a notebook show, as text, one below the other, when it runs with these parameters."""
    out = tmp_path / "out.ipynb"
    papermill.execute_notebook(
        PROJECT / "notebooks" / f"{name}.ipynb", out, parameters, cwd=PROJECT, progress_bar=False,
        execution_timeout=60,
    )  # fmt: skip
    notebook = nbformat.read(out, as_version=4)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert {output.output_type for output in outputs} <= {"execute_result", "display_data"}
    texts = (output.data.get("text/html", output.data.get("text/plain", "")) for output in outputs)
    return re.sub(r"\s+", " ", "\n".join(re.sub("<[^>]+>", " ", text) for text in texts))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_each_notebook_has_one_cell_of_parameters_and_says_what_each_is(path):
    cells = nbformat.read(path, as_version=4).cells
    (parameters,) = [cell for cell in cells if "parameters" in cell.metadata.get("tags", [])]
    assert all(re.fullmatch(r"\w+ = .+  # .+", line) for line in parameters.source.splitlines())


def test_a_messy_export_read_with_the_month_first(tmp_path):
    shown = driven("02_clean_a_messy_export", tmp_path, dates="mdy", missing=["-"])
    assert '2 cells with "-", "?"' not in shown
    assert '1 cell with "-" counts as empty: missing= says so.' in shown
    assert '"visit/date" has dates such as 05/02/2026' in shown
    assert "Hi Amina, please bring your child to Mulago on Saturday 2 May." in shown
    assert "5 messages ready to send (5 SMS parts) from 11 rows." in shown
    assert "Esther 0772000005 not_sent" in shown


def test_an_interrupted_campaign_of_another_size(tmp_path):
    shown = driven("04_interrupted_and_unknown", tmp_path, people=25, batch_size=5, lost_request=3)
    assert "Stopped by hand. Resume the campaign to send the rest." in shown
    assert re.search(
        r"6 of 25 rows were accepted by the embedded sandbox; the rest: 14 not sent, 5 unknown", shown
    )
    assert "accepted 20 unknown 5" in shown
    assert "1 batch is unknown: 1 is in the list with all of its messages." in shown
    assert shown.count("All 25 rows were accepted by the embedded sandbox.") == 3
    assert shown.count("messages per person 1 25") == 2


def test_a_report_of_a_campaign_with_less_money(tmp_path):
    shown = driven("05_report_and_follow_up", tmp_path, balance=3_000, by="First name")
    assert "81 of 299 rows were accepted by the embedded sandbox" in shown
    assert "Money Not Enough To Send This Batch of Msgs" in shown
    assert "rows people accepted refused not_sent invalid parts cost_share First name" in shown
    assert "['report.csv', 'report.html', 'report.xlsx']" in shown
    assert "276 of 299 rows were accepted by the embedded sandbox" in shown
    assert "279 of 299 rows were accepted by the embedded sandbox" in shown


def test_going_live_stops_before_the_cell_that_sends(tmp_path, state_directory):
    """The budget is too small, and the rehearsal says so. No live campaign has begun: no list names one."""
    shown = driven("06_going_live", tmp_path, price=50, budget=5_000)
    assert "276 278 13900" in shown
    assert "The next batch would exceed the budget" in shown
    assert "This sends 276 messages (" in shown
    assert "people on real phones (LIVE, sms.example.com)" in shown
    first, second = re.findall(r"send 276 messages live (\w+)", shown)
    assert first != second
    assert "made-up" not in shown
    assert not state_directory.exists()
