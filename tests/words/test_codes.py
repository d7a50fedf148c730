"""The closed list of codes: each is used, each can be said, and nothing else can be raised."""

import ast
import re
from decimal import Decimal
from pathlib import Path

import pytest
from support.codes_page import PATH, codes_page

import campaign
from campaign import errors
from campaign.words import page, python, shell
from campaign.words.codes import AREAS, CODES
from campaign.words.finding import Finding
from campaign.words.stored import read_stored, stored

PACKAGE = Path(campaign.__file__).parent
CATALOGUES = {"python": python.PYTHON, "shell": shell.SHELL, "page": page.PAGE}
AREA_NAMES = (
    "GENERAL", "CONTACTS", "NUMBERS", "MESSAGES", "ISSUES", "SERVICE", "EXCHANGES", "STORE", "ROUNDS",
    "RESULTS", "SHELL", "NOTEBOOK", "FORM",
)  # fmt: skip
ERRORS = {name for name, kind in vars(errors).items() if isinstance(kind, type)}
OPTIONAL = re.compile(r"\[\[.*?\]\]")
FACT = re.compile(r"\{(\w+)")
PYTHON_CODE = re.compile(r"\b[a-z_]+=|\bcampaign\.\w+\(|\w\(\)")
SHELL_CODE = re.compile(
    r"(?<!\w)--\w|\bcampaign (resume|send|check|status|close|order|reconcile|resolve|follow-up|erase)\b"
)


def sources():
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.parent.name != "words":
            yield path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_text("utf-8"))


def calls():
    """Calls that make an error or a finding: where, its code, its facts by name, and whether all are seen."""
    for place, tree in sources():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            code = node.args[0]
            if (
                name in ERRORS | {"Finding"}
                and isinstance(code, ast.Constant)
                and isinstance(code.value, str)
            ):
                facts = {keyword.arg for keyword in node.keywords}
                yield f"{place}:{node.lineno}", code.value, facts, name != "Finding" and None not in facts


def test_a_code_that_is_not_in_the_list_cannot_be_said():
    with pytest.raises(ValueError, match="no code"):
        Finding("made_up")
    with pytest.raises(ValueError, match="no severity"):
        Finding("wrong_value", severity="bad")


def test_whatever_is_raised_has_a_code_of_the_list():
    assert [f"{place} {code}" for place, code, _, _ in calls() if code not in CODES] == []


def test_every_code_is_used():
    texts = {
        node.value
        for _, tree in sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert sorted(CODES.keys() - texts) == []


def test_no_code_is_in_two_areas():
    assert sum(map(len, AREAS.values())) == len(CODES)


@pytest.mark.parametrize("module", [python, shell, page])
def test_no_remedy_is_in_two_areas(module):
    own = {name: area for name, area in vars(module).items() if name in AREA_NAMES and isinstance(area, dict)}
    codes = [code for area in own.values() for code in area]
    assert sorted({code for code in codes if codes.count(code) > 1}) == []


def test_every_fact_that_is_named_is_given():
    lacking = []
    for place, code, facts, is_whole in calls():
        if is_whole:
            templates = [CODES[code], *(one.remedies.get(code, "") for one in CATALOGUES.values())]
            needed = {
                name for text in templates for name in FACT.findall(OPTIONAL.sub("", text.replace("{{", "")))
            }
            lacking += [f"{place} {code}: {sorted(needed - facts)}"] if needed - facts else []
    assert lacking == []


@pytest.mark.parametrize("name", CATALOGUES)
def test_every_code_has_a_headline_and_no_remedy_is_of_another(name):
    catalogue = CATALOGUES[name]
    assert catalogue.headlines.keys() == CODES.keys()
    assert catalogue.remedies.keys() <= CODES.keys()


@pytest.mark.parametrize("name", CATALOGUES)
def test_headlines_and_remedies_are_short(name):
    catalogue = CATALOGUES[name]
    long = [code for code, text in catalogue.headlines.items() if len(OPTIONAL.sub("", text).split()) > 12]
    long += [code for code, text in catalogue.remedies.items() if len(OPTIONAL.sub("", text).split()) > 20]
    assert long == []


def test_the_shell_speaks_no_python():
    said = {**CODES, **shell.REMEDIES}
    assert {code: text for code, text in said.items() if PYTHON_CODE.search(text)} == {}


def test_a_page_speaks_neither_python_nor_shell():
    said = {**page.PAGE.headlines, **page.REMEDIES}
    assert {
        code: text for code, text in said.items() if PYTHON_CODE.search(text) or SHELL_CODE.search(text)
    } == {}


def test_the_page_of_codes_is_as_they_are():
    """To renew it: `python -m support.codes_page` in the folder of the tests."""
    assert PATH.read_text("utf-8") == codes_page()


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "{}", "5", '{"code": "made_up", "facts": {}}', '{"code": [], "facts": {}}',
        '{"code": "wrong_value", "facts": {}}', '{"code": "wrong_value", "facts": 5}',
        '{"code": "wrong_choice", "facts": {"argument": 1, "given": 2, "choices": {"amount": "x"}}}',
    ],
)  # fmt: skip
def test_what_was_changed_in_a_ledger_is_no_finding(text):
    with pytest.raises(ValueError, match="no finding"):
        read_stored(text)


def test_a_finding_is_kept_with_its_facts():
    cause = Finding("file_missing", {"file": "visits.csv"})
    kept = Finding("budget_reached", {"spent": Decimal("1.50"), "budget": 2, "cause": cause, "rows": [3, 4]})
    assert read_stored(stored(kept)) == Finding(kept.code, dict(kept.facts))
