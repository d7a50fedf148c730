"""Pages made from templates; every value is escaped unless it is marked as HTML already."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from campaign import markup
from campaign.contacts.files.signatures import OWN_PAGE
from campaign.local_times import LocalTimes
from campaign.once import Once
from campaign.results import charts
from campaign.results.replaced_file import replace_file
from campaign.version import VERSION
from campaign.words.finding import Finding
from campaign.words.page import PAGE

if TYPE_CHECKING:
    from jinja2 import Environment

_TEMPLATES = Path(__file__).with_name("templates")


def write_page(path: Path, template: str, values: dict[str, Any], times: LocalTimes) -> None:
    """Render a template to a file. It gets the styles and the time of writing besides its values."""
    now = datetime.now(UTC)
    style = (_TEMPLATES / "page.css").read_text(encoding="utf-8")
    written = times.moment(now)
    page_template = _environment().get_template(template)
    values = values | {"accepted": PAGE.headline(Finding("accepted_means", severity="info"))}
    page = page_template.render(
        values,
        style=charts.STYLE + style,
        written=written,
        version=VERSION,
        generator=OWN_PAGE,
    )

    def write(new_path: Path) -> None:
        new_path.write_text(page, encoding="utf-8", newline="\n")

    replace_file(path, write)


@Once
def _environment() -> Environment:
    """Where templates come from."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FileSystemLoader(_TEMPLATES),
    )


def table(
    frame: pd.DataFrame,
    name: str,
    *,
    rows: int | None = None,
    figures: Collection[str] = (),
    total: Sequence[object] = (),
) -> str:
    """A table in a frame of its own that scrolls where it is wider than the page; `name` is read aloud.

    `rows` is how many there are, where the frame has only the first of them; `figures` are columns of amounts
    in words, and `total` the cells of a last line with the sums.
    """
    html = markup.table(frame, limit=len(frame), rows=rows, figures=figures, total=total)
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{markup.escape(name)}">{html}</div>'
