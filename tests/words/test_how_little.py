"""How little is said: words after a send, on the cards, in a question and in a report."""

import re

import pytest

import campaign
from campaign.cli.main import main
from campaign.notebook.error_card import question_card

MESSAGE = "Hi {first_name}, your visit is on {visit_date:%-d %B}."
SAMPLE = "sample_data/clinic_visits.xlsx"


def words_of(html):
    """The words that somebody reads without opening anything."""
    seen = re.sub(r"<(style|svg|details)\b.*?</\1>", " ", html, flags=re.S)
    return re.sub(r"<[^>]+>", " ", seen).split()


@pytest.fixture
def sample(pytestconfig, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return str(pytestconfig.rootpath / SAMPLE)


@pytest.fixture
def plan(sample):
    return campaign.prepare(sample, message=MESSAGE, sender="CLINIC", region="UG")


@pytest.fixture
def result(plan):
    return campaign.send(plan, progress=False)


def test_the_shell_says_what_came_of_it_in_twelve_lines(sample, capsys):
    assert main(["send", sample, "--message", MESSAGE, "--sender", "CLINIC", "--region", "UG"]) == 0
    lines = capsys.readouterr().out.strip().splitlines()
    assert len(lines) <= 12
    assert sum(len(line.split()) for line in lines) <= 60


def test_the_card_of_a_result_fits_on_half_a_screen(result):
    assert len(words_of(result._repr_html_())) <= 90
    assert sum(finding.severity == "warning" for finding in result.findings) <= 3


def test_the_card_of_a_plan_has_a_line_for_each_kind_of_issue(plan):
    kinds = plan.issues[["code", "column"]].drop_duplicates()
    assert len(words_of(plan._repr_html_())) <= 60 + 20 * len(kinds)


def test_a_question_is_short(plan, sample, result):
    other = campaign.prepare(sample, message=f"Dear {MESSAGE}", sender="CLINIC", region="UG")
    with pytest.raises(campaign.ConfirmationError) as question:
        campaign.send(other, progress=False)
    assert len(str(question.value).split()) <= 75
    assert len(words_of(question_card(question.value))) <= 90
