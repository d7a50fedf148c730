"""Imports point down, each outside library has one door, and one name means one thing."""

import ast
import subprocess
import sys
from collections import Counter

import pytest
from support.import_graph import PACKAGE, deepest, edges_inside, imports, imports_of, modules, rooms

import campaign
from campaign import contract

LAYERS = [
    "text",
    "arrow_types",
    "arrow_text",
    "words",
    "errors",
    "libraries",
    "once",
    "contract",
    "environments",
    "formulas",
    "masking",
    "markup",
    "suggestions",
    "argument_checks",
    "public_calls",
    "samples",
    "values",
    "log",
    "copied_field",
    "paths",
    "private_files",
    "version",
    "local_times",
    "memory",
    "spool",
    "cluster",
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
    "aiohttp": {
        "notebook.app",
        "service.gated_body",
        "service.transport",
        "service.sandbox.listener",
        "service.sandbox.server",
        "service.sandbox.fault_answers",
    },
    "cryptography": {"service.sandbox.certificate"},
    "sqlite3": {"sending.ledger.connections"},
    "sqlalchemy": {
        "sending.ledger.postgres.address",
        "sending.ledger.postgres.catalog",
        "sending.ledger.postgres.connections",
        "sending.ledger.postgres.place",
        "sending.ledger.postgres.tables",
    },
    "jinja2": {"results.page.rendering"},
    "xlsxwriter": {"results.workbook"},
    "tqdm": {"sending.waiting.terminal"},
    "filelock": {"sending.store.locks"},
    "platformdirs": {"sending.store.user_state"},
    "python_calamine": {"contacts.workbooks.xlsx"},
    "xlrd": {"contacts.workbooks.xls"},
    "psutil": {"contacts.workbooks.process", "memory", "sending.store.lock_holder"},
    "chardet": {"contacts.files.encodings"},
    "ftfy": {"contacts.cells.repairs"},
    "idna": {"service.address"},
    "keyring": {"service.passwords"},
    "phonenumbers": {"contacts.phone_numbers.libphonenumber"},
    "regex": {"messages.text.limits"},
    "itables": {"notebook.row_table"},
    "anywidget": {
        "notebook.row_table",
        "notebook.composer.page",
    },
    "dask": {"cluster"},
    "distributed": {"cluster"},
    "shtab": {"cli.completion_command"},
}
NOTEBOOK_ONLY = {"ipywidgets", "IPython"}
# Inside contacts: what each module or folder may import from the others.
CONTACTS = {
    "contact_source": {
        "contact_parts",
        "continuation",
        "files",
        "partitioned_table",
        "reading",
        "reading_options",
        "reading_record",
        "spooled_table",
        "table",
    },
    "partitioned_table": {
        "cells",
        "contact_parts",
        "files",
        "reading",
        "reading_options",
        "reading_record",
        "table",
        "table_version",
    },
    "joined_tables": {"columns", "continuation", "reading_record", "table_version"},
    "complete_list": {"cells", "columns", "reading", "reading_record", "table"},
    "spooled_table": {"contact_parts", "files", "reading", "reading_record", "table", "table_version"},
    "table_notices": {"cells", "columns", "exports", "header_lines", "table"},
    "contact_parts": {"reading_record"},
    "own_files": {"reserved_columns"},
    "totals_lines": {"cells", "columns", "contact_parts", "vocabulary"},
    "naming_column": {"columns", "exports", "vocabulary"},
    "consent_columns": {"consent"},
    "consent": {"vocabulary"},
    "vocabulary": set(),
    "reading": {
        "own_files",
        "reading_options",
        "reading_record",
        "continuation",
        "joined_tables",
        "table",
        "table_notices",
        "table_version",
        "files",
        "workbooks",
        "cells",
    },
    "reading_options": {"cells"},
    "reading_record": {"columns", "continuation", "table"},
    "continuation": {"table", "table_version", "cells", "columns", "reserved_columns"},
    "table": {"cells", "columns", "exports", "header_lines"},
    "header_lines": {"cells", "columns", "exports"},
    "exports": {"columns", "vocabulary"},
    "files": {"cells", "columns", "exports", "workbooks"},
    "workbooks": {"cells", "columns", "vocabulary"},
    "cells": {"columns"},
    "table_version": set(),
    "amount_columns": set(),
    "columns": {"consent", "vocabulary"},
    "reserved_columns": set(),
    "phone_numbers": {"cells"},
}
# How many files a room may have at its own level, and on how many layers: a folder in it counts as one.
ROOMS = {"messages": (13, 6), "sending": (13, 8)}


