"""What axe-core finds wrong with a page, for people who cannot see it or cannot use a mouse."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page


def findings(page: Page) -> list[str]:
    """Every violation of a rule of axe-core, and where it is."""
    violations = Axe().run(page).response["violations"]
    return [
        f"{violation['id']}: {node['html'][:200]}" for violation in violations for node in violation["nodes"]
    ]
