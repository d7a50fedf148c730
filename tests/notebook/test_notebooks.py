"""The notebooks as papermill drives them: from a fresh kernel, with other parameters than their own."""

import ast
import re
import shutil
from pathlib import Path

import nbformat
import papermill
import pytest
from nbclient import NotebookClient

import campaign

PROJECT = Path(__file__).parents[2]
NOTEBOOKS = sorted((PROJECT / "notebooks").glob("[0-9]*.ipynb"))


def driven(name, tmp_path, cwd=PROJECT, **parameters):
    """What the cells of a notebook show, as text, one below the other, when all of them run with these
    parameters and then run again in the same kernel. What is returned is of the second time.
    """
    notebook = nbformat.read(PROJECT / "notebooks" / f"{name}.ipynb", as_version=4)
    first = len(notebook.cells) + 1  # papermill adds a cell
    again = [cell for cell in notebook.cells if "parameters" not in cell.metadata.get("tags", [])]
    notebook.cells += [nbformat.from_dict({**cell, "id": f"{cell.id}-again"}) for cell in again]
    nbformat.write(notebook, tmp_path / "in.ipynb")
    papermill.execute_notebook(
        tmp_path / "in.ipynb", tmp_path / "out.ipynb", parameters, cwd=cwd, progress_bar=False,
        execution_timeout=60,
    )  # fmt: skip
    cells = nbformat.read(tmp_path / "out.ipynb", as_version=4).cells
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    assert {output.output_type for output in outputs} <= {"execute_result", "display_data"}
    return as_text(cells[first:])


def as_text(cells):
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    texts = (output.data.get("text/html", output.data.get("text/plain", "")) for output in outputs)
    return re.sub(r"\s+", " ", "\n".join(re.sub("<[^>]+>", " ", text) for text in texts))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_each_notebook_has_one_cell_of_parameters_and_says_what_each_is(path):
    cells = nbformat.read(path, as_version=4).cells
    (parameters,) = [cell for cell in cells if "parameters" in cell.metadata.get("tags", [])]
    lines = parameters.source.splitlines()
    statements = ast.parse(parameters.source).body
    assert all(isinstance(statement, ast.Assign) for statement in statements)
    assert all(re.fullmatch(r".+  # .+", lines[statement.end_lineno - 1]) for statement in statements)


PUPILS = """\
Pupil;Class;Mobile of a parent;status
Ada;P1;07700 900001;new
Ben;P2;07700 900002;
;;;
Chloë;P2;ask her aunt;
Dan;P1;07700 900001;new
"""


def test_the_first_campaign_with_a_spreadsheet_of_your_own(tmp_path):
    """From the project's folder, with other columns than the sample's. The second time, nothing leaves."""
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "pupils.csv").write_text(PUPILS, encoding="utf-8")
    shown = driven(
        "01_first_campaign", tmp_path, cwd=tmp_path, file="pupils.csv", sender="SCHOOL", region="GB",
        number="Mobile of a parent", message="Class {class} of {pupil} stays at home today.", rate=500,
    )  # fmt: skip
    assert "2 messages ready to send (2 SMS parts) from 5 rows." in shown
    assert "SCHOOL Class P1 of Ada stays at home today." in shown
    assert "Nothing left to send: the table has 2 messages" in shown
    assert "2 of 5 rows were accepted by the embedded sandbox" in shown
    assert "status accepted 2 blank 1 invalid 1 duplicate 1" in shown
    assert "5 Chloë P2 ask her aunt" in shown
    kept = campaign.load_result(tmp_path / "campaigns" / "pupils.local")
    assert kept.totals["accepted"] == 2
    assert {"report.html", "report.xlsx"} <= {path.name for path in kept.folder.iterdir()}


def test_a_messy_export_read_with_the_month_first(tmp_path):
    shown = driven("02_clean_a_messy_export", tmp_path, dates="mdy", missing=["-"])
    assert '"-", "?"' not in shown
    assert '2 cells with "-", "n/a" count as empty.' in shown
    assert '"visit/date" has dates such as 05/02/2026' in shown
    assert "Hi Amina, please bring your child to Mulago on Saturday 2 May." in shown
    assert "5 messages ready to send (5 SMS parts) from 11 rows." in shown
    assert "Esther 0772000005 not_sent" in shown


def test_an_interrupted_campaign_of_another_size(tmp_path):
    shown = driven(
        "04_interrupted_and_unknown", tmp_path, people=25, batch_size=5, lost_request=3, place=str(tmp_path)
    )
    assert "Stopped by hand. Resume the campaign to send the rest." in shown
    assert re.search(
        r"6 of 25 rows were accepted by the embedded sandbox; the rest: 14 not sent, 5 unknown", shown
    )
    assert "accepted 20 unknown 5" in shown
    assert "Batch 3 (5 messages), unknown: the list has all messages." in shown
    assert shown.count("All 25 rows were accepted by the embedded sandbox.") == 3
    assert shown.count("messages per person 1 25") == 2


def test_an_interrupted_campaign_goes_on_after_a_restart_of_the_kernel(tmp_path):
    """As its prose says: the two cells at the top, and on from the cell that loads the result."""
    shutil.copy(PROJECT / "notebooks" / "04_interrupted_and_unknown.ipynb", tmp_path)
    notebook = nbformat.read(tmp_path / "04_interrupted_and_unknown.ipynb", as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    loads = next(i for i, cell in enumerate(code) if "load_result" in cell.source)
    counts = next(i for i, cell in enumerate(code) if cell.source.startswith("messages_per_person"))
    for cells in (code[:loads], code[:2] + code[loads : counts + 1]):
        part = nbformat.v4.new_notebook(cells=cells)
        resources = {"metadata": {"path": str(tmp_path)}}
        NotebookClient(part, timeout=60, kernel_name="python3", resources=resources).execute()
    assert re.search(r"accepted 21 .*All 60 rows were accepted .* messages per person 1 39", as_text(cells))


def test_an_interrupted_campaign_says_which_sizes_it_needs(tmp_path):
    with pytest.raises(papermill.PapermillExecutionError, match="people has to be from 40 to 1,000"):
        driven("04_interrupted_and_unknown", tmp_path, people=20, place=str(tmp_path))


def test_a_report_of_a_campaign_with_less_money(tmp_path):
    shown = driven("05_report_and_follow_up", tmp_path, balance=3_000, by="First name")
    assert "81 of 299 rows were accepted by the embedded sandbox" in shown
    assert "Money Not Enough To Send This Batch of Msgs" in shown
    assert (
        "rows accepted refused not_sent invalid duplicate blank people parts cost_share First name" in shown
    )
    assert "['report.csv', 'report.html', 'report.xlsx']" in shown
    assert "275 of 299 rows were accepted by the embedded sandbox" in shown
    assert "278 of 299 rows were accepted by the embedded sandbox" in shown


def test_going_live_stops_before_the_cell_that_sends(tmp_path, state_directory):
    """The budget is too small, and the rehearsal says so. No live campaign has begun: no list names one."""
    shown = driven("06_going_live", tmp_path, price=50, budget=5_000)
    assert "275 277 13850" in shown
    assert "The next batch would exceed the budget" in shown
    assert "This sends 275 messages (" in shown
    assert "people on real phones (LIVE, sms.example.com)" in shown
    first, second = re.findall(r"'To send it, give confirm=\"send 275 messages live (\w+)", shown)
    assert first != second
    assert "256772000999 Hi Noëlla, we expect you" in shown  # an accent, on your own phone
    assert "made-up" not in shown
    assert not (state_directory / "campaigns").exists()  # nothing is listed
