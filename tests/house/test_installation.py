"""What a session meets in which this package was installed a moment ago, as on Colab, and its version."""

import importlib.metadata
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import campaign
from campaign.version import FLOORS, outdated

ROOT = Path(__file__).parents[2]


def run(program, folder):
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {[str(folder), str(ROOT)]}\n{program}"],
        capture_output=True, text=True, cwd=folder,
    )  # fmt: skip
    return done.stdout + done.stderr


def old(name, version, folder):
    """A library as old, which fails as pandas 2 does where a later one is needed."""
    (folder / name).mkdir()
    (folder / name / "__init__.py").write_text(
        f"__version__ = {version!r}\ndef __getattr__(name): raise TypeError('StringDtype')\n"
    )


BEFORE, AFTER = "import {0}\nimport campaign", "import campaign\nimport {0}\ncampaign.read_contacts"


@pytest.mark.parametrize(
    ("name", "version", "program"),
    [
        ("pandas", "2.2.2", BEFORE),
        ("pandas", "2.3.3", AFTER),
        ("numpy", "1.26.4", BEFORE),
        ("pyarrow", "25.0.0", BEFORE),
        ("pyarrow", "21.0.0.dev3", AFTER),
        ("aiohttp", "3.11.18", BEFORE),
    ],
)
def test_a_library_that_is_loaded_and_too_old_is_said_in_a_sentence(tmp_path, name, version, program):
    old(name, version, tmp_path)
    said = run(program.format(name), tmp_path)
    last = said.strip().splitlines()[-1]
    assert last.startswith("campaign.errors.InstallationError: "), said
    assert all(
        word in last for word in (f"{name} {FLOORS[name]}", f"{name} {version}", "Restart the session")
    )


def test_where_all_is_new_enough_nothing_is_loaded_to_look(tmp_path):
    heavy = {"pandas", "pyarrow", "aiohttp", "importlib.metadata"}
    assert run(f"import campaign; print({heavy} & {{*sys.modules}})", tmp_path) == "set()\n"
    assert outdated() == {}


@pytest.mark.parametrize("version", ["3.0.0", "3.0.0rc1", "3", "10.1", "", "unknown", None])
def test_a_version_that_is_new_enough_or_unknown_is_no_error(monkeypatch, version):
    import pandas as pd

    monkeypatch.setattr(pd, "__version__", version)
    assert outdated() == {}


def test_the_floors_are_those_of_the_installation():
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    floors = dict(re.match(r"([\w-]+)>=([\d.]+)", line).groups() for line in wanted)
    assert {name: floors[name] for name in FLOORS} == FLOORS


def test_the_version_is_public_and_the_installed_one():
    assert campaign.__version__ == importlib.metadata.version("campaign")
    assert "__version__" in dir(campaign)
