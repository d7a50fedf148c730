"""A template is compiled once for all processes; what is kept is used only where it fits."""

import sys

import pytest
from jinja2 import Environment, FileSystemLoader

from campaign.results.page.compiled_templates import CompiledTemplates


@pytest.fixture(autouse=True)
def _python_keeps_bytecode(monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)


@pytest.fixture
def templates(tmp_path):
    (tmp_path / "page.html.jinja").write_text("Hello {{ name }}")
    return tmp_path


def page_in_a_new_process(templates, monkeypatch, may_compile=True):
    environment = Environment(
        autoescape=True, loader=FileSystemLoader(templates), bytecode_cache=CompiledTemplates(templates)
    )
    if not may_compile:
        monkeypatch.delattr(Environment, "compile")
    return environment.get_template("page.html.jinja").render(name="Amina")


def kept(templates):
    return [*templates.glob("__pycache__/*")]


def test_the_second_process_does_not_compile_it(templates, monkeypatch):
    assert page_in_a_new_process(templates, monkeypatch) == "Hello Amina"
    assert page_in_a_new_process(templates, monkeypatch, may_compile=False) == "Hello Amina"
    assert [path.name for path in kept(templates)] == [f"page.html.{sys.implementation.cache_tag}.pyc"]


def test_a_changed_template_is_compiled_again(templates, monkeypatch):
    page_in_a_new_process(templates, monkeypatch)
    (templates / "page.html.jinja").write_text("Dear {{ name }}")
    assert page_in_a_new_process(templates, monkeypatch) == "Dear Amina"
    assert page_in_a_new_process(templates, monkeypatch, may_compile=False) == "Dear Amina"


@pytest.mark.parametrize("keep", [0, 5, -1])
def test_a_damaged_file_is_not_used(templates, monkeypatch, keep):
    page_in_a_new_process(templates, monkeypatch)
    [path] = kept(templates)
    path.write_bytes(path.read_bytes()[:keep])
    assert page_in_a_new_process(templates, monkeypatch) == "Hello Amina"
    assert page_in_a_new_process(templates, monkeypatch, may_compile=False) == "Hello Amina"


def test_where_nothing_can_be_kept_the_page_comes_out_all_the_same(templates, monkeypatch):
    (templates / "__pycache__").write_text("a file where the folder would be")
    assert page_in_a_new_process(templates, monkeypatch) == "Hello Amina"


def test_where_python_keeps_nothing_nothing_is_kept(templates, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert page_in_a_new_process(templates, monkeypatch) == "Hello Amina"
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys.implementation, "cache_tag", None)
    assert page_in_a_new_process(templates, monkeypatch) == "Hello Amina"
    assert kept(templates) == []