def test_imports_point_down():
    wrong = []
    for name, target in imports():
        here, there = name.split(".")[0], target.split(".")[0]
        if LAYERS.index(there) > LAYERS.index(here):
            wrong.append(f"{name} imports {target}")
    assert wrong == []


def test_inside_contacts_imports_point_one_way():
    assert rooms("contacts") == set(CONTACTS)
    wrong = [
        f"contacts.{here} imports contacts.{there}"
        for here, there in edges_inside("contacts")
        if there not in CONTACTS[here]
    ]
    assert wrong == []


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_is_small_enough_to_be_known(room):
    files, layers = ROOMS[room]
    assert len(rooms(room)) <= files
    assert deepest(edges_inside(room)) <= layers


def test_nothing_inside_imports_the_root():
    """`from campaign import markup` names a module; a function or class would go through the root."""
    files = {path.stem for path in PACKAGE.glob("*.py")} | {path.name for path in PACKAGE.iterdir()}
    wrong = [f"{name} imports {target}" for name, target in imports() if target.split(".")[0] not in files]
    assert wrong == []


def test_no_module_imports_itself_in_a_circle():
    assert deepest(imports()) < sys.maxsize


def test_no_two_classes_share_a_name():
    names = Counter(
        node.name for _, tree in modules() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_no_name_needs_another_where_it_is_imported():
    """`import ledger as ledgers` would say that one name means two things."""
    wrong = [
        f"{name}: {alias.name} as {alias.asname}"
        for name, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("campaign")
        for alias in node.names
        if alias.asname
    ]
    assert wrong == []


def test_no_module_is_imported_for_its_side_effect():
    """Every name that is imported is used, and no module calls anything when it is loaded."""
    allowed = {"__init__", "__main__", "log"}  # for notebooks, for a run, for the handler of the logger
    wrong = [
        f"{name}, line {statement.lineno}"
        for name, tree in modules()
        if name not in allowed
        for statement in tree.body
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    ]
    assert wrong == []


def test_every_fact_of_the_contract_is_written_once():
    facts = [
        contract.PRIORITIES,
        contract.STATUSES,
        contract.STATUSES[4:],
        contract.MESSAGE_TEXTS,
        contract.BATCH_COLUMNS,
    ]
    wrong = []
    for name, tree in modules():
        if name == "contract":
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Tuple | ast.List | ast.Set):
                items = tuple(getattr(item, "value", None) for item in node.elts)
                if items in facts:
                    wrong.append(f"{name}, line {node.lineno}: {items}")
            # A single SMS part holds 160 septets too, which is another fact, and so is U+00A0.
            elsewhere = name not in ("messages.text.segments", "messages.text.gsm7")
            if isinstance(node, ast.Constant) and node.value == contract.TEXT_LIMIT and elsewhere:
                wrong.append(f"{name}, line {node.lineno}: {node.value}")
    assert wrong == []


@pytest.mark.parametrize("library", DOORS)
def test_each_library_has_its_door(library):
    users = {name for name, tree in modules() for one in imports_of(tree) if one.split(".")[0] == library}
    assert users, f"{library} is used nowhere: take it off the list and out of the dependencies"
    assert users <= DOORS[library]


def test_widgets_live_in_the_notebook_layer():
    users = {
        name for name, tree in modules() for one in imports_of(tree) if one.split(".")[0] in NOTEBOOK_ONLY
    }
    assert {name for name in users if name.split(".")[0] != "notebook"} == set()


def test_no_public_name_but_the_widgets_loads_a_heavy_library():
    """Each is loaded where it is used: the network client when a run begins to send."""
    heavy = [
        "aiohttp",
        "ipywidgets",
        "IPython",
        "itables",
        "xlsxwriter",
        "jinja2",
        "tqdm",
        "openpyxl",
        "cryptography",
        "dask",
        "sqlalchemy",
        "psycopg",
    ]
    names = [name for name, module in campaign._MODULES.items() if ".notebook." not in module]
    code = (
        f"import sys; from campaign import {', '.join(names)}; "
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_modules_are_nouns():
    forbidden = {"utils", "util", "helpers", "helper", "core", "base", "models", "common", "misc"}
    assert {name.split(".")[-1] for name, _ in modules()} & forbidden == set()
