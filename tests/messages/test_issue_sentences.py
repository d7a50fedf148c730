"""The sentences of issues: made of codes and facts by a catalogue, and nowhere else."""

import pandas as pd
import pytest

import campaign
from campaign.messages.issues import sentences
from campaign.words.catalogue import Catalogue
from campaign.words.codes import CODES
from campaign.words.page import PAGE
from campaign.words.python import PYTHON
from campaign.words.shell import SHELL

ROWS = [
    ("Ann", "0772000001", "05/01/2026", "en"), ("Ann", "0772000001", "05/01/2026", "en"),
    ("Bea", "0772000001", "25/12/2026", "en"), ("", "0772000002", "soon", "fr"),
    ("“Cy”", "077200", "31/02/2026", "sw"), ("ŋ" * 80, "+447700900123", "05/01/2026", "fr"),
    ("D" * 200, "256772000005", "05/01/2026", "en"), ("Ed", "0414 000 001", "06/01/2026", "en"),
    ("", "", "", ""), ("{}" * 30, "0772000007 / 0772000008", "06/01/2026", "fr"),
]  # fmt: skip


@pytest.fixture(params=[False, True], ids=["in memory", "in parts"])
def plan(request):
    contacts = pd.DataFrame(ROWS, columns=["name", "phone", "visit", "language"])
    source = contacts.to_csv(index=False).encode() if request.param else contacts
    texts = {"en": "Hi {name}, see you on {visit:%-d %b}", "fr": "Salut {name}, {visit:%-d %B@fr}"}
    return campaign.prepare(
        source, message=texts, language="language", sender="CLINIC", region="UG", stream=request.param
    )


def test_every_detail_is_made_of_the_code_and_the_facts_of_its_line(plan):
    issues = plan.issues
    assert issues["code"].nunique() > 8
    assert sentences(issues, PYTHON).tolist() == issues["detail"].tolist()
    assert all(code in CODES for code in issues["code"])


def test_another_catalogue_says_all_of_it_in_its_own_words(plan):
    pseudo = Catalogue({code: f"⟦{code}⟧" for code in CODES}, {})
    issues = plan.issues
    assert sentences(issues, pseudo).tolist() == [f"⟦{code}⟧" for code in issues["code"]]


@pytest.mark.parametrize("catalogue", [SHELL, PAGE])
def test_the_shell_and_the_form_name_no_python(plan, catalogue):
    said = " ".join(sentences(plan.issues, catalogue))
    assert "=" not in said
    assert "None" not in said


def test_a_plan_tells_its_findings_and_its_errors(plan):
    headline, *others = plan.findings
    assert (headline.code, headline.facts["rows"]) == ("plan_ready", len(ROWS))
    assert [finding.code for finding in others] == ["other_country", "phones_shared"]
    assert plan.errors.equals(plan.issues[plan.issues["severity"] == "error"].reset_index(drop=True))


def test_the_card_has_a_preview_for_each_language_and_boxes_above_the_table(plan):
    card = plan._repr_html_()
    assert card.count('class="phone"') == 2
    assert "en: 1 person" in card
    assert "fr: 1 person" in card
    assert card.index('class="box"') < card.index('class="scroller"')
    assert not [code for code in plan.issues["code"] if "_" in code and code in card]
