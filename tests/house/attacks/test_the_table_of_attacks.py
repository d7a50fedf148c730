"""The table of attacks tells the truth: it names tests that exist, and every test beside it."""

import ast
import re
from pathlib import Path

HERE = Path(__file__).parent
TABLE = (HERE / "README.md").read_text("utf-8")
NAMED = re.findall(r"`(test_\w+)::(test_\w+)`", TABLE)


def names_of_tests(path):
    functions = [
        node for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.FunctionDef)
    ]
    return {function.name for function in functions if function.name.startswith("test_")}


def test_the_tests_that_are_named_exist():
    modules = {path.stem: names_of_tests(path) for path in HERE.parents[1].rglob("test_*.py")}
    assert len(NAMED) > 60
    assert [f"{module}::{test}" for module, test in NAMED if test not in modules.get(module, ())] == []


def test_every_test_of_this_folder_is_named():
    modules = [path for path in HERE.glob("test_*.py") if path != Path(__file__)]
    tests = {(path.stem, test) for path in modules for test in names_of_tests(path)}
    assert len(tests) > 20
    assert tests - set(NAMED) == set()


def test_each_attack_names_its_test():
    attacks = [line for line in TABLE.splitlines() if re.match(r"\| (?!what is tried)", line)]
    assert len(attacks) > 40
    assert [line for line in attacks if "::" not in line] == []
