"""Every sentence that the package can say, read from its source."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from support.import_graph import modules

_PLACE = "7"  # stands for whatever a sentence is filled with: it can be a word, a number, a row


def sentences(*, without: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """The place (module and line) and the text of every text in the code that is no docstring."""
    for name, tree in modules():
        if name.split(".")[0] in without:
            continue
        inner = {id(piece) for node in ast.walk(tree) for piece in _pieces_of_longer_texts(node)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in inner:
                text = _text(node)
                if text:
                    yield f"{name}:{node.lineno}", text


def _pieces_of_longer_texts(node: ast.AST) -> Iterator[ast.AST]:
    """What is part of a longer text, and docstrings."""
    if isinstance(node, ast.JoinedStr):
        yield from (piece for value in node.values for piece in ast.walk(value))
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            yield first.value


def _text(node: ast.Constant | ast.JoinedStr) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    return "".join(str(value.value) if isinstance(value, ast.Constant) else _PLACE for value in node.values)
