"""Docstrings of public functions: what each argument is, in the form of numpydoc, with examples that run."""

import asyncio
import doctest
import inspect
import pydoc
import re

import pandas as pd
import pytest

import campaign

FUNCTIONS = [name for name in campaign.__all__ if inspect.isroutine(getattr(campaign, name))]
CLASSES = [
    "Account", "Budget", "Difference", "Hours", "Plan", "Reconciliation", "Release", "Result", "Run",
    "Sandbox", "TryOut", "WorkerReport",
]  # fmt: skip
EXAMPLES = [*FUNCTIONS, *CLASSES]
SECTIONS = ("Parameters", "Returns", "Raises", "Notes", "Examples")
MOST_WORDS = 350  # of help()
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL


def sections_of(name):
    """The sections of a docstring: the lines below each heading."""
    text = inspect.getdoc(getattr(campaign, name))
    pieces = re.split(r"^(\w+)\n-+$", text, flags=re.MULTILINE)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def names_in(section):
    return [name for line in re.findall(r"^\w.*$", section, re.MULTILINE) for name in line.split(", ")]


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def world():
    """What the examples take for granted: a table of one person, its plan, and what came of it."""
    contacts = pd.DataFrame({"name": ["Amina"], "phone": ["0772 000 001"]})
    plan = campaign.prepare(contacts, message="Hi {name}!", sender="CLINIC", region="UG")
    result = campaign.send(plan, name="visits", progress=False)
    modules = {"campaign": campaign, "pd": pd, "asyncio": asyncio}
    return {**modules, "contacts": contacts, "plan": plan, "result": result}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_argument_is_documented(name):
    sections = sections_of(name)
    assert list(sections) == [heading for heading in SECTIONS if heading in sections]
    parameters = [*inspect.signature(getattr(campaign, name)).parameters]
    assert sorted(names_in(sections.get("Parameters", ""))) == sorted(parameters)
    assert {"Returns", "Raises", "Examples"} <= sections.keys()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_help_is_short(name):
    help_text = pydoc.render_doc(getattr(campaign, name), renderer=pydoc.plaintext)
    assert len(help_text.split()) <= MOST_WORDS


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_run(name, world):
    examples = doctest.DocTestFinder(recurse=False).find(
        inspect.unwrap(getattr(campaign, name)), name, module=False, globs=world
    )
    assert sum(len(example.examples) for example in examples)
    said = []
    runner = doctest.DocTestRunner(optionflags=OPTIONS, verbose=False)
    for example in examples:
        runner.run(example, out=said.append)
    assert not runner.failures, "".join(said)
