"""docs/codes.md: every code with what it means, and what to do in Python, in the shell and on the form.

`python -m support.codes_page` in the folder of the tests writes it again.
"""

from __future__ import annotations

import re
from pathlib import Path

from campaign.words import page, python, shell
from campaign.words.codes import AREAS

PATH = Path(__file__).parents[2] / "docs" / "codes.md"
_HEAD = """# Codes

Every error, issue, warning and question has one of these codes: `error.finding.code`, the column `code` of
`plan.issues`, `why` in `result.contacts`, and `code` with `--json`. Words in ‹such marks› are its facts.
The last columns say what to do; an empty one says the same as Python, and – nothing.
"""
_FACT = re.compile(r"\{(\w+)(?:![rs])?(?::([^{}]*))?\}")


def shown(template: str) -> str:
    """A headline or remedy with the names of its facts."""
    return _FACT.sub(_named, template.replace("[[", "").replace("]]", "")).replace("|", "\\|").strip()


def _named(match: re.Match[str]) -> str:
    noun, *plural = (match[2] or "").split("|")
    if not noun or not noun[0].isalpha() or noun in ("and", "or"):
        return plural[-1] if plural else f"‹{match[1]}›"
    return f"‹{match[1]}› {plural[0] if plural else f'{noun}s'}"


def codes_page() -> str:
    """The page as text."""
    sections = [_HEAD]
    for title, codes in AREAS.items():
        if codes:
            head = "| code | what it means | in Python | in the shell | on the form |\n|---|---|---|---|---|"
            lines = "\n".join(map(_line, codes))
            sections.append(f"## {title}\n\n{head}\n{lines}\n")
    return "\n".join(sections)


def _line(code: str) -> str:
    headline = page.HEADLINES.get(code) or python.PYTHON.headlines[code]
    remedies = [
        shown(catalogue.remedies.get(code, "")) for catalogue in (python.PYTHON, shell.SHELL, page.PAGE)
    ]
    told = [remedies[0], *("" if one == remedies[0] else one or "–" for one in remedies[1:])]
    return f"| `{code}` | {shown(headline)} | {' | '.join(told)} |"


if __name__ == "__main__":
    PATH.parent.mkdir(exist_ok=True)
    PATH.write_text(codes_page(), "utf-8")
