"""Pages in Markdown as GitHub reads them: their code blocks, headings, links and words."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?:\]\(|src=\"|srcset=\")([^)\s\"]+)")


@dataclass(frozen=True)
class Block:
    """A code block of a page."""

    language: str
    text: str


@dataclass(frozen=True)
class Page:
    """A page, by its path."""

    path: Path

    @property
    def text(self) -> str:
        return self.path.read_text("utf-8")

    @property
    def words(self) -> int:
        return len(self.text.split())

    @property
    def blocks(self) -> list[Block]:
        return [Block(*match.groups()) for match in _FENCE.finditer(self.text)]

    @property
    def anchors(self) -> set[str]:
        """What links may name behind a #."""
        headings = re.findall(r"^#+ (.+)$", _FENCE.sub("", self.text), re.MULTILINE)
        slugs: Counter[str] = Counter()
        anchors = set()
        for heading in headings:
            slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            anchors.add(f"{slug}-{slugs[slug]}" if slugs[slug] else slug)
            slugs[slug] += 1
        return anchors

    @property
    def links(self) -> list[str]:
        """Links to files and headings of this project."""
        links = _LINK.findall(re.sub(r"`[^`\n]+`", "", _FENCE.sub("", self.text)))
        return [link for link in links if "://" not in link]

    def leads_somewhere(self, link: str) -> bool:
        """Whether the file of a link exists, and has its heading."""
        name, _, anchor = link.partition("#")
        target = (self.path.parent / name).resolve() if name else self.path
        return target.exists() and (not anchor or anchor in Page(target).anchors)
