"""`NothingReceived`: an empty table of messages that says why it is empty."""

from __future__ import annotations

from typing import Any

import pandas as pd

from campaign import markup


class NothingReceived(pd.DataFrame):
    """No messages, with the columns of those that were asked about; it is shown as a sentence."""

    _metadata = ["sentence"]  # noqa: RUF012 - as pandas has it
    sentence: str

    @classmethod
    def of(cls, messages: pd.DataFrame, sentence: str) -> NothingReceived:
        nothing = cls(messages.iloc[:0])
        nothing.sentence = sentence
        return nothing

    @property
    def _constructor(self) -> Any:
        return pd.DataFrame  # what is made of it has nothing to say

    def __repr__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        return markup.paragraph(self.sentence)
