"""docs/api.md: every public name with its docstring.

`python -m support.api_page` in the folder of the tests writes it again.
"""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

import campaign
from campaign import errors

PATH = Path(__file__).parents[2] / "docs" / "api.md"
_HEAD = """# API

All public names, in the order of use. Options are given by name. This page is made from the docstrings:
`help(campaign.send)` shows the same.
"""
SECTIONS = {
    "A spreadsheet becomes a plan": ["read_contacts", "prepare", "Plan", "clean_numbers", "sample"],
    "Send it": [
        "compare", "Difference",
        "try_out", "TryOut", "send", "start", "Run", "asend", "resume", "Budget", "Hours",
    ],
    "What came of it": [
        "load_result", "Result", "write_report", "write_follow_up", "history", "resolve", "reconcile",
        "Reconciliation", "close", "erase",
    ],
    "Where it goes": ["Account", "Sandbox"],
    "In notebooks": ["compose", "browse", "summary"],
    "Several machines": ["release", "Release", "work", "WorkerReport", "order", "workers", "send_part"],
}  # fmt: skip


def api_page() -> str:
    """The page as text."""
    pieces = [_HEAD]
    for title, names in SECTIONS.items():
        pieces += [f"## {title}\n", *map(_entry, names)]
    (tree,) = re.findall(r"^CampaignError\n(?:.+\n)+", inspect.getdoc(errors) or "", re.MULTILINE)
    pieces.append("## Errors\n\nEach has a `finding`: one of the [codes](codes.md), and its facts.\n")
    pieces.append(f"```text\n{tree}```\n")
    return "\n".join(pieces)


def _entry(name: str) -> str:
    value = getattr(campaign, name)
    text, *sections = re.split(r"^(\w[\w ]*)\n-+\n", inspect.getdoc(value) or "", flags=re.MULTILINE)
    pieces = [f"### {name}\n", *_signature(name, value), f"{_prose(text)}\n"]
    for heading, body in zip(sections[::2], sections[1::2], strict=True):
        pieces.append(_section(heading, body))
    if inspect.isclass(value) and (members := _members(value)):
        pieces.append("**Members**\n\n" + "\n".join(members) + "\n")
    return "\n".join(pieces)


def _signature(name: str, value: Any) -> list[str]:
    """The call with its defaults, of what people call; names without types read best."""
    if inspect.isclass(value) and "Parameters\n" not in (inspect.getdoc(value) or ""):
        return []
    parameters = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in inspect.signature(value).parameters.values()
    ]
    arguments = str(inspect.Signature(parameters))[1:-1]
    call = textwrap.fill(f"campaign.{name}({arguments})", 80, subsequent_indent="    ")
    return [f"```python\n{call}\n```\n"]


def _section(heading: str, body: str) -> str:
    if heading == "Examples":
        return f"```python\n{body.strip()}\n```\n"
    if heading == "Notes":
        return f"{_prose(body)}\n"
    entries = re.findall(r"^(\S.*)\n((?:[ ]{4}.*\n?|\n)*)", f"{body.rstrip()}\n", re.MULTILINE)
    lines = [f"- {_named(term)}: {_prose(textwrap.dedent(about))}".rstrip(": ") for term, about in entries]
    return f"**{heading}**\n\n" + "\n".join(lines) + "\n"


def _named(term: str) -> str:
    names, _, kind = term.partition(" : ")
    return ", ".join(f"`{name}`" for name in names.split(", ")) + (f" ({kind})" if kind else "")


def _prose(text: str) -> str:
    """Text with each paragraph in one line, and lists as they are."""
    escaped = re.sub(r"`[^`]*`|[<*]", lambda match: match[0] if len(match[0]) > 1 else f"\\{match[0]}", text)
    paragraphs = re.split(r"\n\n+|\n(?=- )", escaped.strip())
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs).replace("\n\n- ", "\n- ")


def _members(kind: type) -> list[str]:
    """Methods and properties, as Tab offers them, with their first sentence."""
    offered = getattr(sys.modules[kind.__module__], "_OFFERED", None)
    documented = set(re.findall(r"^(\w+) : ", inspect.getdoc(kind) or "", re.MULTILINE))
    lines = []
    for name, member in vars(kind).items():
        if name.startswith("_") or name in documented or (offered is not None and name not in offered):
            continue
        function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        about = inspect.getdoc(function) if inspect.isfunction(function) else None
        if about:
            shown = name if isinstance(member, property) else f"{name}{_call(function)}"
            lines.append(f"- `{shown}`: {' '.join(about.split(chr(10) * 2)[0].split())}")
    return lines


def _call(function: Any) -> str:
    parameters = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for name, parameter in inspect.signature(function).parameters.items()
        if name not in ("self", "cls")
    ]
    return str(inspect.Signature(parameters))


if __name__ == "__main__":
    PATH.write_text(api_page(), "utf-8")
