"""The frame `Result.batches` of batches as a test writes them down."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from campaign.contract import BATCH_COLUMNS
from campaign.words.finding import Finding
from campaign.words.python import PYTHON
from campaign.words.stored import as_json

NO_ANSWER = Finding("no_answer", {"failure": "TimeoutError"})
WRITTEN = (
    "batch",
    "messages",
    "status",
    "cost",
    "code",
    "error",
    "attempts",
    "submitted_at",
    "seconds",
    "round",
)


def frame_of(rows: Iterable[tuple[Any, ...]]) -> pd.DataFrame:
    """The frame of rows with the columns `WRITTEN`; an error is the service's words, or a finding."""
    frame = pd.DataFrame(list(rows), columns=list(WRITTEN))
    said = frame["error"].astype("object")
    is_remark = said.map(lambda error: isinstance(error, Finding)).astype("bool")
    frame["why"] = said.map(lambda error: error.code if isinstance(error, Finding) else "")
    frame["facts"] = said.map(lambda error: as_json(error.facts) if isinstance(error, Finding) else "{}")
    frame["error"] = said.mask(is_remark, said[is_remark].map(PYTHON.headline))
    frame["submitted_at"] = pd.to_datetime(frame["submitted_at"], utc=True)
    kinds = dict.fromkeys(["batch", "messages", "attempts", "round"], "int64")
    kinds |= dict.fromkeys(["status", "code", "why", "error", "facts"], "str")
    return frame.astype({"cost": "object", "seconds": "float64", **kinds})[list(BATCH_COLUMNS)]
