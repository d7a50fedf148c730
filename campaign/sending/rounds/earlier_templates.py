"""Which rounds of a campaign were written with another text than a plan, as their templates tell."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from campaign.arrow_text import text_array
from campaign.contacts.columns import fold
from campaign.messages.text.folding import folded
from campaign.sending.store.rounds import Round

_NAME = re.compile(r"\{([^{}:|]+)")  # the column of a placeholder


def rounds_of_other_texts(template: str, columns: Collection[str], rounds: Sequence[Round]) -> set[int]:
    """The rounds with another text than that of the template; none of those whose text is not known any more.

    `columns` are those of today's table. A column that was renamed makes no other text: its placeholder has
    the new name in the template, and the table does not have the old one.
    """
    given, *templates = folded(
        text_array([template, *(each.manifest.template for each in rounds)])
    ).to_pylist()
    known = {*map(fold, columns)}
    return {
        one_round.number
        for one_round, text in zip(rounds, templates, strict=True)
        if given and text and not _is_same(text, given, known)
    }


def _is_same(before: str, now: str, columns: Collection[str]) -> bool:
    """Whether two templates are the same but for names that are no columns any more."""
    if _NAME.sub("{", before) != _NAME.sub("{", now):
        return False
    names = zip(_NAME.findall(before), _NAME.findall(now), strict=True)
    return all(old == new or fold(old) not in columns for old, new in names)
