"""The house keeps its floors: imports point down, and each outside library has one door."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "campaign"
FLOORS = [
    "errors",
    "contract",
    "text",
    "masking",
    "markup",
    "suggestions",
    "argument_checks",
    "arrow_text",
    "paths",
    "contacts",
    "messages",
    "service",
    "results",
    "sending",
    "notebook",
    "cli",
    "__main__",
    "pytest_plugin",
]
DOORS = {
    "aiohttp": {"service.transport", "service.sandbox.server", "service.sandbox.faults"},
    "sqlite3": {"sending.ledger.schema"},
    "jinja2": {"results.report"},
    "xlsxwriter": {"results.workbook"},
    "matplotlib": {"results.charts"},
    "tqdm": {"sending.run"},
    "filelock": {"sending.store.folder"},
    "python_calamine": {"contacts.workbooks.excel"},
    "charset_normalizer": {"contacts.files.encodings"},
    "idna": {"service.address"},
    "keyring": {"service.credentials"},
    "phonenumbers": {"contacts.phone_numbers.libphonenumber"},
    "regex": {"messages.text.limits"},
}
# Inside contacts: what each module or folder may import from the others.
ROOMS = {
    "reading": {"table", "files", "workbooks", "cells", "columns"},
    "table": {"cells", "columns"},
    "files": {"cells", "columns"},
    "workbooks": {"cells", "columns"},
    "cells": {"columns"},
    "columns": set(),
    "phone_numbers": set(),
}
NOTEBOOK_ONLY = {"ipywidgets", "IPython"}


def modules():
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        yield name.removesuffix(".__init__"), ast.parse(path.read_text("utf-8"))


def imports_of(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


INSIDE = [
    (name, imported.split(".")[1:])
    for name, tree in modules()
    if name != "__init__"
    for imported in imports_of(tree)
    if imported.split(".")[0] == "campaign"
]


def test_imports_point_down():
    wrong = []
    for name, target in INSIDE:
        here, there = name.split(".")[0], target[0]
        if FLOORS.index(there) > FLOORS.index(here):
            wrong.append(f"{name} imports {'.'.join(target)}")
    assert wrong == []


def test_inside_contacts_imports_point_one_way():
    rooms = {path.stem for path in (PACKAGE / "contacts").iterdir() if not path.stem.startswith("__")}
    assert rooms == set(ROOMS)
    wrong = []
    for name, target in INSIDE:
        if name.startswith("contacts.") and target[0] == "contacts":
            here, there = name.split(".")[1], target[1]
            if here != there and there not in ROOMS[here]:
                wrong.append(f"{name} imports {'.'.join(target)}")
    assert wrong == []


def test_nothing_inside_imports_the_root():
    """`from campaign import markup` names a module; a function or class would go through the root."""
    files = {path.relative_to(PACKAGE).with_suffix("").parts for path in PACKAGE.rglob("*.py")}
    roots = [f"{name} imports campaign.{target[0]}" for name, target in INSIDE if len(target) == 1]
    wrong = [line for line in roots if (line.rsplit(".", 1)[1],) not in files]
    assert wrong == []


def test_no_module_imports_itself_in_a_circle():
    edges = {}
    for name, target in INSIDE:
        owner = ".".join(target[:-1]) if len(target) > 1 else target[0]
        edges.setdefault(name, set()).add(owner)
    path, done = [], set()

    def visit(name):
        assert name not in path, f"a circle: {' -> '.join([*path, name])}"
        if name in done:
            return
        path.append(name)
        for other in edges.get(name, ()):
            visit(other)
        path.pop()
        done.add(name)

    for name in edges:
        visit(name)


@pytest.mark.parametrize("library", DOORS)
def test_each_library_has_its_door(library):
    users = {name for name, tree in modules() for one in imports_of(tree) if one.split(".")[0] == library}
    assert users, f"{library} is used nowhere: take it off the list and out of the dependencies"
    assert users <= DOORS[library]


def test_widgets_live_in_the_notebook_floor():
    users = {
        name for name, tree in modules() for one in imports_of(tree) if one.split(".")[0] in NOTEBOOK_ONLY
    }
    assert {name for name in users if name.split(".")[0] != "notebook"} == set()


def test_importing_campaign_leaves_the_heavy_libraries_alone():
    heavy = [
        "matplotlib",
        "ipywidgets",
        "IPython",
        "xlsxwriter",
        "jinja2",
        "tqdm",
        "openpyxl",
        "dask",
        "sqlalchemy",
    ]
    code = f"import sys, campaign; print([name for name in {heavy} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_modules_are_nouns():
    forbidden = {"utils", "util", "helpers", "helper", "core", "base", "models", "common", "misc"}
    assert {name.split(".")[-1] for name, _ in modules()} & forbidden == set()
