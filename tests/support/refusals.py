"""What the package refuses: an error of ours, known by the code and the facts of its finding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from campaign.errors import CampaignError, ConfirmationError
from campaign.words.finding import Finding


@contextmanager
def refused(
    code: str, kind: type[CampaignError] = CampaignError, /, **facts: Any
) -> Iterator[pytest.ExceptionInfo[CampaignError]]:
    """Something inside raises an error of this kind with this code and, among others, these facts."""
    with pytest.raises(kind) as caught:
        yield caught
    finding = caught.value.finding
    assert finding.code == code, f"{finding.code}: {caught.value}"
    different = {name: finding.facts.get(name) for name in facts if finding.facts.get(name) != facts[name]}
    assert not different, f"{different}, not {facts}"


def findings_of(question: ConfirmationError) -> list[Finding]:
    """What a question has found, with the examples in it."""
    found = question.finding.facts["findings"]
    examples = [example for one in found for example in one.facts.get("examples", ())]
    return [one for one in (*found, *examples) if isinstance(one, Finding)]


def facts_of(findings: Iterable[Finding]) -> dict[str, Mapping[str, Any]]:
    """The facts of findings by their codes; of one code those of the last."""
    return {one.code: one.facts for one in findings}
