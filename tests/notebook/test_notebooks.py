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


def code_of(path):
    """The syntax trees of its cells, and their text."""
    cells = [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    return [ast.parse(cell) for cell in cells], "\n".join(cells)


def test_no_helper_is_copied_between_notebooks():
    helpers = [
        ast.dump(node)
        for path in NOTEBOOKS
        for tree in code_of(path)[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    ]
    assert len(helpers) == len(set(helpers))


@pytest.mark.parametrize(
    "shown", ["campaign.browse(", "error.phrase", "language=", "not_again=", "overlong=", ".style"]
)
def test_what_a_user_should_see_once_is_in_a_notebook(shown):
    assert any(shown in code_of(path)[1] for path in NOTEBOOKS)


PUPILS = """\
Pupil;Class;Mobile of a parent;status
Ada;P1;07700 900001;new
Ben;P2;07700 900002;
;;;
Chloë;P2;ask her aunt;
Dan;P1;07700 900001;new
"""


def test_the_first_campaign_with_a_spreadsheet_of_your_own(tmp_path):
    """With other columns than the sample's. The second time, nothing leaves."""
    (tmp_path / "pupils.csv").write_text(PUPILS, encoding="utf-8")
    shown = driven(
        "01_first_campaign", tmp_path, cwd=tmp_path, file="pupils.csv", sender="SCHOOL", region="GB",
        number="Mobile of a parent", message="Class {class} of {pupil} stays at home today.", rate=500,
    )  # fmt: skip
    assert "2 messages (2 SMS parts) from 5 rows." in shown
    assert "SCHOOL Class P1 of Ada stays at home today." in shown
    assert "Nothing was left to send: 2 messages accepted on " in shown
    assert "accepted, cost 70 (made up) 1 to correct." in shown
    assert "status accepted 2 blank 1 invalid 1 duplicate 1" in shown
    assert "5 Chloë P2 ask her aunt" in shown
    kept = campaign.load_result(tmp_path / "campaigns" / "pupils.local")
    assert kept.totals["accepted"] == 2
    assert {"report.html", "report.xlsx"} <= {path.name for path in kept.folder.iterdir()}


def test_a_messy_export_read_with_the_month_first(tmp_path):
    shown = driven("02_clean_a_messy_export", tmp_path, dates="mdy", missing=["-"])
    assert "'-' and '?'" not in shown
    assert "2 cells with '-' and 'n/a' count as empty." in shown
    assert "'visit/date' such as 05/02/2026 can be read in several ways" in shown
    assert "Hi Amina, please bring your child to Mulago on Saturday 2 May." in shown
    assert "5 messages (5 SMS parts) from 11 rows." in shown
    assert "Esther 0772000005 not_sent" in shown


def test_an_interrupted_campaign_of_another_size(tmp_path):
    shown = driven(
        "04_interrupted_and_unknown", tmp_path, people=25, batch_size=5, lost_request=3, place=str(tmp_path)
    )
    assert "Stopped by hand. Resume the campaign to send the 14 messages left." in shown
    assert re.search(r"accepted for 6 of 25 people .* 5 unknown.* 14 not sent", shown)
    assert "accepted 20 unknown 5" in shown
    assert "Batch 3 (5 messages): the list has all." in shown
    assert shown.count("accepted for 25 of 25 people.") == 3
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
    assert re.search(r"accepted 21 .*accepted for 60 of 60 people.* messages per person 1 39", as_text(cells))


def test_an_interrupted_campaign_says_which_sizes_it_needs(tmp_path):
    with pytest.raises(papermill.PapermillExecutionError, match="people has to be from 40 to 1,000"):
        driven("04_interrupted_and_unknown", tmp_path, people=20, place=str(tmp_path))


def test_a_report_of_a_campaign_with_less_money(tmp_path):
    shown = driven("05_report_and_follow_up", tmp_path, balance=3_000, by="First name")
    assert "accepted for 81 of 294 people" in shown
    assert "Money Not Enough To Send This Batch of Msgs" in shown
    assert (
        "rows accepted refused not_sent invalid duplicate blank people parts cost_share First name" in shown
    )
    assert "['report.csv', 'report.html', 'report.xlsx']" in shown
    assert "accepted for 275 of 294 people" in shown
    assert "accepted for 278 of 294 people" in shown


def test_going_live_stops_before_the_cell_that_sends(tmp_path, state_directory):
    """The budget is too small, and the rehearsal says so. No live campaign has begun: no list names one."""
    shown = driven("06_going_live", tmp_path, price=50, budget=5_000)
    assert "275 277 13850" in shown
    assert "The next batch exceeds the budget: " in shown
    assert "This sends 275 messages (" in shown
    assert "people on real phones (LIVE, sms.example.com)" in shown
    phrase, other_phrase = re.search(r"\('(send 275 [\w ]+)', '(send 275 [\w ]+)'\)", shown).groups()
    assert phrase != other_phrase
    assert f'Give confirm="{phrase}"' in shown
    assert "256772000999 Hi Noëlla, we expect you" in shown  # an accent, on your own phone
    assert "made-up" not in shown
    assert not (state_directory / "campaigns").exists()  # nothing is listed


def test_long_texts_are_cut_as_somebody_chose(tmp_path):
    """Two languages go out, an unknown one waits, and the second campaign leaves out who was reached."""
    shown = driven("07_languages_and_lengths", tmp_path, overlong="truncate")
    assert "Habari Amina, mtoto wako anatarajiwa tarehe 5 Februari. Leta kadi ya chanjo." in shown
    assert "Write en, fr or sw into the cell." in shown
    assert re.search(r"a blanket, a blanket,\.\.\. 1 ", shown)
    assert "accepted for 5 of 7 people" in shown
    assert shown.count("An earlier campaign reached this number") == 5
    assert "256772000006 Hi Rose, please call the clinic. accepted" in shown
    assert "256772000007 Hi Juma, please call the clinic. accepted" in shown
