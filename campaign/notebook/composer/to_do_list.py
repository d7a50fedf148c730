"""What is left to do as a list: what one press of the same button does is one item."""

from __future__ import annotations

import re
from collections.abc import Iterable

from campaign.text import listed_words

_BY_RESUMING = re.compile(r"(?:^| )Resume the campaign to (send [^.]*)\.$")
_RESUME = "Resume the campaign"
_WHAT = {  # is sent, by what the sentences say that resuming is for
    "send the messages that were not sent": "the messages that were not sent",
    "send it to these people": "what was settled as not there",
    "send again what you ordered to be sent again": "what you ordered to be sent again",
}


def with_one_press(sentences: Iterable[str]) -> list[str]:
    """The sentences, with all that resuming is for in a single one, where several of them say so."""
    told = [(said, _BY_RESUMING.search(said)) for said in sentences]
    whats = [_WHAT[found[1]] for _, found in told if found and found[1] in _WHAT]
    if len(whats) < 2:
        return [said for said, _ in told]
    once = f"{_RESUME}: one press sends {listed_words(whats)}."
    others = [said[: found.start()] if found and found[1] in _WHAT else said for said, found in told]
    return [once, *filter(None, others)]
